// SPDX-License-Identifier: GPL-2.0-only
#include "counters.h"

/* Counters @which do not run any more. */
static void set_stopped(struct sbi_pmu_cpu *cpu, u64 which)
{
	cpu->running &= ~which;
	cpu->armed &= ~which;
	cpu->restart &= ~which;
	cpu->restarted &= ~which;
	cpu->paused_at.valid &= ~which;
}

/* Firmware has lost events or values of @which: sbi_pmu_counters_enable() configures them again. */
static void set_invalid(struct sbi_pmu_cpu *cpu, u64 which)
{
	set_stopped(cpu, which);
	cpu->invalid |= which;
}

/* ---- account ---- */

/* Counter @idx reads @now: account that to all of its events. */
static void counter_account(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 now)
{
	struct sbi_pmu_event *e;

	hlist_for_each_entry(e, &cpu->events[idx], node) {
		if (!e->counts)
			continue;
		sbi_pmu_event_account(e, &cpu->counters->info[idx], now);
		/* Perf core may write the page at any time: base and count go together. */
		if (unlikely(e->user_read))
			sbi_pmu_user_access_publish(e);
	}
}

/* Account all events of a counter up to now. Stopped, QEMU 7.2 returns its start value. */
void sbi_pmu_counter_update(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 now;

	if (has_counter(cpu->paused_at.valid, idx))
		now = cpu->paused_at.value[idx];
	else if (hlist_empty(&cpu->events[idx]) || !has_counter(cpu->running, idx) ||
		 cpu->in_sbi_call || sbi_pmu_counter_read(cpu, idx, &now))
		return;
	counter_account(cpu, idx, now);
}

/* The same for all events of counters @which. */
void sbi_pmu_counters_update(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	for_each_counter(i, which)
		sbi_pmu_counter_update(cpu, i);
}

/* Account an event up to now. */
void sbi_pmu_event_update_running(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
				  unsigned int idx)
{
	const struct sbi_pmu_counter_info *info = &cpu->counters->info[idx];
	u64 now;

	if (has_counter(cpu->running, idx) &&
	    !(sbi_pmu_counter_is_direct(cpu, info) ? sbi_pmu_csr_read(info->csr, &now) :
						     sbi_pmu_counter_read(cpu, idx, &now)))
		sbi_pmu_event_account(e, info, now);
}

/* A sample of the kernel's tracepoint may ask within an SBI call. */
void sbi_pmu_event_update(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	if (e->counts && !cpu->in_sbi_call)
		sbi_pmu_event_update_on(cpu, e, e->counter);
}

/**
 * sbi_pmu_counters_update_narrow() - account narrow counters before they wrap
 * @cpu: this CPU; to be called every sbi_pmu_wrap_ns()
 * Return: whether an event counts on such a counter, so that this must be called again.
 */
bool sbi_pmu_counters_update_narrow(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_event *e;
	bool narrow = false;
	unsigned int i;

	for_each_counter(i, cpu->assigned.busy) {
		if (cpu->counters->info[i].width == 64)
			continue;
		sbi_pmu_counter_update(cpu, i);
		hlist_for_each_entry(e, &cpu->events[i], node)
			sbi_pmu_event_page_changed(e);
		narrow = true;
	}
	return narrow;
}

/* ---- configure and release ---- */

static void counter_release(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	cpu->stopped_armed |= cpu->armed & BIT_ULL(idx);
	set_stopped(cpu, BIT_ULL(idx));
	cpu->assigned.configured &= ~BIT_ULL(idx);
	cpu->invalid &= ~BIT_ULL(idx);
	cpu->wrapped &= ~BIT_ULL(idx);
	sbi_pmu_counter_unconfig(cpu, idx);
}

/*
 * Firmware may have taken counters in use for other events, though they were not offered:
 * sbi_pmu_counters_enable() configures them again. OpenSBI so changes the filters of a fixed
 * counter, if no programmable one is left.
 */
static void counters_overwritten(struct sbi_pmu_cpu *cpu)
{
	const u64 which = cpu->overwritten;

	cpu->overwritten = 0;
	sbi_pmu_counters_update(cpu, which);
	set_invalid(cpu, which);
}

/* Do two reads show that counter @idx counts? Not if its event is rare. */
static bool is_seen_counting(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 first, second;

	return !sbi_pmu_counter_read(cpu, idx, &first) &&
	       !sbi_pmu_counter_read(cpu, idx, &second) && first != second;
}

/*
 * In shared mode the other driver may have the event on a counter where it counts alone. Of cycles
 * and instructions that is seen without a filter; others may not happen now.
 */
