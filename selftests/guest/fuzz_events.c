// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz_events SEED [STEPS] - for the script fuzz: open random events of the PMU and do random
 * things with them; with the same seed the same. Prints figures; fails with what was wrong.
 */
#include <glob.h>
#include <sys/mman.h>

#include "harness.h"
#include "../../include/sbi_pmu/region.h"

enum { SLOTS = 12, BUSY_US = 60000 };

static struct {
	unsigned int opened, user_reads, busy;
} figures;

/* An event of this process. Its page may be unmapped before it is closed, or after. */
static struct slot {
	int fd, cpu, group, flags;
	pid_t pid;
	bool own_value, times, must_count, has_page, group_samples;
	struct slot *leader;
	struct reading last;
	volatile struct perf_event_mmap_page *page;
	size_t bytes;
	/* Words of the kernel's attr; the last is config4, which older headers do not have. */
	union {
		struct perf_event_attr attr;
		uint64_t word[18];
	};
} slots[SLOTS];

static uint64_t seed, state;
static unsigned int step;
static pid_t child;
static glob_t events; /* files of the PMU */

/* The process ends with its events open, as it mostly does. */
#define fail(format, ...) do {								\
	printf("seed %lu, step %u: " format "\n", seed, step, __VA_ARGS__);		\
	exit(1);									\
} while (0)

static uint64_t next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 0x2545f4914f6cdd1d;
}

static unsigned int below(unsigned int n)
{
	return (next() >> 32) % n;
}

#define once_in(n)	(!below(n))

/* Of any size; often a power of two, or one less */
static uint64_t number(void)
{
	const uint64_t power = 1ULL << below(64);

	return once_in(3) ? power - 1 : once_in(2) ? power : next() & (power - 1);
}

static void set_event(struct slot *s)
{
	const struct {
		uint32_t type;
		uint64_t config;
	} of[] = {
		{ pmu.type, CYCLES }, { pmu.type, INSTRUCTIONS }, { pmu.type, DTLB_MISSES },
		{ pmu.type, FIRMWARE(below(22)) }, { pmu.type, FIRMWARE(number()) },
		{ pmu.type, STANDARD(1 + below(10)) }, { pmu.type, STANDARD(1 << 16 | below(64)) },
		{ pmu.type, number() }, { PERF_TYPE_RAW, number() },
		{ PERF_TYPE_SOFTWARE, below(12) },
		{ PERF_TYPE_HARDWARE, below(12) | (uint64_t)(once_in(4) ? pmu.type : 0) << 32 },
		{ PERF_TYPE_HW_CACHE, below(8) | below(4) << 8 | below(3) << 16 },
	};
	/* Half are of the first line, which most machines count. */
	const unsigned int n = below(once_in(2) ? 3 : ARRAY_SIZE(of));
	static const int words[] = { 1, 7, 8, 16, 17 }; /* config, config1 ... */
	struct region r = {};

	s->attr.type = of[n].type;
	s->attr.config = of[n].config;
	if (events.gl_pathc && once_in(4)) {
		snprintf(r.name[0], 64, "%.9s/%.50s/", pmu.name,
			 basename(events.gl_pathv[below(events.gl_pathc)]));
		region_parse(&r, &s->attr);
	}
	for (unsigned int i = once_in(8) ? 1 + below(3) : 0; i; i--)
		s->word[words[below(5)]] ^= number();
}

/* Mostly what is asked for in practice, now and then any bit */
static void set_attr(struct slot *s)
{
	/* One in so many: disabled, inherit, pinned, exclusive, exclude_user, _kernel, _hv ... */
	const unsigned int flags[] = { 4, 6, 12, 20, 12, getuid() ? 2 : 6, 8, 60 };
	struct perf_event_attr *a = &s->attr;

	set_event(s);
	a->size = once_in(30) ? 8 * below(24) : sizeof(s->word);
	a->read_format = once_in(4) ? below(32) : READ_TIMES;
	for (unsigned int i = 0; i < 64; i++)
		s->word[5] |= (uint64_t)once_in(i < 8 ? flags[i] : i < 40 ? 200 : 4000) << i;
	a->freq = 0;
	if (once_in(3)) {
		a->freq = once_in(2);
		a->sample_period = a->freq ? below(3000) :
				   once_in(4) ? number() : 10000 * below(100);
		/* Mostly without branches, and without what is refused beside other things */
		a->sample_type = next() & next() & (once_in(4) ? 0x1ffffff : 0xeff7ef);
		a->branch_sample_type = once_in(4) ? next() & 0xfffff : 1U << below(20) | below(8);
		a->sample_regs_user = a->sample_regs_intr = next() & 0xffffffff;
		a->sample_stack_user = 8 * below(256);
		a->wakeup_events = below(4);
	}
	if (once_in(20))
		s->word[9 + below(7)] ^= number();
}

