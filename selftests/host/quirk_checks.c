// SPDX-License-Identifier: GPL-2.0-only
/*
 * shows: for each quirk, calls that are answered one way by the specification
 * and another way by the quirk. True if it is the latter.
 */
#include "quirk_checks.h"

#define NUM		SPEC_FID_NUM_COUNTERS
#define INFO		SPEC_FID_COUNTER_INFO
#define CONFIG		SPEC_FID_CONFIG_MATCHING
#define START		SPEC_FID_START
#define STOP		SPEC_FID_STOP

static struct spec_snapshot page;
static struct spec_event_info *const info = (void *)&page;

/* hpmcounter3-10 on 3 to 10, firmware counters on 11 to 14 */
static struct sbiret ask(unsigned int fid, unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e)
{
	const unsigned long arg[SBI_PMU_ARGS] = { a, b, c, d, e };

	return fakesbi_call(fid, arg);
}

static struct fakesbi_ctr *config(unsigned int idx, unsigned long flags, unsigned long event, unsigned long data)
{
	ask(CONFIG, idx, 1, flags, event, data);
	return &fakesbi.ctr[idx];
}

static struct fakesbi_ctr *run(unsigned int idx, unsigned long event, unsigned long data)
{
	struct fakesbi_ctr *ctr = config(idx, SPEC_CFG_CLEAR_VALUE, event, data);

	ask(START, idx, 1, 0, 0, 0);
	return ctr;
}

static bool none_can(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)code;
	(void)idx;
	return false;
}

/* What event info says of an event; a counter for it there is if @can. */
static u32 event_info(u32 event, bool can)
{
	memset(&page, 0, sizeof(page));
	fakesbi_memory(0, &page, sizeof(page));
	fakesbi.can = can ? NULL : none_can;
	info[0].event_idx = event;
	ask(SPEC_FID_EVENT_INFO, 0, 0, 1, 0, 0);
	return info[0].output;
}

static bool start_running_deafens(void)
{
	struct fakesbi_ctr *ctr = run(3, RAW, 1);

	ask(START, 3, 1, 0, 0, 0);
	ctr->value = ~0ULL;
	fakesbi_run(1);
	return !fakesbi.lcofi;
}

static bool pending_keeps_of(void)
{
	struct fakesbi_ctr *ctr = run(3, RAW, 1);

	ctr->value = ~0ULL;
	fakesbi_run(1);
	ask(STOP, 3, 1, 0, 0, 0);
	ask(START, 3, 1, SPEC_START_SET_INIT, 0, 0);
	return ctr->overflown;
}

static bool info_denies(void)
{
	return !event_info(SPEC_GENERAL_CYCLES, true) && !event_info(FW, true);
}

static bool info_any_raw(void)
{
	return event_info(RAW, false) == 1;
}

static bool cache_raw_flags(void)
{
	return !config(3, SPEC_CFG_AUTO_START, RAW, 1)->running;
}

static bool fixed_fallback(void)
{
	fakesbi.can = none_can;
	return !ask(CONFIG, 3, 1, 0, SPEC_GENERAL_CYCLES, 0).error &&
	       !ask(CONFIG, 3, 1, 0, SPEC_GENERAL_CYCLES, 0).error &&
	       fakesbi.ctr[0].configured;
}

static bool configured_is_taken(void)
{
	config(3, 0, RAW, 1);
	return config(3, 0, RAW, 2)->code.data == 1;
}

static bool raw_zero_fails(void)
{
	return !config(3, 0, RAW, 0)->configured;
}

static bool empty_mask_taken(void)
{
	return !ask(CONFIG, 3, 0, 0, RAW, 1).error;
}

static bool first_holder_only(void)
{
	run(11, FW, 0);
	run(12, FW, 0);
	run(3, RAW, 1);
	run(4, RAW, 1);
	fakesbi_run(3);
	return !fakesbi.ctr[12].value && fakesbi.ctr[4].value;
}

static bool fw_never_already(void)
{
	run(11, FW, 0);
	return !ask(START, 11, 1, 0, 0, 0).error && ask(STOP, 3, 1, 0, 0, 0).error;
}

