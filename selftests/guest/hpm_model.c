// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpm_model - raw events on QEMU's model of XiangShan's counters count at the rates of model.h. A
 * raw event has its unit in its tag bits, and firmware's device tree maps it to the unit's
 * counters.
 */
#include <fcntl.h>

#include "hpm_model.h"

static const struct xs_table *table;

/* Does @selectors of @unit count at its rate, on counters of @unit only? */
static bool is_rate_right(unsigned int unit, uint64_t selectors, double *worst)
{
	const uint64_t config = XS_TAG(unit) | selectors;
	struct hpm_result result = hpm_measure(table, event(config), config,
					       xs_sum(table, unit, config));
	const bool placed = result.counters && !(result.counters & ~xs_counters_of(unit));

	*worst = result.error > *worst ? result.error : *worst;
	if (!placed)
		note("0x%lx is on counters 0x%x", config, result.counters);
	return result.error <= HPM_TOLERANCE && placed;
}

/* With an event table for this core the driver refuses raw events that are not in the table. */
static bool has_event_table(void)
{
	char path[128];

	snprintf(path, sizeof(path), PMU_DEVICES "%s/format/unit", pmu.name);
	return !access(path, R_OK);
}

/* Each event of the table, and a few indices after its end that the selector can hold. */
static void test_events(unsigned int unit)
{
	unsigned int wrong = 0, n = 0, past = 0;
	double worst = 0;

	for (unsigned int i = 1; i < 256 && past < 3; i++) {
		if (i >= table->events[unit] && has_event_table())
			break;
		past += !xs_index(table, unit, i);
		wrong += !is_rate_right(unit, XS_EVENT(i, 0), &worst);
		n++;
	}
	note("%s: %u events, %u wrong, error %.3f %% at most", unit_names[unit], n, wrong,
	     100 * worst);
	check(!wrong && n >= table->events[unit] - 1U, "%s_events_count_at_their_rates",
	      unit_names[unit]);
}

/* Two, three and four events joined by operators. */
static void test_operators(unsigned int unit)
{
	static const unsigned int ops[] = { XS_OR, XS_AND, XS_XOR, XS_ADD };
	unsigned int wrong = 0, n, seed = unit;
	double worst = 0;

	for (n = 0; n < 64; n++) {
		uint64_t selectors = XS_OP(ops[n % 4], 0) | XS_OP(ops[n / 4 % 4], 1) |
				     XS_OP(ops[n / 16], 2);

		for (unsigned int e = 0; e < 4; e++)
			selectors |= XS_EVENT(1 + rand_r(&seed) % (table->events[unit] - 1), e);
		wrong += !is_rate_right(unit, selectors, &worst);
	}
	note("%s: %u events with operators, %u wrong, error %.3f %% at most", unit_names[unit], n,
	     wrong, 100 * worst);
	check(!wrong, "%s_events_with_operators_count_at_their_rates", unit_names[unit]);
}

/* The sum of four large increments does not fit in the adder's 6 bits. */
static void test_wrap(void)
{
	const unsigned int last = table->events[XS_MEMORY] - 3;
	const uint64_t all = XS_OP(XS_ADD, 0) | XS_OP(XS_ADD, 1) | XS_OP(XS_ADD, 2);
	uint64_t event = all;
	double worst = 0;

	for (unsigned int n = 0; n < 4; n++)
		event |= XS_EVENT(last, n);
	check(xs_sum(table, XS_MEMORY, event) != 4 * xs_sum(table, XS_MEMORY, last) &&
	      is_rate_right(XS_MEMORY, event, &worst), "sum_wraps_at_6_bits");
}

/* The core ignores a write of an unknown operator. */
static void test_unknown_operator(void)
{
	const uint64_t config = XS_TAG(XS_BACKEND) | XS_EVENT(7, 0) | XS_EVENT(9, 1) |
				XS_OP(3, 0) | XS_OP(XS_ADD, 1);
	uint64_t old[XS_COUNTERS], got = 0;
	unsigned int changed = 0;
	bool as_rtl = true;
	int fd;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		old[i] = hpm_read_csr(i);
	fd = open_event(config, 0, -1, -1);
	if (has_event_table()) {
		note("unknown operator: %d", fd);
		check(fd == -EINVAL, "unknown_operator_einval");
		return;
	}
	work(1000);
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++) {
		if (hpm_read_csr(i) == old[i])
			continue;
		got = hpm_read_csr(i) & XS_SELECTORS;
		changed++;
		/* Firmware may have cleared mhpmevent before. */
		as_rtl &= got == (xs_written(old[i], config) & XS_SELECTORS) ||
			  got == xs_written(0, config);
	}
	note("unknown operator: %d, %u counters changed, 0x%lx", fd, changed, got);
	check(fd >= 0 && changed == 1 && as_rtl && got != config,
	      "unknown_operator_keeps_previous_one");
	close(fd);
}

