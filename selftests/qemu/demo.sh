# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# demo.sh - make run, make run-xiangshan, make shell.
#
# Scripts in the machines (guest/demo*) print what is shown, to a virtio port. Sourced by lab.sh.

# demo_boot NAME QEMU KERNEL MODE OPTIONS CPU: boot a machine that runs /lab/NAME. Its output
# goes to $run/NAME.shown.
demo_boot() {
	local name=$1
	shift
	machine_command "$@" "lab_demo=$name" -serial "file:$run/$name.console" \
		-chardev "file,id=out,path=$run/$name.shown" -device virtserialport,chardev=out
	run_machine "$name" 60 300 shown
}

bold_titles() {
	if [ -t 1 ]; then
		sed -u '/^-- the end/d; s/^-- .*/\x1b[1;36m&\x1b[0m/; s/^\(   # \)\(.*\)/\1\x1b[1m\2\x1b[0m/; s/not supported/\x1b[33m&\x1b[0m/'
	else
		sed -u '/^-- the end/d; s/\x1b\[[0-9;]*m//g'
	fi
}

# follow NAME PID: show the output of the machine that process PID runs, until that ends.
follow() {
	while [ ! -s "$run/$1.shown" ] && kill -0 "$2" 2>/dev/null; do sleep 0.2; done
	tail -n +1 -s 0.2 --pid="$2" -f "$run/$1.shown" | bold_titles
	wait "$2"
	shown_whole "$1" || exit
}

# shown_whole NAME: did the script get to its end, which it does only if no command failed?
shown_whole() {
	grep -q '^-- the end' "$run/$1.shown" && return
	cat "$run/$1.shown" "$run/$1.qemu" "$run/$1.console" >&2
	say "error: $1 failed or did not get to its end; its output and its console are above"
	return 1
}

# The clock is one nanosecond for each instruction, so that counts do not depend on this
# machine's speed and load. (With more harts QEMU hangs in that mode.)
demo_main() { demo_boot demo q7 testing exclusive icount=0 rv64,sscofpmf=true; }

demo_shared() {
	demo_boot demo_shared q11 testing shared icount=0 \
		rv64,sscofpmf=true,smcsrind=true,sscsrind=true,smctr=true,ssctr=true
}

demo_hpm() {
	demo_boot demo_xiangshan qfix testing exclusive opensbi=1.9+xiangshan-v2r2-2026-virt \
		rv64,sscofpmf=true,smcntrpmf=true,xiangshan-hpm=v2r2-2026
}

# As steps of make check-all.
demo_works() { demo_main && shown_whole demo && demo_shared && shown_whole demo_shared; }
demo_xiangshan_works() { demo_hpm && shown_whole demo_xiangshan; }

prepare_boot() { # SUITE ARTIFACT...
	local suite=$1
	shift
	need_root
	start_run
	make_artifacts 1500 "$@"
	build_suite "$suite" || exit
}

demo() {
	prepare_boot testing testing q7 q11 firmware
	say "booting two RISC-V machines (QEMU, OpenSBI 1.9, Linux $(release_of testing)); a few seconds"
	start_job demo_main
	start_job demo_shared
	follow demo "${job_pids[-2]}"
	follow demo_shared "${job_pids[-1]}"
	cat <<-'EOF2'

	   Next:  make shell            the first machine again, with a prompt, to use perf
	          make check            test every feature, in minutes
	          make && sudo insmod drivers/perf/sbi_pmu/sbi_pmu.ko      on a RISC-V machine
	EOF2
}

demo_xiangshan() {
	[ -e "$(artifact_dir qfix)" ] ||
		say "no packaged QEMU has XiangShan's counters: building one with a model of them, about 8 minutes, once"
	prepare_boot testing testing qfix q11 firmware
	say "booting a RISC-V machine with a model of XiangShan's counters; a few seconds"
	start_job demo_hpm
	follow demo_xiangshan "${job_pids[-1]}"
	cat <<-'EOF2'

	   Next:  make check CASES=hpm-v2r2-2026     count every event of this table
	          Documentation/admin-guide/perf/sbi-pmu-xiangshan.rst      on a XiangShan core
	          Documentation/admin-guide/perf/sbi-pmu-topdown.rst        what the bars mean
	EOF2
}

# shell [CASE]: a prompt in the machine of that case, by default the first of make check.
shell() {
	local case qemu kernel mode options cpu
	case=$(select_cases "${1:-quick-lcofi}")
	[ -n "$case" ] || die "no case '$1'; see 'make list'"
	IFS=$'\t' read -r _ _ qemu kernel mode _ options cpu _ <<<"$case"
	[ "$(option "$options" kvm 0)" = 0 ] ||
		die "the programs of '$1' run in a KVM guest, which has no prompt"
	# shellcheck disable=SC2046 # words
	prepare_boot "$kernel" $(artifacts_of "$case")
	say "booting; 'exit' or Ctrl-D powers the machine off"
	machine_command "$qemu" "$kernel" "$mode" "$options" "$cpu" quiet -serial mon:stdio
	"${machine[@]}"
}
