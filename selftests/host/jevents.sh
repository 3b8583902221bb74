#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# jevents.sh PMU-EVENTS - perf's own jevents.py accepts our events and metrics and gives
# perf all of them; PMU-EVENTS is the folder of that name in perf's sources. Needs python3.
. "$(dirname "$0")/steps.sh"
ours=$dir/json/arch/riscv/openxiangshan

"$top/drivers/perf/sbi_pmu/vendor/xiangshan/generate.sh" perf-json "$dir/json" || exit
cp -r "$1" "$dir/perf" && cp -r "$dir/json/arch" "$dir/perf/" || exit
# The lines of both cores are enabled, as by a user who knows the core.
sed 's/^#0x/0x/' "$dir/json/mapfile-lines.csv" >"$dir/lines"
cat "$dir/lines" >>"$dir/perf/arch/riscv/mapfile.csv"
(cd "$dir/perf" && python3 jevents.py riscv all arch events.c) >"$dir/log" 2>&1 || fails "jevents.py refuses our files"
[ ! -s "$dir/log" ] || { cat "$dir/log"; fails "jevents.py prints messages"; }

# How many events or metrics perf's table of a model has; a line there is one.
taken() { # MODEL events|metrics
	awk -v head="pmu_$2__openxiangshan_$(echo "$1" | tr - _)_default_core" '
		index($0, head "[]") { on = 1; next }
		/^};/ { on = 0 }
		on && /\/\* .*\\000/ { n++ }
		END { print n + 0 }' "$dir/perf/events.c"
}

for model in "$ours"/*/; do
	model=$(basename "$model")
	events=$(cat "$ours/$model"/*.json | grep -c '"EventName"')
	metrics=$(cat "$ours/$model"/*.json | grep -c '"MetricName"')
	[ "$(taken "$model" events) $(taken "$model" metrics)" = "$events $metrics" ] ||
		fails "$model: perf has $(taken "$model" events) of $events events, $(taken "$model" metrics) of $metrics metrics"
	echo "$model: $events events, $metrics metrics"
done

# Both cores find their table.
grep -v '^#' "$dir/lines" | while IFS=, read -r core _ model _; do
	grep -A 6 "cpuid = \"$core\"" "$dir/perf/events.c" |
		grep -q "pmu_events__$(echo "$model" | tr /- __),\$" || echo "$core"
done | grep . && fails "these cores find no table"
exit $failed
