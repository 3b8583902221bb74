/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sbi_pmu: what all files share: counters, events, a CPU, and the PMU of a kind of core. What one
 * file has for others is in the header of its name.
 */
#ifndef SBI_PMU_H
#define SBI_PMU_H

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/perf_event.h>
#include <linux/sysctl.h>
#include <linux/timer.h>

#include <asm/csr.h>
#include <asm/sbi.h>

#undef pr_fmt
#define pr_fmt(fmt) "sbi_pmu: " fmt

struct sbi_pmu;

/* ---- sets of counters ---- */

/* A set of counters is a u64, as in Linux and KVM. Those with a higher index are not used. */
#define SBI_PMU_MAX_COUNTERS	64
#define SBI_PMU_NO_COUNTER	SBI_PMU_MAX_COUNTERS

/* Visit the counters of a set, which is read once. The mask tells compilers what is known. */
#define for_each_counter(i, set) \
	for (u64 left_ = (set); \
	     left_ && (((i) = __ffs64(left_) & (SBI_PMU_MAX_COUNTERS - 1)), true); \
	     left_ &= left_ - 1)

static inline bool has_counter(u64 set, unsigned int i)
{
	return i < SBI_PMU_MAX_COUNTERS && set >> i & 1;
}

/* The first counter of @set, SBI_PMU_NO_COUNTER if it is empty. */
static inline unsigned int first_counter(u64 set)
{
	return set ? __ffs64(set) : SBI_PMU_NO_COUNTER;
}

/* ---- counters, as firmware describes them (counter_info.c) ---- */

/* A counter's bit in scounteren and scountovf */
#define SBI_PMU_CSR_BIT(csr)	(1u << ((csr) & 31)) /* CSR_CYCLE is a multiple of 32 */

enum sbi_pmu_counter_kind {
	SBI_PMU_COUNTER_NONE,         /* no counter, or not one for events */
	SBI_PMU_COUNTER_FIXED,        /* cycle or instret: one event; few filter or interrupt */
	SBI_PMU_COUNTER_PROGRAMMABLE, /* hpmcounter3 to 31 */
	SBI_PMU_COUNTER_FIRMWARE,     /* kept by firmware, read by an SBI call */
};

struct sbi_pmu_counter_info {
	u64 mask; /* of its bits */
	u16 csr;  /* its CSR; hardware counters only */
	u8 width; /* its bits, 1 to 64; 64 for firmware counters */
	u8 kind;  /* enum sbi_pmu_counter_kind */
};

/* The counters of a CPU, the same for all CPUs of its kind; const after probe */
struct sbi_pmu_layout {
	struct sbi_pmu_counter_info info[SBI_PMU_MAX_COUNTERS]; /* by logical index */
	u64 fixed;                                              /* cycle and instret */
	u64 programmable;                                       /* hpmcounter3 to 31 */
	u64 firmware;                                           /* firmware counters */
	u64 with_fixed_csr; /* of cycle and instret, also in KVM, where they are programmable */
	/* those of @fixed that firmware hands out for no event, but which run all the time */
	u64 free_running;
	/*
	 * of programmable counters with one event, whatever its filters, only one may count (QEMU);
	 * not in struct sbi_pmu_caps, as assign.c asks
	 */
	bool tied;
	bool one_filter;          /* all counters of a CPU have one filter in common (T-Head) */
	unsigned long beyond;     /* number of counters past SBI_PMU_MAX_COUNTERS, not used */
	unsigned int narrow;      /* number of those below SBI_PMU_MIN_WIDTH bits, not used */
	unsigned int without_csr; /* number of those whose CSR is none, or another's, not used */
};

static inline u64 sbi_pmu_hardware(const struct sbi_pmu_layout *layout)
{
	return layout->fixed | layout->programmable;
}

/* Hardware counters @which in scountinhibit and the like; those of firmware have no bit. */
static inline u32 sbi_pmu_csr_bits(const struct sbi_pmu_layout *layout, u64 which)
{
	u32 bits = 0;
	unsigned int i;

	for_each_counter(i, which & ~layout->firmware)
		bits |= SBI_PMU_CSR_BIT(layout->info[i].csr);
	return bits;
}

