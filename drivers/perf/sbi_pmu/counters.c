// SPDX-License-Identifier: GPL-2.0-only
/* What each counter of a CPU is doing, which event it holds, and what its events have counted. */
#include "counter_info.h"
#include "counters.h"
#include "probe.h"
#include "sbi.h"

/* The states of a CPU's counters, and the sets that follow from them, change here only. */
static __always_inline void change_sets(struct sbi_pmu_cpu *cpu, u64 which,
					enum sbi_pmu_counter_state state)
{
	cpu->configured = state == SBI_PMU_FREE ? cpu->configured & ~which :
						  cpu->configured | which;
	cpu->running = state >= SBI_PMU_RUNNING ? cpu->running | which : cpu->running & ~which;
	cpu->armed = state == SBI_PMU_ARMED ? cpu->armed | which : cpu->armed & ~which;
	cpu->stale = state == SBI_PMU_STALE ? cpu->stale | which : cpu->stale & ~which;
	cpu->lost = state == SBI_PMU_LOST ? cpu->lost | which : cpu->lost & ~which;
	if (state >= SBI_PMU_RUNNING)
		return;
	cpu->at_disable_valid &= ~which;
	cpu->start_valid &= ~which;
}

static __always_inline void set_state(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c,
				      enum sbi_pmu_counter_state state)
{
	c->state = state;
	change_sets(cpu, c->bit, state);
}

static __always_inline void set_states(struct sbi_pmu_cpu *cpu, u64 which,
				       enum sbi_pmu_counter_state state)
{
	unsigned int i;

	for_each_counter(i, which)
		cpu->counter[i].state = state;
	change_sets(cpu, which, state);
}

/* ---- account ---- */

/* A counter reads @now: account that to all of its events. */
static void counter_account(struct sbi_pmu_counter *c, u64 now)
{
	struct sbi_pmu_event *e;

	hlist_for_each_entry(e, &c->events, node) {
		if (!e->counts)
			continue;
		sbi_pmu_event_account(e, c->info->mask, now);
		/* Perf core may write the page at any time: base and count go together. */
		if (unlikely(e->user_read))
			sbi_pmu_user_page_publish(e);
	}
}

/* Account all events of a counter up to now. QEMU 7.2: a stopped one reads as its start value. */
void sbi_pmu_counter_update(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c)
{
	u64 now;

	if (cpu->at_disable_valid & c->bit)
		now = c->at_disable;
	else if (hlist_empty(&c->events) || c->state < SBI_PMU_RUNNING || cpu->in_sbi_call ||
		 sbi_pmu_counter_read(cpu, c->index, &now))
		return;
	counter_account(c, now);
}

/* The same for all events of counters @which. */
void sbi_pmu_counters_update(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	for_each_counter(i, which)
		sbi_pmu_counter_update(cpu, &cpu->counter[i]);
}

/* Account an event up to now: mostly it is enough to read a CSR. Firmware counters have none. */
void sbi_pmu_event_update_running(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
				  struct sbi_pmu_counter *c)
{
	u64 now;

	if (c->state >= SBI_PMU_RUNNING && !(likely(!cpu->accumulates && c->info->csr) ?
						     sbi_pmu_csr_read(c->info->csr, &now) :
						     sbi_pmu_counter_read(cpu, c->index, &now)))
		sbi_pmu_event_account(e, c->info->mask, now);
}

/* A sample of the kernel's tracepoint may ask within an SBI call. */
void sbi_pmu_event_update(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	if (e->counts && !cpu->in_sbi_call)
		sbi_pmu_event_update_on(cpu, e, e->counter);
}

/*
 * Account narrow counters before they wrap; to be called every sbi_pmu_wrap_ns().
 * Return: true if an event counts on such a counter, so that this must be called again.
 */
bool sbi_pmu_counters_update_narrow(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_event *e;
	bool narrow = false;
	unsigned int i;

	for_each_counter(i, cpu->busy) {
		if (cpu->counter[i].info->width == 64)
			continue;
		sbi_pmu_counter_update(cpu, &cpu->counter[i]);
		hlist_for_each_entry(e, &cpu->counter[i].events, node)
			sbi_pmu_event_page_changed(e);
		narrow = true;
	}
	return narrow;
}

/* ---- configure and release ---- */

static void counter_release(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c)
{
	cpu->irq.stopped_armed |= cpu->armed & c->bit;
	cpu->irq.wrapped &= ~c->bit;
	cpu->free_running &= cpu->layout->free_running | ~c->bit;
	set_state(cpu, c, SBI_PMU_FREE);
	sbi_pmu_counter_unconfig(cpu, c->index);
}

/*
 * Configure one of the counters @offered for an event, stopped. @got: the counter, if there is one.
 *
 * Firmware may take a counter that was not offered. If that one is in use, it is lost: so OpenSBI
 * changes the filters of a fixed counter, if no programmable one is left. If it holds no event of
 * ours, it is released, unless the other driver may use it.
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, or another errno.
 */
