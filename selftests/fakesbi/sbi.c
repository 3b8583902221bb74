// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: firmware: the calls of the SBI PMU extension. */
#include "fakesbi.h"

/* Counter @i of each bit in the window @arg[0] (base), @arg[1] (mask) */
#define for_each_offered(i, left, arg)						\
	for ((left) = (arg)[1];							\
	     (left) && ((i) = (arg)[0] + __builtin_ctzll(left), true);		\
	     (left) &= (left) - 1)

static struct sbiret answer(long error, unsigned long value)
{
	return (struct sbiret){ .error = error, .value = value };
}

/* The caller broke a rule that makes the call fail. */
static struct sbiret invalid(const char *why)
{
	model_report(why);
	return answer(SPEC_ERR_INVALID_PARAM, 0);
}

static bool one_in(unsigned int n)
{
	return n && fakesbi_random() % n == 0;
}

/* Does the event have a fixed counter? Cycles and instructions have. */
static bool has_fixed(const struct fakesbi_code *code)
{
	return code->idx == SPEC_GENERAL_CYCLES || code->idx == SPEC_GENERAL_INSTRUCTIONS;
}

static bool exists(unsigned long idx)
{
	if (idx == 1 && fakesbi_has(QUIRK_TIME_IS_COUNTER))
		return true;
	return idx < fakesbi.end && fakesbi.ctr[idx].info;
}

/* Does each counter in the window exist? An empty window is not valid. */
static bool offer_valid(const unsigned long arg[FAKESBI_ARGS])
{
	unsigned long left, i;

	for_each_offered(i, left, arg) if (i < arg[0] || !exists(i)) return false;
	return arg[1];
}

/* ---- finding a counter for an event (FID 2) ---- */

#define CFG_FILTERS	GENMASK(7, 3)

static bool firmware_known(u64 code, u64 data)
{
	if (code == SPEC_FW_PLATFORM)
		return !fakesbi_has(QUIRK_NO_PLATFORM);
	return !data && (code <= SPEC_FW_STANDARD_LAST || code >= SPEC_FW_IMPLEMENTATION);
}

/* Is this event defined, and not reserved? */
bool model_event_known(u64 idx, u64 data)
{
	const u64 code = idx & SPEC_EVENT_CODE;

	switch (idx >> 16) {
	case SPEC_TYPE_GENERAL:
		return code && code <= SPEC_GENERAL_REF_CYCLES && !data;
	case SPEC_TYPE_CACHE:
		return FIELD_GET(SPEC_CACHE_ID, code) < SPEC_CACHE_IDS &&
		       FIELD_GET(SPEC_CACHE_OP, code) < SPEC_CACHE_OPS && !data;
	case SPEC_TYPE_RAW:
		return !code && !(data & ~SPEC_RAW_DATA) &&
		       !(!data && fakesbi_has(QUIRK_RAW_ZERO_FAILS));
	case SPEC_TYPE_RAW_V2:
		return !code && !(data & ~SPEC_RAW_V2_DATA);
	case SPEC_TYPE_FIRMWARE:
		return firmware_known(code, data);
	default:
		return false;
	}
}

/* Four counters, from 3 on, are one line in a device tree. */
static bool in_first_line(const struct fakesbi_code *code, unsigned int idx)
{
	for (unsigned int i = 3; i < fakesbi.end; i++)
		if (fakesbi.ctr[i].info && !model_is_firmware(i) &&
		    (!fakesbi.can || fakesbi.can(code, i)))
			return (idx - 3) / 4 == (i - 3) / 4;
	return false;
}

/* The fixed counter of cycles or instructions */
static unsigned int fixed_of(const struct fakesbi_code *code)
{
	return fakesbi.by_csr[code->idx == SPEC_GENERAL_CYCLES ? 0 : 2] - 1;
}

/* Can counter @idx hold this event when it is free? */
static bool can_hold(const struct fakesbi_code *code, unsigned int idx)
{
	if (!fakesbi.ctr[idx].info ||
	    model_is_firmware(idx) != (code->idx >> 16 == SPEC_TYPE_FIRMWARE))
		return false;
	if (model_is_fixed(idx))
		return has_fixed(code) && fixed_of(code) == idx && !model_is_withheld(idx);
	if (fakesbi.can && !fakesbi.can(code, idx))
		return false;
	return !fakesbi_has(QUIRK_FIRST_ROW_ONLY) || model_is_firmware(idx) ||
	       in_first_line(code, idx);
}

/* Filters are hints: fixed counters have none, nor have others of harts without Sscofpmf. */
static u32 filters_kept(unsigned int idx, const struct fakesbi_code *code)
{
	const bool can = model_only_counts(idx) ? model_has_cfg(idx) : fakesbi.sscofpmf;

	if (!can || model_is_firmware(idx) || fakesbi_has(QUIRK_NO_FILTER) ||
	    (fakesbi.unfiltered && fakesbi.unfiltered(code)))
		return 0;
	return code->flags & CFG_FILTERS;
}

