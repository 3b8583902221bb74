// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_random: users come and go, harts sleep and leave, events are tried, all
 * in random order; every user's count is known, and compared.
 */
#include "test.h"

/**
 * struct course - a run of random steps
 * @name: for the reader
 * @quirks: of the firmware
 * @width: bits of the programmable counters
 * @way: how the driver lives there
 * @faults: calls fail now and then, and stray
 */
struct course {
	const char *name;
	u64 quirks;
	unsigned int width;
	enum mode way;
	bool faults;
};

#define SUSPEND	(QUIRK(SUSPEND_LOSES_EVENTS) | QUIRK(SUSPEND_LOSES_VALUES))
#define JUNK	(QUIRK(JUNK_INFO) | QUIRK(JUNK_OUTPUT))

static const struct course courses[] = {
	{ "64 bits", 0, 64, EXCLUSIVE, false },
	{ "63 bits, power lost", SUSPEND, 63, EXCLUSIVE, false },
	{ "40 bits, beside", SUSPEND, 40, SHARED, false },
	{ "27 bits", QUIRK(HIGHEST_FIRST) | JUNK, 27, EXCLUSIVE, false },
	{ "faults", SUSPEND, 64, EXCLUSIVE, true },
	{ "faults, 27 bits, tied", QUIRK(TIED), 27, EXCLUSIVE, true },
	{ "OpenSBI 1.2", OPENSBI_OLD, 48, EXCLUSIVE, false },
	{ "OpenSBI 1.9", OPENSBI_NEW, 48, EXCLUSIVE, false },
	{ "KVM", KVM, 64, EXCLUSIVE, false },
	{ "KVM, memory", KVM, 64, SNAPSHOT, false },
	{ "KVM of 6.12", KVM_OLD, 64, EXCLUSIVE, false },
	{ "KVM of 6.12, memory", KVM_OLD, 64, SNAPSHOT, false },
	{ "memory, 27 bits, power lost", SUSPEND, 27, SNAPSHOT, false },
	{ "memory, faults", SUSPEND, 40, SNAPSHOT, true },
	{ "memory that firmware refuses", QUIRK(NO_SNAPSHOT), 48, SNAPSHOT, false },
	{ "RustSBI", RUSTSBI | SUSPEND, 32, EXCLUSIVE, false },
};

static void set_faults(bool on)
{
	fakesbi.refuse = on ? 9 : 0;
	fakesbi.stray = on ? 17 : 0;
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

/* What opens is tried without faults; what cannot be had is not opened. */
static void open_new(struct tracked *p, const struct course *c)
{
	set_faults(false);
	for (unsigned int tries = 0; tries < 8; tries++)
		if (tracked_open(p, random_code()))
			break;
	p->event.reset_on_start = fakesbi_random() % 3 == 0;
	set_faults(c->faults);
}

static void try_something(void)
{
	const struct sbi_pmu_event_code code = random_code();
	const struct sbi_pmu_mask hardware = sbi_pmu_inventory_hardware(&cpu.inv);
	struct sbi_pmu_support truth = {};
	struct sbi_pmu_mask candidates = cpu.counters.backend.exclusive ? hardware : cpu.inv.programmable;

	if (sbi_pmu_event_is_firmware(&code))
		candidates = cpu.inv.firmware;
	sbi_pmu_support_probe_here(&cpu.counters, &code, &candidates, &truth);
}

static void go_and_come(void)
{
	sbi_pmu_counters_offline(&cpu.counters);
	for (unsigned int i = 0; i < TRACKED; i++)
		cpu.tracked[i].active = false;
	if (fakesbi_random() % 2)
		fakesbi_restart();
	cpu_run(fakesbi_random() % 1000);
	sbi_pmu_counters_online(&cpu.counters);
}

static void sleep_over(void)
{
	sbi_pmu_counters_suspend(&cpu.counters);
	if (fakesbi_random() % 4)
		fakesbi_suspend();
	sbi_pmu_counters_resume(&cpu.counters);
}

static void rare_step(struct tracked *p, const struct course *c)
{
	switch (fakesbi_random() % 64) {
	case 0:
		return go_and_come();
	case 1 ... 4:
		return sleep_over();
	case 5 ... 6:
		return sbi_pmu_counters_release_idle(&cpu.counters);
	case 7 ... 12:
		return try_something();
	default:
		if (p->event.counter == SBI_PMU_NO_COUNTER)
			open_new(p, c);
	}
}

static void step(const struct course *c)
{
	struct tracked *p = &cpu.tracked[fakesbi_random() % TRACKED];

	if (c->way == SNAPSHOT && fakesbi_random() % 4 == 0)
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
		rare_step(p, c);
	}
}

