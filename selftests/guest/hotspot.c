// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotspot [SECONDS] - a load for scripts that record samples: two functions, one with three times
 * the work of the other. Print the share of the time that the first one took.
 */
#include "ring.h"
#include "hotspot.h"

static void load(void)
{
	hotspot_load();
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	run_load(argc > 1 ? atof(argv[1]) * 1000 : 1000, load);
	printf("light took %.1f %% by the clock\n", light_percent_of_time());
	return 0;
}
