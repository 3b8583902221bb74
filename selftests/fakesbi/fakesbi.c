// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: setup, and the functions that only read. */
#include "model.h"

struct fakesbi_hart fakesbi_harts[FAKESBI_HARTS], *fakesbi_now = fakesbi_harts;

static u64 random_state = 88172645463325252ULL;

/* xorshift; the seed must not be 0. */
unsigned int fakesbi_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state >> 32;
}

void fakesbi_seed(u64 seed)
{
	random_state = seed;
}

bool model_one_in(unsigned int n)
{
	return n && fakesbi_random() % n == 0;
}

void model_report(const char *why)
{
	fakesbi.broken++;
	fakesbi.why = why;
}

/* The caller broke a rule that makes the call fail. */
struct sbiret model_invalid(const char *why)
{
	model_report(why);
	return model_answer(SPEC_ERR_INVALID_PARAM, 0);
}

static void add(unsigned int idx, unsigned long info, unsigned int width)
{
	fakesbi.ctr[idx].info = info;
	fakesbi.ctr[idx].width = width;
	if (fakesbi.end <= idx)
		fakesbi.end = idx + 1;
}

void fakesbi_add(unsigned int idx, unsigned int csr, unsigned int width)
{
	u8 *first = &fakesbi.by_csr[csr - SPEC_CSR_CYCLE];

	add(idx, FIELD_PREP(SPEC_INFO_WIDTH, width - 1UL) | csr, width);
	if (!*first)
		*first = idx + 1;
}

void fakesbi_add_firmware(unsigned int idx)
{
	add(idx, (unsigned long)SPEC_INFO_FIRMWARE, 64);
}

/* Counter 0 is cycle, 2 instret, 1 does not exist; then @hpm and @firmware counters. */
void fakesbi_reset(unsigned int hpm, unsigned int firmware, unsigned int width)
{
	unsigned int idx = 3;

	memset(&fakesbi, 0, sizeof(fakesbi));
	fakesbi.sscofpmf = true;
	fakesbi.overflow_csr = SPEC_CSR_SCOUNTOVF;
	fakesbi.event_bits = ~0ULL;
	fakesbi_add(0, SPEC_CSR_CYCLE, 64);
	fakesbi_add(2, SPEC_CSR_INSTRET, 64);
	for (; hpm; hpm--, idx++)
		fakesbi_add(idx, SPEC_CSR_CYCLE + idx, width);
	for (; firmware; firmware--, idx++)
		fakesbi_add_firmware(idx);
}

bool model_exists(unsigned long idx)
{
	if (idx == 1 && fakesbi_has(QUIRK_TIME_IS_COUNTER))
		return true;
	return idx < FAKESBI_CTRS && fakesbi.ctr[idx].info;
}

bool model_is_firmware(unsigned int idx)
{
	return fakesbi.ctr[idx].info & SPEC_INFO_FIRMWARE;
}

/* cycle or instret, at any index */
bool model_is_fixed(unsigned int idx)
{
	const unsigned int csr = fakesbi.ctr[idx].info & SPEC_INFO_CSR;

	return csr == SPEC_CSR_CYCLE || csr == SPEC_CSR_INSTRET;
}

/* A counter without filters and interrupts */
bool model_only_counts(unsigned int idx)
{
	return model_is_fixed(idx) && !fakesbi_has(QUIRK_FIXED_HOMOGENEOUS);
}

/* A counter that runs, but is not there for events */
bool model_is_withheld(unsigned int idx)
{
	return model_is_fixed(idx) && fakesbi_has(QUIRK_FIXED_WITHHELD);
}

/* Does each counter in the window exist? An empty window is not valid. */
bool model_offer_valid(const unsigned long arg[FAKESBI_ARGS])
{
	unsigned long left, i;

	for_each_offered(i, left, arg) if (i < arg[0] || !model_exists(i)) return false;
	return arg[1];
}

static bool is_equal(const struct fakesbi_code *a, const struct fakesbi_code *b)
{
	return a->idx == b->idx && a->data == b->data && a->flags == b->flags;
}

