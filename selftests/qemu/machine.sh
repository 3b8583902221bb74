# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# machine.sh - what a machine of the lab boots, and the QEMU that boots it.
#
# QEMU runs as the calling user and outside of the build roots. Sourced by lab.sh.

# kernel_of SUITE: set root, the build root for that kernel; kdir, its headers in the root; and
# shared, folders for in_root. A kernel that the lab has built is outside of the root.
kernel_of() {
	local dir
	dir=$(artifact "$1") || exit
	root=$dir/root
	shared=()
	kdir=/usr/src/linux-headers-$(release_of "$1")
	[ ! -e "$dir/build" ] || { shared=("$dir/build:/run/kernel:ro") && kdir=/run/kernel; }
}

# The release of a suite's kernel, from its headers.
release_of() { # SUITE
	local dir
	dir=$(artifact "$1") || exit
	cat "$dir/build/include/config/kernel.release" 2>/dev/null || cat "$dir/root/kernel-release"
}

# copy_sources FOLDER: copy the checkout, which may be read-only, without what was built in it.
copy_sources() {
	mkdir "$1" && "$top/selftests/sources.sh" "$1" && chmod -R u+w "$1"
}

# copy_tree FOLDER: copy the sources of this run, for a step that writes into them.
copy_tree() {
	mkdir -p "$1" && cp -a "$run/tree/." "$1"
}

