/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * events.h - find the events of an analysis by name in sysfs, open them as groups that
 * count as a whole or not at all, and read them.
 */
#ifndef TOPDOWN_EVENTS_H
#define TOPDOWN_EVENTS_H

#include <sys/types.h>

#include "formula.h"

#define TD_DEVICES	"/sys/bus/event_source/devices"
#define TD_ERROR	512

/**
 * struct td_pmu - the PMU and its events
 * @dir: in sysfs
 * @type: for perf_event_open()
 * @slots: how many micro-ops a cycle of the core can have at most
 * @n_events: how many of the wanted events it has, from the first on
 * @config: of each event
 */
struct td_pmu {
	char dir[128];
	unsigned int type;
	unsigned int slots;
	unsigned int n_events;
	uint64_t config[TD_EVENTS];
};

/**
 * struct td_group - the events on one task or CPU
 * @fd: of each event; all are read through the first one, the group leader
 * @opened: number of open events
 * @last: what was read last; it remains valid when the CPU goes offline
 */
struct td_group {
	int fd[TD_EVENTS];
	unsigned int opened;
	struct td_sample last;
};

/**
 * struct td_events - all events of an analysis
 * @pmu: the PMU that has them
 * @n_events: number of events in each group
 * @user_only: user mode only
 * @groups: one for each task or CPU
 * @n_groups: number of open groups
 * @error: after a failure: what happened and what to do, one or more lines
 */
struct td_events {
	struct td_pmu pmu;
	unsigned int n_events;
	bool user_only;
	struct td_group *groups;
	unsigned int n_groups;
	char error[TD_ERROR];
};

bool td_find_events(struct td_events *events, const char *devices, unsigned int level);
bool td_open_command(struct td_events *events, pid_t pid);
bool td_open_process(struct td_events *events, pid_t pid);
bool td_open_cpus(struct td_events *events);
void td_enable_events(struct td_events *events);
bool td_read_events(struct td_events *events, struct td_sample *sample);
void td_close_events(struct td_events *events);
void td_name_event(const struct td_events *events, enum td_event event, char *text, int size);

#endif
