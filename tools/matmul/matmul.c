// SPDX-License-Identifier: GPL-2.0-only
/*
 * matmul - a matrix multiply, naive and blocked, and what a core makes of each.
 *
 * An example of region.h: sets of events, one after another, each around the same
 * work. Sets that this machine cannot count say why.
 */
#include <time.h>

#include "../../include/sbi_pmu/region.h"

enum { SETS = 16, VARIANTS = 2, LIST = 512 };

static const char *const default_sets[] = {
	"instructions,cycles",
	"instructions,branches,branch-misses",
	"instructions,cache-references,cache-misses",
	"instructions,L1-dcache-loads,L1-dcache-load-misses",
	"instructions,dTLB-load-misses,dTLB-store-misses",
	"instructions,stalled-cycles-frontend,stalled-cycles-backend",
	"instructions,front_bubble,memstall_l1miss,memstall_l2miss",
};

/* Numbers without rounding, so that the order of additions does not matter. */
struct matrices {
	unsigned int size;
	unsigned int block;
	uint32_t *a;
	uint32_t *b;
	uint32_t *c[VARIANTS];
};

/* Under its own name in a profile. */
#define PROFILED	__attribute__((noinline, noclone))

/* Each element of the product by itself: b is read down its columns. */
static PROFILED void naive(const struct matrices *m, uint32_t *c)
{
	const unsigned int n = m->size;

	for (unsigned int i = 0; i < n; i++)
		for (unsigned int j = 0; j < n; j++) {
			uint32_t sum = 0;

			for (unsigned int k = 0; k < n; k++)
				sum += m->a[i * n + k] * m->b[k * n + j];
			c[i * n + j] = sum;
		}
}

/* One block times another, along the rows of both: they stay in the cache meanwhile. */
static inline void multiply_block(const struct matrices *m, uint32_t *c, unsigned int i0,
				  unsigned int j0, unsigned int k0)
{
	const unsigned int n = m->size;
	const unsigned int i1 = i0 + m->block < n ? i0 + m->block : n;
	const unsigned int j1 = j0 + m->block < n ? j0 + m->block : n;
	const unsigned int k1 = k0 + m->block < n ? k0 + m->block : n;

	for (unsigned int i = i0; i < i1; i++)
		for (unsigned int k = k0; k < k1; k++) {
			const uint32_t a = m->a[i * n + k];

			for (unsigned int j = j0; j < j1; j++)
				c[i * n + j] += a * m->b[k * n + j];
		}
}

static PROFILED void blocked(const struct matrices *m, uint32_t *c)
{
	const unsigned int n = m->size;

	memset(c, 0, sizeof(*c) * n * n);
	for (unsigned int i = 0; i < n; i += m->block)
		for (unsigned int k = 0; k < n; k += m->block)
			for (unsigned int j = 0; j < n; j += m->block)
				multiply_block(m, c, i, j, k);
}

static const struct {
	const char *name;
	void (*multiply)(const struct matrices *m, uint32_t *c);
} variants[VARIANTS] = {
	{ "naive", naive },
	{ "blocked", blocked },
};

static uint32_t *new_matrix(unsigned int n, uint32_t seed)
{
	uint32_t *m = (uint32_t *)malloc(sizeof(*m) * n * n);

	for (unsigned int i = 0; m && i < n * n; i++) {
		seed = seed * 1664525 + 1013904223;
		m[i] = seed >> 24;
	}
	return m;
}

static bool new_matrices(struct matrices *m)
{
	bool all;

	m->a = new_matrix(m->size, 1);
	m->b = new_matrix(m->size, 2);
	all = m->a && m->b;
	/* Filled too, lest the first to be measured have the page faults. */
	for (unsigned int v = 0; v < VARIANTS; v++) {
		m->c[v] = new_matrix(m->size, 3);
		all = all && m->c[v];
	}
	return all;
}

static uint32_t checksum(const struct matrices *m, const uint32_t *c)
{
	uint32_t sum = 2166136261;

	for (unsigned int i = 0; i < m->size * m->size; i++)
		sum = (sum ^ c[i]) * 16777619;
	return sum;
}

/* 12345678 as 12,345,678 */
static const char *grouped(uint64_t value, char text[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value), at = 0;

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}

/* How the numbers of a region came about. */
static const char *manner(const struct region_sum *sum)
{
	if (sum->scaled)
		return "estimated";
	return sum->direct == sum->regions ? "direct" : "by read(2)";
}

static int index_of(const struct region *r, const char *name)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!strncmp(r->name[i], name, strlen(name)) &&
		    strchr(":", r->name[i][strlen(name)]))
			return i;
	return -1;
}

/* Beside each count how many there are in a thousand instructions, if those are counted. */
static void print_row(const struct region_sum *sums, const char *name, unsigned int i,
		      int instructions)
{
	char text[32];

	printf("  %-28s", name);
	for (unsigned int v = 0; v < VARIANTS; v++) {
		const uint64_t all = instructions < 0 ? 0 : sums[v].count[instructions];

		printf("%17s", grouped(sums[v].count[i], text));
		if (all && (int)i != instructions)
			printf("%10.2f", 1000.0 * sums[v].count[i] / all);
		else
			printf("%10s", "");
	}
	putchar('\n');
}

