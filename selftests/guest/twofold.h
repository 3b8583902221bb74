/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two functions, one with three times the work of the other.
 */
#ifndef TWOFOLD_H
#define TWOFOLD_H

#include "harness.h"

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

/* Never the same twice, so that samples cannot keep in step with it. */
static void two_load(void)
{
	const uint64_t turns = 10000 + rand() % 20000;

	light(turns);
	heavy(turns);
}

#endif
