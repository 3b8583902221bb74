#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab-results.sh - the lab loses no result: whatever is missing, killed or wrong in a step or a
# boot is a failure, and a test that was skipped is listed with its reason.
. "$(dirname "$0")/steps.sh"
lab=$top/selftests/qemu
# shellcheck source=selftests/qemu/progress.sh
. "$lab/progress.sh"
# shellcheck source=selftests/qemu/privileges.sh
. "$lab/privileges.sh"
# shellcheck source=selftests/qemu/check.sh
. "$lab/check.sh"

# ---- result.awk ----

console="Linux version 7.2
Run /init as init process
lab: one"

# Programs "one two": four tests, one of which is skipped. The plan may be first or last.
ktap="KTAP version 1
1..2
  KTAP version 1
  1..2
  ok 1 one.first
  # note
  ok 2 one.second
# one took 3 s
ok 1 one
  KTAP version 1
  ok 1 two.first
  ok 2 two.second # SKIP no spare counter
  1..2
# two took 4 s
ok 2 two
# end of planted"

# gives COUNTS TEXT [EDIT [STATUS [CONSOLE]]]: after this edit of the KTAP, with this status of
# QEMU and this line at the end of the console, result.awk prints COUNTS, and TEXT if something
# failed.
gives() {
	local counts=$1 text=$2 result
	sed -e "${3:-}" <<<"$ktap" >"$dir/ktap"
	printf '%s\n' "$console" "${5:-}" >"$dir/console"
	result=$(awk -v programs="one two" -v status="${4:-0}" -f "$lab/result.awk" \
		"$dir/ktap" "$dir/console" 2>"$dir/skips")
	[ "${result%%$'\n'*}" = "$counts" ] && grep -qF -- "$text" <<<"$result" ||
		fails "result.awk: not '$counts', '$text' but:" "$result" "(edit: ${3:-}, status ${4:-0}, ${5:-})"
}

# skips TEXT: and that was skipped.
skips() { [ "$(cat "$dir/skips")" = "$1" ] || fails "skipped: not '$1' but:" "$(cat "$dir/skips")"; }

gives "3 0 1" ""
skips "no spare counter"$'\t'"two.second"

gives "2 1 1" "not ok 1 one.first" 's/ok 1 one.first/not &/'
gives "3 1 0" "not ok 2 two.second" 's/ok 2 two.second/not &/'
gives "3 1 1" "not ok 2 two" 's/^ok 2 two/not &/'
gives "2 1 1" "one: 1 of 2 tests reported" '/one.second/d'
gives "3 1 1" "one: 2 of 1 tests reported" '4s/1\.\.2/1..1/'
gives "3 1 1" "one: 2 of 3 tests reported" '4s/1\.\.2/1..3/'
gives "3 2 1" "one: no plan" '4d'
gives "3 2 1" "two: no plan" '13d'
gives "2 1 0" "1 of 2 programs reported" '10,15d'
gives "2 1 0" "1 of 2 programs reported" '10,15d; 2s/2/1/'
gives "3 1 1" "1 of 2 programs reported" '15d'
gives "3 1 1" "2 of 2 programs reported" '2d'
gives "3 1 1" "'# end of'" '$d'
gives "0 2 0" "0 of 2 programs reported" 'd'
gives "3 1 1" "QEMU ended with status 124: it hung" '' 124
gives "3 1 1" "QEMU ended with status 1" '' 1

while read -r line; do
	gives "3 1 1" "console: $line" '' 0 "$line"
