// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delegated counters (Smcdeleg, Ssccfg): events, filters and values are written by CSRs, and
 * all counters of a CPU are stopped or started by one write. Firmware's own counters are
 * programmed by SBI calls as before. Firmware considers those hardware counters in use that it
 * knows an event for (but see sticks), and does nothing with them until they are released.
 */
#include <linux/smp.h>

#include "backend.h"
#include "counter_info.h"
#include "csr.h"
#include "event.h"
#include "sbi.h"
#include "vendor.h"

/* Bits of sireg2 that select the event; those above filter (Sscofpmf) */
#define SELECTOR	GENMASK_ULL(55, 0)
/* Not ours to set, or set by the hart */
#define NOT_KEPT	(HPMEVENT_OF | HPMEVENT_MINH)

/* 0 is cycle, 2 instret, 3 to 31 the programmable ones */
static unsigned int number_of(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return cpu->layout->info[idx].csr - CSR_CYCLE;
}

static bool is_fixed(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return cpu->layout->info[idx].kind == SBI_PMU_COUNTER_FIXED;
}

/* cycle and instret have one event; without Smcntrpmf they have no filter, and no sireg2. */
static bool has_sireg2(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return !is_fixed(cpu, idx) || cpu->pmu->delegation.fixed_filters;
}

/* ---- scountinhibit ---- */

static int start_delegated(struct sbi_pmu_cpu *cpu, u32 counters)
{
	const int ret = cpu->delegated.inhibited ? 0 : sbi_pmu_csr_uninhibit(counters);

	if (!ret)
		cpu->delegated.running |= counters;
	return ret;
}

static int stop_delegated(struct sbi_pmu_cpu *cpu, u32 counters)
{
	/* Others than ours run on meanwhile: cycle and instret, for programs that read them. */
	const bool stopped = cpu->delegated.inhibited && !(counters & ~cpu->delegated.running);
	const int ret = stopped ? 0 : sbi_pmu_csr_inhibit(counters);

	if (!ret)
		cpu->delegated.running &= ~counters;
	return ret;
}

/* ---- M-mode ---- */

/*
 * An event that firmware counts by counter @n, of those that the fewest counters count; for each
 * counter another one, if possible, as CPUs are compared by what firmware writes for it.
 * Return: NULL if there is none.
 */
static const struct sbi_pmu_delegated_event *event_of_counter(const struct sbi_pmu_delegation *d,
							      unsigned int n)
{
	const struct sbi_pmu_delegated_event *event, *found = NULL;

	for (unsigned int i = 0; i < d->of_firmware; i++) {
		event = &d->event[(n + i) % d->of_firmware];
		if (event->counters & BIT(n) &&
		    (!found || hweight32(event->counters) < hweight32(found->counters)))
			found = event;
	}
	return found;
}

/*
 * Have firmware configure an event on one of the stopped counters @mask, and read the selector.
 *
 * The filter of M-mode (MINH) is out of reach of S-mode: let firmware configure any event with
 * MINH, then clear only the selector. MINH stays, and firmware keeps the counter allocated: it does
 * not give it to anybody, and a kernel after a crash can have firmware stop it as any other.
 * Return: 0, or an errno: firmware does not configure the counter, or its event cannot be accessed.
 */
static int claim(struct sbi_pmu_cpu *cpu, u64 mask, u32 event_idx, unsigned int *got, u64 *selector)
{
	const struct sbi_pmu_code code = {
		.idx = event_idx,
		.flags = SBI_PMU_CFG_FLAG_SET_MINH,
	};
	int ret;

	*got = SBI_PMU_NO_COUNTER;
	*selector = 0;
	ret = sbi_pmu_sbi_config(cpu, mask, &code, got);
	if (ret == -EPROTO && *got != SBI_PMU_NO_COUNTER &&
	    !has_counter(cpu->delegated.claimed, *got))
		sbi_pmu_sbi_release(cpu, *got);
	if (ret)
		return ret;
	cpu->delegated.claimed |= BIT_ULL(*got);
	ret = sbi_pmu_csr_read_delegated(number_of(cpu, *got), CSR_SIREG2, selector);
	*selector &= SELECTOR;
	return ret ?: sbi_pmu_csr_write_delegated(number_of(cpu, *got), CSR_SIREG2, 0);
}

