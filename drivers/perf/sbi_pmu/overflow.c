// SPDX-License-Identifier: GPL-2.0-only
/* The overflow interrupt, which counters have overflowed, and samples for perf core. */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/task_stack.h>
#include <linux/smp.h>

#include <asm/irq.h>
#include <asm/irq_regs.h>

#include "branch.h"
#include "counter_info.h"
#include "counters.h"
#include "overflow.h"

/* ---- which counters ---- */

/* Armed counters that have wrapped; those with events have been accounted. */
static u64 wrapped_among(struct sbi_pmu_cpu *cpu, u64 among)
{
	const struct sbi_pmu_event *e;
	u64 value, wrapped = 0;
	unsigned int i;
	bool known;

	for_each_counter(i, among) {
		/* The events of an idle one have left. */
		known = !has_counter(cpu->busy, i) && !sbi_pmu_counter_read(cpu, i, &value);
		hlist_for_each_entry(e, &cpu->counter[i].events, node) {
			if (!e->counts)
				continue;
			value = e->prev;
			known = true;
			break;
		}
		if (known && !sbi_pmu_in_upper_half(&cpu->layout->info[i], value))
			wrapped |= BIT_ULL(i);
	}
	return wrapped;
}

/* ---- samples ---- */

/*
 * The registers for a sample; NULL in a privilege mode that the event excludes. An event of user
 * mode may overflow just before a trap, and be served in the kernel: then the user's registers are
 * those of the overflow. The task is the same: the kernel enables interrupts between user mode and
 * a context switch.
 */
static struct pt_regs *sample_regs(const struct sbi_pmu_event *e, struct pt_regs *regs)
{
	const struct perf_event_attr *attr = &e->event->attr;

