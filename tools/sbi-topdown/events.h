/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - the events of an analysis: found by name in sysfs, opened as groups that
 * count all the time or not at all, read.
 */
#ifndef TOPDOWN_EVENTS_H
#define TOPDOWN_EVENTS_H

#include <sys/types.h>

#include "formula.h"

#define TD_DEVICES	"/sys/bus/event_source/devices"
#define TD_WHY		512

/**
 * struct td_pmu - the PMU, and how it knows the events
 * @folder: in sysfs
 * @type: for perf_event_open()
 * @known: how many of the events it has, from the first on, as far as they were
 *	   wanted
 * @config: of these
 */
struct td_pmu {
	char folder[128];
	unsigned int type;
	unsigned int known;
	uint64_t config[TD_EVENTS];
};

/**
 * struct td_group - the events on one task or CPU
 * @fd: the first @opened are open; by the first one, the leader, all are read
 * @opened: how many
 * @last: what was read last, which is all if the CPU has gone since
 */
struct td_group {
	int fd[TD_EVENTS];
	unsigned int opened;
	struct td_sample last;
};

/**
 * struct td_events - all events of an analysis
 * @pmu: where they are
 * @known: how many of them each group has
 * @user_only: the kernel is left out
 * @groups: of these @n are open
 * @why: after a failure: what is wrong and what to do, some lines
 */
struct td_events {
	struct td_pmu pmu;
	unsigned int known;
	bool user_only;
	struct td_group *groups;
	unsigned int n;
	char why[TD_WHY];
};

bool td_find(struct td_events *events, const char *devices, unsigned int level);
bool td_open_command(struct td_events *events, pid_t pid);
bool td_open_process(struct td_events *events, pid_t pid);
bool td_open_cpus(struct td_events *events);
void td_enable(struct td_events *events);
bool td_read(struct td_events *events, struct td_sample *sample);
void td_close(struct td_events *events);

#endif