int sbi_pmu_counter_config(struct sbi_pmu_cpu *cpu, u64 offered, const struct sbi_pmu_code *code,
			   unsigned int *got)
{
	const u64 free_running = offered & cpu->free_running;
	struct sbi_pmu_counter *c;
	unsigned int i;
	int ret;

	/* Free-running counters do not filter, and need no call. */
	for_each_counter(i, free_running) {
		if (code->flags || code->idx != sbi_pmu_fixed_event(&cpu->layout->info[i]))
			continue;
		*got = i;
		return 0;
	}
	offered &= ~free_running;
	ret = offered ? cpu->backend->config(cpu, offered, code, got) : -EOPNOTSUPP;
	/* -EPROTO, NO_COUNTER: one that does not exist */
	if (ret && (ret != -EPROTO || *got == SBI_PMU_NO_COUNTER))
		return ret;
	c = &cpu->counter[*got];
	if (!ret) {
		c->last = 0;
		c->total = 0;
		c->offset = 0;
		cpu->start_valid &= ~c->bit;
	} else if (c->state != SBI_PMU_FREE) {
		sbi_pmu_counter_update(cpu, c);
		set_state(cpu, c, SBI_PMU_LOST);
	} else if (cpu->exclusive && !has_counter(cpu->layout->free_running, *got)) {
		sbi_pmu_sbi_release(cpu, *got);
	}
	return ret;
}

/* Do two reads show that counter @idx counts? Not if its event is rare. */
static bool is_seen_counting(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 first, second;

	return !sbi_pmu_counter_read(cpu, idx, &first) &&
	       !sbi_pmu_counter_read(cpu, idx, &second) && first != second;
}

/*
 * In shared mode the other driver may have the event on a counter, and no other counts it then
 * (layout.tied). Cycles and instructions show that, without a filter; other events may not happen
 * now.
 */
static bool counts_elsewhere(struct sbi_pmu_cpu *cpu, unsigned int idx,
			     const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_code bare = { .idx = code->idx, .data = code->data };
	unsigned int got;
	bool counts;

	if (likely(cpu->exclusive || !cpu->layout->tied) || !sbi_pmu_has_fixed_counter(code) ||
	    !has_counter(cpu->layout->programmable, idx) ||
	    sbi_pmu_counter_config(cpu, BIT_ULL(idx), &bare, &got))
		return false;
	counts = !sbi_pmu_counter_start_one(cpu, idx) && is_seen_counting(cpu, idx);
	sbi_pmu_counter_unconfig(cpu, idx);
	return !counts;
}

/*
 * Configure one of the free counters @offered, and start it unless a start needs a value. A counter
 * that takes the event but cannot be started or read is passed over: it may not have been asked
 * before. Return: the counter, or an errno.
 */
static int counter_configure(struct sbi_pmu_cpu *cpu, u64 offered, const struct sbi_pmu_code *code,
			     u64 candidates)
{
	int ret = counts_elsewhere(cpu, first_counter(offered), code) ? -EBUSY : 0;
	struct sbi_pmu_counter *c;
	unsigned int i;
	u64 value;

	for (; offered && !ret; offered &= ~c->bit) {
		ret = sbi_pmu_counter_config(cpu, offered, code, &i);
		if (ret)
			break;
		c = &cpu->counter[i];
		set_state(cpu, c, SBI_PMU_STOPPED);
		if ((cpu->needs_start_value || !sbi_pmu_counter_start_one(cpu, i)) &&
		    (!c->info->csr || cpu->accumulates ||
		     !sbi_pmu_csr_read(c->info->csr, &value))) {
			if (!cpu->needs_start_value)
				set_state(cpu, c, SBI_PMU_RUNNING);
			c->code = *code;
			c->candidates = candidates;
			return i;
		}
		counter_release(cpu, c);
	}
	return ret ?: -EIO;
}

/* Does the event start from 0, since its program must not see what others counted? */
static bool needs_reset(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e)
{
	return e->active && e->user_read && e->reset_on_start &&
	       !(cpu->free_running & e->counter->bit);
}

/* Least events to an overflow, so that the task makes progress. A shorter period counts in full. */
#define MIN_PERIOD	16

/*
 * Events until the counter of a sampling event is to overflow; at most half of its range, as the
 * handler must tell a value after the overflow from one before.
 */
static u64 to_overflow(const struct sbi_pmu_event *e)
{
	/* A sample in a wrong mode was deferred: later the hart may be in another. */
	const u64 left = max_t(s64, local64_read(&e->event->hw.period_left),
			       MIN_PERIOD << e->period.deferred);

	return min(left, sbi_pmu_half(e->counter->info));
}

/*
 * Does the event's counter overflow when its period ends, or up to a quarter of the rest before?
 * Then it is better to start the counter again after that overflow. Others may have counted on it
 * since the event left.
 */
