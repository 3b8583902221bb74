// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample: when a period is over. Pure.
 *
 * A counter overflows when the nearest of its users' periods ends. The others
 * share it all the same: each keeps what is left of its own.
 */
#include "slot.h"

/*
 * Fewer events than this to an overflow are not asked for: the handler would be
 * back before the task that it interrupted has done anything. A period that is
 * over by then counts for what it was.
 */
#define NEAREST		16

/*
 * An event of one mode whose overflows are always served in the other would have
 * the hart do nothing else: each in vain asks for twice as many events, up to this
 * many times.
 */
#define MOST_SKIDS	20

/* How soon, and how late, the timer looks again (ns). */
#define POLL_SOON	100000
#define POLL_LATE	10000000

/**
 * sbi_pmu_slots_overflowed - which armed counters have overflowed
 * @slots: this hart's
 * @overflow: as scountovf has it, a bit for each hpmcounter
 */
struct sbi_pmu_mask sbi_pmu_slots_overflowed(const struct sbi_pmu_slots *slots, u32 overflow)
{
	struct sbi_pmu_mask which = {};
	unsigned int i;

	sbi_pmu_mask_for_each(i, &slots->armed)
		if (overflow >> (slots->inv->ctr[i].csr - SBI_PMU_CSR_CYCLE) & 1)
			sbi_pmu_mask_set(&which, i);
	return which;
}

/* Does somebody on counter @idx learn of his periods in this way, now? */
bool sbi_pmu_slot_samples(const struct sbi_pmu_slots *slots, unsigned int idx,
			  enum sbi_pmu_sampling how)
{
	const struct sbi_pmu_user *user;

	list_for_each_entry(user, &slots->users[idx], node)
		if (user->live && user->sampling == how)
			return true;
	return false;
}

/* The armed counters on which somebody waits for an overflow. */
struct sbi_pmu_mask sbi_pmu_slots_awaited(const struct sbi_pmu_slots *slots)
{
	const struct sbi_pmu_mask armed = sbi_pmu_mask_and(slots->armed, &slots->plan.busy);
	struct sbi_pmu_mask awaited = {};
	unsigned int i;

	sbi_pmu_mask_for_each(i, &armed)
		if (sbi_pmu_slot_samples(slots, i, SBI_PMU_INTERRUPTED))
			sbi_pmu_mask_set(&awaited, i);
	return awaited;
}

/*
 * Armed, a counter is in the upper half of its range, and comes out of it by an
 * overflow only. One that has just been looked at:
 */
static bool slot_came_round(const struct sbi_pmu_slots *slots, unsigned int idx)
{
	const struct sbi_pmu_user *user;

	list_for_each_entry(user, &slots->users[idx], node)
		if (user->live)
			return !(user->prev & BIT_ULL(slots->inv->ctr[idx].width - 1));
	return false;
}

/**
 * sbi_pmu_slots_silent - which counters have overflowed without a word
 * @slots: this hart's
 * @awaited: armed counters; their users are brought up to date
 *
 * Context: on the hart, interrupts off.
 * Return: those that had overflowed when this was last asked, and have now. Being
 * armed anew in between proves nothing: QEMU 7.2 does not notice an overflow that
 * comes before firmware's call to start the counter is done.
 */
struct sbi_pmu_mask sbi_pmu_slots_silent(struct sbi_pmu_slots *slots,
					 const struct sbi_pmu_mask *awaited)
{
	const struct sbi_pmu_mask before = slots->late;
	unsigned int i;

	slots->late = (struct sbi_pmu_mask){};
	sbi_pmu_mask_for_each(i, awaited) {
		sbi_pmu_slot_update(slots, i);
		if (slot_came_round(slots, i))
			sbi_pmu_mask_set(&slots->late, i);
	}
	return sbi_pmu_mask_and(before, &slots->late);
}

/* Stop counters of one window, users up to date. */
static void halt_word(struct sbi_pmu_slots *slots, unsigned int w,
		      const struct sbi_pmu_mask *which)
{
	unsigned int i;
	u64 now;

	if (slots->lent) {
		sbi_pmu_slots_stop_word(slots, w, which);
		return;
	}
	sbi_pmu_slots_stop_blind(slots, w, which);
	sbi_pmu_mask_for_each(i, which) {
		/* What it has counted for nobody is in the next sum all the same. */
		if (!slots->sums)
			sbi_pmu_slot_update(slots, i);
		else if (!sbi_pmu_slot_read(slots, i, &now))
			sbi_pmu_slot_looked(slots, i, now);
	}
}

