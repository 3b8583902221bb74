// SPDX-License-Identifier: GPL-2.0-only
/*
 * trial: what firmware does when it is asked to: which counters take an event, and
 * how it tells what they have counted. Counters are configured, and released at once.
 * Pure.
 */
#include "slot.h"

static xlen_t word_of(unsigned int idx)
{
	return (xlen_t)1 << (idx % SBI_PMU_WORD_BITS);
}

/* ---- the witness, where firmware takes raw events that nobody can count ---- */

/* A counter that runs has moved after so many looks. */
#define LOOKS		4

/* Return: 0, -ENODATA if counter @idx stands still, -EBUSY if it cannot be read. */
static int moves(struct sbi_pmu_slots *slots, unsigned int idx)
{
	u64 first, now;
	int ret = sbi_pmu_slot_read(slots, idx, &first);

	for (unsigned int n = 0; !ret && n < LOOKS; n++) {
		ret = sbi_pmu_slot_read(slots, idx, &now);
		if (!ret && now != first)
			return 0;
	}
	return ret ? -EBUSY : -ENODATA;
}

/* Does somebody count this event, with whatever filter? */
static bool trial_counts(const struct sbi_pmu_plan *plan, const struct sbi_pmu_code *code)
{
	unsigned int i;

	sbi_pmu_mask_for_each(i, &plan->busy)
		if (plan->code[i].idx == code->idx && plan->code[i].data == code->data)
			return true;
	return false;
}

/* Have another counter than @tried count what always happens. Return: whether it does. */
static bool witness_seat(struct sbi_pmu_slots *slots, unsigned int tried, unsigned int *idx)
{
	struct sbi_pmu_mask among = sbi_pmu_inventory_hardware(slots->inv);
	struct sbi_pmu_code code = {};

	among = sbi_pmu_mask_andnot(among, &slots->plan.busy);
	sbi_pmu_mask_clear(&among, tried);
	for (code.idx = SBI_PMU_GENERAL_CYCLES; code.idx <= SBI_PMU_GENERAL_INSTRUCTIONS;
	     code.idx++) {
		int ret;

		if (!among.word[0] || trial_counts(&slots->plan, &code))
			continue;
		ret = sbi_pmu_fw_config(&slots->fw, 0, among.word[0], &code, idx);
		if (ret == -EPROTO)
			sbi_pmu_slot_reject(slots, *idx);
		if (ret)
			continue;
		sbi_pmu_slot_clear(slots, *idx);
		if (!sbi_pmu_fw_start_at(&slots->fw, *idx, 0) && !moves(slots, *idx))
			return true;
		sbi_pmu_slot_release(slots, *idx);
	}
	return false;
}

/*
 * Start counter @idx, which has just been configured for an event that the machine may
 * not have. If it has not, KVM's kernel gives up on that counter when it is started; and
 * on those that were configured after it, which is how to tell.
 *
 * Return: 0, -ENODATA if nobody can count the event, -EBUSY if there is no telling.
 */
static int start_doubted(struct sbi_pmu_slots *slots, unsigned int idx)
{
	unsigned int witness;
	int ret;

	if (!witness_seat(slots, idx, &witness))
		return -EBUSY;
	ret = sbi_pmu_fw_start(&slots->fw, idx) ?: moves(slots, witness);
	sbi_pmu_slot_release(slots, witness);
	return ret;
}

static bool is_raw(const struct sbi_pmu_code *code)
{
	const u32 type = FIELD_GET(SBI_PMU_EVENT_TYPE, code->idx);

	return type == SBI_PMU_TYPE_RAW || type == SBI_PMU_TYPE_RAW_V2;
}

/* ---- which counters take an event ---- */

/*
 * Try an event on the counters of one window. @got is one that took it, and is
 * free again, if 0 or -ENXIO is returned; the latter if it cannot be read, so
 * that it counts nothing for us. It is started, too: RustSBI takes the event
 * from no counter that it finds stopped.
 */
static int trial_window(struct sbi_pmu_slots *slots, const struct sbi_pmu_code *code,
			unsigned int word, xlen_t mask, unsigned int *got)
{
	int ret = sbi_pmu_fw_config(&slots->fw, word, mask, code, got);
	u64 value;

	if (ret == -EPROTO)
		sbi_pmu_slot_reject(slots, *got);
	if (ret)
		return ret;
	ret = slots->guest && is_raw(code) ? start_doubted(slots, *got) :
	      sbi_pmu_fw_start(&slots->fw, *got);
	if (!ret && sbi_pmu_slot_read(slots, *got, &value))
		ret = -ENXIO;
	sbi_pmu_slot_release(slots, *got);
	return ret;
}

