// SPDX-License-Identifier: GPL-2.0-only
/*
 * user_read - programs read the counters of their own events by themselves, and get
 * what read(2) says; and nobody reads anybody else's.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/prctl.h>

#include "user_read.h"

#define ACCESS "/proc/sys/kernel/perf_user_access"
#define TIME	1

static int cpus;

static bool set_access(int value)
{
	return number_to(ACCESS, value);
}

/* ---- a read by oneself lies between two by the kernel ---- */

struct tally {
	unsigned int rounds, wrong, told, read;
};

/* Only the first, of each program. */
static bool shown;

static void compare(int fd, page_t *page, struct tally *t)
{
	const uint64_t before = perf_get(fd).value;
	const struct direct d = read_direct(page);
	const uint64_t after = perf_get(fd).value;

	t->rounds++;
	t->read += d.how == READ;
	t->told += d.how == TOLD;
	if (d.how == BY_KERNEL || (d.value >= before && d.value <= after))
		return;
	t->wrong++;
	if (!shown)
		printf("# %lu, %lu %s, %lu\n", before, d.value, d.how == READ ? "read" : "told",
		       after);
	shown = true;
}

#define MOST 32

struct set {
	int fd[MOST];
	page_t *page[MOST];
	unsigned int n;
};

static bool set_add(struct set *s, struct perf_event_attr attr)
{
	const int fd = perf_try(&attr, 0, -1, -1);
	page_t *page = fd < 0 ? NULL : map_event(fd);

	if (!page || s->n == MOST) {
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

/* Compare all of @s in turn, here and there, with work in between. */
static struct tally set_compare(struct set *s, unsigned int rounds, bool wander)
{
	struct tally t = {};

	for (unsigned int i = 0; i < rounds; i++) {
		if (wander)
			pin(i % cpus);
		work(1000);
		for (unsigned int e = 0; e < s->n; e++)
			compare(s->fd[e], s->page[e], &t);
	}
	return t;
}

static void test_plain(void)
{
	struct set s = {};
	struct tally t;

	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	t = set_compare(&s, 2000, false);
	check(s.n == 2 && t.read && !t.wrong,
	      "by itself or by read(2): the same (%u of %u wrong, %u by itself)", t.wrong, t.rounds,
	      t.read);
	check(t.read > t.rounds / 10 * 9, "mostly by itself");
	printf("# width %u, index %u\n", s.page[0]->pmc_width, s.page[0]->index);
	t = set_compare(&s, 2000, true);
	check(t.read && !t.wrong, "the same on %d harts in turn (%u of %u wrong)", cpus, t.wrong,
	      t.rounds);
	set_close(&s);
}

static void test_shared(void)
{
	struct perf_event_attr sampling = event(CYCLES);
	struct set s = {};
	struct tally t;

	for (unsigned int i = 0; i < 5; i++)
		set_add(&s, event(CYCLES));
	t = set_compare(&s, 500, true);
	check(s.n == 5 && t.read && !t.wrong, "five on one counter (%u of %u wrong)", t.wrong,
	      t.rounds);

	sampling.sample_period = 100000;
	if (set_add(&s, sampling)) {
		t = set_compare(&s, 500, true);
		check(t.read && !t.wrong, "beside one that samples (%u of %u wrong)", t.wrong,
		      t.rounds);
		/* Stopped and started, its counter reads something else each time. */
		for (unsigned int i = 0; i < 100 && !t.wrong; i++) {
			ioctl(s.fd[5], i % 2 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
			t = set_compare(&s, 2, false);
		}
		check(!t.wrong, "while that comes and goes");
	} else {
		printf("# not here: an event that samples\n");
	}
	set_close(&s);
}

/* More events than counters: the last of one unit of XiangShan, or all that QEMU knows. */
static void test_multiplexed(void)
{
	static const uint64_t codes[] = { CYCLES, INSTRUCTIONS, STANDARD(0x10019),
					  STANDARD(0x1001b), STANDARD(0x10021) };
	const bool names = pmu_number(pmu.name, "caps/event_table") >= -1 &&
			   !access("/sys/bus/event_source/devices/cpu/caps/event_table", R_OK);
	struct set s = {};
	struct tally t;

	for (unsigned int i = 1; names && i <= 12; i++)
		set_add(&s, event(1ull << 56 | i));
	for (unsigned int i = 0; !names && i < 3 * ARRAY_SIZE(codes); i++) {
		struct perf_event_attr attr = event(codes[i / 3]);

		attr.exclude_kernel = i % 3 == 1;
		attr.exclude_user = i % 3 == 2;
		set_add(&s, attr);
	}
	t = set_compare(&s, 2000, true);
	check(s.n && !t.wrong, "%u events at once, on %d harts (%u of %u wrong, %u by itself)", s.n,
	      cpus, t.wrong, t.rounds, t.read);
	if (t.told)
		printf("# taking turns: %u were without a counter\n", t.told);
	else
		printf("# not here: more events than counters\n");
	set_close(&s);
}

/* ---- who may not ---- */

static sigjmp_buf trapped;

static void on_trap(int signal)
{
	(void)signal;
	siglongjmp(trapped, 1);
}

/* The counters that this task may read, by number. */
static uint32_t readable(void)
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

/* The same in a child, of another user if @uid is not 0. */
static uint32_t readable_by_child(uid_t uid)
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
			mask |= readable();
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

/* Reads its counters as fast as it can; which is what others might want to see. */
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

static void test_leaks(void)
{
	const int wide = open_event(CYCLES, -1, 0, -1);
	page_t *page = map_event(wide);
	struct set s = {};
	uint32_t mask;
	pid_t reader;

	pin(0);
	check(page && !(page->cap_user_rdpmc && page->index), "a hart's event is nobody's to read");
	mask = readable_by_child(65534);
	check(mask == 1u << TIME, "another user, while root holds a hart's event: time only (%#x)",
	      mask);
	mask = readable();
	check(mask == 1u << TIME, "nor root itself (%#x)", mask);
	unmap_event(page);
	close(wide);

	reader = start_reader(0);
	mask = readable_by_child(65534);
	stop_child(reader);
	check(mask == 1u << TIME, "another user, beside a program that reads: time only (%#x)",
	      mask);

	set_add(&s, event(CYCLES));
	mask = readable_by_child(0);
	check(mask == 1u << TIME, "the child of one that may read: time only (%#x)", mask);
	set_close(&s);
	sched_yield();
	usleep(1000);
	mask = readable();
	check(mask == 1u << TIME, "closed, it is no more to be read (%#x)", mask);
}

static bool mapped_readable(struct perf_event_attr attr)
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

static void test_which(void)
{
	struct perf_event_attr attr = event(FIRMWARE(0));

	check(!mapped_readable(attr), "firmware's counts are not to be read so");
	attr = event(CYCLES);
	check(mapped_readable(attr), "the own are");
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	check(mapped_readable(attr), "the generic ones too");
}

/* A read too late finds a counter that is somebody else's, or nobody's. */
static void test_astray(void)
{
	struct set s = {};
	unsigned int index;
	uint32_t mask;

	pin(0);
	set_add(&s, event(CYCLES));
	work(1000);
	index = s.page[0]->index;
	if (!check(index, "a counter (%u)", index))
		return;
	mask = readable();
	check(mask == (1u << TIME | 1u << (index - 1)) && read_counter(index - 1),
	      "a program reads the counter that it was told of, and no other (%#x)", mask);
	ioctl(s.fd[0], PERF_EVENT_IOC_DISABLE, 0);
	mask = readable();
	check(mask == (1u << TIME | 1u << (index - 1)) && !read_counter(index - 1),
	      "a read too late is survived, and reads 0 (%#x)", mask);
	set_close(&s);
}

/* ---- programs without privileges, and programs that become others ---- */

static bool child_does(bool (*does)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(does() ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

/*
 * Somebody else is busy on this hart, on the same event, and has been all along. What
 * the counter holds must be of this program's doing: no more than the program counted.
 */
static bool sees_itself_only(void)
{
	struct set s = {};
	unsigned int shown = 0, more = 0;

	if (setuid(65534))
		return false;
	set_add(&s, event(CYCLES));
	set_add(&s, event(INSTRUCTIONS));
	for (unsigned int i = 0; i < 200; i++) {
		for (unsigned int e = 0; e < s.n; e++) {
			const unsigned int index = s.page[e]->cap_user_rdpmc ? s.page[e]->index : 0;
			const uint64_t raw = index ? read_counter(index - 1) : 0;

			shown += index != 0;
			more += raw > perf_get(s.fd[e]).value;
		}
		usleep(1000);
	}
	if (more)
		printf("# %u times the counter held more than the program counted\n", more);
	return s.n == 2 && shown && !more;
}

static bool unprivileged_right(void)
{
	struct set s = {};
	struct tally t;

	if (setuid(65534))
		return false;
	for (unsigned int i = 0; i < 2; i++) {
		set_add(&s, event(CYCLES));
		set_add(&s, event(INSTRUCTIONS));
	}
	t = set_compare(&s, 1000, true);
	printf("# %u of %u wrong, %u by itself\n", t.wrong, t.rounds, t.read);
	return s.n == 4 && !t.wrong && t.read > t.rounds / 10 * 9;
}

static void test_unprivileged(void)
{
	const int before = number_in("/proc/sys/kernel/perf_event_paranoid");
	pid_t busy;

	number_to("/proc/sys/kernel/perf_event_paranoid", 1);
	pin(0);
	busy = start_reader(0);
	check(child_does(sees_itself_only), "a user's counter holds his own doing, and no more");
	stop_child(busy);
	check(child_does(unprivileged_right), "and is right, on all harts");
	number_to("/proc/sys/kernel/perf_event_paranoid", before);
}

/* The second program, with an event that the first has left it. */
static int second_program(int fd)
{
	struct set s = { .fd = { fd }, .page = { map_event(fd) }, .n = 1 };
	struct tally t;

	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	t = set_compare(&s, 200, true);
	return t.read && !t.wrong ? 0 : 1;
}

static bool reads_in_two_programs(void)
{
	struct set s = {};
	char fd[16];
	struct tally t;

	set_add(&s, event(CYCLES));
	t = set_compare(&s, 10, false);
	snprintf(fd, sizeof(fd), "%d", s.fd[0]);
	fcntl(s.fd[0], F_SETFD, 0);
	if (t.read && !t.wrong)
		execl("/proc/self/exe", "direct", "second", fd, NULL);
	return false;
}

/* ---- threads ---- */

struct sibling {
	pthread_t thread;
	volatile bool stop;
	struct tally t;
};

static void *sibling_reads(void *arg)
{
	struct sibling *me = arg;
	struct set s = {};

	pin(cpus - 1);
	set_add(&s, event(CYCLES));
	while (!me->stop) {
		const struct tally t = set_compare(&s, 10, false);

		me->t.rounds += t.rounds;
		me->t.wrong += t.wrong;
		me->t.read += t.read;
	}
	set_close(&s);
	return NULL;
}

static void test_threads(void)
{
	struct sibling other = {};
	struct set s = {};

	if (!check(!pthread_create(&other.thread, NULL, sibling_reads, &other), "a thread"))
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
	check(other.t.read && !other.t.wrong,
	      "mapped and unmapped 200 times beside it, it reads on (%u of %u wrong)",
	      other.t.wrong, other.t.rounds);
}

/* ---- the sysctl ---- */

static void test_sysctl(void)
{
	pid_t reader[4];
	unsigned int alive = 0, n = cpus < 4 ? cpus : 4;
	uint64_t cycles, instret;
	struct set s = {};
	struct tally t;
	uint32_t mask;

	pin(0);
	check(set_access(0) && !mapped_readable(event(CYCLES)), "0: nobody reads");
	set_access(1);
	set_add(&s, event(CYCLES));
	set_access(0);
	t = set_compare(&s, 100, true);
	check(t.read && !t.wrong, "but those that did go on");
	set_access(1);

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
	check(alive == n, "1000 changes kill no reader (%u of %u live)", alive, n);
	set_close(&s);

	check(!set_access(3) || number_in(ACCESS) == 1, "there is no 3");
	pin(0);
	set_access(2);
	mask = readable_by_child(65534);
	check(mask == 7, "2: cycle, time and instret for everybody (%#x)", mask);
	for (int cpu = 0; mask == 7 && cpu < cpus; cpu++) {
		pin(cpu);
		cycles = read_counter(0);
		instret = read_counter(2);
		work(1000000);
		cycles = read_counter(0) - cycles;
		instret = read_counter(2) - instret;
		/* In QEMU they are time, of which a turn takes more than 0.1 ns. */
		check(cycles > 100000 && instret > 100000, "they count on hart %d (%lu, %lu)", cpu,
		      cycles, instret);
	}
	set_access(1);
	pin(0);
	mask = readable_by_child(65534);
	check(mask == 1u << TIME, "and back: time only (%#x)", mask);
}

int main(int argc, char **argv)
{
	if (argc == 3)
		return second_program(atoi(argv[2]));
	begin();
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	if (pmu_number(pmu.name, "caps/user_read") != 1) {
		printf("# not here: programs that read counters (%s)\n",
		       pmu.sole ? "caps/user_read is 0" : "beside another driver");
		check(!mapped_readable(event(CYCLES)), "and no page says otherwise");
		return end();
	}
	check(number_in(ACCESS) == 1, "kernel.perf_user_access is 1");
	test_plain();
	test_shared();
	test_multiplexed();
	test_leaks();
	test_which();
	test_astray();
	test_unprivileged();
	check(child_does(reads_in_two_programs), "what a program leaves to the next, that reads");
	test_threads();
	test_sysctl();
	return end();
}
