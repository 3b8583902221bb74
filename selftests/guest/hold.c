// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold - hold a counter of ours open until stdin ends: for scripts that need
 * the module in use. Prints a line when it has it.
 */
#include "harness.h"

int main(void)
{
	int fd = find_pmu() ? open_event(CYCLES, 0, -1, -1) : -ENODEV;
	char c;

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
