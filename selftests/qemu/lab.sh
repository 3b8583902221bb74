#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab.sh - the module on stock kernels in QEMU. See "lab.sh help".
set -u
# Each make in here is one of its own.
unset MAKEFLAGS MFLAGS MAKELEVEL

lab=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$lab/../.." && pwd)
# shellcheck source=selftests/qemu/roots.sh
. "$lab/roots.sh"

usage() {
	cat <<-'EOF'
	usage: lab.sh VERB
	  check [CASE...]  lint, build for each kernel, boot each case of cases.tsv
	  check-debug      of these only the boots of the debug kernel
	  run              boot one machine and show what the module does
	  shell            the same machine with a prompt
	  list             the cases
	  setup            make everything that the above need, ahead of time
	  clean            remove the cache
	EOF
}

lanes=()

# A lane is a group of processes of its own.
end_run() {
	local lane
	# What sudo runs is ended by sudo, which is root's.
	for lane in "${lanes[@]}"; do
		# shellcheck disable=SC2016 # for that shell
		kill -0 -- "-$lane" 2>/dev/null && as_root sh -c 'kill -- "-$1"' sh "$lane"
	done
	[ -n "${KEEP:-}" ] || rm -rf "$run"
}

# Everything of this run, gone when it ends; runs side by side have their own.
start_run() {
	mkdir -p "$cache" || die "cannot make $cache"
	run=$(mktemp -d "$cache/run.XXXXXX") || die "cannot write to $cache"
	trap end_run EXIT
	trap 'exit 130' INT TERM
}

make_some() { # ITEM...
	local name
	for name; do item "$name" >/dev/null || exit; done
}

# The debug kernel takes longest to make.
make_stock() { make_some stable testing oldstable firmware qfix checkpatch jevents kvm; }
make_all() { make_stock && make_some debug; }

# kernel_of SUITE: set root, the build root for that kernel; kdir, its headers in
# there; mounts, what in_root is to put there. The debug kernel is an item beside
# the root, testing's, that it was made in.
kernel_of() {
	case $1 in
	debug)
		root=$(item testing)/root || exit
		mounts=("$(item debug)/build:/run/kernel") || exit
		kdir=/run/kernel
		;;
	*)
		root=$(item "$1")/root || exit
		mounts=()
		kdir=/usr/src/linux-headers-$(cat "$root/kernel-release")
		;;
	esac
}

# make_in SUITE FOLDER ARGUMENT...: run make on a copy of the sources in the
# suite's build root, as a user would with KDIR and CROSS_COMPILE.
make_in() {
	local folder=$2 root kdir mounts
	kernel_of "$1"
	shift 2
	mkdir -p "$folder"
	tar -C "$top" --exclude=.git --exclude='*.ko' --exclude='*.o' -cf - . | tar -C "$folder" -xf -
	in_root "$root" "${mounts[@]}" "$folder:/run/src" -- make --no-print-directory -C /run/src \
		ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- KDIR="$kdir" "$@"
}

# build_suite SUITE [W=1 ...]: the module for the suite's kernel, the guest
# programs, and the initrd of a boot: the suite's userland with them on top.
build_suite() {
	local suite=$1 folder=$run/$1 root kdir mounts
	shift
	kernel_of "$suite"
	make_in "$suite" "$folder/src" "$@" modules >"$folder.log" 2>&1 &&
		make_in "$suite" "$folder/src" -C /run/src/selftests/guest OUT=/run/src/payload/lab \
			>>"$folder.log" 2>&1 &&
		in_root "$root" "${mounts[@]}" "$folder/src:/run/src" -- make --no-print-directory \
			-C "$kdir" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- \
			M=/run/src/selftests/modules W=1 modules >>"$folder.log" 2>&1 || { cat "$folder.log" >&2; return 1; }
	cp "$folder"/src/{drivers/perf/sbi_pmu/sbi_pmu,selftests/modules/squatter,selftests/modules/thief}.ko \
		"$folder/src/payload/lab/"
	cp "$lab/init.sh" "$folder/src/payload/init"
	cp "$lab/host.sh" "$folder/src/payload/lab/"
	chmod 755 "$folder/src/payload/init"
	# The kernel unpacks one archive after the other.
	{
		cat "${root%/root}/base.cpio"
		in_root "$root" "$folder/src:/run/src" -- sh -c \
			'cd /run/src/payload && find . | cpio -o -H newc --quiet -R 0:0'
	} >"$folder/initrd"
	cp "$(item "$suite")/vmlinux" "$folder/vmlinux"
}

