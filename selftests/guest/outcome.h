/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What opening an event must come to.
 */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "harness.h"

/* Beside an errno */
enum {
	OPENS = 0,
	MAY = -1,	/* opens or ENOENT: the machine's choice */
	ALIEN = -2,	/* the same on a board; ENOENT in the lab, where it is not */
};

/* @got is 0 or an errno. */
static inline void outcome_is(const char *what, int want, int got)
{
	if (want == ALIEN)
		want = getenv("lab_case") ? ENOENT : MAY;
	if (want == MAY)
		check(!got || got == ENOENT, "%s: opens or ENOENT (got %s)", what,
		      got ? strerror(got) : "an event");
	else
		check(got == want, "%s: %s (got %s)", what, want ? strerror(want) : "opens",
		      got ? strerror(got) : "an event");
}

/* @fd is what perf_try() returned; it is closed. */
static inline void outcome(const char *what, int want, int fd)
{
	outcome_is(what, want, fd < 0 ? -fd : OPENS);
	if (fd >= 0)
		close(fd);
}

/* An event of our own type (to be filled in) and what else it is. */
#define EVENT(event, ...) ((struct perf_event_attr){ .config = (event), ##__VA_ARGS__ })

#endif
