/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - what a XiangShan counter counts, as pure arithmetic. QEMU counts by it,
 * guest tests compute the expected counts with it, and a host test checks it.
 *
 * The selectors, their widths and the adder are as in the RTL. How often an event
 * happens is invented: each event has a rate that differs from all other events of
 * its unit and from the same index of the other units.
 *
 *   A cycle is 1 ns. In 64 cycles an event (unit, index) adds
 *
 *     R = (65 + 2 * (s % 32)) * 2^(s / 32) / 2, s = index + 0, 8, 48, 24
 *
 *   (frontend, backend, memory, cache): 32, 33, ... 63, 65, 67, ... 127, 130, ...
 *   Adjacent rates differ by 1.5 % at least, none is 64. In cycle t the event adds
 *   R / 64, and one more if (t * (2 * index + 1) + 16 * unit) % 64 < R % 64.
 *
 * Five kinds have other rates. Index 0, and each index past the end of the table,
 * adds nothing. Retired instructions add 1 in every cycle, as in QEMU's minstret.
 * The page walker is busy in the first 28 of 64 cycles, idle in the others. The
 * reorder buffer is in its first quarter for 10 of 64 cycles, in its second for
 * 14, then 18, then 22; these events with OR add 1 in every cycle. The events of the top-down
 * analysis are few enough that no share is above 100 %, also while one unit counts four times
 * as fast.
 *
 * SpacemiT's K3 has no units: counters 3 to 16 count any event but two, which counters
 * 17 and 18 count. An event adds its rate in 4096 cycles, evenly. The rates fit together
 * as those of a program do: of X100's slots 25 % retire, 6 % are wasted, 25 % wait for
 * the frontend, 44 % for the backend; of A100's 33, 4, 21 and 42 %.
 */
#ifndef XIANGSHAN_HPM_MODEL_H
#define XIANGSHAN_HPM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_PERIOD	64
/* Increments are 6 bits wide, and so is their sum. */
#define XS_INCREMENT	63
#define XS_FIRST	3
#define XS_COUNTERS	32
#define XS_TABLES	6

/* As the driver's "unit=". */
enum { XS_ANY, XS_FRONTEND, XS_BACKEND, XS_MEMORY, XS_CACHE, XS_UNITS };

/* Bits of OPTYPE: the lowest bit that is set selects the operator, no bit means OR. */
enum { XS_OR = 0, XS_AND = 1, XS_XOR = 2, XS_ADD = 4 };

#define XS_EVENT(e, n)		((uint64_t)(e) << 10 * (n))
#define XS_OP(op, n)		((uint64_t)(op) << (40 + 5 * (n)))
#define XS_TAG(unit)		((uint64_t)((unit) - 1) << 8)
/* Events and operators, without the filters, OF and the unused bits 57:55. */
#define XS_SELECTORS		((1ULL << 55) - 1)
#define XS_NOTHING		(7ULL << 55)

/*
 * For tests: CSRs that user mode may read. CSR XS_MIRROR + N has the value of
 * mhpmeventN, and XS_MIRROR itself the number of the table, from 1.
 */
#define XS_MIRROR		0xcc0

/*
 * For demonstrations: CSR XS_WORKLOAD, which user mode may write, has two bits for each unit,
 * beginning with the frontend, with a number P: its counters count 2^P times as fast. Each hart
 * has one; it is 0 at reset and is not switched with the task.
 */
#define XS_WORKLOAD		0x8c0
#define XS_PRESSURE(unit, p)	((uint64_t)(p) << (2 * ((unit) - 1)))

static inline unsigned int xs_pressure(uint64_t workload, unsigned int unit)
{
	return workload >> (2 * (unit - 1)) & 3;
}

/**
 * struct xs_table - one revision of the RTL
 * @name: of the CPU property, and of the driver's parameter
 * @events: by unit: the number of events, with "no event" at 0. The cache's last
 *          event is missing, as the RTL does not connect it.
 * @retired: backend: retired instructions
 * @quarter: backend: the first of the four events of the reorder buffer
 * @walker: memory: page walker busy; the next index is idle
 * @issued: backend: micro-ops; the next index is cycles of recovery; 0: no top-down events
 * @flushes: backend: the first of seven events, of flushes and stalls
 * @loads: memory: cycles that wait for loads
 * @rates: by selector, what an event adds in XS_EVEN cycles; NULL: there are units
 * @marchid: of a core of SpacemiT's
 */
struct xs_table {
	const char *name;
	uint16_t events[XS_UNITS];
	uint16_t retired;
	uint16_t quarter;
	uint16_t walker;
	uint16_t issued;
	uint16_t flushes;
	uint16_t loads;
	const uint16_t *rates;
	uint64_t marchid;
};

