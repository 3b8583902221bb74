// SPDX-License-Identifier: GPL-2.0-only
/* driver [STEPS [NAME [SEED]]] - run all tests of the driver, or those of one area. */
#include "test.h"

static const struct {
	const char *area;
	void (*run)(void);
} tests[] = {
	{ "boot", test_boot },
	{ "event", test_event },
	{ "counters", test_counters },
	{ "perf", test_perf },
	{ "user", test_user },
	{ "sampling", test_sampling },
	{ "backends", test_backends },
	{ "quirks", test_quirks },
};

int main(int argc, char **argv)
{
	const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	const char *name = argc > 2 ? argv[2] : "";
	const u64 seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 20261124;

	ktap_plan(-1);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++)
		if (!strncmp(name, tests[i].area, strlen(tests[i].area)) || !*name)
			tests[i].run();
	if (!*name || !strncmp(name, "random", 6))
		test_random(steps, seed, name + (strncmp(name, "random.", 7) ? strlen(name) : 7));
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
