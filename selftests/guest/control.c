// SPDX-License-Identifier: GPL-2.0-only
/*
 * control - sampling events do what perf core is asked for: to be throttled, to
 * stop after so many samples, to change their period, to signal, to wake, and to
 * share a counter.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>

#include "ring.h"

static int type;
static uint64_t second;		/* cycles of one, about */

static struct perf_event_attr cycles(uint64_t period)
{
	return (struct perf_event_attr){
		.type = type,
		.config = STANDARD(CODE_CYCLES),
		.read_format = READ_TIMES,
		.sample_period = period,
		.disabled = 1,
	};
}

/* Of cycles or TLB misses, whatever the load has. */
static uint64_t second_of(uint64_t code, void (*load)(void))
{
	return per_second((struct perf_event_attr){ .type = type, .config = STANDARD(code) }, load);
}

/* ---- throttling ---- */

/*
 * A sample every 100 us would be ten thousand a second. Up to @rate are allowed;
 * perf core stops an event that has had its share until the next tick.
 */
static void test_throttle(void)
{
	struct perf_event_attr attr = cycles(second / 10000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	const bool limited = limit_rate("250");
	uint64_t start, ns, allowed;
	struct seen s;

	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	start = now_ns();
	busy(2000, spin_load);
	ns = now_ns() - start;
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	s = ring_drain(&ring);
	ring_close(&ring);
	limit_rate("100000");

	allowed = ns * 250 / 1000000000 * 12 / 10;
	check(limited && s.samples && s.samples <= allowed,
	      "at 250 a second at most %lu samples in %lu ms (%lu)", allowed, ns / 1000000,
	      s.samples);
	check(s.throttled && (s.throttled == s.unthrottled || s.throttled == s.unthrottled + 1),
	      "throttled as often as let go (%lu, %lu)", s.throttled, s.unthrottled);
	check(s.last > start + ns / 10 * 9, "and sampled to the end (%ld ms before it)",
	      (long)(start + ns - s.last) / 1000000);
}

/* The leader has had its share, and its group stops and goes on with it. */
static void test_throttle_group(void)
{
	struct perf_event_attr attr = cycles(second / 10000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	const bool limited = limit_rate("250");
	struct reading leader, member;
	struct seen s;
	int fd;

	attr = cycles(0);
	attr.config = INSTRUCTIONS;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.disabled = 0;
	fd = perf_try(&attr, 0, -1, ring.fd);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	busy(1000, spin_load);
	member = fd < 0 ? (struct reading){} : perf_get(fd);
	busy(1000, spin_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	s = ring_drain(&ring);
	leader = perf_get(ring.fd);
	check(limited && fd >= 0 && s.throttled && s.unthrottled + 1 >= s.throttled,
	      "a group is throttled (%lu, %lu)", s.throttled, s.unthrottled);
	check(leader.value && member.value && perf_get(fd).value > member.value,
	      "and goes on (%lu; %lu, then %lu)", leader.value, member.value, perf_get(fd).value);
	close(fd);
	ring_close(&ring);
	limit_rate("100000");
}

/* ---- so many and no more ---- */

static void test_refresh(unsigned int limit, unsigned int rounds)
{
	struct perf_event_attr attr = cycles(second / 2000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	unsigned int right = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		uint64_t n = 0, end = now_ns() + 2000000000ULL;

		ioctl(ring.fd, PERF_EVENT_IOC_REFRESH, limit);
		while (n < limit && now_ns() < end) {
			busy(1, spin_load);
			n += ring_drain(&ring).samples;
		}
		/* As long again as one more would take. */
		busy(10, spin_load);
		n += ring_drain(&ring).samples;
		right += n == limit;
		if (n != limit)
			printf("# round %u: %lu samples\n", i, n);
	}
	ring_close(&ring);
	check(right == rounds, "allowed %u, it takes %u and stops, in %u of %u rounds", limit,
	      limit, right, rounds);
}

/* ---- another period ---- */

/* Periods that pass, and samples that come. */
struct pace {
	uint64_t due, samples;
};

static struct pace pace_of(struct ring *ring, uint64_t period)
{
	const uint64_t before = perf_get(ring->fd).value;
	struct pace pace;

	ring_drain(ring);
	busy(1500, touch_load);
	pace.due = (perf_get(ring->fd).value - before) / period;
	pace.samples = ring_drain(ring).samples;
	return pace;
}

/* One sample may stand for several periods, by timer. */
static bool keeps(struct pace pace)
{
	const uint64_t least = pmu_interrupts(pmu.name) ? pace.due * 9 / 10 : pace.due / 10;

	return pace.due > 1 && pace.samples + 1 >= least && pace.samples <= pace.due + 1;
}

/* Of TLB misses if they can be had: QEMU is not late with them. */
static void test_new_period(void)
{
	uint64_t misses = second_of(CODE_DTLB_MISSES, touch_load);
	uint64_t period = (misses ?: second) / 100;
	struct perf_event_attr attr = cycles(period);
	struct pace before, after;
	struct ring ring;

	if (misses)
		attr.config = STANDARD(CODE_DTLB_MISSES);
	ring = ring_open(&attr, 0, -1, -1);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	before = pace_of(&ring, period);
	period *= 10;
	ioctl(ring.fd, PERF_EVENT_IOC_PERIOD, &period);
	after = pace_of(&ring, period);
	ring_close(&ring);
	check(keeps(before) && keeps(after),
	      "samples keep to a new period, ten times the old (%lu of %lu, then %lu of %lu)",
	      before.samples, before.due, after.samples, after.due);
}

/* ---- waking others ---- */

/* A queued signal for each, taken here rather than handled. */
static void test_signals(void)
{
	struct perf_event_attr attr = cycles(second / 200);
	const struct timespec soon = { .tv_nsec = 50 * 1000000 };
	uint64_t signals = 0, samples;
	struct ring ring;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	attr.wakeup_events = 1;
	ring = ring_open(&attr, 0, -1, -1);
	fcntl(ring.fd, F_SETOWN, getpid());
	fcntl(ring.fd, F_SETSIG, SIGRTMIN);
	fcntl(ring.fd, F_SETFL, fcntl(ring.fd, F_GETFL) | O_ASYNC);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	busy(1000, spin_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	samples = ring_drain(&ring).samples;
	while (sigtimedwait(&set, NULL, &soon) >= 0)
		signals++;
	ring_close(&ring);
	check(samples > 20 && signals <= samples && signals * 2 >= samples,
	      "a signal for each sample, or each two (%lu, %lu)", signals, samples);
}

static void test_poll(unsigned int wakeup)
{
	struct perf_event_attr attr = cycles(second / 200);
	struct pollfd pfd = { .events = POLLIN };
	pid_t child = fork();
	struct ring ring;
	uint64_t n;
	int woken;

	if (!child) {
		busy(20000, spin_load);
		_exit(0);
	}
	attr.wakeup_events = wakeup;
	ring = ring_open(&attr, child, -1, -1);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	pfd.fd = ring.fd;
	woken = poll(&pfd, 1, 5000);
	n = ring_drain(&ring).samples;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ring_close(&ring);
	check(woken == 1 && pfd.revents & POLLIN && n >= wakeup,
	      "poll() wakes after %u samples (%lu)", wakeup, n);
}

/* ---- several on one counter ---- */

/* A late sample stands for several periods; there are never more than periods. */
static bool in_step(const struct seen *s, uint64_t count, uint64_t period)
{
	const uint64_t due = count / period;

	return within(s->weight, count, 5) && s->samples <= due + 1 &&
	       s->samples >= due / (pmu_is_late(CODE_CYCLES) ? 5 : 2);
}

static void test_shared(void)
{
	const uint64_t periods[] = { second / 200, second / 90, 0 };
	struct ring ring[3];
	struct reading r[3];
	struct seen seen[2];
	bool right = true;

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = cycles(periods[i]);

		ring[i] = ring_open(&attr, 0, -1, -1);
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	busy(1500, spin_load);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (int i = 0; i < 3; i++)
		r[i] = ring[i].fd < 0 ? (struct reading){} : perf_get(ring[i].fd);
	for (int i = 0; i < 2; i++) {
		seen[i] = ring_drain(&ring[i]);
		right &= in_step(&seen[i], r[i].value, periods[i]);
	}
	for (int i = 0; i < 3; i++) {
		printf("# event %d: %lu in %lu of %lu ns\n", i, r[i].value, r[i].running,
		       r[i].enabled);
		ring_close(&ring[i]);
	}
	check(right, "two periods at once (%lu samples, %lu of %lu; %lu samples, %lu of %lu)",
	      seen[0].samples, seen[0].weight, r[0].value, seen[1].samples, seen[1].weight,
	      r[1].value);
	check(within(r[0].value, r[2].value, 5) && within(r[1].value, r[2].value, 5),
	      "and they count what one counts that does not sample (%lu)", r[2].value);
}

int main(void)
{
	type = find_pmu() ? pmu.type : -1;
	ktap_plan(-1);
	limits_lift();
	second = second_of(CODE_CYCLES, spin_load);
	if (!check(type >= 0 && second, "the PMU is there: %s, %lu cycles a second", pmu.name,
		   second))
		return ktap_exit();

	test_throttle();
	test_throttle_group();
	test_refresh(1, 50);
	test_refresh(3, 10);
	test_new_period();
	test_signals();
	test_poll(1);
	test_poll(10);
	test_shared();

	limits_restore();
	return end();
}
