# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# iss.sh - make check-iss: boot the program iss, with the module, on two emulators that count by code
# which nobody here wrote. WHISPER and SPIKE name checkouts of github.com/tenstorrent/whisper and
# github.com/riscv-software-src/riscv-isa-sim. Sourced by lab.sh.

# They have neither QEMU's devices nor its speed: the last five save minutes.
iss_append="rdinit=/iss earlycon=sbi console=ttyS0 loglevel=5 printk.devkmsg=on panic=-1 panic_on_warn=1 cma=0 nokaslr \
init_on_alloc=0 cryptomgr.notests=1 initcall_blacklist=load_system_certificate_list"

# boot_iss NAME EMULATOR HARTS OVERFLOW EXTENSION...: by what samples come; extensions besides those of
# machine.dts
boot_iss() {
	local name=$1 emulator=$2 harts=$3 append="$iss_append LAB_OVERFLOW=$4" folder=$run/$1 isa=_sscofpmf extensions='' status result
	shift 4
	[[ " $* " != *" smcdeleg "* ]] || append+=" LAB_INSMOD=backend=csr"
	append+=" LAB_EXTENSIONS=$(IFS=, && echo "$*")"
	[ $# = 0 ] || extensions=$(printf ', "%s"' "$@") isa+=$(printf '_%s' "$@")
	mkdir -p "$folder/root" && cp "$lab"/iss/* "$run/testing/vmlinux" "$folder/" &&
		cp "$(artifact firmware)/1.9.bin" "$folder/fw_dynamic.bin" &&
		cp "$run/testing/src/payload/lab/iss" "$folder/root/iss" &&
		cp "$run/testing/src/payload/lab/sbi_pmu.ko" "$folder/root/" || return
	# Whisper has no name for Ssccfg.
	sed -i "s/@HARTS@/$harts/; s/@ISA@/${isa/_ssccfg/}/" "$folder/whisper.json"
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$(artifact testing)/root" "$folder:/run/iss" -- sh -ec '
		cd /run/iss
		riscv64-linux-gnu-strip -d root/sbi_pmu.ko
		(cd root && find . | cpio -o -H newc --quiet -R 0:0 >../initrd)
		gcc=riscv64-linux-gnu-gcc
		$gcc -E -P -undef -nostdinc -x assembler-with-cpp -D"$1" -DHARTS="$2" -DBOOTARGS="\"$3\"" -DEXTENSIONS="$4" \
			-DINITRD_END="$((0x84000000 + $(stat -c %s initrd)))" machine.dts | dtc -q -o tree
		$gcc -march=rv64gc -c bundle.S
		riscv64-linux-gnu-ld -n -T bundle.ld -o bundle bundle.o
	' sh "${emulator^^}" "$harts" "$append" "$extensions" || return
	case $emulator in
	whisper) set -- whisper --configfile /run/iss/whisper.json --counters --quitany ;;
	spike) set -- spike "--isa=rv64imafdc_zicntr_zihpm_zba_zbb_zbs_sstc_svinval$isa" -m512 "-p$harts" ;;
	esac
	# A console whose input does not end
	mkfifo "$folder.input"
	in_root "$(artifact "$emulator")/root" "$folder:/run/iss:ro" -- timeout 1200 "$@" /run/iss/bundle \
		<>"$folder.input" >"$folder.console" 2>&1
	status=$?
	sed -nE 's/^\[[^]]*\] (KTAP|# |1\.\.|(not )?ok )/  \1/p' "$folder.console" |
		sed 's/^  \(# end of iss\)/1..1\nok 1 iss\n\1/' >"$folder.ktap"
	result=$(awk -v programs=iss -v status=$status -f "$lab/result.awk" "$folder.ktap" "$folder.console")
	[[ ${result%%$'\n'*} = *' 0 0' ]] || { cat "$folder.console"; echo "$result"; return 1; }
}

iss_steps() {
	cat <<-END
	Whisper = boot_iss whisper whisper 1 lcofi
	Whisper, delegated, two harts = boot_iss whisper-delegated whisper 2 lcofi $delegation
	Spike = boot_iss spike spike 1 timer
	Spike with Smcntrpmf = boot_iss spike-smcntrpmf spike 1 timer smcntrpmf
	END
}

check_iss() {
	local name tree delegation="smcsrind sscsrind smcdeleg ssccfg smcntrpmf"
	need_root
	start_run
	for name in WHISPER SPIKE; do
		tree=${!name:-}
		git -C "${tree:-/nowhere}" archive -o "$cache/${name,,}.tar" HEAD ||
			die "$name is not the folder of a checkout"
		say "$name is $(git -C "$tree" rev-parse --short HEAD)"
	done
	make_artifacts 1500 testing firmware whisper spike
	build_suite testing || die "the module does not build"
	run_jobs "$(iss_steps)" "" ""
	mkdir -p "$top/build"
	(cd "$run" && tail -n +1 ./*.ktap) >"$top/build/iss.ktap"
	say "$top/build/iss.ktap has what both drivers counted"
	print_results
}