/* Frontend: cycles in which it delivers nothing */
#define XS_LATENCY	22
#define XS_EVEN		4096
#define XS_SELECTOR_END	0x40
/* K3's cycles and instructions, and their counters */
#define XS_OWN		0x1e
#define XS_OWN_COUNTER	17

static const uint16_t xs_x100[XS_SELECTOR_END] = {
	[0x1] = 640,   [0x2] = 16,    [0x3] = 1792,  [0x4] = 1024,  [0x5] = 32,   [0x6] = 1056,
	[0x7] = 40,    [0x8] = 96,    [0x9] = 12,    [0xa] = 480,   [0xb] = 14,   [0xc] = 1600,
	[0x10] = 120,  [0x11] = 2,    [0x16] = 1058, [0x19] = 1,    [0x1a] = 482, [0x1b] = 5,
	[0x1e] = 4096, [0x1f] = 4096, [0x20] = 256,  [0x21] = 1152, [0x22] = 2688, [0x24] = 72,
	[0x25] = 4,    [0x26] = 8,    [0x29] = 460,  [0x2d] = 5120, [0x33] = 700, [0x34] = 1800,
	[0x35] = 1536, [0x36] = 264,  [0x37] = 24,   [0x38] = 6,    [0x3f] = 520,
};

static const uint16_t xs_a100[XS_SELECTOR_END] = {
	[0x1] = 600,   [0x2] = 16,    [0x3] = 1024,  [0x4] = 2048,  [0x5] = 32,   [0x6] = 1040,
	[0x9] = 12,    [0xa] = 480,   [0xb] = 14,    [0xc] = 1500,  [0x15] = 90,  [0x1e] = 4096,
	[0x1f] = 4096, [0x20] = 256,  [0x21] = 1152, [0x22] = 2688, [0x29] = 24,  [0x2b] = 1200,
	[0x2d] = 1000, [0x34] = 6,    [0x3a] = 70,   [0x3b] = 500,
};

static const struct xs_table xs_tables[XS_TABLES] = {
	{ "user-guide", { 0, 55, 143, 126, 48 }, 81, 90, 118, 0, 0, 0, NULL, 0 },
	{ "v2r2-2025", { 0, 56, 92, 127, 48 }, 51, 58, 119, 5, 62, 38, NULL, 0 },
	{ "v2r2-2026", { 0, 58, 95, 145, 68 }, 53, 60, 137, 7, 65, 44, NULL, 0 },
	{ "v3", { 0, 27, 70, 142, 68 }, 51, 58, 134, 7, 63, 41, NULL, 0 },
	{ "x100", .rates = xs_x100, .marchid = 0x8000000058000002 },
	{ "a100", .rates = xs_a100, .marchid = 0x8000000041000002 },
};

static inline unsigned int xs_unit_of(unsigned int counter)
{
	return counter < 11 ? XS_FRONTEND : counter < 19 ? XS_BACKEND :
	       counter < 27 ? XS_MEMORY : XS_CACHE;
}

static inline uint32_t xs_counters_of(unsigned int unit)
{
	static const uint32_t counters[XS_UNITS] = {
		0xfffffff8, 0x000007f8, 0x0007f800, 0x07f80000, 0xf8000000
	};

	return counters[unit];
}

/* A selector has as many bits as its table needs; past the end of the table is no event. */
static inline unsigned int xs_index(const struct xs_table *table, unsigned int unit,
				    unsigned int field)
{
	unsigned int width = 1;

	while (width < table->events[unit])
		width *= 2;
	field &= width - 1;
	return field < table->events[unit] ? field : 0;
}

static inline unsigned int xs_rate(const struct xs_table *table, unsigned int unit,
				   unsigned int index)
{
	static const unsigned int apart[XS_UNITS] = { 0, 0, 8, 48, 24 };
	/* Mispredictions, flushes; stalls, of stores, of misses of the L1, L2 and L3 */
	static const unsigned int few[] = { 8, 4, 15, 5, 3, 2, 1 };
	unsigned int s = index + apart[unit];

	if (table->issued && unit == XS_FRONTEND && index == XS_LATENCY)
		return 5;
	if (table->issued && unit == XS_BACKEND && index - table->issued < 2)
		return index == table->issued ? 70 : 7;
	if (table->issued && unit == XS_BACKEND && index - table->flushes < 7)
		return few[index - table->flushes];
	if (table->issued && unit == XS_MEMORY && index == table->loads)
		return 12;
	return ((65 + 2 * (s % 32)) << s / 32) / 2;
}

static inline bool xs_in_quarter(unsigned int quarter, unsigned int phase)
{
	static const unsigned int ends[] = { 0, 10, 24, 42, 64 };

	return phase >= ends[quarter] && phase < ends[quarter + 1];
}

