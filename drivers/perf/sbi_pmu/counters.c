// SPDX-License-Identifier: GPL-2.0-only
#include "counters.h"

static void set_state(struct sbi_pmu_counters *c, unsigned int idx,
		      enum sbi_pmu_counter_state state)
{
	c->in[c->state[idx]] &= ~BIT_ULL(idx);
	c->state[idx] = state;
	c->in[state] |= BIT_ULL(idx);
}

static u64 running(const struct sbi_pmu_counters *c)
{
	const u64 armed = (c->in[SBI_PMU_RUNNING] | c->in[SBI_PMU_ARMED]);

	return armed | c->in[SBI_PMU_RESTART];
}

/* Counter @idx reads @now: account that to all of its events. */
static void counter_account(struct sbi_pmu_counters *c, unsigned int idx, u64 now)
{
	struct sbi_pmu_event *event;
	u64 before;

	hlist_for_each_entry(event, &c->events[idx], node) {
		if (!event->active)
			continue;
		before = event->prev;
		event->prev = now;
		sbi_pmu_event_account(event, &c->backend.inv->info[idx], before);
	}
}

/* Would a read of counter @idx tell more than what has been accounted? */
static bool can_read(const struct sbi_pmu_counters *c, unsigned int idx)
{
	return sbi_pmu_counter_is_running(c, idx) && !c->backend.sbi.calling;
}

/* While disabled, other accesses follow: where one call stops all counters, the first one does. */
static bool stop_all_at_access(struct sbi_pmu_counters *c)
{
	if (!c->disabled || !sbi_pmu_backend_stop_saves(&c->backend))
		return false;
	sbi_pmu_counters_stop_all(c);
	return true;
}

/**
 * sbi_pmu_counter_update() - account all events of a counter up to now
 * @c: this CPU's
 * @idx: the counter; if stopped it is not read: QEMU 7.2 then returns the start value
 * Context: interrupts disabled.
 */
void sbi_pmu_counter_update(struct sbi_pmu_counters *c, unsigned int idx)
{
	u64 now;

	if (hlist_empty(&c->events[idx]) || !can_read(c, idx) || stop_all_at_access(c) ||
	    sbi_pmu_backend_read(&c->backend, idx, &now))
		return;
	counter_account(c, idx, now);
}

/* Return: 0, or an errno if it cannot be read or is stopped and accounted. */
int sbi_pmu_counter_read_indirectly(struct sbi_pmu_counters *c, unsigned int idx, u64 *value)
{
	if (stop_all_at_access(c))
		return -EALREADY;
	return sbi_pmu_backend_read(&c->backend, idx, value);
}

/* A sample of the kernel's tracepoint may ask within an SBI call. Context: interrupts disabled. */
void sbi_pmu_event_update(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	if (event->active && !c->backend.sbi.calling)
		sbi_pmu_event_update_on(c, event, event->counter);
}

/**
 * sbi_pmu_counters_poll_narrow() - account narrow counters before they wrap
 * @c: this CPU's; to be called every sbi_pmu_inventory_wrap_ns()
 * Context: interrupts disabled.
 * Return: whether an event counts on such a counter, so that this must be called again.
 */
bool sbi_pmu_counters_poll_narrow(struct sbi_pmu_counters *c)
{
	struct sbi_pmu_event *event;
	bool narrow = false;
	unsigned int i;

	for_each_counter(i, c->plan.busy) {
		if (c->backend.inv->info[i].width == 64)
			continue;
		sbi_pmu_counter_update(c, i);
		hlist_for_each_entry(event, &c->events[i], node)
			sbi_pmu_event_shown_changed(c, event);
		narrow = true;
	}
	return narrow;
}

/**
 * sbi_pmu_counters_stop() - stop counters until sbi_pmu_counters_start(), account their events
 * @c: this CPU's
 * @which: counters; those that do not run are left alone
 * Context: interrupts disabled.
 */
