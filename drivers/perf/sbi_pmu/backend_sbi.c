// SPDX-License-Identifier: GPL-2.0-only
#include "backend.h"

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
	struct sbiret ret;

	sbi->calling = true;
	ret = sbi->call(fid, arg);
	sbi->calling = false;
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
 * @mask: counters that are offered; never 0, as OpenSBI before 1.7 reads out of bounds then
 * @code: the event
 * @got: the counter that firmware took, written if 0 or -EPROTO is returned
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, -EPROTO if firmware
 * took a counter that was not offered, or another errno.
 */
int sbi_pmu_sbi_config(struct sbi_pmu_sbi *sbi, u64 mask, const struct sbi_pmu_event_code *code,
		       unsigned int *got)
{
	const unsigned long arg[SBI_PMU_ARGS] = { 0, mask, code->flags, code->idx, code->data };
	unsigned long value;
	int ret;

	ret = pmu_call(sbi, SBI_EXT_PMU_COUNTER_CFG_MATCH, arg, &value);
	if (ret)
		return ret;
	*got = value < SBI_PMU_MAX_COUNTERS ? value : SBI_PMU_NO_COUNTER;
	if (!has_counter(mask, *got))
		return -EPROTO;
	return 0;
}

static int start(struct sbi_pmu_sbi *sbi, u64 mask, unsigned long flags, u64 value)
{
	const unsigned long arg[SBI_PMU_ARGS] = { 0, mask, flags, value };

	return pmu_call(sbi, SBI_EXT_PMU_COUNTER_START, arg, NULL);
}

static int stop(struct sbi_pmu_sbi *sbi, u64 mask, unsigned long flags)
{
	const unsigned long arg[SBI_PMU_ARGS] = { 0, mask, flags };

	return pmu_call(sbi, SBI_EXT_PMU_COUNTER_STOP, arg, NULL);
}

/* Start a stopped counter from its present value. */
int sbi_pmu_sbi_start(struct sbi_pmu_sbi *sbi, unsigned int idx)
{
	const int ret = start(sbi, BIT_ULL(idx), 0, 0);

	return ret == -EALREADY ? 0 : ret;
}

/* Start a stopped counter from @value. */
int sbi_pmu_sbi_start_at(struct sbi_pmu_sbi *sbi, unsigned int idx, u64 value)
{
	return start(sbi, BIT_ULL(idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, value);
}

/* Start stopped counters, each from its value in the snapshot shared memory. */
int sbi_pmu_sbi_start_snapshot(struct sbi_pmu_sbi *sbi, u64 mask)
{
	return start(sbi, mask, SBI_PMU_START_FLAG_INIT_SNAPSHOT, 0);
}

/**
 * sbi_pmu_sbi_stop() - stop running counters; they keep event and value
 * @sbi: this CPU's
 * @mask: counters, all running: some firmware stops none after the first that is stopped already
 * Return: 0 or an errno, about one of the counters.
 */
int sbi_pmu_sbi_stop(struct sbi_pmu_sbi *sbi, u64 mask)
{
	return stop(sbi, mask, 0);
}

/**
 * sbi_pmu_sbi_stop_snapshot() - stop running counters, write values to the shared memory
 * @sbi: this CPU's
 * @mask: counters, as for sbi_pmu_sbi_stop()
 * Return: 0, -ENOMEM if firmware has no such memory and so has stopped nothing, or another errno.
 */
int sbi_pmu_sbi_stop_snapshot(struct sbi_pmu_sbi *sbi, u64 mask)
{
	return stop(sbi, mask, SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT);
}

/* Stop a counter and remove its event; no error if the counter was stopped already. */
int sbi_pmu_sbi_release(struct sbi_pmu_sbi *sbi, unsigned int idx)
{
	const int ret = stop(sbi, BIT_ULL(idx), SBI_PMU_STOP_FLAG_RESET);

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
		address,
		address == (u64)SBI_SHMEM_DISABLE ? SBI_SHMEM_DISABLE : 0,
	};

	return pmu_call(sbi, SBI_EXT_PMU_SNAPSHOT_SET_SHMEM, arg, NULL);
}

/* ---- the snapshot shared memory, which backend_snapshot.c uses ---- */

/* Register the shared memory of this CPU. Return: does firmware use it now? */
bool sbi_pmu_shmem_register(struct sbi_pmu_backend *be)
{
	if (!be->shmem.data)
		return false;
	/* Also if firmware returns an error: it may have the address from before. */
	be->shmem.may_be_registered = true;
	be->shmem.registered = !sbi_pmu_sbi_set_shmem(&be->sbi, be->shmem.address);
	return be->shmem.registered;
}

/* Have firmware use no shared memory. The page stays in use if firmware refuses. */
void sbi_pmu_shmem_unregister(struct sbi_pmu_backend *be)
{
	const int ret = sbi_pmu_sbi_set_shmem(&be->sbi, SBI_SHMEM_DISABLE);

	be->shmem.registered = false;
	if (!ret || ret == -EOPNOTSUPP)
		be->shmem.may_be_registered = false;
}

