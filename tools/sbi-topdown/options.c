// SPDX-License-Identifier: GPL-2.0-only
/* options - the command line. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

static const char usage[] =
"usage: sbi-topdown [OPTION...] [--] COMMAND [ARGUMENT...]\n"
"       sbi-topdown [OPTION...] -a | -p PID[,PID...] [[--] COMMAND [ARGUMENT...]]\n"
"  -a, --all            all CPUs, until Ctrl-C or the command's end\n"
"  -p, --pid PID,...    processes with all their threads\n"
"  -l, --level 1|2|3    how deep (default: 2)\n"
"  -I, --interval MS    show each interval, too\n"
"      --json, --csv    for programs\n"
"  -o, --output FILE    not to stdout (with a command: stderr)\n"
"  -h, --help           this\n";

__attribute__((noreturn))
static void misused(const char *what)
{
	fprintf(stderr, "sbi-topdown: %s\n%s", what, usage);
	exit(FAILED);
}

static unsigned long number(const char *text, unsigned long min, unsigned long max,
			    const char *what)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || n < min || n > max || strchr(text, '-'))
		misused(what);
	return n;
}

static void parse_pids(struct options *options, char *list)
{
	char *pid, *rest;

	for (pid = strtok_r(list, ",", &rest); pid; pid = strtok_r(NULL, ",", &rest)) {
		if (options->n_pids == MAX_PIDS)
			misused("-p: too many processes");
		options->pids[options->n_pids++] =
			number(pid, 1, 1 << 30, "-p: what is no process");
	}
	if (!options->n_pids)
		misused("-p: which process?");
}

static void parse_option(struct options *options, int option)
{
	switch (option) {
	case 'a':
		options->all = true;
		break;
	case 'p':
		parse_pids(options, optarg);
		break;
	case 'l':
		options->level = number(optarg, 1, 3, "-l: there are levels 1, 2 and 3");
		break;
	case 'I':
		options->interval = number(optarg, 10, 1000000000, "-I: 10 ms or more");
		break;
	case 'J':
		options->format = JSON;
		break;
	case 'C':
		options->format = CSV;
		break;
	case 'o':
		options->output = optarg;
		break;
	case 'h':
		fputs(usage, stdout);
		exit(0);
	default:
		fputs(usage, stderr);
		exit(FAILED);
	}
}

/* Read the command line; what makes no sense ends the program. */
void td_options(struct options *options, int argc, char **argv)
{
	static const struct option all[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "pid", required_argument, NULL, 'p' },
		{ "level", required_argument, NULL, 'l' },
		{ "interval", required_argument, NULL, 'I' },
		{ "json", no_argument, NULL, 'J' },
		{ "csv", no_argument, NULL, 'C' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int option;

	*options = (struct options){ .level = 2 };
	/* What follows the command is the command's. */
	while ((option = getopt_long(argc, argv, "+ap:l:I:o:h", all, NULL)) != -1)
		parse_option(options, option);
	if (optind < argc)
		options->command = argv + optind;
	if (options->all && options->n_pids)
		misused("-a or -p, not both");
	if (!options->all && !options->n_pids && !options->command)
		misused("measure what?");
}
