// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ask firmware: which counters there are, how wide they are, and which of them can count an event.
 * A counter that is configured for that is released at once. What was found out about an event is
 * remembered.
 */
#include <linux/jhash.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "counters.h"
#include "vendor.h"

/* ---- which counters there are ---- */

static void set_width(struct sbi_pmu_counter_info *info, unsigned int width)
{
	info->width = width;
	info->mask = GENMASK_ULL(width - 1, 0);
}

/*
 * Understand the answer of COUNTER_GET_INFO, which may be any value (SBI 3.0, 11.6). Return: the
 * counter; kind NONE for time, which RustSBI lists, or what is no counter's CSR.
 */
static struct sbi_pmu_counter_info decode(unsigned long word, unsigned int max_width)
{
	const union sbi_pmu_ctr_info answer = { .value = word };
	struct sbi_pmu_counter_info info = { .kind = SBI_PMU_COUNTER_NONE };

	if (answer.type == SBI_PMU_CTR_TYPE_FW) {
		/* CSR and width have no meaning here; RustSBI says width 0. */
		info.kind = SBI_PMU_COUNTER_FIRMWARE;
		set_width(&info, 64);
		return info;
	}

	info.csr = answer.csr;
	set_width(&info, min_t(unsigned int, answer.width + 1, max_width));
	if (info.csr == CSR_CYCLE || info.csr == CSR_INSTRET)
		info.kind = SBI_PMU_COUNTER_FIXED;
	else if (info.csr >= CSR_HPMCOUNTER3 && info.csr <= CSR_HPMCOUNTER31)
		info.kind = SBI_PMU_COUNTER_PROGRAMMABLE;
	return info;
}

/* KVM describes a gap by zeros. The time CSR is no counter to count with. */
static bool is_unknown(const struct sbi_pmu_counter_info *info)
{
	return info->kind == SBI_PMU_COUNTER_NONE && info->csr && info->csr != CSR_TIME;
}

static bool csr_is_taken(const struct sbi_pmu_counters *counters, u16 csr)
{
	const u64 hardware = sbi_pmu_hardware(counters);
	unsigned int i;

	for_each_counter(i, hardware)
		if (counters->info[i].csr == csr)
			return true;
	return false;
}

/* Add a counter, unless there is one with this CSR already. */
static void add_counter(struct sbi_pmu_counters *counters, unsigned int idx,
			struct sbi_pmu_counter_info info)
{
	const bool hardware = info.kind == SBI_PMU_COUNTER_FIXED ||
			      info.kind == SBI_PMU_COUNTER_PROGRAMMABLE;

	if (hardware ? csr_is_taken(counters, info.csr) : is_unknown(&info)) {
		counters->without_csr++;
		return;
	}
	if (hardware && info.width < SBI_PMU_MIN_WIDTH) {
		counters->narrow++;
		return;
	}

	switch (info.kind) {
	case SBI_PMU_COUNTER_FIXED:
		counters->fixed |= BIT_ULL(idx);
		break;
	case SBI_PMU_COUNTER_PROGRAMMABLE:
		counters->programmable |= BIT_ULL(idx);
		break;
	case SBI_PMU_COUNTER_FIRMWARE:
		counters->firmware |= BIT_ULL(idx);
		break;
	default:
		return;
	}
	counters->info[idx] = info;
}

bool sbi_pmu_counters_equal(const struct sbi_pmu_counters *a, const struct sbi_pmu_counters *b)
{
	for (unsigned int i = 0; i < SBI_PMU_MAX_COUNTERS; i++)
		if (a->info[i].kind != b->info[i].kind || a->info[i].csr != b->info[i].csr ||
		    a->info[i].width != b->info[i].width)
			return false;
	return true;
}

