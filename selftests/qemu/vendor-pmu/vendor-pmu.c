// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of cores that have an overflow interrupt of their vendor, and no Sscofpmf. They
 * replace QEMU's own: -cpu thead-c906,vendor-pmu=thead or -cpu rv64,vendor-pmu=andes. qfix.sh
 * builds it into the lab's QEMU.
 *
 * What is modelled is what OpenSBI and Linux use: mcycle, minstret and the programmable
 * counters, which have overflow, enable and (Andes) filter bits of the vendor in CSRs of their
 * own, and the interrupt. Where the manuals leave a choice, the two differ:
 * - T-Head's interrupt is pending as long as the overflow bit of an enabled counter is set; the
 *   pending bit cannot be written. Andes' is pending from an overflow until software clears it.
 * - T-Head's scounterof shows a counter only if mcounterwen has its bit.
 *
 * Cycles and instructions advance by one in a nanosecond of virtual time, any other event by
 * one in 64 ns and as many more as its number. The counters are updated when they are accessed,
 * and before an event, a filter or the mode changes. A timer is set for the first overflow; it
 * expires in QEMU's main thread, which queues the work to the hart's. A reset does not clear the
 * counters.
 *
 * A dash and a fault may follow the vendor's name, as in vendor-pmu=thead-silent.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "cpu.h"
#include "vendor-pmu.h"
#include "take-over.h"

#define COUNTERS	32
#define TIME		1	/* its index among the CSRs; not a counter of events */
#define FIRST		3	/* the first programmable counter */
#define SLOW		64	/* ns in which an event other than the first two happens once, and its number */
#define FAR		(1ULL << 48)
#define LATE		100	/* the overflow from which on a hart is LATE_STUCK */

/* Registers with a bit for each counter */
enum {
	OVERFLOW, /* has overflowed */
	ENABLE,	  /* may interrupt */
	SHOW,	  /* may be seen in S-mode */
	MASK_U,	  /* does not count in U-mode, and so on */
	MASK_S,
	MASK_M,
	REGISTERS
};

/* What is wrong with the overflow interrupt */
enum fault {
	NO_FAULT,
	SILENT,	    /* it does not come */
	UNNAMED,    /* the CSR in S-mode says of no counter that it has overflowed */
	STUCK,	    /* overflow bits stay set, and with them the interrupt pending */
	LATE_STUCK, /* likewise, but not at first */
};

static const char *const faults[] = {
	[SILENT] = "silent", [UNNAMED] = "unnamed", [STUCK] = "stuck", [LATE_STUCK] = "late",
};

/**
 * struct kind - a vendor's counters
 * @name: value of the property vendor-pmu, up to a dash
 * @irq: number of the interrupt, in the CSRs of the pending and enable bits
 * @cause: what is added to that in scause
 * @level: pending as long as an overflow bit is set
 * @at: CSRs of the registers in M-mode, 0: there is none
 * @overflow: CSR of the overflow bits in S-mode
 */
static const struct kind {
	const char *name;
	unsigned int irq;
	unsigned int cause;
	bool level;
	uint16_t at[REGISTERS];
	uint16_t overflow;
} kinds[] = {
	{
		.name = "thead", .irq = 17, .level = true, .overflow = 0x5c5,
		.at = { [OVERFLOW] = 0x7cb, [ENABLE] = 0x7ca, [SHOW] = 0x7c9 },
	}, {
		.name = "andes", .irq = 18, .cause = 256, .overflow = 0x9d4,
		.at = {
			[OVERFLOW] = 0x7d4, [ENABLE] = 0x7cf, [SHOW] = 0x7ce,
			[MASK_U] = 0x7d3, [MASK_S] = 0x7d2, [MASK_M] = 0x7d1,
		},
	},
};

/* Andes' delegation, enable and pending bits, and the CSR that says that there are counters */
#define ANDES_MSLIDELEG		0x7d5
#define ANDES_SLIE		0x9c4
#define ANDES_SLIP		0x9c5
#define ANDES_MMSC_CFG		0xfc2
#define ANDES_MMSC_CFG_PMNDS	BIT(15)

