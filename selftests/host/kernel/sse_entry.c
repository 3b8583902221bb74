// SPDX-License-Identifier: GPL-2.0-only
/* sse_entry: in place of the driver's sse_entry.S, on the model of a hart */
#include "../../../drivers/perf/sbi_pmu/sbi_pmu.h"
#include "../../fakesbi/fakesbi.h"

static void call(unsigned int fid)
{
	fakesbi_sse_call(fid, (const unsigned long[FAKESBI_ARGS]){ SPEC_SSE_PMU_OVERFLOW });
}

/* The driver calls firmware, or reads a counter: no SSE event may come, nor after that. */
void host_check_section(void)
{
	const struct sbi_pmu_cpu *cpu;

	if (fakesbi.sse.state < FAKESBI_SSE_ENABLED || fakesbi.sse.enter != sbi_pmu_sse_entry)
		return;
	cpu = ((struct sbi_pmu_cpu **)fakesbi.sse.arg)[2]; /* of struct sse_hart */
	assert(!cpu->sse.on || cpu->sse.sections || cpu->disabled);
}

/* host.regs and current are interrupted, and keep their values; tp may be anything in user mode. */
void sbi_pmu_sse_entry(void)
{
	struct sse_hart *const hart = (struct sse_hart *)fakesbi.sse.arg;
	struct task_struct *const task = current;
	const unsigned long off = host.irqs_off;
	const struct task_struct before = *task;
	struct pt_regs regs = host.regs;

	/* It has a stack below @hart. */
	assert(*(unsigned long *)hart == HOST_GP);
	((char *)hart)[-THREAD_SIZE] = 0;
	regs.status |= off ? 0 : SR_PIE;
	if (!host.wrong_tp)
		regs.tp = regs.user ? 0 : (unsigned long)task;
	current = NULL;
	host.irqs_off = true;
	current = sbi_pmu_sse_find_task(hart, &regs,
					regs.user || host.wrong_tp ? (unsigned long)task : 0,
					sbi_pmu_csr_vector());
	assert(!current || current == task);
	if (!current || sbi_pmu_sse_handle(hart, &regs))
		call(SPEC_SSE_MASK);
	assert(!host.nmi && !host.irq_regs && !host.readers_saved && regs.epc == host.regs.epc &&
	       task->thread_info.a0 == before.thread_info.a0 &&
	       task->thread.bad_cause == before.thread.bad_cause);
	host.irqs_off = off;
	current = task;
	call(SPEC_SSE_COMPLETE);
}
