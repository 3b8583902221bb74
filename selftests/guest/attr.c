// SPDX-License-Identifier: GPL-2.0-only
/*
 * attr - each field and value of perf_event_attr is accepted, or refused with
 * the errno that says why; nothing is dropped in silence.
 */
#include "outcome.h"

static bool can_filter, has_guests;

struct row {
	const char *what;
	int outcome;		/* see outcome.h */
	struct perf_event_attr attr;
};

static const struct row events[] = {
	{ "raw selector 0", ALIEN, EVENT(0) },
	{ "a raw event nobody has", ALIEN, EVENT(0xdeadbeef) },
	{ "the last raw selector of 48 bits", ALIEN, EVENT((1ULL << 48) - 1) },
	{ "the first that needs more", ALIEN, EVENT(1ULL << 48) },
	{ "the last raw selector", ALIEN, EVENT((1ULL << 56) - 1) },
	{ "junk above the selector", EINVAL, EVENT(1ULL << 56 | 1) },
	{ "junk below the space", EINVAL, EVENT(1ULL << 61) },
	{ "general event 0", EINVAL, EVENT(STANDARD(0)) },
	{ "general event 1", OPENS, EVENT(STANDARD(1)) },
	{ "general event 2", OPENS, EVENT(STANDARD(2)) },
	{ "general event 10", MAY, EVENT(STANDARD(10)) },
	{ "general event 11", EINVAL, EVENT(STANDARD(11)) },
	{ "the last cache event", MAY, EVENT(STANDARD(0x10035)) },
	{ "cache operation 3", EINVAL, EVENT(STANDARD(0x10006)) },
	{ "cache 7", EINVAL, EVENT(STANDARD(0x10038)) },
	{ "raw by event_idx", EINVAL, EVENT(STANDARD(0x20000)) },
	{ "raw v2 by event_idx", EINVAL, EVENT(STANDARD(0x30000)) },
	{ "reserved event type", EINVAL, EVENT(STANDARD(0x40001)) },
	{ "firmware by event_idx", EINVAL, EVENT(STANDARD(0xf0001)) },
	{ "junk above event_idx", EINVAL, EVENT(STANDARD(1ULL << 32 | 1)) },
	{ "firmware event 0", OPENS, EVENT(FIRMWARE(0)) },
	{ "firmware event 21", OPENS, EVENT(FIRMWARE(21)) },
	{ "firmware event 22", EINVAL, EVENT(FIRMWARE(22)) },
	{ "firmware event 255", EINVAL, EVENT(FIRMWARE(255)) },
	{ "the first of the implementation's", ALIEN, EVENT(FIRMWARE(256)) },
	{ "the last of the implementation's", ALIEN, EVENT(FIRMWARE(65534)) },
	{ "firmware event 65535", EINVAL, EVENT(FIRMWARE(65535)) },
	{ "junk above a firmware event", EINVAL, EVENT(FIRMWARE(1ULL << 16)) },
	{ "platform event 0", ALIEN, EVENT(CONFIG(3, 0)) },
	{ "the last platform event", ALIEN, EVENT(~0ULL) },
};

