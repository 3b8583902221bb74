/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fakesbi - one hart's SBI PMU firmware and counters, in memory, with faults
 * on demand. Pure; there is one, as a test needs no more.
 */
#ifndef FAKESBI_H
#define FAKESBI_H

#include "../../drivers/perf/sbi_pmu/slot.h"

struct fakesbi_ctr {
	xlen_t info;	/* counter_info; 0: no counter at this index */
	u64 value;
	struct sbi_pmu_code code;
	bool configured;
	bool running;
};

/**
 * struct fakesbi - state, and the switches for faults
 * @ctr: counters by logical index
 * @can: whether a counter can hold an event; NULL: a hardware one any hardware
 *	 event, a firmware one any firmware event
 * @ignore_mask: cycles and instructions go to counter 0 and 2 whatever is
 *	 offered (OpenSBI without Sscofpmf, KVM)
 * @tied: an event counts on the first counter that holds it, as in QEMU, and
 *	 as firmware events do in OpenSBI
 * @refuse: one in so many configurations is refused; 0: none
 * @stray: one in so many takes a counter that was not offered
 * @start_fails: one in so many STARTs fails
 * @read_fails: one in so many reads of a firmware counter fails
 * @broken: rules that the driver broke, counted; @why the last
 */
struct fakesbi {
	struct fakesbi_ctr ctr[SBI_PMU_MAX_CTRS];
	bool (*can)(const struct sbi_pmu_code *code, unsigned int idx);
	bool ignore_mask;
	bool tied;
	unsigned int refuse, stray, start_fails, read_fails;
	unsigned int broken;
	const char *why;
};

extern struct fakesbi fakesbi;

void fakesbi_reset(unsigned int hpm, unsigned int firmware, unsigned int width);
struct sbi_pmu_ret fakesbi_call(unsigned int fid, const xlen_t arg[SBI_PMU_ARGS]);
int fakesbi_read_csr(unsigned int csr, u64 *value);
u64 fakesbi_rate(const struct sbi_pmu_code *code);
void fakesbi_run(u64 ticks);
unsigned int fakesbi_random(void);

#endif
