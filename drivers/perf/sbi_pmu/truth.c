// SPDX-License-Identifier: GPL-2.0-only
/*
 * truth: which counters can hold an event, tried once and remembered.
 *
 * Firmware's word (EVENT_GET_INFO) is a hint that is often wrong; a trial
 * configuration, released at once, is not.
 */
#include <linux/jhash.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include <asm/io.h>

#include "sbi_pmu.h"

/* Remembered events; anybody may open anything, so there is an end to it. */
#define TRUTH_MAX	4096

struct truth_entry {
	struct hlist_node node;
	struct sbi_pmu_code code;
	struct sbi_pmu_truth truth;
};

struct trial {
	struct sbi_pmu *pmu;
	const struct sbi_pmu_code *code;
	const struct sbi_pmu_mask *candidates;
	struct sbi_pmu_truth *truth;
};

static void trial_on_cpu(void *arg)
{
	struct trial *t = arg;

	sbi_pmu_slots_trial(&this_cpu_ptr(t->pmu->cpu)->slots, t->code, t->candidates, t->truth);
}

static u32 truth_hash(const struct sbi_pmu_code *code)
{
	return jhash_3words(code->idx, code->data, code->data >> 32, 0);
}

static struct truth_entry *truth_find(struct sbi_pmu *pmu, const struct sbi_pmu_code *code)
{
	struct truth_entry *e;

	hash_for_each_possible(pmu->truths, e, node, truth_hash(code))
		if (e->code.idx == code->idx && e->code.data == code->data)
			return e;
	return NULL;
}

static struct truth_entry *truth_enter(struct sbi_pmu *pmu, const struct sbi_pmu_code *code)
{
	struct truth_entry *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return NULL;
	e->code = *code;
	e->code.flags = 0;
	hash_add(pmu->truths, &e->node, truth_hash(code));
	pmu->truth_count++;
	return e;
}

/*
 * The counters that are asked at all: those of the event's unit. Beside another
 * driver the fixed ones are not: firmware hands them to whoever asks, even while they
 * count.
 */
static struct sbi_pmu_mask truth_candidates(const struct sbi_pmu *pmu,
					    const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_mask window = sbi_pmu_selector_window(&pmu->inv, code->unit);

	if (sbi_pmu_code_is_firmware(code))
		return pmu->inv.firmware;
	if (!pmu->sole)
		return sbi_pmu_mask_and(window, &pmu->inv.hpm);
	return window;
}

static bool truth_complete(const struct sbi_pmu_mask *candidates,
			   const struct sbi_pmu_truth *truth)
{
	struct sbi_pmu_mask unknown = sbi_pmu_mask_andnot(*candidates, &truth->can);

	unknown = sbi_pmu_mask_andnot(unknown, &truth->cannot);
	return sbi_pmu_mask_empty(&unknown);
}

/* Does firmware say that it has this event? */
static bool truth_hinted(const struct sbi_pmu *pmu, const struct sbi_pmu_code *code)
{
	u32 idx;

	for (unsigned int n = 0; (idx = sbi_pmu_event_standard(n)); n++)
		if (idx == code->idx)
			return pmu->hints >> n & 1;
	return false;
}

/*
 * Ask hart after hart, until each counter was idle on one and has answered.
 * No hotplug lock: perf core may hold a context's mutex here, which hotplug
 * takes inside its own. A hart that goes meanwhile is not called, or says
 * nothing.
 */
static void truth_learn(struct sbi_pmu *pmu, const struct sbi_pmu_code *code,
			const struct sbi_pmu_mask *candidates, struct sbi_pmu_truth *truth)
{
	struct trial t = { pmu, code, candidates, truth };
	int cpu;

	/* From here on: he who opens an event pays for its trial. */
	for_each_cpu_wrap(cpu, &pmu->cpus, raw_smp_processor_id()) {
		if (truth_complete(candidates, truth))
			break;
		smp_call_function_single(cpu, trial_on_cpu, &t, true);
	}
}

/**
 * sbi_pmu_truth_of - which counters can hold an event
 * @pmu: the driver
 * @code: the event; its filter flags do not matter
 * @can: the answer. Where a counter has taken the event, those that were busy on
 *	 every hart, and so could not be asked, are in it too.
 *
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP if no counter can, -EBUSY if none has said yes and not
 * all could be asked.
 */