static const struct row fields[] = {
	{ "config1", EINVAL, EVENT(CYCLES, .config1 = 1) },
	{ "config2", EINVAL, EVENT(CYCLES, .config2 = 1ULL << 63) },
	{ "config3", EINVAL, EVENT(CYCLES, .config3 = 1) },
#ifdef PERF_ATTR_SIZE_VER9
	{ "config4", EINVAL, EVENT(CYCLES, .config4 = 1) },
#endif
	{ "config1 of a firmware event", EINVAL, EVENT(FIRMWARE(5), .config1 = 1) },
	{ "sampling", OPENS, EVENT(CYCLES, .sample_period = 100000) },
	{ "sampling firmware events", EOPNOTSUPP, EVENT(FIRMWARE(5), .sample_period = 1) },
	{ "sampling them, and guests left out", EOPNOTSUPP,
	  EVENT(FIRMWARE(5), .sample_period = 1, .exclude_guest = 1) },
	{ "sampling by frequency", OPENS, EVENT(CYCLES, .freq = 1, .sample_freq = 99) },
	{ "a period of 2^63", EINVAL, EVENT(CYCLES, .sample_period = 1ULL << 63) },
	{ "a frequency too high", EINVAL, EVENT(CYCLES, .freq = 1, .sample_freq = 1U << 31) },
	{ "what perf stat has in sample_type", OPENS,
	  EVENT(CYCLES, .sample_type = PERF_SAMPLE_IDENTIFIER) },
	{ "unknown sample_type", EINVAL, EVENT(CYCLES, .sample_type = 1ULL << 40) },
	{ "unknown read_format", EINVAL, EVENT(CYCLES, .read_format = PERF_FORMAT_MAX) },
	{ "all read_format", OPENS, EVENT(CYCLES, .read_format = PERF_FORMAT_MAX - 1) },
	{ "branch stacks", EOPNOTSUPP,
	  EVENT(CYCLES, .sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY) },
	{ "branch stacks of nothing", EINVAL,
	  EVENT(CYCLES, .sample_type = PERF_SAMPLE_BRANCH_STACK) },
	{ "precise_ip", EOPNOTSUPP, EVENT(CYCLES, .precise_ip = 1) },
	{ "wakeup_watermark", OPENS, EVENT(CYCLES, .watermark = 1, .wakeup_watermark = 1) },
	{ "aux_output", EOPNOTSUPP, EVENT(CYCLES, .aux_output = 1) },
	{ "sigtrap without remove_on_exec", EINVAL, EVENT(CYCLES, .sigtrap = 1) },
	{ "inherit_thread without inherit", EINVAL, EVENT(CYCLES, .inherit_thread = 1) },
	{ "a clock that is none", EINVAL, EVENT(CYCLES, .use_clockid = 1, .clockid = 99) },
	{ "a reserved field", EINVAL, EVENT(CYCLES, .__reserved_2 = 1) },
	{ "inherit", OPENS, EVENT(CYCLES, .inherit = 1) },
	{ "inherit with PERF_FORMAT_GROUP", OPENS,
	  EVENT(CYCLES, .inherit = 1, .read_format = PERF_FORMAT_GROUP) },
	{ "inherit with inherit_stat", OPENS, EVENT(CYCLES, .inherit = 1, .inherit_stat = 1) },
	{ "pinned", OPENS, EVENT(CYCLES, .pinned = 1) },
	{ "exclusive", OPENS, EVENT(CYCLES, .exclusive = 1) },
	{ "disabled, enable_on_exec", OPENS, EVENT(CYCLES, .disabled = 1, .enable_on_exec = 1) },
	{ "remove_on_exec", OPENS, EVENT(CYCLES, .remove_on_exec = 1) },
	{ "both of these", EINVAL, EVENT(CYCLES, .enable_on_exec = 1, .remove_on_exec = 1) },
	{ "side band records", OPENS,
	  EVENT(CYCLES, .mmap = 1, .mmap2 = 1, .comm = 1, .task = 1, .sample_id_all = 1) },
};

static void test_rows(const struct row *rows, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct perf_event_attr attr = rows[i].attr;

		attr.type = pmu.type;
		outcome(rows[i].what, rows[i].outcome, perf_try(&attr, 0, -1, -1));
	}
}

/* ---- perf's own names of events ---- */

/* 0 if it opens, or the errno. */
static int try_event(unsigned int attr_type, uint64_t config)
{
	struct perf_event_attr attr = { .type = attr_type, .config = config };
	int fd = perf_try(&attr, 0, -1, -1);

	if (fd < 0)
		return -fd;
	close(fd);
	return 0;
}

/*
 * Event @config of perf's general or cache events is our standard event @idx,
 * by each way that it can be asked for. Beside another driver the plain way is
 * not ours.
 */
