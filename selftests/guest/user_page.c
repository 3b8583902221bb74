// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_page - what the mmap page of an event says to whom: programs that look whether counters
 * can be read, threads, and users who must not see what others count.
 */
#include <pthread.h>

#include "tracepoint.h"
#include "user_read.h"

static struct perf_event_attr stopped_event(uint64_t config)
{
	struct perf_event_attr attr = event(config);

	attr.disabled = 1;
	return attr;
}

/* ---- programs that look whether counters can be read ---- */

/* As PAPI does: open an event that does not count, map it, look at the page. */
static void test_detection(void)
{
	const struct mapped m = open_mapped(stopped_event(CYCLES), 0, -1);
	uint64_t before, after;
	struct user_read r;

	if (!check(m.page, "stopped_event_can_be_mapped"))
		return;
	note("cap_user_rdpmc %u, index %u", m.page->cap_user_rdpmc, m.page->index);
	check(m.page->cap_user_rdpmc && !m.page->index, "page_of_new_event_says_it_can_be_read");
	r = user_read_event(m.page);
	check(r.source == NO_COUNTER && !r.value && !perf_get(m.fd).value,
	      "page_of_new_event_has_its_count");

	ioctl(m.fd, PERF_EVENT_IOC_ENABLE, 0);
	work(1000);
	before = perf_get(m.fd).value;
	r = user_read_event(m.page);
	after = perf_get(m.fd).value;
	check(r.source == COUNTER && r.value >= before && r.value <= after,
	      "event_is_read_after_enable");
	ioctl(m.fd, PERF_EVENT_IOC_DISABLE, 0);
	r = user_read_event(m.page);
	check(r.source == NO_COUNTER && r.value == perf_get(m.fd).value,
	      "page_of_stopped_event_has_its_count");
	close_mapped(m);
}

/* Return: the page says from the beginning that read(2) must be used. */
static bool is_refused(struct perf_event_attr attr, pid_t pid, int cpu)
{
	const struct mapped m = open_mapped(attr, pid, cpu);
	bool refused;

	if (!m.page)
		return false;
	refused = !m.page->cap_user_rdpmc;
	ioctl(m.fd, PERF_EVENT_IOC_ENABLE, 0);
	work(1000);
	refused = refused && !m.page->cap_user_rdpmc;
	close_mapped(m);
	return refused;
}

static void test_never_readable(void)
{
	struct perf_event_attr attr = stopped_event(CYCLES);

	check(is_refused(attr, -1, 0), "page_of_cpu_event_says_it_cannot_be_read");
	attr.inherit = 1;
	check(is_refused(attr, 0, 0), "page_of_inherited_event_says_it_cannot_be_read");
	check(is_refused(stopped_event(FIRMWARE(0)), 0, -1),
	      "page_of_firmware_event_says_it_cannot_be_read");
}

/* ---- the events of another thread ---- */

/* A thread that compares reads of its own event all the time */
struct thread {
	pthread_t thread;
	volatile pid_t tid;	/* 0 until it runs */
	volatile bool stop;
	volatile struct comparison seen;
	struct mapped own;
};

static void *read_own_event(void *arg)
{
	struct thread *t = arg;
	struct comparison c = {};

	t->own = open_mapped(event(CYCLES), 0, -1);
	__sync_synchronize();
	t->tid = syscall(SYS_gettid);
	while (!t->stop && t->own.page) {
		compare_reads(t->own, &c);
		t->seen = c;
	}
	return NULL;
}

static bool start_thread(struct thread *t)
{
	if (pthread_create(&t->thread, NULL, read_own_event, t))
		return false;
	while (!t->tid)
		usleep(1000);
	return t->own.page;
}

static void wait_rounds(const struct thread *t, unsigned int rounds)
{
	const unsigned int end = t->seen.rounds + rounds;

	while (t->seen.rounds < end)
		usleep(1000);
}

/* As libperf does: map the event of another thread and read it. The read must not be fatal. */
static void test_event_of_other_thread(const struct thread *t)
{
	const struct mapped m = open_mapped(event(CYCLES), t->tid, -1);
	unsigned int readable = 0;

	if (!check(m.page, "event_of_other_thread_can_be_mapped"))
		return;
	for (unsigned int i = 0; i < 1000; i++) {
		readable += user_read_event(m.page).source != NOT_READABLE;
		if (i % 100 == 0)
			wait_rounds(t, 1);
	}
	check(!readable, "event_of_other_thread_is_not_user_readable");
	check(perf_get(m.fd).value, "event_of_other_thread_is_read_by_syscall");
	close_mapped(m);
}

static void test_threads(void)
{
	struct thread t = {};
	unsigned int counter;
	page_t *page;

	if (!check(start_thread(&t), "thread_maps_its_own_event"))
		return;
	test_event_of_other_thread(&t);
	wait_rounds(&t, 100);
	check(t.seen.counter, "thread_reads_its_own_counter");

	/* The page of the thread's own event, from here: both see the same page. */
	page = map_event(t.own.fd);
	wait_rounds(&t, 2);
	counter = t.seen.counter;
	check(page && user_read_event(page).source == NOT_READABLE,
	      "event_mapped_by_other_thread_too_is_not_user_readable");
	wait_rounds(&t, 100);
	t.stop = true;
	pthread_join(t.thread, NULL);
	note("%u reads, %u of a counter, %u wrong", t.seen.rounds, t.seen.counter, t.seen.wrong);
	check(t.seen.counter == counter && !t.seen.wrong,
	      "thread_reads_by_syscall_after_other_thread_maps_its_event");
	unmap_event(page);
	close_mapped(t.own);
}

