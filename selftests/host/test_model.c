// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_model: the firmware model returns what chapter 11 of the SBI specification 3.0 says.
 * Tables of calls, in order, and their results.
 */
#include "test.h"

#define NUM		SPEC_FID_NUM_COUNTERS
#define INFO		SPEC_FID_COUNTER_INFO
#define CONFIG		SPEC_FID_CONFIG_MATCHING
#define START		SPEC_FID_START
#define STOP		SPEC_FID_STOP
#define READ		SPEC_FID_FW_READ
#define READ_HI		SPEC_FID_FW_READ_HI
#define SHMEM		SPEC_FID_SNAPSHOT_SHMEM
#define EVENTS		SPEC_FID_EVENT_INFO

#define OK		SPEC_OK
#define UNSUPPORTED	SPEC_ERR_NOT_SUPPORTED
#define INVALID		SPEC_ERR_INVALID_PARAM
#define ADDRESS		SPEC_ERR_INVALID_ADDRESS
#define STARTED		SPEC_ERR_ALREADY_STARTED
#define STOPPED		SPEC_ERR_ALREADY_STOPPED
#define NO_SHMEM	SPEC_ERR_NO_SHMEM

#define SKIP		SPEC_CFG_SKIP_MATCH
#define CLEAR		SPEC_CFG_CLEAR_VALUE
#define AUTO		SPEC_CFG_AUTO_START
#define SET		SPEC_START_SET_INIT
#define RESET		SPEC_STOP_RESET
#define ALL_ONES	(~0ULL)
#define HW		0x1fdULL	/* cycle, instret, hpmcounter3-8 */
#define FIRMWARE	0xe00ULL	/* 9 to 11 */

/* A call with arguments of 64 bits; @value is compared if @error is 0. */
struct request {
	const char *name;
	unsigned int fid;
	u64 arg[5];
	long error;
	u64 value;
};

/* The argument of a function that is wider than a register on RV32. */
static int wide_arg(unsigned int fid)
{
	switch (fid) {
	case CONFIG:
		return 4;
	case START:
		return 3;
	case SHMEM:
		return 0;
	default:
		return -1;
	}
}

static struct sbiret ask(unsigned int fid, const u64 from[5])
{
	const int wide = wide_arg(fid);
	unsigned long arg[SBI_PMU_ARGS] = {};
	unsigned int n = 0;

	for (int i = 0; i < 5 && n < SBI_PMU_ARGS; i++) {
		arg[n++] = from[i];
		if (i != wide)
			continue;
		/* The upper half of an address is 0 on RV64. */
		if (wide == 0)
			arg[n++] = from[i] == ALL_ONES ? ALL_ONES : 0;
	}
	return fakesbi_call(fid, arg);
}

static void ask_all(const struct request *r, unsigned int n)
{
	for (; n; n--, r++) {
		struct sbiret ret = ask(r->fid, r->arg);

		if (ret.error != r->error)
			note("%s: error %ld, value %#llx", r->name, ret.error,
			     (unsigned long long)ret.value);
		check(ret.error == r->error && (ret.error || (u64)ret.value == r->value),
		      "model.%s", r->name);
	}
}

#define ASK(requests)	ask_all(requests, ARRAY_SIZE(requests))
#define ASK1(fid, ...)	ask(fid, (const u64 [5]) { __VA_ARGS__ })

static void test_info(void)
{
	const struct request requests[] = {
		{ "num_counters", NUM, {}, OK, 11 },
		{ "info_of_cycle", INFO, { 0 }, OK, 63 << 12 | 0xc00 },
		{ "info_of_gap", INFO, { 1 }, INVALID, 0 },
		{ "info_of_instret", INFO, { 2 }, OK, 63 << 12 | 0xc02 },
		{ "info_of_hpmcounter8", INFO, { 8 }, OK, 47 << 12 | 0xc08 },
		{ "info_of_firmware_counter", INFO, { 9 }, OK, 1ULL << 63 },
		{ "info_past_last", INFO, { 12 }, INVALID, 0 },
		{ "info_far_past_last", INFO, { ALL_ONES }, INVALID, 0 },
		{ "function_9_not_supported", 9, {}, UNSUPPORTED, 0 },
		{ "last_function_not_supported", ~0U, {}, UNSUPPORTED, 0 },
	};

	fakesbi_reset(6, 3, 48);
	ASK(requests);
	check(!fakesbi.broken, "model.info_breaks_no_rule");
}

