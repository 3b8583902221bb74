// SPDX-License-Identifier: GPL-2.0-only
/*
 * hang - stop this CPU for seconds while the module is loaded, then reset the machine, as the user
 * of a hung one does: nothing is written to disk. For packages-start.sh.
 */
#define pr_fmt(fmt) "hang: " fmt

#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/module.h>
#include <linux/reboot.h>

static int __init hang_init(void)
{
	pr_info("the machine hangs\n");
	local_irq_disable();
	mdelay(3000);
	emergency_restart();
	return -EIO;
}

static void __exit hang_exit(void)
{
}

module_init(hang_init);
module_exit(hang_exit);

MODULE_DESCRIPTION("hang while it is loaded, for tests");
MODULE_LICENSE("GPL");
