// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_read - programs read the counters of their own events in user space and get what read(2)
 * returns; no program can read counters of others. That its own show nothing of what others count
 * is tested on the host (test_user.c).
 */
#include <pthread.h>
#include <setjmp.h>

#include "harness.h"
#include "../../include/sbi_pmu/region.h"

#define ACCESS		"/proc/sys/kernel/perf_user_access"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define CSR_TIME	0x2	/* in readable_counters() */

enum { UID_NOBODY = 65534 };

static int cpus;

/* ---- events with a page ---- */

typedef volatile struct perf_event_mmap_page page_t;

/* An event and its page, NULL if it is not open or cannot be mapped */
struct mapped {
	int fd;
	page_t *page;
};

static page_t *map_event(int fd)
{
	void *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? NULL : page;
}

static struct mapped open_mapped(struct perf_event_attr attr, pid_t pid, int cpu)
{
	struct mapped m = { .fd = perf_try(&attr, pid, cpu, -1) };

	m.page = m.fd < 0 ? NULL : map_event(m.fd);
	return m;
}

static struct mapped open_cycles(void)
{
	return open_mapped(event(CYCLES), 0, -1);
}

static void close_mapped(struct mapped m)
{
	if (m.page)
		munmap((void *)m.page, sysconf(_SC_PAGESIZE));
	close(m.fd);
}

/* NOT_READABLE: the page forbids it. NO_COUNTER: the value is from the page alone. */
struct user_read {
	uint64_t value;
	enum { NOT_READABLE, NO_COUNTER, COUNTER } source;
};

/* By the protocol in include/uapi/linux/perf_event.h */
static struct user_read user_read_event(page_t *page)
{
	unsigned int seq, index;
	struct user_read r;

	do {
		seq = page->lock;
		__sync_synchronize();
		index = page->cap_user_rdpmc ? page->index : 0;
		r.source = !page->cap_user_rdpmc ? NOT_READABLE : index ? COUNTER : NO_COUNTER;
		r.value = page->offset;
		if (index)
			r.value += region_sign_extend(region_counter(index - 1), page->pmc_width);
		__sync_synchronize();
	} while (page->lock != seq);
	return r;
}

/* ---- a user-space read is between two reads by read(2) ---- */

/* Comparisons; of these, reads not between two by read(2), without a counter, and of one */
struct comparison {
	unsigned int rounds, wrong, no_counter, counter;
};

/* Only the first wrong read of a process is printed. */
static void compare_reads(struct mapped m, volatile struct comparison *c)
{
	static bool printed;
	const uint64_t before = perf_get(m.fd).value;
	const struct user_read r = user_read_event(m.page);
	const uint64_t after = perf_get(m.fd).value;

	c->counter += r.source == COUNTER;
	c->no_counter += r.source == NO_COUNTER;
	if (r.source != NOT_READABLE && (r.value < before || r.value > after)) {
		c->wrong++;
		if (!printed)
			note("read(2) %lu, user space %lu (%s), read(2) %lu", before, r.value,
			     r.source == COUNTER ? "counter" : "no counter", after);
		printed = true;
	}
	c->rounds++;
}

/* Mapped events of this task */
struct set {
	unsigned int n;
	struct mapped event[16];
};

static bool set_add(struct set *s, struct perf_event_attr attr)
{
	const struct mapped m = open_mapped(attr, 0, -1);

	if (m.page && s->n < ARRAY_SIZE(s->event)) {
		s->event[s->n++] = m;
		return true;
	}
	close_mapped(m);
	return false;
}

static struct set open_pair(void)
{
	struct set s = {};

	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	return s;
}

static void set_close(struct set *s)
{
	while (s->n)
		close_mapped(s->event[--s->n]);
}

/* Compare the events of @s in turn. With @migrate, change the CPU in each round. */
static struct comparison set_compare(const struct set *s, unsigned int rounds, bool migrate)
{
	struct comparison c = {};

	for (unsigned int i = 0; i < rounds; i++) {
		if (migrate)
			pin(i % cpus);
		work(1000);
		for (unsigned int e = 0; e < s->n; e++)
			compare_reads(s->event[e], &c);
	}
	return c;
}

/* All reads must be right, and some of them must be of a counter. */
static bool check_reads(const struct comparison *c, const char *name)
{
	note("%u of %u reads wrong, %u of a counter, %u without one", c->wrong, c->rounds,
	     c->counter, c->no_counter);
	return check(c->counter && !c->wrong, "%s", name);
}

static void test_two_events(void)
{
	struct set s = open_pair();
	struct comparison c = set_compare(&s, 2000, false);

	check(s.n == 2, "two_events_can_be_mapped");
	check_reads(&c, "user_read_returns_what_syscall_read_returns");
	check(c.counter > c.rounds / 10 * 9, "most_user_reads_have_a_counter");
	note("width %u, index %u", s.event[0].page->pmc_width, s.event[0].page->index);
	c = set_compare(&s, 2000, true);
	check_reads(&c, "user_read_is_right_on_each_cpu");
	set_close(&s);
}

/* ---- which CSRs a task can read ---- */

static sigjmp_buf trapped;

static void on_trap(int signal)
{
	(void)signal;
	siglongjmp(trapped, 1);
}

