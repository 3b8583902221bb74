// SPDX-License-Identifier: GPL-2.0-only
/* The ecall, and one function for each call of the PMU extension (SBI 3.0, chapter 11). */
#include "sbi.h"

/* Of these functions only SBI_EXT_BASE_PROBE_EXT has an argument. */
static unsigned long base_get(unsigned long fid)
{
	const struct sbiret ret = sbi_ecall(SBI_EXT_BASE, fid, SBI_EXT_PMU, 0, 0, 0, 0, 0);

	return ret.error ? 0 : ret.value;
}

/* Ask who firmware and cores are, and for the PMU extension. */
void sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id)
{
	id->spec = base_get(SBI_EXT_BASE_GET_SPEC_VERSION);
	id->impl = base_get(SBI_EXT_BASE_GET_IMP_ID);
	id->impl_version = base_get(SBI_EXT_BASE_GET_IMP_VERSION);
	id->mvendorid = base_get(SBI_EXT_BASE_GET_MVENDORID);
	id->marchid = base_get(SBI_EXT_BASE_GET_MARCHID);
	id->mimpid = base_get(SBI_EXT_BASE_GET_MIMPID);
	/* The PMU extension came with 0.3; before 0.2 there was no call to probe. */
	id->has_pmu = id->spec >= sbi_mk_version(0, 3) && base_get(SBI_EXT_BASE_PROBE_EXT);
}

/* Is the core of this CPU of the same kind? Else raw events may mean something else there. */
bool sbi_pmu_sbi_same_core(const struct sbi_pmu_firmware_id *id)
{
	return base_get(SBI_EXT_BASE_GET_MVENDORID) == id->mvendorid &&
	       base_get(SBI_EXT_BASE_GET_MARCHID) == id->marchid;
}

/* asm/sbi.h maps several of these to one errno; callers tell them apart. */
static noinline int to_errno(unsigned long error)
{
	static const int errnos[] = {
		[-SBI_ERR_NOT_SUPPORTED] = -EOPNOTSUPP,
		[-SBI_ERR_INVALID_PARAM] = -EINVAL,
		[-SBI_ERR_DENIED] = -EPERM,
		[-SBI_ERR_INVALID_ADDRESS] = -EFAULT,
		[-SBI_ERR_ALREADY_AVAILABLE] = -EEXIST,
		[-SBI_ERR_ALREADY_STARTED] = -EALREADY,
		[-SBI_ERR_ALREADY_STOPPED] = -EALREADY,
		[-SBI_ERR_NO_SHMEM] = -ENOMEM,
	};

	return -error < ARRAY_SIZE(errnos) && errnos[-error] ? errnos[-error] : -EIO;
}

/* One call. Return: the value, and as error 0 or an errno. */
static struct sbiret pmu_call(struct sbi_pmu_cpu *cpu, unsigned int fid, unsigned long a0,
			      unsigned long a1, unsigned long a2, unsigned long a3,
			      unsigned long a4)
{
	struct sbiret ret;

	cpu->in_sbi_call = true;
	ret = sbi_ecall(SBI_EXT_PMU, fid, a0, a1, a2, a3, a4, 0);
	cpu->in_sbi_call = false;
	cpu->called = true;
	cpu->sbi_calls[fid]++;
	if (unlikely(ret.error))
		ret.error = to_errno(ret.error);
	return ret;
}

/* Call a function that returns something about counter @idx; @value is only written on success. */
int sbi_pmu_sbi_value(struct sbi_pmu_cpu *cpu, unsigned int fid, unsigned int idx, u64 *value)
{
	const struct sbiret ret = pmu_call(cpu, fid, idx, 0, 0, 0, 0);

	if (!ret.error)
		*value = ret.value;
	return ret.error;
}

/*
 * Configure one of the counters @mask for an event; never none, as OpenSBI before 1.7 reads out of
 * bounds then. @got: the counter that firmware took, written if 0 or -EPROTO is returned.
 * Return: 0, -EOPNOTSUPP if no offered counter can hold the event, -EPROTO if firmware took a
 * counter that was not offered, or another errno.
 */
int sbi_pmu_sbi_config(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
		       unsigned int *got)
{
	const u32 flags = cpu->layout->one_filter ? 0 : code->flags;
	const struct sbiret ret =
		pmu_call(cpu, SBI_EXT_PMU_COUNTER_CFG_MATCH, 0, mask, flags, code->idx, code->data);

	if (ret.error)
		return ret.error;
	*got = min_t(unsigned long, ret.value, SBI_PMU_NO_COUNTER);
	return has_counter(mask, *got) ? 0 : -EPROTO;
}

/*
 * Start stopped counters. @flags: 0: from their present values; INIT_VALUE: from @value;
 * INIT_SNAPSHOT: each from its value in the snapshot shared memory.
 * Return: 0 or an errno, about one of the counters.
 */
int sbi_pmu_sbi_start(struct sbi_pmu_cpu *cpu, u64 mask, unsigned long flags, u64 value)
{
	return pmu_call(cpu, SBI_EXT_PMU_COUNTER_START, 0, mask, flags, value, 0).error;
}

/*
 * Stop counters, all running: some firmware stops none after the first that is stopped already.
 * @flags: 0; RESET: remove their events; TAKE_SNAPSHOT: write their values to the shared memory.
 * Return: 0 or an errno, about one of the counters; -ENOMEM if there is no shared memory, and so
 * nothing was stopped.
 */
int sbi_pmu_sbi_stop(struct sbi_pmu_cpu *cpu, u64 mask, unsigned long flags)
{
	return pmu_call(cpu, SBI_EXT_PMU_COUNTER_STOP, 0, mask, flags, 0, 0).error;
}

/* Stop a counter and remove its event. If that fails, so does the next call to configure it. */
void sbi_pmu_sbi_release(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	sbi_pmu_sbi_stop(cpu, BIT_ULL(idx), SBI_PMU_STOP_FLAG_RESET);
}

/* Register the page at @address as snapshot shared memory; SBI_SHMEM_DISABLE: none. */
int sbi_pmu_sbi_set_shmem(struct sbi_pmu_cpu *cpu, u64 address)
{
	const unsigned long high = address == (u64)SBI_SHMEM_DISABLE ? SBI_SHMEM_DISABLE : 0;

	return pmu_call(cpu, SBI_EXT_PMU_SNAPSHOT_SET_SHMEM, address, high, 0, 0, 0).error;
}
