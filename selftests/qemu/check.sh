# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# check.sh - the steps and boots of make check and make check-all, and what came of them.
#
# Each step or boot is a job that appends a line to $run/results: its name, how many tests
# passed, failed and were skipped, and the seconds it took. Sourced by lab.sh.

record_result() { # NAME PASSED FAILED SKIPPED SECONDS
	printf '%s\t%d\t%d\t%d\t%d\n' "$@" >>"$run/results" || die "cannot write to $run"
}

# ---- two at a time ----

# run_queue COUNT COMMAND: COMMAND gets each line of standard input as its argument; as many
# lines at once as COUNT says. Not in a pipeline: end_jobs needs the process IDs.
run_queue() {
	local count=$1 command=$2 first=${#job_pids[@]}
	cat >"$run/queue"
	while [ $((count -= 1)) -ge 0 ]; do start_job run_queued "$command"; done
	wait "${job_pids[@]:$first}"
}

# What ends a job early does not end the queue.
run_queued() { # COMMAND
	local line name
	while next_line; do
		("$1" "$line") && continue
		name=${line%%$'\t'*}
		record_result "${name%% = *}: did not report" 0 1 0 0
	done
}

next_line() {
	{
		flock 5
		read -r line <"$run/queue" && sed -i 1d "$run/queue"
	} 5>"$run/queue.lock"
}

# ---- steps ----

# NAME = COMMAND...: one check without a boot.
step() {
	local name=${1%% = *} start=$SECONDS seconds id
	id=$(echo "$name" | tr -c 'a-zA-Z0-9\n' -)
	progress_job "$id" running
	# shellcheck disable=SC2086 # words
	(${1#* = }) >"$run/$id.step" 2>&1
	case $? in
	0) outcome="ok     " ;;
	4) outcome="skipped" ;;
	*) outcome="FAILED " ;;
	esac
	seconds=$((SECONDS - start))
	progress_job_end "$id"
	{
		[ "$outcome" = "ok     " ] || cat "$run/$id.step"
		echo "$outcome $name ($seconds s)"
	} | print_whole
	case $outcome in
	ok*) record_result "$name" 1 0 0 $seconds ;;
	skipped) record_result "$name" 0 0 1 $seconds ;;
	*) record_result "$name" 0 1 0 $seconds ;;
	esac
}

# in_tree ROOT COMMAND...: a command in the sources: in a build root, or for make test on this
# machine as it is.
in_tree() {
	local root=$1
	shift
	if [ "$root" = here ]; then
		(cd "$run/tree" && "$@")
	else
		# shellcheck disable=SC2016 # for the inner shell
		in_root "$(artifact "$root")/root" "$run/tree:/run/src:ro" -- \
			sh -c 'cd /run/src && exec "$@"' sh "$@"
	fi
}

# The logic, in seconds, before anything is emulated: built by a root's compiler for 64 and
# for 32 bits, and run here, since sanitizers want /proc.
host_tests() { # ROOT COMPILER STEPS
	local root=$1 compiler=$2 steps=$3 folder=$run/host-$2 libraries bits pids=() failed=0
	local build=(make -j 2 OUT=out CC="$compiler" programs)
	copy_tree "$folder"
	if [ "$root" = here ]; then
		"${build[@]}" -C "$folder/selftests/host" || return
		root=()
	else
		in_root "$(artifact "$root")/root" "$folder:/run/src" -- "${build[@]}" \
			-C /run/src/selftests/host || return
		libraries=$(artifact "$root")/root/usr/lib/x86_64-linux-gnu
		root=("$libraries/ld-linux-x86-64.so.2" --inhibit-cache --library-path "$libraries")
	fi
	for bits in 64 32; do
		"${root[@]}" "$folder/selftests/host/out/test$bits" "$steps" >"$folder/$bits.log" 2>&1 &
		pids+=($!)
	done
	for bits in 64 32; do
		wait "${pids[0]}" || failed=1
		pids=("${pids[@]:1}")
		grep -v '^ok' "$folder/$bits.log"
		grep -q '^1\.\.' "$folder/$bits.log" || { echo "test$bits: no plan"; failed=1; }
	done
	return $failed
}

# Enough of the lines run by a test.
host_coverage() {
	local copy=$run/coverage
	copy_tree "$copy"
	in_root "$(artifact stable)/root" "$copy:/run/src" -- make -C /run/src/selftests/host coverage OUT=out
}

checkpatch() {
	in_root "$(artifact stable)/root" "$run/tree:/run/src:ro" \
		"$(artifact kerneltools)/scripts:/run/scripts:ro" -- \
		env CHECKPATCH=/run/scripts/checkpatch.pl /run/src/selftests/lint.sh checkpatch
}

# perf's own reader on the JSON that is for perf.
perf_json() {
	local tools
	tools=$(artifact kerneltools)
	in_root "$tools/root" "$run/tree:/run/src:ro" \
		"$tools/tools/perf/pmu-events:/run/pmu-events:ro" -- \
		/run/src/selftests/host/jevents.sh /run/pmu-events
}

