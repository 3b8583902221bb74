// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare - for 'make compare': what a context switch and an overflow cost with the PMU's driver,
 * and by how much the events of a group differ
 *
 * Only event types that the module and the kernel's built-in driver both have are used, so the
 * same program measures the one that is there. With 0 in the column icount of cases.tsv each ns is
 * an instruction, and each cycle, too: a time is a number of instructions, those of firmware and of
 * a KVM host included.
 *
 * A result is a line "# row", NAME, VALUE, with tabs between.
 */
#include "pingpong.h"
#include "ring.h"

enum { ROUNDS = 200, RUNS = 9 };

static void row(const char *load, const char *what, const char *format, double value)
{
	char text[32];

	snprintf(text, sizeof(text), format, value);
	note("row\t%s: %s\t%s", load, what, text);
}

static const struct perf_event_attr firmware_event = {
	.type = PERF_TYPE_RAW, .config = 2ULL << 62 | 5 /* set_timer */,
};

/* ---- context switches ---- */

static const struct load {
	const char *name;
	const struct perf_event_attr *attrs;
	unsigned int events;
	uint64_t period;	/* 0: the events only count */
} loads[] = {
	{ "switch without events", NULL, 0, 0 },
	{ "switch, 1 counting event", different_events, 1, 0 },
	{ "switch, 2 counting events", different_events, 2, 0 },
	{ "switch, 3 counting events", different_events, 3, 0 },
	{ "switch, 4 counting events", different_events, 4, 0 },
	{ "switch, 5 counting events", different_events, 5, 0 },
	{ "switch, 1 sampling event", different_events, 1, 1000000000000000ULL }, /* no overflow */
	{ "switch, 1 sampling event, 2000000 cycles", different_events, 1, 2000000 },
	{ "switch, 1 firmware event", &firmware_event, 1, 0 },
};

static void measure_switch(const struct load *load)
{
	struct perf_event_attr attrs[PINGPONG_EVENTS];
	struct pingpong run;
	double switches, ns;

	for (unsigned int i = 0; i < load->events; i++) {
		attrs[i] = load->attrs[i];
		attrs[i].sample_period = load->period;
		attrs[i].read_format = READ_TIMES;
	}
	settle();
	run = pingpong_run_traced(attrs, load->events, ROUNDS);
	switches = run.counts.switches;
	ns = pingpong_median_ns(attrs, load->events, ROUNDS) / 2. / ROUNDS;
	if (!check(run.done[0] && run.done[1] && switches && ns > 0, "events_switch_%zu",
		   load - loads))
		return;
	row(load->name, "instructions", "%.0f", ns);
	row(load->name, "SBI calls", "%.1f", run.counts.calls / switches);
	if (is_kvm_guest())
		row(load->name, "exits", "%.1f", run.exits.all / switches);
}

/* ---- overflows ---- */

enum { PERIOD = 200000, PERIODS = 200 };

/* work() for so many periods of cycles: with -icount a cycle is an instruction. */
static uint64_t work_periods(unsigned int periods)
{
	const uint64_t start = now_ns();

	for (unsigned int i = 0; i < periods; i++)
		work(PERIOD / 2);
	return now_ns() - start;
}

/* Other work only adds time: take the shortest of some runs. */
static uint64_t least_work(void)
{
	uint64_t least = UINT64_MAX, ns;

	for (unsigned int i = 0; i < RUNS; i++) {
		ns = work_periods(PERIODS);
		least = ns < least ? ns : least;
	}
	return least;
}

static uint64_t overflow_irqs(void)
{
	return interrupts_of("riscv-pmu") + interrupts_of("sbi_pmu");
}

