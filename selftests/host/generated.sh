#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generated.sh - files made from the event data have each event of a table, under the code that the
# driver has for it: perf's JSON, libpfm4's tables, the device trees, the event pages. They are the
# same by each awk, and in a locale in which I is no capital of i.
. "$(dirname "$0")/steps.sh"
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan

# The driver's events, "name code": the code is the selector with the unit in bits 9:8 of the first event.
in_driver() { # TABLE [all]: withheld ones, too
	awk -v table="$1" -v array="$(echo "$1" | tr - _)" -v all="$2" '
		/^static/ { part = index($0, " " array "_names[]") ? 1 : index($0, " " array "_selectors[]") ? 2 : 0 }
		part == 1 && split($0, word, /"|\\0"/) > 1 { name[++names] = word[2] }
		part == 2 && /^	0x/ { sub(/,/, ""); code[++codes] = $1 }
		/\.name = / { on = index($0, "\"" table "\"") }
		on && !all && /\.withheld = / { withheld = $3 + 0 }
		END { for (i = 1; i <= names - withheld; i++) print name[i], code[i] }' "$dir/made/module/vendor/cores.inc" |
		sort
}

in_json() { # TABLE
	awk -F '"' '
		$2 == "EventName" { name = $4 }
		$2 == "EventCode" { code = $4 }
		$2 == "BriefDescription" && name != "" { print name, ($4 == "" ? "no text" : code); name = "" }
		' "$dir/made/perf-json/arch/riscv/openxiangshan/kunminghu-$1"/*.json | sort
}

in_libpfm4() { # TABLE
	sed -n "/ riscv_xiangshan_$(echo "$1" | tr - _)_pe/,/};/s/^+	{ \"\(.*\)\", \".*\", \(0x.*\) },/\1 \2/p" \
		"$dir/made/libpfm4.patch" | sort
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

# A source tree that has only what the patch is put before
mkdir -p "$dir/libpfm4/lib" "$dir/libpfm4/include/perfmon"
echo 'ifeq ($(ARCH),cell)' >"$dir/libpfm4/config.mk"
echo 'ifeq ($(CONFIG_PFMLIB_CELL),y)' >"$dir/libpfm4/lib/Makefile"
echo '#ifdef CONFIG_PFMLIB_ARCH_IA64' >"$dir/libpfm4/lib/pfmlib_common.c"
echo 'extern pfmlib_os_t *pfmlib_os;' >"$dir/libpfm4/lib/pfmlib_priv.h"
! "$top/tools/libpfm4/libpfm4.sh" "$dir/libpfm4" "$dir" 2>/dev/null || fails "another tree is not refused"
echo '/* MUST ADD NEW PMU MODELS HERE */' >"$dir/libpfm4/include/perfmon/pfmlib.h"

"$top/tools/upstream/series.sh" libpfm4 "$dir/libpfm4" "$dir/series" || fails "no series"

# All that is generated, also by the Makefile of the module
all_in() { # FOLDER
	mkdir -p "$1/module/vendor"
	for kind in dts docs perf-json; do "$events/../generate.sh" $kind "$1/$kind" || return; done
	"$top/tools/libpfm4/libpfm4.sh" "$dir/libpfm4" "$1" &&
		make -s -C "$top/tools" OUT="$1" "$1/metrics.inc" &&
		make -s -f - obj="$1/module" src="$top/drivers/perf/sbi_pmu" <<-'EOF2'
		all: $(obj)/vendor/cores.inc
		if_changed = $(cmd_$(1))
		include $(src)/Makefile
		FORCE:
		EOF2
}

AWK="awk" all_in "$dir/made" || fails "not all can be generated"
localedef -i tr_TR -f UTF-8 "$dir/tr_TR.UTF-8" 2>"$dir/said" ||
	echo "skipped: no Turkish locale can be made (Debian: locales)"
for awk in mawk gawk "busybox awk" original-awk; do
	$awk 'BEGIN { exit }' 2>/dev/null </dev/null || continue
	LOCPATH=$dir LC_ALL=tr_TR.UTF-8 AWK=$awk all_in "$dir/all" 2>"$dir/said" && [ ! -s "$dir/said" ] ||
		fails "$awk: not all can be generated, or with messages: $(cat "$dir/said")"
	diff -r "$dir/made" "$dir/all" || fails "$awk or a Turkish locale makes other files"
	rm -r "$dir/all"
done

for t in $(sed -n 's/^#core	\([^	]*\)	.*/\1/p' "$events/events.tsv"); do
	in_driver "$t" >"$dir/events"
	[ -s "$dir/events" ] || fails "$t: no events"
	in_libpfm4 "$t" | diff "$dir/events" - || fails "$t: libpfm4's table differs from the driver's"
	{ cat "$dir/events"; riscv_names "$t"; } | sort >"$dir/want"
	in_json "$t" | diff "$dir/want" - || fails "$t: JSON differs from the driver's table"

	for tree in "$dir/made/dts/xiangshan-$t.dtsi" "$dir/made/dts/xiangshan-$t-virt.dtso"; do
		in_tree "$tree" >"$dir/got"
		[ "$(wc -l <"$dir/got")" -gt 10 ] || fails "$tree: few standard events"
		comm -23 "$dir/got" "$dir/events" | grep . && fails "$tree: these differ from the driver's"
		for row in '0x0 0x7f8' '0x100 0x7f800' '0x200 0x7f80000' '0x300 0xf8000000'; do
			grep -q "<0x0 ${row% *} 0x0 0x300 ${row#* }>" "$tree" || fails "$tree: no raw events $row"
		done
	done

	in_driver "$t" all | cut -d ' ' -f 1 | sort >"$dir/want"
	in_page "$dir/made/docs/sbi-pmu-events-$t.rst" | diff "$dir/want" - ||
		fails "$t: page differs from the driver's table"

	# A metric is of events that are there, and of as many slots as the table has.
	metrics=$dir/made/perf-json/arch/riscv/openxiangshan/kunminghu-$t/metrics.json
	slots=$(sed -n "s/^#slots	$t	//p" "$events/events.tsv")
	sed -n 's/.*"MetricExpr": "\(.*\)",/\1/p' "$metrics" | grep -oE '[a-z][a-z0-9_]+' | sort -u |
		grep -vxE 'max|d_ratio|cycles|instructions|td_.*' >"$dir/got"
	cut -d ' ' -f 1 "$dir/events" | sort | comm -23 "$dir/got" - | grep . &&
		fails "$t: metrics of events that are not there"
	grep -q "instructions / ($slots \* cycles)" "$metrics" || fails "$t: metrics for other slots"
	echo "$t: $(wc -l <"$dir/events") events, $(grep -c MetricName "$metrics") metrics, $slots slots"
done
exit $failed