/* Where the upper half of a counter's range begins */
static inline u64 sbi_pmu_half(const struct sbi_pmu_counter_info *info)
{
	return info->mask / 2 + 1;
}

/* An armed counter starts in the upper half of its range, and leaves it by an overflow only. */
static inline bool sbi_pmu_in_upper_half(const struct sbi_pmu_counter_info *info, u64 value)
{
	return value & sbi_pmu_half(info);
}

/* The event_idx of what a fixed counter counts */
static inline u32 sbi_pmu_fixed_event(const struct sbi_pmu_counter_info *info)
{
	return info->csr == CSR_CYCLE ? SBI_PMU_HW_CPU_CYCLES : SBI_PMU_HW_INSTRUCTIONS;
}

/* ---- events, as firmware takes them (event.c) ---- */

/* An event as COUNTER_CFG_MATCH takes it (SBI 3.0, 11.7) */
struct sbi_pmu_code {
	u64 data;  /* event_data */
	u32 idx;   /* event_idx */
	u32 flags; /* config_flags; only the five inhibit bits */
	u32 csrs;  /* counters that count it, as of sbi_pmu_csr_bits(); 0: any. Not for firmware */
};

/* Do they count the same, perhaps in other privilege modes? @csrs only limit the candidates. */
static inline bool sbi_pmu_code_alike(const struct sbi_pmu_code *a, const struct sbi_pmu_code *b)
{
	return a->idx == b->idx && a->data == b->data;
}

/* Equal events share a counter. */
static inline bool sbi_pmu_code_equal(const struct sbi_pmu_code *a, const struct sbi_pmu_code *b)
{
	return a->idx == b->idx && a->data == b->data && a->flags == b->flags;
}

static inline bool sbi_pmu_code_is_firmware(const struct sbi_pmu_code *code)
{
	return FIELD_GET(SBI_PMU_EVENT_IDX_TYPE_MASK, code->idx) == SBI_PMU_EVENT_TYPE_FW;
}

static inline bool sbi_pmu_code_is_raw(const struct sbi_pmu_code *code)
{
	const u32 type = FIELD_GET(SBI_PMU_EVENT_IDX_TYPE_MASK, code->idx);

	return type == SBI_PMU_EVENT_TYPE_RAW || type == SBI_PMU_EVENT_TYPE_RAW_V2;
}

/*
 * Cycles, instructions: firmware may return the fixed counter whatever is offered, and so change
 * what the other driver uses.
 */
static inline bool sbi_pmu_has_fixed_counter(const struct sbi_pmu_code *code)
{
	return code->idx == SBI_PMU_HW_CPU_CYCLES || code->idx == SBI_PMU_HW_INSTRUCTIONS;
}

/* What this kind of core can do; const after probe */
struct sbi_pmu_caps {
	bool filter;       /* programmable counters filter by privilege mode, as far as is known */
	bool fixed_alike;  /* fixed counters interrupt as others do (overflow.c) */
	bool m_mode_fixed; /* M-mode is counted or not, whatever the event (delegated counters) */
	bool has_h;        /* the harts have the H extension, so that virtual modes exist */
	bool nonstandard_fw; /* firmware checks codes of firmware events that SBI does not define */
	bool platform_fw;    /* platform events can be asked for while counters are in use */
	const bool *unfiltered;      /* root's consent: sbi_pmu_event_may_be_unfiltered() */
	u64 fixed_filters;           /* fixed counters that filter by privilege mode */
	struct sbi_pmu_table *table; /* what is known of the core's events: vendor.h */
	const char *event_table;     /* its name; NULL: nothing is known */
	unsigned int slots;          /* likewise: micro-ops of a cycle at most; 0: not known */
};

/* ---- a counter of a CPU (counters.c) ---- */

/*
 * Equal events share a counter. At each overflow and context switch all events of a counter are
 * visited, interrupts disabled, where one that samples costs more: further ones take turns.
 */
#define SBI_PMU_SHARES			64 /* of a counter; an event takes one, */
#define SBI_PMU_SHARES_OF_SAMPLING	15 /* or so many if it samples */

