// SPDX-License-Identifier: GPL-2.0-only
/*
 * firmware_events - firmware events by their names in sysfs: each is provoked, and compared with
 * the kernel's own count of its SBI calls, or with what other CPUs sent. Illegal instructions are
 * in count.c.
 */
#include <linux/membarrier.h>
#include <pthread.h>

#include "tracepoint.h"

enum { TIMES = 50, HERE = TRACED_CPU, THERE = 1, MAX_CPUS = 16 };

static long cpus;

/* ---- SBI calls of CPU HERE, by the kernel's tracepoint ---- */

enum { TIMER = 1, IPI = 2, FENCE_I = 4, OTHER_FENCES = 8 };

static int function_fd[4];

static bool open_functions(void)
{
	static const char *const filters[] = {
		"ext == 0x54494d45", "ext == 0x735049", "ext == 0x52464e43 && fid == 0",
		"ext == 0x52464e43 && fid != 0",
	};
	bool all = true;

	for (unsigned int i = 0; i < ARRAY_SIZE(filters); i++) {
		function_fd[i] = open_tracepoint("riscv/sbi_call", filters[i], HERE);
		all &= function_fd[i] >= 0;
	}
	return all;
}

/* Return: how often these functions, a bit mask, were called. */
static uint64_t calls_of(unsigned int functions)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(function_fd); i++)
		sum += functions & 1U << i ? perf_get(function_fd[i]).value : 0;
	return sum;
}

/* ---- what provokes events ---- */

static void set_timers(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	for (int i = 0; i < TIMES; i++)
		nanosleep(&ms, NULL);
}

/*
 * Interrupt the other CPUs that run this process, one after the other. While spin_there() is off
 * its CPU there are none, so repeat that until this CPU has called firmware often enough. On a
 * busy host, which runs the CPUs of an emulator in turns, each of them takes 20 ms.
 */
static void send_ipis(void)
{
	const uint64_t enough = calls_of(IPI) + TIMES, end = now_ns() + 30000000000ULL;

	while (calls_of(IPI) < enough && now_ns() < end)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Each call flushes the instruction caches of the CPUs that run this process. */
static void send_fence_i(void)
{
	for (int i = 0; i < TIMES; i++)
		syscall(259 /* riscv_flush_icache */, 0, 0, 0);
}

static volatile bool spinning, stop_spinning;

/* Keep CPU THERE in this process, so that what the process does must reach that CPU, too. */
static void *spin_there(void *unused)
{
	pin(THERE);
	spinning = true;
	while (!stop_spinning)
		work(10000);
	return unused;
}

/* ---- events against calls ---- */

/* Return: an event of a CPU by its name in sysfs, or a negative errno. */
static int open_named(const char *name, int cpu)
{
	char file[80], terms[64];
	unsigned int code;

	snprintf(file, sizeof(file), "events/%s", name);
	if (!pmu_text(file, terms, sizeof(terms)) ||
	    sscanf(terms, "event=0x%x,firmware=0x2", &code) != 1)
		return -ENOENT;
	return open_event(FIRMWARE(code), -1, cpu, -1);
}

/* A count and its bounds. */
struct measured {
	uint64_t least, count, most;
};

/*
 * Count an event and the calls of @functions on this CPU while @provoke runs. The calls are read
 * before and after each read of the event, so that the bounds hold whatever happens in between.
 */
static struct measured measure(const char *name, unsigned int functions, void (*provoke)(void))
{
	const int fd = open_named(name, HERE);
	struct measured m = {};
	uint64_t outer, inner;

	if (fd < 0)
		return (struct measured){ .most = UINT64_MAX };
	outer = calls_of(functions);
	m.count = perf_get(fd).value;
	inner = calls_of(functions);
	provoke();
	m.least = calls_of(functions) - inner;
	m.count = perf_get(fd).value - m.count;
	m.most = calls_of(functions) - outer;
	close(fd);
	note("%s: %lu, with %lu to %lu SBI calls", name, m.count, m.least, m.most);
	return m;
}

/* Each call is one event. */
static void check_sent(const char *name, unsigned int function, void (*provoke)(void))
{
	struct measured m;

	if (!is_wanted(name))
		return;
	m = measure(name, function, provoke);
	check(m.least >= TIMES && m.count >= m.least && m.count <= m.most,
	      "%s_counts_each_sbi_call", name);
}

static void test_timer(void)
{
	struct measured m;

	if (!isa_has("sstc")) {
		check_sent("fw_set_timer", TIMER, set_timers);
		return;
	}
	/* The kernel sets timers itself. */
	m = measure("fw_set_timer", TIMER, set_timers);
	check(!m.most && !m.count, "fw_set_timer_is_zero_with_sstc");
}

/* Firmware sends an IPI to each CPU of a call, and for each fence. */
static void test_ipi_sent(void)
{
	struct measured m = measure("fw_ipi_sent", IPI, send_ipis);

	check(m.least >= TIMES && m.count >= m.least, "fw_ipi_sent_counts_each_sbi_call");
	m = measure("fw_ipi_sent", IPI | FENCE_I | OTHER_FENCES, send_ipis);
	check(m.count && m.count <= m.most * cpus, "fw_ipi_sent_at_most_one_for_each_cpu");
}

/*
 * CPU THERE receives what is sent to it one by one: at least half of TIMES, as this CPU may send
 * to others, too. It receives no more than all CPUs have sent; what was on its way at the first
 * read is one for each CPU.
 */
static void check_received(const char *sent, const char *received, void (*provoke)(void))
{
	const int there = open_named(received, THERE);
	int fd[MAX_CPUS];
	uint64_t all = 0, count;

	for (int cpu = 0; cpu < cpus; cpu++)
		fd[cpu] = open_named(sent, cpu);
	for (int cpu = 0; cpu < cpus; cpu++)
		all -= perf_get(fd[cpu]).value;
	count = perf_get(there).value;
	provoke();
	count = perf_get(there).value - count;
	for (int cpu = 0; cpu < cpus; cpu++) {
		all += perf_get(fd[cpu]).value;
		close(fd[cpu]);
	}
	close(there);
	note("%s: %lu on CPU %d, of %lu sent by all", received, count, THERE, all);
	check(count >= TIMES / 2 && count <= all + cpus, "%s_has_what_was_sent", received);
}

static void test_fences_and_ipis(void)
{
	pthread_t thread;

	if (!check(!pthread_create(&thread, NULL, spin_there, NULL), "thread_starts"))
		return;
	while (!spinning)
		usleep(1000);
	test_ipi_sent();
	check_received("fw_ipi_sent", "fw_ipi_received", send_ipis);
	check_sent("fw_fence_i_sent", FENCE_I, send_fence_i);
	check_received("fw_fence_i_sent", "fw_fence_i_received", send_fence_i);
	stop_spinning = true;
	pthread_join(thread, NULL);
}

int main(void)
{
	cpus = sysconf(_SC_NPROCESSORS_ONLN);
	begin();
	pin(HERE);
	if (!check(open_functions(), "tracepoints_open"))
		return end();
	test_timer();
	if (cpus < 2 || cpus > MAX_CPUS) {
		skip("fw_ipi_sent_counts_each_sbi_call", "needs 2 to 16 CPUs");
	} else {
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
		test_fences_and_ipis();
	}
	return end();
}
