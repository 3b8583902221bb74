// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters of cores that have an overflow interrupt of their vendor, and no Sscofpmf. They
 * replace QEMU's own: -cpu thead-c906,vendor-pmu=KIND, with KIND c906, d1 (a C906 with fewer
 * counters), c910 or c920 (a C910 with more), or -cpu rv64,vendor-pmu=andes. qfix.sh builds it
 * into the lab's QEMU.
 *
 * Andes' are as OpenSBI and Linux use them, with an interrupt that is pending from an overflow
 * until software clears it. T-Head's are as in the published RTL of C906 and C910:
 * - The interrupt is pending as long as the overflow bit of an enabled counter is set.
 * - S-mode has CSRs of its own for counters whose bit is set in mcounterwen; other bits read 0.
 * - A write of the overflow bits, as any csrc, ends some time after they were read for it: it
 *   loses what overflows in between.
 * - One filter for all counters, in mxstatus and sxstatus, keeps them from counting in a mode.
 * - Each event of C910's L2 has one counter, seen through all that have selected it. That which
 *   selected it last stops it, and has its overflow bit.
 *
 * Cycles and instructions advance by one in a nanosecond of virtual time, any other event by
 * one in 64 ns and as many more as its number. The counters are updated when they are accessed,
 * and before an event, a filter or the mode changes. A timer is set for the first overflow; it
 * expires in QEMU's main thread, which queues the work to the hart's. A reset does not clear the
 * counters.
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
#define LONG_NS		50000	/* what a write of overflow bits takes with the fault LONG_WRITE */

/* T-Head */
#define EVENTS		42	/* a selector beyond is not kept */
#define L2_FIRST	0x10	/* the first of the events of the L2 */
#define L2_EVENTS	4
#define CSR_SXSTATUS	0x5c0
#define CSR_SCYCLE	0x5e0	/* and the other counters after it */
#define STATUS_BITS	0x410000	/* what QEMU has in sxstatus: UCME, THEADISAEE */
#define STOPPED_IN(priv) BIT(10 + (priv))	/* in STATUS */

/* Registers; but for the last, with a bit for each counter */
enum {
	INHIBIT,  /* does not count */
	OVERFLOW, /* has overflowed */
	ENABLE,	  /* may interrupt */
	WRITABLE, /* may be written in S-mode; T-Head: and read */
	MASK_U,	  /* does not count in U-mode, and so on */
	MASK_S,
	MASK_M,
	STATUS,   /* mxstatus; some of its bits are a filter for all counters */
	REGISTERS
};

/* What is wrong with the overflow interrupt: by a word after the kind, as in c906-silent */
enum fault {
	NO_FAULT,
	SILENT,	    /* it does not come */
	UNNAMED,    /* the CSR in S-mode says of no counter that it has overflowed */
	STUCK,	    /* overflow bits stay set, and with them the interrupt pending */
	LATE_STUCK, /* likewise, but not at first */
	LONG_WRITE, /* a write of overflow bits takes so long that what it loses is seen in seconds */
};

static const char *const faults[] = {
	[SILENT] = "silent", [UNNAMED] = "unnamed", [STUCK] = "stuck", [LATE_STUCK] = "late",
	[LONG_WRITE] = "slow",
};

/**
 * struct kind - the counters of a core
 * @name: value of the property vendor-pmu, up to a dash
 * @irq: number of the interrupt, in the CSRs of the pending and enable bits
 * @cause: what is added to that in scause
 * @is_thead: T-Head's, not Andes': see above
 * @has_l2: events of the L2 have counters of their own
 * @write_ns: time that a write of the overflow bits takes
 * @counters: mask of those that exist; others read 0, and writes do nothing
 * @idle: mask of events that never happen
 * @at: CSRs of the registers in M-mode, 0: there is none
 * @in_s: likewise in S-mode
 */