# host_initrd SUITE: the initrd of a machine that is the host of another of this suite:
# the same, with what that one boots, and a QEMU to boot it.
host_initrd() {
	local suite=$1 folder=$run/$1 kvm
	[ ! -e "$folder/host-initrd" ] || return 0
	kvm=$(item kvm) || return
	mkdir -p "$folder/host/guest"
	ln -f "$folder/initrd" "$folder/vmlinux" "$folder/host/guest/"
	{
		cat "$folder/initrd" "$kvm/kvm.cpio"
		in_root "$(item stable)/root" "$folder/host:/run/host" -- sh -c \
			'cd /run/host && find . | cpio -o -H newc --quiet -R 0:0'
	} >"$folder/host-initrd.new"
	mv "$folder/host-initrd.new" "$folder/host-initrd"
}

sole=initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit

# device_tree OVERLAY TREE: lay dts/OVERLAY.dtso, or one of the lab's own, over a
# device tree in $run.
device_tree() {
	local overlay=$1 tree=$2 source
	for source in "$top/dts/$overlay.dtso" "$lab/xiangshan-hpm/$overlay.dtso" missing; do
		[ ! -e "$source" ] || break
	done
	[ "$source" != missing ] || die "no overlay '$overlay' in dts/"
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$(item stable)/root" "$run:/run/lab" "$(dirname "$source"):/run/dts" -- sh -ec '
		cd /run/dts
		dtc -q -@ -I dts -O dtb -o "$2.overlay" "$1"
		fdtoverlay -i "$2" -o "$2" "$2.overlay"
	' sh "$(basename "$source")" "/run/lab/$tree"
}

# qemu FLAVOUR CPU HARTS SUITE OPENSBI APPEND OPTION...: one machine. OPENSBI is a
# version, or version+overlay: what this firmware finds in its device tree.
qemu() {
	local flavour=$1 cpu=$2 harts=$3 suite=$4 opensbi=${5%%+*} overlay=${5#"${5%%+*}"} append=$6
	local root binary=/usr/bin/qemu-system-riscv64 firmware binds=() machine tree
	local memory=1G initrd=initrd virt=virt options=()
	shift 6
	case $flavour in
	q7) root=$(item oldstable)/root || exit ;;
	q11) root=$(item testing)/root || exit ;;
	qfix)
		root=$(item stable)/root || exit
		binds=("$(item qfix):/run/qfix") || exit
		binary=/run/qfix/qemu-system-riscv64
		;;
	*) die "no QEMU flavour '$flavour'" ;;
	esac
	firmware=$(item firmware) || exit
	case " $append " in
	*" KVM="*)
		host_initrd "$suite" || return
		memory=3G
		initrd=host-initrd
		case $cpu in *ssaia=true*) virt=virt,aia=aplic-imsic ;; esac
		# For the guest; its host has the driver that KVM asks for counters.
		append=${append/SOLE/lab_sole=1}
		append=${append/KVM=/lab_kvm=}
		;;
	esac
	# Instructions are its clock: what it takes is not what this machine makes of it.
	case " $append " in
	*" ICOUNT "*)
		options=(-icount "shift=3,sleep=off")
		append=${append/ICOUNT /}
		;;
	esac
	[ -e "$firmware/$opensbi.bin" ] ||
		die "no OpenSBI '$opensbi'; there are: $(cd "$firmware" && echo *.bin)"
	machine=(in_root "$root" "${binds[@]}" "$run:/run/lab" "$firmware:/run/firmware" --
		"${timeout[@]}" "$binary" -nodefaults -display none -no-reboot
		"${options[@]}" -M "$virt" -m "$memory" -cpu "$cpu" -smp "$harts"
		-bios "/run/firmware/$opensbi.bin" -kernel "/run/lab/$suite/vmlinux"
		-initrd "/run/lab/$suite/$initrd" -device virtio-serial-pci
		-append "console=ttyS0 ${append/SOLE/$sole}" "$@")
	if [ -n "$overlay" ]; then
		# The same machine writes its tree down, and then starts with it.
		tree=$(basename "$(mktemp "$run/tree.XXXXXX")")
		"${machine[@]}" -M "dumpdtb=/run/lab/$tree" &&
			device_tree "${overlay#+}" "$tree" || return
		machine+=(-dtb "/run/lab/$tree")
	fi
	"${machine[@]}"
}

