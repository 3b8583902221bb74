/* SPDX-License-Identifier: GPL-2.0-only */
/* KTAP output of test programs, on the host and in a guest. */
#ifndef SBI_PMU_KTAP_H
#define SBI_PMU_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* One of each for the whole program, however many files it has. */
__attribute__((weak)) int ktap_tests, ktap_failures;

/* What names of results begin with, if anything: in a guest the program's name. */
__attribute__((weak)) const char *ktap_suite;

/* The plan first if it is known, or -1 and the plan printed at the end. */
static inline void ktap_plan(int n)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("KTAP version 1");
	if (n >= 0)
		printf("1..%d\n", n);
}

/* What a result leans on, for the reader: a line before it. */
__attribute__((format(printf, 1, 2)))
static inline void note(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/*
 * One result. Its name stays the same from run to run, so that a CI can follow it: no
 * measured value is in it.
 */
__attribute__((format(printf, 2, 3)))
static inline bool check(bool ok, const char *name, ...)
{
	va_list ap;

	printf("%sok %d ", ok ? "" : "not ", ++ktap_tests);
	if (ktap_suite)
		printf("%s.", ktap_suite);
	va_start(ap, name);
	vprintf(name, ap);
	va_end(ap);
	putchar('\n');
	ktap_failures += !ok;
	return ok;
}

/* A test that does not apply to this machine, and why. */
static inline void skip(const char *name, const char *why)
{
	printf("ok %d %s%s%s # SKIP %s\n", ++ktap_tests, ktap_suite ?: "", ktap_suite ? "." : "",
	       name, why);
}

static inline int ktap_exit(void)
{
	return ktap_failures ? 1 : 0;
}

#endif