/**
 * struct vendor_pmu - a hart's counters; mhpmeventN is in env->mhpmevent_val
 * @kind: the vendor's
 * @fault: what is wrong with them
 * @overflows: number of overflows, of several at a time as one
 * @timer: expires when a counter may have overflowed
 * @due: the time of @timer, ns; INT64_MAX: not set
 * @now: the time of the last update, ns
 * @value: the counters' values
 * @bits: the registers with a bit for each counter
 */
struct vendor_pmu {
	const struct kind *kind;
	enum fault fault;
	unsigned int overflows;
	QEMUTimer *timer;
	int64_t due;
	uint64_t now;
	uint64_t value[COUNTERS];
	uint32_t bits[REGISTERS];
};

/* QEMU's own functions, of all harts */
static riscv_csr_operations inhibit, delegate;

static struct vendor_pmu *pmu_of(CPURISCVState *env)
{
	return env_archcpu(env)->vendor_pmu;
}

static uint64_t irq_bit(CPURISCVState *env)
{
	return BIT_ULL(pmu_of(env)->kind->irq);
}

/* ---- counting ---- */

/* ns in which the event of counter @i happens once; 0: never */
static uint64_t pace_of(CPURISCVState *env, unsigned int i)
{
	const uint64_t event = i < FIRST ? 1 : env->mhpmevent_val[i];

	return !event ? 0 : event <= 2 ? 1 : SLOW + event % SLOW;
}

static bool is_counting(CPURISCVState *env, unsigned int i, target_ulong priv)
{
	static const uint8_t mask[] = { [PRV_U] = MASK_U, [PRV_S] = MASK_S, [PRV_M] = MASK_M };
	const uint32_t stopped = env->mcountinhibit | pmu_of(env)->bits[mask[priv]];

	return i != TIME && !(stopped & BIT(i)) && pace_of(env, i);
}

static void update_irq(CPURISCVState *env, uint32_t overflowed)
{
	struct vendor_pmu *pmu = pmu_of(env);
	const uint32_t enabled = pmu->bits[ENABLE];
	const uint64_t bit = irq_bit(env);

	if (pmu->fault == SILENT)
		return;
	if (pmu->kind->level)
		riscv_cpu_update_mip(env, bit, pmu->bits[OVERFLOW] & enabled ? bit : 0);
	else if (overflowed & enabled)
		riscv_cpu_update_mip(env, bit, bit);
}

/* Update all counters; since the last update the hart was in its current mode. */
static void update_counters(CPURISCVState *env)
{
	struct vendor_pmu *pmu = pmu_of(env);
	const uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
	uint32_t overflowed = 0;

	for (unsigned int i = 0; i < COUNTERS; i++) {
		const uint64_t old = pmu->value[i], pace = pace_of(env, i);

		if (!is_counting(env, i, env->priv))
			continue;
		pmu->value[i] += now / pace - pmu->now / pace;
		if (pmu->value[i] < old)
			overflowed |= BIT(i);
	}
	pmu->now = now;
	overflowed &= ~pmu->bits[OVERFLOW];
	pmu->bits[OVERFLOW] |= overflowed;
	if (!overflowed)
		return;
	pmu->overflows++;
	update_irq(env, overflowed);
}

/* Set the timer for the first overflow, with the hart in this mode from now on. */
static void set_timer(CPURISCVState *env, target_ulong priv)
{
	struct vendor_pmu *pmu = pmu_of(env);
	int64_t first = INT64_MAX;

	for (unsigned int i = 0; i < COUNTERS; i++) {
		const uint64_t left = -pmu->value[i], pace = pace_of(env, i);

		if (is_counting(env, i, priv) && left && left < FAR &&
		    !(pmu->bits[OVERFLOW] & BIT(i)))
			first = MIN(first, (int64_t)((pmu->now / pace + left) * pace));
	}
	/* An expiry that is not needed costs less than to move the timer each time. */
	if (first >= pmu->due)
		return;
	pmu->due = first;
	timer_mod(pmu->timer, first);
}

static void timer_work(CPUState *cs, run_on_cpu_data data)
{
	CPURISCVState *env = cpu_env(cs);

	pmu_of(env)->due = INT64_MAX;
	update_counters(env);
	set_timer(env, env->priv);
}

