#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generated.sh - what is made from the event tables is in the tree as they make it.
. "$(dirname "$0")/steps.sh"

generate=$top/drivers/perf/sbi_pmu/vendor/xiangshan/generate.sh
"$generate" dts "$dir/dts" &&
	"$generate" docs "$dir/Documentation/admin-guide/perf" &&
	"$generate" perf-json "$dir/tools/perf/pmu-events" || exit
made() { find "$1/dts" "$1/tools/perf" "$1/Documentation" \( -name 'xiangshan-*.dts[io]' -o \
	-path '*openxiangshan*.json' -o -name 'sbi-pmu-events-*.rst' \) | sed "s|^$1/||" | sort; }
made "$dir" >"$dir/files"
[ "$(wc -l <"$dir/files")" -gt 20 ] || fails "hardly anything is made"
made "$top" | diff "$dir/files" - || failed=1
while read -r file; do
	diff -u "$top/$file" "$dir/$file" || failed=1
done <"$dir/files"
[ $failed = 0 ] || echo "make generated: writes them anew"
exit $failed