/* ---- what other tasks count ---- */

enum { SLEEPS = 300 };

/* A thread whose event is switched in and out on CPU 0 */
struct sleeper {
	pthread_t thread;
	struct mapped own;
	volatile bool ready, done;	/* the event is mapped; the thread has ended */
};

static void *sleep_often(void *arg)
{
	struct sleeper *s = arg;

	pin(0);
	s->own = open_mapped(event(CYCLES), 0, -1);
	__sync_synchronize();
	s->ready = true;
	for (unsigned int i = 0; i < SLEEPS; i++) {
		work(1000);
		usleep(1000);
	}
	s->done = true;
	return NULL;
}

/*
 * Look at the page from another CPU while its thread is switched in and out. Before the counter
 * restarts from 0, the page must not contain where it stood.
 */
static bool page_has_only_own_counts(void)
{
	struct sleeper s = {};
	unsigned int looks = 0, shown = 0;
	int64_t smallest = 0;

	pin(1);
	if (setuid(UID_NOBODY) || pthread_create(&s.thread, NULL, sleep_often, &s))
		return false;
	while (!s.ready)
		;
	while (!s.done && s.own.page) {
		const uint32_t lock = s.own.page->lock;
		uint32_t index;
		int64_t offset;

		__sync_synchronize();
		index = s.own.page->index;
		offset = s.own.page->offset;
		__sync_synchronize();
		if (lock & 1 || s.own.page->lock != lock)
			continue;
		looks++;
		shown += index != 0;
		if (offset < smallest)
			smallest = offset;
	}
	pthread_join(s.thread, NULL);
	note("%u looks at the page, %u with a counter; smallest offset %ld", looks, shown,
	     smallest);
	return s.own.page && looks > SLEEPS && shown && !smallest;
}

/* Root opens the event; the user who maps it has no right to count whole CPUs. */
static bool maps_event_of_root(void)
{
	struct mapped m = { .fd = open_event(CYCLES, 0, -1, -1) };

	if (m.fd < 0 || setuid(UID_NOBODY))
		return false;
	m.page = map_event(m.fd);
	return has_only_own_counts(m);
}

static bool sleeps_with_event(void)
{
	struct sleeper s = {};

	if (setuid(UID_NOBODY))
		return false;
	sleep_often(&s);
	return s.own.page && s.own.page->cap_user_rdpmc;
}

/* Return: SBI calls while an unprivileged program with an event sleeps SLEEPS times. */
static uint64_t calls_of_sleeps(int paranoid)
{
	struct tracepoint_counts before = tracepoint_counts_now();
	uint64_t calls;

	write_number(PARANOID, paranoid);
	if (!run_in_child(sleeps_with_event))
		return UINT64_MAX;
	calls = tracepoint_counts_since(before).calls;
	note("perf_event_paranoid %d: %lu SBI calls in %d sleeps", paranoid, calls, SLEEPS);
	return calls;
}

/* The module finds perf_event_paranoid by its name. */
static bool has_name_of_paranoid(void)
{
	return command_number("grep -c ' sysctl_perf_event_paranoid$' /proc/kallsyms");
}

/* Those who may count whole CPUs may see what others count: no need to reset the counter. */
static void test_cost_of_reset(void)
{
	uint64_t calls;

	if (!check(tracepoints_open(), "tracepoints_open"))
		return;
	calls = calls_of_sleeps(1);
	if (is_delegated())
		check(!calls, "user_without_rights_causes_no_calls");
	else
		check(calls != UINT64_MAX && calls > SLEEPS,
		      "user_without_rights_has_counter_reset");
	calls = calls_of_sleeps(0);
	if (has_name_of_paranoid())
		check(calls < SLEEPS / 2, "user_who_may_count_cpus_has_no_counter_reset");
	else
		skip("user_who_may_count_cpus_has_no_counter_reset", "no CONFIG_KALLSYMS_ALL");
	tracepoints_close();
}

static void test_users(void)
{
	const int before = read_number(PARANOID);
	pid_t spinner;

	write_number(PARANOID, 1);
	spinner = start_spinner(0);
	pin(0);
	check(run_in_child(maps_event_of_root), "counter_of_user_has_no_counts_seen_by_opener");
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		check(run_in_child(page_has_only_own_counts), "page_has_only_own_counts");
	else
		skip("page_has_only_own_counts", "the machine has one CPU");
	stop_child(spinner);
	test_cost_of_reset();
	write_number(PARANOID, before);
}

int main(void)
{
	begin();
	if (pmu_number("caps/user_read") != 1) {
		skip("page_of_new_event_says_it_can_be_read", pmu.exclusive ?
		     "caps/user_read is 0" : "another driver uses the same counters");
		return end();
	}
	test_detection();
	test_never_readable();
	test_threads();
	test_users();
	return end();
}
