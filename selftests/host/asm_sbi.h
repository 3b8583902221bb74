/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * asm_sbi.h - what host-testable files use of the kernel's asm/sbi.h and asm/csr.h: names of
 * the kernel, numbers of the SBI specification 3.0.
 */
#ifndef HOST_ASM_SBI_H
#define HOST_ASM_SBI_H

struct sbiret {
	long error;
	long value;
};

#define SBI_SUCCESS			0
#define SBI_ERR_FAILURE			-1
#define SBI_ERR_NOT_SUPPORTED		-2
#define SBI_ERR_INVALID_PARAM		-3
#define SBI_ERR_DENIED			-4
#define SBI_ERR_INVALID_ADDRESS		-5
#define SBI_ERR_ALREADY_AVAILABLE	-6
#define SBI_ERR_ALREADY_STARTED		-7
#define SBI_ERR_ALREADY_STOPPED		-8
#define SBI_ERR_NO_SHMEM		-9
#define SBI_SHMEM_DISABLE		-1

enum {
	SBI_EXT_PMU_NUM_COUNTERS,
	SBI_EXT_PMU_COUNTER_GET_INFO,
	SBI_EXT_PMU_COUNTER_CFG_MATCH,
	SBI_EXT_PMU_COUNTER_START,
	SBI_EXT_PMU_COUNTER_STOP,
	SBI_EXT_PMU_COUNTER_FW_READ,
	SBI_EXT_PMU_COUNTER_FW_READ_HI,
	SBI_EXT_PMU_SNAPSHOT_SET_SHMEM,
};

enum {
	SBI_PMU_HW_NO_EVENT,
	SBI_PMU_HW_CPU_CYCLES,
	SBI_PMU_HW_INSTRUCTIONS,
	SBI_PMU_HW_CACHE_REFERENCES,
	SBI_PMU_HW_CACHE_MISSES,
	SBI_PMU_HW_BRANCH_INSTRUCTIONS,
	SBI_PMU_HW_BRANCH_MISSES,
	SBI_PMU_HW_BUS_CYCLES,
	SBI_PMU_HW_STALLED_CYCLES_FRONTEND,
	SBI_PMU_HW_STALLED_CYCLES_BACKEND,
	SBI_PMU_HW_REF_CPU_CYCLES,
	SBI_PMU_HW_GENERAL_MAX,
};

enum {
	SBI_PMU_EVENT_TYPE_HW = 0x0,
	SBI_PMU_EVENT_TYPE_CACHE = 0x1,
	SBI_PMU_EVENT_TYPE_RAW = 0x2,
	SBI_PMU_EVENT_TYPE_RAW_V2 = 0x3,
	SBI_PMU_EVENT_TYPE_FW = 0xf,
};

#define SBI_PMU_FW_MAX				22
#define RISCV_PLAT_FW_EVENT			0xffff
#define RISCV_PMU_RAW_EVENT_MASK		0xffffffffffffULL
#define SBI_PMU_EVENT_IDX_TYPE_MASK		0xf0000
#define SBI_PMU_EVENT_IDX_CODE_MASK		0xffff
#define SBI_PMU_EVENT_CACHE_ID_CODE_MASK	0xfff8
#define SBI_PMU_EVENT_CACHE_OP_ID_CODE_MASK	0x06
#define SBI_PMU_EVENT_CACHE_RESULT_ID_CODE_MASK	0x01

#define SBI_PMU_CFG_FLAG_SET_VUINH		BIT(3)
#define SBI_PMU_CFG_FLAG_SET_VSINH		BIT(4)
#define SBI_PMU_CFG_FLAG_SET_UINH		BIT(5)
#define SBI_PMU_CFG_FLAG_SET_SINH		BIT(6)
#define SBI_PMU_CFG_FLAG_SET_MINH		BIT(7)
#define SBI_PMU_START_FLAG_SET_INIT_VALUE	BIT(0)
#define SBI_PMU_START_FLAG_INIT_SNAPSHOT	BIT(1)
#define SBI_PMU_STOP_FLAG_RESET			BIT(0)
#define SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT		BIT(1)

#define SBI_PMU_CTR_TYPE_FW			1

union sbi_pmu_ctr_info {
	unsigned long value;
	struct {
		unsigned long csr:12;
		unsigned long width:6;
		unsigned long reserved:45;
		unsigned long type:1;
	};
};

struct riscv_pmu_snapshot_data {
	uint64_t ctr_overflow_mask;
	uint64_t ctr_values[64];
	uint64_t reserved[447];
};

#define CSR_SIE			0x104
#define CSR_SCOUNTINHIBIT	0x120
#define CSR_SIP			0x144
#define CSR_SIREG		0x151
#define CSR_SIREG2		0x152
#define CSR_CYCLE		0xc00
#define CSR_TIME		0xc01
#define CSR_INSTRET		0xc02
#define CSR_HPMCOUNTER3		0xc03
#define CSR_HPMCOUNTER31	0xc1f
#define CSR_SCOUNTOVF		0xda0

#define HPMEVENT_OF		BIT_ULL(63)
#define HPMEVENT_MINH		BIT_ULL(62)
#define HPMEVENT_SINH		BIT_ULL(61)
#define HPMEVENT_UINH		BIT_ULL(60)
#define HPMEVENT_VSINH		BIT_ULL(59)
#define HPMEVENT_VUINH		BIT_ULL(58)

#endif
