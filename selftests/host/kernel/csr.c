// SPDX-License-Identifier: GPL-2.0-only
/* csr: in place of the driver's csr.c: CSRs of the model of a hart. */
#include "../../../drivers/perf/sbi_pmu/csr.h"
#include "../../fakesbi/fakesbi.h"

#define THEAD_SCOUNTEROF	SBI_PMU_CSR_THEAD_SCOUNTEROF
#define ANDES_SLIE		SBI_PMU_CSR_ANDES_SLIE
#define ANDES_SLIP		SBI_PMU_CSR_ANDES_SLIP
#define ANDES_SCOUNTEROF	SBI_PMU_CSR_ANDES_SCOUNTEROF

int sbi_pmu_csr_read(unsigned int csr, u64 *value)
{
	int ret;

	if (host.slow_read && !--host.slow_read)
		host_pass(NSEC_PER_MSEC);
	ret = fakesbi_read_csr(csr, value);
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

bool sbi_pmu_csr_filter(u32 flags)
{
	fakesbi.filter = flags & fakesbi.one_filter;
	return fakesbi.filter == flags;
}

/* ---- counters that firmware delegates to S-mode ---- */

#define FILTERS		(SPEC_EVENT_SINH | SPEC_EVENT_UINH | SPEC_EVENT_VSINH | SPEC_EVENT_VUINH)

/* A delegated counter, NULL if the access traps */
static struct fakesbi_ctr *delegated(unsigned int counter)
{
	if (counter >= ARRAY_SIZE(fakesbi.by_csr) || !fakesbi.by_csr[counter] ||
	    !(fakesbi.delegated >> counter & 1))
		return NULL;
	return &fakesbi.ctr[fakesbi.by_csr[counter] - 1];
}

static bool is_fixed(unsigned int counter)
{
	return counter <= SPEC_CSR_INSTRET - SPEC_CSR_CYCLE;
}

/* The counter whose register @csr is accessed, NULL if that traps */
static struct fakesbi_ctr *accessed(unsigned int counter, unsigned int csr)
{
	const bool has_event = !is_fixed(counter) || fakesbi.smcntrpmf >> counter & 1;

	return csr == SPEC_CSR_SIREG || (has_event && !fakesbi.no_sireg2) ? delegated(counter) : NULL;
}

int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value)
{
	const struct fakesbi_ctr *ctr = accessed(counter, csr);

	if (!ctr)
		return -ENXIO;
	if (csr == SPEC_CSR_SIREG)
		*value = ctr->value;
	else
		*value = (ctr->event & ~SPEC_EVENT_MINH) | (ctr->overflown ? SPEC_EVENT_OF : 0);
	return 0;
}

static void set_event(unsigned int counter, struct fakesbi_ctr *ctr, u64 event)
{
	const u64 writable = is_fixed(counter) ? FILTERS : SPEC_EVENT_SELECTOR | FILTERS;
	const u64 mask = writable & fakesbi.event_bits;

	ctr->event = (event & mask) | (ctr->event & ~mask & SPEC_EVENT_MINH);
	ctr->lost = false;
	ctr->code = fakesbi_code_of(ctr->event & ~SPEC_EVENT_MINH);
	if (fakesbi.unfiltered && fakesbi.unfiltered(&ctr->code))
		ctr->code.flags = 0;
	if (is_fixed(counter)) {
		ctr->code.idx = counter ? SPEC_GENERAL_INSTRUCTIONS : SPEC_GENERAL_CYCLES;
		ctr->code.data = 0;
	} else {
		ctr->overflown = fakesbi.sscofpmf && (event & SPEC_EVENT_OF || model_keeps_of(ctr));
	}
}

int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value)
{
	struct fakesbi_ctr *ctr = accessed(counter, csr);

	if (!ctr)
		return -ENXIO;
	if (ctr->running)
		model_report("a delegated counter is written while it runs");
	if (csr == SPEC_CSR_SIREG2)
		set_event(counter, ctr, value);
	else if (!(fakesbi.constant >> counter & 1))
		ctr->value = value & model_bits(ctr);
	return 0;
}

