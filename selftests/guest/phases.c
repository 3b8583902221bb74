// SPDX-License-Identifier: GPL-2.0-only
/*
 * phases fetch|branches|memory|steady|mixed [MILLIONS] - execute MILLIONS (by default 500) million
 * instructions on CPU 0, while QEMU's model of XiangShan's counters counts as if they waited for
 * one unit: frontend, backend, memory or none. Each is a function of its own, for profiles. "mixed"
 * calls all four in turn, the one that waits for memory for most of the time.
 */
#include "harness.h"
#include "../qemu/xiangshan-hpm/model.h"

static void set_workload(uint64_t workload)
{
#ifdef __riscv
	asm volatile("csrw %0, %1" :: "i"(XS_WORKLOAD), "r"(workload));
#else
	(void)workload;
#endif
}

#define PROFILED	__attribute__((noinline, noclone))

static PROFILED void run_steadily(uint64_t iterations)
{
	work(iterations);
}

#define WAIT_FOR(what, unit)						\
	static PROFILED void wait_for_##what(uint64_t iterations)	\
	{								\
		set_workload(XS_PRESSURE(unit, 2));			\
		work(iterations);					\
		set_workload(0);					\
	}

WAIT_FOR(fetch, XS_FRONTEND)
WAIT_FOR(branches, XS_BACKEND)
WAIT_FOR(memory, XS_MEMORY)

static void run_mixed(uint64_t iterations)
{
	for (unsigned int i = 0; i < 20; i++) {
		run_steadily(iterations / 100);
		wait_for_fetch(iterations / 200);
		wait_for_branches(iterations / 200);
		wait_for_memory(iterations / 20 - iterations / 50);
	}
}

static const struct {
	const char *name;
	void (*run)(uint64_t iterations);
} phases[] = {
	{ "steady", run_steadily },
	{ "fetch", wait_for_fetch },
	{ "branches", wait_for_branches },
	{ "memory", wait_for_memory },
	{ "mixed", run_mixed },
};

int main(int argc, char **argv)
{
	for (unsigned int i = 0; argc > 1 && i < ARRAY_SIZE(phases); i++) {
		if (strcmp(argv[1], phases[i].name))
			continue;
		pin(0);
		phases[i].run(500000ULL * (argc > 2 ? atoi(argv[2]) : 500));
		return 0;
	}
	fprintf(stderr, "usage: %s fetch|branches|memory|steady|mixed [MILLIONS]\n", argv[0]);
	return 2;
}
