// SPDX-License-Identifier: GPL-2.0-only
/*
 * hpm_model - raw events on QEMU's model of XiangShan's counters count at the rates of model.h. A
 * raw event has its unit in its tag bits, and firmware's device tree maps it to the unit's
 * counters.
 */
#include <fcntl.h>

#include "hpm_model.h"

/* With an event table for this core the driver refuses raw events that are not in the table. */
static bool has_event_table(void)
{
	char text[32];

	return pmu_text("format/unit", text, sizeof(text));
}

static void add_event(struct hpm_survey *s, uint64_t selectors)
{
	hpm_survey_add(s, event(XS_TAG(s->unit) | selectors), XS_TAG(s->unit) | selectors);
}

/* Each event of the table, and a few indices after its end that the selector can hold. */
static void test_events(unsigned int unit)
{
	struct hpm_survey s = { .unit = unit };
	unsigned int past = 0;

	for (unsigned int i = 1; i < 256 && past < 3; i++) {
		if (i >= table->events[unit] && has_event_table())
			break;
		past += !xs_index(table, unit, i);
		add_event(&s, XS_EVENT(i, 0));
	}
	hpm_survey_check(&s, "events");
	check(s.n >= table->events[unit] - 1U, "%s_all_events_are_measured", unit_names[unit]);
}

/* Two, three and four events joined by operators. */
static void test_operators(unsigned int unit)
{
	static const unsigned int ops[] = { XS_OR, XS_AND, XS_XOR, XS_ADD };
	struct hpm_survey s = { .unit = unit };
	unsigned int seed = unit;

	for (unsigned int n = 0; n < 64; n++) {
		uint64_t selectors = XS_OP(ops[n % 4], 0) | XS_OP(ops[n / 4 % 4], 1) |
				     XS_OP(ops[n / 16], 2);

		for (unsigned int e = 0; e < 4; e++)
			selectors |= XS_EVENT(1 + rand_r(&seed) % (table->events[unit] - 1), e);
		add_event(&s, selectors);
	}
	hpm_survey_check(&s, "events_with_operators");
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
	const unsigned int n = hpm_counters_of(unit);
	unsigned int sum[8];
	uint32_t used = 0;
	bool agree;
	int fd[8];

	for (unsigned int i = 0; i < n; i++) {
		struct perf_event_attr attr = event(encode_differently(unit, i));

		attr.read_format = PERF_FORMAT_GROUP;
		fd[i] = perf_try(&attr, 0, -1, i ? fd[0] : -1);
		sum[i] = 1;
	}
	agree = hpm_is_group_right(fd[0], n, sum);
	for (unsigned int i = 0; i < n; i++) {
		used |= hpm_counters_with(encode_differently(unit, i));
		close(fd[i]);
	}
	note("%s: %u counters (0x%x)", unit_names[unit], n, used);
	check(agree && used == xs_counters_of(unit), "%s_counters_agree_on_one_event",
	      unit_names[unit]);
}

/* About half in the kernel. */
static void work_in_both_modes(uint64_t iterations)
{
	char buffer[4096];
	int fd = open("/dev/zero", O_RDONLY);

	for (int i = 0; i < 2000; i++) {
		if (read(fd, buffer, sizeof(buffer)) < 0)
			perror("read");
		work(iterations / 2000);
	}
	close(fd);
}

/* The event as a group of three: in all modes, in user mode, in kernel mode */
static void test_filters(unsigned int unit)
{
	struct hpm_group c = {};
	int fd[3];

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = event(XS_TAG(unit) | XS_EVENT(3, 0));

		attr.read_format = PERF_FORMAT_GROUP;
		attr.exclude_kernel = i == 1;
		attr.exclude_user = i == 2;
		fd[i] = perf_try(&attr, 0, -1, i ? fd[0] : -1);
	}
	/* Other work on the host can delay a read: repeat. */
	for (int i = 0; i < 5 && !within(c.value[1] + c.value[2], c.value[0], 2); i++)
		c = hpm_count(fd[0], work_in_both_modes, 20000000);
	note("%s: user %lu, kernel %lu, all %lu", unit_names[unit], c.value[1], c.value[2],
	     c.value[0]);
	check(within(c.value[1] + c.value[2], c.value[0], 2) && c.value[1] > c.value[0] / 20 &&
	      c.value[2] > c.value[0] / 20, "%s_user_and_kernel_counts_sum_to_all",
	      unit_names[unit]);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

int main(void)
{
	hpm_begin();
	for (unsigned int unit = XS_FRONTEND; unit < XS_UNITS; unit++) {
		test_events(unit);
		test_operators(unit);
		test_several(unit);
		test_filters(unit);
		hpm_test_sampling(unit, event(XS_TAG(unit) | XS_EVENT(6, 0)),
				  xs_sum(table, unit, XS_EVENT(6, 0)));
	}
	return end();
}
