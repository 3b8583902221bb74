// SPDX-License-Identifier: GPL-2.0-only
/*
 * test [STEPS [SEED]] - host tests: tables of accepted and refused input, then the driver's
 * host-testable files on the firmware model, in fixed and in random order.
 */
#include "test.h"

int main(int argc, char **argv)
{
	unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 0) : 20260901;

	ktap_plan(-1);
	note("%lu random steps, seed %lu", steps, seed);
	test_event();
	test_units();
	test_user_page();
	test_tables();
	test_inventory();
	test_irq_source();
	test_sbi_calls();
	test_user_isolation();
	test_model();
	test_counters();
	test_delegation();
	test_share();
	test_power();
	test_fixed_counters();
	test_quirks();
	test_snapshot();
	test_probe();
	test_support();
	test_free_running();
	test_stand_in();
	test_hpm_model();
	test_region();
	test_topdown();
	test_topdown_find();
	test_topdown_record();
	test_topdown_show();
	test_sampling(steps);
	test_random(steps, seed);
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
