#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel-patch.sh LINUX PATCH - write a patch that adds the driver to the kernel's source tree
# LINUX: sources, Kconfig, Makefiles.
set -e
export LC_ALL=C
if [ $# != 2 ] || ! [ -e "$1/drivers/perf/Kconfig" ]; then
	echo "kernel-patch: '$1' is not a kernel's source tree: make kernel-patch LINUX=/path/to/linux" >&2
	exit 2
fi
if grep -q SBI_PMU "$1/drivers/perf/Makefile" && [ -e "$1/drivers/perf/sbi_pmu" ]; then
	echo "kernel-patch: $1 has this driver already: revert that patch first (patch -R)" >&2
	exit 2
fi
linux=$(cd "$1" && pwd)
mkdir -p "$(dirname "$2")"
out=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/.."
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT
driver=drivers/perf/sbi_pmu

# ---- the files ----

mkdir -p "$new/a/drivers/perf" "$new/b/$driver/include/sbi_pmu"
cp "$linux/drivers/perf/Kconfig" "$linux/drivers/perf/Makefile" "$new/a/drivers/perf/"

find $driver \( -name '*.[chS]' -o -name read.awk -o -name write-c.awk -o -name '*.tsv' \) ! -name '*.mod.c' ! -name riscv.tsv ! -name metrics.tsv -exec sh -ec '
	for file; do
		mkdir -p "$0/$(dirname "$file")"
		cp "$file" "$0/$file"
	done' "$new/b" {} +
cp -R include/compat "$new/b/$driver/include/"
cp include/sbi_pmu/version.h "$new/b/$driver/include/sbi_pmu/"
tools/version.sh "$new/b/$driver/include/sbi_pmu/version.h"

# The flags of Kbuild, and all of the Makefile
{
	sed '/^# Not in/d; /SBI_PMU_VERSION/d; /^obj-m/d' Kbuild
	sed '1d; s/^obj-m := /obj-$(CONFIG_SBI_PMU) := /' $driver/Makefile
} >"$new/b/$driver/Makefile"

cp "$linux/drivers/perf/Makefile" "$new/b/drivers/perf/"
echo 'obj-$(CONFIG_SBI_PMU) += sbi_pmu/' >>"$new/b/drivers/perf/Makefile"

cat >"$new/entry" <<'EOF2'
config SBI_PMU
	tristate "perf PMU on the RISC-V SBI PMU extension (sbi_pmu)"
	depends on RISCV && 64BIT && RISCV_SBI && KALLSYMS
	help
	  Count and sample the events that the SBI firmware offers, with
	  names of events where the core is known.

	  It stops RISCV_PMU_SBI while it is loaded, and is the PMU of the
	  CPUs. With mode=shared, while that driver counts, or where KVM is
	  loaded, it counts beside it, on counters that are free.

	  Choose M: the module is called sbi_pmu. Built in, it cannot test
	  reads of counters from user space, and does not offer them.

EOF2
# Before the end of the menu
end=$(grep -n '^endmenu' "$linux/drivers/perf/Kconfig" | tail -n 1 | cut -d : -f 1)
sed "$((end - 1))r $new/entry" "$linux/drivers/perf/Kconfig" >"$new/b/drivers/perf/Kconfig"

# ---- the patch ----

version=$(tools/version.sh)
{
	cat <<-EOF2
	perf: add sbi_pmu $version, a PMU on the RISC-V SBI PMU extension

	Written by "make kernel-patch" of sbi_pmu. Apply it with patch -p1 or git apply.

	The files are those of the module, with what only a module needs: the headers in
	include/compat, for older kernels, the search for symbols that are not exported to
	modules, and kprobes, which catch reads that trap.

	EOF2
	# Without the times of the files; new files as git knows them
	(cd "$new" && diff -urN a b || [ $? = 1 ]) | sed 's/^\(---\|+++\) \([^	]*\)	.*/\1 \2/
		s,^--- a/drivers/perf/sbi_pmu/.*,--- /dev/null,; /^diff -urN /d'
} >"$out.new"
mv "$out.new" "$out"