/* Firmware may have counter @idx again. It is started before: RustSBI releases no stopped one. */
static void unclaim(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (!has_counter(cpu->delegated.claimed, idx))
		return;
	cpu->delegated.claimed &= ~BIT_ULL(idx);
	sbi_pmu_csr_uninhibit(BIT(number_of(cpu, idx)));
	sbi_pmu_sbi_release(cpu, idx);
	/* Firmware may have lost it, and then stops nothing. */
	sbi_pmu_csr_inhibit(BIT(number_of(cpu, idx)));
}

/*
 * Set the filter of M-mode of a stopped counter without an event. Where events stick, the counters
 * count M-mode, since an event that cannot be removed is worse: firmware clears all of mhpmevent
 * when it releases the counter. cycle and instret have one event.
 * Return: 0, or an errno: firmware writes another selector than on the probed CPU, or none.
 */
static int prepare(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const struct sbi_pmu_delegation *d = &cpu->pmu->delegation;
	const struct sbi_pmu_delegated_event *event = event_of_counter(d, number_of(cpu, idx));
	unsigned int got;
	u64 selector;
	int ret;

	if (is_fixed(cpu, idx)) {
		const u32 fixed_event = sbi_pmu_fixed_event(&cpu->layout->info[idx]);

		if (d->fixed_filters)
			claim(cpu, BIT_ULL(idx), fixed_event, &got, &selector);
		return 0;
	}
	if (!event)
		return 0;
	ret = claim(cpu, BIT_ULL(idx), event->idx, &got, &selector);
	if (d->sticks)
		unclaim(cpu, idx);
	return ret ?: selector == event->selector ? 0 : -ENODEV;
}

/* ---- configure ---- */

#define SBI_FILTERS	(SBI_PMU_CFG_FLAG_SET_SINH | SBI_PMU_CFG_FLAG_SET_UINH | \
			 SBI_PMU_CFG_FLAG_SET_VSINH | SBI_PMU_CFG_FLAG_SET_VUINH)
#define FILTERS		(HPMEVENT_SINH | HPMEVENT_UINH | HPMEVENT_VSINH | HPMEVENT_VUINH)

static const struct sbi_pmu_delegated_event *standard_event(const struct sbi_pmu_delegation *d,
							    u32 idx)
{
	for (unsigned int i = 0; i < d->events; i++)
		if (d->event[i].idx == idx)
			return &d->event[i];
	return NULL;
}

/*
 * Where of two counters with one event only one counts it (layout.tied), a raw event with the
 * selector of a standard event is that event: its counts are the same, and it is told from others
 * by one name. Elsewhere it stays what was asked for, as tables of firmware may be wrong.
 */
void sbi_pmu_delegation_rename(const struct sbi_pmu *pmu, struct sbi_pmu_code *code)
{
	const struct sbi_pmu_delegation *d = &pmu->delegation;

	if (!pmu->layout.tied || !sbi_pmu_code_is_raw(code))
		return;
	for (unsigned int i = 0; i < d->events; i++)
		if (d->event[i].selector == code->data) {
			code->idx = d->event[i].idx;
			code->data = 0;
			return;
		}
}

/* An event that cannot be removed makes the next configuration fail. */
static void clear_event(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const unsigned int n = number_of(cpu, idx);

	stop_delegated(cpu, BIT(n));
	cpu->counter[idx].mhpmevent = 0;
	if (has_sireg2(cpu, idx))
		sbi_pmu_csr_write_delegated(n, CSR_SIREG2, 0);
}