static bool late_value(void)
{
	config(3, 0, RAW, 1)->value = ~0ULL;
	ask(START, 3, 1, SPEC_START_SET_INIT, 5, 0);
	return fakesbi.lcofi && fakesbi.ctr[3].value == 5;
}

static bool gap_traps(void)
{
	u64 value;

	return fakesbi_read_csr(SPEC_CSR_CYCLE + 4, &value) &&
	       !fakesbi_read_csr(SPEC_CSR_CYCLE + 5, &value);
}

static bool skip_wrong_index(void)
{
	return ask(CONFIG, 3, 8, SPEC_CFG_SKIP_MATCH, RAW, 1).value != 6;
}

static bool reset_clears_fixed(void)
{
	config(0, 0, SPEC_GENERAL_CYCLES, 0)->value = 99;
	ask(STOP, 0, 1, SPEC_STOP_RESET, 0, 0);
	return !fakesbi.ctr[0].value;
}

static bool info_past_end(void)
{
	return !ask(INFO, 15, 0, 0, 0, 0).error && ask(INFO, 16, 0, 0, 0, 0).error;
}

static bool last_status(void)
{
	run(3, RAW, 1);
	config(4, 0, RAW, 2);
	return !ask(START, 3, 3, 0, 0, 0).error;
}

static bool suspend_loses_events(void)
{
	struct fakesbi_ctr *ctr = run(3, RAW, 1);

	fakesbi_suspend();
	fakesbi_run(3);
	return !ctr->value && ctr->running;
}

static bool suspend_loses_values(void)
{
	struct fakesbi_ctr *ctr = run(3, RAW, 1);

	fakesbi_suspend();
	return ctr->value;
}

static bool highest_first(void)
{
	return ask(CONFIG, 3, 0xff, 0, RAW, 1).value == 10;
}

static bool first_row_only(void)
{
	return !config(7, 0, RAW, 1)->configured && config(6, 0, RAW, 1)->configured;
}

static bool gaps_counted(void)
{
	return ask(NUM, 0, 0, 0, 0, 0).value == 15 && ask(INFO, 1, 0, 0, 0, 0).error;
}

static bool no_fw_read_hi(void)
{
	return ask(SPEC_FID_FW_READ_HI, 11, 0, 0, 0, 0).error == SPEC_ERR_NOT_SUPPORTED;
}

static bool no_snapshot(void)
{
	fakesbi_memory(0, &page, sizeof(page));
	return ask(SPEC_FID_SNAPSHOT_SHMEM, 0, 0, 0, 0, 0).error == SPEC_ERR_NOT_SUPPORTED;
}

static bool no_event_info(void)
{
	return !event_info(SPEC_GENERAL_CYCLES, true);
}

static bool no_raw_v2(void)
{
	return ask(CONFIG, 3, 1, 0, RAW_V2, 1).error == SPEC_ERR_INVALID_PARAM;
}

static bool fixed_always(void)
{
	run(0, SPEC_GENERAL_CYCLES, 0);
	return !ask(CONFIG, 3, 1, 0, SPEC_GENERAL_CYCLES, 0).value && !fakesbi.ctr[0].running;
}

static bool fixed_alike(void)
{
	struct fakesbi_ctr *ctr = config(0, SPEC_CFG_UINH, SPEC_GENERAL_CYCLES, 0);

	ask(START, 0, 1, 0, 0, 0);
	ctr->value = -1;
	fakesbi_run(1);
	return ctr->code.flags && fakesbi.lcofi;
}

static bool skip_needs_used(void)
{
	return ask(CONFIG, 3, 1, SPEC_CFG_SKIP_MATCH, RAW, 1).error == SPEC_ERR_FAILED;
}

static void give_memory(void)
{
	fakesbi_memory(0, &page, sizeof(page));
	ask(SPEC_FID_SNAPSHOT_SHMEM, 0, 0, 0, 0, 0);
}

static bool overflow_sticks(void)
{
	give_memory();
	page.overflow = 1;
	run(3, RAW, 1);
	ask(STOP, 3, 1, SPEC_STOP_SNAPSHOT, 0, 0);
	return page.overflow;
}

