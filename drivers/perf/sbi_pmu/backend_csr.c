// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delegated counters (Smcdeleg, Ssccfg): events, filters and values are written by CSRs, and
 * all counters of a CPU are stopped or started by one write. Firmware's own counters are
 * programmed by SBI calls as ever. Firmware considers those hardware counters in use that it knows
 * an event for (but see sticks), and does nothing with them until they are released.
 */
#include "backend.h"
#include "vendor.h"

/* Bits of sireg2 that select the event; those above filter (Sscofpmf) */
#define SELECTOR	GENMASK_ULL(55, 0)
/* Not ours to set, or set by the hart */
#define NOT_KEPT	(HPMEVENT_OF | HPMEVENT_MINH)

static unsigned int number_of(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return sbi_pmu_counter_number(&cpu->counters->info[idx]);
}

static bool is_fixed(const struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	return cpu->counters->info[idx].kind == SBI_PMU_COUNTER_FIXED;
}

/* ---- scountinhibit ---- */

static int start_counters(struct sbi_pmu_cpu *cpu, u32 counters)
{
	const int ret = cpu->inhibited ? 0 : sbi_pmu_csr_uninhibit(counters);

	if (!ret)
		cpu->csr_running |= counters;
	return ret;
}

static int stop_counters(struct sbi_pmu_cpu *cpu, u32 counters)
{
	/* Others than ours may run in a section: cycle and instret, for programs that read them. */
	const bool stopped = cpu->inhibited && !(counters & ~cpu->csr_running);
	const int ret = stopped ? 0 : sbi_pmu_csr_inhibit(counters);

	if (!ret)
		cpu->csr_running &= ~counters;
	return ret;
}

/* ---- M-mode ---- */

/* An event that firmware counts by counter @n: the first, hence cycles if it can. NULL: none */
static const struct sbi_pmu_delegated_event *
event_of_counter(const struct sbi_pmu_delegation *found, unsigned int n)
{
	for (unsigned int i = 0; i < found->of_firmware; i++)
		if (found->event[i].counters & BIT(n))
			return &found->event[i];
	return NULL;
}

/*
 * Have firmware set the filter of M-mode of counter @idx, which is stopped.
 *
 * S-mode cannot write that filter, nor read it. So firmware configures an event without M-mode,
 * which S-mode clears. The filter stays, and to firmware the counter is in use: it does not give
 * it to anybody, and a kernel after a crash can have firmware stop it as any other.
 * Return: 0, or an errno: firmware does not configure the counter.
 */
static int claim(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_delegation *found, unsigned int idx)
{
	const struct sbi_pmu_delegated_event *event = event_of_counter(found, number_of(cpu, idx));
	struct sbi_pmu_code code = { .flags = SBI_PMU_CFG_FLAG_SET_MINH };
	unsigned int got = SBI_PMU_NO_COUNTER;
	int ret;

	if (is_fixed(cpu, idx))
		code.idx = sbi_pmu_fixed_event(&cpu->counters->info[idx]);
	else if (event)
		code.idx = event->idx;
	else
		return -EOPNOTSUPP;
	ret = sbi_pmu_sbi_config(cpu, BIT_ULL(idx), &code, &got);
	if (ret == -EPROTO && got != SBI_PMU_NO_COUNTER && !has_counter(cpu->claimed, got))
		sbi_pmu_sbi_release(cpu, got);
	if (ret)
		return ret;
	cpu->claimed |= BIT_ULL(idx);
	return sbi_pmu_csr_write_delegated(number_of(cpu, idx), CSR_SIREG2, 0);
}

/* Firmware may have counter @idx again. It is running then, as RustSBI does not release others. */
static void unclaim(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (!has_counter(cpu->claimed, idx))
		return;
	cpu->claimed &= ~BIT_ULL(idx);
	sbi_pmu_csr_uninhibit(BIT(number_of(cpu, idx)));
	sbi_pmu_sbi_release(cpu, idx);
	/* Firmware may have lost it, and then stops nothing. */
	sbi_pmu_csr_inhibit(BIT(number_of(cpu, idx)));
}

/*
 * Set the filter of M-mode of a stopped counter without an event. Where events stick, the counters
 * count M-mode, since an event that cannot be removed is worse: firmware clears all of mhpmevent
 * when it releases the counter. cycle and instret have one event.
 */