static bool counts_elsewhere(struct sbi_pmu_cpu *cpu, unsigned int idx,
			     const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_code bare = { .idx = code->idx, .data = code->data };
	unsigned int got;
	bool counts;

	if (likely(cpu->exclusive || !cpu->counters->tied) || !sbi_pmu_has_fixed_counter(code) ||
	    !has_counter(cpu->counters->programmable, idx) ||
	    sbi_pmu_counter_config(cpu, BIT_ULL(idx), &bare, &got))
		return false;
	counts = !sbi_pmu_counter_start_one(cpu, idx) && is_seen_counting(cpu, idx);
	sbi_pmu_counter_unconfig(cpu, idx);
	return !counts;
}

/* Configure free counter @idx, and start it unless a start needs a value. */
static int counter_configure(struct sbi_pmu_cpu *cpu, unsigned int idx,
			     const struct sbi_pmu_code *code, u64 candidates)
{
	unsigned int got;
	int ret = counts_elsewhere(cpu, idx, code) ?
			  -EBUSY :
			  sbi_pmu_counter_config(cpu, BIT_ULL(idx), code, &got);

	if (ret == -EPROTO)
		counters_overwritten(cpu);
	if (ret)
		return ret;
	cpu->assigned.configured |= BIT_ULL(idx);
	cpu->assigned.counter[idx].code = *code;
	cpu->assigned.counter[idx].candidates = candidates;
	if (cpu->needs_start_value)
		return 0;
	ret = sbi_pmu_counter_start_one(cpu, idx);
	if (ret)
		counter_release(cpu, idx);
	else
		cpu->running |= BIT_ULL(idx);
	return ret;
}

/* Does the event start from 0, since its program must not see what others counted? */
static bool needs_reset(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e)
{
	return e->active && e->user_read && e->reset_on_start &&
	       !has_counter(cpu->world_readable, e->counter);
}

/* Least events to an overflow, so that the task makes progress. A shorter period counts in full. */
#define MIN_PERIOD	16

/* Events until the counter of a sampling event is to overflow */
static u64 to_overflow(const struct sbi_pmu_event *e)
{
	/* A sample in a wrong mode was deferred: later the hart may be in another. */
	return max_t(s64, local64_read(&e->event->hw.period_left),
		     MIN_PERIOD << e->period.deferred);
}

/*
 * Does armed counter @idx overflow when the event's period ends, or so little before that it is
 * better to start it again then? Others may have counted on it since the event left.
 */
static bool is_armed_for(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e,
			 unsigned int idx)
{
	const struct sbi_pmu_counter_info *info = &cpu->counters->info[idx];
	const u64 left = min(to_overflow(e), sbi_pmu_half(info));
	u64 now, rest;

	if (!has_counter(cpu->armed & ~cpu->restart, idx) || !cpu->direct ||
	    sbi_pmu_csr_read(info->csr, &now) || !sbi_pmu_in_upper_half(info, now))
		return false;
	rest = -now & info->mask;
	return rest <= left && rest >= left - left / 4;
}

/* An event has been started: its running counter may need another start value. */
void sbi_pmu_event_mark_restart(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e)
{
	const bool samples = e->active && e->sampling == SBI_PMU_BY_INTERRUPT &&
			     !is_armed_for(cpu, e, e->counter);

	if ((samples || needs_reset(cpu, e)) && has_counter(cpu->running, e->counter))
		cpu->restart |= BIT_ULL(e->counter);
}

/* An event loses its counter: it stops, keeps its count, and waits for a counter. */
static void event_drop(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const unsigned int idx = e->counter;

	hlist_del(&e->node);
	hlist_add_head(&e->node, &cpu->unassigned);
	e->counter = SBI_PMU_NO_COUNTER;
	e->was_active = e->active;
	e->active = false;
	e->counts = false;
	sbi_pmu_event_page_changed(e);
	sbi_pmu_assign_leave(&cpu->assigned, idx);
}

static void unpin(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (!has_counter(cpu->pinned, idx))
		return;
	cpu->pinned &= ~BIT_ULL(idx);
	cpu->to_pin = cpu->world_readable & ~cpu->pinned;
	sbi_pmu_assign_leave(&cpu->assigned, idx);
}

/* Release counter @idx, if it is configured: its events lose it, and wait for recover(). */
static void counter_drop_events(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;

	if (has_counter(cpu->assigned.configured, idx))
		counter_release(cpu, idx);
	hlist_for_each_entry_safe(e, tmp, &cpu->events[idx], node)
		event_drop(cpu, e);
	unpin(cpu, idx);
}

