// SPDX-License-Identifier: GPL-2.0-only
/*
 * tools_open - open events in the order of tools that always exclude the kernel, as an ordinary
 * user. Where no counter filters they are refused, unless root has set unfiltered=1: then they
 * count in all modes.
 */
#include "harness.h"

#define UNFILTERED	"/sys/module/sbi_pmu/parameters/unfiltered"

static const struct tool {
	const char *name;
	bool pinned, inherit, exclude_hv, group, per_cpu;
	unsigned long sample_period;
} tools[] = {
	{ "miniperf_stat", .pinned = true },
	{ "miniperf_record", .inherit = true, .group = true, .per_cpu = true,
	  .sample_period = 100000 },
	{ "google_benchmark", .pinned = true, .inherit = true, .group = true },
	{ "papi", .exclude_hv = true, .group = true },
	{ "nanobench", .exclude_hv = true, .group = true },
	{ "perf_event_of_rust", .exclude_hv = true },
};

enum { EVENTS = 2 };

/* Return: 0, or the errno of the first open that fails */
static int open_all(const struct tool *tool, int fd[EVENTS])
{
	int error = 0;

	for (unsigned int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = {
			.type = PERF_TYPE_HARDWARE,
			.config = i ? PERF_COUNT_HW_INSTRUCTIONS : PERF_COUNT_HW_CPU_CYCLES,
			.read_format = READ_TIMES,
			.disabled = !i || !tool->group,
			.pinned = tool->pinned && (!i || !tool->group),
			.inherit = tool->inherit,
			.exclude_kernel = 1,
			.exclude_hv = tool->exclude_hv,
			.sample_period = i ? 0 : tool->sample_period,
		};

		fd[i] = error ? -1 : perf_try(&attr, 0, tool->per_cpu ? sched_getcpu() : -1,
					      i && tool->group ? fd[0] : -1);
		if (fd[i] < 0 && !error)
			error = -fd[i];
	}
	return error;
}

static void close_all(const int fd[EVENTS])
{
	for (unsigned int i = EVENTS; i--;)
		close(fd[i]);
}

static bool all_count(const struct tool *tool, const int fd[EVENTS])
{
	bool ok = true;

	for (unsigned int i = 0; i < (tool->group ? 1 : EVENTS); i++)
		ioctl(fd[i], PERF_EVENT_IOC_ENABLE, 0);
	work(1000000);
	for (unsigned int i = 0; i < EVENTS; i++) {
		const struct reading r = perf_get(fd[i]);

		note("%s: %s %lu, ran %lu of %lu ns", tool->name, i ? "instructions" : "cycles",
		     r.value, r.running, r.enabled);
		ok &= r.running && r.running == r.enabled && r.value;
	}
	return ok;
}

static int opened_unfiltered(void)
{
	return read_number(DEBUGFS "unfiltered");
}

static void test_tool(const struct tool *tool)
{
	int fd[EVENTS], refused, error, before;

	write_number(UNFILTERED, 0);
	refused = open_all(tool, fd);
	close_all(fd);
	note("%s: %s", tool->name, refused ? strerror(refused) : "opens");
	check(!refused || refused == ENOENT, "%s_opens_or_is_refused", tool->name);
	write_number(UNFILTERED, 1);
	before = opened_unfiltered();
	/* The files above are root's. */
	if (setresuid(65534, 65534, 0))
		perror("setresuid");
	error = open_all(tool, fd);
	if (setresuid(0, 0, 0))
		perror("setresuid");
	check(!error && all_count(tool, fd), "%s_counts_with_consent", tool->name);
	check(!!refused == (opened_unfiltered() > before), "%s_is_counted_if_it_was_refused",
	      tool->name);
	close_all(fd);
}

int main(void)
{
	struct perf_event_attr attr = HARDWARE(INSTRUCTIONS, .exclude_kernel = 1);
	int fd, refused;

	begin();
	pin(0);
	write_number("/proc/sys/kernel/perf_event_paranoid", 2);
	for (unsigned int i = 0; i < ARRAY_SIZE(tools); i++)
		test_tool(&tools[i]);
	write_number(UNFILTERED, 0);
	refused = perf_try(&attr, -1, 0, -1);
	close(refused);
	write_number(UNFILTERED, 1);
	fd = perf_try(&attr, -1, 0, -1);
	close(fd);
	check((fd < 0) == (refused < 0), "consent_is_not_for_whole_cpus");
	write_number(UNFILTERED, 0);
	return end();
}
