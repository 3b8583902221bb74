#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# examples.sh - the programs in the pages about region.h compile without a warning, and
# region.h compiles as each C and C++ that it may be included in.
# Programs that use a library are only compiled if it is installed.
. "$(dirname "$0")/steps.sh"
include=$top/include/sbi_pmu
pages=$top/Documentation/admin-guide/perf

compiles() { # COMPILER ARGUMENT...
	"$@" -O2 -Wall -Wextra -Werror -I "$top/include" -I "$include" -c -o "$dir/object" \
		2>"$dir/errors"
}

# Names of the headers in <> that FILE includes and that are not there.
missing_headers() { # FILE
	sed -n 's/^#include <\(.*\)>$/\1/p' "$1" | while read -r header; do
		echo "#include <$header>" | g++ -x c++ -E - >/dev/null 2>&1 || echo "$header"
	done
}

without_cxx=
if ! command -v g++ >/dev/null; then
	without_cxx=1
	echo "skipped: g++ is not installed"
fi
programs=$(awk -v dir="$dir" -f "$top/selftests/host/examples.awk" "$pages/sbi-pmu-region.rst" \
	"$pages/sbi-pmu-rdcycle.rst")
# shellcheck disable=SC2086 # a name each
set -- $programs
[ $# -ge 6 ] || fails "only $# complete programs in the pages about region.h"
for program in $programs; do
	case $program in
	*.c)
		compiles gcc "$program" || { fails "${program##*/} does not compile"; cat "$dir/errors"; }
		continue
		;;
	esac
	[ -z "$without_cxx" ] || continue
	missing=$(missing_headers "$program" | head -n 1)
	if [ -n "$missing" ]; then
		echo "not compiled: ${program##*/}, which needs $missing"
		continue
	fi
	compiles g++ "$program" || { fails "${program##*/} does not compile"; cat "$dir/errors"; }
done

# A whole use of each function, in both languages.
cat >"$dir/all.c" <<-'EOF2'
	#include "region.h"
	int all(struct region *r, struct region_cycles *c, struct region_sum *sum, uint64_t *count);
	int all(struct region *r, struct region_cycles *c, struct region_sum *sum, uint64_t *count)
	{
		int error = region_open(r, "cycles,instructions");
		error = error ? error : region_begin(r);
		error = error ? error : region_end(r, sum);
		puts(region_why(r, error));
		puts(region_slow(r) ? "slow" : "fast");
		region_close(r);
		error = error ? error : region_cycles_open(c);
		error = error ? error : region_cycles_read(c, count);
		region_cycles_close(c);
		return error;
	}
EOF2
for std in gnu99 gnu11 gnu17; do
	compiles gcc -std=$std "$dir/all.c" || { fails "region.h: $std"; cat "$dir/errors"; }
done
for std in c++11 gnu++17 c++20; do
	[ -z "$without_cxx" ] || break
	compiles g++ -x c++ -std=$std "$dir/all.c" || { fails "region.h: $std"; cat "$dir/errors"; }
done
exit $failed
