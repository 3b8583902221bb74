/* SPDX-License-Identifier: GPL-2.0-only */
/* KTAP output of test programs, on the host and in a guest. */
#ifndef SBI_PMU_KTAP_H
#define SBI_PMU_KTAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* One of each for the whole program, however many files it has. */
__attribute__((weak)) int ktap_tests, ktap_failures;

/* What names of results begin with, if anything: in a guest the program's name. */
__attribute__((weak)) const char *ktap_suite;

/* The tests to report, or how their names begin, and which there were; none: report all */
__attribute__((weak)) const char *ktap_only[17];
__attribute__((weak)) bool ktap_found[16];

static inline bool ktap_wants(const char *name)
{
	bool wanted = !ktap_only[0];

	for (int i = 0; ktap_only[i]; i++)
		if (!strncmp(name, ktap_only[i], strlen(ktap_only[i])))
			wanted = ktap_found[i] = true;
	return wanted;
}

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

/* One result. Its name has no measured value, so that a CI can follow it. */
__attribute__((format(printf, 2, 3)))
static inline bool check(bool ok, const char *name, ...)
{
	char full[256];
	va_list ap;

	va_start(ap, name);
	vsnprintf(full, sizeof(full), name, ap);
	va_end(ap);
	if (!ktap_wants(full))
		return ok;
	printf("%sok %d %s%s%s\n", ok ? "" : "not ", ++ktap_tests, ktap_suite ?: "",
	       ktap_suite ? "." : "", full);
	ktap_failures += !ok;
	return ok;
}

/* A test that does not apply to this machine, and why. */
static inline void skip(const char *name, const char *why)
{
	if (!ktap_wants(name))
		return;
	printf("ok %d %s%s%s # SKIP %s\n", ++ktap_tests, ktap_suite ?: "", ktap_suite ? "." : "",
	       name, why);
}

static inline int ktap_exit(void)
{
	return ktap_failures ? 1 : 0;
}

#endif
