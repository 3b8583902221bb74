// SPDX-License-Identifier: GPL-2.0-only
/*
 * XiangShan's 29 programmable counters, which replace QEMU's own:
 * -cpu rv64,sscofpmf=true,xiangshan-hpm=TABLE. qfix.sh builds it into the lab's QEMU. With
 * xiangshan-hpm=k3 they, and the ids, are those of SpacemiT's K3: hart 0 is an X100, others are A100.
 *
 * model.h defines what is counted in a cycle. A cycle is a nanosecond of virtual time,
 * also in wfi. The counters are updated only when they are accessed, and before an
 * event, a filter or the mode changes. A timer is set for the first overflow.
 *
 * Only a hart's own thread uses its state. The timer expires in QEMU's main thread,
 * which queues the work to the hart's.
 *
 * A reset does not clear the counters; it does not in QEMU's own PMU. There is no
 * migration and no RV32. With Smcdeleg and Ssccfg the counters are delegated as QEMU's own.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "cpu.h"
#include "xiangshan-hpm.h"
#include "take-over.h"
#include "model.h"

/**
 * struct xiangshan_hpm - a hart's counters; mhpmeventN is in env->mhpmevent_val
 * @table: the revision of the RTL
 * @timer: expires when a counter may have overflowed
 * @due: the time of @timer, ns; INT64_MAX: not set
 * @now: the time of the last update, ns
 * @value: the counters' values
 * @pace: the increments of their events
 * @busy: mask of the counters whose event adds anything
 * @workload: CSR XS_WORKLOAD
 */
struct xiangshan_hpm {
	const struct xs_table *table;
	QEMUTimer *timer;
	int64_t due;
	uint64_t now;
	uint64_t value[XS_COUNTERS];
	struct xs_pace pace[XS_COUNTERS];
	uint32_t busy;
	uint64_t workload;
};

/* QEMU's own functions for mcountinhibit, scountinhibit, sireg and sireg2, of all harts. */
static riscv_csr_operations inhibit, supervisor, indirect, indirect2;

static struct xiangshan_hpm *hpm_of(CPURISCVState *env)
{
	return env_archcpu(env)->xiangshan_hpm;
}

static uint64_t filter_of(target_ulong priv, bool virt)
{
	switch (priv) {
	case PRV_U:
		return virt ? MHPMEVENT_BIT_VUINH : MHPMEVENT_BIT_UINH;
	case PRV_S:
		return virt ? MHPMEVENT_BIT_VSINH : MHPMEVENT_BIT_SINH;
	default:
		return MHPMEVENT_BIT_MINH;
	}
}

static bool is_counting(CPURISCVState *env, unsigned int i, uint64_t filter)
{
	return hpm_of(env)->busy & ~env->mcountinhibit & BIT(i) &&
	       !(env->mhpmevent_val[i] & filter);
}

static void set_overflow(CPURISCVState *env, unsigned int i)
{
	if (env->mhpmevent_val[i] & MHPMEVENT_BIT_OF)
		return;
	env->mhpmevent_val[i] |= MHPMEVENT_BIT_OF;
	riscv_cpu_update_mip(env, MIP_LCOFIP, BOOL_TO_MASK(1));
}

/* Update all counters; since the last update the hart was in its current mode. */
static void update_counters(CPURISCVState *env)
{
	const uint64_t filter = filter_of(env->priv, env->virt_enabled);
	struct xiangshan_hpm *hpm = hpm_of(env);
	const uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++) {
		uint64_t old = hpm->value[i];

		if (!is_counting(env, i, filter))
			continue;
		hpm->value[i] += xs_before(&hpm->pace[i], now) - xs_before(&hpm->pace[i], hpm->now);
		if (hpm->value[i] < old)
			set_overflow(env, i);
	}
	hpm->now = now;
}

/* The time of the next overflow that sets OF; INT64_MAX if it is more than 2^48 events away. */
static int64_t overflow_at(CPURISCVState *env, unsigned int i)
{
	struct xiangshan_hpm *hpm = hpm_of(env);
	const uint64_t left = -hpm->value[i];

	if (!left || left >> 48 || env->mhpmevent_val[i] & MHPMEVENT_BIT_OF)
		return INT64_MAX;
	return xs_reached(&hpm->pace[i], hpm->now, left);
}

/*
 * Set the timer for the first overflow, with the hart in this mode from now on. The
 * timer is moved to earlier times only: an unneeded expiry costs less than moving it at
 * each change of the mode. An overflow that is far away is found at a later change.
 */
