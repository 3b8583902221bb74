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

# Rows of another driver than the case's, of none and of two are found.
measured() { # DRIVER...
	for driver; do printf '  # row\tdriver\t%s\t0\t-\t-\n' "$driver"; done >"$dir/compare-guest-module-testing.ktap"
	drivers_are_right <<<compare-guest-module-testing
}
measured module || fails "the right driver is refused"
! measured builtin || fails "rows of another driver are not found"
! measured none || fails "rows of no driver are not found"
! measured || fails "a program that does not say its driver is not found"
! measured module builtin || fails "rows of two drivers are not found"

# The commit says whether the sources were those of the commit.
if command -v git >/dev/null; then
	commit() { git -C "$dir/git" -c user.name=a -c user.email=a@example.org commit -qm one; }
	git init -q "$dir/git" && echo one >"$dir/git/file" && git -C "$dir/git" add file && commit
	grep -qxE '[0-9a-f]{7,}' <<<"$(commit_of "$dir/git")" || fails "commit: $(commit_of "$dir/git")"
	echo two >"$dir/git/file"
	grep -qxE '[0-9a-f]{7,}-dirty' <<<"$(commit_of "$dir/git")" || fails "changed: $(commit_of "$dir/git")"
fi
[ "$(commit_of "$dir/nowhere")" = unknown ] || fails "no sources: $(commit_of "$dir/nowhere")"
exit $failed
