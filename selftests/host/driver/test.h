/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * test.h - tests of the driver: it is loaded on a machine, and seen only from outside: through
 * perf core, sysfs, the log, interrupts, hotplug, and what it asks of firmware.
 *
 * Names of results are "area.what_is_true", unique in the program and the same in every run.
 */
#ifndef DRIVER_TEST_H
#define DRIVER_TEST_H

#include "../../ktap.h"
#include "../kernel/perf_core.h"

#define RAW		0x20000
#define RAW_V2		0x30000
#define FW		0xf0000
#define QUIRK(name)	BIT_ULL(QUIRK_##name)
/* Quirks of one firmware */
#define OPENSBI_OLD							\
	(QUIRK(FIXED_FALLBACK) | QUIRK(CONFIGURED_IS_TAKEN) | \
	 QUIRK(RAW_ZERO_FAILS) | QUIRK(FIRST_HOLDER_ONLY) | QUIRK(FW_NEVER_ALREADY) | \
	 QUIRK(GAP_TRAPS) | QUIRK(RESET_CLEARS_FIXED) | \
	 QUIRK(INFO_PAST_END) | QUIRK(LAST_STATUS) | QUIRK(SUSPEND_LOSES_EVENTS) | \
	 QUIRK(HIGHEST_FIRST) | QUIRK(FIRST_ROW_ONLY) | QUIRK(GAPS_COUNTED) | \
	 QUIRK(NO_SNAPSHOT) | QUIRK(NO_RAW_V2))
#define OPENSBI_NEW							\
	(QUIRK(PENDING_KEEPS_OF) | \
	 QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(RAW_ZERO_FAILS) | QUIRK(FIRST_HOLDER_ONLY) | \
	 QUIRK(LAST_STATUS) | QUIRK(GAPS_COUNTED) | QUIRK(NO_SNAPSHOT))
#define KVM								\
	(QUIRK(FIXED_ALWAYS) | QUIRK(FIXED_HOMOGENEOUS) | QUIRK(OVERFLOW_STICKS) | \
	 QUIRK(NO_PLATFORM) | QUIRK(UNUSED_UNREADABLE) | \
	 QUIRK(CONFIGURED_IS_TAKEN) | QUIRK(UNUSED_SKIPPED) | QUIRK(SAVES_UP_TO_ERROR) | \
	 QUIRK(SAVES_ALL) | QUIRK(SHMEM_IS_CLEARED) | QUIRK(SHMEM_LEAKS) | \
	 QUIRK(UNCOUNTABLE_STOPS))
#define KVM_OLD	(KVM | QUIRK(READS_ACCUMULATE))
#define RUSTSBI								\
	(QUIRK(TIME_IS_COUNTER) | QUIRK(ABORT_AT_ALREADY) | QUIRK(NO_FILTER) | \
	 QUIRK(NO_SNAPSHOT) | QUIRK(CONFIGURED_IS_TAKEN) | \
	 QUIRK(UNUSED_UNREADABLE) | QUIRK(NO_PLATFORM))
#define D1_OLD	/* OpenSBI 1.2 to 1.3.1 */ \
	(QUIRK(LEVEL) | QUIRK(PENDING_KEEPS_OF) | QUIRK(OF_UNSHOWN) | QUIRK(STOP_KEEPS_IRQ))
#define SG2042_OLD	/* the vendor's OpenSBI 1.2 */ \
	(QUIRK(STOP_KEEPS_IRQ) | QUIRK(PENDING_CLEARS_OF))
#define OPENSBI(major, minor)	((major) << 16 | (minor))

/* Parts of a machine: sources of the overflow interrupt other than Sscofpmf */
#define THEAD	.isa = "", .vendor = 0x5b7, .overflow_csr = 0x5c5
#define ANDES	.isa = " xandespmu ", .vendor = 0x31e, .overflow_csr = 0x9d4