/* What the event at @index adds in a cycle. */
static inline unsigned int xs_value(const struct xs_table *table, unsigned int unit,
				    unsigned int index, unsigned int phase)
{
	unsigned int rate = xs_rate(table, unit, index);

	if (!index)
		return 0;
	if (unit == XS_BACKEND && index == table->retired)
		return 1;
	if (unit == XS_BACKEND && index - table->quarter < 4)
		return xs_in_quarter(index - table->quarter, phase);
	if (unit == XS_MEMORY && index - table->walker < 2)
		return (phase < 28) == (index == table->walker);
	return rate / 64 + ((phase * (2 * index + 1) + 16 * unit) % 64 < rate % 64);
}

static inline unsigned int xs_combine(unsigned int op, unsigned int a, unsigned int b)
{
	if (op & XS_AND)
		return a & b;
	if (op & XS_XOR)
		return a ^ b;
	if (op & XS_ADD)
		return (a + b) & XS_INCREMENT;
	return a | b;
}

static inline unsigned int xs_op(uint64_t event, unsigned int n)
{
	return event >> (40 + 5 * n) & 0x1f;
}

/* What a counter of @unit that is set to @event adds in a cycle. */
static inline unsigned int xs_increment(const struct xs_table *table, unsigned int unit,
					uint64_t event, unsigned int phase)
{
	unsigned int e[4];

	for (unsigned int n = 0; n < 4; n++)
		e[n] = xs_value(table, unit, xs_index(table, unit, event >> 10 * n & 0x3ff), phase);
	return xs_combine(xs_op(event, 2), xs_combine(xs_op(event, 0), e[0], e[1]),
			  xs_combine(xs_op(event, 1), e[2], e[3]));
}

/* What it adds in XS_PERIOD cycles. */
static inline unsigned int xs_sum(const struct xs_table *table, unsigned int unit, uint64_t event)
{
	unsigned int sum = 0;

	for (unsigned int phase = 0; phase < XS_PERIOD; phase++)
		sum += xs_increment(table, unit, event, phase);
	return sum;
}

/* The value of mhpmevent after a write: an invalid operator leaves the old one. */
static inline uint64_t xs_written(uint64_t old, uint64_t new)
{
	for (unsigned int n = 0; n < 3; n++) {
		const unsigned int op = xs_op(new, n);

		if (op != XS_OR && op != XS_AND && op != XS_XOR && op != XS_ADD)
			new = (new & ~XS_OP(0x1f, n)) | (old & XS_OP(0x1f, n));
	}
	return new & ~XS_NOTHING;
}

/**
 * struct xs_pace - the increments of a counter's event
 * @before: their sum in the first n cycles of a period
 * @rate: their sum in XS_EVEN cycles, if they are even; else 0
 */
struct xs_pace {
	uint16_t before[XS_PERIOD + 1];
	uint16_t rate;
};

/* K3's */
static inline struct xs_pace xs_even_pace(const struct xs_table *table, unsigned int counter,
					  uint64_t event)
{
	const unsigned int selector = event & 0xff;
	const unsigned int own = selector - XS_OWN, own_counter = counter - XS_OWN_COUNTER;

	if (selector >= XS_SELECTOR_END || ((own < 2 || own_counter < 2) && own != own_counter))
		return (struct xs_pace){};
	return (struct xs_pace){ .rate = table->rates[selector] };
}

static inline struct xs_pace xs_pace_of(const struct xs_table *table, unsigned int unit,
					uint64_t event, unsigned int pressure)
{
	struct xs_pace pace = {};

	for (unsigned int t = 0; t < XS_PERIOD; t++)
		pace.before[t + 1] = pace.before[t] +
				     (xs_increment(table, unit, event, t) << pressure);
	return pace;
}

/* The sum of the increments before cycle @t. */
static inline uint64_t xs_before(const struct xs_pace *pace, uint64_t t)
{
	if (pace->rate)
		return t * pace->rate / XS_EVEN;
	return t / XS_PERIOD * pace->before[XS_PERIOD] + pace->before[t % XS_PERIOD];
}

/* Does it add anything? */
static inline bool xs_is_busy(const struct xs_pace *pace)
{
	return pace->rate || pace->before[XS_PERIOD];
}

/* The first time at which @count (below 2^48) has been added since @t. The pace is not zero. */
static inline uint64_t xs_reached(const struct xs_pace *pace, uint64_t t, uint64_t count)
{
	const unsigned int whole = pace->before[XS_PERIOD];
	/* All but the last one; last / whole is the period in which that is added. */
	const uint64_t last = xs_before(pace, t) + count - 1;
	unsigned int phase = 1;

	if (pace->rate)
		return ((last + 1) * XS_EVEN + pace->rate - 1) / pace->rate;
	while (pace->before[phase] <= last % whole)
		phase++;
	return last / whole * XS_PERIOD + phase;
}

#endif