struct sbi_pmu_counter {
	struct hlist_head events; /* in no order: an addition at the end of a list costs more */
	const struct sbi_pmu_counter_info *info; /* what it is; const */
	u64 bit;                                 /* its own in sets; const */
	u8 index;                                /* its logical index; const */
	u8 state;                                /* enum sbi_pmu_counter_state: counters.h */
	u8 shares;                               /* of its events: SBI_PMU_SHARES at most */
	struct sbi_pmu_code code;                /* the event that it holds, or held last */
	u64 candidates;                          /* the counters to which that could move */
	u64 stamp;                               /* cpu->clock when it became idle last */
	/* its value when the PMU was disabled, or stopped it since; if in cpu->at_disable_valid */
	u64 at_disable;
	u64 start;     /* the value that it is started from; if in cpu->start_valid */
	u64 at_enable; /* its value when the PMU was enabled */
	u64 last;      /* what it was started from last; if it accumulates, what was read last */
	u64 total;     /* if it accumulates, since it was configured */
	u64 offset;    /* likewise, of the value that users see */
	u64 mhpmevent; /* what a delegated counter holds in sireg2 */
};

/* ---- perf events ---- */

/* How the end of a sampling period is noticed */
enum sbi_pmu_sampling {
	SBI_PMU_COUNTING,     /* not at all: the event only counts */
	SBI_PMU_BY_INTERRUPT, /* the counter overflows and interrupts */
	SBI_PMU_BY_TIMER,     /* a timer reads the counter */
};

/* Of an event that samples. The rest of its period is hw.period_left, not positive once over. */
struct sbi_pmu_period {
	u64 since_sample; /* events since the last sample */
	u64 early;        /* its counter overflows so many events early: counter_count_from() */
	unsigned int deferred; /* samples in a row due in a mode that the event excludes */
	/* by timer: */
	u64 seen;    /* events lately: with @seen_ns the rate */
	u64 seen_ns; /* in which they were counted */
	u64 waited;  /* ns that it has counted since the timer looked last */
	u64 since;   /* when it was started or looked at last (ns) */
};

/* The branches that an event wants in its samples */
struct sbi_pmu_branch_request {
	u16 types;       /* a bit for each kind, 0: none */
	u8 modes;        /* PERF_SAMPLE_BRANCH_USER, _KERNEL: both ends are in these */
	bool call_stack; /* only calls that have not returned */
};

/* What the driver keeps of a perf event, in pmu_private */
struct sbi_pmu_event {
	struct hlist_node node;          /* in the list of its counter */
	struct perf_event *event;        /* perf core's */
	u64 prev;                        /* the counter when accounted last; valid while @counts */
	struct sbi_pmu_cpu *cpu;         /* the CPU that it is on, from pmu_add() to pmu_del() */
	struct sbi_pmu_counter *counter; /* its counter there, or NULL */
	u8 shares;                       /* of its counter; const after open */
	u8 last_counter;          /* the one that it had last, on any CPU, or SBI_PMU_NO_COUNTER */
	u8 sampling;              /* enum sbi_pmu_sampling, where it was started last */
	bool by_interrupt;        /* so it samples, where that is on; const after open */
	bool active;              /* started, as opposed to stopped */
	bool counts;              /* active, since sbi_pmu_counters_enable() */
	bool mapped;              /* its task has mapped it and may read its counter */
	bool mapped_by_other;     /* another task has: both read one page, so nobody may read */
	bool user_read;           /* @mapped when it was started last */
	bool reset_on_start;      /* starts from 0: the task must not see what others counted */
	bool readable;            /* its task may read it, if it maps it; const after open */
	bool unfiltered;          /* counts modes that it excludes, by consent; const after open */
	bool has_equal;           /* an equal event is before it in its group; const after open */
	bool has_page;            /* a task has mapped it */
	u8 shown;                 /* hpmcounter number plus one in its mmap page, or 0 */
	struct sbi_pmu_code code; /* the event */
	u64 candidates;           /* counters that can hold it, or that were not asked */
	u64 confirmed;            /* of these, those that are known to */
	u32 counterid_mask;       /* its user wants these, as bits of scounteren; 0: any */
	struct sbi_pmu_known *known;  /* what was found out about it; NULL: it is inherited */
	struct sbi_pmu_period period; /* unless @sampling is SBI_PMU_COUNTING */
	u64 refused;                  /* counters that firmware refused when it was added */
	const struct sbi_pmu_cpu *refused_by; /* the CPU where that was */
	u8 skipped_adds;          /* number of adds from now on that do not ask for them */
	struct mm_struct *mm;     /* which has mapped it, with a reference; NULL before */
	u32 published;            /* all counters that its page has shown, as in scounteren */
	struct hlist_node reader; /* in the list of readers, if @mm */
	struct sbi_pmu_branch_request branch; /* const after open */
	struct sbi_pmu_branch_calls *calls;   /* if it asks for the calls of a task, else NULL */
	struct hlist_node branch_node;        /* in the list of a CPU that records for it */
	struct rcu_head rcu;                  /* to free it */
};

