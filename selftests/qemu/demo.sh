# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# demo.sh - make run, make run-xiangshan, make picture, make shell.
#
# What is shown comes from scripts in the machines (guest/demo*), by a virtio port. Sourced by
# lab.sh.

# demo_boot NAME FLAVOUR CPU HARTS OPENSBI APPEND: boot a machine that shows /lab/NAME; what it
# shows goes to $run/NAME.shown.
demo_boot() {
	local name=$1 flavour=$2 status
	: >"$run/$name.shown"
	: >"$run/$name.console"
	machine_command "$flavour" "$3" "$4" testing "$5" "$6 lab_demo=$name" \
		-serial "file:$run/$name.console" \
		-chardev "file,id=out,path=$run/$name.shown" -device virtserialport,chardev=out
	run_machine "$name" 60 300
	status=$?
	# Packaged QEMU 7.2 hangs now and then before its kernel is up.
	if [ $status != 0 ] && [ ! -s "$run/$name.shown" ]; then
		run_machine "$name" 60 300
		status=$?
	fi
	now_done "$name"
	return $status
}

bold_titles() {
	if [ -t 1 ]; then
		sed -u '/^-- the end/d; s/^-- .*/\x1b[1;36m&\x1b[0m/; s/^\(   # \)\(.*\)/\1\x1b[1m\2\x1b[0m/; s/not supported/\x1b[33m&\x1b[0m/'
	else
		sed -u '/^-- the end/d; s/\x1b\[[0-9;]*m//g'
	fi
}

# follow NAME PID: show what a machine shows, until it has ended.
follow() {
	local name=$1
	tail -n +1 -s 0.2 --pid="$2" -f "$run/$name.shown" | bold_titles
	wait "$2" && grep -q '^-- the end' "$run/$name.shown" || {
		cat "$run/$name.qemu" "$run/$name.console"
		die "the machine did not get to the end; its console is above"
	}
}

# Instructions are the machine's clock, one a nanosecond: counts are what a program does, and
# not what this machine makes of it. (With more than one hart QEMU hangs in that mode.)
demo_prepare() { # ARTIFACT...
	icount_shift=0
	need_root
	start_run
	make_artifacts testing "$@" firmware
	enough_disk "a run" 1000
	now module building
	build_suite testing || exit
	now_done module
}

demo_boots() {
	demo_boot demo q7 rv64,sscofpmf=true 1 1.9 "SOLE ICOUNT" &
	exclusive_pid=$!
	demo_boot demo_shared q11 rv64,sscofpmf=true 1 1.9 "- ICOUNT" &
	shared_pid=$!
}

demo() {
	demo_prepare q7 q11
	say "booting two RISC-V machines (QEMU, OpenSBI 1.9, Linux $(release_of testing)); a few seconds"
	demo_boots
	while [ ! -s "$run/demo.shown" ] && kill -0 $exclusive_pid 2>/dev/null; do sleep 0.2; done
	progress_stop
	follow demo $exclusive_pid
	follow demo_shared $shared_pid
	cat <<-'EOF2'

	   Next:  make shell            the first machine again, with a prompt: perf is yours
	          make check            every feature tested, in minutes
	          make && sudo insmod drivers/perf/sbi_pmu/sbi_pmu.ko      on a RISC-V machine
	EOF2
}

# make picture: draw what make run has shown.
picture() {
	local file=$top/Documentation/images/make-run.svg
	demo_prepare q7 q11
	demo_boots
	follow demo $exclusive_pid >/dev/null
	follow demo_shared $shared_pid >/dev/null
	mkdir -p "${file%/*}"
	awk -f "$lab/picture.awk" "$run/demo.shown" "$run/demo_shared.shown" >"$run/picture" &&
		cp "$run/picture" "$file" && say "wrote $file"
}

demo_xiangshan() {
	local pid
	[ -e "$(artifact_dir qfix)" ] ||
		say "XiangShan's counters are in no packaged QEMU: one is built with a model of them, about 8 minutes, once"
	demo_prepare qfix q11
	say "booting a RISC-V machine with a model of XiangShan's counters; a few seconds"
	demo_boot demo_xiangshan qfix rv64,sscofpmf=true,smcntrpmf=true,xiangshan-hpm=v2r2-2026 1 \
		1.9+xiangshan-v2r2-2026-virt "SOLE" &
	pid=$!
	while [ ! -s "$run/demo_xiangshan.shown" ] && kill -0 $pid 2>/dev/null; do sleep 0.2; done
	progress_stop
	follow demo_xiangshan $pid
	cat <<-'EOF2'

	   Next:  make check CASES=twin-v2r2-2026     every name of this table, counted
	          Documentation/admin-guide/perf/sbi-pmu-xiangshan.rst      on a XiangShan core
	          Documentation/admin-guide/perf/sbi-pmu-topdown.rst        what the bars mean
	EOF2
}

shell() {
	demo_prepare q7 q11
	progress_stop
	say "booting; 'exit' or Ctrl-D powers the machine off"
	machine_command q7 rv64,sscofpmf=true 1 testing 1.9 "SOLE quiet lab_shell=1" -serial mon:stdio
	"${machine[@]}"
}