static const struct kind {
	const char *name;
	unsigned int irq;
	unsigned int cause;
	bool is_thead;
	bool has_l2;
	unsigned int write_ns;
	uint32_t counters;
	uint64_t idle;
	uint16_t at[REGISTERS];
	uint16_t in_s[REGISTERS];
} kinds[] = {
#define THEAD	.irq = 17, .is_thead = true, \
		.at = { [INHIBIT] = CSR_MCOUNTINHIBIT, [OVERFLOW] = 0x7cb, [ENABLE] = 0x7ca, \
			[WRITABLE] = 0x7c9, [STATUS] = 0x7c0 }, \
		.in_s = { [INHIBIT] = 0x5c8, [OVERFLOW] = 0x5c5, [ENABLE] = 0x5c4, \
			  [STATUS] = CSR_SXSTATUS }
/* 0x8 to 0xa, 0x10 to 0x1c */
#define C906	THEAD, .write_ns = 1, .idle = 0x1fff0700
	{ .name = "c906", C906, .counters = 0x7fd },
	/* Allwinner D1: OpenSBI names these counters. */
	{ .name = "d1", C906, .counters = 0x3e3fd },
	/* The write waits for the L2. */
#define C910	THEAD, .write_ns = 44, .has_l2 = true
	{ .name = "c910", C910, .counters = 0x7fffd },
	/* SG2042: its device tree names all 29 programmable ones. */
	{ .name = "c920", C910, .counters = 0xfffffffd },
	{
		.name = "andes", .irq = 18, .cause = 256, .counters = 0x7fffd,
		.at = {
			[INHIBIT] = CSR_MCOUNTINHIBIT,
			[OVERFLOW] = 0x7d4, [ENABLE] = 0x7cf, [WRITABLE] = 0x7ce,
			[MASK_U] = 0x7d3, [MASK_S] = 0x7d2, [MASK_M] = 0x7d1,
		},
		.in_s = { [OVERFLOW] = 0x9d4 },
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
 * @kind: the core's
 * @fault: what is wrong with them
 * @overflows: number of overflows, of several at a time as one
 * @timer: expires when a counter may have overflowed
 * @due: the time of @timer, ns; INT64_MAX: not set
 * @now: the time up to which they have counted, ns
 * @value: the counters' values, and after them those of the events of the L2
 * @last: the counters that selected these last
 * @bits: the registers
 */
struct vendor_pmu {
	const struct kind *kind;
	enum fault fault;
	unsigned int overflows;
	QEMUTimer *timer;
	int64_t due;
	uint64_t now;
	uint64_t value[COUNTERS + L2_EVENTS];
	uint8_t last[L2_EVENTS];
	uint32_t bits[REGISTERS];
};

/* QEMU's own function, of all harts */
static riscv_csr_operations delegate;

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

	if (!event || (event < 64 && pmu_of(env)->kind->idle & BIT_ULL(event)))
		return 0;
	return event <= 2 ? 1 : SLOW + event % SLOW;
}

/* Index of the value of counter @i */
static unsigned int value_of(CPURISCVState *env, unsigned int i)
{
	const uint64_t l2 = env->mhpmevent_val[i] - L2_FIRST;

	return pmu_of(env)->kind->has_l2 && l2 < L2_EVENTS ? COUNTERS + l2 : i;
}

static bool is_counting(CPURISCVState *env, unsigned int i, target_ulong priv)
{
	static const uint8_t mask[] = { [PRV_U] = MASK_U, [PRV_S] = MASK_S, [PRV_M] = MASK_M };
	const struct vendor_pmu *pmu = pmu_of(env);
	const uint32_t stopped = pmu->bits[INHIBIT] | pmu->bits[mask[priv]];
	const unsigned int v = value_of(env, i);

	return pmu->kind->counters & ~stopped & BIT(i) && !(pmu->bits[STATUS] & STOPPED_IN(priv)) &&
	       (v < COUNTERS || pmu->last[v - COUNTERS] == i) && pace_of(env, i);
}

static void update_irq(CPURISCVState *env, uint32_t overflowed)
{
	struct vendor_pmu *pmu = pmu_of(env);
	const uint32_t enabled = pmu->bits[ENABLE];
	const uint64_t bit = irq_bit(env);

	if (pmu->fault == SILENT)
		return;
	if (pmu->kind->is_thead)
		riscv_cpu_update_mip(env, bit, pmu->bits[OVERFLOW] & enabled ? bit : 0);
	else if (overflowed & enabled)
		riscv_cpu_update_mip(env, bit, bit);
}

/* Update all counters to @ns from now; since the last update the hart was in its current mode. */
static void update_counters(CPURISCVState *env, unsigned int ns)
{
	struct vendor_pmu *pmu = pmu_of(env);
	const uint64_t now = MAX(pmu->now, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + ns);
	uint32_t overflowed = 0;

	for (unsigned int i = 0; i < COUNTERS; i++) {
		uint64_t *value = &pmu->value[value_of(env, i)];
		const uint64_t old = *value, pace = pace_of(env, i);

		if (!is_counting(env, i, env->priv))
			continue;
		*value += now / pace - pmu->now / pace;
		if (*value < old)
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
		const uint64_t left = -pmu->value[value_of(env, i)], pace = pace_of(env, i);

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
	update_counters(env, 0);
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
	update_counters(env, 0);
	set_timer(env, priv);
}

/* What scause says of an interrupt */
target_ulong vendor_pmu_cause(CPURISCVState *env, target_ulong cause, bool async)
{
	const struct vendor_pmu *pmu = pmu_of(env);

	return pmu && async && cause == pmu->kind->irq ? cause + pmu->kind->cause : cause;
}

/* ---- CSRs: counters and events ---- */

/* The counters that a CSR gives access to; T-Head's 0x5c0 to 0x5ff are those of S-mode. */
static uint32_t reach_of(CPURISCVState *env, int csrno)
{
	const struct vendor_pmu *pmu = pmu_of(env);

	return pmu->kind->counters & (csrno >> 8 == 0x5 ? pmu->bits[WRITABLE] : -1u);
}

static RISCVException read_counter(CPURISCVState *env, int csrno, target_ulong *val)
{
	const unsigned int i = csrno & 0x1f;

	update_counters(env, 0);
	*val = reach_of(env, csrno) & BIT(i) ? pmu_of(env)->value[value_of(env, i)] : 0;
	return RISCV_EXCP_NONE;
}

static RISCVException write_counter(CPURISCVState *env, int csrno, target_ulong val)
{
	const unsigned int i = csrno & 0x1f;

	update_counters(env, 0);
	if (reach_of(env, csrno) & BIT(i))
		pmu_of(env)->value[value_of(env, i)] = val;
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
	struct vendor_pmu *pmu = pmu_of(env);
	const unsigned int i = csrno & 0x1f;
	unsigned int v;

	update_counters(env, 0);
	if (!(pmu->kind->counters & BIT(i)) || (pmu->kind->is_thead && val > EVENTS))
		val = 0;
	env->mhpmevent_val[i] = val;
	v = value_of(env, i);
	if (v >= COUNTERS)
		pmu->last[v - COUNTERS] = i;
	set_timer(env, env->priv);
	return RISCV_EXCP_NONE;
}

/* ---- CSRs: registers ---- */

/* The register of a CSR */
static unsigned int register_of(CPURISCVState *env, int csrno)
{
	const struct kind *kind = pmu_of(env)->kind;
	unsigned int r = 0;

	while (kind->at[r] != csrno && kind->in_s[r] != csrno)
		r++;
	return r;
}

static RISCVException read_bits(CPURISCVState *env, int csrno, target_ulong *val)
{
	const struct vendor_pmu *pmu = pmu_of(env);
	const unsigned int r = register_of(env, csrno);

	update_counters(env, 0);
	*val = pmu->bits[r] & (r == STATUS ? -1u : reach_of(env, csrno));
	if (pmu->fault == UNNAMED && csrno == pmu->kind->in_s[OVERFLOW])
		*val = 0;
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
	uint32_t reach = reach_of(env, csrno);

	update_counters(env, r != OVERFLOW ? 0 :
			  pmu->fault == LONG_WRITE ? LONG_NS : pmu->kind->write_ns);
	if (r == OVERFLOW && is_stuck(pmu))
		val |= pmu->bits[r];
	if (r == STATUS)
		reach = STOPPED_IN(PRV_U) | STOPPED_IN(PRV_S) |
			(csrno == CSR_SXSTATUS ? 0 : STOPPED_IN(PRV_M));
	pmu->bits[r] = (pmu->bits[r] & ~reach) | (val & reach);
	update_irq(env, 0);
	set_timer(env, env->priv);
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

	update_counters(env, 0);
	*val = state & irq_bit(env);
	return RISCV_EXCP_NONE;
}

static RISCVException write_andes(CPURISCVState *env, int csrno, target_ulong val)
{
	const uint64_t bit = irq_bit(env);

	update_counters(env, 0);
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

/* CSR functions are the same for all harts. */
static void take_over_all(const struct kind *kind)
{
	for (unsigned int i = 0; i < COUNTERS; i++) {
		if (i == TIME)
			continue;
		take_over(CSR_CYCLE + i, read_counter, NULL);
		take_over(CSR_MCYCLE + i, read_counter, write_counter);
		if (i >= FIRST)
			take_over(CSR_MCOUNTINHIBIT + i, read_event, write_event);
		if (kind->is_thead)
			add(CSR_SCYCLE + i, read_counter, write_counter);
	}
	for (unsigned int r = 0; r < REGISTERS; r++) {
		if (kind->at[r])
			add(kind->at[r], read_bits, write_bits);
		if (kind->in_s[r])
			add(kind->in_s[r], read_bits, kind->is_thead ? write_bits : NULL);
	}
	if (kind->is_thead) {
		if (!delegate.op)
			take_over_op(CSR_MIDELEG, &delegate, access_delegate);
		return;
	}
	add(ANDES_MSLIDELEG, read_andes, write_andes);
	add(ANDES_SLIE, read_andes, write_andes);
	add(ANDES_SLIP, read_andes, write_andes);
	add(ANDES_MMSC_CFG, read_mmsc_cfg, NULL);
}

/* @name is a kind, perhaps with a dash and a fault. */
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
		error_setg(errp, "vendor-pmu: no kind or fault '%s'", cpu->vendor_pmu_name);
		return;
	}
	/* A counter that does not exist can be accessed, too. */
	cpu->cfg.pmu_mask = MAKE_64BIT_MASK(FIRST, COUNTERS - FIRST);
	pmu->due = INT64_MAX;
	pmu->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_cb, CPU(cpu));
	cpu->vendor_pmu = pmu;
	pmu->bits[STATUS] = STATUS_BITS;
	take_over_all(pmu->kind);
}