static void test_config_sets(void)
{
	static const struct request requests[] = {
		{ "config_empty_mask", CONFIG, { 0, 0, 0, 1 }, INVALID, 0 },
		{ "config_gap_in_mask", CONFIG, { 0, HW | 2, 0, 1 }, INVALID, 0 },
		{ "config_mask_past_last", CONFIG, { 0, HW | 1 << 12, 0, 1 }, INVALID, 0 },
		{ "config_base_past_last", CONFIG, { 12, 1, 0, 1 }, INVALID, 0 },
		{ "config_base_all_ones", CONFIG, { ALL_ONES, 1, 0, 1 }, INVALID, 0 },
		{ "config_base_wraps_to_0", CONFIG, { ALL_ONES, 2, 0, 1 }, INVALID, 0 },
		{ "config_base_wraps_to_2", CONFIG, { ALL_ONES, 8, 0, 1 }, INVALID, 0 },
		{ "config_first_reserved_flag", CONFIG, { 0, HW, 0x100, 1 }, INVALID, 0 },
		{ "config_last_reserved_flag", CONFIG, { 0, HW, 1ULL << 63, 1 }, INVALID, 0 },
		{ "config_cycles_on_cycle", CONFIG, { 0, HW, 0, 1 }, OK, 0 },
		{ "config_instructions_on_instret", CONFIG, { 0, 0x1fc, 0, 2 }, OK, 2 },
		{ "config_instructions_on_hpm", CONFIG, { 0, 0x1f0, 0, 2 }, OK, 4 },
		{ "config_mask_from_base", CONFIG, { 3, 4, 0, RAW, 5 }, OK, 5 },
		{ "config_stopped_counter_is_free", CONFIG, { 3, 4, 0, RAW, 6 }, OK, 5 },
		{ "config_auto_start", CONFIG, { 5, 1, AUTO, RAW, 6 }, OK, 5 },
		{ "config_running_is_not_free", CONFIG, { 5, 1, 0, RAW, 6 }, UNSUPPORTED, 0 },
		{ "config_next_free_counter", CONFIG, { 5, 3, 0, RAW, 6 }, OK, 6 },
		{ "config_firmware_event", CONFIG, { 0, FIRMWARE, 0, FW + 1 }, OK, 9 },
		{ "config_firmware_on_hardware", CONFIG, { 0, HW, 0, FW + 1 }, UNSUPPORTED, 0 },
		{ "config_hardware_on_firmware", CONFIG, { 0, FIRMWARE, 0, 1 }, UNSUPPORTED, 0 },
		{ "config_all_filters", CONFIG, { 7, 1, 0xf8, RAW, 6 }, OK, 7 },
		{ "config_second_window", CONFIG, { 64, 1 << 6, 0, FW + 1 }, OK, 70 },
	};

	fakesbi_reset(6, 3, 48);
	fakesbi_add_firmware(70);
	ASK(requests);
	check(fakesbi.ctr[5].running && fakesbi.ctr[6].configured && !fakesbi.ctr[6].running &&
		      fakesbi.ctr[7].code.flags == 0xf8 && !fakesbi.ctr[3].configured,
	      "model.config_changes_matched_counters_only");
	check(fakesbi.broken == 9, "model.config_mistakes_are_reported");
}

