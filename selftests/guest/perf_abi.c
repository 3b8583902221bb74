// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_abi - what perf core promises of any event holds of ours: what read()
 * returns, ioctl(), and the file itself.
 */
#include <sys/mman.h>

#include "overcommit.h"
#include "illegal.h"

/* ---- what read() returns ---- */

/* The words of one member: its value, and what the format adds to that. */
static unsigned int member_words(uint64_t format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

static bool member_right(const uint64_t *words, uint64_t format, int fd)
{
	uint64_t id = 0;

	if (format & PERF_FORMAT_LOST && words[member_words(format) - 1])
		return false;
	if (!(format & PERF_FORMAT_ID))
		return true;
	return !ioctl(fd, PERF_EVENT_IOC_ID, &id) && id && words[1] == id;
}

/* Reading the leader of @fds[@n]: the group if the format says so, or itself. */
static bool read_right(const int *fds, unsigned int n, uint64_t format)
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
		/* A group has the times before its members, an event behind its value. */
		uint64_t one[3] = { words[group ? 1 + times + i * each : 0] };

		memcpy(one + 1, words + (group ? 2 + times + i * each : 1 + times),
		       (each - 1) * sizeof(uint64_t));
		if (!one[0] || !member_right(one, format, fds[i]))
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
		illegal(1);
		if (!read_right(fds, N, format)) {
			printf("# read_format %#lx\n", format);
			all = false;
		}
		crowd_close(fds, N);
	}
	check(all, "read() is laid out as each of %d read_formats says", PERF_FORMAT_MAX);
}

/* ---- ioctl ---- */

static void test_stop_and_reset(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	uint64_t stopped, still;
	struct reading r;
	int fd;

	attr.disabled = 1;
	fd = perf_try(&attr, 0, -1, -1);
	work(1000000);
	r = perf_get(fd);
	check(fd >= 0 && !r.value && !r.enabled, "opened disabled it does not count");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(counted(fd, 1000000) > 0, "enabled it counts");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	stopped = perf_get(fd).value;
	work(1000000);
	still = perf_get(fd).value;
	check(stopped > 0 && still == stopped, "disabled it stands still (%lu, %lu)",
	      stopped, still);
	ioctl(fd, PERF_EVENT_IOC_RESET, 0);
	check(perf_get(fd).value == 0, "reset it is zero");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(counted(fd, 1000000) > 0, "enabled it counts again");
	close(fd);
}

/* How many of a pair moved while this task worked. */
static int moved(const int pair[2])
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
	check(moved(pair) == 2, "a group counts");
	ioctl(pair[1], PERF_EVENT_IOC_DISABLE, 0);
	check(moved(pair) == 1, "its member disabled, the leader counts on");
	ioctl(pair[1], PERF_EVENT_IOC_ENABLE, 0);
	ioctl(pair[0], PERF_EVENT_IOC_DISABLE, 0);
	check(moved(pair) == 0, "its leader disabled, nothing counts");
	ioctl(pair[0], PERF_EVENT_IOC_ENABLE, 0);
	check(moved(pair) == 2, "its leader enabled, both count");
	ioctl(pair[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
	check(moved(pair) == 0, "disabled as a group, nothing counts");
	ioctl(pair[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
	check(!perf_get(pair[0]).value && !perf_get(pair[1]).value, "reset as a group");
	ioctl(pair[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	check(moved(pair) == 2, "enabled as a group, both count");
	close(pair[1]);
	close(pair[0]);
}

static void test_other_ioctls(void)
{
	static const struct {
		const char *what;
		unsigned long request;
		int error;
	} rows[] = {
		{ "PERIOD", PERF_EVENT_IOC_PERIOD, EINVAL },
		{ "REFRESH", PERF_EVENT_IOC_REFRESH, EINVAL },
		{ "SET_FILTER", PERF_EVENT_IOC_SET_FILTER, EINVAL },
		{ "one that is none", _IO('$', 99), ENOTTY },
	};
	char argument[] = "1234567";
	int fd = open_event(CYCLES, 0, -1, -1);

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		int ret = ioctl(fd, rows[i].request, argument);

		check(ret == -1 && errno == rows[i].error, "ioctl %s of an event that counts: %s",
		      rows[i].what, strerror(rows[i].error));
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
	illegal(100);
	check(counted(member, 1000000) > 0 && perf_get(last).value >= before + 100,
	      "the leader closed first, its members count on");
	close(last);
	check(counted(member, 1000000) > 0, "and the one that is left");
	close(member);
}

static void test_shared_files(void)
{
	int fd = open_event(INSTRUCTIONS, 0, -1, -1), copy = dup(fd), status;
	pid_t child;

	close(fd);
	check(counted(copy, 1000000) > 0, "a duplicate counts after the first is closed");
	child = fork();
	if (!child) {
		uint64_t seen = perf_get(copy).value;

		work(1000000);
		/* Only the parent is counted, and it waits. */
		_exit(!seen || perf_get(copy).value < seen);
	}
	waitpid(child, &status, 0);
	check(!status, "a child reads its parent's event");
	check(counted(copy, 1000000) > 0, "and the parent after it");
	close(copy);
}

static void *map_page(int fd)
{
	return mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
}

/* The page of an event that stands still has its count; direct.c looks at one that runs. */
static void test_page(void)
{
	int fd = open_event(INSTRUCTIONS, 0, -1, -1);
	struct perf_event_mmap_page *page = map_page(fd);

	if (!check(page != MAP_FAILED, "the page of an event can be mapped"))
		goto out;
	work(1000000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	check(page->offset > 0 && (uint64_t)page->offset == perf_get(fd).value,
	      "disabled, the page has the count (%lld, %lu)", (long long)page->offset,
	      perf_get(fd).value);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	check(!munmap(page, sysconf(_SC_PAGESIZE)) && counted(fd, 1000000) > 0,
	      "unmapped, the event counts on");
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
	      "an event of many tasks has no page: EINVAL");
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
