// SPDX-License-Identifier: GPL-2.0-only
/*
 * walks - print the addresses of the functions that are executed by an overflow of one sampling event,
 * a context switch of one counting event (out and in), and opens of events that do not count: what
 * perf core calls, too. For "make walks", which builds all with -finstrument-functions.
 */
#include "driver/test.h"

#define NOT_ITSELF	__attribute__((no_instrument_function))

static const char *walk; /* NULL: nothing is printed */

NOT_ITSELF void __cyg_profile_func_enter(void *function, void *caller)
{
	if (walk)
		printf("%s %p\n", walk, function);
}

NOT_ITSELF void __cyg_profile_func_exit(void *function, void *caller) {}

static const struct machine machine = { .hpm = 4, .quirks = OPENSBI_NEW, .params = { "backend=sbi" } };

static void overflow(void)
{
	struct perf_event *e;

	boot(&machine);
	e = open_sampler(5, 100000);
	perf_run(time_of(e, 150000));
	walk = "overflow";
	perf_run(time_of(e, 100000));
	walk = NULL;
	assert(perf_model(e)->samples == 2);
}

static void context_switch(void)
{
	struct perf_event *e;

	boot(&machine);
	e = open_own(5);
	go_away(1000);
	walk = "switch";
	go_away(1000);
	walk = NULL;
	assert(is_right(e));
}

static void opens(void)
{
	struct perf_event *e;

	boot(&machine);
	perf_close(open_raw(5));
	walk = "open-known";
	e = open_attr(ATTR(5, .disabled = 1));
	walk = NULL;
	assert(e);
	walk = "open-unknown";
	e = open_attr(ATTR(6, .disabled = 1));
	walk = NULL;
	assert(e);
	walk = "open-filtered-member";
	e = perf_open(ATTR(7, .exclude_kernel = 1), NULL, 0, e, &(int){ 0 });
	walk = NULL;
	assert(e);
}

int main(void)
{
	overflow();
	context_switch();
	opens();
	assert(unload());
	return 0;
}
