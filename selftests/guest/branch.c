// SPDX-License-Identifier: GPL-2.0-only
/*
 * branch [SECONDS | recurse] - samples with the last branches: each branch is one of the program,
 * and has its right share of all; and nobody sees branches of another program or of the kernel,
 * which is checked for that many seconds (10). For types and filters see perf's test.
 */
#include "pingpong.h"
#include "ring.h"

/*
 * The walk: two rounds have sixteen branches, half of the 32 that a sample has. So all shares are
 * exact in each sample, wherever it is taken. No compressed instructions: each has four bytes.
 */
extern const char walk_code[], walk_end[];
static void (*const walk)(uint64_t rounds) = (void (*)(uint64_t))walk_code;

__asm__(".option push\n"
	".option norvc\n"
	".balign 4096\n"
	".global walk_code, walk_end\n"
	"walk_code:	mv	t3, ra\n"            /* 0 */
	"	lla	t4, 5f\n"                    /* 4, 8 */
	"	lla	t5, 4f\n"                    /* 12, 16 */
	"1:	jal	ra, 5f\n"                    /* 20 -> 60 */
	"	jalr	ra, t4\n"                    /* 24 -> 60 */
	"	j	2f\n"                        /* 28 -> 36 */
	"	nop\n"                               /* 32 */
	"2:	andi	t0, a0, 1\n"                 /* 36 */
	"	bnez	t0, 3f\n"                    /* 40 -> 48 */
	"	j	3f\n"                        /* 44 -> 48 */
	"3:	jr	t5\n"                        /* 48 -> 52 */
	"4:	addi	a0, a0, -1\n"                /* 52 */
	"	bnez	a0, 1b\n"                    /* 56 -> 20 */
	"5:	beqz	a0, 6f\n"                    /* 60 -> 68, at the end only */
	"	ret\n"                               /* 64 -> 24, 28 */
	"6:	jr	t3\n"                        /* 68 */
	"walk_end:\n"
	".balign 4096\n"
	".option pop\n");

/* Round: call, return, indirect call, return, jump, branch or jump, indirect jump, loop */
static const struct edge {
	uint16_t from, to, end;	/* end: the last instruction after it without another branch */
	uint8_t in_32;	/* of 32 records */
} edges[] = {
	{ 20, 60, 64, 4 },
	{ 24, 60, 64, 4 },
	{ 28, 36, 44, 4 },
	{ 40, 48, 48, 2 },
	{ 44, 48, 48, 2 },
	{ 48, 52, 60, 4 },
	{ 56, 20, 20, 4 },
	{ 60, 68, 68, 0 },
	{ 64, 24, 24, 4 },
	{ 64, 28, 28, 4 },
};

#define USER_ANY	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static unsigned int entries;
static bool interrupts;

static bool is_kernel(uint64_t address)
{
	return (int64_t)address < 0;
}

static bool is_in_walk(uint64_t address)
{
	return address >= (uintptr_t)walk && address < (uintptr_t)walk_end;
}

static const struct edge *edge_of(const struct perf_branch_entry *b)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(edges); i++)
		if (b->from == (uintptr_t)walk + edges[i].from &&
		    b->to == (uintptr_t)walk + edges[i].to)
			return &edges[i];
	return NULL;
}

/* Return: an event of this program's cycles with these branches, sampled @hz times a second. */
static struct perf_event_attr sampler(uint64_t branches, unsigned int hz)
{
	struct perf_event_attr attr = event(CYCLES);

	attr.exclude_kernel = 1;
	attr.sample_period = per_second(attr, spin_load) / hz ?: 1;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = branches;
	return attr;
}

static void walk_load(void)
{
	walk(200000);
}

/* ---- the walk ---- */

/* What look_*() have found */
static struct {
	unsigned int samples, full, unlike, apart, kernel, wrong;
	uint64_t edge[ARRAY_SIZE(edges)], known, other;
} seen;

static void look_walk(const struct record *r)
{
	const struct edge *newest = r->branches ? edge_of(&r->branch[0]) : NULL;
	unsigned int known = 0;

	seen.samples++;
	for (unsigned int i = 0; i < r->branches; i++) {
		const struct perf_branch_entry *b = &r->branch[i];
		const struct edge *e = edge_of(b);

		seen.kernel += is_kernel(b->from) || is_kernel(b->to);
		if (e) {
			known++;
		} else if (is_in_walk(b->from) && is_in_walk(b->to)) {
			seen.wrong++;
			note("%#llx -> %#llx", b->from - (uintptr_t)walk, b->to - (uintptr_t)walk);
		} else {
			seen.other++;
		}
		/* Each branch begins where the previous one has led, or after that. */
		if (i && e && edge_of(b - 1) &&
		    ((b - 1)->from < b->to || (b - 1)->from > (uintptr_t)walk + e->end))
			seen.unlike++;
	}
	seen.known += known;
	if (known != entries)
		return;
	seen.full++;
	for (unsigned int i = 0; i < entries; i++)
		seen.edge[edge_of(&r->branch[i]) - edges]++;
	if (r->ip < (uintptr_t)walk + newest->to || r->ip > (uintptr_t)walk + newest->end)
		seen.apart++;
}

