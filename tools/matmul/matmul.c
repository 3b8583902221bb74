// SPDX-License-Identifier: GPL-2.0-only
/*
 * matmul - compare a naive and a blocked matrix multiplication by counted events.
 *
 * An example of region.h: each set of events is counted around the same work. For a set
 * that this machine cannot count, the reason is printed.
 */
#include <time.h>

#include "../../include/sbi_pmu/region.h"

enum { SETS = 16, VARIANTS = 2, LIST = 512 };

static const char * const default_sets[] = {
	"instructions,cycles",
	"instructions,cycles,branches,branch-misses",
	"instructions,cycles,cache-references,cache-misses",
	"instructions,cycles,L1-dcache-loads,L1-dcache-load-misses",
	"instructions,cycles,dTLB-load-misses,dTLB-store-misses",
	"instructions,cycles,stalled-cycles-frontend,stalled-cycles-backend",
	"instructions,cycles,front_bubble,memstall_l1miss,memstall_l2miss",
};

/* Integers: without rounding, both variants give the same product. */
struct matrices {
	unsigned int size;
	unsigned int block;
	uint32_t *a;
	uint32_t *b;
	uint32_t *c[VARIANTS];
};

/* Keep the function under its own name, so that a profile shows it. */
#define PROFILED	__attribute__((noinline, noclone))

/* Compute one element of the product after another: b is read by columns. */
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

/* Multiply two blocks along their rows: both stay in the cache. */
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

static uint32_t *allocate_matrix(unsigned int n, uint32_t seed)
{
	uint32_t *m = (uint32_t *)malloc(sizeof(*m) * n * n);

	for (unsigned int i = 0; m && i < n * n; i++) {
		seed = seed * 1664525 + 1013904223;
		m[i] = seed >> 24;
	}
	return m;
}

static bool allocate_matrices(struct matrices *m)
{
	bool all;

	m->a = allocate_matrix(m->size, 1);
	m->b = allocate_matrix(m->size, 2);
	all = m->a && m->b;
	/* Also written here, so that the first measurement does not include page faults. */
	for (unsigned int v = 0; v < VARIANTS; v++) {
		m->c[v] = allocate_matrix(m->size, 3);
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
static const char *format_count(uint64_t value, char text[32])
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

/* How the counters were read, see OUTPUT in matmul.1. */
static const char *read_method(const struct region_sum *sum)
{
	if (sum->scaled)
		return "estimated";
	return sum->direct == sum->regions ? "user space" : "by read(2)";
}

/* Return: the index of the event @name, with or without modes, or -1. */
static int event_index(const struct region *r, const char *name)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!strncmp(r->name[i], name, strlen(name)) &&
		    strchr(":", r->name[i][strlen(name)]))
			return i;
	return -1;
}

/* Print the counts of an event, also per 1000 instructions if the set has instructions. */
static void print_event(const struct region_sum *sums, const char *name, unsigned int i,
			int instructions)
{
	char text[32];

	printf("  %-28s", name);
	for (unsigned int v = 0; v < VARIANTS; v++) {
		const uint64_t retired = instructions < 0 ? 0 : sums[v].count[instructions];

		printf("%17s", format_count(sums[v].count[i], text));
		if (retired && (int)i != instructions)
			printf("%10.2f", 1000.0 * sums[v].count[i] / retired);
		else
			printf("%10s", "");
	}
	putchar('\n');
}

