// SPDX-License-Identifier: GPL-2.0-only
#include "../../allocate.h"
#include "check.h"

/* The config of an event that happens on each cycle, if @table is the core's. */
u64 sbi_pmu_check_event(const struct sbi_pmu_table *table, unsigned int n)
{
	static const char * const names[SBI_PMU_CHECK_EVENTS] = {
		[SBI_PMU_CHECK_MEMORY] = "cycles_memory",
		[SBI_PMU_CHECK_BACKEND] = "cycles_backend",
	};

	return sbi_pmu_table_config(table, names[n]);
}

static int add_and_start(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	int ret = sbi_pmu_event_add(c, event);

	if (!ret)
		ret = sbi_pmu_event_start(c, event);
	sbi_pmu_counters_start(c);
	return ret;
}

/* Two clocks: the cycle counter, which may not count, and the first event */
enum { BY_CYCLES, BY_EVENT, CLOCKS };

static u64 counted(struct sbi_pmu_counters *c, struct sbi_pmu_event *event)
{
	sbi_pmu_event_update(c, event);
	return event->count;
}

static void look(struct sbi_pmu_counters *c, struct sbi_pmu_event *event, u64 clock[CLOCKS])
{
	if (c->backend.read_csr(CSR_CYCLE, &clock[BY_CYCLES]))
		clock[BY_CYCLES] = 0;
	clock[BY_EVENT] = counted(c, event);
}

/* Only with reads of CSRs: a call could take firmware any time. */
static void measure(struct sbi_pmu_counters *c, struct sbi_pmu_event event[SBI_PMU_CHECK_EVENTS],
		    void (*wait)(void), struct sbi_pmu_check *check)
{
	u64 first[CLOCKS], begin[CLOCKS], end[CLOCKS], last[CLOCKS];
	unsigned int n, by;

	look(c, event, first);
	for (n = 0; n < SBI_PMU_CHECK_EVENTS; n++)
		check->count[n] = counted(c, &event[n]);
	look(c, event, begin);
	wait();
	look(c, event, end);
	for (n = 0; n < SBI_PMU_CHECK_EVENTS; n++)
		check->count[n] = counted(c, &event[n]) - check->count[n];
	look(c, event, last);

	check->cycles = begin[BY_CYCLES] != end[BY_CYCLES];
	by = check->cycles ? BY_CYCLES : BY_EVENT;
	check->least = end[by] - begin[by];
	check->most = last[by] - first[by];
}

/**
 * sbi_pmu_check_measure() - count the events, and cycles beside them
 * @c: this CPU's, without events
 * @code: the events
 * @candidates: counters that can count them
 * @wait: lets some time pass
 * @check: the counts; written on success
 *
 * The cycle counter is read as it is: firmware's device tree may map an event "cycles" to one of
 * the events, which then would confirm itself. Context: on the CPU, interrupts disabled.
 * Return: 0, or why there is no counter.
 */
int sbi_pmu_check_measure(struct sbi_pmu_counters *c,
			  const struct sbi_pmu_event_code code[SBI_PMU_CHECK_EVENTS],
			  const u64 candidates[SBI_PMU_CHECK_EVENTS], void (*wait)(void),
			  struct sbi_pmu_check *check)
{
	struct sbi_pmu_event event[SBI_PMU_CHECK_EVENTS];
	unsigned int n;
	int ret = 0;

	for (n = 0; n < SBI_PMU_CHECK_EVENTS; n++)
		sbi_pmu_event_init(&event[n], &code[n], candidates[n]);
	for (n = 0; n < SBI_PMU_CHECK_EVENTS && !ret; n++)
		ret = add_and_start(c, &event[n]);
	if (!ret)
		measure(c, event, wait, check);
	for (n = 0; n < SBI_PMU_CHECK_EVENTS; n++)
		sbi_pmu_event_del(c, &event[n]);
	sbi_pmu_counters_release_idle(c);
	return ret;
}

/**
 * sbi_pmu_check_result() - could this be the core's table?
 * @check: the counts; without cycles the two events are compared with each other
 *
 * Each event was read between two looks at the clock, and is compared with both. An interruption of
 * more than 1/32 of the time would let pass a wrong event that happens on 6 of 5 cycles. Another
 * 1/8 is allowed for privilege modes in which the events do not count.
 */
enum sbi_pmu_check_result sbi_pmu_check_result(const struct sbi_pmu_check *check)
{
	const u64 least = check->least, most = check->most;

	if (!most)
		return SBI_PMU_CHECK_WRONG;
	if (most - least > least / 32)
		return SBI_PMU_CHECK_UNCLEAR;
	for (unsigned int n = 0; n < SBI_PMU_CHECK_EVENTS; n++)
		if (check->count[n] < least - least / 8 || check->count[n] > most + most / 8)
			return SBI_PMU_CHECK_WRONG;
	return SBI_PMU_CHECK_PLAUSIBLE;
}
