/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_core.h - a model of perf core, as far as a driver sees it: groups, tasks, context switches,
 * multiplexing, throttling, frequency mode, ioctls, mmap pages. And what tests know beyond the
 * driver: how many events have happened while each event counted.
 */
#ifndef HOST_PERF_CORE_H
#define HOST_PERF_CORE_H

#include "../../fakesbi/fakesbi.h"

#define PERF_TASKS	4
#define PERF_EVENTS	72
#define PERF_PMUS	3	/* of the driver */

/* An event as perf core and tests see it */
struct perf_model {
	struct perf_event event;	/* first, so that both have one address */
	bool is_open, is_new, mapped;	/* new: it is just being opened */
	struct fakesbi_code code;	/* what it counts, as firmware is asked for it */
	u64 rate, happened;		/* happened: events while it counted */
	u64 sampled, samples, throttled;	/* sampled: the sum of its samples' periods */
	u64 wrong_mode;			/* samples in a privilege mode that it excludes */
	u64 enabled, running;		/* without those of the task */
	struct perf_event_mmap_page page;
	s64 least_offset;		/* that the page has had, 0 at most */
	int branches;			/* of its last sample, -1: it has none */
	struct perf_branch_entry branch[64];
	u64 order;			/* among the groups; the first is scheduled first */
};

#define MAX_INTERRUPTS	(~0ULL)

/* The kernel around the driver */
struct perf_core {
	unsigned int version;		/* 612 or 702: Linux whose way to throttle it has */
	unsigned int max_samples_per_tick;	/* of an event, then it is throttled; 0: any */
	struct pmu *pmus[PERF_PMUS];	/* those that are registered */
	struct pmu *pmu;		/* the first */
	struct task_struct task[PERF_TASKS], idle;	/* idle: a kernel thread */
	struct mm_struct mm[PERF_TASKS];
	struct perf_model model[PERF_EVENTS];
	unsigned int used;		/* after these none are open */
	unsigned int nr_user;		/* events in contexts that can be read from user space */
	unsigned int sched_cb[HOST_CPUS];	/* who is told of context switches, */
	struct pmu *sched_pmu[HOST_CPUS];	/* and of which PMU */
	u64 took_ns, took;		/* what the driver reported of its samples: the longest; how often */
	u64 seq, last_order;
	u64 mux_until;			/* so long the timer that multiplexes may be pending */
	u64 branches, foreign;		/* in samples; of these, what its event may not see */
	unsigned int latency;		/* of an interrupt, at most (ns) */
};

extern struct perf_core perf_core;

#define for_each_pmu(x)										\
	for (struct pmu **x##_ = perf_core.pmus, *x; x##_ < perf_core.pmus + PERF_PMUS; x##_++)	\
		if ((x = *x##_))

#define for_each_event(m)									\
	for ((m) = perf_core.model; (m) < perf_core.model + perf_core.used; (m)++) if ((m)->is_open)

static inline struct perf_model *perf_model(struct perf_event *event)
{
	return (struct perf_model *)event;
}

void perf_core_reset(void);
void perf_pmus_reset(void);
void perf_core_other_pmu(const char *name, int type);
#define perf_sysfs(path)	perf_sysfs_of(perf_core.pmu, path)
const char *perf_sysfs_of(struct pmu *pmu, const char *path);

/* System calls. @task NULL: of a CPU. @error: 0 or an errno */
struct perf_event *perf_open(const struct perf_event_attr *attr, struct task_struct *task, int cpu,
			     struct perf_event *leader, int *error);
struct perf_event *perf_inherit(struct perf_event *parent, struct task_struct *child);
void perf_close(struct perf_event *event);
u64 perf_read(struct perf_event *event);
void perf_enable(struct perf_event *event);
void perf_disable(struct perf_event *event);
int perf_set_period(struct perf_event *event, u64 period);
void perf_refresh(struct perf_event *event, int samples);
void perf_map(struct perf_event *event);
bool perf_user_read(struct perf_event *event, u64 *count);

/* What happens on a CPU, the one that runs now */
void perf_switch(struct task_struct *next);
void perf_tick(void);
void perf_rotate(void);
void perf_resched(void);
void perf_suspend(bool loses_power);
int perf_hotplug(unsigned int cpu, bool online);
void perf_reboot(unsigned long action);
void perf_run(u64 ns);
void perf_interrupts(void);

#endif