/* Hardware counters @which in scountinhibit and the like; those of firmware have no bit. */
u32 sbi_pmu_csr_bits(const struct sbi_pmu_counters *counters, u64 which)
{
	const u64 hardware = which & ~counters->firmware;
	u32 bits = 0;
	unsigned int i;

	for_each_counter(i, hardware)
		bits |= SBI_PMU_CSR_BIT(counters->info[i].csr);
	return bits;
}

/**
 * sbi_pmu_wrap_ns() - how often narrow counters must be read
 * @counters: the counters
 * Return: half of the least time in which the narrowest can wrap (ns); 0: all have 64 bits.
 */
u64 sbi_pmu_wrap_ns(const struct sbi_pmu_counters *counters)
{
	const u64 hardware = sbi_pmu_hardware(counters);
	unsigned int i, width = 64;

	for_each_counter(i, hardware)
		if (counters->info[i].width < width)
			width = counters->info[i].width;
	return width < 64 ? BIT_ULL(width - 1) / SBI_PMU_EVENTS_PER_NS : 0;
}

/**
 * sbi_pmu_probe_counters() - ask firmware for the counters of this CPU
 * @cpu: this CPU
 * @limits: what to make of the answers
 * @counters: filled in
 * Return: 0, or an errno if firmware does not even return their number.
 */
int sbi_pmu_probe_counters(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_probe_limits *limits,
			   struct sbi_pmu_counters *counters)
{
	struct sbi_pmu_counter_info info;
	unsigned long n, word, found = 0;
	int ret;

	memset(counters, 0, sizeof(*counters));
	ret = sbi_pmu_sbi_num_counters(cpu, &n);
	if (ret)
		return ret;

	/* The number of counters is no bound of their indices. */
	for (unsigned int i = 0; i < SBI_PMU_MAX_COUNTERS && found < n; i++) {
		if (sbi_pmu_sbi_counter_info(cpu, i, &word))
			continue;
		found++;
		info = decode(word, limits->width[i]);
		if (limits->homogeneous && info.kind == SBI_PMU_COUNTER_FIXED)
			info.kind = SBI_PMU_COUNTER_PROGRAMMABLE;
		add_counter(counters, i, info);
	}
	/* OpenSBI includes gaps in the number, such as the time CSR. */
	if (n > SBI_PMU_MAX_COUNTERS)
		counters->beyond = n - SBI_PMU_MAX_COUNTERS;
	return 0;
}

/**
 * sbi_pmu_lower_widths() - apply lower limits to counters that have been probed
 * @counters: as sbi_pmu_probe_counters() would return them with these limits
 * @limits: the limits
 * @first: the first counter that they change, written if there is one
 * @said: its width before
 * Return: the number of those that they change.
 */
unsigned int sbi_pmu_lower_widths(struct sbi_pmu_counters *counters,
				  const struct sbi_pmu_probe_limits *limits, unsigned int *first,
				  unsigned int *said)
{
	const u64 programmable = counters->programmable;
	unsigned int i, n = 0;

	for_each_counter(i, programmable) {
		struct sbi_pmu_counter_info *info = &counters->info[i];

		if (info->width <= limits->width[i])
			continue;
		if (!n++) {
			*first = i;
			*said = info->width;
		}
		set_width(info, limits->width[i]);
		if (info->width >= SBI_PMU_MIN_WIDTH)
			continue;
		counters->programmable &= ~BIT_ULL(i);
		counters->narrow++;
		memset(info, 0, sizeof(*info));
	}
	return n;
}

/* ---- reference counter: does KVM really count a raw event? ---- */

/* A running counter has moved after this many reads. */
#define READS_TO_MOVE	4

/* Return: 0, -ENODATA if counter @idx does not count, -EBUSY if it cannot be read. */
static int check_moves(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 first, now;
	int ret = sbi_pmu_counter_read(cpu, idx, &first);

	for (unsigned int n = 0; !ret && n < READS_TO_MOVE; n++) {
		ret = sbi_pmu_counter_read(cpu, idx, &now);
		if (!ret && now != first)
			return 0;
	}
	return ret ? -EBUSY : -ENODATA;
}

