// SPDX-License-Identifier: GPL-2.0-only
/*
 * quirk_checks: for each quirk, calls to which the specification requires one result and the
 * quirk returns another. A check returns true if the result is that of the quirk.
 *
 * The model has hpmcounter3-10 on 3 to 10 and firmware counters on 11 to 14.
 */
#include "quirk_checks.h"

#define NUM		SPEC_FID_NUM_COUNTERS
#define INFO		SPEC_FID_COUNTER_INFO
#define CONFIG		SPEC_FID_CONFIG_MATCHING
#define START		SPEC_FID_START
#define STOP		SPEC_FID_STOP

static struct spec_snapshot page;

static struct sbiret call(unsigned int fid, unsigned long a, unsigned long b, unsigned long c,
			  unsigned long d, unsigned long e)
{
	const unsigned long arg[SBI_PMU_ARGS] = { a, b, c, d, e };

	return fakesbi_call(fid, arg);
}

static struct fakesbi_ctr *config(unsigned int idx, unsigned long flags, unsigned long event,
				  unsigned long data)
{
	call(CONFIG, idx, 1, flags, event, data);
	return &fakesbi.ctr[idx];
}

static struct fakesbi_ctr *config_start(unsigned int idx, unsigned long event, unsigned long data)
{
	struct fakesbi_ctr *ctr = config(idx, SPEC_CFG_CLEAR_VALUE, event, data);

	call(START, idx, 1, 0, 0, 0);
	return ctr;
}

static bool none_can(const struct sbi_pmu_event_code *code, unsigned int idx)
{
	(void)code;
	(void)idx;
	return false;
}

static bool start_running_deafens(void)
{
	struct fakesbi_ctr *ctr = config_start(3, RAW, 1);

	call(START, 3, 1, 0, 0, 0);
	ctr->value = ~0ULL;
	fakesbi_run(1);
	return !fakesbi.lcofi;
}

static bool pending_keeps_of(void)
{
	struct fakesbi_ctr *ctr = config_start(3, RAW, 1);

	ctr->value = ~0ULL;
	fakesbi_run(1);
	call(STOP, 3, 1, 0, 0, 0);
	call(START, 3, 1, SPEC_START_SET_INIT, 0, 0);
	return ctr->overflown;
}

static bool cache_raw_flags(void)
{
	return !config(3, SPEC_CFG_AUTO_START, RAW, 1)->running;
}

static bool fixed_fallback(void)
{
	fakesbi.can = none_can;
	return !call(CONFIG, 3, 1, 0, SPEC_GENERAL_CYCLES, 0).error &&
	       !call(CONFIG, 3, 1, 0, SPEC_GENERAL_CYCLES, 0).error && fakesbi.ctr[0].configured;
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
	return !call(CONFIG, 3, 0, 0, RAW, 1).error;
}

static bool first_holder_only(void)
{
	config_start(11, FW, 0);
	config_start(12, FW, 0);
	config_start(3, RAW, 1);
	config_start(4, RAW, 1);
	fakesbi_run(3);
	return !fakesbi.ctr[12].value && fakesbi.ctr[4].value;
}

static bool fw_never_already(void)
{
	config_start(11, FW, 0);
	return !call(START, 11, 1, 0, 0, 0).error && call(STOP, 3, 1, 0, 0, 0).error;
}

static bool late_value(void)
{
	config(3, 0, RAW, 1)->value = ~0ULL;
	call(START, 3, 1, SPEC_START_SET_INIT, 5, 0);
	return fakesbi.lcofi && fakesbi.ctr[3].value == 5;
}

static bool gap_traps(void)
{
	u64 value;

	return fakesbi_read_csr(SPEC_CSR_CYCLE + 4, &value) &&
	       !fakesbi_read_csr(SPEC_CSR_CYCLE + 5, &value);
}

static bool reset_clears_fixed(void)
{
	config(0, 0, SPEC_GENERAL_CYCLES, 0)->value = 99;
	call(STOP, 0, 1, SPEC_STOP_RESET, 0, 0);
	return !fakesbi.ctr[0].value;
}

static bool info_past_end(void)
{
	return !call(INFO, 15, 0, 0, 0, 0).error && call(INFO, 16, 0, 0, 0, 0).error;
}

static bool last_status(void)
{
	config_start(3, RAW, 1);
	config(4, 0, RAW, 2);
	return !call(START, 3, 3, 0, 0, 0).error;
}

static bool suspend_loses_events(void)
{
	struct fakesbi_ctr *ctr = config_start(3, RAW, 1);

	fakesbi_suspend();
	fakesbi_run(3);
	return !ctr->value && ctr->running;
}