/*
 * Have an event count on counter @idx from the end of the section on. Firmware's counters run on:
 * from now. Return: can that be read?
 */
static bool event_rebase(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, unsigned int idx)
{
	e->counter = idx;
	e->counts = false;
	cpu->started |= BIT_ULL(idx);
	if (e->active && has_counter(cpu->counters->firmware & cpu->running, idx)) {
		e->counts = !sbi_pmu_counter_read(cpu, idx, &e->prev);
		if (!e->counts)
			return false;
	}
	sbi_pmu_event_mark_restart(cpu, e);
	return true;
}

/* Its events count on from its value; if it has none they wait for recover(). */
static void counter_rebase(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;

	hlist_for_each_entry_safe(e, tmp, &cpu->events[idx], node)
		if (!event_rebase(cpu, e, idx))
			event_drop(cpu, e);
	hlist_for_each_entry(e, &cpu->events[idx], node)
		sbi_pmu_event_page_changed(e);
}

/* Configure counter @idx, which has been released, for the event that it had. */
static void counter_configure_again(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const struct sbi_pmu_assigned had = cpu->assigned.counter[idx];

	if (!counter_configure(cpu, idx, &had.code, had.candidates))
		counter_rebase(cpu, idx);
	else if (has_counter(cpu->assigned.busy, idx))
		counter_drop_events(cpu, idx);
}

/* That may overwrite others. It ends, as it fails then: there is one counter less in use. */
static void reconfigure_invalid(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	while (cpu->invalid)
		for_each_counter(i, cpu->invalid) {
			counter_release(cpu, i);
			if (has_counter(cpu->assigned.busy, i))
				counter_configure_again(cpu, i);
		}
}

/* ---- stop and start ---- */

/* Read stopped counters that were not read at the beginning of the section. */
static noinline void read_stopped(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;
	u64 value;

	for_each_counter(i, which) {
		if (sbi_pmu_counter_read(cpu, i, &value) || has_counter(cpu->paused_at.valid, i))
			continue;
		cpu->paused_at.value[i] = value;
		cpu->paused_at.valid |= BIT_ULL(i);
	}
}

/* Stop counters until the end of the section, account their events; only those that run. */
void sbi_pmu_counters_stop(struct sbi_pmu_cpu *cpu, u64 which)
{
	/* A free-running counter "stops" by being read. */
	const u64 stop = cpu->running & which, calls = stop & ~cpu->counters->free_running;
	const u64 invalid = calls ? cpu->backend->stop(cpu, calls) : 0;
	/* One that accumulates is read in any case: the next total contains what it has counted. */
	const u64 unread = stop & ~invalid &
			   (cpu->accumulates ? ~0ULL : cpu->assigned.busy & ~cpu->paused_at.valid);
	unsigned int i;

	if (unread)
		read_stopped(cpu, unread);
	for_each_counter(i, stop & cpu->paused_at.valid & ~invalid)
		counter_account(cpu, i, cpu->paused_at.value[i]);
	set_stopped(cpu, stop);
	cpu->invalid |= invalid;
}

/* Stopped counters that are to run: where a start needs a value, not the idle ones. */
static u64 to_start(const struct sbi_pmu_cpu *cpu)
{
	const u64 stopped = cpu->assigned.configured & ~cpu->running;

	return cpu->needs_start_value ? stopped & cpu->assigned.busy : stopped;
}

/*
 * Where counter @idx starts: to overflow when the first period ends, at most half of the range
 * before, as the handler must tell a value after the overflow from one before; from 0; or, if it is
 * not in start_at, from its present value. Its events count from the end of the section on.
 */
static void set_start_value(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const struct sbi_pmu_counter_info *info = &cpu->counters->info[idx];
	struct sbi_pmu_event *e;
	bool set = cpu->needs_start_value;
	u64 first = 0, left;

	hlist_for_each_entry(e, &cpu->events[idx], node) {
		e->counts = false;
		set |= needs_reset(cpu, e);
		if (!e->active || e->sampling != SBI_PMU_BY_INTERRUPT)
			continue;
		left = to_overflow(e);
		if (!first || left < first)
			first = left;
	}
	cpu->start_at.value[idx] = 0;
	if (first) {
		cpu->start_at.value[idx] = -min(first, sbi_pmu_half(info)) & info->mask;
		cpu->armed |= BIT_ULL(idx);
	}
	if (first || (set && !has_counter(cpu->counters->free_running, idx)))
		cpu->start_at.valid |= BIT_ULL(idx);
}

