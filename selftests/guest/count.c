// SPDX-License-Identifier: GPL-2.0-only
/*
 * count - cycles and instructions, per task and per CPU.
 *
 * QEMU's counters follow its host's clock, so no count is asserted as such:
 * only relations, and ratios within a run.
 */
#include <signal.h>
#include <ucontext.h>

#include "harness.h"

#define STANDARD(code)	(1ULL << 62 | (code))

static char name[32];
static int type;

/* As the perf tool does it: without guests if that can be had, else with them. */
static int open_standard(uint64_t code, pid_t pid, int cpu, int group)
{
	struct perf_event_attr attr = {
		.type = type,
		.config = STANDARD(code),
		.read_format = READ_TIMES,
		.exclude_guest = 1,
	};
	int fd = perf_try(&attr, pid, cpu, group);

	if (fd != -EINVAL)
		return fd;
	attr.exclude_guest = 0;
	return perf_try(&attr, pid, cpu, group);
}

static uint64_t counted(int fd, uint64_t turns)
{
	uint64_t before = perf_get(fd).value;

	work(turns);
	return perf_get(fd).value - before;
}

static void test_task(void)
{
	const uint64_t turns = 20 * 1000 * 1000;
	int cycles = open_standard(1, 0, -1, -1);
	int instructions = open_standard(2, 0, -1, -1);
	uint64_t once, twice;
	struct reading r;

	if (!check(cycles >= 0 && instructions >= 0, "opens for this task (%d, %d)",
		   cycles, instructions))
		exit(ktap_exit());

	once = counted(cycles, turns);
	twice = counted(cycles, 2 * turns);
	check(once > 0, "cycles count (%lu)", once);
	check(twice > once, "more work, more cycles (%lu > %lu)", twice, once);

	once = counted(instructions, turns);
	twice = counted(instructions, 2 * turns);
	check(once > 0, "instructions count (%lu)", once);
	check(twice > once, "more work, more instructions (%lu > %lu)", twice, once);

	r = perf_get(cycles);
	check(r.enabled > 0 && r.enabled == r.running, "counted all the time (%lu of %lu ns)",
	      r.running, r.enabled);
	close(cycles);
	close(instructions);
}