/**
 * sbi_pmu_slots_halt - stop counters until sbi_pmu_slots_arm(), users up to date
 * @slots: this hart's
 * @which: counters; those that stand still already are left alone
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_halt(struct sbi_pmu_slots *slots, const struct sbi_pmu_mask *which)
{
	const struct sbi_pmu_mask running = sbi_pmu_mask_andnot(*which, &slots->halted);

	for (unsigned int w = 0; w < SBI_PMU_WORDS; w++) {
		struct sbi_pmu_mask window = {};

		window.word[w] = running.word[w];
		if (!sbi_pmu_mask_empty(&window))
			halt_word(slots, w, &window);
	}
	slots->halted = sbi_pmu_mask_or(slots->halted, &running);
}

/* Stop all counters that run. */
void sbi_pmu_slots_pause(struct sbi_pmu_slots *slots)
{
	sbi_pmu_slots_halt(slots, &slots->plan.configured);
}

/* Of the armed counters, looked at just now, those that have overflowed. */
static struct sbi_pmu_mask slots_came_round(const struct sbi_pmu_slots *slots)
{
	struct sbi_pmu_mask which = sbi_pmu_slots_awaited(slots);
	unsigned int i;

	sbi_pmu_mask_for_each(i, &which)
		if (!slot_came_round(slots, i))
			sbi_pmu_mask_clear(&which, i);
	return which;
}

/**
 * sbi_pmu_slots_fired - stop the counters that have overflowed, users up to date
 * @slots: this hart's, held
 * @overflow: asks the hart which have, a bit for each hpmcounter
 *
 * Where firmware has the memory all are stopped. There, and in a guest, their values tell:
 * what the hart says is not of them, and the signs in the memory are old ones, too.
 *
 * Context: on the hart, interrupts off.
 */
struct sbi_pmu_mask sbi_pmu_slots_fired(struct sbi_pmu_slots *slots, u32 (*overflow)(void))
{
	struct sbi_pmu_mask fired;
	unsigned int i;

	if (slots->lent) {
		sbi_pmu_slots_pause(slots);
		return slots_came_round(slots);
	}
	if (slots->guest) {
		fired = sbi_pmu_slots_awaited(slots);
		sbi_pmu_mask_for_each(i, &fired)
			sbi_pmu_slot_update(slots, i);
		fired = slots_came_round(slots);
		sbi_pmu_slots_halt(slots, &fired);
		return fired;
	}
	fired = sbi_pmu_slots_overflowed(slots, overflow());
	sbi_pmu_slots_halt(slots, &fired);
	return fired;
}

/* Events to the first end of a period on counter @idx; 0 if nobody waits for one. */
static u64 slot_nearest(const struct sbi_pmu_slots *slots, unsigned int idx)
{
	const struct sbi_pmu_user *user;
	s64 nearest = 0, left;

	list_for_each_entry(user, &slots->users[idx], node) {
		if (!user->live || user->sampling != SBI_PMU_INTERRUPTED)
			continue;
		left = (s64)NEAREST << user->skids;
		if (user->left > left)
			left = user->left;
		if (!nearest || left < nearest)
			nearest = left;
	}
	return nearest;
}

/* Is a program to read counter @idx that must not learn what others count? */
static bool slot_fresh(const struct sbi_pmu_slots *slots, unsigned int idx)
{
	const struct sbi_pmu_user *user;

	list_for_each_entry(user, &slots->users[idx], node)
		if (sbi_pmu_user_anew(slots, user))
			return true;
	return false;
}

/*
 * Where halted counter @idx has to begin for whoever counts on it: so that it overflows
 * in time, at 0, or where it is. Return: whether that is not where it is.
 */
static bool slot_begins(struct sbi_pmu_slots *slots, unsigned int idx, u64 *value)
{
	const u64 nearest = slot_nearest(slots, idx);

	*value = 0;
	sbi_pmu_mask_clear(&slots->armed, idx);
	if (!nearest)
		return slot_fresh(slots, idx) || sbi_pmu_slots_rest(slots);
	sbi_pmu_mask_set(&slots->armed, idx);
	*value = sbi_pmu_ctr_before_overflow(&slots->inv->ctr[idx], nearest);
	return true;
}

/* Counter @idx runs, from @value. */
static void slot_runs(struct sbi_pmu_slots *slots, unsigned int idx, u64 value)
{
	struct sbi_pmu_user *user;

	sbi_pmu_slot_begins(slots, idx, value);
	list_for_each_entry(user, &slots->users[idx], node)
		user->prev = value;
	sbi_pmu_slot_moved(slots, idx);
}

/* Start halted counter @idx from @value. */
static int slot_start_at(struct sbi_pmu_slots *slots, unsigned int idx, u64 value)
{
	int ret = sbi_pmu_fw_start_at(&slots->fw, idx, value);
	u64 ran;

	/* Firmware did not stop it when asked to; once more, for it alone. */
	if (ret == -EALREADY && !sbi_pmu_fw_stop(&slots->fw, idx / SBI_PMU_WORD_BITS,
						 (xlen_t)1 << (idx % SBI_PMU_WORD_BITS))) {
		if (slots->sums && sbi_pmu_slot_read(slots, idx, &ran))
			return -EIO;
		ret = sbi_pmu_fw_start_at(&slots->fw, idx, value);
	}
	if (!ret)
		slot_runs(slots, idx, value);
	return ret;
}

