/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters: the counters of a CPU and the events that count on them. When the last event leaves,
 * the counter stays configured and running, so that a context switch makes no SBI call.
 *
 * Context of all functions but sbi_pmu_counters_init(): on the CPU, interrupts disabled.
 */
#ifndef SBI_PMU_COUNTERS_H
#define SBI_PMU_COUNTERS_H

#include "assign.h"
#include "backend.h"
#include "csr.h"
#include "irq_source.h"
#include "user_page.h"

/*
 * What a counter is doing:
 *
 * state    it                                      becomes
 * FREE     holds no event                          STOPPED: counter_configure(), which starts it
 *                                                  unless a start needs a value
 * STOPPED  holds an event, does not count          RUNNING, ARMED: start_counters()
 * RUNNING  counts                                  STALE: sbi_pmu_event_set_stale(), for an event
 *                                                  that samples or must start from 0
 * ARMED    counts, and overflows when the period   STALE: likewise, for one that it does not suit;
 *          of an event on it ends, or before       RUNNING: sbi_pmu_counters_resume()
 * STALE    counts, needs another start value       STOPPED, and started: start_counters()
 * LOST     firmware has lost its event or value    FREE, and configured if it has events:
 *                                                  start_counters()
 *
 * Those that count become STOPPED by sbi_pmu_counters_stop(): after an overflow, by snapshot, and
 * for a reference counter in KVM. Any becomes FREE by counter_release(), and LOST when firmware
 * takes it without an offer, fails to stop it, or loses it in suspend. To start an event that only
 * counts changes no state. sbi_pmu_counters_enable() starts again what has events, and what has
 * none unless a start needs a value. A counter that a probe uses stays FREE. set_state() and
 * set_states() are the only places that change a state.
 */
enum sbi_pmu_counter_state {
	SBI_PMU_FREE,
	SBI_PMU_LOST,
	SBI_PMU_STOPPED,
	SBI_PMU_RUNNING, /* this one and the next count */
	SBI_PMU_ARMED,
	SBI_PMU_STALE,
};

/* CPUs come and go, sleep and wake */
void sbi_pmu_counters_init(struct sbi_pmu_cpu *cpu, struct sbi_pmu *pmu);
void sbi_pmu_counters_online(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_resume(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_release_idle(struct sbi_pmu_cpu *cpu, u64 clock);

/* Events come and go while the PMU is disabled; enable starts what was stopped. */
void sbi_pmu_counters_disable(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_enable(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_read(struct sbi_pmu_cpu *cpu);
void sbi_pmu_counters_stop(struct sbi_pmu_cpu *cpu, u64 which);

void sbi_pmu_counter_update(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c);
void sbi_pmu_counters_update(struct sbi_pmu_cpu *cpu, u64 which);
bool sbi_pmu_counters_update_narrow(struct sbi_pmu_cpu *cpu);

/* For probes, which need counters that hold events */
int sbi_pmu_counter_config(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
			   unsigned int *got);
void sbi_pmu_counters_borrow(struct sbi_pmu_cpu *cpu, u64 which);
void sbi_pmu_counters_restore(struct sbi_pmu_cpu *cpu, u64 which);

void sbi_pmu_counters_claim_fixed(struct sbi_pmu_cpu *cpu);

int sbi_pmu_event_add(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_event_update(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_event_set_stale(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e);
void sbi_pmu_event_update_running(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
				  struct sbi_pmu_counter *c);

/* ---- inline, as each context switch or overflow comes here ---- */

/* Armed counters whose overflow bit is set */
static __always_inline u64 sbi_pmu_overflow_bits(const struct sbi_pmu_cpu *cpu)
{
	const u32 bits = sbi_pmu_csr_overflow(cpu->pmu->irq_source->overflow);
	u64 which = 0;
	unsigned int i;

	for_each_counter(i, cpu->armed)
		if (bits & SBI_PMU_CSR_BIT(cpu->layout->info[i].csr))
			which |= BIT_ULL(i);
	return which;
}

/*
 * Its counter reads @now. A difference of 2^63 or more means that something else has written the
 * counter: it is not counted. Update the mmap page afterwards.
 */
static inline void sbi_pmu_event_account(struct sbi_pmu_event *e, u64 mask, u64 now)
{
	const u64 delta = (now - e->prev) & mask;

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

/* Account an event up to now, or up to when the PMU was disabled. Not within an SBI call. */
static inline void sbi_pmu_event_update_on(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
					   struct sbi_pmu_counter *c)
{
	if (cpu->at_disable_valid & c->bit)
		sbi_pmu_event_account(e, c->info->mask, c->at_disable);
	else
		sbi_pmu_event_update_running(cpu, e, c);
	/* Perf core may write the page at any time: base and count go together. */
	if (unlikely(e->user_read))
		sbi_pmu_user_page_publish(e);
}

/* The counter of a user-readable event, or its start value, is another: update its page. */
static inline void sbi_pmu_event_page_changed(struct sbi_pmu_event *e)
{
	if (!e->user_read)
		return;
	sbi_pmu_user_page_publish(e);
	perf_event_update_userpage(e->event);
}

static inline void sbi_pmu_event_join(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
				      struct sbi_pmu_counter *c)
{
	e->counter = c;
	hlist_add_head(&e->node, &c->events);
	sbi_pmu_assign_join(cpu, c, e->candidates, e->shares);
}

/* Stop an event and take it off its counter, if it has one. */
static inline void sbi_pmu_event_del(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	struct sbi_pmu_counter *c = e->counter;

	if (!c)
		return;
	if (e->counts)
		sbi_pmu_event_update_on(cpu, e, c);
	e->active = false;
	e->counts = false;
	e->counter = NULL;
	e->last_counter = c->index;
	hlist_del_init(&e->node);
	sbi_pmu_assign_leave(cpu, c, e->shares);
}

#endif
