# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# artifacts.sh - downloads and builds artifacts: roots, kernels, QEMUs, firmware.
#
# An artifact is a folder <cache>/<name>-<key>. The key is a hash of the recipe, which is the
# text of the function artifact_<name> and the files that it reads: after a change of the recipe
# the artifact is made again. An artifact is made in a folder of another name, under a lock, and
# renamed when it is complete.
#
# Sourced by lab.sh, and by recipes, which run as root. artifact_<name> makes an artifact in the folder $1.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/sbi-pmu
stable=trixie
testing=forky
oldstable=bookworm
# The event data
vendor=../../drivers/perf/sbi_pmu/vendor

# ---- recipes ----

# Settings of this machine's apt that a new root needs to reach a mirror.
apt_settings() {
	local name value
	for name in Acquire::Check-Valid-Until Acquire::Max-ValidTime Acquire::http::Proxy \
		Acquire::https::Proxy; do
		value=$(apt-config dump "$name" | sed -n 's/.* "\(.*\)";$/\1/p' | head -n 1)
		[ -z "$value" ] || printf -- '--aptopt=%s "%s"\n' "$name" "$value"
	done
	# After the machine's own settings, to override them. Packages are signed even if the
	# Release file has expired.
	[ -z "$lab_expired" ] || echo '--aptopt=Acquire::Check-Valid-Until "false"'
	echo '--aptopt=Acquire::Retries "3"'
}

# debstrap SUITE VARIANT ARCHS PACKAGES TARGET [mmdebstrap option...]
#
# Only the release itself: -updates and -security change while a root is in the cache, and the
# lab needs nothing of them.
debstrap() {
	local suite=$1 variant=$2 archs=$3 packages=$4 target=$5 settings
	shift 5
	mapfile -t settings < <(apt_settings)
	# shellcheck disable=SC2016 # $1 is for mmdebstrap's shell
	as_root mmdebstrap --variant="$variant" --architectures="$archs" \
		--include="$packages" "${settings[@]}" \
		--setup-hook='sed -i "/-updates/d;/-security/d" "$1/etc/apt/sources.list"' \
		"$@" "$suite" "$target"
}