static bool is_armed_for(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e)
{
	const struct sbi_pmu_counter *c = e->counter;
	const u64 left = to_overflow(e);
	u64 now, rest;

	if (c->state != SBI_PMU_ARMED || cpu->accumulates || sbi_pmu_csr_read(c->info->csr, &now) ||
	    !sbi_pmu_in_upper_half(c->info, now))
		return false;
	rest = -now & c->info->mask;
	return rest <= left && rest >= left - left / 4;
}

/* An event has been started: its running counter may need another start value. */
void sbi_pmu_event_set_stale(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e)
{
	struct sbi_pmu_counter *c = e->counter;
	const bool samples = e->active && e->sampling == SBI_PMU_BY_INTERRUPT &&
			     !is_armed_for(cpu, e);

	if (c->state < SBI_PMU_RUNNING || (!samples && !needs_reset(cpu, e)))
		return;
	cpu->irq.stopped_armed |= cpu->armed & c->bit;
	set_state(cpu, c, SBI_PMU_STALE);
}

/*
 * Counters that firmware has refused for an event are asked again at each 32nd add only, as that
 * costs calls. Of counters that were not asked at open MAX_TRIES offers are made at an add, and
 * more at the next. A pinned event has no next add: all are made at once.
 */
#define SKIPPED_ADDS	31
#define MAX_TRIES	3

static void mark_stopped(struct sbi_pmu_cpu *cpu, struct perf_event *event)
{
	struct sbi_pmu_event *e = to_sbi_pmu_event(event);

	if (event->pmu != &cpu->pmu->pmu || !e->active)
		return;
	sbi_pmu_event_update(cpu, e);
	e->active = false;
	e->counts = false;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	sbi_pmu_event_page_changed(e);
}

/*
 * The events of a counter lose it: they stop, with their groups, and keep their counts.
 *
 * Perf core takes an event for active until it adds the events of this CPU again, which
 * dropped.work has it do: the scheduler's locks may be held here. It gets another counter then, or
 * is refused, with its group, and its running time stays below its enabled time (a pinned event is
 * in error: read(2) returns 0). If it were disabled instead, both times would stop, and the user
 * would see a part of the count at 100 %.
 *
 * If the counter has @failed it is not asked at once: it may take the event each time and then not
 * start. Without perf_pmu_resched() perf core decides when it adds the event again: then no counter
 * is asked for some time, so that perf shows a share below 100 %.
 */
static void counter_drop_events(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c, bool failed)
{
	struct perf_event *sibling;
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;

	if (!failed)
		sbi_pmu_counter_update(cpu, c);
	if (c->state != SBI_PMU_FREE)
		counter_release(cpu, c);
	hlist_for_each_entry_safe(e, tmp, &c->events, node) {
		hlist_del_init(&e->node);
		mark_stopped(cpu, e->event->group_leader);
		for_each_sibling_event(sibling, e->event->group_leader)
			mark_stopped(cpu, sibling);
		e->counter = NULL;
		sbi_pmu_assign_leave(cpu, c, e->shares);
		if (failed) {
			e->refused = e->refused_by == cpu ? e->refused : 0;
			e->refused_by = cpu;
			e->skipped_adds = SKIPPED_ADDS;
			e->refused |= cpu->pmu->perf_pmu_resched ? c->bit : e->candidates;
			cpu->dropped.events++;
		}
		irq_work_queue(&cpu->dropped.work);
	}
}

/*
 * The events of a counter that has been configured count on from its value as soon as the PMU is
 * enabled; those of firmware's counters, which run on while it is disabled, from now.
 */
static void counter_rebase(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c)
{
	const bool at_once = cpu->layout->firmware & cpu->running & c->bit;
	struct sbi_pmu_event *e;
	u64 now = 0;

	if (at_once && sbi_pmu_counter_read(cpu, c->index, &now)) {
		counter_drop_events(cpu, c, true);
		return;
	}
	cpu->to_count |= c->bit;
	hlist_for_each_entry(e, &c->events, node) {
		e->counter = c;
		e->prev = now;
		e->counts = at_once && e->active;
		sbi_pmu_event_set_stale(cpu, e);
		sbi_pmu_event_page_changed(e);
	}
}

/* The host of a VM may deny an event that it took before. @why: an errno of counter_configure() */
static void note_denied(const struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, int why)
{
	if (why == -EOPNOTSUPP && sbi_pmu_in_kvm(cpu->pmu) && e->known)
		WRITE_ONCE(e->known->denied, true);
}

/* Configure a counter, which has been released, for the event that it had. */
static void counter_configure_again(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c)
{
	const int ret = counter_configure(cpu, c->bit, &c->code, c->candidates);
	struct sbi_pmu_event *e;

	if (ret >= 0) {
		counter_rebase(cpu, c);
	} else if (c->shares) {
		hlist_for_each_entry(e, &c->events, node)
			note_denied(cpu, e, ret);
		counter_drop_events(cpu, c, true);
	}
}

/* ---- stop and start ---- */