void sbi_pmu_counters_stop(struct sbi_pmu_counters *c, u64 which)
{
	u64 stop = running(c), lost;
	unsigned int i;

	stop &= which;
	if (!stop)
		return;
	c->backend.stopped.valid = 0;
	lost = sbi_pmu_backend_stop(&c->backend, stop, c->plan.busy);
	for_each_counter(i, stop) {
		if (has_counter(c->backend.stopped.valid, i))
			counter_account(c, i, c->backend.stopped.value[i]);
		set_state(c, i, has_counter(lost, i) ? SBI_PMU_LOST : SBI_PMU_STOPPED);
	}
}

/* Stop all counters of this CPU and account their events. Context: interrupts disabled. */
void sbi_pmu_counters_stop_all(struct sbi_pmu_counters *c)
{
	sbi_pmu_counters_stop(c, c->plan.configured);
}

void sbi_pmu_counter_release(struct sbi_pmu_counters *c, unsigned int idx)
{
	c->plan.configured &= ~BIT_ULL(idx);
	c->wrapped &= ~BIT_ULL(idx);
	set_state(c, idx, SBI_PMU_FREE);
	sbi_pmu_backend_release(&c->backend, idx);
}

/*
 * Firmware may have taken counters in use for other events, though they were not offered:
 * sbi_pmu_counters_start() configures them again. OpenSBI so changes the filters of a fixed
 * counter, if no programmable one is left.
 */
void sbi_pmu_counters_overwritten(struct sbi_pmu_counters *c)
{
	const u64 which = c->backend.overwritten;
	unsigned int i;

	c->backend.overwritten = 0;
	for_each_counter(i, which) {
		sbi_pmu_counter_update(c, i);
		set_state(c, i, SBI_PMU_LOST);
	}
}

/* Configure free counter @idx, and start it unless a start needs a value. */
int sbi_pmu_counter_configure(struct sbi_pmu_counters *c, unsigned int idx,
			      const struct sbi_pmu_event_code *code, u64 candidates)
{
	struct sbi_pmu_backend *be = &c->backend;
	unsigned int got;
	int ret;

	ret = sbi_pmu_backend_config(be, BIT_ULL(idx), code, c->plan.configured, &got);
	if (ret == -EPROTO)
		sbi_pmu_counters_overwritten(c);
	if (ret)
		return ret;
	sbi_pmu_plan_set(&c->plan, idx, code, candidates);
	be->stopped.valid &= ~BIT_ULL(idx);
	set_state(c, idx, SBI_PMU_STOPPED);
	if (sbi_pmu_backend_needs_start_value(be))
		return 0;
	ret = sbi_pmu_backend_start_one(be, idx);
	if (ret)
		sbi_pmu_counter_release(c, idx);
	else
		set_state(c, idx, SBI_PMU_RUNNING);
	return ret;
}

static bool needs_reset(const struct sbi_pmu_counters *c, const struct sbi_pmu_event *event)
{
	return event->active && event->user_read && event->reset_on_start &&
	       !has_counter(c->world_readable, event->counter);
}

static inline bool needs_start_value(const struct sbi_pmu_counters *c,
				     const struct sbi_pmu_event *event)
{
	return needs_reset(c, event) || (event->active && event->sampling == SBI_PMU_BY_INTERRUPT);
}

/* An event has been started: its running counter may need another start value. */
void sbi_pmu_event_mark_restart(struct sbi_pmu_counters *c, const struct sbi_pmu_event *event)
{
	if (needs_start_value(c, event) && sbi_pmu_counter_is_running(c, event->counter))
		set_state(c, event->counter, SBI_PMU_RESTART);
}

/* An event loses its counter: it stops, keeps its count, and waits for a counter. */
static void event_drop(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	const unsigned int idx = event->counter;

	hlist_del(&event->node);
	hlist_add_head(&event->node, &c->lost);
	event->counter = SBI_PMU_NO_COUNTER;
	event->was_active = event->active;
	event->active = false;
	sbi_pmu_event_shown_changed(c, event);
	sbi_pmu_plan_leave(&c->plan, idx);
}