/**
 * sbi_pmu_shmem_online() - register the shared memory, or have firmware use none
 * @be: this CPU's; a boot loader, or a kernel before kexec, may have registered a page
 */
void sbi_pmu_shmem_online(struct sbi_pmu_backend *be)
{
	if (!sbi_pmu_shmem_register(be))
		sbi_pmu_shmem_unregister(be);
}

void sbi_pmu_shmem_offline(struct sbi_pmu_backend *be)
{
	if (be->shmem.may_be_registered)
		sbi_pmu_shmem_unregister(be);
}

/* ---- counters that run without firmware ---- */

/* The free-running counter of @mask that counts @code, SBI_PMU_NO_COUNTER if none. None filters. */
static unsigned int free_running_for(const struct sbi_pmu_backend *be, u64 mask,
				     const struct sbi_pmu_event_code *code)
{
	unsigned int i;

	for_each_counter(i, be->inv->free_running & mask)
		if (!code->flags && code->idx == sbi_pmu_counter_fixed_event(&be->inv->info[i]))
			return i;
	return SBI_PMU_NO_COUNTER;
}

static bool is_free_running(const struct sbi_pmu_backend *be, unsigned int idx)
{
	return has_counter(be->inv->free_running, idx);
}

/* ---- configure ---- */

static int config(struct sbi_pmu_backend *be, u64 mask, const struct sbi_pmu_event_code *code,
		  unsigned int *got)
{
	*got = free_running_for(be, mask, code);
	if (*got != SBI_PMU_NO_COUNTER)
		return 0;
	mask &= ~be->inv->free_running;
	return mask ? be->ops->config(be, mask, code, got) : -EOPNOTSUPP;
}

int sbi_pmu_backend_sbi_config(struct sbi_pmu_backend *be, u64 mask,
			       const struct sbi_pmu_event_code *code, unsigned int *got)
{
	return sbi_pmu_sbi_config(&be->sbi, mask, code, got);
}

/* Firmware took counter @idx without an offer; SBI_PMU_NO_COUNTER: one that does not exist. */
static void taken_unoffered(struct sbi_pmu_backend *be, unsigned int idx, u64 in_use)
{
	if (idx >= SBI_PMU_MAX_COUNTERS)
		return;
	if (has_counter(in_use, idx))
		be->overwritten |= BIT_ULL(idx);
	else if (be->exclusive && !is_free_running(be, idx))
		sbi_pmu_sbi_release(&be->sbi, idx);
}

/**
 * sbi_pmu_backend_config() - configure one of some counters for an event, stopped
 * @be: this CPU's
 * @mask: counters that are offered
 * @code: the event
 * @in_use: counters that hold an event of ours
 * @got: the counter, written on success
 *
 * A counter that firmware took without an offer is released, unless an event of ours is on it: then
 * it is added to be->overwritten; or in shared mode perhaps the other driver.
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, or another errno.
 */
int sbi_pmu_backend_config(struct sbi_pmu_backend *be, u64 mask,
			   const struct sbi_pmu_event_code *code, u64 in_use, unsigned int *got)
{
	const int ret = config(be, mask, code, got);

	if (ret == -EPROTO)
		taken_unoffered(be, *got, in_use);
	if (ret)
		return ret;
	be->last[*got] = 0;
	memset(&be->sum[*got], 0, sizeof(be->sum[*got]));
	return 0;
}

/* An error is ignored: the counter runs on without an event, and to configure it fails later. */
void sbi_pmu_backend_release(struct sbi_pmu_backend *be, unsigned int idx)
{
	if (!is_free_running(be, idx))
		be->ops->release(be, idx);
}

void sbi_pmu_backend_sbi_release(struct sbi_pmu_backend *be, unsigned int idx)
{
	sbi_pmu_sbi_release(&be->sbi, idx);
}

/**
 * sbi_pmu_backend_sbi_online() - release what ran before has left configured in firmware
 * @be: this CPU's
 *
 * One by one: some firmware stops none after the first that is stopped already. Not the fixed
 * counters: programs may read them, and firmware that does not hand them out starts none again.
 */
