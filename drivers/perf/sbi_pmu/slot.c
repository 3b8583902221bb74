// SPDX-License-Identifier: GPL-2.0-only
#include "slot.h"

/* ---- the plan: counters and events, no hardware ---- */

/* A counter of @can that holds this very event. */
static unsigned int plan_find(const struct sbi_pmu_plan *plan, const struct sbi_pmu_code *code,
			      const struct sbi_pmu_mask *can)
{
	const struct sbi_pmu_mask among = sbi_pmu_mask_and(plan->configured, can);
	unsigned int i;

	sbi_pmu_mask_for_each(i, &among)
		if (sbi_pmu_code_equal(&plan->code[i], code))
			return i;
	return SBI_PMU_NO_SLOT;
}

/* The longest unused of @among, SBI_PMU_NO_SLOT if that is empty. */
static unsigned int plan_oldest(const struct sbi_pmu_plan *plan,
				const struct sbi_pmu_mask *among)
{
	unsigned int i, oldest = SBI_PMU_NO_SLOT;

	sbi_pmu_mask_for_each(i, among)
		if (oldest == SBI_PMU_NO_SLOT || plan->stamp[i] < plan->stamp[oldest])
			oldest = i;
	return oldest;
}

/*
 * A counter of @among that nobody counts on. Fixed ones first, so that the
 * programmable ones stay free for what needs them; unconfigured ones before
 * idle ones, and of these the longest unused.
 */
static unsigned int plan_available(const struct sbi_pmu_plan *plan,
				   const struct sbi_pmu_inventory *inv,
				   const struct sbi_pmu_mask *among)
{
	struct sbi_pmu_mask available = sbi_pmu_mask_andnot(*among, &plan->busy);
	struct sbi_pmu_mask fixed = sbi_pmu_mask_and(available, &inv->fixed);
	struct sbi_pmu_mask empty;

	if (!sbi_pmu_mask_empty(&fixed))
		return sbi_pmu_mask_next(&fixed, 0);
	empty = sbi_pmu_mask_andnot(available, &plan->configured);
	if (!sbi_pmu_mask_empty(&empty))
		return sbi_pmu_mask_next(&empty, 0);
	return plan_oldest(plan, &available);
}

/**
 * struct plan_path - how to make room: a chain of counters
 * @from: by counter, whose event would move here; SBI_PMU_NO_SLOT where the
 *	  chain begins, which is the counter for the newcomer
 * @end: the available counter where the chain ends
 */
struct plan_path {
	u8 from[SBI_PMU_MAX_CTRS];
	unsigned int end;
};

/*
 * Find a counter for an event that could use @can: breadth first over the
 * counters, where a busy one leads to those that its own event could move to.
 * This finds room whenever there is any (an augmenting path).
 */
static bool plan_search(const struct sbi_pmu_plan *plan,
			const struct sbi_pmu_inventory *inv,
			const struct sbi_pmu_mask *can, struct plan_path *path)
{
	struct sbi_pmu_mask frontier = *can, seen = *can;
	unsigned int i, next;

	sbi_pmu_mask_for_each(i, can)
		path->from[i] = SBI_PMU_NO_SLOT;

	while (!sbi_pmu_mask_empty(&frontier)) {
		struct sbi_pmu_mask reached = {};

		path->end = plan_available(plan, inv, &frontier);
		if (path->end != SBI_PMU_NO_SLOT)
			return true;
		sbi_pmu_mask_for_each(i, &frontier) {
			struct sbi_pmu_mask fresh = sbi_pmu_mask_andnot(plan->can[i], &seen);

			sbi_pmu_mask_for_each(next, &fresh)
				path->from[next] = i;
			seen = sbi_pmu_mask_or(seen, &fresh);
			reached = sbi_pmu_mask_or(reached, &fresh);
		}
		frontier = reached;
	}
	return false;
}

static void plan_hold(struct sbi_pmu_plan *plan, unsigned int idx,
		      const struct sbi_pmu_code *code, const struct sbi_pmu_mask *can)
{
	sbi_pmu_mask_set(&plan->configured, idx);
	plan->code[idx] = *code;
	plan->can[idx] = *can;
}

static void plan_touch(struct sbi_pmu_plan *plan, unsigned int idx, bool busy)
{
	if (busy)
		sbi_pmu_mask_set(&plan->busy, idx);
	else
		sbi_pmu_mask_clear(&plan->busy, idx);
	plan->stamp[idx] = ++plan->clock;
}

