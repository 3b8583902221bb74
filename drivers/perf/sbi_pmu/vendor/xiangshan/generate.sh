#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generate.sh dts|docs|perf-json|libpfm4|likwid FOLDER - write files made from the event data into
# FOLDER: device trees, pages of all events, or files for the source trees of perf, libpfm4 or
# likwid.
set -e
case $1,$# in
dts,2 | docs,2 | perf-json,2 | libpfm4,2 | likwid,2) ;;
*) echo "usage: generate.sh dts|docs|perf-json|libpfm4|likwid FOLDER" >&2; exit 2 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")"

# write FILE WRITER OPTION...: data with an error leaves the file as it was.
write() {
	file=$folder/$1 writer=$2
	shift 2
	mkdir -p "$(dirname "$file")"
	${AWK:-awk} -f read.awk -f "$writer" "$@" combined.tsv standard.tsv riscv.tsv \
		metrics.tsv events.tsv >"$file.new" || { rm "$file.new"; return 1; }
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

write_likwid() {
	for group in $(sed -n '/^#/d; s/^[^	]*	\([^	]*\)	.*/\1/p' metrics.tsv | sort -u); do
		name=groups/xiangshan_$1/$(echo "$group" | tr a-z A-Z).txt
		write "$name" write-likwid.awk -v only="$1" -v group="$group"
		[ -s "$folder/$name" ] || rm "$folder/$name"
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
	libpfm4)
		write "lib/events/riscv_xiangshan_$(echo "$t" | tr - _)_events.h" \
			write-libpfm4.awk -v only="$t"
		;;
	likwid) write_likwid "$t" ;;
	esac
done
[ "$1" != perf-json ] || cp perf-mapfile.csv "$folder/mapfile-lines.csv"
