#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# compare.sh - the comparison's page, its chart and README's table are those of the rows that
# make compare measured, and what README says in words is true of them.
# shellcheck source=selftests/host/steps.sh
. "$(dirname "$0")/steps.sh"
# shellcheck disable=SC2034 # for compare.sh
lab=$top/selftests/qemu
run=$dir
say() { :; }
# shellcheck source=selftests/qemu/compare.sh
. "$lab/compare.sh"

files="README.md Documentation/admin-guide/perf/sbi-pmu-compare.rst Documentation/images/compare.svg"

# Is what is in the sources what the rows give?
is_up_to_date() { # ROWS
	local file
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree/Documentation/admin-guide/perf" "$dir/tree/Documentation/images"
	cp "$top/README.md" "$dir/tree/"
	draw_comparison "$1" "$dir/tree" || return
	for file in $files; do
		diff "$top/$file" "$dir/tree/$file" || return
	done
}

# README: a switch with counting events makes no call here, and four for each event there.
words_are_true() { # ROWS
	awk -F '\t' '
		$3 == "native" && $4 == "switch" && $5 == "counting" && $7 == "calls" {
			rows++
			if ($2 == "module" ? $8 > 0.05 : $8 < 3.8 * $6 || $8 > 4.2 * $6) {
				print
				bad = 1
			}
		}
		END { exit bad || rows != 16 }' "$1"
}

rows=$lab/compare.tsv
is_up_to_date "$rows" || fails "not made from compare.tsv: 'make compare' measures and writes all"
words_are_true "$rows" || fails "README says something else of SBI calls than compare.tsv"

# Another figure, and one that README's words are about, are found.
sed 's/\(testing	builtin	native	samples	steady	1	taken	\).*/\17/' "$rows" >"$dir/rows"
! is_up_to_date "$dir/rows" >"$dir/log" || fails "another figure is not found"
sed 's/\(testing	module	native	switch	counting	8	calls	\).*/\12/' "$rows" >"$dir/rows"
! words_are_true "$dir/rows" >"$dir/log" || fails "wrong words are not found"
exit $failed