/**
 * sbi_pmu_plan_fits - enter one more event into a plan, if there is room
 * @plan: a scratch plan, changed
 * @inv: the counters
 * @code: the event
 * @can: counters that can hold it
 *
 * Return: whether it fits beside what the plan holds already.
 */
bool sbi_pmu_plan_fits(struct sbi_pmu_plan *plan, const struct sbi_pmu_inventory *inv,
		       const struct sbi_pmu_code *code, const struct sbi_pmu_mask *can)
{
	struct plan_path path;
	unsigned int to = plan_find(plan, code, can);

	if (to != SBI_PMU_NO_SLOT) {
		plan->can[to] = sbi_pmu_mask_and(plan->can[to], can);
		return true;
	}
	if (!plan_search(plan, inv, can, &path))
		return false;
	for (to = path.end; path.from[to] != SBI_PMU_NO_SLOT; to = path.from[to]) {
		plan_hold(plan, to, &plan->code[path.from[to]], &plan->can[path.from[to]]);
		plan_touch(plan, to, true);
	}
	plan_hold(plan, to, code, can);
	plan_touch(plan, to, true);
	return true;
}

/* ---- the hart's own counters ---- */

/*
 * Bring one user up to date with what its counter reads. If that is what it cannot
 * have counted, the count is left alone: an error is not a zero.
 */
static void user_advance(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user, u64 now)
{
	u64 delta;

	if (!user->live)
		return;
	if (!sbi_pmu_ctr_delta(&slots->inv->ctr[user->slot], user->prev, now, &delta)) {
		user->pending += delta;
		user->left -= delta;
		user->since += delta;
		user->seen += delta;
	}
	user->prev = now;
}

/*
 * Halted, a counter has been read and stands still. It is not read again: from
 * the second time on QEMU 7.2 gives what the counter was started at.
 */
static bool slot_readable(const struct sbi_pmu_slots *slots, unsigned int idx)
{
	return idx != SBI_PMU_NO_SLOT && !sbi_pmu_mask_test(&slots->halted, idx);
}

/*
 * While perf core puts events on and off, or an interrupt is served, whoever wants to
 * know of one counter soon wants to know of the next. Where firmware has the memory, all
 * are stopped with the first, and told of at once. Return: whether they are.
 */
static bool slots_pause(struct sbi_pmu_slots *slots)
{
	if (!slots->lent || !slots->held)
		return false;
	sbi_pmu_slots_pause(slots);
	return true;
}

/* Counter @idx reads @now. */
void sbi_pmu_slot_looked(struct sbi_pmu_slots *slots, unsigned int idx, u64 now)
{
	struct sbi_pmu_user *user;

	list_for_each_entry(user, &slots->users[idx], node)
		user_advance(slots, user, now);
}

/*
 * Bring all users of a slot up to date, with one read for all of them; it is about
 * to be taken away.
 */
void sbi_pmu_slot_update(struct sbi_pmu_slots *slots, unsigned int idx)
{
	u64 now;

	if (list_empty(&slots->users[idx]) || !slot_readable(slots, idx) ||
	    slots_pause(slots) || sbi_pmu_slot_read(slots, idx, &now))
		return;
	sbi_pmu_slot_looked(slots, idx, now);
}

void sbi_pmu_slot_release(struct sbi_pmu_slots *slots, unsigned int idx)
{
	sbi_pmu_mask_clear(&slots->plan.configured, idx);
	sbi_pmu_mask_clear(&slots->halted, idx);
	sbi_pmu_mask_clear(&slots->stale, idx);
	sbi_pmu_mask_clear(&slots->armed, idx);
	sbi_pmu_mask_clear(&slots->late, idx);
	sbi_pmu_mask_clear(&slots->forgotten, idx);
	/*
	 * Nothing to do about a failure: the counter runs on for nobody, and
	 * the next configuration of it will tell.
	 */
	if (sbi_pmu_fw_release(&slots->fw, idx))
		return;
}

/*
 * Firmware took a counter that it was not offered: give it back. Not if it is
 * one of ours that counts, nor beside another driver, whose it may be.
 */
void sbi_pmu_slot_reject(struct sbi_pmu_slots *slots, unsigned int idx)
{
	if (slots->sole && idx < SBI_PMU_MAX_CTRS &&
	    !sbi_pmu_mask_test(&slots->plan.configured, idx))
		sbi_pmu_slot_release(slots, idx);
}

