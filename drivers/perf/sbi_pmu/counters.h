/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * counters: the counters of a CPU and the events that count on them. When the last event leaves,
 * the counter stays configured and running, so that a context switch makes no SBI call. (With
 * snapshot: Documentation/design/architecture.rst.)
 */
#ifndef SBI_PMU_COUNTERS_H
#define SBI_PMU_COUNTERS_H

#include "assign.h"
#include "backend.h"
#include "sampling.h"

/*
 * State of a counter. Only these transitions happen:
 *
 *	from \ to  FREE     STOPPED   RUNNING  ARMED   RESTART  LOST
 *	FREE                configure
 *	STOPPED    release            start    start            taken, resume
 *	RUNNING    release  stop                       event    stop, taken, resume
 *	ARMED      release  stop                       event    stop, taken, resume
 *	RESTART    release  stop                                stop, taken, resume
 *	LOST       release
 *
 * configure: an event is assigned; the counter is started at once, unless a start needs a value.
 * start, stop: sbi_pmu_counters_start(), which also releases a LOST counter and configures it
 * again, and sbi_pmu_counters_stop(). event: an event starts that needs another start value.
 * taken: by firmware, for another event, although it was not offered. resume: after a low-power
 * state, sbi_pmu_counters_resume().
 */
enum sbi_pmu_counter_state {
	SBI_PMU_FREE,    /* holds no event */
	SBI_PMU_STOPPED, /* holds an event; its value has been accounted */
	SBI_PMU_LOST,    /* firmware has lost its event or value */
	SBI_PMU_RUNNING, /* from here on it counts; this only counts */
	SBI_PMU_ARMED,   /* overflows when the first period ends */
	SBI_PMU_RESTART, /* must be restarted from another value */
	SBI_PMU_STATES
};

struct sbi_pmu_counters;

/* Counters that firmware refused for an event when it was added (allocate.c) */
struct sbi_pmu_refusals {
	const struct sbi_pmu_counters *by; /* of the CPU where that was */
	u64 which;
	u8 skip;  /* number of adds from now on that do not ask for them */
	u8 skips; /* what @skip is after the next refusal */
};

/* An event on a CPU */
struct sbi_pmu_event {
	struct hlist_node node;         /* in the list of its counter */
	struct sbi_pmu_event_code code; /* the event */
	u64 candidates;                 /* counters that can hold it */
	u64 prev;                       /* the counter when accounted last; valid while @active */
	u64 count;                      /* accounted and not yet taken by sbi_pmu_event_take() */
	struct sbi_pmu_period period;   /* unless @sampling is SBI_PMU_COUNTING */
	u8 counter;                     /* its counter, or SBI_PMU_NO_COUNTER */
	u8 last_counter;      /* the one that it had last, on any CPU, or SBI_PMU_NO_COUNTER */
	u8 sampling;          /* enum sbi_pmu_sampling */
	bool active;          /* counts now, as opposed to stopped */
	bool was_active;      /* it was @active when it lost its counter */
	bool mapped;          /* its task has mapped it and may read its counter from user space */
	bool mapped_by_other; /* another task has: as both read the same page, nobody may read */
	bool user_read;       /* @mapped when it was started last */
	bool reset_on_start;  /* starts from 0, as user space must not see what others counted */
	struct sbi_pmu_refusals refusals;
};

/* Only touched on its own CPU, interrupts disabled: no lock. (Probes at load use @backend, too.) */
struct sbi_pmu_counters {
	/* First what each context switch uses: small offsets take fewer instructions. */
	bool online;      /* events may be added */
	bool fixed_alike; /* see struct sbi_pmu_caps */
	bool direct;      /* to read a hardware counter is to read its CSR; const while online */
	bool disabled;    /* perf core or a handler changes events; then counters are started */
	u8 state[SBI_PMU_MAX_COUNTERS]; /* by counter, enum sbi_pmu_counter_state */
	u64 in[SBI_PMU_STATES];         /* by state but FREE, the counters in it */
	struct hlist_head lost; /* events that lost their counter: sbi_pmu_counters_recover() */
	/* by counter, in no order: an addition at the end of a list costs more */
	struct hlist_head events[SBI_PMU_MAX_COUNTERS];
	struct sbi_pmu_plan plan;       /* which counter holds which event */
	struct sbi_pmu_backend backend; /* programs and reads them */
	u64 wrapped;                    /* sampling ones, at the last look for lost interrupts */
	u64 world_readable;             /* that every program may read; never reset */
	/* the counter of a user-readable event, or its start value, is another: update its page */
	void (*changed)(struct sbi_pmu_event *event);
	/* no counter can be had for an event that has lost its own: it must be disabled */
	void (*failed)(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);
	unsigned int lost_events; /* how often @failed was called */
};

static inline void sbi_pmu_event_shown_changed(struct sbi_pmu_counters *c,
					       struct sbi_pmu_event *event)
{
	if (event->user_read)
		c->changed(event);
}

/* What was accounted since the last call. */
static inline u64 sbi_pmu_event_take(struct sbi_pmu_event *event)
{
	const u64 count = event->count;

	event->count = 0;
	return count;
}

/* Stopped counters that are to run: where a start needs a value, not the idle ones. */
static inline u64 sbi_pmu_counters_to_start(const struct sbi_pmu_counters *c)
{
	u64 stopped = c->in[SBI_PMU_STOPPED] | c->in[SBI_PMU_LOST];

	if (sbi_pmu_backend_needs_start_value(&c->backend))
		stopped &= c->plan.busy;
	return stopped;
}