/*
 * Counters @which have been started from 0, so that a program may read them: have they, or did
 * firmware ignore the value? Then they are not shown, and started again in the next section.
 */
static noinline void check_reset(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;
	u64 now;

	for_each_counter(i, which) {
		if (!sbi_pmu_csr_read(cpu->counters->info[i].csr, &now) &&
		    !(now >> SBI_PMU_FAR_BITS))
			continue;
		cpu->start_at.valid &= ~BIT_ULL(i);
		cpu->restart |= BIT_ULL(i);
	}
}

/*
 * Start stopped counters, restart those that need another value; invalid ones are configured again
 * first. A counter that cannot be started is released, and its events wait for recover().
 */
static void counters_start(struct sbi_pmu_cpu *cpu)
{
	u64 start, calls, failed;
	unsigned int i;

	if (cpu->restart) {
		cpu->stopped_armed |= cpu->armed & cpu->restart;
		sbi_pmu_counters_stop(cpu, cpu->restart);
	}
	if (cpu->invalid)
		reconfigure_invalid(cpu);
	start = to_start(cpu);
	if (!start)
		return;
	cpu->start_at.valid &= ~start;
	for_each_counter(i, start)
		set_start_value(cpu, i);
	calls = start & ~cpu->counters->free_running;
	failed = calls ? cpu->backend->start(cpu, calls) : 0;
	cpu->running |= start;
	cpu->started |= start;
	cpu->restarted |= start;
	if (unlikely(start & ~cpu->armed) && !cpu->needs_start_value)
		check_reset(cpu, start & ~failed & cpu->start_at.valid & ~cpu->armed);
	for_each_counter(i, failed)
		counter_drop_events(cpu, i);
}

/* ---- give an event a counter, moving other events if need be ---- */

/* @from is released first: firmware and QEMU may allow an event on one counter only. */
static int move_events(struct sbi_pmu_cpu *cpu, unsigned int from, unsigned int to)
{
	const struct sbi_pmu_assigned moved = cpu->assigned.counter[from];
	int ret;

	sbi_pmu_counter_update(cpu, from);
	counter_release(cpu, from);
	ret = counter_configure(cpu, to, &moved.code, moved.candidates);
	if (ret) {
		counter_configure_again(cpu, from);
		return ret;
	}
	hlist_move_list(&cpu->events[from], &cpu->events[to]);
	sbi_pmu_assign_events(&cpu->assigned, to, moved.events);
	sbi_pmu_assign_events(&cpu->assigned, from, 0);
	counter_rebase(cpu, to);
	return 0;
}

static int free_first(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_path *path)
{
	unsigned int to;
	int ret;

	if (has_counter(cpu->assigned.configured, path->end))
		counter_release(cpu, path->end);
	for (to = path->end; to != path->first; to = path->from[to]) {
		ret = move_events(cpu, path->from[to], to);
		if (ret)
			return ret;
	}
	return 0;
}

/* What firmware refuses is remembered. An idle counter then has its event again. */
static int take_first(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e,
		      const struct sbi_pmu_path *path)
{
	const unsigned int idx = path->first;
	const struct sbi_pmu_assigned had = cpu->assigned.counter[idx];
	const bool idle = has_counter(sbi_pmu_assign_idle(&cpu->assigned), idx);
	int ret = free_first(cpu, path);

	if (!ret) {
		ret = counter_configure(cpu, idx, &e->code, e->candidates);
		if (ret)
			e->refusals.which |= BIT_ULL(idx);
	}
	if (ret && idle)
		counter_configure(cpu, idx, &had.code, had.candidates);
	return ret;
}

/* What firmware has refused for an event is asked for at each 32nd add, as it costs calls. */
#define SKIPPED_ADDS	31

/* Return: the counter, or an errno. */
static int allocate(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, u64 candidates)
{
	struct sbi_pmu_refusals *r = &e->refusals;
	struct sbi_pmu_path path;
	int ret = -ENOSPC; /* none is free: perf core multiplexes */

	if (r->by != cpu || !r->skip--)
		*r = (struct sbi_pmu_refusals){ .by = cpu, .skip = SKIPPED_ADDS };
	candidates &= ~r->which;
	while (sbi_pmu_assign_search(&cpu->assigned, cpu->counters, &e->code, candidates, &path)) {
		ret = take_first(cpu, e, &path);
		if (!ret)
			return path.first;
		/* Firmware refuses, whatever the probe found: try the other candidates. */
		candidates &= ~BIT_ULL(path.first);
	}
	return ret;
}

