// SPDX-License-Identifier: GPL-2.0-only
/*
 * region - include/sbi_pmu/region.h on a kernel: what it counts, what it says when
 * it cannot, and what it costs.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "harness.h"
#include "../../include/sbi_pmu/region.h"

/* Cycles and instructions, twice: four events, and each machine has counters for them. */
static const char *four_events(void)
{
	static char list[256];

	snprintf(list, sizeof(list),
		 "%s/firmware=1,event=1/,%s/firmware=1,event=2/,%s/firmware=1,event=1/,%s/firmware=1,event=2/",
		 pmu.name, pmu.name, pmu.name, pmu.name);
	return list;
}

static struct region region_must(const char *events, bool direct)
{
	struct region r;
	int error = region_open(&r, events);

	if (!check(!error, "opens: %s%s%s", events, error ? ": " : "",
		   error ? region_why(&r, error) : ""))
		exit(end());
	r.direct &= direct;
	return r;
}

/* Can regions be read directly? If not, say why not for @what. */
static bool direct_here(const char *what)
{
	struct region r = region_must(four_events(), true);
	const char *slow = region_slow(&r);
	bool direct = !slow;

	if (slow)
		not_here(what, slow);
	region_close(&r);
	return direct;
}

/* ---- what is counted ---- */

/* How often this thread was switched away. */
static long switched(void)
{
	struct rusage usage = {};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * An event of the same kind, by read(2), on both sides of each end: the region is at
 * most what is between the outer readings, and at least what is between the inner. Not
 * quite so if the thread is switched away or moves to another hart: events leave and
 * come one after the other, and on a busy host that is some time.
 */
static void test_bounds(bool direct)
{
	enum { ROUNDS = 200 };
	const char *how = direct ? "directly" : "by read(2)";
	struct region r = region_must(four_events(), direct);
	int other = open_event(INSTRUCTIONS, 0, -1, -1), low = 0, high = 0, failed = 0;
	int whole = 0; /* rounds without a switch */
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct region_sum all = {};

	for (int i = 0; i < ROUNDS; i++) {
		struct region_sum sum = {};
		long switches = switched();
		uint64_t outer, inner, count;
		int error, slack;

		outer = perf_get(other).value;
		error = region_begin(&r);
		inner = perf_get(other).value;
		work(1000);
		/* Sometimes it goes on elsewhere. */
		if (i % 10 == 9)
			pin(i / 10 % cpus);
		work(1000);
		inner = perf_get(other).value - inner;
		error = error ? error : region_end(&r, &sum);
		outer = perf_get(other).value - outer;
		switches = switched() - switches;
		slack = switches ? 2 : 1;
		whole += !switches;
		count = sum.count[3];
		if (!error && (count < inner || count > outer))
			printf("# round %d: %lu is not of %lu to %lu, %ld switches\n", i, count,
			       inner, outer, switches);
		low += !error && slack * count < inner;
		high += !error && count > slack * outer;
		failed += error != 0;
		if (error)
			printf("# round %d: %s\n", i, region_why(&r, error));
		all.direct += sum.direct;
		all.scaled += sum.scaled;
	}
	check(!low && !high && !failed && whole > ROUNDS / 2,
	      "read %s, %d regions count what read(2) says around them (%d less, %d more, %d failed)",
	      how, ROUNDS, low, high, failed);
	check(!all.scaled && (direct ? all.direct > ROUNDS / 2 : !all.direct),
	      "none is estimated, and %lu are read directly", all.direct);
	close(other);
	region_close(&r);
}

/* Many regions in one sum; what is between them is not in it. */
static void test_sum(void)
{
	struct region outer = region_must(four_events(), false);
	struct region r = region_must(four_events(), true);
	struct region_sum sum = {}, whole = {};
	int error = region_begin(&outer);

	for (int i = 0; i < 100 && !error; i++) {
		error = region_begin(&r);
		work(100000);
		error = error ? error : region_end(&r, &sum);
		work(900000);
	}
	error = error ? error : region_end(&outer, &whole);
	check(!error && sum.regions == 100 && sum.count[1] && sum.count[1] < whole.count[1] / 2,
	      "a hundred regions, a tenth of the way: %lu of %lu instructions", sum.count[1],
	      whole.count[1]);
	check(sum.enabled && sum.enabled == sum.running && sum.enabled < whole.enabled,
	      "and of the time: %lu of %lu ns", sum.enabled, whole.enabled);
	region_close(&r);
	region_close(&outer);
}

/* ---- others on the counters ---- */

/* An event beside which no other counts. */
static int open_alone(bool pinned)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.exclusive = 1;
	attr.pinned = pinned;
	return perf_try(&attr, 0, -1, -1);
}