static u64 configurations;

static struct sbiret take(unsigned int idx, const struct fakesbi_code *code)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];

	if (fakesbi_has(QUIRK_FIXED_ALWAYS))
		ctr->running = false;
	ctr->code = *code;
	ctr->code.flags = filters_kept(idx, code);
	if (fakesbi.one_filter && code->flags)
		model_report("an event of this core has no bits for filters");
	ctr->configured = true;
	ctr->event = model_event(code);
	if (code->idx >> 16 == SPEC_TYPE_CACHE && fakesbi.odd_counters & BIT(idx & 31))
		ctr->event ^= BIT(30);
	if (model_is_fixed(idx))
		ctr->event &= model_has_cfg(idx) ? ~SPEC_EVENT_SELECTOR : 0;
	/* T-Head's have a register of their own. */
	if (!fakesbi_has(QUIRK_LEVEL))
		ctr->overflown = fakesbi.delegated && !model_is_fixed(idx);
	ctr->lost = false;
	ctr->total = 0;
	ctr->configured_at = ++configurations;
	/* The value of a counter that is not cleared is not specified. */
	if (!ctr->running)
		ctr->last = ctr->value = model_random64() & model_bits(ctr);
	return answer(SPEC_OK, idx);
}

/* Take the fixed counter, offered or not. Nothing should ask for it while it counts. */
static struct sbiret take_fixed(const struct fakesbi_code *code)
{
	if (fakesbi.ctr[fixed_of(code)].running)
		model_report("a running counter got another event");
	return take(fixed_of(code), code);
}

static struct sbiret match(const unsigned long arg[FAKESBI_ARGS],
			   const struct fakesbi_code *code)
{
	unsigned int i, found = FAKESBI_CTRS;
	unsigned long left;

	for_each_offered(i, left, arg)
	{
		if (fakesbi.ctr[i].running || !can_hold(code, i) ||
		    (fakesbi.ctr[i].configured && fakesbi_has(QUIRK_CONFIGURED_IS_TAKEN)))
			continue;
		found = i;
		if (!fakesbi_has(QUIRK_HIGHEST_FIRST))
			break;
	}
	if (found < FAKESBI_CTRS)
		return take(found, code);
	if (fakesbi_has(QUIRK_FIXED_FALLBACK) && has_fixed(code))
		return take_fixed(code);
	return answer(SPEC_ERR_NOT_SUPPORTED, 0);
}

/* Take a counter that was not offered, whatever it holds, or as often one that does not exist. */
static struct sbiret take_any(const unsigned long arg[FAKESBI_ARGS],
			      const struct fakesbi_code *code)
{
	const unsigned int end = one_in(2) ? fakesbi.end : FAKESBI_CTRS;
	const unsigned int idx = fakesbi_random() % end;
	const bool offered = idx - arg[0] < FAKESBI_WINDOW && arg[1] >> (idx - arg[0]) & 1;

	if (idx < fakesbi.end && fakesbi.ctr[idx].info && !offered)
		return take(idx, code);
	return answer(SPEC_OK, model_random64() | BIT(30));
}

static struct sbiret config_matching(const unsigned long arg[FAKESBI_ARGS])
{
	const struct fakesbi_code code = {
		.flags = arg[2],
		.idx = arg[3],
		.data = arg[4],
	};

	/*
	 * With SKIP_MATCH OpenSBI, KVM and RustSBI each do something else; OpenSBI ignores
	 * CLEAR_VALUE and AUTO_START for cache and raw events.
	 */
	if (arg[2] & ~CFG_FILTERS)
		return invalid("CONFIG with a flag that is no filter");
	if (!offer_valid(arg))
		return invalid("CONFIG of a counter that does not exist, or of none");
	if (fakesbi_has(QUIRK_NO_RAW_V2) && arg[3] >> 16 == SPEC_TYPE_RAW_V2)
		return answer(SPEC_ERR_INVALID_PARAM, 0);
	if (!model_event_known(arg[3], code.data) || one_in(fakesbi.refuse) ||
	    (fakesbi.denied && fakesbi.denied(&code)))
		return answer(SPEC_ERR_NOT_SUPPORTED, 0);
	if (fakesbi_has(QUIRK_FIXED_ALWAYS) && has_fixed(&code))
		return take_fixed(&code);
	if ((!fakesbi.delegated || arg[3] >> 16 == SPEC_TYPE_FIRMWARE) && one_in(fakesbi.stray))
		return take_any(arg, &code);
	return match(arg, &code);
}

/* ---- starting and stopping sets of counters (FID 3, 4) ---- */

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

