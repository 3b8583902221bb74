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

# Programs "one two": four tests, one of which is skipped. The plan may be first or last.
ktap="KTAP version 1
1..2
  KTAP version 1
  1..2
  ok 1 one.first
  # note
  ok 2 one.second
ok 1 one
  KTAP version 1
  ok 1 two.first
  ok 2 two.second # SKIP no spare counter
  1..2
ok 2 two
# end of planted"

# gives COUNTS TEXT [EDIT [STATUS [CONSOLE]]]: after this edit of the KTAP, with this status of
# QEMU and this line at the end of the console, result.awk prints COUNTS, and TEXT if something
# failed.
gives() {
	local counts=$1 text=$2 result
	sed -e "${3:-}" <<<"$ktap" >"$dir/ktap"
	printf '%s\n' "Linux version 7.2" "Run /init as init process" "${5:-}" >"$dir/console"
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
gives "3 2 1" "two: no plan" '12d'
gives "2 1 0" "1 of 2 programs reported" '9,13d; 2s/2/1/'
gives "3 1 1" "2 of 2 programs reported" '2d'
gives "3 1 1" "'# end of'" '$d'
gives "0 2 0" "0 of 2 programs reported" 'd'
gives "3 1 1" "QEMU ended with status 124: it hung" '' 124
for line in "WARNING: CPU: 0 PID: 7 at kernel/events/core.c:1" "Kernel panic - not syncing" \
	"BUG: KASAN: null-ptr-deref in range" "possible circular locking dependency detected" \
	"kmemleak: 1 new suspected memory leaks" "rcu: rcu_preempt self-detected stall on CPU"; do
	gives "3 1 1" "console: [    4.2] $line" '' 0 "[    4.2] $line"
done
gives "3 1 1" "  the trace" '' 0 "WARNING: one"$'\n'"the trace"

# A skip needs a reason, and does not hide a failure.
gives "3 0 1" "" 's/# SKIP .*/# SKIP/'
skips "no reason is given"$'\t'"two.second"
gives "2 0 1" "" '9,12c\  1..0 # SKIP no guest'
skips "no guest"$'\t'"two"
gives "3 1 0" "not ok 2 two.second # SKIP" 's/ok 2 two.second/not &/'
skips ""

# ---- cases.tsv ----

# Every case has a value in every column, a name of its own, and programs that exist.
all_cases | awk -F '\t' -v n="$(column programs)" '
	NF != n || n != 9 || /\t\t|\t$/ { print "cases.tsv: not 9 columns: " $1 }
	seen[$1]++ { print "cases.tsv: twice: " $1 }' >"$dir/log"
while read -r program; do
	[ -e "$top/selftests/guest/$program" ] || [ -e "$top/selftests/guest/$program.c" ] ||
		echo "cases.tsv: no program $program"
done >>"$dir/log" <<<"$(all_cases | values programs | tr ' ' '\n' | sort -u)"
! grep . "$dir/log" || failed=1
while read -r name values; do
	other=$(all_cases | values "$name" | tr ' ' '\n' | sort -u | grep -vxE -e "$values")
	[ -z "$other" ] || fails "cases.tsv: $name is $other"
done <<'END'
tier check|all|debug|compare|name
qemu q7|q11|qfix
kernel stable|testing|debug
mode exclusive|shared
overflow -|lcofi|thead|andes|timer
options -|alone|harts=[2-8]|kvm=[1-8](,host)?|insmod=[a-z]+=.*|icount=[0-9]+|stress=[0-9]+|slow=[2-9]|opensbi=.*
END
[ "$(select_cases fw11 kvm | values name | tr '\n' ' ')" = "kvm fw11 " ] ||
	fails "make check CASES=... does not run the cases named"
exit $failed
