// SPDX-License-Identifier: GPL-2.0-only
/* Counters by single SBI calls, and what is common to all backends: free-running counters. */
#include "backend.h"

/* ---- all kinds of counters ---- */

static bool is_free_running(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return has_counter(cpu->counters->free_running, idx);
}

static int config(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
		  unsigned int *got)
{
	const u64 free_running = mask & cpu->counters->free_running;
	unsigned int i;

	/* None of these filters. */
	for_each_counter(i, free_running) {
		if (code->flags || code->idx != sbi_pmu_fixed_event(&cpu->counters->info[i]))
			continue;
		*got = i;
		return 0;
	}
	mask &= ~free_running;
	return mask ? cpu->backend->config(cpu, mask, code, got) : -EOPNOTSUPP;
}

/**
 * sbi_pmu_counter_config() - configure one of some counters for an event, stopped
 * @cpu: this CPU
 * @mask: counters that are offered
 * @code: the event
 * @got: the counter, written on success
 *
 * A counter that firmware took without an offer is released, unless an event of ours is on it: then
 * it is added to cpu->overwritten; or in shared mode perhaps the other driver.
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, or another errno.
 */
int sbi_pmu_counter_config(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
			   unsigned int *got)
{
	const int ret = config(cpu, mask, code, got);

	/* NO_COUNTER: one that does not exist */
	if (ret == -EPROTO && *got != SBI_PMU_NO_COUNTER) {
		if (has_counter(cpu->assigned.configured, *got))
			cpu->overwritten |= BIT_ULL(*got);
		else if (cpu->exclusive && !is_free_running(cpu, *got))
			sbi_pmu_sbi_release(cpu, *got);
	}
	if (ret)
		return ret;
	cpu->last[*got] = 0;
	memset(&cpu->sum[*got], 0, sizeof(cpu->sum[*got]));
	return 0;
}

/* An error is ignored: the counter runs on without an event, and to configure it fails later. */
void sbi_pmu_counter_unconfig(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (!is_free_running(cpu, idx))
		cpu->backend->release(cpu, idx);
}

int sbi_pmu_counter_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return is_free_running(cpu, idx) ? 0 : cpu->backend->start_one(cpu, idx);
}

/* Counter @idx returned @raw. What would it return if it did not accumulate? */
u64 sbi_pmu_counter_convert(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 raw)
{
	/* Firmware's own counters never do. */
	if (!cpu->accumulates || has_counter(cpu->counters->firmware, idx))
		return raw;
	cpu->sum[idx].total = raw - cpu->last[idx];
	cpu->last[idx] = raw;
	return cpu->sum[idx].total + cpu->sum[idx].offset;
}

/* Counter @idx has been started from @value. */
void sbi_pmu_counter_started_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	cpu->last[idx] = value;
	if (cpu->accumulates && !has_counter(cpu->counters->firmware, idx))
		cpu->sum[idx].offset = value - cpu->sum[idx].total;
}

/* For probes: start a stopped counter from @value. Return: was it started? */
bool sbi_pmu_counter_start_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	cpu->start_at.value[idx] = value & cpu->counters->info[idx].mask;
	cpu->start_at.valid |= BIT_ULL(idx);
	return !cpu->backend->start(cpu, BIT_ULL(idx));
}

/* Read one counter that holds an event, running or not. Return: 0 or an errno. */
int sbi_pmu_counter_read(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 *value)
{
	const struct sbi_pmu_counter_info *info = &cpu->counters->info[idx];
	u64 raw;
	int ret;

	if (info->kind == SBI_PMU_COUNTER_FIRMWARE)
		return sbi_pmu_sbi_fw_read(cpu, idx, value);
	ret = sbi_pmu_csr_read(info->csr, &raw);
	if (!ret)
		*value = sbi_pmu_counter_convert(cpu, idx, raw);
	return ret;
}

/* ---- single SBI calls ---- */

/*
 * Release what ran before has left configured in firmware. One by one: some firmware stops none
 * after the first that is stopped already. Not the fixed counters: programs may read them, and
 * firmware that does not hand them out starts none again. Nor may a boot loader, or a kernel before
 * kexec, have left a snapshot shared memory.
 */
void sbi_pmu_sbi_backend_online(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	for_each_counter(i, cpu->counters->programmable | cpu->counters->firmware)
		sbi_pmu_sbi_release(cpu, i);
	if (!sbi_pmu_shmem_register(cpu))
		sbi_pmu_shmem_unregister(cpu);
}

int sbi_pmu_sbi_backend_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const int ret = sbi_pmu_sbi_start(cpu, BIT_ULL(idx), 0, 0);

	return ret == -EALREADY ? 0 : ret;
}

/* The result is about one counter only, so counters are taken to be stopped. */
u64 sbi_pmu_sbi_backend_stop(struct sbi_pmu_cpu *cpu, u64 which)
{
	sbi_pmu_sbi_stop(cpu, which, 0);
	return 0;
}

/* Firmware did not stop counter @idx with the others: stop it alone, and start it again. */
static noinline int stop_and_start_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	u64 ran;

	if (sbi_pmu_sbi_stop(cpu, BIT_ULL(idx), 0) ||
	    (cpu->accumulates && sbi_pmu_counter_read(cpu, idx, &ran)))
		return -EIO;
	return sbi_pmu_sbi_start(cpu, BIT_ULL(idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, value);
}

static int start_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	int ret = sbi_pmu_sbi_start(cpu, BIT_ULL(idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, value);

	if (unlikely(ret == -EALREADY))
		ret = stop_and_start_at(cpu, idx, value);
	if (!ret)
		sbi_pmu_counter_started_at(cpu, idx, value);
	return ret;
}

/*
 * Those that go on from their present values are started together. After an error all are started
 * one by one, to find which one fails.
 */
u64 sbi_pmu_sbi_backend_start(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 together = which & ~cpu->start_at.valid;
	u64 failed = 0;
	unsigned int i;

	if (unlikely(together) && !sbi_pmu_sbi_start(cpu, together, 0, 0))
		which &= ~together;
	for_each_counter(i, which)
		if (has_counter(cpu->start_at.valid, i) ? start_at(cpu, i, cpu->start_at.value[i]) :
							  sbi_pmu_sbi_backend_start_one(cpu, i))
			failed |= BIT_ULL(i);
	return failed;
}

const struct sbi_pmu_backend sbi_pmu_backend_sbi = {
	.name = "sbi",
	.online = sbi_pmu_sbi_backend_online,
	.offline = sbi_pmu_shmem_offline,
	.config = sbi_pmu_sbi_config,
	.release = sbi_pmu_sbi_release,
	.start_one = sbi_pmu_sbi_backend_start_one,
	.stop = sbi_pmu_sbi_backend_stop,
	.start = sbi_pmu_sbi_backend_start,
};