/* Return: the same event, encoded differently for each @i, so that each needs a counter. */
static uint64_t encode_differently(unsigned int unit, unsigned int i)
{
	static const unsigned int ops[] = { XS_OR, XS_XOR, XS_ADD };

	return XS_TAG(unit) | XS_EVENT(5, 0) | XS_OP(ops[i % 3], 0) | XS_OP(ops[i / 3], 1);
}

/* The same event on all counters of its unit at once. */
static void test_several(unsigned int unit)
{
	const unsigned int counters = __builtin_popcount(xs_counters_of(unit));
	struct hpm_group counted = {};
	uint32_t used = 0;
	bool agree = false;
	int fd[8];

	for (unsigned int i = 0; i < counters; i++) {
		struct perf_event_attr attr = event(encode_differently(unit, i));

		attr.read_format = PERF_FORMAT_GROUP;
		fd[i] = perf_try(&attr, 0, -1, i ? fd[0] : -1);
	}
	/* Other work on the host can delay a read: repeat with more work. */
	for (int n = 0; !agree && n < 5; n++) {
		counted = hpm_count_work(fd[0], 4000000ULL << 2 * n);
		agree = counted.value[0];
		for (unsigned int i = 1; i < counters; i++)
			agree &= within(counted.value[i], counted.value[0], 1);
	}
	for (unsigned int i = 0; i < counters; i++) {
		used |= hpm_counters_with(encode_differently(unit, i));
		close(fd[i]);
	}
	note("%s: %lu counters (0x%x) count %lu ... %lu", unit_names[unit], counted.n, used,
	     counted.value[0], counted.value[counters - 1]);
	check(counted.n == counters && agree && used == xs_counters_of(unit),
	      "%s_counters_agree_on_one_event", unit_names[unit]);
}

/* About half in the kernel. */
static void work_in_both_modes(void)
{
	for (int i = 0; i < 20; i++) {
		char buffer[4096];
		int fd = open("/dev/zero", O_RDONLY);

		for (int n = 0; n < 100; n++)
			if (read(fd, buffer, sizeof(buffer)) < 0)
				perror("read");
		close(fd);
		work(1000000);
	}
}

/* Open an event as a group of three: in all modes, in user mode, in kernel mode. */
static void open_parts(uint64_t config, int fd[3])
{
	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = event(config);

		attr.read_format = PERF_FORMAT_GROUP;
		attr.exclude_kernel = i == 1;
		attr.exclude_user = i == 2;
		fd[i] = perf_try(&attr, 0, -1, i ? fd[0] : -1);
	}
}

static void test_filters(unsigned int unit)
{
	uint64_t all = 0, user = 0, kernel = 0;
	bool equal = false;
	int fd[3];

	open_parts(XS_TAG(unit) | XS_EVENT(3, 0), fd);
	/* Other work on the host can delay a read: repeat. */
	for (int i = 0; !equal && i < 5; i++) {
		struct hpm_group before = hpm_read_group(fd[0]), after;

		work_in_both_modes();
		after = hpm_read_group(fd[0]);
		all = after.value[0] - before.value[0];
		user = after.value[1] - before.value[1];
		kernel = after.value[2] - before.value[2];
		equal = within(user + kernel, all, 2);
	}
	note("%s: user %lu, kernel %lu, all %lu", unit_names[unit], user, kernel, all);
	check(equal && user > all / 20 && kernel > all / 20,
	      "%s_user_and_kernel_counts_sum_to_all", unit_names[unit]);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

#define OF_BUILTIN	"events_of_builtin_driver_count_at_their_rates"

/* Raw events of the built-in driver, which the device tree maps, too. */
static void test_builtin_driver(unsigned int unit)
{
	unsigned int wrong = 0;
	uint32_t used = 0;
	double worst = 0;

	if (pmu.exclusive) {
		hpm_skip(unit, OF_BUILTIN, "the built-in driver is not loaded");
		return;
	}
	for (unsigned int i = 1; i <= 8; i++) {
		const uint64_t config = XS_TAG(unit) | XS_EVENT(3 * i, 0);
		struct perf_event_attr attr = event(config);
		struct hpm_result result;

		attr.type = PERF_TYPE_RAW;
		result = hpm_measure(table, attr, config, xs_sum(table, unit, config));
		worst = result.error > worst ? result.error : worst;
		wrong += result.error > HPM_TOLERANCE || !result.counters;
		used |= result.counters;
	}
	note("%s: built-in driver: %u wrong, error %.3f %% at most, on counters 0x%x",
	     unit_names[unit], wrong, 100 * worst, used);
	check(!wrong && !(used & ~xs_counters_of(unit)),
	      "%s_" OF_BUILTIN, unit_names[unit]);
}

int main(void)
{
	begin();
	pin(0);
	table = hpm_find_table();
	note("table of the model: %s", table ? table->name : "none");
	if (!check(table, "model_present"))
		return end();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		test_events(unit);
		test_operators(unit);
		test_several(unit);
		test_filters(unit);
		hpm_test_sampling(unit, event(XS_TAG(unit) | XS_EVENT(6, 0)),
				  xs_sum(table, unit, XS_EVENT(6, 0)));
		test_builtin_driver(unit);
	}
	test_wrap();
	test_unknown_operator();
	return end();
}
