#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh - the programs in the pages about region.h compile without a warning, and region.h as
# each C and C++ that it may be included in.
. "$(dirname "$0")/steps.sh"
pages=$top/Documentation/admin-guide/perf

compiles() { # COMPILER ARGUMENT...
	"$@" -O2 -Wall -Wextra -Werror -I "$top/include" -I "$top/include/sbi_pmu" -c \
		-o "$dir/object" 2>"$dir/errors"
}

awk -v dir="$dir" -f "$top/selftests/host/examples.awk" "$pages/sbi-pmu-region.rst" \
	"$pages/sbi-pmu-rdcycle.rst" >"$dir/programs"
[ "$(wc -l <"$dir/programs")" -ge 3 ] || fails "only $(wc -l <"$dir/programs") complete programs in the pages"

cxx=g++
command -v g++ >/dev/null || { cxx=; echo "skipped: g++ is not installed"; }
while read -r program; do
	case $program in *.c) compiler=gcc ;; *) compiler=$cxx ;; esac
	[ -n "$compiler" ] || continue
	compiles $compiler "$program" || { cat "$program" "$dir/errors"; fails "does not compile"; }
done <"$dir/programs"

echo '#include "region.h"' >"$dir/all.c"
# Its functions are inline, so to include it is to compile them.
for language in c:gnu99 c:gnu11 c:gnu17 ${cxx:+c++:c++11 c++:gnu++17 c++:c++20}; do
	compiles gcc -x "${language%%:*}" -std="${language#*:}" "$dir/all.c" ||
		{ cat "$dir/errors"; fails "region.h: $language"; }
done
exit $failed