done <<'END'
[    4.2] WARNING: CPU: 0 PID: 7 at kernel/events/core.c:1
[    4.2] BUG: workqueue lockup
[    4.2] sleeping function called from invalid context
[    4.2] KASAN: null-ptr-deref in range [0x0-0x7]
[    4.2] INFO: task perf:7 blocked for more than 120 seconds.
[    4.2] Oops [#1]
[    4.2] Kernel panic - not syncing: Attempted to kill init!
[    4.2] Call Trace:
[    4.2] unable to handle page fault
[    4.2] UBSAN: shift-out-of-bounds in counter.c
[    4.2] ODEBUG: free active timer
[    4.2] possible circular locking dependency detected
[    4.2] possible recursive locking detected
[    4.2] suspicious RCU usage
[    4.2] rcu: rcu_preempt self-detected stall on CPU
[    4.2] rcu: rcu_preempt detected stalls on CPUs/tasks:
[    4.2] watchdog: soft lockup - CPU#0 stuck for 22s!
[    4.2] watchdog: Watchdog detected hard LOCKUP on cpu 0
[    4.2] turning off the locking correctness validator.
[    4.2] unreferenced object 0xff600000 (size 64):
[    4.2] kmemleak: 1 new suspected memory leaks
[    4.2] kmemleak: Kernel memory leak detector disabled
[    4.2] lab: BUG: lockdep has turned itself off
END
gives "3 1 1" "  the trace" '' 0 "WARNING: one"$'\n'"the trace"

# A skip needs a reason, and does not hide a failure.
gives "3 0 1" "" 's/# SKIP .*/# SKIP/'
skips "no reason is given"$'\t'"two.second"
gives "2 0 1" "" '10,13c\  1..0 # SKIP no guest'
skips "no guest"$'\t'"two"
gives "3 1 0" "not ok 2 two.second # SKIP" 's/ok 2 two.second/not &/'
skips ""

# ---- check.sh ----

# start_planted: a run of its own for what follows.
start_planted() {
	run=$(mktemp -d "$dir/run.XXXXXX")
	: >"$run/results"
	: >"$run/skips"
}

# ends STATUS LINE...: print_results has these lines, the last one at its end, and this status.
ends() {
	local status=$1 got said
	shift
	said=$(print_results)
	got=$?
	[ $got = "$status" ] || fails "print_results: status $got, not $status:" "$said"
	for line; do
		grep -qxF -- "$line" <<<"$said" || fails "print_results: not '$line' but:" "$said"
	done
	[ "$(tail -n 1 <<<"$said")" = "$line" ] || fails "print_results: the last line is not '$line'"
}

# What run_jobs calls, without machines. The column cpu of a planted case selects what happens.
build_suite() { : >"$run/$1.log" && [ -z "$build_fails" ]; }
build_fails=
release_of() { echo 7.2; }
machine_command() { [ "$2" != bad ] || die "no such CPU"; machine=("$2"); }
run_machine() {
	case ${machine[0]} in
	killed) kill -KILL $BASHPID ;;
	# With the process that runs the queue.
	queue) kill -KILL 0 ;;
	esac
	echo "$ktap" >"$run/$1.ktap"
	echo "$console" >"$run/$1.console"
	: >"$run/$1.qemu"
	case ${machine[0]} in
	hangs) return 124 ;;
	silent) : >"$run/$1.ktap" ;;
	nothing) rm "$run/$1.ktap" ;;
	wrong) sed -i 's/ok 1 one.first/not &/' "$run/$1.ktap" ;;
	noisy) [ -e "$run/$1.first" ] || sed -i 's/ok 1 one.first/not &/; s/^ok 1 one/not &/' "$run/$1.ktap" ;;
	warns)
		sed -i 's/ok 1 one.first/not &/' "$run/$1.ktap"
		echo "WARNING: one" >>"$run/$1.console"
		;;
	esac
}

planted() { # NAME CPU [LOAD]
	printf '%s\tname\t%s\tq7\t1\ttesting\tshared\t0\t-\t-\t-\t0\t1\t1.9\t%s\tone two\n' \
		"$1" "${3:--}" "$2"
}

passes() { :; }
breaks() { echo broken; false; }
lacks() { echo "skipped: dtc is not installed"; exit 4; }
lacks_silently() { exit 4; }
lacks_part() { echo "skipped: no cache"$'\t'"test.cache"; }
# Kills the shell of the job, so that it cannot report.
progress_job() { job_pid=$BASHPID; }
dies() { kill -KILL "$job_pid"; }

# Everything reports, and one is skipped in each boot.
start_planted
run_jobs "first = passes" "$(planted a good; planted b good alone)" "late = passes" >"$dir/log"
ends 0 "2 skipped: no spare counter (a, b)" "9 passed, 0 failed, 2 skipped"
grep -qx ' *[0-9]*  b: two 4, one 3' <<<"$(print_times 2>&1)" ||
	fails "print_times:" "$(print_times 2>&1)"

# Steps that fail or are skipped.
start_planted
run_jobs "first = breaks
second = lacks
third = lacks_silently
fourth = lacks_part" "" "" >"$dir/log"
grep -qx broken "$dir/log" || fails "the output of a step that fails is not shown"
ends 1 "1 skipped: dtc is not installed (second)" "1 skipped: no reason is given (third)" \
	"1 skipped: no cache (fourth)" "FAILED  first" "1 passed, 1 failed, 3 skipped"

# A step that does not end: its processes do, and the next one runs.
endless() { sleep 1000 & echo $! >"$run/endless"; wait; }
start_planted
step_limit=1
run_jobs "first = endless
second = passes" "" "" >"$dir/log"
ends 1 "FAILED  first" "1 passed, 1 failed, 0 skipped"
grep -qx 'stopped: it took 1 s' "$dir/log" || fails "no reason is shown for a step that takes too long"
# What has ended has no command line any more.
! grep -q sleep "/proc/$(cat "$run/endless")/cmdline" 2>/dev/null ||
	fails "a step that took too long has left a process"
step_limit=100

# Jobs that end without a result.
start_planted
run_jobs "first = dies
second = passes" "$(planted a bad; planted b killed; planted c good)" "" >"$dir/log" 2>&1
ends 1 "FAILED  first: did not report" "FAILED  a: did not report" "FAILED  b: did not report" \
	"5 passed, 3 failed, 1 skipped"

