# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# check.sh - the steps and boots of make check and make check-all, and their results.
#
# A step is a check without a boot; a boot runs one case of cases.tsv. Each is a job that
# appends a line to $run/results: its name, how many tests passed, failed and were skipped, and
# the seconds it took. For each test that was skipped $run/skips has the reason, the job and the
# test. Sourced by lab.sh.

record_result() { # NAME PASSED FAILED SKIPPED SECONDS
	printf '%s\t%d\t%d\t%d\t%d\n' "$@" >>"$run/results" || die "cannot write to $run"
}

# record_skips JOB: standard input has for each skipped test its reason, a tab, its name.
record_skips() {
	awk -F '\t' -v OFS='\t' -v job="$1" '{ print $1, job, $2 }' >>"$run/skips" ||
		die "cannot write to $run"
}

# Print standard input in one piece: jobs that print at the same time do not mix.
print_whole() { flock "$run/print.lock" cat; }

# run_queue COUNT: run each line of standard input, which is a step or a case, COUNT at the same
# time. Not in a pipeline: end_jobs needs the process IDs.
run_queue() {
	local line name pid first=${#job_pids[@]}
	while IFS= read -r line; do
		[ -n "$line" ] || continue
		wait_for_slot "$1"
		name=${line%%$'\t'*}
		echo "...     ${name%% = *}" | print_whole
		case $line in
		*$'\t'*) start_job boot_case "$line" ;;
		*) start_job step "$line" ;;
		esac
	done
	# The shell forgets some that have ended.
	for pid in "${job_pids[@]:$first}"; do wait "$pid" 2>/dev/null; done
}

# ---- steps ----

# step "NAME = COMMAND...": one check without a boot. Exit status 4 means skipped; each line
# "skipped: REASON" of its output is a skip. So is a failure for want of an artifact that the mirror
# cannot serve.
step() {
	local name=${1%% = *} start=$SECONDS seconds log outcome passed=0 failed=0
	log=$run/$(echo "$name" | tr -c 'a-zA-Z0-9\n' -).step
	# In a shell of its own, which the command may end.
	# shellcheck disable=SC2086 # words
	(${1#* = }) >"$log" 2>&1
	case $? in
	0) outcome=ok passed=1 ;;
	4) outcome=skipped ;;
	*)
		outcome=FAILED failed=1
		! grep -q '^skipped: the mirror cannot serve' "$log" || outcome=skipped failed=0
		;;
	esac
	seconds=$((SECONDS - start))
	sed -n 's/^skipped: //p' "$log" | sort -u >"$log.skips"
	[ $outcome != skipped ] || [ -s "$log.skips" ] || echo "no reason is given" >"$log.skips"
	{
		[ $outcome = ok ] || cat "$log"
		printf '%-7s %s (%d s)\n' $outcome "$name" $seconds
	} | print_whole
	record_skips "$name" <"$log.skips"
	record_result "$name" $passed $failed "$(wc -l <"$log.skips")" $seconds
}

# in_tree ROOT COMMAND...: run a command in the sources, in a build root, or with ROOT "here"
# on this machine as it is (make test).
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

# Build the host tests with a root's compiler, and run them outside of the root, since
# sanitizers need /proc.
host_tests() { # ROOT COMPILER STEPS
	local root=$1 compiler=$2 steps=$3 folder=$run/host-$2 libraries failed=0
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
	# A list that is a circle has been seen here.
	timeout --foreground 900 "${root[@]}" "$folder/selftests/host/out/test" "$steps" >"$folder/log" 2>&1 || failed=1
	grep -v '^ok' "$folder/log"
	sed -n 's/^ok [0-9]* \(.*\) # SKIP \(.*\)/skipped: \2\t\1/p' "$folder/log"
	grep -q '^1\.\.' "$folder/log" ||
		{ echo "no plan: the tests stopped, or took 900 s"; tail -n 1 "$folder/log"; failed=1; }
	return $failed
}

