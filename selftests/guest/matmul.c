// SPDX-License-Identifier: GPL-2.0-only
/*
 * matmul [-n SIZE] [-t ROUNDS] [-e EVENTS]... - a naive and a blocked matrix multiplication, to be
 * profiled: prints the time of each by the clock, or with -e what region.h counts in each.
 */
#include <time.h>

#include "../../include/sbi_pmu/region.h"

enum { SETS = 4, VARIANTS = 2, BLOCK = 16 };

static unsigned int size = 128;
static uint32_t *a, *b, *product[VARIANTS];

/* Keep the function under its own name, so that a profile shows it. */
#define PROFILED	__attribute__((noinline, noclone))

/* One element of the product after another: b is read by columns. */
static PROFILED void naive(uint32_t *c)
{
	for (unsigned int i = 0; i < size; i++)
		for (unsigned int j = 0; j < size; j++) {
			uint32_t sum = 0;

			for (unsigned int k = 0; k < size; k++)
				sum += a[i * size + k] * b[k * size + j];
			c[i * size + j] = sum;
		}
}

/* Two blocks along their rows: both stay in the cache. */
static inline void multiply_block(uint32_t *c, unsigned int i0, unsigned int j0, unsigned int k0)
{
	for (unsigned int i = i0; i < i0 + BLOCK && i < size; i++)
		for (unsigned int k = k0; k < k0 + BLOCK && k < size; k++)
			for (unsigned int j = j0; j < j0 + BLOCK && j < size; j++)
				c[i * size + j] += a[i * size + k] * b[k * size + j];
}

static PROFILED void blocked(uint32_t *c)
{
	memset(c, 0, sizeof(*c) * size * size);
	for (unsigned int i = 0; i < size; i += BLOCK)
		for (unsigned int k = 0; k < size; k += BLOCK)
			for (unsigned int j = 0; j < size; j += BLOCK)
				multiply_block(c, i, j, k);
}

static const struct {
	const char *name;
	void (*multiply)(uint32_t *c);
} variants[VARIANTS] = { { "naive", naive }, { "blocked", blocked } };

/* Filled with numbers, also so that a measurement has no page faults. */
static uint32_t *new_matrix(uint32_t seed)
{
	uint32_t *m = malloc(sizeof(*m) * size * size);

	for (unsigned int i = 0; m && i < size * size; i++) {
		seed = seed * 1664525 + 1013904223;
		m[i] = seed >> 24;
	}
	return m;
}

static double seconds_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Count one set of events for each variant. Return: whether it could be counted. */
static bool count(const char *events)
{
	struct region_sum sum[VARIANTS] = {};
	double seconds[VARIANTS];
	struct region r;
	int error = region_open(&r, events);

	for (unsigned int v = 0; v < VARIANTS && !error; v++) {
		/* Outside of the region: reading this clock is a system call. */
		const double start = seconds_of(CLOCK_PROCESS_CPUTIME_ID);

		error = region_begin(&r);
		variants[v].multiply(product[v]);
		error = error ? error : region_end(&r, &sum[v]);
		seconds[v] = seconds_of(CLOCK_PROCESS_CPUTIME_ID) - start;
	}
	if (error) {
		printf("  %s\n    not counted: %s\n", events, region_why(&r, error));
		return false;
	}
	printf("  %-28s%17s%17s\n", "", variants[0].name, variants[1].name);
	for (unsigned int i = 0; i < r.n; i++)
		printf("  %-28s%17lu%17lu\n", r.name[i], sum[0].count[i], sum[1].count[i]);
	printf("  %-28s%14.3f ms%14.3f ms\n", "CPU time", seconds[0] * 1000, seconds[1] * 1000);
	printf("  %-28s%17s\n\n", "", sum[0].scaled ? "estimated" :
	       sum[0].direct ? "read from user space" : "read by read(2)");
	region_close(&r);
	return true;
}

/* Run both variants without counting, for a profiler. */
static void run_timed(unsigned int rounds)
{
	double seconds[VARIANTS] = {};

	for (unsigned int i = 0; i < rounds * VARIANTS; i++) {
		const double start = seconds_of(CLOCK_MONOTONIC);

		variants[i % VARIANTS].multiply(product[i % VARIANTS]);
		seconds[i % VARIANTS] += seconds_of(CLOCK_MONOTONIC) - start;
	}
	for (unsigned int v = 0; v < VARIANTS; v++)
		printf("  %-10s%8.3f s by the clock%8.2f %%\n", variants[v].name, seconds[v],
		       100 * seconds[v] / (seconds[0] + seconds[1]));
}

int main(int argc, char **argv)
{
	const char *set[SETS];
	unsigned int sets = 0, rounds = 1;
	bool ok = true;
	int option;

	while ((option = getopt(argc, argv, "n:e:t:")) != -1) {
		if (option == 'n')
			size = atoi(optarg);
		else if (option == 't')
			rounds = atoi(optarg);
		else if (option == 'e' && sets < SETS)
			set[sets++] = optarg;
		else
			return 2;
	}
	a = new_matrix(1);
	b = new_matrix(2);
	product[0] = new_matrix(3);
	product[1] = new_matrix(3);
	if (!a || !b || !product[0] || !product[1])
		return 1;
	if (!sets)
		run_timed(rounds);
	for (unsigned int i = 0; i < sets; i++)
		ok &= count(set[i]);
	/* The work was done, and right. */
	return ok && !memcmp(product[0], product[1], sizeof(*a) * size * size) ? 0 : 1;
}
