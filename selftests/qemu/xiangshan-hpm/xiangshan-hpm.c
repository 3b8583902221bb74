// SPDX-License-Identifier: GPL-2.0-only
/*
 * XiangShan's 29 programmable counters, in place of QEMU's own:
 * -cpu rv64,sscofpmf=true,xiangshan-hpm=TABLE. Built into the lab's QEMU by qfix.sh.
 *
 * model.h says what happens in a cycle; here a cycle is a nanosecond of virtual
 * time, asleep or not. Nothing runs in between: whoever looks at the counters, or
 * changes what they count, first brings all of them up to date, and a timer is
 * set for the first that can overflow.
 *
 * All state of a hart is touched by its own thread only. The timer goes off in
 * QEMU's main thread and therefore hands over.
 *
 * A reset leaves the counters as they are, as QEMU's own PMU does. There is no
 * migration, no RV32 and no counter delegation.
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "cpu.h"
#include "xiangshan-hpm.h"
#include "model.h"

/**
 * struct xiangshan_hpm - a hart's counters; mhpmeventN is in env->mhpmevent_val
 * @table: the RTL's revision
 * @timer: goes off when a counter may have overflowed
 * @due: when that is, ns; INT64_MAX: no time is set
 * @now: when the counters were brought up to date, ns
 * @value: what they hold
 * @pace: what they count
 * @busy: those that are set to an event which adds something
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

/* What mcountinhibit was before us; the same for all harts. */
static riscv_csr_operations inhibit;

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

static bool counts(CPURISCVState *env, unsigned int i, uint64_t filter)
{
	return hpm_of(env)->busy & ~env->mcountinhibit & BIT(i) &&
	       !(env->mhpmevent_val[i] & filter);
}

static void overflowed(CPURISCVState *env, unsigned int i)
{
	if (env->mhpmevent_val[i] & MHPMEVENT_BIT_OF)
		return;
	env->mhpmevent_val[i] |= MHPMEVENT_BIT_OF;
	riscv_cpu_update_mip(env, MIP_LCOFIP, BOOL_TO_MASK(1));
}

/* Bring all counters to this moment; until now the hart was in its present mode. */
static void settle(CPURISCVState *env)
{
	const uint64_t filter = filter_of(env->priv, env->virt_enabled);
	struct xiangshan_hpm *hpm = hpm_of(env);
	const uint64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++) {
		uint64_t old = hpm->value[i];

		if (!counts(env, i, filter))
			continue;
		hpm->value[i] += xs_before(&hpm->pace[i], now) - xs_before(&hpm->pace[i], hpm->now);
		if (hpm->value[i] < old)
			overflowed(env, i);
	}
	hpm->now = now;
}

/* The moment of an overflow that sets OF; INT64_MAX if that is more than an hour away. */
static int64_t overflow_at(CPURISCVState *env, unsigned int i)
{
	struct xiangshan_hpm *hpm = hpm_of(env);
	const uint64_t left = -hpm->value[i];

	if (!left || left >> 48 || env->mhpmevent_val[i] & MHPMEVENT_BIT_OF)
		return INT64_MAX;
	return xs_reached(&hpm->pace[i], hpm->now, left);
}

/*
 * Set the timer for the first overflow, the hart being in this mode from now on. It
 * is only ever set to an earlier time: to stop or defer it at each change of mode
 * costs more than its going off for nothing. What is an hour away will be nearer
 * when the mode changes next.
 */
static void arm(CPURISCVState *env, target_ulong priv, bool virt)
{
	const uint64_t filter = filter_of(priv, virt);
	struct xiangshan_hpm *hpm = hpm_of(env);
	int64_t first = INT64_MAX;

	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		if (counts(env, i, filter))
			first = MIN(first, overflow_at(env, i));
	if (first >= hpm->due)
		return;
	hpm->due = first;
	timer_mod(hpm->timer, first);
}

static void arm_here(CPURISCVState *env)
{
	arm(env, env->priv, env->virt_enabled);
}

static void due(CPUState *cs, run_on_cpu_data data)
{
	CPURISCVState *env = cpu_env(cs);

	hpm_of(env)->due = INT64_MAX;
	settle(env);
	arm_here(env);
}

static void timer_cb(void *opaque)
{
	async_run_on_cpu(opaque, due, RUN_ON_CPU_NULL);
}

/* Called before the hart changes to another mode. */
void xiangshan_hpm_mode(CPURISCVState *env, target_ulong priv, bool virt)
{
	if (!hpm_of(env))
		return;
	settle(env);
	arm(env, priv, virt);
}

static RISCVException read_counter(CPURISCVState *env, int csrno, target_ulong *val)
{
	settle(env);
	*val = hpm_of(env)->value[csrno & 0x1f];
	return RISCV_EXCP_NONE;
}

static RISCVException write_counter(CPURISCVState *env, int csrno, target_ulong val)
{
	settle(env);
	hpm_of(env)->value[csrno & 0x1f] = val;
	arm_here(env);
	return RISCV_EXCP_NONE;
}