checkpatch() {
	in_root "$(artifact stable)/root" "$run/tree:/run/src:ro" \
		"$(artifact kerneltools)/scripts:/run/scripts:ro" -- \
		env CHECKPATCH=/run/scripts/checkpatch.pl /run/src/selftests/lint.sh checkpatch
}

# perf's build script reads the JSON files that are for perf.
perf_json() {
	local tools
	tools=$(artifact kerneltools)
	in_root "$tools/root" "$run/tree:/run/src:ro" \
		"$tools/tools/perf/pmu-events:/run/pmu-events:ro" -- \
		/run/src/selftests/host/jevents.sh /run/pmu-events
}

# The documents become HTML without a warning.
documents() {
	copy_tree "$run/documents"
	in_root "$(artifact consumers)/root" "$run/documents:/run/src" -- make -C /run/src htmldocs
}

# Build the module; a warning of the compiler or of sparse is a failure.
build_clean() { # SUITE
	local sparse=()
	[ "$1" != stable ] || sparse=(C=2 CHECK=/run/src/selftests/sparse.sh)
	build_suite "$1" W=1 "${sparse[@]}" || return 1
	! grep -niE '(warning|error):' "$run/$1.log"
}

# The module compiles without a warning by clang. Debian's headers are for gcc: in a copy of them
# the configuration is the one that clang would have got, as far as the module's build reads it.
build_by_clang() {
	local folder=$run/clang root kdir shared
	kernel_of stable
	copy_tree "$folder/src"
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$root" "${shared[@]}" "$folder:/run/clang" -- sh -ec '
		cd /run/clang
		cp -r "$1" kernel
		cd kernel
		rm -r .kernelvariables scripts tools
		ln -s /usr/lib/linux-kbuild-*/scripts /usr/lib/linux-kbuild-*/tools .
		version=$(clang -dumpversion | awk -F . "{ print \$1 * 10000 + \$2 * 100 + \$3 }")
		name=$(clang --version | head -n 1)
		sed -i -e "s/^CONFIG_CC_IS_GCC=/CONFIG_CC_IS_CLANG=/" -e "s/^CONFIG_AS_IS_GNU=/CONFIG_AS_IS_LLVM=/" \
			-e "s/^CONFIG_GCC_VERSION=.*/CONFIG_GCC_VERSION=0/" \
			-e "s/^CONFIG_CLANG_VERSION=.*/CONFIG_CLANG_VERSION=$version/" \
			-e "s/^CONFIG_CC_VERSION_TEXT=.*/CONFIG_CC_VERSION_TEXT=$name/" \
			-e "s/-Wimplicit-fallthrough=5/-Wimplicit-fallthrough/" \
			-e "/^CONFIG_STACKPROTECTOR_PER_TASK=/d" include/config/auto.conf
		sed -i -e "s/CONFIG_CC_IS_GCC /CONFIG_CC_IS_CLANG /" \
			-e "/CONFIG_STACKPROTECTOR_PER_TASK /d" include/generated/autoconf.h
		# What a kernel without that exports
		printf "0x00000000\t__stack_chk_guard\tvmlinux\tEXPORT_SYMBOL\t\n" >>Module.symvers
		make -C ../src ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- CC=clang W=1 \
			KDIR=/run/clang/kernel modules
	' sh "$kdir" >"$folder.log" 2>&1 && ! grep -niE 'warning|error:' "$folder.log" || {
		cat "$folder.log"
		return 1
	}
}