static bool suspend_loses_values(void)
{
	struct fakesbi_ctr *ctr = config_start(3, RAW, 1);

	fakesbi_suspend();
	return ctr->value;
}

static bool highest_first(void)
{
	return call(CONFIG, 3, 0xff, 0, RAW, 1).value == 10;
}

static bool first_row_only(void)
{
	return !config(7, 0, RAW, 1)->configured && config(6, 0, RAW, 1)->configured;
}

static bool fixed_withheld(void)
{
	fakesbi_run(3);
	return call(CONFIG, 0, 5, 0, SPEC_GENERAL_CYCLES, 0).error == SPEC_ERR_NOT_SUPPORTED &&
	       fakesbi.ctr[0].value && call(START, 0, 1, 0, 0, 0).error == SPEC_ERR_ALREADY_STARTED;
}

static bool gaps_counted(void)
{
	return call(NUM, 0, 0, 0, 0, 0).value == 15 && call(INFO, 1, 0, 0, 0, 0).error;
}

static bool no_snapshot(void)
{
	fakesbi_memory(0, &page, sizeof(page));
	return call(SPEC_FID_SNAPSHOT_SHMEM, 0, 0, 0, 0, 0).error == SPEC_ERR_NOT_SUPPORTED;
}

static bool no_raw_v2(void)
{
	return call(CONFIG, 3, 1, 0, RAW_V2, 1).error == SPEC_ERR_INVALID_PARAM;
}

static bool fixed_always(void)
{
	config_start(0, SPEC_GENERAL_CYCLES, 0);
	return !call(CONFIG, 3, 1, 0, SPEC_GENERAL_CYCLES, 0).value && !fakesbi.ctr[0].running;
}

static bool fixed_alike(void)
{
	struct fakesbi_ctr *ctr = config(0, SPEC_CFG_UINH, SPEC_GENERAL_CYCLES, 0);

	call(START, 0, 1, 0, 0, 0);
	ctr->value = -1;
	fakesbi_run(1);
	return ctr->code.flags && fakesbi.lcofi;
}

static void set_shmem(void)
{
	fakesbi_memory(0, &page, sizeof(page));
	call(SPEC_FID_SNAPSHOT_SHMEM, 0, 0, 0, 0, 0);
}

static bool overflow_sticks(void)
{
	set_shmem();
	page.overflow = 1;
	config_start(3, RAW, 1);
	call(STOP, 3, 1, SPEC_STOP_SNAPSHOT, 0, 0);
	return page.overflow;
}

static bool fw_shared(void)
{
	config_start(11, FW, 0);
	config(12, 0, FW, 0);
	return call(START, 12, 1, 0, 0, 0).error && !call(STOP, 12, 1, 0, 0, 0).value &&
	       !fakesbi.ctr[11].running;
}

static bool no_platform(void)
{
	return !config(11, 0, FW + SPEC_FW_PLATFORM, 5)->configured;
}

static bool unused_unreadable(void)
{
	u64 value;

	return fakesbi_read_csr(SPEC_CSR_CYCLE + 3, &value) &&
	       call(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).error;
}

static bool unused_rubbish(void)
{
	return !call(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).error &&
	       call(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).value !=
		       call(SPEC_FID_FW_READ, 11, 0, 0, 0, 0).value;
}

static bool unused_skipped(void)
{
	set_shmem();
	page.value[0] = 77;
	return !call(STOP, 3, 1, SPEC_STOP_SNAPSHOT, 0, 0).error &&
	       !call(START, 3, 1, 0, 0, 0).error && page.value[0] == 77;
}

static bool saves_up_to_error(void)
{
	set_shmem();
	page.value[1] = 0;
	config(3, 0, RAW, 1);
	config_start(4, RAW, 2)->value = 5;
	call(STOP, 3, 3, SPEC_STOP_SNAPSHOT, 0, 0);
	return !page.value[1];
}

static bool saves_all(void)
{
	set_shmem();
	config_start(3, RAW, 1);
	page.value[7] = 0;
	call(STOP, 3, 1, 0, 0, 0);
	call(START, 3, 1, SPEC_START_SNAPSHOT, 0, 0);
	page.value[7] = 1;
	call(STOP, 3, 1, SPEC_STOP_SNAPSHOT, 0, 0);
	return !page.value[7];
}

static bool lent_is_cleared(void)
{
	page.value[5] = 1;
	set_shmem();
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
	config_start(4, RAW_V2, 2);
	call(START, 3, 1, 0, 0, 0);
	fakesbi_run(1);
	return !fakesbi.ctr[4].value;
}

