// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr - what real firmware and perf core make of a perf_event_attr. All events, fields and filters
 * that the driver accepts and refuses are tested on the host (test_event.c).
 */
#include "overcommit.h"

/* Return: 0 if the event opens, else the errno. */
static int open_errno(const struct perf_event_attr *event)
{
	struct perf_event_attr attr = *event;
	const int fd = perf_try(&attr, 0, -1, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

static int own_errno(uint64_t config)
{
	return open_errno(&(struct perf_event_attr){ .type = pmu.type, .config = config });
}

/* Codes that QEMU's firmware does not have: the first and the last of each kind */
static void test_unknown(void)
{
	static const uint64_t codes[] = {
		0, 0xdeadbeef, (1ULL << 48) - 1, 1ULL << 48, (1ULL << 56) - 1,
		FIRMWARE(256), FIRMWARE(65534), CONFIG(3, 0), ~0ULL,
	};
	bool all = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(codes); i++) {
		const int error = own_errno(codes[i]);

		note("%#lx: %s", codes[i], error ? strerror(error) : "opened");
		all &= is_possible_not_in_lab(error);
	}
	check(all, "unknown_events_open_or_enoent");
	check(!own_errno(FIRMWARE(0)) && !own_errno(FIRMWARE(21)), "firmware_events_open");
}

/* Fields that the headers of the host do not have */
static void test_fields(void)
{
	struct perf_event_attr attr = { .type = pmu.type, .config = CYCLES, .config3 = 1 };

	check(open_errno(&attr) == EINVAL, "config3_einval");
#ifdef PERF_ATTR_SIZE_VER9
	attr.config3 = 0;
	attr.config4 = 1;
	check(open_errno(&attr) == EINVAL, "config4_einval");
#endif
}

/* ---- perf's general and cache events ---- */

/*
 * Perf's event @config (general or cache) is the SBI event @idx: opening it by the PMU's own type,
 * by perf's type with the PMU's type in config (extended), and by perf's type alone (plain) has
 * the same result. In shared mode plain events are the built-in driver's.
 */
static bool is_same_event(unsigned int type, uint64_t config, uint64_t idx)
{
	struct perf_event_attr attr = { .type = type, .config = config };
	const int own = own_errno(STANDARD(idx));
	const int plain = pmu.exclusive ? open_errno(&attr) : own;
	int extended;

	attr.config |= (uint64_t)pmu.type << PERF_PMU_TYPE_SHIFT;
	extended = open_errno(&attr);
	if ((!own || own == ENOENT) && extended == own && plain == own)
		return true;
	note("type %u config %#lx: own %d, extended %d, plain %d", type, config, own, extended,
	     plain);
	return false;
}

static void test_generic(void)
{
	/* QEMU's firmware has no branch misses. */
	check(!own_errno(CYCLES) &&
	      is_same_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 1) &&
	      is_same_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 6),
	      "general_events_are_sbi_events");
	/* Stores that miss the data TLB */
	check(is_same_event(PERF_TYPE_HW_CACHE, 0x10103, 0x1001b), "cache_events_are_sbi_events");
}

/* ---- filters: what the driver has learnt of the machine ---- */

static void test_filters(void)
{
	const bool can_filter = has_mode_filters(), has_hypervisor = isa_has("h");
	struct perf_event_attr attr = { .type = pmu.type, .config = CYCLES, .exclude_user = 1 };

	note("counters %s filter, %s H extension", can_filter ? "can" : "cannot",
	     has_hypervisor ? "with" : "without");
	check(open_errno(&attr) == (can_filter ? 0 : ENOENT), "user_mode_left_out_if_possible");
	attr.exclude_user = 0;
	attr.exclude_guest = 1;
	check(open_errno(&attr) == (can_filter || !has_hypervisor ? 0 : EINVAL),
	      "guests_left_out_if_possible");
}

int main(void)
{
	begin();
	test_unknown();
	test_fields();
	test_generic();
	test_filters();
	return end();
}