/*
 * Where all counters have one filter: may it be @flags? Not while events with another one count.
 * What idle counters hold has the new one, too: so equal events have equal filters at any time.
 */
static bool use_filter(struct sbi_pmu_cpu *cpu, u32 flags)
{
	const u64 hardware = sbi_pmu_hardware(cpu->counters);
	unsigned int i;

	if (cpu->filter == flags)
		return true;
	if (cpu->assigned.busy & hardware)
		return false;
	if (!sbi_pmu_csr_filter(flags)) {
		sbi_pmu_csr_filter(cpu->filter);
		return false;
	}
	cpu->filter = flags;
	for_each_counter(i, cpu->assigned.configured & hardware)
		cpu->assigned.counter[i].code.flags = flags;
	return true;
}

/*
 * Equal events share a counter: a second one would be taken from others, and QEMU lets only one
 * count. But a fixed one on which nothing counts is better than a programmable one that others
 * use, perhaps to sample. Return: the counter, or an errno.
 */
static int choose_counter(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const u64 fixed = cpu->counters->fixed & e->candidates & ~cpu->assigned.busy;
	const unsigned int found = sbi_pmu_assign_find(&cpu->assigned, &e->code, e->candidates);
	int idx;

	if (found == SBI_PMU_NO_COUNTER)
		return allocate(cpu, e, e->candidates);
	if (!cpu->fixed_alike && has_counter(cpu->assigned.busy, found) && fixed) {
		idx = allocate(cpu, e, fixed);
		if (idx >= 0)
			return idx;
	}
	return cpu->assigned.counter[found].events < SBI_PMU_EVENTS_PER_COUNTER ? (int)found :
										  -ENOSPC;
}

/* Choose a counter for an event, and have it count there. Return: 0 or an errno. */
int sbi_pmu_event_add_anywhere(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	int idx;

	if (!cpu->online)
		return -ENODEV;
	if (unlikely(cpu->counters->one_filter) && !sbi_pmu_code_is_firmware(&e->code) &&
	    !use_filter(cpu, e->code.flags))
		return -ENOSPC; /* they take turns */
	idx = choose_counter(cpu, e);
	if (idx < 0)
		return idx;
	sbi_pmu_event_join(cpu, e, idx);
	return 0;
}

/* A counter that is started later has its start value then. */
int sbi_pmu_event_start_firmware(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	int ret = 0;

	if (has_counter(cpu->running, e->counter) || !cpu->needs_start_value) {
		ret = sbi_pmu_counter_read(cpu, e->counter, &e->prev);
		e->counts = !ret;
	}
	e->active = !ret;
	return ret;
}

/* ---- events that have lost their counter ---- */

/*
 * Perf core takes the event for active until it adds the events of this CPU again, which
 * @lost_work has it do: the scheduler's locks may be held here. The event is refused then, so that
 * it is inactive, with its group, and its running time stays below its enabled time (a pinned event
 * is in error: read(2) returns 0). Disabled, both times would stand still, and a part of the count
 * would look like all of it. Firmware is asked again after some adds, not at once: it may take the
 * event each time and then not start the counter. With -ENOSPC it has refused nothing: others have
 * all counters, and the event takes turns with them.
 */
static void event_fail(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, int why)
{
	hlist_del_init(&e->node);
	e->event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	irq_work_queue(&cpu->lost_work);
	if (why == -ENOSPC)
		return;
	e->refusals = (struct sbi_pmu_refusals){
		.by = cpu,
		.which = e->candidates,
		.skip = SKIPPED_ADDS,
	};
	cpu->lost_events++;
}

/*
 * Find counters for the events that have lost theirs: each is added once more, and so are those
 * that lose their counter by that.
 */
static noinline void recover(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;
	int ret;

	for (unsigned int i = 0; i < 2 && !hlist_empty(&cpu->unassigned); i++) {
		HLIST_HEAD(these);

		hlist_move_list(&cpu->unassigned, &these);
		hlist_for_each_entry_safe(e, tmp, &these, node) {
			hlist_del_init(&e->node);
			/* This is the last try: ask all counters. */
			e->refusals = (struct sbi_pmu_refusals){};
			ret = sbi_pmu_event_add(cpu, e);
			if (!ret && e->was_active) {
				ret = sbi_pmu_event_start(cpu, e);
				if (ret)
					sbi_pmu_event_del(cpu, e);
				else
					sbi_pmu_event_page_changed(e);
			}
			if (ret)
				event_fail(cpu, e, ret);
		}
		counters_start(cpu);
	}
	hlist_for_each_entry_safe(e, tmp, &cpu->unassigned, node)
		event_fail(cpu, e, -EIO);
}

