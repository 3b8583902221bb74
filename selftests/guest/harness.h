/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Common to all test programs: KTAP output, perf_event_open(), work of known length, and
 * queries about the machine and its PMU.
 */
#ifndef HARNESS_H
#define HARNESS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../ktap.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* config of the PMU's own event type, see Documentation/ABI. */
#define CONFIG(space, event)	((uint64_t)(space) << 62 | (event))
#define STANDARD(code)		CONFIG(1, code)
#define FIRMWARE(code)		CONFIG(2, code)
#define CYCLES			STANDARD(1)
#define INSTRUCTIONS		STANDARD(2)
#define DTLB_MISSES		STANDARD(0x10019)	/* of loads */

/* perf's own event types, as type and config */
#define HARDWARE(id, ...) \
	{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_##id, ##__VA_ARGS__ }
#define MISSES(cache, op) \
	{ .type = PERF_TYPE_HW_CACHE, .config = PERF_COUNT_HW_CACHE_##cache | \
	  PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_MISS << 16 }

/* perf_event_open(). Return: a file, or a negative errno. */
static inline int perf_try(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
{
	int fd;

	attr->size = sizeof(*attr);
	fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

struct reading {
	uint64_t value;
	uint64_t enabled;
	uint64_t running;
};

#define READ_TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static inline struct reading perf_get(int fd)
{
	struct reading r = {};

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		perror("read");
	return r;
}

/* Return: whether @b is not 0 and @a differs from it by at most @percent. */
static inline bool within(uint64_t a, uint64_t b, unsigned int percent)
{
	const uint64_t off = a > b ? a - b : b - a;

	return b && off * 100 <= b * percent;
}

/* Retire two instructions per iteration: in assembly, so that the compiler adds none. */
static inline void work(uint64_t iterations)
{
#ifdef __riscv
	asm volatile("1: addi %0, %0, -1; bnez %0, 1b" : "+r"(iterations));
#else
	while (iterations--)
		asm volatile("");
#endif
}

static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		perror("sched_setaffinity");
}

#define PMU_DEVICES "/sys/bus/event_source/devices/"

/* Read the first line of a file of sysfs, procfs or tracefs. Return: whether there is one. */
static inline bool read_text(const char *path, char *text, int size)
{
	FILE *f = fopen(path, "r");
	const bool ok = f && fgets(text, size, f);

	if (f)
		fclose(f);
	text[ok ? strcspn(text, "\n") : 0] = '\0';
	return ok;
}

/* Return: the number there, -1 on error. */
static inline int read_number(const char *path)
{
	char text[32], *end;
	long n;

	if (!read_text(path, text, sizeof(text)))
		return -1;
	n = strtol(text, &end, 0);
	return end == text ? -1 : n;
}

static inline bool write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (!ok)
		note("%s > %s: %s", text, path, strerror(errno));
	close(fd);
	return ok;
}

static inline bool write_number(const char *path, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	return write_text(path, text);
}

/* Return: what @format reads from the first line of @path that has @word and fits, else -1. */
static inline long find_number(const char *path, const char *word, const char *format)
{
	FILE *f = fopen(path, "r");
	char line[512];
	long n = -1;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, word) && sscanf(line, format, &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

/* Return: how often an interrupt came to CPU 0; 0 if the kernel does not have it. */
static inline uint64_t interrupts_of(const char *driver)
{
	const long n = find_number("/proc/interrupts", driver, "%*[^:]: %ld");

	return n < 0 ? 0 : n;
}

#define DEBUGFS "/sys/kernel/debug/sbi_pmu/"

/* The PMU under test: "cpu" in exclusive mode, "sbi_pmu" beside the built-in driver */
static struct {
	char name[32];
	int type;
	bool exclusive;
} pmu;

/* Its files in sysfs */
static inline bool pmu_text(const char *file, char *text, int size)
{
	char path[256];

	snprintf(path, sizeof(path), PMU_DEVICES "%s/%s", pmu.name, file);
	return read_text(path, text, size);
}

static inline int pmu_number(const char *file)
{
	char path[256];

	snprintf(path, sizeof(path), PMU_DEVICES "%s/%s", pmu.name, file);
	return read_number(path);
}

static inline bool find_pmu(void)
{
	static const char *const names[] = { "sbi_pmu", "cpu" };
	char mode[16];

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(pmu.name, sizeof(pmu.name), "%s", names[i]);
		pmu.exclusive = i;
		if (pmu_text("caps/mode", mode, sizeof(mode)))
			return (pmu.type = pmu_number("type")) >= 0;
	}
	return false;
}

static inline uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Return: whether the kernel's log has @text. */
static inline bool is_logged(const char *text)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	char record[2048];
	bool found = false;
	ssize_t n;

	while (fd >= 0 && !found && ((n = read(fd, record, sizeof(record) - 1)) > 0 ||
				     (n < 0 && errno == EPIPE))) {
		record[n > 0 ? n : 0] = '\0';
		found = strstr(record, text);
	}
	close(fd);
	return found;
}

/* The lab sets LAB_KVM; without the lab, find KVM's SBI implementation ID in the kernel log. */
static inline bool is_kvm_guest(void)
{
	static int answer = -1;

	if (answer < 0)
		answer = getenv("LAB_KVM") || is_logged("SBI implementation ID=0x3 ");
	return answer;
}

/* How the driver programs counters: "sbi", "snapshot" or "csr" */
static inline bool uses_backend(const char *name)
{
	char word[16];

	return pmu_text("caps/backend", word, sizeof(word)) && !strcmp(word, name);
}

