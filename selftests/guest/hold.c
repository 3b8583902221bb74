// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold - hold a counter of ours open until stdin ends: for scripts that need
 * the module in use. Prints a line when it has it.
 */
#include "harness.h"

int main(void)
{
	struct perf_event_attr attr = { .config = 1ULL << 62 | 1 };
	char name[32], c;
	int fd;

	attr.type = pmu_type(name, sizeof(name));
	fd = perf_try(&attr, 0, -1, -1);
	if (fd < 0) {
		printf("cannot open: %s\n", strerror(-fd));
		return 1;
	}
	puts("holding");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	return 0;
}