static inline struct sbi_pmu_event *to_sbi_pmu_event(const struct perf_event *event)
{
	return event->pmu_private;
}

/* ---- a CPU ---- */

/* Snapshot shared memory of a CPU */
struct sbi_pmu_shmem {
	struct riscv_pmu_snapshot_data *data; /* the page, NULL if there is none */
	u64 address;                          /* its physical address */
	bool registered;                      /* firmware uses it */
	bool may_be_registered; /* firmware may still write to it: the page must not be freed */
};

/* Branch records of a CPU, if there are any (branch.c) */
struct sbi_pmu_branch_cpu {
	struct hlist_head events;        /* for which it records; it does not without any */
	const struct mm_struct *mm;      /* whose branches they are, since they were cleared */
	struct perf_branch_stack *stack; /* for a sample */
	bool tells_missed;               /* it has recorded a misprediction: so it can */
	bool on; /* it has records and is set up, until it goes offline, or before a reboot */
};

/* The overflow interrupt of a CPU (overflow.c) */
struct sbi_pmu_cpu_irq {
	bool off; /* it did not end: samples are taken by timer */
	/* interrupts that nothing explains; one with a sample takes off MAKES_UP_FOR of them */
	unsigned int spurious;
	/* sets of counters: */
	/* whose overflow the last interrupt was for; 0 once a sampling event has stopped */
	u64 served;
	u64 stopped_armed;          /* armed ones that were stopped since it: theirs may come yet */
	u64 wrapped;                /* sampling ones, at the last look for missed interrupts */
	u64 missed;                 /* whose missed interrupt is not served yet */
	u64 spurious_since;         /* when @spurious was counted from 0 last (ns) */
	u64 spurious_ns;            /* time that they have taken since then */
	u64 spurious_end;           /* when the last of them had been served */
	unsigned int pause;         /* it is off for so long (s), or was when it was off last */
	unsigned long retry_at;     /* the end of that (jiffies) */
	unsigned long on_since;     /* when it was tried again last (jiffies) */
	unsigned long times_missed; /* overflows found although their interrupt was lost */
	unsigned long wrong_mode;   /* samples due in a mode that the event excludes */
	unsigned int samples;       /* taken, since perf core was told of their time */
};

/* The timers of a CPU (timer.c) */
struct sbi_pmu_cpu_timers {
	bool sampled_changed;   /* an event that is sampled by timer has come or gone */
	bool idle_watched;      /* @idle runs */
	struct hrtimer narrow;  /* while a narrow counter counts; serves missed interrupts */
	u64 interval;           /* ns from its last expiry to the next, 0: off */
	struct hrtimer sample;  /* while an event is sampled by timer */
	struct timer_list look; /* for missed interrupts; ends the pause of one that is off */
	struct timer_list idle; /* releases idle counters, in shared mode */
	u64 idle_clock;         /* the CPU's @clock when that was set */
};

/* Delegated counters of a CPU (backend_csr.c); bits are numbers of counters, as in scountinhibit */
struct sbi_pmu_cpu_delegated {
	bool inhibited;        /* they stand still until sbi_pmu_counters_enable() */
	u32 running;           /* those that run unless @inhibited */
	u32 inhibit_at_online; /* scountinhibit when the CPU came online */
	u64 claimed;           /* set of counters that firmware considers in use */
};

