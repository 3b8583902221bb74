// SPDX-License-Identifier: GPL-2.0-only
/*
 * samples - sample cycles for a tenth of a second, of whatever PMU has them, and print how many
 * samples there were. In QEMU perf record and perf script take six seconds for that.
 */
#include "ring.h"

int main(void)
{
	struct perf_event_attr attr = HARDWARE(CPU_CYCLES, .sample_period = 1000000);
	const struct sampled s = sample_load(attr, 0, -1, 100, spin_load, NULL);

	printf("fd %d, %lu samples\n", s.fd, s.totals.samples);
	return !s.totals.samples;
}
