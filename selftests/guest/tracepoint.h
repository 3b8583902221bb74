/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Count SBI PMU calls and context switches on CPU 0, by the kernel's own tracepoints.
 */
#ifndef TRACEPOINT_H
#define TRACEPOINT_H

#include "harness.h"

/* Pin the tasks under test to this CPU. */
enum { TRACED_CPU = 0 };

/* A group read of the three events, without times. */
struct tracepoint_counts {
	uint64_t nr;		/* events in the group */
	uint64_t calls;		/* SBI calls of the PMU extension */
	uint64_t reads;		/* of these, firmware counter reads */
	uint64_t switches;	/* context switches */
};

static int tracepoint_fd[3] = { -1, -1, -1 };

static inline bool tracepoints_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = read_number("/sys/kernel/tracing/events/riscv/sbi_call/id"),
		/* A pinned group keeps counting while tasks' events are scheduled in and out. */
		.read_format = PERF_FORMAT_GROUP, .disabled = 1, .pinned = 1,
	};
	int *fd = tracepoint_fd;

	fd[0] = perf_try(&attr, -1, TRACED_CPU, -1);
	attr.disabled = attr.pinned = 0;
	fd[1] = perf_try(&attr, -1, TRACED_CPU, fd[0]);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
	fd[2] = perf_try(&attr, -1, TRACED_CPU, fd[0]);
	return fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 &&
	       !ioctl(fd[0], PERF_EVENT_IOC_SET_FILTER, "ext == 0x504d55") &&
	       !ioctl(fd[1], PERF_EVENT_IOC_SET_FILTER, "ext == 0x504d55 && fid == 5") &&
	       !ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
}

static inline void tracepoints_close(void)
{
	for (int i = 2; i >= 0; i--) {
		close(tracepoint_fd[i]);
		tracepoint_fd[i] = -1;
	}
}

/* Return: the counts since @before; zero if the tracepoints are not open. */
static inline struct tracepoint_counts tracepoint_counts_since(struct tracepoint_counts before)
{
	struct tracepoint_counts now = {};

	if (tracepoint_fd[0] >= 0 && read(tracepoint_fd[0], &now, sizeof(now)) != sizeof(now))
		perror("# tracepoints");
	now.calls -= before.calls;
	now.reads -= before.reads;
	now.switches -= before.switches;
	return now;
}

static inline struct tracepoint_counts tracepoint_counts_now(void)
{
	return tracepoint_counts_since((struct tracepoint_counts){});
}

#endif