# build_suite SUITE [W=1 ...]: build the module for the suite's kernel and the guest programs, as
# a user would, with KDIR and CROSS_COMPILE, in a copy of the sources; then the initrd: the
# suite's userland, the module and the programs.
build_suite() {
	local suite=$1 folder=$run/$1 root kdir shared
	shift
	kernel_of "$suite"
	copy_tree "$folder/src"
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$root" "${shared[@]}" "$folder/src:/run/src" -- sh -ec '
		kdir=$1
		shift
		cd /run/src
		kernel="ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-"
		make --no-print-directory $kernel KDIR="$kdir" "$@" modules
		make --no-print-directory $kernel -C selftests/guest OUT=/run/src/payload/lab
		make --no-print-directory $kernel -C "$kdir" M=/run/src/selftests/modules W=1 modules
		cp drivers/perf/sbi_pmu/sbi_pmu.ko selftests/modules/*.ko \
			selftests/qemu/kvm-host.sh payload/lab/
		cp selftests/qemu/init.sh payload/init
		chmod 755 payload/init
		cd payload
		find . | cpio -o -H newc --quiet -R 0:0 >/run/src/payload.cpio
	' sh "$kdir" "$@" >"$folder.log" 2>&1 || { cat "$folder.log" >&2; return 1; }
	# An initrd may be several archives, one after the other.
	cat "${root%/root}/base.cpio" "$folder/src/payload.cpio" >"$folder/initrd" || return
	ln -sf "$(artifact "$suite")/vmlinux" "$folder/vmlinux"
}

# host_initrd SUITE: make the initrd of a KVM host: the suite's initrd, and in it the guest's
# kernel, initrd and QEMU.
host_initrd() {
	local folder=$run/$1
	mkdir -p "$folder/host/guest"
	cp -L "$folder/initrd" "$folder/vmlinux" "$folder/host/guest/"
	{
		cat "$folder/initrd" "$(artifact kvm)/kvm.cpio"
		cpio_of "$(artifact "$1")/root" "$folder/host"
	} >"$folder/host-initrd"
	rm -r "$folder/host"
}

# run_program ARTIFACT NAME ARGUMENT...: a program that keep_program has put there.
run_program() {
	local dir
	dir=$(artifact "$1") || exit
	"$dir/loader" --inhibit-cache --library-path "$dir/lib" "$dir/$2" "${@:3}"
}

# option OPTIONS NAME DEFAULT: the value of a case's option; see cases.tsv.
option() {
	local word
	for word in $1; do
		[ "${word%%=*}" != "$2" ] || { echo "${word#*=}"; return; }
	done
	echo "$3"
}

# machine_command QEMU KERNEL MODE OPTIONS CPU APPEND ARGUMENT...: set machine, the command that
# starts it. The first five are columns of cases.tsv; APPEND has more kernel arguments, ARGUMENT...
# more of QEMU's.
machine_command() {
	local flavour=$1 kernel=$2 mode=$3 options=$4 cpu=$5 append=$6
	local dir firmware overlay kvm icount insmod hart1 perf set qmp memory=1G initrd=initrd virt=virt clock=() efi=()
	shift 6
	firmware=$(option "$options" opensbi 1.9)
	overlay=${firmware#"${firmware%%+*}"}
	kvm=$(option "$options" kvm 0)
	icount=$(option "$options" icount "")
	insmod=$(option "$options" insmod "")
	hart1=$(option "$options" hart1 "")
	dir=$(artifact "$flavour") || exit
	firmware=${FIRMWARE:-$(artifact firmware)/${firmware%%+*}.bin}
	[ -e "$firmware" ] || die "no OpenSBI '$firmware'; there are: $(cd "${firmware%/*}" && echo *.bin)"
	[ "$mode" != shared ] || insmod+="${insmod:+ }mode=shared"
	[ -z "$insmod" ] || append+=" \"LAB_INSMOD=$insmod\""
	append+=" lab_end=$(option "$options" end poweroff)"
	if [ "$kvm" = 0 ]; then
		[ "$mode" != exclusive ] ||
			append+=" initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit"
	else
		# The host runs KVM, which needs the built-in driver there; kvm-host.sh makes
		# the guest's arguments from these.
		memory=3G
		initrd=host-initrd
		append+=" lab_kvm=${kvm%,host}"
		[ "$mode" != exclusive ] || append+=" lab_exclusive=1"
		[ "$kvm" = "${kvm%,host}" ] || append+=" lab_hosts=1"
	fi
	perf=$(option "$options" perf "")
	if [ -n "$perf" ]; then
		memory=2G
		append+=" LAB_PERF=$perf"
		initrd=$(cd "$run/$kernel" && mktemp perf.XXXXXX)
		cat "$run/$kernel/initrd" "$(artifact perftest)/perftest.cpio" >"$run/$kernel/$initrd" || exit
	fi
	case $cpu in *ssaia=true*) virt=virt,aia=aplic-imsic ;; esac
	if [[ " $options " == *' acpi '* ]]; then
		virt+=,acpi=on append+=" lab_acpi=1"
		efi=(-drive "if=pflash,unit=0,format=raw,readonly=on,file=$(artifact efi)/RISCV_VIRT_CODE.fd"
			-drive "if=pflash,unit=1,format=raw,snapshot=on,file=$(artifact efi)/RISCV_VIRT_VARS.fd")
	fi
	# Time is then that of the instructions, and does not depend on this machine's load.
	[ -z "$icount" ] || clock=(-icount "shift=$icount,sleep=off")
	machine=("$dir/loader" --inhibit-cache --library-path "$dir/lib"
		"${QFIX:-$dir}/qemu-system-riscv64"
		-nodefaults -display none -no-reboot "${clock[@]}" "${efi[@]}" -M "$virt" -m "$memory"
		-cpu "$cpu" -smp "$(option "$options" harts 1)" -bios "$firmware"
		-kernel "$run/$kernel/vmlinux" -initrd "$run/$kernel/$initrd" -device virtio-serial-pci
		-append "console=ttyS0 $append" "$@")
	# All harts have -cpu; until they run, features of one can be changed by QMP.
	if [ -n "$hart1" ]; then
		qmp=$(mktemp "$run/qmp.XXXXXX")
		cat >"$qmp" <<-END
		{"execute": "qmp_capabilities"}
		$(for set in ${hart1//,/ }; do
			printf '{"execute": "qom-set", "arguments": {"path": "/machine/soc0/harts[1]",
				"property": "%s", "value": %s}}\n' "${set%=*}" "${set#*=}"
		done)
		{"execute": "cont"}
		END
		machine+=(-S -chardev "file,id=qmp,path=$qmp.log,input-path=$qmp" -mon chardev=qmp,mode=control)
	fi
	[ -z "$overlay" ] || machine+=(-dtb "$(device_tree "${overlay#+}")") || exit
}

# device_tree OVERLAY: let QEMU write the device tree of $machine, and apply OVERLAY.dtso of the
# event data or of the lab to it; board-NAME is a board of boards.tsv. Print the name of the
# resulting file.
device_tree() {
	local overlay=$1 source folder here=$run/tree/selftests/qemu
	folder=$(mktemp -d "$run/dtb.XXXXXX")
	"$run/tree/drivers/perf/sbi_pmu/vendor/generate.sh" dts "$folder" || exit
	[[ $overlay != board-* ]] ||
		awk -v board="${overlay#board-}" -f "$run/tree/selftests/boards.awk" \
			"$run/tree/selftests/boards.tsv" >"$folder/$overlay.dtso" || exit
	for source in "$folder" "$here" "$here/xiangshan-hpm" "$here/vendor-pmu" missing; do
		[ ! -e "$source/$overlay.dtso" ] || break
	done
	[ "$source" != missing ] || die "no overlay '$overlay'"
	("${machine[@]}" -M "dumpdtb=$folder/tree" &&
		cd "$source" &&
		run_program q11 dtc -q -@ -I dts -O dtb -o "$folder/overlay" "$overlay.dtso" &&
		run_program q11 fdtoverlay -i "$folder/tree" -o "$folder/result" "$folder/overlay"
	) >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
	echo "$folder/result"
}

# run_machine NAME UP ALL RESULTS: start $machine, whose console is $run/NAME.console and whose
# results are $run/NAME.RESULTS, and wait for its end: UP seconds at most until init runs, ALL
# seconds at most in total. Return QEMU's exit status, or 124 if the time was over.
run_machine() {
	local name=$1 status tries=0
	while :; do
		: >"$run/$name.console"
		: >"$run/$name.$4"
		run_machine_once "$name" "$2" "$3"
		status=$?
		# QEMU 7.2 sometimes hangs in the firmware or while other harts start: no
		# test has run yet, so boot again.
		[ $status = 124 ] && ! init_runs "$name" || break
		[[ ${machine[*]} == */q7-* ]] && [ $((tries += 1)) -lt 3 ] || break
		say "$name: QEMU 7.2 hung before init ran; booting again. Its console ended with:" \
			"$(tail -n 9 "$run/$name.console")"
	done
	return $status
}

init_runs() { grep -q 'Run /init' "$run/$1.console"; }

run_machine_once() { # NAME UP ALL
	local pid start=$SECONDS seconds harts monitor=$run/$1.monitor
	rm -f "$monitor".*
	mkfifo "$monitor.in" "$monitor.out"
	"${machine[@]}" -chardev "pipe,id=monitor,path=$monitor" -mon chardev=monitor \
		>"$run/$1.qemu" 2>&1 </dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		seconds=$((SECONDS - start))
		if [ $seconds -ge "$3" ] || { [ $seconds -ge "$2" ] && ! init_runs "$1"; }; then
			# Where each hart hangs; the firmware is at 80000000.
			echo "info registers -a" 1<>"$monitor.in"
			harts=$(timeout 5 cat "$monitor.out" | grep -ae '^CPU#' -e '^ pc ')
			kill $pid
			sleep 1
			kill -9 $pid 2>/dev/null
			wait $pid
			[ -z "$harts" ] || echo "$harts" >>"$run/$1.console"
			return 124
		fi
		sleep 1
	done
	wait $pid
}
