/* SPDX-License-Identifier: GPL-2.0-only */
/* Count how often a timer of the module expires, by the kernel's own tracepoint. */
#ifndef EXPIRIES_H
#define EXPIRIES_H

#include "harness.h"

/* Return: the address of a function of the module, 0 if there is none. */
static inline uint64_t module_function(const char *function)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[256], name[128], module[128];
	uint64_t at, found = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx %*c %127s [%127[^]]", &at, name, module) == 3 &&
		    !strcmp(name, function) && !strcmp(module, "sbi_pmu"))
			found = at;
	if (f)
		fclose(f);
	return found;
}

/* Return: an event that counts expiries of the hrtimer of @function on @cpu, or an errno. */
static inline int open_expiries(const char *function, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.config = read_number("/sys/kernel/tracing/events/timer/hrtimer_expire_entry/id"),
		.read_format = READ_TIMES,
	};
	const uint64_t address = module_function(function);
	char filter[64];
	int fd;

	if (!address)
		return -ENOENT;
	fd = perf_try(&attr, -1, cpu, -1);
	snprintf(filter, sizeof(filter), "function == %#lx", address);
	if (fd >= 0 && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter)) {
		const int error = errno;

		close(fd);
		return -error;
	}
	return fd;
}

#endif