/* Sample cycles, and count other events beside them: @n in total. */
static void measure_overflow(unsigned int n)
{
	struct perf_event_attr attr = different_events[0];
	int fd[PINGPONG_EVENTS];
	struct tracepoint_counts calls;
	uint64_t plain, ns, irqs;
	struct ring ring;
	char load[40];
	bool others;

	settle();
	work_periods(10);
	plain = least_work();
	others = open_events(different_events + 1, n - 1, fd);
	attr.sample_period = PERIOD;
	ring = ring_open(&attr, 0, -1, -1);
	if (!check(others && ring.fd >= 0 && tracepoints_open(),
		   "sampling_beside_%u_events_opens", n - 1))
		return;
	work_periods(10);
	ring_drain(&ring);
	irqs = overflow_irqs();
	calls = tracepoint_counts_now();
	ns = least_work();
	calls = tracepoint_counts_since(calls);
	irqs = (overflow_irqs() - irqs) / RUNS;
	tracepoints_close();
	ring_close(&ring);
	close_events(fd, n - 1);
	note("%u events: %lu interrupts, %d are due", n, irqs, PERIODS);
	if (irqs < PERIODS / 2) /* lost: the built-in driver in a KVM guest */
		return;
	snprintf(load, sizeof(load), "overflow beside %u counting events", n - 1);
	row(load, "instructions", "%.0f", ns > plain ? (double)(ns - plain) / irqs : 0);
	row(load, "SBI calls", "%.1f", (double)calls.calls / RUNS / irqs);
}

/* ---- groups ---- */

/* Cycles, misses, instructions: with -icount the first and the last happen as often. */
static bool open_group(uint64_t period, struct ring *ring, int *fd)
{
	struct perf_event_attr members[] = {
		different_events[2], different_events[3], different_events[4], different_events[1],
	};
	struct perf_event_attr attr = different_events[0];

	attr.disabled = 1;
	attr.sample_period = period;
	if (period) {
		*ring = ring_open(&attr, 0, -1, -1);
		fd[0] = ring->fd;
	} else {
		fd[0] = perf_try(&attr, 0, -1, -1);
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(members) && fd[0] >= 0; i++) {
		/* Perf core wants the clock of the ring's records in the whole group. */
		members[i].use_clockid = attr.use_clockid;
		members[i].clockid = attr.clockid;
		fd[i + 1] = perf_try(&members[i], 0, -1, fd[0]);
	}
	return fd[0] >= 0 && fd[ARRAY_SIZE(members)] >= 0;
}

/* Return: the cycles less the instructions that the group counts while @run runs */
static double difference(const int *fd, void (*run)(void))
{
	ioctl(fd[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
	run();
	ioctl(fd[0], PERF_EVENT_IOC_DISABLE, 0);
	return (double)perf_get(fd[0]).value - perf_get(fd[4]).value;
}

enum { SLEEPS = 200, GROUP_PERIODS = 200, GROUP_PERIOD = 100003 };

static void run_shortly(void)
{
	work(10000);
}

static void run_with_sleeps(void)
{
	for (unsigned int i = 0; i < SLEEPS; i++) {
		work(1000);
		usleep(200);
	}
}

static void run_for_periods(void)
{
	for (unsigned int i = 0; i < GROUP_PERIODS; i++)
		work(GROUP_PERIOD / 2);
}

static void measure_group(const char *leader, uint64_t period)
{
	struct ring ring;
	char load[64];
	int fd[5];

	settle();
	if (!check(open_group(period, &ring, fd), "group_with_%s_leader_opens", leader))
		return;
	snprintf(load, sizeof(load), "group of 5, %s leader", leader);
	row(load, "differ by, first enable", "%.0f", difference(fd, run_shortly));
	row(load, "differ by, next enable", "%.0f", difference(fd, run_shortly));
	row(load, "differ by, each switch", "%.1f", difference(fd, run_with_sleeps) / SLEEPS);
	if (period == GROUP_PERIOD)
		row(load, "differ by, each overflow", "%.1f",
		    difference(fd, run_for_periods) / GROUP_PERIODS);
	close_events(fd + 1, 4);
	if (period)
		ring_close(&ring);
	else
		close(fd[0]);
}

int main(void)
{
	struct perf_event_attr held = { .type = PERF_TYPE_SOFTWARE, .disabled = 1 };

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	note_driver();
	pin(TRACED_CPU);
	limits_raise();
	/* While an event of a task exists, perf core looks at every context switch. */
	check(perf_try(&held, getppid(), -1, -1) >= 0, "event_of_parent_opens");
	for (unsigned int i = 0; i < ARRAY_SIZE(loads); i++)
		measure_switch(&loads[i]);
	measure_overflow(1);
	measure_overflow(2);
	measure_overflow(4);
	measure_group("counting", 0);
	measure_group("sampling", GROUP_PERIOD);
	limits_restore();
	return end();
}