/* cycle and instret run again if they ran before, since others may read them. */
static void run_fixed(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const unsigned int n = number_of(cpu, idx);

	if (is_fixed(cpu, idx) && !(cpu->delegated.inhibit_at_online & BIT(n)))
		sbi_pmu_csr_uninhibit(BIT(n));
}

static void csr_release(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (has_counter(cpu->layout->firmware, idx)) {
		sbi_pmu_sbi_release(cpu, idx);
		return;
	}
	clear_event(cpu, idx);
	run_fixed(cpu, idx);
}

/*
 * With OF set a counter does not interrupt (Sscofpmf). It is cleared when the counter is armed, so
 * one that only counts wraps without an interrupt.
 */
static int config_hardware(struct sbi_pmu_cpu *cpu, unsigned int idx,
			   const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_delegation *d = &cpu->pmu->delegation;
	const unsigned int n = number_of(cpu, idx);
	/* cycle and instret may run. */
	int ret = stop_delegated(cpu, BIT(n));
	/* Both have filters in the same order. Without M-mode, see claim(). */
	u64 event = FIELD_PREP(FILTERS, FIELD_GET(SBI_FILTERS, code->flags)), selector = 0, kept;
	const struct sbi_pmu_delegated_event *standard;
	bool can;

	if (is_fixed(cpu, idx)) {
		can = code->idx == sbi_pmu_fixed_event(&cpu->layout->info[idx]) &&
		      (d->fixed_filters || !code->flags);
	} else {
		standard = standard_event(d, code->idx);
		if (standard && standard->counters & BIT(n))
			selector = standard->selector;
		else if (sbi_pmu_code_is_raw(code) && !(code->data & ~SELECTOR))
			selector = code->data;
		can = selector && (d->filters || !code->flags);
		event |= selector | HPMEVENT_OF;
	}
	if (!ret && !can)
		ret = -EOPNOTSUPP;
	if (!ret && has_sireg2(cpu, idx)) {
		cpu->counter[idx].mhpmevent = event;
		ret = sbi_pmu_csr_write_delegated(n, CSR_SIREG2, event) ?:
			      sbi_pmu_csr_read_delegated(n, CSR_SIREG2, &kept);
		/* An event or a filter that this counter does not have is not kept. */
		if (!ret && (kept ^ event) & ~NOT_KEPT)
			ret = -EOPNOTSUPP;
	}
	if (ret)
		csr_release(cpu, idx);
	return ret;
}

/*
 * Firmware took a delegated counter although it was asked for one of its own, and may have
 * written over its event, and stopped it.
 */
static void take_back(struct sbi_pmu_cpu *cpu, unsigned int idx, u32 stopped)
{
	const unsigned int n = number_of(cpu, idx);
	u64 value = 0;

	sbi_pmu_csr_inhibit(BIT(n));
	sbi_pmu_csr_read_delegated(n, CSR_SIREG, &value);
	cpu->delegated.claimed |= BIT_ULL(idx);
	unclaim(cpu, idx);
	prepare(cpu, idx);
	if (has_sireg2(cpu, idx))
		sbi_pmu_csr_write_delegated(n, CSR_SIREG2, cpu->counter[idx].mhpmevent);
	sbi_pmu_csr_write_delegated(n, CSR_SIREG, value);
	if (!(stopped & BIT(n)))
		sbi_pmu_csr_uninhibit(BIT(n));
}

static int csr_config(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
		      unsigned int *got)
{
	const u64 hardware = sbi_pmu_hardware(cpu->layout);
	int ret = -EOPNOTSUPP;
	unsigned int i;
	u32 stopped;

	if (sbi_pmu_code_is_firmware(code)) {
		ret = sbi_pmu_csr_read_inhibit(&stopped) ?:
							   sbi_pmu_sbi_config(cpu, mask, code, got);
		if (ret == -EPROTO && has_counter(hardware, *got)) {
			take_back(cpu, *got, stopped);
			*got = SBI_PMU_NO_COUNTER;
		}
		return ret;
	}
	for_each_counter(i, mask & hardware) {
		ret = config_hardware(cpu, i, code);
		if (!ret) {
			*got = i;
			return 0;
		}
	}
	return ret;
}

