/* SPDX-License-Identifier: GPL-2.0-only */
/* options.h - what is wanted, and how the program says that it went. */
#ifndef TOPDOWN_OPTIONS_H
#define TOPDOWN_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

/* Exit status, beside the command's own. */
enum { NOT_HERE = 124, FAILED = 125, NOT_RUNNABLE = 126, NOT_FOUND = 127 };

enum format { TEXT, CSV, JSON };

#define MAX_PIDS	256

/**
 * struct options - what is wanted
 * @all: CPUs; else @pids of which there are @n_pids, else @command
 * @command: to run, NULL: none
 * @interval: ms, 0: only the summary
 * @level: 1 to 3
 * @format: of the output
 * @output: a file for it, NULL: see output_of()
 */
struct options {
	bool all;
	pid_t pids[MAX_PIDS];
	unsigned int n_pids;
	char **command;
	unsigned int interval;
	unsigned int level;
	enum format format;
	const char *output;
};

void td_options(struct options *options, int argc, char **argv);

#endif