static void print_set(const struct region *r, const struct region_sum *sums)
{
	const int cycles = index_of(r, "cycles"), instructions = index_of(r, "instructions");

	for (unsigned int i = 0; i < r->n; i++)
		print_row(sums, r->name[i], i, instructions);
	if (cycles >= 0 && instructions >= 0) {
		printf("  %-28s", "instructions per cycle");
		for (unsigned int v = 0; v < VARIANTS; v++)
			printf("%17.2f%10s", sums[v].count[cycles] ?
			       (double)sums[v].count[instructions] / sums[v].count[cycles] : 0, "");
		putchar('\n');
	}
	printf("  %-28s", "");
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("%17s%10s", manner(&sums[v]), "");
	printf("\n\n");
}

/* Each variant in a region of its own. Returns whether they could be counted. */
static bool measure(const struct matrices *m, const char *events, bool direct)
{
	struct region_sum sums[VARIANTS] = {};
	struct region r;
	int error = region_open(&r, events);

	for (unsigned int v = 0; v < VARIANTS && !error; v++) {
		r.direct &= direct;
		error = region_begin(&r);
		variants[v].multiply(m, m->c[v]);
		error = error ? error : region_end(&r, &sums[v]);
	}
	if (error)
		printf("  %s\n    not counted: %s\n\n", events, region_why(&r, error));
	else
		print_set(&r, sums);
	region_close(&r);
	return !error;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Both variants @rounds times without a counter, and what each took: to profile them. */
static void run_timed(const struct matrices *m, unsigned int rounds)
{
	double seconds[VARIANTS] = {}, all = 0;

	for (unsigned int i = 0; i < rounds; i++)
		for (unsigned int v = 0; v < VARIANTS; v++) {
			const double start = seconds_now();

			variants[v].multiply(m, m->c[v]);
			seconds[v] += seconds_now() - start;
		}
	for (unsigned int v = 0; v < VARIANTS; v++)
		all += seconds[v];
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("  %-10s%8.3f s by the clock%8.2f %%\n", variants[v].name, seconds[v],
		       all > 0 ? 100 * seconds[v] / all : 0);
}

/* "cycles,instructions" as "cycles:u,instructions:u"; what says its modes keeps them. */
static void user_only(const char *events, char list[LIST])
{
	size_t at = 0;

	while (*events && at < LIST) {
		const size_t n = region_word(events);
		const char *u = memchr(events, ':', n) || memchr(events, '/', n) ? "" : ":u";

		at += snprintf(list + at, LIST - at, "%.*s%s%s", (int)n, events, u,
			       events[n] ? "," : "");
		events += n + !!events[n];
	}
}

static int usage(const char *name)
{
	fprintf(stderr, "usage: %s [-n SIZE] [-b BLOCK] [-e EVENTS]... [-r] [-u] [-t ROUNDS]\n",
		name);
	return 2;
}

int main(int argc, char **argv)
{
	struct matrices m = { .size = 128, .block = 16 };
	const char *const *set = default_sets;
	unsigned int sets = sizeof(default_sets) / sizeof(*default_sets), own = 0, counted = 0;
	unsigned int rounds = 0;
	const char *chosen[SETS];
	bool direct = true, user = false, equal;
	int option;

	while ((option = getopt(argc, argv, "n:b:e:rut:")) != -1) {
		if (option == 'n')
			m.size = atoi(optarg);
		else if (option == 'b')
			m.block = atoi(optarg);
		else if (option == 'e' && own < SETS)
			chosen[own++] = optarg;
		else if (option == 'r')
			direct = false;
		else if (option == 'u')
			user = true;
		else if (option == 't' && atoi(optarg) > 0)
			rounds = atoi(optarg);
		else
			return usage(argv[0]);
	}
	if (optind != argc || m.size - 1 > 4095 || m.block - 1 > 4095)
		return usage(argv[0]);
	if (own) {
		set = chosen;
		sets = own;
	}
	if (!new_matrices(&m)) {
		perror(argv[0]);
		return 1;
	}

	if (rounds) {
		run_timed(&m, rounds);
		return 0;
	}
	printf("%u x %u numbers of 32 bits, in blocks of %u\n\n%-30s", m.size, m.size, m.block, "");
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("%17s%10s", variants[v].name, "per 1000");
	putchar('\n');
	for (unsigned int i = 0; i < sets; i++) {
		char list[LIST];

		if (user)
			user_only(set[i], list);
		counted += measure(&m, user ? list : set[i], direct);
	}
	/* Also where nothing could be counted, and nothing has been multiplied. */
	for (unsigned int v = 0; v < VARIANTS; v++)
		variants[v].multiply(&m, m.c[v]);
	equal = !memcmp(m.c[0], m.c[1], sizeof(uint32_t) * m.size * m.size);
	printf("both products are %s, checksum %08x\n", equal ? "equal" : "NOT equal",
	       checksum(&m, m.c[0]));
	return equal && counted ? 0 : 1;
}
