// SPDX-License-Identifier: GPL-2.0-only
/*
 * compare - for 'make compare': what the CPU PMU's driver costs, and what it answers
 *
 * Only event types that the module and the kernel's built-in driver both have are used, so the
 * same program measures the one that is there. With 0 in the column icount of cases.tsv each ns is
 * an instruction, and each cycle, too: a time is a number of instructions, those of firmware and of
 * a KVM host included.
 *
 * A result is a line "# row", TEST, LOAD, N, NAME, VALUE, with tabs between. A time is a line for
 * each run.
 */
#include <grp.h>

#include "exits.h"
#include "pingpong.h"
#include "ring.h"
#include "tracepoint.h"

enum { WARM_UP = 20, MAX_EVENTS = 8, MAX_RUNS = 9 };

/* Fewer in a KVM guest, where a switch takes fifty times as long. */
static struct { unsigned int runs, rounds, traced, forks; } sizes = { MAX_RUNS, 200, 500, 50 };

static void row(const char *test, const char *load, unsigned int n, const char *name, double value)
{
	note("row\t%s\t%s\t%u\t%s\t%.4f", test, load, n, name, value);
}

/* What is printed goes through a shell, which would take time on this CPU: wait for it. */
static void settle(void)
{
	fflush(stdout);
	usleep(200000);
}

/* ---- events ---- */

/* All different, as QEMU and the module have equal events on one counter. */
static const struct perf_event_attr hardware[MAX_EVENTS] = {
	HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
	MISSES(DTLB, READ), MISSES(DTLB, WRITE), MISSES(ITLB, READ),
	HARDWARE(CPU_CYCLES, .exclude_user = 1), HARDWARE(INSTRUCTIONS, .exclude_user = 1),
	HARDWARE(CPU_CYCLES, .exclude_kernel = 1),
};

/* No overflow during the test. */
#define LONG_PERIOD	1000000000000000ULL

static const struct load {
	const char *name;
	bool firmware;
	uint64_t period;
} loads[] = {
	{ "counting", false, 0 }, { "sampling", false, LONG_PERIOD }, { "firmware", true, 0 },
};

/* Codes of firmware events that are not special: access_load and those after it */
static struct perf_event_attr attr_of(const struct load *load, unsigned int i)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .config = FIRMWARE(2 + i) };

	if (!load->firmware)
		attr = hardware[i];
	attr.sample_period = load->period;
	return attr;
}

/* Open events that child processes count, too, if @inherit. Return: whether all @n open. */
static bool open_events(const struct load *load, unsigned int n, bool inherit, int *fd)
{
	for (unsigned int i = 0; i < n; i++) {
		struct perf_event_attr attr = attr_of(load, i);

		attr.inherit = inherit;
		fd[i] = perf_try(&attr, 0, -1, -1);
		if (fd[i] >= 0)
			continue;
		note("%s event %u does not open: %s", load->name, i, strerror(-fd[i]));
		while (i--)
			close(fd[i]);
		return false;
	}
	return true;
}

static void close_events(unsigned int n, const int *fd)
{
	for (unsigned int i = 0; i < n; i++)
		close(fd[i]);
}

/*
 * KVM has one counter for cycles and one for instructions, whatever the filter. So there are
 * only five different hardware events.
 */
static bool is_possible(const struct load *load, unsigned int n)
{
	return !is_kvm_guest() || load->firmware || n <= 5;
}

/* ---- context switches ---- */

struct cost {
	bool ok;
	struct tracepoint_counts counts;
	uint64_t exits, ns;
};

/* Counters are configured in the first rounds, which are not measured. */
static void ping(unsigned int rounds, int in, int out, struct cost *cost)
{
	struct exits before = {}, after = {};
	struct tracepoint_counts start;
	uint64_t ns;

	if (!ping_rounds(WARM_UP, in, out))
		return;
	exits_now(&before);
	start = tracepoint_counts_now();
	ns = now_ns();
	cost->ok = ping_rounds(rounds, in, out);
	cost->ns = now_ns() - ns;
	cost->counts = tracepoint_counts_since(start);
	exits_now(&after);
	cost->exits = after.all - before.all;
}

/* Two tasks with the same @n events open send a byte to each other. */
static struct cost run_pair(const struct load *load, unsigned int n, unsigned int rounds)
{
	int there[2], back[2], fd[MAX_EVENTS];
	struct cost cost = {};
	pid_t pid;

	if (pipe(there) || pipe(back))
		return cost;
	pid = fork();
	if (!pid) {
		close(back[0]);
		close(there[1]);
		_exit(!(open_events(load, n, false, fd) &&
			pong_rounds(WARM_UP + rounds, there[0], back[1])));
	}
	close(back[1]);
	close(there[0]);
	if (open_events(load, n, false, fd)) {
		ping(rounds, back[0], there[1], &cost);
		close_events(n, fd);
	}
	close(there[1]);
	close(back[0]);
	waitpid(pid, NULL, 0);
	return cost;
}

