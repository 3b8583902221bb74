// SPDX-License-Identifier: GPL-2.0-only
/*
 * firmware_events - values of firmware events: each is provoked, and compared with the kernel's
 * own count of its SBI calls.
 *
 * Not provoked: misaligned accesses, which QEMU executes itself, and the fences of a hypervisor.
 * Illegal instructions are in count.c.
 */
#include <linux/membarrier.h>
#include <pthread.h>
#include <sys/mman.h>

#include "illegal.h"
#include "tracepoint.h"

enum { TIMES = 50, HERE = TRACED_CPU, THERE = 1, MAX_CPUS = 16 };

/* Codes of firmware events (SBI 3.0, 11.5.5) */
enum {
	ACCESS_LOAD = 2, ACCESS_STORE, SET_TIMER = 5, IPI_SENT, IPI_RECEIVED, FENCE_I_SENT,
	FENCE_I_RECEIVED, SFENCE_SENT, SFENCE_RECEIVED, SFENCE_ASID_SENT, SFENCE_ASID_RECEIVED,
};

/* ---- SBI calls of CPU HERE, by the kernel's tracepoint ---- */

enum function { TIMER, IPI, FENCE_I, SFENCE, SFENCE_ASID, FUNCTIONS };

#define FENCES		((1 << FENCE_I) | (1 << SFENCE) | (1 << SFENCE_ASID))

static int function_fd[FUNCTIONS];

static bool open_functions(void)
{
	static const char *const filters[FUNCTIONS] = {
		[TIMER] = "ext == 0x54494d45",
		[IPI] = "ext == 0x735049",
		[FENCE_I] = "ext == 0x52464e43 && fid == 0",
		[SFENCE] = "ext == 0x52464e43 && fid == 1",
		[SFENCE_ASID] = "ext == 0x52464e43 && fid == 2",
	};
	bool all = true;

	for (int i = 0; i < FUNCTIONS; i++) {
		function_fd[i] = open_tracepoint("riscv/sbi_call", filters[i], HERE);
		all &= function_fd[i] >= 0;
	}
	return all;
}