/* Are counters programmed without SBI calls? */
static inline bool is_delegated(void)
{
	return uses_backend("csr");
}

static inline struct perf_event_attr event(uint64_t config)
{
	return (struct perf_event_attr){
		.type = pmu.type, .config = config, .read_format = READ_TIMES,
	};
}

static inline int open_event(uint64_t config, pid_t pid, int cpu, int group)
{
	struct perf_event_attr attr = event(config);

	return perf_try(&attr, pid, cpu, group);
}

static inline void close_events(const int *fds, unsigned int n)
{
	while (n)
		close(fds[--n]);
}

/* A debug kernel checks every memory access and is several times slower. */
static inline bool is_slow_kernel(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK);
}

/* Return: what @fd counts while this task executes @iterations. */
static inline uint64_t count_work(int fd, uint64_t iterations)
{
	uint64_t before = perf_get(fd).value;

	work(iterations);
	return perf_get(fd).value - before;
}

/* The most tries of what a busy host may disturb: a wrong driver is wrong in each. */
enum { MOST_TRIES = 6 };

/* For "do ... while (try_again(...))". Return: was the result not @ok, and is a try left? */
static inline bool try_again(const char *what, bool ok)
{
	static int tries;

	if (++tries < MOST_TRIES && !ok)
		return true;
	note("%s: %d of at most %d tries", what, tries, MOST_TRIES);
	tries = 0;
	return false;
}

/* For make compare: the driver whose PMU perf takes generic events to */
static inline void note_driver(void)
{
	note("row\tdriver\t%s", !find_pmu() ? "builtin" : pmu.exclusive ? "module" : "both");
}

/* Start a child that runs @run until stop_child() or until its parent exits. */
static inline pid_t start_child(void (*run)(long arg), long arg)
{
	const pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent) /* it may have ended before that */
		run(arg);
	_exit(0);
}

static inline void stop_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * LAB_TESTS="program,program.test,..." has the tests to report: all of a program, or those that
 * have this name or begin with it. If it names nothing of this program, all are reported.
 */
static inline void read_lab_tests(void)
{
	const size_t n = strlen(ktap_suite);
	char *words = getenv("LAB_TESTS"), *word;
	unsigned int named = 0;

	words = words ? strdup(words) : NULL;
	while ((word = strsep(&words, ","))) {
		if (!strcmp(word, ktap_suite)) {
			ktap_only[0] = NULL;
			return;
		}
		if (!strncmp(word, ktap_suite, n) && word[n] == '.' &&
		    named < ARRAY_SIZE(ktap_found))
			ktap_only[named++] = word + n + 1;
	}
}

static inline int end(void)
{
	for (int i = 0; ktap_only[i]; i++) {
		if (ktap_found[i])
			continue;
		note("LAB_TESTS: no test of %s has a name that begins with %s", ktap_suite,
		     ktap_only[i]);
		printf("not ok %d %s.%s\n", ++ktap_tests, ktap_suite, ktap_only[i]);
		ktap_failures++;
	}
	printf("1..%d\n", ktap_tests);
	return ktap_exit();
}

static inline void begin(void)
{
	const bool found = find_pmu();

	ktap_suite = program_invocation_short_name;
	ktap_plan(-1);
	read_lab_tests();
	note("PMU %s, type %d", pmu.name, pmu.type);
	if (!found)
		ktap_only[0] = NULL;
	if (!check(found, "pmu_present"))
		exit(end());
}

/* Return: the value of the first line of /proc/cpuinfo that begins with @key, or "". */
static inline const char *cpuinfo(const char *key)
{
	static char line[1024];
	FILE *f = fopen("/proc/cpuinfo", "r");
	char *value = NULL;

	while (f && !value && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)) && strchr("\t :", line[strlen(key)]))
			value = strchr(line, ':');
	if (f)
		fclose(f);
	if (!value)
		return "";
	value[strcspn(value, "\n")] = '\0';
	return value + 1 + strspn(value + 1, " ");
}

/* Single-letter extensions are in the isa string before the first "_". */
static inline bool isa_has(const char *extension)
{
	const char *isa = cpuinfo("isa"), *at;
	size_t n = strlen(extension);

	if (n == 1)
		return strlen(isa) > 4 && memchr(isa + 4, *extension, strcspn(isa + 4, "_"));
	for (at = isa; (at = strchr(at, '_')); at++)
		if (!strncmp(at + 1, extension, n) && strchr("_", at[1 + n]))
			return true;
	return false;
}

/* QEMU's default CPUs have its version in marchid and mimpid. Return: 0 on other CPUs. */
static inline unsigned long qemu_version(void)
{
	unsigned long arch = strtoul(cpuinfo("marchid"), NULL, 0);

	return arch == strtoul(cpuinfo("mimpid"), NULL, 0) ? arch : 0;
}

/*
 * Can a counter of cycles leave out user or kernel mode? Not if the CSR is read because firmware
 * has no counter, nor in QEMU before 10.0. In a KVM guest the host can. T-Head's have one filter.
 */
static inline bool has_mode_filters(void)
{
	char events[64];

	if (is_kvm_guest())
		return true;
	if (qemu_version() && qemu_version() < 0xa0000)
		return false;
	pmu_text("caps/free_running", events, sizeof(events));
	return (isa_has("sscofpmf") || isa_has("xandespmu") ||
		!strcmp(cpuinfo("mvendorid"), "0x5b7")) && !strstr(events, "cycles");
}

/* Return: whether @test returns true in a child. */
static inline bool run_in_child(bool (*test)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(test() ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && !WEXITSTATUS(status);
}

#endif