/* Start cycles or instructions on a counter other than @probed. */
static bool start_reference(struct sbi_pmu_cpu *cpu, unsigned int probed, unsigned int *idx)
{
	u64 free = sbi_pmu_hardware(cpu->counters);
	struct sbi_pmu_code code = {};

	free &= ~cpu->assigned.configured;
	free &= ~BIT_ULL(probed);
	for (code.idx = SBI_PMU_HW_CPU_CYCLES; code.idx <= SBI_PMU_HW_INSTRUCTIONS; code.idx++) {
		if (!free || sbi_pmu_counter_config(cpu, free, &code, idx))
			continue;
		if (!sbi_pmu_sbi_start(cpu, BIT_ULL(*idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, 0) &&
		    !check_moves(cpu, *idx))
			return true;
		sbi_pmu_counter_unconfig(cpu, *idx);
	}
	return false;
}

/*
 * KVM accepts any raw event. If its host cannot count it, the start stops this counter and those
 * configured after it, such as the reference counter.
 * Return: 0, -ENODATA if the event cannot be counted, -EBUSY if that is not known.
 */
static int start_with_reference(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	unsigned int reference;
	int ret;

	if (!start_reference(cpu, idx, &reference))
		return -EBUSY;
	ret = sbi_pmu_sbi_backend_start_one(cpu, idx) ?: check_moves(cpu, reference);
	sbi_pmu_counter_unconfig(cpu, reference);
	return ret;
}

/* ---- which counters can count an event ---- */

/* Return: 0, -ENXIO if a counter took the event but cannot be read, or another errno. */
static int try_config(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code, u64 mask)
{
	unsigned int got;
	int ret = sbi_pmu_counter_config(cpu, mask, code, &got);
	u64 value;

	if (ret)
		return ret;
	/* RustSBI does not release a counter that was never started. */
	ret = cpu->in_vm && sbi_pmu_code_is_raw(code) ? start_with_reference(cpu, got) :
							sbi_pmu_counter_start_one(cpu, got);
	if (!ret && sbi_pmu_counter_read(cpu, got, &value))
		ret = -ENXIO;
	sbi_pmu_counter_unconfig(cpu, got);
	return ret;
}

static bool is_denial(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL || ret == -EPROTO || ret == -ENXIO ||
	       ret == -ENODATA;
}

/* Once the event @counts, -ENODATA means that the host has no second counter for it now. */
static void probe_each(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code, u64 which,
		       bool counts, struct sbi_pmu_event_counters *found)
{
	unsigned int i;

	for_each_counter(i, which) {
		const int ret = try_config(cpu, code, BIT_ULL(i));

		if (!ret)
			found->can |= BIT_ULL(i);
		else if (is_denial(ret) && !(counts && ret == -ENODATA))
			found->cannot |= BIT_ULL(i);
	}
}

/*
 * Which of @candidates can count an event? Its flags are not used. Counters that are configured are
 * not probed, and none of them holds it. What is learned is added to @found.
 */
static void probe_event(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code, u64 candidates,
			struct sbi_pmu_event_counters *found)
{
	const struct sbi_pmu_code bare = { .idx = code->idx, .data = code->data };
	const u64 unknown = candidates & ~(found->can | found->cannot) & ~cpu->assigned.configured;
	const bool counts = found->can;
	int ret;

	if (!unknown)
		return;
	ret = try_config(cpu, &bare, unknown);
	if (ret == -EPROTO)
		found->strayed = true;
	/* In shared mode firmware that ignores the offer is not asked again. */
	if ((ret == -EPROTO && cpu->exclusive) ||
	    ((!ret || ret == -ENXIO) && !sbi_pmu_code_is_firmware(&bare)))
		probe_each(cpu, &bare, unknown, counts || !ret, found);
	else if (!ret) /* firmware counters are homogeneous */
		found->can |= unknown;
	else if (is_denial(ret) && !(counts && ret == -ENODATA))
		found->cannot |= unknown;
}

/* Counters @which took @code. */
static void examples_add(struct sbi_pmu_examples *examples, u64 which,
			 const struct sbi_pmu_code *code)
{
	const u64 more = which & ~examples->known;
	unsigned int i;

	for_each_counter(i, more)
		examples->code[i] = (struct sbi_pmu_code){ .idx = code->idx, .data = code->data };
	examples->known |= more;
}

/* Counters of @which that no other driver uses: they still take an event that they took before. */
static u64 probe_examples(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_examples *examples,
			  u64 which)
{
	const u64 known = examples->known & which;
	u64 taken = 0;
	unsigned int i;

	for_each_counter(i, known)
		if (!try_config(cpu, &examples->code[i], BIT_ULL(i)))
			taken |= BIT_ULL(i);
	return taken;
}

/* ---- how many bits counters have ---- */

/*
 * A counter is started with upper bits set and lower bits 0, and read before it can overflow. If
 * the hart is delayed for 2^20 events, the values are wrong, and the width stays unknown.
 */
#define FAR_BITS	20
#define UPPER_HALF	GENMASK_ULL(63, 32)
#define LOWER_HALF	GENMASK_ULL(31, FAR_BITS)

static int start_and_read(struct sbi_pmu_cpu *cpu, unsigned int idx, u64 from, u64 *value)
{
	cpu->start_at.value[idx] = from;
	cpu->start_at.valid |= BIT_ULL(idx);
	return cpu->backend->start(cpu, BIT_ULL(idx)) ?
		       -EIO :
		       sbi_pmu_csr_read(cpu->counters->info[idx].csr, value);
}

/* What is left of the ones of @pattern in a counter, from the lowest on? 0: not ones. */
static unsigned int ones_left(u64 value, u64 pattern)
{
	const u64 ones = (value & pattern) / (pattern & -pattern);

	return ones & (ones + 1) ? 0 : hweight64(ones);
}

/* Return: its bits, 0 if it cannot be written. It runs on, as RustSBI releases no stopped one. */
static unsigned int measure_width(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	u64 upper, lower, zero;

	if (start_and_read(cpu, idx, UPPER_HALF, &upper))
		return 0;
	cpu->backend->stop(cpu, BIT_ULL(idx));
	if (start_and_read(cpu, idx, LOWER_HALF, &lower))
		return 0;
	cpu->backend->stop(cpu, BIT_ULL(idx));
	if (start_and_read(cpu, idx, 0, &zero))
		return 0;
	if (zero >> FAR_BITS || (upper & ~UPPER_HALF) >> FAR_BITS || !ones_left(lower, LOWER_HALF))
		return 0;
	if (upper & UPPER_HALF)
		return ones_left(upper, UPPER_HALF) ? 32 + ones_left(upper, UPPER_HALF) : 0;
	return FAR_BITS + ones_left(lower, LOWER_HALF);
}

/**
 * sbi_pmu_probe_widths() - measure programmable counters
 * @cpu: this CPU
 * @examples: events that counters took
 * @limits: wider counters' widths are reduced
 *
 * A counter is left out without an example, if the other driver uses it, or if it cannot be
 * written. cycle and instret have 64 bits (privileged specification, 3.1.10), and so have the
 * counters of a VM, which are in its host's memory.
 */
void sbi_pmu_probe_widths(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_examples *examples,
			  struct sbi_pmu_probe_limits *limits)
{
	u64 which = examples->known & cpu->counters->programmable;
	unsigned int i, got, width;

	which &= ~cpu->assigned.configured;
	if (cpu->in_vm)
		return;
	for_each_counter(i, which) {
		if (sbi_pmu_counter_config(cpu, BIT_ULL(i), &examples->code[i], &got))
			continue;
		width = measure_width(cpu, i);
		if (width && width < limits->width[i])
			limits->width[i] = width;
		sbi_pmu_counter_unconfig(cpu, i);
	}
}

/* Reads of the clock that give a counter time to count some thousand events */
#define CLOCK_READS	1000

static bool is_counting(struct sbi_pmu_cpu *cpu, u16 csr)
{
	u64 first, now;

	if (sbi_pmu_csr_read(csr, &first))
		return false;
	for (unsigned int n = 0; n < CLOCK_READS; n++)
		sched_clock();
	return !sbi_pmu_csr_read(csr, &now) && now > first;
}

/**
 * sbi_pmu_probe_counts_freely() - does a fixed counter run that firmware does not hand out?
 * @cpu: this CPU
 * @idx: the counter; started if need be: the built-in driver stops all of a CPU that comes online
 */
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_cpu *cpu, unsigned int idx)
{
	const u16 csr = cpu->counters->info[idx].csr;

	return is_counting(cpu, csr) ||
	       (!sbi_pmu_sbi_backend_start_one(cpu, idx) && is_counting(cpu, csr));
}

