/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <asm/sbi.h>

#ifndef SBI_PMU_COMPAT_SBI_H
#define SBI_PMU_COMPAT_SBI_H

#ifndef SBI_SHMEM_DISABLE /* 6.8 */
#define SBI_SHMEM_DISABLE		-1
#endif

#ifndef SBI_PMU_START_FLAG_INIT_SNAPSHOT /* 6.10 */
#define SBI_EXT_PMU_COUNTER_FW_READ_HI	6
#define SBI_EXT_PMU_SNAPSHOT_SET_SHMEM	7
#define SBI_PMU_START_FLAG_INIT_SNAPSHOT BIT(1)
#define SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT	BIT(1)
#define SBI_ERR_NO_SHMEM		-9

struct riscv_pmu_snapshot_data {
	u64 ctr_overflow_mask;
	u64 ctr_values[64];
	u64 reserved[447];
};
#endif

#ifndef RISCV_PLAT_FW_EVENT /* 6.12 */
#define RISCV_PLAT_FW_EVENT		0xFFFF
#endif

#ifndef RISCV_PMU_RAW_EVENT_V2_MASK /* 6.18 */
#define SBI_PMU_EVENT_TYPE_RAW_V2	3
#endif

#endif