/* ---- start and stop ---- */

static int csr_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (has_counter(cpu->layout->firmware, idx))
		return sbi_pmu_sbi_backend_start_one(cpu, idx);
	return start_delegated(cpu, BIT(number_of(cpu, idx)));
}

/*
 * Set those that need another value, then start all together. A counter is armed if the value is in
 * the upper half of its range: then OF is cleared, and set otherwise.
 */
static u64 csr_start(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 firmware = which & cpu->layout->firmware, hardware = which & ~firmware;
	u64 failed = firmware ? sbi_pmu_sbi_backend_start(cpu, firmware) : 0;
	unsigned int i;
	u32 bits;

	for_each_counter(i, hardware & cpu->start_valid) {
		const u64 value = cpu->counter[i].start;
		const unsigned int n = number_of(cpu, i);
		int ret = 0;

		if (!is_fixed(cpu, i)) {
			cpu->counter[i].mhpmevent &= ~HPMEVENT_OF;
			if (!sbi_pmu_in_upper_half(&cpu->layout->info[i], value))
				cpu->counter[i].mhpmevent |= HPMEVENT_OF;
			ret = sbi_pmu_csr_write_delegated(n, CSR_SIREG2, cpu->counter[i].mhpmevent);
		}
		if (ret || sbi_pmu_csr_write_delegated(n, CSR_SIREG, value))
			failed |= BIT_ULL(i);
	}
	bits = sbi_pmu_csr_bits(cpu->layout, hardware & ~failed);
	return bits && start_delegated(cpu, bits) ? failed | hardware : failed;
}

static u64 csr_stop(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 firmware = which & cpu->layout->firmware, hardware = which & ~firmware;
	const u32 bits = sbi_pmu_csr_bits(cpu->layout, hardware);

	if (firmware)
		sbi_pmu_sbi_backend_stop(cpu, firmware);
	return bits && stop_delegated(cpu, bits) ? hardware : 0;
}

/* ---- CPUs come and go ---- */

static int prepare_again(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	int ret;

	clear_event(cpu, idx);
	unclaim(cpu, idx);
	ret = prepare(cpu, idx);
	run_fixed(cpu, idx);
	return ret;
}

/*
 * OpenSBI clears all events when it sets up a hart again, and sets OF, which we leave clear. The
 * filters of M-mode are lost with the events.
 */
static void csr_resume(struct sbi_pmu_cpu *cpu)
{
	bool lost = false;
	unsigned int i;
	u64 event;

	for_each_counter(i, cpu->layout->programmable) {
		const u64 had = cpu->counter[i].mhpmevent;

		lost |= sbi_pmu_csr_read_delegated(number_of(cpu, i), CSR_SIREG2, &event) ||
			(had ? (event ^ had) & ~NOT_KEPT : event);
	}
	for_each_counter(i, lost ? sbi_pmu_hardware(cpu->layout) : 0)
		prepare_again(cpu, i);
}

/* Nothing may be left in use: the next driver may program the counters by SBI calls. */
static void csr_offline(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	for_each_counter(i, cpu->delegated.claimed) {
		unclaim(cpu, i);
		run_fixed(cpu, i);
	}
	cpu->delegated.inhibited = false;
}

/* ---- what the counters can do ---- */

/* A counter keeps this value if it has the bits that are needed. */
#define PATTERN		BIT_ULL(SBI_PMU_MIN_WIDTH - 1)

static bool reads_back(unsigned int n, unsigned int csr, u64 bits, u64 value)
{
	u64 kept;

	return !sbi_pmu_csr_write_delegated(n, csr, value) &&
	       !sbi_pmu_csr_read_delegated(n, csr, &kept) && (kept & bits) == value;
}