static bool is_refused(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code, u64 offered)
{
	const int ret = offered ? try_config(cpu, code, offered) : 0;

	return ret == -EOPNOTSUPP || ret == -EINVAL;
}

/**
 * sbi_pmu_probe_free_running() - find the fixed counters that only need to be read
 * @cpu: this CPU, online and idle
 *
 * With Sscofpmf and without Smcntrpmf, OpenSBI 1.9 and later do not hand out cycle and instret, as
 * they cannot filter. If firmware's device tree has no lines for the events, no other counter
 * counts them; the CSRs run all the time, though.
 *
 * In shared mode only programmable counters are offered, as OpenSBI hands out a fixed one whatever
 * is offered. The caller must know that the firmware does that.
 * Return: those whose event firmware hands out no counter for.
 */
u64 sbi_pmu_probe_free_running(struct sbi_pmu_cpu *cpu)
{
	const u64 offered = cpu->exclusive ? sbi_pmu_hardware(cpu->counters) :
					     cpu->counters->programmable;
	u64 free_running = 0;
	unsigned int i;

	for_each_counter(i, cpu->counters->fixed) {
		const struct sbi_pmu_code code = {
			.idx = sbi_pmu_fixed_event(&cpu->counters->info[i]),
		};

		if (is_refused(cpu, &code, offered) && sbi_pmu_probe_counts_freely(cpu, i))
			free_running |= BIT_ULL(i);
	}
	return free_running;
}