static void measure_switch(const struct load *load, unsigned int n)
{
	struct cost cost = {};
	double switches;

	if (!is_possible(load, n))
		return;
	settle();
	if (tracepoints_open())
		cost = run_pair(load, n, sizes.traced);
	tracepoints_close();
	switches = cost.counts.switches;
	if (!check(cost.ok && switches, "%u_%s_events_switch", n, load->name))
		return;
	row("switch", load->name, n, "calls", cost.counts.calls / switches);
	if (cost.exits)
		row("switch", load->name, n, "exits", cost.exits / switches);
	for (unsigned int i = 0; i < sizes.runs; i++) {
		settle();
		row("switch", load->name, n, "pair_ns",
		    (double)run_pair(load, n, sizes.rounds).ns / sizes.rounds);
	}
}

/* ---- fork ---- */

static void measure_fork(unsigned int n)
{
	int fd[MAX_EVENTS];

	if (!check(open_events(&loads[0], n, true, fd), "%u_inherited_events_open", n))
		return;
	for (unsigned int run = 0; run < sizes.runs; run++) {
		uint64_t start;

		settle();
		start = now_ns();
		for (unsigned int i = 0; i < sizes.forks; i++) {
			const pid_t pid = fork();

			if (!pid)
				_exit(0);
			waitpid(pid, NULL, 0);
		}
		row("fork", "counting", n, "ns", (double)(now_ns() - start) / sizes.forks);
	}
	close_events(n, fd);
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

static uint64_t overflow_irqs(void)
{
	return interrupts_of("riscv-pmu") + interrupts_of("sbi_pmu");
}

/* Sample cycles, and count other events beside them: @n in total. */
static void measure_overflow(unsigned int n)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE, .sample_period = PERIOD };
	uint64_t plain, ns, irqs, samples;
	struct tracepoint_counts before;
	int fd[MAX_EVENTS];
	struct ring ring;

	settle();
	work_periods(10);
	plain = work_periods(PERIODS);
	for (unsigned int i = 1; i < n; i++) {
		struct perf_event_attr other = hardware[i];

		fd[i] = perf_try(&other, 0, -1, -1);
	}
	ring = ring_open(&attr, 0, -1, -1);
	if (!check(ring.fd >= 0 && tracepoints_open(), "sampling_beside_%u_events_opens", n - 1))
		return;
	work_periods(10);
	ring_drain(&ring);
	irqs = overflow_irqs();
	before = tracepoint_counts_now();
	ns = work_periods(PERIODS);
	before = tracepoint_counts_since(before);
	irqs = overflow_irqs() - irqs;
	samples = ring_drain(&ring).samples;
	tracepoints_close();
	ring_close(&ring);
	close_events(n - 1, fd + 1);
	note("%u events: %lu interrupts, %lu samples, %lu calls, %lu switches", n, irqs, samples,
	     before.calls, before.switches);
	row("overflow", "sampling", n, "overflows", irqs);
	if (!irqs)
		return;
	row("overflow", "sampling", n, "calls", (double)before.calls / irqs);
	row("overflow", "sampling", n, "ns", ns > plain ? (double)(ns - plain) / irqs : 0);
}

/* ---- samples taken against those that are due ---- */

/* @on: periods of work at a time, in thousandths; @us: of sleep after it */
static const struct pattern {
	const char *name;
	unsigned int on, us;
	bool user;
} patterns[] = {
	{ "steady", 1000, 0, false },
	{ "user mode", 1000, 0, true },
	{ "bursts of 3/10 of a period", 300, 2000, true },
};

static void run_pattern(const struct pattern *p)
{
	const struct timespec off = { .tv_nsec = p->us * 1000 };

	for (unsigned int done = 0; done < PERIODS * 1000; done += p->on) {
		work((uint64_t)PERIOD * p->on / 2000);
		if (p->us)
			nanosleep(&off, NULL);
	}
}

/* The task counts itself, so that nobody's counts but its own matter. */
static void measure_samples(const struct pattern *p, const char *who)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .sample_period = PERIOD, .exclude_kernel = p->user,
		.exclude_hv = p->user,
	};
	struct ring_totals totals;
	struct ring ring;
	char name[64];

	settle();
	snprintf(name, sizeof(name), "%s%s", p->name, who);
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0) {
		note("%s: %s", name, strerror(-ring.fd));
		row("samples", name, 1, "taken", 0);
		return;
	}
	run_pattern(p);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	totals = ring_drain(&ring);
	ring_close(&ring);
	row("samples", name, 1, "taken", totals.samples);
	row("samples", name, 1, "weight", (double)totals.weight / PERIOD);
	row("samples", name, 1, "due", PERIODS);
}

/* Take samples by @attr while @run runs. */
static uint64_t take_samples(struct perf_event_attr attr, void (*run)(int fd))
{
	struct ring ring;
	uint64_t samples;

	settle();
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0)
		return 0;
	run(ring.fd);
	samples = ring_drain(&ring).samples;
	ring_close(&ring);
	return samples;
}

static void refresh(int fd)
{
	for (unsigned int i = 0; i < 50; i++) {
		ioctl(fd, PERF_EVENT_IOC_REFRESH, 1);
		work_periods(5);
	}
}

static void work_second(int fd)
{
	(void)fd;
	work_periods(1000000000 / PERIOD);
}

