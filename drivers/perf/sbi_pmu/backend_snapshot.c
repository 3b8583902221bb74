// SPDX-License-Identifier: GPL-2.0-only
/*
 * All counters by one SBI call, values through the snapshot shared memory (SBI 3.0, 11.2 to 11.4
 * and 11.13); one by one, as backend_sbi.c, if firmware loses the memory.
 */
#include <linux/gfp.h>

#include <asm/io.h>

#include "backend.h"
#include "sbi.h"

/* ---- the shared memory ---- */

/* Return: NULL, or in words for the log why there is none. Context: may sleep. */
const char *sbi_pmu_snapshot_alloc(struct sbi_pmu *pmu)
{
	int id;

	if (!pmu->exclusive)
		return "the other PMU may use the snapshot shared memory";
	for_each_possible_cpu(id) {
		struct sbi_pmu_shmem *shmem = &per_cpu_ptr(pmu->cpu, id)->shmem;

		shmem->data = (struct riscv_pmu_snapshot_data *)get_zeroed_page(GFP_KERNEL);
		if (!shmem->data)
			return "there is no memory";
		shmem->address = virt_to_phys(shmem->data);
	}
	return NULL;
}

/* A page that firmware may still write to is never used again. */
void sbi_pmu_snapshot_free(struct sbi_pmu *pmu)
{
	int id;

	for_each_possible_cpu(id) {
		const struct sbi_pmu_shmem *shmem = &per_cpu_ptr(pmu->cpu, id)->shmem;

		if (shmem->may_be_registered)
			pr_err("firmware does not unregister the snapshot shared memory at %#llx: this page is leaked\n",
			       shmem->address);
		else
			free_page((unsigned long)shmem->data);
	}
}

/*
 * Have firmware use the shared memory of this CPU, if it can. What it uses now, also that of a
 * kernel before kexec, is disabled first: else the KVM of some hosts leaks memory.
 */
static void register_shmem(struct sbi_pmu_cpu *cpu)
{
	sbi_pmu_sbi_set_shmem(cpu, SBI_SHMEM_DISABLE);
	/* Also if firmware returns an error: it may have the address from before. */
	cpu->shmem.may_be_registered = true;
	cpu->shmem.registered = !sbi_pmu_sbi_set_shmem(cpu, cpu->shmem.address);
}

/* Have firmware use no shared memory. The page stays in use if firmware refuses. */
static void snapshot_offline(struct sbi_pmu_cpu *cpu)
{
	int ret;

	if (!cpu->shmem.may_be_registered)
		return;
	ret = sbi_pmu_sbi_set_shmem(cpu, SBI_SHMEM_DISABLE);
	cpu->shmem.registered = false;
	cpu->shmem.may_be_registered = ret && ret != -EOPNOTSUPP;
}

static void snapshot_online(struct sbi_pmu_cpu *cpu)
{
	sbi_pmu_sbi_backend_online(cpu);
	register_shmem(cpu);
	if (!cpu->shmem.registered)
		snapshot_offline(cpu);
}

/* ---- start and stop ---- */

/*
 * Marks values that firmware has not written: one less than what the counter was started from or
 * last returned, which it reads after 2^64 - 1 events only.
 */
static u64 not_written(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return cpu->counter[idx].last - 1;
}

/*
 * Start or stop counters by one call. Firmware that has lost the memory (NO_SHMEM) does nothing: it
 * is registered again, once. Return: 0 or an errno; -ENOMEM: it is lost for good.
 */
static int call_firmware(struct sbi_pmu_cpu *cpu, u64 which, bool start)
{
	unsigned int i;
	int ret;

	for (bool again = false;; again = true) {
		for_each_counter(i, which)
			WRITE_ONCE(cpu->shmem.data->ctr_values[i],
				   start ? cpu->counter[i].start : not_written(cpu, i));
		ret = start ? sbi_pmu_sbi_start(cpu, which, SBI_PMU_START_FLAG_INIT_SNAPSHOT, 0) :
			      sbi_pmu_sbi_stop(cpu, which, SBI_PMU_STOP_FLAG_TAKE_SNAPSHOT);
		if (ret != -ENOMEM)
			return ret;
		if (!again)
			register_shmem(cpu);
		if (again || !cpu->shmem.registered)
			break;
	}
	cpu->shmem.registered = cpu->shmem.may_be_registered = false;
	return ret;
}

