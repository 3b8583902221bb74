/* SPDX-License-Identifier: GPL-2.0-only */
/* Count SBI PMU calls and context switches on CPU 0, by the kernel's own tracepoints. */
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

static inline int tracepoint_open(uint32_t type, uint64_t config, const char *filter)
{
	/* A pinned group keeps counting while the tasks' events are scheduled in and out. */
	bool leader = tracepoint_fd[0] < 0;
	struct perf_event_attr attr = {
		.type = type,
		.config = config,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = leader,
		.pinned = leader,
	};
	int fd = perf_try(&attr, -1, TRACED_CPU, tracepoint_fd[0]);

	if (fd >= 0 && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		perror("# filter");
	return fd;
}

static inline bool tracepoints_open(void)
{
	int id = read_number("/sys/kernel/tracing/events/riscv/sbi_call/id");
	int *fd = tracepoint_fd;

	fd[0] = tracepoint_open(PERF_TYPE_TRACEPOINT, id, "ext == 0x504d55");
	fd[1] = tracepoint_open(PERF_TYPE_TRACEPOINT, id, "ext == 0x504d55 && fid == 5");
	fd[2] = tracepoint_open(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NULL);
	return id >= 0 && fd[1] >= 0 && fd[2] >= 0 && !ioctl(fd[0], PERF_EVENT_IOC_ENABLE, 0);
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