# The driver becomes part of a kernel: as a module, with the symbols that the kernel exports, and
# built in.
kernel_patch() {
	local folder=$run/linux tools
	tools=$(artifact linux)
	mkdir "$folder" && tar -C "$folder" -xf "$tools/linux.tar" &&
		"$run/tree/tools/kernel-patch.sh" "$folder" "$folder/sbi_pmu.patch" &&
		run_program linux patch -s -p1 -d "$folder" <"$folder/sbi_pmu.patch" || return
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$(artifact testing)/root" "$folder:/run/linux" "$tools:/run/tools:ro" -- sh -ec '
		# The root has no bc.
		export PATH="/run/tools:$PATH" LD_LIBRARY_PATH=/run/tools/lib
		cd /run/linux
		make="make -s ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-"
		cp .config plain
		for kind in m y; do
			{ cat plain && echo CONFIG_SBI_PMU=$kind; } >.config
			$make olddefconfig
			grep -x CONFIG_SBI_PMU=$kind .config
			$make vmlinux modules
		done
		grep " sbi_pmu_init$" System.map
		[ -e drivers/perf/sbi_pmu/sbi_pmu.ko ]
	' >"$folder.log" 2>&1 && ! grep -niE '(warning|error):' "$folder.log" || {
		cat "$folder.log"
		return 1
	}
}

# ---- cases ----

all_cases() { grep -v '^#' "$lab/cases.tsv"; }

# column NAME: the number of that column of cases.tsv, whose head explains them.
column() { sed -n 's/^# \(name\t.*\)/\1/p' "$lab/cases.tsv" | tr '\t' '\n' | grep -nxF "$1" | cut -d : -f 1; }

# values COLUMN: of the cases on standard input.
values() { cut -f "$(column "$1")"; }

# cases_with COLUMN EXPRESSION: those cases on standard input whose whole value matches.
cases_with() {
	awk -F '\t' -v n="$(column "$1")" -v expression="^($2)\$" 'NF && $n ~ expression'
}

# select_cases TIER|NAME... Tier all has the cases of tier check, too.
select_cases() {
	[ "$*" != all ] || set -- check all
	all_cases | awk -F '\t' -v words=" $* " 'index(words, " " $1 " ") || index(words, " " $2 " ")'
}

# The artifacts that cases need; those that take longest to make come first.
artifacts_of() { # CASES
	local name needed
	needed=$(
		# q11 has dtc.
		printf '%s\n' firmware q11
		values qemu <<<"$1"
		values kernel <<<"$1"
		[ -z "$(kvm_cases <<<"$1")" ] || echo kvm
		[ -z "$(perf_cases <<<"$1")" ] || echo perftest
		[ -z "$(acpi_cases <<<"$1")" ] || echo efi
	)
	for name in qfix perftest stable testing q7 q11 firmware efi kvm unstable vendor rt next debug; do
		! grep -qxF $name <<<"$needed" || echo $name
	done
}

# Of the cases on standard input: those in a KVM guest, with perf's tests, with ACPI, and those that boot alone.
kvm_cases() { cases_with options '(.* )?kvm=.*'; }
perf_cases() { cases_with options '(.* )?perf=.*'; }
acpi_cases() { cases_with options '(.* )?acpi( .*)?'; }
alone_cases() { cases_with options '(.* )?alone( .*)?'; }

# available_cases CASES: print those that can be booted. The others are skipped, since the mirror
# cannot serve an artifact; if that is all of them, it is a failure.
available_cases() {
	local case name kernels=0
	while IFS= read -r case; do
		for name in $(artifacts_of "$case"); do
			[ -e "$(artifact "$name" 2>"$run/why")" ] && continue
			sed 's/^skipped: //; s/$/\ta boot/' "$run/why" | record_skips "${case%%$'\t'*}"
			record_result "${case%%$'\t'*}" 0 0 1 0
			continue 2
		done
		echo "$case"
		kernels=1
	done <<<"$1"
	[ $kernels = 1 ] || record_result "no kernel can be had" 0 1 0 0
}

# ---- boots ----

# What TESTS names, "program program.test,...", with commas.
tests_wanted() { tr -s ' ,' ',' <<<"${TESTS:-}" | sed 's/^,//; s/,$//'; }

# The programs of these, once each.
programs_wanted() { tests_wanted | tr , '\n' | sed 's/\..*//' | awk '!seen[$0]++' | paste -sd ' '; }

