/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two tasks on one CPU send a byte to each other in turn, to force context switches. Both have the
 * same events open on themselves, so at a switch all events of one task are scheduled out and all
 * of the other are scheduled in.
 */
#ifndef PINGPONG_H
#define PINGPONG_H

#include <sys/mman.h>

#include "tracepoint.h"

/* Exits of this KVM guest to its host, by the host's count */
struct exits {
	uint64_t all, csr_reads;	/* of all, reads of counter CSRs */
};

/* Ask the host for its two counts. Return: whether it answered. */
static inline bool exits_now(struct exits *exits)
{
	static FILE *from;
	static int to = -1;
	char line[128];

	if (to < 0) {
		to = open("/dev/vport0p2", O_RDWR);
		from = to < 0 ? NULL : fdopen(to, "r");
	}
	return from && write(to, "?\n", 2) == 2 && fgets(line, sizeof(line), from) &&
	       sscanf(line, "%lu %lu", &exits->all, &exits->csr_reads) == 2;
}

enum { PINGPONG_EVENTS = 8, PINGPONG_WARM_UP = 50 };

/* By types that the built-in driver has, too. QEMU and KVM have one counter for each. */
static const struct perf_event_attr different_events[] = {
	HARDWARE(CPU_CYCLES), HARDWARE(INSTRUCTIONS),
	MISSES(DTLB, READ), MISSES(DTLB, WRITE), MISSES(ITLB, READ),
};

static inline bool ping_rounds(int rounds, int in, int out)
{
	char c = 0;

	while (rounds--)
		if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
			return false;
	return true;
}

static inline bool pong_rounds(int rounds, int in, int out)
{
	char c;

	while (rounds--)
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			return false;
	return true;
}

/* What both tasks store about a run */
struct pingpong {
	bool done[2];		/* opened all events and completed all rounds */
	struct tracepoint_counts counts;
	struct exits exits;
	uint64_t ns;
	uint64_t round_ns;	/* of the best ten in a row, which are between two clock ticks */
	struct reading read[2][PINGPONG_EVENTS];
};

/* Return: were all rounds completed? */
static inline bool pingpong_measure(struct pingpong *p, int rounds, int in, int out)
{
	struct exits before = {}, after = {};
	struct tracepoint_counts counts;
	bool completed = true;
	uint64_t start, ns;

	exits_now(&before);
	counts = tracepoint_counts_now();
	p->round_ns = UINT64_MAX;
	for (int done = 0; completed && done < rounds; done += 10) {
		start = now_ns();
		completed = ping_rounds(10, in, out);
		ns = now_ns() - start;
		p->ns += ns;
		if (ns / 10 < p->round_ns)
			p->round_ns = ns / 10;
	}
	p->counts = tracepoint_counts_since(counts);
	exits_now(&after);
	p->exits.all = after.all - before.all;
	p->exits.csr_reads = after.csr_reads - before.csr_reads;
	return completed;
}

/* Open @n events of this task. Return: whether all open. */
static inline bool open_events(const struct perf_event_attr *attrs, unsigned int n, int *fd)
{
	for (unsigned int i = 0; i < n; i++) {
		struct perf_event_attr attr = attrs[i];

		fd[i] = perf_try(&attr, 0, -1, -1);
		if (fd[i] < 0) {
			note("event %u does not open: %s", i, strerror(-fd[i]));
			close_events(fd, i);
			return false;
		}
	}
	return true;
}

/* Counters are configured in the first rounds, which are not measured. */
static inline void pingpong_task(struct pingpong *p, bool second,
				 const struct perf_event_attr *attrs, unsigned int n, int rounds,
				 int in, int out)
{
	int fd[PINGPONG_EVENTS];

	if (!open_events(attrs, n, fd))
		return;
	p->done[second] = second ? pong_rounds(PINGPONG_WARM_UP + rounds, in, out) :
			  ping_rounds(PINGPONG_WARM_UP, in, out) &&
			  pingpong_measure(p, rounds, in, out);
	for (unsigned int i = 0; i < n; i++)
		p->read[second][i] = perf_get(fd[i]);
	close_events(fd, n);
}

static inline struct pingpong pingpong_run(const struct perf_event_attr *attrs, unsigned int n,
					   int rounds)
{
	struct pingpong *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_ANONYMOUS, -1, 0), result = {};
	int there[2], back[2];
	pid_t pid;

	if (shared == MAP_FAILED || pipe(there) || pipe(back))
		return result;
	pid = fork();
	if (!pid) {
		close(there[1]);
		pingpong_task(shared, true, attrs, n, rounds, there[0], back[1]);
		_exit(0);
	}
	close(back[1]);	/* so that read() ends if the other task exits */
	pingpong_task(shared, false, attrs, n, rounds, back[0], there[1]);
	close(there[1]);
	waitpid(pid, NULL, 0);
	close(there[0]);
	close(back[0]);
	result = *shared;
	munmap(shared, sizeof(*shared));
	return result;
}

/* The same with SBI calls counted. */
static inline struct pingpong pingpong_run_traced(const struct perf_event_attr *attrs,
						  unsigned int n, int rounds)
{
	struct pingpong result = {};

	if (tracepoints_open())
		result = pingpong_run(attrs, n, rounds);
	tracepoints_close();
	return result;
}

/* What is printed goes through a shell, which would take time on this CPU: wait for it. */
static inline void settle(void)
{
	fflush(stdout);
	usleep(200000);
}

static inline int by_value(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Return: the median of the times of nine runs; -1 if an event does not open. */
static inline int64_t pingpong_median_ns(const struct perf_event_attr *attrs, unsigned int n,
					 unsigned int rounds)
{
	int64_t ns[9];

	for (unsigned int i = 0; i < ARRAY_SIZE(ns); i++) {
		struct pingpong run;

		settle();
		run = pingpong_run(attrs, n, rounds);
		if (!run.done[0] || !run.done[1])
			return -1;
		ns[i] = run.ns;
	}
	qsort(ns, ARRAY_SIZE(ns), sizeof(*ns), by_value);
	return ns[ARRAY_SIZE(ns) / 2];
}

/* Return: whether both tasks completed a traced run of @rounds, and switched. */
static inline bool pingpong_is_complete(const struct pingpong *p, unsigned int rounds)
{
	return p->done[0] && p->done[1] && p->counts.switches >= 2 * rounds;
}

#endif
