// SPDX-License-Identifier: GPL-2.0-only
/*
 * drop_irq - clear one pending counter overflow interrupt (LCOFI, or T-Head's) on the CPU that
 * loads this module, as broken hardware does. For the test lost_irq.
 */
#define pr_fmt(fmt) "drop_irq: " fmt

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include <asm/csr.h>

#define LCOFI		BIT(13)
#define THEAD		BIT(17)	/* pending as long as an overflow bit is set */
#define THEAD_OVERFLOW	0x5c5	/* these bits */

static unsigned int wait_ms = 500;
module_param(wait_ms, uint, 0444);
MODULE_PARM_DESC(wait_ms, "how long to wait for the interrupt, with interrupts disabled");

/* Clear the interrupt until @until, interrupts disabled. Return: whether one was cleared. */
static bool drop_interrupt(u64 until)
{
	while (!(csr_read(CSR_SIP) & (LCOFI | THEAD))) {
		if (ktime_get_mono_fast_ns() > until)
			return false;
		cpu_relax();
	}
	if (csr_read_clear(CSR_SIP, LCOFI) & THEAD)
		csr_write(THEAD_OVERFLOW, 0);
	return true;
}

static int __init drop_irq_init(void)
{
	unsigned long flags;
	bool dropped;

	local_irq_save(flags);
	dropped = drop_interrupt(ktime_get_mono_fast_ns() + wait_ms * NSEC_PER_MSEC);
	local_irq_restore(flags);
	if (!dropped) {
		pr_info("no overflow interrupt in %u ms\n", wait_ms);
		return -ETIME;
	}
	pr_info("dropped an overflow interrupt\n");
	return 0;
}

static void __exit drop_irq_exit(void)
{
}

module_init(drop_irq_init);
module_exit(drop_irq_exit);

MODULE_DESCRIPTION("drop a counter overflow interrupt, for tests");
MODULE_LICENSE("GPL");
