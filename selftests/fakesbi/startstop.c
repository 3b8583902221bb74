// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: starting and stopping sets of counters (FID 3, 4). */
#include "model.h"

#define FLAGS	GENMASK(1, 0)

/* Status of the set so far: the first error, or the status of the last counter. */
static long set_status(long so_far, long one)
{
	return so_far && !fakesbi_has(QUIRK_LAST_STATUS) ? so_far : one;
}

static bool ends_here(long status)
{
	return status && fakesbi_has(QUIRK_ABORT_AT_ALREADY);
}

/* Is @i another counter with the firmware event of @idx, and shares its state? */
static bool fw_sibling(unsigned int idx, unsigned int i)
{
	return i != idx && fakesbi_has(QUIRK_FW_SHARED) && model_is_firmware(idx) &&
	       model_holds_same(i, idx);
}

static bool fw_sibling_runs(unsigned int idx)
{
	for (unsigned int i = 0; fakesbi_has(QUIRK_FW_SHARED) && i < fakesbi.end; i++)
		if (fw_sibling(idx, i) && fakesbi.ctr[i].running)
			return true;
	return false;
}

static long status_already(unsigned int idx, long status)
{
	return model_is_firmware(idx) && fakesbi_has(QUIRK_FW_NEVER_ALREADY) ?
	       SPEC_OK : status;
}

static void interrupt_if_late(struct fakesbi_ctr *ctr)
{
	/* It has counted from the old value until now. */
	if (fakesbi_has(QUIRK_LATE_VALUE) && ctr->value == model_bits(ctr))
		fakesbi.lcofi = ctr->overflown = true;
}

/*
 * KVM starts a pinned event of the host. If no counter of the host can count it, the host
 * stops it, and the events that were created after it.
 */
static void stop_uncountable(unsigned int idx)
{
	const u64 since = fakesbi.ctr[idx].configured_at;

	if (!fakesbi_has(QUIRK_UNCOUNTABLE_STOPS) || model_is_firmware(idx) ||
	    !fakesbi.countable || fakesbi.countable(&fakesbi.ctr[idx].code))
		return;
	for (unsigned int i = 0; i < fakesbi.end; i++)
		if (!model_is_firmware(i) && fakesbi.ctr[i].configured_at >= since &&
		    (i == idx || fakesbi.ctr[i].running))
			fakesbi.ctr[i].lost = true;
}

/* A counter that runs without an event */
static long set_inhibited(struct fakesbi_ctr *ctr, bool inhibited, long already)
{
	const long status = ctr->inhibited == inhibited ? already : SPEC_OK;

	ctr->inhibited = inhibited;
	return status;
}

static long start_one(unsigned int idx, const u64 *value)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (model_is_withheld(idx))
		return set_inhibited(ctr, false, SPEC_ERR_ALREADY_STARTED);
	if (!ctr->configured && fakesbi_has(QUIRK_UNUSED_SKIPPED))
		return SPEC_OK;
	if (!ctr->configured) {
		model_report("START of a counter without an event");
		return SPEC_ERR_INVALID_PARAM;
	}
	if (ctr->running) {
		model_report("START of a running counter");
		if (fakesbi_has(QUIRK_START_RUNNING_LOSES_IRQ))
			ctr->overflown = true;
		return status_already(idx, SPEC_ERR_ALREADY_STARTED);
	}
	if (fw_sibling_runs(idx))
		return SPEC_ERR_ALREADY_STARTED;
	if (!(fakesbi_has(QUIRK_PENDING_KEEPS_OF) && fakesbi.lcofi))
		ctr->overflown = false;
	model_map(ctr);
	ctr->running = true;
	stop_uncountable(idx);
	if (value) {
		interrupt_if_late(ctr);
		ctr->value = *value & model_bits(ctr);
		ctr->last = *value;
	}
	return SPEC_OK;
}

static const char *start_mistake(const unsigned long arg[FAKESBI_ARGS])
{
	if (arg[2] & ~FLAGS)
		return "START with a reserved flag";
	if ((arg[2] & FLAGS) == FLAGS)
		return "START with a value and a snapshot";
	if (!model_offer_valid(arg))
		return "START of a counter that does not exist, or of none";
	return NULL;
}

struct sbiret model_start(const unsigned long arg[FAKESBI_ARGS])
{
	const u64 init = model_get64(&arg[3]);
	const char *mistake = start_mistake(arg);
	long status = SPEC_OK;
	unsigned int i;
	unsigned long left;

