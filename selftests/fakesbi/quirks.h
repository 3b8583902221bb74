/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How real firmware differs from the specification, or what it does where that leaves a choice.
 * test_quirks() of test_random.c (host tests) runs the driver with each of them.
 */
#ifndef FAKESBI_QUIRKS_H
#define FAKESBI_QUIRKS_H

/* X(NAME) for each */
#define FAKESBI_QUIRK_LIST(X) \
	/* OpenSBI, lib/sbi/sbi_pmu.c */ \
	X(PENDING_KEEPS_OF)		/* START does not clear OF while LCOFI is pending */ \
	X(FIXED_FALLBACK)		/* cycles, instret: else counter 0, 2, even in use */ \
	X(CONFIGURED_IS_TAKEN)		/* stopped is not free; full is as no support */ \
	X(RAW_ZERO_FAILS)		/* raw event 0 is refused */ \
	X(FIRST_HOLDER_ONLY)		/* the first counter with a firmware event counts */ \
	X(FW_NEVER_ALREADY)		/* START, STOP of a firmware counter always succeed */ \
	X(GAP_TRAPS)			/* counter info of a counter whose CSR traps */ \
	X(RESET_CLEARS_FIXED)		/* RESET sets cycle and instret to 0 */ \
	X(INFO_PAST_END)		/* counter info: the index after the last is valid */ \
	X(LAST_STATUS)			/* only the last counter's status is returned */ \
	X(SUSPEND_LOSES_EVENTS)		/* counters do not count after suspend */ \
	X(SUSPEND_LOSES_VALUES)		/* values are random after suspend */ \
	X(SUSPEND_LOSES_FIXED_FILTERS)	/* cycle, instret count in all modes after suspend */ \
	X(SUSPEND_LOSES_CTR)		/* mstateen0.CTR is 0 after suspend: branch records trap */ \
	X(HIGHEST_FIRST)		/* the highest free counter is taken */ \
	X(FIRST_ROW_ONLY)		/* only the first matching line of the tree is tried */ \
	X(FIXED_WITHHELD)		/* cycle, instret run, but no event gets them (1.9) */ \
	X(GAPS_COUNTED)			/* the number of counters includes gaps, such as time */ \
	X(NO_SNAPSHOT)			/* no FID 7 (any version; RustSBI as well) */ \
	X(NO_RAW_V2)			/* raw v2 is an invalid parameter (before 1.6) */ \
	/* KVM, arch/riscv/kvm/vcpu_pmu.c: is_of_kvm() of test_random.c has the first and the last */ \
	X(FIXED_ALWAYS)			/* cycles on 0, instructions on 2, even in use */ \
	X(FIXED_HOMOGENEOUS)		/* these filter and interrupt as others do */ \
	X(OVERFLOW_STICKS)		/* overflow bits in the snapshot stay until RESET */ \
	X(NO_PLATFORM)			/* every platform firmware event is refused */ \
	X(UNUSED_UNREADABLE)		/* only counters with an event can be read */ \
	X(UNUSED_SKIPPED)		/* START, STOP without an event do nothing and succeed */ \
	X(SAVES_UP_TO_ERROR)		/* counters after one that is stopped are not saved */ \
	X(SAVES_ALL)			/* a save restores the other values of the last START */ \
	X(SHMEM_IS_CLEARED)		/* setting the snapshot memory clears it */ \
	X(SHMEM_LEAKS)			/* set again, not disabled, it leaks the host's copy */ \
	X(UNCOUNTABLE_STOPS)		/* a raw event without host support stops later counters */ \
	X(READS_ACCUMULATE)		/* each read returns the total added to the last (6.12) */ \
	/* RustSBI */ \
	X(TIME_IS_COUNTER)		/* counter 1 is the time CSR */ \
	X(WIDTH_64_ALWAYS)		/* hardware counters claim 64 bits */ \
	X(ABORT_AT_ALREADY)		/* START, STOP end at the first "already"; no RESET */ \
	X(NO_FILTER)			/* filter flags are ignored */ \
	/* T-Head C9xx, on D1 and SG2042 */ \
	X(LEVEL)			/* pending while a started counter's OF is set */ \
	X(OF_UNSHOWN)			/* mcounterwen is never set (D1, OpenSBI 1.2 to 1.3.1) */ \
	X(STOP_KEEPS_IRQ)		/* a stopped counter may interrupt (both) */ \
	X(PENDING_CLEARS_OF)		/* START clears OF only while pending (SG2042's 1.2) */ \
	/* QEMU */ \
	X(TIED)				/* of counters with an event, whatever the filter, one counts */ \
	X(EVENT_STICKS)			/* with MINH it counts on when S-mode clears it */ \
	/* No known firmware */ \
	X(NO_IRQ)			/* the overflow interrupt does not come */ \
	X(OF_STICKS)			/* START does not clear OF */ \
	X(VALUE_IGNORED)		/* START does not set the value */ \
	X(JUNK_INFO)			/* reserved bits of counter_info are set */

#define FAKESBI_QUIRK_ENUM(name)	QUIRK_##name,
enum fakesbi_quirk {
	FAKESBI_QUIRK_LIST(FAKESBI_QUIRK_ENUM)
	FAKESBI_QUIRKS
};

static_assert(FAKESBI_QUIRKS <= 64);

#endif