static void test_stop_and_reset(void)
{
	int fd = open_standard(2, 0, -1, -1);
	uint64_t stopped, still;

	work(1000000);
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

static void test_cpu(void)
{
	const uint64_t turns = 10 * 1000 * 1000;
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	bool all = true;

	for (int cpu = 0; cpu < cpus; cpu++) {
		int fd = open_standard(2, -1, cpu, -1);
		uint64_t n;

		pin(cpu);
		n = fd < 0 ? 0 : counted(fd, turns);
		if (!n) {
			printf("# CPU %d: fd %d counted %lu\n", cpu, fd, n);
			all = false;
		}
		close(fd);
	}
	check(all, "counts on each of %ld CPUs", cpus);
	check(open_standard(1, -1, 4095, -1) < 0, "a CPU that is not there is refused");
}

/* A child counts for its parent (inherit), and another task does not. */
static void test_inherit(void)
{
	const uint64_t turns = 50 * 1000 * 1000;
	struct perf_event_attr attr = {
		.type = type, .config = STANDARD(2), .inherit = 1,
	};
	int with = perf_try(&attr, 0, -1, -1);
	int without = open_standard(2, 0, -1, -1);
	uint64_t both, parent;

	if (!fork()) {
		work(turns);
		_exit(0);
	}
	wait(NULL);
	if (read(with, &both, sizeof(both)) != sizeof(both))
		both = 0;
	parent = perf_get(without).value;
	/* The child works, the parent waits. */
	check(both > 2 * parent, "inherit counts the child too (%lu against %lu)", both, parent);
	check(parent > 0, "without inherit the parent alone is counted");
	close(with);
	close(without);
}

/* Many events on one counter agree: they see the same reads or nearly so. */
static void test_shared(void)
{
	enum { N = 40 };
	int fd[N];
	uint64_t first, last;
	bool all = true;

	fd[0] = open_standard(2, 0, -1, -1);
	for (int i = 1; i < N; i++)
		fd[i] = open_standard(2, 0, -1, fd[0]);
	work(1000000);
	for (int i = 0; i < N; i++) {
		struct reading r = fd[i] < 0 ? (struct reading){} : perf_get(fd[i]);

		if (fd[i] < 0 || !r.value || r.enabled != r.running) {
			printf("# event %d: fd %d, %lu, %lu of %lu\n", i, fd[i], r.value,
			       r.running, r.enabled);
			all = false;
		}
	}
	first = fd[0] < 0 ? 0 : perf_get(fd[0]).value;
	last = fd[N - 1] < 0 ? 0 : perf_get(fd[N - 1]).value;
	check(all, "a group of %d equal events counts on one counter (%lu, %lu)", N, first, last);
	for (int i = N - 1; i >= 0; i--)
		close(fd[i]);
}

#ifdef __riscv
static volatile int trapped;

static void skip_instruction(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	trapped++;
	uc->uc_mcontext.__gregs[REG_PC] += 4;
}

/* Firmware sees every illegal instruction first, and counts it. */
static void test_firmware(void)
{
	const int n = 200;
	struct perf_event_attr attr = {
		.type = type, .config = 2ULL << 62 | 4, .read_format = READ_TIMES,
	};
	struct sigaction sa = { .sa_sigaction = skip_instruction, .sa_flags = SA_SIGINFO };
	int fd = perf_try(&attr, 0, -1, -1), other;
	uint64_t before, counted;

	if (!check(fd >= 0, "a firmware event opens (%d)", fd))
		return;
	other = perf_try(&attr, 0, -1, -1);
	sigaction(SIGILL, &sa, NULL);
	before = perf_get(fd).value;
	for (int i = 0; i < n; i++)
		asm volatile(".word 0xc0001073");
	counted = perf_get(fd).value - before;
	signal(SIGILL, SIG_DFL);
	/* Nothing else in this task is illegal; the kernel may probe a little. */
	check(trapped == n && counted >= (uint64_t)n && counted < 2 * (uint64_t)n,
	      "fw_illegal_insn counts %d illegal instructions (%lu)", n, counted);
	check(perf_get(other).value >= (uint64_t)n, "a second event of the code agrees (%lu)",
	      perf_get(other).value);
	close(fd);
	close(other);
}
#endif

/*
 * Two events of five modes each, and all are different: more than a hart has
 * counters that can filter. The first that does not fit is refused, the others
 * count together. Where nothing can filter, the first is refused for that.
 */
static void test_group_too_large(void)
{
	static const uint64_t codes[] = { 1, 2, 0x10019, 0x1001b, 0x10021 };
	int leader = -1, n = 0, fd = 0, fds[64];
	struct reading r;

	for (unsigned int i = 0; i < 64 && fd >= 0; i++) {
		struct perf_event_attr attr = {
			.type = type,
			.config = STANDARD(codes[i % 5]),
			.read_format = READ_TIMES,
			.exclude_user = i / 5 & 1,
			.exclude_kernel = i / 10 & 1,
			.exclude_hv = !(i / 5 & 1),
		};

		fd = perf_try(&attr, 0, -1, leader);
		if (fd < 0)
			break;
		fds[n++] = fd;
		if (leader < 0)
			leader = fd;
	}
	if (!n) {
		check(fd == -EOPNOTSUPP, "a filter that no counter has is refused (%d)", fd);
		return;
	}
	work(1000000);
	check(fd == -EINVAL, "a group of more than %d events is refused (%d)", n, fd);
	r = perf_get(leader);
	check(r.running && r.running == r.enabled, "what did fit counts (%lu of %lu ns, %lu)",
	      r.running, r.enabled, r.value);
	while (n)
		close(fds[--n]);
}

static void refused(const char *what, struct perf_event_attr attr, int error)
{
	int got;

	attr.type = attr.type ? attr.type : (unsigned int)type;
	got = perf_try(&attr, 0, -1, -1);
	check(got == -error, "%s: %s (got %s)", what, strerror(error),
	      got < 0 ? strerror(-got) : "an event");
	if (got >= 0)
		close(got);
}

static void test_refusals(void)
{
#define R(what, error, ...) refused(what, (struct perf_event_attr){ __VA_ARGS__ }, error)
	R("general event 0", EINVAL, .config = STANDARD(0));
	R("general event 11", EINVAL, .config = STANDARD(11));
	R("reserved event type", EINVAL, .config = STANDARD(0x40001));
	R("junk above the selector", EINVAL, .config = 1ULL << 56 | 1);
	R("firmware event 22", EINVAL, .config = 2ULL << 62 | 22);
	R("junk above a firmware event", EINVAL, .config = 2ULL << 62 | 1ULL << 16);
	R("config1", EINVAL, .config = STANDARD(1), .config1 = 1);
	R("config2", EINVAL, .config = STANDARD(1), .config2 = 1);
	R("raw selector 0", EOPNOTSUPP, .config = 0);
	R("a raw event nobody has", EOPNOTSUPP, .config = 0xdeadbeef);
	R("sampling", EOPNOTSUPP, .config = STANDARD(1), .sample_period = 100000);
	R("branch stacks", EOPNOTSUPP, .config = STANDARD(1),
	  .sample_type = PERF_SAMPLE_BRANCH_STACK, .branch_sample_type = PERF_SAMPLE_BRANCH_ANY);
	R("exclude_idle", EOPNOTSUPP, .config = STANDARD(1), .exclude_idle = 1);
	R("a firmware event by mode", EOPNOTSUPP, .config = 2ULL << 62 | 5, .exclude_user = 1);
#undef R
}

int main(void)
{
	type = pmu_type(name, sizeof(name));
	ktap_plan(-1);
	check(type >= 0, "the PMU is there: %s, type %d", name, type);
	test_task();
	test_stop_and_reset();
	test_cpu();
	test_inherit();
	test_shared();
	test_firmware();
	test_group_too_large();
	test_refusals();
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}
