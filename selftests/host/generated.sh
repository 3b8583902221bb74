#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generated.sh - files made from the event data have each event of a table, under the code that the
# driver has for it: perf's JSON, libpfm4's tables, the device trees, the event pages.
. "$(dirname "$0")/steps.sh"
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan

# The driver's events, "name code": the code for other programs is the selector with the unit in
# bits 9:8 of the first event.
in_driver() { # TABLE EVENT|WITHHELD
	awk -v array="$(echo "$1" | tr - _)_names" -v kind="$2" '
		/_names\[\] = / { on = index($0, " " array "[]") }
		on && index($0, kind) { gsub(/[A-Z]+\(|[",)]/, " "); print }' "$dir/tables.inc" |
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

in_json() { # TABLE
	awk -F '"' '
		$2 == "EventName" { name = $4 }
		$2 == "EventCode" { code = $4 }
		$2 == "BriefDescription" && name != "" { print name, ($4 == "" ? "no text" : code); name = "" }
		' "$dir/json/arch/riscv/openxiangshan/kunminghu-$1"/*.json | sort
}

in_libpfm4() { # TABLE
	sed -n "/ riscv_xiangshan_$(echo "$1" | tr - _)_pe/,/};/s/^+	{ \"\(.*\)\", \".*\", \(0x.*\) },/\1 \2/p" \
		"$dir/libpfm4.patch" | sort
}

# RISC-V International's names, with the codes of the driver's events.
riscv_names() { # TABLE
	awk -F '\t' -v table="$1" '
		NR == FNR { split($0, word, " "); code[word[1]] = word[2]; next }
		!/^#/ && index(" " $3 " ", " " table " ") { print $1, code[$2] }
		' "$dir/events" "$events/riscv.tsv"
}

# For each standard event of a tree, its event by the comment: "id name code". The code has the unit
# by the counters that the tree gives the event.
in_tree() { # FILE
	sed -n 's,^.*/\* [^:]*: \([a-z0-9_]*\).*\*/ <\(0x[0-9a-f]*\) \(0x[0-9a-f]*\) \(0x[0-9a-f]*\)>.*,\1 \2 \3 \4,p' "$1" |
		while read -r name id high low; do
			case $(sed -n "s/.*<$id $id \(0x[0-9a-f]*\)>.*/\1/p" "$1") in
			0x7f8) unit=0 ;;
			0x7f800) unit=1 ;;
			0x7f80000) unit=2 ;;
			0xf8000000) unit=3 ;;
			*) unit=9 ;;
			esac
			printf '%s 0x%x\n' "$name" $((high << 32 | low | unit << 8))
		done | sort -u
}

# The names in the first three cells of a row.
in_page() { # FILE
	awk '/^   \* - / { n = 0 }
		/^   (\*| ) - / && ++n <= 3 && /- ``[a-z0-9_]+``$/ && !named[NR - n] {
			gsub(/.*- ``|``/, ""); print; named[NR - n] = 1
		}' "$1" | sort
}

awk -f "$events/../common.awk" -f "$events/read.awk" -f "$events/write-c.awk" "$events/events.tsv" "$events/combined.tsv" \
	>"$dir/tables.inc" || fails "tables.inc cannot be made"
for kind in dts docs; do
	"$events/../generate.sh" $kind "$dir/$kind" || fails "$kind cannot be made"
done
"$events/../generate.sh" perf-json "$dir/json" || fails "JSON cannot be made"

# A source tree that has only what the patch is put before
mkdir -p "$dir/libpfm4/lib" "$dir/libpfm4/include/perfmon"
echo 'ifeq ($(ARCH),cell)' >"$dir/libpfm4/config.mk"
echo 'ifeq ($(CONFIG_PFMLIB_CELL),y)' >"$dir/libpfm4/lib/Makefile"
echo '#ifdef CONFIG_PFMLIB_ARCH_IA64' >"$dir/libpfm4/lib/pfmlib_common.c"
echo 'extern pfmlib_os_t *pfmlib_os;' >"$dir/libpfm4/lib/pfmlib_priv.h"
! make -s -C "$top" libpfm4 LIBPFM4="$dir/libpfm4" BUILD="$dir" 2>/dev/null || fails "another tree is not refused"
echo '/* MUST ADD NEW PMU MODELS HERE */' >"$dir/libpfm4/include/perfmon/pfmlib.h"
make -s -C "$top" libpfm4 LIBPFM4="$dir/libpfm4" BUILD="$dir" || fails "no patch for libpfm4"

for t in $(sed -n 's/^#title	\([^	]*\)	.*/\1/p' "$events/events.tsv"); do
	in_driver "$t" EVENT >"$dir/events"
	[ -s "$dir/events" ] || fails "$t: no events"
	in_libpfm4 "$t" | diff "$dir/events" - || fails "$t: libpfm4's table differs from the driver's"
	{ cat "$dir/events"; riscv_names "$t"; } | sort >"$dir/want"
	in_json "$t" | diff "$dir/want" - || fails "$t: JSON differs from the driver's table"

	for tree in "$dir/dts/xiangshan-$t.dtsi" "$dir/dts/xiangshan-$t-virt.dtso"; do
		in_tree "$tree" >"$dir/got"
		[ "$(wc -l <"$dir/got")" -gt 10 ] || fails "$tree: few standard events"
		comm -23 "$dir/got" "$dir/events" | grep . && fails "$tree: these differ from the driver's"
		for row in '0x0 0x7f8' '0x100 0x7f800' '0x200 0x7f80000' '0x300 0xf8000000'; do
			grep -q "<0x0 ${row% *} 0x0 0x300 ${row#* }>" "$tree" || fails "$tree: no raw events $row"
		done
	done

	{ cat "$dir/events"; in_driver "$t" WITHHELD; } | cut -d ' ' -f 1 | sort >"$dir/want"
	in_page "$dir/docs/sbi-pmu-events-$t.rst" | diff "$dir/want" - ||
		fails "$t: page differs from the driver's table"

	# A metric is of events that are there, and of as many slots as the table has.
	metrics=$dir/json/arch/riscv/openxiangshan/kunminghu-$t/metrics.json
	slots=$(sed -n "s/^#slots	$t	//p" "$events/events.tsv")
	sed -n 's/.*"MetricExpr": "\(.*\)",/\1/p' "$metrics" | grep -oE '[a-z][a-z0-9_]+' | sort -u |
		grep -vxE 'max|d_ratio|cycles|instructions|td_.*' >"$dir/got"
	cut -d ' ' -f 1 "$dir/events" | sort | comm -23 "$dir/got" - | grep . &&
		fails "$t: metrics of events that are not there"
	grep -q "instructions / ($slots \* cycles)" "$metrics" || fails "$t: metrics for other slots"
	echo "$t: $(wc -l <"$dir/events") events, $(grep -c MetricName "$metrics") metrics, $slots slots"
done
exit $failed
