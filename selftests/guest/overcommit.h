/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of different events, larger than the number of counters that can count them. */
#ifndef OVERCOMMIT_H
#define OVERCOMMIT_H

#include "harness.h"

/*
 * May opening a raw event that QEMU does not have end with @result, 0 or an errno? It opens on a
 * board, and where counters are delegated, as nobody checks a selector. Otherwise QEMU's firmware
 * has no such event.
 */
static inline bool is_possible_not_in_lab(int result)
{
	return result == ENOENT || (!result && (!getenv("lab_case") || is_delegated()));
}

/**
 * struct event_set - different events of one kind
 * @name: of the kind
 * @counters: sysfs file with the number of counters for it
 * @size: number of events
 * @event: return event @i, without its type
 */
struct event_set {
	const char *name;
	const char *counters;
	unsigned int size;
	struct perf_event_attr (*event)(unsigned int i);
};

/* Add one of eight combinations of exclude_*. */
static inline void add_filter(struct perf_event_attr *attr, unsigned int modes)
{
	attr->exclude_user = modes & 1;
	attr->exclude_kernel = modes >> 1 & 1;
	attr->exclude_hv = modes >> 2 & 1;
}

/*
 * Four events that QEMU has, each with all eight combinations of exclude_*, of which QEMU counts
 * one at a time
 */
static inline struct perf_event_attr hardware_event(unsigned int i)
{
	static const uint64_t codes[] = { 1, 2, 0x1001b, 0x10021 };
	struct perf_event_attr attr = { .config = STANDARD(codes[i % ARRAY_SIZE(codes)]) };

	add_filter(&attr, i / ARRAY_SIZE(codes));
	return attr;
}

static inline struct perf_event_attr firmware_event(unsigned int i)
{
	return (struct perf_event_attr){ .config = FIRMWARE(i) };
}

enum { HARDWARE_EVENTS, FIRMWARE_EVENTS };

static const struct event_set event_sets[] = {
	[HARDWARE_EVENTS] = { "hardware", "caps/hardware_counters", 32, hardware_event },
	[FIRMWARE_EVENTS] = { "firmware", "caps/firmware_counters", 22, firmware_event },
};

enum { MAX_EVENTS = 40 };

/*
 * Open a set's events for this task, in one group or one by one. Events that the machine does
 * not support are left out; stop at any other error, which goes to @error (0 if none).
 * Return: how many are open.
 */
static inline unsigned int open_events(const struct event_set *set, bool grouped,
				       int fds[MAX_EVENTS], int *error)
{
	unsigned int n = 0;

	*error = 0;
	for (unsigned int i = 0; i < set->size; i++) {
		struct perf_event_attr attr = set->event(i);
		int fd;

		attr.type = pmu.type;
		attr.read_format = READ_TIMES;
		fd = perf_try(&attr, 0, -1, grouped && n ? fds[0] : -1);
		if (fd >= 0) {
			fds[n++] = fd;
		} else if (fd != -ENOENT && fd != -filter_errno(&attr)) {
			*error = -fd;
			break;
		}
	}
	return n;
}

static inline void close_events(const int *fds, unsigned int n)
{
	while (n)
		close(fds[--n]);
}

static inline void skip_of_set(const struct event_set *set, const char *name, const char *why)
{
	char full[80];

	snprintf(full, sizeof(full), "%s_%s", set->name, name);
	skip(full, why);
}

#endif