# boot_case CASE: boot a machine for one case and record its result. APPEND in the environment
# has more kernel arguments, and TESTS the only tests to run; init.sh loads the module for them, if
# the case begins with that or has it before the first of their programs.
boot_case() {
	local name qemu kernel mode overflow options cpu programs
	local start=$SECONDS stress slow only='' wanted append status result seconds
	IFS=$'\t' read -r name _ qemu kernel mode overflow options cpu programs <<<"$1"
	stress=$(option "$options" stress 0)
	slow=$(option "$options" slow 1)
	if [ -n "${TESTS:-}" ]; then
		only=" LAB_TESTS=$(tests_wanted)"
		wanted=$(programs_wanted)
		[[ $programs\  != load\ * && " $programs " != *" load "*" ${wanted%% *} "* ]] || only+=" lab_load=1"
		programs=$wanted
	fi
	append="earlycon panic_on_warn=1 panic=-1 hibernate.pm_test_delay=0 lab_run=${programs// /,} lab_case=$name"
	append+=" lab_limit=$((400 * slow + stress)) lab_suite=$kernel$only"
	[ "$overflow" = - ] || append+=" LAB_OVERFLOW=$overflow"
	[[ $options != *icount=* ]] || append+=" LAB_ICOUNT=$(option "$options" icount "")"
	[[ $options != *rounds=* ]] || append+=" LAB_ROUNDS=$(option "$options" rounds "")"
	[ "$stress" = 0 ] || append+=" LAB_STRESS_SECONDS=$stress"
	[[ $cpu != *vendor-pmu=*-* ]] || append+=" LAB_FAULT=${cpu##*-}"
	machine_command "$qemu" "$kernel" "$mode" "$options" "$cpu" "$append ${APPEND:-}" \
		-serial "file:$run/$name.console" \
		-chardev "file,id=ktap,path=$run/$name.ktap" \
		-device virtserialport,chardev=ktap
	run_machine "$name" $((120 * slow)) $((${CASE_TIMEOUT:-900} * slow + stress)) ktap
	status=$?
	seconds=$((SECONDS - start))
	result=$(awk -v programs="$programs" -v status=$status -f "$lab/result.awk" \
		"$run/$name.ktap" "$run/$name.console" 2>"$run/$name.skips")
	if [ -z "$result" ]; then
		# The disk is full, for example.
		result="0 1 0"$'\n'"no result: $(tail -n 1 "$run/$name.skips")"
		: >"$run/$name.skips"
	fi
	print_boot | print_whole
	record_skips "$name" <"$run/$name.skips"
	# shellcheck disable=SC2086 # three numbers
	record_result "$name" ${result%%$'\n'*} "$seconds"
	[[ $options = *icount=* ]] || [ -e "$run/$name.failed" ] || ! only_tests_failed "$result" ||
		tail -n +2 <<<"$result" >"$run/$name.failed"
}

# only_tests_failed RESULT: results are complete, and the kernel and QEMU reported nothing.
only_tests_failed() {
	[ "$1" != "${1%%$'\n'*}" ] && ! tail -n +2 <<<"$1" | grep -qvE '^ *not ok [0-9]+ [^ :]+$'
}

# boot_again CASES: boot those once more, and alone, of which only tests failed. QEMU counts what
# a busy host takes away from it, and by that a measurement may come out wrong; but a wrong driver
# is wrong again. More than two such cases are not noise, nor is one whose clock is instructions.
boot_again() {
	local again names
	names=$(cd "$run" && ls -- *.failed 2>/dev/null | sed 's/\.failed$//')
	[ -n "$names" ] && [ "$(wc -l <<<"$names")" -le 2 ] || return 0
	again=$(cases_with name "$(paste -sd '|' <<<"$names")" <<<"$1")
	say "booted again, alone, as only tests failed:" $names
	run_queue 1 <<<"$again"
}