bool model_holds_same(unsigned int a, unsigned int b)
{
	return fakesbi.ctr[a].configured && fakesbi.ctr[b].configured &&
	       is_equal(&fakesbi.ctr[a].code, &fakesbi.ctr[b].code);
}

static struct sbiret num_counters(void)
{
	unsigned long n = fakesbi_has(QUIRK_TIME_IS_COUNTER);

	if (fakesbi_has(QUIRK_GAPS_COUNTED))
		return model_answer(SPEC_OK, fakesbi.end);
	for (unsigned int i = 0; i < fakesbi.end; i++)
		n += !!fakesbi.ctr[i].info;
	return model_answer(SPEC_OK, n);
}

static struct sbiret counter_info(unsigned long idx)
{
	const unsigned long reserved = (unsigned long)~0ULL & ~(unsigned long)SPEC_INFO_FIRMWARE &
				       ~(unsigned long)(SPEC_INFO_CSR | SPEC_INFO_WIDTH);
	unsigned long info;

	if (idx == fakesbi.end && fakesbi_has(QUIRK_INFO_PAST_END))
		return model_answer(SPEC_OK, 0);
	if (!model_exists(idx)) /* breaks no rule: this is how counters are found */
		return model_answer(SPEC_ERR_INVALID_PARAM, 0);
	info = fakesbi.ctr[idx].info;
	if (!info)
		info = FIELD_PREP(SPEC_INFO_WIDTH, 63UL) | SPEC_CSR_TIME;
	if (fakesbi_has(QUIRK_WIDTH_64_ALWAYS) && !model_is_firmware(idx))
		info |= SPEC_INFO_WIDTH;
	if (fakesbi_has(QUIRK_JUNK_INFO))
		info |= model_random64() & reserved;
	return model_answer(SPEC_OK, info);
}

static struct sbiret fw_read(unsigned long idx)
{
	if (!model_exists(idx) || !model_is_firmware(idx))
		return model_invalid("FW_READ of a counter that is not of firmware");
	if (fakesbi_has(QUIRK_UNUSED_READS_RANDOM) && !fakesbi.ctr[idx].configured)
		return model_answer(SPEC_OK, model_random64());
	if (fakesbi_has(QUIRK_UNUSED_UNREADABLE) && !fakesbi.ctr[idx].configured)
		return model_answer(SPEC_ERR_INVALID_PARAM, 0);
	if (model_one_in(fakesbi.read_fails))
		return model_answer(SPEC_ERR_FAILED, 0xbad);
	return model_answer(SPEC_OK, fakesbi.ctr[idx].value);
}

static struct sbiret dispatch(unsigned int fid, const unsigned long arg[FAKESBI_ARGS])
{
	switch (fid) {
	case SPEC_FID_NUM_COUNTERS:
		return num_counters();
	case SPEC_FID_COUNTER_INFO:
		return counter_info(arg[0]);
	case SPEC_FID_CONFIG_MATCHING:
		return model_config(arg);
	case SPEC_FID_START:
		return model_start(arg);
	case SPEC_FID_STOP:
		return model_stop(arg);
	case SPEC_FID_FW_READ:
		return fw_read(arg[0]);
	case SPEC_FID_SNAPSHOT_SHMEM:
		return model_snapshot(arg);
	case SPEC_FID_FW_READ_HI:
	case SPEC_FID_EVENT_INFO:
		/* RV64 has no use for one, and firmware often answers the other wrongly. */
		return model_invalid("FW_READ_HI or EVENT_GET_INFO");
	default:
		return model_answer(SPEC_ERR_NOT_SUPPORTED, 0);
	}
}

struct sbiret fakesbi_call(unsigned int fid, const unsigned long arg[FAKESBI_ARGS])
{
	struct sbiret ret = dispatch(fid, arg);

	fakesbi.calls[fid % ARRAY_SIZE(fakesbi.calls)]++;
	if (fakesbi.call_ticks)
		fakesbi_run(fakesbi.call_ticks);
	return ret;
}
