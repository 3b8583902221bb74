// SPDX-License-Identifier: GPL-2.0-only
/* test_topdown_find: how sbi-topdown finds events, in a sysfs directory made by the test. */
#include "../../tools/sbi-topdown/events.h"
#include "test.h"

static char devices[32] = "/tmp/topdown.XXXXXX";

/* Return: whether the events of a level are found. */
static bool find(unsigned int level, struct td_events *events)
{
	memset(events, 0, sizeof(*events));
	return td_find_events(events, devices, level);
}

/* Return: whether a level is refused with this text. */
static bool refuses(unsigned int level, const char *error)
{
	struct td_events events;

	if (!find(level, &events) && strstr(events.error, error))
		return true;
	note("%s", *events.error ? events.error : "not refused");
	return false;
}

/* The shares depend on the number of slots, which must come from the module. */
static void test_slots(void)
{
	static const char *const wrong[] = { "", "0", "0x00000000", "six", "8 ", "-1", "0x40" };
	unsigned int refused = 0;

	check(refuses(1, "how many slots a cycle"), "topdown_find.refuses_missing_slots");
	for (unsigned int i = 0; i < ARRAY_SIZE(wrong); i++) {
		write_pmu_file(devices, "cpu", "caps", "slots", wrong[i]);
		refused += refuses(1, "how many slots a cycle");
	}
	check(refused == ARRAY_SIZE(wrong), "topdown_find.refuses_wrong_slots");
	write_pmu_file(devices, "cpu", "caps", "slots", "0x00000008");
}

static void test_reasons(void)
{
	check(refuses(1, "sbi_pmu is not loaded"), "topdown_find.refuses_missing_pmu");
	write_pmu_file(devices, "cpu", ".", "type", "4");
	write_pmu_file(devices, "cpu", "events", "cycles", "event=0x1");
	check(refuses(1, "sbi_pmu is not loaded"), "topdown_find.refuses_pmu_of_other_driver");
	write_pmu_file(devices, "cpu", "caps", "mode", "sole");
	check(refuses(1, "xiangshan=TABLE"), "topdown_find.refuses_missing_event_table");
	write_pmu_file(devices, "cpu", "caps", "event_table", "user-guide");
	test_slots();
	write_pmu_file(devices, "cpu", "format", "event", "config:0-55");
	write_pmu_file(devices, "cpu", "format", "firmware", "config:62-63");
	write_pmu_file(devices, "cpu", "events", "cycles", "event=0x1,firmware=0x1");
	write_pmu_file(devices, "cpu", "events", "instructions", "event=0x2,firmware=0x1");
	check(refuses(1, "no event front_bubble on this core (table user-guide)"),
	      "topdown_find.refuses_missing_event");
}

/* Is the event called so for perf? */
static bool is_named(const struct td_events *events, enum td_event event, const char *name)
{
	char text[96];

	td_name_event(events, event, text, sizeof(text));
	if (strcmp(text, name))
		note("%s, not %s", text, name);
	return !strcmp(text, name);
}