static void set_timer(CPURISCVState *env, target_ulong priv, bool virt)
{
	const uint64_t filter = filter_of(priv, virt);
	struct xiangshan_hpm *hpm = hpm_of(env);
	int64_t first = INT64_MAX;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		if (is_counting(env, i, filter))
			first = MIN(first, overflow_at(env, i));
	if (first >= hpm->due)
		return;
	hpm->due = first;
	timer_mod(hpm->timer, first);
}

static void set_timer_here(CPURISCVState *env)
{
	set_timer(env, env->priv, env->virt_enabled);
}

static void timer_work(CPUState *cs, run_on_cpu_data data)
{
	CPURISCVState *env = cpu_env(cs);

	hpm_of(env)->due = INT64_MAX;
	update_counters(env);
	set_timer_here(env);
}

static void timer_cb(void *opaque)
{
	async_run_on_cpu(opaque, timer_work, RUN_ON_CPU_NULL);
}

/* Called before the hart's mode changes. */
void xiangshan_hpm_mode(CPURISCVState *env, target_ulong priv, bool virt)
{
	if (!hpm_of(env))
		return;
	update_counters(env);
	set_timer(env, priv, virt);
}

static RISCVException read_counter(CPURISCVState *env, int csrno, target_ulong *val)
{
	update_counters(env);
	*val = hpm_of(env)->value[csrno & 0x1f];
	return RISCV_EXCP_NONE;
}

static RISCVException write_counter(CPURISCVState *env, int csrno, target_ulong val)
{
	update_counters(env);
	hpm_of(env)->value[csrno & 0x1f] = val;
	set_timer_here(env);
	return RISCV_EXCP_NONE;
}

static RISCVException read_event(CPURISCVState *env, int csrno, target_ulong *val)
{
	update_counters(env);
	*val = env->mhpmevent_val[csrno & 0x1f];
	return RISCV_EXCP_NONE;
}

static void set_pace(CPURISCVState *env, unsigned int i)
{
	const unsigned int unit = xs_unit_of(i);
	struct xiangshan_hpm *hpm = hpm_of(env);

	if (hpm->table->rates)
		hpm->pace[i] = xs_even_pace(hpm->table, i, env->mhpmevent_val[i]);
	else
		hpm->pace[i] = xs_pace_of(hpm->table, unit, env->mhpmevent_val[i],
					  xs_pressure(hpm->workload, unit));
}

static RISCVException write_event(CPURISCVState *env, int csrno, target_ulong val)
{
	const unsigned int i = csrno & 0x1f;
	struct xiangshan_hpm *hpm = hpm_of(env);
	uint64_t event;

	update_counters(env);
	event = xs_written(env->mhpmevent_val[i], val);
	if (!riscv_has_ext(env, RVH))
		event &= ~(MHPMEVENT_BIT_VSINH | MHPMEVENT_BIT_VUINH);
	env->mhpmevent_val[i] = event;
	set_pace(env, i);
	hpm->busy = deposit32(hpm->busy, i, 1, xs_is_busy(&hpm->pace[i]));
	set_timer_here(env);
	return RISCV_EXCP_NONE;
}

static RISCVException write_inhibit(CPURISCVState *env, int csrno, target_ulong val)
{
	const riscv_csr_operations *qemu = csrno == CSR_MCOUNTINHIBIT ? &inhibit : &supervisor;
	RISCVException ret;

	update_counters(env);
	ret = qemu->write(env, csrno, val);
	set_timer_here(env);
	return ret;
}

/* Read and write sireg, or sireg2 without the filter of M-mode, while counter @i is selected. */
static void access_delegated(CPURISCVState *env, int csrno, unsigned int i, target_ulong *val,
			     target_ulong new_val, target_ulong mask)
{
	const bool is_event = csrno == CSR_SIREG2;
	uint64_t old;

	update_counters(env);
	old = is_event ? env->mhpmevent_val[i] : hpm_of(env)->value[i];
	if (val)
		*val = is_event ? old & ~MHPMEVENT_BIT_MINH : old;
	if (!mask)
		return;
	if (is_event) {
		mask &= ~MHPMEVENT_BIT_MINH;
		write_event(env, CSR_MCOUNTINHIBIT + i, (old & ~mask) | (new_val & mask));
	} else {
		write_counter(env, CSR_MCYCLE + i, (old & ~mask) | (new_val & mask));
	}
}