	if (user_mode(regs))
		return attr->exclude_user ? NULL : regs;
	if (!attr->exclude_kernel)
		return regs;
	/* :h excludes both. */
	if (attr->exclude_user || e->sampling == SBI_PMU_BY_TIMER || e->unfiltered ||
	    current->flags & (PF_KTHREAD | PF_USER_WORKER) || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

/*
 * An event of user mode may overflow just before every trap, so that each sample is due in the
 * wrong mode. Each deferred sample doubles the minimum period, up to 2^20 events (about 1 ms).
 */
#define MAX_BACKOFF	16

/*
 * Take samples of the events on counter @idx that are sampled in way @how and whose periods are
 * over; they have been accounted.
 *
 * The weight of a sample is everything since the previous one; the next period starts at the last
 * boundary passed. A counter may overflow early, see counter_count_from(): then the next period is
 * longer.
 * Return: true if a sample was taken, or deferred to a later interrupt.
 */
bool sbi_pmu_sample_counter(struct sbi_pmu_cpu *cpu, unsigned int idx, enum sbi_pmu_sampling how)
{
	struct sbi_pmu_event *e;
	bool taken = false;

	hlist_for_each_entry(e, &cpu->counter[idx].events, node) {
		struct perf_sample_data data __uninitialized; /* large, and set below */
		struct perf_event *event = e->event;
		struct hw_perf_event *hwc = &event->hw;
		struct pt_regs *regs;
		u64 over, period;
		s64 left;

		if (!e->active || e->sampling != how ||
		    local64_read(&hwc->period_left) > (s64)e->period.early)
			continue;
		regs = sample_regs(e, get_irq_regs());
		if (!regs) {
			cpu->irq.wrong_mode++;
			taken |= e->period.deferred < MAX_BACKOFF && ++e->period.deferred;
			continue;
		}
		left = local64_read(&hwc->period_left);
		over = left < 0 ? -(u64)left : 0;
		period = hwc->sample_period;
		local64_add((over / period + 1) * period, &hwc->period_left);
		hwc->last_period = e->period.since_sample;
		e->period.since_sample = 0;
		e->period.deferred = 0;
		perf_sample_data_init(&data, 0, hwc->last_period);
		if (unlikely(e->branch.types))
			sbi_pmu_branch_sample(cpu, e, &data);
		/* Kernels before 6.17 leave it to the PMU to stop an event that is throttled. */
		if (cpu->pmu->perf_event_overflow(event, &data, regs) &&
		    !(hwc->state & PERF_HES_STOPPED))
			event->pmu->stop(event, PERF_EF_UPDATE);
		cpu->irq.samples++;
		taken = true;
	}
	return taken;
}

/*
 * A handler that began at @start has taken its samples. Perf core lowers the maximum sample rate,
 * for all users, where one takes too long: it is told the time of one.
 */
void sbi_pmu_report_time(struct sbi_pmu_cpu *cpu, u64 start)
{
	const unsigned int samples = cpu->irq.samples;

	cpu->irq.samples = 0;
	if (samples && cpu->pmu->perf_sample_event_took)
		cpu->pmu->perf_sample_event_took((sched_clock() - start) / samples);
}

/* ---- the interrupt ---- */

/* When the count of spurious interrupts reaches this, check how much CPU time they take. */
#define MAX_SPURIOUS	1000
/* An interrupt that gives a sample cancels this many spurious ones. */
#define MAKES_UP_FOR	3U
#define AT_ONCE_NS	10000

/* Pause before a stuck interrupt is tried again; it doubles each time (s) */
#define MAX_PAUSE	4096U

/* Events of this CPU that sample by interrupt do so by timer while it is off. */
static void set_irq_off(struct sbi_pmu_cpu *cpu, bool off)
{
	struct sbi_pmu_event *e;
	unsigned int i;

	cpu->irq.off = off;
	for_each_counter(i, cpu->busy & ~cpu->free_running) {
		hlist_for_each_entry(e, &cpu->counter[i].events, node) {
			if (!e->by_interrupt)
				continue;
			e->sampling = off ? SBI_PMU_BY_TIMER : SBI_PMU_BY_INTERRUPT;
			e->period.early = 0;
			e->period.since = ktime_get_ns();
			if (!off)
				sbi_pmu_event_set_stale(cpu, e);
		}
	}
	cpu->timers.sampled_changed = true;
}

/*
 * Nothing explains the interrupt, which began at @start: no armed counter has overflowed, or only
 * those that the last interrupt was for, and none gave a sample. If such interrupts take a
 * quarter of the CPU's time, the line is stuck: mask it for a while. Users cannot cause that: the
 * counter of an event that was switched out, or stopped before its interrupt came, explains one
 * interrupt.
 */
static void spurious_irq(struct sbi_pmu_cpu *cpu, u64 start)
{
	const u64 now = sched_clock();
	/* What comes so soon after the last has cost the time in between, too. */
	const bool at_once = start - cpu->irq.spurious_end < AT_ONCE_NS;

	if (!cpu->irq.spurious++) {
		cpu->irq.spurious_since = start;
		cpu->irq.spurious_ns = 0;
	}
	cpu->irq.spurious_ns += now - (at_once ? cpu->irq.spurious_end : start);
	cpu->irq.spurious_end = now;
	if (cpu->irq.spurious < MAX_SPURIOUS)
		return;
	cpu->irq.spurious = 0;
	if (cpu->irq.spurious_ns < (now - cpu->irq.spurious_since) / 4)
		return;

	disable_percpu_irq(cpu->pmu->irq);
	/* Back to a second if it was on for longer than it was off. */
	if (!cpu->irq.pause || time_after(jiffies, cpu->irq.on_since + cpu->irq.pause * HZ))
		cpu->irq.pause = 1;
	else
		cpu->irq.pause = min(2 * cpu->irq.pause, MAX_PAUSE);
	set_irq_off(cpu, true);
	/* This interrupts no code that holds a lock of the scheduler. */
	pr_warn("CPU%d: stuck overflow interrupt disabled, sampling by timer on this CPU for %u s; load the module with overflow=timer, and report the board and its firmware\n",
		smp_processor_id(), cpu->irq.pause);
	cpu->irq.retry_at = jiffies + cpu->irq.pause * HZ;
	mod_timer(&cpu->timers.look, cpu->irq.retry_at);
	/* At once: it sets itself for the events. The other timer may wait for a tick. */
	hrtimer_start(&cpu->timers.sample, 0, HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Try the interrupt again, if its pause is over. Context: in the timer, interrupts disabled. */
void sbi_pmu_overflow_retry(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;

	if (!cpu->online)
		return;
	if (time_before(jiffies, cpu->irq.retry_at)) {
		mod_timer(&cpu->timers.look, cpu->irq.retry_at);
		return;
	}
	cpu->irq.on_since = jiffies;
	sbi_pmu_counters_disable(cpu);
	sbi_pmu_csr_clear_pending(source->pending, source->mask);
	set_irq_off(cpu, false);
	sbi_pmu_counters_enable(cpu);
	enable_percpu_irq(cpu->pmu->irq, IRQ_TYPE_NONE);
}

static irqreturn_t overflow_irq(int irq, void *dev)
{
	const u64 start = sched_clock();
	struct sbi_pmu_cpu *cpu = *(struct sbi_pmu_cpu **)dev;
	const struct sbi_pmu *pmu = cpu->pmu;
	const struct sbi_pmu_irq_source *source = pmu->irq_source;
	/* Before the PMU is disabled, which may stop all counters. */
	const u64 armed = cpu->armed;
	const u64 served = cpu->irq.served, stopped_armed = cpu->irq.stopped_armed;
	bool taken = false;
	u64 overflowed;
	unsigned int i;

	/* First, so that an overflow from here on interrupts again. */
	sbi_pmu_csr_clear_pending(source->pending, source->mask);
	sbi_pmu_counters_disable(cpu);
	if (pmu->overflow_by_value) {
		sbi_pmu_counters_update(cpu, armed & cpu->busy);
		overflowed = wrapped_among(cpu, (armed & cpu->busy) | cpu->armed);
	} else {
		overflowed = sbi_pmu_overflow_bits(cpu);
	}
	/*
	 * If none has overflowed no event waits for this interrupt. Where it is pending as long as
	 * an overflow bit is set, only a stop and a start end that.
	 */
	if (overflowed)
		sbi_pmu_counters_stop(cpu, overflowed);
	else if (sbi_pmu_csr_is_pending(source->pending, source->mask))
		sbi_pmu_counters_stop(cpu, sbi_pmu_hardware(cpu->layout));
	for_each_counter(i, overflowed)
		taken |= sbi_pmu_sample_counter(cpu, i, SBI_PMU_BY_INTERRUPT);
	sbi_pmu_counters_enable(cpu);
	sbi_pmu_branch_go_on(cpu);
	sbi_pmu_report_time(cpu, start);

	cpu->irq.served = overflowed;
	cpu->irq.stopped_armed = 0;
	if (unlikely(taken && cpu->irq.spurious))
		cpu->irq.spurious -= min(cpu->irq.spurious, MAKES_UP_FOR);
	else if (unlikely(!taken) && !(overflowed & ~served) && !stopped_armed)
		spurious_irq(cpu, start);
	return overflowed ? IRQ_HANDLED : IRQ_NONE;
}

/* ---- lost interrupts ---- */

/*
 * Look for overflows whose interrupt was lost, and add their counters to cpu->irq.missed.
 *
 * Some hardware loses the interrupt, and QEMU the overflow bit, too: then a counter shows it whose
 * value has wrapped at two calls in succession. A counter that had wrapped at the last call is not
 * merely about to interrupt, even if it was started again since: QEMU 7.2 misses an overflow that
 * comes before the call to start the counter returns. Context: interrupts disabled.
 * Return: true if an event waits for an overflow, so that this must be called again.
 */
bool sbi_pmu_find_missed_irqs(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	const u64 before = cpu->irq.wrapped;
	const struct sbi_pmu_event *e;
	u64 sampling = 0;
	unsigned int i;

	/* Armed counters on which an event waits for the overflow */
	for_each_counter(i, cpu->armed & cpu->busy)
		hlist_for_each_entry(e, &cpu->counter[i].events, node)
			if (e->active && e->sampling == SBI_PMU_BY_INTERRUPT)
				sampling |= BIT_ULL(i);
	if (!sampling)
		return false;
	/* A pending interrupt is not lost, it comes next. */
	if (sbi_pmu_csr_is_pending(source->pending, source->mask))
		return true;
	if (!sbi_pmu_in_kvm(cpu->pmu))
		cpu->irq.missed = sbi_pmu_overflow_bits(cpu);
	sbi_pmu_counters_update(cpu, sampling);
	cpu->irq.wrapped = wrapped_among(cpu, sampling);
	cpu->irq.missed |= before & cpu->irq.wrapped;
	return true;
}

/* Take the samples of overflows whose interrupt was lost. Context: in the timer's interrupt. */
void sbi_pmu_serve_missed_irqs(struct sbi_pmu_cpu *cpu)
{
	const u64 start = sched_clock();
	const u64 missed = cpu->irq.missed & cpu->armed;
	unsigned int i;

	cpu->irq.missed = 0;
	if (!missed)
		return;
	cpu->irq.times_missed++;
	sbi_pmu_counters_disable(cpu);
	sbi_pmu_counters_stop(cpu, missed);
	for_each_counter(i, missed)
		sbi_pmu_sample_counter(cpu, i, SBI_PMU_BY_INTERRUPT);
	sbi_pmu_counters_enable(cpu);
	sbi_pmu_branch_go_on(cpu);
	sbi_pmu_report_time(cpu, start);
}

/* ---- does the interrupt work? ---- */

/* Reasons for the log */
static const char does_not_come[] = "the overflow interrupt does not come";
static const char sets_no_bit[] = "a counter that wraps does not set its overflow bit";
static const char names_no_counter[] =
	"the overflow interrupt does not say which counter overflowed";
static const char cannot_be_cleared[] = "the overflow interrupt cannot be cleared";
static const char ignores_value[] = "a counter does not start from the value that it is given";
static const char not_tested[] = "no counter overflows";

/*
 * Counters start 2^MIN_SHIFT events before their wrap. Where that is not enough, for an emulator on
 * a busy host, up to 2^MAX_SHIFT: then interrupts are disabled for some 50 ms in all.
 */
#define MIN_SHIFT	10
#define MAX_SHIFT	24
#define MAX_READS	100000 /* the clock may stand still */

/* Does the interrupt of an overflow come that is 2^@shift events away? */
static bool interrupt_comes(const struct sbi_pmu_irq_source *source, unsigned int shift)
{
	const u64 start = sched_clock(), ns = NSEC_PER_MSEC << (shift - MIN_SHIFT) / 2;
	bool late = false;

	for (unsigned int n = 0; n < MAX_READS && !late; n++) {
		/* The clock first, as a VM may not run between the two. */
		late = sched_clock() - start >= ns;
		if (sbi_pmu_csr_is_pending(source->pending, source->mask))
			return true;
	}
	return false;
}

static bool is_named(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return sbi_pmu_csr_overflow(cpu->pmu->irq_source->overflow) &
	       SBI_PMU_CSR_BIT(cpu->layout->info[idx].csr);
}

/*
 * Counter @idx has been configured: it must interrupt when it wraps, and the CSR must name it;
 * after a stop and a start both must be over. It runs on, as RustSBI releases no stopped counter.
 */
static const char *try_counter(struct sbi_pmu_cpu *cpu, unsigned int idx, unsigned int shift)
{
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	const struct sbi_pmu_counter_info *info = &cpu->layout->info[idx];
	const bool by_value = cpu->pmu->overflow_by_value;
	u64 value;

	sbi_pmu_csr_clear_pending(source->pending, source->mask);
	if (!sbi_pmu_counter_start_at(cpu, idx, -BIT_ULL(shift)) ||
	    sbi_pmu_counter_read(cpu, idx, &value))
		return not_tested;
	if (((value + BIT_ULL(shift)) & info->mask) >> SBI_PMU_FAR_BITS)
		return ignores_value;
	if (!interrupt_comes(source, shift)) {
		/* Up to the wrap this bit is set, whatever the width. */
		if (sbi_pmu_counter_read(cpu, idx, &value) ||
		    value & BIT_ULL(SBI_PMU_MIN_WIDTH - 1))
			return not_tested;
		return by_value || is_named(cpu, idx) ? does_not_come : sets_no_bit;
	}
	if (!by_value && !is_named(cpu, idx))
		return names_no_counter;
	cpu->backend->stop(cpu, BIT_ULL(idx));
	sbi_pmu_csr_clear_pending(source->pending, source->mask);
	/* Armed, but far from the wrap; QEMU 7.2 loses the next overflow after one farther away. */
	if (!sbi_pmu_counter_start_at(cpu, idx, info->mask - info->mask / 4))
		return not_tested;
	if (sbi_pmu_csr_is_pending(source->pending, source->mask) ||
	    (!sbi_pmu_in_kvm(cpu->pmu) && is_named(cpu, idx)))
		return cannot_be_cleared;
	return NULL;
}

/* Which counters are tried on the probed CPU, and how; interrupts are enabled between two tries. */
struct irq_test {
	struct sbi_pmu *pmu;
	u64 which;                       /* any of these counters, */
	u32 event;                       /* with this event_idx */
	unsigned int first, last, shift; /* which are tried, and the one that was tried last */
	const char *why;                 /* they do not interrupt; NULL: they do */
};

/*
 * Try a counter with increasing shift: hardware may lose an interrupt, and QEMU 7.2 loses one that
 * comes before the call to start returns.
 */
static void test_here(void *arg)
{
	struct irq_test *test = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(test->pmu->cpu);
	const struct sbi_pmu_code code = { .idx = test->event };
	const char *why;
	unsigned int idx;

	if (!cpu->online)
		sbi_pmu_counters_online(cpu);
	for (test->shift = test->first; test->shift <= test->last; test->shift += 2) {
		if (!test->which || sbi_pmu_counter_config(cpu, test->which, &code, &idx))
			return;
		why = try_counter(cpu, idx, test->shift);
		sbi_pmu_counter_unconfig(cpu, idx);
		if (why == not_tested)
			return;
		test->why = why;
		if (!why)
			return;
	}
}

/* Return: NULL, or why counters @which do not interrupt. */
static const char *run_test(struct irq_test *test, u64 which, u32 event)
{
	test->which = which;
	test->event = event;
	test->why = not_tested;
	smp_call_function_single(test->pmu->probed_cpu, test_here, test, true);
	return test->why;
}

static void end_test(void *arg)
{
	const struct sbi_pmu *pmu = arg;

	sbi_pmu_csr_clear_pending(pmu->irq_source->pending, pmu->irq_source->mask);
	sbi_pmu_counters_offline(this_cpu_ptr(pmu->cpu));
}

/* Which counters interrupt is not known of a core, but tried. Return: NULL, or why none does. */
static const char *test_irq(struct sbi_pmu *pmu)
{
	static const u32 events[] = {
		SBI_PMU_HW_CPU_CYCLES,
		SBI_PMU_HW_INSTRUCTIONS,
		SBI_PMU_HW_BRANCH_INSTRUCTIONS,
	};
	const struct sbi_pmu_layout *layout = &pmu->layout;
	struct irq_test test = { .pmu = pmu, .first = MIN_SHIFT, .last = MAX_SHIFT };
	const char *programmable = not_tested, *fixed = not_tested;
	unsigned int i;

	/* One counter at a time, with interrupts enabled in between */
	if (pmu->backend == &sbi_pmu_backend_csr &&
	    !sbi_pmu_delegation_prepare(pmu, pmu->probed_cpu))
		return "firmware does not configure counters as before";
	for (i = 0; i < ARRAY_SIZE(events) && programmable == not_tested; i++)
		programmable = run_test(&test, layout->programmable, events[i]);
	/* What one of these has taken is enough for others. If they fail, others do not help. */
	if (!programmable) {
		test.first = test.shift;
		test.last = test.shift + 2;
	} else if (programmable != not_tested) {
		test.last = 0;
	}
	for_each_counter(i, layout->fixed & ~layout->free_running) {
		fixed = run_test(&test, BIT_ULL(i), sbi_pmu_fixed_event(&layout->info[i]));
		if (fixed)
			break;
	}
	smp_call_function_single(pmu->probed_cpu, end_test, pmu, true);
	pmu->caps.fixed_alike = !fixed;
	if (programmable != not_tested)
		return programmable;
	/* Most fixed ones have no overflow bit. Programmable ones may count raw events only. */
	if (fixed != not_tested && fixed != sets_no_bit)
		return fixed;
	if (!layout->programmable)
		return "no programmable counter";
	return NULL;
}

/* ---- request and free ---- */

/*
 * Request the overflow interrupt, if this machine has it: pmu->irq, and caps.fixed_alike. Context:
 * may sleep; the backend is chosen.
 * Return: NULL, or in words for the log why there is none.
 */
const char *sbi_pmu_overflow_request(struct sbi_pmu *pmu)
{
	const struct sbi_pmu *other;
	struct irq_domain *domain;
	const char *why;

	if (!pmu->exclusive)
		return "the other PMU has the interrupt";
	if (!pmu->irq_source)
		return "no Sscofpmf";
	if (!sbi_pmu_irq_source_exists(pmu))
		return "the interrupt cannot be enabled";
	pmu->overflow_by_value = sbi_pmu_in_kvm(pmu) || pmu->backend->stops_all;
	why = test_irq(pmu);
	if (why)
		return why;

	for_each_kind(other)
		if (other->irq && other->irq_source == pmu->irq_source) {
			pmu->irq = other->irq;
			return NULL;
		}
	domain = irq_find_matching_fwnode(riscv_get_intc_hwnode(), DOMAIN_BUS_ANY);
	pmu->irq = domain ? irq_create_mapping(domain, pmu->irq_source->hwirq) : 0;
	if (!pmu->irq)
		return "no interrupt controller";
	if (request_percpu_irq(pmu->irq, overflow_irq, "sbi_pmu", &sbi_pmu_here)) {
		pmu->irq = 0;
		return "the interrupt is taken";
	}
	pmu->requested = true;
	return NULL;
}

/*
 * The mapping is kept: it may be older than this module, the next load finds it, and the kernel
 * leaks memory when a per-CPU mapping is disposed of.
 */
void sbi_pmu_overflow_free(struct sbi_pmu *pmu)
{
	if (pmu->requested)
		free_percpu_irq(pmu->irq, &sbi_pmu_here);
}
