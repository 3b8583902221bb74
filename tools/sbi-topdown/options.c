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
	"  -a, --all            measure all CPUs, until Ctrl-C or the end of COMMAND\n"
	"  -p, --pid PID,...    measure processes with all their threads\n"
	"  -l, --level 1|2|3    level of detail (default: 2)\n"
	"  -I, --interval MS    print each interval of MS milliseconds, too\n"
	"      --record[=FILE]  run COMMAND again, and show the functions that the largest\n"
	"                       part comes from; perf's data go to FILE (default: perf.data)\n"
	"      --json, --csv    print JSON or CSV, for programs\n"
	"  -o, --output FILE    write to FILE (default: stdout; with COMMAND: stderr)\n"
	"  -h, --help           print this help\n";

__attribute__((noreturn)) static void fail_usage(const char *error)
{
	fprintf(stderr, "sbi-topdown: %s\n%s", error, usage);
	exit(FAILED);
}

/* Parse a number from @min to @max. Anything else prints @error and ends the program. */
static unsigned long parse_number(const char *text, unsigned long min, unsigned long max,
				  const char *error)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (end == text || *end || n < min || n > max || strchr(text, '-'))
		fail_usage(error);
	return n;
}

static void parse_pids(struct options *options, char *list)
{
	char *pid, *rest;

	for (pid = strtok_r(list, ",", &rest); pid; pid = strtok_r(NULL, ",", &rest)) {
		if (options->n_pids == MAX_PIDS)
			fail_usage("-p: too many processes");
		options->pids[options->n_pids++] =
			parse_number(pid, 1, 1 << 30, "-p: not a process id");
	}
	if (!options->n_pids)
		fail_usage("-p: no process id given");
}

static void parse_option(struct options *options, int option)
{
	switch (option) {
	case 'a':
		options->all_cpus = true;
		break;
	case 'p':
		parse_pids(options, optarg);
		break;
	case 'l':
		options->level = parse_number(optarg, 1, 3, "-l: the level is 1, 2 or 3");
		break;
	case 'I':
		options->interval =
			parse_number(optarg, 10, 1000000000, "-I: the interval is 10 ms or more");
		break;
	case 'J':
		options->format = JSON;
		break;
	case 'C':
		options->format = CSV;
		break;
	case 'R':
		options->record = optarg ? optarg : "perf.data";
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

/* What does not go together ends the program. */
static void check_options(const struct options *options)
{
	if (options->all_cpus && options->n_pids)
		fail_usage("use -a or -p, not both");
	if (!options->all_cpus && !options->n_pids && !options->command)
		fail_usage("nothing to measure: use -a, -p or a command");
	if (!options->record)
		return;
	if (!*options->record || !strcmp(options->record, "-"))
		fail_usage("--record=FILE: this is not the name of a file");
	if (!options->command)
		fail_usage("--record needs a command: it runs twice (for a time: -- sleep 10)");
	if (options->level == 1)
		fail_usage("--record needs level 2 or 3: level 1 has no event of the backend");
	if (options->format != TEXT)
		fail_usage("--record prints text only: 'perf report' and 'perf script' read FILE");
}

/**
 * td_parse_options() - parse the command line; a wrong one ends the program
 * @options: filled in
 * @argc: of main()
 * @argv: of main()
 */
void td_parse_options(struct options *options, int argc, char **argv)
{
	static const struct option long_options[] = { { "all", no_argument, NULL, 'a' },
						      { "pid", required_argument, NULL, 'p' },
						      { "level", required_argument, NULL, 'l' },
						      { "interval", required_argument, NULL, 'I' },
						      { "record", optional_argument, NULL, 'R' },
						      { "json", no_argument, NULL, 'J' },
						      { "csv", no_argument, NULL, 'C' },
						      { "output", required_argument, NULL, 'o' },
						      { "help", no_argument, NULL, 'h' },
						      {} };
	int option;

	*options = (struct options){ .level = 2 };
	/* The "+" stops at COMMAND: options after it belong to the command. */
	while ((option = getopt_long(argc, argv, "+ap:l:I:o:h", long_options, NULL)) != -1)
		parse_option(options, option);
	if (optind < argc)
		options->command = argv + optind;
	check_options(options);
}