static bool sums(void)
{
	u64 value;

	set_shmem();
	config_start(3, RAW, 1);
	call(STOP, 3, 1, 0, 0, 0);
	call(START, 3, 1, SPEC_START_SNAPSHOT, 0, 0);
	fakesbi_run(1);
	fakesbi_read_csr(SPEC_CSR_CYCLE + 3, &value);
	fakesbi_read_csr(SPEC_CSR_CYCLE + 3, &value);
	return value == 2 * fakesbi.ctr[3].value;
}

static bool time_is_counter(void)
{
	return call(INFO, 1, 0, 0, 0, 0).value == (63 << 12 | SPEC_CSR_TIME) &&
	       call(NUM, 0, 0, 0, 0, 0).value == 15;
}

static bool width_64_always(void)
{
	fakesbi_add(20, SPEC_CSR_CYCLE + 20, 40);
	return FIELD_GET(SPEC_INFO_WIDTH, call(INFO, 20, 0, 0, 0, 0).value) == 63;
}

static bool abort_at_already(void)
{
	config(3, 0, RAW, 1);
	config_start(4, RAW, 2);
	return call(STOP, 3, 3, SPEC_STOP_RESET, 0, 0).error && fakesbi.ctr[3].configured &&
	       fakesbi.ctr[4].running;
}

static bool no_filter(void)
{
	return !config(3, SPEC_CFG_UINH, RAW, 1)->code.flags;
}

static bool tied(void)
{
	config_start(3, RAW, 1);
	config_start(4, RAW, 1);
	fakesbi_run(3);
	return !fakesbi.ctr[4].value && fakesbi.ctr[3].value;
}

static bool junk_info(void)
{
	return call(INFO, 3, 0, 0, 0, 0).value & ~(SPEC_INFO_CSR | SPEC_INFO_WIDTH);
}

#define CHECK(name, is_present) { QUIRK_##name, #is_present, is_present }

const struct quirk_check quirk_checks[FAKESBI_QUIRKS] = {
	CHECK(START_RUNNING_LOSES_IRQ, start_running_deafens),
	CHECK(PENDING_KEEPS_OF, pending_keeps_of),
	CHECK(CACHE_RAW_FLAGS, cache_raw_flags),
	CHECK(FIXED_FALLBACK, fixed_fallback),
	CHECK(CONFIGURED_IS_TAKEN, configured_is_taken),
	CHECK(RAW_ZERO_FAILS, raw_zero_fails),
	CHECK(EMPTY_MASK_TAKEN, empty_mask_taken),
	CHECK(FIRST_HOLDER_ONLY, first_holder_only),
	CHECK(FW_NEVER_ALREADY, fw_never_already),
	CHECK(LATE_VALUE, late_value),
	CHECK(GAP_TRAPS, gap_traps),
	CHECK(RESET_CLEARS_FIXED, reset_clears_fixed),
	CHECK(INFO_PAST_END, info_past_end),
	CHECK(LAST_STATUS, last_status),
	CHECK(SUSPEND_LOSES_EVENTS, suspend_loses_events),
	CHECK(SUSPEND_LOSES_VALUES, suspend_loses_values),
	CHECK(HIGHEST_FIRST, highest_first),
	CHECK(FIRST_ROW_ONLY, first_row_only),
	CHECK(FIXED_WITHHELD, fixed_withheld),
	CHECK(GAPS_COUNTED, gaps_counted),
	CHECK(NO_SNAPSHOT, no_snapshot),
	CHECK(NO_RAW_V2, no_raw_v2),
	CHECK(FIXED_ALWAYS, fixed_always),
	CHECK(FIXED_HOMOGENEOUS, fixed_alike),
	CHECK(OVERFLOW_STICKS, overflow_sticks),
	CHECK(FW_SHARED, fw_shared),
	CHECK(NO_PLATFORM, no_platform),
	CHECK(UNUSED_UNREADABLE, unused_unreadable),
	CHECK(UNUSED_READS_RANDOM, unused_rubbish),
	CHECK(UNUSED_SKIPPED, unused_skipped),
	CHECK(SAVES_UP_TO_ERROR, saves_up_to_error),
	CHECK(SAVES_ALL, saves_all),
	CHECK(SHMEM_IS_CLEARED, lent_is_cleared),
	CHECK(UNCOUNTABLE_STOPS, uncountable_stops),
	CHECK(READS_ACCUMULATE, sums),
	CHECK(TIME_IS_COUNTER, time_is_counter),
	CHECK(WIDTH_64_ALWAYS, width_64_always),
	CHECK(ABORT_AT_ALREADY, abort_at_already),
	CHECK(NO_FILTER, no_filter),
	CHECK(TIED, tied),
	CHECK(JUNK_INFO, junk_info),
};
