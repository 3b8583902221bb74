#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# libpfm4.sh - the generated headers compile with libpfm4's, and have the events of perf's JSON
# under codes that libpfm4 accepts. Needs libpfm4-dev.
. "$(dirname "$0")/steps.sh"
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan

# "NAME code" of the events in the JSON of a table; the names as libpfm4 has them. Names of RISC-V
# International have dots, with which libpfm4 separates modifiers.
in_json() { # TABLE
	awk -F '"' '
		$2 == "EventName" { name = toupper($4) }
		$2 == "EventCode" && name !~ /\./ { print name, $4 }
		' "$dir/json/arch/riscv/openxiangshan/kunminghu-$1"/*.json | sort
}

in_header() { # TABLE
	table=$(echo "$1" | tr - _)
	${CC:-gcc} -Wall -Wextra -Werror -I"$dir/pfm/lib/events" \
		-DEVENTS="\"riscv_xiangshan_${table}_events.h\"" \
		-DTABLE="riscv_xiangshan_${table}_pe" -o "$dir/program" \
		"$top/selftests/consumers/libpfm4.c" -lpfm && "$dir/program" >"$dir/out" &&
		sort "$dir/out"
}

same() { # TABLE
	in_json "$1" >"$dir/want"
	in_header "$1" >"$dir/got" && diff "$dir/want" "$dir/got" && [ -s "$dir/got" ]
}

"$events/generate.sh" perf-json "$dir/json" && "$events/generate.sh" libpfm4 "$dir/pfm" || exit
for t in $(sed -n 's/^#title	\([^	]*\)	.*/\1/p' "$events/events.tsv"); do
	same "$t" || fails "$t: libpfm4 has other events than perf"
	echo "$t: $(wc -l <"$dir/got") events"
done

# A wrong code is found.
sed -i 's/= 0x2ULL/= 0x3ULL/' "$dir/pfm/lib/events/riscv_xiangshan_v3_events.h"
! same v3 >"$dir/said" || fails "a wrong code is not found"
exit $failed
