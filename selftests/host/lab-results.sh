#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab-results.sh - the lab loses no result of a boot: whatever is missing or wrong in it is a
# failure, and a test that was skipped is listed with its reason. And cases.tsv has no mistake.
. "$(dirname "$0")/steps.sh"
lab=$top/selftests/qemu
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
