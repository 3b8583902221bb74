// SPDX-License-Identifier: GPL-2.0-only
/* Counters by single SBI calls, and what is common to all backends: free-running counters. */
#include "backend.h"
#include "csr.h"
#include "sbi.h"

/* ---- all kinds of counters ---- */

/*
 * Stop a counter and remove its event. An error is ignored: the counter then runs on without an
 * event, and cannot be configured later.
 */
void sbi_pmu_counter_unconfig(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (!has_counter(cpu->free_running, idx))
		cpu->backend->release(cpu, idx);
}

int sbi_pmu_counter_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (has_counter(cpu->free_running, idx))
		return 0;
	return cpu->backend->start_one(cpu, idx);
}

/*
 * Counter @idx returned @raw. Return: what it would return if it did not accumulate. Firmware's own
 * counters never accumulate. They start from 0, so the result is @raw.
 */
u64 sbi_pmu_counter_convert(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 raw)
{
	struct sbi_pmu_counter *c = &cpu->counter[idx];

	if (!cpu->accumulates)
		return raw;
	c->total = raw - c->last;
	c->last = raw;
	return c->total + c->offset;
}

/* Counter @idx has been started from @value. */
void sbi_pmu_counter_started_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	struct sbi_pmu_counter *c = &cpu->counter[idx];

	c->last = value;
	if (cpu->accumulates && !has_counter(cpu->layout->firmware, idx))
		c->offset = value - c->total;
}

/* For probes: start a stopped counter from @value. Return: true if it was started. */
bool sbi_pmu_counter_start_at(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	cpu->counter[idx].start = value & cpu->layout->info[idx].mask;
	cpu->start_valid |= BIT_ULL(idx);
	return !cpu->backend->start(cpu, BIT_ULL(idx));
}

/* Read one counter that holds an event, running or not. Return: 0 or an errno. */
int sbi_pmu_counter_read(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 *value)
{
	const struct sbi_pmu_counter_info *info = &cpu->layout->info[idx];
	u64 raw;
	int ret;

	if (info->kind == SBI_PMU_COUNTER_FIRMWARE)
		return sbi_pmu_sbi_value(cpu, SBI_EXT_PMU_COUNTER_FW_READ, idx, value);
	ret = sbi_pmu_csr_read(info->csr, &raw);
	if (!ret)
		*value = sbi_pmu_counter_convert(cpu, idx, raw);
	return ret;
}

/* ---- single SBI calls ---- */

/*
 * Release counters that a boot loader, or a kernel before kexec, has left configured in firmware;
 * one by one, as some firmware stops none after the first that is stopped already. The fixed
 * counters are not released: programs may read them, and firmware that does not hand them out
 * starts none again. A snapshot shared memory that was left is not used any more, either.
 */
void sbi_pmu_sbi_backend_online(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	for_each_counter(i, cpu->layout->programmable | cpu->layout->firmware)
		sbi_pmu_sbi_release(cpu, i);
	if (!cpu->shmem.data)
		sbi_pmu_sbi_set_shmem(cpu, SBI_SHMEM_DISABLE);
}

int sbi_pmu_sbi_backend_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const int ret = sbi_pmu_sbi_start(cpu, BIT_ULL(idx), 0, 0);

	return ret == -EALREADY ? 0 : ret;
}

/* Firmware's result is about one counter only: all are taken to be stopped. */
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

/*
 * Those that go on from their present values are started together. After an error all are started
 * one by one, to find which one fails.
 */
u64 sbi_pmu_sbi_backend_start(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 together = which & ~cpu->start_valid;
	u64 failed = 0;
	unsigned int i;

	if (unlikely(together) && !sbi_pmu_sbi_start(cpu, together, 0, 0))
		which &= ~together;
	for_each_counter(i, which) {
		const u64 value = cpu->counter[i].start;
		int ret;

		if (together & BIT_ULL(i)) {
			ret = sbi_pmu_sbi_backend_start_one(cpu, i);
		} else {
			ret = sbi_pmu_sbi_start(cpu, BIT_ULL(i), SBI_PMU_START_FLAG_SET_INIT_VALUE,
						value);
			if (unlikely(ret == -EALREADY))
				ret = stop_and_start_at(cpu, i, value);
			if (!ret)
				sbi_pmu_counter_started_at(cpu, i, value);
		}
		if (ret)
			failed |= BIT_ULL(i);
	}
	return failed;
}

const struct sbi_pmu_backend sbi_pmu_backend_sbi = {
	.name = "sbi",
	.online = sbi_pmu_sbi_backend_online,
	.config = sbi_pmu_sbi_config,
	.release = sbi_pmu_sbi_release,
	.start_one = sbi_pmu_sbi_backend_start_one,
	.stop = sbi_pmu_sbi_backend_stop,
	.start = sbi_pmu_sbi_backend_start,
};