static void test_config_events(void)
{
	static const struct request requests[] = {
		{ "event_0", CONFIG, { 3, 1, 0, 0 }, UNSUPPORTED, 0 },
		{ "event_last_general", CONFIG, { 3, 1, 0, 10 }, OK, 3 },
		{ "event_past_last_general", CONFIG, { 3, 1, 0, 11 }, UNSUPPORTED, 0 },
		{ "event_general_with_data", CONFIG, { 3, 1, 0, 3, 1 }, UNSUPPORTED, 0 },
		{ "event_last_cache", CONFIG, { 3, 1, 0, 0x10035 }, OK, 3 },
		{ "event_cache_op_past_last", CONFIG, { 3, 1, 0, 0x10036 }, UNSUPPORTED, 0 },
		{ "event_cache_id_past_last", CONFIG, { 3, 1, 0, 0x10038 }, UNSUPPORTED, 0 },
		{ "cache_with_data", CONFIG, { 3, 1, 0, 0x10000, 1ULL << 40 }, UNSUPPORTED, 0 },
		{ "event_raw_0", CONFIG, { 3, 1, 0, RAW }, OK, 3 },
		{ "event_raw_48_bits", CONFIG, { 3, 1, 0, RAW, 1ULL << 47 }, OK, 3 },
		{ "event_raw_49_bits", CONFIG, { 3, 1, 0, RAW, 1ULL << 48 }, UNSUPPORTED, 0 },
		{ "event_raw_with_code", CONFIG, { 3, 1, 0, RAW + 1 }, UNSUPPORTED, 0 },
		{ "event_raw_v2_56_bits", CONFIG, { 3, 1, 0, RAW_V2, 1ULL << 55 }, OK, 3 },
		{ "event_raw_v2_57_bits", CONFIG, { 3, 1, 0, RAW_V2, 1ULL << 56 }, UNSUPPORTED, 0 },
		{ "event_raw_v2_with_code", CONFIG, { 3, 1, 0, RAW_V2 + 1 }, UNSUPPORTED, 0 },
		{ "event_reserved_type", CONFIG, { 3, 1, 0, 0x40000 }, UNSUPPORTED, 0 },
		{ "event_reserved_bit_20", CONFIG, { 3, 1, 0, 0x100001 }, UNSUPPORTED, 0 },
		{ "event_firmware_last_standard", CONFIG, { 9, 1, 0, FW + 21 }, OK, 9 },
		{ "event_firmware_first_reserved", CONFIG, { 9, 1, 0, FW + 22 }, UNSUPPORTED, 0 },
		{ "event_firmware_last_reserved", CONFIG, { 9, 1, 0, FW + 255 }, UNSUPPORTED, 0 },
		{ "event_firmware_implementation", CONFIG, { 9, 1, 0, FW + 256 }, OK, 9 },
		{ "event_firmware_with_data", CONFIG, { 9, 1, 0, FW + 256, 1 }, UNSUPPORTED, 0 },
		{ "event_firmware_platform", CONFIG, { 9, 1, 0, FW + 65535, ALL_ONES }, OK, 9 },
	};

	fakesbi_reset(6, 3, 48);
	ASK(requests);
	check(fakesbi.ctr[9].code.data == ALL_ONES && fakesbi.ctr[3].code.data == 1ULL << 55 &&
		      fakesbi.ctr[3].code.idx == RAW_V2,
	      "model.config_saves_all_data");
	check(!fakesbi.broken, "model.unsupported_event_breaks_no_rule");
}

