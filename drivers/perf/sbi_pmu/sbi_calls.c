// SPDX-License-Identifier: GPL-2.0-only
#include "sbi_calls.h"

/* asm/sbi.h maps several of these to one errno; callers tell them apart. */
int sbi_pmu_sbi_errno(long error)
{
	switch (error) {
	case SBI_SUCCESS:
		return 0;
	case SBI_ERR_NOT_SUPPORTED:
		return -EOPNOTSUPP;
	case SBI_ERR_INVALID_PARAM:
		return -EINVAL;
	case SBI_ERR_DENIED:
		return -EPERM;
	case SBI_ERR_INVALID_ADDRESS:
		return -EFAULT;
	case SBI_ERR_ALREADY_AVAILABLE:
		return -EEXIST;
	case SBI_ERR_ALREADY_STARTED:
	case SBI_ERR_ALREADY_STOPPED:
		return -EALREADY;
	case SBI_ERR_NO_SHMEM:
		return -ENOMEM;
	default:
		return -EIO;
	}
}

static int pmu_call(struct sbi_pmu_sbi *sbi, unsigned int fid,
		    const unsigned long arg[SBI_PMU_ARGS], unsigned long *value)
{
	const struct sbiret ret = sbi->call(fid, arg);

	sbi->calls[fid]++;
	if (value)
		*value = ret.value;
	return sbi_pmu_sbi_errno(ret.error);
}

int sbi_pmu_sbi_num_counters(struct sbi_pmu_sbi *sbi, unsigned long *n)
{
	const unsigned long arg[SBI_PMU_ARGS] = {};

	return pmu_call(sbi, SBI_EXT_PMU_NUM_COUNTERS, arg, n);
}

int sbi_pmu_sbi_counter_info(struct sbi_pmu_sbi *sbi, unsigned int idx, unsigned long *info)
{
	const unsigned long arg[SBI_PMU_ARGS] = { idx };

	return pmu_call(sbi, SBI_EXT_PMU_COUNTER_GET_INFO, arg, info);
}

/**
 * sbi_pmu_sbi_config() - configure one of some counters for an event
 * @sbi: this CPU's
 * @window: counters from SBI_PMU_WINDOW * @window on ...
 * @mask: ... that are offered; never 0, as OpenSBI before 1.7 reads out of bounds then
 * @code: the event
 * @got: the counter that firmware took, written if 0 or -EPROTO is returned
 *
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, -EPROTO if firmware
 * took a counter that was not offered, or another errno.
 */
int sbi_pmu_sbi_config(struct sbi_pmu_sbi *sbi, unsigned int window, unsigned long mask,
		       const struct sbi_pmu_event_code *code, unsigned int *got)
{
	const unsigned long base = window * SBI_PMU_WINDOW;
	const unsigned long arg[SBI_PMU_ARGS] = { base, mask, code->flags, code->idx, code->data };
	unsigned long value;
	int ret;

	ret = pmu_call(sbi, SBI_EXT_PMU_COUNTER_CFG_MATCH, arg, &value);
	if (ret)
		return ret;
	*got = value < SBI_PMU_MAX_COUNTERS ? value : SBI_PMU_NO_COUNTER;
	if (value < base || value - base >= SBI_PMU_WINDOW || !(mask >> (value - base) & 1))
		return -EPROTO;
	return 0;
}

static int start(struct sbi_pmu_sbi *sbi, unsigned int window, unsigned long mask,
		 unsigned long flags, u64 value)
{
	const unsigned long arg[SBI_PMU_ARGS] = { window * SBI_PMU_WINDOW, mask, flags, value };

	return pmu_call(sbi, SBI_EXT_PMU_COUNTER_START, arg, NULL);
}

static int stop(struct sbi_pmu_sbi *sbi, unsigned int window, unsigned long mask,
		unsigned long flags)
{
	const unsigned long arg[SBI_PMU_ARGS] = { window * SBI_PMU_WINDOW, mask, flags };

	return pmu_call(sbi, SBI_EXT_PMU_COUNTER_STOP, arg, NULL);
}

