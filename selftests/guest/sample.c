// SPDX-License-Identifier: GPL-2.0-only
/*
 * sample - samples come as often as asked, stand for what was counted, and say
 * where it was.
 *
 * QEMU's counters follow its host's clock, and the host is busy. So a period is
 * made from the rate just measured, and samples are held against the count of
 * the same event in the same run.
 */
#include "ring.h"
#include "hotspot.h"

/*
 * The host may be away for longer than a period. Then one sample stands for
 * several, and the number of samples is worth a second look; a driver that drops
 * them drops them every time.
 */
enum { TRIES = 3 };

static int type;
static bool interrupts;

static const char *codename(uint64_t code)
{
	return code == CODE_CYCLES ? "cycles" :
	       code == CODE_INSTRUCTIONS ? "instructions" : "dTLB misses";
}

static struct perf_event_attr attr_of(uint64_t code)
{
	return (struct perf_event_attr){
		.type = type,
		.config = STANDARD(code),
		.read_format = READ_TIMES,
	};
}

/* ---- loads ---- */

/* Some in the kernel, some out of it. */
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

/* The period that gives @hz samples a second with this load; 0 if nothing is counted. */
static uint64_t period_for(uint64_t code, unsigned int hz)
{
	return per_second(attr_of(code), load_of(code)) / hz;
}

/* ---- a fixed period ---- */

struct result {
	struct seen seen;
	struct reading r;
	uint64_t period;
};

static struct result sampled(struct ring *ring, uint64_t period, unsigned int ms,
			     void (*load)(void))
{
	struct result result = { .period = period };

	ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
	busy(ms, load);
	ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
	result.r = perf_get(ring->fd);
	result.seen = ring_drain(ring);
	return result;
}

/*
 * One sample may stand for several periods where an overflow is noticed late: by
 * a timer, or by QEMU. There may never be more samples than periods.
 */
static bool often_enough(uint64_t code, const struct result *result)
{
	const uint64_t due = result->r.value / result->period, n = result->seen.samples;

	if (interrupts && !pmu_is_late(code))
		return within(n, due, 10);
	return n <= due + 1 && n >= due / (interrupts ? 5 : 8);
}

static struct result sampled_well(uint64_t code, struct perf_event_attr *attr)
{
	struct result result = {};

	for (int i = 0; i < TRIES; i++) {
		struct ring ring = ring_open(attr, 0, -1, -1);

		if (ring.fd < 0)
			return result;
		result = sampled(&ring, attr->sample_period, 2000, load_of(code));
		ring_close(&ring);
		if (often_enough(code, &result))
			break;
	}
	return result;
}

static void check_result(uint64_t code, const struct result *result)
{
	const char *what = codename(code);
	const struct seen *s = &result->seen;

	check(within(s->weight, result->r.value, 5),
	      "%s: samples stand for what was counted (%lu of %lu)", what, s->weight,
	      result->r.value);
	check(often_enough(code, result), "%s: as many samples as periods (%lu of %lu)", what,
	      s->samples, result->r.value / result->period);
	check(!s->lost && !s->throttled, "%s: none lost, not throttled (%lu, %lu)", what, s->lost,
	      s->throttled);
}

static void test_period(uint64_t code)
{
	struct perf_event_attr attr = attr_of(code);
	const uint64_t period = period_for(code, 200);
	struct result result;

	if (!period) {
		/* A machine without programmable counters has no interrupt either. */
		check(code == CODE_DTLB_MISSES && !interrupts, "%s: not here", codename(code));
		return;
	}
	attr.sample_period = period;
	attr.disabled = 1;
	result = sampled_well(code, &attr);
	check_result(code, &result);
}

/* ---- where ---- */

static bool in_page_of(uint64_t ip, const void *function)
{
	return ip / 4096 == (uintptr_t)function / 4096;
}

/* Weights of the two, and of all samples. */
struct shares {
	uint64_t light, heavy, all, samples;
};

static struct shares shares_of(struct ring *ring)
{
	struct shares s = {};
	struct record r;

	light_ns = 0;
	heavy_ns = 0;
	ioctl(ring->fd, PERF_EVENT_IOC_ENABLE, 0);
	busy(2000, two_load);
	ioctl(ring->fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(ring, &r)) {
		s.light += in_page_of(r.ip, light) ? r.period : 0;
		s.heavy += in_page_of(r.ip, heavy) ? r.period : 0;
		s.all += r.period;
		s.samples += r.type == PERF_RECORD_SAMPLE;
	}
	return s;
}

