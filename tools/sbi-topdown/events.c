// SPDX-License-Identifier: GPL-2.0-only
/*
 * events - sysfs and perf_event_open().
 *
 * The events of an analysis are one group: perf schedules a group as a whole or not at
 * all, so that all counts are of the same time. td_compute_shares() checks that the
 * group counted all of the time.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "events.h"

/* The events that count slots are 6 bits wide. */
#define MAX_SLOTS	63

/* Write the error text. Return: false. */
__attribute__((format(printf, 2, 3))) static bool fail(struct td_events *events, const char *format,
						       ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(events->error, sizeof(events->error), format, ap);
	va_end(ap);
	return false;
}

/* ---- sysfs ---- */

static bool read_line(const char *dir, const char *file, char *line, int size)
{
	char path[256];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* Set the bits of a term such as "event0=0x15", as format/event0 says; a bare term is 1. */
static bool set_field(const char *dir, char *term, uint64_t *config)
{
	unsigned int low, high;
	uint64_t value = 1;
	char file[64], format[64], *equals = strchr(term, '='), *end;
	int n;

	if (equals) {
		*equals++ = '\0';
		value = strtoull(equals, &end, 0);
		if (end == equals || *end)
			return false;
	}
	snprintf(file, sizeof(file), "format/%.50s", term);
	if (!read_line(dir, file, format, sizeof(format)))
		return false;
	n = sscanf(format, "config:%u-%u", &low, &high);
	if (n == 1)
		high = low;
	if (n < 1 || low > high || high > 63 || (high - low < 63 && value >> (high - low + 1)))
		return false;
	*config |= value << low;
	return true;
}

static bool parse_terms(const char *dir, char *terms, uint64_t *config)
{
	char *term, *rest;

	*config = 0;
	for (term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (!set_field(dir, term, config))
			return false;
	return true;
}

/*
 * Look up an event. If another driver owns the PMU "cpu", sbi_pmu puts "hw_" before the
 * names of general events.
 */
static bool find_event_file(const char *dir, const char *name, char file[64], char *terms, int size)
{
	static const char * const formats[] = { "events/%s", "events/hw_%s" };

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(file, 64, formats[i], name);
		if (read_line(dir, file, terms, size))
			return true;
	}
	return false;
}

static bool find_event(const char *dir, const char *name, uint64_t *config)
{
	char file[64], terms[256];

	return find_event_file(dir, name, file, terms, sizeof(terms)) &&
	       parse_terms(dir, terms, config);
}

static bool find_pmu(struct td_events *events, const char *devices)
{
	static const char * const names[] = { "sbi_pmu", "cpu" };
	struct td_pmu *pmu = &events->pmu;
	char line[64];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(pmu->dir, sizeof(pmu->dir), "%s/%s", devices, names[i]);
		if (read_line(pmu->dir, "caps/mode", line, sizeof(line)) &&
		    read_line(pmu->dir, "type", line, sizeof(line))) {
			pmu->type = strtoul(line, NULL, 0);
			return true;
		}
	}
	return fail(events, "the module sbi_pmu is not loaded\n"
			    "To do: insmod sbi_pmu.ko, and check in dmesg what it found.");
}

static bool read_table_name(struct td_events *events, char *table, int size)
{
	if (read_line(events->pmu.dir, "caps/event_table", table, size))
		return true;
	return fail(events,
		    "sbi_pmu knows of no XiangShan events on this core\n"
		    "To do: on a XiangShan core, load the module with xiangshan=TABLE;\n"
		    "sbi-pmu-xiangshan.rst lists the tables and what firmware must provide.");
}

/* The same counts are other shares on a core with other slots, so do not assume a number. */
static bool read_slots(struct td_events *events)
{
	char line[64], *end = line;
	unsigned long slots = 0;

	if (read_line(events->pmu.dir, "caps/slots", line, sizeof(line)))
		slots = strtoul(line, &end, 0);
	if (slots && slots <= MAX_SLOTS && end != line && !*end) {
		events->pmu.slots = slots;
		return true;
	}
	return fail(events,
		    "sbi_pmu does not say how many slots a cycle of this core has (caps/slots)\n"
		    "To do: load a module of the same version as sbi-topdown.");
}

/**
 * td_find_events() - find the PMU and the events of an analysis
 * @events: all zero
 * @devices: TD_DEVICES
 * @level: of the analysis, 1 to 3
 *
 * Return: false if some are missing; then @events->error says what to do.
 */
