#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# programs.sh - each program of the guest is run: by a case, or by another program.
. "$(dirname "$0")/steps.sh"

sed -n 's/^\(programs\|scripts\) := //p; /^programs := .*\\$/{n; p}' "$top/selftests/guest/Makefile" |
	tr -s ' \t\\' '\n' | grep . | sort -u >"$dir/programs"
# In the last column of a case, or in a file of selftests/ other than its own and the Makefile.
awk -F '\t' '!/^#/ { gsub(" ", "\n", $NF); print $NF }' "$top/selftests/qemu/cases.tsv" |
	sort -u | comm -23 "$dir/programs" - >"$dir/others"
while read -r name; do
	grep -rlwF -- "$name" "$top/selftests/guest" "$top/selftests/qemu" |
		grep -vE "/(Makefile|cases\.tsv)$|/$name(\.c)?$" | grep -q . ||
		fails "selftests/guest/$name: no case of cases.tsv and no other program runs it"
done <"$dir/others"
echo "$(wc -l <"$dir/programs") programs"
exit $failed
