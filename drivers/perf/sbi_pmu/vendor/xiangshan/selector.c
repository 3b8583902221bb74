// SPDX-License-Identifier: GPL-2.0-only
#include "xiangshan.h"

/* Hardware ignores the upper two bits; in event0 they are a tag of the unit for device trees. */
#define EVENT_INDEX	GENMASK_ULL(7, 0)
#define EVENT_TAG	GENMASK_ULL(9, 8)

/* Can the result be more than 0, if the operands can? Index 0 never counts. */
static bool can_count(unsigned int op, bool a, bool b)
{
	return op == SBI_PMU_OP_AND ? a && b : a || b;
}

static bool is_op(unsigned int op)
{
	return op == SBI_PMU_OP_OR || op == SBI_PMU_OP_AND || op == SBI_PMU_OP_XOR ||
	       op == SBI_PMU_OP_ADD;
}

/* The unit of all events, or -EINVAL. Tag 0 goes with any unit. */
static int unit_of(const u64 event[4], u32 unit)
{
	for (unsigned int i = 0; i < 4; i++) {
		const u32 tagged = FIELD_GET(EVENT_TAG, event[i]) + SBI_PMU_UNIT_FRONTEND;

		if (tagged == SBI_PMU_UNIT_FRONTEND)
			continue;
		if (unit != SBI_PMU_UNIT_ANY && unit != tagged)
			return -EINVAL;
		unit = tagged;
	}
	return unit < SBI_PMU_UNITS ? (int)unit : -EINVAL;
}

/**
 * sbi_pmu_selector_encode() - encode config as mhpmevent
 * @bits: by unit, number of bits of an index that the hardware decodes
 * @config: what the user asked for, in the fields of selector.h
 * @data: the register, with the unit as tag in event0; written on success
 * @csrs: the counters of the unit, as struct sbi_pmu_code has them; likewise
 * Return: 0, or -EINVAL for what can never count, or what the hardware would take for something
 * else: unknown operators, indices of more bits than are decoded, events of two units.
 */
int sbi_pmu_selector_encode(const u8 *bits, u64 config, u64 *data, u32 *csrs)
{
	static const u32 of_unit[SBI_PMU_UNITS] = { 0, 0x7f8, 0x7f800, 0x7f80000, 0xf8000000 };
	const u64 event[4] = {
		FIELD_GET(SBI_PMU_CFG_EVENT0, config),
		FIELD_GET(SBI_PMU_CFG_EVENT1, config),
		FIELD_GET(SBI_PMU_CFG_EVENT2, config),
		FIELD_GET(SBI_PMU_CFG_EVENT3, config),
	};
	const u64 index[4] = {
		event[0] & EVENT_INDEX,
		event[1] & EVENT_INDEX,
		event[2] & EVENT_INDEX,
		event[3] & EVENT_INDEX,
	};
	const unsigned int op0 = FIELD_GET(SBI_PMU_CFG_OP0, config);
	const unsigned int op1 = FIELD_GET(SBI_PMU_CFG_OP1, config);
	const unsigned int op2 = FIELD_GET(SBI_PMU_CFG_OP2, config);
	const u64 fields = GENMASK_ULL(54, 0) | SBI_PMU_CFG_UNIT;
	int ret = unit_of(event, FIELD_GET(SBI_PMU_CFG_UNIT, config));

	if (ret < 0 || config & ~fields)
		return -EINVAL;
	if ((index[0] | index[1] | index[2] | index[3]) >> bits[ret])
		return -EINVAL;
	if (!is_op(op0) || !is_op(op1) || !is_op(op2))
		return -EINVAL;
	if (!can_count(op2, can_count(op0, index[0], index[1]), can_count(op1, index[2], index[3])))
		return -EINVAL;

	*csrs = of_unit[ret];
	*data = config & (SBI_PMU_CFG_OP0 | SBI_PMU_CFG_OP1 | SBI_PMU_CFG_OP2);
	*data |= FIELD_PREP(SBI_PMU_CFG_EVENT0, index[0]);
	*data |= FIELD_PREP(SBI_PMU_CFG_EVENT1, index[1]);
	*data |= FIELD_PREP(SBI_PMU_CFG_EVENT2, index[2]);
	*data |= FIELD_PREP(SBI_PMU_CFG_EVENT3, index[3]);
	if (ret != SBI_PMU_UNIT_ANY)
		*data |= FIELD_PREP(EVENT_TAG, ret - SBI_PMU_UNIT_FRONTEND);
	return 0;
}