# Boots with no results, and one that hangs.
start_planted
run_jobs "" "$(planted a silent; planted b nothing; planted c hangs)" "" >"$dir/log" 2>&1
grep -qE '^(a|b)	0	[1-9]' "$run/results" || fails "boots without results:" "$(cat "$run/results")"
grep -qE '^c	3	1	1	' "$run/results" || fails "a boot that hangs:" "$(cat "$run/results")"
[ "$(awk -F '\t' '$3' "$run/results" | wc -l)" = 3 ] || fails "not 3 boots failed"
grep -q 'it hung' "$dir/log" || fails "no reason is shown for a boot that hangs"
! print_results >"$dir/log" || fails "boots without results are no failure"

# Of which only tests failed are booted again: at most two, and once. A warning is a failure at once.
start_planted
run_jobs "" "$(planted a noisy; planted b wrong; planted c warns)" "" >"$dir/log" 2>&1
ends 1 "3 skipped: no spare counter (c, a, b)" "FAILED  b" "FAILED  c" \
	"AGAIN   a passed when it was booted again, alone; at first:" "  not ok 1 one.first" \
	"8 passed, 3 failed, 3 skipped"
[ ! -e "$run/c.first" ] || fails "a boot with a warning is booted again"
start_planted
run_jobs "" "$(planted a noisy)" "" >"$dir/log" 2>&1
ends 0 "AGAIN   a passed when it was booted again, alone; at first:" "4 passed, 0 failed, 1 skipped"
start_planted
run_jobs "" "$(planted a noisy; planted b noisy; planted c noisy)" "" >"$dir/log" 2>&1
ends 1 "FAILED  a" "FAILED  b" "FAILED  c" "7 passed, 6 failed, 3 skipped"

# Of boots that are never run each is a failure: the queue is killed, or nothing is built.
start_planted
run_jobs "" "$(planted a queue alone; planted b good alone)" "" >"$dir/log" 2>&1
ends 1 "FAILED  a: not run" "FAILED  b: not run" "1 passed, 2 failed, 0 skipped"
start_planted
build_fails=1
run_jobs "first = passes" "$(planted a good)" "late = passes" >"$dir/log" 2>&1
ends 1 "FAILED  build for 7.2" "FAILED  late: not run" "FAILED  a: not run" \
	"1 passed, 3 failed, 0 skipped"

# The file of results is empty, too short, or gone.
start_planted
jobs=0
ends 1 "FAILED  0 of 0 steps and boots reported" "0 passed, 1 failed, 0 skipped"
jobs=2
ends 1 "FAILED  0 of 2 steps and boots reported" "0 passed, 1 failed, 0 skipped"
record_result first 1 0 0 1
ends 1 "FAILED  1 of 2 steps and boots reported" "1 passed, 1 failed, 0 skipped"
record_result second 5 0 0 1
ends 0 "6 passed, 0 failed, 0 skipped"
rm "$run/results"
! print_results >"$dir/log" 2>&1 || fails "no file of results is no failure"
mkdir "$run/results"
! (record_result first 1 0 0 1) 2>"$dir/log" || fails "a result that cannot be written is no failure"

# ---- cases.tsv ----

# Every case has a value in every column, a name of its own, and programs that exist.
[ "$(column programs)" = 16 ] || fails "cases.tsv: no column programs"
all_cases | awk -F '\t' -v n="$(column programs)" '
	NF != n || /\t\t|\t$/ { print "cases.tsv: not " n " columns: " $1 }
	seen[$1]++ { print "cases.tsv: twice: " $1 }' >"$dir/log"
while read -r program; do
	[ -e "$top/selftests/guest/$program" ] || [ -e "$top/selftests/guest/$program.c" ] ||
		echo "cases.tsv: no program $program"
done >>"$dir/log" <<<"$(all_cases | values programs | tr ' ' '\n' | sort -u)"
! grep . "$dir/log" || failed=1
while read -r name values; do
	other=$(all_cases | values "$name" | sort -u | grep -vxE -e "$values")
	[ -z "$other" ] || fails "cases.tsv: $name is $other"
done <<'END'
tier check|all|debug|compare|name
load -|alone
qemu q7|q11|qfix
harts [1-8]
kernel stable|testing|debug
mode exclusive|shared
kvm 0|[1-8](,host)?
overflow -|lcofi|thead|andes|timer
insmod -|[a-z]+=.*
icount -|[0-9]+
stress [0-9]+
slow [1-9]
END
# Which case runs when: each is in one of these or is run by its name.
for tier in check all debug compare name; do all_cases | cases_with tier $tier; done | sort >"$dir/tiers"
all_cases | sort | cmp -s - "$dir/tiers" || fails "cases.tsv: a case is in no tier"
[ "$(select_cases all | wc -l)" = "$(all_cases | cases_with tier 'check|all' | wc -l)" ] ||
	fails "make check-all does not run all cases of its tiers"
[ "$(select_cases fw11 kvm | values name | tr '\n' ' ')" = "kvm fw11 " ] ||
	fails "make check CASES=... does not run the cases named"
exit $failed
