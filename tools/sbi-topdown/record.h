/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * record.h - sample one event by perf record, in a second run of the command, and read the
 * functions from perf report. Here is what both are called with and how the result is read;
 * main.c runs them.
 */
#ifndef TOPDOWN_RECORD_H
#define TOPDOWN_RECORD_H

#include <stdio.h>

#include "events.h"
#include "options.h"

/* Functions that are shown. */
#define TD_FUNCTIONS	12

/**
 * struct td_function - one line of perf report
 * @name: of the function, as perf prints it
 * @object: the program or library, or [kernel...]
 * @share: of the events, 1 is all
 * @samples: how many samples
 */
struct td_function {
	char name[128];
	char object[64];
	double share;
	unsigned long long samples;
};

/**
 * struct td_profile - where a part comes from
 * @part: the part that was the bottleneck
 * @event: the event that was sampled
 * @period: events for each sample
 * @file: the file of perf record
 * @samples: number of samples
 * @n_functions: number of functions that perf report has
 * @function: the first of them
 */
struct td_profile {
	unsigned int part;
	enum td_event event;
	unsigned long long period;
	const char *file;
	unsigned long long samples;
	unsigned int n_functions;
	struct td_function function[TD_FUNCTIONS];
};

/**
 * struct td_arguments - arguments of a program, and the texts that some of them point to
 * @n: number of arguments; the next one is NULL
 * @argv: the arguments
 * @period: text
 * @event: text
 * @pids: text
 */
struct td_arguments {
	unsigned int n;
	char **argv;
	char period[24];
	char event[96];
	char pids[MAX_PIDS * 11];
};

unsigned long long td_choose_period(const struct td_sample *sample, enum td_event event,
				    double seconds);
bool td_record_arguments(struct td_arguments *arguments, const struct options *options,
			 const struct td_profile *profile, const char *event);
bool td_report_arguments(struct td_arguments *arguments, const struct td_profile *profile);
void td_free_arguments(struct td_arguments *arguments);
void td_read_functions(struct td_profile *profile, FILE *report);

#endif