/* Read stopped counters that were not read when the PMU was disabled. */
static noinline void read_stopped(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;
	u64 value;

	for_each_counter(i, which) {
		if (sbi_pmu_counter_read(cpu, i, &value) || has_counter(cpu->at_disable_valid, i))
			continue;
		cpu->counter[i].at_disable = value;
		cpu->at_disable_valid |= BIT_ULL(i);
	}
}

/* Stop those of counters @which that run until the PMU is enabled, and account their events. */
void sbi_pmu_counters_stop(struct sbi_pmu_cpu *cpu, u64 which)
{
	/* A free-running counter "stops" by being read. */
	const u64 stop = cpu->running & which, calls = stop & ~cpu->free_running;
	const u64 lost = calls ? cpu->backend->stop(cpu, calls) : 0;
	/* One that accumulates is read in any case: the next total contains what it has counted. */
	const u64 unread = stop & ~lost &
			   (cpu->accumulates ? ~0ULL : cpu->busy & ~cpu->at_disable_valid);
	unsigned int i;

	if (unread)
		read_stopped(cpu, unread);
	for_each_counter(i, stop & cpu->at_disable_valid & ~lost)
		counter_account(&cpu->counter[i], cpu->counter[i].at_disable);
	set_states(cpu, stop, SBI_PMU_STOPPED);
	if (unlikely(lost))
		set_states(cpu, lost, SBI_PMU_LOST);
}

/* Stopped and lost counters that are to run: where a start needs a value, not the idle ones. */
static u64 to_start(const struct sbi_pmu_cpu *cpu)
{
	const u64 stopped = cpu->configured & ~cpu->running;

	return cpu->needs_start_value ? stopped & cpu->busy : stopped;
}

/*
 * Where a stopped counter starts: to overflow when the first period ends; from 0; or, if that is
 * not in start_valid, from its present value. Its events count as soon as the PMU is enabled.
 */
static void set_start_value(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c)
{
	bool set = cpu->needs_start_value;
	struct sbi_pmu_event *e;
	u64 first = 0, left;

	hlist_for_each_entry(e, &c->events, node) {
		e->counts = false;
		set |= needs_reset(cpu, e);
		if (!e->active || e->sampling != SBI_PMU_BY_INTERRUPT)
			continue;
		left = to_overflow(e);
		if (!first || left < first)
			first = left;
	}
	c->start = -first & c->info->mask;
	if (first)
		set_state(cpu, c, SBI_PMU_ARMED);
	else
		set_state(cpu, c, SBI_PMU_RUNNING);
	if (first || (set && !(cpu->free_running & c->bit)))
		cpu->start_valid |= c->bit;
}

/*
 * A counter was to start from 0, as a program may read it. If firmware has ignored the value, the
 * counter is not shown, and is started again when the PMU is enabled next.
 */
static noinline void check_reset(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c)
{
	u64 now;

	if (!sbi_pmu_csr_read(c->info->csr, &now) && !(now >> SBI_PMU_FAR_BITS))
		return;
	cpu->start_valid &= ~c->bit;
	set_state(cpu, c, SBI_PMU_STALE);
}

/* ---- give an event a counter, moving other events if need be ---- */

/*
 * A counter that was not asked when an event was opened is asked when it is needed. If it refuses
 * now, it is no candidate any more, as after a probe at open; unless the other driver may have it
 * now. Counters that took the event before are asked again later: see allocate().
 */
static void event_refused(const struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, u64 offered,
			  int why)
{
	const u64 never = cpu->exclusive && why == -EOPNOTSUPP ? offered & ~e->confirmed : 0;

	e->candidates &= ~never;
	e->refused |= offered & ~never;
	note_denied(cpu, e, why);
}

/* If counter @idx is free all free ones of @unknown are offered, so that firmware chooses. */
static u64 to_offer(const struct sbi_pmu_cpu *cpu, unsigned int idx,
		    const struct sbi_pmu_code *code, u64 unknown)
{
	const u64 free = sbi_pmu_assign_where(cpu, code, unknown) & ~cpu->configured;

	return has_counter(free, idx) ? free : BIT_ULL(idx);
}

/* @from is released first: firmware and QEMU may allow an event on one counter only. */
static int move_events(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *from, unsigned int idx)
{
	const struct sbi_pmu_event *first =
		hlist_entry_safe(from->events.first, struct sbi_pmu_event, node);
	const u64 offered =
		to_offer(cpu, idx, &from->code, first ? from->candidates & ~first->confirmed : 0);
	struct sbi_pmu_counter *to;
	struct sbi_pmu_event *e;
	int ret;

	sbi_pmu_counter_update(cpu, from);
	counter_release(cpu, from);
	ret = counter_configure(cpu, offered, &from->code, from->candidates);
	if (ret < 0) {
		hlist_for_each_entry(e, &from->events, node)
			event_refused(cpu, e, offered, ret);
		from->candidates &= ~offered;
		counter_configure_again(cpu, from);
		return ret;
	}
	to = &cpu->counter[ret];
	hlist_move_list(&from->events, &to->events);
	sbi_pmu_assign_move(cpu, from, to);
	counter_rebase(cpu, to);
	return 0;
}