/* Shares are exact, except at the beginning or end of a walk: 2 % are 3 of 150 samples. */
static bool has_right_shares(void)
{
	bool right = seen.full;

	for (unsigned int i = 0; i < ARRAY_SIZE(edges); i++) {
		const double share = 100.0 * seen.edge[i] / (seen.full * entries ?: 1);
		const double due = 100.0 * edges[i].in_32 / 32;

		note("%u -> %u: %.1f %%", edges[i].from, edges[i].to, share);
		right = right && share > due - 2 && share < due + 2;
	}
	return right;
}

static void test_walk(void)
{
	struct sampled s;

	memset(&seen, 0, sizeof(seen));
	s = sample_load(sampler(USER_ANY, 500), 0, -1, 2000, walk_load, look_walk);
	note("%u samples, %u with the walk alone, %lu records of it, %lu others", seen.samples,
	     seen.full, seen.known, seen.other);
	check(s.fd >= 0 && seen.full > 100, "samples_have_branches");
	check(!seen.wrong && seen.known, "each_branch_of_the_walk_is_one_of_its_own");
	check(!seen.unlike && seen.known, "each_branch_begins_after_the_one_before");
	check(has_right_shares(), "shares_are_those_of_the_walk");
	note("%u of %u samples are not where their newest branch leads", seen.apart, seen.full);
	check(!seen.apart && seen.full, "newest_branch_leads_to_the_sample");
	check(!seen.kernel, "user_sees_no_kernel_address");
}

/* Calls that have not returned, for demo_shared */
enum { DEPTH = 12 };

static __attribute__((noinline, noclone, noipa)) void recurse(unsigned int n)
{
	if (n)
		recurse(n - 1);
	else
		work(20000);
	asm volatile("");
}

static void recurse_load(void)
{
	recurse(DEPTH);
	asm volatile(""); /* else it is a jump */
}

/* ---- nobody sees another's ---- */

/* A program whose code is a copy of the page of the walk, elsewhere */
#define FOREIGN		((void *)0x200000000)

static void copy_walk(void)
{
	if (mmap(FOREIGN, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		 -1, 0) != FOREIGN)
		exit(1);
	memcpy(FOREIGN, walk_code, 4096);
	if (mprotect(FOREIGN, 4096, PROT_READ | PROT_EXEC))
		exit(1);
	__builtin___clear_cache(FOREIGN, (char *)FOREIGN + 4096);
}

static bool is_foreign(const struct perf_branch_entry *b)
{
	return b->from / 4096 == (uintptr_t)FOREIGN / 4096 ||
	       b->to / 4096 == (uintptr_t)FOREIGN / 4096;
}

static void look_foreign(const struct record *r)
{
	for (unsigned int i = 0; i < r->branches; i++) {
		const struct perf_branch_entry *b = &r->branch[i];
		const bool foreign = is_foreign(b);

		seen.known += !!edge_of(b);
		seen.kernel += is_kernel(b->from) || is_kernel(b->to);
		seen.wrong += foreign;
		if (foreign && seen.wrong < 10)
			note("%#llx -> %#llx", b->from, b->to);
	}
}

/* Not shorter: a sample by timer waits until the timer finds the program in user mode. */
static void yielding_load(void)
{
	walk(2000);
	sched_yield();
}

static volatile uint64_t *other_walks; /* in memory that both programs have */

/* As a user without rights, while one with rights samples another program on this CPU */
static bool sees_only_itself(unsigned int ms)
{
	struct perf_event_attr attr = sampler(USER_ANY, 2000);
	const uint64_t end = now_ns() + ms * 1000000ULL, walks = *other_walks;
	uint64_t samples = 0;
	struct ring ring;

	if (setgid(65534) || setuid(65534))
		return false;
	ring = ring_open(&attr, 0, -1, -1);
	if (ring.fd < 0)
		return false;
	/* The ring holds some 600 samples. */
	while (now_ns() < end) {
		run_load(100, yielding_load);
		samples += ring_look(&ring, look_foreign).samples;
	}
	ring_close(&ring);
	note("%lu samples: %lu branches of its own, %u of another program, %u of the kernel",
	     samples, seen.known, seen.wrong, seen.kernel);
	note("the other program walked %lu times", *other_walks - walks);
	/* 2000 samples are asked for in each second in which it runs. */
	return samples > ms / 250 && seen.known && !seen.wrong && !seen.kernel &&
	       *other_walks - walks > samples / 10;
}

