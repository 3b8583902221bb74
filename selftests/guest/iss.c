// SPDX-License-Identifier: GPL-2.0-only
/*
 * iss - process 1 of a machine of make check-iss: count known loops, by the kernel's built-in
 * driver, then by the module, which takes over, then by the built-in one again. What the module
 * counts is tested, what both count is printed. A shell and perf are too slow there.
 *
 * These emulators count each instruction, so a count is at least that of the loop. It is at most
 * AROUND more: what the program executes between the system calls that start and stop an event.
 */
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>

#include "ring.h"

enum { N = 100000, AROUND = 500, MOST = 12, USER = 1, KERNEL = 2, BOTH = 3 };

struct known {
	const char *name;
	struct perf_event_attr attr;
	unsigned int each;	/* in one iteration of loop8() */
};

#define RAW(n)		{ .type = PERF_TYPE_RAW, .config = n }
#define ACCESSES(op)	{ .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_OP_##op << 8 }

/* The rest is Whisper's, by the numbers of selftests/qemu/iss/whisper.json. */
static const struct known events[] = {
	{ "cycles", HARDWARE(CPU_CYCLES), 8 },
	{ "instructions", HARDWARE(INSTRUCTIONS), 8 },
	{ "branches", HARDWARE(BRANCH_INSTRUCTIONS), 2 },
	{ "loads", ACCESSES(READ), 1 },
	{ "stores", ACCESSES(WRITE), 1 },
	{ "multiplications", RAW(0x9), 1 },
	{ "taken branches", RAW(0x1a), 1 },
	{ "conditional branches", RAW(0x1b), 2 },
	{ "instructions of 4 bytes", RAW(0x6), 8 },
	{ "divisions", RAW(0xa), 0 },
	{ "instructions of 2 bytes", RAW(0x5), 0 },
};

static const char *phase;	/* "built-in", "module" or "built-in again" */
static bool by_module, filters, programmable;

/* A check of the module: what the built-in driver does is only printed. */
#define module_check(...) do { if (by_module) check(__VA_ARGS__); } while (0)

/* /proc/cpuinfo does not have all. */
static bool has(const char *extension)
{
	return strstr(getenv("LAB_EXTENSIONS") ?: "", extension);
}

/* Eight instructions: a load, a store, a multiplication, two branches, of which one is taken. */
static void loop8(uint64_t n)
{
	static uint64_t memory[2];
	uint64_t a = 3, b = 5;

	asm volatile(".option push; .option norvc\n"
		     "1: ld t0, 0(%2); sd t0, 8(%2); mul %1, %1, %3; add t1, t0, %1\n"
		     "beq zero, %3, 2f; addi t1, t1, 1\n"
		     "2: addi %0, %0, -1; bnez %0, 1b; .option pop"
		     : "+r"(n), "+r"(a) : "r"(memory), "r"(b) : "t0", "t1", "memory");
}

static int open_known(const struct known *known, int modes, int group)
{
	struct perf_event_attr attr = known->attr;

	attr.exclude_user = !(modes & USER);
	attr.exclude_kernel = !(modes & KERNEL);
	attr.exclude_hv = filters;
	attr.disabled = group < 0;
	attr.read_format = READ_TIMES;
	return perf_try(&attr, 0, -1, group);
}

/*
 * In Whisper mcyclecfg and minstretcfg act at the next change of mode: fixed counters also count
 * the kernel's way back to the program, or not the way into it.
 */
static int late(void)
{
	return programmable && has("smcntrpmf") ? 2000 : 0;
}

static bool is_near(uint64_t count, uint64_t expected)
{
	return count >= expected && count <= expected + AROUND + late();
}

