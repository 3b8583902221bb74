/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The numbers of the SBI PMU extension, as they go over the wire.
 *
 * One block per section of the extension's chapter (SBI 3.0). Nothing but
 * constants: pure rooms, tests and the firmware model all read this file.
 */
#ifndef SBI_PMU_WIRE_H
#define SBI_PMU_WIRE_H

/* Base extension: who are you */
#define SBI_BASE_EID			0x10
#define SBI_BASE_FID_SPEC_VERSION	0
#define SBI_BASE_FID_IMPL_ID		1
#define SBI_BASE_FID_IMPL_VERSION	2
#define SBI_BASE_FID_PROBE		3
#define SBI_BASE_FID_MVENDORID		4
#define SBI_BASE_FID_MARCHID		5
#define SBI_IMPL_OPENSBI		1
#define SBI_IMPL_KVM			3
#define SBI_OPENSBI_VERSION(x, y)	((x) << 16 | (y))
#define SBI_SPEC_MAJOR			GENMASK(30, 24)
#define SBI_SPEC_MINOR			GENMASK(23, 0)

/* Return codes */
#define SBI_PMU_OK			0
#define SBI_PMU_ERR_FAILED		-1
#define SBI_PMU_ERR_NOT_SUPPORTED	-2
#define SBI_PMU_ERR_INVALID_PARAM	-3
#define SBI_PMU_ERR_DENIED		-4
#define SBI_PMU_ERR_INVALID_ADDRESS	-5
#define SBI_PMU_ERR_ALREADY_AVAILABLE	-6
#define SBI_PMU_ERR_ALREADY_STARTED	-7
#define SBI_PMU_ERR_ALREADY_STOPPED	-8
#define SBI_PMU_ERR_NO_SHMEM		-9

/* Function listing */
#define SBI_PMU_EID			0x504D55
#define SBI_PMU_FID_NUM_COUNTERS	0
#define SBI_PMU_FID_COUNTER_INFO	1
#define SBI_PMU_FID_CONFIG_MATCHING	2
#define SBI_PMU_FID_START		3
#define SBI_PMU_FID_STOP		4
#define SBI_PMU_FID_FW_READ		5
#define SBI_PMU_FID_FW_READ_HI		6
#define SBI_PMU_FID_SNAPSHOT_SHMEM	7
#define SBI_PMU_FID_EVENT_INFO		8
#define SBI_PMU_FIDS			9

/* event_idx */
#define SBI_PMU_EVENT_TYPE		GENMASK(19, 16)
#define SBI_PMU_EVENT_CODE		GENMASK(15, 0)
#define SBI_PMU_TYPE_GENERAL		0
#define SBI_PMU_TYPE_CACHE		1
#define SBI_PMU_TYPE_RAW		2
#define SBI_PMU_TYPE_RAW_V2		3
#define SBI_PMU_TYPE_FIRMWARE		15

/* Hardware general events (type 0) */
#define SBI_PMU_GENERAL_CYCLES		1
#define SBI_PMU_GENERAL_INSTRUCTIONS	2
#define SBI_PMU_GENERAL_CACHE_REFS	3
#define SBI_PMU_GENERAL_CACHE_MISSES	4
#define SBI_PMU_GENERAL_BRANCHES	5
#define SBI_PMU_GENERAL_BRANCH_MISSES	6
#define SBI_PMU_GENERAL_BUS_CYCLES	7
#define SBI_PMU_GENERAL_STALL_FRONTEND	8
#define SBI_PMU_GENERAL_STALL_BACKEND	9
#define SBI_PMU_GENERAL_REF_CYCLES	10

/* Hardware cache events (type 1) */
#define SBI_PMU_CACHE_ID		GENMASK(15, 3)
#define SBI_PMU_CACHE_OP		GENMASK(2, 1)
#define SBI_PMU_CACHE_RESULT		BIT(0)
#define SBI_PMU_CACHE_IDS		7
#define SBI_PMU_CACHE_OPS		3
#define SBI_PMU_CACHE_RESULTS		2

/* Raw events (types 2 and 3): how much of event_data is the selector's */
#define SBI_PMU_RAW_DATA		GENMASK_ULL(47, 0)
#define SBI_PMU_RAW_V2_DATA		GENMASK_ULL(55, 0)

/* Firmware events (type 15) */
#define SBI_PMU_FW_STANDARD_LAST	21
#define SBI_PMU_FW_IMPLEMENTATION	256
#define SBI_PMU_FW_PLATFORM		65535
#define SBI_PMU_FW_PLATFORM_DATA	GENMASK_ULL(61, 0)

/* counter_info (FID 1) */
#define SBI_PMU_INFO_CSR		GENMASK(11, 0)
#define SBI_PMU_INFO_WIDTH		GENMASK(17, 12)
#define SBI_PMU_INFO_FIRMWARE		BIT(XLEN - 1)

/* config_flags (FID 2) */
#define SBI_PMU_CFG_SKIP_MATCH		BIT(0)
#define SBI_PMU_CFG_CLEAR_VALUE		BIT(1)
#define SBI_PMU_CFG_AUTO_START		BIT(2)
#define SBI_PMU_CFG_VUINH		BIT(3)
#define SBI_PMU_CFG_VSINH		BIT(4)
#define SBI_PMU_CFG_UINH		BIT(5)
#define SBI_PMU_CFG_SINH		BIT(6)
#define SBI_PMU_CFG_MINH		BIT(7)

/* start_flags (FID 3), stop_flags (FID 4) */
#define SBI_PMU_START_SET_INIT		BIT(0)
#define SBI_PMU_START_SNAPSHOT		BIT(1)
#define SBI_PMU_STOP_RESET		BIT(0)
#define SBI_PMU_STOP_SNAPSHOT		BIT(1)

/* Snapshot shared memory (FID 7): this for an address takes it away */
#define SBI_PMU_NO_SHMEM		(~0ULL)

/*
 * What it holds, for the window of the call that writes or reads it: bit and place i
 * are those of counter counter_idx_base + i.
 */
struct sbi_pmu_snapshot {
	__le64 overflow;
	__le64 value[64];
	__u8 reserved[3576];
};

static_assert(offsetof(struct sbi_pmu_snapshot, value) == 8);
static_assert(offsetof(struct sbi_pmu_snapshot, reserved) == 0x208);
static_assert(sizeof(struct sbi_pmu_snapshot) == 4096);

/* An entry of the event info call (FID 8); entries start at a multiple of 16 */
struct sbi_pmu_event_info {
	__le32 event_idx;
	__le32 output;
	__le64 event_data;
};

#define SBI_PMU_EVENT_INFO_SUPPORTED	BIT(0)

static_assert(sizeof(struct sbi_pmu_event_info) == 16);

/* Counter CSRs that a supervisor can read: cycle, time, instret, hpmcounter3-31 */
#define SBI_PMU_CSR_CYCLE		0xC00
#define SBI_PMU_CSR_TIME		0xC01
#define SBI_PMU_CSR_INSTRET		0xC02
#define SBI_PMU_CSR_LAST		0xC1F

/* A counter's bit in scounteren and scountovf */
#define SBI_PMU_CSR_BIT(csr)		(1u << ((csr) - SBI_PMU_CSR_CYCLE))

#endif
