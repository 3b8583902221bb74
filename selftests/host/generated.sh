#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generated.sh - files made from the event data are complete: the device trees map each standard
# event, and the event pages and perf's JSON have each event of a table once, under the right code.
. "$(dirname "$0")/steps.sh"
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan
tables=$(sed -n 's/^#title	\([^	]*\)	.*/\1/p' "$events/events.tsv")

# ---- device trees ----

# The rows that a table's tree must have, by the codes of the JSON in $dir/json: a standard event is the
# first row of its id whose event the table has, on the counters of the unit in bits 9:8 of the code.
rows_due() {
	printf '<0x0 %s 0x0 0x300 %s>\n' 0x0 0x7f8 0x100 0x7f800 0x200 0x7f80000 0x300 0xf8000000
	awk -F '\t' -v json="$dir/json" '
		BEGIN {
			while ((getline line < json) > 0) {
				split(line, word, " ")
				code[word[1]] = word[2]
			}
		}
		!/^#/ && ($3 in code) && !seen[$1]++ { print $1, code[$3] }' "$events/standard.tsv" |
		while read -r id code; do
			case $((code >> 8 & 3)) in
			0) counters=0x7f8 ;;
			1) counters=0x7f800 ;;
			2) counters=0x7f80000 ;;
			3) counters=0xf8000000 ;;
			esac
			code=$((code & ~0x300))
			printf '<%s 0x%x 0x%x>\n<%s %s %s>\n' "$id" $((code >> 32)) \
				$((code & 0xffffffff)) "$id" "$id" "$counters"
		done
}

tree_complete() { # TABLE
	rows_due | sort >"$dir/want"
	for tree in "$dir/dts/xiangshan-$1.dtsi" "$dir/dts/xiangshan-$1-virt.dtso"; do
		grep -o '<0x[^>]*>' "$tree" | sort >"$dir/got"
		same || return
	done
}

# ---- event pages and JSON ----

