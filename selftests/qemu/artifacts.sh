# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# roots.sh - what the lab downloads and builds, one "item" each, in the cache.
#
# An item is a folder <cache>/<name>-<key>. The key is the hash of the recipe
# that makes it (the function's own text and the files it reads), so a changed
# recipe never meets an old result. An item is made under another name, under a
# lock, and renamed when complete: what carries the final name is whole.
#
# Sourced by lab.sh. Functions called item_<name> make one item into $1.

cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/sbi-pmu
stable=trixie
testing=forky
oldstable=bookworm

say() { echo "lab: $*" >&2; }
die() { echo "lab: error: $*" >&2; exit 1; }

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -- "$@"; fi
}

# Another program may be at it, as on a machine that has just come up.
apt_update() {
	local tries=0
	until as_root env LC_ALL=C apt-get -q update >"$cache/apt.log" 2>&1; do
		grep -q 'Could not get lock' "$cache/apt.log" && [ $((tries += 1)) -lt 60 ] || return
		sleep 5
	done
}

# What the machine itself must have. Everything else lives in the roots.
need_host_tools() { (flock 9 && host_tools) 9>"$cache/apt.lock" || exit; }

host_tools() {
	local missing=()
	[ "$(id -u)" = 0 ] || command -v sudo >/dev/null ||
		die "this needs root: run it as root, or install sudo and allow $(id -un) to use it"
	command -v mmdebstrap >/dev/null || missing+=(mmdebstrap)
	[ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || missing+=(debian-archive-keyring)
	command -v xz >/dev/null || missing+=(xz-utils)
	[ ${#missing[@]} = 0 ] && return
	command -v apt-get >/dev/null ||
		die "this machine has no apt-get; install by hand: ${missing[*]}"
	say "installing ${missing[*]} (apt-get)"
	apt_update &&
		as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
			-o DPkg::Lock::Timeout=300 --no-install-recommends \
			install "${missing[@]}" >>"$cache/apt.log" 2>&1 || {
		tail -n 5 "$cache/apt.log" >&2
		die "apt-get could not install ${missing[*]}: is the network up? (full log: $cache/apt.log)"
	}
}

need_space() { # GIB WHAT
	local free
	free=$(df -P -k "$cache" | awk 'NR == 2 { print int($4 / 1048576) }')
	[ "$free" -ge "$1" ] || die "$2 needs $1 GiB in $cache, $free GiB are free;" \
		"free some, or set XDG_CACHE_HOME to a bigger disk"
}

# Settings of this machine's apt that a new root must share to reach a mirror.
apt_settings() {
	local name value
	for name in Acquire::Check-Valid-Until Acquire::http::Proxy Acquire::https::Proxy; do
		value=$(apt-config dump "$name" | sed -n 's/.* "\(.*\)";$/\1/p' | head -n 1)
		[ -z "$value" ] || printf -- '--aptopt=%s "%s"\n' "$name" "$value"
	done
	echo '--aptopt=Acquire::Retries "3"'
}

# debstrap SUITE VARIANT ARCHS PACKAGES TARGET [mmdebstrap option...]
#
# Release suites only, without -updates and -security: those change under a
# cached root, and all that the lab needs is in the release.
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

# Run in a build root: unpack the headers of the newest riscv64 kernel at /,
# without their dependencies (they ask for a gcc that runs on riscv64).
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

# A build root with the stock riscv64 headers, and the guest's userland with
# the kernel of the same version: testing moves, so the two are made together.
make_suite() { # SUITE PACKAGES TARGET
	local suite=$1 packages=$2 target=$3 guest=$3/guest release image config
	packages+=,gcc-riscv64-linux-gnu,libc6-dev-riscv64-cross,make,cpio,perl,pahole,libelf1t64,libssl3t64
	debstrap "$suite" apt amd64,riscv64 "$packages" "$target/root" \
		--customize-hook="chroot \"\$1\" sh -ec '$unpack_headers'"
	debstrap "$suite" extract riscv64 \
		linux-image-riscv64,linux-perf,busybox-static,strace,mawk,procps "$guest"
	release=$(cat "$target/root/kernel-release")
	# Debian moved the kernel from /boot into its modules' folder.
	for image in boot/vmlinux-$release usr/lib/modules/$release/vmlinuz missing; do
		[ ! -e "$guest/$image" ] || break
	done
	for config in boot/config-$release usr/lib/modules/$release/config missing; do
		[ ! -e "$guest/$config" ] || break
	done
	[ "$image" != missing ] || {
		say "no image of $release, which the headers are for: the archive moved; run this again"
		return 1
	}
	as_root cp "$guest/$image" "$target/vmlinux"
	as_root cp "$guest/$config" "$target/config"
	# Only what a boot needs: each MiB is unpacked by an emulated CPU.
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
	in_root "$target/root" "$guest:/run/guest" -- sh -c \
		'cd /run/guest && find . | sort | cpio -o -H newc --quiet -R 0:0' >"$target/base.cpio"
	as_root rm -rf "$guest"
}

item_stable() {
	make_suite "$stable" gcc,libc6-dev,clang,libclang-rt-dev,sparse,device-tree-compiler,libglib2.0-0t64,libfdt1,shellcheck "$1"
}

item_testing() {
	make_suite "$testing" qemu-system-riscv,device-tree-compiler "$1"
}

# QEMU 7.2: the only packaged one whose virtual harts deliver LCOFI.
item_oldstable() {
	debstrap "$oldstable" apt amd64 qemu-system-misc "$1/root"
}

# OpenSBI as <version>.bin, from every suite that has another one.
item_firmware() {
	local suite tree=$1/tree version
	for suite in "$oldstable" "$oldstable-backports" "$stable" "$testing"; do
		# Backports are no suite of their own: the release's line, renamed.
		debstrap "${suite%-backports}" extract amd64 opensbi "$tree" \
			--setup-hook="sed -i 's/ ${suite%-backports} / $suite /' \"\$1/etc/apt/sources.list\""
		version=$(zcat "$tree/usr/share/doc/opensbi/changelog.Debian.gz" |
			sed -n '1s/^opensbi (\([0-9.]*\).*/\1/p')
		[ -n "$version" ]
		cp "$tree/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin" "$1/$version.bin"
		as_root rm -rf "$tree"
	done
	# A firmware without the PMU extension: the last one, with the
	# extension's number changed to one of the range for experiments.
	perl -0777 -pe '$n += s/\x55\x4d\x50\0{5}/\x55\x4d\x50\x08\0\0\0\0/g; END { $? = !$n }' \
		"$1/$version.bin" >"$1/none.bin"
}

# The kernel's own style checker.
item_checkpatch() {
	local tree=$1/tree
	debstrap "$stable" extract amd64 linux-source "$tree"
	as_root tar -C "$1" -xf "$tree"/usr/src/linux-source-*.tar.xz --occurrence=1 \
		--strip-components=2 --wildcards 'linux-source-*/scripts/checkpatch.pl' \
		'linux-source-*/scripts/spelling.txt' 'linux-source-*/scripts/const_structs.checkpatch'
	as_root rm -rf "$tree"
}

# perf's own reader of event tables, as perf's build runs it, and a root with python.
item_jevents() {
	local tree=$1/tree
	debstrap "$stable" apt amd64 python3 "$1/root"
	debstrap "$stable" extract amd64 linux-source "$tree"
	as_root tar -C "$1" -xf "$tree"/usr/src/linux-source-*.tar.xz --strip-components=3 \
		--wildcards 'linux-source-*/tools/perf/pmu-events/*.py' \
		'linux-source-*/tools/perf/pmu-events/arch/riscv' \
		'linux-source-*/tools/perf/pmu-events/arch/test'
	as_root rm -rf "$tree"
}

# QEMU from Debian's source with LCOFI mended; see qfix.sh.
item_qfix() {
		debstrap "$stable" apt amd64 \
		build-essential,dpkg-dev,ninja-build,meson,pkgconf,python3-venv,python3-pycotap,flex,bison,libglib2.0-dev,libgio-2.0-dev-bin,libfdt-dev,zlib1g-dev \
		"$1/root" --setup-hook='sed -i "s/^deb \(.*\)/&\ndeb-src \1/" "$1/etc/apt/sources.list"' \
		--customize-hook="copy-in $lab/qfix.sh $lab/xiangshan-hpm /tmp" \
		--customize-hook='chroot "$1" bash /tmp/qfix.sh /qemu-system-riscv64'
	as_root mv "$1/root/qemu-system-riscv64" "$1/"
	as_root rm -rf --one-file-system "$1/root"
}

# A kernel with its checkers on, and what a module for it is built against; see
# debug.sh. It and the module are made by one compiler, that of testing's root,
# in a copy of it: more packages are needed, and none of them by anybody else.
item_debug() {
	local root=$1/root tools
	tools=$(item testing)
	as_root cp -a --reflink=auto "$tools/root" "$root"
	as_root cp -L /etc/resolv.conf "$root/etc/"
	as_root cp "$lab/debug.sh" "$lab/debug.config" "$root/tmp/"
	in_root "$root" -- bash /tmp/debug.sh /tmp/debug.config /out
	as_root mv "$root"/out/* "$1/"
	as_root rm -rf --one-file-system "$root"
}

# A riscv64 QEMU with the libraries it needs, as kvm/ in an archive: what an emulated
# machine needs to be the host of another.
item_kvm() {
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
	in_root "$(item testing)/root" "$1/tree:/run/tree" -- sh -c \
		'cd /run/tree && find . | sort | cpio -o -H newc --quiet -R 0:0' >"$1/kvm.cpio"
	as_root rm -rf "$1/tree"
}

# What else a recipe depends on: files that it reads, another item.
item_inputs() {
	case $1 in
	qfix) cat "$lab"/qfix.sh "$lab"/xiangshan-hpm/*.[ch] ;;
	kvm) item_key testing ;;
	debug) cat "$lab/debug.sh" "$lab/debug.config" && item_key testing ;;
	esac
}

item_key() { # NAME
	{
		declare -f "item_$1" make_suite debstrap
		echo "$unpack_headers $stable $testing $oldstable"
		item_inputs "$1"
	} | sha256sum | cut -c 1-12
}

# item NAME: print the folder of a finished item, making it first if need be. For
# work on QEMU, QFIX is a folder with another one than what qfix.sh makes.
item() {
	local name=$1 dir
	[ "$name" != qfix ] || [ -z "${QFIX:-}" ] || { echo "$QFIX"; return; }
	dir=$cache/$name-$(item_key "$name")
	[ -e "$dir" ] || make_item "$name" "$dir"
	echo "$dir"
}

make_item() { # NAME DIR
	local name=$1 dir=$2 start=$SECONDS new
	mkdir -p "$cache" || die "cannot make $cache"
	need_host_tools
	exec 8>"$cache/$name.lock"
	flock -n 8 || { say "waiting for another run that makes $name"; flock 8; }
	if [ ! -e "$dir" ]; then
		need_space 8 "making '$name'"
		say "making '$name' (once; log: $dir.log)"
		# A name of its own: sudo closes the lock, so the recipe of a run
		# that was killed may still be writing to its.
		as_root rm -rf --one-file-system "$dir".new.*
		new=$(mktemp -d "$dir.new.XXXXXX")
		chmod 755 "$new"
		# A shell of its own, where any failing step ends it (called from
		# "item || exit" this one would go on), in namespaces of its own,
		# which end with this run.
		# shellcheck disable=SC2016 # for the inner shell
		as_root timeout --foreground 6000 unshare --mount --pid --fork --kill-child \
			bash -euo pipefail -c 'lab=$1; . "$lab/roots.sh"; cache=${3%/*}; "item_$2" "$3"' \
			bash "$lab" "$name" "$new" >"$dir.log" 2>&1 </dev/null || {
			tail -n 15 "$dir.log" >&2
			die "could not make '$name': is the network up? (full log: $dir.log)"
		}
		mv "$new" "$dir"
		say "made '$name' in $((SECONDS - start)) s"
	fi
	exec 8>&-
}

# in_root ROOT [OUTSIDE:INSIDE...] -- COMMAND...
#
# Runs COMMAND as the calling user inside ROOT, with folders of the outside at
# places of the inside. The mounts are in a namespace of their own and go with
# the command, so runs side by side do not meet, and nothing is left behind.
in_root() {
	local root=$1 binds=() bind
	shift
	while [ "$1" != -- ]; do
		binds+=("$1")
		shift
	done
	shift
	# shellcheck disable=SC2016 # for the inner shell
	as_root unshare --mount --pid --fork --kill-child sh -ec '
		root=$1 user=$2 n=$3
		shift 3
		mount -t tmpfs -o mode=755 tmpfs "$root/run"
		while [ "$n" -gt 0 ]; do
			inside=$root${1##*:}
			case ${1##*:} in /run/*) mkdir -p "$inside" ;; esac
			mount --bind "${1%:*}" "$inside"
			shift
			n=$((n - 1))
		done
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		# Not exec: as process 1 of a namespace, timeout and others fail.
		chroot --userspec="$user" "$root" "$@" || exit
	' sh "$root" "$(id -u):$(id -g)" "${#binds[@]}" "${binds[@]}" "$@"
}