/* Bits of counters that are not delegated are read-only zero. */
int sbi_pmu_csr_read_inhibit(u32 *counters)
{
	if (!fakesbi.delegated)
		return -ENXIO;
	*counters = 0;
	for (unsigned int n = 0; n < ARRAY_SIZE(fakesbi.by_csr); n++)
		if (delegated(n) && !delegated(n)->running)
			*counters |= BIT(n);
	return 0;
}

/* Write ones to bits of scountinhibit, or zeros. */
static int inhibit(u32 counters, bool on)
{
	if (!fakesbi.delegated)
		return -ENXIO;
	fakesbi.inhibit_writes++;
	for (unsigned int n = 0; n < ARRAY_SIZE(fakesbi.by_csr); n++) {
		struct fakesbi_ctr *ctr = delegated(n);

		if (!ctr || !(counters >> n & 1) ||
		    (on ? fakesbi.unstoppable : fakesbi.unstartable) >> n & 1)
			continue;
		ctr->running = !on;
		/* cycle and instret need no event. */
		if (is_fixed(n) && !ctr->configured)
			ctr->code.idx = n ? SPEC_GENERAL_INSTRUCTIONS : SPEC_GENERAL_CYCLES;
	}
	return 0;
}

int sbi_pmu_csr_inhibit(u32 counters)
{
	return inhibit(counters, true);
}

int sbi_pmu_csr_uninhibit(u32 counters)
{
	return inhibit(counters, false);
}

/* ---- branch records ---- */

#define branches	(fakesbi.branches)

static bool has_records(void)
{
	return branches.most && !branches.lost;
}

/* Where there are none their CSRs trap, and only the setup is prepared for that. */
static void need_records(void)
{
	if (!has_records())
		model_report("a CSR of branch records is accessed where there are none");
}

unsigned int sbi_pmu_csr_branch_setup(unsigned int wanted, u64 *control)
{
	if (!has_records())
		return 0;
	if (*control & (SPEC_CTR_U | SPEC_CTR_S))
		model_report("branches are recorded while they are looked for");
	*control &= ~branches.no_control;
	branches.control = 0;
	branches.depth = min(max(branches.least, wanted), branches.most);
	return min(branches.depth, wanted);
}

void sbi_pmu_csr_branch_control(u64 control)
{
	assert(host.irqs_off);
	need_records();
	branches.control = control & ~branches.no_control;
}

void sbi_pmu_csr_branch_clear(void)
{
	need_records();
	memset(branches.entry, 0, sizeof(branches.entry));
}

bool sbi_pmu_csr_branch_freeze(void)
{
	const bool before = branches.frozen;

	need_records();
	branches.frozen = true;
	return before;
}

void sbi_pmu_csr_branch_unfreeze(void)
{
	need_records();
	branches.frozen = false;
}

static void access_record(unsigned int i)
{
	branches.accesses++;
	need_records();
	if (i >= branches.depth)
		model_report("a record is accessed that is not there");
	if (!branches.frozen && branches.control & SPEC_CTR_S)
		model_report("records are accessed while those of the kernel are added");
}

void sbi_pmu_csr_branch_read(unsigned int i, struct sbi_pmu_branch_record *record)
{
	const struct fakesbi_record *r = &branches.entry[i];

	access_record(i);
	*record = (struct sbi_pmu_branch_record){ r->source, r->target, r->data };
}

void sbi_pmu_csr_branch_write(unsigned int i, const struct sbi_pmu_branch_record *record)
{
	access_record(i);
	branches.entry[i] = (struct fakesbi_record){ record->source,
						      record->target & ~branches.no_target,
						      record->data & ~branches.no_data };
}

u32 sbi_pmu_csr_openable(void)
{
	return host.openable;
}

void sbi_pmu_csr_open(u32 counters)
{
	assert(host.irqs_off);
	host.closed |= host.scounteren[host.cpu] & ~counters;
	host.scounteren[host.cpu] = counters & host.openable;
}