/* Count loop8() by a group of these, as far as they fit. Return: how many did. */
static int count_group(const struct known *const *known, const int *modes, int n, uint64_t *count)
{
	static const char *const suffix[] = { "", ":u", ":k", "" };
	int fds[MOST], fit;

	for (fit = 0; fit < n; fit++) {
		fds[fit] = open_known(known[fit], modes[fit], fit ? fds[0] : -1);
		if (fds[fit] < 0)
			break;
	}
	note("%s: %d of %d in a group%s%s", phase, fit, n, fit < n ? ": " : "",
	     fit < n ? strerror(-fds[fit]) : "");
	if (!fit)
		return 0;
	ioctl(fds[0], PERF_EVENT_IOC_ENABLE, 0);
	loop8(N);
	ioctl(fds[0], PERF_EVENT_IOC_DISABLE, 0);
	for (int i = 0; i < fit; i++) {
		const struct reading r = perf_get(fds[i]);

		count[i] = r.value;
		note("%s: %s%s %lu%s", phase, known[i]->name, suffix[modes[i]], r.value,
		     r.running ? "" : ", never counted");
	}
	close_events(fds, fit);
	return fit;
}

/* Count the first @n events in a group. Return: how many fit. */
static int test_group(int n, const char *name)
{
	const struct known *known[MOST];
	uint64_t count[MOST];
	int modes[MOST], fit;
	bool ok;

	for (int i = 0; i < n; i++) {
		known[i] = &events[i];
		modes[i] = filters ? USER : BOTH;
	}
	fit = count_group(known, modes, n, count);
	ok = fit;
	for (int i = 0; i < fit; i++)
		ok &= filters ? is_near(count[i], events[i].each * N) :
				count[i] >= events[i].each * N;
	module_check(ok, "%s_counts_right", name);
	return fit;
}

/* cycles and instructions have counters of their own, too, which filter by Smcntrpmf only. */
static void test_groups(void)
{
	int fit = test_group(programmable ? 8 : 2, "group");

	module_check(fit == (programmable ? 8 : 2), "group_fits");
	if (!programmable)
		return;
	fit = test_group(ARRAY_SIZE(events), "largest_group");
	module_check(fit == (has("smcntrpmf") ? 10 : 8), "as_many_fit_as_there_are_counters");
}

/* An event in both modes is that in user mode and that in kernel mode. */
static void test_filters(const struct known *event)
{
	static const int modes[] = { BOTH, USER, KERNEL };
	const struct known *known[] = { event, event, event };
	uint64_t count[3] = {};
	const int fit = count_group(known, modes, 3, count);
	const int64_t differ = count[0] - count[1] - count[2];

	if (programmable)
		module_check(fit == 3 && llabs(differ) <= late() && is_near(count[1], 8 * N),
			     "three_filters_of_%s_add_up", event->name);
	else
		module_check(fit == 1, "second_filter_of_%s_is_refused", event->name);
}

static uint64_t in_heavy, in_light;

__attribute__((noinline)) static void heavy(uint64_t n) { work(n); }
__attribute__((noinline)) static void light(uint64_t n) { asm volatile(""); work(n); }

static void look(const struct record *r)
{
	in_heavy += r->ip - (uint64_t)heavy < 6; /* bytes: addi, bnez, ret */
	in_light += r->ip - (uint64_t)light < 6;
}