# The variables are boot_case's. What failed comes last: of a long log only the end may be kept.
print_boot() {
	if [ "$result" = "${result%%$'\n'*}" ]; then
		echo "ok      $name (${result%% *} tests, ${result##* } skipped, $seconds s)"
	else
		echo "---- $name: console"
		cat "$run/$name.qemu" "$run/$name.console"
		echo "---- $name: results"
		cat "$run/$name.ktap"
		echo "---- $name: what failed"
		echo "${result#*$'\n'}"
		! grep -q '__sbi_rfence_v02_call.*failed' "$run/$name.console" ||
			echo "  OpenSBI refused remote fences while a CPU went offline: see qemu-lab.rst"
		echo "FAILED  $name ($seconds s)"
	fi
}

# ---- a run ----

# Where the time went.
print_times() {
	echo "Seconds of the ten longest steps and boots:"
	sort -t $'\t' -k 5,5nr "$run/results" | head -n 10 | awk -F '\t' '{ printf "%6d  %s\n", $5, $1 }'
}

# For each reason how many tests were skipped, and in which jobs.
print_skips() {
	awk -F '\t' '
		again[$0]++ { next }
		!tests[$1]++ { reason[++reasons] = $1 }
		!seen[$1, $2]++ { jobs[$1] = jobs[$1] (jobs[$1] == "" ? "" : ", ") $2 }
		END {
			for (i = 1; i <= reasons; i++)
				printf "%d skipped: %s (%s)\n", tests[reason[i]], reason[i], jobs[reason[i]]
		}' "$run/skips"
}

# The last lines of a run: of a long log only the end may be kept. A case that was booted again has
# two results, of which the last one counts.
print_results() {
	print_skips
	[ ! -e "$run/unavailable" ] || awk -F '\t' '{ print "MISSING " $2 }' "$run/unavailable"
	awk -F '\t' -v jobs="$jobs" -v run="$run" '
		!($1 in line) { name[++n] = $1 }
		$1 in line && !$3 {
			print "AGAIN   " $1 " passed when it was booted again, alone; at first:"
			system("cat " run "/" $1 ".failed")
		}
		{ line[$1] = $0 }
		END {
			for (i = 1; i <= n; i++) {
				$0 = line[name[i]]
				if ($3)
					print "FAILED  " $1
				passed += $2; failed += $3; skipped += $4
			}
			if (!jobs || n < jobs)
				printf "FAILED  %d of %d steps and boots reported\n", n, jobs
			failed += !jobs || n < jobs
			printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
			exit failed != 0
		}' "$run/results"
}

# Steps and boots that must report. In a variable, as the disk may be full.
jobs=0

# run_jobs STEPS CASES LATE-STEPS: run all of these, the late steps after the builds, before the
# cases. A job that has not reported has failed.
run_jobs() {
	local steps=$1 cases=$2 late=$3 builds='' suite planned name
	planned=$(values name <<<"$cases")
	[ -z "$cases" ] || cases=$(available_cases "$cases")
	for suite in $(values kernel <<<"$cases" | sort -u); do
		builds+="build for $(release_of "$suite") = build_clean $suite"$'\n'
	done
	steps=$builds$steps
	planned=$(printf '%s\n' "$steps" "$late" "$planned" | sed 's/ = .*//; /^$/d')
	jobs=$(wc -l <<<"$planned")
	run_queue 2 <<<"$steps"
	if awk -F '\t' '$3 && /^build/ { bad = 1 } END { exit !bad }' "$run/results"; then
		say "nothing is booted, as the module does not build"
		cases=
		late=
	fi
	for suite in $(kvm_cases <<<"$cases" | values kernel | sort -u); do
		host_initrd "$suite"
	done
	run_queue 2 <<<"$late"$'\n'"$(grep -vxF "$(alone_cases <<<"$cases")" <<<"$cases")"
	run_queue 1 <<<"$(alone_cases <<<"$cases")"
	boot_again "$cases"
	while read -r name; do
		cut -f 1 "$run/results" | grep -qxF -- "$name" || record_result "$name: not run" 0 1 0 0
	done <<<"$planned"
}

