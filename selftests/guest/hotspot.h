/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two functions, one with three times the work of the other.
 */
#ifndef TWOFOLD_H
#define TWOFOLD_H

#include "ring.h"

/* Each in a page of its own, so that an address says which. */
#define APART	__attribute__((noinline, noclone, noipa, aligned(4096)))

static APART void light(uint64_t turns)
{
	work(turns);
}

static APART void heavy(uint64_t turns)
{
	work(turns);
	work(turns);
	work(turns);
}

/*
 * What each took by the clock. An emulator's code for the one may run faster than
 * for the other, all the time: only instructions are 1:3 whatever happens.
 */
static uint64_t light_ns, heavy_ns;

/*
 * Never the same twice, so that samples cannot keep in step with it; and long, on any host:
 * an emulator's interrupt comes some tens of us after the overflow, which must not be the
 * whole of a function.
 */
static void two_load(void)
{
	const uint64_t turns = 200000 + rand() % 400000;
	const uint64_t start = now_ns();
	uint64_t between;

	light(turns);
	between = now_ns();
	heavy(turns);
	light_ns += between - start;
	heavy_ns += now_ns() - between;
}

/* The first one's part of the time, in points of 100. */
static double light_by_clock(void)
{
	return 100.0 * light_ns / (light_ns + heavy_ns ?: 1);
}

#endif
