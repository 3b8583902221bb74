// SPDX-License-Identifier: GPL-2.0-only
/*
 * hotspot [SECONDS [touch]] - two functions, one with three times the work of the
 * other, for as long as is asked for; or else TLB misses. For scripts that record
 * it: says which part of the time the first one took.
 */
#include "ring.h"
#include "hotspot.h"

static void load(void)
{
	two_load();
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	busy(argc > 1 ? atoi(argv[1]) * 1000 : 1000, argc > 2 ? touch_load : load);
	if (light_ns)
		printf("light took %.1f %% by the clock\n", light_by_clock());
	return 0;
}
