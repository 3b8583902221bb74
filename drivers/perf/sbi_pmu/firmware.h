/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * firmware: the conversation with SBI PMU firmware, one wrapper a function.
 * Pure: calls go through a pointer, to the real ecall (sbi.c) or to a model.
 */
#ifndef SBI_PMU_FIRMWARE_H
#define SBI_PMU_FIRMWARE_H

#include "counter.h"
#include "../../../include/sbi_pmu/sbi_wire.h"

/**
 * struct sbi_pmu_code - an event as firmware is told of it
 * @data: event_data
 * @idx: event_idx
 * @flags: config_flags; only the five inhibit bits
 * @unit: the unit whose counters are offered (selector.h), 0 for all; not part of what
 *	  firmware is told
 */
struct sbi_pmu_code {
	u64 data;
	u32 idx;
	u32 flags;
	u32 unit;
};

/* The same event for a counter that can hold either. */
static inline bool sbi_pmu_code_equal(const struct sbi_pmu_code *a,
				      const struct sbi_pmu_code *b)
{
	return a->idx == b->idx && a->data == b->data && a->flags == b->flags;
}

static inline bool sbi_pmu_code_is_firmware(const struct sbi_pmu_code *code)
{
	return FIELD_GET(SBI_PMU_EVENT_TYPE, code->idx) == SBI_PMU_TYPE_FIRMWARE;
}

struct sbi_pmu_ret {
	long error;
	xlen_t value;
};

#define SBI_PMU_ARGS		6

/* A call of the PMU extension on this hart. */
typedef struct sbi_pmu_ret (*sbi_pmu_call_fn)(unsigned int fid,
					      const xlen_t arg[SBI_PMU_ARGS]);

/**
 * struct sbi_pmu_fw - a hart's line to firmware
 * @call: the transport; set once, never NULL
 * @calls: calls made, by function
 * @width_limit: bits that a hardware counter has at most; firmware may say more
 * @alike: cycle and instret can do what programmable counters can (KVM)
 */
struct sbi_pmu_fw {
	sbi_pmu_call_fn call;
	unsigned int width_limit;
	bool alike;
	u64 calls[SBI_PMU_FIDS];
};

int sbi_pmu_fw_errno(long error);
int __must_check sbi_pmu_fw_num_counters(struct sbi_pmu_fw *fw, xlen_t *n);
int __must_check sbi_pmu_fw_counter_info(struct sbi_pmu_fw *fw, unsigned int idx,
					 xlen_t *info);
int __must_check sbi_pmu_fw_config(struct sbi_pmu_fw *fw, unsigned int word, xlen_t mask,
				   const struct sbi_pmu_code *code, unsigned int *got);
int __must_check sbi_pmu_fw_start(struct sbi_pmu_fw *fw, unsigned int idx);
int __must_check sbi_pmu_fw_start_at(struct sbi_pmu_fw *fw, unsigned int idx, u64 value);
int __must_check sbi_pmu_fw_start_snapshot(struct sbi_pmu_fw *fw, unsigned int word,
					   xlen_t mask);
int __must_check sbi_pmu_fw_stop(struct sbi_pmu_fw *fw, unsigned int word, xlen_t mask);
int __must_check sbi_pmu_fw_stop_snapshot(struct sbi_pmu_fw *fw, unsigned int word,
					  xlen_t mask);
int __must_check sbi_pmu_fw_release(struct sbi_pmu_fw *fw, unsigned int idx);
int __must_check sbi_pmu_fw_read(struct sbi_pmu_fw *fw, unsigned int idx, u64 *value);
int __must_check sbi_pmu_fw_snapshot(struct sbi_pmu_fw *fw, u64 address);
int __must_check sbi_pmu_fw_event_info(struct sbi_pmu_fw *fw, u64 address, unsigned int entries);
int sbi_pmu_fw_inventory(struct sbi_pmu_fw *fw, struct sbi_pmu_inventory *inv);

#endif
