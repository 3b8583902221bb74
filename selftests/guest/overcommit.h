/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Crowds: different events, more than there are counters that could hold them.
 */
#ifndef CROWD_H
#define CROWD_H

#include "harness.h"

struct crowd {
	const char *name;
	const char *counters;	/* the sysfs file with their number */
	unsigned int size;
	struct perf_event_attr (*event)(unsigned int i);
};

/* Five codes that QEMU knows, in the eight mixtures of modes. */
static inline struct perf_event_attr hardware_event(unsigned int i)
{
	static const uint64_t codes[] = { 1, 2, 0x10019, 0x1001b, 0x10021 };
	unsigned int modes = i / ARRAY_SIZE(codes);

	return (struct perf_event_attr){
		.config = STANDARD(codes[i % ARRAY_SIZE(codes)]),
		.exclude_user = modes & 1,
		.exclude_kernel = modes >> 1 & 1,
		.exclude_hv = modes >> 2 & 1,
	};
}

static inline struct perf_event_attr firmware_event(unsigned int i)
{
	return (struct perf_event_attr){ .config = FIRMWARE(i) };
}

enum { HARDWARE_CROWD, FIRMWARE_CROWD };

static const struct crowd crowds[] = {
	[HARDWARE_CROWD] = { "hardware", "caps/hardware_counters", 40, hardware_event },
	[FIRMWARE_CROWD] = { "firmware", "caps/firmware_counters", 22, firmware_event },
};

enum { CROWD_MAX = 40 };

/*
 * Open this task's events of a crowd, in one group or each on its own, until one is
 * refused for another reason than that the machine does not have it.
 * Returns how many; @error is what the last one was told, 0 if all were tried.
 */
static inline unsigned int crowd_open(const struct crowd *crowd, bool grouped,
				      int fds[CROWD_MAX], int *error)
{
	unsigned int n = 0;

	*error = 0;
	for (unsigned int i = 0; i < crowd->size; i++) {
		struct perf_event_attr attr = crowd->event(i);
		int fd;

		attr.type = pmu.type;
		attr.read_format = READ_TIMES;
		fd = perf_try(&attr, 0, -1, grouped && n ? fds[0] : -1);
		if (fd >= 0) {
			fds[n++] = fd;
		} else if (fd != -ENOENT && fd != -unfiltered()) {
			*error = -fd;
			break;
		}
	}
	return n;
}

static inline void crowd_close(const int *fds, unsigned int n)
{
	while (n)
		close(fds[--n]);
}

#endif