/* Have an event count from what its counter @idx reads now. Return: can it be read? */
static bool event_rebase(struct sbi_pmu_counters *c, struct sbi_pmu_event *event, unsigned int idx)
{
	event->counter = idx;
	if (event->active && sbi_pmu_counter_is_running(c, idx) &&
	    sbi_pmu_backend_read(&c->backend, idx, &event->prev))
		return false;
	sbi_pmu_event_mark_restart(c, event);
	return true;
}

/* Its events count on from its value; if it has none they wait for sbi_pmu_counters_recover(). */
void sbi_pmu_counter_rebase(struct sbi_pmu_counters *c, unsigned int idx)
{
	struct sbi_pmu_event *event;
	struct hlist_node *tmp;

	hlist_for_each_entry_safe(event, tmp, &c->events[idx], node)
		if (!event_rebase(c, event, idx))
			event_drop(c, event);
	hlist_for_each_entry(event, &c->events[idx], node)
		sbi_pmu_event_shown_changed(c, event);
}

/* The events of counter @idx lose it, and wait for sbi_pmu_counters_recover(). */
void sbi_pmu_counter_drop_events(struct sbi_pmu_counters *c, unsigned int idx)
{
	struct sbi_pmu_event *event;
	struct hlist_node *tmp;

	hlist_for_each_entry_safe(event, tmp, &c->events[idx], node)
		event_drop(c, event);
}

/* Configure counter @idx, which has been released, for the event that it had. */
void sbi_pmu_counter_configure_again(struct sbi_pmu_counters *c, unsigned int idx)
{
	const struct sbi_pmu_event_code code = c->plan.counter[idx].code;
	const u64 candidates = c->plan.counter[idx].candidates;

	if (!sbi_pmu_counter_configure(c, idx, &code, candidates))
		sbi_pmu_counter_rebase(c, idx);
	else if (has_counter(c->plan.busy, idx))
		sbi_pmu_counter_drop_events(c, idx);
}

static void counter_reconfigure(struct sbi_pmu_counters *c, unsigned int idx)
{
	sbi_pmu_counter_release(c, idx);
	if (has_counter(c->plan.busy, idx))
		sbi_pmu_counter_configure_again(c, idx);
}

/* That may overwrite others. It ends, as it fails then: there is one counter less in use. */
static void reconfigure_lost(struct sbi_pmu_counters *c)
{
	u64 lost = c->in[SBI_PMU_LOST];
	unsigned int i;

	while (lost) {
		for_each_counter(i, lost)
			counter_reconfigure(c, i);
		lost = c->in[SBI_PMU_LOST];
	}
}

/* ---- start ---- */

/* Events until the first period on counter @idx ends, 0 if no event waits for that. */
static u64 events_to_overflow(const struct sbi_pmu_counters *c, unsigned int idx)
{
	const struct sbi_pmu_event *event;
	u64 first = 0, events;

	hlist_for_each_entry(event, &c->events[idx], node) {
		if (!event->active || event->sampling != SBI_PMU_BY_INTERRUPT)
			continue;
		events = sbi_pmu_period_to_overflow(&event->period);
		if (!first || events < first)
			first = events;
	}
	return first;
}

static bool counter_needs_reset(const struct sbi_pmu_counters *c, unsigned int idx)
{
	const struct sbi_pmu_event *event;

	hlist_for_each_entry(event, &c->events[idx], node)
		if (needs_reset(c, event))
			return true;
	return false;
}

/* A delegated counter is written in any case, as that also enables its interrupt. */
static bool is_stopped_at(const struct sbi_pmu_counters *c, unsigned int idx, u64 value)
{
	return !c->backend.ops->no_calls && !sbi_pmu_backend_needs_start_value(&c->backend) &&
	       has_counter(c->backend.stopped.valid, idx) && c->backend.stopped.value[idx] == value;
}

/* To overflow in time, from 0, or from its present value. Return: its state then. */
static enum sbi_pmu_counter_state set_initial(struct sbi_pmu_counters *c, unsigned int idx)
{
	const u64 events = events_to_overflow(c, idx);
	struct sbi_pmu_values *initial = &c->backend.initial;

