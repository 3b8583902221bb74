// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_random: events are opened, added, started and deleted, the CPU suspends and goes offline,
 * events are probed, all in random order. The count of every event is known and compared.
 */
#include "test.h"

/**
 * struct scenario - firmware and driver of a run of random steps
 * @name: part of the names of the results
 * @quirks: quirks of the firmware
 * @width: bits of the programmable counters
 * @mode: mode of the driver
 * @faults: some calls fail, and some return a counter that was not offered
 */
struct scenario {
	const char *name;
	u64 quirks;
	unsigned int width;
	enum mode mode;
	bool faults;
};

#define SUSPEND	(QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES))
#define JUNK	QUIRK(JUNK_INFO)

static const struct scenario scenarios[] = {
	{ "64_bits", 0, 64, EXCLUSIVE, false },
	{ "63_bits_suspend", SUSPEND, 63, EXCLUSIVE, false },
	{ "40_bits_shared", SUSPEND, 40, SHARED, false },
	{ "27_bits", QUIRK(HIGHEST_FIRST) | JUNK, 27, EXCLUSIVE, false },
	{ "faults", SUSPEND, 64, EXCLUSIVE, true },
	{ "faults_27_bits_tied", QUIRK(TIED), 27, EXCLUSIVE, true },
	{ "opensbi_1_2", OPENSBI_OLD, 48, EXCLUSIVE, false },
	{ "opensbi_1_9", OPENSBI_NEW, 48, EXCLUSIVE, false },
	{ "fixed_withheld", OPENSBI_NEW | QUIRK(FIXED_WITHHELD) | SUSPEND, 48, EXCLUSIVE, false },
	{ "fixed_withheld_shared", OPENSBI_NEW | QUIRK(FIXED_WITHHELD), 64, SHARED, false },
	{ "fixed_withheld_snapshot", QUIRK(FIXED_WITHHELD), 64, SNAPSHOT, false },
	{ "kvm", KVM, 64, EXCLUSIVE, false },
	{ "kvm_snapshot", KVM, 64, SNAPSHOT, false },
	{ "kvm_6_12", KVM_OLD, 64, EXCLUSIVE, false },
	{ "kvm_6_12_snapshot", KVM_OLD, 64, SNAPSHOT, false },
	{ "snapshot_27_bits_suspend", SUSPEND, 27, SNAPSHOT, false },
	{ "snapshot_faults", SUSPEND, 40, SNAPSHOT, true },
	{ "snapshot_refused", QUIRK(NO_SNAPSHOT), 48, SNAPSHOT, false },
	{ "rustsbi", RUSTSBI | SUSPEND, 32, EXCLUSIVE, false },
	{ "delegated", OPENSBI_NEW, 64, DELEGATED, false },
	{ "delegated_27_bits_suspend", SUSPEND, 27, DELEGATED, false },
	{ "delegated_faults", OPENSBI_OLD & ~QUIRK(GAP_TRAPS), 48, DELEGATED, true },
};

/*
 * Firmware that is asked for one of its own counters, and takes a delegated one that is in use,
 * is not among the faults: it writes over what the driver has programmed.
 */
static void set_faults(const struct scenario *s, bool on)
{
	fakesbi.refuse = on ? 9 : 0;
	fakesbi.stray = on && s->mode != DELEGATED ? 17 : 0;
	fakesbi.start_fails = on ? 11 : 0;
	fakesbi.read_fails = on ? 7 : 0;
}

static struct sbi_pmu_event_code random_code(void)
{
	const u32 n = fakesbi_random();
	struct sbi_pmu_event_code code = { .idx = RAW, .data = n / 8 % 12 };

	switch (n % 8) {
	case 0:
	case 1:
		return (struct sbi_pmu_event_code){ .idx = SBI_PMU_HW_CPU_CYCLES + n % 8 };
	case 2:
	case 3:
		return (struct sbi_pmu_event_code){ .idx = FW + n / 8 % 4 };
	case 4:
		return (struct sbi_pmu_event_code){ .idx = RAW_V2, .data = 1ULL << 50 | n / 8 % 6 };
	default:
		if (n / 128 % 3 == 0 && !fakesbi_has(QUIRK_NO_FILTER))
			code.flags = SBI_PMU_CFG_FLAG_SET_UINH;
		return code;
	}
}

/* Open an event that is supported, without faults. */
static void open_supported(struct tracked *p, const struct scenario *s)
{
	set_faults(s, false);
	for (unsigned int tries = 0; tries < 8; tries++)
		if (tracked_open(p, random_code()))
			break;
	p->event.reset_on_start = fakesbi_random() % 3 == 0;
	set_faults(s, s->faults);
}

static void probe_something(void)
{
	const struct sbi_pmu_event_code code = random_code();
	const u64 hardware = sbi_pmu_inventory_hardware(&cpu.inv);
	u64 candidates = cpu.inv.programmable;
	struct sbi_pmu_support support = {};

	if (cpu.counters.backend.exclusive)
		candidates = hardware;
	if (sbi_pmu_event_is_firmware(&code))
		candidates = cpu.inv.firmware;
	cpu_probe(&code, candidates, &support);
}

