/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters: the counters of a CPU and the events that count on them. When the last event leaves,
 * the counter stays configured and running, so that a context switch makes no SBI call.
 *
 * Context of all functions: on the CPU, interrupts disabled.
 */
#ifndef SBI_PMU_COUNTERS_H
#define SBI_PMU_COUNTERS_H

#include "backend.h"

/* CPUs come and go, sleep and wake */
void sbi_pmu_counters_online(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_resume(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_release_idle(struct sbi_pmu_cpu *cpu, u64 clock);

/* Between disable and enable, a section, events change; enable starts what was stopped. */
void sbi_pmu_counters_disable(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_enable(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_stop(struct sbi_pmu_cpu *cpu, u64 which);

void sbi_pmu_counter_update(struct sbi_pmu_cpu *cpu, unsigned int idx);
void sbi_pmu_counters_update(struct sbi_pmu_cpu *cpu, u64 which);
bool sbi_pmu_counters_update_narrow(struct sbi_pmu_cpu *cpu);

/* For probes, which need counters that hold events */
void sbi_pmu_counters_borrow(struct sbi_pmu_cpu *cpu, u64 which);
void sbi_pmu_counters_give_back(struct sbi_pmu_cpu *cpu, u64 which);

void sbi_pmu_counters_pin_fixed(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_counters_unpin(struct sbi_pmu_cpu *cpu);

int sbi_pmu_event_add_anywhere(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_event_update(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_event_mark_restart(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e);

/* For the functions below */
int sbi_pmu_event_start_firmware(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_event_update_running(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
				  unsigned int idx);

/* ---- inline, as each context switch comes here for each event ---- */

/*
 * Its counter reads @now. A 64-bit counter that went backwards was changed by something else, as
 * none counts 2^63 between two reads: that is not counted. The mmap page must be set after.
 */
static inline void sbi_pmu_event_account(struct sbi_pmu_event *e,
					 const struct sbi_pmu_counter_info *info, u64 now)
{
	const u64 delta = (now - e->prev) & info->mask;

	e->prev = now;
	if (unlikely(delta >> 63))
		return;
	local64_add(delta, &e->event->count);
	if (e->sampling == SBI_PMU_COUNTING)
		return;
	local64_sub(delta, &e->event->hw.period_left);
	e->period.since_sample += delta;
	e->period.seen += delta;
}

/* Is it enough to read a CSR? Firmware counters have none. */
static inline bool sbi_pmu_counter_is_direct(const struct sbi_pmu_cpu *cpu,
					     const struct sbi_pmu_counter_info *info)
{
	return likely(cpu->direct && info->csr);
}

/* Account an event on counter @idx up to now, or up to the section. Not within an SBI call. */
static inline void sbi_pmu_event_update_on(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
					   unsigned int idx)
{
	if (has_counter(cpu->paused_at.valid, idx))
		sbi_pmu_event_account(e, &cpu->counters->info[idx], cpu->paused_at.value[idx]);
	else
		sbi_pmu_event_update_running(cpu, e, idx);
	/* Perf core may write the page at any time: base and count go together. */
	if (unlikely(e->user_read))
		sbi_pmu_user_access_publish(e);
}

/* The counter of a user-readable event, or its start value, is another: update its page. */
static inline void sbi_pmu_event_page_changed(struct sbi_pmu_event *e)
{
	if (!e->user_read)
		return;
	sbi_pmu_user_access_publish(e);
	perf_event_update_userpage(e->event);
}

static inline void sbi_pmu_assign_join(struct sbi_pmu_assignment *a, unsigned int idx,
				       u64 candidates)
{
	struct sbi_pmu_assigned *counter = &a->counter[idx];

	/* The counter's event may move to where all of its events can be. */
	counter->candidates = counter->events ? counter->candidates & candidates : candidates;
	counter->events++;
	a->busy |= BIT_ULL(idx);
}

static inline void sbi_pmu_assign_leave(struct sbi_pmu_assignment *a, unsigned int idx)
{
	struct sbi_pmu_assigned *counter = &a->counter[idx];

	if (--counter->events)
		return;
	a->busy &= ~BIT_ULL(idx);
	counter->stamp = ++a->clock;
}

static inline void sbi_pmu_event_join(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
				      unsigned int idx)
{
	e->counter = idx;
	hlist_add_head(&e->node, &cpu->events[idx]);
	sbi_pmu_assign_join(&cpu->assigned, idx, e->candidates);
}

/* Does it still hold the event? If it is busy, another may serve better: choose_counter(). */
static inline bool sbi_pmu_event_can_rejoin(const struct sbi_pmu_cpu *cpu,
					    const struct sbi_pmu_event *e, unsigned int idx)
{
	const struct sbi_pmu_assigned *counter = &cpu->assigned.counter[idx];

	return (!counter->events ||
		(cpu->fixed_alike && counter->events < SBI_PMU_EVENTS_PER_COUNTER)) &&
	       has_counter(cpu->assigned.configured, idx) &&
	       sbi_pmu_code_equal(&counter->code, &e->code);
}

/**
 * sbi_pmu_event_add() - give an event a counter; the event does not count yet
 * @cpu: this CPU
 * @e: an event without a counter
 * Return: 0, -ENODEV if the CPU is offline, -ENOSPC if all its counters are taken, or an errno.
 */
static inline int sbi_pmu_event_add(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const unsigned int last = e->last_counter;

	/* No counter holds an event while the CPU is offline. */
	if (last >= SBI_PMU_MAX_COUNTERS || !sbi_pmu_event_can_rejoin(cpu, e, last))
		return sbi_pmu_event_add_anywhere(cpu, e);
	sbi_pmu_event_join(cpu, e, last);
	return 0;
}

/* Stop an event and take it off its counter, if it has one. */
static inline void sbi_pmu_event_del(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const unsigned int idx = e->counter;

	if (e->counts)
		sbi_pmu_event_update_on(cpu, e, idx);
	e->active = false;
	e->counts = false;
	e->was_active = false;
	/* Without a counter it may wait for one. */
	hlist_del_init(&e->node);
	if (idx == SBI_PMU_NO_COUNTER)
		return;
	e->counter = SBI_PMU_NO_COUNTER;
	e->last_counter = idx;
	sbi_pmu_assign_leave(&cpu->assigned, idx);
}

/**
 * sbi_pmu_event_start() - have an event count from the end of this section on
 * @cpu: this CPU
 * @e: has been added
 *
 * Firmware's counters count firmware's work, and a read is a call: such an event counts from now.
 * Return: 0, -ENODEV without a counter, or why firmware's counter cannot be read.
 */
static inline int sbi_pmu_event_start(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const unsigned int idx = e->counter;

	if (idx == SBI_PMU_NO_COUNTER)
		return -ENODEV;
	if (unlikely(!cpu->counters->info[idx].csr))
		return sbi_pmu_event_start_firmware(cpu, e);
	e->active = true;
	cpu->started |= BIT_ULL(idx);
	e->user_read = READ_ONCE(e->mapped);
	if (e->user_read || e->sampling != SBI_PMU_COUNTING)
		sbi_pmu_event_mark_restart(cpu, e);
	return 0;
}

#endif