/* Can @bits be set and cleared in this register of a stopped counter? It is as before after. */
static bool keeps(unsigned int n, unsigned int csr, u64 bits)
{
	u64 before;
	bool both;

	if (sbi_pmu_csr_read_delegated(n, csr, &before))
		return false;
	both = reads_back(n, csr, bits, bits) && reads_back(n, csr, bits, 0);
	return !sbi_pmu_csr_write_delegated(n, csr, before) && both;
}

/* A step of a probe of one CPU. Between steps its interrupts are enabled. */
struct step {
	unsigned int id; /* of the CPU */
	struct sbi_pmu_cpu *cpu;
	bool filters, fixed_filters; /* see struct sbi_pmu_delegation */
	u64 mask;                    /* the counters that it is about */
	u32 event_idx;               /* the event */
	int ret;                     /* 0, or an errno */
	const char *why;             /* the counters cannot be used, NULL: they can */
};

static const char *probe_counters(struct sbi_pmu_cpu *cpu, u32 bits, struct step *found)
{
	/* Only cores with the H extension have virtual modes. */
	const u64 virtual = cpu->pmu->caps.has_h ? HPMEVENT_VSINH | HPMEVENT_VUINH : 0;
	unsigned int i;
	u32 stopped;
	u64 value;

	if (!bits)
		return "no hardware counters";
	/* All can be started and stopped. They are stopped then. */
	if (sbi_pmu_csr_uninhibit(bits) || sbi_pmu_csr_read_inhibit(&stopped) || stopped & bits ||
	    sbi_pmu_csr_inhibit(bits) || sbi_pmu_csr_read_inhibit(&stopped) || ~stopped & bits)
		return "a counter is not delegated";
	found->filters = true;
	found->fixed_filters = true;
	for_each_counter(i, sbi_pmu_hardware(cpu->layout)) {
		const unsigned int n = number_of(cpu, i);
		bool *filters = is_fixed(cpu, i) ? &found->fixed_filters : &found->filters;

		/* A fixed counter that cannot filter may have no sireg2. */
		if (sbi_pmu_csr_read_delegated(n, CSR_SIREG, &value) ||
		    (!is_fixed(cpu, i) && sbi_pmu_csr_read_delegated(n, CSR_SIREG2, &value)))
			return is_fixed(cpu, i) ? "cycle or instret is not delegated" :
						  "a counter is not delegated";
		if (!keeps(n, CSR_SIREG, PATTERN))
			return "a delegated counter cannot be written";
		*filters = *filters &&
			   keeps(n, CSR_SIREG2, HPMEVENT_SINH | HPMEVENT_UINH | virtual);
	}
	return NULL;
}

static int run(struct step *s, void (*step)(void *arg))
{
	return smp_call_function_single(s->id, step, s, true) ?: s->ret;
}

/*
 * No counter may be in use, in firmware either. One that is not delegated traps. All are as they
 * were after.
 */
static void access_step(void *arg)
{
	struct step *s = arg;
	struct sbi_pmu_cpu *cpu = s->cpu;
	const u32 bits = sbi_pmu_csr_bits(cpu->layout, sbi_pmu_hardware(cpu->layout));
	u32 *before = &cpu->delegated.inhibit_at_online;

	s->ret = 0;
	s->why = "no Ssccfg, or firmware does not delegate counters";
	if (sbi_pmu_csr_read_inhibit(before))
		return;
	/* Firmware may hold events of a kernel before kexec: their counters are stopped here. */
	sbi_pmu_sbi_backend_online(cpu);
	sbi_pmu_csr_read_inhibit(before);
	cpu->delegated.claimed = 0;
	cpu->delegated.running = 0;
	cpu->delegated.inhibited = false;
	s->why = probe_counters(cpu, bits, s);
	/* The probe may have ended anywhere. */
	sbi_pmu_csr_inhibit(bits & *before);
	sbi_pmu_csr_uninhibit(bits & ~*before);
}

