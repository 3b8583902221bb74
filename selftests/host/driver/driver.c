// SPDX-License-Identifier: GPL-2.0-only
/* driver [STEPS [NAME [SEED]]] - run all tests of the driver, or those of one area. */
#include "test.h"

static const struct {
	const char *area;
	void (*run)(void);
} tests[] = {
	{ "boot", test_boot },
	{ "perf", test_perf },
};

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[2] : "";

	ktap_plan(-1);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++)
		if (!strncmp(name, tests[i].area, strlen(tests[i].area)) || !*name)
			tests[i].run();
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