static void test_config_flags(void)
{
	static const struct request requests[] = {
		{ "config_clear_value", CONFIG, { 3, 1, CLEAR, RAW, 1 }, OK, 3 },
		{ "config_auto_start_alone", CONFIG, { 4, 1, AUTO, RAW, 2 }, OK, 4 },
		{ "config_clear_and_auto_start", CONFIG, { 5, 1, CLEAR | AUTO, RAW, 3 }, OK, 5 },
		{ "config_skip_match_is_not_used", CONFIG, { 6, 1, SKIP, RAW, 9 }, INVALID, 0 },
	};

	fakesbi_reset(6, 3, 48);
	for (unsigned int i = 3; i < 9; i++)
		fakesbi.ctr[i].value = 7777;
	ASK(requests);
	check(fakesbi.ctr[3].value == 0 && !fakesbi.ctr[3].running && fakesbi.ctr[3].code.data == 1,
	      "model.config_clear_value_sets_0");
	check(fakesbi.ctr[4].running && fakesbi.ctr[5].running && !fakesbi.ctr[5].value,
	      "model.config_auto_start_runs");
	check(fakesbi.broken == 1, "model.config_skip_match_is_reported");
	fakesbi.quirks = QUIRK(FIXED_FALLBACK);
	ASK1(CONFIG, 0, 1, AUTO, SPEC_GENERAL_CYCLES);
	ASK1(CONFIG, 9, 1, 0, SPEC_GENERAL_CYCLES);
	check(fakesbi.broken == 2, "model.config_of_running_counter_is_reported");
}

static void test_start_stop(void)
{
	static const struct request requests[] = {
		{ "start_without_event", START, { 6, 1 }, INVALID, 0 },
		{ "start_empty_mask", START, { 3, 0 }, INVALID, 0 },
		{ "start_gap", START, { 0, 2 }, INVALID, 0 },
		{ "start_gap_in_mask", START, { 1, 5 }, INVALID, 0 },
		{ "start_first_reserved_flag", START, { 3, 1, 4 }, INVALID, 0 },
		{ "start_last_reserved_flag", START, { 3, 1, 1ULL << 63 }, INVALID, 0 },
		{ "start_value_and_snapshot", START, { 3, 1, 3 }, INVALID, 0 },
		{ "start_snapshot_without_memory", START, { 3, 1, 2 }, NO_SHMEM, 0 },
		{ "start_one", START, { 3, 1 }, OK, 0 },
		{ "start_again", START, { 3, 1 }, STARTED, 0 },
		{ "start_two_one_running", START, { 3, 3 }, STARTED, 0 },
		{ "start_from_value", START, { 5, 1, SET, 0x123456789abcULL }, OK, 0 },
		{ "stop_empty_mask", STOP, { 3, 0 }, INVALID, 0 },
		{ "stop_gap", STOP, { 0, 2 }, INVALID, 0 },
		{ "stop_gap_in_mask", STOP, { 1, 5 }, INVALID, 0 },
		{ "stop_reserved_flag", STOP, { 3, 1, 4 }, INVALID, 0 },
		{ "stop_snapshot_without_memory", STOP, { 3, 1, 2 }, NO_SHMEM, 0 },
		{ "stop_one", STOP, { 3, 1 }, OK, 0 },
		{ "stop_again", STOP, { 3, 1 }, STOPPED, 0 },
		{ "stop_two_one_stopped", STOP, { 3, 3 }, STOPPED, 0 },
		{ "start_two", START, { 3, 3 }, OK, 0 },
		{ "stop_and_reset", STOP, { 3, 7, RESET }, OK, 0 },
		{ "start_after_reset", START, { 3, 1 }, INVALID, 0 },
		{ "stop_and_reset_stopped_counter", STOP, { 9, 1, RESET }, STOPPED, 0 },
	};

	fakesbi_reset(6, 3, 48);
	for (u64 i = 3; i < 6; i++)
		ASK1(CONFIG, i, 1, CLEAR, RAW, i);
	ASK1(CONFIG, 9, 1, CLEAR, FW + 1);
	ask_all(requests, 12);
	check(fakesbi.ctr[3].running && fakesbi.ctr[4].running && fakesbi.ctr[5].running &&
		      !fakesbi.ctr[6].running && !fakesbi.ctr[9].running,
	      "model.start_runs_those_in_mask");
	check(!fakesbi.ctr[3].value && fakesbi.ctr[5].value == 0x123456789abcULL,
	      "model.start_sets_value");
	fakesbi_run(2);
	check(fakesbi.ctr[3].value == 2 * fakesbi_rate(&fakesbi.ctr[3].code) &&
		      !fakesbi.ctr[9].value,
	      "model.running_counter_counts");
	ask_all(requests + 12, 8);
	check(!fakesbi.ctr[3].running && !fakesbi.ctr[4].running && fakesbi.ctr[5].running &&
		      fakesbi.ctr[4].configured,
	      "model.stop_keeps_event");
	ask_all(requests + 20, ARRAY_SIZE(requests) - 20);
	check(is_all_released(), "model.reset_removes_event");
	check(fakesbi.broken == 14, "model.start_stop_mistakes_are_reported");
	ASK1(CONFIG, 3, 1, 0, RAW, 1);
	ASK1(CONFIG, 4, 1, 0, RAW, 2);
	check(!ASK1(START, 3, 3, SET, 5).error && fakesbi.ctr[4].value == 5 && fakesbi.broken == 15,
	      "model.start_of_two_with_value_is_reported");
}