# A module that builds with any word from the compiler or sparse has failed.
build_clean() { # SUITE
	local sparse=()
	[ "$1" != stable ] || sparse=(C=2 CHECK=/run/src/selftests/sparse.sh)
	build_suite "$1" W=1 "${sparse[@]}" || return 1
	! grep -niE '(warning|error):' "$run/$1.log"
}

# ---- boots ----

# Columns: name tier load qemu cpu harts kernel opensbi append run
rows() { grep -v '^#' "$lab/cases.tsv"; }

rows_of() { # check|all|name|CASE...
	rows | awk -F '\t' -v names=" $* " '
		names == " check " { if ($2 == "check") print; next }
		names == " all " { if ($2 != "name") print; next }
		index(names, " " $1 " ")'
}

# boot_case ROW: boot and judge one case.
boot_case() {
	local name tier load qemu cpu harts suite opensbi append programs
	local start=$SECONDS status verdict slow=1 long=0 overflow=timer model= seconds
	IFS=$'\t' read -r name tier load qemu cpu harts suite opensbi append programs <<<"$1"
	# The checkers of the debug kernel check every load and store.
	[ "$suite" != debug ] || slow=4
	case $qemu,$cpu,$append in
	*,*ssaia=true*,*KVM=*) overflow=lcofi ;;
	*,*KVM=*) ;;
	q7,*sscofpmf=true*,SOLE* | qfix,*sscofpmf=true*,SOLE*) overflow=lcofi ;;
	esac
	case $cpu in *xiangshan-hpm=*) model=" LAB_HPM_MODEL=1" ;; esac
	case $append in *LAB_STRESS_SECONDS=*) long=${append##*LAB_STRESS_SECONDS=} ;; esac
	progress_job "$name" starting
	machine_command "$qemu" "$cpu" "$harts" "$suite" "$opensbi" \
		"$append earlycon panic_on_warn=1 panic=-1 lab_run=${programs// /,} lab_case=$name lab_limit=$((400 * slow + long)) lab_suite=$suite LAB_OVERFLOW=$overflow$model" \
		-serial "file:$run/$name.console" \
		-chardev "file,id=ktap,path=$run/$name.ktap" \
		-device virtserialport,chardev=ktap
	run_machine "$name" $((120 * slow)) $((${CASE_TIMEOUT:-900} * slow + long)) ktap
	status=$?
	seconds=$((SECONDS - start))
	verdict=$(awk -v programs="$programs" -v status=$status -f "$lab/verdict.awk" \
		"$run/$name.ktap" "$run/$name.console" 2>"$run/$name.skips")
	# A disk that is full, for one.
	[ -n "$verdict" ] || verdict="0 1 0"$'\n'"no verdict: $(tail -n 1 "$run/$name.skips")"
	{
		if [ "$verdict" = "${verdict%%$'\n'*}" ]; then
			cat "$run/$name.skips"
			echo "ok      $name (${verdict%% *} tests, $seconds s)"
		else
			echo "---- $name: console"
			cat "$run/$name.qemu" "$run/$name.console"
			echo "---- $name: results"
			cat "$run/$name.ktap"
			echo "---- $name: verdict"
			echo "${verdict#*$'\n'}"
			echo "FAILED  $name ($seconds s)"
		fi
	} | print_whole
	sed -n "s/^ *# \([a-z_]*\) took \([0-9]*\) s$/$name\t\1\t\2/p" "$run/$name.ktap" >>"$run/programs"
	# shellcheck disable=SC2086 # three numbers
	record_result "$name" ${verdict%%$'\n'*} "$seconds"
}

# ---- all of it ----

# Where the time went, longest first.
print_times() {
	echo "Where the time went: seconds, step or boot (boots: the programs that took longest)"
	sort -t $'\t' -k 5,5nr "$run/results" | while IFS=$'\t' read -r name _ _ _ seconds; do
		printf '%6d  %s' "$seconds" "$name"
		awk -F '\t' -v name="$name" '$1 == name { print $3, $2 }' "$run/programs" 2>/dev/null |
			sort -nr | awk 'NR <= 5 && $1 > 1 { printf("%s %s %s", (NR > 1 ? "," : ":"), $2, $1) }'
		echo
	done
}

# The last lines of a run: of a long log only the end may be kept.
print_results() {
	awk -F '\t' -v jobs="$jobs" '
		$3 { print "FAILED  " $1 }
		{ passed += $2; failed += $3; skipped += $4 }
		END {
			if (!jobs || NR < jobs)
				printf "FAILED  %d of %d steps and boots reported\n", NR, jobs
			failed += !jobs || NR < jobs
			printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
			exit failed != 0
		}' "$run/results"
}

# Steps and boots that must report. In a variable, as a disk may be full.
jobs=0