static u64 snapshot_stop(struct sbi_pmu_cpu *cpu, u64 which)
{
	u64 lost = 0, raw;
	unsigned int i;
	int ret;

	if (!cpu->shmem.registered)
		return sbi_pmu_sbi_backend_stop(cpu, which);
	ret = call_firmware(cpu, which, false);
	if (ret == -ENOMEM) {
		/* Firmware may have lost more, so its own counters are configured again. */
		sbi_pmu_sbi_stop(cpu, which, 0);
		lost = which & cpu->layout->firmware;
	}
	for_each_counter(i, which & ~lost) {
		raw = READ_ONCE(cpu->shmem.data->ctr_values[i]);
		/*
		 * KVM writes all values if it writes one: in place of the mark, a counter that was
		 * not stopped gets the value of its last start. An error is about one counter, and
		 * those after it may not be stopped: then such a value says nothing.
		 */
		if (raw != not_written(cpu, i) && !(ret && raw == cpu->counter[i].last))
			cpu->counter[i].at_disable = sbi_pmu_counter_convert(cpu, i, raw);
		else if (!ret || sbi_pmu_counter_read(cpu, i, &cpu->counter[i].at_disable))
			lost |= BIT_ULL(i);
		if (!has_counter(lost, i))
			cpu->at_disable_valid |= BIT_ULL(i);
	}
	return lost;
}

static u64 snapshot_start(struct sbi_pmu_cpu *cpu, u64 which)
{
	unsigned int i;

	/* After an error some may have been started: one by one it is told apart. */
	if (!cpu->shmem.registered || call_firmware(cpu, which, true))
		return sbi_pmu_sbi_backend_start(cpu, which);
	for_each_counter(i, which)
		sbi_pmu_counter_started_at(cpu, i, cpu->counter[i].start);
	return 0;
}

/* ---- does it work? ---- */

/* A start value that the counter cannot reach meanwhile */
#define FAR	BIT_ULL(40)

/* Does firmware save values there, and start from them? @cpu: this CPU, with this backend, idle */
bool sbi_pmu_snapshot_works(struct sbi_pmu_cpu *cpu)
{
	/* The host of a VM may deny any event. */
	struct sbi_pmu_code code = { .idx = SBI_PMU_HW_CPU_CYCLES };
	const u64 mask = sbi_pmu_hardware(cpu->layout) & ~cpu->layout->free_running;
	struct sbi_pmu_counter *c;
	bool works = false;
	unsigned int idx;
	int ret = -ENODEV;
	u64 read;

	if (!cpu->shmem.registered || !mask)
		return false;
	for (; code.idx < SBI_PMU_HW_GENERAL_MAX && ret; code.idx++) {
		ret = sbi_pmu_sbi_config(cpu, mask, &code, &idx);
		if (ret == -EPROTO && idx != SBI_PMU_NO_COUNTER)
			sbi_pmu_sbi_release(cpu, idx);
	}
	if (ret)
		return false;
	c = &cpu->counter[idx];
	c->start = FAR;
	if (!call_firmware(cpu, BIT_ULL(idx), true)) {
		sbi_pmu_counter_started_at(cpu, idx, FAR);
		works = !snapshot_stop(cpu, BIT_ULL(idx)) && c->at_disable - FAR < FAR &&
			!sbi_pmu_counter_read(cpu, idx, &read) && read == c->at_disable;
	}
	cpu->at_disable_valid = 0;
	sbi_pmu_sbi_release(cpu, idx);
	return works && cpu->shmem.registered;
}

const struct sbi_pmu_backend sbi_pmu_backend_snapshot = {
	.name = "snapshot",
	.in_log = ", read by snapshot",
	.online = snapshot_online,
	.offline = snapshot_offline,
	.resume = register_shmem,
	.config = sbi_pmu_sbi_config,
	.release = sbi_pmu_sbi_release,
	.start_one = sbi_pmu_sbi_backend_start_one,
	.stop = snapshot_stop,
	.start = snapshot_start,
	.stops_all = true,
};
