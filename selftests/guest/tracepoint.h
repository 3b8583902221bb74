/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The witness counts what happens on CPU 0: calls to firmware, by the kernel's
 * own tracepoint, and context switches.
 */
#ifndef WITNESS_H
#define WITNESS_H

#include "harness.h"

/* Who wants to be seen is pinned to it. */
enum { WITNESS_CPU = 0 };

struct tally {
	uint64_t events;	/* of the group: 3 */
	uint64_t calls;		/* of the SBI PMU extension */
	uint64_t reads;		/* those of them that read a firmware counter */
	uint64_t switches;
};

static int witness[3] = { -1, -1, -1 };

static inline int open_witness(uint32_t what, uint64_t config, const char *filter)
{
	/* Pinned, so that it stays while the tasks' events come and go. */
	bool leader = witness[0] < 0;
	struct perf_event_attr attr = {
		.type = what,
		.config = config,
		.read_format = PERF_FORMAT_GROUP,
		.disabled = leader,
		.pinned = leader,
	};
	int fd = perf_try(&attr, -1, WITNESS_CPU, witness[0]);

	if (fd >= 0 && filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		perror("# filter");
	return fd;
}

static inline bool witness_open(void)
{
	int id = number_in("/sys/kernel/tracing/events/riscv/sbi_call/id");

	witness[0] = open_witness(PERF_TYPE_TRACEPOINT, id, "ext == 0x504d55");
	witness[1] = open_witness(PERF_TYPE_TRACEPOINT, id, "ext == 0x504d55 && fid == 5");
	witness[2] = open_witness(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, NULL);
	return id >= 0 && witness[1] >= 0 && witness[2] >= 0 &&
	       !ioctl(witness[0], PERF_EVENT_IOC_ENABLE, 0);
}

static inline void witness_close(void)
{
	for (int i = 2; i >= 0; i--) {
		close(witness[i]);
		witness[i] = -1;
	}
}

/* What was seen after @before; nothing if nobody looks. */
static inline struct tally seen_since(struct tally before)
{
	struct tally t = {};

	if (witness[0] >= 0 && read(witness[0], &t, sizeof(t)) != sizeof(t))
		perror("# witness");
	t.calls -= before.calls;
	t.reads -= before.reads;
	t.switches -= before.switches;
	return t;
}

#endif