/* ---- enable and disable ---- */

/* Start counters that are stopped, restart those that need another start value. */
static void restart(struct sbi_pmu_cpu *cpu)
{
	/*
	 * Firmware clears a counter's overflow bit only while the interrupt is not pending. If it
	 * was pending for another counter, it is set again: the handler finds that one's bit.
	 */
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	const bool pending = cpu->pmu->source == SBI_PMU_OVERFLOW_IRQ &&
			     sbi_pmu_csr_clear_pending(source->pending, source->mask);

	counters_start(cpu);
	if (unlikely(cpu->to_pin)) {
		sbi_pmu_counters_pin_fixed(cpu);
		counters_start(cpu); /* what has moved for that */
	}
	if (!hlist_empty(&cpu->unassigned))
		recover(cpu);
	if (pending)
		sbi_pmu_csr_set_pending(source->pending, source->mask);
}

/* Read counters, right one after the other: the events of a group differ by that. */
static inline void read_counters(struct sbi_pmu_cpu *cpu, u64 which, struct sbi_pmu_values *values)
{
	const struct sbi_pmu_counter_info *info = cpu->counters->info;
	unsigned int i;

	values->valid = which;
	for_each_counter(i, which)
		if (unlikely(sbi_pmu_counter_is_direct(cpu, &info[i]) ?
				     sbi_pmu_csr_read(info[i].csr, &values->value[i]) :
				     sbi_pmu_counter_read(cpu, i, &values->value[i])))
			values->valid &= ~BIT_ULL(i);
}

/**
 * sbi_pmu_counters_disable() - begin a section, in which events change
 * @cpu: this CPU
 *
 * The events of a group stop and start together. By snapshot one call stops and reads all counters.
 * Others are read: what stops in the section has counted up to now. Delegated ones stand still
 * until sbi_pmu_counters_enable(), the others run on.
 */
void sbi_pmu_counters_disable(struct sbi_pmu_cpu *cpu)
{
	cpu->disabled = true;
	cpu->called = false;
	if (cpu->backend->no_calls)
		cpu->inhibited = !cpu->csr_running || !sbi_pmu_csr_inhibit(cpu->csr_running);
	if (cpu->backend->stops_all) {
		cpu->stopped_armed |= cpu->armed;
		sbi_pmu_counters_stop(cpu, cpu->assigned.configured);
	} else {
		read_counters(cpu, cpu->running & cpu->assigned.busy & ~cpu->counters->firmware,
			      &cpu->paused_at);
	}
}

/*
 * Event @e on counter @idx counts on from @now. What an armed counter has counted since it was
 * started, or read, is not counted: it overflows so much early. With a period of 1000: started at
 * -1000, it reads -993 here, so it overflows 7 events early; the next period is 1007 then.
 */
static void event_count_from(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e, unsigned int idx,
			     u64 now)
{
	const struct sbi_pmu_counter_info *info = &cpu->counters->info[idx];

	if (e->counts) {
		if (has_counter(cpu->paused_at.valid, idx))
			sbi_pmu_event_account(e, info, cpu->paused_at.value[idx]);
	} else {
		e->period.early = 0;
		e->prev = has_counter(cpu->restarted & cpu->start_at.valid, idx) ?
				  cpu->start_at.value[idx] :
				  now;
	}
	if (e->sampling == SBI_PMU_BY_INTERRUPT)
		e->period.early += (now - e->prev) & info->mask;
	e->prev = now;
	e->counts = true;
	sbi_pmu_event_page_changed(e);
}

/* The events of counter @idx that were started in this section, or @all, count on from @now. */
static inline void counter_count_from(struct sbi_pmu_cpu *cpu, unsigned int idx, bool all, u64 now)
{
	struct sbi_pmu_event *e;

	hlist_for_each_entry(e, &cpu->events[idx], node) {
		if (!e->active || (e->counts && !all))
			continue;
		if (e->counts || e->user_read || e->sampling == SBI_PMU_BY_INTERRUPT) {
			event_count_from(cpu, e, idx, now);
		} else {
			e->prev = now;
			e->counts = true;
		}
	}
}

/* Release counters that cannot be read any more: their events are not counted. */
static noinline void unreadable(struct sbi_pmu_cpu *cpu, u64 which)
{
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;
	unsigned int i;

	for_each_counter(i, which)
		counter_drop_events(cpu, i);
	hlist_for_each_entry_safe(e, tmp, &cpu->unassigned, node)
		event_fail(cpu, e, -EIO);
}

