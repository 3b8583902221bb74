// SPDX-License-Identifier: GPL-2.0-only
/*
 * privilege - what users without any may count, by perf_event_paranoid.
 */
#include <sys/utsname.h>

#include "outcome.h"

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

static int get_paranoid(void)
{
	FILE *f = fopen(PARANOID, "r");
	int level = -1;

	if (f && fscanf(f, "%d", &level) != 1)
		level = -1;
	if (f)
		fclose(f);
	return level;
}

static bool set_paranoid(int level)
{
	return number_to(PARANOID, level);
}

/* Opens as user nobody, in a child; 0 or an errno. */
static int try_as_nobody(struct perf_event_attr attr, pid_t pid, int cpu)
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
	const int filtered = isa_has("sscofpmf") ? OPENS : unfiltered();
	const struct {
		int paranoid, outcome;
		const char *what;
		struct perf_event_attr attr;
		pid_t pid;
		int cpu;
	} rows[] = {
		{ 2, EACCES, "the kernel too", EVENT(CYCLES), 0, -1 },
		{ 2, EACCES, "a firmware event", EVENT(FIRMWARE(4)), 0, -1 },
		{ 2, filtered, "user mode", USER_ONLY, 0, -1 },
		{ 1, OPENS, "the kernel too", EVENT(CYCLES), 0, -1 },
		{ 1, OPENS, "a firmware event", EVENT(FIRMWARE(4)), 0, -1 },
		{ 1, EACCES, "a CPU", EVENT(CYCLES), -1, 0 },
		{ 1, EACCES, "a firmware event of a CPU",
		  EVENT(FIRMWARE(4)), -1, 0 },
		{ 1, EACCES, "somebody else's task", EVENT(CYCLES), 1, -1 },
		{ 0, OPENS, "a CPU", EVENT(CYCLES), -1, 0 },
		{ -1, OPENS, "a CPU", EVENT(CYCLES), -1, 0 },
		{ -1, EACCES, "somebody else's task", EVENT(CYCLES), 1, -1 },
	};
	char what[80];

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		int got;

		if (!set_paranoid(rows[i].paranoid))
			check(false, "paranoid %d can be set", rows[i].paranoid);
		snprintf(what, sizeof(what), "without privilege at paranoid %d, %s",
			 rows[i].paranoid, rows[i].what);
		got = try_as_nobody(rows[i].attr, rows[i].pid, rows[i].cpu);
		outcome_is(what, rows[i].outcome, got);
	}
}

/* Debian's kernels know a level that allows nothing at all. */
static void test_paranoid_debian(void)
{
	const char *what = "without privilege at paranoid 3, anything";
	struct utsname u;

	if (uname(&u) || !strstr(u.version, "Debian"))
		not_here(what, "Debian's kernels only");
	else if (check(set_paranoid(3), "paranoid 3 can be set"))
		outcome_is(what, EACCES, try_as_nobody(USER_ONLY, 0, -1));
}

int main(void)
{
	int paranoid = get_paranoid();

	begin();
	test_unprivileged();
	test_paranoid_debian();
	set_paranoid(paranoid);
	return end();
}