static void test_read(void)
{
	static const struct request requests[] = {
		{ "read_firmware_counter", READ, { 9 }, OK, 0x123456789abcdef0 },
		{ "read_hardware_counter", READ, { 3 }, INVALID, 0 },
		{ "read_gap", READ, { 1 }, INVALID, 0 },
		{ "read_past_end", READ, { ALL_ONES }, INVALID, 0 },
		{ "read_hi_is_not_for_rv64", READ_HI, { 9 }, INVALID, 0 },
		{ "event_info_is_not_relied_on", EVENTS, { 0x1000, 1 }, INVALID, 0 },
	};

	fakesbi_reset(6, 3, 48);
	fakesbi.ctr[9].value = 0x123456789abcdef0ULL;
	ASK(requests);
	check(fakesbi.broken == 5, "model.read_mistakes_are_reported");
}

static struct spec_snapshot pages[2] __attribute__((aligned(4096)));

static void test_snapshot_memory(void)
{
	const u64 at = (unsigned long)pages;
	const struct request requests[] = {
		{ "shmem_flag", SHMEM, { at, 1 }, INVALID, 0 },
		{ "shmem_not_aligned", SHMEM, { at + 2048, 0 }, INVALID, 0 },
		{ "shmem_after_memory", SHMEM, { at + sizeof(pages), 0 }, ADDRESS, 0 },
		{ "shmem_before_memory", SHMEM, { at - 4096, 0 }, ADDRESS, 0 },
		{ "shmem_registers_page", SHMEM, { at, 0 }, OK, 0 },
		{ "shmem_disable", SHMEM, { ALL_ONES, 0 }, OK, 0 },
		{ "shmem_disable_again", SHMEM, { ALL_ONES, 0 }, OK, 0 },
		{ "shmem_disable_with_flag", SHMEM, { ALL_ONES, 1 }, INVALID, 0 },
		{ "shmem_registers_other_page", SHMEM, { at + 4096, 0 }, OK, 0 },
	};
	const unsigned long above[2][SBI_PMU_ARGS] = { { 0, 1 }, { 0, (unsigned long)ALL_ONES } };

	fakesbi_reset(6, 3, 48);
	fakesbi_memory(at, pages, sizeof(pages));
	memset(pages, 0xaa, sizeof(pages));
	ask_all(requests, 5);
	check(fakesbi.shmem == &pages[0], "model.shmem_page_is_used");
	ask_all(requests + 5, 3);
	check(!fakesbi.shmem, "model.shmem_disable_ends_use");
	ask_all(requests + 8, 1);
	check(fakesbi.shmem == &pages[1] && pages[1].overflow == 0xaaaaaaaaaaaaaaaaULL,
	      "model.shmem_page_is_not_written");
	check(fakesbi_call(SHMEM, above[0]).error == ADDRESS &&
		      fakesbi_call(SHMEM, above[1]).error == ADDRESS,
	      "model.shmem_upper_half_of_address");
}