static void prepare(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (is_fixed(cpu, idx) && !cpu->pmu->delegation.fixed_filters)
		return;
	if (claim(cpu, &cpu->pmu->delegation, idx) || is_fixed(cpu, idx) ||
	    !cpu->pmu->delegation.sticks)
		return;
	unclaim(cpu, idx);
}

/* ---- configure ---- */

/* Without M-mode, see claim(). */
static u64 filter_bits(u32 flags)
{
	u64 bits = 0;

	if (flags & SBI_PMU_CFG_FLAG_SET_SINH)
		bits |= HPMEVENT_SINH;
	if (flags & SBI_PMU_CFG_FLAG_SET_UINH)
		bits |= HPMEVENT_UINH;
	if (flags & SBI_PMU_CFG_FLAG_SET_VSINH)
		bits |= HPMEVENT_VSINH;
	if (flags & SBI_PMU_CFG_FLAG_SET_VUINH)
		bits |= HPMEVENT_VUINH;
	return bits;
}

/* The selector of an event on programmable counter @n, 0 if there is none. */
static u64 selector_of(const struct sbi_pmu_delegation *d, unsigned int n,
		       const struct sbi_pmu_code *code)
{
	if (sbi_pmu_code_is_raw(code))
		return code->data & ~SELECTOR ? 0 : code->data;
	for (unsigned int i = 0; i < d->events; i++)
		if (d->event[i].idx == code->idx)
			return d->event[i].counters & BIT(n) ? d->event[i].selector : 0;
	return 0;
}

/*
 * Write an event and its filter. A bit that is not kept is an event or a filter that this
 * counter does not have.
 */
static int write_event(struct sbi_pmu_cpu *cpu, unsigned int n, u64 event)
{
	u64 kept;
	int ret = sbi_pmu_csr_write_delegated(n, CSR_SIREG2, event) ?:
			  sbi_pmu_csr_read_delegated(n, CSR_SIREG2, &kept);

	if (!ret && (kept ^ event) & ~NOT_KEPT)
		ret = -EOPNOTSUPP;
	cpu->mhpmevent[n] = event;
	return ret;
}

/* cycle and instret have one event; without Smcntrpmf they have no filter, and no sireg2. */
static int config_fixed(struct sbi_pmu_cpu *cpu, unsigned int idx, const struct sbi_pmu_code *code)
{
	const u64 filter = filter_bits(code->flags);

	if (code->idx != sbi_pmu_fixed_event(&cpu->counters->info[idx]))
		return -EOPNOTSUPP;
	if (cpu->pmu->delegation.fixed_filters)
		return write_event(cpu, number_of(cpu, idx), filter);
	return code->flags ? -EOPNOTSUPP : 0;
}

/*
 * With OF set a counter does not interrupt (Sscofpmf). It is cleared when the counter is armed,
 * so one that only counts wraps without an interrupt.
 */
static int config_programmable(struct sbi_pmu_cpu *cpu, unsigned int idx,
			       const struct sbi_pmu_code *code)
{
	const unsigned int n = number_of(cpu, idx);
	const u64 selector = selector_of(&cpu->pmu->delegation, n, code);

	if (!selector || (code->flags && !cpu->pmu->delegation.filters))
		return -EOPNOTSUPP;
	return write_event(cpu, n, selector | filter_bits(code->flags) | HPMEVENT_OF);
}

/* An event that cannot be removed makes the next configuration fail. */
static void clear_event(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const unsigned int n = number_of(cpu, idx);

	stop_counters(cpu, BIT(n));
	cpu->mhpmevent[n] = 0;
	if (!is_fixed(cpu, idx) || cpu->pmu->delegation.fixed_filters)
		sbi_pmu_csr_write_delegated(n, CSR_SIREG2, 0);
}

/* cycle and instret run again if they ran before, since others may read them. */
static void run_fixed(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const unsigned int n = number_of(cpu, idx);

	if (is_fixed(cpu, idx) && !(cpu->inhibit_at_online & BIT(n)))
		sbi_pmu_csr_uninhibit(BIT(n));
}

static void release_hardware(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	clear_event(cpu, idx);
	run_fixed(cpu, idx);
}

