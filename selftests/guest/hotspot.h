/* SPDX-License-Identifier: GPL-2.0-only */
/* Two functions: heavy() does three times the work of light(). */
#ifndef HOTSPOT_H
#define HOTSPOT_H

#include "ring.h"

/* A page of its own for each function, so that an address identifies the function. */
#define OWN_PAGE	__attribute__((noinline, noclone, noipa, aligned(4096)))

static OWN_PAGE void light(uint64_t iterations)
{
	work(iterations);
}

static OWN_PAGE void heavy(uint64_t iterations)
{
	work(iterations);
	work(iterations);
	work(iterations);
}

/* Wall clock time: only instructions are 1:3 on every emulator */
static uint64_t light_ns, heavy_ns;

/*
 * The length is random, so that samples do not run in phase with the functions, and long: an
 * emulated interrupt comes some tens of us after the overflow.
 */
static void hotspot_load(void)
{
	const uint64_t iterations = 200000 + rand() % 400000;
	const uint64_t start = now_ns();
	uint64_t between;

	light(iterations);
	between = now_ns();
	heavy(iterations);
	light_ns += between - start;
	heavy_ns += now_ns() - between;
}

/* Return: the percentage of the time that light() took. */
static double light_percent_of_time(void)
{
	return 100.0 * light_ns / (light_ns + heavy_ns ?: 1);
}

#endif