/* KVM starts a pinned event: if no counter of the host is free it stops, as do later ones. */
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

/* As many run as the host can count. */
static void stop_last(void)
{
	unsigned int running = 0, last = 0;

	if (!fakesbi.host_counters)
		return;
	for (unsigned int i = 0; i < fakesbi.end; i++) {
		const struct fakesbi_ctr *ctr = &fakesbi.ctr[i];

		if (!ctr->running || ctr->lost || model_is_firmware(i))
			continue;
		if (!running++ || ctr->configured_at > fakesbi.ctr[last].configured_at)
			last = i;
	}
	if (running > fakesbi.host_counters)
		fakesbi.ctr[last].lost = true;
}

static long start_one(unsigned int idx, const u64 *value)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];
	const bool stopped = ctr->inhibited;

	if (model_is_withheld(idx)) {
		ctr->inhibited = false;
		return stopped ? SPEC_OK : SPEC_ERR_ALREADY_STARTED;
	}
	if (!ctr->configured) {
		/* Cycle and instret count without one, too, but firmware that has them does not. */
		if (idx > 2)
			model_report("START of a counter without an event");
		return SPEC_ERR_INVALID_PARAM;
	}
	/* OpenSBI has it lose its interrupt. */
	if (ctr->running) {
		model_report("START of a running counter");
		return SPEC_ERR_ALREADY_STARTED;
	}
	if (!(fakesbi_has(QUIRK_PENDING_KEEPS_OF) && fakesbi.lcofi) &&
	    !(fakesbi_has(QUIRK_PENDING_CLEARS_OF) && !fakesbi.lcofi))
		ctr->overflown = model_keeps_of(ctr);
	ctr->running = true;
	ctr->interrupts = true;
	fakesbi_update_irq();
	stop_uncountable(idx);
	stop_last();
	if (value) {
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
	if (!offer_valid(arg))
		return "START of a counter that does not exist, or of none";
	return NULL;
}

static struct sbiret start_counters(const unsigned long arg[FAKESBI_ARGS])
{
	const u64 init = arg[3];
	const char *mistake = start_mistake(arg);
	long status = SPEC_OK;
	unsigned int i;
	unsigned long left;

	if (mistake)
		return invalid(mistake);
	if (arg[2] & SPEC_START_SNAPSHOT && !fakesbi.shmem)
		return answer(SPEC_ERR_NO_SHMEM, 0);
	if (arg[2] & SPEC_START_SET_INIT && arg[1] & (arg[1] - 1))
		model_report("START of several counters with one value");
	if (arg[2] & SPEC_START_SNAPSHOT)
		fakesbi.copy = *fakesbi.shmem;
	if (one_in(fakesbi.start_fails))
		return answer(SPEC_ERR_FAILED, 0);

	for_each_offered(i, left, arg) {
		const u64 *value = NULL;
		u64 saved;

		if (arg[2] & SPEC_START_SET_INIT && !fakesbi_has(QUIRK_VALUE_IGNORED))
			value = &init;
		if (arg[2] & SPEC_START_SNAPSHOT) {
			saved = fakesbi.shmem->value[i - arg[0]];
			value = &saved;
		}
		status = set_status(status, start_one(i, value));
		if (ends_here(status))
			break;
	}
	return answer(status, 0);
}

static long stop_one(unsigned int idx)
{
	struct fakesbi_ctr *ctr = &fakesbi.ctr[idx];
	const bool was = ctr->running;

	if (!ctr->configured && fakesbi_has(QUIRK_UNUSED_SKIPPED))
		return SPEC_OK;
	ctr->running = false;
	ctr->inhibited = model_is_withheld(idx);
	fakesbi.lcofi_stays = false;
	if (!fakesbi_has(QUIRK_STOP_KEEPS_IRQ))
		ctr->interrupts = false;
	fakesbi_update_irq();
	return was || (model_is_firmware(idx) && fakesbi_has(QUIRK_FW_NEVER_ALREADY)) ?
		       SPEC_OK : SPEC_ERR_ALREADY_STOPPED;
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
		if (!fakesbi_has(QUIRK_LEVEL))
			fakesbi.ctr[idx].overflown = false;
	}
	fakesbi.ctr[idx].configured = false;
	if (fakesbi_has(QUIRK_RESET_CLEARS_FIXED) && model_is_fixed(idx))
		fakesbi.ctr[idx].value = 0;
}

static struct sbiret stop_counters(const unsigned long arg[FAKESBI_ARGS])
{
	unsigned long done[2] = { arg[0] }, to_save[2] = { arg[0] }, left;
	long status = SPEC_OK;
	unsigned int i;