/* perf core stops an event after one sample (IOC_REFRESH), and at 250 samples a second. */
static void measure_limits(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE, .sample_period = PERIOD, .exclude_kernel = 1,
		.disabled = 1,
	};

	row("samples", "50 times one sample (IOC_REFRESH)", 1, "taken",
	    take_samples(attr, refresh));
	row("samples", "50 times one sample (IOC_REFRESH)", 1, "due", 50);
	attr.disabled = 0;
	set_max_rate("250");
	row("samples", "perf_event_max_sample_rate 250", 1, "taken",
	    take_samples(attr, work_second));
	row("samples", "perf_event_max_sample_rate 250", 1, "due", 250);
	set_max_rate("100000");
}

static bool samples_as_user(void)
{
	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		return false;
	measure_samples(&patterns[1], ", ordinary user");
	return true;
}

static void measure_all_samples(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(patterns); i++)
		measure_samples(&patterns[i], "");
	file_put("/proc/sys/kernel/perf_event_paranoid", "2");
	check(run_in_child(samples_as_user), "ordinary_user_samples");
	measure_limits();
	file_put("/proc/sys/kernel/perf_event_paranoid", "-1");
}

/* ---- what cannot be counted ---- */

#define EVENT(_type, _config, ...) { .type = (_type), .config = (_config), ##__VA_ARGS__ }

static const struct question {
	const char *name;
	unsigned int members;
	struct perf_event_attr attr;
} questions[] = {
	{ "event that the core lacks (branch-misses)", 1,
	  EVENT(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES) },
	{ "raw event that the core lacks (r1234)", 1, EVENT(PERF_TYPE_RAW, 0x1234) },
	{ "unknown bits in config", 1, EVENT(PERF_TYPE_RAW, FIRMWARE(5) | 1ULL << 40) },
	{ "firmware event, sampled", 1,
	  EVENT(PERF_TYPE_RAW, FIRMWARE(5), .sample_period = 1000) },
	{ "firmware event, user mode only", 1,
	  EVENT(PERF_TYPE_RAW, FIRMWARE(5), .exclude_kernel = 1) },
	{ "cycles without idle time", 1, EVENT(PERF_TYPE_HARDWARE, 0, .exclude_idle = 1) },
	{ "group of 20 firmware events", 20, EVENT(PERF_TYPE_RAW, FIRMWARE(0)) },
	{ "group with an event that the core lacks", 2, EVENT(PERF_TYPE_HARDWARE, 0) },
};

static int open_member(const struct question *q, unsigned int i, int leader)
{
	struct perf_event_attr attr = q->attr;

	attr.read_format = READ_TIMES;
	if (i && attr.type == PERF_TYPE_RAW)
		attr.config += i;
	else if (i)
		attr.config = PERF_COUNT_HW_BRANCH_MISSES;
	return perf_try(&attr, 0, -1, leader);
}

static void ask(const struct question *q)
{
	int fd[32], error = 0;
	struct reading r = {};
	unsigned int n;

	for (n = 0; n < q->members && !error; n++) {
		fd[n] = open_member(q, n, n ? fd[0] : -1);
		error = fd[n] < 0 ? -fd[n] : 0;
	}
	if (error) {
		note("row\tanswer\t%s\t%u\trefused\t%s", q->name, q->members, strerror(error));
		n--;
	} else {
		run_load(50, spin_load);
		r = perf_get(fd[0]);
		note("row\tanswer\t%s\t%u\topens\tvalue %lu, counts %.0f %% of the time", q->name,
		     q->members, r.value, r.enabled ? 100. * r.running / r.enabled : 0);
	}
	close_events(n, fd);
}

/* Return: the driver whose PMU perf takes generic events to. */
static const char *driver(void)
{
	static const char *const builtin = "/sys/bus/platform/drivers/riscv-pmu-sbi/riscv-pmu-sbi";

	if (find_pmu())
		return pmu.exclusive ? "module" : "both";
	return access(builtin, F_OK) ? "none" : "builtin";
}

int main(void)
{
	static const unsigned int wanted[] = { 1, 2, 4, MAX_EVENTS };
	static const struct load none = { .name = "none" };

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	note("row\tdriver\t%s\t0\t-\t-", driver());
	pin(TRACED_CPU);
	limits_raise();
	if (is_kvm_guest()) {
		sizes.runs = 3;
		sizes.rounds = 100;
		sizes.traced = 200;
		sizes.forks = 10;
	}
	for (unsigned int i = 0; i < ARRAY_SIZE(questions); i++)
		ask(&questions[i]);
	measure_switch(&none, 0);
	for (unsigned int l = 0; l < ARRAY_SIZE(loads); l++)
		for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
			measure_switch(&loads[l], wanted[i]);
	measure_fork(0);
	for (unsigned int i = 0; i < ARRAY_SIZE(wanted); i++)
		if (is_possible(&loads[0], wanted[i]))
			measure_fork(wanted[i]);
	measure_overflow(1);
	measure_overflow(2);
	measure_overflow(4);
	measure_all_samples();
	limits_restore();
	return end();
}