/* Start halted counter @idx, for whoever counts on it. */
static int slot_start(struct sbi_pmu_slots *slots, unsigned int idx)
{
	u64 value;

	if (slot_begins(slots, idx, &value))
		return slot_start_at(slots, idx, value);
	return sbi_pmu_fw_start(&slots->fw, idx);
}

static u64 slot_from(struct sbi_pmu_slots *slots, unsigned int idx)
{
	u64 value;

	slot_begins(slots, idx, &value);
	return value;
}

/* Start counters of one window. */
static void start_word(struct sbi_pmu_slots *slots, unsigned int w,
		       const struct sbi_pmu_mask *which)
{
	const bool started = slots->lent &&
			     !sbi_pmu_slots_start_word(slots, w, which, slot_from);
	unsigned int i;

	sbi_pmu_mask_for_each(i, which) {
		if (started)
			slot_runs(slots, i, slot_from(slots, i));
		else if (slot_start(slots, i))
			sbi_pmu_slot_lose(slots, i);
	}
}

/**
 * sbi_pmu_slots_arm - start what was halted, what waits for an overflow, or begins anew
 * @slots: this hart's
 *
 * One call stops all that has to be stopped first, one starts each, or all. The overflow
 * interrupt is not pending, or firmware does not clear the sign of the last one.
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_arm(struct sbi_pmu_slots *slots)
{
	const struct sbi_pmu_mask stale = slots->stale;
	struct sbi_pmu_mask all, forgotten;
	unsigned int w, i;

	sbi_pmu_slots_halt(slots, &stale);
	forgotten = slots->forgotten;
	sbi_pmu_mask_for_each(i, &forgotten)
		sbi_pmu_slot_again(slots, i);
	slots->stale = (struct sbi_pmu_mask){};
	all = sbi_pmu_slots_waiting(slots);
	slots->halted = sbi_pmu_mask_andnot(slots->halted, &all);
	for (w = 0; w < SBI_PMU_WORDS; w++) {
		struct sbi_pmu_mask window = {};

		window.word[w] = all.word[w];
		if (!sbi_pmu_mask_empty(&window))
			start_word(slots, w, &window);
	}
}

/**
 * sbi_pmu_user_sampled - a sample is handed out
 * @user: up to date, its period is over
 * @period: its period now, not 0
 *
 * The next period begins where the last one that is over has ended.
 *
 * Return: what the sample stands for: all events since the last one.
 */
u64 sbi_pmu_user_sampled(struct sbi_pmu_user *user, u64 period)
{
	const u64 events = user->since;

	user->left += (-(u64)user->left / period + 1) * period;
	user->since = 0;
	user->skids = 0;
	return events;
}

/**
 * sbi_pmu_user_skidded - a sample is due, and the hart in a mode that it is not about
 * @user: up to date, its period is over
 *
 * It stays due, a few events on, or when the timer looks again; ever later.
 */
void sbi_pmu_user_skidded(struct sbi_pmu_user *user)
{
	if (user->skids < MOST_SKIDS)
		user->skids++;
}

/**
 * sbi_pmu_slots_poll_ns - when the timer should look again
 * @slots: this hart's; polled users have just been brought up to date
 * @elapsed: ns since the last time that this was asked
 *
 * Return: ns to the nearest end of a period if events go on as fast as they did,
 * within bounds; 0 if nobody needs the timer.
 */
u64 sbi_pmu_slots_poll_ns(struct sbi_pmu_slots *slots, u64 elapsed)
{
	u64 soonest = 0, ns;
	struct sbi_pmu_user *user;
	unsigned int i;

	sbi_pmu_mask_for_each(i, &slots->plan.busy) {
		list_for_each_entry(user, &slots->users[i], node) {
			if (!user->live || user->sampling != SBI_PMU_POLLED)
				continue;
			ns = POLL_LATE;
			if (user->left <= 0)
				ns = (u64)POLL_SOON << user->skids;
			else if (user->seen && elapsed && elapsed <= POLL_LATE &&
				 (u64)user->left < user->seen * (POLL_LATE / elapsed + 1))
				ns = user->left * elapsed / user->seen;
			user->seen = 0;
			if (!soonest || ns < soonest)
				soonest = ns;
		}
	}
	if (!soonest)
		return 0;
	return soonest < POLL_SOON ? POLL_SOON : soonest > POLL_LATE ? POLL_LATE : soonest;
}
