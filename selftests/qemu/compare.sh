# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# compare.sh - make compare: what the module and the kernel's built-in driver cost, and what they
# answer, on the same machine.
#
# The programs compare and suites print rows (guest/compare.c). They are kept in the sources with
# the versions, and compare.awk makes a page, a chart and README's table from them. Sourced by
# lab.sh; tested by selftests/host/compare.sh.

# drivers_are_right: did each of these programs measure the driver that its case is named after?
drivers_are_right() {
	local name driver measured status=0
	while read -r name; do
		driver=${name%-*}
		driver=${driver##*-}
		measured=$(sed -n 's/^ *# row\tdriver\t\([^\t]*\)\t.*/\1/p' "$run/$name.ktap")
		[ "$measured" = "$driver" ] || {
			say "error: $name has measured '$measured', not '$driver'"
			status=1
		}
	done
	return $status
}

# The commit of a tree, with "-dirty" if files differ from it.
commit_of() { # TREE
	git -C "$1" describe --always --exclude '*' --dirty 2>/dev/null || echo unknown
}

# collect_rows: print the rows of this run: kernel, driver and where it ran (native, guest,
# suites), then what the program printed.
collect_rows() {
	local name where driver kernel
	while read -r name; do
		where=${name#compare-}
		kernel=${where##*-}
		where=${where%-*}
		driver=${where##*-}
		where=${where%"$driver"}
		sed -n "s/^ *# row\t/$kernel\t$driver\t${where:-native-}\t/p" "$run/$name.ktap"
	done | sed 's/-\t/\t/' | grep -v $'\tdriver\t'
}

# What was measured on, as "#name<tab>value".
describe_run() { # CASES COMMIT
	printf '#date\t%s\n#command\tmake compare\n' "$(date -u +%Y-%m-%d)"
	printf '#module\t%s\n' "$(sed -n 's/.*SBI_PMU_VERSION *"\(.*\)"/\1/p' "$run/tree/include/sbi_pmu/version.h")"
	printf '#commit\t%s\n' "$2"
	printf '#stable\t%s\n#testing\t%s\n' "$(release_of stable)" "$(release_of testing)"
	printf '#qemu\t%s\n' "$(run_program qfix qemu-system-riscv64 --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')"
	printf '#opensbi\t1.9\n#shift\t0\n'
}

# draw_comparison TSV TOP: write what is made from the rows to a tree.
draw_comparison() {
	local page=$2/Documentation/admin-guide/perf/sbi-pmu-compare.rst
	awk -v what=page -f "$lab/compare.awk" "$1" >"$run/page" && cp "$run/page" "$page" &&
		awk -v what=chart -f "$lab/compare.awk" "$1" >"$run/chart" &&
		cp "$run/chart" "$2/Documentation/images/compare.svg" || return
	# For pages that show no SVG; not in git.
	if command -v rsvg-convert >/dev/null; then
		rsvg-convert -z 2 "$run/chart" >"$2/Documentation/images/compare.png"
	else
		rm -f "$2/Documentation/images/compare.png"
		say "no compare.png: rsvg-convert is missing (Debian: librsvg2-bin)"
	fi
	awk -v what=readme -f "$lab/compare.awk" "$1" >"$run/table" &&
		sed -i -e "/^<!-- compare: /r $run/table" -e '/^<!-- compare: /,/^<!-- end of compare -->/{
			/^<!-- /!d }' "$2/README.md"
}

compare() {
	local cases commit rows=$top/selftests/qemu/compare.tsv
	cases=$(select_cases compare)
	need_root
	start_run
	commit=$(commit_of "$top")
	# shellcheck disable=SC2046 # words
	make_artifacts 3000 $(artifacts_of "$cases")
	run_jobs "" "$cases" ""
	print_results && values name <<<"$cases" | drivers_are_right || exit
	{ describe_run "$cases" "$commit" && values name <<<"$cases" | collect_rows; } >"$run/rows" &&
		cp "$run/rows" "$rows" && draw_comparison "$rows" "$top" &&
		say "wrote compare.tsv, sbi-pmu-compare.rst, compare.svg and the table of README.md"
}
