# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# machine.sh - what a machine of the lab boots, and QEMU to boot it.
#
# Sourced by lab.sh. QEMU runs as the calling user, without a root: only builds need one.

# kernel_of SUITE: set root, the build root for that kernel; kdir, its headers in there;
# shared, what in_root is to put there. The debug kernel is an artifact beside the root,
# testing's, that it was made in.
kernel_of() {
	case $1 in
	debug)
		root=$(artifact testing)/root || exit
		shared=("$(artifact debug)/build:/run/kernel:ro") || exit
		kdir=/run/kernel
		;;
	*)
		root=$(artifact "$1")/root || exit
		shared=()
		kdir=/usr/src/linux-headers-$(cat "$root/kernel-release")
		;;
	esac
}

# The release of a suite's kernel, from its headers.
release_of() { # SUITE
	case $1 in
	debug) cat "$(artifact debug)/build/include/config/kernel.release" ;;
	*) cat "$(artifact "$1")/root/kernel-release" ;;
	esac
}

# copy_tree FOLDER: the sources of this run, for a step that writes into them.
copy_tree() {
	mkdir -p "$1" && cp -a "$run/tree/." "$1"
}

# build_suite SUITE [W=1 ...]: the module for the suite's kernel, the guest programs, and the
# initrd of a boot: the suite's userland with them on top. As a user would, with KDIR and
# CROSS_COMPILE, on a copy of the sources.
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
	# The kernel unpacks one archive after the other.
	cat "${root%/root}/base.cpio" "$folder/src/payload.cpio" >"$folder/initrd"
	ln -sf "$(artifact "$suite")/vmlinux" "$folder/vmlinux"
}

# host_initrd SUITE: the initrd of a machine that is the host of another of this suite: the
# same, with what that one boots, and a QEMU to boot it.
host_initrd() {
	local folder=$run/$1
	mkdir -p "$folder/host/guest"
	cp -L "$folder/initrd" "$folder/vmlinux" "$folder/host/guest/"
	{
		cat "$folder/initrd" "$(artifact kvm)/kvm.cpio"
		cpio_of "$(artifact testing)/root" "$folder/host"
	} >"$folder/host-initrd"
	rm -r "$folder/host"
}

exclusive=initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit

# run_program ARTIFACT NAME ARGUMENT...: one that keep_program has kept.
run_program() {
	local dir
	dir=$(artifact "$1") || exit
	"$dir/loader" --inhibit-cache --library-path "$dir/lib" "$dir/$2" "${@:3}"
}

# machine_command FLAVOUR CPU HARTS SUITE OPENSBI APPEND OPTION...: set machine, the command
# that starts it. OPENSBI is a version, or version+overlay: what this firmware finds in its
# device tree.
machine_command() {
	local flavour=$1 cpu=$2 harts=$3 suite=$4 opensbi=${5%%+*} overlay=${5#"${5%%+*}"} append=$6
	local dir firmware memory=1G initrd=initrd virt=virt options=()
	shift 6
	case $flavour in
	q7 | q11 | qfix) dir=$(artifact "$flavour") || exit ;;
	*) die "no QEMU flavour '$flavour'" ;;
	esac
	firmware=$(artifact firmware)/$opensbi.bin || exit
	[ -e "$firmware" ] ||
		die "no OpenSBI '$opensbi'; there are: $(cd "${firmware%/*}" && echo *.bin)"
	case " $append " in
	*" KVM="*)
		memory=3G
		initrd=host-initrd
		case $cpu in *ssaia=true*) virt=virt,aia=aplic-imsic ;; esac
		# For the guest; its host has the driver that KVM asks for counters.
		append=${append/SOLE/lab_sole=1}
		append=${append/KVM=/lab_kvm=}
		;;
	esac
	# Instructions are its clock, 2^N ns each: what it takes is not what this machine
	# makes of it.
	if [[ " $append " =~ \ ICOUNT=([0-9]+)\  ]]; then
		options=(-icount "shift=${BASH_REMATCH[1]},sleep=off")
		append=${append/"ICOUNT=${BASH_REMATCH[1]}"/}
	fi
	machine=("$dir/loader" --inhibit-cache --library-path "$dir/lib"
		"${QFIX:-$dir}/qemu-system-riscv64"
		-nodefaults -display none -no-reboot "${options[@]}" -M "$virt" -m "$memory"
		-cpu "$cpu" -smp "$harts" -bios "$firmware" -kernel "$run/$suite/vmlinux"
		-initrd "$run/$suite/$initrd" -device virtio-serial-pci
		-append "console=ttyS0 ${append/SOLE/$exclusive}" "$@")
	[ -z "$overlay" ] || machine+=(-dtb "$(device_tree "${overlay#+}")") || exit
}

# device_tree OVERLAY: the same machine writes its tree down; then dts/OVERLAY.dtso, or one of
# the lab's own, is laid over it. Print the file's name.
device_tree() {
	local overlay=$1 source folder
	for source in dts selftests/qemu/xiangshan-hpm missing; do
		[ ! -e "$run/tree/$source/$overlay.dtso" ] || break
	done
	[ "$source" != missing ] || die "no overlay '$overlay' in dts/"
	folder=$(mktemp -d "$run/dtb.XXXXXX")
	("${machine[@]}" -M "dumpdtb=$folder/tree" &&
		cd "$run/tree/$source" &&
		run_program q11 dtc -q -@ -I dts -O dtb -o "$folder/overlay" "$overlay.dtso" &&
		run_program q11 fdtoverlay -i "$folder/tree" -o "$folder/result" "$folder/overlay"
	) >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
	echo "$folder/result"
}

# run_machine NAME UP ALL RESULTS: start $machine, whose console is $run/NAME.console and whose
# results are $run/NAME.RESULTS, and wait for its end: ALL seconds at most, and UP until its
# kernel is up. Its status is QEMU's, or 124.
run_machine() {
	local name=$1 status tries=0
	while :; do
		: >"$run/$name.console"
		: >"$run/$name.$4"
		run_machine_once "$name" "$2" "$3"
		status=$?
		# QEMU 7.2 hangs now and then, in its firmware or where other harts come
		# up: nothing of ours was tried, so once more.
		[ $status = 124 ] && ! grep -q 'Run /init' "$run/$name.console" || break
		[[ ${machine[*]} == */q7-* ]] && [ $((tries += 1)) -lt 3 ] || break
		{
			echo "        $name: hung before its kernel was up; once more"
			tail -n 3 "$run/$name.console"
		} | print_whole
	done
	progress_job_end "$name"
	return $status
}

run_machine_once() { # NAME UP ALL
	local name=$1 up=$2 all=$3 pid start=$SECONDS stage
	"${machine[@]}" >"$run/$name.qemu" 2>&1 </dev/null &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		stage=$(sed -n 's/.*lab: \([a-z_]*\)\r*$/\1/p; s/.*Run \/init.*/kernel/p' \
			"$run/$name.console" | tail -n 1)
		progress_job "$name" "${stage:-firmware}"
		if [ $((SECONDS - start)) -ge "$all" ] ||
			{ [ -z "$stage" ] && [ $((SECONDS - start)) -ge "$up" ]; }; then
			kill $pid
			sleep 1
			kill -9 $pid 2>/dev/null
			wait $pid
			return 124
		fi
		sleep 1
	done
	wait $pid
}