bool td_find_events(struct td_events *events, const char *devices, unsigned int level)
{
	static const unsigned int needed[] = { 0, TD_LEVEL1, TD_LEVEL2, TD_LEVEL3 };
	struct td_pmu *pmu = &events->pmu;
	char table[64];

	if (!find_pmu(events, devices) || !read_table_name(events, table, sizeof(table)) ||
	    !read_slots(events))
		return false;
	while (pmu->n_events < needed[level] &&
	       find_event(pmu->dir, td_events[pmu->n_events], &pmu->config[pmu->n_events]))
		pmu->n_events++;
	events->n_events = pmu->n_events;
	if (pmu->n_events == needed[level] || (level == 3 && pmu->n_events == TD_LEVEL3_NO_L3MISS))
		return true;
	return fail(events,
		    "there is no event %s on this core (table %s)\n"
		    "To do: check in dmesg that the table is that of the core, and that firmware\n"
		    "maps events to its counters (sbi-pmu-xiangshan.rst).%s",
		    td_events[pmu->n_events], table,
		    pmu->n_events >= TD_LEVEL1 ? " Level 1 is available: use -l 1." : "");
}

/**
 * td_name_event() - name of an event, for perf
 * @events: found
 * @event: one of them
 * @text: the name is written here
 * @size: of @text
 */
void td_name_event(const struct td_events *events, enum td_event event, char *text, int size)
{
	const char *dir = events->pmu.dir, *pmu = strrchr(dir, '/') + 1;
	char file[64], terms[256];

	if (!find_event_file(dir, td_events[event], file, terms, sizeof(terms)))
		snprintf(file, sizeof(file), "events/%s", td_events[event]);
	snprintf(text, size, "%s/%s/%s", pmu, strchr(file, '/') + 1, events->user_only ? "u" : "");
}

/* ---- opening ---- */

/**
 * struct target - what a group is opened on
 * @pid: task, -1: any
 * @cpu: -1: any
 * @on_exec: enable the group when the task calls exec
 */
struct target {
	pid_t pid;
	int cpu;
	bool on_exec;
};

static int open_event(const struct td_events *events, unsigned int i, const struct target *target,
		      int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = events->pmu.type,
		.config = events->pmu.config[i],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader < 0,
		.enable_on_exec = leader < 0 && target->on_exec,
		.inherit = target->cpu < 0,
		.exclude_kernel = events->user_only,
	};
	const int fd = syscall(SYS_perf_event_open, &attr, target->pid, target->cpu, leader,
			       PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_group(struct td_group *group)
{
	while (group->opened)
		close(group->fd[--group->opened]);
}

/* Return: 0 or a negative errno; then event number group->opened failed. */
static int open_group(struct td_events *events, struct td_group *group, const struct target *target)
{
	group->opened = 0;
	while (group->opened < events->n_events) {
		const unsigned int i = group->opened;
		const int fd = open_event(events, i, target, i ? group->fd[0] : -1);

		/* No counter is left for the last event, which level 3 does not need. */
		if (fd == -EINVAL && i == TD_MEMSTALL_L3MISS) {
			events->n_events = TD_LEVEL3_NO_L3MISS;
			return 0;
		}
		if (fd < 0)
			return fd;
		group->fd[group->opened++] = fd;
	}
	return 0;
}

static bool fail_open(struct td_events *events, unsigned int i, int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return fail(events,
			    "not allowed to count: %s\n"
			    "To do: run as root, or lower kernel.perf_event_paranoid.",
			    strerror(-error));
	case -EMFILE:
	case -ENFILE:
		return fail(events,
			    "too many open files: each task or CPU needs %u\n"
			    "To do: raise ulimit -Hn, use a lower level, or measure less.",
			    events->n_events);
	case -ESRCH:
		return fail(events, "the process has ended");
	case -EINVAL:
		return fail(events,
			    "%s does not fit on the counters with the other events\n"
			    "To do: use a lower level, which needs fewer counters.",
			    td_events[i]);
	case -ENOENT:
	case -EOPNOTSUPP:
		if (events->user_only)
			return fail(events,
				    "%s cannot be counted in user mode only\n"
				    "To do: run as root, to count the kernel, too.",
				    td_events[i]);
		return fail(events,
			    "%s cannot be counted\n"
			    "To do: see in dmesg what sbi_pmu found.",
			    td_events[i]);
	default:
		return fail(events, "%s: %s", td_events[i], strerror(-error));
	}
}

/* Open one more group. A task that has ended is no error, but gets no group. */
static bool add_group(struct td_events *events, const struct target *target)
{
	struct td_group *groups = realloc(events->groups, (events->n_groups + 1) * sizeof(*groups));
	struct td_group *group;
	int ret;

	if (!groups)
		return fail(events, "out of memory");
	events->groups = groups;
	group = &groups[events->n_groups];
	memset(group, 0, sizeof(*group));
	ret = open_group(events, group, target);
	/* Without the right to count the kernel, count the user mode of tasks. */
	if (ret == -EACCES && target->cpu < 0 && !events->n_groups && !events->user_only) {
		close_group(group);
		events->user_only = true;
		ret = open_group(events, group, target);
	}
	if (ret && group->opened < events->n_events)
		fail_open(events, group->opened, ret);
	if (ret)
		close_group(group);
	else
		events->n_groups++;
	return !ret || ret == -ESRCH;
}