/* Is there anything to do for sbi_pmu_counters_start() or sbi_pmu_counters_recover()? */
static inline bool sbi_pmu_counters_need_start(const struct sbi_pmu_counters *c)
{
	const u64 stopped = sbi_pmu_counters_to_start(c);

	return stopped || c->in[SBI_PMU_RESTART] || !hlist_empty(&c->lost);
}

void sbi_pmu_counters_online(struct sbi_pmu_counters *c);
void sbi_pmu_counters_offline(struct sbi_pmu_counters *c);
void sbi_pmu_counters_suspend(struct sbi_pmu_counters *c);
void sbi_pmu_counters_resume(struct sbi_pmu_counters *c);
void sbi_pmu_counters_release_idle(struct sbi_pmu_counters *c);

void sbi_pmu_counters_stop(struct sbi_pmu_counters *c, u64 which);
void sbi_pmu_counters_stop_all(struct sbi_pmu_counters *c);
void sbi_pmu_counters_start(struct sbi_pmu_counters *c);

void sbi_pmu_counter_update(struct sbi_pmu_counters *c, unsigned int idx);
bool sbi_pmu_counters_poll_narrow(struct sbi_pmu_counters *c);

/* For allocate.c and support.c */
int sbi_pmu_counter_configure(struct sbi_pmu_counters *c, unsigned int idx,
			      const struct sbi_pmu_event_code *code, u64 candidates);
void sbi_pmu_counter_configure_again(struct sbi_pmu_counters *c, unsigned int idx);
void sbi_pmu_counters_overwritten(struct sbi_pmu_counters *c);
void sbi_pmu_counter_release(struct sbi_pmu_counters *c, unsigned int idx);
void sbi_pmu_counter_rebase(struct sbi_pmu_counters *c, unsigned int idx);
void sbi_pmu_counter_drop_events(struct sbi_pmu_counters *c, unsigned int idx);

void sbi_pmu_event_init(struct sbi_pmu_event *event, const struct sbi_pmu_event_code *code,
			u64 candidates);
void sbi_pmu_event_stop(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);
void sbi_pmu_event_update(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);
void sbi_pmu_event_set_user_read(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);

/* For the functions below */
int sbi_pmu_counter_read_indirectly(struct sbi_pmu_counters *c, unsigned int idx, u64 *value);
int sbi_pmu_event_read_start(struct sbi_pmu_counters *c, struct sbi_pmu_event *event);
void sbi_pmu_event_mark_restart(struct sbi_pmu_counters *c, const struct sbi_pmu_event *event);

/* ---- inline, as each context switch comes here for each event ---- */

static inline bool sbi_pmu_counter_is_running(const struct sbi_pmu_counters *c, unsigned int idx)
{
	return c->state[idx] >= SBI_PMU_RUNNING;
}

/* Firmware counters have no CSR. */
static inline bool sbi_pmu_counter_is_direct(const struct sbi_pmu_counters *c,
					     const struct sbi_pmu_counter_info *info)
{
	return c->direct && info->csr;
}

/* The counter has been read to @event->prev; a value that it cannot have reached is not counted. */
static inline void sbi_pmu_event_account(struct sbi_pmu_event *event,
					 const struct sbi_pmu_counter_info *info, u64 before)
{
	u64 delta;

	if (sbi_pmu_counter_delta(info, before, event->prev, &delta))
		return;
	event->count += delta;
	if (event->sampling != SBI_PMU_COUNTING)
		sbi_pmu_period_count(&event->period, delta);
}

/* Account an event that counts on counter @idx up to now. Not from within an SBI call. */
static inline void sbi_pmu_event_update_on(struct sbi_pmu_counters *c, struct sbi_pmu_event *event,
					   unsigned int idx)
{
	const struct sbi_pmu_counter_info *info = &c->backend.inv->info[idx];
	const u64 before = event->prev;
	int ret;

	if (!sbi_pmu_counter_is_running(c, idx))
		return;
	ret = likely(sbi_pmu_counter_is_direct(c, info)) ?
		      c->backend.read_csr(info->csr, &event->prev) :
		      sbi_pmu_counter_read_indirectly(c, idx, &event->prev);
	if (!ret)
		sbi_pmu_event_account(event, info, before);
}

/* Stop an event and take it off its counter, if it has one. Context: interrupts disabled. */
static inline void sbi_pmu_event_del(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	const unsigned int idx = event->counter;

	if (event->active)
		sbi_pmu_event_update_on(c, event, idx);
	event->active = false;
	event->was_active = false;
	/* Without a counter it may wait for one. */
	hlist_del_init(&event->node);
	if (idx == SBI_PMU_NO_COUNTER)
		return;
	event->counter = SBI_PMU_NO_COUNTER;
	event->last_counter = idx;
	sbi_pmu_plan_leave(&c->plan, idx);
}

/**
 * sbi_pmu_event_start() - have an event count from now on
 * @c: this CPU's
 * @event: has been added; sbi_pmu_counters_start() must be called after, once for all events
 * Context: interrupts disabled.
 * Return: 0, -ENODEV without a counter, or why the counter cannot be read.
 */
static inline int sbi_pmu_event_start(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	const unsigned int idx = event->counter;
	const struct sbi_pmu_counter_info *info;
	int ret;

	if (idx == SBI_PMU_NO_COUNTER)
		return -ENODEV;
	info = &c->backend.inv->info[idx];
	ret = likely(sbi_pmu_counter_is_running(c, idx) && sbi_pmu_counter_is_direct(c, info)) ?
		      c->backend.read_csr(info->csr, &event->prev) :
		      sbi_pmu_event_read_start(c, event);
	event->active = !ret;
	event->user_read = READ_ONCE(event->mapped);
	if (event->user_read || event->sampling != SBI_PMU_COUNTING)
		sbi_pmu_event_mark_restart(c, event);
	return ret;
}

#endif
