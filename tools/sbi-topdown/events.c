// SPDX-License-Identifier: GPL-2.0-only
/*
 * events - sysfs and perf_event_open().
 *
 * The events of an analysis are one group, which perf has on the counters as a whole
 * or not at all: the counts are of the same time, always. Whether that was all of the
 * time is for td_shares() to judge.
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

__attribute__((format(printf, 2, 3)))
static bool fails(struct td_events *events, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(events->why, sizeof(events->why), format, ap);
	va_end(ap);
	return false;
}

/* ---- sysfs ---- */

static bool line_of(const char *folder, const char *file, char *line, int size)
{
	char path[256];
	FILE *f;
	bool ok;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	f = fopen(path, "r");
	if (!f)
		return false;
	ok = fgets(line, size, f);
	fclose(f);
	if (ok)
		line[strcspn(line, "\n")] = '\0';
	return ok;
}

/* "event0=0x15" at the bits that format/event0 has for it; a bare term is 1. */
static bool place(const char *folder, char *term, uint64_t *config)
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
	if (!line_of(folder, file, format, sizeof(format)))
		return false;
	n = sscanf(format, "config:%u-%u", &low, &high);
	if (n == 1)
		high = low;
	if (n < 1 || low > high || high > 63 || (high - low < 63 && value >> (high - low + 1)))
		return false;
	*config |= value << low;
	return true;
}

static bool parse(const char *folder, char *terms, uint64_t *config)
{
	char *term, *rest;

	*config = 0;
	for (term = strtok_r(terms, ",", &rest); term; term = strtok_r(NULL, ",", &rest))
		if (!place(folder, term, config))
			return false;
	return true;
}

/* Beside another driver the general events' names begin with "hw_". */
static bool named(const char *folder, const char *name, uint64_t *config)
{
	static const char *const spelled[] = { "events/%s", "events/hw_%s" };
	char file[64], terms[256];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(file, sizeof(file), spelled[i], name);
		if (line_of(folder, file, terms, sizeof(terms)))
			return parse(folder, terms, config);
	}
	return false;
}

static bool find_pmu(struct td_events *events, const char *devices)
{
	static const char *const names[] = { "sbi_pmu", "cpu" };
	struct td_pmu *pmu = &events->pmu;
	char line[64];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(pmu->folder, sizeof(pmu->folder), "%s/%s", devices, names[i]);
		if (line_of(pmu->folder, "caps/mode", line, sizeof(line)) &&
		    line_of(pmu->folder, "type", line, sizeof(line))) {
			pmu->type = strtoul(line, NULL, 0);
			return true;
		}
	}
	return fails(events, "the module sbi_pmu is not loaded\n"
			     "To do: insmod sbi_pmu.ko; dmesg says what it found.");
}

static bool find_table(struct td_events *events, char *table, int size)
{
	if (line_of(events->pmu.folder, "caps/event_table", table, size))
		return true;
	return fails(events, "sbi_pmu knows of no XiangShan events on this core\n"
			     "To do: if it is a XiangShan core, load the module with xiangshan=TABLE;\n"
			     "which table, and what firmware must have: sbi-pmu-xiangshan.rst.");
}

/**
 * td_find - look the events up
 * @events: all zero
 * @devices: TD_DEVICES
 * @level: of the analysis, 1 to 3
 *
 * Return: whether they are there; if not, @events->why says what to do.
 */
bool td_find(struct td_events *events, const char *devices, unsigned int level)
{
	static const unsigned int need[] = { 0, TD_LEVEL1, TD_LEVEL2, TD_LEVEL3 };
	struct td_pmu *pmu = &events->pmu;
	char table[64];

	if (!find_pmu(events, devices) || !find_table(events, table, sizeof(table)))
		return false;
	while (pmu->known < need[level] &&
	       named(pmu->folder, td_events[pmu->known], &pmu->config[pmu->known]))
		pmu->known++;
	events->known = pmu->known;
	if (pmu->known == need[level] || (level == 3 && pmu->known == TD_LEVEL3_LESS))
		return true;
	return fails(events, "there is no event %s on this core (table %s)\n"
			     "To do: see in dmesg if that is the core's table, and if firmware maps\n"
			     "events to its counters (sbi-pmu-xiangshan.rst).%s",
		     td_events[pmu->known], table,
		     pmu->known >= TD_LEVEL1 ? " Level 1 can be had: -l 1." : "");
}

/* ---- opening ---- */

/* Where, and how, a group is opened. */
struct place {
	pid_t pid;
	int cpu;
	bool on_exec;
};

