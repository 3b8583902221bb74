// SPDX-License-Identifier: GPL-2.0-only
/*
 * control - control of sampling events: throttling, PERF_EVENT_IOC_REFRESH, a new period,
 * signals, poll(), and several events on one counter.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>

#include "ring.h"

static uint64_t second;		/* cycles in one second, about */

static struct perf_event_attr cycles(uint64_t period)
{
	return (struct perf_event_attr){
		.type = pmu.type,
		.config = STANDARD(CODE_CYCLES),
		.read_format = READ_TIMES,
		.sample_period = period,
		.disabled = 1,
	};
}

/* Return: about how many events of @code one second of @load has. */
static uint64_t count_second(uint64_t code, void (*load)(void))
{
	return per_second((struct perf_event_attr){ .type = pmu.type, .config = STANDARD(code) },
			  load);
}

/* ---- throttling ---- */

/*
 * The period would give 10000 samples per second, and 250 are allowed: perf core stops the event
 * after its samples of a tick, and starts it in the next tick.
 */
static void test_throttle(void)
{
	struct perf_event_attr attr = cycles(second / 10000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	const bool limited = set_max_rate("250");
	uint64_t start, ns, allowed;
	struct ring_totals s;

	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	start = now_ns();
	run_load(2000, spin_load);
	ns = now_ns() - start;
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	s = ring_drain(&ring);
	ring_close(&ring);
	set_max_rate("100000");

	allowed = ns * 250 / 1000000000 * 12 / 10;
	note("250 samples per second: %lu samples in %lu ms, %lu allowed", s.samples, ns / 1000000,
	     allowed);
	check(limited && s.samples && s.samples <= allowed, "throttling_limits_samples");
	note("throttled %lu times, unthrottled %lu times", s.throttled, s.unthrottled);
	check(s.throttled && (s.throttled == s.unthrottled || s.throttled == s.unthrottled + 1),
	      "event_is_unthrottled_each_time");
	note("last sample %ld ms before the end", (long)(start + ns - s.last) / 1000000);
	check(s.last > start + ns / 10 * 9, "throttled_event_samples_until_end");
}

/* Throttling the leader stops its group; unthrottling restarts it. */
static void test_throttle_group(void)
{
	struct perf_event_attr attr = cycles(second / 10000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	const bool limited = set_max_rate("250");
	struct reading leader, member;
	struct ring_totals s;
	int fd;

	attr = cycles(0);
	attr.config = INSTRUCTIONS;
	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	attr.disabled = 0;
	fd = perf_try(&attr, 0, -1, ring.fd);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	run_load(1000, spin_load);
	member = fd < 0 ? (struct reading){} : perf_get(fd);
	run_load(1000, spin_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	s = ring_drain(&ring);
	leader = perf_get(ring.fd);
	note("group throttled %lu times, unthrottled %lu times", s.throttled, s.unthrottled);
	check(limited && fd >= 0 && s.throttled && s.unthrottled + 1 >= s.throttled,
	      "group_is_throttled_and_unthrottled");
	note("leader %lu; member %lu, then %lu", leader.value, member.value, perf_get(fd).value);
	check(leader.value && member.value && perf_get(fd).value > member.value,
	      "throttled_group_continues_counting");
	close(fd);
	ring_close(&ring);
	set_max_rate("100000");
}

/* ---- PERF_EVENT_IOC_REFRESH ---- */

static void test_refresh(unsigned int limit, unsigned int rounds)
{
	struct perf_event_attr attr = cycles(second / 2000);
	struct ring ring = ring_open(&attr, 0, -1, -1);
	unsigned int right = 0;

	for (unsigned int i = 0; i < rounds; i++) {
		uint64_t n = 0, end = now_ns() + 2000000000ULL;

		ioctl(ring.fd, PERF_EVENT_IOC_REFRESH, limit);
		while (n < limit && now_ns() < end) {
			run_load(1, spin_load);
			n += ring_drain(&ring).samples;
		}
		/* Wait as long as one more sample would take. */
		run_load(10, spin_load);
		n += ring_drain(&ring).samples;
		right += n == limit;
		if (n != limit)
			note("round %u: %lu samples", i, n);
	}
	ring_close(&ring);
	note("refresh %u: right in %u of %u rounds", limit, right, rounds);
	check(right == rounds, "refresh_%u_stops_after_as_many_samples", limit);
}

/* ---- a new period ---- */

/* Samples that are due by the count, and samples in the ring. */
struct sampled {
	uint64_t due, samples;
};

static struct sampled sample_for_a_while(struct ring *ring, uint64_t period)
{
	const uint64_t before = perf_get(ring->fd).value;
	struct sampled sampled;

	ring_drain(ring);
	run_load(1500, touch_load);
	sampled.due = (perf_get(ring->fd).value - before) / period;
	sampled.samples = ring_drain(ring).samples;
	return sampled;
}

/* Sampling by timer, one sample may stand for several periods. */
static bool is_as_due(struct sampled s)
{
	const uint64_t least = has_overflow_irq(pmu.name) ? s.due * 9 / 10 : s.due / 10;

	return s.due > 1 && s.samples + 1 >= least && s.samples <= s.due + 1;
}

/* With TLB misses where they can be counted: QEMU's overflows of cycles may be late. */
static void test_new_period(void)
{
	uint64_t misses = count_second(CODE_DTLB_MISSES, touch_load);
	uint64_t period = (misses ?: second) / 100;
	struct perf_event_attr attr = cycles(period);
	struct sampled before, after;
	struct ring ring;

	if (misses)
		attr.config = STANDARD(CODE_DTLB_MISSES);
	ring = ring_open(&attr, 0, -1, -1);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	before = sample_for_a_while(&ring, period);
	period *= 10;
	ioctl(ring.fd, PERF_EVENT_IOC_PERIOD, &period);
	after = sample_for_a_while(&ring, period);
	ring_close(&ring);
	note("%lu samples, %lu due; with ten times the period %lu samples, %lu due",
	     before.samples, before.due, after.samples, after.due);
	check(is_as_due(before) && is_as_due(after), "new_period_changes_sample_rate");
}

/* ---- signals and poll() ---- */

/* The signals are queued and fetched with sigtimedwait(), so that each can be counted. */
static void test_signals(void)
{
	struct perf_event_attr attr = cycles(second / 200);
	const struct timespec timeout = { .tv_nsec = 50 * 1000000 };
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
	run_load(1000, spin_load);
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	samples = ring_drain(&ring).samples;
	while (sigtimedwait(&set, NULL, &timeout) >= 0)
		signals++;
	ring_close(&ring);
	note("%lu signals for %lu samples", signals, samples);
	check(samples > 20 && signals <= samples && signals * 2 >= samples,
	      "a_signal_per_one_or_two_samples");
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
		run_load(20000, spin_load);
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
	note("poll() returned %d after %lu samples", woken, n);
	check(woken == 1 && pfd.revents & POLLIN && n >= wakeup, "poll_wakes_after_%u_samples",
	      wakeup);
}

/* ---- several events on one counter ---- */

/* A late sample stands for several periods; there are never more samples than periods. */
static bool is_sampled_by_period(const struct ring_totals *s, uint64_t count, uint64_t period)
{
	const uint64_t due = count / period;

	return within(s->weight, count, 5) && s->samples <= due + 1 &&
	       s->samples >= due / (is_overflow_late(CODE_CYCLES) ? 5 : 2);
}

static void test_shared(void)
{
	const uint64_t periods[] = { second / 200, second / 90, 0 };
	struct ring ring[3];
	struct reading r[3];
	struct ring_totals seen[2];
	bool right = true;

	for (int i = 0; i < 3; i++) {
		struct perf_event_attr attr = cycles(periods[i]);

		ring[i] = ring_open(&attr, 0, -1, -1);
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	run_load(1500, spin_load);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (int i = 0; i < 3; i++)
		r[i] = ring[i].fd < 0 ? (struct reading){} : perf_get(ring[i].fd);
	for (int i = 0; i < 2; i++) {
		seen[i] = ring_drain(&ring[i]);
		right &= is_sampled_by_period(&seen[i], r[i].value, periods[i]);
	}
	for (int i = 0; i < 3; i++) {
		note("event %d: %lu in %lu of %lu ns", i, r[i].value, r[i].running, r[i].enabled);
		ring_close(&ring[i]);
	}
	for (int i = 0; i < 2; i++)
		note("event %d: %lu samples stand for %lu", i, seen[i].samples, seen[i].weight);
	check(right, "two_periods_on_one_counter_are_kept");
	check(within(r[0].value, r[2].value, 5) && within(r[1].value, r[2].value, 5),
	      "sampling_and_counting_events_agree");
}

int main(void)
{
	begin();
	limits_raise();
	second = count_second(CODE_CYCLES, spin_load);
	note("%lu cycles per second", second);
	if (!check(second, "cycles_count")) {
		limits_restore();
		return end();
	}

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