/* Configure counter @idx, which holds nothing, and let it run, or rest as yet. */
static int slot_configure(struct sbi_pmu_slots *slots, unsigned int idx,
			  const struct sbi_pmu_code *code, const struct sbi_pmu_mask *can)
{
	unsigned int got;
	int ret;

	ret = sbi_pmu_fw_config(&slots->fw, idx / SBI_PMU_WORD_BITS,
				(xlen_t)1 << (idx % SBI_PMU_WORD_BITS), code, &got);
	if (ret == -EPROTO)
		sbi_pmu_slot_reject(slots, got);
	if (ret)
		return ret;
	plan_hold(&slots->plan, idx, code, can);
	sbi_pmu_slot_clear(slots, idx);
	if (sbi_pmu_slots_rest(slots)) {
		sbi_pmu_mask_set(&slots->halted, idx);
		return 0;
	}
	ret = sbi_pmu_fw_start(&slots->fw, idx);
	if (ret)
		sbi_pmu_slot_release(slots, idx);
	return ret;
}

static void user_moved(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	if (user->reads)
		slots->moved(user);
}

/* Tell the users of @idx. */
void sbi_pmu_slot_moved(struct sbi_pmu_slots *slots, unsigned int idx)
{
	struct sbi_pmu_user *user;

	list_for_each_entry(user, &slots->users[idx], node)
		user_moved(slots, user);
}

/* Who begins to count has the counter armed, or begin anew, if need be. */
static void user_begins(struct sbi_pmu_slots *slots, const struct sbi_pmu_user *user)
{
	if (sbi_pmu_user_anew(slots, user) ||
	    (user->live && user->sampling == SBI_PMU_INTERRUPTED))
		sbi_pmu_mask_set(&slots->stale, user->slot);
}

/* The users of @idx count from here on: its counter is new to them. */
static void slot_rebase(struct sbi_pmu_slots *slots, unsigned int idx)
{
	struct sbi_pmu_user *user;

	list_for_each_entry(user, &slots->users[idx], node) {
		user->slot = idx;
		if (user->live && slot_readable(slots, idx) &&
		    sbi_pmu_slot_read(slots, idx, &user->prev))
			user->live = false;
		user_begins(slots, user);
	}
	sbi_pmu_slot_moved(slots, idx);
}

/* No counter can be had for the users of @idx: they keep what they have. */
static void slot_strand(struct sbi_pmu_slots *slots, unsigned int idx)
{
	struct sbi_pmu_user *user, *tmp;

	list_for_each_entry_safe(user, tmp, &slots->users[idx], node) {
		list_del_init(&user->node);
		user->slot = SBI_PMU_NO_SLOT;
		user->live = false;
		user_moved(slots, user);
	}
	slots->stranded++;
	plan_touch(&slots->plan, idx, false);
}

/* Counter @idx does not work any more: give it back, and up. */
void sbi_pmu_slot_lose(struct sbi_pmu_slots *slots, unsigned int idx)
{
	sbi_pmu_slot_release(slots, idx);
	slot_strand(slots, idx);
}

/*
 * Move the event of busy counter @from to available counter @to. The old one
 * is given up first: firmware and QEMU may tie an event to one counter.
 */
static int slot_move(struct sbi_pmu_slots *slots, unsigned int from, unsigned int to)
{
	const struct sbi_pmu_code code = slots->plan.code[from];
	const struct sbi_pmu_mask can = slots->plan.can[from];
	int ret;

	if (sbi_pmu_mask_test(&slots->plan.configured, to))
		sbi_pmu_slot_release(slots, to);
	sbi_pmu_slot_update(slots, from);
	sbi_pmu_slot_release(slots, from);
	ret = slot_configure(slots, to, &code, &can);
	if (!ret) {
		list_splice_tail_init(&slots->users[from], &slots->users[to]);
		slot_rebase(slots, to);
		plan_touch(&slots->plan, from, false);
		plan_touch(&slots->plan, to, true);
	} else if (!slot_configure(slots, from, &code, &can)) {
		/* Refused after all; back to where firmware had it before. */
		slot_rebase(slots, from);
	} else {
		slot_strand(slots, from);
	}
	return ret;
}

/* Make the counter at the beginning of @path available, and say which it is. */
static int slots_clear(struct sbi_pmu_slots *slots, const struct plan_path *path,
		       unsigned int *idx)
{
	unsigned int to;
	int ret;

	for (to = path->end; path->from[to] != SBI_PMU_NO_SLOT; to = path->from[to]) {
		ret = slot_move(slots, path->from[to], to);
		if (ret)
			return ret;
	}
	if (sbi_pmu_mask_test(&slots->plan.configured, to))
		sbi_pmu_slot_release(slots, to);
	*idx = to;
	return 0;
}