static void close_slot(struct slot *s)
{
	close(s->fd);
	s->fd = -1;
	s->has_page = false;
}

static void open_slot(struct slot *s)
{
	static const char known_errors[] = { EINVAL, ENOENT, EOPNOTSUPP, EACCES, EPERM, EBUSY,
					     ENOSPC, E2BIG, ESRCH, ENODEV, EBADF, EOVERFLOW,
					     EAGAIN, ENOMEM };
	struct slot *leader = &slots[below(SLOTS)];
	const struct perf_event_attr *a = &s->attr;
	const unsigned int target = below(16), cpus = sysconf(_SC_NPROCESSORS_CONF);

	close_slot(s);
	*s = (struct slot){ .cpu = -1, .group = -1, .page = s->page, .bytes = s->bytes };
	set_attr(s);
	if (once_in(3) && leader->fd >= 0) {
		s->pid = leader->pid;
		s->cpu = leader->cpu;
		s->group = leader->fd;
		s->flags = leader->flags;
	} else if (target < 5) {
		s->pid = target < 3 ? -1 : target == 3 ? child : (int)below(400);
		s->cpu = (int)below(cpus + once_in(4)) - (target > 2);
		s->flags = target ? 0 : PERF_FLAG_PID_CGROUP;
	}
	s->flags ^= once_in(40) ? below(8) : 0;
	/* Up to 7.2 perf core corrupts a list if an event joins a leader whose CPU was offline. */
	if (a->type != (uint32_t)pmu.type && s->cpu >= 0)
		s->group = -1;
	if (s->flags & PERF_FLAG_PID_CGROUP)
		s->pid = open("/tmp/cgroup/fuzz", O_RDONLY | O_CLOEXEC);
	s->fd = syscall(SYS_perf_event_open, &s->attr, s->pid, s->cpu, s->group,
			s->flags | PERF_FLAG_FD_CLOEXEC);
	s->leader = s->group < 0 ? s : leader;
	if (s->fd >= 0) {
		figures.opened++;
		s->leader->group_samples |= a->sample_period;
	} else if (errno > 255 || !memchr(known_errors, errno, sizeof(known_errors))) {
		fail("an open is refused: %s", strerror(errno));
	}
	if (s->flags & PERF_FLAG_PID_CGROUP)
		close(s->pid);
	/* A member with PERF_FORMAT_GROUP reads its leader, which may be closed meanwhile. */
	s->own_value = s->group < 0 || !(s->attr.read_format & PERF_FORMAT_GROUP);
	s->times = (s->attr.read_format & READ_TIMES) == READ_TIMES;
	/* All that this task does in user mode */
	s->must_count = s->own_value && s->times && !s->pid &&
			!a->exclude_user && !a->exclude_host &&
			(a->type == (uint32_t)pmu.type ? a->config - CYCLES < 2 :
			 pmu.exclusive && a->type == PERF_TYPE_HARDWARE && a->config < 2);
}

static void map_or_unmap(struct slot *s)
{
	void *page = MAP_FAILED;

	if (s->page) {
		munmap((void *)s->page, s->bytes);
	} else {
		s->bytes = sysconf(_SC_PAGESIZE) * (once_in(2) ? 1 : 1 + (1 << below(6)));
		page = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	}
	s->has_page = page != MAP_FAILED;
	s->page = s->has_page ? page : NULL;
}

/* While children end, perf core adds their counts and times one after the other: no check. */
static struct reading read_slot(struct slot *s)
{
	const uint64_t format = s->attr.read_format;
	const struct reading last = s->last;
	uint64_t word[4 + 3 * SLOTS], *w = word + 1;
	struct reading r;
	ssize_t n;

	if (s->fd < 0)
		return last;
	n = read(s->fd, word, sizeof(word));
	/* A pinned event without a counter has no count; a group may be larger than word. */
	if (n < 0 && errno != ENOSPC && errno != ECHILD)
		fail("type %u config %#llx: read(2): %s", s->attr.type, s->attr.config,
		     strerror(errno));
	if (n <= 0 || (s->attr.inherit && (child || s->pid)))
		return last;
	r.enabled = format & PERF_FORMAT_TOTAL_TIME_ENABLED ? *w++ : 0;
	r.running = format & PERF_FORMAT_TOTAL_TIME_RUNNING ? *w++ : 0;
	r.value = format & PERF_FORMAT_GROUP ? *w : word[0];
	/* Without a group these two are not read at one moment. */
	if ((s->times && format & PERF_FORMAT_GROUP && r.running > r.enabled) ||
	    (s->own_value && (r.value < last.value || r.value >> 47 || r.enabled < last.enabled ||
			      r.running < last.running)))
		fail("type %u config %#llx: %lu, %lu of %lu ns; then %lu, %lu of %lu ns",
		     s->attr.type, s->attr.config, last.value, last.running, last.enabled, r.value,
		     r.running, r.enabled);
	return s->last = r;
}