/* Return: a bit for each counter CSR that this task can read. */
static uint32_t readable_counters(void)
{
	volatile uint32_t mask = 0;
	sighandler_t before = signal(SIGILL, on_trap);

	for (volatile unsigned int i = 0; i < 32; i++) {
		if (sigsetjmp(trapped, 1))
			continue;
		region_counter(i);
		mask |= 1u << i;
	}
	signal(SIGILL, before);
	return mask;
}

/* Return: the same for a child of another user, for 50 ms. */
static uint32_t readable_counters_of_other_user(void)
{
	uint32_t mask = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return ~0u;
	pid = fork();
	if (!pid) {
		if (setuid(UID_NOBODY))
			_exit(1);
		for (unsigned int i = 0; i < 50; i++) {
			mask |= readable_counters();
			usleep(1000);
		}
		_exit(write(ends[1], &mask, sizeof(mask)) != sizeof(mask));
	}
	close(ends[1]);
	if (read(ends[0], &mask, sizeof(mask)) != sizeof(mask))
		mask = ~0u;
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return mask;
}

static void check_readable(uint32_t readable, uint32_t expected, const char *name)
{
	note("readable counter CSRs: %#x", readable);
	check(readable == expected, "%s", name);
}

/* In a child: read its counters all the time. That is what others must not see. */
static void read_on(long cpu)
{
	struct set s;

	pin(cpu);
	s = open_pair();
	for (;;)
		set_compare(&s, 10, false);
}

static void test_isolation(void)
{
	struct mapped m = open_mapped(event(CYCLES), -1, 0);
	pid_t reader;

	pin(0);
	check_readable(readable_counters_of_other_user(), CSR_TIME,
		       "other_user_reads_only_time_during_event_of_cpu");
	close_mapped(m);

	reader = start_child(read_on, 0);
	check_readable(readable_counters_of_other_user(), CSR_TIME,
		       "other_user_reads_only_time_next_to_reader");
	stop_child(reader);
}

/* A program may read the CSR after its event has stopped: that must not be fatal. */
static void test_late_read(void)
{
	struct mapped m;
	unsigned int index;
	uint32_t own;

	pin(0);
	m = open_cycles();
	work(1000);
	index = m.page ? m.page->index : 0;
	note("index %u", index);
	if (!check(index, "event_of_task_has_counter"))
		return;
	own = CSR_TIME | 1u << (index - 1);
	check_readable(readable_counters(), own, "task_reads_only_time_and_its_own_counter");
	check(region_counter(index - 1), "counter_of_task_is_not_0");
	ioctl(m.fd, PERF_EVENT_IOC_DISABLE, 0);
	check_readable(readable_counters(), own, "read_after_event_stopped_is_not_fatal");
	check(!region_counter(index - 1), "read_after_event_stopped_returns_0");
	close_mapped(m);
}

/* ---- threads ---- */

/* A thread that compares reads of its own event all the time */
struct thread {
	pthread_t thread;
	volatile bool stop;
	volatile struct comparison seen;
	struct mapped own;
};

static void *read_own_event(void *arg)
{
	struct thread *t = arg;

	pin(cpus - 1);
	t->own = open_cycles();
	while (!t->stop && t->own.page) {
		work(1000);
		compare_reads(t->own, &t->seen);
	}
	return NULL;
}

static void test_threads(void)
{
	struct thread t = {};

	if (!check(!pthread_create(&t.thread, NULL, read_own_event, &t), "thread_starts"))
		return;
	while (!t.seen.rounds)
		usleep(1000);
	for (unsigned int i = 0; i < 200; i++) {
		struct set s;

		pin(i % cpus);
		s = open_pair();
		set_compare(&s, 2, false);
		set_close(&s);
	}
	for (unsigned int end = t.seen.rounds + 100; t.seen.rounds < end;)
		usleep(1000);
	check(t.seen.counter && !t.seen.wrong,
	      "user_read_is_right_while_other_thread_maps_and_unmaps");
	t.stop = true;
	pthread_join(t.thread, NULL);
	close_mapped(t.own);
}

/* ---- users without privileges ---- */

static bool user_reads_own_counts(void)
{
	struct comparison c;
	struct set s;

	if (setuid(UID_NOBODY))
		return false;
	s = open_pair();
	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	c = set_compare(&s, 1000, true);
	note("%u of %u reads wrong, %u of a counter", c.wrong, c.rounds, c.counter);
	return s.n == 4 && !c.wrong && c.counter > c.rounds / 10 * 9;
}

static void test_users(void)
{
	const int before = read_number(PARANOID);
	pid_t reader;

	write_number(PARANOID, 1);
	pin(0);
	reader = start_child(read_on, 0);
	check(run_in_child(user_reads_own_counts), "user_without_rights_reads_own_counts");
	stop_child(reader);
	write_number(PARANOID, before);
}

int main(void)
{
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	begin();
	if (pmu_number("caps/user_read") != 1) {
		const struct mapped m = open_cycles();

		skip("user_read_returns_what_syscall_read_returns", pmu.exclusive ?
		     "caps/user_read is 0" : "another driver uses the same counters");
		check(!m.page || user_read_event(m.page).source != COUNTER,
		      "events_are_not_user_readable");
		return end();
	}
	check(read_number(ACCESS) == 1, "access_is_1_by_default");
	test_two_events();
	test_isolation();
	test_late_read();
	test_threads();
	test_users();
	return end();
}
