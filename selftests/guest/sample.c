// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample - samples come at the requested rate, their weights add up to the count, and they are
 * where the program was.
 *
 * QEMU's counters follow the clock of its host, which may be busy. So periods are derived from
 * a rate that was just measured, and samples are compared with the count of the same event in
 * the same run.
 */
#include "ring.h"
#include "hotspot.h"

/*
 * On a busy host QEMU may not run for longer than a period; one sample then stands for several
 * periods. Repeat a test of the number of samples: a driver that drops samples always does.
 */
enum { TRIES = 3 };

static bool interrupts;		/* samples by overflow interrupt, not by timer */

static const char *name_of(uint64_t code)
{
	return code == CODE_CYCLES ? "cycles" :
	       code == CODE_INSTRUCTIONS ? "instructions" : "dtlb_misses";
}

static struct perf_event_attr attr_of(uint64_t code)
{
	return (struct perf_event_attr){
		.type = pmu.type,
		.config = STANDARD(code),
		.read_format = READ_TIMES,
	};
}

/* ---- loads ---- */

/* Run in the kernel and in user space. */
static void mixed_load(void)
{
	for (unsigned int i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	work(500000);
}

static void (*load_of(uint64_t code))(void)
{
	return code == CODE_DTLB_MISSES ? touch_load : spin_load;
}

/* Return: the period for @hz samples per second of the event's load, 0 if it does not count. */
static uint64_t period_for(uint64_t code, unsigned int hz)
{
	return per_second(attr_of(code), load_of(code)) / hz;
}

/* ---- a fixed period ---- */

struct result {
	struct ring_totals totals;
	struct reading r;
	uint64_t period;
};

static struct result take_samples(struct ring *ring, uint64_t period, unsigned int ms,
				  void (*load)(void))
{
	struct result result = { .period = period };

	ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
	run_load(ms, load);
	ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
	result.r = perf_get(ring->fd);
	result.totals = ring_drain(ring);
	return result;
}

/*
 * Return: whether the number of samples is right. Where an overflow is found late, by a timer or
 * by QEMU, one sample may stand for several periods. There may never be more samples than
 * periods.
 */
static bool has_enough_samples(uint64_t code, const struct result *result)
{
	const uint64_t due = result->r.value / result->period, n = result->totals.samples;

	if (interrupts && !is_overflow_late(code))
		return within(n, due, 10);
	return n <= due + 1 && n >= due / (interrupts ? 5 : 8);
}

static struct result take_enough_samples(uint64_t code, struct perf_event_attr *attr)
{
	struct result result = {};

	for (int i = 0; i < TRIES; i++) {
		struct ring ring = ring_open(attr, 0, -1, -1);

		if (ring.fd < 0)
			return result;
		result = take_samples(&ring, attr->sample_period, 2000, load_of(code));
		ring_close(&ring);
		if (has_enough_samples(code, &result))
			break;
	}
	return result;
}

static void check_result(uint64_t code, const struct result *result)
{
	const char *what = name_of(code);
	const struct ring_totals *s = &result->totals;

	note("%s: weights %lu, count %lu; %lu samples, %lu periods; lost %lu, throttled %lu", what,
	     s->weight, result->r.value, s->samples, result->r.value / result->period, s->lost,
	     s->throttled);
	check(within(s->weight, result->r.value, 5), "%s_sample_weights_add_up_to_count", what);
	check(has_enough_samples(code, result), "%s_samples_match_periods", what);
	check(!s->lost && !s->throttled, "%s_samples_are_not_lost_or_throttled", what);
}

static void test_period(uint64_t code)
{
	struct perf_event_attr attr = attr_of(code);
	const uint64_t period = period_for(code, 200);
	struct result result;

	if (!period) {
		/* A machine without programmable counters has no overflow interrupt either. */
		if (check(code == CODE_DTLB_MISSES && !interrupts,
			  "%s_are_missing_only_without_overflow_interrupt", name_of(code)))
			skip("dtlb_misses_samples_match_periods",
			     "no counter can count dTLB misses");
		return;
	}
	attr.sample_period = period;
	attr.disabled = 1;
	result = take_enough_samples(code, &attr);
	check_result(code, &result);
	/*
	 * 400 periods are due. With snapshot, cycles are not counted while KVM has the counters
	 * stopped: a fifth of the time on the lab's machines.
	 */
	check(result.r.value / period > 200, "%s_count_while_sampled", name_of(code));
}

/* ---- addresses ---- */

static bool is_in_page_of(uint64_t ip, const void *function)
{
	return ip / 4096 == (uintptr_t)function / 4096;
}

/* Weights of the samples in light(), in heavy(), and of all samples; the number of samples. */
struct shares {
	uint64_t light, heavy, all, samples;
};

static struct shares measure_shares(struct ring *ring)
{
	struct shares s = {};
	struct record r;

	light_ns = 0;
	heavy_ns = 0;
	ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
	run_load(2000, hotspot_load);
	ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(ring, &r)) {
		s.light += is_in_page_of(r.ip, light) ? r.period : 0;
		s.heavy += is_in_page_of(r.ip, heavy) ? r.period : 0;
		s.all += r.period;
		s.samples += r.type == PERF_RECORD_SAMPLE;
	}
	return s;
}