# What needs a compiler and no machine: make test. CXX-ROOT has a compiler of C++.
test_steps() { # ROOT STEPS [CXX-ROOT]
	cat <<-EOF2
	host tests (gcc) = host_tests $1 gcc $2
	lint = in_tree $1 selftests/lint.sh
	lint finds planted breaches = in_tree $1 selftests/lint.sh self-test
	shellcheck = in_tree $1 selftests/lint.sh shellcheck
	lab counts its results, and runs all programs = in_tree $1 selftests/host/lab-results.sh
	event tables = in_tree $1 selftests/host/events.sh
	versions, make install and uninstall = in_tree $1 selftests/host/install.sh
	release check finds planted faults = in_tree here selftests/host/release.sh
	generated files = in_tree $1 selftests/host/generated.sh
	device trees against tables of cores = in_tree $1 selftests/host/map.sh
	device trees = in_tree $1 selftests/host/dts.sh
	sbi-pmu-report in shared mode = in_tree $1 selftests/host/report.sh
	patch for a kernel = in_tree $1 selftests/host/kernel-patch.sh
	examples = in_tree ${3:-$1} selftests/host/examples.sh
	EOF2
}

# What make check-all runs without a machine in addition.
more_steps() {
	cat <<-EOF2
	host tests (clang) = host_tests stable clang 2000000
	build by clang = build_by_clang
	checkpatch = checkpatch
	clang-format = in_tree stable selftests/lint.sh format
	perf JSON = perf_json
	documents = documents
	EOF2
}

# After the builds, and beside the boots: they boot machines of their own.
late_steps() {
	cat <<-EOF2
	packages = packages
	make run = demo_works
	make run-xiangshan = demo_xiangshan_works
	EOF2
}

# What make check-debug runs without a machine: it takes long, and hardly depends on a change.
debug_steps() {
	cat <<-EOF2
	make kernel-patch = kernel_patch
	patches for other projects = upstream
	EOF2
}

run_test() {
	command -v gcc >/dev/null ||
		die "make test needs a compiler (Debian: apt install gcc libc6-dev)"
	start_run
	run_jobs "$(test_steps here 1000000)" "" ""
	print_results
}

# What make check-all needs, each name once.
all_artifacts() {
	{
		printf '%s\n' stable qfix testing packaging kerneltools consumers
		artifacts_of "$(select_cases all)"
	} | awk '!seen[$0]++'
}

# run_check TIER|packages|CASE...
run_check() {
	local cases steps='' late='' name artifacts
	for name; do
		[ "$name" = packages ] || [ -n "$(select_cases "$name")" ] || die "no case '$name'; see 'make list'"
	done
	if [ -n "${TESTS:-}" ]; then
		[ -n "$(all_cases | cases_with name "$1")" ] || die "TESTS needs the names of cases: CASES=..."
		for name in $(programs_wanted); do
			[ -e "$top/selftests/guest/$name" ] || [ -e "$top/selftests/guest/$name.c" ] ||
				die "no program '$name' in selftests/guest (from TESTS)"
		done
	fi
	cases=$(select_cases "$@")
	artifacts=$(artifacts_of "$cases")
	case $1 in
	check)
		steps=$(test_steps testing 2000000)
		artifacts+=$'\n'testing
		;;
	all)
		steps=$(more_steps && test_steps testing 2000000 packaging)
		late=$(late_steps)
		artifacts=$(all_artifacts)
		;;
	release | packages)
		late='packages = packages all'
		artifacts+=' testing packaging'
		;;
	debug)
		steps=$(debug_steps)
		artifacts+=" $upstream_artifacts"
		;;
	esac
	need_root
	start_run
	# shellcheck disable=SC2086 # words
	make_artifacts 3000 $artifacts
	run_jobs "$steps" "$cases" "$late"
	[ "$1" != all ] || print_times
	print_results
}