/* ---- selectors of standard events ---- */

/*
 * Have firmware configure an event on one of some counters, and note what it wrote. If that differs
 * between counters, only those are used for the event that are as the first. s->ret: 0, -ENODATA if
 * the selector cannot be read, or why firmware refuses.
 */
static void probe_step(void *arg)
{
	struct step *s = arg;
	struct sbi_pmu_cpu *cpu = s->cpu;
	struct sbi_pmu_delegation *d = &cpu->pmu->delegation;
	struct sbi_pmu_delegated_event *last;
	unsigned int got;
	u64 selector;
	u32 before;

	s->ret = sbi_pmu_csr_read_inhibit(&before);
	if (s->ret)
		return;
	/* Firmware does not configure one that runs, which a kernel before kexec may have left. */
	sbi_pmu_csr_inhibit(sbi_pmu_csr_bits(cpu->layout, cpu->layout->programmable));
	s->ret = claim(cpu, s->mask, s->event_idx, &got, &selector);
	if (!s->ret && !selector)
		s->ret = -ENODATA;
	if (selector) {
		if (!d->of_firmware || d->event[d->of_firmware - 1].idx != s->event_idx)
			d->event[d->of_firmware++] = (struct sbi_pmu_delegated_event){
				.idx = s->event_idx,
				.selector = selector,
			};
		last = &d->event[d->of_firmware - 1];
		if (last->selector == selector)
			last->counters |= BIT(number_of(cpu, got));
	}
	unclaim(cpu, got);
	/* Firmware may have returned a fixed counter instead, and stopped it. */
	sbi_pmu_csr_uninhibit(sbi_pmu_csr_bits(cpu->layout, cpu->layout->fixed) & ~before);
}

/*
 * Firmware has configured counter @idx for cycles, or instructions, without M-mode. Does it count
 * on when S-mode has written the event and cleared it?
 *
 * QEMU forgets the event of a counter when 0 is written to all of mhpmevent, and S-mode cannot
 * clear the filter of M-mode (MINH) in it.
 */
static bool counts_cleared(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 selector)
{
	const unsigned int n = number_of(cpu, idx);
	bool counts;

	/* Far from an overflow */
	if (sbi_pmu_csr_write_delegated(n, CSR_SIREG, 0) ||
	    sbi_pmu_csr_write_delegated(n, CSR_SIREG2, selector) ||
	    sbi_pmu_csr_write_delegated(n, CSR_SIREG2, 0) || sbi_pmu_csr_uninhibit(BIT(n)))
		return false;
	counts = sbi_pmu_probe_is_counting(cpu, idx);
	sbi_pmu_csr_inhibit(BIT(n));
	return counts;
}

/*
 * Try that on one counter, with an event that occurs all the time. A counter that firmware cannot
 * configure has the filter of M-mode that it will always have.
 */
static void sticks_step(void *arg)
{
	const struct step *s = arg;
	struct sbi_pmu_delegation *d = &s->cpu->pmu->delegation;
	const struct sbi_pmu_delegated_event *event, *claimed;
	unsigned int i, got;
	u64 selector;
	int ret;

	for (event = d->event; event < d->event + d->events; event++) {
		if (event->idx > SBI_PMU_HW_INSTRUCTIONS)
			continue;
		for_each_counter(i, s->cpu->layout->programmable) {
			const unsigned int n = number_of(s->cpu, i);

			if (!(event->counters & BIT(n)))
				continue;
			claimed = event_of_counter(d, n) ?: event;
			ret = claim(s->cpu, BIT_ULL(i), claimed->idx, &got, &selector);
			if (ret && ret != -EOPNOTSUPP)
				continue;
			d->sticks = counts_cleared(s->cpu, i, event->selector);
			unclaim(s->cpu, i);
			return;
		}
	}
}