static double light_percent(const struct shares *s)
{
	return 100.0 * s->light / (s->light + s->heavy ?: 1);
}

/* Return: what light() must have: a quarter of the instructions, or its share of the time. */
static double light_percent_expected(uint64_t code)
{
	return code == CODE_INSTRUCTIONS ? 25 : light_percent_of_time();
}

static bool are_shares_right(uint64_t code, const struct shares *s)
{
	const double more = light_percent(s) - light_percent_expected(code);

	return s->light && more >= -5 && more <= 5;
}

/* The rest are samples of the kernel, and of what the program does around the two functions. */
static bool have_a_third(const struct shares *s)
{
	return (s->light + s->heavy) * 3 >= s->all;
}

static void test_hotspot(uint64_t code)
{
	struct perf_event_attr attr = attr_of(code);
	struct shares s = {};
	struct ring ring;

	attr.sample_period = period_for(code, 1000);
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	note("fd %d, period %llu", ring.fd, attr.sample_period);
	if (!check(ring.fd >= 0, "%s_hotspot_event_opens", name_of(code)))
		return;
	/* Where QEMU did not run for a while one sample has the weight of many. */
	for (int i = 0; i < TRIES && !(are_shares_right(code, &s) && have_a_third(&s)); i++)
		s = measure_shares(&ring);
	ring_close(&ring);
	note("%s: light() has %.1f %%, expected %.1f %%; both have %.1f %% of all; %lu samples",
	     name_of(code), light_percent(&s), light_percent_expected(code),
	     100.0 * (s.light + s.heavy) / (s.all ?: 1), s.samples);
	check(are_shares_right(code, &s), "%s_hotspot_shares_match_work", name_of(code));
	check(have_a_third(&s), "%s_hotspot_functions_have_a_third_of_all", name_of(code));
}

/* ---- modes ---- */

/* A counter that cannot filter by mode refuses to count and to sample. */
static void check_mode_refused(const char *mode, struct perf_event_attr *attr)
{
	char name[64];
	int fd;

	attr->sample_period = 0;
	fd = perf_try(attr, 0, -1, -1);
	check(fd == -ENOENT && !has_mode_filters(),
	      "%s_only_is_refused_for_counting_and_sampling", mode);
	snprintf(name, sizeof(name), "%s_only_samples_are_all_in_%s_mode", mode, mode);
	skip(name, "no counter of cycles can filter by mode");
}

