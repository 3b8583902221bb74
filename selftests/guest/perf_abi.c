// SPDX-License-Identifier: GPL-2.0-only
/* perf_abi - read(), ioctl(), mmap() and close() of an event work as perf core defines them. */
#include <sys/mman.h>

#include "overcommit.h"
#include "illegal.h"

/* ---- read() ---- */

/* Number of words per member: its value, and what the format adds. */
static unsigned int member_words(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static bool is_member_correct(const uint64_t *words, uint64_t format, int fd)
{
	uint64_t id = 0;

	if (format & PERF_FORMAT_LOST && words[member_words(format) - 1])
		return false;
	if (!(format & PERF_FORMAT_ID))
		return true;
	return !ioctl(fd, PERF_EVENT_IOC_ID, &id) && id && words[1] == id;
}

/* Reading the leader of @fds[@n] returns the group if the format says so, else the leader. */
static bool read_matches_format(const int *fds, unsigned int n, uint64_t format)
{
	bool group = format & PERF_FORMAT_GROUP;
	unsigned int times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			     !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
	unsigned int members = group ? n : 1, each = member_words(format);
	ssize_t size = (group + times + members * each) * sizeof(uint64_t);
	uint64_t words[64];

	if (read(fds[0], words, size - 1) != -1 || errno != ENOSPC)
		return false;
	if (read(fds[0], words, sizeof(words)) != size)
		return false;
	if (group && words[0] != n)
		return false;
	for (unsigned int i = 0; i < members; i++) {
		/* A group has the times before its members, an event after its value. */
		uint64_t one[3] = { words[group ? 1 + times + i * each : 0] };

		memcpy(one + 1, words + (group ? 2 + times + i * each : 1 + times),
		       (each - 1) * sizeof(uint64_t));
		if (!one[0] || !is_member_correct(one, format, fds[i]))
			return false;
	}
	return true;
}

static void test_read_format(void)
{
	const uint64_t configs[] = { CYCLES, INSTRUCTIONS, illegal_event() };
	enum { N = ARRAY_SIZE(configs) };
	bool all = true;
	int fds[N];

	for (uint64_t format = 0; format < PERF_FORMAT_MAX; format++) {
		for (unsigned int i = 0; i < N; i++) {
			struct perf_event_attr attr = event(configs[i]);

			attr.read_format = format;
			fds[i] = perf_try(&attr, 0, -1, i ? fds[0] : -1);
		}
		execute_illegal(1);
		if (!read_matches_format(fds, N, format)) {
			note("read_format %#lx", format);
			all = false;
		}
		close_events(fds, N);
	}
	note("%d read_formats", PERF_FORMAT_MAX);
	check(all, "read_has_layout_of_each_read_format");
}

/* ---- ioctl ---- */

static void test_stop_and_reset(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	uint64_t stopped, later;
	struct reading r;
	int fd;

	attr.disabled = 1;
	fd = perf_try(&attr, 0, -1, -1);
	work(1000000);
	r = perf_get(fd);
	check(fd >= 0 && !r.value && !r.enabled, "event_opened_disabled_does_not_count");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(count_work(fd, 1000000) > 0, "enabled_event_counts");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	stopped = perf_get(fd).value;
	work(1000000);
	later = perf_get(fd).value;
	note("disabled: %lu, later %lu", stopped, later);
	check(stopped > 0 && later == stopped, "disabled_event_keeps_its_count");
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	check(perf_get(fd).value == 0, "reset_event_is_zero");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(count_work(fd, 1000000) > 0, "event_enabled_after_reset_counts");
	close(fd);
}

/* How many events of a pair count while this task works. */
static int how_many_count(const int pair[2])
{
	uint64_t before[2] = { perf_get(pair[0]).value, perf_get(pair[1]).value };

	work(1000000);
	return (perf_get(pair[0]).value > before[0]) + (perf_get(pair[1]).value > before[1]);
}

static void test_group_ioctl(void)
{
	int pair[2];

	pair[0] = open_event(CYCLES, 0, -1, -1);
	pair[1] = open_event(INSTRUCTIONS, 0, -1, pair[0]);
	check(how_many_count(pair) == 2, "group_counts");
	ioctl(pair[1], PERF_EVENT_IOC_DISABLE, 0);
	check(how_many_count(pair) == 1, "leader_counts_with_member_disabled");
	ioctl(pair[1], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(pair[0], PERF_EVENT_IOC_DISABLE, 0);
	check(how_many_count(pair) == 0, "no_member_counts_with_leader_disabled");
	ioctl(pair[0], PERF_EVENT_IOC_ENABLE, 0);
	check(how_many_count(pair) == 2, "group_counts_with_leader_enabled_again");
	ioctl(pair[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	check(how_many_count(pair) == 0, "flag_group_disables_all_members");
	ioctl(pair[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	check(!perf_get(pair[0]).value && !perf_get(pair[1]).value,
	      "flag_group_resets_all_members");
	ioctl(pair[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	check(how_many_count(pair) == 2, "flag_group_enables_all_members");
	close(pair[1]);
	close(pair[0]);
}

/* ioctl() on an event that counts and does not sample */
static void test_other_ioctls(void)
{
	static const struct {
		const char *name;
		unsigned long request;
		int error;
	} rows[] = {
		{ "ioctl_period_without_sampling_einval", PERF_EVENT_IOC_PERIOD, EINVAL },
		{ "ioctl_refresh_without_sampling_einval", PERF_EVENT_IOC_REFRESH, EINVAL },
		{ "ioctl_set_filter_einval", PERF_EVENT_IOC_SET_FILTER, EINVAL },
		{ "ioctl_unknown_enotty", _IO('$', 99), ENOTTY },
	};
	char argument[] = "1234567";
	int fd = open_event(CYCLES, 0, -1, -1);

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		int ret = ioctl(fd, rows[i].request, argument);

		check(ret == -1 && errno == rows[i].error, "%s", rows[i].name);
	}
	close(fd);
}

/* ---- files ---- */

static void test_close_order(void)
{
	int leader = open_event(CYCLES, 0, -1, -1);
	int member = open_event(INSTRUCTIONS, 0, -1, leader);
	int last = open_event(illegal_event(), 0, -1, leader);
	uint64_t before;

	close(leader);
	before = perf_get(last).value;
	execute_illegal(100);
	check(count_work(member, 1000000) > 0 && perf_get(last).value >= before + 100,
	      "members_count_after_leader_is_closed");
	close(last);
	check(count_work(member, 1000000) > 0, "last_member_counts_alone");
	close(member);
}

static void test_shared_files(void)
{
	int fd = open_event(INSTRUCTIONS, 0, -1, -1), copy = dup(fd), status;
	pid_t child;

	close(fd);
	check(count_work(copy, 1000000) > 0, "duplicate_counts_after_first_is_closed");
	child = fork();
	if (!child) {
		uint64_t seen = perf_get(copy).value;

		work(1000000);
		/* The event counts the parent only, which waits. */
		_exit(!seen || perf_get(copy).value < seen);
	}
	waitpid(child, &status, 0);
	check(!status, "child_reads_event_of_parent");
	check(count_work(copy, 1000000) > 0, "parent_counts_after_child_exits");
	close(copy);
}

static void *map_page(int fd)
{
	return mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
}

/* The page of a stopped event has its count; user_read.c tests the page of a running event. */
static void test_page(void)
{
	int fd = open_event(INSTRUCTIONS, 0, -1, -1);
	struct perf_event_mmap_page *page = map_page(fd);

	if (!check(page != MAP_FAILED, "event_page_can_be_mapped"))
		goto out;
	work(1000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	note("disabled: page %lld, read() %lu", (long long)page->offset, perf_get(fd).value);
	check(page->offset > 0 && (uint64_t)page->offset == perf_get(fd).value,
	      "page_of_disabled_event_has_count");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(!munmap(page, sysconf(_SC_PAGESIZE)) && count_work(fd, 1000000) > 0,
	      "event_counts_after_page_is_unmapped");
out:
	close(fd);
}

static void test_inherited_page(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	int fd;

	attr.inherit = 1;
	fd = perf_try(&attr, 0, -1, -1);
	check(map_page(fd) == MAP_FAILED && errno == EINVAL,
	      "page_of_inherited_event_einval");
	close(fd);
}

int main(void)
{
	begin();
	test_read_format();
	test_stop_and_reset();
	test_group_ioctl();
	test_other_ioctls();
	test_close_order();
	test_shared_files();
	test_page();
	test_inherited_page();
	return end();
}