static int make_available(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_path *path)
{
	const u64 hardware = sbi_pmu_hardware(cpu->layout);
	unsigned int to, victim = path->end;
	int ret;

	/* A free one may be one too many for the host of a VM. */
	if (has_counter(hardware & ~cpu->configured, victim) &&
	    sbi_pmu_assign_is_full(cpu->layout, cpu->configured))
		victim = sbi_pmu_assign_oldest(cpu, sbi_pmu_idle_counters(cpu) & hardware);
	if (has_counter(cpu->configured & ~cpu->free_running, victim))
		counter_release(cpu, &cpu->counter[victim]);
	for (to = path->end; to != path->first; to = path->from[to]) {
		ret = move_events(cpu, &cpu->counter[path->from[to]], to);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Free counters to try first, if not all counters were asked for the event at open: those that are
 * known to take it, else those that were not asked. Otherwise two events that are known to count on
 * one counter would take it from each other, by calls at each switch between them.
 */
static u64 preferred_free(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e,
			  u64 candidates)
{
	const u64 free = candidates & ~cpu->configured;

	if (!(candidates & ~e->confirmed))
		return 0;
	return free & e->confirmed ?: free;
}

/* Return: the counter, or an errno. An idle counter that refuses gets its event back. */
static int allocate(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, u64 candidates)
{
	struct sbi_pmu_path path;
	int ret = -ENOSPC; /* none is free: perf core multiplexes */
	const u64 others = cpu->layout->programmable & ~e->candidates;
	unsigned int i, tries = MAX_TRIES;
	u64 offered;
	bool idle;

	if (e->refused_by != cpu || !e->skipped_adds--) {
		e->refused_by = cpu;
		e->skipped_adds = SKIPPED_ADDS;
		e->refused = 0;
	}
	candidates &= ~(e->refused | (e->code.flags ? cpu->free_running : 0));
	/* Where one counter only counts an event, it must not be one that @e does not want. */
	if (cpu->layout->tied && candidates & ~cpu->busy)
		for_each_counter(i, sbi_pmu_idle_counters(cpu) & others)
			if (sbi_pmu_code_alike(&cpu->counter[i].code, &e->code))
				counter_release(cpu, &cpu->counter[i]);
	while (sbi_pmu_assign_search(cpu, &e->code,
				     preferred_free(cpu, e, candidates) ?: candidates, &path)) {
		idle = has_counter(sbi_pmu_idle_counters(cpu), path.first);
		offered = to_offer(cpu, path.first, &e->code, candidates & ~e->confirmed);
		ret = make_available(cpu, &path);
		if (!ret) {
			ret = counter_configure(cpu, offered, &e->code, e->candidates);
			if (ret >= 0)
				break;
			event_refused(cpu, e, offered, ret);
		}
		if (idle)
			counter_configure_again(cpu, &cpu->counter[path.first]);
		/* Firmware refuses, whatever was found at open. */
		candidates &= e->candidates & ~e->refused & ~BIT_ULL(path.first);
		if (!--tries && !e->event->group_leader->attr.pinned)
			candidates &= e->confirmed;
	}
	return ret;
}

/*
 * Where all counters have one filter: try to switch it to @flags. Not while events with another one
 * count. The events of idle counters get it, too: equal events have equal filters at any time.
 * Return: is it @flags now?
 */
static bool use_filter(struct sbi_pmu_cpu *cpu, u32 flags)
{
	const u64 hardware = sbi_pmu_hardware(cpu->layout);
	unsigned int i;

	if (cpu->filter == flags)
		return true;
	if (cpu->busy & hardware || (flags && cpu->free_running))
		return false;
	if (!sbi_pmu_csr_filter(flags)) {
		sbi_pmu_csr_filter(cpu->filter);
		return false;
	}
	cpu->filter = flags;
	for_each_counter(i, cpu->configured & hardware)
		cpu->counter[i].code.flags = flags;
	return true;
}

/*
 * Give an event a counter; the event does not count yet.
 *
 * Equal events share a counter: a second one would be taken from others, and QEMU lets only one
 * count. But a fixed one on which nothing counts is better than a programmable one that others
 * use, perhaps to sample.
 * Return: 0, -ENODEV if the CPU is offline, -ENOSPC if all its counters are taken, or an errno.
 */
int sbi_pmu_event_add(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const u64 fixed = cpu->layout->fixed & e->candidates & ~cpu->busy;
	const struct perf_event *leader = e->event->group_leader;
	const struct sbi_pmu_event *other;
	int idx, better;

	if (!cpu->online)
		return -ENODEV;
	if (unlikely(cpu->layout->one_filter) && !sbi_pmu_code_is_firmware(&e->code) &&
	    !use_filter(cpu, e->code.flags))
		return -ENOSPC; /* they take turns */
	/* Equal members on two counters differ by what lies between two reads, and by M-mode. */
	for_each_counter(idx, e->has_equal ? cpu->busy & e->candidates : 0) {
		if (!sbi_pmu_code_equal(&cpu->counter[idx].code, &e->code) ||
		    cpu->counter[idx].shares + e->shares > SBI_PMU_SHARES)
			continue;
		hlist_for_each_entry(other, &cpu->counter[idx].events, node)
			if (other->event->group_leader == leader)
				goto found;
	}
	idx = sbi_pmu_assign_find(cpu, &e->code, e->candidates, e->shares);
	if (idx == SBI_PMU_NO_COUNTER) {
		idx = allocate(cpu, e, e->candidates);
		if (idx < 0)
			return idx;
	} else if (!cpu->fixed_alike && has_counter(cpu->busy, idx) && fixed) {
		better = allocate(cpu, e, fixed);
		if (better >= 0)
			idx = better;
	}
found:
	sbi_pmu_event_join(cpu, e, &cpu->counter[idx]);
	return 0;
}

/* ---- enable and disable ---- */

/*
 * Read counters into a field, @at_disable or @at_enable, right one after the other: the events of a
 * group differ by what lies between two reads, unless that is the same both times. So it is one
 * function, not inline. Return: those that have been read.
 */
static noinline u64 read_counters(struct sbi_pmu_cpu *cpu, u64 which, size_t field)
{
	u64 valid = which;
	unsigned int i;

	for_each_counter(i, which) {
		struct sbi_pmu_counter *c = &cpu->counter[i];
		u64 *value = (void *)c + field;

		if (unlikely(likely(!cpu->accumulates) ? sbi_pmu_csr_read(c->info->csr, value) :
							 sbi_pmu_counter_read(cpu, i, value)))
			valid &= ~BIT_ULL(i);
	}
	return valid;
}

/* Read all counters that have events, but firmware's: they are accounted up to now. */
void sbi_pmu_counters_read(struct sbi_pmu_cpu *cpu)
{
	const u64 which = cpu->running & cpu->busy & ~cpu->layout->firmware;

	cpu->at_disable_valid =
		read_counters(cpu, which, offsetof(struct sbi_pmu_counter, at_disable));
}

/*
 * Disable the PMU, so that events may change.
 *
 * The events of a group stop and start together. By snapshot one call stops and reads all counters.
 * Others are read: what stops while the PMU is disabled has counted up to now. Delegated ones stand
 * still until sbi_pmu_counters_enable(), the others run on; if one of the delegated must, so that
 * programs can read it, all do, and are read again then.
 */
void sbi_pmu_counters_disable(struct sbi_pmu_cpu *cpu)
{
	cpu->disabled = true;
	cpu->called = cpu->backend->no_calls && cpu->free_running;
	if (cpu->backend->no_calls && !cpu->called)
		cpu->delegated.inhibited = !cpu->delegated.running ||
					   !sbi_pmu_csr_inhibit(cpu->delegated.running);
	if (cpu->backend->stops_all) {
		cpu->irq.stopped_armed |= cpu->armed;
		sbi_pmu_counters_stop(cpu, cpu->configured);
	} else {
		sbi_pmu_counters_read(cpu);
	}
}

/*
 * Bring each counter to what it is wanted to be: one that needs another start value is stopped, a
 * lost one configured again or, if it is idle, released, and then all that are stopped are started.
 */
static void start_counters(struct sbi_pmu_cpu *cpu)
{
	/*
	 * Firmware clears a counter's overflow bit only while the interrupt is not pending. If it
	 * was pending for another counter, it is set again: the handler finds that one's bit.
	 */
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	const bool pending = cpu->pmu->source == SBI_PMU_OVERFLOW_IRQ &&
			     sbi_pmu_csr_clear_pending(source->pending, source->mask);
	u64 start, calls, failed, reset;
	unsigned int i;

	/*
	 * To configure one may make firmware overwrite another, which is lost then. The loop ends:
	 * each time that happens one counter fewer is in use.
	 */
	while (cpu->stale | cpu->lost) {
		sbi_pmu_counters_stop(cpu, cpu->stale);
		for_each_counter(i, cpu->lost) {
			counter_release(cpu, &cpu->counter[i]);
			if (cpu->counter[i].shares)
				counter_configure_again(cpu, &cpu->counter[i]);
		}
	}
	start = to_start(cpu);
	for_each_counter(i, start)
		set_start_value(cpu, &cpu->counter[i]);
	cpu->to_count |= start;
	calls = start & ~cpu->free_running;
	failed = calls ? cpu->backend->start(cpu, calls) : 0;
	reset = start & cpu->start_valid & ~cpu->armed;
	for_each_counter(i, cpu->needs_start_value ? 0 : reset)
		check_reset(cpu, &cpu->counter[i]);
	for_each_counter(i, failed)
		counter_drop_events(cpu, &cpu->counter[i], true);
	if (pending)
		sbi_pmu_csr_set_pending(source->pending, source->mask);
}

/*
 * The events of a counter that were started while the PMU was disabled, or @all, count on from
 * @now. What an armed counter has counted since it was started, or read, is not counted, but brings
 * the overflow nearer. With a period of 1000: started at -1000, it reads -993 here, so it overflows
 * 7 events early; the next period is 1007 then.
 */
static inline void counter_count_from(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c, bool all,
				      u64 now)
{
	struct sbi_pmu_event *e;

	hlist_for_each_entry(e, &c->events, node) {
		if (!e->active || (e->counts && !all))
			continue;
		if (e->counts) {
			if (cpu->at_disable_valid & c->bit)
				sbi_pmu_event_account(e, c->info->mask, c->at_disable);
		} else {
			e->prev = cpu->start_valid & c->bit ? c->start : now;
			e->period.early = 0;
		}
		if (e->sampling == SBI_PMU_BY_INTERRUPT)
			e->period.early += (now - e->prev) & c->info->mask;
		e->prev = now;
		e->counts = true;
		if (unlikely(e->user_read))
			sbi_pmu_event_page_changed(e);
	}
}

/*
 * What was started while the PMU was disabled counts from now on. After an SBI call all events do,
 * so that none counts what that took; unless only one counter has events, which cannot differ from
 * others.
 */
static void count_on(struct sbi_pmu_cpu *cpu)
{
	const u64 busy = cpu->busy & cpu->running, firmware = cpu->layout->firmware;
	const bool together = cpu->backend->stops_all || !(busy & (busy - 1));
	const bool all = cpu->called && !cpu->delegated.inhibited && !together;
	/* What was started by one call, or is alone, reads its start value. */
	const u64 known = cpu->start_valid & (together ? ~0ULL : firmware);
	const u64 which = (all ? busy : cpu->to_count & cpu->running) & ~firmware & ~known;
	const u64 read = read_counters(cpu, which, offsetof(struct sbi_pmu_counter, at_enable));
	unsigned int i;

	for_each_counter(i, read)
		counter_count_from(cpu, &cpu->counter[i], all, cpu->counter[i].at_enable);
	for_each_counter(i, known)
		counter_count_from(cpu, &cpu->counter[i], all, cpu->counter[i].start);
	cpu->to_count = 0;
	cpu->start_valid = 0;
	/* What cannot be read any more is released. */
	if (unlikely(which != read))
		for_each_counter(i, which & ~read)
			counter_drop_events(cpu, &cpu->counter[i], true);
}

/*
 * Enable the PMU again: start what was stopped, then update scounteren: what user space may read
 * depends on which counters run.
 */
void sbi_pmu_counters_enable(struct sbi_pmu_cpu *cpu)
{
	if (cpu->stale || to_start(cpu))
		start_counters(cpu);
	if (cpu->to_count || cpu->called)
		count_on(cpu);
	cpu->at_disable_valid = 0;
	if (cpu->delegated.inhibited)
		cpu->delegated.inhibited = cpu->delegated.running &&
					   sbi_pmu_csr_uninhibit(cpu->delegated.running);
	if (cpu->shown_changed)
		sbi_pmu_write_scounteren(cpu);
	cpu->disabled = false;
}

/* ---- fixed counters that all programs may read ---- */

/*
 * Programs may read them at any time: so they are configured without a filter and started, as
 * firmware stops no counter in use. From then on they are only read, as those that firmware never
 * hands out. Events that filter, or sample by interrupt, leave them; where all counters have one
 * filter, each event that filters leaves its counter. What firmware refuses is asked for again at
 * the next call only.
 */
void sbi_pmu_counters_claim_fixed(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	for_each_counter(i, cpu->filter ? cpu->busy & sbi_pmu_hardware(cpu->layout) : 0)
		counter_drop_events(cpu, &cpu->counter[i], false);
	use_filter(cpu, 0);
	for_each_counter(i, cpu->layout->fixed & ~cpu->free_running) {
		struct sbi_pmu_counter *c = &cpu->counter[i];
		const struct sbi_pmu_code code = { .idx = sbi_pmu_fixed_event(c->info) };

		if (c->state != SBI_PMU_RUNNING || c->code.flags) {
			counter_drop_events(cpu, c, false);
			if (counter_configure(cpu, c->bit, &code, c->bit) < 0)
				continue;
		}
		cpu->free_running |= c->bit;
	}
}

/* ---- probes ---- */

/*
 * Disable the PMU and release counters for a probe: their events miss what happens until it ends.
 * They are not stopped before: RustSBI does not release a stopped counter. Free-running ones stay.
 */
void sbi_pmu_counters_borrow(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	sbi_pmu_counters_disable(cpu);
	for_each_counter(i, which & ~cpu->free_running) {
		sbi_pmu_counter_update(cpu, &cpu->counter[i]);
		counter_release(cpu, &cpu->counter[i]);
	}
}

/* Configure them again, and those that the probe has overwritten, and enable the PMU. */
void sbi_pmu_counters_restore(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	for_each_counter(i, which & ~cpu->free_running)
		counter_configure_again(cpu, &cpu->counter[i]);
	sbi_pmu_counters_enable(cpu);
}

/* ---- CPUs come and go, sleep and wake ---- */

/* Of a CPU, or of a group. */
void sbi_pmu_counters_init(struct sbi_pmu_cpu *cpu, struct sbi_pmu *pmu)
{
	unsigned int i;

	cpu->pmu = pmu;
	cpu->layout = &pmu->layout;
	cpu->backend = &sbi_pmu_backend_sbi;
	for_each_counter(i, ~0ULL) {
		cpu->counter[i].info = &pmu->layout.info[i];
		cpu->counter[i].bit = BIT_ULL(i);
		cpu->counter[i].index = i;
	}
}

/* Prepare the counters of a CPU that has come online: nobody uses any, none holds an event. */
void sbi_pmu_counters_online(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu *pmu = cpu->pmu;

	cpu->exclusive = pmu->exclusive;
	cpu->backend = pmu->backend;
	cpu->accumulates = pmu->accumulates;
	cpu->fixed_alike = pmu->caps.fixed_alike;
	cpu->online = true;
	cpu->free_running = cpu->layout->free_running;
	cpu->filter = 0;
	if (cpu->layout->one_filter)
		sbi_pmu_csr_filter(0);
	cpu->needs_start_value = cpu->backend->stops_all || cpu->accumulates;
	if (cpu->exclusive && cpu->backend->online)
		cpu->backend->online(cpu);
}

/*
 * Release all counters, as the CPU or the driver goes: events keep what they have counted. Nothing
 * is left for which sbi_pmu_counters_online() would have to care.
 */
void sbi_pmu_counters_offline(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;
	unsigned int i;

	if (!cpu->online)
		return;
	sbi_pmu_counters_disable(cpu);
	cpu->online = false;
	cpu->free_running = cpu->layout->free_running;
	for_each_counter(i, cpu->configured) {
		hlist_for_each_entry_safe(e, tmp, &cpu->counter[i].events, node) {
			sbi_pmu_event_del(cpu, e);
			sbi_pmu_event_page_changed(e);
		}
		counter_release(cpu, &cpu->counter[i]);
	}
	cpu->disabled = false;
	if (cpu->layout->one_filter)
		sbi_pmu_csr_filter(0);
	if (cpu->backend->offline)
		cpu->backend->offline(cpu);
}

/* Release counters that became idle when the CPU's clock was @clock, or before. */
void sbi_pmu_counters_release_idle(struct sbi_pmu_cpu *cpu, u64 clock)
{
	unsigned int i;

	for_each_counter(i, sbi_pmu_idle_counters(cpu))
		if (cpu->counter[i].stamp <= clock)
			counter_release(cpu, &cpu->counter[i]);
	use_filter(cpu, 0);
}

/*
 * Firmware restores all events or none. A fixed counter has no event that can be lost, but its
 * filter can be: OpenSBI does not save it.
 */
static bool has_kept_events(struct sbi_pmu_cpu *cpu)
{
	const u64 programmable = cpu->running & cpu->layout->programmable;
	const u64 fixed = cpu->running & cpu->layout->fixed;
	unsigned int i;

	for_each_counter(i, fixed)
		if (cpu->counter[i].code.flags)
			return false;
	for_each_counter(i, programmable ?: fixed)
		if (is_seen_counting(cpu, i))
			return true;
	return false;
}

/*
 * Have all events count again after suspend.
 *
 * OpenSBI before 1.8 loses the events of counters: they are configured again, unless one is seen
 * to count. Values may be lost in any case, so events count on from those that are there now, and
 * armed counters are restarted. Firmware keeps its own counters in its memory.
 */
void sbi_pmu_counters_resume(struct sbi_pmu_cpu *cpu)
{
	/* To configure a counter again costs little where that needs no call. */
	const bool kept = !cpu->backend->no_calls && !cpu->needs_start_value &&
			  has_kept_events(cpu);
	unsigned int i;

	/* The filter was cleared when the CPU went to sleep: has_kept_events() looks without it. */
	if (cpu->layout->one_filter)
		sbi_pmu_csr_filter(cpu->filter);
	if (kept) {
		/* Firmware may have set overflow bits with the events: none interrupts again. */
		set_states(cpu, cpu->armed, SBI_PMU_RUNNING);
		for_each_counter(i, cpu->busy & ~cpu->layout->firmware)
			counter_rebase(cpu, &cpu->counter[i]);
		return;
	}
	if (cpu->backend->resume)
		cpu->backend->resume(cpu);
	cpu->free_running = cpu->layout->free_running;
	sbi_pmu_counters_release_idle(cpu, ~0ULL);
	/* All at once: the value of one that is overwritten meanwhile must not be accounted. */
	set_states(cpu, cpu->busy, SBI_PMU_LOST);
}
