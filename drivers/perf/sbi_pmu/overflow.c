// SPDX-License-Identifier: GPL-2.0-only
/*
 * overflow: the counter overflow interrupt (LCOFI).
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/sched/clock.h>

#include <asm/irq.h>

#include "sbi_pmu.h"

/*
 * Start counters that were halted or wait for an overflow. Firmware clears the
 * sign of a counter's last overflow only while the interrupt is not pending. If
 * it was, for another counter, it is made so again: the handler finds the sign.
 */
void sbi_pmu_overflow_arm(struct sbi_pmu_cpu *cpu)
{
	const bool pending = cpu->pmu->source == SBI_PMU_BY_LCOFI && sbi_pmu_csr_pending_clear();

	sbi_pmu_slots_arm(&cpu->slots);
	if (pending)
		sbi_pmu_csr_pending_set();
}

/*
 * While held, counters are stopped and events put on and off, and nothing is
 * started; this is the one way out of that.
 */
void sbi_pmu_overflow_let_go(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_mask halted = sbi_pmu_slots_waiting(&cpu->slots);
	const struct sbi_pmu_mask waiting = sbi_pmu_mask_or(halted, &cpu->slots.stale);

	cpu->slots.held = false;
	if (!sbi_pmu_mask_empty(&waiting))
		sbi_pmu_overflow_arm(cpu);
	sbi_pmu_direct_refresh(cpu);
}

/* Serve counters that have overflowed, and are halted: hand out samples, start them again. */
static void overflow_serve(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_mask *fired, u64 start)
{
	sbi_pmu_perf_fired(cpu, fired, get_irq_regs());
	sbi_pmu_overflow_let_go(cpu);
	sbi_pmu_perf_took(cpu->pmu, sched_clock() - start);
}

static irqreturn_t overflow_irq(int irq, void *dev)
{
	const u64 start = sched_clock();
	struct sbi_pmu_cpu *cpu = dev;
	struct sbi_pmu_mask fired;

	/* Cleared first: what overflows from here on interrupts once more. */
	sbi_pmu_csr_pending_clear();
	cpu->slots.held = true;
	fired = sbi_pmu_slots_fired(&cpu->slots, sbi_pmu_csr_overflowed);
	if (sbi_pmu_mask_empty(&fired)) {
		sbi_pmu_overflow_let_go(cpu);
		return IRQ_NONE;
	}
	overflow_serve(cpu, &fired, start);
	return IRQ_HANDLED;
}

/**
 * sbi_pmu_overflow_watch - serve an overflow whose interrupt got lost
 * @cpu: this hart
 *
 * Some hardware loses the interrupt, and QEMU the sign of the overflow too. The
 * counter itself tells of those: if it had overflowed at the last look and has now,
 * that is not just late.
 *
 * Context: from the hart's timer.
 * Return: whether somebody waits for an overflow, so that it must look again.
 */
bool sbi_pmu_overflow_watch(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_slots *slots = &cpu->slots;
	const struct sbi_pmu_mask awaited = sbi_pmu_slots_awaited(slots);
	struct sbi_pmu_mask fired = {}, silent;
	const u64 start = sched_clock();

	if (sbi_pmu_mask_empty(&awaited))
		return false;
	/* If the interrupt is pending it is not lost, but next. */
	if (sbi_pmu_csr_pending())
		return true;
	if (!slots->guest)
		fired = sbi_pmu_slots_overflowed(slots, sbi_pmu_csr_overflowed());
	silent = sbi_pmu_slots_silent(slots, &awaited);
	fired = sbi_pmu_mask_or(fired, &silent);
	if (!sbi_pmu_mask_empty(&fired)) {
		cpu->rescues++;
		slots->held = true;
		sbi_pmu_slots_halt(slots, &fired);
		overflow_serve(cpu, &fired, start);
	}
	return true;
}

static void enable_sticks(void *arg)
{
	atomic_t *stuck = arg;

	if (!sbi_pmu_csr_enable_sticks())
		atomic_inc(stuck);
}

/**
 * sbi_pmu_overflow_probe - have the interrupt, if this machine has it
 * @pmu: the driver; its irq is filled in
 *
 * Return: NULL, or why not, in words for the log.
 */
const char *sbi_pmu_overflow_probe(struct sbi_pmu *pmu)
{
	struct irq_domain *domain;
	atomic_t stuck = ATOMIC_INIT(0);

	if (!pmu->sole)
		return "the other PMU has the interrupt";
	if (!pmu->able.filter)
		return "no Sscofpmf";
	/* QEMU 10 and 11 have the extension, and no such bit. */
	on_each_cpu(enable_sticks, &stuck, true);
	if (atomic_read(&stuck))
		return "the interrupt cannot be enabled";

	domain = irq_find_matching_fwnode(riscv_get_intc_hwnode(), DOMAIN_BUS_ANY);
	pmu->irq = domain ? irq_create_mapping(domain, RV_IRQ_PMU) : 0;
	if (!pmu->irq)
		return "no interrupt controller";
	if (request_percpu_irq(pmu->irq, overflow_irq, "sbi_pmu", pmu->cpu)) {
		pmu->irq = 0;
		return "the interrupt is taken";
	}
	return NULL;
}

/*
 * The number stays: it may be older than we are, the next of us finds it, and the
 * kernel forgets to free a part of a per-hart number.
 */
void sbi_pmu_overflow_free(struct sbi_pmu *pmu)
{
	if (pmu->irq)
		free_percpu_irq(pmu->irq, pmu->cpu);
}

/* On the hart that comes or goes. */
void sbi_pmu_overflow_up(struct sbi_pmu *pmu)
{
	if (pmu->irq)
		enable_percpu_irq(pmu->irq, IRQ_TYPE_NONE);
}

void sbi_pmu_overflow_down(struct sbi_pmu *pmu)
{
	if (pmu->irq)
		disable_percpu_irq(pmu->irq);
}