/* @mode: user or kernel; the other one is excluded in @attr. */
static void test_mode(const char *mode, struct perf_event_attr attr)
{
	const uint64_t least = is_slow_kernel() ? 5 : 20;
	const bool user = attr.exclude_kernel;
	uint64_t right = 0, n = 0, due;
	struct record r;
	struct ring ring;

	attr.sample_period = period_for(CODE_CYCLES, 500);
	attr.read_format = READ_TIMES;
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	/* With this errno, perf record samples the CPU clock in place of cycles. */
	if (ring.fd == -ENOENT) {
		check_mode_refused(mode, &attr);
		return;
	}
	note("%s only: fd %d", mode, ring.fd);
	if (!check(ring.fd >= 0, "%s_only_event_opens", mode))
		return;
	/*
	 * On a busy host the timer may often expire in the other mode. It then waits longer and
	 * longer before it samples again.
	 */
	for (int i = 0; i < TRIES && n <= least; i++) {
		ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
		run_load(1000, mixed_load);
		ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
		while (ring_next(&ring, &r)) {
			const unsigned int cpumode = r.misc & PERF_RECORD_MISC_CPUMODE_MASK;
			const bool low = !(r.ip >> 63);

			n += r.type == PERF_RECORD_SAMPLE;
			right += r.type == PERF_RECORD_SAMPLE && low == user &&
				 cpumode == (user ? PERF_RECORD_MISC_USER :
					     PERF_RECORD_MISC_KERNEL);
		}
	}
	due = perf_get(ring.fd).value / attr.sample_period;
	ring_close(&ring);
	note("%s only: %lu samples, %lu of them in that mode; %lu periods", mode, n, right, due);
	check(n > least && right == n, "%s_only_samples_are_all_in_%s_mode", mode, mode);
}

/* ---- frequency ---- */

/* Return: the samples in the second of two seconds: by then perf core has adapted the period. */
static uint64_t measure_rate(uint64_t code, unsigned int hz)
{
	struct perf_event_attr attr = attr_of(code);
	uint64_t start, n = 0;
	struct record r;
	struct ring ring;

	attr.freq = 1;
	attr.sample_freq = hz;
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0)
		return 0;
	start = now_ns();
	run_load(2000, load_of(code));
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(&ring, &r))
		n += r.type == PERF_RECORD_SAMPLE && r.time > start + 1000000000ULL;
	ring_close(&ring);
	return n;
}

/*
 * The bounds are wide: late overflows give fewer samples of more weight; the timer estimates when
 * a period ends; and perf core assumes that ticks are equally long, so that a host that does not
 * run QEMU for a while makes it overestimate the event rate.
 */
static void test_frequency(uint64_t code)
{
	const unsigned int hz = is_overflow_late(code) ? 100 : 1000;
	const unsigned int least = interrupts ? hz / 5 : hz / 8;
	uint64_t n = 0;

	for (int i = 0; i < TRIES && n <= least; i++)
		n = measure_rate(code, hz);
	note("%s at %u Hz: %lu samples in a second", name_of(code), hz, n);
	check(n > least && n < hz * 3 / 2, "%s_are_sampled_at_requested_frequency", name_of(code));
}

/* ---- contents of samples ---- */

static void test_callchain(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES);
	uint64_t n = 0, right = 0, in_kernel = 0;
	struct record r;
	struct ring ring;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.sample_period = period_for(CODE_CYCLES, 200);
	ring = ring_open(&attr, 0, -1, -1);
	note("fd %d", ring.fd);
	if (!check(ring.fd >= 0, "callchain_event_opens"))
		return;
	run_load(1000, mixed_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(&ring, &r)) {
		bool user;

		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		user = (r.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER;
		n++;
		in_kernel += !user;
		right += r.frames >= 2 && r.frame[1] == r.ip &&
			 r.frame[0] == (uint64_t)(user ? PERF_CONTEXT_USER : PERF_CONTEXT_KERNEL);
	}
	ring_close(&ring);
	note("%lu of %lu call chains begin at the sample, %lu in the kernel", right, n, in_kernel);
	check(n > 20 && right == n, "callchains_begin_at_sample_address");
}

