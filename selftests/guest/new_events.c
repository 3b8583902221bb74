// SPDX-License-Identifier: GPL-2.0-only
/*
 * new_events - what root's events of a CPU lose when an ordinary user opens events that were never
 * opened before, as fast as he can. For machines whose firmware takes any raw event, on at most
 * eight counters. Other users are tested on the host (test_open.c).
 */
#include <sys/mman.h>

#include "harness.h"

enum { STORMERS = 4, SECONDS = 4, PER_SECOND = 50, USER = 65534 };

/* Raw events; each row has its own codes. */
#define NEW(row, n)	CONFIG(0, (uint64_t)(row) << 32 | (uint64_t)((n) & 0xffff) << 16 | 0x10)

/* What the children have done */
static volatile struct {
	bool stop;
	unsigned int opened[STORMERS], refused[STORMERS]; /* EAGAIN */
	unsigned int errors;
} *shared;

static int open_disabled(uint64_t config)
{
	struct perf_event_attr attr = event(config);

	attr.disabled = 1;
	return perf_try(&attr, 0, -1, -1);
}

static bool try_open(uint64_t config)
{
	const int fd = open_disabled(config);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void storm(long row)
{
	if (setgid(USER) || setuid(USER))
		_exit(1);
	for (unsigned int n = 0; !shared->stop; n++) {
		const int fd = open_disabled(NEW(row + 1, n));

		if (fd >= 0) {
			shared->opened[row]++;
			close(fd);
		} else if (fd == -EAGAIN) {
			shared->refused[row]++;
		} else {
			shared->errors = -fd;
		}
	}
}

/* ---- root's events of the CPU ---- */

/* Cycles, and raw events that take all counters on which the new ones could count */
enum { EVENTS = 9 };

static bool open_events(int fds[EVENTS])
{
	bool opened = true;

	for (int i = 0; i < EVENTS; i++) {
		fds[i] = open_event(i ? NEW(STORMERS + 3, i) : CYCLES, -1, 0, -1);
		opened &= fds[i] >= 0;
	}
	return opened;
}

/* Return: cycles in a ns; @all: do all events count all the time? */
static double cycles_per_ns(const int fds[EVENTS], bool *all)
{
	const struct reading before = perf_get(fds[0]);
	struct reading now;

	sleep(SECONDS);
	for (int i = EVENTS - 1; i >= 0; i--) {
		now = perf_get(fds[i]);
		*all &= now.running == now.enabled;
	}
	return (double)(now.value - before.value) / (now.enabled - before.enabled);
}

static const char paranoid[] = "/proc/sys/kernel/perf_event_paranoid";

static void run_storm(const int fds[EVENTS])
{
	unsigned int opened = 0, refused = 0;
	bool all = true;
	const double quiet = cycles_per_ns(fds, &all);
	const uint64_t start = now_ns();
	double seconds, loud;
	pid_t child[STORMERS];

	for (int i = 0; i < STORMERS; i++)
		child[i] = start_child(storm, i);
	loud = cycles_per_ns(fds, &all);
	shared->stop = true;
	for (int i = 0; i < STORMERS; i++) {
		waitpid(child[i], NULL, 0);
		opened += shared->opened[i];
		refused += shared->refused[i];
	}
	seconds = (now_ns() - start) / 1e9;
	note("%u new events opened in %.1f s, EAGAIN %u times, other errno %u", opened, seconds,
	     refused, shared->errors);
	check(opened >= PER_SECOND && !shared->errors, "user_opens_new_events");
	check(opened <= PER_SECOND * (seconds + 1) * 11 / 10, "user_is_limited");
	note("cycles of the CPU: %.4f in a ns, %.4f meanwhile", quiet, loud);
	check(all, "events_of_the_cpu_count_all_the_time");
	check(loud >= quiet * 0.8, "events_of_the_cpu_count_on");
}

int main(void)
{
	const int level = read_number(paranoid);
	int fds[EVENTS];

	begin();
	if (!try_open(NEW(0, 0)) || !try_open(NEW(0, 1))) {
		skip("user_is_limited", "firmware does not take any raw event");
		return end();
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (!check(shared != MAP_FAILED && open_events(fds) && write_text(paranoid, "1"), "setup"))
		return end();
	run_storm(fds);
	write_number(paranoid, level);
	return end();
}
