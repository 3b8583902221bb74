// SPDX-License-Identifier: GPL-2.0-only
/*
 * drop_irq - takes a counter overflow interrupt away, as broken hardware does: for
 * the test that the driver notices. It does so once, when it is loaded, on the
 * CPU that loads it.
 */
#define pr_fmt(fmt) "drop_irq: " fmt

#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/module.h>

#include <asm/csr.h>

#define LCOFI	BIT(13)

static unsigned int wait_ms = 500;
module_param(wait_ms, uint, 0444);
MODULE_PARM_DESC(wait_ms, "how long to wait for an interrupt, with all of them off");

/* Clears it before the hart can take it. */
static bool steal(u64 until)
{
	while (!(csr_read(CSR_SIP) & LCOFI)) {
		if (ktime_get_mono_fast_ns() > until)
			return false;
		cpu_relax();
	}
	csr_clear(CSR_SIP, LCOFI);
	return true;
}

static int __init drop_irq_init(void)
{
	unsigned long flags;
	bool stolen;

	local_irq_save(flags);
	stolen = steal(ktime_get_mono_fast_ns() + wait_ms * NSEC_PER_MSEC);
	local_irq_restore(flags);
	if (!stolen) {
		pr_info("no overflow interrupt came\n");
		return -ETIME;
	}
	pr_info("an overflow interrupt is lost\n");
	return 0;
}

static void __exit drop_irq_exit(void)
{
}

module_init(drop_irq_init);
module_exit(drop_irq_exit);

MODULE_DESCRIPTION("loses a counter overflow interrupt, for tests");
MODULE_LICENSE("GPL");
