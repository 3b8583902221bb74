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
xiangshan="xiangshan/events.tsv xiangshan/combined.tsv xiangshan/riscv.tsv xiangshan/metrics.tsv"

# write FILE ARGUMENT-OF-AWK...: data with an error leaves the file as it was.
write() {
	file=$folder/$1
	shift
	${AWK:-awk} -f read.awk "$@" >"$file.new" || { rm "$file.new"; return 1; }
	mv "$file.new" "$file"
}

# shellcheck disable=SC2013,SC2086 # lists
for t in $(sed -n 's/^#core	\([^	]*\)	.*/\1/p' xiangshan/events.tsv); do
	case $1 in
	dts)
		write "xiangshan-$t.dtsi" -f write-dts.awk -v only="$t" $xiangshan
		write "xiangshan-$t-virt.dtso" -f write-dts.awk -v only="$t" -v overlay=1 $xiangshan
		;;
	docs) write "sbi-pmu-events-$t.rst" -f write-rst.awk -v only="$t" $xiangshan ;;
	esac
done
# shellcheck disable=SC2046,SC2086 # lists
case $1 in
perf-json) # arch/ is as in tools/perf/pmu-events of the kernel
	export FOLDER="$folder/arch/riscv"
	write lines -f write-json.awk $(sed -n 's/^cores := //p' ../Makefile) spacemit/metrics.tsv thead/metrics.tsv $xiangshan
	cat xiangshan/perf-mapfile.csv "$folder/lines" >"$folder/mapfile-lines.csv"
	rm "$folder/lines"
	;;
dts) # boards without a node riscv,pmu, or with a wrong one
	for board in k1:x60 k3:x100,a100 milkv-duo:c906 th1520:c900 jh7110:u74 eic7700:p550 rzfive:ax45; do
		../../../../tools/sbi-pmu-map/sbi-pmu-map -w -c "${board#*:}" >"$folder/${board%:*}.dtso"
	done
	;;
esac