/* Start a stopped counter from its present value. */
int sbi_pmu_sbi_start(struct sbi_pmu_sbi *sbi, unsigned int idx)
{
	const int ret = start(sbi, idx / SBI_PMU_WINDOW, sbi_pmu_window_bit(idx), 0, 0);

	return ret == -EALREADY ? 0 : ret;
}

/* Start a stopped counter from @value. */
int sbi_pmu_sbi_start_at(struct sbi_pmu_sbi *sbi, unsigned int idx, u64 value)
{
	return start(sbi, idx / SBI_PMU_WINDOW, sbi_pmu_window_bit(idx),
		     SBI_PMU_START_FLAG_SET_INIT_VALUE, value);
}

/* Start stopped counters, each from its value in the snapshot shared memory. */
int sbi_pmu_sbi_start_snapshot(struct sbi_pmu_sbi *sbi, unsigned int window, unsigned long mask)
{
	return start(sbi, window, mask, SBI_PMU_START_FLAG_INIT_SNAPSHOT, 0);
}

/**
 * sbi_pmu_sbi_stop() - stop running counters; they keep event and value
 * @sbi: this CPU's
 * @window: the window
 * @mask: counters of the window; all of them must run, as some firmware stops no more
 *	  after the first one that is stopped already. The result is about one counter.
 */
int sbi_pmu_sbi_stop(struct sbi_pmu_sbi *sbi, unsigned int window, unsigned long mask)
{
	return stop(sbi, window, mask, 0);
}

/**
 * sbi_pmu_sbi_stop_snapshot() - stop running counters, write values to the shared memory
 * @sbi: this CPU's
 * @window: the window
 * @mask: counters of the window, as for sbi_pmu_sbi_stop()
 *
 * Return: 0, -ENOMEM if firmware has no such memory and so has stopped nothing, or
 * another errno.
 */
int sbi_pmu_sbi_stop_snapshot(struct sbi_pmu_sbi *sbi, unsigned int window, unsigned long mask)
{
	return stop(sbi, window, mask, SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT);
}

/* Stop a counter and remove its event; no error if the counter was stopped already. */
int sbi_pmu_sbi_release(struct sbi_pmu_sbi *sbi, unsigned int idx)
{
	const int ret = stop(sbi, idx / SBI_PMU_WINDOW, sbi_pmu_window_bit(idx),
			     SBI_PMU_STOP_FLAG_RESET);

	return ret == -EALREADY ? 0 : ret;
}

/* Read a firmware counter; @value is only written on success. */
int sbi_pmu_sbi_fw_read(struct sbi_pmu_sbi *sbi, unsigned int idx, u64 *value)
{
	const unsigned long arg[SBI_PMU_ARGS] = { idx };
	unsigned long now;
	const int ret = pmu_call(sbi, SBI_EXT_PMU_COUNTER_FW_READ, arg, &now);

	if (!ret)
		*value = now;
	return ret;
}

/* Register the page at @address as snapshot shared memory; SBI_SHMEM_DISABLE: none. */
int sbi_pmu_sbi_set_shmem(struct sbi_pmu_sbi *sbi, u64 address)
{
	const unsigned long arg[SBI_PMU_ARGS] = {
		address, address == (u64)SBI_SHMEM_DISABLE ? SBI_SHMEM_DISABLE : 0,
	};

	return pmu_call(sbi, SBI_EXT_PMU_SNAPSHOT_SET_SHMEM, arg, NULL);
}

/* Ask about @entries struct riscv_pmu_event_info at @address, answered in place. */
int sbi_pmu_sbi_event_info(struct sbi_pmu_sbi *sbi, u64 address, unsigned int entries)
{
	const unsigned long arg[SBI_PMU_ARGS] = { address, 0, entries };

	return pmu_call(sbi, SBI_EXT_PMU_EVENT_GET_INFO, arg, NULL);
}