# ---- check ----

passed=0 failed=0 skipped=0

count() { # PASSED FAILED SKIPPED
	passed=$((passed + $1))
	failed=$((failed + $2))
	skipped=$((skipped + $3))
}

# Only the end of a long log may be kept: there, what has failed is named again.
has_failed() { # NAME [HOW]
	echo "FAILED  $*"
	echo "$1" >>"$run/failed"
}

# step NAME COMMAND...: one check without a boot.
step() {
	local name=$1 start=$SECONDS
	shift
	if "$@" >"$run/step.log" 2>&1; then
		echo "ok      $name ($((SECONDS - start)) s)"
		count 1 0 0
	else
		cat "$run/step.log"
		has_failed "$name"
		count 0 1 0
	fi
}

lint() {
	in_root "$(item stable)/root" "$top:/run/src" "$(item checkpatch):/run/checkpatch" -- \
		env CHECKPATCH=/run/checkpatch/checkpatch.pl /run/src/selftests/lint.sh
}

# Lint that cannot fail is none: plant one breach and see it named.
lint_bites() {
	local copy=$run/breach
	mkdir "$copy"
	tar -C "$top" --exclude=.git -cf - . | tar -C "$copy" -xf -
	echo 'static int breach(void) { return csr_read(0xC00); }' >>"$copy/drivers/perf/sbi_pmu/perf.c"
	! "$copy/selftests/lint.sh" >"$run/breach.log" && grep -q 'csr.c' "$run/breach.log"
}

# The pure rooms, in seconds, before anything is emulated.
host_tests() { # COMPILER
	local copy=$run/host-$1
	mkdir "$copy"
	tar -C "$top" --exclude=.git -cf - drivers include selftests tools | tar -C "$copy" -xf -
	in_root "$(item stable)/root" "$copy:/run/src" -- \
		make -C /run/src/selftests/host check CC="$1" OUT=/run/src/out
}

# A script of the host tests: the tables of event names, and what is made from them.
host_script() { # NAME
	in_root "$(item stable)/root" "$top:/run/src" -- "/run/src/selftests/host/$1.sh"
}

# perf's own reader on the JSON that is for perf.
perf_json() {
	in_root "$(item jevents)/root" "$top:/run/src" "$(item jevents)/pmu-events:/run/pmu-events" -- \
		/run/src/selftests/host/jevents.sh /run/pmu-events
}

# Every line of them run by a test, or nearly.
host_coverage() {
	local copy=$run/coverage
	mkdir "$copy"
	tar -C "$top" --exclude=.git -cf - drivers include selftests tools | tar -C "$copy" -xf -
	in_root "$(item stable)/root" "$copy:/run/src" -- \
		make -C /run/src/selftests/host coverage OUT=/run/src/out
}

# A module that builds with any word from the compiler or sparse has failed.
build_clean() { # SUITE
	local sparse=()
	[ "$1" != stable ] || sparse=(C=2 CHECK=/run/src/selftests/sparse.sh)
	build_suite "$1" W=1 "${sparse[@]}" || return 1
	! grep -niE '(warning|error):' "$run/$1.log"
}

# The release of a suite's kernel, from its headers.
release_of() { # SUITE
	case $1 in
	debug) cat "$(item debug)/build/include/config/kernel.release" ;;
	*) cat "$(item "$1")/root/kernel-release" ;;
	esac
}

rows() { sed -n '/^#/d; s/^~//; p' "$lab/cases.tsv"; }

# The rows with these names; without a name all.
rows_of() { # [CASE...]
	rows | awk -F '\t' -v names=" $* " 'names == "  " || index(names, " " $1 " ")'
}