void sbi_pmu_backend_sbi_online(struct sbi_pmu_backend *be)
{
	const u64 used = be->inv->programmable | be->inv->firmware;
	unsigned int i;

	for_each_counter(i, used)
		sbi_pmu_sbi_release(&be->sbi, i);
	sbi_pmu_shmem_online(be);
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

/* For sbi_pmu_backend_read(): any counter. */
int sbi_pmu_backend_read_any(struct sbi_pmu_backend *be, unsigned int idx, u64 *value)
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
void sbi_pmu_backend_stop_unchecked(struct sbi_pmu_backend *be, u64 which)
{
	if (which)
		sbi_pmu_sbi_stop(&be->sbi, which);
}

/* A counter that accumulates is read in any case: the next total contains this count. */
void sbi_pmu_backend_stop_and_read(struct sbi_pmu_backend *be, u64 which, u64 wanted)
{
	const u64 read = be->accumulates ? which : (which & wanted);
	unsigned int i;

	sbi_pmu_backend_stop_unchecked(be, which);
	for_each_counter(i, read)
		if (!sbi_pmu_backend_read(be, i, &be->stopped.value[i]))
			be->stopped.valid |= BIT_ULL(i);
}

static u64 sbi_stop(struct sbi_pmu_backend *be, u64 which, u64 wanted)
{
	sbi_pmu_backend_stop_and_read(be, which, wanted);
	return 0;
}

static int start_at(struct sbi_pmu_backend *be, unsigned int idx, u64 value)
{
	int ret = sbi_pmu_sbi_start_at(&be->sbi, idx, value);
	u64 ran;

	/* Firmware did not stop it with the others: stop it alone. */
	if (ret == -EALREADY && !sbi_pmu_sbi_stop(&be->sbi, BIT_ULL(idx))) {
		if (be->accumulates && sbi_pmu_backend_read(be, idx, &ran))
			return -EIO;
		ret = sbi_pmu_sbi_start_at(&be->sbi, idx, value);
	}
	if (!ret)
		sbi_pmu_backend_started_at(be, idx, value);
	return ret;
}

/* Start stopped counters one by one. Return: those that could not be started. */
u64 sbi_pmu_backend_start_each(struct sbi_pmu_backend *be, u64 which)
{
	u64 failed = 0;
	unsigned int i;
	int ret;

	for_each_counter(i, which) {
		ret = has_counter(be->initial.valid, i) ? start_at(be, i, be->initial.value[i]) :
							  sbi_pmu_sbi_start(&be->sbi, i);
		if (ret)
			failed |= BIT_ULL(i);
	}
	return failed;
}

/*
 * Those that go on from their present values are started together, so that an overflow costs the
 * same whatever else counts. After an error all are started one by one, to find which one fails.
 */
static u64 sbi_start(struct sbi_pmu_backend *be, u64 which)
{
	const u64 together = which & ~be->initial.valid;
	u64 each = which & be->initial.valid;

	if (together && start(&be->sbi, together, 0, 0))
		each |= together;
	return sbi_pmu_backend_start_each(be, each);
}

int sbi_pmu_backend_start_one(struct sbi_pmu_backend *be, unsigned int idx)
{
	return is_free_running(be, idx) ? 0 : be->ops->start_one(be, idx);
}

int sbi_pmu_backend_sbi_start_one(struct sbi_pmu_backend *be, unsigned int idx)
{
	return sbi_pmu_sbi_start(&be->sbi, idx);
}

/* Add the values of counters @which to @values. Return: those that cannot be read. */
static u64 read_each(struct sbi_pmu_backend *be, u64 which, struct sbi_pmu_values *values)
{
	u64 failed = 0;
	unsigned int i;

	for_each_counter(i, which) {
		if (sbi_pmu_backend_read(be, i, &values->value[i]))
			failed |= BIT_ULL(i);
		else
			values->valid |= BIT_ULL(i);
	}
	return failed;
}

/* Stop counters: see struct sbi_pmu_backend_ops. */
u64 sbi_pmu_backend_stop(struct sbi_pmu_backend *be, u64 which, u64 wanted)
{
	const u64 free = which & be->inv->free_running;
	const u64 others = which & ~free;

	/* A value that is not known is not accounted. */
	read_each(be, free, &be->stopped);
	return be->ops->stop(be, others, wanted);
}

/* Start counters: see struct sbi_pmu_backend_ops. */
u64 sbi_pmu_backend_start(struct sbi_pmu_backend *be, u64 which)
{
	const u64 free = which & be->inv->free_running;
	const u64 others = which & ~free;
	const u64 failed = be->ops->start(be, others);
	const u64 unreadable = read_each(be, free, &be->initial);

	return failed | unreadable;
}

static u64 mask_of(unsigned int idx)
{
	u64 one = 0;

	one |= BIT_ULL(idx);
	return one;
}

/* Start one configured, stopped counter from @value. Return: 0, -EIO if it does not start. */
int sbi_pmu_backend_start_from(struct sbi_pmu_backend *be, unsigned int idx, u64 value)
{
	const u64 one = mask_of(idx);
	u64 failed;

	be->initial.value[idx] = value;
	be->initial.valid |= BIT_ULL(idx);
	failed = sbi_pmu_backend_start(be, one);
	return !failed ? 0 : -EIO;
}

void sbi_pmu_backend_stop_one(struct sbi_pmu_backend *be, unsigned int idx)
{
	const u64 one = mask_of(idx), none = 0;

	sbi_pmu_backend_stop(be, one, none);
}

const struct sbi_pmu_backend_ops sbi_pmu_backend_sbi = {
	.online = sbi_pmu_backend_sbi_online,
	.offline = sbi_pmu_shmem_offline,
	.config = sbi_pmu_backend_sbi_config,
	.release = sbi_pmu_backend_sbi_release,
	.start_one = sbi_pmu_backend_sbi_start_one,
	.stop = sbi_stop,
	.start = sbi_start,
};