static double light_of(const struct shares *s)
{
	return 100.0 * s->light / (s->light + s->heavy ?: 1);
}

/* What the first one must have: a quarter of the work, or of the time as it was. */
static double light_due(uint64_t code)
{
	return code == CODE_INSTRUCTIONS ? 25 : light_by_clock();
}

static bool as_due(uint64_t code, const struct shares *s)
{
	const double more = light_of(s) - light_due(code);

	return s->light && more >= -5 && more <= 5;
}

static void test_histogram(uint64_t code)
{
	struct perf_event_attr attr = attr_of(code);
	struct shares s = {};
	struct ring ring;

	attr.sample_period = period_for(code, 1000);
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	if (!check(ring.fd >= 0, "%s: opens (%d)", codename(code), ring.fd))
		return;
	/* Where the host was away one sample weighs as much as many. */
	for (int i = 0; i < TRIES && !as_due(code, &s); i++)
		s = shares_of(&ring);
	ring_close(&ring);
	check(as_due(code, &s),
	      "%s: of two functions, 1:3, the first has %.1f %%, %.1f due (%lu samples)",
	      codename(code), light_of(&s), light_due(code), s.samples);
	check((s.light + s.heavy) * 3 >= s.all, "%s: and nothing else much (%.1f %% both)",
	      codename(code), 100.0 * (s.light + s.heavy) / (s.all ?: 1));
}

/* ---- which mode ---- */

static void test_mode(const char *what, struct perf_event_attr attr)
{
	const uint64_t least = slow_kernel() ? 5 : 20;
	const bool user = attr.exclude_kernel;
	uint64_t right = 0, n = 0, due;
	struct record r;
	struct ring ring;

	attr.sample_period = period_for(CODE_CYCLES, 500);
	attr.read_format = READ_TIMES;
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd == -unfiltered()) {
		int fd;

		attr.sample_period = 0;
		fd = perf_try(&attr, 0, -1, -1);
		check(fd == -unfiltered() && !isa_has("sscofpmf"),
		      "%s: cannot be counted here, nor sampled", what);
		return;
	}
	if (!check(ring.fd >= 0, "%s: opens (%d)", what, ring.fd))
		return;
	/* By timer, a host that is away has it look in the other mode, and wait ever longer. */
	for (int i = 0; i < TRIES && n <= least; i++) {
		ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
		busy(1000, mixed_load);
		ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
		while (ring_next(&ring, &r)) {
			const unsigned int mode = r.misc & PERF_RECORD_MISC_CPUMODE_MASK;
			const bool low = !(r.ip >> 63);

			n += r.type == PERF_RECORD_SAMPLE;
			right += r.type == PERF_RECORD_SAMPLE && low == user &&
				 mode == (user ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
		}
	}
	due = perf_get(ring.fd).value / attr.sample_period;
	ring_close(&ring);
	check(n > least && right == n,
	      "%s: every sample is (%lu of %lu; %lu were due)", what, right, n, due);
}

/* ---- so many a second ---- */

/* Samples in the second of two seconds: by then perf core has found the period. */
static uint64_t settled_rate(uint64_t code, unsigned int hz)
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
	busy(2000, load_of(code));
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(&ring, &r))
		n += r.type == PERF_RECORD_SAMPLE && r.time > start + 1000000000ULL;
	ring_close(&ring);
	return n;
}

/*
 * What is noticed late makes fewer samples of more weight; the timer has to guess;
 * and perf core takes the time between two ticks for a tick's, so that on a host
 * that is away now and then it takes events for faster than they are.
 */
static void test_frequency(uint64_t code)
{
	const unsigned int hz = pmu_is_late(code) ? 100 : 1000;
	const unsigned int least = interrupts ? hz / 5 : hz / 8;
	uint64_t n = 0;

	for (int i = 0; i < TRIES && n <= least; i++)
		n = settled_rate(code, hz);
	check(n > least && n < hz * 3 / 2, "%u Hz of %s: %lu samples in a second", hz,
	      codename(code), n);
}

/* ---- what samples carry ---- */