/* Events of a CPU that have lost their counter: counter_drop_events() */
struct sbi_pmu_cpu_dropped {
	struct irq_work work; /* has perf core add them again */
	unsigned int events;  /* their number, as far as firmware has refused a counter */
	unsigned int logged;  /* @events that has been reported */
};

#define SBI_PMU_FIDS	(SBI_EXT_PMU_SNAPSHOT_SET_SHMEM + 1)

/*
 * Written on its own CPU only, and so without a lock: interrupts are disabled, except where the CPU
 * comes or goes and has no event (cpu.c). Others read statistics, and which counters are configured
 * while no event exists. What switches and overflows use is at the top: small offsets take fewer
 * instructions.
 */
struct sbi_pmu_cpu {
	struct sbi_pmu *pmu;
	const struct sbi_pmu_layout *layout;   /* what there is */
	const struct sbi_pmu_backend *backend; /* how they are programmed */
	bool online;                           /* events may be added */
	bool disabled; /* the PMU is: perf core or a handler changes events */
	bool called;   /* firmware was called meanwhile, or delegated counters run on */
	/*
	 * Each start must set the value: with snapshot the memory holds it, and a counter that
	 * accumulates does not go on from the value that was read. A configured counter then stays
	 * stopped until its first event starts. Const while online.
	 */
	bool needs_start_value;
	bool fixed_alike;   /* see struct sbi_pmu_caps */
	bool shown_changed; /* an mmap page has changed its counter: scounteren must, too */
	bool exclusive;     /* no other driver uses this CPU's counters */
	/*
	 * each read of a hardware counter returns the total added to the previous result (KVM up to
	 * 6.12), so that it is not enough to read its CSR
	 */
	bool accumulates;
	/* in a call: its tracepoints (BPF, group reads) must not read while this is half changed */
	bool in_sbi_call;
	u32 filter;      /* with layout->one_filter: that of all that hold a hardware event */
	u32 scounteren;  /* counters that programs may read now */
	u32 open_to_all; /* of these, what all programs may read, by the sysctl */
	/* Sets of counters. Of their states; set_state() and set_states() change these: */
	u64 configured; /* not FREE */
	u64 running;    /* RUNNING, ARMED or STALE: they count */
	u64 armed;      /* ARMED */
	u64 stale;      /* STALE */
	u64 lost;       /* LOST */
	u64 busy;       /* with events: sbi_pmu_assign_join() and its like; the others are idle */
	/* while the PMU is disabled: */
	u64 to_count;          /* on which events count when it is enabled */
	u64 at_disable_valid;  /* whose @at_disable is valid */
	u64 start_valid;       /* whose @start is: they start from there, and others as they are */
	u64 clock;             /* incremented each time that a counter becomes idle */
	unsigned int sampling; /* number of added events that sample; of a group, of its events */
	/* fixed counters that are only read: of layout->free_running, or claimed for programs */
	u64 free_running;
	struct sbi_pmu_cpu_irq irq;
	struct sbi_pmu_branch_cpu branch;
	struct sbi_pmu_cpu_delegated delegated;
	struct sbi_pmu_cpu_timers timers;
	struct sbi_pmu_cpu_dropped dropped;
	struct sbi_pmu_shmem shmem;  /* snapshot shared memory */
	u64 sbi_calls[SBI_PMU_FIDS]; /* number of calls, by function */
	unsigned long trapped_reads; /* user-space reads that came too late, and returned 0 */
	struct sbi_pmu_counter counter[SBI_PMU_MAX_COUNTERS]; /* by logical index */
};

/* Counters that hold an event, but count for nobody: they can be released */
static inline u64 sbi_pmu_idle_counters(const struct sbi_pmu_cpu *cpu)
{
	return cpu->configured & ~cpu->busy & ~cpu->free_running;
}

/* ---- a kind of core ---- */

/* SBI implementation ids (SBI 3.0, 4.9) */
#define SBI_IMPL_OPENSBI	1
#define SBI_IMPL_KVM		3

struct sbi_pmu_firmware_id {
	unsigned long spec;         /* SBI version, as the base extension encodes it */
	unsigned long impl;         /* implementation id */
	unsigned long impl_version; /* its version, in its own encoding */
	/* of the cores, 0 if they are not known */
	unsigned long mvendorid, marchid, mimpid;
	bool has_pmu; /* the PMU extension */
};

