// SPDX-License-Identifier: GPL-2.0-only
/*
 * record - arguments of perf record and perf report, and the functions in a report; no system
 * calls, so that it is tested on the host.
 */
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* Samples that are enough for a profile, at a rate that does not slow the command down. */
#define MAX_SAMPLES		5000
#define SAMPLES_PER_SECOND	1000
#define MIN_SAMPLES		100

/**
 * td_choose_period() - how many events there should be for each sample
 * @sample: the counts of the first run
 * @event: the event to sample
 * @seconds: how long the first run took
 *
 * perf's own choice, a rate, begins with a very short period, and is no share of the events.
 *
 * Return: the period; 0 if the event was not counted.
 */
unsigned long long td_choose_period(const struct td_sample *sample, enum td_event event,
				    double seconds)
{
	const uint64_t count = event < sample->n_events ? sample->count[event] : 0;
	double samples = seconds * SAMPLES_PER_SECOND;

	if (samples < MIN_SAMPLES)
		samples = MIN_SAMPLES;
	if (samples > MAX_SAMPLES)
		samples = MAX_SAMPLES;
	return count > samples ? count / samples : !!count;
}

/* ---- arguments ---- */

/* Make space for @max arguments. */
static bool begin_arguments(struct td_arguments *arguments, unsigned int max)
{
	arguments->n = 0;
	arguments->argv = calloc(max + 1, sizeof(*arguments->argv));
	return arguments->argv;
}

/* exec() does not change what its arguments point to, but has no const. */
static void add(struct td_arguments *arguments, const char *text)
{
	arguments->argv[arguments->n++] = (char *)text;
}

static void add_pids(struct td_arguments *arguments, const struct options *options)
{
	unsigned int at = 0;

	for (unsigned int i = 0; i < options->n_pids; i++)
		at += snprintf(arguments->pids + at, sizeof(arguments->pids) - at, "%s%d",
			       i ? "," : "", options->pids[i]);
	add(arguments, "-p");
	add(arguments, arguments->pids);
}

/**
 * td_record_arguments() - arguments of perf record
 * @arguments: filled in
 * @options: what is measured
 * @profile: period and file
 * @event: as perf writes it
 *
 * Return: false if there is no memory.
 */
bool td_record_arguments(struct td_arguments *arguments, const struct options *options,
			 const struct td_profile *profile, const char *event)
{
	unsigned int words = 0;

	while (options->command[words])
		words++;
	if (!begin_arguments(arguments, words + 16))
		return false;
	snprintf(arguments->event, sizeof(arguments->event), "%s", event);
	snprintf(arguments->period, sizeof(arguments->period), "%llu", profile->period);
	add(arguments, "perf");
	add(arguments, "record");
	add(arguments, "-q");
	/* Callers are not shown here, but are in the file, for a flame graph. */
	add(arguments, "-g");
	add(arguments, "-o");
	add(arguments, profile->file);
	add(arguments, "-c");
	add(arguments, arguments->period);
	add(arguments, "-e");
	add(arguments, arguments->event);
	if (options->all_cpus)
		add(arguments, "-a");
	if (options->n_pids)
		add_pids(arguments, options);
	add(arguments, "--");
	for (unsigned int i = 0; i < words; i++)
		add(arguments, options->command[i]);
	return true;
}

/**
 * td_report_arguments() - arguments of perf report
 * @arguments: filled in
 * @profile: the file
 *
 * Return: false if there is no memory.
 */
bool td_report_arguments(struct td_arguments *arguments, const struct td_profile *profile)
{
	if (!begin_arguments(arguments, 16))
		return false;
	add(arguments, "perf");
	add(arguments, "report");
	add(arguments, "--stdio");
	add(arguments, "-q");
	add(arguments, "-g");
	add(arguments, "none");
	add(arguments, "--no-children");
	add(arguments, "-F");
	add(arguments, "overhead,sample,symbol,dso");
	add(arguments, "-t");
	add(arguments, "\t");
	add(arguments, "-i");
	add(arguments, profile->file);
	return true;
}

/**
 * td_free_arguments() - free what the other functions allocated
 * @arguments: of td_record_arguments() or td_report_arguments()
 */
void td_free_arguments(struct td_arguments *arguments)
{
	free(arguments->argv);
	arguments->argv = NULL;
}

/* ---- the report ---- */

/* Copy a text without spaces around it and without control characters, which symbols may have. */
static void copy_text(char *to, size_t size, const char *from)
{
	size_t n;

	from += strspn(from, " ");
	snprintf(to, size, "%s", from);
	n = strlen(to);
	while (n && to[n - 1] == ' ')
		to[--n] = '\0';
	for (; *to; to++)
		if ((unsigned char)*to < ' ' || *to == 0x7f)
			*to = '?';
}

/* Parse a line such as "52.56%<tab>246<tab>[.] blocked<tab>matmul"; perf adds spaces. */
static bool parse_function(char *line, struct td_function *function)
{
	char *rest, *end, *samples, *name, *object;

	line[strcspn(line, "\n")] = '\0';
	function->share = strtod(line, &end) / 100;
	if (end == line || *end != '%')
		return false;
	end += 1 + strspn(end + 1, " ");
	if (*end != '\t')
		return false;
	samples = strtok_r(end + 1, "\t", &rest);
	name = strtok_r(NULL, "\t", &rest);
	object = strtok_r(NULL, "\t", &rest);
	if (!samples || !name || !object)
		return false;
	function->samples = strtoull(samples, &end, 10);
	name += strspn(name, " ");
	/* "[.]" is user mode, "[k]" the kernel, which @object says, too. */
	if (name[0] == '[' && name[1] && name[2] == ']')
		name += 3;
	copy_text(function->name, sizeof(function->name), name);
	copy_text(function->object, sizeof(function->object), object);
	return end != samples;
}

/**
 * td_read_functions() - read the functions from the output of perf report
 * @profile: the first functions are filled in, and the number of functions and samples
 * @report: the output; lines of another form are ignored
 */
void td_read_functions(struct td_profile *profile, FILE *report)
{
	struct td_function function;
	size_t size = 0;
	char *line = NULL;

	profile->n_functions = 0;
	profile->samples = 0;
	while (getline(&line, &size, report) > 0) {
		if (!parse_function(line, &function))
			continue;
		profile->samples += function.samples;
		if (profile->n_functions < TD_FUNCTIONS)
			profile->function[profile->n_functions] = function;
		profile->n_functions++;
	}
	free(line);
}