static void hotplug(void)
{
	sbi_pmu_counters_offline(&cpu.counters);
	for (unsigned int i = 0; i < TRACKED; i++)
		cpu.tracked[i].active = false;
	if (fakesbi_random() % 2)
		fakesbi_restart();
	cpu_run(fakesbi_random() % 1000);
	sbi_pmu_counters_online(&cpu.counters);
}

static void suspend_resume(void)
{
	sbi_pmu_counters_suspend(&cpu.counters);
	if (fakesbi_random() % 4)
		fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
}

static void rare_step(struct tracked *p, const struct scenario *s)
{
	switch (fakesbi_random() % 64) {
	case 0:
		return hotplug();
	case 1 ... 4:
		return suspend_resume();
	case 5 ... 6:
		return sbi_pmu_counters_release_idle(&cpu.counters);
	case 7 ... 12:
		return probe_something();
	default:
		if (p->event.counter == SBI_PMU_NO_COUNTER)
			open_supported(p, s);
	}
}

static void step(const struct scenario *s)
{
	struct tracked *p = &cpu.tracked[fakesbi_random() % TRACKED];

	/* Others do nothing then but note that. */
	if ((s->mode == SNAPSHOT || s->mode == DELEGATED) && fakesbi_random() % 4 == 0)
		cpu_disable();
	switch (fakesbi_random() % 16) {
	case 0 ... 3:
		tracked_add(p);
		break;
	case 4 ... 6:
		tracked_start(p);
		break;
	case 7:
		tracked_stop(p);
		break;
	case 8 ... 9:
		tracked_del(p);
		break;
	case 10 ... 13:
		cpu_run(fakesbi_random() % 3000000);
		break;
	case 14:
		tracked_collect(p);
		break;
	default:
		rare_step(p, s);
	}
}

/* Return: number of wrong counts. With failing reads a firmware counter may lose counts. */
static unsigned int wrong_counts(const struct scenario *s)
{
	unsigned int wrong = 0;

	set_faults(s, false);
	for (unsigned int i = 0; i < TRACKED; i++) {
		struct tracked *p = &cpu.tracked[i];
		const bool right = is_count_right(p);

		wrong += s->faults && sbi_pmu_event_is_firmware(&p->event.code) ?
				 p->reported > p->expected :
				 !right;
	}
	set_faults(s, s->faults);
	return wrong;
}

/* Return: number of wrong user-space reads. Firmware counters have none. */
static unsigned int wrong_user_reads(void)
{
	unsigned int wrong = 0;
	u64 count;

	for (unsigned int i = 0; i < TRACKED; i++) {
		const struct tracked *p = &cpu.tracked[i];

		if (!sbi_pmu_event_is_firmware(&p->event.code))
			wrong += !tracked_user_read(p, &count) || count != p->expected;
	}
	return wrong;
}

/* Return: number of counters that are configured in firmware, not in the plan, and not held */
static unsigned int unknown_counters(void)
{
	const u64 known = cpu.counters.plan.configured | cpu.counters.backend.held;
	unsigned int unknown = 0;

	for (unsigned int i = 0; i < fakesbi.end; i++)
		unknown += fakesbi.ctr[i].configured && !has_counter(known, i);
	return unknown;
}

static void run(const struct scenario *s, unsigned long steps)
{
	unsigned int wrong = 0, misread = 0, lost = 0, unknown = 0;
	u64 counted = 0;
	char test[64];

	fakesbi_reset(6, 3, s->width);
	fakesbi.quirks = s->quirks;
	fakesbi.can = can_hold_upto;
	fakesbi_delegate(s->mode == DELEGATED);
	cpu_boot_mode(s->mode);
	for (unsigned int i = 0; i < TRACKED; i++)
		open_supported(&cpu.tracked[i], s);
	for (unsigned long n = 0; n < steps; n++) {
		step(s);
		lost += tracked_sync();
		misread += wrong_user_reads();
		if (n % 64)
			continue;
		wrong += wrong_counts(s);
		unknown += unknown_counters();
	}
	wrong += wrong_counts(s);
	lost += cpu.lost;
	for (unsigned int i = 0; i < TRACKED; i++)
		counted += cpu.tracked[i].reported;
	note("%lu steps: %u counts wrong, %u user-space reads wrong", steps, wrong, misread);
	note("%u counters lost, %u unknown", lost, unknown);
	check(!wrong && counted, "random.%s_counts_are_correct", s->name);
	check(!misread, "random.%s_user_reads_are_correct", s->name);
	check(!lost || s->faults, "random.%s_loses_no_counter", s->name);
	check(!unknown, "random.%s_leaves_no_unknown_counter_configured", s->name);
	snprintf(test, sizeof(test), "random.%s", s->name);
	check_rules(test);
	sbi_pmu_counters_offline(&cpu.counters);
	check(is_all_released(), "random.%s_releases_all", s->name);
}

void test_random(unsigned long steps, u64 seed)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(scenarios); i++) {
		fakesbi_seed(seed + i);
		run(&scenarios[i], steps / ARRAY_SIZE(scenarios));
	}
}
