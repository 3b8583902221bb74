/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers of the SBI PMU extension, typed from chapter 11 of the SBI specification 3.0, one
 * block for each section. Only for the firmware model and its tests: the driver uses those of
 * asm/sbi.h, so tests fail if one of them is wrong.
 */
#ifndef FAKESBI_SPEC_H
#define FAKESBI_SPEC_H

/* Return codes */
#define SPEC_OK				0
#define SPEC_ERR_FAILED			-1
#define SPEC_ERR_NOT_SUPPORTED		-2
#define SPEC_ERR_INVALID_PARAM		-3
#define SPEC_ERR_ALREADY_STARTED	-7
#define SPEC_ERR_ALREADY_STOPPED	-8
#define SPEC_ERR_NO_SHMEM		-9

/* Function listing */
#define SPEC_FID_NUM_COUNTERS		0
#define SPEC_FID_COUNTER_INFO		1
#define SPEC_FID_CONFIG_MATCHING	2
#define SPEC_FID_START			3
#define SPEC_FID_STOP			4
#define SPEC_FID_FW_READ		5
#define SPEC_FID_SNAPSHOT_SHMEM		7

/* event_idx */
#define SPEC_EVENT_CODE			GENMASK(15, 0)
#define SPEC_TYPE_GENERAL		0
#define SPEC_TYPE_CACHE			1
#define SPEC_TYPE_RAW			2
#define SPEC_TYPE_RAW_V2		3
#define SPEC_TYPE_FIRMWARE		15

/* Hardware general events (type 0) */
#define SPEC_GENERAL_CYCLES		1
#define SPEC_GENERAL_INSTRUCTIONS	2
#define SPEC_GENERAL_CACHE_REFS		3
#define SPEC_GENERAL_CACHE_MISSES	4
#define SPEC_GENERAL_REF_CYCLES		10

/* Hardware cache events (type 1) */
#define SPEC_CACHE_ID			GENMASK(15, 3)
#define SPEC_CACHE_OP			GENMASK(2, 1)
#define SPEC_CACHE_IDS			7
#define SPEC_CACHE_OPS			3

/* Raw events (types 2 and 3): bits of event_data that are the selector */
#define SPEC_RAW_DATA			GENMASK_ULL(47, 0)
#define SPEC_RAW_V2_DATA		GENMASK_ULL(55, 0)

/* Firmware events (type 15) */
#define SPEC_FW_STANDARD_LAST		21
#define SPEC_FW_IMPLEMENTATION		256
#define SPEC_FW_PLATFORM		65535

/* counter_info (FID 1) */
#define SPEC_INFO_CSR			GENMASK(11, 0)
#define SPEC_INFO_WIDTH			GENMASK(17, 12)
#define SPEC_INFO_FIRMWARE		BIT(63)

/* config_flags (FID 2) */
#define SPEC_CFG_VUINH			BIT(3)
#define SPEC_CFG_VSINH			BIT(4)
#define SPEC_CFG_UINH			BIT(5)
#define SPEC_CFG_SINH			BIT(6)
#define SPEC_CFG_MINH			BIT(7)

/* start_flags (FID 3), stop_flags (FID 4) */
#define SPEC_START_SET_INIT		BIT(0)
#define SPEC_START_SNAPSHOT		BIT(1)
#define SPEC_STOP_RESET			BIT(0)
#define SPEC_STOP_SNAPSHOT		BIT(1)

/* Snapshot shared memory (FID 7): this address disables it */
#define SPEC_NO_SHMEM			(~0ULL)

/* Bit i and value i are of counter counter_idx_base + i of the call that writes or reads it. */
struct spec_snapshot {
	u64 overflow;
	u64 value[64];
	u8 reserved[3576];
};

static_assert(offsetof(struct spec_snapshot, value) == 8);
static_assert(offsetof(struct spec_snapshot, reserved) == 0x208);
static_assert(sizeof(struct spec_snapshot) == 4096);

/* Counter CSRs that a supervisor can read: cycle, time, instret, hpmcounter3-31 */
#define SPEC_CSR_CYCLE			0xC00
#define SPEC_CSR_TIME			0xC01
#define SPEC_CSR_INSTRET		0xC02
#define SPEC_CSR_SCOUNTOVF		0xDA0

/* Privileged specification: counters delegated to S-mode (Smcdeleg, Ssccfg) */
#define SPEC_CSR_SIREG			0x151
#define SPEC_CSR_SIREG2			0x152

/* mhpmevent (Sscofpmf), and of these the filters in mcyclecfg, minstretcfg (Smcntrpmf) */
#define SPEC_EVENT_OF			BIT_ULL(63)
#define SPEC_EVENT_MINH			BIT_ULL(62)
#define SPEC_EVENT_SINH			BIT_ULL(61)
#define SPEC_EVENT_UINH			BIT_ULL(60)
#define SPEC_EVENT_VSINH		BIT_ULL(59)
#define SPEC_EVENT_VUINH		BIT_ULL(58)
#define SPEC_EVENT_SELECTOR		GENMASK_ULL(55, 0)

/* Smctr and Ssctr 1.0: sctrctl; ctrsource, ctrtarget, ctrdata; types of transfers */
#define SPEC_CTR_U			BIT_ULL(0)
#define SPEC_CTR_S			BIT_ULL(1)
#define SPEC_CTR_RASEMU			BIT_ULL(7)
#define SPEC_CTR_LCOFIFRZ		BIT_ULL(12)
#define SPEC_CTR_INHIBIT		GENMASK_ULL(47, 32)
#define SPEC_CTR_VALID			BIT_ULL(0)
#define SPEC_CTR_MISPREDICTED		BIT_ULL(0)
#define SPEC_CTR_TYPE			GENMASK_ULL(3, 0)
#define SPEC_CTR_CYCLES_VALID		BIT_ULL(15)
#define SPEC_CTR_MANTISSA		GENMASK_ULL(27, 16)
#define SPEC_CTR_EXPONENT		GENMASK_ULL(31, 28)
enum {
	SPEC_CTR_EXCEPTION = 1,
	SPEC_CTR_INTERRUPT = 2,
	SPEC_CTR_TRAP_RETURN = 3,
	SPEC_CTR_NOT_TAKEN = 4,
	SPEC_CTR_TAKEN = 5,
	SPEC_CTR_INDIRECT_CALL = 8,
	SPEC_CTR_DIRECT_CALL = 9,
	SPEC_CTR_INDIRECT_JUMP = 10,
	SPEC_CTR_DIRECT_JUMP = 11,
	SPEC_CTR_COROUTINE_SWAP = 12,
	SPEC_CTR_RETURN = 13,
	SPEC_CTR_OTHER_INDIRECT = 14,
	SPEC_CTR_OTHER_DIRECT = 15,
};

/* A counter's bit in scounteren and scountovf */
#define SPEC_CSR_BIT(csr)		(1u << ((csr) - SPEC_CSR_CYCLE))

#endif
