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
		   const unsigned long arg[5], unsigned long *value)
{
	struct sbi_pmu_ret ret = fw->call(fid, arg);

	fw->calls[fid]++;
	if (value)
		*value = ret.value;
	return sbi_pmu_fw_errno(ret.error);
}

/* The window that holds one counter. */
static void fw_window(unsigned long arg[5], unsigned int idx)
{
	arg[0] = idx - idx % SBI_PMU_WORD_BITS;
	arg[1] = 1UL << (idx % SBI_PMU_WORD_BITS);
}

int sbi_pmu_fw_num_counters(struct sbi_pmu_fw *fw, unsigned long *n)
{
	const unsigned long arg[5] = {};

	return fw_call(fw, SBI_PMU_FID_NUM_COUNTERS, arg, n);
}

int sbi_pmu_fw_counter_info(struct sbi_pmu_fw *fw, unsigned int idx,
			    unsigned long *info)
{
	const unsigned long arg[5] = { idx };

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
int sbi_pmu_fw_config(struct sbi_pmu_fw *fw, unsigned int word, u64 mask,
		      const struct sbi_pmu_code *code, unsigned int *got)
{
	const unsigned long base = word * SBI_PMU_WORD_BITS;
	const unsigned long arg[5] = { base, mask, code->flags, code->idx, code->data };
	unsigned long value;
	int ret;

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
	unsigned long arg[5] = {};
	int ret;

	fw_window(arg, idx);
	ret = fw_call(fw, SBI_PMU_FID_START, arg, NULL);
	return ret == -EALREADY ? 0 : ret;
}

/* Stop a counter and take its event away; fine if it was stopped already. */
int sbi_pmu_fw_release(struct sbi_pmu_fw *fw, unsigned int idx)
{
	unsigned long arg[5] = { [2] = SBI_PMU_STOP_RESET };
	int ret;

	fw_window(arg, idx);
	ret = fw_call(fw, SBI_PMU_FID_STOP, arg, NULL);
	return ret == -EALREADY ? 0 : ret;
}

/* Read a firmware counter; @value is only written on success. */
int sbi_pmu_fw_read(struct sbi_pmu_fw *fw, unsigned int idx, u64 *value)
{
	const unsigned long arg[5] = { idx };
	unsigned long low;
	int ret;

	ret = fw_call(fw, SBI_PMU_FID_FW_READ, arg, &low);
	if (!ret)
		*value = low;
	return ret;
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
	unsigned long n, info, found = 0;
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
		sbi_pmu_inventory_add(inv, i, sbi_pmu_ctr_decode(info));
	}
	/* OpenSBI counts the time CSR in, but has no info on it. */
	if (found + 1 < n)
		inv->beyond = n - found;
	return 0;
}