/* Events that counters took */
struct sbi_pmu_examples {
	u64 known;                                      /* counters of which there is one */
	struct sbi_pmu_code code[SBI_PMU_MAX_COUNTERS]; /* by counter, an event */
};

/* What probes have found out about events */
struct sbi_pmu_probe_cache {
	struct mutex lock;        /* guards the rest, and serialises probes */
	struct list_head entries; /* by event, the most recently used first */
	unsigned int count;       /* number of entries */
	struct sbi_pmu_probe_budget {
		unsigned long user; /* this_user() */
		u64 spent_until;    /* the time (ns) until which it is spent */
	} budgets[16];
	struct sbi_pmu_examples examples;
};

/* Of all CPUs of a kind; const after probe. They are compared as memory: no padding. */
struct sbi_pmu_branch_caps {
	unsigned int entries; /* 0: none */
	u16 inhibits;         /* kinds of which recording can be inhibited, a bit each */
	bool tells_types;     /* a record says of which kind it is */
	bool call_stack;      /* they can be only the calls that have not returned */
};

struct sbi_pmu_user_access {
	bool available; /* the kernel has what is needed; const after probe */
	int *mode;      /* the sysctl kernel.perf_user_access, enum sbi_pmu_user_access_mode: */
	int own;        /* this, or that of the driver that was stopped */
	struct ctl_table_header *sysctl; /* its handle, or NULL */
	struct ctl_table table;          /* its description */
	struct kprobe probe;             /* catches reads that come too late, if @available */
	DECLARE_HASHTABLE(readers, 6);   /* events that have been mapped, by task; under RCU */
	spinlock_t lock;                 /* for changes of @readers */
};

/* General and cache events of the SBI specification: sbi_pmu_event_standard() */
#define SBI_PMU_STANDARD_EVENTS	52

/* A standard event that delegated counters can count */
struct sbi_pmu_delegated_event {
	u64 selector; /* what mhpmevent holds for it, without filters */
	u32 idx;      /* event_idx */
	u32 counters; /* those that count it, by number */
};

/* What delegated counters can do (backend_csr.c), on all CPUs of a kind; const after probe */
struct sbi_pmu_delegation {
	bool filters;       /* programmable counters can be inhibited by privilege mode */
	bool fixed_filters; /* cycle and instret can, too (Smcntrpmf) */
	bool sticks;        /* with the filter of M-mode counts on when S-mode clears its event */
	/* standard events: first those that firmware knows, then those that only the vendor does */
	unsigned int of_firmware; /* number of the former */
	unsigned int events;      /* number of all */
	struct sbi_pmu_delegated_event event[SBI_PMU_STANDARD_EVENTS];
};

/* What the built-in driver left when it was stopped (takeover.c); const after probe */
struct sbi_pmu_builtin {
	struct device *device; /* its own, NULL: it was not stopped */
	int *user_access;      /* the value of its sysctl */
	bool samples;          /* it had an overflow interrupt */
};

/* What makes samples */
enum sbi_pmu_overflow_source {
	SBI_PMU_OVERFLOW_NONE,
	SBI_PMU_OVERFLOW_IRQ, /* the interrupt of irq_source */
	SBI_PMU_OVERFLOW_TIMER,
};

/*
 * The PMU of one kind of core; const after probe, except for @homogeneous, @cpus, @found, and
 * @cache to the end. The first also has what the machine has once: @user_access to the end.
 */
