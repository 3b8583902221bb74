/* SPDX-License-Identifier: GPL-2.0-only */
/* Count how often a timer of the module expires, by the kernel's own tracepoint. */
#ifndef EXPIRIES_H
#define EXPIRIES_H

#include "tracepoint.h"

/* Return: an event that counts expiries of the hrtimer of @function on @cpu, or an errno. */
static inline int open_expiries(const char *function, int cpu)
{
	char command[128], filter[64];
	uint64_t address;

	snprintf(command, sizeof(command),
		 "awk '/ %s\\t.sbi_pmu/ { print \"0x\" $1 }' /proc/kallsyms", function);
	address = command_number(command);
	snprintf(filter, sizeof(filter), "function == %#lx", address);
	return address ? open_tracepoint("timer/hrtimer_expire_entry", filter, cpu) : -ENOENT;
}

#endif