	if (arg[2] & ~FLAGS)
		return invalid("STOP with a reserved flag");
	if (!offer_valid(arg))
		return invalid("STOP of a counter that does not exist, or of none");
	if (arg[2] & SPEC_STOP_SNAPSHOT && !fakesbi.shmem)
		return answer(SPEC_ERR_NO_SHMEM, 0);
	if (one_in(fakesbi.stop_fails))
		return answer(SPEC_ERR_FAILED, 0);

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
	return answer(status, 0);
}

/* ---- the snapshot shared memory (FID 7): physical addresses are those of the program ---- */

static struct sbiret set_shmem(const unsigned long arg[FAKESBI_ARGS])
{
	if (fakesbi_has(QUIRK_NO_SNAPSHOT))
		return answer(SPEC_ERR_NOT_SUPPORTED, 0);
	if (arg[2])
		return invalid("snapshot memory with a reserved flag");
	if (one_in(fakesbi.shmem_fails))
		return answer(SPEC_ERR_FAILED, 0);
	if (arg[0] == SPEC_NO_SHMEM && arg[1] == SPEC_NO_SHMEM) {
		fakesbi.shmem = NULL;
		return answer(SPEC_OK, 0);
	}
	if (arg[0] % sizeof(*fakesbi.shmem) || arg[1])
		return invalid("snapshot memory that is not a page");
	if (fakesbi.shmem && fakesbi_has(QUIRK_SHMEM_LEAKS))
		model_report("snapshot memory set before it was disabled");
	fakesbi.shmem = (struct spec_snapshot *)arg[0];
	if (fakesbi_has(QUIRK_SHMEM_IS_CLEARED))
		memset(fakesbi.shmem, 0, sizeof(*fakesbi.shmem));
	return answer(SPEC_OK, 0);
}

/* ---- functions that only read, and the call ---- */

static struct sbiret num_counters(void)
{
	unsigned long n = fakesbi_has(QUIRK_TIME_IS_COUNTER);

	if (fakesbi_has(QUIRK_GAPS_COUNTED))
		return answer(SPEC_OK, fakesbi.end);
	for (unsigned int i = 0; i < fakesbi.end; i++)
		n += !!fakesbi.ctr[i].info;
	return answer(SPEC_OK, n);
}

static struct sbiret counter_info(unsigned long idx)
{
	const unsigned long reserved = (unsigned long)~0ULL & ~(unsigned long)SPEC_INFO_FIRMWARE &
				       ~(unsigned long)(SPEC_INFO_CSR | SPEC_INFO_WIDTH);
	unsigned long info;

	if (idx == fakesbi.end && fakesbi_has(QUIRK_INFO_PAST_END))
		return answer(SPEC_OK, 0);
	if (!exists(idx)) /* breaks no rule: this is how counters are found */
		return answer(SPEC_ERR_INVALID_PARAM, 0);
	info = fakesbi.ctr[idx].info;
	if (!info)
		info = FIELD_PREP(SPEC_INFO_WIDTH, 63UL) | SPEC_CSR_TIME;
	if (fakesbi_has(QUIRK_WIDTH_64_ALWAYS) && !model_is_firmware(idx))
		info |= SPEC_INFO_WIDTH;
	if (fakesbi_has(QUIRK_JUNK_INFO))
		info |= model_random64() & reserved;
	return answer(SPEC_OK, info);
}

static struct sbiret fw_read(unsigned long idx)
{
	if (!exists(idx) || !model_is_firmware(idx))
		return invalid("FW_READ of a counter that is not of firmware");
	if (!fakesbi.ctr[idx].configured)
		return invalid("FW_READ of a counter without an event");
	if (one_in(fakesbi.read_fails))
		return answer(SPEC_ERR_FAILED, 0xbad);
	return answer(SPEC_OK, fakesbi.ctr[idx].value);
}

static struct sbiret dispatch(unsigned int fid, const unsigned long arg[FAKESBI_ARGS])
{
	switch (fid) {
	case SPEC_FID_NUM_COUNTERS:
		return num_counters();
	case SPEC_FID_COUNTER_INFO:
		return counter_info(arg[0]);
	case SPEC_FID_CONFIG_MATCHING:
		return config_matching(arg);
	case SPEC_FID_START:
		return start_counters(arg);
	case SPEC_FID_STOP:
		return stop_counters(arg);
	case SPEC_FID_FW_READ:
		return fw_read(arg[0]);
	case SPEC_FID_SNAPSHOT_SHMEM:
		return set_shmem(arg);
	default:
		/* RV64 has no use for FW_READ_HI; EVENT_GET_INFO is often answered wrongly. */
		return invalid("another function");
	}
}

struct sbiret fakesbi_call(unsigned int fid, const unsigned long arg[FAKESBI_ARGS])
{
	struct sbiret ret = dispatch(fid, arg);

	fakesbi.calls[fid % ARRAY_SIZE(fakesbi.calls)]++;
	return ret;
}
