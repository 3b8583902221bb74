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

/**
 * struct perf_model - an event as perf core and tests see it
 * @event: as the driver sees it; first, so that both have one address
 * @is_open: the entry is in use; @is_new: its event is just being opened
 * @code: what it counts, as firmware is asked for it
 * @happened: events that happened while it counted
 * @sampled: sum of the periods of its samples; @samples: their number; @throttled: how often
 * @wrong_mode: samples in a privilege mode that it excludes
 * @enabled, @running: its times, without those of the task
 * @page: its mmap page, if @mapped
 * @branches: those of its last sample, -1: it has none; @branch: the entries
 * @order: place among the groups; the first is scheduled first
 */
struct perf_model {
	struct perf_event event;
	bool is_open, is_new, mapped;
	struct fakesbi_code code;
	u64 rate, happened, sampled, samples, throttled, wrong_mode, enabled, running;
	struct perf_event_mmap_page page;
	s64 least_offset; /* that the page has had, 0 at most */
	int branches;
	struct perf_branch_entry branch[64];
	u64 order;
};

/**
 * struct perf_core - the kernel around the driver
 * @version: 612 or 702: Linux whose way to throttle it has
 * @max_samples_per_tick: samples of an event in a tick before it is throttled, 0: any number
 * @pmu: the driver's, if registered
 * @task: programs; @idle: the idle task, a kernel thread
 * @model: events; after the first @used none are open
 * @took_ns, @took: what the driver reported of its handlers
 * @nr_user: events in contexts that can be read from user space
 * @sched_cb: by CPU, who is told of context switches
 * @branches, @foreign: branches in samples; of these, what its event may not see
 * @latency: an interrupt comes so long after it is due, at most (ns)
 */
struct perf_core {
	unsigned int version, max_samples_per_tick;
	struct pmu *pmu;
	struct task_struct task[PERF_TASKS], idle;
	struct mm_struct mm[PERF_TASKS];
	struct perf_model model[PERF_EVENTS];
	unsigned int used, nr_user, sched_cb[HOST_CPUS];
	u64 took_ns, took, seq, last_order, branches, foreign;
	unsigned int latency;
};

extern struct perf_core perf_core;

#define for_each_event(m)									\
	for ((m) = perf_core.model; (m) < perf_core.model + perf_core.used; (m)++) if ((m)->is_open)

static inline struct perf_model *perf_model(struct perf_event *event)
{
	return (struct perf_model *)event;
}

void perf_core_reset(void);
void perf_pmus_reset(void);
void perf_core_other_pmu(const char *name, int type);
const char *perf_sysfs(const char *path);

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
