/* SPDX-License-Identifier: GPL-2.0-only */
/* The expected result of opening an event. */
#ifndef OUTCOME_H
#define OUTCOME_H

#include "harness.h"

/* An expected result is an errno or one of these. */
enum {
	OPENS = 0,
	MAY_OPEN = -1,		/* opens or ENOENT: depends on the machine */
	/*
	 * MAY_OPEN on a board, and where counters are delegated: nobody checks a selector. ENOENT
	 * in the lab otherwise: QEMU's firmware has no such event.
	 */
	NOT_IN_LAB = -2,
	NEEDS_FILTER = -3,	/* opens if counters can filter by mode, else ENOENT */
};

/* The last part of a result's name. */
static inline const char *outcome_name(int expected)
{
	switch (expected) {
	case OPENS: return "opens";
	case MAY_OPEN:
	case NOT_IN_LAB: return "opens_or_enoent";
	case NEEDS_FILTER: return "opens_if_counters_filter";
	case EACCES: return "eacces";
	case EINVAL: return "einval";
	case EOPNOTSUPP: return "eopnotsupp";
	default: return "fails";
	}
}

/* May opening an event that QEMU does not have end with @result, 0 or an errno? */
static inline bool is_possible_not_in_lab(int result)
{
	return result == ENOENT || (!result && (!getenv("lab_case") || is_delegated()));
}

/* @result is 0 or an errno. */
static inline void check_outcome(const char *name, int expected, int result)
{
	bool ok;

	note("%s: %s", name, result ? strerror(result) : "opened");
	switch (expected) {
	case MAY_OPEN:
		ok = !result || result == ENOENT;
		break;
	case NOT_IN_LAB:
		ok = is_possible_not_in_lab(result);
		break;
	case NEEDS_FILTER:
		ok = result == (has_mode_filters() ? OPENS : ENOENT);
		break;
	default:
		ok = result == expected;
	}
	check(ok, "%s_%s", name, outcome_name(expected));
}

/* @fd is what perf_try() returned; close it. */
static inline void check_open(const char *name, int expected, int fd)
{
	check_outcome(name, expected, fd < 0 ? -fd : OPENS);
	if (fd >= 0)
		close(fd);
}

/* An event with this config; the caller sets the type. */
#define EVENT(event, ...) ((struct perf_event_attr){ .config = (event), ##__VA_ARGS__ })

#endif