/**
 * sbi_pmu_probe_accumulates() - does each read of a counter return the total added to the last one?
 * @cpu: this CPU, online and idle
 */
bool sbi_pmu_probe_accumulates(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_code code = { .idx = SBI_PMU_HW_CPU_CYCLES };
	u64 first = 0, second = 0;
	unsigned int idx;
	bool does = false;
	u16 csr;

	if (sbi_pmu_counter_config(cpu, sbi_pmu_hardware(cpu->counters), &code, &idx))
		return false;
	csr = cpu->counters->info[idx].csr;
	if (!sbi_pmu_sbi_start(cpu, BIT_ULL(idx), SBI_PMU_START_FLAG_SET_INIT_VALUE, 0)) {
		for (unsigned int n = 0; n < CLOCK_READS; n++)
			sched_clock();
		does = !sbi_pmu_csr_read(csr, &first) && !sbi_pmu_csr_read(csr, &second) && first &&
		       second - first >= first;
	}
	sbi_pmu_counter_unconfig(cpu, idx);
	return does;
}

/* ---- what was found out about events ---- */

/* Any user can open any event, so the number of entries is limited. */
#define MAX_ENTRIES	1024

struct entry {
	struct hlist_node node;
	struct list_head recent;
	struct sbi_pmu_code code; /* without its filters */
	struct sbi_pmu_event_counters found;
	unsigned long probed; /* jiffies at the last probe */
};