/* Add standard events that firmware does not know, on the counters of their units. */
static void add_vendor_events(const struct sbi_pmu *pmu, struct sbi_pmu_delegation *found)
{
	const u32 all = sbi_pmu_csr_bits(&pmu->layout, pmu->layout.programmable);
	u32 idx;

	found->events = found->of_firmware;
	for (unsigned int n = 0; (idx = sbi_pmu_event_standard(n)); n++) {
		struct sbi_pmu_code code = {};

		if (standard_event(found, idx) ||
		    !sbi_pmu_table_standard(pmu->caps.table, idx, &code))
			continue;
		found->event[found->events++] = (struct sbi_pmu_delegated_event){
			.idx = idx,
			.selector = code.data,
			.counters = all & (code.csrs ?: ~0U),
		};
	}
}

/*
 * Are all hardware counters delegated, and what do they count? pmu->delegation is filled in.
 *
 * Each standard event is configured once on each programmable counter of the probed CPU. What
 * firmware wrote is read back, and firmware is not asked again. Events that it does not know are
 * the vendor's.
 * Context: no event exists; may sleep, with the hotplug lock.
 * Return: NULL, or in words for the log why they cannot be used.
 */
const char *sbi_pmu_delegation_probe(struct sbi_pmu *pmu)
{
	struct sbi_pmu_delegation *d = &pmu->delegation;
	const u64 programmable = pmu->layout.programmable;
	struct step s = { pmu->probed_cpu, per_cpu_ptr(pmu->cpu, pmu->probed_cpu) };
	unsigned int i;
	int ret;

	if (run(&s, access_step))
		return "the CPU to probe is offline";
	if (s.why)
		return s.why;
	d->filters = s.filters;
	d->fixed_filters = s.fixed_filters;
	for (unsigned int n = 0; programmable && (s.event_idx = sbi_pmu_event_standard(n)); n++) {
		/* On any of them? If firmware does not know the event one call is enough. */
		s.mask = programmable;
		ret = run(&s, probe_step);
		if (ret == -EOPNOTSUPP || ret == -EINVAL)
			continue;
		for_each_counter(i, programmable) {
			s.mask = BIT_ULL(i);
			ret = run(&s, probe_step);
			if (ret == -ENODATA || ret == -ENXIO)
				return "the selector that firmware writes cannot be read";
		}
	}
	add_vendor_events(pmu, d);
	run(&s, sticks_step);
	return NULL;
}

static void prepare_step(void *arg)
{
	struct step *s = arg;

	s->ret = prepare_again(s->cpu, first_counter(s->mask));
}

static void offline_step(void *arg)
{
	struct step *s = arg;

	csr_offline(s->cpu);
}

/*
 * Prepare the counters of CPU @id, which no event uses and which stays online, for the backend.
 * One event is compared on each counter, as that costs no further call: firmware has to configure
 * one in any case. Context: may sleep.
 * Return: true if they do the same as those of the probed CPU, and firmware writes the same.
 */
bool sbi_pmu_delegation_prepare(struct sbi_pmu *pmu, unsigned int id)
{
	const struct sbi_pmu_delegation *d = &pmu->delegation;
	struct step s = { id, per_cpu_ptr(pmu->cpu, id) };
	bool alike = !run(&s, access_step) && !s.why && s.filters == d->filters &&
		     s.fixed_filters == d->fixed_filters;
	unsigned int i;

	for_each_counter(i, sbi_pmu_hardware(&pmu->layout)) {
		s.mask = BIT_ULL(i);
		alike = alike && !run(&s, prepare_step);
	}
	if (!alike)
		run(&s, offline_step);
	return alike;
}

const struct sbi_pmu_backend sbi_pmu_backend_csr = {
	.name = "csr",
	.in_log = ", delegated counters",
	.offline = csr_offline,
	.resume = csr_resume,
	.config = csr_config,
	.release = csr_release,
	.start_one = csr_start_one,
	.stop = csr_stop,
	.start = csr_start,
	.no_calls = true,
};