	if (mistake)
		return model_invalid(mistake);
	if (arg[2] & SPEC_START_SNAPSHOT && !fakesbi.shmem)
		return model_answer(SPEC_ERR_NO_SHMEM, 0);
	if (arg[2] & SPEC_START_SET_INIT && arg[1] & (arg[1] - 1))
		model_report("START of several counters with one value");
	if (arg[2] & SPEC_START_SNAPSHOT)
		fakesbi.copy = *fakesbi.shmem;
	if (model_one_in(fakesbi.start_fails))
		return model_answer(SPEC_ERR_FAILED, 0);

	for_each_offered(i, left, arg) {
		const u64 *value = NULL;
		u64 saved;

		if (arg[2] & SPEC_START_SET_INIT)
			value = &init;
		if (arg[2] & SPEC_START_SNAPSHOT) {
			saved = fakesbi.shmem->value[i - arg[0]];
			value = &saved;
		}
		status = set_status(status, start_one(i, value));
		if (ends_here(status))
			break;
	}
	return model_answer(status, 0);
}

static long stop_one(unsigned int idx)
{
	const bool was = fakesbi.ctr[idx].running;

	if (model_is_withheld(idx))
		return set_inhibited(&fakesbi.ctr[idx], true, SPEC_ERR_ALREADY_STOPPED);
	if (!fakesbi.ctr[idx].configured && fakesbi_has(QUIRK_UNUSED_SKIPPED))
		return SPEC_OK;
	fakesbi.ctr[idx].running = false;
	for (unsigned int i = 0; fakesbi_has(QUIRK_FW_SHARED) && i < fakesbi.end; i++)
		if (fw_sibling(idx, i))
			fakesbi.ctr[i].running = false;
	return was ? SPEC_OK : status_already(idx, SPEC_ERR_ALREADY_STOPPED);
}

static bool saved(unsigned int idx)
{
	return fakesbi.ctr[idx].configured || !fakesbi_has(QUIRK_UNUSED_SKIPPED);
}

/* Save the values of the set, and overflow bits of all counters in the window. */
static void save(const unsigned long arg[2])
{
	struct spec_snapshot *shmem = fakesbi.shmem;
	bool any = false;
	u64 overflow = fakesbi_has(QUIRK_OVERFLOW_STICKS) ? shmem->overflow : 0;
	unsigned int i;
	unsigned long left;

	for_each_offered(i, left, arg)
		any |= saved(i);
	if (any && fakesbi_has(QUIRK_SAVES_ALL))
		*shmem = fakesbi.copy;
	for_each_offered(i, left, arg)
		if (saved(i))
			shmem->value[i - arg[0]] = model_read(i);
	for (i = arg[0]; i < arg[0] + FAKESBI_WINDOW && i < FAKESBI_CTRS; i++)
		if (fakesbi.ctr[i].overflown)
			overflow |= BIT_ULL(i - arg[0]);
	shmem->overflow = overflow;
}

static void reset_one(unsigned int idx)
{
	/* mcyclecfg and minstretcfg stay, and so does mhpmevent without an event (OpenSBI). */
	if (fakesbi.ctr[idx].configured && !model_is_fixed(idx)) {
		fakesbi.ctr[idx].event = 0;
		fakesbi.ctr[idx].overflown = false;
		model_map(&fakesbi.ctr[idx]);
	}
	fakesbi.ctr[idx].configured = false;
	if (fakesbi_has(QUIRK_RESET_CLEARS_FIXED) && model_is_fixed(idx))
		fakesbi.ctr[idx].value = 0;
}

struct sbiret model_stop(const unsigned long arg[FAKESBI_ARGS])
{
	unsigned long done[2] = { arg[0] }, to_save[2] = { arg[0] }, left;
	long status = SPEC_OK;
	unsigned int i;

	if (arg[2] & ~FLAGS)
		return model_invalid("STOP with a reserved flag");
	if (!model_offer_valid(arg))
		return model_invalid("STOP of a counter that does not exist, or of none");
	if (arg[2] & SPEC_STOP_SNAPSHOT && !fakesbi.shmem)
		return model_answer(SPEC_ERR_NO_SHMEM, 0);
	if (model_one_in(fakesbi.stop_fails))
		return model_answer(SPEC_ERR_FAILED, 0);

	for_each_offered(i, left, arg) {
		status = set_status(status, stop_one(i));
		if (ends_here(status))
			break;
		done[1] |= BIT(i - arg[0]);
		if (!status || !fakesbi_has(QUIRK_SAVES_UP_TO_ERROR))
			to_save[1] |= BIT(i - arg[0]);
	}
	if (arg[2] & SPEC_STOP_SNAPSHOT)
		save(to_save);
	if (arg[2] & SPEC_STOP_RESET)
		for_each_offered(i, left, done)
			reset_one(i);
	return model_answer(status, 0);
}
