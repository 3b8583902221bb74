#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# generate.sh dts|docs|perf-json FOLDER - write files made from the event data into FOLDER: device
# trees, pages of all events, or files for perf's source tree.
set -e
export LC_ALL=C
case $1,$# in
dts,2 | docs,2 | perf-json,2) ;;
*) echo "usage: generate.sh dts|docs|perf-json FOLDER" >&2; exit 2 ;;
esac
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")"
cores=$(sed -n 's/^cores := //p' ../Makefile)

# write FILE AWK-ARGUMENT...: data with an error leaves the file as it was.
write() {
	file=$folder/$1
	shift
	mkdir -p "$(dirname "$file")"
	${AWK:-awk} -f read.awk "$@" >"$file.new" || { rm "$file.new"; return 1; }
	mv "$file.new" "$file"
}

# write_table FILE WRITER OPTION...: of a table of XiangShan's
write_table() {
	file=$1 writer=$2
	shift 2
	write "$file" -f "$writer" "$@" xiangshan/events.tsv xiangshan/combined.tsv xiangshan/riscv.tsv \
		xiangshan/metrics.tsv
}

# arch/ is as in tools/perf/pmu-events of the kernel; perf wants no empty files.
write_json() {
	model=arch/riscv/openxiangshan/kunminghu-$1
	for topic in frontend backend memory cache metrics; do
		write_table "$model/$topic.json" write-json.awk -v only="$1" -v topic=$topic
		grep -q '"' "$folder/$model/$topic.json" || rm "$folder/$model/$topic.json"
	done
}

# Of the cores that perf does not know. Its pattern for a number is a regular expression.
write_core_json() {
	for family in $cores; do
		sed -n 's/^#core	\([^	]*\)	.*/\1/p' "$family" | while read -r core; do
			grep -q "^#stock	$core	" "$family" && continue
			model=${family%%/*}/$core
			write "arch/riscv/$model/events.json" -f write-json.awk \
				-v only="$core" -v topic=events "$family"
			sed -n "s/^#id	$core	//p" "$family" | sed 's/	/-/g; s/\*/[[:xdigit:]]+/; s/-\[\[/-0x[[/' |
				sed "s|\$|,v1,$model,core|" >>"$folder/mapfile-lines.csv"
		done
	done
}

for t in $(sed -n 's/^#core	\([^	]*\)	.*/\1/p' xiangshan/events.tsv); do
	case $1 in
	dts)
		write_table "xiangshan-$t.dtsi" write-dts.awk -v only="$t"
		write_table "xiangshan-$t-virt.dtso" write-dts.awk -v only="$t" -v overlay=1
		;;
	docs) write_table "sbi-pmu-events-$t.rst" write-rst.awk -v only="$t" ;;
	perf-json) write_json "$t" ;;
	esac
done
case $1 in
perf-json)
	cp xiangshan/perf-mapfile.csv "$folder/mapfile-lines.csv"
	write_core_json
	;;
dts) # boards without a node riscv,pmu, or with a wrong one
	for board in k1:x60 milkv-duo:c906 th1520:c900 jh7110:u74 eic7700:p550 rzfive:ax45; do
		../../../../tools/sbi-pmu-map/sbi-pmu-map -w -c "${board#*:}" >"$folder/${board%:*}.dtso"
	done
	;;
esac
