/* SPDX-License-Identifier: GPL-2.0-only */
/* options.h - command line options and exit status. */
#ifndef TOPDOWN_OPTIONS_H
#define TOPDOWN_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

/* Exit status, if not the command's own. */
enum { NOT_AVAILABLE = 124, FAILED = 125, NOT_RUNNABLE = 126, NOT_FOUND = 127 };

enum format { TEXT, CSV, JSON };

#define MAX_PIDS	256

/**
 * struct options - the command line
 * @all_cpus: measure all CPUs; else @pids, if there are any, else @command
 * @pids: processes to measure
 * @n_pids: number of @pids
 * @command: to run, NULL: none
 * @interval: ms, 0: only the summary
 * @level: 1 to 3
 * @format: of the output
 * @output: file for the output, NULL: see open_output()
 * @record: file for the samples of a second run, NULL: no second run
 */
struct options {
	bool all_cpus;
	pid_t pids[MAX_PIDS];
	unsigned int n_pids;
	char **command;
	unsigned int interval;
	unsigned int level;
	enum format format;
	const char *output;
	const char *record;
};

void td_parse_options(struct options *options, int argc, char **argv);

#endif