# run_jobs STEPS SUITES ROWS LATE-STEPS: all of these, the late steps after the builds.
run_jobs() {
	local steps=$1 suites=$2 boots=$3 late=$4 suite planned name
	for suite in $suites; do
		steps+=${steps:+$'\n'}"build for $(release_of "$suite") = build_clean $suite"
	done
	planned=$(printf '%s\n' "$steps" "$late" "$(cut -f 1 <<<"$boots")" | sed 's/ = .*//; /^$/d')
	jobs=$(wc -l <<<"$planned")
	progress_total "$jobs" "$run/results"
	run_queue 2 step < <(grep . <<<"$steps")
	if awk -F '\t' '$3 && /^build/ { bad = 1 } END { exit !bad }' "$run/results"; then
		say "nothing is booted, as the module does not build"
		boots=
		late=
	fi
	for suite in $(grep 'KVM=' <<<"$boots" | cut -f 7 | sort -u); do host_initrd "$suite"; done
	run_queue 2 step < <(grep . <<<"$late")
	run_queue 2 boot_case < <(awk -F '\t' 'NF && $3 != "alone"' <<<"$boots")
	run_queue 1 boot_case < <(awk -F '\t' 'NF && $3 == "alone"' <<<"$boots")
	while read -r name; do
		cut -f 1 "$run/results" | sed 's/: did not report$//' | grep -qxF -- "$name" ||
			record_result "$name: not run" 0 1 0 0
	done <<<"$planned"
}

# What needs a compiler and no machine: make test.
test_steps() { # ROOT STEPS
	cat <<-EOF2
	host tests (gcc) = host_tests $1 gcc $2
	lint = in_tree $1 selftests/lint.sh
	lint finds planted breaches = in_tree $1 selftests/lint.sh self-test
	shellcheck = in_tree $1 selftests/lint.sh shellcheck
	make refuses what cannot work = in_tree $1 selftests/qemu/refusals.sh
	setup errors are explained = in_tree $1 selftests/host/causes.sh
	event tables = in_tree $1 selftests/host/events.sh
	generated files = in_tree $1 selftests/host/generated.sh
	device trees = in_tree $1 selftests/host/dts.sh
	EOF2
}

# What else make check-all does without a machine.
more_steps() {
	cat <<-EOF2
	host tests (clang) = host_tests stable clang 10000000
	host tests' coverage = host_coverage
	checkpatch = checkpatch
	perf JSON = perf_json
	EOF2
}

# After the builds: what make run and make run-xiangshan show is all there.
late_steps() {
	cat <<-EOF2
	make run = demo_works
	make run-xiangshan = demo_xiangshan_works
	EOF2
}

# The artifacts that rows need; those that take longest to make come first.
artifacts_of() { # ROWS
	local boots=$1 suite
	case $boots in *$'\tqfix\t'*) echo qfix ;; esac
	case $boots in *$'\tstable\t'*) echo stable ;; esac
	echo testing
	for suite in q7 q11; do
		case $boots in *$'\t'$suite$'\t'*) echo $suite ;; esac
	done
	# For the programs that make device trees.
	case $boots in *$'\tq11\t'*) ;; *) echo q11 ;; esac
	echo firmware
	case $boots in *KVM=*) echo kvm ;; esac
	case $boots in *$'\tdebug\t'*) echo debug ;; esac
}

suites_of() { cut -f 7 <<<"$1" | sort -u | xargs; }

run_test() {
	command -v gcc >/dev/null ||
		die "make test needs a compiler (Debian: apt install gcc libc6-dev)"
	start_run
	run_jobs "$(test_steps here 1000000)" "" "" ""
	print_results
}

# All that make check-all needs, each name once.
all_artifacts() {
	{
		printf '%s\n' qfix stable kerneltools
		artifacts_of "$(rows_of all)"
	} | awk '!seen[$0]++'
}

# run_check check|all|CASE...
run_check() {
	local boots steps='' late='' name artifacts
	for name; do
		[ "$name" = check ] || [ "$name" = all ] || [ -n "$(rows_of "$name")" ] ||
			die "no case '$name'; see 'make list'"
	done
	boots=$(rows_of "$@")
	artifacts=$(artifacts_of "$boots")
	case $1 in
	check) steps=$(test_steps testing 2000000) ;;
	all)
		steps=$(more_steps && test_steps testing 10000000)
		late=$(late_steps)
		artifacts=$(all_artifacts)
		;;
	esac
	need_root
	start_run
	# shellcheck disable=SC2086 # words
	make_artifacts 3000 $artifacts
	run_jobs "$steps" "$(suites_of "$boots")" "$boots" "$late"
	progress_stop
	[ "$1" != all ] || print_times
	print_results
}

# The boots of the debug kernel, but not its half hour of load: make check CASES=soak-debug.
run_check_debug() {
	# shellcheck disable=SC2046 # words
	run_check $(rows | awk -F '\t' '$7 == "debug" && $10 != "load stress" { print $1 }')
}