/* Read from user space, between two reads by read(2). */
static void read_page(struct slot *s)
{
	uint64_t before, value, after;

	if (!s->page)
		map_or_unmap(s);
	before = read_slot(s).value;
	if (!s->has_page || s->pid || s->cpu >= 0 || s->attr.inherit || !s->own_value ||
	    !region_read_page(s->page, &value, NULL))
		return;
	after = read_slot(s).value;
	figures.user_reads++;
	if (value < before || value > after)
		fail("type %u config %#llx: read(2) %lu, user space %lu, read(2) %lu", s->attr.type,
		     s->attr.config, before, value, after);
}

/* An event that was on its counter all the time must have counted. */
static void be_busy(void)
{
	struct reading before[SLOTS], after;
	const clock_t start = clock();

	for (int i = 0; i < SLOTS; i++)
		before[i] = read_slot(&slots[i]);
	do
		work(20000);
	while (clock() < start + BUSY_US);
	for (int i = 0; i < SLOTS; i++) {
		after = read_slot(&slots[i]);
		/* Where one samples the group may be throttled. */
		if (!slots[i].must_count || slots[i].leader->group_samples ||
		    after.running == before[i].running ||
		    after.running - before[i].running != after.enabled - before[i].enabled)
			continue;
		figures.busy++;
		if (after.value == before[i].value)
			fail("type %u config %#llx counts nothing in %lu ns", slots[i].attr.type,
			     slots[i].attr.config, after.running - before[i].running);
	}
}

static void control(struct slot *s)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_REFRESH,
		PERF_EVENT_IOC_RESET, PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_SET_FILTER, PERF_EVENT_IOC_ID, PERF_EVENT_IOC_PAUSE_OUTPUT,
	};
	const unsigned long request = requests[below(ARRAY_SIZE(requests))];
	uint64_t memory[18] = { number() };

	ioctl(s->fd, request, request == PERF_EVENT_IOC_SET_OUTPUT ? slots[below(SLOTS)].fd :
			      _IOC_SIZE(request) ? (long)memory : (long)below(4));
	for (int i = 0; i < SLOTS && request == PERF_EVENT_IOC_RESET; i++)
		slots[i].last.value = 0;
	fcntl(s->fd, F_SETOWN, getpid());
	fcntl(s->fd, F_SETFL, once_in(2) ? O_ASYNC | O_NONBLOCK : 0);
}

/* A child: it has some of its parent's events, works a while, and may execute a program. */
static void be_child(long amount)
{
	for (int i = 0; i < SLOTS; i++)
		if (once_in(2))
			close_slot(&slots[i]);
	work(100000 * amount);
	if (once_in(2))
		execl("/bin/busybox", "true", NULL);
}

static void do_step(void)
{
	struct slot *s = &slots[below(SLOTS)];
	const uint64_t mask = next() >> 32;

	switch (below(22)) {
	case 0 ... 6: return open_slot(s);
	case 7: return close_slot(s);
	case 8 ... 10: return (void)read_slot(s);
	case 11: return be_busy();
	case 12 ... 13: return control(s);
	case 14: return map_or_unmap(s);
	case 15 ... 16: return read_page(s);
	case 17: return (void)(child = start_child(be_child, 1 + below(30)));
	case 18: return (void)usleep(below(10000));
	case 19: return (void)prctl(once_in(4) ? PR_TASK_PERF_EVENTS_DISABLE :
						 PR_TASK_PERF_EVENTS_ENABLE);
	case 20: return (void)sched_setaffinity(0, sizeof(mask), (const cpu_set_t *)&mask);
	case 21:
		if (s->page) /* All records are taken, or as many as this process says. */
			s->page->data_tail = once_in(4) ? number() : s->page->data_head;
	}
}

int main(int argc, char **argv)
{
	const unsigned int steps = argc > 2 ? atoi(argv[2]) : 100;

	seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	signal(SIGIO, SIG_IGN);
	for (int i = 0; i < SLOTS; i++)
		slots[i].fd = -1;
	if (!find_pmu() || chdir(PMU_DEVICES) || chdir(pmu.name)) /* beside rmmod */
		return 0;
	glob("events/*", 0, NULL, &events);
	for (; step < steps; step++) {
		/* Each step has its own seed, so that it hardly depends on earlier ones. */
		state = (seed << 16 | step) * 0x9e3779b97f4a7c15 | 1;
		do_step();
	}
	printf("opened_by_%s %u\nuser_reads %u\nbusy_events %u\n", getuid() ? "nobody" : "root",
	       figures.opened, figures.user_reads, figures.busy);
	return 0;
}
