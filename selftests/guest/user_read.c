// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_read - programs read the counters of their own events in user space and get what read(2)
 * returns; no program can read counters of others.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/prctl.h>

#include "user_read.h"

#define ACCESS "/proc/sys/kernel/perf_user_access"
#define CSR_TIME	0x2	/* in readable_counters() */
#define UID_NOBODY	65534

static int cpus;

static bool set_access(int value)
{
	return write_number(ACCESS, value);
}

/* ---- a user-space read is between two reads by read(2) ---- */

/**
 * struct comparison - result of many compare() calls
 * @rounds: comparisons
 * @wrong: user-space reads that were not between the reads by read(2)
 * @no_counter: reads while the event had no counter
 * @counter: reads of a counter
 */
struct comparison {
	unsigned int rounds, wrong, no_counter, counter;
};

/* Only the first wrong read of a process is printed. */
static bool printed;

static void compare(int fd, page_t *page, struct comparison *c)
{
	const uint64_t before = perf_get(fd).value;
	const struct user_read r = user_read_event(page);
	const uint64_t after = perf_get(fd).value;

	c->rounds++;
	c->counter += r.source == COUNTER;
	c->no_counter += r.source == NO_COUNTER;
	if (r.source == NOT_READABLE || (r.value >= before && r.value <= after))
		return;
	c->wrong++;
	if (!printed)
		note("read(2) %lu, user space %lu (%s), read(2) %lu", before, r.value,
		     r.source == COUNTER ? "counter" : "no counter", after);
	printed = true;
}

static void note_comparison(const char *what, const struct comparison *c)
{
	note("%s: %u of %u reads wrong, %u of a counter", what, c->wrong, c->rounds, c->counter);
}

#define MAX_EVENTS 32

struct set {
	int fd[MAX_EVENTS];
	page_t *page[MAX_EVENTS];
	unsigned int n;
};

static bool set_add(struct set *s, struct perf_event_attr attr)
{
	const int fd = perf_try(&attr, 0, -1, -1);
	page_t *page = fd < 0 ? NULL : map_event(fd);

	if (!page || s->n == MAX_EVENTS) {
		close(fd);
		return false;
	}
	s->fd[s->n] = fd;
	s->page[s->n++] = page;
	return true;
}

static void set_close(struct set *s)
{
	while (s->n--) {
		unmap_event(s->page[s->n]);
		close(s->fd[s->n]);
	}
	s->n = 0;
}

/* Compare the events of @s in turn. With @migrate, change the CPU in each round. */
static struct comparison set_compare(struct set *s, unsigned int rounds, bool migrate)
{
	struct comparison c = {};

	for (unsigned int i = 0; i < rounds; i++) {
		if (migrate)
			pin(i % cpus);
		work(1000);
		for (unsigned int e = 0; e < s->n; e++)
			compare(s->fd[e], s->page[e], &c);
	}
	return c;
}

static void test_two_events(void)
{
	struct set s = {};
	struct comparison c;

	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	c = set_compare(&s, 2000, false);
	note_comparison("one CPU", &c);
	check(s.n == 2 && c.counter && !c.wrong, "user_read_returns_what_syscall_read_returns");
	check(c.counter > c.rounds / 10 * 9, "most_user_reads_have_a_counter");
	/* counter_width prints this line. */
	note("width %u, index %u", s.page[0]->pmc_width, s.page[0]->index);
	c = set_compare(&s, 2000, true);
	note_comparison("all CPUs in turn", &c);
	check(c.counter && !c.wrong, "user_read_is_right_on_each_cpu");
	set_close(&s);
}