# The events that the driver has, "name code": the code in perf's JSON is the selector
# with the unit in bits 9:8 of the first event.
in_driver() { # TABLE
	awk -v array="$(echo "$1" | tr - _)_names" '
		/_names\[\] = / { on = index($0, " " array "[]") }
		on && /EVENT/ { gsub(/EVENT\(|[",)]/, " "); print }' "$dir/tables.inc" |
		while read -r name unit op e0 e1 e2 e3; do
			case $op in
			OR) op=0 ;;
			ADD2) op=$((4 << 40)) ;;
			*) op=$((4 << 40 | 4 << 45 | 4 << 50)) ;;
			esac
			printf '%s 0x%x\n' "$name" \
				$((op | e0 | e1 << 10 | e2 << 20 | e3 << 30 | (unit - 1) << 8))
		done | sort
}

in_json() { # FOLDER
	awk -F '"' '
		$2 == "EventName" { name = $4 }
		$2 == "EventCode" { code[name] = $4 }
		$2 == "BriefDescription" && name != "" { print name, ($4 == "" ? "no text" : code[name]); name = "" }
		' "$1"/*.json | sort
}

# Names of RISC-V International and codes: of its data, with the code of the event, which is in
# the file "got"; and in the JSON.
riscv_in_data() { # TABLE
	awk -F '\t' -v table="$1" '
		NR == FNR { split($0, word, " "); code[word[1]] = word[2]; next }
		!/^#/ && index(" " $3 " ", " " table " ") { print $1, code[$2] }
		' "$dir/got" "$events/riscv.tsv" | sort
}

# Rows of the event data: "index name RTL-name", or "unit index name RTL-name fault" if there
# is a fault.
in_data() { # TABLE
	awk -F '\t' -v table="$1" '
		$1 == "#name" { for (i = 1; i <= NF; i++) column[$i] = i }
		/^#/ || $column[table] == "-" { next }
		{ index_text = sprintf("0x%x", $column[table]) }
		$column["fault"] == "-" { print index_text, $1, $column["rtl_name"]; next }
		{ print $2, index_text, $1, $column["rtl_name"], $column["fault"] }
		' "$events/events.tsv" | sort
}

# The same from a page: first cells of the rows of its tables.
in_page() { # PAGE
	awk '
		function put() { if (n > 3) print row }
		/^   \* - / { put(); row = cell($0); n = 1; next }
		/^     - / { if (++n <= (row ~ /^0x/ ? 3 : 5)) row = row " " cell($0); next }
		function cell(line) { gsub(/^   (\*|  ) - |^     - |``/, "", line); return line }
		END { put() }' "$1" | grep -vE '^(event0|Unit) ' | sort
}

# Combined events: the names that the driver has and the event data has not as a row.
combined_in_page() { # PAGE
	sed -n '/^Combined events/,/^Withheld events/s/^   \* - ``\(.*\)``$/\1/p' "$1" | sort
}

# The metrics whose events and metrics are all there, of the names on standard input.
metrics_for() {
	awk -F '\t' '
		NR == FNR { has[$1]; next }
		/^#/ { next }
		{
			n = split($3, word, /[^a-z0-9_]+/)
			for (i = 1; i <= n; i++)
				if (word[i] ~ /^[a-z]/ && !(word[i] in has) &&
				    word[i] !~ /^(max|min|d_ratio|slots|cycles|instructions)$/)
					next
			has[$1]
			print $1
		}' - "$events/metrics.tsv"
}

# Slots of a cycle: as many as the event that counts empty slots can be.
slots_of() { # TABLE
	awk -F '\t' -v table="$1" '
		$1 == "#name" { for (i = 1; i <= NF; i++) column[$i] = i }
		$1 == "front_bubble" && $column[table] != "-" { print $column["max"] }
		' "$events/events.tsv"
}

# Do the metrics of level 1 in perf's file divide by the slots of the table?
metrics_have_slots() { # TABLE
	sed -n 's/^\(td_[^	]*\)	TopdownL1	\([^	]*(\)slots\( [^	]*\)	.*/\1 \2'"$(slots_of "$1")"'\3/p' \
		"$events/metrics.tsv" | grep -F -f "$dir/names_of_metrics" >"$dir/want"
	awk -F '"' '$2 == "MetricName" { name = $4 }
		$2 == "MetricExpr" && $4 ~ /[0-9] \* cycles/ { print name, $4 }' "$json/metrics.json" >"$dir/got"
	same && ! grep -q slots "$json/metrics.json"
}

same() { # $dir/want and $dir/got
	diff "$dir/want" "$dir/got" >"$dir/diff" && [ -s "$dir/want" ]
}

json_complete() { # TABLE
	in_driver "$1" >"$dir/want"
	in_json "$dir/build/perf-json/arch/riscv/openxiangshan/kunminghu-$1" >"$dir/json"
	grep '^[a-z]' "$dir/json" >"$dir/got"
	same || return
	riscv_in_data "$1" >"$dir/want"
	grep '^[A-Z]' "$dir/json" | diff "$dir/want" - >"$dir/diff"
}

page_complete() { # TABLE
	in_data "$1" >"$dir/want"
	in_page "$dir/build/docs/sbi-pmu-events-$1.rst" >"$dir/got"
	same
}

awk -f "$events/read.awk" -f "$events/write-c.awk" "$events/combined.tsv" \
	"$events/events.tsv" >"$dir/tables.inc" || fails "tables.inc cannot be made"
make -s -C "$top" BUILD="$dir/build" docs perf-json || fails "make docs perf-json fails"
"$events/generate.sh" dts "$dir/dts" || fails "device trees cannot be made"
for t in $tables; do
	page=$dir/build/docs/sbi-pmu-events-$t.rst
	json=$dir/build/perf-json/arch/riscv/openxiangshan/kunminghu-$t
	json_complete "$t" || { fails "$t: JSON differs from the driver's table"; head "$dir/diff"; }
	cut -d ' ' -f 1 "$dir/got" >"$dir/names"
	[ -z "$(uniq -d "$dir/names")" ] || fails "$t: names in JSON twice:" "$(uniq -d "$dir/names")"

	tree_complete "$t" || { fails "$t: device tree differs from the JSON"; head "$dir/diff"; }
	page_complete "$t" || { fails "$t: page differs from the event data"; head "$dir/diff"; }
	sed -n 's/^0x[0-9a-f]* \([^ ]*\) .*/\1/p' "$dir/got" | sort >"$dir/rows"
	sort "$dir/names" | comm -23 - "$dir/rows" >"$dir/want"
	combined_in_page "$page" >"$dir/got"
	same || { fails "$t: combined events of the page differ"; head "$dir/diff"; }

	metrics_for <"$dir/names" >"$dir/want"
	sed -n 's/.*"MetricName": "\(.*\)",/\1/p' "$json/metrics.json" >"$dir/got"
	same || { fails "$t: metrics differ from metrics.tsv"; head "$dir/diff"; }
	cp "$dir/got" "$dir/names_of_metrics"
	metrics_have_slots "$t" || { fails "$t: metrics for another number of slots"; head "$dir/diff"; }
	echo "$t: $(wc -l <"$dir/names") names, $(wc -l <"$dir/names_of_metrics") metrics, $(slots_of "$t") slots"
done
[ "$(find "$dir/build" -name '*.rst' | wc -l)" = "$(echo "$tables" | wc -l)" ] ||
	fails "not one page for each table"
cmp "$events/perf-mapfile.csv" "$dir/build/perf-json/mapfile-lines.csv" || failed=1

# A wrong code, a wrong or lost row and a metric for another number of slots are found.
sed -i 's/<0x1 0x0 /<0x1 0x1 /' "$dir/dts/xiangshan-v3.dtsi"
! tree_complete v3 || fails "a wrong row of a device tree is not found"
sed -i 's/"EventCode": "0x2"/"EventCode": "0x3"/' \
	"$dir/build/perf-json/arch/riscv/openxiangshan/kunminghu-v3/frontend.json"
! json_complete v3 || fails "a wrong code is not found"
sed -i '/^   \* - 0x2$/,+3d' "$dir/build/docs/sbi-pmu-events-v3.rst"
! page_complete v3 || fails "a lost row is not found"
sed -i 's,/ (8 \* cycles),/ (6 * cycles),' "$json/metrics.json"
! metrics_have_slots v3 || fails "another number of slots is not found"
exit $failed