static int config_one(struct sbi_pmu_cpu *cpu, unsigned int idx, const struct sbi_pmu_code *code)
{
	const u64 hardware = sbi_pmu_hardware(cpu->counters);
	int ret;

	if (!has_counter(hardware, idx))
		return -EOPNOTSUPP;
	/* cycle and instret may run. */
	ret = stop_counters(cpu, BIT(number_of(cpu, idx)));
	if (!ret)
		ret = is_fixed(cpu, idx) ? config_fixed(cpu, idx, code) :
					   config_programmable(cpu, idx, code);
	if (ret)
		release_hardware(cpu, idx);
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
	cpu->claimed |= BIT_ULL(idx);
	unclaim(cpu, idx);
	prepare(cpu, idx);
	if (!is_fixed(cpu, idx) || cpu->pmu->delegation.fixed_filters)
		sbi_pmu_csr_write_delegated(n, CSR_SIREG2, cpu->mhpmevent[n]);
	sbi_pmu_csr_write_delegated(n, CSR_SIREG, value);
	if (!(stopped & BIT(n)))
		sbi_pmu_csr_uninhibit(BIT(n));
}

static int config_firmware(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
			   unsigned int *got)
{
	const u64 hardware = sbi_pmu_hardware(cpu->counters);
	u32 stopped;
	int ret = sbi_pmu_csr_read_inhibit(&stopped) ?: sbi_pmu_sbi_config(cpu, mask, code, got);

	if (ret != -EPROTO || *got == SBI_PMU_NO_COUNTER || !has_counter(hardware, *got))
		return ret;
	take_back(cpu, *got, stopped);
	*got = SBI_PMU_NO_COUNTER;
	return ret;
}

static int csr_config(struct sbi_pmu_cpu *cpu, u64 mask, const struct sbi_pmu_code *code,
		      unsigned int *got)
{
	int ret = -EOPNOTSUPP;
	unsigned int i;

	if (sbi_pmu_code_is_firmware(code))
		return config_firmware(cpu, mask, code, got);
	for_each_counter(i, mask) {
		ret = config_one(cpu, i, code);
		if (!ret) {
			*got = i;
			return 0;
		}
	}
	return ret;
}

static void csr_release(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (has_counter(cpu->counters->firmware, idx))
		sbi_pmu_sbi_release(cpu, idx);
	else
		release_hardware(cpu, idx);
}

/* ---- start and stop ---- */

static int csr_start_one(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	if (has_counter(cpu->counters->firmware, idx))
		return sbi_pmu_sbi_backend_start_one(cpu, idx);
	return start_counters(cpu, BIT(number_of(cpu, idx)));
}

/*
 * Set the value of a stopped counter. It is armed if the value is in the upper half of its
 * range; then OF is cleared, and set otherwise.
 */
static int set_value(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 value)
{
	const unsigned int n = number_of(cpu, idx);
	const bool armed = sbi_pmu_in_upper_half(&cpu->counters->info[idx], value);
	int ret = 0;

	if (!is_fixed(cpu, idx)) {
		cpu->mhpmevent[n] &= ~HPMEVENT_OF;
		cpu->mhpmevent[n] |= armed ? 0 : HPMEVENT_OF;
		ret = sbi_pmu_csr_write_delegated(n, CSR_SIREG2, cpu->mhpmevent[n]);
	}
	return ret ?: sbi_pmu_csr_write_delegated(n, CSR_SIREG, value);
}

/* Set those that need another value, then start all together. */
static u64 start_hardware(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 set = which & cpu->start_at.valid;
	u64 failed = 0, start;
	unsigned int i;
	u32 bits;

	for_each_counter(i, set)
		if (set_value(cpu, i, cpu->start_at.value[i]))
			failed |= BIT_ULL(i);
	start = which & ~failed;
	bits = sbi_pmu_csr_bits(cpu->counters, start);
	return bits && start_counters(cpu, bits) ? which : failed;
}

static u64 csr_start(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 firmware = which & cpu->counters->firmware;
	const u64 hardware = which & ~firmware;
	const u64 failed = firmware ? sbi_pmu_start_each(cpu, firmware) : 0;
	const u64 more = start_hardware(cpu, hardware);

	return failed | more;
}

static u64 csr_stop(struct sbi_pmu_cpu *cpu, u64 which)
{
	const u64 firmware = which & cpu->counters->firmware, hardware = which & ~firmware;
	const u32 bits = sbi_pmu_csr_bits(cpu->counters, hardware);

	if (firmware)
		sbi_pmu_sbi_backend_stop(cpu, firmware);
	return bits && stop_counters(cpu, bits) ? hardware : 0;
}

