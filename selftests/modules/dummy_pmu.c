// SPDX-License-Identifier: GPL-2.0-only
/*
 * dummy_pmu - register a PMU without events, so that its name is in use. For the test
 * name_conflict: sbi_pmu must report that its name is in use already.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

static char *name = "cpu";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "name of the PMU");

static int dummy_pmu_event_init(struct perf_event *event)
{
	return -ENOENT;
}

static struct pmu dummy_pmu = {
	.module = THIS_MODULE,
	.event_init = dummy_pmu_event_init,
};

static int __init dummy_pmu_init(void)
{
	return perf_pmu_register(&dummy_pmu, name, -1);
}

static void __exit dummy_pmu_exit(void)
{
	perf_pmu_unregister(&dummy_pmu);
}

module_init(dummy_pmu_init);
module_exit(dummy_pmu_exit);

MODULE_DESCRIPTION("register a PMU name, for tests");
MODULE_LICENSE("GPL");
