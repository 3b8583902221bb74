#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# jevents.sh PMU-EVENTS - perf's own jevents.py accepts our events and metrics and gives
# perf all of them; PMU-EVENTS is the folder of that name in perf's sources. Needs python3.
. "$(dirname "$0")/steps.sh"
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan
ours=$dir/json/arch/riscv/openxiangshan

# "name value" of two KEYs for each object in a model's files; letters of names and digits as perf
# writes them.
asked() { # MODEL KEY KEY
	awk -F '"' -v name="$2" -v value="$3" '
		$2 == name { one = $4 }
		$2 == value { print tolower(one), $4 }' "$ours/$1"/*.json |
		sed 's/ 0x\([0-9]\)$/ \1/' | sort
}

# The same from perf's table of that model. A line there is a whole event, each part
# ended by \000: name, topic, description, event; or name, group, expression.
taken() { # MODEL events|metrics PART
	awk -v head="pmu_$2__openxiangshan_$(echo "$1" | tr - _)_default_core" -v part="$3" '
		index($0, head "[]") { on = 1; next }
		/^};/ { on = 0 }
		on && sub(/^.*\/\* /, "") {
			n = split($0, p, "\\\\000")
			sub(/^event=/, "", p[part])
			print p[1], p[part]
		}' "$dir/perf/events.c" | sort
}

same() { # MODEL WHAT
	diff "$dir/asked" "$dir/taken" || fails "$1: perf has other $2"
	[ -s "$dir/asked" ] || fails "$1: no $2"
	echo "$1: $(wc -l <"$dir/taken") $2"
}

"$events/generate.sh" perf-json "$dir/json" || exit
cp -r "$1" "$dir/perf" && cp -r "$dir/json/arch" "$dir/perf/" || exit
# The lines of both cores are enabled, as by a user who knows the core.
sed 's/^#0x/0x/' "$dir/json/mapfile-lines.csv" >"$dir/lines"
cat "$dir/lines" >>"$dir/perf/arch/riscv/mapfile.csv"
(cd "$dir/perf" && python3 jevents.py riscv all arch events.c) >"$dir/log" 2>&1 || fails "jevents.py refuses our files"
[ ! -s "$dir/log" ] || { cat "$dir/log"; fails "jevents.py prints messages"; }

for model in "$ours"/*/; do
	model=$(basename "$model")
	asked "$model" EventName EventCode >"$dir/asked"
	taken "$model" events 4 >"$dir/taken"
	same "$model" events
	asked "$model" MetricName MetricExpr >"$dir/asked"
	taken "$model" metrics 3 >"$dir/taken"
	same "$model" metrics
done

# Both cores find their table.
grep -v '^#' "$dir/lines" | while IFS=, read -r core _ model _; do
	grep -A 6 "cpuid = \"$core\"" "$dir/perf/events.c" |
		grep -q "pmu_events__$(echo "$model" | tr /- __),\$" || echo "$core"
done | grep . && fails "these cores find no table"
exit $failed