	initial->value[idx] =
		events ? sbi_pmu_counter_start_value(&c->backend.inv->info[idx], events) : 0;
	if (events ? !is_stopped_at(c, idx, initial->value[idx]) :
		     counter_needs_reset(c, idx) || sbi_pmu_backend_needs_start_value(&c->backend))
		initial->valid |= BIT_ULL(idx);
	else
		initial->valid &= ~BIT_ULL(idx);
	return events ? SBI_PMU_ARMED : SBI_PMU_RUNNING;
}

static void counter_started(struct sbi_pmu_counters *c, unsigned int idx,
			    enum sbi_pmu_counter_state state)
{
	struct sbi_pmu_event *event;

	set_state(c, idx, state);
	if (!has_counter(c->backend.initial.valid, idx))
		return;
	hlist_for_each_entry(event, &c->events[idx], node)
		event->prev = c->backend.initial.value[idx];
	hlist_for_each_entry(event, &c->events[idx], node)
		sbi_pmu_event_shown_changed(c, event);
}

/**
 * sbi_pmu_counters_start() - start stopped counters, restart those that need another value
 * @c: this CPU's; counters that are lost are configured again first
 *
 * A counter that cannot be started is released, and its events are lost.
 * Context: interrupts disabled, overflow interrupt not pending: else OpenSBI does not clear
 * a counter's overflow bit.
 */
void sbi_pmu_counters_start(struct sbi_pmu_counters *c)
{
	const u64 restart = c->in[SBI_PMU_RESTART];
	u8 state[SBI_PMU_MAX_COUNTERS];
	u64 start, failed;
	unsigned int i;

	sbi_pmu_counters_stop(c, restart);
	reconfigure_lost(c);
	start = sbi_pmu_counters_to_start(c);
	if (!start)
		return;
	for_each_counter(i, start)
		state[i] = set_initial(c, i);
	failed = sbi_pmu_backend_start(&c->backend, start);
	for_each_counter(i, start) {
		if (has_counter(failed, i)) {
			sbi_pmu_counter_release(c, i);
			sbi_pmu_counter_drop_events(c, i);
		} else {
			counter_started(c, i, state[i]);
		}
	}
}

/**
 * sbi_pmu_counters_online() - prepare the counters of a CPU that has come online
 * @c: this CPU's, with backend filled in
 * Context: on the CPU, interrupts disabled.
 */
void sbi_pmu_counters_online(struct sbi_pmu_counters *c)
{
	unsigned int i;

	memset(&c->plan, 0, sizeof(c->plan));
	c->wrapped = 0;
	INIT_HLIST_HEAD(&c->lost);
	for (i = 0; i < SBI_PMU_MAX_COUNTERS; i++) {
		INIT_HLIST_HEAD(&c->events[i]);
		set_state(c, i, SBI_PMU_FREE);
	}
	c->online = true;
	c->direct = !sbi_pmu_backend_needs_start_value(&c->backend);
	if (c->backend.exclusive)
		c->backend.ops->online(&c->backend);
}

/**
 * sbi_pmu_counters_offline() - release all counters, as the CPU or the driver goes
 * @c: this CPU's; its events keep what they have counted, and count no more
 * Context: on the CPU, interrupts disabled.
 */
void sbi_pmu_counters_offline(struct sbi_pmu_counters *c)
{
	const u64 configured = c->plan.configured;
	struct sbi_pmu_event *event;
	struct hlist_node *tmp;
	unsigned int i;

	if (!c->online)
		return;
	c->online = false;
	hlist_for_each_entry_safe(event, tmp, &c->lost, node)
		hlist_del_init(&event->node);
	for_each_counter(i, configured) {
		hlist_for_each_entry_safe(event, tmp, &c->events[i], node) {
			sbi_pmu_event_del(c, event);
			sbi_pmu_event_shown_changed(c, event);
		}
		sbi_pmu_counter_release(c, i);
	}
	c->backend.ops->offline(&c->backend);
}