/*
 * The end of a section: what was started in it counts from now on. If firmware was called all
 * events do, so that none counts what that took; unless only one counter has events, which cannot
 * differ from others.
 */
static void count_on(struct sbi_pmu_cpu *cpu)
{
	const u64 busy = cpu->assigned.busy & cpu->running, firmware = cpu->counters->firmware;
	const bool together = cpu->backend->stops_all || !(busy & (busy - 1));
	const bool all = cpu->called && !cpu->inhibited && !together;
	/* What was started by one call, or is alone, reads its start value. */
	const u64 known = cpu->restarted & cpu->start_at.valid & (together ? ~0ULL : firmware);
	const u64 which = (all ? busy : cpu->started & cpu->running) & ~firmware & ~known;
	struct sbi_pmu_values *now = &cpu->now;
	unsigned int i;

	read_counters(cpu, which, now);
	for_each_counter(i, now->valid)
		counter_count_from(cpu, i, all, now->value[i]);
	for_each_counter(i, known)
		counter_count_from(cpu, i, all, cpu->start_at.value[i]);
	cpu->started = 0;
	cpu->restarted = 0;
	if (unlikely(which != now->valid))
		unreadable(cpu, which & ~now->valid);
}

/**
 * sbi_pmu_counters_enable() - end a section
 * @cpu: this CPU
 *
 * Start what was stopped, then update scounteren: what user space may read depends on which
 * counters run.
 */
void sbi_pmu_counters_enable(struct sbi_pmu_cpu *cpu)
{
	if (to_start(cpu) || cpu->restart || !hlist_empty(&cpu->unassigned))
		restart(cpu);
	if (cpu->started || cpu->called)
		count_on(cpu);
	cpu->paused_at.valid = 0;
	cpu->disabled = false;
	if (cpu->inhibited)
		cpu->inhibited = cpu->csr_running && sbi_pmu_csr_uninhibit(cpu->csr_running);
	if (cpu->shown_changed)
		sbi_pmu_user_access_write(cpu);
}

/* ---- fixed counters that all programs may read ---- */

/* Have fixed counter @idx hold its event without filters. Return: does it? */
static bool hold_fixed(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const struct sbi_pmu_code code = {
		.idx = sbi_pmu_fixed_event(&cpu->counters->info[idx]),
	};
	struct sbi_pmu_path path;

	if (has_counter(cpu->assigned.configured, idx) &&
	    sbi_pmu_code_equal(&cpu->assigned.counter[idx].code, &code))
		return true;
	/* Its events, which have a filter, go elsewhere, or wait for recover(). */
	if (!sbi_pmu_assign_search(&cpu->assigned, cpu->counters, &code, BIT_ULL(idx), &path) ||
	    free_first(cpu, &path)) {
		sbi_pmu_counter_update(cpu, idx);
		counter_drop_events(cpu, idx);
	}
	return !counter_configure(cpu, idx, &code, BIT_ULL(idx));
}

/*
 * Keep the fixed counters in use, as firmware stops no counter that is in use; nor one that it
 * never hands out. What it refuses now, or loses later, is tried again by restart().
 */
void sbi_pmu_counters_pin_fixed(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	/* They have a filter in common with other counters: it ends, and who has it waits. */
	if (unlikely(cpu->filter)) {
		for_each_counter(i, cpu->assigned.busy & sbi_pmu_hardware(cpu->counters)) {
			sbi_pmu_counter_update(cpu, i);
			counter_drop_events(cpu, i);
		}
		use_filter(cpu, 0);
	}
	for_each_counter(i, cpu->counters->fixed & ~cpu->pinned) {
		if (!hold_fixed(cpu, i))
			continue;
		cpu->pinned |= BIT_ULL(i);
		sbi_pmu_assign_join(&cpu->assigned, i, BIT_ULL(i));
	}
	cpu->to_pin = cpu->world_readable & ~cpu->pinned;
}

/* Return: was a counter pinned? */
bool sbi_pmu_counters_unpin(struct sbi_pmu_cpu *cpu)
{
	const u64 pinned = cpu->pinned;
	unsigned int i;

	for_each_counter(i, pinned)
		unpin(cpu, i);
	return pinned;
}

/* ---- probes ---- */

/*
 * Begin a section and release counters for a probe: their events miss what happens until it ends.
 * They are not stopped before: RustSBI does not release a stopped counter.
 */
