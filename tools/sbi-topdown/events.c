// SPDX-License-Identifier: GPL-2.0-only
/*
 * events - sysfs and perf_event_open().
 *
 * The events of an analysis are one group: perf schedules a group as a whole or not at all, so that
 * all counts are of the same time. td_compute_shares() checks that it counted all of the time.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "topdown.h"

/* Write the error text. Return: false. */
__attribute__((format(printf, 2, 3))) static bool fail(struct td_set *set, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(set->error, sizeof(set->error), format, ap);
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
	char file[64], format[64], *equals = strchr(term, '='), *end;
	unsigned int low, high;
	uint64_t value = 1;
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

/*
 * Look up an event. If another driver owns the PMU "cpu", sbi_pmu puts "hw_" before the names of
 * general events.
 */
static bool find_file(const char *dir, const char *name, char file[64], char *terms, int size)
{
	snprintf(file, 64, "events/%s", name);
	if (read_line(dir, file, terms, size))
		return true;
	snprintf(file, 64, "events/hw_%s", name);
	return read_line(dir, file, terms, size);
}

static bool find_event(const char *dir, const char *name, uint64_t *config)
{
	char file[64], terms[256], *term, *rest;

	if (!find_file(dir, name, file, terms, sizeof(terms)))
		return false;
	*config = 0;
	for (term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (!set_field(dir, term, config))
			return false;
	return true;
}

static bool find_pmu(struct td_set *set, const char *devices)
{
	static const char * const names[] = { "sbi_pmu", "cpu" };
	char line[64];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(set->dir, sizeof(set->dir), "%s/%s", devices, names[i]);
		if (read_line(set->dir, "caps/mode", line, sizeof(line)) &&
		    read_line(set->dir, "type", line, sizeof(line))) {
			set->type = strtoul(line, NULL, 0);
			return true;
		}
	}
	return fail(set, "the module sbi_pmu is not loaded\n"
			 "To do: insmod sbi_pmu.ko, and check in dmesg what it found.");
}

/* The same counts are other shares on a core with other slots, so do not assume a number. */
static bool read_slots(struct td_set *set)
{
	char line[64], *end = line;
	unsigned long slots = 0;

	if (read_line(set->dir, "caps/slots", line, sizeof(line)))
		slots = strtoul(line, &end, 0);
	/* The events that count slots are 6 bits wide. */
	if (slots && slots < 64 && !*end) {
		set->slots = slots;
		return true;
	}
	return fail(set,
		    "sbi_pmu does not say how many slots a cycle of this core has (caps/slots)\n"
		    "To do: load a module of the same version as sbi-topdown.");
}

/* Find the PMU and the events of a level. @set: all zero. Return: false: see @set->error. */
bool td_find_events(struct td_set *set, const char *devices, unsigned int level)
{
	const unsigned int needed = td_events_of_level(level);
	char table[64];
	unsigned int n;

	if (!find_pmu(set, devices))
		return false;
	if (!read_line(set->dir, "caps/event_table", table, sizeof(table)))
		return fail(set,
			    "sbi_pmu knows of no XiangShan events on this core\n"
			    "To do: on a XiangShan core, load the module with xiangshan=TABLE;\n"
			    "sbi-pmu-xiangshan.rst lists the tables.");
	if (!read_slots(set))
		return false;
	for (n = 0; n < needed && find_event(set->dir, td_events[n], &set->config[n]); n++)
		;
	set->n_events = n;
	if (n == needed || n == EV_memstall_l3miss)
		return true;
	return fail(set,
		    "there is no event %s on this core (table %s)\n"
		    "To do: check in dmesg that the table is that of the core, and that firmware\n"
		    "maps events to its counters (sbi-pmu-xiangshan.rst).%s",
		    td_events[n], table,
		    n >= td_events_of_level(1) ? " Level 1 is available: use -l 1." : "");
}

/* Write the name of an event, for perf. */
void td_name_event(const struct td_set *set, enum td_event event, char *text, int size)
{
	char file[64], terms[256];

	if (!find_file(set->dir, td_events[event], file, terms, sizeof(terms)))
		snprintf(file, sizeof(file), "events/%s", td_events[event]);
	snprintf(text, size, "%s/%s/%s", strrchr(set->dir, '/') + 1, strchr(file, '/') + 1,
		 set->user_only ? "u" : "");
}

/* ---- opening ---- */

static int open_event(const struct td_set *set, unsigned int i, pid_t pid, int cpu, bool on_exec,
		      int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = set->type,
		.config = set->config[i],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader < 0,
		.enable_on_exec = leader < 0 && on_exec,
		.inherit = cpu < 0,
		.exclude_kernel = set->user_only,
	};
	const int fd = syscall(SYS_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void close_group(struct td_group *group)
{
	while (group->opened)
		close(group->fd[--group->opened]);
}

/* Return: 0 or a negative errno; then event number group->opened failed. */
static int open_group(struct td_set *set, struct td_group *group, pid_t pid, int cpu, bool on_exec)
{
	while (group->opened < set->n_events) {
		const unsigned int i = group->opened;
		const int fd = open_event(set, i, pid, cpu, on_exec, i ? group->fd[0] : -1);

		/* No counter is left for the last event, which level 3 does not need. */
		if (fd == -EINVAL && i == EV_memstall_l3miss) {
			set->n_events = i;
			break;
		}
		if (fd < 0)
			return fd;
		group->fd[group->opened++] = fd;
	}
	return 0;
}

static bool fail_open(struct td_set *set, unsigned int i, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
		return fail(set,
			    "not allowed to count: %s\n"
			    "To do: run as root, or lower kernel.perf_event_paranoid.",
			    strerror(error));
	case EMFILE:
	case ENFILE:
		return fail(set,
			    "too many open files: each task or CPU needs %u\n"
			    "To do: raise ulimit -Hn, use a lower level, or measure less.",
			    set->n_events);
	case EINVAL:
		return fail(set,
			    "%s does not fit on the counters with the other events\n"
			    "To do: use a lower level, which needs fewer counters.",
			    td_events[i]);
	}
	return fail(set, "%s cannot be counted%s: %s\nTo do: see in dmesg what sbi_pmu found.",
		    td_events[i], set->user_only ? " in user mode only" : "", strerror(error));
}

/* Open one more group. A task that has ended is no error, but gets no group. */
static bool add_group(struct td_set *set, pid_t pid, int cpu, bool on_exec)
{
	struct td_group *group;
	int ret;

	group = reallocarray(set->groups, set->n_groups + 1, sizeof(*group));
	if (!group)
		return fail(set, "out of memory");
	set->groups = group;
	group += set->n_groups;
	memset(group, 0, sizeof(*group));
	ret = open_group(set, group, pid, cpu, on_exec);
	/* Without the right to count the kernel, count the user mode of tasks. */
	if (ret == -EACCES && cpu < 0 && !set->n_groups && !set->user_only) {
		close_group(group);
		set->user_only = true;
		ret = open_group(set, group, pid, cpu, on_exec);
	}
	if (!ret) {
		set->n_groups++;
		return true;
	}
	fail_open(set, group->opened, -ret);
	close_group(group);
	return ret == -ESRCH;
}

/* Open the events on a process that is about to call exec, and on all tasks that it starts. */
bool td_open_command(struct td_set *set, pid_t pid)
{
	return add_group(set, pid, -1, true) && set->n_groups;
}

/* Open the events on all threads of a process; tasks that these start later inherit them. */
bool td_open_process(struct td_set *set, pid_t pid)
{
	const unsigned int before = set->n_groups;
	struct dirent **tasks;
	bool ok = true;
	char path[64];
	int n;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	n = scandir(path, &tasks, NULL, NULL);
	for (int i = 0; i < n; i++) {
		if (ok && tasks[i]->d_name[0] != '.')
			ok = add_group(set, atoi(tasks[i]->d_name), -1, false);
		free(tasks[i]);
	}
	if (n >= 0)
		free(tasks);
	if (ok && set->n_groups == before)
		ok = fail(set, "there is no process %d", pid);
	return ok;
}

/* Open the events on all CPUs of the PMU that are online. */
bool td_open_cpus(struct td_set *set)
{
	char list[4096], *range, *rest;
	int first, last;

	if (!read_line(set->dir, "cpus", list, sizeof(list)) &&
	    !read_line("/sys/devices/system/cpu", "online", list, sizeof(list)))
		return fail(set, "cannot read the list of CPUs from sysfs");
	for (range = strtok_r(list, ",", &rest); range; range = strtok_r(NULL, ",", &rest)) {
		const int n = sscanf(range, "%d-%d", &first, &last);

		if (n < 1)
			return fail(set, "cannot parse the list of CPUs: %s", range);
		for (int cpu = first; cpu <= (n == 1 ? first : last); cpu++)
			if (!add_group(set, -1, cpu, false))
				return false;
	}
	return set->n_groups;
}

/* Start to count on processes or CPUs; the events of a command are enabled by its exec. */
void td_enable_events(struct td_set *set)
{
	for (unsigned int i = 0; i < set->n_groups; i++)
		ioctl(set->groups[i].fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void td_close_events(struct td_set *set)
{
	while (set->n_groups)
		close_group(&set->groups[--set->n_groups]);
	free(set->groups);
	set->groups = NULL;
}

/* ---- reading ---- */

static bool read_group(struct td_group *group, unsigned int n_events)
{
	struct {
		uint64_t n, enabled, running, value[TD_EVENTS];
	} values = {};

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

/* Read what all groups have counted since the start. */
bool td_read_events(struct td_set *set, struct td_sample *sample)
{
	*sample = (struct td_sample){ .n_events = set->n_events, .slots = set->slots };
	for (unsigned int i = 0; i < set->n_groups; i++) {
		const struct td_sample *last = &set->groups[i].last;

		/* ECHILD: a task was started while the events were opened. */
		if (!read_group(&set->groups[i], set->n_events))
			return fail(set, "cannot read the counters: %s%s", strerror(errno),
				    errno == ECHILD ? "\nTo do: measure again." : "");
		sample->enabled += last->enabled;
		sample->running += last->running;
		for (unsigned int e = 0; e < set->n_events; e++)
			sample->count[e] += last->count[e];
	}
	return true;
}