# For sh -c, with the arguments CONSOLE UP ALL COMMAND...: a machine may take ALL seconds,
# and UP of them until its kernel is up.
# shellcheck disable=SC2016 # for that shell
patience='
	console=$1 up=$2 all=$3
	shift 3
	timeout --kill-after=10 "$all" "$@" &
	while kill -0 $! 2>/dev/null && ! grep -q "Run /init" "$console"; do
		[ $((up -= 1)) -gt 0 ] || kill $!
		sleep 1
	done
	wait $!
'

# boot_case ROW...: boot and judge one case.
boot_case() {
	local name=$1 qemu=$2 cpu=$3 harts=$4 suite=$5 opensbi=$6 append=$7 programs=$8
	local start=$SECONDS status verdict slow=1 long=0 overflow=timer twin=
	# The checkers of the debug kernel check every load and store.
	[ "$suite" != debug ] || slow=4
	case $qemu,$cpu,$append in
	*,*ssaia=true*,*KVM=*) overflow=lcofi ;;
	*,*KVM=*) ;;
	q7,*sscofpmf=true*,SOLE* | qfix,*sscofpmf=true*,SOLE*) overflow=lcofi ;;
	esac
	case $cpu in *xiangshan-hpm=*) twin=" LAB_TWIN=1" ;; esac
	case $append in *LAB_STRESS_SECONDS=*) long=${append##*LAB_STRESS_SECONDS=} ;; esac
	timeout=(sh -c "$patience" sh "/run/lab/$name.console" $((120 * slow))
		$((${CASE_TIMEOUT:-900} * slow + long)))
	local tries=0
	while :; do
		: >"$run/$name.ktap"
		: >"$run/$name.console"
		qemu "$qemu" "$cpu" "$harts" "$suite" "$opensbi" \
			"$append earlycon panic_on_warn=1 panic=-1 lab_run=${programs// /,} lab_case=$name lab_limit=$((400 * slow + long)) lab_suite=$suite LAB_OVERFLOW=$overflow$twin" \
			-serial "file:/run/lab/$name.console" \
			-chardev "file,id=ktap,path=/run/lab/$name.ktap" \
			-device virtserialport,chardev=ktap >"$run/$name.qemu" 2>&1 </dev/null
		status=$?
		# sudo's terminal takes Ctrl-C to the machine, and not to us.
		[ $status != 130 ] || exit 130
		# QEMU 7.2 with four harts hangs now and then, in its firmware or where
		# the others come up: nothing of ours was tried, so once more.
		grep -q 'Run /init' "$run/$name.console" && break
		[ "$qemu" = q7 ] && [ $((tries += 1)) -lt 3 ] || break
		echo "        $name: hung before its kernel was up; once more"
		tail -n 3 "$run/$name.console"
	done
	verdict=$(awk -v programs="$programs" -v status=$status -f "$lab/verdict.awk" \
		"$run/$name.ktap" "$run/$name.console")
	# shellcheck disable=SC2086 # three numbers
	count ${verdict%%$'\n'*}
	if [ "$verdict" = "${verdict%%$'\n'*}" ]; then
		echo "ok      $name (${verdict%% *} tests, $((SECONDS - start)) s)"
		return
	fi
	echo "---- $name: console"
	cat "$run/$name.qemu" "$run/$name.console"
	echo "---- $name: results"
	cat "$run/$name.ktap"
	echo "---- $name: verdict"
	echo "${verdict#*$'\n'}"
	has_failed "$name" "($((SECONDS - start)) s)"
}

# boot_cases: those of the rows on standard input, one after the other.
boot_cases() {
	local name qemu cpu harts suite opensbi append programs
	while IFS=$'\t' read -r name qemu cpu harts suite opensbi append programs <&7; do
		boot_case "$name" "$qemu" "$cpu" "$harts" "$suite" "$opensbi" "$append" "$programs"
	done 7<&0
}

# boot_beside LANE: the same beside others; what is said and counted is kept for later.
boot_beside() {
	local lane=$1
	trap - EXIT
	passed=0 failed=0 skipped=0
	boot_cases >"$run/lane.$lane" 2>&1
	echo "$passed $failed $skipped" >"$run/lane.$lane.count"
}

