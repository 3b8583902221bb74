/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every test program here needs: KTAP output, perf_event_open, work of
 * known length.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../ktap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline int perf_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

/* As perf_open(), but returns a negative errno instead of -1. */
static inline int perf_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	int fd = perf_open(attr, pid, cpu, group);

	return fd < 0 ? -errno : fd;
}

struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

#define READ_TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static inline struct reading perf_get(int fd)
{
	struct reading r = {};

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		perror("read");
	return r;
}

/* Retires 2 instructions a turn, whatever the compiler thinks. */
static inline void work(uint64_t turns)
{
#ifdef __riscv
	asm volatile("1: addi %0, %0, -1; bnez %0, 1b" : "+r"(turns));
#else
	while (turns--)
		asm volatile("");
#endif
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

#define PMU_DEVICES "/sys/bus/event_source/devices/"

/* The type of the PMU under test: ours, by its name in this mode. */
static inline int pmu_type(char *name, size_t size)
{
	static const char *const names[] = { "sbi_pmu", "cpu" };
	char path[256];
	int type;

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		FILE *f;

		snprintf(path, sizeof(path), PMU_DEVICES "%s/caps/mode", names[i]);
		if (access(path, R_OK))
			continue;
		snprintf(path, sizeof(path), PMU_DEVICES "%s/type", names[i]);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%d", &type) != 1)
			type = -1;
		fclose(f);
		snprintf(name, size, "%s", names[i]);
		return type;
	}
	return -1;
}

#endif