/* Firmware's "no", as opposed to its not having understood or not working. */
static bool trial_denied(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL || ret == -EPROTO || ret == -ENXIO ||
	       ret == -ENODATA;
}

/*
 * Try each counter of @window by itself. If the event has @counted for us on one, and does
 * not on the next, there was none left behind it: others use them, too.
 */
static void trial_each(struct sbi_pmu_slots *slots, const struct sbi_pmu_code *code,
		       const struct sbi_pmu_mask *window, bool counted,
		       struct sbi_pmu_truth *truth)
{
	unsigned int i, got;

	sbi_pmu_mask_for_each(i, window) {
		int ret = trial_window(slots, code, i / SBI_PMU_WORD_BITS, word_of(i), &got);

		if (!ret)
			sbi_pmu_mask_set(&truth->can, i);
		else if (trial_denied(ret) && !(counted && ret == -ENODATA))
			sbi_pmu_mask_set(&truth->cannot, i);
	}
}

/**
 * sbi_pmu_slots_trial - find out which counters can hold an event
 * @slots: this hart's
 * @code: the event; its flags do not matter and are not used
 * @candidates: the counters in question
 * @truth: what is learned is added
 *
 * Configures and releases counters that nobody counts on; busy ones are left
 * alone, and unknown. An event that somebody counts is not tried: firmware may
 * have a counter for it that it takes again whatever is offered (cycles and
 * instret in OpenSBI before 1.9 and KVM), or have the event only once, so that
 * releasing a second counter of it stops the first (firmware events in KVM).
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_trial(struct sbi_pmu_slots *slots, const struct sbi_pmu_code *code,
			 const struct sbi_pmu_mask *candidates, struct sbi_pmu_truth *truth)
{
	const struct sbi_pmu_code bare = { .idx = code->idx, .data = code->data };
	struct sbi_pmu_mask known = sbi_pmu_mask_or(truth->can, &truth->cannot);
	struct sbi_pmu_mask open = sbi_pmu_mask_andnot(*candidates, &known);
	unsigned int w, got;

	open = sbi_pmu_mask_andnot(open, &slots->plan.busy);
	if (!slots->online || sbi_pmu_mask_empty(&open) || trial_counts(&slots->plan, &bare))
		return;
	/* An idle slot may hold this very event, on firmware that has it once. */
	sbi_pmu_slots_release_idle(slots);

	for (w = 0; w < SBI_PMU_WORDS; w++) {
		const bool counted = !sbi_pmu_mask_empty(&truth->can);
		struct sbi_pmu_mask window = {};
		int ret;

		window.word[w] = open.word[w];
		if (sbi_pmu_mask_empty(&window))
			continue;
		ret = trial_window(slots, &bare, w, window.word[w], &got);
		/* Beside, firmware that ignores the offer is not asked again. */
		if ((ret == -EPROTO && slots->sole) ||
		    ((!ret || ret == -ENXIO) && !sbi_pmu_code_is_firmware(&bare)))
			trial_each(slots, &bare, &window, counted || !ret, truth);
		else if (!ret)	/* firmware counters are all alike */
			truth->can = sbi_pmu_mask_or(truth->can, &window);
		else if (trial_denied(ret) && !(counted && ret == -ENODATA))
			truth->cannot = sbi_pmu_mask_or(truth->cannot, &window);
	}
}

/* ---- how counters are read ---- */

/* Time for a counter to count a lot, by so many looks at the clock. */
#define LONG		1000
/* To time what takes a few ns, it is done so many times, in so many rounds. */
#define TIMES		8
#define ROUNDS		4
/* A counter is read when its task leaves, and when it comes back. */
#define READS		2
/* What a counter is started from; it does not count as many as that meanwhile. */
#define FAR		BIT_ULL(40)

/* A counter that counts cycles, or instructions; stopped as yet. */
static int manner_seat(struct sbi_pmu_slots *slots, unsigned int *idx)
{
	const struct sbi_pmu_mask hardware = sbi_pmu_inventory_hardware(slots->inv);
	struct sbi_pmu_code code = {};
	int ret = -EOPNOTSUPP;

	for (code.idx = SBI_PMU_GENERAL_CYCLES;
	     ret && hardware.word[0] && code.idx <= SBI_PMU_GENERAL_INSTRUCTIONS; code.idx++) {
		ret = sbi_pmu_fw_config(&slots->fw, 0, hardware.word[0], &code, idx);
		if (ret == -EPROTO)
			sbi_pmu_slot_reject(slots, *idx);
	}
	return ret;
}

