// SPDX-License-Identifier: GPL-2.0-only
/*
 * reading: what counters tell. One by one, or all at once through the snapshot
 * memory, where that is quicker. Pure.
 */
#include "slot.h"

/* ---- what firmware tells, and what that means ---- */

static struct sbi_pmu_sum *slot_sum(struct sbi_pmu_slots *slots, unsigned int idx)
{
	/* Firmware's own counters are read as they are. */
	return slots->sums && slots->inv->ctr[idx].kind != SBI_PMU_CTR_FIRMWARE ?
	       &slots->sum[idx] : NULL;
}

/* Counter @idx tells @told; what would it read on other firmware? */
static u64 slot_reads(struct sbi_pmu_slots *slots, unsigned int idx, u64 told)
{
	struct sbi_pmu_sum *sum = slot_sum(slots, idx);

	if (!sum)
		return told;
	sum->total = told - slots->told[idx];
	slots->told[idx] = told;
	return sum->total + sum->offset;
}

/* Counter @idx holds another event, or the same one anew. */
void sbi_pmu_slot_clear(struct sbi_pmu_slots *slots, unsigned int idx)
{
	slots->told[idx] = 0;
	memset(&slots->sum[idx], 0, sizeof(slots->sum[idx]));
}

/* Counter @idx counts on from @value. */
void sbi_pmu_slot_begins(struct sbi_pmu_slots *slots, unsigned int idx, u64 value)
{
	struct sbi_pmu_sum *sum = slot_sum(slots, idx);

	slots->told[idx] = value;
	if (sum)
		sum->offset = value - sum->total;
}

/**
 * sbi_pmu_slot_read - read one counter, which may be running
 * @slots: this hart's
 * @idx: a counter that holds an event
 * @value: written on success
 */
int sbi_pmu_slot_read(struct sbi_pmu_slots *slots, unsigned int idx, u64 *value)
{
	const struct sbi_pmu_ctr *ctr = &slots->inv->ctr[idx];
	u64 told;
	int ret;

	if (ctr->kind == SBI_PMU_CTR_FIRMWARE)
		return sbi_pmu_fw_read(&slots->fw, idx, value);
	ret = slots->read_csr(ctr->csr, &told);
	if (!ret)
		*value = slot_reads(slots, idx, told);
	return ret;
}

/* ---- the memory ---- */

/* Let this hart's firmware have our memory. Return: whether it has it. */
bool sbi_pmu_slots_lend(struct sbi_pmu_slots *slots)
{
	if (!slots->memory)
		return false;
	/* Even if it says no: it may have it from before. */
	slots->owed = true;
	slots->lent = !sbi_pmu_fw_snapshot(&slots->fw, slots->address);
	return slots->lent;
}

/* Take away what memory firmware has. It stays owed if that fails. */
void sbi_pmu_slots_take_back(struct sbi_pmu_slots *slots)
{
	int ret = sbi_pmu_fw_snapshot(&slots->fw, SBI_PMU_NO_SHMEM);

	slots->lent = false;
	if (!ret || ret == -EOPNOTSUPP)
		slots->owed = false;
}

/* Counter @idx's place, where the window of its word is concerned. */
static __le64 *slot_place(struct sbi_pmu_slots *slots, unsigned int idx)
{
	return &slots->memory->value[idx % SBI_PMU_WORD_BITS];
}

/* Nothing counts so far that a counter comes to read one less than it has told last. */
static u64 slot_never(const struct sbi_pmu_slots *slots, unsigned int idx)
{
	return slots->told[idx] - 1;
}

static int stop_to_memory(struct sbi_pmu_slots *slots, unsigned int w,
			  const struct sbi_pmu_mask *which)
{
	unsigned int i;

	sbi_pmu_mask_for_each(i, which)
		WRITE_ONCE(*slot_place(slots, i), cpu_to_le64(slot_never(slots, i)));
	return sbi_pmu_fw_stop_snapshot(&slots->fw, w, which->word[w]);
}

