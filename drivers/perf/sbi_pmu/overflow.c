// SPDX-License-Identifier: GPL-2.0-only
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>

#include <asm/irq.h>
#include <asm/irq_regs.h>

#include "allocate.h"
#include "counters_overflow.h"
#include "csr.h"
#include "overflow.h"
#include "timed.h"
#include "user_access.h"

/* Start counters that are stopped, restart those that need another start value. */
void sbi_pmu_counters_restart(struct sbi_pmu_cpu *cpu)
{
	/*
	 * Firmware clears a counter's overflow bit only while the interrupt is not pending. If it
	 * was pending for another counter, it is set again: the handler finds that one's bit.
	 */
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	const bool pending = cpu->pmu->source == SBI_PMU_OVERFLOW_IRQ &&
			     sbi_pmu_csr_clear_pending(source->pending, source->mask);

	sbi_pmu_counters_start(&cpu->counters);
	if (!hlist_empty(&cpu->counters.lost))
		sbi_pmu_counters_recover(&cpu->counters);
	if (pending)
		sbi_pmu_csr_set_pending(source->pending, source->mask);
}

/**
 * sbi_pmu_counters_disable() - begin changes of events
 * @cpu: this CPU
 *
 * Delegated counters stand still until sbi_pmu_counters_enable(), so that the events of a group
 * start and stop together. Others run on, unless they are stopped for a change; those are started
 * by sbi_pmu_counters_enable(), by as few calls as possible.
 * Context: interrupts disabled.
 */
void sbi_pmu_counters_disable(struct sbi_pmu_cpu *cpu)
{
	cpu->counters.disabled = true;
	sbi_pmu_backend_pause(&cpu->counters.backend);
}

/**
 * sbi_pmu_counters_enable() - end changes of events
 * @cpu: this CPU
 *
 * Start what was stopped, then update scounteren: what user space may read depends on
 * which counters run.
 * Context: interrupts disabled.
 */
void sbi_pmu_counters_enable(struct sbi_pmu_cpu *cpu)
{
	cpu->counters.disabled = false;
	if (sbi_pmu_counters_need_start(&cpu->counters))
		sbi_pmu_counters_restart(cpu);
	sbi_pmu_backend_unpause(&cpu->counters.backend);
	sbi_pmu_user_access_update(cpu);
}

static void report_failed(struct irq_work *work)
{
	const struct sbi_pmu_cpu *cpu = container_of(work, struct sbi_pmu_cpu, failed);

	pr_warn_ratelimited("CPU%d: firmware gives no counter: an event is disabled (%u)\n",
			    smp_processor_id(), cpu->counters.lost_events);
}

/* The message comes from an interrupt of its own: the scheduler's locks may be held here. */
static void event_failed(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	struct sbi_pmu_cpu *cpu = container_of(c, struct sbi_pmu_cpu, counters);
	struct sbi_pmu_perf_event *e = container_of(event, struct sbi_pmu_perf_event, event);

	/* Those of user_access.c are not perf core's. */
	if (event >= cpu->kept && event < cpu->kept + SBI_PMU_KEPT)
		return;
	if (cpu->pmu->perf_event_disable_inatomic)
		cpu->pmu->perf_event_disable_inatomic(e->perf);
	irq_work_queue(&cpu->failed);
}

/* Prepare this for a CPU. */
void sbi_pmu_failed_init(struct sbi_pmu_cpu *cpu)
{
	cpu->counters.failed = event_failed;
	init_irq_work(&cpu->failed, report_failed);
}

/*
 * Perf core keeps the rest of a period while an event is stopped; 0: a new one begins. Negative: it
 * was over when the event was stopped, and its sample comes at once.
 */
void sbi_pmu_period_resume(struct sbi_pmu_perf_event *e)
{
	const s64 left = local64_read(&e->perf->hw.period_left);

	e->event.period.left = left ?: e->perf->hw.sample_period;
	if (e->event.sampling == SBI_PMU_BY_TIMER)
		sbi_pmu_period_started(&e->event.period, ktime_get_ns());
}

void sbi_pmu_period_suspend(struct sbi_pmu_perf_event *e)
{
	local64_set(&e->perf->hw.period_left, e->event.period.left ?: -1);
}

/* An event that samples has been stopped, and is accounted. */
void sbi_pmu_sampling_stopped(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e)
{
	if (e->event.sampling == SBI_PMU_BY_TIMER) {
		sbi_pmu_period_stopped(&e->event.period, ktime_get_ns());
		cpu->timed_changed = true;
	}
	sbi_pmu_period_suspend(e);
}

