// SPDX-License-Identifier: GPL-2.0-only
/*
 * inherit - events that are inherited by tasks which fork, exec and exit, while those who opened
 * them close them, enable and disable them, or are killed, at any moment. A warning of the kernel
 * fails the boot. Without the module the events are the built-in driver's, for comparison.
 *
 * Not with remove_on_exec: Linux 7.2 may free such an event while it is in its owner's list, if the
 * task executes a program before perf_event_open() has put it there.
 *
 * LAB_STRESS_SECONDS  duration, default 20
 */
#include <sys/mman.h>

#include "harness.h"

#define EVENTS	8
#define ROUNDS	200		/* of one worker, until another takes its place */

struct totals {
	uint64_t rounds, events, refused, killed;
};

static struct totals *totals;
static uint64_t random_state;

static unsigned int random_below(unsigned int limit)
{
	random_state = random_state * 6364136223846793005 + 1442695040888963407;
	return (random_state >> 33) % limit;
}

static bool one_in(unsigned int n)
{
	return !random_below(n);
}

static void add(uint64_t *total, uint64_t n)
{
	__atomic_fetch_add(total, n, __ATOMIC_RELAXED);
}

/* A task that computes, sleeps, yields or executes another program for a while, then exits. */
static void leaf(void)
{
	switch (random_below(5)) {
	case 0:
		execl("/proc/self/exe", "inherit", "leaf", NULL);
		break;
	case 1:
		usleep(random_below(3000));
		break;
	case 2:
		for (unsigned int i = random_below(100); i; i--)
			sched_yield();
		break;
	default:
		work(random_below(200000));
	}
	_exit(0);
}

/* Fork until killed, or one below the top for a while: up to four children, some fork too. */
static void family(unsigned int depth)
{
	do {
		const unsigned int children = 1 + random_below(4);

		for (unsigned int i = 0; i < children; i++) {
			random_state += i + 1;
			if (fork())
				continue;
			random_state ^= getpid();
			if (depth && one_in(3))
				family(depth - 1);
			leaf();
		}
		if (one_in(2))
			work(random_below(100000));
		while (wait(NULL) > 0)
			;
	} while (depth == 2 || !one_in(4));
}

/* Start a family as a process group of its own. It waits until *@start is closed. */
static pid_t start_family(int *start)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		_exit(1);
	pid = fork();
	if (!pid) {
		setpgid(0, 0);
		close(ends[1]);
		if (read(ends[0], &c, 1))
			_exit(1);
		close(ends[0]);
		random_state ^= getpid();
		if (one_in(2))
			execl("/proc/self/exe", "inherit", "family", NULL);
		family(2);
		_exit(0);
	}
	close(ends[0]);
	setpgid(pid, pid);
	*start = ends[1];
	return pid;
}

static struct perf_event_attr random_event(bool builtin)
{
	static const struct perf_event_attr hardware[] = {
		HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS), MISSES(DTLB, READ),
		MISSES(ITLB, READ),
	};
	static const uint64_t configs[] = {
		CYCLES, INSTRUCTIONS, STANDARD(0x10019), STANDARD(0x10021),
	};
	const unsigned int i = random_below(ARRAY_SIZE(hardware) + 1);
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK,
	};

	if (i < ARRAY_SIZE(hardware))
		attr = builtin ? hardware[i] : event(configs[i]);
	attr.inherit = 1;
	attr.disabled = one_in(2);
	attr.enable_on_exec = attr.disabled && one_in(2);
	attr.inherit_stat = one_in(4);
	attr.pinned = one_in(8);
	if (one_in(4)) {
		attr.sample_period = 50000 + random_below(100000);
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	}
	return attr;
}

static unsigned int open_events(int *fds, pid_t pid, bool builtin)
{
	const unsigned int wanted = 1 + random_below(EVENTS);
	unsigned int n = 0;

	for (unsigned int i = 0; i < wanted; i++) {
		struct perf_event_attr attr = random_event(builtin);
		const int group = n && one_in(2) ? fds[random_below(n)] : -1;
		const int cpu = group < 0 && one_in(4) ?
			(int)random_below(sysconf(_SC_NPROCESSORS_ONLN)) : -1;

		if (group >= 0)
			attr.pinned = 0;
		fds[n] = perf_open(&attr, pid, cpu, group);
		n += fds[n] >= 0;
	}
	add(&totals->events, n);
	add(&totals->refused, wanted - n);
	return n;
}

static void use_event(int fd)
{
	char values[1024];

	switch (random_below(4)) {
	case 0:
		ioctl(fd, PERF_EVENT_IOC_ENABLE, one_in(2) ? PERF_IOC_FLAG_GROUP : 0);
		break;
	case 1:
		ioctl(fd, PERF_EVENT_IOC_DISABLE, one_in(2) ? PERF_IOC_FLAG_GROUP : 0);
		break;
	case 2:
		(void)!read(fd, values, sizeof(values));
		break;
	default:
		usleep(random_below(20000));
	}
}

static void run_round(bool builtin)
{
	int fds[EVENTS], start;
	const pid_t pid = start_family(&start);
	unsigned int n = one_in(8) ? 0 : open_events(fds, pid, builtin);

	close(start);
	if (!n) {
		usleep(random_below(2000));
		n = open_events(fds, pid, builtin);
	}
	for (unsigned int i = random_below(20); n && i; i--)
		use_event(fds[random_below(n)]);
	if (one_in(2))
		kill(-pid, one_in(2) ? SIGTERM : SIGKILL);
	if (one_in(16)) {
		add(&totals->killed, 1);
		kill(-pid, SIGKILL);
		raise(SIGKILL);
	}
	for (unsigned int i = 0; i < n; i++)
		close(fds[i]);
	kill(-pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	add(&totals->rounds, 1);
}

static void worker(uint64_t seed, uint64_t end_ns, bool builtin)
{
	random_state = seed;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0; i < ROUNDS && now_ns() < end_ns; i++)
		run_round(builtin);
	_exit(0);
}

static bool churn(unsigned int seconds, bool builtin)
{
	const unsigned int workers = 2 * sysconf(_SC_NPROCESSORS_ONLN) + 1;
	const uint64_t end_ns = now_ns() + seconds * 1000000000ULL;
	uint64_t seed = time(NULL);
	unsigned int running = 0;

	note("seed %lu, %u seconds, %u workers", (long)seed, seconds, workers);
	while (running || now_ns() < end_ns) {
		if (running < workers && now_ns() < end_ns) {
			seed++;
			if (!fork())
				worker(seed * 0x9e3779b97f4a7c15, end_ns, builtin);
			running++;
			continue;
		}
		running -= wait(NULL) > 0;
	}
	note("%lu rounds, %lu events, %lu refused, %lu workers killed", (long)totals->rounds,
	     (long)totals->events, (long)totals->refused, (long)totals->killed);
	return totals->rounds > seconds / 10 && totals->events > totals->rounds;
}

int main(int argc, char **argv)
{
	const char *duration = getenv("LAB_STRESS_SECONDS");
	const char *what = argc > 1 ? argv[1] : "";
	const bool builtin = !find_pmu();

	random_state = now_ns() ^ getpid();
	if (!strcmp(what, "leaf")) {
		work(random_below(100000));
		return 0;
	}
	if (!strcmp(what, "family"))
		family(2);
	totals = mmap(NULL, sizeof(*totals), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (totals == MAP_FAILED)
		return 1;
	if (builtin)
		ktap_plan(-1);
	else
		begin();
	check(churn(duration ? atoi(duration) : 20, builtin), "tasks_fork_and_exit");
	return end();
}
