// SPDX-License-Identifier: GPL-2.0-only
/* test_sbi_calls: arguments of SBI calls, and how their results are used. */
#include "test.h"

/* A raw selector of more than 32 bits */
#define DATA		0x123456789abcUL
/* Address of a page */
#define PAGE		0x180001000UL
#define ALL_ONES	(~0UL)

static struct sbiret scripted;
static unsigned long passed[SBI_PMU_ARGS];

/* Firmware that always returns @scripted, and saves the arguments. */
static struct sbiret script_call(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	(void)fid;
	memcpy(passed, arg, sizeof(passed));
	return scripted;
}

static struct sbi_pmu_sbi script = { .call = script_call };
static struct sbi_pmu_sbi model = { .call = fakesbi_call };

/* Were these the arguments of the last call, and the rest 0? */
#define args_were(...)							\
	(!memcmp(passed, (const unsigned long [SBI_PMU_ARGS]) { __VA_ARGS__ }, sizeof(passed)))

static void test_errno(void)
{
	static const int errors[][2] = {
		{ 0, 0 },          { -1, -EIO },    { -2, -EOPNOTSUPP }, { -3, -EINVAL },
		{ -4, -EPERM },    { -5, -EFAULT }, { -6, -EEXIST },     { -7, -EALREADY },
		{ -8, -EALREADY }, { -9, -ENOMEM }, { -10, -EIO },       { -99, -EIO },
		{ 1, -EIO },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(errors); i++)
		check(sbi_pmu_sbi_errno(errors[i][0]) == errors[i][1], "sbi_calls.errno_of_%s%d",
		      errors[i][0] < 0 ? "minus_" : "", abs(errors[i][0]));
}

static int config(u64 mask, unsigned long answer, unsigned int *got)
{
	const struct sbi_pmu_event_code code = { .idx = RAW, .data = DATA, .flags = 0x28 };

	scripted = (struct sbiret){ 0, answer };
	return sbi_pmu_sbi_config(&script, mask, &code, got);
}

static void test_config(void)
{
	const struct sbi_pmu_event_code none = {};
	unsigned int got = 0;

	check(!config(0x18, 3, &got) && got == 3 && !config(0x18, 4, &got) && got == 4,
	      "sbi_calls.config_takes_offered_counter");
	check(args_were(0, 0x18, 0x28, RAW, DATA), "sbi_calls.config_arguments");
	check(config(0x18, 5, &got) == -EPROTO && got == 5,
	      "sbi_calls.config_refuses_counter_not_offered");
	check(config(0x18, 64 + 3, &got) == -EPROTO && got == SBI_PMU_MAX_COUNTERS &&
		      config(0x18, ALL_ONES, &got) == -EPROTO && got == SBI_PMU_MAX_COUNTERS,
	      "sbi_calls.config_index_past_end_is_no_counter");
	got = 99;
	scripted.error = SPEC_ERR_NOT_SUPPORTED;
	check(sbi_pmu_sbi_config(&script, 1, &none, &got) == -EOPNOTSUPP && got == 99,
	      "sbi_calls.config_error_returns_no_counter");
}

static void test_start_release(void)
{
	scripted = (struct sbiret){};
	check(!sbi_pmu_sbi_start(&script, 34) && args_were(0, BIT_ULL(34)),
	      "sbi_calls.start_arguments");
	check(!sbi_pmu_sbi_release(&script, 63) && args_were(0, BIT_ULL(63), SPEC_STOP_RESET),
	      "sbi_calls.release_arguments");
	scripted.error = SPEC_ERR_ALREADY_STARTED;
	check(!sbi_pmu_sbi_start(&script, 1), "sbi_calls.already_started_is_success");
	scripted.error = SPEC_ERR_ALREADY_STOPPED;
	check(!sbi_pmu_sbi_release(&script, 1), "sbi_calls.already_stopped_is_success");
	scripted.error = SPEC_ERR_FAILED;
	check(sbi_pmu_sbi_start(&script, 1) == -EIO && sbi_pmu_sbi_release(&script, 1) == -EIO,
	      "sbi_calls.failed_is_eio");
	check(script.calls[SBI_EXT_PMU_COUNTER_START] == 3 &&
		      script.calls[SBI_EXT_PMU_COUNTER_STOP] == 3,
	      "sbi_calls.calls_are_counted");
}

