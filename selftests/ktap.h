/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KTAP output of test programs, on the host and in a guest.
 */
#ifndef SBI_PMU_KTAP_H
#define SBI_PMU_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* One of each for the whole program, however many files it has. */
__attribute__((weak)) int ktap_tests, ktap_failures;

/* The plan first if it is known, or -1 and the plan printed at the end. */
static inline void ktap_plan(int n)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("KTAP version 1");
	if (n >= 0)
		printf("1..%d\n", n);
}

/* One result. The values that led to it go into the line, for the reader. */
__attribute__((format(printf, 2, 3)))
static inline bool check(bool ok, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d ", ok ? "" : "not ", ++ktap_tests);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	ktap_failures += !ok;
	return ok;
}

/* A test that does not apply to this machine; another row of the lab runs it. */
static inline void not_here(const char *what, const char *why)
{
	printf("# not here: %s: %s\n", what, why);
}

static inline int ktap_exit(void)
{
	return ktap_failures ? 1 : 0;
}

#endif