static void test_callchain(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES);
	uint64_t n = 0, right = 0, in_kernel = 0;
	struct record r;
	struct ring ring;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.sample_period = period_for(CODE_CYCLES, 200);
	ring = ring_open(&attr, 0, -1, -1);
	if (!check(ring.fd >= 0, "call chains open (%d)", ring.fd))
		return;
	busy(1000, mixed_load);
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
	check(n > 20 && right == n,
	      "call chains begin where the sample is (%lu of %lu, %lu in the kernel)", right, n,
	      in_kernel);
}

static void test_group_read(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES), member = attr_of(CODE_INSTRUCTIONS);
	uint64_t last[2] = {}, n = 0, back = 0, weight = 0;
	struct record r;
	struct ring ring;
	int fd;

	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_GROUP;
	/* A group has one clock. */
	member.use_clockid = 1;
	member.clockid = CLOCK_MONOTONIC;
	attr.sample_period = period_for(CODE_CYCLES, 200);
	attr.disabled = 1;
	ring = ring_open(&attr, 0, -1, -1);
	fd = ring.fd < 0 ? -1 : perf_try(&member, 0, -1, ring.fd);
	if (!check(fd >= 0, "a group whose leader samples opens (%d, %d)", ring.fd, fd))
		return;
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	busy(2000, mixed_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	while (ring_next(&ring, &r)) {
		if (r.type != PERF_RECORD_SAMPLE)
			continue;
		n++;
		weight += r.period;
		back += r.values != 2 || r.value[0] <= last[0] || r.value[1] <= last[1];
		memcpy(last, r.value, sizeof(last));
	}
	close(fd);
	ring_close(&ring);
	check(n > 20 && !back, "both values grow from sample to sample (%lu, %lu do not)", n, back);
	check(within(weight, last[0], 5), "the leader's is what its samples stand for (%lu of %lu)",
	      weight, last[0]);
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
			result = sampled(&ring, attr.sample_period, 500, spin_load);
		printf("# CPU %d: fd %d, %lu samples, %lu of %lu\n", cpu, ring.fd,
		       result.seen.samples, result.seen.weight, result.r.value);
		all &= result.seen.samples > 10 && within(result.seen.weight, result.r.value, 5);
		ring_close(&ring);
	}
	check(all, "each of %ld CPUs is sampled, whoever runs there", cpus);
}

/* Children have events of their own; their samples go to the parent's ring. */
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
	if (!check(ring.fd >= 0, "an inherited event opens (%d)", ring.fd))
		return;
	child = fork();
	if (!child) {
		busy(1000, spin_load);
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
	check(of_child > 20 && within(weight, count, 5),
	      "a child is sampled (%lu samples), and all that was counted (%lu of %lu)", of_child,
	      weight, count);
}

static void test_refusals(void)
{
	struct perf_event_attr attr = attr_of(CODE_CYCLES);
	int fd;

	attr.config = 2ULL << 62 | 4;
	attr.sample_period = 1000;
	fd = perf_try(&attr, 0, -1, -1);
	check(fd == -EOPNOTSUPP, "firmware events are not sampled (%d)", fd);
}

int main(void)
{
	type = find_pmu() ? pmu.type : -1;
	interrupts = pmu_interrupts(pmu.name);
	ktap_plan(-1);
	if (!check(type >= 0, "the PMU is there: %s, samples by %s", pmu.name,
		   interrupts ? "interrupt" : "timer"))
		return ktap_exit();
	limits_lift();

	test_period(CODE_CYCLES);
	test_period(CODE_INSTRUCTIONS);
	test_period(CODE_DTLB_MISSES);
	test_histogram(CODE_CYCLES);
	test_histogram(CODE_INSTRUCTIONS);
	test_mode("user only", (struct perf_event_attr){
		.type = type, .config = STANDARD(CODE_CYCLES), .exclude_kernel = 1 });
	test_mode("kernel only", (struct perf_event_attr){
		.type = type, .config = STANDARD(CODE_CYCLES), .exclude_user = 1 });
	test_frequency(CODE_CYCLES);
	if (period_for(CODE_DTLB_MISSES, 1000))
		test_frequency(CODE_DTLB_MISSES);
	test_callchain();
	test_group_read();
	test_each_cpu();
	test_inherit();
	test_refusals();

	limits_restore();
	return end();
}