/* With failing reads what a firmware counter had is lost at times, never more. */
static unsigned int wrong_counts(const struct course *c)
{
	unsigned int wrong = 0;

	set_faults(false);
	for (unsigned int i = 0; i < TRACKED; i++) {
		struct tracked *p = &cpu.tracked[i];
		const bool right = tracked_right(p);

		wrong += c->faults && sbi_pmu_event_is_firmware(&p->event.code) ?
			 p->reported > p->expected : !right;
	}
	set_faults(c->faults);
	return wrong;
}

/* What programs read by themselves; what firmware counts they cannot. */
static unsigned int wrong_pages(void)
{
	unsigned int wrong = 0;
	u64 count;

	for (unsigned int i = 0; i < TRACKED; i++) {
		const struct tracked *p = &cpu.tracked[i];

		if (!sbi_pmu_event_is_firmware(&p->event.code))
			wrong += !tracked_sees(p, &count) || count != p->expected;
	}
	return wrong;
}

static unsigned int unknown_counters(void)
{
	unsigned int unknown = 0;

	for (unsigned int i = 0; i < fakesbi.end; i++)
		unknown += fakesbi.ctr[i].configured &&
			   !sbi_pmu_mask_test(&cpu.counters.plan.configured, i);
	return unknown;
}

static void run(const struct course *c, unsigned long steps)
{
	unsigned int wrong = 0, misread = 0, lost = 0, unknown = 0;
	u64 counted = 0;

	fakesbi_reset(6, 3, c->width);
	fakesbi.quirks = c->quirks;
	fakesbi.can = can_upto;
	cpu_boot_mode(c->way);
	for (unsigned int i = 0; i < TRACKED; i++)
		open_new(&cpu.tracked[i], c);
	for (unsigned long n = 0; n < steps; n++) {
		step(c);
		lost += tracked_sync();
		misread += wrong_pages();
		if (n % 64)
			continue;
		wrong += wrong_counts(c);
		unknown += unknown_counters();
	}
	wrong += wrong_counts(c);
	lost += cpu.lost;
	for (unsigned int i = 0; i < TRACKED; i++)
		counted += cpu.tracked[i].reported;
	check(!wrong && counted, "%s: %lu random steps, every count is true (%u wrong)", c->name,
	      steps, wrong);
	check(!misread, "%s: every program that reads by itself reads the same (%u wrong)", c->name,
	      misread);
	check(!lost || c->faults, "%s: nobody loses a counter (%u)", c->name, lost);
	check(!unknown, "%s: no counter configured that no slot knows of (%u)", c->name, unknown);
	check(!fakesbi.broken, "%s: no rule of the specification broken (%u: %s)", c->name,
	      fakesbi.broken, fakesbi.why ? fakesbi.why : "-");
	sbi_pmu_counters_offline(&cpu.counters);
	check(quiet(), "%s: nothing left running", c->name);
}

void test_random(unsigned long steps, u64 seed)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(courses); i++) {
		fakesbi_seed(seed + i);
		run(&courses[i], steps / ARRAY_SIZE(courses));
	}
}
