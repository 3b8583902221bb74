#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab-results.sh - the lab counts a result that is missing as a failure; cases.tsv has no mistake.
. "$(dirname "$0")/steps.sh"
lab=$top/selftests/qemu
# shellcheck source=selftests/qemu/check.sh
. "$lab/check.sh"

# gives COUNTS SCRIPT [STATUS [CONSOLE]]: result.awk prints COUNTS for two programs and four tests,
# one of which is skipped, after this edit of sed, with this status of QEMU and line of the console.
gives() {
	local result
	sed "$2" <<-'END' >"$dir/ktap"
		KTAP version 1
		1..2
		  1..2
		  ok 1 one.first
		  ok 2 one.second
		ok 1 one
		  ok 1 two.first
		  ok 2 two.second # SKIP no spare counter
		  1..2
		ok 2 two
		# end of planted
	END
	printf '%s\n' "Run /init as init process" "${4:-}" >"$dir/console"
	result=$(awk -v programs="one two" -v status="${3:-0}" -f "$lab/result.awk" \
		"$dir/ktap" "$dir/console" 2>/dev/null)
	[ "${result%%$'\n'*}" = "$1" ] || fails "result.awk: not '$1' but:" "$result" "($2, ${3:-}, ${4:-})"
}

gives "3 0 1" ""
gives "2 1 1" 's/ok 1 one.first/not &/'
gives "2 1 1" '/one.second/d'
gives "3 2 1" '9d'
gives "3 1 1" '$d'
gives "0 2 0" 'd'
gives "3 1 1" '' 124
gives "3 1 1" '' 0 "WARNING: CPU: 0 PID: 7 at kernel/events/core.c:1"

# Every case has a value in every column, a name of its own, and programs that exist.
all_cases | awk -F '\t' -v n="$(column programs)" '
	NF != n || n != 9 || /\t\t|\t$/ { print "cases.tsv: not 9 columns: " $1 }
	seen[$1]++ { print "cases.tsv: twice: " $1 }' >"$dir/log"
while read -r program; do
	[ -e "$top/selftests/guest/$program" ] || [ -e "$top/selftests/guest/$program.c" ] ||
		echo "cases.tsv: no program $program"
done >>"$dir/log" <<<"$(all_cases | values programs | tr ' ' '\n' | sort -u)"
! grep . "$dir/log" || failed=1
# Each program of the guest is run: by a case, or by another program.
all_cases | values programs | tr ' ' '\n' | sort -u >"$dir/run"
while read -r program; do
	grep -rlwF -- "$program" "$top/selftests/guest" "$lab" |
		grep -qvE "/(Makefile|cases\.tsv)$|/$program(\.c)?$" ||
		fails "selftests/guest/$program: no case and no other program runs it"
done < <(sed -n 's/^\(programs\|scripts\) := //p; /^programs := .*\\$/{n; p}' \
	"$top/selftests/guest/Makefile" | tr -s ' \t\\' '\n' | grep . | sort -u | comm -23 - "$dir/run")
while read -r name values; do
	other=$(all_cases | values "$name" | tr ' ' '\n' | sort -u | grep -vxE -e "$values")
	[ -z "$other" ] || fails "cases.tsv: $name is $other"
done <<'END'
tier check|all|release|debug|kernels|perf|compare|name
qemu q7|q11|qfix
kernel stable|testing|unstable|vendor|rt|next|debug
mode exclusive|shared|takeover
overflow -|lcofi|thead|andes|timer
options -|alone|acpi|end=reboot|harts=[2-8]|hart1=[a-z]+=(true|false)(,[a-z]+=(true|false))*|kvm=[1-8](,host)?|insmod=[a-z]+=.*|icount=[0-9]+|stress=[0-9]+|perf=(quick|slow|metrics)(,(quick|slow|metrics))*|slow=[2-9]|rounds=[0-9]+|opensbi=.*
END
exit $failed
