/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How real firmware differs from the specification, or what it does where that leaves a choice.
 * Letters are those of the project's table of quirks. Each has a test in
 * selftests/host/test_quirks.c: the model has it, and the driver works with it.
 */
#ifndef FAKESBI_QUIRKS_H
#define FAKESBI_QUIRKS_H

enum fakesbi_quirk {
	/* OpenSBI, lib/sbi/sbi_pmu.c */
	QUIRK_START_RUNNING_LOSES_IRQ, /* (a) no interrupt after START of a running counter */
	QUIRK_PENDING_KEEPS_OF,        /* (b) START does not clear OF while LCOFI is pending */
	QUIRK_CACHE_RAW_FLAGS,         /* (d) CLEAR_VALUE, AUTO_START are ignored for cache, raw */
	QUIRK_FIXED_FALLBACK,          /* (e) cycles, instret: else counter 0, 2, even in use */
	QUIRK_CONFIGURED_IS_TAKEN,     /* (f) stopped is not free; full is as no support */
	QUIRK_RAW_ZERO_FAILS,          /* (g) raw event 0 is refused */
	QUIRK_EMPTY_MASK_TAKEN,        /* (h) success, though no counter was offered */
	QUIRK_FIRST_HOLDER_ONLY,       /* (i) the first counter with a firmware event counts */
	QUIRK_FW_NEVER_ALREADY,        /* (i) START, STOP of a firmware counter always succeed */
	QUIRK_LATE_VALUE,              /* (j) the initial value is written after the start */
	QUIRK_GAP_TRAPS,               /* (j) counter info of a counter whose CSR traps */
	QUIRK_RESET_CLEARS_FIXED,      /* (j) RESET sets cycle and instret to 0 */
	QUIRK_INFO_PAST_END,           /* (j) counter info: the index after the last is valid */
	QUIRK_LAST_STATUS,             /* (k) only the last counter's status is returned */
	QUIRK_SUSPEND_LOSES_EVENTS,    /* (l) counters do not count after suspend */
	QUIRK_SUSPEND_LOSES_VALUES,    /* (l) values are random after suspend */
	QUIRK_HIGHEST_FIRST,           /* (m) the highest free counter is taken */
	QUIRK_FIRST_ROW_ONLY,          /* (m) only the first matching line of the tree is tried */
	QUIRK_FIXED_WITHHELD,          /* cycle, instret run, but no event gets them (1.9) */
	QUIRK_GAPS_COUNTED,            /* the number of counters includes gaps, such as time */
	QUIRK_NO_SNAPSHOT,             /* no FID 7 (any version; RustSBI as well) */
	QUIRK_NO_RAW_V2,               /* raw v2 is an invalid parameter (before 1.6) */

	/* KVM, arch/riscv/kvm/vcpu_pmu.c */
	QUIRK_FIXED_ALWAYS,        /* cycles on 0, instructions on 2, even in use */
	QUIRK_FIXED_HOMOGENEOUS,   /* these filter and interrupt as others do */
	QUIRK_OVERFLOW_STICKS,     /* overflow bits in the snapshot stay until RESET */
	QUIRK_FW_SHARED,           /* counters with one firmware event are one counter */
	QUIRK_NO_PLATFORM,         /* every platform firmware event is refused */
	QUIRK_UNUSED_UNREADABLE,   /* only counters with an event can be read */
	QUIRK_UNUSED_READS_RANDOM, /* FW_READ without an event returns any value (6.12) */
	QUIRK_UNUSED_SKIPPED,      /* START, STOP without an event do nothing and succeed */
	QUIRK_SAVES_UP_TO_ERROR,   /* counters after one that is stopped are not saved */
	QUIRK_SAVES_ALL,           /* a save restores the other values of the last START */
	QUIRK_SHMEM_IS_CLEARED,    /* setting the snapshot memory clears it */
	QUIRK_UNCOUNTABLE_STOPS,   /* a raw event without host support stops later counters */
	QUIRK_READS_ACCUMULATE,    /* each read returns the total added to the last (6.12) */

	/* RustSBI */
	QUIRK_TIME_IS_COUNTER,  /* counter 1 is the time CSR */
	QUIRK_WIDTH_64_ALWAYS,  /* hardware counters claim 64 bits */
	QUIRK_ABORT_AT_ALREADY, /* START, STOP end at the first "already"; no RESET */
	QUIRK_NO_FILTER,        /* filter flags are ignored */

	/* QEMU */
	QUIRK_TIED, /* of counters with one event the first counts */

	/* No known firmware */
	QUIRK_JUNK_INFO, /* reserved bits of counter_info are set */
	FAKESBI_QUIRKS
};

static_assert(FAKESBI_QUIRKS <= 64);

#endif
