// SPDX-License-Identifier: GPL-2.0-only
/*
 * Delegated counters (Smcdeleg, Ssccfg): events, filters and values are written by CSRs, and
 * all counters of a CPU are stopped or started by one write. Firmware's own counters are
 * programmed by SBI calls as ever. Firmware considers those hardware counters in use that it knows
 * an event for (but see sticks), and does nothing with them until they are released.
 */
#include "backend.h"

/* Bits of sireg2 that select the event; those above filter (Sscofpmf) */
#define SELECTOR	GENMASK_ULL(55, 0)
/* Not ours to set, or set by the hart */
#define NOT_KEPT	(HPMEVENT_OF | HPMEVENT_MINH)

static unsigned int number_of(const struct sbi_pmu_backend *be, unsigned int idx)
{
	return sbi_pmu_counter_number(&be->inv->info[idx]);
}

static bool is_fixed(const struct sbi_pmu_backend *be, unsigned int idx)
{
	return be->inv->info[idx].kind == SBI_PMU_COUNTER_FIXED;
}

static u64 firmware_of(const struct sbi_pmu_backend *be, u64 which)
{
	return which & be->inv->firmware;
}

/* ---- scountinhibit ---- */

static int start_counters(struct sbi_pmu_backend *be, u32 counters)
{
	const int ret = be->paused ? 0 : be->delegated->start(counters);

	if (!ret)
		be->running |= counters;
	return ret;
}

static int stop_counters(struct sbi_pmu_backend *be, u32 counters)
{
	/* Others than ours may run in a pause: cycle and instret, for programs that read them. */
	const bool stopped = be->paused && !(counters & ~be->running);
	const int ret = stopped ? 0 : be->delegated->stop(counters);

	if (!ret)
		be->running &= ~counters;
	return ret;
}

/* ---- M-mode ---- */

/* An event that firmware counts by counter @n: the first, hence cycles if it can. NULL: none */
const struct sbi_pmu_delegated_event *
sbi_pmu_delegated_event(const struct sbi_pmu_delegation *found, unsigned int n)
{
	for (unsigned int i = 0; i < found->of_firmware; i++)
		if (found->event[i].counters & BIT(n))
			return &found->event[i];
	return NULL;
}

/**
 * sbi_pmu_delegated_hold() - have firmware set the filter of M-mode of a delegated counter
 * @be: this CPU's
 * @found: the events that firmware knows
 * @idx: the counter, which is stopped
 *
 * S-mode cannot write that filter, nor read it. So firmware configures an event without M-mode,
 * which S-mode clears. The filter stays, and to firmware the counter is in use: it does not give
 * it to anybody, and a kernel after a crash can have firmware stop it as any other.
 * Context: on the CPU, interrupts disabled.
 * Return: 0, or an errno: firmware does not configure the counter.
 */
int sbi_pmu_delegated_hold(struct sbi_pmu_backend *be, const struct sbi_pmu_delegation *found,
			   unsigned int idx)
{
	const struct sbi_pmu_delegated_event *event =
		sbi_pmu_delegated_event(found, number_of(be, idx));
	struct sbi_pmu_event_code code = { .flags = SBI_PMU_CFG_FLAG_SET_MINH };
	unsigned int got = SBI_PMU_NO_COUNTER;
	int ret;

	if (is_fixed(be, idx))
		code.idx = sbi_pmu_counter_fixed_event(&be->inv->info[idx]);
	else if (event)
		code.idx = event->idx;
	else
		return -EOPNOTSUPP;
	ret = sbi_pmu_sbi_config(&be->sbi, BIT_ULL(idx), &code, &got);
	if (ret == -EPROTO && got != SBI_PMU_NO_COUNTER && !has_counter(be->held, got))
		sbi_pmu_sbi_release(&be->sbi, got);
	if (ret)
		return ret;
	be->held |= BIT_ULL(idx);
	return be->delegated->write(number_of(be, idx), CSR_SIREG2, 0);
}

/* Firmware may have counter @idx again. It is running then, as RustSBI does not release others. */
void sbi_pmu_delegated_unhold(struct sbi_pmu_backend *be, unsigned int idx)
{
	if (!has_counter(be->held, idx))
		return;
	be->held &= ~BIT_ULL(idx);
	be->delegated->start(BIT(number_of(be, idx)));
	sbi_pmu_sbi_release(&be->sbi, idx);
	/* Firmware may have lost it, and then stops nothing. */
	be->delegated->stop(BIT(number_of(be, idx)));
}

/*
 * Set the filter of M-mode of a stopped counter without an event. Where events stick, the counters
 * count M-mode, since an event that cannot be removed is worse: firmware clears all of mhpmevent
 * when it releases the counter. cycle and instret have one event.
 */
static void prepare(struct sbi_pmu_backend *be, unsigned int idx)
{
	if (is_fixed(be, idx) && !be->delegation->fixed_filters)
		return;
	if (sbi_pmu_delegated_hold(be, be->delegation, idx) || is_fixed(be, idx) ||
	    !be->delegation->sticks)
		return;
	sbi_pmu_delegated_unhold(be, idx);
}

