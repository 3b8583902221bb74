// SPDX-License-Identifier: GPL-2.0-only
/* test_sbi_calls: what is said to firmware, and what is made of its answers. */
#include "test.h"

static struct sbiret scripted;
static unsigned long said[SBI_PMU_ARGS];

/* Firmware that always gives the same answer, and remembers the question. */
static struct sbiret script_call(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS])
{
	(void)fid;
	memcpy(said, arg, sizeof(said));
	return scripted;
}

static struct sbi_pmu_sbi script = { .call = script_call };
static struct sbi_pmu_sbi model = { .call = fakesbi_call };

static bool said_was(unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e, unsigned long f)
{
	const unsigned long want[SBI_PMU_ARGS] = { a, b, c, d, e, f };

	return !memcmp(said, want, sizeof(want));
}

static void test_errno(void)
{
	static const int errors[][2] = {
		{ 0, 0 }, { -1, -EIO }, { -2, -EOPNOTSUPP }, { -3, -EINVAL }, { -4, -EPERM },
		{ -5, -EFAULT }, { -6, -EEXIST }, { -7, -EALREADY }, { -8, -EALREADY },
		{ -9, -ENOMEM }, { -10, -EIO }, { -99, -EIO }, { 1, -EIO },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(errors); i++)
		check(sbi_pmu_sbi_errno(errors[i][0]) == errors[i][1], "SBI error %d", errors[i][0]);
}

static int config(unsigned int word, unsigned long mask, unsigned long answer, unsigned int *got)
{
	const struct sbi_pmu_event_code code = { .idx = RAW, .data = 0x123456789abcULL, .flags = 0x28 };

	scripted = (struct sbiret){ 0, answer };
	return sbi_pmu_sbi_config(&script, word, mask, &code, got);
}

static void test_config(void)
{
	unsigned int got = 0;

	check(!config(0, 0x18, 3, &got) && got == 3 && !config(0, 0x18, 4, &got) && got == 4,
	      "one of what was offered is taken");
	check(said_was(0, 0x18, 0x28, RAW, (unsigned long)0x123456789abcULL, 0),
	      "base, mask, flags, event, and its data in as many registers as that takes");
	check(config(0, 0x18, 5, &got) == -EPROTO && got == 5, "another is not");
	check(config(0, 1, SBI_PMU_WINDOW, &got) == -EPROTO && got == SBI_PMU_WINDOW, "nor the next window's first");
	check(config(0, 0x18, 3 + SBI_PMU_WINDOW, &got) == -EPROTO && got == 3 + SBI_PMU_WINDOW, "nor its namesake");
	check(!config(1, 0x18, SBI_PMU_WINDOW + 3, &got) && got == SBI_PMU_WINDOW + 3, "the second window");
	check(said_was(SBI_PMU_WINDOW, 0x18, 0x28, RAW, (unsigned long)0x123456789abcULL, 0),
	      "begins at %d", SBI_PMU_WINDOW);
	check(config(1, 0x18, 3, &got) == -EPROTO && got == 3, "from below it");
	check(config(0, 0x18, 127, &got) == -EPROTO && got == 127, "from far above");
	check(config(0, 0x18, 128, &got) == -EPROTO && got == SBI_PMU_MAX_COUNTERS &&
	      config(0, 0x18, (unsigned long)~0ULL, &got) == -EPROTO && got == SBI_PMU_MAX_COUNTERS,
	      "what is no counter of ours has one name");
	got = 99;
	scripted.error = SPEC_ERR_NOT_SUPPORTED;
	check(sbi_pmu_sbi_config(&script, 0, 1, &(struct sbi_pmu_event_code){}, &got) == -EOPNOTSUPP &&
	      got == 99, "a refusal takes none");
}

static void test_start_release(void)
{
	scripted = (struct sbiret){};
	check(!sbi_pmu_sbi_start(&script, SBI_PMU_WINDOW + 2) && said_was(SBI_PMU_WINDOW, 4, 0, 0, 0, 0), "start");
	check(!sbi_pmu_sbi_release(&script, 2 * SBI_PMU_WINDOW - 1) &&
	      said_was(SBI_PMU_WINDOW, (unsigned long)1 << (SBI_PMU_WINDOW - 1), SPEC_STOP_RESET, 0, 0, 0), "release");
	scripted.error = SPEC_ERR_ALREADY_STARTED;
	check(!sbi_pmu_sbi_start(&script, 1), "started already is started");
	scripted.error = SPEC_ERR_ALREADY_STOPPED;
	check(!sbi_pmu_sbi_release(&script, 1), "stopped already is stopped");
	scripted.error = SPEC_ERR_FAILED;
	check(sbi_pmu_sbi_start(&script, 1) == -EIO && sbi_pmu_sbi_release(&script, 1) == -EIO,
	      "failed is failed");
	check(script.calls[SBI_EXT_PMU_COUNTER_START] == 3 && script.calls[SBI_EXT_PMU_COUNTER_STOP] == 3,
	      "calls are counted");
}

