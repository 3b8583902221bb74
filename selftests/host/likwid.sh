#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# likwid.sh - likwid reads the generated groups, and their formulas give what the metrics of
# perf's JSON give. Needs likwid.
. "$(dirname "$0")/steps.sh"
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan

# Both sides are evaluated by awk, each event with a number that depends on its name.
functions='
	function max(a, b) { return a > b ? a : b }
	function min(a, b) { return a < b ? a : b }
	function d_ratio(a, b) { return b ? a / b : 0 }
	function show(name, value) { printf "%s %.9f\n", name, value }
'
numbers() {
	awk '{ n = length($1) * 7919; for (i = 1; i <= length($1); i++)
		n += index("abcdefghijklmnopqrstuvwxyz0123456789_", tolower(substr($1, i, 1))) * i * 104729
		print $1, n % 1000003 + 1 }'
}

evaluate() { awk "$functions BEGIN { $(cat "$1") }" | sort; }

# Metrics of a table of perf's JSON: expressions with events and earlier metrics.
by_perf() { # TABLE
	json=$dir/json/arch/riscv/openxiangshan/kunminghu-$1/metrics.json
	{
		sed -n 's/.*"MetricExpr": "\(.*\)",$/\1/p' "$json" | tr -cs 'a-z0-9_' '\n' |
			grep '^[a-z]' | grep -vxE 'max|min|d_ratio|td_.*' | sort -u | numbers |
			sed 's/\(.*\) \(.*\)/\1 = \2/'
		awk -F '"' '
			$2 == "MetricName" { name = $4 }
			$2 == "MetricExpr" { printf "%s = %s; show(\"%s\", %s)\n", name, $4, name, name }' "$json"
	} >"$dir/program.awk"
	evaluate "$dir/program.awk"
}

# The same of all groups of a table, as likwid reads them.
by_likwid() { # TABLE
	for file in "$dir/likwid/groups/xiangshan_$1"/*.txt; do
		group=$(basename "$file" .txt)
		"$dir/program" "$dir/likwid/groups" "xiangshan_$1" "$group" >"$dir/read" || return
		{
			sed -n 's/^event \(.*\) \(.*\)/\2 \1/p' "$dir/read" >"$dir/names"
			numbers <"$dir/names" | paste -d ' ' - "$dir/names" |
				awk '{ print $4, "=", $2 }'
			sed -n '/^metric td_/s/^metric \(.*\) \(.*\)/show("\1", \2)/p' "$dir/read"
		} >"$dir/program.awk"
		evaluate "$dir/program.awk" || return
		# An unset variable of awk would be 0: a formula with a counter of no event.
		sed -n 's/^metric td_.* //p' "$dir/read" | tr -cs 'A-Z0-9' '\n' | grep '^[A-Z]' |
			grep -vxF "$(awk '$1 == "event" { print $2 }' "$dir/read")" && return 1
		cut -d ' ' -f 2 "$dir/names" | sort | uniq -d | grep . && return 1
	done | sort
}

same() { # TABLE
	by_perf "$1" >"$dir/want"
	by_likwid "$1" >"$dir/got"
	diff "$dir/want" "$dir/got" && [ -s "$dir/got" ]
}

"$events/generate.sh" perf-json "$dir/json" && "$events/generate.sh" likwid "$dir/likwid" || exit
${CC:-gcc} -Wall -Wextra -Werror -o "$dir/program" "$top/selftests/consumers/likwid.c" -llikwid || exit
for t in $(sed -n 's/^#title	\([^	]*\)	.*/\1/p' "$events/events.tsv"); do
	same "$t" || fails "$t: likwid has other metrics than perf"
	echo "$t: $(wc -l <"$dir/got") metrics"
done

# A wrong counter, and a file that is no group, are found.
group=$dir/likwid/groups/xiangshan_v3/TOPDOWNL1.txt
cp "$group" "$dir/saved"
sed -i 's,^td_retiring FIXC1,td_retiring PMC0,' "$group"
! same v3 >"$dir/said" || fails "a wrong counter is not found"
sed '/^EVENTSET/d' "$dir/saved" >"$group"
! same v3 >"$dir/said" 2>&1 || fails "a file without events is not found"
exit $failed
