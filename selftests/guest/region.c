// SPDX-License-Identifier: GPL-2.0-only
/* region - include/sbi_pmu/region.h on a real kernel: counts, errors and cost. */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/mman.h>

#include "harness.h"
#include "../../include/sbi_pmu/region.h"

/* Cycles and instructions, twice: every machine has counters for these four events. */
static const char *four_events(void)
{
	static char list[256];

	snprintf(list, sizeof(list),
		 "%s/firmware=1,event=1/,%s/firmware=1,event=2/,%s/firmware=1,event=1/,%s/firmware=1,event=2/",
		 pmu.name, pmu.name, pmu.name, pmu.name);
	return list;
}

/* @name begins the name of the result. End the program if the events do not open. */
static struct region open_region(const char *name, bool user_read)
{
	struct region r;
	int error = region_open(&r, four_events());

	if (error)
		note("%s: %s", four_events(), region_why(&r, error));
	if (!check(!error, "%s_region_opens", name))
		exit(end());
	r.direct &= user_read;
	return r;
}

/* Can regions be read from user space? If not, skip @test. @probe names the region for this. */
static bool user_read_or_skip(const char *probe, const char *test)
{
	struct region r = open_region(probe, true);
	const char *reason = region_slow(&r);

	if (reason)
		skip(test, reason);
	region_close(&r);
	return !reason;
}

static const char *method(bool user_read)
{
	return user_read ? "user_read" : "syscall_read";
}

/* ---- counts ---- */

/* Counts of a region, and of an equal event by read(2) just inside and outside of it. */
struct round {
	uint64_t count, inner, outer;
	long switches;
	int error;
};

/* Measure one region, with a migration to another CPU in the middle of every tenth. */
static struct round measure_round(struct region *r, int other, int i, struct region_sum *sum)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct round round;
	long switches = context_switches();

	round.outer = perf_get(other).value;
	round.error = region_begin(r);
	round.inner = perf_get(other).value;
	work(1000);
	if (i % 10 == 9)
		pin(i / 10 % cpus);
	work(1000);
	round.inner = perf_get(other).value - round.inner;
	round.error = round.error ? round.error : region_end(r, sum);
	round.outer = perf_get(other).value - round.outer;
	round.switches = context_switches() - switches;
	round.count = sum->count[3];
	return round;
}

/*
 * A region counts at least what an equal event counts between the inner reads, and at most what
 * it counts between the outer ones. If the thread was switched out, allow a factor of two, and in
 * three rounds more: events are then stopped and started one after another, and a busy host may run
 * something else in between for as long as it likes.
 */
static void test_bounds(bool user_read)
{
	enum { ROUNDS = 200 };
	char name[32];
	struct region r;
	int other, low = 0, high = 0, failed = 0, without_switch = 0, apart = 0;
	struct region_sum all = {};

	snprintf(name, sizeof(name), "%s_bounds", method(user_read));
	r = open_region(name, user_read);
	other = open_event(INSTRUCTIONS, 0, -1, -1);
	for (int i = 0; i < ROUNDS; i++) {
		struct region_sum sum = {};
		const struct round round = measure_round(&r, other, i, &sum);
		const int slack = round.switches ? 2 : 1;
		bool is_low = slack * round.count < round.inner;
		bool is_high = round.count > slack * round.outer;

		without_switch += !round.switches;
		if (round.error)
			note("round %d: %s", i, region_why(&r, round.error));
		else if (round.count < round.inner || round.count > round.outer)
			note("round %d: %lu is not in %lu to %lu, %ld switches", i, round.count,
			     round.inner, round.outer, round.switches);
		if (round.switches && (is_low || is_high) && apart++ < 3)
			is_low = is_high = false;
		low += !round.error && is_low;
		high += !round.error && is_high;
		failed += round.error != 0;
		all.direct += sum.direct;
		all.scaled += sum.scaled;
	}
	note("%s: %d regions, %d too low, %d too high, %d failed, %d without a switch",
	     method(user_read), ROUNDS, low, high, failed, without_switch);
	check(!low && !high && !failed && without_switch > ROUNDS / 2,
	      "%s_count_is_between_inner_and_outer_reads", method(user_read));
	note("%lu scaled, %lu read from user space", all.scaled, all.direct);
	check(!all.scaled && (user_read ? all.direct > ROUNDS / 2 : !all.direct),
	      "%s_regions_are_exact_and_read_as_requested", method(user_read));
	close(other);
	region_close(&r);
}