/* What the module is loaded on, and how. 0 or NULL stands for what is in parentheses. */
struct machine {
	unsigned int hpm, width, firmware;	/* programmable counters (4), bits (64); (3) */
	bool no_hpm, no_firmware, delegated, other_leaves;
	u64 quirks;
	unsigned long impl, impl_version;	/* (OpenSBI 1.7, or KVM with its quirks) */
	unsigned long vendor, arch, mimpid;
	unsigned long other_arch;	/* of the upper half of the CPUs (the same) */
	unsigned int overflow_csr;	/* a source that fixed counters have, too (Sscofpmf) */
	unsigned int smcntrpmf;		/* see struct fakesbi_hart, as for can */
	bool (*can)(const struct fakesbi_code *code, unsigned int idx);
	const char *isa;		/* extensions (Sscofpmf) */
	const char *other;		/* name of another CPU PMU: shared mode, unless other_leaves */
	unsigned int cpus, kernel;	/* at most 16 (1); 612 or 702 (702) */
	const char *params[4];		/* as insmod takes them, at most three */
	void (*prepare)(void);		/* changes the machine before the module is loaded */
};

/* A function for can of a machine */
#define CAN(name, condition) \
	static bool name(const struct fakesbi_code *code, unsigned int idx) { return condition; }

/* The next boot unloads, as does the end of the tests. */
#define boot(...)	boot_for(__func__, __VA_ARGS__) /* a struct machine * */
int boot_for(const char *test, const struct machine *machine);
int boot_again(void);
bool unload(void);
void unload_unchecked(void);

/* Of a core */
struct core_ids {
	unsigned long vendor, arch, mimpid;
};

int boot_board(const char *name, const struct core_ids *ids, const char *param);

#define TYPE	(perf_core.pmu->type) /* of the driver's own events */
#define OWN	PERF_TYPE_MAX	      /* the same, in a table */

/* attr.config of the driver's own events */
#define STANDARD_EVENT(idx)	(1ULL << 62 | (idx))
#define FIRMWARE_EVENT(code)	(2ULL << 62 | (code))

/* The attr of one of perf's general events, of one of the driver's own events */
#define GENERAL(_config, ...)	\
	(&(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = _config, ##__VA_ARGS__ })
#define ATTR(_config, ...)	\
	(&(struct perf_event_attr){ .type = TYPE, .config = _config, ##__VA_ARGS__ })

struct perf_event *open_member(struct perf_event *leader, u64 config);
struct perf_event *open_attr(const struct perf_event_attr *attr);
struct perf_event *open_task(const struct perf_event_attr *attr);
#define open_raw(config)		open_attr(ATTR(config))
#define open_own(config)		open_task(ATTR(config))
#define open_sampler(config, period)	open_attr(ATTR(config, .sample_period = (period)))
#define open_general(config)		open_attr(GENERAL(config))
int open_errno(const struct perf_event_attr *attr);
bool opens_as(struct perf_event_attr attr, int error, u32 idx, u64 data, u32 flags, int *at);
void go_away(u64 ns);
u64 time_of(struct perf_event *event, u64 n);
u64 count_ns(struct perf_event *event);
bool is_right(struct perf_event *event);
bool all_right(void);
void take_turns(unsigned int n);
void no_kallsyms(void);
void narrow_by_tree(void);
bool is_not_fixed(const struct fakesbi_code *code, unsigned int idx);
bool is_not_cycles(const struct fakesbi_code *code, unsigned int idx);
void hold(unsigned int idx, bool held);
bool is_sampled(struct perf_event *event, u64 late);
unsigned long calls_of(unsigned int cpu);
#define all_calls()	calls_of(host.cpu)
#define calls(fid)	(fakesbi.calls[fid])
/* What hardly any change of the driver breaks, and many tests ask: a result only if it fails */
#define must(ok, ...)	do { if (!(ok)) check(false, __VA_ARGS__); } while (0)

#endif
