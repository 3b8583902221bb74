// SPDX-License-Identifier: GPL-2.0-only
/*
 * squatter - a PMU that does nothing but have a name: for the test that
 * sbi_pmu notices when its own is taken.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

static char *name = "cpu";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "the name to take");

static int squatter_event_init(struct perf_event *event)
{
	return -ENOENT;
}

static struct pmu squatter = {
	.module = THIS_MODULE,
	.event_init = squatter_event_init,
};

static int __init squatter_init(void)
{
	return perf_pmu_register(&squatter, name, -1);
}

static void __exit squatter_exit(void)
{
	perf_pmu_unregister(&squatter);
}

module_init(squatter_init);
module_exit(squatter_exit);

MODULE_DESCRIPTION("takes a PMU name, for tests");
MODULE_LICENSE("GPL");