/* Return: how often these functions, a bit mask, were called. */
static uint64_t calls_of(unsigned int functions)
{
	uint64_t sum = 0;

	for (int i = 0; i < FUNCTIONS; i++)
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
	const uint64_t enough = calls_of(1U << IPI) + TIMES, end = now_ns() + 30000000000ULL;

	while (calls_of(1U << IPI) < enough && now_ns() < end)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

/* Each call flushes the instruction caches of the CPUs that run this process. */
static void send_fence_i(void)
{
	for (int i = 0; i < TIMES; i++)
		syscall(259 /* riscv_flush_icache */, 0, 0, 0);
}

/* To take away a right flushes the TLBs of the CPUs that run this process. */
static void send_sfence(void)
{
	const size_t size = sysconf(_SC_PAGESIZE);
	volatile char *page = mmap(NULL, size, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < TIMES && page != MAP_FAILED; i++) {
		*page = i;
		mprotect((void *)page, size, PROT_READ);
		mprotect((void *)page, size, PROT_READ | PROT_WRITE);
	}
	munmap((void *)page, size);
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

static int open_code(unsigned int code, int cpu)
{
	return open_event(FIRMWARE(code), -1, cpu, -1);
}

/* A count and its bounds. */
struct measured {
	uint64_t least, count, most;
};

/*
 * Count @code and the calls of @functions on this CPU while @provoke runs. The calls are read
 * before and after each read of the event, so that the bounds hold whatever happens in between.
 */
static struct measured measure(unsigned int code, unsigned int functions, void (*provoke)(void))
{
	const int fd = open_code(code, HERE);
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
	return m;
}

/* Each call is one event. */
static void check_sent(const char *name, unsigned int code, enum function f,
		       void (*provoke)(void))
{
	const struct measured m = measure(code, 1U << f, provoke);

	note("%s: %lu, with %lu to %lu SBI calls", name, m.count, m.least, m.most);
	check(m.least >= TIMES && m.count >= m.least && m.count <= m.most,
	      "%s_counts_each_sbi_call", name);
}

static void test_timer(void)
{
	struct measured m;

	if (!isa_has("sstc")) {
		check_sent("set_timer", SET_TIMER, TIMER, set_timers);
		return;
	}
	/* The kernel sets timers itself. */
	m = measure(SET_TIMER, 1U << TIMER, set_timers);
	note("set_timer: %lu, with %lu SBI calls", m.count, m.most);
	check(!m.most && !m.count, "set_timer_is_zero_with_sstc");
}

/* The kernel's TLB flushes name an address space or not; both are counted apart. */
static void test_sfence(void)
{
	const struct measured plain = measure(SFENCE_SENT, 1U << SFENCE, send_sfence);
	const struct measured asid = measure(SFENCE_ASID_SENT, 1U << SFENCE_ASID, send_sfence);

	note("sfence_vma: %lu, with %lu to %lu SBI calls; with ASID %lu, with %lu to %lu",
	     plain.count, plain.least, plain.most, asid.count, asid.least, asid.most);
	/* The kernel flushes by itself, too; a call of it that reached no hart was not counted. */
	check(plain.least + asid.least >= TIMES && plain.count + 2 >= plain.least &&
	      plain.count <= plain.most && asid.count + 2 >= asid.least && asid.count <= asid.most,
	      "sfence_vma_counts_each_sbi_call");
}

/* Firmware sends an IPI to each CPU of a call, and for each fence. */
static void test_ipi_sent(long cpus)
{
	const struct measured m = measure(IPI_SENT, 1U << IPI, send_ipis);
	const struct measured all = measure(IPI_SENT, 1U << IPI | FENCES, send_ipis);

	note("ipi_sent: %lu, with at least %lu SBI calls", m.count, m.least);
	check(m.least >= TIMES && m.count >= m.least, "ipi_sent_counts_each_sbi_call");
	note("ipi_sent: %lu, with at most %lu SBI calls to %ld CPUs", all.count, all.most, cpus);
	check(all.count && all.count <= all.most * cpus, "ipi_sent_at_most_one_for_each_cpu");
}

/* ---- sent and received ---- */

/*
 * CPU THERE receives what is sent to it one by one: at least half of TIMES, as this CPU may send
 * to others, too. It receives no more than all CPUs have sent; what was on its way at the first
 * read is one for each CPU.
 */
static void check_received(const char *name, unsigned int sent, unsigned int received,
			   void (*provoke)(void), long cpus)
{
	const int there = open_code(received, THERE);
	int fd[MAX_CPUS];
	uint64_t all = 0, count;

	for (int cpu = 0; cpu < cpus; cpu++)
		fd[cpu] = open_code(sent, cpu);
	for (int cpu = 0; cpu < cpus; cpu++)
		all -= perf_get(fd[cpu]).value;
	count = perf_get(there).value;
	provoke();
	count = perf_get(there).value - count;
	for (int cpu = 0; cpu < cpus; cpu++)
		all += perf_get(fd[cpu]).value;
	note("%s: %lu on CPU %d, of %lu sent by all", name, count, THERE, all);
	check(count >= TIMES / 2 && count <= all + cpus, "%s_has_what_was_sent", name);
	for (int cpu = 0; cpu < cpus; cpu++)
		close(fd[cpu]);
	close(there);
}

static void test_fences_and_ipis(long cpus)
{
	pthread_t thread;

	if (!check(!pthread_create(&thread, NULL, spin_there, NULL), "thread_starts"))
		return;
	while (!spinning)
		usleep(1000);
	test_ipi_sent(cpus);
	check_received("ipi_received", IPI_SENT, IPI_RECEIVED, send_ipis, cpus);
	check_sent("fence_i_sent", FENCE_I_SENT, FENCE_I, send_fence_i);
	check_received("fence_i_received", FENCE_I_SENT, FENCE_I_RECEIVED, send_fence_i, cpus);
	test_sfence();
	stop_spinning = true;
	pthread_join(thread, NULL);
}

/* ---- access faults ---- */

/* Four bytes each, as skip_instruction() expects. */
static void access_once(volatile uint32_t *at, bool store)
{
	if (store)
		asm volatile(".option push\n.option norvc\nsw zero, 0(%0)\n.option pop"
			     : : "r"(at) : "memory");
	else
		asm volatile(".option push\n.option norvc\nlw t0, 0(%0)\n.option pop"
			     : : "r"(at) : "t0", "memory");
}

/* Access an address where QEMU's virt machine has nothing: a fault that firmware handles. */
static void test_access(const char *name, unsigned int code, bool store)
{
	const off_t nothing = 0x10200000;
	struct sigaction sa = { .sa_sigaction = skip_instruction, .sa_flags = SA_SIGINFO };
	const int mem = open("/dev/mem", O_RDWR | O_SYNC), fd = open_code(code, HERE);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, mem, nothing);
	uint64_t count;

	if (check(page != MAP_FAILED && fd >= 0, "%s_event_and_memory_open", name)) {
		sigaction(SIGSEGV, &sa, NULL);
		sigaction(SIGBUS, &sa, NULL);
		count = perf_get(fd).value;
		for (int i = 0; i < TIMES; i++)
			access_once(page, store);
		count = perf_get(fd).value - count;
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		munmap(page, 4096);
		note("%s: %lu of %d faults", name, count, TIMES);
		/* Nothing else on the CPU has such faults, but a kernel thread might. */
		check(count >= TIMES && count < 2 * TIMES, "%s_counts_each_fault", name);
	}
	close(fd);
	close(mem);
}

int main(void)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	begin();
	pin(HERE);
	if (!check(open_functions(), "tracepoints_open"))
		return end();
	test_timer();
	if (cpus < 2 || cpus > MAX_CPUS) {
		skip("ipi_sent_counts_each_sbi_call", "needs 2 to 16 CPUs");
	} else {
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
		test_fences_and_ipis(cpus);
	}
	if (getenv("lab_case")) {
		test_access("access_load", ACCESS_LOAD, false);
		test_access("access_store", ACCESS_STORE, true);
	} else {
		skip("access_load_counts_each_fault", "the address is that of QEMU's machine");
	}
	return end();
}
