// SPDX-License-Identifier: GPL-2.0-only
/*
 * known [MILLIONS [own]] - execute a loop of a known number of instructions (by default 100
 * million), for 'make run'. With a second argument also count them with include/sbi_pmu/region.h.
 */
#include "../../include/sbi_pmu/region.h"
#include "harness.h"

int main(int argc, char **argv)
{
	const uint64_t expected = 1000000ULL * (argc > 1 ? atoi(argv[1]) : 100);
	struct region_sum sum = {};
	struct region r;
	int error;

	printf("expected of the loop       %11lu instructions\n", expected);
	if (argc <= 2) {
		work(expected / 2);
		return 0;
	}
	error = region_open(&r, "instructions");
	error = error ? error : region_begin(&r);
	work(expected / 2);
	error = error ? error : region_end(&r, &sum);
	if (error)
		printf("its own counter            not counted: %s\n", region_why(&r, error));
	else
		printf("its own counter            %11lu instructions (%s)\n",
		       (unsigned long)sum.count[0], sum.direct ? "read without a system call" :
		       "read with a system call");
	region_close(&r);
	return 0;
}
