// SPDX-License-Identifier: GPL-2.0-only
/*
 * twofold [SECONDS [touch]] - two functions, one with three times the work of the
 * other, for as long as is asked for; or else TLB misses. For scripts that record it.
 */
#include "ring.h"

#define APART	__attribute__((noinline, noclone, noipa))

static APART void light(uint64_t turns)
{
	work(turns);
}

static APART void heavy(uint64_t turns)
{
	work(turns);
	work(turns);
	work(turns);
}

/* Never the same twice, so that samples cannot keep in step with it. */
static void two_load(void)
{
	const uint64_t turns = 10000 + rand() % 20000;

	light(turns);
	heavy(turns);
	syscall(SYS_getppid);
}

int main(int argc, char **argv)
{
	busy(argc > 1 ? atoi(argv[1]) * 1000 : 1000, argc > 2 ? touch_load : two_load);
	return 0;
}
