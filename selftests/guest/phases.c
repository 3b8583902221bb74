// SPDX-License-Identifier: GPL-2.0-only
/*
 * phases fetch|branches|memory|steady [MILLIONS] - execute MILLIONS (by default 500) million
 * instructions on CPU 0, while QEMU's model of XiangShan's counters counts as if they waited for
 * one unit: frontend, backend, memory or none.
 */
#include "harness.h"
#include "../qemu/xiangshan-hpm/model.h"

static const struct {
	const char *name;
	uint64_t workload;
} phases[] = {
	{ "steady", 0 },
	{ "fetch", XS_PRESSURE(XS_FRONTEND, 2) },
	{ "branches", XS_PRESSURE(XS_BACKEND, 2) },
	{ "memory", XS_PRESSURE(XS_MEMORY, 2) },
};

static void set_workload(uint64_t workload)
{
#ifdef __riscv
	asm volatile("csrw %0, %1" :: "i"(XS_WORKLOAD), "r"(workload));
#else
	(void)workload;
#endif
}

int main(int argc, char **argv)
{
	for (unsigned int i = 0; argc > 1 && i < ARRAY_SIZE(phases); i++) {
		if (strcmp(argv[1], phases[i].name))
			continue;
		pin(0);
		set_workload(phases[i].workload);
		work(500000ULL * (argc > 2 ? atoi(argv[2]) : 500));
		set_workload(0);
		return 0;
	}
	fprintf(stderr, "usage: %s fetch|branches|memory|steady [MILLIONS]\n", argv[0]);
	return 2;
}
