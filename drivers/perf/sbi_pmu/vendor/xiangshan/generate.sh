#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generate.sh dts|docs|perf-json FOLDER - write files made from the event data into FOLDER: device
# trees, pages of all events, or files for perf's source tree.
set -e
case $1,$# in
dts,2 | docs,2 | perf-json,2) ;;
*) echo "usage: generate.sh dts|docs|perf-json FOLDER" >&2; exit 2 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")"

# write FILE WRITER OPTION...: data with an error leaves the file as it was.
write() {
	file=$folder/$1 writer=$2
	shift 2
	mkdir -p "$(dirname "$file")"
	${AWK:-awk} -f read.awk -f "$writer" "$@" events.tsv combined.tsv standard.tsv \
		riscv.tsv metrics.tsv >"$file.new" || { rm "$file.new"; return 1; }
	mv "$file.new" "$file"
}

# arch/ is as in tools/perf/pmu-events of the kernel; perf wants no empty files.
write_json() {
	model=arch/riscv/openxiangshan/kunminghu-$1
	for topic in frontend backend memory cache metrics; do
		write "$model/$topic.json" write-json.awk -v only="$1" -v topic=$topic
		grep -q '"' "$folder/$model/$topic.json" || rm "$folder/$model/$topic.json"
	done
}

for t in $(sed -n 's/^#title	\([^	]*\)	.*/\1/p' events.tsv); do
	case $1 in
	dts)
		write "xiangshan-$t.dtsi" write-dts.awk -v only="$t"
		write "xiangshan-$t-virt.dtso" write-dts.awk -v only="$t" -v overlay=1
		;;
	docs) write "sbi-pmu-events-$t.rst" write-rst.awk -v only="$t" ;;
	perf-json) write_json "$t" ;;
	esac
done
[ "$1" != perf-json ] || cp perf-mapfile.csv "$folder/mapfile-lines.csv"
