// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotspot [SECONDS [touch]] - a load for scripts that record samples
 *
 * Call two functions, one with three times the work of the other, and print the share of the
 * time that the first one took. With "touch" cause TLB misses instead.
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
	run_load(argc > 1 ? atof(argv[1]) * 1000 : 1000, argc > 2 ? touch_load : load);
	if (light_ns)
		printf("light took %.1f %% by the clock\n", light_percent_of_time());
	return 0;
}
