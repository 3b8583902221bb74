// SPDX-License-Identifier: GPL-2.0-only
/* csr: in place of the driver's csr.c: CSRs of the model of a hart. */
#include "../../../drivers/perf/sbi_pmu/csr.h"
#include "../../fakesbi/fakesbi.h"

#define THEAD_SCOUNTEROF	0x5c5
#define ANDES_SLIE		0x9c4
#define ANDES_SLIP		0x9c5
#define ANDES_SCOUNTEROF	0x9d4

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

unsigned long csr_read(unsigned int csr)
{
	return fakesbi.lcofi ? pending_bit(csr) : 0;
}

unsigned long csr_read_clear(unsigned int csr, unsigned long bits)
{
	const unsigned long before = csr_read(csr);

	if (bits & pending_bit(csr))
		fakesbi.lcofi = false;
	return before;
}

void csr_set(unsigned int csr, unsigned long bits)
{
	if (bits & pending_bit(csr))
		fakesbi.lcofi = true;
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

int sbi_pmu_csr_stopped(u32 *counters)
{
	return fakesbi_stopped(counters);
}

int sbi_pmu_csr_stop(u32 counters)
{
	return fakesbi_stop(counters);
}

int sbi_pmu_csr_start(u32 counters)
{
	return fakesbi_start(counters);
}

u32 sbi_pmu_csr_openable(void)
{
	return host.openable;
}

void sbi_pmu_csr_open(u32 counters)
{
	host.scounteren[host.cpu] = counters & host.openable;
}