static unsigned int hunt_ms = 5000;

static bool hunt(void)
{
	return sees_only_itself(hunt_ms);
}

static void test_others(void)
{
	struct perf_event_attr attr = sampler(PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER |
					      (interrupts ? PERF_SAMPLE_BRANCH_KERNEL : 0), 100);
	int cpu_wide, paranoid;
	pid_t pid;

	pin(0);
	other_walks = mmap(NULL, sizeof(*other_walks), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (other_walks == MAP_FAILED)
		exit(1);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		copy_walk();
		for (;;) {
			((void (*)(uint64_t))FOREIGN)(2000);
			++*other_walks;
			sched_yield();
		}
	}
	memset(&seen, 0, sizeof(seen));
	paranoid = read_number(PARANOID);
	write_number(PARANOID, 2);
	check(run_in_child(hunt), "user_sees_only_own_branches");
	/* Of another event: QEMU counts only one of several equal events with different filters. */
	attr.config = INSTRUCTIONS;
	attr.exclude_kernel = !interrupts;
	cpu_wide = perf_try(&attr, -1, 0, -1);
	check(cpu_wide >= 0, "cpu_wide_opens");
	check(run_in_child(hunt), "user_sees_only_own_branches_beside_cpu_wide");
	close(cpu_wide);
	write_number(PARANOID, paranoid);
	stop_child(pid);
}

/* ---- costs, where instructions are the clock ---- */

enum { RUNS = 9, PERIODS = 20 };

/* Return: ns of the shortest run of so many periods */
static uint64_t least_periods(unsigned int period)
{
	uint64_t least = UINT64_MAX;

	for (unsigned int i = 0; i < RUNS; i++) {
		const uint64_t start = now_ns();

		work(PERIODS * period / 2);
		if (now_ns() - start < least)
			least = now_ns() - start;
	}
	return least;
}

/* A switch beside one between tasks with dummy events: what is more is the PMU's. */
static void show_costs(unsigned int icount)
{
	static const struct {
		const char *name;
		uint64_t branches;
	} rows[] = {
		{ "no branches", 0 },
		{ "any,u", USER_ANY },
		{ "call_stack,u", PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK },
	};
	enum { PERIOD = 1000000, ROUNDS = 200 };
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.read_format = READ_TIMES,
	};
	const int64_t none = pingpong_median_ns(&dummy, 1, ROUNDS), plain = least_periods(PERIOD);
	bool measured = none > 0;

	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = event(CYCLES);
		int64_t rounds, wide, periods;
		struct ring ring;
		int fd;

		attr.exclude_kernel = 1;
		attr.sample_period = 1ULL << 40;
		attr.sample_type = rows[i].branches ? PERF_SAMPLE_BRANCH_STACK : 0;
		attr.branch_sample_type = rows[i].branches;
		rounds = pingpong_median_ns(&attr, 1, ROUNDS);
		fd = perf_try(&attr, -1, 0, -1);
		wide = pingpong_median_ns(&dummy, 1, ROUNDS);
		close(fd);
		attr.sample_period = PERIOD;
		ring = ring_open(&attr, 0, -1, -1);
		walk(100);
		periods = least_periods(PERIOD);
		measured = measured && fd >= 0 && ring.fd >= 0 && rounds > 0 && wide > 0 &&
			   ring_look(&ring, NULL).samples >= RUNS * (PERIODS - 1);
		ring_close(&ring);
		note("%s: %ld instructions a switch, %ld if CPU-wide, %ld a sample", rows[i].name,
		     (rounds - none) / (2 * ROUNDS) >> icount,
		     (wide - none) / (2 * ROUNDS) >> icount,
		     (periods - plain) / PERIODS >> icount);
	}
	check(measured, "costs_are_measured");
}

int main(int argc, char **argv)
{
	const char *stress = getenv("LAB_STRESS_SECONDS");
	char text[16];

	if (argc > 1 && !strcmp(argv[1], "recurse")) {
		run_load(500, recurse_load);
		return 0;
	}
	begin();
	if (stress || argc > 1)
		hunt_ms = strtoul(stress ?: argv[1], NULL, 0) * 500;
	limits_raise();
	entries = pmu_number("caps/branches");
	interrupts = pmu_text("caps/overflow", text, sizeof(text)) && !strcmp(text, "lcofi");
	if (!entries) {
		struct perf_event_attr attr = sampler(USER_ANY, 100);

		check(perf_try(&attr, 0, -1, -1) == -EOPNOTSUPP,
		      "without_records_branches_are_eopnotsupp");
	} else {
		note("%u entries", entries);
		test_walk();
		test_others();
		if (getenv("LAB_ICOUNT"))
			show_costs(atoi(getenv("LAB_ICOUNT")));
	}
	limits_restore();
	return end();
}
