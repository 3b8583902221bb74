#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel-patch.sh - the patch for a kernel's source tree has all files that the driver is built from,
# and the series of tools/upstream have the same. That they build is tested by make check-debug.
. "$(dirname "$0")/steps.sh"
linux=$dir/linux
patch=$dir/build/sbi_pmu.patch

kernel_patch() { "$top/tools/kernel-patch.sh" "$1" "$patch" >"$dir/said" 2>&1; }

# The lines that the patch adds to a file
added_to() { # FILE
	awk -v file="+++ b/drivers/perf/$1" '
		/^\+\+\+ / { on = $0 == file; next }
		on && /^\+/ { print substr($0, 2) }' "$patch"
}

mkdir -p "$linux/drivers/perf"
printf 'menu "perf"\n\nif A\nmenu "b"\nendmenu\nendif\n\nendmenu\n' >"$linux/drivers/perf/Kconfig"
echo 'obj-y += core.o' >"$linux/drivers/perf/Makefile"
kernel_patch "$linux" || fails "no patch:" "$(cat "$dir/said")"

for file in $(cd "$top/drivers/perf" && find sbi_pmu -name '*.c' ! -name '*.mod.c' -o -name '*.[hS]' -o \
	-name read.awk -o -name write-c.awk) \
	$(sed -n 's/^cores := //p' "$top/drivers/perf/sbi_pmu/Makefile" | tr ' ' '\n' | sed 's,^,sbi_pmu/vendor/,') \
	sbi_pmu/vendor/xiangshan/events.tsv sbi_pmu/vendor/xiangshan/combined.tsv; do
	added_to "$file" | cmp -s - "$top/drivers/perf/$file" || fails "the patch has not $file"
done
[ "$(added_to Makefile)" = 'obj-$(CONFIG_SBI_PMU) += sbi_pmu/' ] ||
	fails "the folder is not in the Makefile"
[ "$(sed -n '/^+config SBI_PMU/,/^ endmenu/p' "$patch" | grep -c '^ ')" = 1 ] ||
	fails "the entry is not before the end of the menu"
grep -q '^obj-m' "$patch" && fails "the patch builds a module only"

# Nothing is lost when it is split. Of perf's own files the tree has what is added to.
events=$linux/tools/perf/pmu-events/arch/riscv
mkdir -p "$events"
echo 'MVENDORID-MARCHID-MIMPID,Version,Filename,EventType' >"$events/mapfile.csv"
for group in sbi_pmu perf-json; do
	"$top/tools/upstream/series.sh" $group "$linux" "$dir/$group" || fails "no series $group"
	found=$(find "$dir/$group" -name '0*[1-9]*-*.patch' | wc -l)
	grep -q "^| .$group. | $found |" "$top/tools/upstream/README.md" || fails "$group has $found patches"
done
cat "$dir"/sbi_pmu/0*.patch | grep '^+' | sort >"$dir/pieces"
grep '^+' "$patch" | sort | cmp "$dir/pieces" - || fails "the series differs from the patch"

# A tree without drivers/perf, and one that has the driver, are refused.
! kernel_patch "$dir" && grep -q 'LINUX=/path' "$dir/said" || fails "no kernel is not refused"
added_to Makefile >>"$linux/drivers/perf/Makefile"
mkdir "$linux/drivers/perf/sbi_pmu"
! kernel_patch "$linux" && grep -q 'has this driver' "$dir/said" || fails "a second patch is not refused"
exit $failed