/* A sum contains its regions, and nothing between them. */
static void test_sum(void)
{
	struct region outer = open_region("sum_outer", false);
	struct region r = open_region("sum_inner", true);
	struct region_sum sum = {}, whole = {};
	int error = region_begin(&outer);

	for (int i = 0; i < 100 && !error; i++) {
		error = region_begin(&r);
		work(100000);
		error = error ? error : region_end(&r, &sum);
		work(900000);
	}
	error = error ? error : region_end(&outer, &whole);
	note("regions with a tenth of the work: %lu of %lu instructions, %lu of %lu ns",
	     sum.count[1], whole.count[1], sum.enabled, whole.enabled);
	check(!error && sum.regions == 100 && sum.count[1] && sum.count[1] < whole.count[1] / 2,
	      "sum_counts_only_regions");
	check(sum.enabled && sum.enabled == sum.running && sum.enabled < whole.enabled,
	      "sum_times_only_regions");
	region_close(&r);
	region_close(&outer);
}

/* ---- multiplexing ---- */

/* Open an event that no other event may count together with. */
static int open_exclusive(bool pinned)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.exclusive = 1;
	attr.pinned = pinned;
	return perf_try(&attr, 0, -1, -1);
}

/* Measure a region of @ms by the clock, so that the group is scheduled several times. */
static int measure_region(struct region *r, struct region_sum *sum, unsigned int ms)
{
	uint64_t end;
	int error = region_begin(r);

	for (end = now_ns() + ms * 1000000ULL; now_ns() < end;)
		work(10000);
	return error ? error : region_end(r, sum);
}

static void test_scaled(bool user_read)
{
	struct region_sum before = {}, sum = {};
	struct region r;
	char name[32];
	int error, exclusive;
	double expected, rate;

	snprintf(name, sizeof(name), "%s_scaled", method(user_read));
	r = open_region(name, user_read);
	error = measure_region(&r, &before, 200);
	exclusive = open_exclusive(false);
	for (int i = 0; i < 20 && !error && sum.scaled < 5; i++)
		error = measure_region(&r, &sum, 200);
	note("%s: %lu of %lu regions scaled, running %lu of %lu ns", method(user_read), sum.scaled,
	     sum.regions, sum.running, sum.enabled);
	check(!error && exclusive >= 0 && sum.scaled && sum.running < sum.enabled,
	      "%s_of_multiplexed_group_is_marked_scaled", method(user_read));
	/* The rate of cycles does not depend on multiplexing. */
	expected = before.enabled ? (double)before.count[0] / before.enabled : 0;
	rate = sum.enabled ? (double)sum.count[0] / sum.enabled : 0;
	note("%.3f cycles per ns scaled, %.3f exact", rate, expected);
	check(rate > expected / 1.5 && rate < expected * 1.5, "%s_scaled_count_is_accurate",
	      method(user_read));
	close(exclusive);
	region_close(&r);
}

static void test_never_counting(void)
{
	struct region r = open_region("never_counting", true);
	struct region_sum sum = {};
	int exclusive = open_exclusive(true), error = measure_region(&r, &sum, 20);

	note("%s", region_why(&r, error));
	check(exclusive >= 0 && error == -ENODATA && !sum.regions,
	      "region_of_group_that_never_counts_is_enodata");
	close(exclusive);
	/* Sleep, as the group is scheduled again at the next context switch. */
	usleep(10000);
	error = measure_region(&r, &sum, 20);
	note("%lu cycles", sum.count[0]);
	check(!error && sum.count[0], "group_counts_when_exclusive_event_is_closed");
	region_close(&r);
}

/* ---- misuse ---- */

static void *use_in_thread(void *r)
{
	struct region_sum sum = {};

	return (void *)(uintptr_t)(region_begin(r) == -EPERM && region_end(r, &sum) == -EPERM &&
				   !sum.regions);
}