int sbi_pmu_truth_of(struct sbi_pmu *pmu, const struct sbi_pmu_code *code,
		     struct sbi_pmu_mask *can)
{
	const struct sbi_pmu_mask candidates = truth_candidates(pmu, code);
	struct sbi_pmu_truth fresh = {}, *truth = &fresh;
	struct sbi_pmu_mask took;
	struct truth_entry *e;
	int ret = 0;

	mutex_lock(&pmu->truth_lock);
	e = truth_find(pmu, code);
	/* Past the limit an event is tried anew each time it is opened. */
	if (!e && pmu->truth_count < TRUTH_MAX)
		e = truth_enter(pmu, code);
	if (e)
		truth = &e->truth;
	/*
	 * Beside another driver a counter that refuses may just be in use, and so may
	 * all of those that are behind a guest's: that none took the event last time
	 * does not count.
	 */
	if (!pmu->sole || (sbi_pmu_in_kvm(pmu) && sbi_pmu_mask_empty(&truth->can)))
		memset(&truth->cannot, 0, sizeof(truth->cannot));
	truth_learn(pmu, code, &candidates, truth);
	*can = sbi_pmu_mask_andnot(candidates, &truth->cannot);
	/* The same event may have been tried on counters of another window. */
	took = sbi_pmu_mask_and(candidates, &truth->can);
	/*
	 * No counter free for a trial, or none that could ever: from firmware
	 * both are the same "no". Beside a driver that uses them, its word counts.
	 */
	if (!pmu->sole && sbi_pmu_mask_empty(can) && truth_hinted(pmu, code))
		*can = candidates;
	if (sbi_pmu_mask_empty(can))
		ret = -EOPNOTSUPP;
	else if (pmu->sole && sbi_pmu_mask_empty(&took))
		ret = -EBUSY;
	mutex_unlock(&pmu->truth_lock);
	return ret;
}

/**
 * sbi_pmu_truth_find - which counters can hold an event, one way or another
 * @pmu: the driver
 * @code: the event; changed if firmware takes it only in the other form of raw events
 * @can: as for sbi_pmu_truth_of(), and so are the rest
 */
int sbi_pmu_truth_find(struct sbi_pmu *pmu, struct sbi_pmu_code *code, struct sbi_pmu_mask *can)
{
	int ret = sbi_pmu_truth_of(pmu, code, can);

	if (ret == -EOPNOTSUPP && sbi_pmu_event_other_raw(code))
		ret = sbi_pmu_truth_of(pmu, code, can);
	return ret;
}

/* Ask firmware once for all standard events. Not all firmware knows the call. */
static void learn_hints(struct sbi_pmu *pmu)
{
	struct sbi_pmu_event_info *info = (void *)get_zeroed_page(GFP_KERNEL);
	unsigned int n, entries = 0;
	u32 idx;
	int ret;

	if (!info)
		return;
	for (; (idx = sbi_pmu_event_standard(entries)); entries++)
		info[entries].event_idx = cpu_to_le32(idx);
	preempt_disable();
	ret = sbi_pmu_fw_event_info(&this_cpu_ptr(pmu->cpu)->slots.fw, virt_to_phys(info), entries);
	preempt_enable();
	for (n = 0; !ret && n < entries; n++)
		if (le32_to_cpu(READ_ONCE(info[n].output)) & SBI_PMU_EVENT_INFO_SUPPORTED)
			pmu->hints |= BIT_ULL(n);
	free_page((unsigned long)info);
}

/**
 * sbi_pmu_truth_learn - have the truth about every event that has a name
 * @pmu: the driver, before its PMU is registered
 *
 * Context: may sleep; all our counters are idle, so that each can answer.
 */
void sbi_pmu_truth_learn(struct sbi_pmu *pmu)
{
	struct sbi_pmu_code code = {};
	struct sbi_pmu_mask can;

	learn_hints(pmu);
	/* What is not there is remembered as well. */
	for (unsigned int n = 0; (code.idx = sbi_pmu_event_standard(n)); n++)
		sbi_pmu_truth_of(pmu, &code, &can);
	for (unsigned int n = 0; n <= SBI_PMU_FW_STANDARD_LAST; n++) {
		code.idx = FIELD_PREP(SBI_PMU_EVENT_TYPE, SBI_PMU_TYPE_FIRMWARE) | n;
		sbi_pmu_truth_of(pmu, &code, &can);
	}
}

void sbi_pmu_truth_free(struct sbi_pmu *pmu)
{
	struct truth_entry *e;
	struct hlist_node *tmp;
	int bucket;

	hash_for_each_safe(pmu->truths, bucket, tmp, e, node) {
		hash_del(&e->node);
		kfree(e);
	}
}
