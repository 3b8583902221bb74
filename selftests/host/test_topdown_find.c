// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown_find: sbi-topdown's reading of sysfs, on a copy of it. */
#include <sys/stat.h>

#include "../../tools/sbi-topdown/events.h"
#include "test.h"

static char devices[32] = "/tmp/topdown.XXXXXX";

/* A file of the PMU @pmu with a line in it; NULL: none. */
static void put(const char *pmu, const char *folder, const char *name, const char *line)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", devices, pmu);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s", devices, pmu, folder);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%s/%s/%s", devices, pmu, folder, name);
	if (!line) {
		remove(path);
		return;
	}
	f = fopen(path, "w");
	if (!f)
		return;
	fprintf(f, "%s\n", line);
	fclose(f);
}

static bool finds(unsigned int level, struct td_events *events)
{
	memset(events, 0, sizeof(*events));
	return td_find(events, devices, level);
}

static bool says(unsigned int level, const char *what)
{
	struct td_events events;

	if (!finds(level, &events) && strstr(events.why, what))
		return true;
	printf("# %s\n", events.why);
	return false;
}

static void test_reasons(void)
{
	check(says(1, "sbi_pmu is not loaded"), "topdown: no PMU");
	put("cpu", ".", "type", "4");
	put("cpu", "events", "cycles", "event=0x1");
	check(says(1, "sbi_pmu is not loaded"), "topdown: another driver's PMU");
	put("cpu", "caps", "mode", "sole");
	check(says(1, "xiangshan=TABLE"), "topdown: no table of events");
	put("cpu", "caps", "event_table", "user-guide");
	put("cpu", "format", "event", "config:0-55");
	put("cpu", "format", "firmware", "config:62-63");
	put("cpu", "events", "cycles", "event=0x1,firmware=0x1");
	put("cpu", "events", "instructions", "event=0x2,firmware=0x1");
	check(says(1, "no event front_bubble on this core (table user-guide)"),
	      "topdown: an event that is missing");
}

static void test_configs(void)
{
	struct td_events events;

	put("cpu", "format", "event0", "config:0-9");
	put("cpu", "format", "event1", "config:10-19");
	put("cpu", "format", "op0", "config:40-44");
	put("cpu", "format", "unit", "config:56-58");
	put("cpu", "format", "flag", "config:63");
	put("cpu", "events", "front_bubble", "event0=0x15,unit=0x1");
	put("cpu", "events", "inst_spec_recovery", "event0=0x5,event1=0x6,op0=0x4,unit=0x2");
	check(finds(1, &events) && events.known == TD_LEVEL1 && events.pmu.type == 4 &&
	      events.pmu.config[TD_CYCLES] == 0x4000000000000001 &&
	      events.pmu.config[TD_INSTRUCTIONS] == 0x4000000000000002 &&
	      events.pmu.config[TD_FRONT_BUBBLE] == 0x0100000000000015 &&
	      events.pmu.config[TD_INST_SPEC_RECOVERY] == 0x0200040000001805,
	      "topdown: events by name");
	check(says(2, "Level 1 can be had"), "topdown: a level that can be had");
	put("cpu", "events", "front_bubble", "event0=0x15,flag");
	check(finds(1, &events) && events.pmu.config[TD_FRONT_BUBBLE] == 0x8000000000000015,
	      "topdown: a term that is a flag");
}

static void test_nonsense(void)
{
	static const char *const terms[] = {
		"event0=0x400,unit=0x1", "event0=,unit=0x1", "event0=0x15x", "other=1",
		"flag=2", "event0=0x15,mad=1",
	};
	struct td_events events;
	unsigned int taken = 0;

	put("cpu", "format", "mad", "config1:0-9");
	for (unsigned int i = 0; i < ARRAY_SIZE(terms); i++) {
		put("cpu", "events", "front_bubble", terms[i]);
		taken += finds(1, &events);
	}
	put("cpu", "events", "front_bubble", "event0=0x15,unit=0x1");
	check(!taken && finds(1, &events), "topdown: terms that make no sense are no event");
}

/* All three levels, under the names that the general events have beside another PMU. */
static void test_beside(void)
{
	struct td_events events;

	put("sbi_pmu", ".", "type", "9");
	put("sbi_pmu", "caps", "mode", "beside");
	put("sbi_pmu", "caps", "event_table", "v3");
	put("sbi_pmu", "format", "event", "config:0-55");
	for (unsigned int i = TD_FRONT_BUBBLE; i < TD_MEMSTALL_L3MISS; i++)
		put("sbi_pmu", "events", td_events[i], "event=0x7");
	put("sbi_pmu", "events", "hw_cycles", "event=0x1");
	put("sbi_pmu", "events", "hw_instructions", "event=0x2");
	check(finds(2, &events) && events.pmu.type == 9 && events.known == TD_LEVEL2,
	      "topdown: the module's PMU beside another");
	check(finds(3, &events) && events.known == TD_LEVEL3_LESS,
	      "topdown: level 3 without an event for L3");
	put("sbi_pmu", "events", td_events[TD_MEMSTALL_L3MISS], "event=0x7");
	check(finds(3, &events) && events.known == TD_LEVEL3, "topdown: all of level 3");
}

void test_topdown_find(void)
{
	char command[64];

	if (!check(mkdtemp(devices), "topdown: a folder for a copy of sysfs"))
		return;
	test_reasons();
	test_configs();
	test_nonsense();
	test_beside();
	snprintf(command, sizeof(command), "rm -r %s", devices);
	check(!system(command), "topdown: the copy is gone");
}
