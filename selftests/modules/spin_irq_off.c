// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin_irq_off - spin half of the time with interrupts disabled, on the CPU that loads this module,
 * and say how long that was by the clock. With registers=1 look whether what interrupts that has
 * changed a register. For tests and pictures of overflow=sse.
 */
#define pr_fmt(fmt) "spin_irq_off: " fmt

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/timex.h>

#include <asm/csr.h>
#include <asm/delay.h>
#include <asm/timex.h>

#include "../registers.h"

static unsigned int total_ms = 1000;
module_param(total_ms, uint, 0444);
MODULE_PARM_DESC(total_ms, "how long, in all");

static unsigned int spin_us = 5000;
module_param(spin_us, uint, 0444);
MODULE_PARM_DESC(spin_us, "how long at a time, and then with interrupts enabled");

/*
 * Two functions, so that a profile tells them apart; they call none. Interrupts are enabled again
 * outside, where the samples of the first are if they had to wait.
 */
static noinline void spin_irqs_off(cycles_t ticks)
{
	const cycles_t start = get_cycles();

	while (get_cycles() - start < ticks)
		;
	barrier();
}

static noinline void spin_irqs_on(cycles_t ticks)
{
	const cycles_t start = get_cycles();

	while (get_cycles() - start < ticks)
		;
}

/* What was seen: time (us), and where the functions are */
static unsigned long off_us, on_us;
static unsigned long off_function = (unsigned long)spin_irqs_off;
static unsigned long on_function = (unsigned long)spin_irqs_on;
module_param(off_us, ulong, 0444);
module_param(on_us, ulong, 0444);
module_param(off_function, ulong, 0444);
module_param(on_function, ulong, 0444);

static unsigned int registers;
module_param(registers, uint, 0444);
MODULE_PARM_DESC(registers, "see whether registers keep their values");

/* CSRs that the kernel reads or sets first of all after a trap, and last before it returns */
#define CSRS(op)	op(0, CSR_SEPC) op(1, CSR_SCAUSE) op(2, CSR_STVAL) op(3, CSR_SSCRATCH)

/* Interrupts disabled, as if in the middle of entry code. Return: 0, or a bit for each change */
static u64 changed_in_kernel(unsigned long rounds)
{
	const unsigned long value[] = { 0xffffffff80001234, 15, 0xffffffff80005678, 0 };
	unsigned long status, now, flags;
	u64 changed;

	local_irq_save(flags);
	csr_set(CSR_SSTATUS, SR_SUM | SR_SPIE | SR_SPP);
	status = csr_read(CSR_SSTATUS) & (SR_SUM | SR_SPIE | SR_SPP | SR_SIE);
#define SET(i, csr)	csr_write(csr, value[i]);
	CSRS(SET)
	changed = changed_registers(rounds, 0);
#define COMPARE(i, csr)	now = csr_read(csr); changed |= (u64)(now != value[i]) << (32 + (i));
	CSRS(COMPARE)
	now = csr_read(CSR_SSTATUS) & (SR_SUM | SR_SPIE | SR_SPP | SR_SIE);
	changed |= (u64)(now != status) << 36;
	csr_clear(CSR_SSTATUS, SR_SUM);
	local_irq_restore(flags);
	return changed;
}

/* Not of the module's initialization: so its name is there when perf looks for it. */
static noinline int spin(void)
{
	u64 now = ktime_get_mono_fast_ns(), off = 0, on = 0, then;
	const u64 end = now + total_ms * (u64)NSEC_PER_MSEC;
	unsigned long flags;
	const cycles_t ticks = div_u64((u64)spin_us * riscv_timebase, USEC_PER_SEC);

	while (registers && now < end) {
		const u64 changed = changed_in_kernel(100000);

		if (changed) {
			pr_err("registers have changed: %#llx\n", changed);
			return -EIO;
		}
		cond_resched();
		now = ktime_get_mono_fast_ns();
	}
	while (now < end) {
		local_irq_save(flags);
		now = ktime_get_mono_fast_ns();
		spin_irqs_off(ticks);
		then = ktime_get_mono_fast_ns();
		local_irq_restore(flags); /* what had to wait runs here */
		off += then - now;
		then = ktime_get_mono_fast_ns();
		spin_irqs_on(ticks);
		now = ktime_get_mono_fast_ns();
		on += now - then;
	}
	off_us = off / 1000;
	on_us = on / 1000;
	return 0;
}

static int __init spin_irq_off_init(void)
{
	return spin();
}

static void __exit spin_irq_off_exit(void)
{
}

module_init(spin_irq_off_init);
module_exit(spin_irq_off_exit);

MODULE_DESCRIPTION("spin with interrupts disabled, for tests");
MODULE_LICENSE("GPL");