/**
 * sbi_pmu_slots_up - the hart has come
 * @slots: with inv, fw, read_csr and sole filled in
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_up(struct sbi_pmu_slots *slots)
{
	const struct sbi_pmu_mask left =
		sbi_pmu_mask_or(slots->inv->hpm, &slots->inv->firmware);
	unsigned int i;

	memset(&slots->plan, 0, sizeof(slots->plan));
	for (i = 0; i < SBI_PMU_MAX_CTRS; i++)
		INIT_LIST_HEAD(&slots->users[i]);
	slots->online = true;
	if (!slots->sole)
		return;
	/*
	 * Whoever ran before us (a boot loader, the kernel that kexec'ed this
	 * one) may have left counters configured, and memory in firmware's
	 * hands. One by one: some firmware stops at the first that is stopped
	 * already. Not the fixed counters: they count what they always do, and
	 * stopped they would stand still for programs that may read them, on
	 * firmware that does not give them out.
	 */
	sbi_pmu_mask_for_each(i, &left)
		sbi_pmu_slot_release(slots, i);
	if (!sbi_pmu_slots_lend(slots))
		sbi_pmu_slots_take_back(slots);
}

/**
 * sbi_pmu_slots_down - the hart goes, or the driver does
 * @slots: this hart's
 *
 * Users keep what they have counted, and count nothing more.
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_down(struct sbi_pmu_slots *slots)
{
	const struct sbi_pmu_mask configured = slots->plan.configured;
	struct sbi_pmu_user *user, *tmp;
	unsigned int i;

	if (!slots->online)
		return;
	slots->online = false;
	sbi_pmu_mask_for_each(i, &configured) {
		list_for_each_entry_safe(user, tmp, &slots->users[i], node) {
			sbi_pmu_user_detach(slots, user);
			user_moved(slots, user);
		}
		sbi_pmu_slot_release(slots, i);
	}
	if (slots->owed)
		sbi_pmu_slots_take_back(slots);
}

/**
 * sbi_pmu_slots_release_idle - give back what nobody counts on
 * @slots: this hart's
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_release_idle(struct sbi_pmu_slots *slots)
{
	const struct sbi_pmu_mask idle =
		sbi_pmu_mask_andnot(slots->plan.configured, &slots->plan.busy);
	unsigned int i;

	sbi_pmu_mask_for_each(i, &idle)
		sbi_pmu_slot_release(slots, i);
}

/**
 * sbi_pmu_slots_follow - look at narrow counters before they come round
 * @slots: this hart's; to be called every sbi_pmu_inventory_wrap_ns()
 *
 * Context: on the hart, interrupts off.
 * Return: whether somebody counts on such a counter, so that it has to go on.
 */
bool sbi_pmu_slots_follow(struct sbi_pmu_slots *slots)
{
	bool narrow = false;
	unsigned int i;

	sbi_pmu_mask_for_each(i, &slots->plan.busy) {
		if (slots->inv->ctr[i].width == 64)
			continue;
		sbi_pmu_slot_update(slots, i);
		sbi_pmu_slot_moved(slots, i);
		narrow = true;
	}
	return narrow;
}

/**
 * sbi_pmu_slots_suspend - the hart may lose power and its counters with it
 * @slots: this hart's
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_suspend(struct sbi_pmu_slots *slots)
{
	unsigned int i;

	sbi_pmu_mask_for_each(i, &slots->plan.busy)
		sbi_pmu_slot_update(slots, i);
}

/* Counter @idx does not hold its event any more, or so it may be: configure it anew. */
void sbi_pmu_slot_again(struct sbi_pmu_slots *slots, unsigned int idx)
{
	const struct sbi_pmu_code code = slots->plan.code[idx];
	const struct sbi_pmu_mask can = slots->plan.can[idx];

	sbi_pmu_slot_release(slots, idx);
	if (!sbi_pmu_mask_test(&slots->plan.busy, idx))
		return;
	if (slot_configure(slots, idx, &code, &can))
		slot_strand(slots, idx);
	else
		slot_rebase(slots, idx);
}

