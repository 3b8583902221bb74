#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# jevents.sh PMU-EVENTS - perf's own jevents.py accepts our events and metrics, and each core finds
# them; where perf has names of its own for a core, ours are the same. PMU-EVENTS is the folder of
# that name in perf's sources. Needs python3.
. "$(dirname "$0")/steps.sh"
vendor=$top/drivers/perf/sbi_pmu/vendor

"$vendor/generate.sh" perf-json "$dir/json" || exit
cp -r "$1" "$dir/perf" && cp -r "$dir/json/arch" "$dir/perf/" || exit
# The lines of both cores are enabled, as by a user who knows the core.
sed 's/^#0x/0x/' "$dir/json/mapfile-lines.csv" >"$dir/lines"
cat "$dir/lines" >>"$dir/perf/arch/riscv/mapfile.csv"
(cd "$dir/perf" && python3 jevents.py riscv all arch events.c) >"$dir/log" 2>&1 || fails "jevents.py refuses our files"
[ ! -s "$dir/log" ] || { cat "$dir/log"; fails "jevents.py prints messages"; }

# All cores find their table.
grep -v '^#' "$dir/lines" | while IFS=, read -r core _ model _; do
	grep -F -A 6 "cpuid = \"$core\"" "$dir/perf/events.c" |
		grep -q "pmu_events__$(echo "$model" | tr /- __),\$" || echo "$core"
done | grep . && fails "these cores find no table"

# "name code" of perf's own tables, and of ours of their cores; a name that only perf has is in "also".
for family in $(sed -n 's/^cores := //p' "$vendor/../Makefile"); do
	sed -n 's/^#stock	[^	]*	//p' "$vendor/$family" | tr ' ' '\n' | sort -u | while read -r model; do
		stock=$1/arch/riscv/$model
		[ -d "$stock" ] || { echo "$model: this perf has no such core"; continue; }
		python3 -c '
import json, sys
for file in sys.argv[1:]:
    for event in json.load(open(file)):
        if "EventCode" in event:
            print(event["EventName"].lower(), hex(int(event["EventCode"], 16)))
			' "$stock"/*.json >"$dir/unsorted" && [ -s "$dir/unsorted" ] ||
			echo "$model, not ours: its files cannot be read"
		sort "$dir/unsorted" >"$dir/stock"
		awk -F '\t' -v model="$model" '
			$1 == "#stock" && index(" " $3 " ", " " model " ") { has[$2]; has["*"] }
			!/^#/ {
				n = split($3, core, " ")
				for (i = 1; i <= n; i++)
					if (core[i] in has)
						print $1, $2 ($4 == "-" ? "" : "\n" $4 " " $2)
			}' "$vendor/$family" | sort -u >"$dir/names"
		echo "$model: $(comm -12 "$dir/stock" "$dir/names" | wc -l) of $(wc -l <"$dir/stock") names of perf are ours"
		comm -23 "$dir/stock" "$dir/names" | sed "s|^|$model, not ours: |"
	done
done >"$dir/compared"
cat "$dir/compared"
grep -q 'are ours$' "$dir/compared" || fails "perf knows none of our cores"
! grep -q 'not ours' "$dir/compared" || fails "perf has other names or codes"
exit $failed