static bool same_event(unsigned int attr_type, uint64_t config, uint64_t idx)
{
	int own = try_event(pmu.type, STANDARD(idx));
	int extended = try_event(attr_type, (uint64_t)pmu.type << PERF_PMU_TYPE_SHIFT | config);
	int plain = pmu.sole ? try_event(attr_type, config) : own;

	if ((!own || own == ENOENT) && extended == own && plain == own)
		return true;
	printf("# type %u config %#lx: own %d, extended %d, plain %d\n", attr_type, config,
	       own, extended, plain);
	return false;
}

static void test_general(void)
{
	static const uint64_t beyond[] = { PERF_COUNT_HW_MAX, 0xffffffff };
	bool all = true;

	for (uint64_t config = 0; config < PERF_COUNT_HW_MAX; config++)
		all &= same_event(PERF_TYPE_HARDWARE, config, config + 1);
	check(all, "perf's %d general events are ours", PERF_COUNT_HW_MAX);
	check(!try_event(PERF_TYPE_HARDWARE, (uint64_t)pmu.type << PERF_PMU_TYPE_SHIFT),
	      "and cycles open");

	all = true;
	for (unsigned int i = 0; i < ARRAY_SIZE(beyond); i++) {
		uint64_t extended = (uint64_t)pmu.type << PERF_PMU_TYPE_SHIFT | beyond[i];

		all &= try_event(PERF_TYPE_HARDWARE, extended) == EINVAL;
		if (pmu.sole)
			all &= try_event(PERF_TYPE_HARDWARE, beyond[i]) == EINVAL;
	}
	if (pmu.sole)
		all &= try_event(PERF_TYPE_HARDWARE, ~0ULL) == EINVAL;
	check(all, "general events beyond them: EINVAL");
}

static void test_cache(void)
{
	static const uint32_t wrong[] = {
		PERF_COUNT_HW_CACHE_MAX, 0xff, PERF_COUNT_HW_CACHE_OP_MAX << 8, 0xff00,
		PERF_COUNT_HW_CACHE_RESULT_MAX << 16, 0xff0000, 0x1000000, 0xffffffff,
	};
	bool all = true;

	for (uint64_t i = 0; i < 7 * 3 * 2; i++) {
		uint64_t id = i / 6, op = i / 2 % 3, result = i % 2;

		all &= same_event(PERF_TYPE_HW_CACHE, id | op << 8 | result << 16,
				  0x10000 | id << 3 | op << 1 | result);
	}
	check(all, "perf's 42 cache events are ours");

	all = true;
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		uint64_t extended = (uint64_t)pmu.type << PERF_PMU_TYPE_SHIFT | wrong[i];

		all &= try_event(PERF_TYPE_HW_CACHE, extended) == EINVAL;
		if (pmu.sole)
			all &= try_event(PERF_TYPE_HW_CACHE, wrong[i]) == EINVAL;
	}
	check(all, "caches, operations and results that are none: EINVAL");
}

/* ---- filters ---- */

/* What an event with these filters must come to, from the documentation alone. */
static int filter_outcome(const struct perf_event_attr *attr, bool firmware)
{
	bool more = attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
		    attr->exclude_host;

	if (attr->exclude_idle || (attr->exclude_host && !has_guests))
		return -unfiltered();
	if (!more && !(attr->exclude_guest && has_guests))
		return OPENS;
	if (can_filter && !firmware)
		return OPENS;
	return -unfiltered();
}

