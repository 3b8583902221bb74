// SPDX-License-Identifier: GPL-2.0-only
/* test_boot: the module is loaded, says what it found, and leaves nothing when it is unloaded. */
#include "test.h"

void test_boot(void)
{
	struct perf_event *e;

	check(!boot(&(struct machine){}), "boot.module_loads");
	note("%s", host.log);
	e = open_general(PERF_COUNT_HW_CPU_CYCLES);
	perf_run(100000);
	check(e && is_right(e) && perf_read(e), "boot.cycles_count");
	unloaded("boot.module");
}
