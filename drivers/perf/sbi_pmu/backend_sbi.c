// SPDX-License-Identifier: GPL-2.0-only
/*
 * backend_sbi: counters by single SBI calls and reads of CSRs; and what both ways share.
 */
#include "backend.h"

/* ---- configure ---- */

/**
 * sbi_pmu_backend_config() - configure one of some counters for an event, stopped
 * @be: this CPU's
 * @window: counters from SBI_PMU_WINDOW * @window on ...
 * @mask: ... that are offered
 * @code: the event
 * @in_use: counters that hold an event of ours
 * @got: the counter, written on success
 *
 * A counter that firmware took although it was not offered is released, unless it is in
 * use: by an event of ours, or in shared mode perhaps by the other driver.
 *
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, or another errno.
 */
int sbi_pmu_backend_config(struct sbi_pmu_backend *be, unsigned int window, unsigned long mask,
			   const struct sbi_pmu_event_code *code, const struct sbi_pmu_mask *in_use,
			   unsigned int *got)
{
	const int ret = sbi_pmu_sbi_config(&be->sbi, window, mask, code, got);

	if (ret == -EPROTO && be->exclusive && *got < SBI_PMU_MAX_COUNTERS &&
	    !sbi_pmu_mask_test(in_use, *got))
		sbi_pmu_backend_release(be, *got);
	if (ret)
		return ret;
	be->last[*got] = 0;
	memset(&be->sum[*got], 0, sizeof(be->sum[*got]));
	return 0;
}

/*
 * Stop a counter and remove its event. An error is ignored: the counter runs on without
 * an event of ours, and the next attempt to configure it returns the error.
 */
void sbi_pmu_backend_release(struct sbi_pmu_backend *be, unsigned int idx)
{
	sbi_pmu_sbi_release(&be->sbi, idx);
}

/* ---- read ---- */

/* Firmware's own counters never accumulate. */
static bool accumulates(const struct sbi_pmu_backend *be, unsigned int idx)
{
	return be->accumulates && be->inv->info[idx].kind != SBI_PMU_COUNTER_FIRMWARE;
}

/* Counter @idx returned @raw. What would it return if it did not accumulate? */
u64 sbi_pmu_backend_convert(struct sbi_pmu_backend *be, unsigned int idx, u64 raw)
{
	if (!accumulates(be, idx))
		return raw;
	be->sum[idx].total = raw - be->last[idx];
	be->last[idx] = raw;
	return be->sum[idx].total + be->sum[idx].offset;
}

/* Counter @idx has been started from @value. */
void sbi_pmu_backend_started_at(struct sbi_pmu_backend *be, unsigned int idx, u64 value)
{
	be->last[idx] = value;
	if (accumulates(be, idx))
		be->sum[idx].offset = value - be->sum[idx].total;
}

/**
 * sbi_pmu_backend_read() - read one counter, running or not
 * @be: this CPU's
 * @idx: a counter that holds an event
 * @value: written on success
 *
 * Return: 0 or an errno.
 */
int sbi_pmu_backend_read(struct sbi_pmu_backend *be, unsigned int idx, u64 *value)
{
	const struct sbi_pmu_counter_info *info = &be->inv->info[idx];
	u64 raw;
	int ret;

	if (info->kind == SBI_PMU_COUNTER_FIRMWARE)
		return sbi_pmu_sbi_fw_read(&be->sbi, idx, value);
	ret = be->read_csr(info->csr, &raw);
	if (!ret)
		*value = sbi_pmu_backend_convert(be, idx, raw);
	return ret;
}

/* ---- stop and start ---- */

/* The result is about one counter only, so counters are taken to be stopped. */
void sbi_pmu_backend_stop_unchecked(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which)
{
	for (unsigned int w = 0; w < SBI_PMU_WINDOWS; w++)
		if (which->bits[w])
			sbi_pmu_sbi_stop(&be->sbi, w, which->bits[w]);
}

/* A counter that accumulates is read in any case: the next total contains this count. */
void sbi_pmu_backend_stop_and_read(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which,
				   const struct sbi_pmu_mask *wanted)
{
	const struct sbi_pmu_mask read = be->accumulates ? *which :
					 sbi_pmu_mask_and(*which, wanted);
	unsigned int i;

	sbi_pmu_backend_stop_unchecked(be, which);
	sbi_pmu_for_each_counter(i, &read)
		if (!sbi_pmu_backend_read(be, i, &be->stopped.value[i]))
			sbi_pmu_mask_set(&be->stopped.valid, i);
}

static struct sbi_pmu_mask sbi_stop(struct sbi_pmu_backend *be, const struct sbi_pmu_mask *which,
				    const struct sbi_pmu_mask *wanted)
{
	sbi_pmu_backend_stop_and_read(be, which, wanted);
	return (struct sbi_pmu_mask){};
}

static int start_at(struct sbi_pmu_backend *be, unsigned int idx, u64 value)
{
	int ret = sbi_pmu_sbi_start_at(&be->sbi, idx, value);
	u64 ran;

	/* Firmware did not stop it with the others: stop it alone. */
	if (ret == -EALREADY && !sbi_pmu_sbi_stop(&be->sbi, idx / SBI_PMU_WINDOW,
						  sbi_pmu_window_bit(idx))) {
		if (be->accumulates && sbi_pmu_backend_read(be, idx, &ran))
			return -EIO;
		ret = sbi_pmu_sbi_start_at(&be->sbi, idx, value);
	}
	if (!ret)
		sbi_pmu_backend_started_at(be, idx, value);
	return ret;
}

struct sbi_pmu_mask sbi_pmu_backend_start_each(struct sbi_pmu_backend *be,
					       const struct sbi_pmu_mask *which)
{
	struct sbi_pmu_mask failed = {};
	unsigned int i;
	int ret;

	sbi_pmu_for_each_counter(i, which) {
		ret = sbi_pmu_mask_test(&be->initial.valid, i) ?
		      start_at(be, i, be->initial.value[i]) : sbi_pmu_sbi_start(&be->sbi, i);
		if (ret)
			sbi_pmu_mask_set(&failed, i);
	}
	return failed;
}

const struct sbi_pmu_backend_ops sbi_pmu_backend_sbi = {
	.stop = sbi_stop,
	.start = sbi_pmu_backend_start_each,
};