/* ---- configure ---- */

/* Without M-mode, see sbi_pmu_delegated_hold(). */
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
		       const struct sbi_pmu_event_code *code)
{
	const u32 type = sbi_pmu_event_type(code);

	if (type == SBI_PMU_EVENT_TYPE_RAW || type == SBI_PMU_EVENT_TYPE_RAW_V2)
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
static int write_event(struct sbi_pmu_backend *be, unsigned int n, u64 event)
{
	u64 kept;
	int ret = be->delegated->write(n, CSR_SIREG2, event) ?:
			  be->delegated->read(n, CSR_SIREG2, &kept);

	if (!ret && (kept ^ event) & ~NOT_KEPT)
		ret = -EOPNOTSUPP;
	be->event[n] = event;
	return ret;
}

/* cycle and instret have one event; without Smcntrpmf they have no filter, and no sireg2. */
static int config_fixed(struct sbi_pmu_backend *be, unsigned int idx,
			const struct sbi_pmu_event_code *code)
{
	const u64 filter = filter_bits(code->flags);

	if (code->idx != sbi_pmu_counter_fixed_event(&be->inv->info[idx]))
		return -EOPNOTSUPP;
	if (be->delegation->fixed_filters)
		return write_event(be, number_of(be, idx), filter);
	return code->flags ? -EOPNOTSUPP : 0;
}

/*
 * With OF set a counter does not interrupt (Sscofpmf). It is cleared when the counter is armed,
 * so one that only counts wraps without an interrupt.
 */
static int config_programmable(struct sbi_pmu_backend *be, unsigned int idx,
			       const struct sbi_pmu_event_code *code)
{
	const unsigned int n = number_of(be, idx);
	const u64 selector = selector_of(be->delegation, n, code);

	if (!selector || (code->flags && !be->delegation->filters))
		return -EOPNOTSUPP;
	return write_event(be, n, selector | filter_bits(code->flags) | HPMEVENT_OF);
}

/* An event that cannot be removed makes the next configuration fail. */
static void clear_event(struct sbi_pmu_backend *be, unsigned int idx)
{
	const unsigned int n = number_of(be, idx);

	stop_counters(be, BIT(n));
	be->event[n] = 0;
	if (!is_fixed(be, idx) || be->delegation->fixed_filters)
		be->delegated->write(n, CSR_SIREG2, 0);
}

/* cycle and instret run again if they ran before, since others may read them. */
static void run_fixed(struct sbi_pmu_backend *be, unsigned int idx)
{
	const unsigned int n = number_of(be, idx);

	if (is_fixed(be, idx) && !(be->stopped_before & BIT(n)))
		be->delegated->start(BIT(n));
}

static void release_hardware(struct sbi_pmu_backend *be, unsigned int idx)
{
	clear_event(be, idx);
	run_fixed(be, idx);
}

static int config_one(struct sbi_pmu_backend *be, unsigned int idx,
		      const struct sbi_pmu_event_code *code)
{
	const u64 hardware = sbi_pmu_inventory_hardware(be->inv);
	int ret;

	if (!has_counter(hardware, idx))
		return -EOPNOTSUPP;
	/* cycle and instret may run. */
	ret = stop_counters(be, BIT(number_of(be, idx)));
	if (!ret)
		ret = is_fixed(be, idx) ? config_fixed(be, idx, code) :
					  config_programmable(be, idx, code);
	if (ret)
		release_hardware(be, idx);
	return ret;
}

/*
 * Firmware took a delegated counter although it was asked for one of its own, and may have
 * written over its event, and stopped it.
 */
static void take_back(struct sbi_pmu_backend *be, unsigned int idx, u32 stopped)
{
	const unsigned int n = number_of(be, idx);
	u64 value = 0;

	be->delegated->stop(BIT(n));
	be->delegated->read(n, CSR_SIREG, &value);
	be->held |= BIT_ULL(idx);
	sbi_pmu_delegated_unhold(be, idx);
	prepare(be, idx);
	if (!is_fixed(be, idx) || be->delegation->fixed_filters)
		be->delegated->write(n, CSR_SIREG2, be->event[n]);
	be->delegated->write(n, CSR_SIREG, value);
	if (!(stopped & BIT(n)))
		be->delegated->start(BIT(n));
}

static int config_firmware(struct sbi_pmu_backend *be, u64 mask,
			   const struct sbi_pmu_event_code *code, unsigned int *got)
{
	const u64 hardware = sbi_pmu_inventory_hardware(be->inv);
	u32 stopped;
	int ret = be->delegated->stopped(&stopped) ?: sbi_pmu_sbi_config(&be->sbi, mask, code, got);

	if (ret != -EPROTO || *got == SBI_PMU_NO_COUNTER || !has_counter(hardware, *got))
		return ret;
	take_back(be, *got, stopped);
	*got = SBI_PMU_NO_COUNTER;
	return ret;
}

static int csr_config(struct sbi_pmu_backend *be, u64 mask, const struct sbi_pmu_event_code *code,
		      unsigned int *got)
{
	int ret = -EOPNOTSUPP;
	unsigned int i;

	if (sbi_pmu_event_is_firmware(code))
		return config_firmware(be, mask, code, got);
	for_each_counter(i, mask) {
		ret = config_one(be, i, code);
		if (!ret) {
			*got = i;
			return 0;
		}
	}
	return ret;
}

static void csr_release(struct sbi_pmu_backend *be, unsigned int idx)
{
	if (has_counter(be->inv->firmware, idx))
		sbi_pmu_sbi_release(&be->sbi, idx);
	else
		release_hardware(be, idx);
}

/* ---- start and stop ---- */

static int csr_start_one(struct sbi_pmu_backend *be, unsigned int idx)
{
	if (has_counter(be->inv->firmware, idx))
		return sbi_pmu_sbi_start(&be->sbi, idx);
	return start_counters(be, BIT(number_of(be, idx)));
}

/*
 * Set the value of a stopped counter. It is armed if the value is in the upper half of its
 * range; then OF is cleared, and set otherwise.
 */
static int set_value(struct sbi_pmu_backend *be, unsigned int idx, u64 value)
{
	const unsigned int n = number_of(be, idx);
	const bool armed = value >> (be->inv->info[idx].width - 1) & 1;
	int ret = 0;

	if (!is_fixed(be, idx)) {
		be->event[n] &= ~HPMEVENT_OF;
		be->event[n] |= armed ? 0 : HPMEVENT_OF;
		ret = be->delegated->write(n, CSR_SIREG2, be->event[n]);
	}
	return ret ?: be->delegated->write(n, CSR_SIREG, value);
}

/* Set those that need another value, then start all together. */
static u64 start_hardware(struct sbi_pmu_backend *be, u64 which)
{
	const u64 set = which & be->initial.valid;
	u64 failed = 0, start;
	unsigned int i;
	u32 bits;

	for_each_counter(i, set)
		if (set_value(be, i, be->initial.value[i]))
			failed |= BIT_ULL(i);
	start = which & ~failed;
	bits = sbi_pmu_inventory_csr_bits(be->inv, start);
	return bits && start_counters(be, bits) ? which : failed;
}

static u64 csr_start(struct sbi_pmu_backend *be, u64 which)
{
	const u64 firmware = firmware_of(be, which);
	const u64 hardware = which & ~firmware;
	const u64 failed = sbi_pmu_backend_start_each(be, firmware);
	const u64 more = start_hardware(be, hardware);

	return failed | more;
}

static u64 csr_stop(struct sbi_pmu_backend *be, u64 which, u64 wanted)
{
	const u64 firmware = firmware_of(be, which);
	const u64 hardware = which & ~firmware;
	const u64 read = hardware & wanted;
	const u32 bits = sbi_pmu_inventory_csr_bits(be->inv, hardware);
	u64 failed = 0;
	unsigned int i;

	if (bits && stop_counters(be, bits))
		failed = hardware;
	for_each_counter(i, read)
		if (!sbi_pmu_backend_read(be, i, &be->stopped.value[i]))
			be->stopped.valid |= BIT_ULL(i);
	if (firmware)
		sbi_pmu_backend_stop_and_read(be, firmware, wanted);
	return failed;
}

/* ---- CPUs come and go ---- */

static void prepare_all(struct sbi_pmu_backend *be)
{
	const u64 hardware = sbi_pmu_inventory_hardware(be->inv);
	unsigned int i;

	for_each_counter(i, hardware) {
		clear_event(be, i);
		sbi_pmu_delegated_unhold(be, i);
		prepare(be, i);
		run_fixed(be, i);
	}
}

/*
 * Firmware first: it may hold events of a kernel before kexec. Then what that kernel may have left
 * in the CSRs.
 */
static void csr_online(struct sbi_pmu_backend *be)
{
	sbi_pmu_backend_sbi_online(be);
	be->held = 0;
	be->running = 0;
	be->paused = false;
	be->stopped_before = 0;
	be->delegated->stopped(&be->stopped_before);
	prepare_all(be);
}

/* OpenSBI clears all events when it sets up a hart again, and sets OF, which we leave clear. */
static bool has_lost_events(struct sbi_pmu_backend *be)
{
	unsigned int i;

	for_each_counter(i, be->inv->programmable) {
		const unsigned int n = number_of(be, i);
		u64 event;

		if (be->delegated->read(n, CSR_SIREG2, &event) ||
		    (be->event[n] ? (event ^ be->event[n]) & ~NOT_KEPT : event))
			return true;
	}
	return false;
}

/* The filters of M-mode are lost with the events. */
static void csr_resume(struct sbi_pmu_backend *be)
{
	if (has_lost_events(be))
		prepare_all(be);
}

/* Nothing may be left in use: the next driver may program the counters by SBI calls. */
static void csr_offline(struct sbi_pmu_backend *be)
{
	const u64 held = be->held;
	unsigned int i;

	for_each_counter(i, held) {
		sbi_pmu_delegated_unhold(be, i);
		run_fixed(be, i);
	}
	sbi_pmu_shmem_offline(be);
}

const struct sbi_pmu_backend_ops sbi_pmu_backend_csr = {
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
