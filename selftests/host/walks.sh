#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# walks.sh PROGRAM - run walks.c, and say how many functions of the driver each of its walks executes, of
# how many files; then without the inline functions of headers. Both have the functions of csr.c, in
# whose place the host has others. For make walks.
"$1" | sort -u >"$1.executed" || exit
cut -d' ' -f2 "$1.executed" | addr2line -fe "$1" | sed 's/:[0-9?].*//; s|.*/sbi_pmu/||' | paste -d' ' - - |
	paste -d' ' "$1.executed" - | awk '
	$4 !~ "^/" || $3 ~ /^sbi_pmu_csr_/ { print $1, $3, $4 }' | sort -u | tee "$1.functions" | awk '
	{
		walks[$1]++
		files[$1] += !seen[$1, $3]++
		if ($3 !~ /\.h$/) {
			plain[$1]++
			plain_files[$1] += seen[$1, $3] == 1
		}
	}
	END {
		for (walk in walks)
			printf "%-22s %2d functions in %2d files, %2d in %2d without inline functions\n",
				walk, walks[walk], files[walk], plain[walk], plain_files[walk]
	}' | sort
