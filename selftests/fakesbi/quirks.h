/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ways in which real firmware differs from the specification, or picks one
 * of what it allows. Letters are those of the project's table of quirks.
 * Each has a row in selftests/host/test_quirks.c, which shows that the model
 * has it, and that the driver gets along.
 */
#ifndef FAKESBI_QUIRKS_H
#define FAKESBI_QUIRKS_H

enum fakesbi_quirk {
	/* OpenSBI, lib/sbi/sbi_pmu.c */
	QUIRK_START_RUNNING_DEAFENS,	/* (a) STARTed twice, it interrupts no more */
	QUIRK_PENDING_KEEPS_OF,		/* (b) START clears OF unless LCOFI is pending */
	QUIRK_INFO_DENIES,		/* (c) event info: no firmware ones, cycles, instret */
	QUIRK_INFO_ANY_RAW,		/* (c) event info: every raw event (KVM as well) */
	QUIRK_CACHE_RAW_FLAGS,		/* (d) CLEAR_VALUE, AUTO_START do nothing for those */
	QUIRK_FIXED_FALLBACK,		/* (e) cycles, instret: else 0, 2, though in use */
	QUIRK_CONFIGURED_IS_TAKEN,	/* (f) stopped is not free; "no room" is "no support" */
	QUIRK_RAW_ZERO_FAILS,		/* (g) raw event 0 is none */
	QUIRK_EMPTY_MASK_TAKEN,		/* (h) no counter offered, and one returned */
	QUIRK_FIRST_HOLDER_ONLY,	/* (i) of those that hold a firmware event one counts */
	QUIRK_FW_NEVER_ALREADY,		/* (i) START, STOP of a firmware counter are well */
	QUIRK_LATE_VALUE,		/* (j) the initial value is written after the start */
	QUIRK_GAP_TRAPS,		/* (j) a counter that is not there is announced */
	QUIRK_SKIP_WRONG_INDEX,		/* (j) SKIP_MATCH forgets the base */
	QUIRK_RESET_CLEARS_FIXED,	/* (j) RESET sets cycle and instret to 0 */
	QUIRK_INFO_PAST_END,		/* (j) counter info: one past the last is valid */
	QUIRK_LAST_STATUS,		/* (k) only the last counter's status is returned */
	QUIRK_SUSPEND_LOSES_EVENTS,	/* (l) after suspend counters count nothing */
	QUIRK_SUSPEND_LOSES_VALUES,	/* (l) after suspend counters read anything */
	QUIRK_HIGHEST_FIRST,		/* (m) the highest free counter is taken */
	QUIRK_FIRST_ROW_ONLY,		/* (m) only the first matching row is tried */
	QUIRK_GAPS_COUNTED,		/* gaps, as that of the time CSR, are counted in */
	QUIRK_NO_FW_READ_HI,		/* no FID 6 (before 1.3) */
	QUIRK_NO_SNAPSHOT,		/* no FID 7 (any version; RustSBI as well) */
	QUIRK_NO_EVENT_INFO,		/* no FID 8 (before 1.6; RustSBI as well) */
	QUIRK_NO_RAW_V2,		/* raw v2 is an invalid parameter (before 1.6) */

	/* KVM, arch/riscv/kvm/vcpu_pmu.c */
	QUIRK_FIXED_ALWAYS,		/* cycles on 0, instret on 2, whoever is there */
	QUIRK_FIXED_ALIKE,		/* these filter and interrupt, as others do */
	QUIRK_SKIP_NEEDS_USED,		/* SKIP_MATCH of a free counter fails */
	QUIRK_OVERFLOW_STICKS,		/* overflow bits in the snapshot stay until RESET */
	QUIRK_FW_SHARED,		/* a firmware event is one for all counters that hold it */
	QUIRK_INFO_ANY_PLATFORM,	/* event info: every platform firmware event */
	QUIRK_NO_PLATFORM,		/* ... and none can be had */
	QUIRK_UNUSED_UNREADABLE,	/* only counters that hold an event can be read */
	QUIRK_UNUSED_RUBBISH,		/* FW_READ of one that holds none tells anything (6.12) */
	QUIRK_UNUSED_SKIPPED,		/* START, STOP of one that holds none do nothing, well */
	QUIRK_SAVES_UP_TO_ERROR,	/* what comes after one that is stopped is not saved */
	QUIRK_SAVES_ALL,		/* with any value, all that were there at the last START */
	QUIRK_LENT_IS_CLEARED,		/* snapshot memory is all 0 when it has been set */
	QUIRK_UNCOUNTABLE_STOPS,	/* raw events that nobody has stop what came later */
	QUIRK_SUMS,			/* each answer is added to those before (6.12) */

	/* RustSBI */
	QUIRK_TIME_IS_COUNTER,		/* counter 1 is the time CSR */
	QUIRK_WIDTH_64_ALWAYS,		/* hardware counters claim 64 bits */
	QUIRK_ABORT_AT_ALREADY,		/* START, STOP end at one that is; no RESET */
	QUIRK_NO_FILTER,		/* filter flags are ignored */
	QUIRK_SKIP_FIXED_INVALID,	/* SKIP_MATCH of counters 0, 2 is an invalid parameter */

	/* QEMU */
	QUIRK_TIED,			/* an event counts on the first counter that holds it */

	/* Nobody, so far */
	QUIRK_JUNK_INFO,		/* reserved bits of counter_info are set */
	QUIRK_JUNK_OUTPUT,		/* reserved bits of event info's output are set */
	QUIRK_JUNK_READ_HI,		/* the upper half of a firmware counter is random */
	FAKESBI_QUIRKS
};

static_assert(FAKESBI_QUIRKS <= 64);

#endif