static bool fw_shared(void)
{
	run(11, FW, 0);
	config(12, 0, FW, 0);
	return ask(START, 12, 1, 0, 0, 0).error && !ask(STOP, 12, 1, 0, 0, 0).value &&
	       !fakesbi.ctr[11].running;
}

static bool info_any_platform(void)
{
	return event_info(FW + SPEC_FW_PLATFORM, false) == 1;
}

static bool no_platform(void)
{
	return !config(11, 0, FW + SPEC_FW_PLATFORM, 5)->configured;
}

static bool unused_unreadable(void)
{
	u64 value;

	return fakesbi_read_csr(SPEC_CSR_CYCLE + 3, &value) &&
	       ask(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).error;
}

static bool unused_rubbish(void)
{
	return !ask(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).error &&
	       ask(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).value !=
	       ask(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).value;
}

static bool unused_skipped(void)
{
	give_memory();
	page.value[0] = 77;
	return !ask(STOP, 3, 1, SPEC_STOP_SNAPSHOT, 0, 0).error &&
	       !ask(START, 3, 1, 0, 0, 0).error && page.value[0] == 77;
}

static bool saves_up_to_error(void)
{
	give_memory();
	page.value[1] = 0;
	config(3, 0, RAW, 1);
	run(4, RAW, 2)->value = 5;
	ask(STOP, 3, 3, SPEC_STOP_SNAPSHOT, 0, 0);
	return !page.value[1];
}

static bool saves_all(void)
{
	give_memory();
	run(3, RAW, 1);
	page.value[7] = 0;
	ask(STOP, 3, 1, 0, 0, 0);
	ask(START, 3, 1, SPEC_START_SNAPSHOT, 0, 0);
	page.value[7] = 1;
	ask(STOP, 3, 1, SPEC_STOP_SNAPSHOT, 0, 0);
	return !page.value[7];
}

static bool lent_is_cleared(void)
{
	page.value[5] = 1;
	give_memory();
	return !page.value[5];
}

static bool none_countable(const struct sbi_pmu_event_code *code)
{
	return code->idx != RAW;
}

static bool uncountable_stops(void)
{
	fakesbi.countable = none_countable;
	config(3, 0, RAW, 1);
	run(4, RAW_V2, 2);
	ask(START, 3, 1, 0, 0, 0);
	fakesbi_run(1);
	return !fakesbi.ctr[4].value;
}

static bool sums(void)
{
	u64 value;

	give_memory();
	run(3, RAW, 1);
	ask(STOP, 3, 1, 0, 0, 0);
	ask(START, 3, 1, SPEC_START_SNAPSHOT, 0, 0);
	fakesbi_run(1);
	fakesbi_read_csr(SPEC_CSR_CYCLE + 3, &value);
	fakesbi_read_csr(SPEC_CSR_CYCLE + 3, &value);
	return value == 2 * fakesbi.ctr[3].value;
}

static bool time_is_counter(void)
{
	return ask(INFO, 1, 0, 0, 0, 0).value == (63 << 12 | SPEC_CSR_TIME) &&
	       ask(NUM, 0, 0, 0, 0, 0).value == 15;
}

static bool width_64_always(void)
{
	fakesbi_add(20, SPEC_CSR_CYCLE + 20, 40);
	return FIELD_GET(SPEC_INFO_WIDTH, ask(INFO, 20, 0, 0, 0, 0).value) == 63;
}

static bool abort_at_already(void)
{
	config(3, 0, RAW, 1);
	run(4, RAW, 2);
	return ask(STOP, 3, 3, SPEC_STOP_RESET, 0, 0).error && fakesbi.ctr[3].configured &&
	       fakesbi.ctr[4].running;
}

static bool no_filter(void)
{
	return !config(3, SPEC_CFG_UINH, RAW, 1)->code.flags;
}

static bool skip_fixed_invalid(void)
{
	return ask(CONFIG, 0, 1, SPEC_CFG_SKIP_MATCH, SPEC_GENERAL_CYCLES, 0).error ==
	       SPEC_ERR_INVALID_PARAM;
}

static bool tied(void)
{
	run(3, RAW, 1);
	run(4, RAW, 1);
	fakesbi_run(3);
	return !fakesbi.ctr[4].value && fakesbi.ctr[3].value;
}