static u32 hash_of(const struct sbi_pmu_code *code)
{
	return jhash_3words(code->idx, code->data, code->data >> 32, code->unit);
}

static struct entry *find_entry(struct sbi_pmu_probe_cache *cache, const struct sbi_pmu_code *code)
{
	struct entry *e;

	hash_for_each_possible(cache->entries, e, node, hash_of(code)) {
		if (e->code.idx != code->idx || e->code.data != code->data ||
		    e->code.unit != code->unit)
			continue;
		list_move(&e->recent, &cache->recent);
		return e;
	}
	return NULL;
}

static void remove_entry(struct sbi_pmu_probe_cache *cache, struct entry *e)
{
	hash_del(&e->node);
	list_del_init(&e->recent);
	cache->count--;
	kfree(e);
}

static struct entry *add_entry(struct sbi_pmu_probe_cache *cache, const struct sbi_pmu_code *code)
{
	struct entry *e = kzalloc(sizeof(*e), GFP_KERNEL);

	if (!e)
		return NULL;
	if (cache->count == MAX_ENTRIES)
		remove_entry(cache, list_last_entry(&cache->recent, struct entry, recent));
	e->code = *code;
	e->code.flags = 0;
	hash_add(cache->entries, &e->node, hash_of(code));
	list_add(&e->recent, &cache->recent);
	cache->count++;
	return e;
}

void sbi_pmu_probe_cache_init(struct sbi_pmu_probe_cache *cache)
{
	mutex_init(&cache->lock);
	hash_init(cache->entries);
	INIT_LIST_HEAD(&cache->recent);
}

/* Forget all events, as counters have changed or the driver goes. */
void sbi_pmu_probe_cache_free(struct sbi_pmu_probe_cache *cache)
{
	struct entry *e, *tmp;

	list_for_each_entry_safe(e, tmp, &cache->recent, recent)
		remove_entry(cache, e);
}

/**
 * sbi_pmu_probe_cache_each() - show the events that counters have taken
 * @cache: what is known
 * @show: called for each event with its counters, the oldest first; may sleep
 * @arg: for @show
 */
void sbi_pmu_probe_cache_each(struct sbi_pmu_probe_cache *cache,
			      void (*show)(void *arg, const struct sbi_pmu_code *code,
					   u64 counters),
			      void *arg)
{
	const struct entry *e;

	mutex_lock(&cache->lock);
	list_for_each_entry_reverse(e, &cache->recent, recent)
		if (e->found.can)
			show(arg, &e->code, e->found.can);
	mutex_unlock(&cache->lock);
}

/* ---- probe on a CPU whose counters may be in use ---- */

struct probe {
	struct sbi_pmu *pmu;
	const struct sbi_pmu_code *code;
	u64 candidates;
	struct sbi_pmu_event_counters *found;
};

static u64 unknown_among(u64 candidates, const struct sbi_pmu_event_counters *found)
{
	return candidates & ~found->can & ~found->cannot;
}

/*
 * Configured counters that a probe needs. Also those that hold the event: firmware may have it only
 * once, or return its counter whatever is offered (cycles and instret of OpenSBI before 1.9, and of
 * KVM). In a VM all: the probe needs a reference counter, and an event that the host cannot count
 * stops those configured after it.
 */
static u64 to_borrow(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code, u64 unknown)
{
	const struct sbi_pmu_assignment *a = &cpu->assigned;
	u64 which = unknown & a->configured;
	unsigned int i;

	if (cpu->in_vm)
		return a->configured;
	for_each_counter(i, a->configured)
		if (a->counter[i].code.idx == code->idx && a->counter[i].code.data == code->data)
			which |= BIT_ULL(i);
	return which;
}

/* Firmware may return these whatever is offered, and change what the other driver uses. */
static bool has_fixed_counter(const struct sbi_pmu_code *code)
{
	return code->idx == SBI_PMU_HW_CPU_CYCLES || code->idx == SBI_PMU_HW_INSTRUCTIONS;
}