/* Release configured counters without events. Context: interrupts disabled. */
void sbi_pmu_counters_release_idle(struct sbi_pmu_counters *c)
{
	const u64 idle = c->plan.configured & ~c->plan.busy;
	unsigned int i;

	for_each_counter(i, idle)
		sbi_pmu_counter_release(c, i);
}

/* Account all events: the CPU, and its counters, may lose power. Context: interrupts disabled. */
void sbi_pmu_counters_suspend(struct sbi_pmu_counters *c)
{
	unsigned int i;

	for_each_counter(i, c->plan.busy)
		sbi_pmu_counter_update(c, i);
}

/* Do two reads show that counter @idx counts? Not if its event is rare. */
static bool is_seen_counting(struct sbi_pmu_counters *c, unsigned int idx)
{
	u64 first, second;

	return !sbi_pmu_backend_read(&c->backend, idx, &first) &&
	       !sbi_pmu_backend_read(&c->backend, idx, &second) && first != second;
}

/* Firmware restores all events or none; a fixed counter has no event that can be lost. */
static bool has_kept_events(struct sbi_pmu_counters *c)
{
	const struct sbi_pmu_inventory *inv = c->backend.inv;
	const u64 count = running(c);
	u64 look = count & inv->programmable;
	unsigned int i;

	if (!look)
		look = count & inv->fixed;
	for_each_counter(i, look)
		if (is_seen_counting(c, i))
			return true;
	return false;
}

/**
 * sbi_pmu_counters_resume() - have all events count again after suspend
 * @c: this CPU's
 *
 * OpenSBI before 1.8 loses the events of counters: they are configured again, unless one is seen
 * to count. Values may be lost in any case, so events count on from those that are there now, and
 * armed counters are restarted. Firmware keeps its own counters in its memory.
 * Context: on the CPU, interrupts disabled.
 */
void sbi_pmu_counters_resume(struct sbi_pmu_counters *c)
{
	const u64 hardware = (c->plan.busy & ~c->backend.inv->firmware);
	/* To configure a counter again costs little where that needs no call. */
	const bool kept = !c->backend.ops->no_calls &&
			  !sbi_pmu_backend_needs_start_value(&c->backend) && has_kept_events(c);
	unsigned int i;

	if (kept) {
		for_each_counter(i, hardware)
			sbi_pmu_counter_rebase(c, i);
		return;
	}
	if (c->backend.ops->resume)
		c->backend.ops->resume(&c->backend);
	sbi_pmu_counters_release_idle(c);
	sbi_pmu_shmem_register(&c->backend);
	/* First, as the value of one that is overwritten meanwhile must not be accounted. */
	for_each_counter(i, c->plan.busy)
		set_state(c, i, SBI_PMU_LOST);
	reconfigure_lost(c);
}

void sbi_pmu_event_init(struct sbi_pmu_event *event, const struct sbi_pmu_event_code *code,
			u64 candidates)
{
	memset(event, 0, sizeof(*event));
	INIT_HLIST_NODE(&event->node);
	event->code = *code;
	event->candidates = candidates;
	event->counter = SBI_PMU_NO_COUNTER;
	event->last_counter = SBI_PMU_NO_COUNTER;
}

/* Not if its counter is started later from a value that is set then. */
int sbi_pmu_event_read_start(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	const unsigned int idx = event->counter;

	if (sbi_pmu_counter_is_running(c, idx) ?
		    stop_all_at_access(c) :
		    event->sampling == SBI_PMU_BY_INTERRUPT ||
			    sbi_pmu_backend_needs_start_value(&c->backend))
		return 0;
	return sbi_pmu_backend_read(&c->backend, idx, &event->prev);
}

/* From now on a program may read this event's counter, or may not. Context: interrupts disabled. */
void sbi_pmu_event_set_user_read(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	event->user_read = READ_ONCE(event->mapped);
	if (event->user_read && event->counter != SBI_PMU_NO_COUNTER)
		sbi_pmu_event_mark_restart(c, event);
}

/* Account an event and count no more. Context: interrupts disabled. */
void sbi_pmu_event_stop(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	sbi_pmu_event_update(c, event);
	event->active = false;
	event->was_active = false;
}
