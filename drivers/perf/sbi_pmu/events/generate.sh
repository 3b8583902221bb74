#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generate.sh [TOP] - write what is made from the event tables into a tree, by
# default this one: device trees, perf's JSON, documentation.
set -e
cd "$(dirname "$0")"
top=${1:-../../../..}
tables="user-guide v2r2-2025 v2r2-2026 v3"
json=$top/tools/perf/pmu-events/arch/riscv/openxiangshan
rst=$top/Documentation/admin-guide/perf

# write FILE WRITER OPTION...; a table that is refused leaves the file as it was.
write() {
	file=$1 writer=$2
	shift 2
	mkdir -p "$(dirname "$file")"
	${AWK:-awk} -f read.awk -f "$writer" "$@" sums.tsv standard.tsv metrics.tsv \
		user-guide.tsv v2r2-2025.tsv v2r2-2026.tsv v3.tsv >"$file.new" ||
		{ rm "$file.new"; return 1; }
	mv "$file.new" "$file"
}

for t in $tables; do
	write "$top/dts/xiangshan-$t.dtsi" write-dts.awk -v only="$t"
	write "$top/dts/xiangshan-$t-virt.dtso" write-dts.awk -v only="$t" -v overlay=1
	write "$rst/sbi-pmu-events-$t.rst" write-rst.awk -v only="$t"
	for topic in frontend backend memory cache metrics; do
		write "$json/kunminghu-$t/$topic.json" write-json.awk -v only="$t" -v topic=$topic
		# An empty list is no file of perf's.
		grep -q '"' "$json/kunminghu-$t/$topic.json" || rm "$json/kunminghu-$t/$topic.json"
	done
done
