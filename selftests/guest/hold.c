// SPDX-License-Identifier: GPL-2.0-only
/*
 * hold [N] - keep N events (by default 1) open until end of file on stdin: for scripts that
 * need the module in use. Prints a line when they are open.
 */
#include "harness.h"

int main(int argc, char **argv)
{
	int fd = find_pmu() ? 0 : -ENODEV;
	char c;

	for (int n = argc > 1 ? atoi(argv[1]) : 1; n > 0 && fd >= 0; n--)
		fd = open_event(CYCLES, 0, -1, -1);
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