/* ---- CPUs come and go ---- */

static void prepare_all(struct sbi_pmu_cpu *cpu)
{
	const u64 hardware = sbi_pmu_hardware(cpu->counters);
	unsigned int i;

	for_each_counter(i, hardware) {
		clear_event(cpu, i);
		unclaim(cpu, i);
		prepare(cpu, i);
		run_fixed(cpu, i);
	}
}

/*
 * Firmware first: it may hold events of a kernel before kexec. Then what that kernel may have left
 * in the CSRs.
 */
static void csr_online(struct sbi_pmu_cpu *cpu)
{
	sbi_pmu_sbi_backend_online(cpu);
	cpu->claimed = 0;
	cpu->csr_running = 0;
	cpu->inhibited = false;
	cpu->inhibit_at_online = 0;
	sbi_pmu_csr_read_inhibit(&cpu->inhibit_at_online);
	prepare_all(cpu);
}

/* OpenSBI clears all events when it sets up a hart again, and sets OF, which we leave clear. */
static bool has_lost_events(struct sbi_pmu_cpu *cpu)
{
	unsigned int i;

	for_each_counter(i, cpu->counters->programmable) {
		const unsigned int n = number_of(cpu, i);
		u64 event;

		if (sbi_pmu_csr_read_delegated(n, CSR_SIREG2, &event) ||
		    (cpu->mhpmevent[n] ? (event ^ cpu->mhpmevent[n]) & ~NOT_KEPT : event))
			return true;
	}
	return false;
}

/* The filters of M-mode are lost with the events. */
static void csr_resume(struct sbi_pmu_cpu *cpu)
{
	if (has_lost_events(cpu))
		prepare_all(cpu);
}

/* Nothing may be left in use: the next driver may program the counters by SBI calls. */
static void csr_offline(struct sbi_pmu_cpu *cpu)
{
	const u64 held = cpu->claimed;
	unsigned int i;

	for_each_counter(i, held) {
		unclaim(cpu, i);
		run_fixed(cpu, i);
	}
	sbi_pmu_shmem_offline(cpu);
}

/* ---- what the counters can do ---- */

/* Filters that cores without the H extension have, too */
#define FILTERS		(HPMEVENT_SINH | HPMEVENT_UINH)
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

/* Can all counters @bits be stopped and started? They are stopped after. */
static bool can_stop(u32 bits)
{
	u32 stopped;

	if (sbi_pmu_csr_uninhibit(bits) || sbi_pmu_csr_read_inhibit(&stopped) || stopped & bits)
		return false;
	return !sbi_pmu_csr_inhibit(bits) && !sbi_pmu_csr_read_inhibit(&stopped) &&
	       (stopped & bits) == bits;
}

static const char *probe_programmable(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found)
{
	unsigned int i;
	u64 value;

	found->filters = true;
	for_each_counter(i, cpu->counters->programmable) {
		const unsigned int n = number_of(cpu, i);

		if (sbi_pmu_csr_read_delegated(n, CSR_SIREG, &value) ||
		    sbi_pmu_csr_read_delegated(n, CSR_SIREG2, &value))
			return "a counter is not delegated";
		if (!keeps(n, CSR_SIREG, PATTERN))
			return "a delegated counter cannot be written";
		found->filters = found->filters && keeps(n, CSR_SIREG2, FILTERS);
	}
	return NULL;
}

static const char *probe_fixed(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found)
{
	unsigned int i;
	u64 value;

	found->fixed_filters = true;
	for_each_counter(i, cpu->counters->fixed) {
		const unsigned int n = number_of(cpu, i);

		if (sbi_pmu_csr_read_delegated(n, CSR_SIREG, &value))
			return "cycle or instret is not delegated";
		if (!keeps(n, CSR_SIREG, PATTERN))
			return "a delegated counter cannot be written";
		found->fixed_filters = found->fixed_filters && keeps(n, CSR_SIREG2, FILTERS);
	}
	return NULL;
}