static void test_read(void)
{
	unsigned int wrong = 0;
	u64 value = 77;

	fakesbi_reset(0, 2, 64);
	fakesbi.ctr[3].value = 0x123456789abcdef0ULL;
	check(!sbi_pmu_sbi_fw_read(&model, 3, &value) && value == 0x123456789abcdef0ULL,
	      "all 64 bits are read");
	fakesbi.read_fails = 1;
	value = 77;
	check(sbi_pmu_sbi_fw_read(&model, 3, &value) == -EIO && value == 77,
	      "a read that fails gives no value");
	fakesbi.read_fails = 0;

	/* It counts while its halves are read: never a mixture. */
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
	check(!wrong && fakesbi.ctr[3].value >> 32, "halves belong together (%u do not)", wrong);
}

static void test_probe_inventory(void)
{
	struct sbi_pmu_probe_limits limits = { .max_width = 64 };
	struct sbi_pmu_inventory inv;

	fakesbi_reset(8, 60, 48);
	fakesbi_add(100, CSR_CYCLE + 3, 48);	/* a second one on hpmcounter3 */
	fakesbi_add(101, CSR_CYCLE + 20, 20);
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && sbi_pmu_mask_weight(&inv.programmable) == 8 &&
	      sbi_pmu_mask_weight(&inv.fixed) == 2 && sbi_pmu_mask_weight(&inv.firmware) == 60 &&
	      !inv.beyond && inv.narrow == 1 && inv.info[3].width == 48,
	      "gaps, past 64, a CSR told twice, a narrow one");
	fakesbi.quirks = QUIRK(GAPS_COUNTED);
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && !inv.beyond &&
	      sbi_pmu_mask_weight(&inv.programmable) == 8, "gaps that are counted are not missed");
	for (unsigned int i = 120; i < 138; i++)
		fakesbi_add_firmware(i);
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && inv.beyond == 10 &&
	      sbi_pmu_mask_weight(&inv.firmware) == 68, "ten past the end (%lu)", inv.beyond);
	scripted = (struct sbiret){ SPEC_ERR_FAILED, 5 };
	check(sbi_pmu_probe_inventory(&script, &limits, &inv) == -EIO &&
	      sbi_pmu_mask_empty(&inv.programmable), "firmware that cannot even tell their number");
	scripted = (struct sbiret){ 0, (unsigned long)~0ULL };
	check(!sbi_pmu_probe_inventory(&script, &limits, &inv) && inv.beyond == (unsigned long)~0ULL - 128,
	      "firmware that has counters without end");
	fakesbi_reset(8, 0, 64);
	limits.max_width = 48;
	check(!sbi_pmu_probe_inventory(&model, &limits, &inv) && inv.info[3].width == 48 &&
	      inv.info[0].width == 48, "the width limit is for all hardware counters");
}

static void test_set_shmem(void)
{
	static struct spec_snapshot page;

	scripted = (struct sbiret){};
	check(!sbi_pmu_sbi_set_shmem(&script, 0x180001000ULL) &&
	      said_was((unsigned long)0x180001000ULL, 0, 0, 0, 0, 0), "a page, and no flags");
	check(!sbi_pmu_sbi_set_shmem(&script, SBI_SHMEM_DISABLE) &&
	      said_was((unsigned long)~0ULL, (unsigned long)~0ULL, 0, 0, 0, 0), "no page is all ones");
	fakesbi_reset(1, 1, 64);
	fakesbi_memory(0x180001000ULL, &page, sizeof(page));
	check(!sbi_pmu_sbi_set_shmem(&model, 0x180001000ULL) && fakesbi.shmem == &page, "given");
	check(sbi_pmu_sbi_set_shmem(&model, 0x180001004ULL) == -EINVAL &&
	      sbi_pmu_sbi_set_shmem(&model, 0x80001000ULL) == -EFAULT && fakesbi.shmem == &page,
	      "refused");
	check(!sbi_pmu_sbi_set_shmem(&model, SBI_SHMEM_DISABLE) && !fakesbi.shmem, "taken back");
	fakesbi.quirks = QUIRK(NO_SNAPSHOT);
	check(sbi_pmu_sbi_set_shmem(&model, 0x180001000ULL) == -EOPNOTSUPP, "not known");
}

static void test_event_info(void)
{
	static struct riscv_pmu_event_info info[64];
	const u64 address = 0x280000010ULL;
	unsigned int n, good = 0;

	fakesbi_reset(2, 1, 64);
	fakesbi.can = can_upto;	/* standard events have no data: counter 3 alone */
	fakesbi_memory(address, info, sizeof(info));
	for (n = 0; sbi_pmu_event_standard(n); n++)
		info[n].event_idx = sbi_pmu_event_standard(n);
	info[n++].event_idx = FW + 3;
	info[n++].event_idx = FW + 22;
	check(!sbi_pmu_sbi_event_info(&model, address, n), "event info of %u", n);
	for (unsigned int i = 0; i < n; i++)
		good += info[i].output == SPEC_INFO_SUPPORTED;
	check(good == 53 && !info[53].output, "all but the one that is reserved (%u)", good);
	check(sbi_pmu_sbi_event_info(&model, address + 8, 1) == -EINVAL &&
	      sbi_pmu_sbi_event_info(&model, address, 65) == -EFAULT, "refused");
	scripted = (struct sbiret){};
	check(!sbi_pmu_sbi_event_info(&script, address, 9) &&
	      said_was((unsigned long)address, 0, 9, 0, 0, 0), "asked for");
}

void test_sbi_calls(void)
{
	test_errno();
	test_config();
	test_start_release();
	test_read();
	test_probe_inventory();
	test_set_shmem();
	test_event_info();
}