void sbi_pmu_counters_borrow(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	sbi_pmu_counters_disable(cpu);
	for_each_counter(i, which) {
		sbi_pmu_counter_update(cpu, i);
		counter_release(cpu, i);
	}
}

/* Configure them again, and those that the probe has overwritten, and end the section. */
void sbi_pmu_counters_give_back(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	counters_overwritten(cpu);
	for_each_counter(i, which)
		counter_configure_again(cpu, i);
	sbi_pmu_counters_enable(cpu);
}

/* ---- CPUs come and go, sleep and wake ---- */

/* Prepare the counters of a CPU that has come online. */
void sbi_pmu_counters_online(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu *pmu = cpu->pmu;
	unsigned int i;

	cpu->exclusive = pmu->exclusive;
	cpu->backend = pmu->backend;
	cpu->accumulates = pmu->accumulates;
	cpu->fixed_alike = pmu->caps.fixed_alike;
	memset(&cpu->assigned, 0, sizeof(cpu->assigned));
	cpu->wrapped = 0;
	cpu->pinned = 0;
	cpu->to_pin = 0;
	cpu->world_readable = 0;
	INIT_HLIST_HEAD(&cpu->unassigned);
	for (i = 0; i < SBI_PMU_MAX_COUNTERS; i++)
		INIT_HLIST_HEAD(&cpu->events[i]);
	set_stopped(cpu, ~0ULL);
	cpu->invalid = 0;
	cpu->started = 0;
	cpu->online = true;
	cpu->filter = 0;
	if (cpu->counters->one_filter)
		sbi_pmu_csr_filter(0);
	cpu->direct = !cpu->accumulates;
	cpu->needs_start_value = cpu->backend->stops_all || cpu->accumulates;
	if (cpu->exclusive)
		cpu->backend->online(cpu);
}

/* Release all counters, as the CPU or the driver goes: events keep what they have counted. */
void sbi_pmu_counters_offline(struct sbi_pmu_cpu *cpu)
{
	struct sbi_pmu_event *e;
	struct hlist_node *tmp;
	unsigned int i;

	if (!cpu->online)
		return;
	sbi_pmu_counters_disable(cpu);
	cpu->online = false;
	hlist_for_each_entry_safe(e, tmp, &cpu->unassigned, node)
		hlist_del_init(&e->node);
	for_each_counter(i, cpu->assigned.configured) {
		hlist_for_each_entry_safe(e, tmp, &cpu->events[i], node) {
			sbi_pmu_event_del(cpu, e);
			sbi_pmu_event_page_changed(e);
		}
		counter_release(cpu, i);
	}
	cpu->disabled = false;
	if (cpu->counters->one_filter)
		sbi_pmu_csr_filter(0);
	cpu->backend->offline(cpu);
}

/* Release counters that became idle when the assignment's clock was @clock, or before. */
void sbi_pmu_counters_release_idle(struct sbi_pmu_cpu *cpu, u64 clock)
{
	unsigned int i;

	for_each_counter(i, sbi_pmu_assign_idle(&cpu->assigned))
		if (cpu->assigned.counter[i].stamp <= clock)
			counter_release(cpu, i);
	use_filter(cpu, 0);
}

/*
 * Firmware restores all events or none; a fixed counter has no event that can be lost. But its
 * filter can: OpenSBI does not save that.
 */
static bool has_kept_events(struct sbi_pmu_cpu *cpu)
{
	const u64 programmable = cpu->running & cpu->counters->programmable;
	const u64 fixed = cpu->running & cpu->counters->fixed;
	unsigned int i;

	for_each_counter(i, fixed)
		if (cpu->assigned.counter[i].code.flags)
			return false;
	for_each_counter(i, programmable ?: fixed)
		if (is_seen_counting(cpu, i))
			return true;
	return false;
}

/**
 * sbi_pmu_counters_resume() - have all events count again after suspend
 * @cpu: this CPU
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

	/* Until here there was none: so it was seen whether they count. */
	if (cpu->counters->one_filter)
		sbi_pmu_csr_filter(cpu->filter);
	if (kept) {
		/* Firmware may have set overflow bits with the events: none interrupts again. */
		cpu->armed = 0;
		for_each_counter(i, cpu->assigned.busy & ~cpu->counters->firmware)
			counter_rebase(cpu, i);
		return;
	}
	if (cpu->backend->resume)
		cpu->backend->resume(cpu);
	sbi_pmu_counters_release_idle(cpu, ~0ULL);
	/* First, as the value of one that is overwritten meanwhile must not be accounted. */
	set_invalid(cpu, cpu->assigned.busy);
	reconfigure_invalid(cpu);
}