static void timer_cb(void *opaque)
{
	async_run_on_cpu(opaque, timer_work, RUN_ON_CPU_NULL);
}

/* Called before the hart's mode changes. */
void vendor_pmu_mode(CPURISCVState *env, target_ulong priv)
{
	if (!pmu_of(env))
		return;
	update_counters(env);
	set_timer(env, priv);
}

/* What scause says of an interrupt */
target_ulong vendor_pmu_cause(CPURISCVState *env, target_ulong cause, bool async)
{
	const struct vendor_pmu *pmu = pmu_of(env);

	return pmu && async && cause == pmu->kind->irq ? cause + pmu->kind->cause : cause;
}

/* ---- CSRs: counters and events ---- */

static RISCVException read_counter(CPURISCVState *env, int csrno, target_ulong *val)
{
	update_counters(env);
	*val = pmu_of(env)->value[csrno & 0x1f];
	return RISCV_EXCP_NONE;
}

static RISCVException write_counter(CPURISCVState *env, int csrno, target_ulong val)
{
	update_counters(env);
	pmu_of(env)->value[csrno & 0x1f] = val;
	set_timer(env, env->priv);
	return RISCV_EXCP_NONE;
}

static RISCVException read_event(CPURISCVState *env, int csrno, target_ulong *val)
{
	*val = env->mhpmevent_val[csrno & 0x1f];
	return RISCV_EXCP_NONE;
}

static RISCVException write_event(CPURISCVState *env, int csrno, target_ulong val)
{
	update_counters(env);
	env->mhpmevent_val[csrno & 0x1f] = val;
	set_timer(env, env->priv);
	return RISCV_EXCP_NONE;
}

static RISCVException write_inhibit(CPURISCVState *env, int csrno, target_ulong val)
{
	RISCVException ret;

	update_counters(env);
	ret = inhibit.write(env, csrno, val);
	set_timer(env, env->priv);
	return ret;
}

/* ---- CSRs: bits of counters ---- */

/* The register of a CSR in M-mode */
static unsigned int register_of(CPURISCVState *env, int csrno)
{
	unsigned int r = 0;

	while (pmu_of(env)->kind->at[r] != csrno)
		r++;
	return r;
}

static RISCVException read_bits(CPURISCVState *env, int csrno, target_ulong *val)
{
	update_counters(env);
	*val = pmu_of(env)->bits[register_of(env, csrno)];
	return RISCV_EXCP_NONE;
}

static bool is_stuck(const struct vendor_pmu *pmu)
{
	return pmu->fault == STUCK || (pmu->fault == LATE_STUCK && pmu->overflows >= LATE);
}

static RISCVException write_bits(CPURISCVState *env, int csrno, target_ulong val)
{
	struct vendor_pmu *pmu = pmu_of(env);
	const unsigned int r = register_of(env, csrno);

	update_counters(env);
	pmu->bits[r] = val | (r == OVERFLOW && is_stuck(pmu) ? pmu->bits[r] : 0);
	update_irq(env, 0);
	set_timer(env, env->priv);
	return RISCV_EXCP_NONE;
}

static RISCVException read_overflow(CPURISCVState *env, int csrno, target_ulong *val)
{
	const struct vendor_pmu *pmu = pmu_of(env);

	update_counters(env);
	*val = pmu->bits[OVERFLOW] & (pmu->kind->level ? pmu->bits[SHOW] : -1u);
	if (pmu->fault == UNNAMED)
		*val = 0;
	return RISCV_EXCP_NONE;
}

/* ---- CSRs: the interrupt ---- */

/* T-Head: mideleg has the interrupt, sie and sip follow it. */
static RISCVException access_delegate(CPURISCVState *env, int csrno, target_ulong *ret_val,
				      target_ulong new_val, target_ulong wr_mask)
{
	const uint64_t bit = irq_bit(env) & wr_mask;
	const RISCVException ret = delegate.op(env, csrno, ret_val, new_val, wr_mask);

	env->mideleg = (env->mideleg & ~bit) | (new_val & bit);
	return ret;
}

/*
 * Andes: QEMU's own state of the interrupt, in CSRs of the vendor. sip cannot change the bit, as
 * it is none of QEMU's delegable interrupts.
 */