/* A counter that is not delegated traps. All are as they were after. Return: as below. */
static const char *probe_access(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found)
{
	const u64 hardware = sbi_pmu_hardware(cpu->counters);
	const u32 bits = sbi_pmu_csr_bits(cpu->counters, hardware);
	const char *why = NULL;
	u32 before;

	if (!hardware)
		return "no hardware counters";
	if (sbi_pmu_csr_read_inhibit(&before))
		return "no Ssccfg, or firmware does not delegate counters";
	if (!can_stop(bits))
		why = "a counter is not delegated";
	if (!why)
		why = probe_programmable(cpu, found);
	if (!why)
		why = probe_fixed(cpu, found);
	/* can_stop() and probes may have ended anywhere. */
	sbi_pmu_csr_inhibit(bits & before);
	sbi_pmu_csr_uninhibit(bits & ~before);
	return why;
}

/* ---- selectors of standard events ---- */

/* Note that counter @n counts an event by @selector, unless others do so by another one. */
static void learn(struct sbi_pmu_delegation *found, u32 idx, unsigned int n, u64 selector)
{
	struct sbi_pmu_delegated_event *last = NULL;

	if (found->of_firmware)
		last = &found->event[found->of_firmware - 1];
	if (!last || last->idx != idx) {
		last = &found->event[found->of_firmware++];
		*last = (struct sbi_pmu_delegated_event){ .idx = idx, .selector = selector };
	}
	if (last->selector == selector)
		last->counters |= BIT(n);
}

/*
 * Have firmware configure an event on one of the counters in @mask, and read what it wrote.
 * The counter is started, since RustSBI does not release one that never ran.
 * Return: 0, -ENODATA if the selector cannot be read, or why firmware refuses.
 */
static int ask(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found,
	       const struct sbi_pmu_code *code, u64 mask)
{
	unsigned int got = SBI_PMU_NO_COUNTER;
	int ret = sbi_pmu_sbi_config(cpu, mask, code, &got);
	u64 event = 0;

	if (!ret) {
		sbi_pmu_csr_read_delegated(number_of(cpu, got), CSR_SIREG2, &event);
		event &= SELECTOR;
		if (event)
			learn(found, code->idx, number_of(cpu, got), event);
		else
			ret = -ENODATA;
		if (sbi_pmu_sbi_backend_start_one(cpu, got))
			ret = -EIO;
	}
	if (got < SBI_PMU_MAX_COUNTERS)
		sbi_pmu_sbi_release(cpu, got);
	return ret;
}

/* Return: -ENODATA if a selector cannot be read, else 0. */
static int learn_event(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found, u32 idx)
{
	const struct sbi_pmu_code code = { .idx = idx };
	const u64 programmable = cpu->counters->programmable;
	unsigned int i;
	int ret;

	if (!programmable)
		return 0;
	ret = ask(cpu, found, &code, programmable);
	if (ret == -EOPNOTSUPP || ret == -EINVAL)
		return 0;
	for_each_counter(i, programmable)
		if (ask(cpu, found, &code, BIT_ULL(i)) == -ENODATA)
			return -ENODATA;
	return 0;
}

/* Reads that take long enough for a counter of cycles to move */
#define READS_TO_MOVE	16

static bool is_moving(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 first, now;

	if (sbi_pmu_csr_read(cpu->counters->info[idx].csr, &first))
		return false;
	for (unsigned int i = 0; i < READS_TO_MOVE; i++)
		if (!sbi_pmu_csr_read(cpu->counters->info[idx].csr, &now) && now != first)
			return true;
	return false;
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
	bool moving;

	/* Far from an overflow */
	if (sbi_pmu_csr_write_delegated(n, CSR_SIREG, 0) ||
	    sbi_pmu_csr_write_delegated(n, CSR_SIREG2, selector) ||
	    sbi_pmu_csr_write_delegated(n, CSR_SIREG2, 0) || sbi_pmu_csr_uninhibit(BIT(n)))
		return false;
	moving = is_moving(cpu, idx);
	sbi_pmu_csr_inhibit(BIT(n));
	return moving;
}

/*
 * Try that on one counter of @event. A counter that firmware cannot configure has the filter of
 * M-mode that it will always have.
 */
static bool sticks_on_any(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_delegation *found,
			  const struct sbi_pmu_delegated_event *event, bool *sticks)
{
	unsigned int i;
	int ret;

	for_each_counter(i, cpu->counters->programmable) {
		if (!(event->counters & BIT(number_of(cpu, i))))
			continue;
		ret = claim(cpu, found, i);
		if (ret && ret != -EOPNOTSUPP)
			continue;
		*sticks = counts_cleared(cpu, i, event->selector);
		unclaim(cpu, i);
		return true;
	}
	return false;
}

