/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * model.h - what a XiangShan counter must show, as pure arithmetic. QEMU counts
 * with it, the host test proves it, and guest tests expect by it.
 *
 * The selectors, their widths and the adder are as in the RTL. What happens in a
 * cycle is made up, so that each event has a rate of its own and a test can tell
 * any event from any other of its unit, and from the same index of another unit:
 *
 *   Time is in cycles of 1 ns. An event (unit, index) adds, in 64 cycles,
 *
 *     R = (65 + 2 * (s % 32)) * 2^(s / 32) / 2, s = index + 0, 8, 48, 24
 *
 *   (frontend, backend, memory, cache): 32, 33, ... 63, 65, 67, ... 127, 130, ...
 *   Neighbours are at least 1.5 % apart, none is 64. In cycle t it adds R / 64, and
 *   one more if (t * (2 * index + 1) + 16 * unit) % 64 < R % 64.
 *
 * Four kinds are not made up. Index 0, and any that is past the end of the table,
 * is nothing. Retired instructions are 1 in every cycle, as in QEMU's minstret.
 * The page walker is busy in the first 28 of 64 cycles, idle in the others. The
 * reorder buffer is in its first quarter for 10 of 64 cycles, in its second for
 * 14, then 18, then 22; these OR'ed together are 1 in every cycle.
 */
#ifndef XIANGSHAN_HPM_MODEL_H
#define XIANGSHAN_HPM_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define XS_PERIOD	64
/* Increments are 6 bits wide, and so is their sum. */
#define XS_INCREMENT	63
#define XS_FIRST	3
#define XS_COUNTERS	32
#define XS_TABLES	4

/* As the driver's "unit=". */
enum { XS_ANY, XS_FRONTEND, XS_BACKEND, XS_MEMORY, XS_CACHE, XS_UNITS };

/* OPTYPE's bits; the lowest that is set decides. None is OR. */
enum { XS_OR = 0, XS_AND = 1, XS_XOR = 2, XS_ADD = 4 };

#define XS_EVENT(e, n)		((uint64_t)(e) << 10 * (n))
#define XS_OP(op, n)		((uint64_t)(op) << (40 + 5 * (n)))
#define XS_TAG(unit)		((uint64_t)((unit) - 1) << 8)
/* What selects: neither filters nor OF, nor 57:55, which are nothing. */
#define XS_SELECTORS		((1ULL << 55) - 1)
#define XS_NOTHING		(7ULL << 55)

/*
 * For tests, CSRs that users may read: mhpmeventN is also CSR XS_MIRROR + N, and
 * XS_MIRROR itself is the number of the table, counted from 1.
 */
#define XS_MIRROR		0xcc0

/*
 * Which program runs is up to the program: in CSR XS_WORKLOAD, which users may write, each
 * unit has two bits, the frontend's first, for a number P: its counters count 2^P times as
 * fast. It is 0 at first, a hart's own, and not switched with the task.
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
 * @events: by unit: events there are, "no event" at 0 included. The cache's last
 *          one is missing as in the RTL, where its wire is cut off.
 * @retired: backend: instructions
 * @quarter: backend: first of four, where the reorder buffer's end is
 * @walker: memory: page walker busy, then idle
 */
struct xs_table {
	const char *name;
	uint16_t events[XS_UNITS];
	uint16_t retired;
	uint16_t quarter;
	uint16_t walker;
};

static const struct xs_table xs_tables[XS_TABLES] = {
	{ "user-guide", { 0, 55, 143, 126, 48 }, 81, 90, 118 },
	{ "v2r2-2025", { 0, 56, 92, 127, 48 }, 51, 58, 119 },
	{ "v2r2-2026", { 0, 58, 95, 145, 68 }, 53, 60, 137 },
	{ "v3", { 0, 27, 70, 142, 68 }, 51, 58, 134 },
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

/* A selector sees as many bits as it needs for its table; past its end is nothing. */
static inline unsigned int xs_index(const struct xs_table *table, unsigned int unit,
				    unsigned int field)
{
	unsigned int width = 1;

	while (width < table->events[unit])
		width *= 2;
	field &= width - 1;
	return field < table->events[unit] ? field : 0;
}

static inline unsigned int xs_rate(unsigned int unit, unsigned int index)
{
	static const unsigned int apart[XS_UNITS] = { 0, 0, 8, 48, 24 };
	unsigned int s = index + apart[unit];

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
	unsigned int rate = xs_rate(unit, index);

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

/* And in XS_PERIOD cycles. */
static inline unsigned int xs_sum(const struct xs_table *table, unsigned int unit, uint64_t event)
{
	unsigned int sum = 0;

	for (unsigned int phase = 0; phase < XS_PERIOD; phase++)
		sum += xs_increment(table, unit, event, phase);
	return sum;
}

/* What mhpmevent holds after a write: an operator that is none stays the old one. */
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
 * struct xs_pace - a counter's event, ready to count with
 * @before: what it adds in the first n cycles of a period
 */
struct xs_pace {
	uint16_t before[XS_PERIOD + 1];
};

static inline struct xs_pace xs_pace_of(const struct xs_table *table, unsigned int unit,
					uint64_t event, unsigned int pressure)
{
	struct xs_pace pace = {};

	for (unsigned int t = 0; t < XS_PERIOD; t++)
		pace.before[t + 1] = pace.before[t] +
				     (xs_increment(table, unit, event, t) << pressure);
	return pace;
}

/* What was added before cycle @t. */
static inline uint64_t xs_before(const struct xs_pace *pace, uint64_t t)
{
	return t / XS_PERIOD * pace->before[XS_PERIOD] + pace->before[t % XS_PERIOD];
}

/* The first time at which @count (below 2^48) was added since @t; the pace is not zero. */
static inline uint64_t xs_reached(const struct xs_pace *pace, uint64_t t, uint64_t count)
{
	const unsigned int whole = pace->before[XS_PERIOD];
	/* The last of them is added in the period that begins with so many. */
	const uint64_t last = xs_before(pace, t) + count - 1;
	unsigned int phase = 1;

	while (pace->before[phase] <= last % whole)
		phase++;
	return last / whole * XS_PERIOD + phase;
}

#endif