struct sbi_pmu {
	union {
		struct pmu pmu;         /* for perf core */
		struct riscv_pmu riscv; /* for arch_perf_update_userpage(), which casts to it */
	};
	struct sbi_pmu_cpu __percpu *cpu;      /* of each CPU, also of those of another kind */
	unsigned int probed_cpu;               /* which was probed; all in @cpus are like it */
	u64 wrap_ns;                           /* how often to read narrow counters, 0: none */
	struct sbi_pmu_caps caps;              /* what its cores can do */
	struct sbi_pmu_firmware_id id;         /* the firmware */
	const struct sbi_pmu_backend *backend; /* how counters are programmed */
	bool accumulates;                      /* see struct sbi_pmu_cpu */
	/* no other CPU PMU is there: ours has type RAW, else it leaves alone what that one uses */
	bool exclusive;
	const char *name; /* the PMU's name in that mode */
	bool registered;  /* with perf core */
	bool unusable;    /* no PMU; kept so that its CPUs are not probed one after the other */
	/* CPUs that had @layout when last online; hotplug callbacks write it, one at a time */
	struct cpumask homogeneous;
	struct cpumask cpus;                 /* those that are online; likewise */
	enum sbi_pmu_overflow_source source; /* what makes samples, and */
	const char *no_irq;   /* in words for the log why not the interrupt; NULL: it does */
	bool sample_by_timer; /* what cannot interrupt */
	/* values show which overflowed: KVM has no scountovf, nor does it clear bits in memory */
	bool overflow_by_value;
	const struct sbi_pmu_irq_source *irq_source; /* that the cores have, or NULL */
	bool irq_missing;                            /* a CPU with this core lacks it */
	bool loses_irqs;                             /* so overflows are looked for often */
	int irq;                                     /* its Linux number, 0 if it is not used */
	bool requested;                              /* it was, by this kind */
	u32 openable;                                /* counters that can be opened to programs */
	/* what perf core does not export, or NULL */
	typeof(&perf_event_overflow) perf_event_overflow;
	typeof(&perf_sample_event_took) perf_sample_event_took;
	typeof(&perf_pmu_resched) perf_pmu_resched;
	typeof(&perf_sched_cb_inc) perf_sched_cb_inc;
	typeof(&perf_sched_cb_dec) perf_sched_cb_dec;
	const typeof(sysctl_perf_event_paranoid) *perf_event_paranoid;
	/* Large ones last: small offsets take fewer instructions. */
	struct sbi_pmu_layout layout;           /* of every CPU in @cpus */
	u8 max_width[SBI_PMU_MAX_COUNTERS];     /* most bits of a counter; firmware may say more */
	struct sbi_pmu_delegation delegation;   /* if counters are delegated */
	struct sbi_pmu_branch_caps branch;      /* records of branches */
	struct sbi_pmu_probe_cache cache;       /* which counters can count an event */
	atomic_t events;                        /* number of perf events that exist */
	atomic_t unfiltered;                    /* number of those opened so, since the load */
	char own_name[32];                      /* @name, of another kind than the first */
	struct sbi_pmu_layout found;            /* of a CPU that comes online */
	struct sbi_pmu *next;                   /* the next kind, NULL: no other */
	struct sbi_pmu_user_access user_access; /* user-space reads */
	struct sbi_pmu_builtin builtin;         /* the driver that was stopped */
	struct hlist_node hotplug;              /* in the list of the CPU hotplug state */
	struct notifier_block reboot;           /* notified before kexec and power-off */
	struct notifier_block pm;               /* notified when a CPU loses or regains power */
};

static inline struct sbi_pmu *to_sbi_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct sbi_pmu, pmu);
}

static inline struct sbi_pmu_cpu *this_sbi_pmu_cpu(struct pmu *pmu)
{
	return this_cpu_ptr(container_of(pmu, struct sbi_pmu, pmu)->cpu);
}

/*
 * The counters of a KVM guest are perf events of its host. KVM accepts raw events that it cannot
 * count, and does not virtualise scountovf.
 */
static inline bool sbi_pmu_in_kvm(const struct sbi_pmu *pmu)
{
	return pmu->id.impl == SBI_IMPL_KVM;
}

extern struct sbi_pmu *sbi_pmu_the_pmu; /* main.c */

#define for_each_kind(pmu) \
	for ((pmu) = sbi_pmu_the_pmu; (pmu); (pmu) = (pmu)->next)

/* State for this CPU's kind of core; if it is of none, of the first kind, offline (cpu.c) */
DECLARE_PER_CPU(struct sbi_pmu_cpu *, sbi_pmu_here);

/* What main.c alone calls */
void sbi_pmu_pmu_init(struct sbi_pmu *pmu);
void sbi_pmu_debugfs_init(void);

#endif