static void test_read(void)
{
	unsigned int wrong = 0;
	u64 value = 77;

	fakesbi_reset(0, 2, 64);
	fakesbi.ctr[3].value = 0x123456789abcdef0ULL;
	check(!sbi_pmu_sbi_fw_read(&model, 3, &value) && value == 0x123456789abcdef0ULL,
	      "sbi_calls.fw_read_has_64_bits");
	fakesbi.read_fails = 1;
	value = 77;
	check(sbi_pmu_sbi_fw_read(&model, 3, &value) == -EIO && value == 77,
	      "sbi_calls.fw_read_error_returns_no_value");
	fakesbi.read_fails = 0;

	/* It counts during calls, and carries into the upper half. */
	fakesbi.ctr[3].configured = fakesbi.ctr[3].running = true;
	fakesbi.ctr[3].code.idx = FW;
	fakesbi.ctr[3].value = 0xfffff000ULL;
	fakesbi.call_ticks = 1;
	for (unsigned int i = 0; i < 2000; i++) {
		u64 before = fakesbi.ctr[3].value;

		if (i % 20 == 0)
			before = fakesbi.ctr[3].value |= 0xffffffc0ULL;
		wrong += sbi_pmu_sbi_fw_read(&model, 3, &value) || value < before ||
			 value > fakesbi.ctr[3].value;
	}
	fakesbi.call_ticks = 0;
	note("%u wrong reads of 2000", wrong);
	check(!wrong && fakesbi.ctr[3].value >> 32,
	      "sbi_calls.fw_read_while_counting_is_consistent");
}

static void test_probe_inventory(void)
{
	struct sbi_pmu_probe_limits limits = {};
	struct sbi_pmu_inventory inv;

	memset(limits.width, 64, sizeof(limits.width));
	fakesbi_reset(8, 30, 48);
	fakesbi_add(50, CSR_CYCLE + 3, 48); /* hpmcounter3 again */
	fakesbi_add(51, CSR_CYCLE + 20, 20);
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && hweight64(inv.programmable) == 8 &&
		      hweight64(inv.fixed) == 2 && hweight64(inv.firmware) == 30 && !inv.beyond &&
		      inv.narrow == 1 && inv.info[3].width == 48,
	      "sbi_calls.inventory_past_gaps");
	fakesbi.quirks = QUIRK(GAPS_COUNTED);
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && !inv.beyond &&
		      hweight64(inv.programmable) == 8,
	      "sbi_calls.inventory_if_number_includes_gaps");
	for (unsigned int i = 56; i < 74; i++)
		fakesbi_add_firmware(i);
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && inv.beyond == 10 &&
		      hweight64(inv.firmware) == 38,
	      "sbi_calls.inventory_counts_those_past_end");
	scripted = (struct sbiret){ SPEC_ERR_FAILED, 5 };
	check(sbi_pmu_probe_inventory(&script, &limits, &inv) == -EIO && !inv.programmable,
	      "sbi_calls.inventory_fails_without_number");
	scripted = (struct sbiret){ 0, ALL_ONES };
	check(!sbi_pmu_probe_inventory(&script, &limits, &inv) && inv.beyond == ALL_ONES - 64,
	      "sbi_calls.inventory_ends_at_max_counters");
	fakesbi_reset(8, 0, 64);
	memset(limits.width, 48, sizeof(limits.width));
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && inv.info[3].width == 48 &&
		      inv.info[0].width == 48,
	      "sbi_calls.inventory_width_limit");
}

static void test_set_shmem(void)
{
	static struct spec_snapshot page;

	scripted = (struct sbiret){};
	check(!sbi_pmu_sbi_set_shmem(&script, PAGE) && args_were(PAGE),
	      "sbi_calls.set_shmem_arguments");
	check(!sbi_pmu_sbi_set_shmem(&script, SBI_SHMEM_DISABLE) && args_were(ALL_ONES, ALL_ONES),
	      "sbi_calls.set_shmem_disable_arguments");
	fakesbi_reset(1, 1, 64);
	fakesbi_memory(PAGE, &page, sizeof(page));
	check(!sbi_pmu_sbi_set_shmem(&model, PAGE) && fakesbi.shmem == &page,
	      "sbi_calls.set_shmem_registers_page");
	check(sbi_pmu_sbi_set_shmem(&model, 0x180001004ULL) == -EINVAL &&
		      sbi_pmu_sbi_set_shmem(&model, 0x80001000ULL) == -EFAULT &&
		      fakesbi.shmem == &page,
	      "sbi_calls.set_shmem_refused_keeps_page");
	check(!sbi_pmu_sbi_set_shmem(&model, SBI_SHMEM_DISABLE) && !fakesbi.shmem,
	      "sbi_calls.set_shmem_disable");
	fakesbi.quirks = QUIRK(NO_SNAPSHOT);
	check(sbi_pmu_sbi_set_shmem(&model, PAGE) == -EOPNOTSUPP,
	      "sbi_calls.set_shmem_not_supported");
}

void test_sbi_calls(void)
{
	test_errno();
	test_config();
	test_start_release();
	test_read();
	test_probe_inventory();
	test_set_shmem();
}