static void test_shared_counter(void)
{
	struct perf_event_attr sampling = event(CYCLES);
	struct set s = {};
	struct comparison c;

	for (unsigned int i = 0; i < 5; i++)
		set_add(&s, event(CYCLES));
	c = set_compare(&s, 500, true);
	note_comparison("five events on one counter", &c);
	check(s.n == 5 && c.counter && !c.wrong, "user_read_of_shared_counter_is_right");

	sampling.sample_period = 100000;
	if (set_add(&s, sampling)) {
		c = set_compare(&s, 500, true);
		note_comparison("and a sampling event", &c);
		check(c.counter && !c.wrong, "user_read_of_counter_shared_with_sampling_is_right");
		/* The counter has another value after each stop and start. */
		for (unsigned int i = 0; i < 100 && !c.wrong; i++) {
			ioctl(s.fd[5], i % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
			c = set_compare(&s, 2, false);
		}
		check(!c.wrong, "user_read_is_right_while_sampling_event_stops_and_starts");
	} else {
		skip("user_read_of_counter_shared_with_sampling_is_right",
		     "no sampling event opens");
	}
	set_close(&s);
}

/* Open more events than counters: twelve of one XiangShan unit, or all that QEMU counts. */
static void test_multiplexed(void)
{
	static const uint64_t codes[] = { CYCLES, INSTRUCTIONS, STANDARD(0x10019),
					  STANDARD(0x1001b), STANDARD(0x10021) };
	const bool xiangshan = pmu_number(pmu.name, "caps/event_table") >= -1 &&
			       !access(PMU_DEVICES "cpu/caps/event_table", R_OK);
	struct set s = {};
	struct comparison c;

	for (unsigned int i = 1; xiangshan && i <= 12; i++)
		set_add(&s, event(1ull << 56 | i));
	for (unsigned int i = 0; !xiangshan && i < 3 * ARRAY_SIZE(codes); i++) {
		struct perf_event_attr attr = event(codes[i / 3]);

		attr.exclude_kernel = i % 3 == 1;
		attr.exclude_user = i % 3 == 2;
		set_add(&s, attr);
	}
	c = set_compare(&s, 2000, true);
	note_comparison("many events", &c);
	note("%u events, %u reads without a counter", s.n, c.no_counter);
	check(s.n && !c.wrong, "user_read_of_many_events_is_right");
	if (!c.no_counter)
		skip("user_read_of_multiplexed_events", "no more events than counters open");
	set_close(&s);
}

/* ---- protection ---- */

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
		read_counter(i);
		mask |= 1u << i;
	}
	signal(SIGILL, before);
	return mask;
}

/* Return: the same for a child, of another user if @uid is not 0. */
static uint32_t readable_counters_of_child(uid_t uid)
{
	uint32_t mask = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		return ~0u;
	pid = fork();
	if (!pid) {
		if (uid && setuid(uid))
			_exit(1);
		for (unsigned int i = 0; i < 50; i++) {
			mask |= readable_counters();
			usleep(1000);
		}
		if (write(ends[1], &mask, sizeof(mask)) != sizeof(mask))
			_exit(1);
		_exit(0);
	}
	close(ends[1]);
	if (read(ends[0], &mask, sizeof(mask)) != sizeof(mask))
		mask = ~0u;
	close(ends[0]);
	waitpid(pid, NULL, 0);
	return mask;
}

/* Start a child that reads its counters all the time: what others must not see. */
static pid_t start_reader(int cpu)
{
	struct set s = {};
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(cpu);
	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	for (;;)
		set_compare(&s, 10, false);
}

static void check_only_time(uint32_t readable, const char *name)
{
	note("readable counter CSRs: %#x", readable);
	check(readable == CSR_TIME, "%s", name);
}

static void test_isolation(void)
{
	const int wide = open_event(CYCLES, -1, 0, -1);
	page_t *page = map_event(wide);
	struct set s = {};
	uint32_t mask;
	pid_t reader;

	pin(0);
	check(page && !(page->cap_user_rdpmc && page->index), "event_of_cpu_is_not_user_readable");
	check_only_time(readable_counters_of_child(UID_NOBODY),
			"other_user_reads_only_time_during_event_of_cpu");
	check_only_time(readable_counters(), "owner_reads_only_time_during_event_of_cpu");
	unmap_event(page);
	close(wide);

	reader = start_reader(0);
	mask = readable_counters_of_child(UID_NOBODY);
	stop_child(reader);
	check_only_time(mask, "other_user_reads_only_time_next_to_reader");

	set_add(&s, event(CYCLES));
	check_only_time(readable_counters_of_child(0), "child_of_reader_reads_only_time");
	set_close(&s);
	sched_yield();
	usleep(1000);
	check_only_time(readable_counters(), "reader_reads_only_time_after_close");
}

static bool is_user_readable(struct perf_event_attr attr)
{
	struct set s = {};
	bool readable;

	if (!set_add(&s, attr))
		return false;
	work(1000);
	readable = s.page[0]->cap_user_rdpmc && s.page[0]->index;
	set_close(&s);
	return readable;
}