/*
 * What firmware wrote of counter @idx. Return: whether it wrote anything. When KVM tells of
 * one it writes all that the memory had when counters were started, over our mark: after an
 * @error that may be all.
 */
static bool slot_written(struct sbi_pmu_slots *slots, unsigned int idx, bool error, u64 *value)
{
	const u64 told = le64_to_cpu(READ_ONCE(*slot_place(slots, idx)));

	if (told == slot_never(slots, idx) || (error && told == slots->told[idx]))
		return false;
	*value = slot_reads(slots, idx, told);
	return true;
}

/* Stop counters of one window; firmware's answer is about one of them only. */
void sbi_pmu_slots_stop_blind(struct sbi_pmu_slots *slots, unsigned int w,
			      const struct sbi_pmu_mask *which)
{
	if (sbi_pmu_fw_stop(&slots->fw, w, which->word[w]))
		return;	/* they are taken to be stopped */
}

/*
 * Firmware has lost our memory, for good, and stopped nothing. What else has it lost?
 * Of its own counters it might tell anything now.
 */
static void stop_without_memory(struct sbi_pmu_slots *slots, unsigned int w,
				const struct sbi_pmu_mask *which)
{
	const struct sbi_pmu_mask firmware = sbi_pmu_mask_and(*which, &slots->inv->firmware);

	slots->lent = slots->owed = false;
	slots->forgotten = sbi_pmu_mask_or(slots->forgotten, &firmware);
	sbi_pmu_slots_stop_blind(slots, w, which);
}

/**
 * sbi_pmu_slots_stop_word - stop counters of one window, users up to date, by one call
 * @slots: this hart's, its memory lent
 * @w: the window
 * @which: counters that run, all of it
 *
 * Those whose value firmware does not tell, as it has lost them, are forgotten.
 */
void sbi_pmu_slots_stop_word(struct sbi_pmu_slots *slots, unsigned int w,
			     const struct sbi_pmu_mask *which)
{
	int ret = stop_to_memory(slots, w, which);
	unsigned int i;
	u64 value;

	if (ret == -ENOMEM && sbi_pmu_slots_lend(slots))
		ret = stop_to_memory(slots, w, which);
	if (ret == -ENOMEM)
		stop_without_memory(slots, w, which);
	sbi_pmu_mask_for_each(i, which) {
		if (sbi_pmu_mask_test(&slots->forgotten, i))
			continue;
		/* An error is about one of them, and what comes after it may not be written. */
		if (slot_written(slots, i, ret, &value) ||
		    (ret && !sbi_pmu_slot_read(slots, i, &value)))
			sbi_pmu_slot_looked(slots, i, value);
		else
			sbi_pmu_mask_set(&slots->forgotten, i);
	}
}

static int start_from_memory(struct sbi_pmu_slots *slots, unsigned int w,
			     const struct sbi_pmu_mask *which,
			     u64 (*from)(struct sbi_pmu_slots *slots, unsigned int idx))
{
	unsigned int i;

	sbi_pmu_mask_for_each(i, which)
		WRITE_ONCE(*slot_place(slots, i), cpu_to_le64(from(slots, i)));
	return sbi_pmu_fw_start_snapshot(&slots->fw, w, which->word[w]);
}

/**
 * sbi_pmu_slots_start_word - start counters of one window by one call
 * @slots: this hart's, its memory lent
 * @w: the window
 * @which: counters that stand still, all of it
 * @from: where each is to begin
 *
 * Return: 0, or that something went wrong: some may have been started.
 */
int sbi_pmu_slots_start_word(struct sbi_pmu_slots *slots, unsigned int w,
			     const struct sbi_pmu_mask *which,
			     u64 (*from)(struct sbi_pmu_slots *slots, unsigned int idx))
{
	int ret = start_from_memory(slots, w, which, from);

	if (ret == -ENOMEM && sbi_pmu_slots_lend(slots))
		ret = start_from_memory(slots, w, which, from);
	if (ret == -ENOMEM)
		slots->lent = slots->owed = false;
	return ret;
}
