#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# series.sh GROUP SOURCE FOLDER - write the patches of a group, which are made from this tree, to a new FOLDER.
# GROUP: sbi_pmu or perf-json, with SOURCE, a source tree of Linux; or libpfm4, with one of libpfm4.
set -e
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
if [ $# != 3 ] || ! [ -e "$here/$1/pieces" ] || ! [ -d "$2" ]; then
	echo "usage: series.sh sbi_pmu|perf-json|libpfm4 SOURCE FOLDER" >&2
	exit 2
fi
group=$1
source=$(cd "$2" && pwd)
mkdir "$3"
out=$(cd "$3" && pwd)
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
cd "$here/../.."

# Files of the cores that perf lacks. XiangShan's event tables share their ids: no mapfile can choose one.
perf_json() {
	events=tools/perf/pmu-events/arch/riscv
	mkdir -p "$new/a/$events"
	cp "$source/$events/mapfile.csv" "$new/a/$events/"
	drivers/perf/sbi_pmu/vendor/generate.sh perf-json "$new/made"
	cp -R "$new/a" "$new/b"
	cp -R "$new/made/arch/riscv/." "$new/b/$events"
	rm -r "$new/b/$events/openxiangshan"
	sed '/^#/d; /openxiangshan/d' "$new/made/mapfile-lines.csv" >>"$new/b/$events/mapfile.csv"
	(cd "$new" && diff -urN a b || [ $? = 1 ]) | sed 's/^\(---\|+++\) \([^	]*\)	.*/\1 \2/
		s,^--- a/.*\.json,--- /dev/null,; /^diff -urN /d'
}

case $group in
sbi_pmu) tools/kernel-patch.sh "$source" "$new/whole" ;;
libpfm4) tools/libpfm4/libpfm4.sh "$source" "$new" && mv "$new/libpfm4.patch" "$new/whole" ;;
perf-json) perf_json >"$new/whole" ;;
esac
cp "$here/$group/0000-cover-letter.patch" "$out/"
${AWK:-awk} -v out="$out" -f "$here/split.awk" "$here/$group/pieces" "$new/whole"