static RISCVException read_event(CPURISCVState *env, int csrno, target_ulong *val)
{
	settle(env);
	*val = env->mhpmevent_val[csrno & 0x1f];
	return RISCV_EXCP_NONE;
}

static void set_pace(CPURISCVState *env, unsigned int i)
{
	const unsigned int unit = xs_unit_of(i);
	struct xiangshan_hpm *hpm = hpm_of(env);

	hpm->pace[i] = xs_pace_of(hpm->table, unit, env->mhpmevent_val[i],
				  xs_pressure(hpm->workload, unit));
}

static RISCVException write_event(CPURISCVState *env, int csrno, target_ulong val)
{
	const unsigned int i = csrno & 0x1f;
	struct xiangshan_hpm *hpm = hpm_of(env);
	uint64_t event;

	settle(env);
	event = xs_written(env->mhpmevent_val[i], val);
	if (!riscv_has_ext(env, RVH))
		event &= ~(MHPMEVENT_BIT_VSINH | MHPMEVENT_BIT_VUINH);
	env->mhpmevent_val[i] = event;
	set_pace(env, i);
	hpm->busy = deposit32(hpm->busy, i, 1, hpm->pace[i].before[XS_PERIOD] > 0);
	arm_here(env);
	return RISCV_EXCP_NONE;
}

static RISCVException write_inhibit(CPURISCVState *env, int csrno, target_ulong val)
{
	RISCVException ret;

	settle(env);
	ret = inhibit.write(env, csrno, val);
	arm_here(env);
	return ret;
}

static RISCVException read_overflow(CPURISCVState *env, int csrno, target_ulong *val)
{
	target_ulong seen = -1;

	settle(env);
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
	settle(env);
	hpm_of(env)->workload = val;
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++)
		set_pace(env, i);
	arm_here(env);
	return RISCV_EXCP_NONE;
}

static RISCVException anybody(CPURISCVState *env, int csrno)
{
	return RISCV_EXCP_NONE;
}

/* The rules of who may use a CSR stay as they are. */
static void take_over(int csrno, riscv_csr_read_fn read, riscv_csr_write_fn write)
{
	riscv_csr_operations ops;

	riscv_get_csr_ops(csrno, &ops);
	ops.read = read;
	ops.write = write;
	riscv_set_csr_ops(csrno, &ops);
}

/* The CSRs of all harts, once. */
static void take_over_all(void)
{
	static riscv_csr_operations mirror = { .predicate = anybody, .read = read_event };
	static riscv_csr_operations number = { .predicate = anybody, .read = read_table };

	static riscv_csr_operations workload = {
		.predicate = anybody, .read = read_workload, .write = write_workload,
	};

	if (inhibit.write)
		return;
	riscv_get_csr_ops(CSR_MCOUNTINHIBIT, &inhibit);
	take_over(CSR_MCOUNTINHIBIT, inhibit.read, write_inhibit);
	take_over(CSR_SCOUNTOVF, read_overflow, NULL);
	riscv_set_csr_ops(XS_MIRROR, &number);
	riscv_set_csr_ops(XS_WORKLOAD, &workload);
	for (unsigned int i = XS_FIRST; i < XS_COUNTERS; i++) {
		take_over(CSR_CYCLE + i, read_counter, NULL);
		take_over(CSR_MCYCLE + i, read_counter, write_counter);
		take_over(CSR_MCOUNTINHIBIT + i, read_event, write_event);
		riscv_set_csr_ops(XS_MIRROR + i, &mirror);
	}
}

static const struct xs_table *table_of(const char *name)
{
	for (unsigned int i = 0; i < XS_TABLES; i++)
		if (!strcmp(name, xs_tables[i].name))
			return &xs_tables[i];
	return NULL;
}

/* Called when the hart's extensions are settled, before QEMU's own PMU is set up. */
void xiangshan_hpm_realize(RISCVCPU *cpu, Error **errp)
{
	const char *name = cpu->xiangshan_hpm_table;
	const struct xs_table *table;
	struct xiangshan_hpm *hpm;

	if (!name)
		return;
	table = table_of(name);
	if (!table) {
		error_setg(errp, "xiangshan-hpm: no table '%s'", name);
		return;
	}
	if (!cpu->cfg.ext_sscofpmf || cpu->cfg.ext_smcdeleg ||
	    RISCV_CPU_GET_CLASS(cpu)->misa_mxl_max != MXL_RV64) {
		error_setg(errp, "xiangshan-hpm: needs rv64, sscofpmf=true and no smcdeleg");
		return;
	}
	cpu->cfg.pmu_mask = xs_counters_of(XS_ANY);
	hpm = g_new0(struct xiangshan_hpm, 1);
	hpm->table = table;
	hpm->due = INT64_MAX;
	hpm->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, timer_cb, CPU(cpu));
	cpu->xiangshan_hpm = hpm;
	take_over_all();
}
