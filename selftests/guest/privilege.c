// SPDX-License-Identifier: GPL-2.0-only
/* privilege - what a user without privileges may count at each level of perf_event_paranoid. */
#include <sys/utsname.h>

#include "outcome.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static bool set_paranoid(int level)
{
	bool ok = write_number(PARANOID, level);

	if (!ok)
		note("cannot write %d to " PARANOID, level);
	return ok;
}

/* Open an event as user nobody, in a child. Return: 0 or an errno. */
static int open_as_nobody(struct perf_event_attr attr, pid_t pid, int cpu)
{
	pid_t child = fork();
	int status, fd;

	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(255);
		attr.type = pmu.type;
		fd = perf_try(&attr, pid, cpu, -1);
		_exit(fd < 0 ? -fd : 0);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EINTR;
}

#define USER_ONLY EVENT(CYCLES, .exclude_kernel = 1, .exclude_hv = 1)

static void test_unprivileged(void)
{
	static const struct {
		const char *name;
		int paranoid, expected;
		struct perf_event_attr attr;
		pid_t pid;
		int cpu;
	} rows[] = {
		{ "paranoid_2_kernel", 2, EACCES, EVENT(CYCLES), 0, -1 },
		{ "paranoid_2_firmware_event", 2, EACCES, EVENT(FIRMWARE(4)), 0, -1 },
		{ "paranoid_2_user_mode", 2, NEEDS_FILTER, USER_ONLY, 0, -1 },
		{ "paranoid_1_kernel", 1, OPENS, EVENT(CYCLES), 0, -1 },
		{ "paranoid_1_firmware_event", 1, OPENS, EVENT(FIRMWARE(4)), 0, -1 },
		{ "paranoid_1_cpu", 1, EACCES, EVENT(CYCLES), -1, 0 },
		{ "paranoid_1_firmware_event_of_cpu", 1, EACCES, EVENT(FIRMWARE(4)), -1, 0 },
		{ "paranoid_1_task_of_root", 1, EACCES, EVENT(CYCLES), 1, -1 },
		{ "paranoid_0_cpu", 0, OPENS, EVENT(CYCLES), -1, 0 },
		{ "paranoid_minus_1_cpu", -1, OPENS, EVENT(CYCLES), -1, 0 },
		{ "paranoid_minus_1_task_of_root", -1, EACCES, EVENT(CYCLES), 1, -1 },
	};
	bool set = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		set &= set_paranoid(rows[i].paranoid);
		check_outcome(rows[i].name, rows[i].expected,
			      open_as_nobody(rows[i].attr, rows[i].pid, rows[i].cpu));
	}
	check(set, "paranoid_levels_can_be_set");
}

/* Debian's kernels have a level that allows nothing at all. */
static void test_paranoid_debian(void)
{
	struct utsname u;

	if (uname(&u) || !strstr(u.version, "Debian"))
		skip("paranoid_3_user_mode_eacces", "only Debian's kernels have this level");
	else if (check(set_paranoid(3), "paranoid_3_can_be_set"))
		check_outcome("paranoid_3_user_mode", EACCES, open_as_nobody(USER_ONLY, 0, -1));
}

int main(void)
{
	int paranoid = read_number(PARANOID);

	begin();
	test_unprivileged();
	test_paranoid_debian();
	set_paranoid(paranoid);
	return end();
}
