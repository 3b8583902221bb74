// SPDX-License-Identifier: GPL-2.0-only
#include "firmware.h"

/* Our own table: asm/sbi.h folds most of these into one. */
int sbi_pmu_fw_errno(long error)
{
	switch (error) {
	case SBI_PMU_OK:
		return 0;
	case SBI_PMU_ERR_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	case SBI_PMU_ERR_INVALID_PARAM:
		return -EINVAL;
	case SBI_PMU_ERR_DENIED:
		return -EPERM;
	case SBI_PMU_ERR_INVALID_ADDRESS:
		return -EFAULT;
	case SBI_PMU_ERR_ALREADY_AVAILABLE:
		return -EEXIST;
	case SBI_PMU_ERR_ALREADY_STARTED:
	case SBI_PMU_ERR_ALREADY_STOPPED:
		return -EALREADY;
	case SBI_PMU_ERR_NO_SHMEM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

static int fw_call(struct sbi_pmu_fw *fw, unsigned int fid,
		   const xlen_t arg[SBI_PMU_ARGS], xlen_t *value)
{
	struct sbi_pmu_ret ret = fw->call(fid, arg);

	fw->calls[fid]++;
	if (value)
		*value = ret.value;
	return sbi_pmu_fw_errno(ret.error);
}

/* The window that holds one counter. */
static void fw_window(xlen_t arg[SBI_PMU_ARGS], unsigned int idx)
{
	arg[0] = idx - idx % SBI_PMU_WORD_BITS;
	arg[1] = (xlen_t)1 << (idx % SBI_PMU_WORD_BITS);
}

/* 64 bits take one register, or two on RV32. */
static void fw_put64(xlen_t *arg, u64 value)
{
	arg[0] = value;
	if (XLEN == 32)
		arg[1] = value >> 32;
}

int sbi_pmu_fw_num_counters(struct sbi_pmu_fw *fw, xlen_t *n)
{
	const xlen_t arg[SBI_PMU_ARGS] = {};

	return fw_call(fw, SBI_PMU_FID_NUM_COUNTERS, arg, n);
}

int sbi_pmu_fw_counter_info(struct sbi_pmu_fw *fw, unsigned int idx,
			    xlen_t *info)
{
	const xlen_t arg[SBI_PMU_ARGS] = { idx };

	return fw_call(fw, SBI_PMU_FID_COUNTER_INFO, arg, info);
}

/**
 * sbi_pmu_fw_config - have a counter configured for an event
 * @fw: this hart's firmware
 * @word: the window: counters from SBI_PMU_WORD_BITS * @word ...
 * @mask: ... that are offered; never empty (OpenSBI before 1.7 reads out of
 *	  bounds then)
 * @code: the event
 * @got: the counter that firmware took, written if 0 or -EPROTO is returned
 *
 * Return: 0, -EOPNOTSUPP if none of them can have this event, -EPROTO if
 * firmware took a counter that was not offered, or another errno.
 */
int sbi_pmu_fw_config(struct sbi_pmu_fw *fw, unsigned int word, xlen_t mask,
		      const struct sbi_pmu_code *code, unsigned int *got)
{
	const xlen_t base = word * SBI_PMU_WORD_BITS;
	xlen_t arg[SBI_PMU_ARGS] = { base, mask, code->flags, code->idx };
	xlen_t value;
	int ret;

	fw_put64(&arg[4], code->data);
	ret = fw_call(fw, SBI_PMU_FID_CONFIG_MATCHING, arg, &value);
	if (ret)
		return ret;
	*got = value < SBI_PMU_MAX_CTRS ? value : SBI_PMU_MAX_CTRS;
	if (value < base || value - base >= SBI_PMU_WORD_BITS ||
	    !(mask >> (value - base) & 1))
		return -EPROTO;
	return 0;
}

/* Start a stopped counter from the value that it has. */
int sbi_pmu_fw_start(struct sbi_pmu_fw *fw, unsigned int idx)
{
	xlen_t arg[SBI_PMU_ARGS] = {};
	int ret;

	fw_window(arg, idx);
	ret = fw_call(fw, SBI_PMU_FID_START, arg, NULL);
	return ret == -EALREADY ? 0 : ret;
}

/* Start a stopped counter from @value. */
int sbi_pmu_fw_start_at(struct sbi_pmu_fw *fw, unsigned int idx, u64 value)
{
	xlen_t arg[SBI_PMU_ARGS] = { [2] = SBI_PMU_START_SET_INIT };

	fw_window(arg, idx);
	fw_put64(&arg[3], value);
	return fw_call(fw, SBI_PMU_FID_START, arg, NULL);
}

/* Start stopped counters, each from its value in the snapshot memory. */
int sbi_pmu_fw_start_snapshot(struct sbi_pmu_fw *fw, unsigned int word, xlen_t mask)
{
	const xlen_t arg[SBI_PMU_ARGS] = { word * SBI_PMU_WORD_BITS, mask,
					   SBI_PMU_START_SNAPSHOT };

	return fw_call(fw, SBI_PMU_FID_START, arg, NULL);
}

/**
 * sbi_pmu_fw_stop - stop counters that run; they keep event and value
 * @fw: this hart's firmware
 * @word: the window
 * @mask: the counters in it; all of them running, as some firmware stops at the
 *	  first that does not, and what it answers is of one of them only
 */
int sbi_pmu_fw_stop(struct sbi_pmu_fw *fw, unsigned int word, xlen_t mask)
{
	const xlen_t arg[SBI_PMU_ARGS] = { word * SBI_PMU_WORD_BITS, mask };

	return fw_call(fw, SBI_PMU_FID_STOP, arg, NULL);
}

/**
 * sbi_pmu_fw_stop_snapshot - stop counters that run, their values to the snapshot memory
 * @fw: this hart's firmware
 * @word: the window
 * @mask: the counters in it, as for sbi_pmu_fw_stop()
 *
 * Return: 0, -ENOMEM if firmware has no such memory, and then has stopped nothing, or
 * another errno.
 */
int sbi_pmu_fw_stop_snapshot(struct sbi_pmu_fw *fw, unsigned int word, xlen_t mask)
{
	const xlen_t arg[SBI_PMU_ARGS] = { word * SBI_PMU_WORD_BITS, mask,
					   SBI_PMU_STOP_SNAPSHOT };

	return fw_call(fw, SBI_PMU_FID_STOP, arg, NULL);
}

/* Stop a counter and take its event away; fine if it was stopped already. */
int sbi_pmu_fw_release(struct sbi_pmu_fw *fw, unsigned int idx)
{
	xlen_t arg[SBI_PMU_ARGS] = { [2] = SBI_PMU_STOP_RESET };
	int ret;

	fw_window(arg, idx);
	ret = fw_call(fw, SBI_PMU_FID_STOP, arg, NULL);
	return ret == -EALREADY ? 0 : ret;
}

/* Halves that have not agreed after so many reads are not a counter's. */
#define SBI_PMU_READ_TRIES	4

/* Read a firmware counter; @value is only written on success. */
int sbi_pmu_fw_read(struct sbi_pmu_fw *fw, unsigned int idx, u64 *value)
{
	const xlen_t arg[SBI_PMU_ARGS] = { idx };
	xlen_t low, high = 0, again;
	int ret;

	if (XLEN == 64) {
		ret = fw_call(fw, SBI_PMU_FID_FW_READ, arg, &low);
		if (!ret)
			*value = low;
		return ret;
	}
	/* The halves come by a call each; the lower must not wrap in between. */
	for (unsigned int tries = 0; tries < SBI_PMU_READ_TRIES; tries++) {
		again = high;
		ret = fw_call(fw, SBI_PMU_FID_FW_READ, arg, &low);
		if (!ret)
			ret = fw_call(fw, SBI_PMU_FID_FW_READ_HI, arg, &high);
		if (ret)
			return ret;
		if (high == again) {
			*value = (u64)high << 32 | low;
			return 0;
		}
	}
	return -EIO;
}

/**
 * sbi_pmu_fw_snapshot - give this hart's firmware the snapshot memory
 * @fw: this hart's firmware
 * @address: of a page, or SBI_PMU_NO_SHMEM to take it away
 */
int sbi_pmu_fw_snapshot(struct sbi_pmu_fw *fw, u64 address)
{
	xlen_t arg[SBI_PMU_ARGS] = {};

	fw_put64(&arg[0], address);
	if (address == SBI_PMU_NO_SHMEM)
		arg[1] = ~(xlen_t)0;
	return fw_call(fw, SBI_PMU_FID_SNAPSHOT_SHMEM, arg, NULL);
}

/**
 * sbi_pmu_fw_event_info - ask firmware which events it has
 * @fw: this hart's firmware
 * @address: of an array of struct sbi_pmu_event_info, which is answered in place
 * @entries: its length
 */
int sbi_pmu_fw_event_info(struct sbi_pmu_fw *fw, u64 address, unsigned int entries)
{
	xlen_t arg[SBI_PMU_ARGS] = { [2] = entries };

	fw_put64(&arg[0], address);
	return fw_call(fw, SBI_PMU_FID_EVENT_INFO, arg, NULL);
}

/**
 * sbi_pmu_fw_inventory - learn this hart's counters
 * @fw: this hart's firmware
 * @inv: filled in
 *
 * Return: 0, or an errno if firmware cannot even say how many there are.
 */
int sbi_pmu_fw_inventory(struct sbi_pmu_fw *fw, struct sbi_pmu_inventory *inv)
{
	struct sbi_pmu_ctr ctr;
	xlen_t n, info, found = 0;
	int ret;

	memset(inv, 0, sizeof(*inv));
	ret = sbi_pmu_fw_num_counters(fw, &n);
	if (ret)
		return ret;

	/* @n counts counters, it is no bound of their indices. */
	for (unsigned int i = 0; i < SBI_PMU_MAX_CTRS && found < n; i++) {
		if (sbi_pmu_fw_counter_info(fw, i, &info))
			continue;
		found++;
		ctr = sbi_pmu_ctr_decode(info, fw->width_limit);
		if (fw->alike && ctr.kind == SBI_PMU_CTR_FIXED)
			ctr.kind = SBI_PMU_CTR_HPM;
		sbi_pmu_inventory_add(inv, i, ctr);
	}
	/* OpenSBI counts gaps in, as it does the time CSR, but has no info on them. */
	if (n > SBI_PMU_MAX_CTRS)
		inv->beyond = n - SBI_PMU_MAX_CTRS;
	return 0;
}