static void test_configs(void)
{
	struct td_events events;

	write_pmu_file(devices, "cpu", "format", "event0", "config:0-9");
	write_pmu_file(devices, "cpu", "format", "event1", "config:10-19");
	write_pmu_file(devices, "cpu", "format", "op0", "config:40-44");
	write_pmu_file(devices, "cpu", "format", "unit", "config:56-58");
	write_pmu_file(devices, "cpu", "format", "flag", "config:63");
	write_pmu_file(devices, "cpu", "events", "front_bubble", "event0=0x15,unit=0x1");
	write_pmu_file(devices, "cpu", "events", "inst_spec_recovery",
		       "event0=0x5,event1=0x6,op0=0x4,unit=0x2");
	check(find(1, &events) && events.n_events == TD_LEVEL1 && events.pmu.type == 4 &&
	      events.pmu.slots == 8 &&
	      events.pmu.config[TD_CYCLES] == 0x4000000000000001 &&
	      events.pmu.config[TD_INSTRUCTIONS] == 0x4000000000000002 &&
	      events.pmu.config[TD_FRONT_BUBBLE] == 0x0100000000000015 &&
	      events.pmu.config[TD_INST_SPEC_RECOVERY] == 0x0200040000001805,
	      "topdown_find.level1_events");
	check(is_named(&events, TD_INSTRUCTIONS, "cpu/instructions/"),
	      "topdown_find.names_for_perf");
	events.user_only = true;
	check(is_named(&events, TD_FRONT_BUBBLE, "cpu/front_bubble/u"),
	      "topdown_find.names_for_perf_of_user_mode");
	check(refuses(2, "Level 1 is available"), "topdown_find.suggests_available_level");
	write_pmu_file(devices, "cpu", "events", "front_bubble", "event0=0x15,flag");
	check(find(1, &events) && events.pmu.config[TD_FRONT_BUBBLE] == 0x8000000000000015,
	      "topdown_find.term_without_value_is_1");
}

static void test_wrong_terms(void)
{
	static const char *const terms[] = {
		"event0=0x400,unit=0x1", "event0=,unit=0x1", "event0=0x15x", "other=1",
		"flag=2", "event0=0x15,other_word=1",
	};
	struct td_events events;
	unsigned int found = 0;

	write_pmu_file(devices, "cpu", "format", "other_word", "config1:0-9");
	for (unsigned int i = 0; i < ARRAY_SIZE(terms); i++) {
		write_pmu_file(devices, "cpu", "events", "front_bubble", terms[i]);
		found += find(1, &events);
	}
	write_pmu_file(devices, "cpu", "events", "front_bubble", "event0=0x15,unit=0x1");
	check(!found && find(1, &events), "topdown_find.refuses_wrong_terms");
}

/* All three levels while another driver owns "cpu": general events begin with "hw_". */
static void test_shared_mode(void)
{
	struct td_events events;

	write_pmu_file(devices, "sbi_pmu", ".", "type", "9");
	write_pmu_file(devices, "sbi_pmu", "caps", "mode", "beside");
	write_pmu_file(devices, "sbi_pmu", "caps", "event_table", "v3");
	write_pmu_file(devices, "sbi_pmu", "caps", "slots", "0x00000006");
	write_pmu_file(devices, "sbi_pmu", "format", "event", "config:0-55");
	for (unsigned int i = TD_FRONT_BUBBLE; i < TD_MEMSTALL_L3MISS; i++)
		write_pmu_file(devices, "sbi_pmu", "events", td_events[i], "event=0x7");
	write_pmu_file(devices, "sbi_pmu", "events", "hw_cycles", "event=0x1");
	write_pmu_file(devices, "sbi_pmu", "events", "hw_instructions", "event=0x2");
	check(find(2, &events) && events.pmu.type == 9 && events.pmu.slots == 6 &&
	      events.n_events == TD_LEVEL2,
	      "topdown_find.level2_events_in_shared_mode");
	check(find(3, &events) && events.n_events == TD_LEVEL3_NO_L3MISS,
	      "topdown_find.level3_without_l3miss");
	check(is_named(&events, TD_INSTRUCTIONS, "sbi_pmu/hw_instructions/") &&
	      is_named(&events, TD_BR_MIS_PRED, "sbi_pmu/br_mis_pred/"),
	      "topdown_find.names_for_perf_in_shared_mode");
	write_pmu_file(devices, "sbi_pmu", "events", td_events[TD_MEMSTALL_L3MISS], "event=0x7");
	check(find(3, &events) && events.n_events == TD_LEVEL3, "topdown_find.level3_events");
}

void test_topdown_find(void)
{
	if (!check(mkdtemp(devices), "topdown_find.sysfs_directory_created"))
		return;
	test_reasons();
	test_configs();
	test_wrong_terms();
	test_shared_mode();
	check(remove_tree(devices), "topdown_find.sysfs_directory_removed");
}