/* Counter @idx runs, from 0. Has each answer of it been added to those before? */
static bool manner_sums(struct sbi_pmu_slots *slots, u16 csr, u64 (*clock)(void))
{
	u64 first = 0, second = 0;

	for (unsigned int n = 0; n < LONG; n++)
		clock();
	if (slots->read_csr(csr, &first) || slots->read_csr(csr, &second))
		return false;
	return first && second - first >= first;
}

/* Stopped counter @idx, to begin at @from: what does the memory tell of it next? */
static u64 manner_told(struct sbi_pmu_slots *slots, unsigned int idx, u64 from, bool by_memory)
{
	__le64 *place = &slots->memory->value[idx % SBI_PMU_WORD_BITS];
	int ret;

	WRITE_ONCE(*place, cpu_to_le64(from));
	ret = by_memory ? sbi_pmu_fw_start_snapshot(&slots->fw, 0, word_of(idx)) :
	      sbi_pmu_fw_start_at(&slots->fw, idx, from);
	if (ret || sbi_pmu_fw_stop_snapshot(&slots->fw, 0, word_of(idx)))
		return from - 1;
	return le64_to_cpu(READ_ONCE(*place));
}

/* Does the memory tell of stopped counter @idx what the counter does? */
static bool manner_tells(struct sbi_pmu_slots *slots, unsigned int idx, bool sums)
{
	u64 told, read;

	for (unsigned int by_memory = 0; by_memory < 2; by_memory++) {
		const u64 from = FAR << by_memory;

		told = manner_told(slots, idx, from, by_memory);
		if (told - from >= FAR || slots->read_csr(slots->inv->ctr[idx].csr, &read) ||
		    read - told != (sums ? told - from : 0))
			return false;
	}
	return true;
}

/* Stopped counter @idx: how long does it take to start and to stop it through the memory? */
static int time_stops(struct sbi_pmu_slots *slots, unsigned int idx, u64 (*clock)(void),
		      u64 *best)
{
	const u64 begin = clock();
	u64 took;

	for (unsigned int i = 0; i < TIMES; i++) {
		int ret = sbi_pmu_fw_start_snapshot(&slots->fw, 0, word_of(idx)) ?:
			  sbi_pmu_fw_stop_snapshot(&slots->fw, 0, word_of(idx));

		if (ret)
			return ret;
	}
	took = clock() - begin;
	*best = took < *best ? took : *best;
	return 0;
}

/* And, while it runs, to read it instead? */
static int time_reads(struct sbi_pmu_slots *slots, u16 csr, u64 (*clock)(void), u64 *best)
{
	const u64 begin = clock();
	u64 took, value;

	for (unsigned int i = 0; i < READS * TIMES; i++) {
		int ret = slots->read_csr(csr, &value);

		if (ret)
			return ret;
	}
	took = clock() - begin;
	*best = took < *best ? took : *best;
	return 0;
}

/*
 * Is a switch quicker by two calls than by reads? If it is with one event it is with more.
 * It is not in KVM up to 7.2, which asks much of its own kernel to stop and start a counter.
 * The best of some rounds of either counts: in between others may have had the hart.
 */
static bool manner_pays(struct sbi_pmu_slots *slots, unsigned int idx, u64 (*clock)(void))
{
	u64 stops = ~0ULL, reads = ~0ULL;

	for (unsigned int round = 0; round < ROUNDS; round++)
		if (time_stops(slots, idx, clock, &stops) ||
		    sbi_pmu_fw_start_snapshot(&slots->fw, 0, word_of(idx)) ||
		    time_reads(slots, slots->inv->ctr[idx].csr, clock, &reads) ||
		    sbi_pmu_fw_stop_snapshot(&slots->fw, 0, word_of(idx)))
			return false;
	/* A clock may be too slow to tell. */
	return reads && stops <= reads;
}

/**
 * sbi_pmu_slots_manner - find out how counters are best read here
 * @slots: this hart's, up and idle
 * @clock: tells the time
 * @manner: the answer; of what could not be found out, no
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_slots_manner(struct sbi_pmu_slots *slots, u64 (*clock)(void),
			  struct sbi_pmu_manner *manner)
{
	unsigned int idx;

	memset(manner, 0, sizeof(*manner));
	if (manner_seat(slots, &idx))
		return;
	if (!sbi_pmu_fw_start_at(&slots->fw, idx, 0)) {
		manner->sums = manner_sums(slots, slots->inv->ctr[idx].csr, clock);
		if (slots->lent && !sbi_pmu_fw_stop(&slots->fw, 0, word_of(idx)))
			manner->tells = manner_tells(slots, idx, manner->sums);
		manner->pays = manner->tells && manner_pays(slots, idx, clock);
	}
	sbi_pmu_slot_release(slots, idx);
}
