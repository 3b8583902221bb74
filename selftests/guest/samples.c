// SPDX-License-Identifier: GPL-2.0-only
/*
 * samples [PMU [user]] - sample cycles for 0.3 s, of that PMU or of whatever has them, and print
 * how many samples there were. In QEMU perf record and perf script take six seconds for that.
 */
#include "ring.h"

int main(int argc, char **argv)
{
	struct perf_event_attr attr = HARDWARE(CPU_CYCLES, .sample_period = 1000000);
	char type[64];
	struct sampled s;

	if (argc > 1) {
		snprintf(type, sizeof(type), PMU_DEVICES "%s/type", argv[1]);
		attr.config |= (uint64_t)read_number(type) << PERF_PMU_TYPE_SHIFT;
	}
	attr.exclude_kernel = argc > 2;
	s = sample_load(attr, 0, -1, 300, spin_load, NULL);
	printf("fd %d, %lu samples\n", s.fd, s.totals.samples);
	return !s.totals.samples;
}