/* By the clock, so that the group has had several turns. */
static int region_of(struct region *r, struct region_sum *sum, unsigned int ms)
{
	uint64_t end;
	int error = region_begin(r);

	for (end = now_ns() + ms * 1000000ULL; now_ns() < end;)
		work(10000);
	return error ? error : region_end(r, sum);
}

static void test_scaled(bool direct)
{
	struct region r = region_must(four_events(), direct);
	struct region_sum before = {}, sum = {};
	int error = region_of(&r, &before, 200), alone = open_alone(false);
	double rate, is;

	for (int i = 0; i < 20 && !error && sum.scaled < 5; i++)
		error = region_of(&r, &sum, 200);
	check(!error && alone >= 0 && sum.scaled && sum.running < sum.enabled,
	      "%s, a group that takes turns says that it does: %lu of %lu regions, %lu of %lu ns",
	      direct ? "read directly" : "by read(2)", sum.scaled, sum.regions, sum.running,
	      sum.enabled);
	/* Cycles pass alike with others or without. */
	rate = before.enabled ? (double)before.count[0] / before.enabled : 0;
	is = sum.enabled ? (double)sum.count[0] / sum.enabled : 0;
	check(is > rate / 1.5 && is < rate * 1.5, "and the estimate is good (%.3f, %.3f a ns)", is,
	      rate);
	close(alone);
	region_close(&r);
}

static void test_never(void)
{
	struct region r = region_must(four_events(), true);
	struct region_sum sum = {};
	int alone = open_alone(true), error = region_of(&r, &sum, 20);

	check(alone >= 0 && error == -ENODATA && !sum.regions,
	      "a group that never counts is an error: %s", region_why(&r, error));
	close(alone);
	/* Being switched away and back gives the group its turn. */
	usleep(10000);
	error = region_of(&r, &sum, 20);
	check(!error && sum.count[0], "and it counts again (%lu)", sum.count[0]);
	region_close(&r);
}

/* ---- mistakes ---- */

static void *use_elsewhere(void *r)
{
	struct region_sum sum = {};

	return (void *)(uintptr_t)(region_begin(r) == -EPERM && region_end(r, &sum) == -EPERM &&
				   !sum.regions);
}

/* A child has the object, and neither the events nor their pages. */
static bool refused_in_child(struct region *r)
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

static void test_mistakes(void)
{
	struct region r = region_must(four_events(), true);
	struct region_sum sum = {};
	void *right = NULL;
	pthread_t thread;

	check(region_end(&r, &sum) == -EINVAL, "end without begin: refused");
	check(!region_begin(&r) && region_begin(&r) == -EBUSY && !region_end(&r, &sum) &&
	      sum.regions == 1, "begin twice: refused, and the first one holds");
	if (!pthread_create(&thread, NULL, use_elsewhere, &r))
		pthread_join(thread, &right);
	check(right, "in another thread: refused");
	check(refused_in_child(&r), "in a child of fork(): refused");
	check(!region_begin(&r) && !region_end(&r, &sum) && sum.regions == 2,
	      "and here it goes on");
	region_close(&r);
	check(region_begin(&r) == -ENODEV, "closed: refused");
}

static void refused(const char *events, const char *word)
{
	struct region r;
	int error = region_open(&r, events);

	check(error < 0 && strstr(region_why(&r, error), word), "refused (%d): %s", error,
	      error ? region_why(&r, error) : "it opens");
	if (!error)
		region_close(&r);
}

