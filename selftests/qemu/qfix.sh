#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# qfix.sh OUT - run in a build root: Debian's QEMU with its PMU mended and with
# XiangShan's counters (xiangshan-hpm/, beside this script), as OUT.

mkdir /tmp/qemu
cd /tmp/qemu
apt-get -q update
apt-get -q source --download-only qemu
tar xf qemu_*.orig.tar.*
cd qemu-*/

# Replace text that must stand on exactly one line, or this is not the source
# that the mend was made for.
edit() { # FILE FROM TO
	[ "$(grep -cF -- "$2" "$1")" = 1 ] || { echo "qfix: not one '$2' in $1"; exit 1; }
	python3 - "$@" <<-'PY'
	import sys
	name, old, new = sys.argv[1:]
	text = open(name).read().replace(old, new)
	open(name, "w").write(text)
	PY
}

# Since QEMU 8, bit 13 (LCOFI) of mie and sie cannot be written: the mask of
# the local interrupts starts at bit 16, and no other mask holds bit 13. With
# that mask starting at bit 13 the counter overflow interrupt is delivered.
edit target/riscv/csr.c '(~0xFFFFULL)' '(~0x1FFFULL)'

# Cycles and instructions are ticks of the host's clock, but the timer of their
# overflows takes what is left for nanoseconds: overflows are late by the ratio.
# One a nanosecond is right for both, and stands still when the machine does.
now='qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)'
edit target/riscv/csr.c 'curr_val = cpu_get_host_ticks();' "curr_val = $now;"
edit target/riscv/pmu.c 'current_icount = cpu_get_host_ticks();' "current_icount = $now;"
edit target/riscv/pmu.c 'current_ticks = cpu_get_host_ticks();' "current_ticks = $now;"

# Where instructions are the clock (-icount), cycles are its nanoseconds as well, and not
# instructions that would have to be made nanoseconds: their overflows would be late by that.
edit target/riscv/pmu.c 'overflow_ns = pmu_icount_ticks_to_ns((int64_t)overflow_delta);' \
	'overflow_ns = riscv_pmu_ctr_monitor_cycles(env, ctr_idx) ? (int64_t)overflow_delta :
                      pmu_icount_ticks_to_ns((int64_t)overflow_delta);'

# What is left of an overflow too far off for a timer stays when the counter is written
# anew, and is waited for again. So it is for a KVM guest's: KVM has its counter count on for
# nearly ever, until the guest has written it.
edit target/riscv/pmu.c 'if (overflow_at > INT64_MAX) {' 'counter->irq_overflow_left = 0;
    if (overflow_at > INT64_MAX) {'

# An overflow's timer goes off in QEMU's main thread, which looks up the event's counter in
# a table that the hart changes in its own thread: now and then it finds no end in there,
# with QEMU's lock held, and all stands still. The hart looks itself.
edit target/riscv/pmu.c 'void riscv_pmu_timer_cb(void *priv)' \
	'static void riscv_pmu_timer_work(CPUState *cs, run_on_cpu_data unused);

void riscv_pmu_timer_cb(void *priv)
{
    async_run_on_cpu(CPU(priv), riscv_pmu_timer_work, RUN_ON_CPU_NULL);
}

static void riscv_pmu_timer_work(CPUState *cs, run_on_cpu_data unused)'
edit target/riscv/pmu.c 'RISCVCPU *cpu = priv;' 'RISCVCPU *cpu = RISCV_CPU(cs);'

# The counters of XiangShan's cores: a property of the CPU, a call when it has
# been read, and one before each change of mode.
cp "$(dirname "$0")"/xiangshan-hpm/*.[ch] target/riscv/
edit target/riscv/meson.build "  'pmu.c'," "  'pmu.c', 'xiangshan-hpm.c',"
edit target/riscv/cpu.h 'GHashTable *pmu_event_ctr_map;' 'GHashTable *pmu_event_ctr_map;
    char *xiangshan_hpm_table;
    struct xiangshan_hpm *xiangshan_hpm;'
edit target/riscv/cpu.c '{.name = "pmu-mask", .info = &prop_pmu_mask},' \
	'{.name = "pmu-mask", .info = &prop_pmu_mask},
    DEFINE_PROP_STRING("xiangshan-hpm", RISCVCPU, xiangshan_hpm_table),'
edit target/riscv/tcg/tcg-cpu.c '#include "pmu.h"' '#include "pmu.h"
#include "xiangshan-hpm.h"'
edit target/riscv/tcg/tcg-cpu.c 'if (cpu->cfg.pmu_mask) {' 'xiangshan_hpm_realize(cpu, &local_err);
    if (local_err) {
        error_propagate(errp, local_err);
        return;
    }
    if (cpu->cfg.pmu_mask) {'
edit target/riscv/cpu_helper.c '#include "pmu.h"' '#include "pmu.h"
#include "xiangshan-hpm.h"'
edit target/riscv/cpu_helper.c 'riscv_pmu_update_fixed_ctrs(env, newpriv, virt_en);' \
	'riscv_pmu_update_fixed_ctrs(env, newpriv, virt_en);
        xiangshan_hpm_mode(env, newpriv, virt_en);'

# Debian's tarball has no ROM blobs; the machine used here needs none.
echo 'roms = []' > pc-bios/meson.build

./configure --target-list=riscv64-softmmu --without-default-features \
	--enable-tcg --enable-system --enable-fdt=system --disable-docs \
	--disable-werror --disable-download
ninja -C build qemu-system-riscv64
strip -o "$1" build/qemu-system-riscv64
