// SPDX-License-Identifier: GPL-2.0-only
/*
 * late_irq - delay one counter overflow interrupt (LCOFI) of the CPU that loads this module
 * until the next context switch, as if it came just before. For the test lost_irq.
 */
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include <asm/csr.h>

#define LCOFI	BIT(13)

static struct tracepoint *sched_switch;
static int cpu;
static bool done;

static void find_sched_switch(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_switch"))
		sched_switch = tp;
}

/* Interrupts are disabled until the next task has been switched in. */
static void on_switch(void *unused, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	if (done || smp_processor_id() != cpu || !(csr_read(CSR_SIP) & LCOFI))
		return;
	done = true;
	csr_set(CSR_SIE, LCOFI);
}

static void set_enabled(void *enabled)
{
	if (enabled)
		csr_set(CSR_SIE, LCOFI);
	else
		csr_clear(CSR_SIE, LCOFI);
}

static int __init late_irq_init(void)
{
	int ret;

	for_each_kernel_tracepoint(find_sched_switch, NULL);
	if (!sched_switch)
		return -ENOENT;
	cpu = raw_smp_processor_id();
	smp_call_function_single(cpu, set_enabled, NULL, true);
	ret = tracepoint_probe_register(sched_switch, on_switch, NULL);
	if (ret)
		smp_call_function_single(cpu, set_enabled, &cpu, true);
	return ret;
}

static void __exit late_irq_exit(void)
{
	tracepoint_probe_unregister(sched_switch, on_switch, NULL);
	tracepoint_synchronize_unregister();
	smp_call_function_single(cpu, set_enabled, &cpu, true);
}

module_init(late_irq_init);
module_exit(late_irq_exit);

MODULE_DESCRIPTION("delay a counter overflow interrupt until a context switch, for tests");
MODULE_LICENSE("GPL");
