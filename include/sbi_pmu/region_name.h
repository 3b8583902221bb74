/* SPDX-License-Identifier: (GPL-2.0-only OR MIT) */
/*
 * region_name.h - parse event names as perf(1) writes them, for region.h: "cycles",
 * "dTLB-load-misses", "r1a3", "front_bubble", "cpu/front_bubble/",
 * "cpu/event0=0x15,unit=1/u", "instructions:u".
 *
 * Functions return 0 or a negative errno and write the reason to struct region_event,
 * unless their comment says otherwise.
 */
#ifndef SBI_PMU_REGION_NAME_H
#define SBI_PMU_REGION_NAME_H

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The directory that describes the PMUs. Tests define their own. */
#ifndef REGION_SYSFS
#define REGION_SYSFS	"/sys/bus/event_source/devices"
#endif

/**
 * struct region_event - an event name and the attributes to open it with
 * @name: as the user wrote it
 * @attr: type, config words and exclude bits come from the name; the rest is not changed
 * @why: text of the last error
 */
struct region_event {
	char name[64];
	struct perf_event_attr attr;
	char why[256];
};

static inline int region_fail(struct region_event *e, int error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Write the error text that region_why() returns. Return: @error. */
static inline int region_fail(struct region_event *e, int error, const char *fmt, ...)
{
	int n = snprintf(e->why, sizeof(e->why), "event '%s': ", e->name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->why + n, sizeof(e->why) - n, fmt, ap);
	va_end(ap);
	return error;
}

/* Read the first line of a file. Return: false if it is missing, empty or a directory. */
static inline bool region_read_line(char *line, size_t size, const char *path)
{
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	if (!fgets(line, size, f))
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return *line;
}

/* Read the first line of a file of @pmu; @dir is "", "events/" or "format/". */
static inline bool region_read_sysfs(char *line, size_t size, const char *pmu, const char *dir,
				     const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/%s%s", REGION_SYSFS, pmu, dir, name);
	return region_read_line(line, size, path);
}

/* Return: whether all of @text is a number without a sign, then in @value. */
static inline bool region_parse_number(const char *text, int base, uint64_t *value)
{
	char *rest;

	errno = 0;
	*value = strtoull(text, &rest, base);
	return *text && strchr("0123456789abcdefABCDEF", *text) && !*rest && !errno;
}

/*
 * Write @value to the bits that the sysfs @format names, for example "config1:0-7,32";
 * the first range gets the lowest bits.
 * Return: -EINVAL for a wrong format, -ERANGE for a value with too many bits; no text.
 */
static inline int region_set_field(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	unsigned int low, high, digit = 0;
	__u64 *word;
	int n;

	if (sscanf(format, "config%1u", &digit) == 1 ? digit > 2 : strncmp(format, "config:", 7))
		return -EINVAL;
	word = digit == 2 ? &attr->config2 : digit ? &attr->config1 : &attr->config;
	for (format = strchr(format, ':'); format && *format; format += n) {
		n = 0;
		if (sscanf(format, "%*1[:,]%u%n-%u%n", &low, &n, &high, &n) < 2)
			high = low;
		if (!n || low > high || high > 63)
			return -EINVAL;
		*word = (*word & ~((~0ULL >> (63 - (high - low))) << low)) |
			(value & (~0ULL >> (63 - (high - low)))) << low;
		value = high - low == 63 ? 0 : value >> (high - low + 1);
	}
	return value ? -ERANGE : 0;
}

/* Set one field: one in format/ of @pmu, or a whole config word, which every PMU has. */
static inline int region_parse_field(struct region_event *e, const char *pmu, const char *field,
				     const char *value)
{
	uint64_t number;
	char line[256];
	int error;

	if (!region_parse_number(value, 0, &number))
		return region_fail(e, -EINVAL, "'%s' is not a number", value);
	if (!strcmp(field, "config") || !strcmp(field, "config1") || !strcmp(field, "config2"))
		snprintf(line, sizeof(line), "%s:0-63", field);
	else if (!region_read_sysfs(line, sizeof(line), pmu, "format/", field))
		return region_fail(e, -ENOENT,
				   "PMU %s has no '%s': see events/ and format/ in %s/%s", pmu,
				   field, REGION_SYSFS, pmu);
	error = region_set_field(&e->attr, line, number);
	if (error == -ERANGE)
		return region_fail(e, error, "no space for %s in field '%s' (%s)", value, field,
				   line);
	if (error)
		return region_fail(e, error, "cannot parse the format of field '%s': %s", field,
				   line);
	return 0;
}

/* Parse comma-separated terms: "name" if @names, "field=number", "field" (sets it to 1). */
static inline int region_parse_terms(struct region_event *e, const char *pmu, char *terms,
				     bool names)
{
	char *term, *value, *rest, line[256];
	int error = 0;

	while (!error && (term = strtok_r(terms, ",", &rest))) {
		terms = NULL;
		value = strchr(term, '=');
		if (value)
			*value++ = '\0';
		if (strchr(term, '/'))
			error = region_fail(e, -EINVAL, "'%s' is not a name", term);
		else if (!value && names &&
			 region_read_sysfs(line, sizeof(line), pmu, "events/", term))
			error = region_parse_terms(e, pmu, line, false);
		else
			error = region_parse_field(e, pmu, term, value ? value : "1");
	}
	return error;
}

/* Set the type of @pmu, then what @terms say. */
static inline int region_parse_pmu(struct region_event *e, const char *pmu, char *terms)
{
	uint64_t type;
	char line[32];

	if (!*pmu || *pmu == '.' || !region_read_sysfs(line, sizeof(line), pmu, "type", "") ||
	    !region_parse_number(line, 10, &type))
		return region_fail(e, -ENOENT, "there is no PMU '%s': see %s", pmu, REGION_SYSFS);
	e->attr.type = type;
	return region_parse_terms(e, pmu, terms, true);
}

/* Set type and config of an event of the perf core. Return: false for any other name. */
static inline bool region_parse_generic(struct perf_event_attr *attr, const char *name)
{
	static const struct {
		const char *name;
		uint32_t type, config;
	} generic[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
		{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
		{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
		{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
		{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
		{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
		{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
		{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
		  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
		{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		  PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
		{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
		{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
		{ NULL, 0, 0 },
	};

	for (unsigned int i = 0; generic[i].name; i++) {
		if (strcmp(name, generic[i].name))
			continue;
		attr->type = generic[i].type;
		attr->config = generic[i].config;
		return true;
	}
	return false;
}

/* The same for cache events such as "dTLB-load-misses"; tables in the kernel's order. */
static inline bool region_parse_cache(struct perf_event_attr *attr, const char *name)
{
	static const char * const caches[] = {
		"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node", NULL,
	};
	static const char * const what[] = {
		"-loads",      "-load-misses",     "-stores", "-store-misses",
		"-prefetches", "-prefetch-misses", NULL,
	};

	for (unsigned int c = 0; caches[c]; c++)
		for (unsigned int w = 0; what[w]; w++) {
			size_t n = strlen(caches[c]);

			if (strncmp(name, caches[c], n) || strcmp(name + n, what[w]))
				continue;
			attr->type = PERF_TYPE_HW_CACHE;
			attr->config = c | w / 2 << 8 | w % 2 << 16;
			return true;
		}
	return false;
}

/* Find the PMU with an event of this name: "cpu" first, else the only one that has it. */
static inline int region_find_pmu(struct region_event *e, const char *event, char *pmu, size_t size)
{
	DIR *dir = opendir(REGION_SYSFS);
	struct dirent *entry;
	unsigned int found = 0;
	char line[256];

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.' ||
		    !region_read_sysfs(line, sizeof(line), entry->d_name, "events/", event))
			continue;
		snprintf(pmu, size, "%s", entry->d_name);
		found++;
		if (!strcmp(pmu, "cpu")) {
			found = 1;
			break;
		}
	}
	if (dir)
		closedir(dir);
	if (found > 1)
		return region_fail(e, -EINVAL, "several PMUs have this event: write %s/%s/", pmu,
				   event);
	return found ? 0 : region_fail(e, -ENOENT, "no PMU has this event: see perf list");
}

/* Parse a name without a PMU. */
static inline int region_parse_name(struct region_event *e, char *name)
{
	char pmu[256];
	uint64_t raw;
	int error;

	if (region_parse_generic(&e->attr, name) || region_parse_cache(&e->attr, name))
		return 0;
	if (*name == 'r' && region_parse_number(name + 1, 16, &raw)) {
		e->attr.type = PERF_TYPE_RAW;
		e->attr.config = raw;
		return 0;
	}
	if (!*name)
		return region_fail(e, -EINVAL, "the name is empty");
	if (strchr(name, '='))
		return region_fail(e, -EINVAL, "a field needs a PMU: write pmu/%s/", name);
	error = region_find_pmu(e, name, pmu, sizeof(pmu));
	return error ? error : region_parse_pmu(e, pmu, name);
}

/* Exclude the modes that are not named, as perf does. */
static inline int region_parse_modes(struct region_event *e, const char *modes)
{
	if (!*modes)
		return 0;
	if (modes[strspn(modes, "ukh")])
		return region_fail(e, -EINVAL,
				   "unknown mode: modes are u (user), k (kernel), h (hypervisor)");
	e->attr.exclude_user = !strchr(modes, 'u');
	e->attr.exclude_kernel = !strchr(modes, 'k');
	e->attr.exclude_hv = !strchr(modes, 'h');
	return 0;
}

/**
 * region_parse() - parse an event name
 * @e: its name is parsed into its attributes
 *
 * Parse "name", "r1a3" or "pmu/terms/", and modes such as ":u" after it.
 *
 * Return: 0 or a negative errno, with the text in @e.
 */
static inline int region_parse(struct region_event *e)
{
	char text[sizeof(e->name)], *terms, *modes;
	int error;

	snprintf(text, sizeof(text), "%s", e->name);
	terms = strchr(text, '/');
	modes = terms ? strchr(terms + 1, '/') : strchr(text, ':');
	if (terms && !modes)
		return region_fail(e, -EINVAL, "a / is missing at the end");
	if (modes)
		*modes++ = '\0';
	if (modes && terms && *modes == ':')
		modes++;
	if (terms)
		*terms++ = '\0';
	error = terms ? region_parse_pmu(e, text, terms) : region_parse_name(e, text);
	return error ? error : region_parse_modes(e, modes ? modes : "");
}

#endif