static void test_event_types(void)
{
	struct perf_event_attr attr = event(FIRMWARE(0));

	check(!is_user_readable(attr), "firmware_event_is_not_user_readable");
	attr = event(CYCLES);
	check(is_user_readable(attr), "event_of_pmu_type_is_user_readable");
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	check(is_user_readable(attr), "generic_event_is_user_readable");
}

/* A program may read the CSR after its event has stopped: that must not be fatal. */
static void test_late_read(void)
{
	struct set s = {};
	unsigned int index;
	uint32_t mask;

	pin(0);
	set_add(&s, event(CYCLES));
	work(1000);
	index = s.page[0]->index;
	note("index %u", index);
	if (!check(index, "event_of_task_has_counter"))
		return;
	mask = readable_counters();
	note("readable counter CSRs: %#x", mask);
	check(mask == (CSR_TIME | 1u << (index - 1)) && read_counter(index - 1),
	      "task_reads_only_time_and_its_own_counter");
	ioctl(s.fd[0], PERF_EVENT_IOC_DISABLE, 0);
	mask = readable_counters();
	note("readable counter CSRs: %#x", mask);
	check(mask == (CSR_TIME | 1u << (index - 1)) && !read_counter(index - 1),
	      "read_after_event_stopped_returns_0");
	set_close(&s);
}

/* ---- unprivileged users, and exec ---- */

/*
 * Another program has counted the same event on this CPU all the time. The counter's value must
 * be of this program only: no more than the event counted.
 */
static bool reads_only_own_counts(void)
{
	struct set s = {};
	unsigned int read = 0, more = 0;

	if (setuid(UID_NOBODY))
		return false;
	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	for (unsigned int i = 0; i < 200; i++) {
		for (unsigned int e = 0; e < s.n; e++) {
			const unsigned int index = s.page[e]->cap_user_rdpmc ? s.page[e]->index : 0;
			const uint64_t raw = index ? read_counter(index - 1) : 0;

			read += index != 0;
			more += raw > perf_get(s.fd[e]).value;
		}
		usleep(1000);
	}
	if (more)
		note("the counter was greater than the count of the event %u times", more);
	return s.n == 2 && read && !more;
}

static bool reads_right_as_nobody(void)
{
	struct set s = {};
	struct comparison c;

	if (setuid(UID_NOBODY))
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		set_add(&s, event(CYCLES));
		set_add(&s, event(INSTRUCTIONS));
	}
	c = set_compare(&s, 1000, true);
	note_comparison("unprivileged user", &c);
	return s.n == 4 && !c.wrong && c.counter > c.rounds / 10 * 9;
}

static void test_unprivileged(void)
{
	const int before = read_number("/proc/sys/kernel/perf_event_paranoid");
	pid_t reader;

	write_number("/proc/sys/kernel/perf_event_paranoid", 1);
	pin(0);
	reader = start_reader(0);
	check(run_in_child(reads_only_own_counts), "counter_of_user_contains_only_own_counts");
	stop_child(reader);
	check(run_in_child(reads_right_as_nobody), "user_read_of_unprivileged_user_is_right");
	write_number("/proc/sys/kernel/perf_event_paranoid", before);
}

/* The program after exec(), with an open event of the program before. */
static int main_after_exec(int fd)
{
	struct set s = { .fd = { fd }, .page = { map_event(fd) }, .n = 1 };
	struct comparison c;

	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	c = set_compare(&s, 200, true);
	return c.counter && !c.wrong ? 0 : 1;
}

static bool reads_before_and_after_exec(void)
{
	struct set s = {};
	char fd[16];
	struct comparison c;

	set_add(&s, event(CYCLES));
	c = set_compare(&s, 10, false);
	snprintf(fd, sizeof(fd), "%d", s.fd[0]);
	fcntl(s.fd[0], F_SETFD, 0);
	if (c.counter && !c.wrong)
		execl("/proc/self/exe", "user_read", "exec", fd, NULL);
	return false;
}

/* ---- threads ---- */

struct sibling {
	pthread_t thread;
	volatile bool stop;
	struct comparison sum;
};

static void *read_until_stopped(void *arg)
{
	struct sibling *me = arg;
	struct set s = {};

	pin(cpus - 1);
	set_add(&s, event(CYCLES));
	while (!me->stop) {
		const struct comparison c = set_compare(&s, 10, false);

		me->sum.rounds += c.rounds;
		me->sum.wrong += c.wrong;
		me->sum.counter += c.counter;
	}
	set_close(&s);
	return NULL;
}

