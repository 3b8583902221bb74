// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_read - programs read the counters of their own events in user space and get what read(2)
 * returns; no program can read counters of others.
 */
#include <pthread.h>
#include <setjmp.h>

#include "overcommit.h"
#include "user_read.h"

#define ACCESS		"/proc/sys/kernel/perf_user_access"
#define CSR_TIME	0x2	/* in readable_counters() */

static int cpus;

/* ---- a user-space read is between two reads by read(2) ---- */

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
	/* counter_width prints this line. */
	note("width %u, index %u", s.event[0].page->pmc_width, s.event[0].page->index);
	c = set_compare(&s, 2000, true);
	check_reads(&c, "user_read_is_right_on_each_cpu");
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
	check_reads(&c, "user_read_of_shared_counter_is_right");

	sampling.sample_period = 100000;
	if (set_add(&s, sampling)) {
		c = set_compare(&s, 500, true);
		check_reads(&c, "user_read_of_counter_shared_with_sampling_is_right");
		/* The counter has another value after each stop and start. */
		for (unsigned int i = 0; i < 100 && !c.wrong; i++) {
			ioctl(s.event[s.n - 1].fd,
			      i % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
			c = set_compare(&s, 2, false);
		}
		check(!c.wrong, "user_read_is_right_while_sampling_event_stops_and_starts");
	} else {
		skip("user_read_of_counter_shared_with_sampling_is_right",
		     "no sampling event opens");
	}
	set_close(&s);
}

/*
 * Has the page the times that read(2) returns, each time that the event is disabled? It is written a
 * little later than perf core takes the time, but before the system call returns.
 */
static bool page_has_times(pid_t pid)
{
	struct perf_event_attr attr = event(CYCLES);
	uint64_t most = 0, start;
	struct comparison c = {};
	unsigned int right = 0;
	struct reading r = {};
	struct mapped m;

	attr.disabled = 1;
	m = open_mapped(attr, pid, -1);
	for (unsigned int i = 0; m.page && i < 20; i++) {
		start = now_ns();
		ioctl(m.fd, PERF_EVENT_IOC_ENABLE, 0);
		usleep(2000);
		compare_reads(m, &c);
		ioctl(m.fd, PERF_EVENT_IOC_DISABLE, 0);
		most += now_ns() - start;
		usleep(2000);
		r = perf_get(m.fd);
		right += m.page->time_enabled >= r.enabled && m.page->time_enabled <= most &&
			 m.page->time_running >= r.running && m.page->time_running <= most;
	}
	if (m.page)
		note("%u of 20 right; read(2) %lu, %lu ns, page %llu, %llu, at most %lu; %u reads wrong",
		     right, r.enabled, r.running, m.page->time_enabled, m.page->time_running, most,
		     c.wrong);
	close_mapped(m);
	return right == 20 && r.running && !c.wrong;
}

static void test_times(void)
{
	const pid_t other = start_spinner(0);

	check(page_has_times(0), "page_has_times_of_own_event");
	check(page_has_times(other), "page_has_times_of_attached_process");
	stop_child(other);
}