/* Start counters 3 to 5 and firmware counter 9; snapshot calls have base 3. */
static void snapshot_setup(void)
{
	fakesbi_reset(6, 3, 48);
	fakesbi_memory(4096, pages, sizeof(pages));
	memset(pages, 0, sizeof(pages));
	pages[0].value[3] = 4242;
	ASK1(SHMEM, 4096);
	for (u64 i = 3; i < 6; i++)
		ASK1(CONFIG, i, 1, CLEAR | AUTO, RAW, i);
	ASK1(CONFIG, 9, 1, CLEAR | AUTO, FW + 1);
	fakesbi.ctr[4].value = (1ULL << 48) - 1;
	fakesbi_run(1);
}

static void test_snapshot_values(void)
{
	const struct fakesbi_ctr *ctr = fakesbi.ctr;

	snapshot_setup();
	check(ctr[4].overflown && fakesbi.lcofi && fakesbi_overflow(SPEC_CSR_SCOUNTOVF) == BIT(4),
	      "model.overflow_sets_of_and_interrupts");
	check(ASK1(STOP, 3, 0x47, 2).error == OK, "model.stop_with_snapshot");
	check(pages[0].value[0] == ctr[3].value && ctr[3].value &&
		      pages[0].value[1] == ctr[4].value && pages[0].value[2] == ctr[5].value &&
		      pages[0].value[6] == ctr[9].value && ctr[9].value,
	      "model.snapshot_values_relative_to_base");
	check(pages[0].value[3] == 4242, "model.snapshot_keeps_other_values");
	check(pages[0].overflow == BIT(1), "model.snapshot_overflow_relative_to_base");
	pages[0].value[0] = 1000;
	pages[0].value[1] = ~0ULL;
	check(ASK1(START, 3, 3, 2).error == OK && ctr[3].value == 1000 &&
		      ctr[4].value == (1ULL << 48) - 1 && !ctr[4].overflown && ctr[3].running,
	      "model.start_from_snapshot_cut_to_width");
	check(ASK1(STOP, 3, 7, 2 | RESET).error == STOPPED && pages[0].value[2] == ctr[5].value &&
		      !ctr[3].configured,
	      "model.snapshot_saves_stopped_counters_before_reset");
	check(!pages[0].overflow && !fakesbi.broken, "model.snapshot_overflow_is_rewritten");
	check(!pages[0].reserved[0] && !pages[0].reserved[3575] && !pages[1].overflow,
	      "model.snapshot_keeps_rest_of_page");
}

static void test_overflow(void)
{
	snapshot_setup();
	fakesbi.lcofi = false;
	fakesbi.ctr[4].value = (1ULL << 48) - 1;
	fakesbi_run(1);
	check(!fakesbi.lcofi, "model.no_interrupt_while_of_is_set");
	ASK1(STOP, 4, 1);
	ASK1(START, 4, 1, SET, ALL_ONES);
	check(!fakesbi.ctr[4].overflown, "model.start_clears_of");
	fakesbi_run(1);
	check(fakesbi.lcofi && fakesbi.ctr[4].overflown, "model.interrupt_after_of_is_cleared");
	fakesbi.sscofpmf = false;
	ASK1(STOP, 4, 1, RESET);
	ASK1(CONFIG, 4, 1, SPEC_CFG_UINH, RAW, 1);
	ASK1(START, 4, 1, SET, ALL_ONES);
	fakesbi.lcofi = false;
	fakesbi_run(1);
	check(!fakesbi.lcofi && !fakesbi_overflow(SPEC_CSR_SCOUNTOVF) && !fakesbi.ctr[4].code.flags,
	      "model.no_overflow_or_filter_without_sscofpmf");
	check(!fakesbi.broken, "model.overflow_breaks_no_rule");
}

void test_model(void)
{
	test_info();
	test_config_sets();
	test_config_events();
	test_config_flags();
	test_start_stop();
	test_read();
	test_snapshot_memory();
	test_snapshot_values();
	test_overflow();
}