static void test_filters(const char *what, uint64_t config, bool firmware)
{
	bool all = true;

	for (unsigned int bits = 0; bits < 64; bits++) {
		struct perf_event_attr attr = {
			.type = pmu.type,
			.config = config,
			.exclude_user = bits & 1,
			.exclude_kernel = bits >> 1 & 1,
			.exclude_hv = bits >> 2 & 1,
			.exclude_idle = bits >> 3 & 1,
			.exclude_host = bits >> 4 & 1,
			.exclude_guest = bits >> 5 & 1,
		};
		int want = filter_outcome(&attr, firmware);
		int fd = perf_try(&attr, 0, -1, -1);
		int got = fd < 0 ? fd : OPENS;

		if (fd >= 0)
			close(fd);
		if (got == want)
			continue;
		printf("# guest %u host %u idle %u hv %u kernel %u user %u: %d, not %d\n",
		       bits >> 5 & 1, bits >> 4 & 1, bits >> 3 & 1, bits >> 2 & 1,
		       bits >> 1 & 1, bits & 1, got, want);
		all = false;
	}
	check(all, "%s with each of 64 mixtures of exclude_* (%s filter, %s guests)", what,
	      can_filter ? "a" : "no", has_guests ? "has" : "no");
}

/* ---- who, where and how ---- */

static int try_raw(struct perf_event_attr *attr, pid_t pid, int cpu, int group,
		   unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);

	return fd < 0 ? -errno : fd;
}

static void test_places(void)
{
	struct perf_event_attr attr = { .type = pmu.type, .config = CYCLES, .size = sizeof(attr) };
	pid_t gone = fork();

	if (!gone)
		_exit(0);
	waitpid(gone, NULL, 0);
	outcome("no task and no CPU", EINVAL, try_raw(&attr, -1, -1, -1, 0));
	outcome("a CPU that is not there", EINVAL, try_raw(&attr, -1, 4095, -1, 0));
	outcome("CPU -2", EINVAL, try_raw(&attr, 0, -2, -1, 0));
	outcome("a task that has gone", ESRCH, try_raw(&attr, gone, -1, -1, 0));
	outcome("a group that is not open", EBADF, try_raw(&attr, 0, -1, 999, 0));
	outcome("a group that is standard output", EBADF, try_raw(&attr, 0, -1, 1, 0));
	outcome("unknown flags", EINVAL, try_raw(&attr, 0, -1, -1, 1UL << 20));
	outcome("a control group without a CPU", EINVAL,
		try_raw(&attr, 0, -1, -1, PERF_FLAG_PID_CGROUP));
	outcome("this task on CPU 0", OPENS, try_raw(&attr, 0, 0, -1, 0));
	outcome("all tasks on CPU 0", OPENS, try_raw(&attr, -1, 0, -1, 0));
	outcome("process 1", OPENS, try_raw(&attr, 1, -1, -1, 0));
}

static void test_sizes(void)
{
	static const struct {
		const char *what;
		uint32_t size;
		int outcome;
		bool tail;
	} sizes[] = {
		{ "the first published size", PERF_ATTR_SIZE_VER0, OPENS, false },
		{ "size 0 (stands for the first)", 0, OPENS, false },
		{ "a size too small", PERF_ATTR_SIZE_VER0 - 1, E2BIG, false },
		{ "a larger size, zeros behind", 1024, OPENS, false },
		{ "a larger size, not all zeros", 1024, E2BIG, true },
		{ "a size of more than a page", 1 << 20, E2BIG, false },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(sizes); i++) {
		union {
			struct perf_event_attr attr;
			char room[1024];
		} u = { .room = {} };

		u.attr.type = pmu.type;
		u.attr.config = CYCLES;
		u.attr.size = sizes[i].size;
		u.room[1023] = sizes[i].tail;
		outcome(sizes[i].what, sizes[i].outcome, try_raw(&u.attr, 0, -1, -1, 0));
	}
}

int main(void)
{
	begin();
	can_filter = isa_has("sscofpmf");
	has_guests = isa_has("h");
	test_rows(events, ARRAY_SIZE(events));
	test_rows(fields, ARRAY_SIZE(fields));
	test_general();
	test_cache();
	test_filters("a hardware event", CYCLES, false);
	test_filters("a firmware event", FIRMWARE(4), true);
	test_places();
	test_sizes();
	return end();
}