static void test_threads(void)
{
	struct sibling other = {};
	struct set s = {};

	if (!check(!pthread_create(&other.thread, NULL, read_until_stopped, &other),
		   "thread_starts"))
		return;
	for (unsigned int i = 0; i < 200; i++) {
		pin(i % cpus);
		set_add(&s, event(CYCLES));
		set_add(&s, event(INSTRUCTIONS));
		set_compare(&s, 2, false);
		set_close(&s);
	}
	other.stop = true;
	pthread_join(other.thread, NULL);
	note_comparison("a thread, while another maps and unmaps events 200 times", &other.sum);
	check(other.sum.counter && !other.sum.wrong,
	      "user_read_is_right_while_other_thread_maps_and_unmaps");
}

/* ---- kernel.perf_user_access ---- */

/* Change the sysctl 1000 times. Return: whether a reader on each CPU survives. */
static bool readers_survive_changes(void)
{
	const unsigned int n = cpus < 4 ? cpus : 4;
	unsigned int alive = 0;
	pid_t reader[4];

	for (unsigned int i = 0; i < n; i++)
		reader[i] = start_reader(i);
	for (unsigned int i = 0; i < 1000; i++)
		set_access(i % 3);
	set_access(1);
	usleep(10000);
	for (unsigned int i = 0; i < n; i++) {
		alive += !waitpid(reader[i], NULL, WNOHANG);
		stop_child(reader[i]);
	}
	note("%u of %u readers are alive", alive, n);
	return alive == n;
}

/* 2 is the behaviour of old kernels: all tasks may read cycle, time and instret. */
static void test_legacy_access(void)
{
	uint64_t cycles, instret;
	uint32_t mask;

	pin(0);
	set_access(2);
	mask = readable_counters_of_child(UID_NOBODY);
	note("readable counter CSRs: %#x", mask);
	check(mask == 7, "access_2_lets_all_users_read_cycle_time_and_instret");
	for (int cpu = 0; mask == 7 && cpu < cpus; cpu++) {
		pin(cpu);
		cycles = read_counter(0);
		instret = read_counter(2);
		work(1000000);
		cycles = read_counter(0) - cycles;
		instret = read_counter(2) - instret;
		/* In QEMU they are time, and an iteration takes more than 0.1 ns. */
		note("CPU %d: %lu cycles, %lu instructions", cpu, cycles, instret);
		check(cycles > 100000 && instret > 100000,
		      "access_2_cycle_and_instret_count_on_cpu_%d", cpu);
	}
	set_access(1);
	pin(0);
	check_only_time(readable_counters_of_child(UID_NOBODY),
			"access_1_after_2_lets_other_user_read_only_time");
}

static void test_sysctl(void)
{
	struct set s = {};
	struct comparison c;

	pin(0);
	check(set_access(0) && !is_user_readable(event(CYCLES)), "access_0_denies_new_readers");
	set_access(1);
	set_add(&s, event(CYCLES));
	set_access(0);
	c = set_compare(&s, 100, true);
	note_comparison("mapped before access was set to 0", &c);
	check(c.counter && !c.wrong, "access_0_keeps_existing_readers");
	set_access(1);
	check(readers_survive_changes(), "readers_survive_1000_changes_of_access");
	set_close(&s);

	check(!set_access(3) || read_number(ACCESS) == 1, "access_3_is_refused");
	test_legacy_access();
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return main_after_exec(atoi(argv[2]));
	begin();
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (pmu_number(pmu.name, "caps/user_read") != 1) {
		skip("user_read_returns_what_syscall_read_returns", pmu.exclusive ?
		     "caps/user_read is 0" : "another driver uses the same counters");
		check(!is_user_readable(event(CYCLES)), "events_are_not_user_readable");
		return end();
	}
	check(read_number(ACCESS) == 1, "access_is_1_by_default");
	test_two_events();
	test_shared_counter();
	test_multiplexed();
	test_isolation();
	test_event_types();
	test_late_read();
	test_unprivileged();
	check(run_in_child(reads_before_and_after_exec), "user_read_works_before_and_after_exec");
	test_threads();
	test_sysctl();
	return end();
}