# Run in a build root: unpack the headers of the newest riscv64 kernel without their
# dependencies, of which one is a gcc that runs on riscv64.
unpack_headers='
	cd /tmp
	depends() { apt-cache depends "$1" | sed -n "s/.*Depends: <*\($2[^:>]*\).*/\1/p" | head -n 1; }
	h=$(depends linux-headers-riscv64:riscv64 linux-headers-)
	release=${h#linux-headers-}
	apt-get -q download "$h:riscv64" "$(depends "$h:riscv64" "linux-headers-.*-common")" \
		"$(depends "$h:riscv64" linux-kbuild-)"
	for d in *.deb; do dpkg -x "$d" /; rm "$d"; done
	echo "$release" > /kernel-release
'

# Run in a build root after that: in /newer leave the packages of unstable's riscv64 kernel, without
# its modules, and unpack its headers, if it is another one.
unpack_newer='
	older=$(cat /kernel-release)
	sed "s/ [a-z]* main/ unstable main/" /etc/apt/sources.list >/etc/apt/sources.list.d/newer.list
	apt-get -q update || {
		rm /etc/apt/sources.list.d/newer.list
		echo "the mirror cannot serve unstable" >/no-newer
		exit 0
	}
	eval "$1"
	if [ "$(cat /kernel-release)" != "$older" ]; then
		mkdir /newer && cd /newer
		apt-get -q download $(apt-cache depends --recurse --no-recommends --no-suggests \
			--no-conflicts --no-breaks --no-replaces --no-enhances linux-image-riscv64:riscv64 |
			grep "^linux-\(image\|base\|binary\)-[0-9].*:riscv64$")
	else
		echo "testing and unstable have the same kernel" >/no-newer
	fi
	echo "$older" >/kernel-release
	rm /etc/apt/sources.list.d/newer.list
'

# cpio_of ROOT FOLDER: write an archive of the folder to standard output, by ROOT's cpio. All
# files in it belong to root.
cpio_of() {
	in_root "$1" "$2:/run/tree:ro" -- sh -c \
		'cd /run/tree && find . | sort | cpio -o -H newc --quiet -R 0:0'
}

# What builds the module and the guest programs.
build_packages=gcc-riscv64-linux-gnu,libc6-dev-riscv64-cross,make,cpio,perl,pahole,libelf1t64,libssl3t64,device-tree-compiler
stable_packages=gcc,libc6-dev,clang,libclang-rt-dev,clang-format,sparse

# make_suite SUITE PACKAGES TARGET: make a build root with the riscv64 kernel headers, and the
# userland of the machines with that kernel. Both at once, as testing gets a new kernel often.
make_suite() {
	local suite=$1 packages=$2 target=$3 guest=$3/guest release image config
	packages+=,$build_packages
	start_job debstrap "$suite" extract riscv64 \
		linux-image-riscv64,linux-perf,busybox-static,bsdutils,strace,mawk,procps "$guest"
	debstrap "$suite" apt amd64,riscv64 "$packages" "$target/root" \
		--customize-hook="chroot \"\$1\" sh -ec '$unpack_headers'"
	wait "${job_pids[0]}"
	release=$(cat "$target/root/kernel-release")
	# Debian has moved the kernel from /boot to the folder of its modules.
	for image in boot/vmlinux-$release usr/lib/modules/$release/vmlinuz missing; do
		[ ! -e "$guest/$image" ] || break
	done
	for config in boot/config-$release usr/lib/modules/$release/config missing; do
		[ ! -e "$guest/$config" ] || break
	done
	[ "$image" != missing ] || {
		echo "no kernel $release, of which the headers are: the archive has changed"
		return 1
	}
	as_root cp "$guest/$image" "$target/vmlinux"
	as_root cp "$guest/$config" "$target/config"
	# Only what a boot needs: an emulated CPU unpacks it each time.
	as_root sh -ec '
		cd "$1"
		rm -rf boot var/lib/dpkg var/cache usr/share usr/include usr/games \
			usr/lib/udev usr/lib/systemd usr/lib/riscv64-linux-gnu/systemd \
			usr/lib/riscv64-linux-gnu/perl* usr/lib/riscv64-linux-gnu/gconv \
			usr/lib/python3* usr/lib/riscv64-linux-gnu/libLLVM*
		find usr/lib/modules -type f ! -path "*/riscv/kvm/*" -delete
		for d in bin sbin lib; do [ -e $d ] || ln -s usr/$d $d; done
		mkdir -p proc sys dev tmp run root lab
		chmod 755 .
	' sh "$guest"
	cpio_of "$target/root" "$guest" >"$target/base.cpio"
	as_root rm -rf "$guest"
}

artifact_stable() { make_suite "$stable" "$stable_packages" "$1"; }

artifact_testing() {
	make_suite "$testing" gcc,libc6-dev,shellcheck,gawk,busybox,original-awk,locales "$1"
}

artifact_unstable() { make_suite unstable make "$1"; }

# keep_program FILE TREE TARGET: copy an amd64 program and its libraries from a tree that is not
# a complete system to TARGET/NAME and TARGET/lib.
keep_program() {
	local file=$1 tree=$2 target=$3 libraries=lib/x86_64-linux-gnu loader
	for loader in "$tree"/{usr/,}$libraries/ld-linux-x86-64.so.2; do [ ! -e "$loader" ] || break; done
	mkdir -p "$target/lib"
	cp "$file" "$target/"
	cp -L "$loader" "$target/loader"
	"$target/loader" --inhibit-cache --library-path "$tree/usr/$libraries:$tree/$libraries" \
		--list "$file" | awk '$2 == "=>" { print $3 }' | xargs cp -Lt "$target/lib"
	# Fails if a library is missing.
	"$target/loader" --inhibit-cache --library-path "$target/lib" \
		"$target/$(basename "$file")" --version
}

# keep_packages SUITE PACKAGES TARGET PROGRAM...: make an artifact of programs which do not need
# a root, so that QEMU runs as the calling user.
keep_packages() {
	local suite=$1 packages=$2 target=$3 program
	shift 3
	debstrap "$suite" extract amd64 "$packages" "$target/tree"
	for program; do keep_program "$target/tree/usr/bin/$program" "$target/tree" "$target"; done
	as_root rm -rf "$target/tree"
}

# QEMU 7.2: the only packaged one that delivers the counter overflow interrupt.
artifact_q7() { keep_packages "$oldstable" qemu-system-misc "$1" qemu-system-riscv64; }

# QEMU 11, and programs that apply an overlay to a device tree.
artifact_q11() {
	keep_packages "$testing" qemu-system-riscv,device-tree-compiler "$1" \
		qemu-system-riscv64 dtc fdtoverlay
}

# Debian's QEMU 10, built from source with patches/ and the models of counters.
artifact_qfix() {
	debstrap "$stable" apt amd64 \
		build-essential,dpkg-dev,ninja-build,meson,pkgconf,python3-venv,python3-pycotap,flex,bison,libglib2.0-dev,libgio-2.0-dev-bin,libfdt-dev,zlib1g-dev \
		"$1/root" --setup-hook='sed -i "s/^deb \(.*\)/&\ndeb-src \1/" "$1/etc/apt/sources.list"' \
		--customize-hook="copy-in $lab/qfix.sh $lab/patches $lab/xiangshan-hpm $lab/vendor-pmu /tmp" \
		--customize-hook='chroot "$1" bash -e /tmp/qfix.sh /qemu-system-riscv64'
	keep_program "$1/root/qemu-system-riscv64" "$1/root" "$1"
	as_root rm -rf --one-file-system "$1/root"
}

# OpenSBI as <version>.bin, from each suite, as each has another version.
artifact_firmware() {
	local suite tree=$1/tree version
	for suite in "$oldstable" "$oldstable-backports" "$stable" "$testing"; do
		# Backports alone are not enough for mmdebstrap: take the release, then rename it.
		debstrap "${suite%-backports}" extract amd64 opensbi "$tree" \
			--setup-hook="sed -i 's/ ${suite%-backports} / $suite /' \"\$1/etc/apt/sources.list\""
		version=$(zcat "$tree/usr/share/doc/opensbi/changelog.Debian.gz" |
			sed -n '1s/^opensbi (\([0-9.]*\).*/\1/p')
		[ -n "$version" ]
		cp "$tree/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" "$1/$version.bin"
		as_root rm -rf "$tree"
	done
	# A firmware without the PMU extension: in the last one, replace the extension's ID by
	# one of the experimental range.
	perl -0777 -pe '$n += s/\x55\x4d\x50\0{5}/\x55\x4d\x50\x08\0\0\0\0/g; END { $? = !$n }' \
		"$1/$version.bin" >"$1/none.bin"
}

# UEFI, whose variables QEMU does not keep
artifact_efi() {
	debstrap "$testing" extract amd64 qemu-efi-riscv64 "$1/tree"
	cp "$1"/tree/usr/share/qemu-efi-riscv64/RISCV_VIRT_{CODE,VARS}.fd "$1/"
	as_root rm -rf "$1/tree"
}

# Of the kernel's source: checkpatch, and perf's script that reads JSON event tables, with a root
# that has Python.
artifact_kerneltools() {
	local tree=$1/tree
	start_job debstrap "$stable" extract amd64 linux-source "$tree"
	debstrap "$stable" apt amd64 python3 "$1/root"
	wait "${job_pids[0]}"
	as_root tar -C "$1" -xf "$tree"/usr/src/linux-source-*.tar.xz --strip-components=1 \
		--wildcards 'linux-source-*/scripts/checkpatch.pl' \
		'linux-source-*/scripts/spelling.txt' 'linux-source-*/scripts/const_structs.checkpatch' \
		'linux-source-*/tools/perf/pmu-events/*.py' \
		'linux-source-*/tools/perf/pmu-events/arch/riscv' \
		'linux-source-*/tools/perf/pmu-events/arch/test'
	as_root rm -rf "$tree"
}

# Sphinx, which reads our pages.
artifact_consumers() {
	debstrap "$stable" apt amd64 make,python3-sphinx "$1/root"
}

# A root that builds, checks and installs the Debian packages for riscv64, and compiles C++; see
# deb.sh. It has the headers of two riscv64 kernels, and in /guest what loads modules at the start
# of a riscv64 Debian.
artifact_packaging() {
	debstrap "$testing" apt amd64,riscv64 \
		debhelper,dh-dkms,dkms,lintian,gcc,g++,make,mawk,gcc-riscv64-linux-gnu,libc6-dev-riscv64-cross,libc6:riscv64,pahole,cpio,linux-base,xz-utils,kmod,libelf1t64,libssl3t64,rpm,rpmlint,libarchive-tools,makepkg,fakeroot \
		"$1/root" --customize-hook="chroot \"\$1\" sh -ec '$unpack_headers'" \
		--customize-hook='chroot "$1" sh -ec "
			cd /tmp
			apt-get -q download udev:riscv64 libsystemd-shared:riscv64
			for d in *.deb; do dpkg -x \$d /guest; rm \$d; done"' \
		--customize-hook="chroot \"\$1\" sh -ec '$unpack_newer' sh '$unpack_headers'"
}

# build_kernel FOLDER SUITE SCRIPT CONFIG...: in FOLDER/root, a copy of testing's root, which has the
# compiler of the module and can install packages, run a script with a kernel's configuration, on a
# suite's source, and move what it makes to FOLDER.
build_kernel() {
	local folder=$1 root=$1/root suite=$2 script=$3
	as_root cp -a --reflink=auto "$(artifact testing)/root" "$root"
	as_root cp -L /etc/resolv.conf "$root/etc/"
	as_root cp "$lab/$script" "$root/tmp/"
	sed "s/ [a-z]* main/ $suite main/" "$root/etc/apt/sources.list" |
		as_root tee "$root/etc/apt/sources.list.d/lab.list" >/dev/null
	(cd "$lab" && cat "${@:4}") | as_root tee "$root/tmp/config" >/dev/null
	[ -z "$lab_expired" ] || echo 'Acquire::Check-Valid-Until "false";' |
		as_root tee "$root/etc/apt/apt.conf.d/99lab-expired"
	in_root "$root" -- bash -e "/tmp/$script" /tmp/config /out "$suite"
	as_root mv "$root"/out/* "$folder/"
}

# bootable_kernel FOLDER SUITE CONFIG: a kernel, and the headers for a module
bootable_kernel() {
	build_kernel "$1" "$2" kernel.sh machine.config "$3"
	as_root rm -rf --one-file-system "$1/root"
	ln -s "$(artifact testing)/root" "$1/root"
	ln -s "$(artifact testing)/base.cpio" "$1/base.cpio"
}

# Its function tracer excludes an option of the other kernels.
artifact_debug() {
	local configs=$1/configs
	mkdir "$configs"
	cp "$lab"/{kernel.sh,debug.config} "$configs"
	grep -v ENABLE_DEFAULT_TRACERS "$lab/machine.config" >"$configs/machine.config"
	lab=$configs bootable_kernel "$1" "$testing" debug.config
}
artifact_vendor() { bootable_kernel "$1" "$testing" vendor.config; }
artifact_rt() { bootable_kernel "$1" "$testing" rt.config; }
# The next release of Linux, where Debian has a candidate of it
artifact_next() { bootable_kernel "$1" experimental next.config; }

# The source tree of a small kernel, built, to which a driver can be added; see linux.sh.
artifact_linux() {
	local root=$1/root
	build_kernel "$1" "$testing" linux.sh linux.config
	keep_program "$root/usr/bin/patch" "$root" "$1"
	keep_program "$root/usr/bin/bc" "$root" "$1"
	as_root rm -rf --one-file-system "$root"
}

# A riscv64 QEMU and its libraries, as kvm/ in an archive, for machines that are KVM hosts.
artifact_kvm() {
	mkdir "$1/tree"
	debstrap "$testing" extract riscv64 qemu-system-riscv "$1/tree/kvm"
	as_root sh -ec '
		cd "$1"
		mkdir keep
		mv usr/bin/qemu-system-riscv64 keep/
		rm -rf boot etc var bin sbin root home media mnt opt srv usr/bin usr/sbin usr/share \
			usr/libexec usr/lib/systemd usr/lib/udev usr/lib/riscv64-linux-gnu/systemd \
			usr/lib/riscv64-linux-gnu/perl* usr/lib/riscv64-linux-gnu/gconv
		mv keep bin
		[ -e lib ] || ln -s usr/lib lib
		mkdir -p proc sys dev tmp
		chmod 755 .
	' sh "$1/tree/kvm"
	cpio_of "$(artifact testing)/root" "$1/tree" >"$1/kvm.cpio"
	as_root rm -rf "$1/tree"
}

# perf with its own tests, and the programs that these use, as an archive for machines. Its build
# has made /dev/null unusable as root, and /dev of the root is this machine's.
artifact_perftest() {
	local root=$1/root tree=$1/tree
	"$lab/$vendor/generate.sh" perf-json "$1/json"
	start_job debstrap "$testing" extract riscv64 \
		bash,bc,binutils,coreutils,diffutils,findutils,gawk,grep,libc-bin,python3-minimal,sed,util-linux "$tree"
	debstrap "$testing" apt amd64,riscv64 \
		linux-source,xz-utils,make,gcc,libc6-dev,gcc-riscv64-linux-gnu,flex,bison,pkgconf,python3,cpio,libc6-dev:riscv64,libelf-dev:riscv64,libdw-dev:riscv64,libtraceevent-dev:riscv64,zlib1g-dev:riscv64 \
		"$root" --customize-hook="copy-in $lab/perf.sh $1/json /tmp" \
		--customize-hook='mkdir -m 777 "$1/out"' \
		--customize-hook='chroot --userspec=nobody "$1" bash -e /tmp/perf.sh /tmp/json /out'
	wait "${job_pids[0]}"
	as_root sh -ec '
		cd "$1"
		rm -rf bin sbin lib boot etc var root home media mnt opt srv usr/share usr/sbin usr/libexec \
			usr/lib/systemd usr/lib/riscv64-linux-gnu/gconv
		mv "$2/out/opt" .
		ln -s python3 usr/bin/python
		ln -s gawk usr/bin/awk
		chmod 755 .
	' sh "$tree" "$root"
	cpio_of "$root" "$tree" >"$1/perftest.cpio"
	as_root rm -rf --one-file-system "$root" "$tree" "$1/json"
}

# An emulator of make check-iss, from a checkout that it has packed, in a root that runs it
make_emulator() { # NAME FOLDER
	debstrap "$stable" apt amd64 \
		g++,make,patch,libboost-dev,libboost-program-options-dev,libboost-system-dev,libboost-regex-dev,zlib1g-dev,device-tree-compiler \
		"$2/root" --customize-hook="copy-in $cache/$1.tar $lab/iss/build.sh $lab/../../tools/upstream/whisper /tmp" \
		--customize-hook="chroot \"\$1\" bash -e /tmp/build.sh $1"
}

artifact_whisper() { make_emulator whisper "$1"; }
artifact_spike() { make_emulator spike "$1"; }

# ---- the cache ----

# What else is part of a recipe: the files that it reads, and the artifact that it uses.
recipe_inputs() {
	case $1 in
	qfix) cat "$lab"/qfix.sh "$lab"/patches/*.patch "$lab"/{xiangshan-hpm,vendor-pmu}/*.[ch] ;;
	kvm) artifact_key testing ;;
	perftest) (cd "$lab" && cat perf.sh $vendor/{generate.sh,*.awk,*/*.tsv,*/*.csv}) ;;
	debug | vendor | rt | next) cat "$lab"/{kernel.sh,machine.config,"$1.config"} && artifact_key testing ;;
	linux) cat "$lab/linux.sh" "$lab/linux.config" && artifact_key testing ;;
	whisper) cat "$cache/$1.tar" "$lab/iss/build.sh" "$lab"/../../tools/upstream/whisper/000[1-9]-*.patch ;;
	spike) cat "$cache/$1.tar" "$lab/iss/build.sh" ;;
	esac
}

# The text of a recipe and of the functions that it calls.
recipe_text() {
	declare -f "artifact_$1" debstrap
	case $1 in
	stable | testing | unstable)
		declare -f make_suite cpio_of
		echo "$unpack_headers" "$build_packages" "$stable_packages"
		;;
	packaging) echo "$unpack_headers" "$unpack_newer" ;;
	q7 | q11) declare -f keep_packages keep_program ;;
	qfix) declare -f keep_program ;;
	debug | vendor | rt | next) declare -f build_kernel bootable_kernel ;;
	linux) declare -f build_kernel keep_program ;;
	kvm | perftest) declare -f cpio_of ;;
	whisper | spike) declare -f make_emulator ;;
	esac
	echo "$stable $testing $oldstable"
}

artifact_key() { # NAME
	{ recipe_text "$1" && recipe_inputs "$1"; } | sha256sum | cut -c 1-12
}

artifact_dir() { echo "$cache/$1-$(artifact_key "$1")"; }

# artifact NAME: print the folder of an artifact, which make_artifacts has made. Of one that the
# mirror cannot serve, say so, and print the name of a folder that does not exist.
artifact() {
	local dir
	dir=$(artifact_dir "$1")
	echo "$dir"
	[ -e "$dir" ] && return
	is_unavailable "$1" || die "'$1' has not been made"
	echo "skipped: $(why_unavailable "$1")" >&2
	exit 4
}

# What the mirror cannot serve in this run: lines of a name and the reason.
is_unavailable() { grep -q "^$1"$'\t' "$run/unavailable" 2>/dev/null; }
why_unavailable() { sed -n "s/^$1"$'\t'"//p" "$run/unavailable"; }

unavailable() { # NAME REASON
	is_unavailable "$1" || printf '%s\t%s\n' "$1" "the mirror cannot serve '$1': $2" >>"$run/unavailable"
	say "warning: the mirror cannot serve '$1': $2"
}

# The disk space that making an artifact needs at most, in MiB.
artifact_size() {
	case $1 in
	stable) echo 2100 ;;
	testing | unstable) echo 1700 ;;
	packaging) echo 2500 ;;
	qfix | perftest) echo 2000 ;;
	debug) echo 7500 ;;
	vendor | rt | next | linux) echo 6000 ;;
	kvm | kerneltools | consumers | q7) echo 700 ;;
	whisper | spike) echo 1500 ;;
	q11) echo 500 ;;
	*) echo 200 ;;
	esac
}

# enough_disk WHAT MIB: stop with a message if the cache's disk has less space.
enough_disk() {
	local free
	free=$(df -P -k "$cache" | awk 'NR == 2 { print int($4 / 1024) }')
	[ "$free" -ge "$2" ] ||
		die "$1 needs $2 MiB in $cache, and $free MiB are free:" \
			"free some space, or set XDG_CACHE_HOME to a bigger disk"
}

# ---- making them ----

# cause_of LOG: print why a download or a build failed and what to do: the first line of this list
# whose expression is in the log, as CAUSE, a tab, ADVICE.
cause_of() {
	local cause expression advice
	while IFS=$'\t' read -r cause expression advice; do
		# Every log has apt's warning about its sandbox; in a container also mmdebstrap's
		# attempt to unshare.
		grep -vE 'Download is performed unsandboxed|unshare failed' "$1" |
			grep -qE -e "$expression" || continue
		printf '%s\t%s\n' "$cause" "$advice"
		return
	done <<'END'
disk	No space left on device|enough free space|Disk quota exceeded	the disk is full: free some space, or set XDG_CACHE_HOME to a bigger disk
expired	Release file .*is expired|Release.* is not valid anymore	the mirror's Release file has expired, and apt does not accept it: use another mirror
clock	is not valid yet	the mirror's Release file is from the future: set this machine's clock
signature	NO_PUBKEY|EXPKEYSIG|is not signed|signatures? (could|were)n.t|Sub-process .*sqv? returned	the mirror's signature is not accepted: update debian-archive-keyring
mirror	Hash Sum mismatch|unexpected size|Mirror sync in progress|isn.t valid|the archive has changed|404 .*Not Found.*\.deb|\.deb.*404 .*Not Found	the mirror is being updated: try again in half an hour, or use another mirror
network	Could not resolve|Temporary failure resolving|Could not connect|Unable to connect|Connection (refused|timed out|failed|reset)|Network is unreachable|No route to host	the mirror cannot be reached: check the network, and the proxy in apt's settings
gone	Unable to locate package|no installation candidate|does not have a Release file|no longer has a Release	the mirror does not have a package or a suite that is needed: is it complete?
memory	[Kk]illed|Cannot allocate memory|out of memory	a process was killed: is there enough memory?
locked	Could not get lock	another program is using apt: try again when it has ended
permission	Operation not permitted|Permission denied|must be root	an operation is not permitted: run this as root, in a container that allows chroot
END
	printf 'unknown\tthe reason is in the log\n'
}

# try_mirror LOG WHAT COMMAND...: run a command that downloads. An expired Release file is
# accepted, as packages are signed. During an update of the mirror the command is repeated.
# If it fails, set cause and advice.
try_mirror() {
	local log=$1 what=$2 tries=0 lab_expired=
	shift 2
	[ ! -e "$run/expired" ] || lab_expired=1
	until "$@" >"$log" 2>&1; do
		IFS=$'\t' read -r cause advice <<<"$(cause_of "$log")"
		if [ "$cause" = expired ] && [ -z "$lab_expired" ]; then
			[ -e "$run/expired" ] ||
				say "warning: the mirror's Release file has expired; it is used, as packages are signed"
			: >"$run/expired"
			lab_expired=1
		elif [ "$cause" = mirror ] && [ $((tries += 1)) -lt 4 ]; then
			say "the mirror is being updated: $what will be tried again in $((tries * 20)) s"
			sleep $((tries * 20))
		elif [ "$cause" = locked ] && [ $((tries += 1)) -lt 60 ]; then
			sleep 5
		else
			grep -v 'unsandboxed' "$log" | tail -n 5 >&2
			say "error: $what failed: $advice (log: $log)"
			return 1
		fi
	done
}

# What this machine itself must have; everything else is in the roots.
need_host_tools() { (flock 9 && host_tools) 9>"$cache/apt.lock" || exit; }

host_tools() {
	local missing=()
	command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing+=(debian-archive-keyring)
	command -v xz >/dev/null || missing+=(xz-utils)
	[ ${#missing[@]} != 0 ] || return 0
	command -v apt-get >/dev/null ||
		die "this machine has no apt-get; install by hand: ${missing[*]}"
	say "installing ${missing[*]} (apt-get)"
	try_mirror "$cache/apt.log" "installing ${missing[*]}" install_packages "${missing[@]}" || exit
}

# Another program may be using apt, as on a machine that has just booted.
install_packages() {
	local options=(-q -y -o DPkg::Lock::Timeout=300)
	[ -z "$lab_expired" ] || options+=(-o Acquire::Check-Valid-Until=false)
	as_root env LC_ALL=C apt-get "${options[@]}" -o APT::Update::Error-Mode=any update &&
		as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive apt-get "${options[@]}" \
			--no-install-recommends install "$@"
}

# run_recipe NAME TARGET: make an artifact in a shell of its own, which ends at the first command
# that fails.
run_recipe() {
	as_root rm -rf --one-file-system "$2" && mkdir "$2" && chmod 755 "$2" || return
	can_mount
	# shellcheck disable=SC2016 # for the inner shell
	isolated env LC_ALL=C bash -euo pipefail -c '
		lab=$1 lab_mounts=$4 lab_expired=$5
		trap end_jobs EXIT
		. "$lab/privileges.sh" && . "$lab/artifacts.sh"
		cache=${3%/*}
		"artifact_$2" "$3"
	' bash "$lab" "$1" "$2" "$lab_mounts" "$lab_expired" </dev/null
}

# make_artifact NAME: make it if it is missing, after those that it is made from. The lock is for
# other jobs and other runs. Of what the mirror cannot serve, say so; any other failure is an error.
make_artifact() {
	local name=$1 dir start=$SECONDS new other cause advice
	for other in $(made_from "$name"); do
		make_artifact "$other"
		! is_unavailable "$other" || { unavailable "$name" "it needs '$other'"; return; }
	done
	dir=$(artifact_dir "$name")
	exec 8>"$cache/$name.lock"
	flock -n 8 || { say "waiting for another job that makes $name"; flock 8; }
	if [ ! -e "$dir" ] && ! is_unavailable "$name"; then
		say "making '$name' (once; log: $dir.log)"
		# The name is unique: sudo closes the lock, so the recipe of a run that was
		# killed may still be running.
		as_root rm -rf --one-file-system "$dir".new.*
		new=$dir.new.$BASHPID
		echo "$new" >>"$run/unfinished"
		if try_mirror "$dir.log" "making '$name'" run_recipe "$name" "$new"; then
			mv "$new" "$dir"
			say "made '$name' in $((SECONDS - start)) s"
		elif [ "$cause" = mirror ] || [ "$cause" = gone ]; then
			unavailable "$name" "$advice"
		else
			exit 1
		fi
	fi
	exec 8>&-
}

# What an artifact is made from: other artifacts.
made_from() { case $1 in kvm | debug | vendor | rt | next | linux) echo testing ;; esac; }

# make_artifacts MIB NAME...: make the artifacts that are missing, three at a time, in the given
# order. MIB is the disk space that the run needs in addition.
make_artifacts() {
	local name missing=() need=$1
	shift
	for name; do
		[ ! -e "$(artifact_dir "$name")" ] || continue
		missing+=("$name")
		need=$((need + $(artifact_size "$name")))
	done
	enough_disk "making ${missing[*]:-nothing new} and a run" "$need"
	[ ${#missing[@]} != 0 ] || return 0
	need_host_tools
	for name in "${missing[@]}"; do
		wait_for_slot 3
		start_job make_artifact "$name"
	done
	wait_for_slot 1
	# Not by their status: the shell forgets that of a process whose ID is used again.
	for name in "${missing[@]}"; do
		[ -e "$(artifact_dir "$name")" ] || is_unavailable "$name" ||
			die "'$name' has not been made"
	done
}