/* sireg and sireg2: QEMU decides whether the access traps, and does those to other registers. */
static RISCVException rmw_indirect(CPURISCVState *env, int csrno, target_ulong *val,
				   target_ulong new_val, target_ulong mask)
{
	const riscv_csr_operations *qemu = csrno == CSR_SIREG ? &indirect : &indirect2;
	const target_ulong selected = env->siselect - ISELECT_CD_FIRST;
	target_ulong unused;
	RISCVException ret;

	if (env->virt_enabled || selected < XS_FIRST || selected >= XS_COUNTERS)
		return qemu->op(env, csrno, val, new_val, mask);
	ret = qemu->op(env, csrno, &unused, 0, 0);
	if (ret == RISCV_EXCP_NONE)
		access_delegated(env, csrno, selected, val, new_val, mask);
	return ret;
}

static RISCVException read_overflow(CPURISCVState *env, int csrno, target_ulong *val)
{
	target_ulong seen = -1;

	update_counters(env);
	if (env->priv < PRV_M)
		seen &= env->mcounteren;
	if (env->virt_enabled)
		seen &= env->hcounteren;
	*val = 0;
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		if (env->mhpmevent_val[i] & MHPMEVENT_BIT_OF)
			*val |= BIT(i) & seen;
	return RISCV_EXCP_NONE;
}

static RISCVException read_table(CPURISCVState *env, int csrno, target_ulong *val)
{
	*val = hpm_of(env)->table - xs_tables + 1;
	return RISCV_EXCP_NONE;
}

static RISCVException read_workload(CPURISCVState *env, int csrno, target_ulong *val)
{
	*val = hpm_of(env)->workload;
	return RISCV_EXCP_NONE;
}

static RISCVException write_workload(CPURISCVState *env, int csrno, target_ulong val)
{
	update_counters(env);
	hpm_of(env)->workload = val;
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		set_pace(env, i);
	set_timer_here(env);
	return RISCV_EXCP_NONE;
}

/* CSR functions are the same for all harts: replace them once. */
static void take_over_all(void)
{
	if (inhibit.write)
		return;
	riscv_get_csr_ops(CSR_MCOUNTINHIBIT, &inhibit);
	take_over(CSR_MCOUNTINHIBIT, inhibit.read, write_inhibit);
	riscv_get_csr_ops(CSR_SCOUNTINHIBIT, &supervisor);
	take_over(CSR_SCOUNTINHIBIT, supervisor.read, write_inhibit);
	take_over_op(CSR_SIREG, &indirect, rmw_indirect);
	take_over_op(CSR_SIREG2, &indirect2, rmw_indirect);
	take_over(CSR_SCOUNTOVF, read_overflow, NULL);
	add(XS_MIRROR, read_table, NULL);
	add(XS_WORKLOAD, read_workload, write_workload);
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++) {
		take_over(CSR_CYCLE + i, read_counter, NULL);
		take_over(CSR_MCYCLE + i, read_counter, write_counter);
		take_over(CSR_MCOUNTINHIBIT + i, read_event, write_event);
		add(XS_MIRROR + i, read_event, NULL);
	}
}

static const struct xs_table *table_of(const char *name)
{
	for (unsigned int i = 0; i < XS_TABLES; i++)
		if (!strcmp(name, xs_tables[i].name))
			return &xs_tables[i];
	return NULL;
}

/* Called when the hart's extensions are known, before QEMU's own PMU is initialized. */
void xiangshan_hpm_realize(RISCVCPU *cpu, Error **errp)
{
	const char *name = cpu->xiangshan_hpm_table;
	const struct xs_table *table;
	struct xiangshan_hpm *hpm;

	if (!name)
		return;
	if (!strcmp(name, "k3"))
		name = cpu->env.mhartid ? "a100" : "x100";
	table = table_of(name);
	if (!table) {
		error_setg(errp, "xiangshan-hpm: no table '%s'", name);
		return;
	}
	if (!cpu->cfg.ext_sscofpmf || RISCV_CPU_GET_CLASS(cpu)->misa_mxl_max != MXL_RV64) {
		error_setg(errp, "xiangshan-hpm: needs rv64 and sscofpmf=true");
		return;
	}
	cpu->cfg.pmu_mask = xs_counters_of(XS_ANY);
	if (table->rates) {
		cpu->cfg.pmu_mask = 0x7fff8;
		cpu->cfg.mvendorid = 0x710;
		cpu->cfg.marchid = table->marchid;
	}
	hpm = g_new0(struct xiangshan_hpm, 1);
	hpm->table = table;
	hpm->due = INT64_MAX;
	hpm->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_cb, CPU(cpu));
	cpu->xiangshan_hpm = hpm;
	take_over_all();
}