/* An event that occurs all the time shows it. */
static bool events_stick(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_delegation *found)
{
	bool sticks = false;

	for (unsigned int n = 0; n < found->events; n++)
		if (found->event[n].idx <= SBI_PMU_HW_INSTRUCTIONS &&
		    sticks_on_any(cpu, found, &found->event[n], &sticks))
			break;
	return sticks;
}

static bool is_of_firmware(const struct sbi_pmu_delegation *found, u32 idx)
{
	for (unsigned int n = 0; n < found->of_firmware; n++)
		if (found->event[n].idx == idx)
			return true;
	return false;
}

/* Add standard events of the vendor, on the counters of their units. */
static void add_vendor_events(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_caps *caps,
			      struct sbi_pmu_delegation *found)
{
	const struct sbi_pmu_vendor *vendor = caps->vendor;
	u32 idx;

	found->events = found->of_firmware;
	if (!vendor || !vendor->standard)
		return;
	for (unsigned int n = 0; (idx = sbi_pmu_event_standard(n)); n++) {
		struct sbi_pmu_code code = {};
		u64 which = cpu->counters->programmable;

		if (is_of_firmware(found, idx) || !vendor->standard(caps->vendor_data, idx, &code))
			continue;
		if (vendor->candidates && code.unit)
			which = ((vendor->candidates(cpu->counters, code.unit)) & which);
		found->event[found->events++] = (struct sbi_pmu_delegated_event){
			.idx = idx,
			.selector = code.data,
			.counters = sbi_pmu_csr_bits(cpu->counters, which),
		};
	}
}

/*
 * Each standard event is configured once on each programmable counter. What firmware wrote is read
 * back, and firmware is not asked again. Events that it does not know are the vendor's. Return: as
 * below.
 */
static const char *learn_events(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found)
{
	const u32 fixed = sbi_pmu_csr_bits(cpu->counters, cpu->counters->fixed);
	const char *why = NULL;
	u32 before, idx;

	if (sbi_pmu_csr_read_inhibit(&before))
		return "scountinhibit cannot be read";
	/* Firmware does not configure one that runs, which a kernel before kexec may have left. */
	sbi_pmu_csr_inhibit(sbi_pmu_csr_bits(cpu->counters, cpu->counters->programmable));
	for (unsigned int n = 0; !why && (idx = sbi_pmu_event_standard(n)); n++)
		if (learn_event(cpu, found, idx))
			why = "the selector that firmware writes cannot be read";
	add_vendor_events(cpu, &cpu->pmu->caps, found);
	found->sticks = !why && events_stick(cpu, found);
	/* Firmware may have returned a fixed counter instead, and stopped it. */
	sbi_pmu_csr_uninhibit(fixed & ~before);
	return why;
}

/**
 * sbi_pmu_delegation_probe() - are all hardware counters delegated, and what do they count?
 * @cpu: this CPU; none of its counters is in use, in firmware either
 * @found: what they can do, and by which selectors they count standard events; filled in
 * Context: on the CPU, interrupts disabled.
 * Return: NULL, or in words for the log why they cannot be used.
 */
const char *sbi_pmu_delegation_probe(struct sbi_pmu_cpu *cpu, struct sbi_pmu_delegation *found)
{
	memset(found, 0, sizeof(*found));
	return probe_access(cpu, found) ?: learn_events(cpu, found);
}

/* Do the counters of two CPUs do the same, and firmware write the same for each event? */
bool sbi_pmu_delegation_equal(const struct sbi_pmu_delegation *a,
			      const struct sbi_pmu_delegation *b)
{
	if (a->filters != b->filters || a->fixed_filters != b->fixed_filters ||
	    a->sticks != b->sticks || a->of_firmware != b->of_firmware || a->events != b->events)
		return false;
	for (unsigned int i = 0; i < a->events; i++)
		if (a->event[i].idx != b->event[i].idx ||
		    a->event[i].selector != b->event[i].selector ||
		    a->event[i].counters != b->event[i].counters)
			return false;
	return true;
}

const struct sbi_pmu_backend sbi_pmu_backend_csr = {
	.name = "csr",
	.online = csr_online,
	.offline = csr_offline,
	.resume = csr_resume,
	.config = csr_config,
	.release = csr_release,
	.start_one = csr_start_one,
	.stop = csr_stop,
	.start = csr_start,
	.no_calls = true,
};
