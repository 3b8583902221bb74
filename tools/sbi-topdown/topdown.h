/* SPDX-License-Identifier: GPL-2.0-only */
/* topdown.h - what main.c measures by events.c and prints by report.c */
#ifndef TOPDOWN_H
#define TOPDOWN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "metrics.inc" /* the events and formulas of files of metrics, by metrics.awk */

/* As many events and metrics as a model can have */
enum { TD_EVENTS = 24, TD_PARTS = 24 };

/* The first events of each model: cycles, and what retires */
enum { EV_CYCLES, EV_RETIRED };

struct td_event {
	const char *name;
	unsigned int level; /* the lowest that needs it */
};

/* A part of the slots */
struct td_metric {
	const char *name, *text, *label; /* of perf's metric, what it means, its name for people */
	unsigned int level;
	unsigned int event[2]; /* that cause it: the larger one is sampled to find the code */
};

/* The analysis of a family of cores */
struct td_model {
	const struct td_event *events;   /* those of level 1 first, then of level 2 */
	const struct td_metric *metrics; /* each before the parts that it consists of */
	unsigned int n_events, n_metrics;
	unsigned int spare; /* the last event, if level 3 can do without; else TD_EVENTS */
	const char *cores;  /* names of event tables, spaces around each; " * ": all others */
	void (*compute)(const uint64_t *count, double slots, double *value);
};

/* Counts, added up over tasks or CPUs */
struct td_sample {
	const struct td_model *model;
	uint64_t enabled;      /* ns */
	uint64_t running;      /* of these, ns in which the events counted */
	unsigned int n_events; /* all of one level and of those below */
	unsigned int slots;    /* how many micro-ops a cycle can have at most; not 0 */
	uint64_t count[TD_EVENTS];
};

/* ---- events.c ---- */

/* Where PMUs are in sysfs */
extern const char *td_devices;

/* The events on one task or CPU; all are read through the first one, the group's leader */
struct td_group {
	int fd[TD_EVENTS];
	unsigned int opened;
	struct td_sample last; /* what was read last: stays when the CPU goes offline */
};

/* All events of an analysis */
struct td_set {
	const char *pmu;
	const struct td_model *model;
	char table[256]; /* the event table of the core */
	unsigned int slots;
	struct perf_event_attr attr[TD_EVENTS]; /* type and config */
	unsigned int n_events;                  /* in each group */
	bool user_only;
	struct td_group *groups; /* one for each task or CPU */
	unsigned int n_groups;
	char error[512]; /* after a failure: what happened and what to do */
};

bool td_find_events(struct td_set *set, unsigned int level);
void td_name_event(const struct td_set *set, unsigned int event, char text[96]);
bool td_open_command(struct td_set *set, pid_t pid);
bool td_open_process(struct td_set *set, pid_t pid);
bool td_open_cpus(struct td_set *set);
void td_enable_events(struct td_set *set);
bool td_read_events(struct td_set *set, struct td_sample *sample);
void td_close_events(struct td_set *set);

/* ---- report.c ---- */

struct td_report {
	const char *what;  /* what was measured, for people */
	const char *table; /* the event table of the core */
	double seconds;    /* since the start */
	bool summary;      /* of the whole measurement, not of an interval */
	bool user_only;
	struct td_sample sample;
};

/* What to sample in a second run */
struct td_profile {
	const char *label; /* of the part that it is for */
	unsigned int event;
	unsigned long long period;
};

/* A terminal; width 0: there is none, print plain text */
struct td_style {
	int width;
	bool utf8;
};

const struct td_model *td_model_of(const char *table);
unsigned int td_events_of_level(const struct td_model *model, unsigned int level);
bool td_find_bottleneck(const struct td_report *report, struct td_profile *profile);
bool td_show_summary(FILE *out, const struct td_report *report, const struct td_style *style);
void td_show_csv_head(FILE *out, const struct td_model *model);
bool td_show_csv(FILE *out, const struct td_report *report);

#endif
