/* SPDX-License-Identifier: GPL-2.0-only */
/* backend_sbi: counters by single SBI calls, one function per call (SBI 3.0, chapter 11). */
#ifndef SBI_PMU_BACKEND_SBI_H
#define SBI_PMU_BACKEND_SBI_H

#include "event_code.h"
#include "inventory.h"

#define SBI_PMU_ARGS	6
#define SBI_PMU_FIDS	(SBI_EXT_PMU_SNAPSHOT_SET_SHMEM + 1)

/* A call of the PMU extension on this hart: the ecall in sbi.c, or firmware's model on the host */
typedef struct sbiret (*sbi_pmu_call_fn)(unsigned int fid, const unsigned long arg[SBI_PMU_ARGS]);

struct sbi_pmu_sbi {
	sbi_pmu_call_fn call;    /* makes the call; set once, never NULL */
	u64 calls[SBI_PMU_FIDS]; /* number of calls, by function */
	/* in a call: its tracepoints (BPF, group reads) must not read, as our state is not right */
	bool calling;
};

int sbi_pmu_sbi_errno(long error);
int __must_check sbi_pmu_sbi_num_counters(struct sbi_pmu_sbi *sbi, unsigned long *n);
int __must_check sbi_pmu_sbi_counter_info(struct sbi_pmu_sbi *sbi, unsigned int idx,
					  unsigned long *info);
int __must_check sbi_pmu_sbi_config(struct sbi_pmu_sbi *sbi, u64 mask,
				    const struct sbi_pmu_event_code *code, unsigned int *got);
int __must_check sbi_pmu_sbi_start(struct sbi_pmu_sbi *sbi, unsigned int idx);
int __must_check sbi_pmu_sbi_start_at(struct sbi_pmu_sbi *sbi, unsigned int idx, u64 value);
int __must_check sbi_pmu_sbi_start_snapshot(struct sbi_pmu_sbi *sbi, u64 mask);
int sbi_pmu_sbi_stop(struct sbi_pmu_sbi *sbi, u64 mask);
int __must_check sbi_pmu_sbi_stop_snapshot(struct sbi_pmu_sbi *sbi, u64 mask);
int sbi_pmu_sbi_release(struct sbi_pmu_sbi *sbi, unsigned int idx);
int __must_check sbi_pmu_sbi_fw_read(struct sbi_pmu_sbi *sbi, unsigned int idx, u64 *value);
int __must_check sbi_pmu_sbi_set_shmem(struct sbi_pmu_sbi *sbi, u64 address);

#endif