/*
 * In shared mode the other driver may use a counter: it then refuses an event that it took before,
 * too. A refusal counts if the counter was ours, or takes that event; or if firmware returned a
 * counter that was not offered: to ask more may change a counter of the other driver.
 */
static void doubt_refusals(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_examples *examples,
			   u64 refused, struct sbi_pmu_event_counters *found)
{
	if (found->strayed)
		return;
	refused &= found->cannot;
	refused &= ~probe_examples(cpu, examples, refused);
	found->cannot &= ~refused;
	found->busy_elsewhere = refused & examples->known;
}

/* Counters in use miss what happens during the probe. Context: interrupts disabled. */
static void probe_here(void *arg)
{
	struct probe *p = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(p->pmu->cpu);
	const u64 unknown = unknown_among(p->candidates, p->found);
	const u64 borrowed = to_borrow(cpu, p->code, unknown);
	struct sbi_pmu_examples *examples = &p->pmu->cache.examples;

	if (!cpu->online || !unknown)
		return;
	sbi_pmu_counters_disable(cpu);
	sbi_pmu_counters_borrow(cpu, borrowed);
	probe_event(cpu, p->code, p->candidates, p->found);
	if (cpu->exclusive || !has_fixed_counter(p->code))
		examples_add(examples, p->found->can, p->code);
	p->found->busy_elsewhere = 0;
	if (!cpu->exclusive)
		doubt_refusals(cpu, examples, unknown & ~borrowed, p->found);
	sbi_pmu_counters_give_back(cpu, borrowed);
	sbi_pmu_counters_enable(cpu);
}

/*
 * On the opener's CPU, so that no user makes other CPUs work; all have the same counters, or one of
 * those that have is asked. Without the hotplug lock: perf core may hold a context's mutex, which
 * hotplug takes inside of it. A CPU that goes offline meanwhile adds nothing.
 */
static void probe(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 candidates,
		  struct sbi_pmu_event_counters *found)
{
	struct probe p = { pmu, code, candidates, found };
	unsigned int cpu = get_cpu();

	if (!cpumask_test_cpu(cpu, &pmu->cpus))
		cpu = cpumask_any(&pmu->cpus);
	smp_call_function_single(cpu, probe_here, &p, true);
	put_cpu();
}

/* ---- which counters can count an event? ---- */

/*
 * In shared mode not the fixed counters: firmware returns them to every caller, even while the
 * other driver uses them. Unless it hands them out to none: they are only read.
 */
static u64 candidates_of(const struct sbi_pmu *pmu, const struct sbi_pmu_code *code)
{
	const struct sbi_pmu_counters *counters = &pmu->counters;
	const struct sbi_pmu_vendor *vendor = pmu->caps.vendor;
	u64 which = sbi_pmu_hardware(counters);

	if (sbi_pmu_code_is_firmware(code))
		return counters->firmware;
	if (vendor && vendor->candidates && code->unit)
		which = vendor->candidates(counters, code->unit);
	return pmu->exclusive ? which : which & (counters->programmable | counters->free_running);
}

/* If a counter can count the event, others are tried again after a second, not at each open. */
static bool is_due(const struct entry *e, u64 candidates)
{
	return unknown_among(candidates, &e->found) &&
	       (!e->found.can || time_after(jiffies, e->probed + HZ));
}

static int find_locked(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 *candidates)
{
	struct sbi_pmu_probe_cache *cache = &pmu->cache;
	struct entry unsaved = {}, *e = find_entry(cache, code) ?: add_entry(cache, code);
	const u64 all = candidates_of(pmu, code);
	u64 unknown;

	if (!e)
		e = &unsaved;
	/* That no counter of a VM took an event may change: others may have used the host's. */
	if (sbi_pmu_in_kvm(pmu) && !e->found.can)
		e->found.cannot = 0;
	if (is_due(e, all)) {
		probe(pmu, code, all, &e->found);
		e->probed = jiffies;
	}
	unknown = unknown_among(all, &e->found);
	if (e->found.can) {
		/* An error of firmware, or of the host of a VM, is no refusal. */
		*candidates = e->found.can | (pmu->exclusive ? unknown : 0);
		return 0;
	}
	*candidates = pmu->exclusive ? unknown : e->found.busy_elsewhere;
	return *candidates ? -EBUSY : -EOPNOTSUPP;
}