/* A child inherits struct region, but neither the events nor their pages. */
static bool is_refused_in_child(struct region *r)
{
	struct region_sum sum = {};
	pid_t child = fork();
	int status;

	if (!child) {
		bool right = region_begin(r) == -ENODEV && region_end(r, &sum) == -ENODEV;

		region_close(r);
		_exit(!right);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void test_misuse(void)
{
	struct region r = open_region("misuse", true);
	struct region_sum sum = {};
	void *right = NULL;
	pthread_t thread;

	check(region_end(&r, &sum) == -EINVAL, "end_without_begin_is_einval");
	check(!region_begin(&r) && region_begin(&r) == -EBUSY && !region_end(&r, &sum) &&
	      sum.regions == 1, "second_begin_is_ebusy_and_first_stays_valid");
	if (!pthread_create(&thread, NULL, use_in_thread, &r))
		pthread_join(thread, &right);
	check(right, "use_in_other_thread_is_eperm");
	check(is_refused_in_child(&r), "use_in_child_of_fork_is_enodev");
	check(!region_begin(&r) && !region_end(&r, &sum) && sum.regions == 2,
	      "region_works_after_misuse");
	region_close(&r);
	check(region_begin(&r) == -ENODEV, "begin_of_closed_region_is_enodev");
}

/* Not a code of the SBI specification. Wrong names are tested on the host. */
static void test_refusal(void)
{
	struct region r;
	char list[64];
	int error;

	snprintf(list, sizeof(list), "%s/firmware=1,event=0xfff/", pmu.name);
	error = region_open(&r, list);
	note("%s: %d, %s", list, error, error ? region_why(&r, error) : "opens");
	check(error < 0 && strstr(region_why(&r, error), "cannot count"),
	      "event_without_counter_is_refused_with_reason");
}

/* ---- no system calls ---- */

/* Kill this process at any system call except exit_group(). */
static int forbid_system_calls(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { ARRAY_SIZE(filter), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum { SECCOMP_ROUNDS = 1000, EXIT_NO_SECCOMP = 2 };

/* Measure regions in a child in which system calls are deadly. Return: its wait status. */
static int measure_with_seccomp(bool user_read, struct region_sum *sum)
{
	pid_t child = fork();
	struct region r;
	int status = 0;

	if (!child) {
		if (region_open(&r, four_events()))
			_exit(1);
		r.direct &= user_read;
		if (forbid_system_calls())
			_exit(EXIT_NO_SECCOMP);
		for (int i = 0; i < SECCOMP_ROUNDS; i++) {
			if (region_begin(&r))
				break;
			work(100);
			if (region_end(&r, sum))
				break;
		}
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

static void test_no_system_calls(const char *name)
{
	struct region_sum *sum = mmap(NULL, sizeof(*sum), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = measure_with_seccomp(false, sum);

	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_NO_SECCOMP) {
		skip(name, "the kernel has no seccomp filters");
		return;
	}
	note("read(2): wait status %#x", status);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && !sum->regions,
	      "seccomp_kills_syscall_read");
	status = measure_with_seccomp(true, sum);
	note("user-space read: wait status %#x, %lu regions, %lu instructions", status,
	     sum->regions, sum->count[1]);
	check(WIFEXITED(status) && !WEXITSTATUS(status) && sum->regions == SECCOMP_ROUNDS &&
	      sum->direct == SECCOMP_ROUNDS && sum->count[1], "%s", name);
	munmap(sum, sizeof(*sum));
}

/* ---- cost ---- */

/* Return: instructions of one begin and end, the minimum of ten runs as interrupts add some. */
static uint64_t measure_cost(bool user_read)
{
	enum { PAIRS = 1000 };
	struct region_sum sum = {};
	uint64_t least = UINT64_MAX;
	char name[32];
	struct region r;
	int fd, failed = 0;

	snprintf(name, sizeof(name), "%s_cost", method(user_read));
	r = open_region(name, user_read);
	fd = open_event(INSTRUCTIONS, 0, -1, -1);
	for (int i = 0; i < 10; i++) {
		uint64_t n = perf_get(fd).value;

		for (int j = 0; j < PAIRS; j++)
			failed += region_begin(&r) || region_end(&r, &sum);
		n = perf_get(fd).value - n;
		least = n < least ? n : least;
	}
	note("%s: begin and end of four events take %lu instructions", method(user_read),
	     least / PAIRS);
	check(!failed && least, "%s_cost_is_measured", method(user_read));
	note("an empty region counts %lu cycles, %lu instructions, %lu ns",
	     sum.count[0] / (sum.regions ?: 1), sum.count[1] / (sum.regions ?: 1),
	     sum.enabled / (sum.regions ?: 1));
	close(fd);
	region_close(&r);
	return least / PAIRS;
}

static void test_cost(void)
{
	uint64_t slow = measure_cost(false), fast;

	note("in QEMU without -icount an instruction is a tick of the host's clock");
	if (!user_read_or_skip("probe_for_cost", "user_read_costs_less_than_half"))
		return;
	fast = measure_cost(true);
	note("read(2) costs %.1f times as much", (double)slow / fast);
	check(fast && slow > 2 * fast, "user_read_costs_less_than_half");
}

int main(void)
{
	begin();
	test_bounds(false);
	if (user_read_or_skip("probe_for_bounds",
			      "user_read_count_is_between_inner_and_outer_reads"))
		test_bounds(true);
	test_sum();
	test_scaled(false);
	if (user_read_or_skip("probe_for_scaled",
			      "user_read_of_multiplexed_group_is_marked_scaled"))
		test_scaled(true);
	test_never_counting();
	test_misuse();
	test_refusal();
	if (user_read_or_skip("probe_for_seccomp", "user_read_makes_no_system_calls"))
		test_no_system_calls("user_read_makes_no_system_calls");
	test_cost();
	return end();
}