static bool junk_info(void)
{
	return ask(INFO, 3, 0, 0, 0, 0).value & ~(SPEC_INFO_CSR | SPEC_INFO_WIDTH);
}

static bool junk_output(void)
{
	return event_info(SPEC_GENERAL_CYCLES, true) > 1;
}

static bool junk_read_hi(void)
{
	fakesbi.ctr[11].value = 0;
	return ask(SPEC_FID_FW_READ_HI, 11, 0, 0, 0, 0).value;
}

#define SHOWS(name, shows) { QUIRK_##name, #name, shows }

const struct quirk_row quirk_rows[FAKESBI_QUIRKS] = {
	SHOWS(START_RUNNING_DEAFENS, start_running_deafens),
	SHOWS(PENDING_KEEPS_OF, pending_keeps_of),
	SHOWS(INFO_DENIES, info_denies),
	SHOWS(INFO_ANY_RAW, info_any_raw),
	SHOWS(CACHE_RAW_FLAGS, cache_raw_flags),
	SHOWS(FIXED_FALLBACK, fixed_fallback),
	SHOWS(CONFIGURED_IS_TAKEN, configured_is_taken),
	SHOWS(RAW_ZERO_FAILS, raw_zero_fails),
	SHOWS(EMPTY_MASK_TAKEN, empty_mask_taken),
	SHOWS(FIRST_HOLDER_ONLY, first_holder_only),
	SHOWS(FW_NEVER_ALREADY, fw_never_already),
	SHOWS(LATE_VALUE, late_value),
	SHOWS(GAP_TRAPS, gap_traps),
	SHOWS(SKIP_WRONG_INDEX, skip_wrong_index),
	SHOWS(RESET_CLEARS_FIXED, reset_clears_fixed),
	SHOWS(INFO_PAST_END, info_past_end),
	SHOWS(LAST_STATUS, last_status),
	SHOWS(SUSPEND_LOSES_EVENTS, suspend_loses_events),
	SHOWS(SUSPEND_LOSES_VALUES, suspend_loses_values),
	SHOWS(HIGHEST_FIRST, highest_first),
	SHOWS(FIRST_ROW_ONLY, first_row_only),
	SHOWS(GAPS_COUNTED, gaps_counted),
	SHOWS(NO_FW_READ_HI, no_fw_read_hi),
	SHOWS(NO_SNAPSHOT, no_snapshot),
	SHOWS(NO_EVENT_INFO, no_event_info),
	SHOWS(NO_RAW_V2, no_raw_v2),
	SHOWS(FIXED_ALWAYS, fixed_always),
	SHOWS(FIXED_ALIKE, fixed_alike),
	SHOWS(SKIP_NEEDS_USED, skip_needs_used),
	SHOWS(OVERFLOW_STICKS, overflow_sticks),
	SHOWS(FW_SHARED, fw_shared),
	SHOWS(INFO_ANY_PLATFORM, info_any_platform),
	SHOWS(NO_PLATFORM, no_platform),
	SHOWS(UNUSED_UNREADABLE, unused_unreadable),
	SHOWS(UNUSED_RUBBISH, unused_rubbish),
	SHOWS(UNUSED_SKIPPED, unused_skipped),
	SHOWS(SAVES_UP_TO_ERROR, saves_up_to_error),
	SHOWS(SAVES_ALL, saves_all),
	SHOWS(LENT_IS_CLEARED, lent_is_cleared),
	SHOWS(UNCOUNTABLE_STOPS, uncountable_stops),
	SHOWS(SUMS, sums),
	SHOWS(TIME_IS_COUNTER, time_is_counter),
	SHOWS(WIDTH_64_ALWAYS, width_64_always),
	SHOWS(ABORT_AT_ALREADY, abort_at_already),
	SHOWS(NO_FILTER, no_filter),
	SHOWS(SKIP_FIXED_INVALID, skip_fixed_invalid),
	SHOWS(TIED, tied),
	SHOWS(JUNK_INFO, junk_info),
	SHOWS(JUNK_OUTPUT, junk_output),
	SHOWS(JUNK_READ_HI, junk_read_hi),
};