static int open_event(const struct td_events *events, unsigned int i, const struct place *at,
		      int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = events->pmu.type,
		.config = events->pmu.config[i],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = leader < 0,
		.enable_on_exec = leader < 0 && at->on_exec,
		.inherit = at->cpu < 0,
		.exclude_kernel = events->user_only,
	};
	const int fd = syscall(SYS_perf_event_open, &attr, at->pid, at->cpu, leader,
			       PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static void group_close(struct td_group *group)
{
	while (group->opened)
		close(group->fd[--group->opened]);
}

/* Return: 0 or a negative errno, of the event after those that are open. */
static int group_open(struct td_events *events, struct td_group *group, const struct place *at)
{
	group->opened = 0;
	while (group->opened < events->known) {
		const unsigned int i = group->opened;
		const int fd = open_event(events, i, at, i ? group->fd[0] : -1);

		/* One too many for the counters, which level 3 can do without. */
		if (fd == -EINVAL && i == TD_MEMSTALL_L3MISS) {
			events->known = TD_LEVEL3_LESS;
			return 0;
		}
		if (fd < 0)
			return fd;
		group->fd[group->opened++] = fd;
	}
	return 0;
}

static bool explain(struct td_events *events, unsigned int i, int error)
{
	switch (error) {
	case -EACCES:
	case -EPERM:
		return fails(events, "not allowed to count: %s\n"
				     "To do: run it as root, or see kernel.perf_event_paranoid.",
			     strerror(-error));
	case -EMFILE:
	case -ENFILE:
		return fails(events, "too many files: each task or CPU needs %u\n"
				     "To do: raise ulimit -Hn, or measure less.", events->known);
	case -ESRCH:
		return fails(events, "no such process");
	case -EINVAL:
		return fails(events, "%s does not fit on the counters beside the others\n"
				     "To do: a lower level needs less of them.", td_events[i]);
	case -ENOENT:
	case -EOPNOTSUPP:
		return fails(events, "%s cannot be counted%s", td_events[i],
			     events->user_only ? " without the kernel, which needs root" : "");
	default:
		return fails(events, "%s: %s", td_events[i], strerror(-error));
	}
}

/* One more group; of a task that has gone there is none. */
static bool add(struct td_events *events, const struct place *at)
{
	struct td_group *groups = realloc(events->groups, (events->n + 1) * sizeof(*groups));
	struct td_group *group;
	int ret;

	if (!groups)
		return fails(events, "no memory");
	events->groups = groups;
	group = &groups[events->n];
	memset(group, 0, sizeof(*group));
	ret = group_open(events, group, at);
	/* Those who may not look into the kernel may look at their own programs. */
	if (ret == -EACCES && at->cpu < 0 && !events->n && !events->user_only) {
		group_close(group);
		events->user_only = true;
		ret = group_open(events, group, at);
	}
	if (ret && group->opened < events->known)
		explain(events, group->opened, ret);
	if (ret)
		group_close(group);
	else
		events->n++;
	return !ret || ret == -ESRCH;
}

/* Of a task that is about to exec, from then on, and of all it starts. */
bool td_open_command(struct td_events *events, pid_t pid)
{
	const struct place at = { .pid = pid, .cpu = -1, .on_exec = true };

	return add(events, &at) && events->n;
}

static int by_number(const void *a, const void *b)
{
	const pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return x < y ? -1 : x > y;
}

/* A process's threads, ordered, at most @max of them. */
static unsigned int threads_of(pid_t pid, pid_t *tids, unsigned int max)
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
	qsort(tids, n, sizeof(*tids), by_number);
	return n;
}

#define MAX_THREADS	32768

/* All threads of a process; what they start later is inherited. */
bool td_open_process(struct td_events *events, pid_t pid)
{
	pid_t *tids = calloc(MAX_THREADS, sizeof(*tids));
	const unsigned int before = events->n;
	unsigned int n = tids ? threads_of(pid, tids, MAX_THREADS) : 0;
	bool ok = true;

	for (unsigned int i = 0; ok && i < n; i++) {
		const struct place at = { .pid = tids[i], .cpu = -1 };

		ok = add(events, &at);
	}
	free(tids);
	if (ok && events->n == before)
		ok = fails(events, "there is no process %d", pid);
	return ok;
}

/* "0-3,6" */
static bool each_cpu(struct td_events *events, char *list)
{
	char *range, *rest;

	for (range = strtok_r(list, ",", &rest); range; range = strtok_r(NULL, ",", &rest)) {
		int first, last, n = sscanf(range, "%d-%d", &first, &last);

		if (n < 1)
			return fails(events, "cannot read the list of CPUs");
		for (int cpu = first; cpu <= (n == 1 ? first : last); cpu++) {
			const struct place at = { .pid = -1, .cpu = cpu };

			if (!add(events, &at))
				return false;
		}
	}
	return events->n;
}

/* All CPUs that are there now, and that the PMU is on. */
bool td_open_cpus(struct td_events *events)
{
	char list[4096];

	if (!line_of(events->pmu.folder, "cpus", list, sizeof(list)) &&
	    !line_of("/sys/devices/system/cpu", "online", list, sizeof(list)))
		return fails(events, "cannot read the list of CPUs");
	return each_cpu(events, list);
}

/* Not for a command: its exec does that. */
void td_enable(struct td_events *events)
{
	for (unsigned int i = 0; i < events->n; i++)
		ioctl(events->groups[i].fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void td_close(struct td_events *events)
{
	while (events->n)
		group_close(&events->groups[--events->n]);
	free(events->groups);
	events->groups = NULL;
}

/* ---- reading ---- */

/* What read() gives, see perf_event_open(2). */
struct group_values {
	uint64_t n;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[TD_EVENTS];
};

static bool group_read(struct td_group *group, unsigned int known)
{
	struct group_values values = {};

	if (read(group->fd[0], &values, sizeof(values)) < 0)
		return false;
	/* When its CPU has gone a group is one no more: what was read before is all. */
	if (values.n < known)
		return true;
	group->last.enabled = values.enabled;
	group->last.running = values.running;
	memcpy(group->last.count, values.value, known * sizeof(values.value[0]));
	return true;
}

/**
 * td_read - what has been counted since the start
 * @events: open
 * @sample: filled in with the sum of all groups
 *
 * Return: false if perf gives no answer; then @events->why says more.
 */
bool td_read(struct td_events *events, struct td_sample *sample)
{
	*sample = (struct td_sample){ .known = events->known };
	for (unsigned int i = 0; i < events->n; i++) {
		const struct td_sample *last = &events->groups[i].last;

		if (!group_read(&events->groups[i], events->known))
			return fails(events, "cannot read the counters: %s%s", strerror(errno),
				     errno == ECHILD ? ", born too early: try again" : "");
		sample->enabled += last->enabled;
		sample->running += last->running;
		for (unsigned int e = 0; e < events->known; e++)
			sample->count[e] += last->count[e];
	}
	return true;
}