/**
 * sbi_pmu_slots_resume - the hart has power again, or never lost it
 * @slots: this hart's
 *
 * What its counters hold now is not known (OpenSBI before 1.8 loses what they
 * count), so those in use are configured anew, and go on from what they read.
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_resume(struct sbi_pmu_slots *slots)
{
	unsigned int i;

	sbi_pmu_slots_release_idle(slots);
	sbi_pmu_slots_lend(slots);
	sbi_pmu_mask_for_each(i, &slots->plan.busy)
		sbi_pmu_slot_again(slots, i);
}

void sbi_pmu_user_init(struct sbi_pmu_user *user, const struct sbi_pmu_code *code,
		       const struct sbi_pmu_mask *can)
{
	memset(user, 0, sizeof(*user));
	INIT_LIST_HEAD(&user->node);
	user->code = *code;
	user->can = *can;
	user->slot = SBI_PMU_NO_SLOT;
}

/**
 * sbi_pmu_user_attach - give a user a counter, stopped as yet
 * @slots: this hart's
 * @user: attached nowhere
 *
 * Return: 0, -ENODEV if the hart has gone, -ENOSPC if all counters that could
 * hold the event are taken, or what firmware said.
 *
 * Context: on the hart, interrupts off.
 */
int sbi_pmu_user_attach(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	struct sbi_pmu_mask can = user->can;
	unsigned int idx = plan_find(&slots->plan, &user->code, &can);
	struct plan_path path;
	int ret = -ENOSPC;

	if (!slots->online)
		return -ENODEV;

	while (idx == SBI_PMU_NO_SLOT) {
		if (!plan_search(&slots->plan, slots->inv, &can, &path))
			return ret;
		ret = slots_clear(slots, &path, &idx);
		if (!ret)
			ret = slot_configure(slots, idx, &user->code, &user->can);
		if (!ret)
			break;
		/* Not this way in, whatever the trial said; the others? */
		for (idx = path.end; path.from[idx] != SBI_PMU_NO_SLOT;)
			idx = path.from[idx];
		sbi_pmu_mask_clear(&can, idx);
		idx = SBI_PMU_NO_SLOT;
	}

	user->slot = idx;
	/* Where the slot may move is for all of its users to say. */
	if (list_empty(&slots->users[idx]))
		slots->plan.can[idx] = user->can;
	else
		slots->plan.can[idx] = sbi_pmu_mask_and(slots->plan.can[idx], &user->can);
	list_add_tail(&user->node, &slots->users[idx]);
	plan_touch(&slots->plan, idx, true);
	return 0;
}

/**
 * sbi_pmu_user_detach - a user leaves; its slot stays, running unless it rests
 * @slots: the hart's that it is attached to
 * @user: stopped here if it still counts; fine if it is attached nowhere
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_user_detach(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	unsigned int idx = user->slot;

	if (idx == SBI_PMU_NO_SLOT)
		return;
	sbi_pmu_user_stop(slots, user);
	list_del_init(&user->node);
	user->slot = SBI_PMU_NO_SLOT;
	plan_touch(&slots->plan, idx, !list_empty(&slots->users[idx]));
}

/* From here on @user counts. Return: 0, or why its counter cannot be read. */
int sbi_pmu_user_start(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	const bool waits = user->sampling == SBI_PMU_INTERRUPTED;
	int ret = 0;

	if (user->slot == SBI_PMU_NO_SLOT)
		return -ENODEV;
	/*
	 * Who waits for an overflow has the counter armed, and goes on from there; as
	 * does whoever finds it at rest.
	 */
	if (slot_readable(slots, user->slot) ? !slots_pause(slots) :
	    !waits && !sbi_pmu_slots_rest(slots))
		ret = sbi_pmu_slot_read(slots, user->slot, &user->prev);
	user->live = !ret;
	user->seen = 0;
	user->reads = user->direct;
	user_begins(slots, user);
	return ret;
}

/* A program has come to read @user's counter by itself, while it counts. */
void sbi_pmu_user_reads(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	user->reads = true;
	user_begins(slots, user);
}

void sbi_pmu_user_stop(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	sbi_pmu_user_update(slots, user);
	user->live = false;
}

/* Bring @user up to date. */
void sbi_pmu_user_update(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	u64 now;

	if (user->live && slot_readable(slots, user->slot) && !slots_pause(slots) &&
	    !sbi_pmu_slot_read(slots, user->slot, &now))
		user_advance(slots, user, now);
}

/* What @user has counted, up to when it was brought up to date, since this was asked. */
u64 sbi_pmu_user_take(struct sbi_pmu_user *user)
{
	const u64 count = user->pending;

	user->pending = 0;
	return count;
}