/**
 * td_open_command() - open the events on a command that is about to call exec
 * @events: found
 * @pid: the process
 *
 * The events count from exec on, and in all tasks that the command starts.
 *
 * Return: false on failure; then @events->error says what to do.
 */
bool td_open_command(struct td_events *events, pid_t pid)
{
	const struct target target = { .pid = pid, .cpu = -1, .on_exec = true };

	return add_group(events, &target) && events->n_groups;
}

static int compare_pids(const void *a, const void *b)
{
	const pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* List the threads of a process, sorted. Return: their number, at most @max. */
static unsigned int list_threads(pid_t pid, pid_t *tids, unsigned int max)
{
	struct dirent *entry;
	unsigned int n = 0;
	char path[64];
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && n < max && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			tids[n++] = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	qsort(tids, n, sizeof(*tids), compare_pids);
	return n;
}

#define MAX_THREADS	32768

/**
 * td_open_process() - open the events on all threads of a process
 * @events: found
 * @pid: the process
 *
 * Tasks that these threads start later inherit the events.
 *
 * Return: false on failure; then @events->error says what to do.
 */
bool td_open_process(struct td_events *events, pid_t pid)
{
	pid_t *tids = calloc(MAX_THREADS, sizeof(*tids));
	const unsigned int before = events->n_groups;
	unsigned int n = tids ? list_threads(pid, tids, MAX_THREADS) : 0;
	bool ok = true;

	for (unsigned int i = 0; ok && i < n; i++) {
		const struct target target = { .pid = tids[i], .cpu = -1 };

		ok = add_group(events, &target);
	}
	free(tids);
	if (ok && events->n_groups == before)
		ok = fail(events, "there is no process %d", pid);
	return ok;
}

/* Open a group on each CPU of a list such as "0-3,6". */
static bool open_cpu_list(struct td_events *events, char *list)
{
	char *range, *rest;

	for (range = strtok_r(list, ",", &rest); range; range = strtok_r(NULL, ",", &rest)) {
		int first, last, n = sscanf(range, "%d-%d", &first, &last);

		if (n < 1)
			return fail(events, "cannot parse the list of CPUs: %s", range);
		for (int cpu = first; cpu <= (n == 1 ? first : last); cpu++) {
			const struct target target = { .pid = -1, .cpu = cpu };

			if (!add_group(events, &target))
				return false;
		}
	}
	return events->n_groups;
}

/**
 * td_open_cpus() - open the events on all CPUs of the PMU that are online
 * @events: found
 *
 * Return: false on failure; then @events->error says what to do.
 */
bool td_open_cpus(struct td_events *events)
{
	char list[4096];

	if (!read_line(events->pmu.dir, "cpus", list, sizeof(list)) &&
	    !read_line("/sys/devices/system/cpu", "online", list, sizeof(list)))
		return fail(events, "cannot read the list of CPUs from sysfs");
	return open_cpu_list(events, list);
}

/**
 * td_enable_events() - start to count
 * @events: open on processes or CPUs; those of a command are enabled by its exec
 */
void td_enable_events(struct td_events *events)
{
	for (unsigned int i = 0; i < events->n_groups; i++)
		ioctl(events->groups[i].fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

/**
 * td_close_events() - close all groups
 * @events: may be open or not
 */
void td_close_events(struct td_events *events)
{
	while (events->n_groups)
		close_group(&events->groups[--events->n_groups]);
	free(events->groups);
	events->groups = NULL;
}

/* ---- reading ---- */

/* The result of read(), see perf_event_open(2). */
struct group_values {
	uint64_t n;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[TD_EVENTS];
};

static bool read_group(struct td_group *group, unsigned int n_events)
{
	struct group_values values = {};

	if (read(group->fd[0], &values, sizeof(values)) < 0)
		return false;
	/* When a CPU goes offline perf splits the group up: keep what was read before. */
	if (values.n < n_events)
		return true;
	group->last.enabled = values.enabled;
	group->last.running = values.running;
	memcpy(group->last.count, values.value, n_events * sizeof(values.value[0]));
	return true;
}

/**
 * td_read_events() - read what was counted since the start
 * @events: open
 * @sample: filled in with the sum of all groups
 *
 * Return: false if perf cannot read the events; then @events->error says why.
 */
bool td_read_events(struct td_events *events, struct td_sample *sample)
{
	*sample = (struct td_sample){ .n_events = events->n_events, .slots = events->pmu.slots };
	for (unsigned int i = 0; i < events->n_groups; i++) {
		const struct td_sample *last = &events->groups[i].last;

		if (!read_group(&events->groups[i], events->n_events)) {
			/* ECHILD: a task was started while the events were opened. */
			const bool again = errno == ECHILD;

			return fail(events, "cannot read the counters: %s%s", strerror(errno),
				    again ? "\nTo do: measure again." : "");
		}
		sample->enabled += last->enabled;
		sample->running += last->running;
		for (unsigned int e = 0; e < events->n_events; e++)
			sample->count[e] += last->count[e];
	}
	return true;
}