static RISCVException read_andes(CPURISCVState *env, int csrno, target_ulong *val)
{
	const uint64_t state = csrno == ANDES_MSLIDELEG ? env->mideleg :
			       csrno == ANDES_SLIE ? env->mie : env->mip;

	update_counters(env);
	*val = state & irq_bit(env);
	return RISCV_EXCP_NONE;
}

static RISCVException write_andes(CPURISCVState *env, int csrno, target_ulong val)
{
	const uint64_t bit = irq_bit(env);

	update_counters(env);
	if (csrno == ANDES_MSLIDELEG)
		env->mideleg = (env->mideleg & ~bit) | (val & bit);
	else if (csrno == ANDES_SLIE)
		env->mie = (env->mie & ~bit) | (val & bit);
	else
		riscv_cpu_update_mip(env, bit, val & bit);
	return RISCV_EXCP_NONE;
}

static RISCVException read_mmsc_cfg(CPURISCVState *env, int csrno, target_ulong *val)
{
	*val = ANDES_MMSC_CFG_PMNDS;
	return RISCV_EXCP_NONE;
}

/* ---- setup ---- */

static void add_irq(const struct kind *kind)
{
	if (kind->level) {
		take_over_op(CSR_MIDELEG, &delegate, access_delegate);
		return;
	}
	add(ANDES_MSLIDELEG, read_andes, write_andes);
	add(ANDES_SLIE, read_andes, write_andes);
	add(ANDES_SLIP, read_andes, write_andes);
	add(ANDES_MMSC_CFG, read_mmsc_cfg, NULL);
}

/* CSR functions are the same for all harts: replace them once. */
static void take_over_all(const struct kind *kind)
{
	if (inhibit.write)
		return;
	riscv_get_csr_ops(CSR_MCOUNTINHIBIT, &inhibit);
	take_over(CSR_MCOUNTINHIBIT, inhibit.read, write_inhibit);
	for (unsigned int i = 0; i < COUNTERS; i++) {
		if (i == TIME)
			continue;
		take_over(CSR_CYCLE + i, read_counter, NULL);
		take_over(CSR_MCYCLE + i, read_counter, write_counter);
		if (i >= FIRST)
			take_over(CSR_MCOUNTINHIBIT + i, read_event, write_event);
	}
	for (unsigned int r = 0; r < REGISTERS; r++)
		if (kind->at[r])
			add(kind->at[r], read_bits, write_bits);
	add(kind->overflow, read_overflow, NULL);
	add_irq(kind);
}

/* @name is a vendor, perhaps with a dash and a fault. */
static bool set_kind(struct vendor_pmu *pmu, const char *name)
{
	const size_t length = strcspn(name, "-");

	for (unsigned int k = 0; k < ARRAY_SIZE(kinds); k++)
		if (strlen(kinds[k].name) == length && !strncmp(name, kinds[k].name, length))
			pmu->kind = &kinds[k];
	for (unsigned int f = NO_FAULT + 1; name[length] && f < ARRAY_SIZE(faults); f++)
		if (!strcmp(name + length + 1, faults[f]))
			pmu->fault = f;
	return pmu->kind && (!name[length] || pmu->fault);
}

/* Called when the hart's extensions are known, before QEMU's own PMU is initialized. */
void vendor_pmu_realize(RISCVCPU *cpu, Error **errp)
{
	struct vendor_pmu *pmu;

	if (!cpu->vendor_pmu_name)
		return;
	if (cpu->cfg.ext_sscofpmf || RISCV_CPU_GET_CLASS(cpu)->misa_mxl_max != MXL_RV64) {
		error_setg(errp, "vendor-pmu: needs RV64 and no Sscofpmf");
		return;
	}
	pmu = g_new0(struct vendor_pmu, 1);
	if (!set_kind(pmu, cpu->vendor_pmu_name)) {
		error_setg(errp, "vendor-pmu: no vendor or fault '%s'", cpu->vendor_pmu_name);
		return;
	}
	pmu->due = INT64_MAX;
	pmu->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_cb, CPU(cpu));
	cpu->vendor_pmu = pmu;
	take_over_all(pmu->kind);
}