static void test_refusals(void)
{
	char list[128];

	refused("nothing_here,cycles", "'nothing_here'");
	refused("cycles:q", "modes");
	refused("nopmu/cycles/", "no PMU");
	snprintf(list, sizeof(list), "%s/nothing_here/", pmu.name);
	refused(list, "no 'nothing_here'");
	snprintf(list, sizeof(list), "%s/firmware=4/", pmu.name);
	refused(list, "no room");
	/* A code that SBI has not. */
	snprintf(list, sizeof(list), "%s/firmware=1,event=0xfff/", pmu.name);
	refused(list, "cannot count");
}

/* ---- no system calls ---- */

/* From here on any system call but the end of the process kills it. */
static int no_system_calls(void)
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

enum { PURE_ROUNDS = 1000, NO_FILTER = 2 };

/* The wait status of a child that measures while system calls are deadly. */
static int pure_child(bool direct, struct region_sum *sum)
{
	pid_t child = fork();
	struct region r;
	int status = 0;

	if (!child) {
		if (region_open(&r, four_events()))
			_exit(1);
		r.direct &= direct;
		if (no_system_calls())
			_exit(NO_FILTER);
		for (int i = 0; i < PURE_ROUNDS; i++) {
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

static void test_no_system_calls(void)
{
	struct region_sum *sum = mmap(NULL, sizeof(*sum), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = pure_child(false, sum);

	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTER) {
		not_here("no system calls", "the kernel has no seccomp filters");
		return;
	}
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS && !sum->regions,
	      "where system calls are deadly, read(2) is (%#x)", status);
	status = pure_child(true, sum);
	check(WIFEXITED(status) && !WEXITSTATUS(status) && sum->regions == PURE_ROUNDS &&
	      sum->direct == PURE_ROUNDS && sum->count[1],
	      "and %lu regions of four events, read directly, are not (%#x, %lu instructions)",
	      sum->regions, status, sum->count[1]);
	munmap(sum, sizeof(*sum));
}

/* ---- cost ---- */

/* Instructions of begin and end, the least of ten because others only add to it. */
static uint64_t cost(bool direct)
{
	enum { PAIRS = 1000 };
	struct region r = region_must(four_events(), direct);
	int fd = open_event(INSTRUCTIONS, 0, -1, -1);
	struct region_sum sum = {};
	uint64_t least = UINT64_MAX;
	int failed = 0;

	for (int i = 0; i < 10; i++) {
		uint64_t n = perf_get(fd).value;

		for (int j = 0; j < PAIRS; j++)
			failed += region_begin(&r) || region_end(&r, &sum);
		n = perf_get(fd).value - n;
		least = n < least ? n : least;
	}
	check(!failed && least, "begin and end of four events, %s: %lu instructions",
	      direct ? "directly" : "by read(2)", least / PAIRS);
	printf("# in an empty region: %lu cycles, %lu instructions, %lu ns\n",
	       sum.count[0] / (sum.regions ?: 1), sum.count[1] / (sum.regions ?: 1),
	       sum.enabled / (sum.regions ?: 1));
	close(fd);
	region_close(&r);
	return least / PAIRS;
}

static void test_cost(void)
{
	uint64_t slow = cost(false), fast;

	printf("# (on QEMU without -icount an instruction is a tick of the host's clock)\n");
	if (!direct_here("the cost of direct reads"))
		return;
	fast = cost(true);
	check(fast && slow > 2 * fast, "read(2) costs %.1f times as much", (double)slow / fast);
}

int main(void)
{
	begin();
	test_bounds(false);
	if (direct_here("regions read directly"))
		test_bounds(true);
	test_sum();
	test_scaled(false);
	if (direct_here("turns, read directly"))
		test_scaled(true);
	test_never();
	test_mistakes();
	test_refusals();
	if (direct_here("no system calls"))
		test_no_system_calls();
	test_cost();
	return end();
}