static void print_set(const struct region *r, const struct region_sum *sums, const double *seconds)
{
	const int cycles = event_index(r, "cycles"), instructions = event_index(r, "instructions");

	for (unsigned int i = 0; i < r->n; i++)
		print_event(sums, r->name[i], i, instructions);
	if (cycles >= 0 && instructions >= 0) {
		printf("  %-28s", "instructions per cycle");
		for (unsigned int v = 0; v < VARIANTS; v++)
			printf("%17.2f%10s",
			       sums[v].count[cycles] ?
				       (double)sums[v].count[instructions] / sums[v].count[cycles] :
				       0,
			       "");
		putchar('\n');
	}
	printf("  %-28s", "CPU time");
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("%14.3f ms%10s", seconds[v] * 1000, "");
	printf("\n  %-28s", "");
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("%17s%10s", read_method(&sums[v]), "");
	printf("\n\n");
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Count one set of events for each variant. Return: whether it could be counted. */
static bool measure(const struct matrices *m, const char *events, bool user_space)
{
	struct region_sum sums[VARIANTS] = {};
	double seconds[VARIANTS];
	struct region r;
	int error = region_open(&r, events);

	for (unsigned int v = 0; v < VARIANTS && !error; v++) {
		/* Outside of the region: reading this clock is a system call. */
		const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

		r.direct &= user_space;
		error = region_begin(&r);
		variants[v].multiply(m, m->c[v]);
		error = error ? error : region_end(&r, &sums[v]);
		seconds[v] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
	}
	if (error)
		printf("  %s\n    not counted: %s\n\n", events, region_why(&r, error));
	else
		print_set(&r, sums, seconds);
	region_close(&r);
	return !error;
}

/* Run both variants @rounds times without counting, for a profiler; print their times. */
static void run_timed(const struct matrices *m, unsigned int rounds)
{
	double seconds[VARIANTS] = {}, all = 0;

	for (unsigned int i = 0; i < rounds; i++)
		for (unsigned int v = 0; v < VARIANTS; v++) {
			const double start = seconds_of(CLOCK_MONOTONIC);

			variants[v].multiply(m, m->c[v]);
			seconds[v] += seconds_of(CLOCK_MONOTONIC) - start;
		}
	for (unsigned int v = 0; v < VARIANTS; v++)
		all += seconds[v];
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("  %-10s%8.3f s by the clock%8.2f %%\n", variants[v].name, seconds[v],
		       all > 0 ? 100 * seconds[v] / all : 0);
}

/* Add ":u" to each event; events with a mode or in pmu/terms/ form are not changed. */
static void add_user_mode(const char *events, char list[LIST])
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

/**
 * struct options - the command line
 * @set: sets of events to count, @sets of them
 * @chosen: sets given with -e
 * @size: rows and columns of a matrix
 * @block: rows and columns of a block
 * @rounds: multiply this often and count nothing; 0: count
 * @user_space: read counters from user space where that is possible
 * @user_mode: count in user mode only
 */
struct options {
	const char * const *set;
	unsigned int sets;
	const char *chosen[SETS];
	unsigned int size;
	unsigned int block;
	unsigned int rounds;
	bool user_space;
	bool user_mode;
};

/* Return: false if the command line is wrong. */
static bool parse_options(struct options *o, int argc, char **argv)
{
	unsigned int chosen = 0;
	int option;

	while ((option = getopt(argc, argv, "n:b:e:rut:")) != -1) {
		if (option == 'n')
			o->size = atoi(optarg);
		else if (option == 'b')
			o->block = atoi(optarg);
		else if (option == 'e' && chosen < SETS)
			o->chosen[chosen++] = optarg;
		else if (option == 'r')
			o->user_space = false;
		else if (option == 'u')
			o->user_mode = true;
		else if (option == 't' && atoi(optarg) > 0)
			o->rounds = atoi(optarg);
		else
			return false;
	}
	if (chosen) {
		o->set = o->chosen;
		o->sets = chosen;
	}
	return optind == argc && o->size - 1 <= 4095 && o->block - 1 <= 4095;
}

/* Return: how many sets could be counted. */
static unsigned int measure_sets(const struct matrices *m, const struct options *o)
{
	unsigned int counted = 0;

	printf("%u x %u numbers of 32 bits, in blocks of %u\n\n%-30s", m->size, m->size, m->block,
	       "");
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("%17s%10s", variants[v].name, "per 1000");
	putchar('\n');
	for (unsigned int i = 0; i < o->sets; i++) {
		char list[LIST];

		if (o->user_mode)
			add_user_mode(o->set[i], list);
		counted += measure(m, o->user_mode ? list : o->set[i], o->user_space);
	}
	return counted;
}

/* Return: whether both variants give the same product. */
static bool compare_products(const struct matrices *m)
{
	bool equal;

	/* If no set could be counted, nothing has been multiplied yet. */
	for (unsigned int v = 0; v < VARIANTS; v++)
		variants[v].multiply(m, m->c[v]);
	equal = !memcmp(m->c[0], m->c[1], sizeof(uint32_t) * m->size * m->size);
	printf("both products are %s, checksum %08x\n", equal ? "equal" : "NOT equal",
	       checksum(m, m->c[0]));
	return equal;
}

int main(int argc, char **argv)
{
	struct options o = {
		.set = default_sets,
		.sets = sizeof(default_sets) / sizeof(*default_sets),
		.size = 128,
		.block = 16,
		.user_space = true,
	};
	struct matrices m = {};
	unsigned int counted;

	if (!parse_options(&o, argc, argv)) {
		fprintf(stderr,
			"usage: %s [-n SIZE] [-b BLOCK] [-e EVENTS]... [-r] [-u] [-t ROUNDS]\n",
			argv[0]);
		return 2;
	}
	m.size = o.size;
	m.block = o.block;
	if (!allocate_matrices(&m)) {
		fprintf(stderr, "%s: no memory for the matrices: try a smaller -n\n", argv[0]);
		return 1;
	}
	if (o.rounds) {
		run_timed(&m, o.rounds);
		return 0;
	}
	counted = measure_sets(&m, &o);
	return compare_products(&m) && counted ? 0 : 1;
}
