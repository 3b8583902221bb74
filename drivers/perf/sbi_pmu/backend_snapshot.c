// SPDX-License-Identifier: GPL-2.0-only
/*
 * All counters by one SBI call, values through the snapshot shared memory (SBI 3.0,
 * 11.2 to 11.4 and 11.13); one by one (backend_sbi.c) if firmware loses the memory.
 */
#include "backend.h"

static u64 *shmem_value(struct sbi_pmu_backend *be, unsigned int idx)
{
	return &be->shmem.data->ctr_values[idx];
}

/*
 * Marks values that firmware has not written: one less than what the counter was started from or
 * last returned, which it reads after 2^64 - 1 events only.
 */
static u64 not_written(const struct sbi_pmu_backend *be, unsigned int idx)
{
	return be->last[idx] - 1;
}

/* Firmware has done nothing then (NO_SHMEM). */
static bool is_shmem_lost(int ret)
{
	return ret == -ENOMEM;
}

static int stop_to_shmem(struct sbi_pmu_backend *be, u64 which)
{
	unsigned int i;

	for_each_counter(i, which)
		WRITE_ONCE(*shmem_value(be, i), not_written(be, i));
	return sbi_pmu_sbi_stop_snapshot(&be->sbi, which);
}

/*
 * With any value KVM also writes back all values of the last start, over the mark. After an error
 * such a value may mean that the counter was not saved.
 */
static bool shmem_written(struct sbi_pmu_backend *be, unsigned int idx, bool error, u64 *value)
{
	const u64 raw = READ_ONCE(*shmem_value(be, idx));

	if (raw == not_written(be, idx) || (error && raw == be->last[idx]))
		return false;
	*value = sbi_pmu_backend_convert(be, idx, raw);
	return true;
}

/* Firmware may have lost more, so its own counters are to be configured again. Return: those. */
static u64 stop_without_shmem(struct sbi_pmu_backend *be, u64 which)
{
	be->shmem.registered = be->shmem.may_be_registered = false;
	sbi_pmu_backend_stop_unchecked(be, which);
	return which & be->inv->firmware;
}

static u64 stop_all(struct sbi_pmu_backend *be, u64 which)
{
	int ret = stop_to_shmem(be, which);
	u64 lost = 0;
	unsigned int i;

	if (is_shmem_lost(ret) && sbi_pmu_shmem_register(be))
		ret = stop_to_shmem(be, which);
	if (is_shmem_lost(ret))
		lost = stop_without_shmem(be, which);
	for_each_counter(i, which) {
		if (has_counter(lost, i))
			continue;
		/* An error is about one counter; later counters may not be saved. */
		if (shmem_written(be, i, ret, &be->stopped.value[i]) ||
		    (ret && !sbi_pmu_backend_read(be, i, &be->stopped.value[i])))
			be->stopped.valid |= BIT_ULL(i);
		else
			lost |= BIT_ULL(i);
	}
	return lost;
}

static u64 snapshot_stop(struct sbi_pmu_backend *be, u64 which, u64 wanted)
{
	if (!which)
		return 0;
	if (be->shmem.registered)
		return stop_all(be, which);
	sbi_pmu_backend_stop_and_read(be, which, wanted);
	return 0;
}

static int start_from_shmem(struct sbi_pmu_backend *be, u64 which)
{
	unsigned int i;

	for_each_counter(i, which)
		WRITE_ONCE(*shmem_value(be, i), be->initial.value[i]);
	return sbi_pmu_sbi_start_snapshot(&be->sbi, which);
}

/* Return: counters that could not be started. */
static u64 start_all(struct sbi_pmu_backend *be, u64 which)
{
	int ret = start_from_shmem(be, which);
	unsigned int i;

	if (is_shmem_lost(ret) && sbi_pmu_shmem_register(be))
		ret = start_from_shmem(be, which);
	if (is_shmem_lost(ret))
		be->shmem.registered = be->shmem.may_be_registered = false;
	/* Some may have been started: one by one the error is told apart. */
	if (ret)
		return sbi_pmu_backend_start_each(be, which);
	for_each_counter(i, which)
		sbi_pmu_backend_started_at(be, i, be->initial.value[i]);
	return 0;
}

static u64 snapshot_start(struct sbi_pmu_backend *be, u64 which)
{
	if (!which)
		return 0;
	return be->shmem.registered ? start_all(be, which) : sbi_pmu_backend_start_each(be, which);
}

const struct sbi_pmu_backend_ops sbi_pmu_backend_snapshot = {
	.online = sbi_pmu_backend_sbi_online,
	.offline = sbi_pmu_shmem_offline,
	.config = sbi_pmu_backend_sbi_config,
	.release = sbi_pmu_backend_sbi_release,
	.start_one = sbi_pmu_backend_sbi_start_one,
	.stop = snapshot_stop,
	.start = snapshot_start,
};
