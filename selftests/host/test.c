// SPDX-License-Identifier: GPL-2.0-only
/*
 * test [STEPS [SEED]] - host tests: tables of accepted and refused input, then the driver's
 * host-testable files on the firmware model, in fixed and in random order.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "test.h"

/* Write a file of one line into a directory like sysfs. */
void write_pmu_file(const char *devices, const char *pmu, const char *dir, const char *name,
		    const char *line)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", devices, pmu);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s", devices, pmu, dir);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/%s/%s/%s", devices, pmu, dir, name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%s\n", line) < 0 || fclose(f))
		perror(path);
}

bool remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char inner[512];

	while (dir && (entry = readdir(dir))) {
		snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
		if (*entry->d_name != '.')
			remove_tree(inner);
	}
	if (dir)
		closedir(dir);
	return !remove(path);
}

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
	test_overwritten();
	test_delegation();
	test_vendor_events();
	test_pause();
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
	test_sampling(steps);
	test_random(steps, seed);
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