static void test_group_read(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES), member = attr_of(CODE_INSTRUCTIONS);
	uint64_t last[2] = {}, n = 0, wrong = 0, weight = 0;
	struct record r;
	struct ring ring;
	int fd;

	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	/* All events of a group must use the same clock. */
	member.use_clockid = 1;
	member.clockid = CLOCK_MONOTONIC;
	attr.sample_period = period_for(CODE_CYCLES, 200);
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	fd = ring.fd < 0 ? -1 : perf_try(&member, 0, -1, ring.fd);
	note("leader fd %d, member fd %d", ring.fd, fd);
	if (!check(fd >= 0, "group_with_sampling_leader_opens"))
		return;
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	run_load(2000, mixed_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(&ring, &r)) {
		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		weight += r.period;
		wrong += r.values != 2 || r.value[0] <= last[0] || r.value[1] <= last[1];
		memcpy(last, r.value, sizeof(last));
	}
	close(fd);
	ring_close(&ring);
	note("%lu samples, %lu of them without two greater values", n, wrong);
	check(n > 20 && !wrong, "group_values_grow_with_each_sample");
	note("leader: weights %lu, last value %lu", weight, last[0]);
	check(within(weight, last[0], 5), "leader_sample_weights_add_up_to_its_value");
}

static void test_each_cpu(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool all = true;

	for (int cpu = 0; cpu < cpus; cpu++) {
		struct perf_event_attr attr = attr_of(CODE_CYCLES);
		struct result result = {};
		struct ring ring;

		attr.sample_period = period_for(CODE_CYCLES, 200);
		attr.disabled = 1;
		ring = ring_open(&attr, -1, cpu, -1);
		pin(cpu);
		if (ring.fd >= 0)
			result = take_samples(&ring, attr.sample_period, 500, spin_load);
		note("CPU %d: fd %d, %lu samples, weights %lu, count %lu", cpu, ring.fd,
		     result.totals.samples, result.totals.weight, result.r.value);
		all &= result.totals.samples > 10 &&
		       within(result.totals.weight, result.r.value, 5);
		ring_close(&ring);
	}
	check(all, "event_of_each_cpu_samples_all_its_tasks");
}

/* Samples of inherited events are written to the parent's ring buffer. */
static void test_inherit(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES);
	uint64_t of_child = 0, weight = 0, count;
	struct ring ring;
	struct record r;
	pid_t child;

	attr.sample_period = period_for(CODE_CYCLES, 200);
	attr.inherit = 1;
	pin(0);
	ring = ring_open(&attr, 0, 0, -1);
	note("fd %d", ring.fd);
	if (!check(ring.fd >= 0, "inherited_event_opens"))
		return;
	child = fork();
	if (!child) {
		run_load(1000, spin_load);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	count = perf_get(ring.fd).value;
	while (ring_next(&ring, &r)) {
		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		of_child += r.pid == (uint32_t)child;
		weight += r.period;
	}
	ring_close(&ring);
	note("%lu samples of the child; weights %lu, count %lu", of_child, weight, count);
	check(of_child > 20 && within(weight, count, 5),
	      "child_is_sampled_and_weights_add_up_to_count");
}

static void test_refusals(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES);
	int fd;

	attr.config = FIRMWARE(4);
	attr.sample_period = 1000;
	fd = perf_try(&attr, 0, -1, -1);
	note("perf_event_open: %d", fd);
	check(fd == -EOPNOTSUPP, "sampling_of_firmware_event_is_refused");
}

int main(void)
{
	begin();
	interrupts = has_overflow_irq(pmu.name);
	note("samples by %s", interrupts ? "overflow interrupt" : "timer");
	limits_raise();

	test_period(CODE_CYCLES);
	test_period(CODE_INSTRUCTIONS);
	test_period(CODE_DTLB_MISSES);
	test_hotspot(CODE_CYCLES);
	test_hotspot(CODE_INSTRUCTIONS);
	test_mode("user", (struct perf_event_attr){
		.type = pmu.type, .config = STANDARD(CODE_CYCLES), .exclude_kernel = 1 });
	test_mode("kernel", (struct perf_event_attr){
		.type = pmu.type, .config = STANDARD(CODE_CYCLES), .exclude_user = 1 });
	test_frequency(CODE_CYCLES);
	if (period_for(CODE_DTLB_MISSES, 1000))
		test_frequency(CODE_DTLB_MISSES);
	else
		skip("dtlb_misses_are_sampled_at_requested_frequency",
		     "no counter can count dTLB misses");
	test_callchain();
	test_group_read();
	test_each_cpu();
	test_inherit();
	test_refusals();

	limits_restore();
	return end();
}
