// SPDX-License-Identifier: GPL-2.0-only
/*
 * test [STEPS [NAME [SEED]]] - host tests: the driver on models of firmware, harts and perf core,
 * in fixed and in random order; the tools. NAME is an area of the table below, random, or
 * random.SCENARIO.
 */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "test.h"

#define AREA_SECONDS	60 /* of its own CPU time, as machines may be busy; at most 15 are needed */

static const char *running;

/* It hangs; or the driver has warned, or broken a rule of a model: the lines above say so. */
static void stopped(int why)
{
	if (why == SIGPROF)
		note("after %d s", AREA_SECONDS);
	check(false, "%s.runs_to_its_end", running);
	_exit(1);
}

/* Write a file of one line into a directory like sysfs. */
void write_pmu_file(const char *devices, const char *pmu, const char *dir, const char *name,
		    const char *line)
{
	char command[512];

	snprintf(command, sizeof(command), "mkdir -p '%s/%s/%s' && echo '%s' >'%s/%s/%s/%s'", devices,
		 pmu, dir, line, devices, pmu, dir, name);
	if (system(command))
		perror(name);
}

bool remove_tree(const char *path)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%s'", path);
	return !system(command);
}

#define AREAS(X)									\
	X(boot) X(boards) X(cores) X(event) X(open) X(counters) X(sampling) \
	X(branch) X(user) X(backends) X(quirks) X(region) X(topdown)
#define DECLARE(area)	void test_##area(void);
#define ROW(area)	{ #area, test_##area },

AREAS(DECLARE)
void test_random(unsigned long steps, unsigned long long seed, const char *name);
bool unload(void);

static const struct {
	const char *area;
	void (*run)(void);
} tests[] = { AREAS(ROW) };

int main(int argc, char **argv)
{
	const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 0) : 1000000;
	const char *name = argc > 2 ? argv[2] : "";
	const struct itimerval limit = { .it_value.tv_sec = AREA_SECONDS };
	const unsigned long seed = argc > 3 ? strtoul(argv[3], NULL, 0) : 20261124;

	ktap_plan(-1);
	note("%lu random steps, seed %lu", steps, seed);
	signal(SIGPROF, stopped);
	signal(SIGABRT, stopped);
	for (unsigned int i = 0; i < ARRAY_SIZE(tests); i++) {
		if (*name && strcmp(name, tests[i].area))
			continue;
		running = tests[i].area;
		setitimer(ITIMER_PROF, &limit, NULL);
		tests[i].run();
		unload();
	}
	setitimer(ITIMER_PROF, &(struct itimerval){}, NULL);
	running = "random";
	if (!*name || !strcmp(name, "random"))
		test_random(steps, seed, "");
	else if (!strncmp(name, "random.", 7))
		test_random(steps, seed, name + 7);
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
