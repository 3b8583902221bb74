#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# programs.sh - each program of the guest is run: by a case, or by another program.
. "$(dirname "$0")/steps.sh"

programs() { # TREE
	sed -n 's/^\(programs\|scripts\) := //p; /^programs := .*\\$/{n; p}' \
		"$1/selftests/guest/Makefile" | tr -s ' \t\\' '\n' | grep . | sort -u
}

# In the last column of a case, or in a file of selftests/ other than its own and the Makefile.
not_run() { # TREE
	awk -F '\t' '!/^#/ { gsub(" ", "\n", $NF); print $NF }' "$1/selftests/qemu/cases.tsv" |
		sort -u >"$dir/cases"
	programs "$1" | comm -23 - "$dir/cases" | while read -r name; do
		grep -rlwF -- "$name" "$1/selftests/guest" "$1/selftests/qemu" |
			grep -vE "/(Makefile|cases\.tsv)$|/$name(\.c)?$" | grep -q . || echo "$name"
	done
}

not_run "$top" >"$dir/not-run"
while read -r name; do
	fails "selftests/guest/$name: no case of cases.tsv and no other program runs it"
done <"$dir/not-run"
echo "$(programs "$top" | wc -l) programs"

# A program that is taken out of its cases is found.
mkdir -p "$dir/tree/selftests"
cp -r "$top/selftests/guest" "$top/selftests/qemu" "$dir/tree/selftests/"
sed -i 's/ lost_irq\>//; s/ open_loaded\>//' "$dir/tree/selftests/qemu/cases.tsv"
[ "$(not_run "$dir/tree" | paste -sd ' ')" = "lost_irq open_loaded" ] ||
	fails "programs without a case are not found"
exit $failed