/* Stop an event for perf core. Context: on its CPU, interrupts disabled. */
void sbi_pmu_perf_event_stop(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e)
{
	if (e->perf->hw.state & PERF_HES_STOPPED)
		return;
	sbi_pmu_event_stop(&cpu->counters, &e->event);
	sbi_pmu_perf_event_stopped(cpu, e);
}

/*
 * NULL in a privilege mode that the event excludes. An event of user mode may overflow just before
 * a trap, and be served in the kernel: then the user's registers are those of the overflow. The
 * task is the same: the kernel enables interrupts between user mode and a context switch.
 */
static struct pt_regs *sample_regs(const struct sbi_pmu_perf_event *e, struct pt_regs *regs)
{
	const struct perf_event_attr *attr = &e->perf->attr;

	if (user_mode(regs))
		return attr->exclude_user ? NULL : regs;
	if (!attr->exclude_kernel)
		return regs;
	if (e->event.sampling == SBI_PMU_BY_TIMER ||
	    current->flags & (PF_KTHREAD | PF_USER_WORKER) || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

/* Take a sample if the period of the event, which has just been accounted, is over. */
static void sample_event(struct sbi_pmu_cpu *cpu, struct sbi_pmu_perf_event *e,
			 struct pt_regs *regs)
{
	struct perf_event *perf = e->perf;
	struct perf_sample_data data;

	if (e->event.period.left > 0)
		return;
	regs = sample_regs(e, regs);
	if (!regs) {
		sbi_pmu_period_defer(&e->event.period);
		cpu->wrong_mode++;
		return;
	}
	perf->hw.last_period = sbi_pmu_period_sampled(&e->event.period, perf->hw.sample_period);
	sbi_pmu_period_suspend(e);
	sbi_pmu_add_count(e);
	perf_sample_data_init(&data, 0, perf->hw.last_period);
	/* Kernels before 6.17 leave it to the PMU to stop an event that is throttled. */
	if (cpu->pmu->perf_event_overflow(perf, &data, regs))
		sbi_pmu_perf_event_stop(cpu, e);
}

/* Take samples of the events on counter @idx whose periods are over. */
static void sample_counter(struct sbi_pmu_cpu *cpu, unsigned int idx, enum sbi_pmu_sampling how)
{
	struct sbi_pmu_event *event;

	hlist_for_each_entry(event, &cpu->counters.events[idx], node)
		if (event->active && event->sampling == how)
			sample_event(cpu, container_of(event, struct sbi_pmu_perf_event, event),
				     get_irq_regs());
}

/* Perf core lowers the maximum sample rate where handlers take too long. */
static void report_time(const struct sbi_pmu *pmu, u64 start)
{
	if (pmu->perf_sample_event_took)
		pmu->perf_sample_event_took(sched_clock() - start);
}

/**
 * sbi_pmu_sample_by_timer() - take samples of events that are sampled by timer
 * @cpu: this CPU
 * Context: in the timer's interrupt.
 */
void sbi_pmu_sample_by_timer(struct sbi_pmu_cpu *cpu)
{
	const u64 start = sched_clock(), now = ktime_get_ns();
	struct sbi_pmu_counters *c = &cpu->counters;
	bool any = false;
	unsigned int i;

	sbi_pmu_counters_disable(cpu);
	for_each_counter(i, c->plan.busy) {
		if (!sbi_pmu_timed_look(c, i, now))
			continue;
		sample_counter(cpu, i, SBI_PMU_BY_TIMER);
		any = true;
	}
	sbi_pmu_counters_enable(cpu);
	if (any)
		report_time(cpu->pmu, start);
}

/* Counters @overflowed are stopped and accounted: take samples, start them again. */
static void serve_overflow(struct sbi_pmu_cpu *cpu, u64 overflowed, u64 start)
{
	unsigned int i;

	for_each_counter(i, overflowed)
		sample_counter(cpu, i, SBI_PMU_BY_INTERRUPT);
	sbi_pmu_counters_enable(cpu);
	report_time(cpu->pmu, start);
}

static irqreturn_t overflow_irq(int irq, void *dev)
{
	const u64 start = sched_clock();
	struct sbi_pmu_cpu *cpu = dev;
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	u64 overflowed;

	/* First, so that an overflow from here on interrupts again. */
	sbi_pmu_csr_clear_pending(source->pending, source->mask);
	sbi_pmu_counters_disable(cpu);
	overflowed = sbi_pmu_counters_stop_overflowed(&cpu->counters, sbi_pmu_csr_overflow,
						      source->overflow);
	if (!overflowed) {
		/*
		 * No event waits for this overflow. Where the interrupt is pending as long as an
		 * overflow bit is set, only a stop and a start end that.
		 */
		if (sbi_pmu_csr_is_pending(source->pending, source->mask))
			sbi_pmu_counters_stop_all(&cpu->counters);
		sbi_pmu_counters_enable(cpu);
		return IRQ_NONE;
	}
	serve_overflow(cpu, overflowed, start);
	return IRQ_HANDLED;
}

/**
 * sbi_pmu_find_lost_irqs() - look for overflows whose interrupt was lost
 * @cpu: this CPU; the counters are added to cpu->lost
 *
 * Some hardware loses the interrupt, and QEMU the overflow bit, too: then a value shows it that has
 * wrapped at two calls in succession.
 * Context: interrupts disabled.
 * Return: whether an event waits for an overflow, so that this must be called again.
 */
bool sbi_pmu_find_lost_irqs(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_counters *c = &cpu->counters;
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	const u64 sampling = sbi_pmu_counters_sampling(c);
	u64 wrapped;

	if (!sampling)
		return false;
	/* A pending interrupt is not lost, it comes next. */
	if (sbi_pmu_csr_is_pending(source->pending, source->mask))
		return true;
	if (!c->backend.in_vm)
		cpu->lost =
			sbi_pmu_counters_overflow_set(c, sbi_pmu_csr_overflow(source->overflow));
	wrapped = sbi_pmu_counters_lost_irqs(c, sampling);
	cpu->lost |= wrapped;
	return true;
}

/**
 * sbi_pmu_serve_lost_irqs() - take the samples of overflows whose interrupt was lost
 * @cpu: this CPU
 * Context: in the timer's interrupt.
 */
void sbi_pmu_serve_lost_irqs(struct sbi_pmu_cpu *cpu)
{
	const u64 start = sched_clock();
	struct sbi_pmu_counters *c = &cpu->counters;
	u64 lost = cpu->lost & c->in[SBI_PMU_ARMED];

	cpu->lost = 0;
	if (!lost)
		return;
	cpu->lost_irqs++;
	sbi_pmu_counters_disable(cpu);
	lost = sbi_pmu_counters_stop_for_samples(c, lost);
	serve_overflow(cpu, lost, start);
}

struct irq_check {
	const struct sbi_pmu_irq_source *source;
	bool in_kvm;
	atomic_t missing; /* number of CPUs that cannot enable the interrupt */
};

/* In a KVM guest scountovf is not used, and may trap. */
static void count_if_missing(void *arg)
{
	struct irq_check *check = arg;
	const struct sbi_pmu_irq_source *source = check->source;

	if ((!check->in_kvm && !sbi_pmu_csr_exists(source->overflow)) ||
	    !sbi_pmu_csr_exists(source->pending) || !sbi_pmu_csr_exists(source->enable) ||
	    !sbi_pmu_csr_can_enable(source->enable, source->mask))
		atomic_inc(&check->missing);
}

/**
 * sbi_pmu_overflow_request() - request the overflow interrupt, if this machine has it
 * @pmu: the driver; its irq is filled in
 * Context: may sleep.
 * Return: NULL, or in words for the log why there is no interrupt.
 */
const char *sbi_pmu_overflow_request(struct sbi_pmu *pmu)
{
	struct irq_check check = {
		.source = pmu->irq_source,
		.in_kvm = sbi_pmu_in_kvm(pmu),
	};
	struct irq_domain *domain;

	if (!pmu->exclusive)
		return "the other PMU has the interrupt";
	if (!pmu->irq_source)
		return "no Sscofpmf";
	/* QEMU 10 and 11 have Sscofpmf, but the enable bit is read-only zero. */
	on_each_cpu(count_if_missing, &check, true);
	if (atomic_read(&check.missing))
		return "the interrupt cannot be enabled";

	domain = irq_find_matching_fwnode(riscv_get_intc_hwnode(), DOMAIN_BUS_ANY);
	pmu->irq = domain ? irq_create_mapping(domain, pmu->irq_source->hwirq) : 0;
	if (!pmu->irq)
		return "no interrupt controller";
	if (request_percpu_irq(pmu->irq, overflow_irq, "sbi_pmu", pmu->cpu)) {
		pmu->irq = 0;
		return "the interrupt is taken";
	}
	return NULL;
}

/*
 * The mapping is kept: it may be older than this module, the next load finds it, and the kernel
 * leaks memory when a per-CPU mapping is disposed of.
 */
void sbi_pmu_overflow_free(struct sbi_pmu *pmu)
{
	if (pmu->irq)
		free_percpu_irq(pmu->irq, pmu->cpu);
}

void sbi_pmu_overflow_online(struct sbi_pmu *pmu)
{
	if (pmu->irq)
		enable_percpu_irq(pmu->irq, IRQ_TYPE_NONE);
}

void sbi_pmu_overflow_offline(struct sbi_pmu *pmu)
{
	if (pmu->irq)
		disable_percpu_irq(pmu->irq);
}