/* Open more events than counters: twelve of one XiangShan unit, or all that QEMU counts. */
static void test_multiplexed(void)
{
	char table[32];
	const bool xiangshan = pmu_text("caps/event_table", table, sizeof(table));
	struct set s = {};
	struct comparison c;

	for (unsigned int i = 0; i < (xiangshan ? 12 : 15); i++) {
		struct perf_event_attr attr = xiangshan ? event(1ull << 56 | (i + 1)) :
							  event(hardware_event(i).config);

		if (!xiangshan) {
			attr.exclude_user = i / 5 == 1;
			attr.exclude_kernel = i / 5 == 2;
		}
		set_add(&s, attr);
	}
	c = set_compare(&s, 2000, true);
	note("%u events, %u of %u reads wrong, %u without a counter", s.n, c.wrong, c.rounds,
	     c.no_counter);
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

/* Return: the same for a child, of another user if @uid is not 0, for 50 ms. */
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

/* Start a child that reads its counters all the time: what others must not see. */
static pid_t start_reader(int cpu)
{
	pid_t pid = fork();
	struct set s;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(cpu);
	s = open_pair();
	for (;;)
		set_compare(&s, 10, false);
}

static bool is_user_readable(struct perf_event_attr attr)
{
	const struct mapped m = open_mapped(attr, 0, -1);
	bool readable;

	work(1000);
	readable = m.page && m.page->cap_user_rdpmc && m.page->index;
	close_mapped(m);
	return readable;
}

static void test_isolation(void)
{
	struct mapped m = open_mapped(event(CYCLES), -1, 0);
	uint32_t mask;
	pid_t reader;

	pin(0);
	check(m.page && !(m.page->cap_user_rdpmc && m.page->index),
	      "event_of_cpu_is_not_user_readable");
	check_readable(readable_counters_of_child(UID_NOBODY), CSR_TIME,
		       "other_user_reads_only_time_during_event_of_cpu");
	check_readable(readable_counters(), CSR_TIME,
		       "owner_reads_only_time_during_event_of_cpu");
	close_mapped(m);

	reader = start_reader(0);
	mask = readable_counters_of_child(UID_NOBODY);
	stop_child(reader);
	check_readable(mask, CSR_TIME, "other_user_reads_only_time_next_to_reader");

	m = open_mapped(event(CYCLES), 0, -1);
	check_readable(readable_counters_of_child(0), CSR_TIME, "child_of_reader_reads_only_time");
	close_mapped(m);
	sched_yield();
	usleep(1000);
	check_readable(readable_counters(), CSR_TIME, "reader_reads_only_time_after_close");
}

static void test_event_types(void)
{
	const struct perf_event_attr attr = HARDWARE(CPU_CYCLES);

	check(!is_user_readable(event(FIRMWARE(0))), "firmware_event_is_not_user_readable");
	check(is_user_readable(event(CYCLES)), "event_of_pmu_type_is_user_readable");
	check(is_user_readable(attr), "generic_event_is_user_readable");
}

/* A program may read the CSR after its event has stopped: that must not be fatal. */
static void test_late_read(void)
{
	struct mapped m;
	unsigned int index;
	uint32_t own;

	pin(0);
	m = open_mapped(event(CYCLES), 0, -1);
	work(1000);
	index = m.page ? m.page->index : 0;
	note("index %u", index);
	if (!check(index, "event_of_task_has_counter"))
		return;
	own = CSR_TIME | 1u << (index - 1);
	check_readable(readable_counters(), own, "task_reads_only_time_and_its_own_counter");
	check(read_counter(index - 1), "counter_of_task_is_not_0");
	ioctl(m.fd, PERF_EVENT_IOC_DISABLE, 0);
	check_readable(readable_counters(), own, "read_after_event_stopped_is_not_fatal");
	check(!read_counter(index - 1), "read_after_event_stopped_returns_0");
	close_mapped(m);
}

/* ---- unprivileged users, and exec ---- */

static bool reads_only_own_counts(void)
{
	struct set s;

	if (setuid(UID_NOBODY))
		return false;
	s = open_pair();
	return s.n == 2 && has_only_own_counts(s.event[0]) && has_only_own_counts(s.event[1]);
}

static bool reads_right_as_nobody(void)
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

static void test_unprivileged(void)
{
	const int before = read_number(PARANOID);
	pid_t reader;

	write_number(PARANOID, 1);
	pin(0);
	reader = start_reader(0);
	check(run_in_child(reads_only_own_counts), "counter_of_user_contains_only_own_counts");
	stop_child(reader);
	check(run_in_child(reads_right_as_nobody), "user_read_of_unprivileged_user_is_right");
	write_number(PARANOID, before);
}

static bool reads_right(struct mapped m, unsigned int rounds)
{
	const struct set s = { .n = 1, .event = { m } };
	const struct comparison c = set_compare(&s, rounds, true);

	return c.counter && !c.wrong;
}

static bool reads_before_and_after_exec(void)
{
	const struct mapped m = open_mapped(event(CYCLES), 0, -1);
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", m.fd);
	fcntl(m.fd, F_SETFD, 0);
	if (m.page && reads_right(m, 10))
		execl("/proc/self/exe", "user_read", "exec", fd, NULL);
	return false;
}

/* ---- threads ---- */

static volatile bool stop_reading;

static void *read_until_stopped(void *arg)
{
	const struct mapped m = open_mapped(event(CYCLES), 0, -1);

	pin(cpus - 1);
	while (!stop_reading && m.page) {
		work(1000);
		compare_reads(m, arg);
	}
	close_mapped(m);
	return NULL;
}

static void test_threads(void)
{
	struct comparison seen = {};
	pthread_t other;
	struct set s;

	if (!check(!pthread_create(&other, NULL, read_until_stopped, &seen), "thread_starts"))
		return;
	for (unsigned int i = 0; i < 200; i++) {
		pin(i % cpus);
		s = open_pair();
		set_compare(&s, 2, false);
		set_close(&s);
	}
	stop_reading = true;
	pthread_join(other, NULL);
	check_reads(&seen, "user_read_is_right_while_other_thread_maps_and_unmaps");
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
		write_number(ACCESS, i % 3);
	write_number(ACCESS, 1);
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
	pin(0);
	write_number(ACCESS, 2);
	check_readable(readable_counters_of_child(UID_NOBODY), 7,
		       "access_2_lets_all_users_read_cycle_time_and_instret");
	for (int cpu = 0; cpu < cpus; cpu++) {
		uint64_t cycles, instret;

		pin(cpu);
		if (!(readable_counters() & 1))
			break;
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
	write_number(ACCESS, 1);
	pin(0);
	check_readable(readable_counters_of_child(UID_NOBODY), CSR_TIME,
		       "access_1_after_2_lets_other_user_read_only_time");
}

static void test_sysctl(void)
{
	struct mapped m;

	pin(0);
	check(write_number(ACCESS, 0) && !is_user_readable(event(CYCLES)),
	      "access_0_denies_new_readers");
	write_number(ACCESS, 1);
	m = open_mapped(event(CYCLES), 0, -1);
	write_number(ACCESS, 0);
	check(m.page && reads_right(m, 100), "access_0_keeps_existing_readers");
	write_number(ACCESS, 1);
	check(readers_survive_changes(), "readers_survive_1000_changes_of_access");
	close_mapped(m);
	check(!write_number(ACCESS, 3) || read_number(ACCESS) == 1, "access_3_is_refused");
	test_legacy_access();
}

int main(int argc, char **argv)
{
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (argc == 3) {
		/* After exec(), with an open event of the program before. */
		const int fd = atoi(argv[2]);
		const struct mapped m = { fd, map_event(fd) };

		return m.page && reads_right(m, 200) ? 0 : 1;
	}
	begin();
	if (pmu_number("caps/user_read") != 1) {
		skip("user_read_returns_what_syscall_read_returns", pmu.exclusive ?
		     "caps/user_read is 0" : "another driver uses the same counters");
		check(!is_user_readable(event(CYCLES)), "events_are_not_user_readable");
		return end();
	}
	check(read_number(ACCESS) == 1, "access_is_1_by_default");
	test_two_events();
	test_shared_counter();
	test_times();
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
