// SPDX-License-Identifier: GPL-2.0-only
/* csr: in place of the driver's csr.c: CSRs of the model of a hart. */
#include "../../../drivers/perf/sbi_pmu/sbi_pmu.h"
#include "../../fakesbi/fakesbi.h"

#define THEAD_SCOUNTEROF	SBI_PMU_CSR_THEAD_SCOUNTEROF
#define ANDES_SLIE		SBI_PMU_CSR_ANDES_SLIE
#define ANDES_SLIP		SBI_PMU_CSR_ANDES_SLIP
#define ANDES_SCOUNTEROF	SBI_PMU_CSR_ANDES_SCOUNTEROF

int sbi_pmu_csr_read(unsigned int csr, u64 *value)
{
	const int ret = fakesbi_read_csr(csr, value);

	host_pass(host.read_ns);
	return ret;
}

u32 sbi_pmu_csr_overflow(unsigned int csr)
{
	return fakesbi_overflow(csr);
}

/* The bit of the overflow interrupt in @csr, 0: it is not there. */
static unsigned long pending_bit(unsigned int csr)
{
	if (fakesbi.overflow_csr == ANDES_SCOUNTEROF)
		return csr == ANDES_SLIP ? BIT(18) : 0;
	if (csr != CSR_SIP)
		return 0;
	return fakesbi.overflow_csr == THEAD_SCOUNTEROF ? BIT(17) : BIT(13);
}

bool sbi_pmu_csr_is_pending(unsigned int csr, unsigned long mask)
{
	return fakesbi.lcofi && pending_bit(csr) & mask;
}

bool sbi_pmu_csr_clear_pending(unsigned int csr, unsigned long mask)
{
	const bool pending = sbi_pmu_csr_is_pending(csr, mask);

	if (mask & pending_bit(csr))
		fakesbi.lcofi = fakesbi.lcofi_stays;
	fakesbi_update_irq();
	return pending;
}

void sbi_pmu_csr_set_pending(unsigned int csr, unsigned long mask)
{
	if (mask & pending_bit(csr))
		fakesbi.lcofi = true;
	fakesbi_update_irq();
}

bool sbi_pmu_csr_can_enable(unsigned int csr, unsigned long mask)
{
	const unsigned int pending = csr == ANDES_SLIE ? ANDES_SLIP : CSR_SIP;

	return !host.enable_reads_zero && mask & pending_bit(pending);
}

bool sbi_pmu_csr_exists(unsigned int csr)
{
	if (csr == CSR_SIP || csr == CSR_SIE)
		return true;
	if (csr == ANDES_SLIE || csr == ANDES_SLIP)
		return fakesbi.overflow_csr == ANDES_SCOUNTEROF;
	return fakesbi.sscofpmf && csr == fakesbi.overflow_csr;
}

int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value)
{
	return fakesbi_read_delegated(counter, csr, value);
}

int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value)
{
	return fakesbi_write_delegated(counter, csr, value);
}

int sbi_pmu_csr_read_inhibit(u32 *counters)
{
	return fakesbi_stopped(counters);
}

int sbi_pmu_csr_inhibit(u32 counters)
{
	return fakesbi_inhibit(counters, true);
}

int sbi_pmu_csr_uninhibit(u32 counters)
{
	return fakesbi_inhibit(counters, false);
}

unsigned int sbi_pmu_csr_branch_setup(unsigned int wanted, bool *call_stack)
{
	*call_stack = !fakesbi.branches.no_call_stack;
	return min(fakesbi_branch_setup(wanted), wanted);
}

void sbi_pmu_csr_branch_control(u64 control)
{
	fakesbi_branch_control(control);
}

void sbi_pmu_csr_branch_clear(void)
{
	fakesbi_branch_clear();
}

bool sbi_pmu_csr_branch_freeze(void)
{
	return fakesbi_branch_freeze(true);
}

void sbi_pmu_csr_branch_unfreeze(void)
{
	fakesbi_branch_freeze(false);
}

void sbi_pmu_csr_branch_read(unsigned int i, struct sbi_pmu_branch_record *record)
{
	const struct fakesbi_record r = fakesbi_branch_read(i);

	*record = (struct sbi_pmu_branch_record){ r.source, r.target, r.data };
}

void sbi_pmu_csr_branch_write(unsigned int i, const struct sbi_pmu_branch_record *record)
{
	fakesbi_branch_write(i, (struct fakesbi_record){ record->source, record->target,
							 record->data });
}

u32 sbi_pmu_csr_openable(void)
{
	return host.openable;
}

void sbi_pmu_csr_open(u32 counters)
{
	host.scounteren[host.cpu] = counters & host.openable;
}