/**
 * sbi_pmu_find_counters() - find the counters that can count an event
 * @pmu: the driver
 * @code: the event; its filter flags are not used
 * @candidates: counters that took it, in exclusive mode also those where firmware returned an
 *		error; with -EBUSY, those of which it is not known
 * Context: may sleep.
 * Return: 0, -EOPNOTSUPP if no counter can, -EBUSY if none did, but the other driver uses some
 * (shared mode), or firmware or the host of this VM could not tell.
 */
int sbi_pmu_find_counters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 *candidates)
{
	int ret;

	mutex_lock(&pmu->cache.lock);
	ret = find_locked(pmu, code, candidates);
	mutex_unlock(&pmu->cache.lock);
	return ret;
}

/* Counters that can interrupt */
u64 sbi_pmu_interrupting(const struct sbi_pmu *pmu)
{
	if (!pmu->caps.fixed_alike)
		return pmu->counters.programmable;
	return sbi_pmu_hardware(&pmu->counters) & ~pmu->counters.free_running;
}

static int find_filtered(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, int refusal,
			 u64 *candidates)
{
	const int ret = sbi_pmu_find_counters(pmu, code, candidates);
	u64 filtering = 0;

	if (ret == -EOPNOTSUPP)
		return -ENOENT;
	if (ret || !code->flags)
		return ret;
	if (pmu->caps.filter)
		filtering |= pmu->counters.programmable;
	if (pmu->caps.fixed_filters)
		filtering |= pmu->counters.fixed;
	*candidates &= filtering;
	return *candidates ? 0 : refusal;
}

/**
 * sbi_pmu_find_filtered() - find the counters for perf_event_open(), with filters
 * @pmu: the driver
 * @code: the event; replaced by one of the vendor's if no counter can count it so
 * @refusal: errno if the event has a filter and no counter that can filter
 * @candidates: the answer; most fixed counters count in all privilege modes
 * Context: may sleep.
 * Return: 0, -ENOENT (to perf: the event is not supported), or another errno.
 */
int sbi_pmu_find_filtered(struct sbi_pmu *pmu, struct sbi_pmu_code *code, int refusal,
			  u64 *candidates)
{
	const struct sbi_pmu_vendor *vendor = pmu->caps.vendor;
	const int ret = find_filtered(pmu, code, refusal, candidates);
	struct sbi_pmu_code other = *code;

	if (!ret || ret == -EBUSY || !vendor || !vendor->substitute ||
	    !vendor->substitute(pmu->caps.vendor_data, &other) ||
	    find_filtered(pmu, &other, refusal, candidates))
		return ret;
	*code = other;
	return 0;
}

/* Probe every event that has a general name; all counters are idle before the PMU is registered. */
void sbi_pmu_probe_standard(struct sbi_pmu *pmu)
{
	struct sbi_pmu_code code = {};
	u64 candidates;

	/* That an event is not supported is remembered as well. */
	for (unsigned int n = 0; (code.idx = sbi_pmu_event_standard(n)); n++)
		sbi_pmu_find_counters(pmu, &code, &candidates);
	for (unsigned int n = 0; n < SBI_PMU_FW_MAX; n++) {
		code.idx = FIELD_PREP(SBI_PMU_EVENT_IDX_TYPE_MASK, SBI_PMU_EVENT_TYPE_FW) | n;
		sbi_pmu_find_counters(pmu, &code, &candidates);
	}
}
