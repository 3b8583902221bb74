#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# libpfm4.sh LIBPFM4 FOLDER - write into FOLDER a patch that adds the cores of the event data to the
# source tree LIBPFM4, and PAPI's presets on these cores: libpfm4.patch, papi_events.csv.
set -e
export LC_ALL=C
if [ $# != 2 ] || ! [ -e "$1/lib/pfmlib_common.c" ]; then
	echo "libpfm4: '$1' is not a source tree of libpfm4: make libpfm4 LIBPFM4=/path/to/libpfm-4" >&2
	exit 2
fi
tree=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")"
new=$(mktemp -d)
trap 'rm -rf "$new"' EXIT

# insert FILE TEXT: in a copy of the file, standard input before the first line that has the text
insert() {
	mkdir -p "$new/a/$(dirname "$1")" "$new/b/$(dirname "$1")"
	cp "$tree/$1" "$new/a/$1" || exit
	cat >"$new/text"
	${AWK:-awk} -v at="$2" -v text="$new/text" '
		!done && index($0, at) { while ((getline line < text) > 0) print line; done = 1 }
		{ print }
		END { exit !done }' "$tree/$1" >"$new/b/$1" ||
		{ echo "libpfm4: $1 has no line '$2': is it another version?" >&2; exit 1; }
}

# ---- the files ----

mkdir -p "$new/b/lib/events"
cp pfmlib_riscv.c "$new/b/lib/"
vendor=../../drivers/perf/sbi_pmu/vendor
cores=$(sed -n 's/^cores := //p' $vendor/../Makefile)
{
	echo "/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */"
	echo "/* Written by make libpfm4 of sbi_pmu; do not edit. */"
	# shellcheck disable=SC2046,SC2086 # words
	${AWK:-awk} -f $vendor/read.awk -f write-libpfm4.awk \
		$(for file in $cores xiangshan/events.tsv xiangshan/combined.tsv; do echo "$vendor/$file"; done)
} >"$new/b/lib/events/riscv_events.h"
names=$(sed -n 's/^RISCV_TABLE(\([^,]*\),.*/\1/p' "$new/b/lib/events/riscv_events.h")
names="$names other"

insert config.mk 'ifeq ($(ARCH),cell)' <<'EOF2'
ifeq ($(ARCH),riscv64)
CONFIG_PFMLIB_ARCH_RISCV=y
endif

EOF2
insert lib/Makefile 'ifeq ($(CONFIG_PFMLIB_CELL)' <<'EOF2'
ifeq ($(CONFIG_PFMLIB_ARCH_RISCV),y)
INCARCH = events/riscv_events.h
SRCS   += pfmlib_riscv.c
CFLAGS += -DCONFIG_PFMLIB_ARCH_RISCV
endif

EOF2
for name in $names; do
	echo "	PFM_PMU_RISCV_$name," | tr a-z A-Z
done | insert include/perfmon/pfmlib.h 'MUST ADD NEW PMU MODELS HERE'
for name in $names; do
	echo "extern pfmlib_pmu_t riscv_${name}_support;"
done | insert lib/pfmlib_priv.h 'extern pfmlib_os_t *pfmlib_os;'
{
	echo "#ifdef CONFIG_PFMLIB_ARCH_RISCV"
	for name in $names; do echo "	&riscv_${name}_support,"; done
	echo "#endif"
} | insert lib/pfmlib_common.c '#ifdef CONFIG_PFMLIB_ARCH_IA64'

# ---- what is written ----

# Without the times of the files; new files as git knows them
{
	printf 'Add RISC-V cores\n\nWritten by "make libpfm4" of sbi_pmu. Apply it with patch -p1.\n\n'
	(cd "$new" && diff -urN a b || [ $? = 1 ]) | sed 's/^\(---\|+++\) \([^	]*\)	.*/\1 \2/
		s,^--- a/lib/.*riscv.*,--- /dev/null,; /^diff -urN /d'
} >"$new/patch"
mv "$new/patch" "$out/libpfm4.patch"

# The kernel knows which event of a core is which general one.
{
	for name in $names; do echo "CPU,riscv_$name"; done
	while read -r preset event; do echo "PRESET,PAPI_$preset,NOT_DERIVED,perf::$event"; done <<'EOF2'
TOT_CYC CYCLES
TOT_INS INSTRUCTIONS
REF_CYC REF-CYCLES
BR_INS BRANCH-INSTRUCTIONS
BR_MSP BRANCH-MISSES
L1_DCR L1-DCACHE-LOADS
L1_DCW L1-DCACHE-STORES
L1_LDM L1-DCACHE-LOAD-MISSES
L1_STM L1-DCACHE-STORE-MISSES
L1_ICA L1-ICACHE-LOADS
L1_ICM L1-ICACHE-LOAD-MISSES
TLB_IM ITLB-LOAD-MISSES
EOF2
} >"$out/papi_events.csv"