# Machines that are hosts have one hart and measure little time: two at once.
boot_in_lanes() { # ROWS
	local lane
	[ -n "$1" ] || return
	# Made once, for both.
	for lane in $(cut -f 5 <<<"$1" | sort -u); do
		host_initrd "$lane" && continue
		has_failed "host of $lane" "no initrd"
		count 0 1 0
		return
	done
	set -m
	for lane in 0 1; do
		awk -v lane=$lane 'NR % 2 == lane' <<<"$1" >"$run/lane.$lane.rows"
		boot_beside $lane <"$run/lane.$lane.rows" &
		lanes+=($!)
	done
	set +m
	for lane in 0 1; do
		wait "${lanes[$lane]}"
		cat "$run/lane.$lane"
		# shellcheck disable=SC2046 # three numbers
		count $(cat "$run/lane.$lane.count" || { has_failed "lane $lane" >&2; echo 0 1 0; })
	done
}

check() {
	local name known suites
	known=" $(rows | cut -f 1 | tr '\n' ' ')"
	for name in "$@"; do
		[ "${known#* "$name" }" != "$known" ] || die "no case '$name'; see 'make list'"
	done
	[ $# != 0 ] || rows() { grep -v '^[#~]' "$lab/cases.tsv"; }
	suites=" $(rows_of "$@" | cut -f 5 | sort -u | tr '\n' ' ')"
	start_run
	case $suites in
	*" debug "*) make_all ;;
	*) make_stock ;;
	esac
	if [ $# = 0 ]; then
		step lint lint
		step "lint bites" lint_bites
		step refusals "$lab/refusals.sh"
		step "event tables" host_script events
		step "files made from them" host_script generated
		step "device trees" host_script dts
		step "perf JSON" perf_json
		step "host tests (gcc)" host_tests gcc
		step "host tests (clang)" host_tests clang
		step "host tests' coverage" host_coverage
	fi
	for suite in $suites; do
		step "build for $(release_of "$suite")" build_clean "$suite"
	done
	[ "$failed" = 0 ] || rows() { :; } # nothing to boot
	boot_cases < <(rows_of "$@" | grep -v 'KVM=')
	boot_in_lanes "$(rows_of "$@" | grep 'KVM=')"
	[ "$failed" = 0 ] || sed 's/^/FAILED  /' "$run/failed"
	echo "$passed passed, $failed failed, $skipped skipped"
	[ "$failed" = 0 ]
}

check_debug() {
	local names
	# Not the half hour of load: make check CASES=soak-debug.
	mapfile -t names < <(rows | awk -F '\t' '$5 == "debug" && $8 != "load stress" { print $1 }')
	check "${names[@]}"
}

# ---- run, shell ----

machine=(q11 "rv64,sscofpmf=true" 2 testing 1.9)

show() {
	start_run
	make_some testing firmware
	say "building the module"
	build_suite testing || exit
	say "booting a RISC-V machine (QEMU, OpenSBI 1.9, Debian's kernel)"
	timeout=(timeout --foreground --kill-after=10 "${CASE_TIMEOUT:-400}")
	: >"$run/shown"
	tail -n +1 --pid=$$ -f "$run/shown" &
	qemu "${machine[@]}" "SOLE quiet lab_show=1" -serial file:/run/lab/console \
		-chardev file,id=out,path=/run/lab/shown -device virtserialport,chardev=out \
		</dev/null >"$run/qemu" 2>&1
	sleep 1.1 # tail looks once a second
	kill $!
	wait $! 2>/dev/null
	grep -q '^-- the end' "$run/shown" || {
		cat "$run/qemu" "$run/console"
		die "the machine did not get to the end; its console is above"
	}
}

shell() {
	start_run
	make_some testing firmware
	build_suite testing || exit
	say "booting; 'exit' or Ctrl-D powers the machine off"
	timeout=()
	qemu "${machine[@]}" "SOLE quiet lab_shell=1" -serial mon:stdio
}

clean() {
	local busy
	for busy in "$cache"/run.*; do
		[ ! -e "$busy" ] || die "a run is using $cache (or was killed: then remove $busy)"
	done
	as_root rm -rf --one-file-system "$cache"
}

case ${1:-help} in
check | show | shell) verb=$1; shift; "$verb" "$@" ;;
check-debug) check_debug ;;
run) show ;;
list) rows | cut -f 1,2,4-6,8 | expand -t 18,24,28,38,46 ;;
setup) make_all ;;
clean) clean ;;
help) usage ;;
*) usage >&2; exit 2 ;;
esac
