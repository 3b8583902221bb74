// SPDX-License-Identifier: GPL-2.0-only
/*
 * events - sysfs and perf_event_open(). The events of an analysis are one group: perf schedules it
 * as a whole or not at all, so that all counts are of the same time.
 */
#include <dirent.h>
#include <stdarg.h>

const char *td_devices = "/sys/bus/event_source/devices";

#define REGION_SYSFS	td_devices
#include "../../include/sbi_pmu/region.h"
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

/* The event of perf's name "cpu/front_bubble/". Return: is there one? */
static bool parse_event(const struct td_set *set, unsigned int event, char name[64],
			struct perf_event_attr *attr)
{
	/* If another driver owns the PMU "cpu", general events have another name. */
	static const char * const prefixes[] = { "", "hw_" };
	struct region parser = {};

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(name, 64, "%s/%s%s/", set->pmu, prefixes[i],
			 set->model->events[event].name);
		memcpy(parser.name[0], name, 64);
		if (!region_parse(&parser, attr))
			return true;
	}
	return false;
}

static bool find_pmu(struct td_set *set)
{
	const char *given = set->pmu;
	const char * const names[] = { given ?: "sbi_pmu", given ?: "cpu" };
	char line[256];

	for (unsigned int i = 0; i < 2; i++) {
		set->pmu = names[i];
		if (region_read_sysfs(line, set->pmu, "caps/", "mode") &&
		    region_read_sysfs(line, set->pmu, "", "type"))
			return true;
	}
	if (given)
		return fail(set, "the module sbi_pmu has no PMU %s", given);
	return fail(set, "the module sbi_pmu is not loaded, or /sys is not mounted\n"
			 "To do: insmod sbi_pmu.ko, and check in dmesg what it found.");
}

/* The same counts are other shares on a core with other slots, so do not assume a number. */
static bool read_slots(struct td_set *set)
{
	char line[256], *end = line;
	unsigned long slots = 0;

	if (region_read_sysfs(line, set->pmu, "caps/", "slots"))
		slots = strtoul(line, &end, 0);
	/* The events that count slots are 6 bits wide. */
	if (slots && slots < 64 && !*end) {
		set->slots = slots;
		return true;
	}
	return fail(set,
		    "there are no formulas for this core (event table %s)\n"
		    "To do: on a XiangShan core, load the module with xiangshan=TABLE;\n"
		    "sbi-pmu-xiangshan.rst lists the tables. Other cores: sbi-pmu-topdown.rst.",
		    set->table);
}

/* Find the events of a level. @set: all zero, but perhaps @pmu. Return: false: see @set->error. */
bool td_find_events(struct td_set *set, unsigned int level)
{
	unsigned int n, needed;
	char name[64];

	if (!find_pmu(set))
		return false;
	if (!region_read_sysfs(set->table, set->pmu, "caps/", "event_table"))
		snprintf(set->table, sizeof(set->table), "unknown");
	if (!read_slots(set))
		return false;
	set->model = td_model_of(set->table);
	needed = td_events_of_level(set->model, level);
	for (n = 0; n < needed && parse_event(set, n, name, &set->attr[n]); n++)
		;
	set->n_events = n;
	if (n == needed || n == set->model->spare)
		return true;
	return fail(set,
		    "there is no event %s on this core (table %s)\n"
		    "To do: check in dmesg that the table is that of the core, and that firmware\n"
		    "maps events to its counters (sbi-pmu-boards.rst).%s",
		    set->model->events[n].name, set->table,
		    n >= td_events_of_level(set->model, 1) ? " Level 1 is available: use -l 1." :
							     "");
}

/* Write the name of an event, for perf. */
void td_name_event(const struct td_set *set, unsigned int event, char text[96])
{
	struct perf_event_attr attr = {};

	parse_event(set, event, text, &attr);
	if (set->user_only)
		strcat(text, "u");
}

/* ---- opening ---- */

static int open_event(const struct td_set *set, unsigned int i, pid_t pid, int cpu, bool on_exec,
		      int leader)
{
	struct perf_event_attr attr = set->attr[i];
	int fd;

	attr.size = sizeof(attr);
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader < 0;
	attr.enable_on_exec = leader < 0 && on_exec;
	attr.inherit = cpu < 0;
	attr.exclude_kernel = set->user_only;
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, leader, PERF_FLAG_FD_CLOEXEC);
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
		if (fd == -EINVAL && i == set->model->spare) {
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
			    set->model->events[i].name);
	}
	return fail(set, "%s cannot be counted%s: %s\nTo do: see in dmesg what sbi_pmu found.",
		    set->model->events[i].name, set->user_only ? " in user mode only" : "",
		    strerror(error));
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
	char list[256], *range, *rest;
	int first, last;

	if (!region_read_sysfs(list, set->pmu, "", "cpus") &&
	    !region_read_sysfs(list, "../../../devices/system/cpu", "", "online"))
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
	*sample = (struct td_sample){
		.model = set->model,
		.n_events = set->n_events,
		.slots = set->slots,
	};
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