/* Three quarters of the work are in one function. */
static void test_samples(const struct known *known, uint64_t period)
{
	struct perf_event_attr attr = known->attr;
	struct ring_totals totals;
	uint64_t count, irqs;
	struct ring ring;

	attr.sample_period = period;
	attr.disabled = 1;
	attr.read_format = READ_TIMES;
	attr.exclude_kernel = filters;
	attr.exclude_hv = filters;
	ring = ring_open(&attr, 0, -1, -1);
	module_check(ring.fd >= 0, "samples_of_%s_open", known->name);
	if (ring.fd < 0) {
		note("%s: samples of %s: %s", phase, known->name, strerror(-ring.fd));
		return;
	}
	in_heavy = in_light = 0;
	irqs = interrupts_of("pmu");
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 97; i++) {
		heavy(3 * N / 97);
		light(N / 97);
	}
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	irqs = interrupts_of("pmu") - irqs;
	count = perf_get(ring.fd).value;
	totals = ring_look(&ring, look);
	ring_close(&ring);
	note("%s: %lu samples of %s with period %lu: weight %lu of %lu, %lu : %lu, %lu interrupts",
	     phase, totals.samples, known->name, period, totals.weight, count, in_heavy, in_light,
	     irqs);
	/* What is left is less than a period, except that a timer ends by the clock. */
	if (!programmable)
		period += period / 2;
	module_check(totals.weight <= count && count - totals.weight < period,
		     "samples_of_%s_weigh_the_count", known->name);
	/* 3 : 1, and three deviations of a hundred samples by timer */
	module_check(2 * in_heavy > 3 * in_light && in_heavy < 6 * in_light,
		     "samples_of_%s_are_where_the_work_is", known->name);
	if (programmable && sched_getcpu() == 0)
		module_check(irqs == totals.samples, "each_sample_of_%s_has_an_interrupt",
			     known->name);
}

static void test_refusal(const char *name, struct perf_event_attr attr, int error)
{
	const struct known known = { name, attr, 0 };
	const int fd = open_known(&known, filters ? USER : BOTH, -1);

	note("%s: %s: %s", phase, name, fd < 0 ? strerror(-fd) : "opens");
	module_check(fd == -error, "%s_is_refused", name);
	close(fd);
}

static void measure(const char *name)
{
	phase = name;
	by_module = !strcmp(name, "module");
	for (int cpu = sysconf(_SC_NPROCESSORS_ONLN); cpu--;) {
		pin(cpu);
		note("%s, CPU %d", name, cpu);
		test_groups();
		for (int i = 0; i < 2 && filters; i++)
			test_filters(&events[i]);
		for (int i = 0; i < (programmable ? 3 : 2); i++)
			test_samples(&events[i], 10007);
	}
	/* Nobody knows what event numbers a delegated counter takes. */
	if (!has("smcdeleg"))
		test_refusal("unknown_event", (struct perf_event_attr)RAW(0x1ff), ENOENT);
	test_refusal("absent_event", (struct perf_event_attr)HARDWARE(BRANCH_MISSES), ENOENT);
	if (!filters) {
		filters = true;
		test_refusal("filter", events[0].attr, ENOENT);
		filters = false;
	}
}

/* Whole lines go to the console, in the order of the kernel's. */
static void start(void)
{
	static const char *const mounts[][2] = {
		{ "proc", "/proc" }, { "sysfs", "/sys" }, { "devtmpfs", "/dev" },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(mounts); i++) {
		mkdir(mounts[i][1], 0755);
		mount(mounts[i][0], mounts[i][1], mounts[i][0], 0, NULL);
	}
	if (!freopen("/dev/kmsg", "w", stdout))
		perror("/dev/kmsg");
	setvbuf(stdout, NULL, _IOLBF, 0);
}

int main(void)
{
	const char *overflow = getenv("LAB_OVERFLOW") ?: "";
	char text[64];
	int error;

	start();
	limits_raise();
	programmable = !strcmp(overflow, "lcofi");
	filters = programmable || has("smcntrpmf");
	measure("built-in");
	error = syscall(SYS_finit_module, open("/sbi_pmu.ko", O_RDONLY),
			getenv("LAB_INSMOD") ?: "", 0);
	note("insmod: %s", error ? strerror(errno) : "ok");
	begin();
	check(is_logged("taken over from riscv_pmu_sbi"), "module_takes_over");
	check(pmu_text("caps/overflow", text, sizeof(text)) && !strcmp(text, overflow),
	      "samples_come_by_%s", overflow);
	check(is_delegated() == has("smcdeleg"), "counters_are_delegated_if_asked_for");
	measure("module");
	check(!syscall(SYS_delete_module, "sbi_pmu", O_NONBLOCK), "module_is_unloaded");
	measure("built-in again");
	end();
	note("end of iss");
	return reboot(RB_POWER_OFF);
}
