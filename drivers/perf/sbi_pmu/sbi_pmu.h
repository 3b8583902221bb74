/* SPDX-License-Identifier: GPL-2.0-only */
/* sbi_pmu: types and prototypes of the driver, in the order of its files. */
#ifndef SBI_PMU_H
#define SBI_PMU_H

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <linux/capability.h>
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
#include <linux/user_namespace.h>

#include <asm/csr.h>
#include <asm/sbi.h>

#include <sbi_pmu/version.h>

#undef pr_fmt
#define pr_fmt(fmt) "sbi_pmu: " fmt

struct sbi_pmu;
struct sbi_pmu_cpu;

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

/*
 * No event happens more often than this per ns (eight a cycle at 8 GHz), so a counter of w bits
 * wraps after 2^w / 64 ns at the earliest. Narrower counters than SBI_PMU_MIN_WIDTH would have to
 * be read more than once in a ms.
 */
#define SBI_PMU_EVENTS_PER_NS	64
#define SBI_PMU_MIN_WIDTH	27

/* Read right after its start a counter has counted less than 2^20, unless the hart was delayed. */
#define SBI_PMU_FAR_BITS	20

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

/* Firmware may return that one whatever is offered, and change what the other driver uses. */
static inline bool sbi_pmu_has_fixed_counter(const struct sbi_pmu_code *code)
{
	return code->idx == SBI_PMU_HW_CPU_CYCLES || code->idx == SBI_PMU_HW_INSTRUCTIONS;
}

/* The config of events of our own type; sysfs and event.c use the same masks. */
#define SBI_PMU_CFG_EVENT	GENMASK_ULL(55, 0)
#define SBI_PMU_CFG_SPACE_SHIFT	62
#define SBI_PMU_CFG_SPACE	GENMASK_ULL(63, SBI_PMU_CFG_SPACE_SHIFT) /* format/firmware */

/* Values of SBI_PMU_CFG_SPACE, written firmware=N: what the rest of config is */
#define SBI_PMU_SPACE_RAW	0	/* a hardware selector */
#define SBI_PMU_SPACE_STANDARD	1	/* a general or cache event_idx */
#define SBI_PMU_SPACE_FIRMWARE	2	/* the code of an SBI firmware event */
#define SBI_PMU_SPACE_PLATFORM	3	/* the data of a platform firmware event */

/* What this kind of core can do; const after probe */
struct sbi_pmu_caps {
	bool filter;       /* programmable counters filter by privilege mode, as far as is known */
	bool fixed_alike;  /* fixed counters interrupt as others do (overflow.c) */
	bool m_mode_fixed; /* M-mode is counted or not, whatever the event (delegated counters) */
	bool has_h;        /* the harts have the H extension, so that virtual modes exist */
	bool nonstandard_fw; /* firmware checks codes of firmware events that SBI does not define */
	bool platform_fw;    /* platform events can be asked for while counters are in use */
	u64 fixed_filters;   /* fixed counters that filter by privilege mode */
	struct sbi_pmu_table *table; /* what is known of the core's events: vendor.h */
	const char *event_table;     /* its name; NULL: nothing is known */
	unsigned int slots;          /* likewise: micro-ops of a cycle at most; 0: not known */
};

/* General and cache events of the SBI specification: sbi_pmu_event_standard() */
#define SBI_PMU_STANDARD_EVENTS	52

int sbi_pmu_event_encode(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			 bool own_type, struct sbi_pmu_code *code);
u32 sbi_pmu_event_standard(unsigned int n);
bool sbi_pmu_event_filter(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr,
			  struct sbi_pmu_code *code);
int sbi_pmu_filter_errno(const struct sbi_pmu_caps *caps, const struct perf_event_attr *attr);

/* ---- a counter of a CPU (counters.c) ---- */

/*
 * What a counter is doing:
 *
 * state    it                                      becomes
 * FREE     holds no event                          STOPPED: counter_configure(), which starts it
 *                                                  unless a start needs a value
 * STOPPED  holds an event, does not count          RUNNING, ARMED: start_counters()
 * RUNNING  counts                                  STALE: sbi_pmu_event_set_stale(), for an event
 *                                                  that samples or must start from 0
 * ARMED    counts, and overflows when the period   STALE: likewise, for one that it does not suit;
 *          of an event on it ends, or before       RUNNING: sbi_pmu_counters_resume()
 * STALE    counts, needs another start value       STOPPED, and started: start_counters()
 * LOST     firmware has lost its event or value    FREE, and configured if it has events:
 *                                                  start_counters()
 *
 * Those that count become STOPPED by sbi_pmu_counters_stop(): after an overflow, by snapshot, and
 * for a reference counter in KVM. Any becomes FREE by counter_release(), and LOST when firmware
 * takes it without an offer, fails to stop it, or loses it in suspend. That an event only counts
 * changes no state. sbi_pmu_counters_enable() starts again what has events, and what has none
 * unless a start needs a value. A counter that a probe uses stays FREE. set_state() and
 * set_states() are the only places that change a state.
 */
enum sbi_pmu_counter_state {
	SBI_PMU_FREE,
	SBI_PMU_LOST,
	SBI_PMU_STOPPED,
	SBI_PMU_RUNNING, /* this one and the next count */
	SBI_PMU_ARMED,
	SBI_PMU_STALE,
};

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
	u8 state;                                /* enum sbi_pmu_counter_state */
	u8 shares;                               /* of its events: SBI_PMU_SHARES at most */
	struct sbi_pmu_code code;                /* the event that it holds, or held last */
	u64 candidates;                          /* the counters to which that could move */
	u64 stamp;                               /* cpu->clock when it became idle last */
	/* its value: when the PMU was disabled or it stopped since, if cpu->at_disable_valid; */
	u64 at_disable;
	u64 start;     /* when it was started, if cpu->start_valid; */
	u64 at_enable; /* when the PMU was enabled */
	u64 last;      /* what it was started from last; if it accumulates, what was read last */
	u64 total;     /* if it accumulates, since it was configured */
	u64 offset;    /* likewise, of the value that users see */
	u64 mhpmevent; /* what a delegated counter holds in sireg2 */
};

/* ---- which counter holds which event (assign.c) ---- */

/* A chain of moves that makes a counter available */
struct sbi_pmu_path {
	/* the counter whose event moves here; SBI_PMU_NO_COUNTER: here goes the new event */
	u8 from[SBI_PMU_MAX_COUNTERS];
	unsigned int first; /* the counter for the new event */
	unsigned int end;   /* the last counter of the chain, which is available */
};

unsigned int sbi_pmu_assign_find(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
				 u64 candidates, u8 shares);
unsigned int sbi_pmu_assign_oldest(const struct sbi_pmu_cpu *cpu, u64 which);
bool sbi_pmu_assign_is_full(const struct sbi_pmu_layout *layout, u64 which);
u64 sbi_pmu_assign_where(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
			 u64 candidates);
bool sbi_pmu_assign_search(const struct sbi_pmu_cpu *cpu, const struct sbi_pmu_code *code,
			   u64 candidates, struct sbi_pmu_path *path);
bool sbi_pmu_assign_add(struct sbi_pmu_cpu *group, const struct sbi_pmu_code *code, u64 candidates,
			u8 shares);

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

struct sbi_pmu_branch_calls;

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
	bool has_page;            /* a task has mapped it */
	u8 shown;                 /* hpmcounter number plus one in its mmap page, or 0 */
	struct sbi_pmu_code code; /* the event */
	u64 candidates;           /* counters that can hold it, or that were not asked */
	u64 confirmed;                /* of these, those that are known to */
	u32 counterid_mask;       /* its user wants these, as bits of scounteren; 0: any */
	struct sbi_pmu_known *known;  /* what was found out about it; NULL: it is inherited */
	struct sbi_pmu_period period; /* unless @sampling is SBI_PMU_COUNTING */
	u64 refused;                  /* counters that firmware refused when it was added */
	const struct sbi_pmu_cpu *refused_by; /* the CPU where that was */
	u8 skipped_adds;          /* number of adds from now on that do not ask for them */
	struct mm_struct *mm;     /* which has mapped it, with a reference; NULL before */
	u32 published;            /* all counters that its page has shown, as in scounteren */
	struct hlist_node reader; /* in the list of readers, if @mm */
	struct sbi_pmu_branch_request branch;  /* const after open */
	struct sbi_pmu_branch_calls *calls; /* if it asks for the calls of a task, else NULL */
	struct hlist_node branch_node;      /* in the list of its CPU, while that records for it */
	struct rcu_head rcu;                /* to free it */
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
	bool on; /* it has records and is set up, until it goes or the kernel ends */
};

/* The overflow interrupt of a CPU (overflow.c) */
struct sbi_pmu_cpu_irq {
	bool off;             /* it did not end: samples are taken by timer */
	unsigned int spurious; /* interrupts that nothing explains, less others */
	/* sets of counters: */
	/* whose overflow the last interrupt was for; 0 once a sampling event has stopped */
	u64 served;
	u64 stopped_armed;          /* armed ones that were stopped since it: theirs may come yet */
	u64 wrapped;                /* sampling ones, at the last look for missed interrupts */
	u64 missed;                 /* whose missed interrupt is not served yet */
	u64 spurious_since;          /* when @spurious was counted from 0 last (ns) */
	u64 spurious_ns;             /* time that they have taken since then */
	u64 spurious_end;            /* when the last of them had been served */
	unsigned int pause;         /* it is off for so long (s), or was when it was off last */
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
 * Written on its own CPU only, interrupts disabled, once the PMU is registered: no lock. Others
 * read statistics, and which counters are configured while no event exists. First what switches and
 * overflows use: small offsets take fewer instructions.
 */
struct sbi_pmu_cpu {
	struct sbi_pmu *pmu;
	const struct sbi_pmu_layout *layout; /* what there is */
	const struct sbi_pmu_backend *backend;   /* how they are programmed */
	bool online;                             /* events may be added */
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
	/* in a call: its tracepoints (BPF, group reads) must not read, as our state is not right */
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
	/* with events; sbi_pmu_assign_join() and its like change it: the others are idle */
	u64 busy;
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

/*
 * May one more event sample here? Equal ones share a counter, but a handler takes the samples of
 * all that are due with interrupts disabled: so no more than if each had a counter of its own.
 */
static inline bool sbi_pmu_may_sample(const struct sbi_pmu_cpu *cpu)
{
	return cpu->sampling < hweight64(sbi_pmu_hardware(cpu->layout));
}

/* One more event counts on the counter. */
static inline void sbi_pmu_assign_join(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c,
				       u64 candidates, u8 shares)
{
	/* The counter's event may move to where all of its events can be. */
	c->candidates = c->shares ? c->candidates & candidates : candidates;
	c->shares += shares;
	cpu->busy |= c->bit;
}

static inline void sbi_pmu_assign_leave(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *c,
					u8 shares)
{
	c->shares -= shares;
	if (c->shares)
		return;
	cpu->busy &= ~c->bit;
	c->stamp = ++cpu->clock;
}

/* All events of one counter count on another one. */
static inline void sbi_pmu_assign_move(struct sbi_pmu_cpu *cpu, struct sbi_pmu_counter *from,
				       struct sbi_pmu_counter *to)
{
	to->shares = from->shares;
	cpu->busy |= to->bit;
	sbi_pmu_assign_leave(cpu, from, from->shares);
}

/* ---- SBI calls (sbi.c) ---- */

/* SBI implementation ids (SBI 3.0, 4.9) */
#define SBI_IMPL_OPENSBI	1
#define SBI_IMPL_KVM		3

#define OPENSBI_VERSION(major, minor)	((major) << 16 | (minor))

struct sbi_pmu_firmware_id {
	unsigned long spec;         /* SBI version, as the base extension encodes it */
	unsigned long impl;         /* implementation id */
	unsigned long impl_version; /* its version, in its own encoding */
	/* of the cores, 0 if they are not known */
	unsigned long mvendorid, marchid, mimpid;
	bool has_pmu; /* the PMU extension */
};

void sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id);
bool sbi_pmu_sbi_same_core(const struct sbi_pmu_firmware_id *id);
int __must_check sbi_pmu_sbi_value(struct sbi_pmu_cpu *cpu, unsigned int fid, unsigned int idx,
				   u64 *value);
int __must_check sbi_pmu_sbi_config(struct sbi_pmu_cpu *cpu, u64 mask,
				    const struct sbi_pmu_code *code, unsigned int *got);
int __must_check sbi_pmu_sbi_start(struct sbi_pmu_cpu *cpu, u64 mask, unsigned long flags,
				   u64 value);
int sbi_pmu_sbi_stop(struct sbi_pmu_cpu *cpu, u64 mask, unsigned long flags);
void sbi_pmu_sbi_release(struct sbi_pmu_cpu *cpu, unsigned int idx);
int sbi_pmu_sbi_set_shmem(struct sbi_pmu_cpu *cpu, u64 address);

/* ---- CSRs (csr.c) ---- */

/* CSRs of overflow interrupts that asm/csr.h does not have */
#define SBI_PMU_CSR_THEAD_SXSTATUS	0x5c0
#define SBI_PMU_CSR_THEAD_SCOUNTEROF	0x5c5
#define SBI_PMU_CSR_ANDES_SLIE		0x9c4
#define SBI_PMU_CSR_ANDES_SLIP		0x9c5
#define SBI_PMU_CSR_ANDES_SCOUNTEROF	0x9d4

int sbi_pmu_csr_read(unsigned int csr, u64 *value);
u32 sbi_pmu_csr_overflow(unsigned int csr);
bool sbi_pmu_csr_is_pending(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_clear_pending(unsigned int csr, unsigned long mask);
void sbi_pmu_csr_set_pending(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_can_enable(unsigned int csr, unsigned long mask);
bool sbi_pmu_csr_exists(unsigned int csr);
bool sbi_pmu_csr_filter(u32 flags);
u32 sbi_pmu_csr_openable(void);
void sbi_pmu_csr_open(u32 counters);
/* Delegated counters. Return: 0, or -ENXIO if the access trapped. */
int sbi_pmu_csr_read_delegated(unsigned int counter, unsigned int csr, u64 *value);
int sbi_pmu_csr_write_delegated(unsigned int counter, unsigned int csr, u64 value);
int sbi_pmu_csr_read_inhibit(u32 *counters);
int sbi_pmu_csr_inhibit(u32 counters);
int sbi_pmu_csr_uninhibit(u32 counters);

/* Branch records (CTR 1.0) */
#define SBI_PMU_CTR_U		BIT_ULL(0)          /* sctrctl: record user mode */
#define SBI_PMU_CTR_S		BIT_ULL(1)          /* record the kernel */
#define SBI_PMU_CTR_RASEMU	BIT_ULL(7)          /* a return removes the record of its call */
#define SBI_PMU_CTR_LCOFIFRZ	BIT_ULL(12)         /* the overflow interrupt freezes them */
#define SBI_PMU_CTR_INHIBIT	GENMASK_ULL(47, 32) /* kinds that are not recorded */
#define SBI_PMU_CTRSOURCE_V	BIT_ULL(0)          /* the entry has a record */
#define SBI_PMU_CTRTARGET_MISP	BIT_ULL(0)          /* it was mispredicted */
#define SBI_PMU_CTRDATA_TYPE	GENMASK_ULL(3, 0)
#define SBI_PMU_CTRDATA_CCV	BIT_ULL(15)         /* cycles are known */
#define SBI_PMU_CTRDATA_CCM	GENMASK_ULL(27, 16)
#define SBI_PMU_CTRDATA_CCE	GENMASK_ULL(31, 28)

/* An entry, as the CSRs sireg, sireg2, sireg3 have it */
struct sbi_pmu_branch_record {
	u64 source, target, data;
};

/* Of an event that asks for the calls that have not returned: those of its task while that waits */
struct sbi_pmu_branch_calls {
	const struct task_struct *task; /* whose they are; only compared */
	unsigned long switches;         /* how often it had been switched out then */
	unsigned int count;
	struct sbi_pmu_branch_record record[];
};

unsigned int sbi_pmu_csr_branch_setup(unsigned int wanted, u64 *control);
void sbi_pmu_csr_branch_control(u64 control);
void sbi_pmu_csr_branch_clear(void);
bool sbi_pmu_csr_branch_freeze(void);
void sbi_pmu_csr_branch_unfreeze(void);
void sbi_pmu_csr_branch_read(unsigned int i, struct sbi_pmu_branch_record *record);
void sbi_pmu_csr_branch_write(unsigned int i, const struct sbi_pmu_branch_record *record);

/* ---- counters, and which can count an event (counter_info.c, probe.c) ---- */

struct sbi_pmu_probe_limits {
	u8 width[SBI_PMU_MAX_COUNTERS]; /* bits at most; firmware may say more */
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
		u64 spent_until;    /* the time, in ns, when what he caused is allowed */
	} budgets[16];
	struct sbi_pmu_examples examples;
};

/* Which counters are asked for an event */
enum sbi_pmu_ask {
	SBI_PMU_ASK_IDLE, /* until one takes it; not those on which events count */
	SBI_PMU_ASK_ANY,  /* until one takes it; last those on which events count */
	SBI_PMU_ASK_ALL,
};

/* perfmon_capable(), but audit logs no denial: without the right something else is done. */
static inline bool sbi_pmu_has_perfmon(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

int sbi_pmu_probe_layout(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_probe_limits *limits,
			   struct sbi_pmu_layout *layout);
bool sbi_pmu_lower_widths(struct sbi_pmu_layout *layout,
			  const struct sbi_pmu_probe_limits *limits);
bool sbi_pmu_layout_equal(const struct sbi_pmu_layout *a, const struct sbi_pmu_layout *b);
u64 sbi_pmu_wrap_ns(const struct sbi_pmu_layout *layout);
u64 sbi_pmu_probe_widths(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_examples *examples,
			 struct sbi_pmu_probe_limits *limits);
bool sbi_pmu_probe_is_counting(struct sbi_pmu_cpu *cpu, unsigned int idx);
bool sbi_pmu_probe_counts_freely(struct sbi_pmu_cpu *cpu, unsigned int idx);
u64 sbi_pmu_probe_free_running(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_probe_accumulates(struct sbi_pmu_cpu *cpu);
static inline bool sbi_pmu_is_refusal(int ret)
{
	return ret == -EOPNOTSUPP || ret == -EINVAL;
}

int sbi_pmu_with_event(struct sbi_pmu_cpu *cpu, u64 offered, const struct sbi_pmu_code *code,
		       unsigned int *got,
		       int (*use)(struct sbi_pmu_cpu *cpu, unsigned int idx, void *arg), void *arg);
int sbi_pmu_start_and_read(struct sbi_pmu_cpu *cpu, unsigned int idx, void *unused);
void sbi_pmu_probe_standard(struct sbi_pmu *pmu);
void sbi_pmu_probe_filters(struct sbi_pmu *pmu);
void sbi_pmu_probe_tied(struct sbi_pmu *pmu);
int sbi_pmu_find_counters(struct sbi_pmu *pmu, const struct sbi_pmu_code *code, u64 *candidates);
bool sbi_pmu_is_supported(struct sbi_pmu *pmu, struct sbi_pmu_code code);
int sbi_pmu_find_event(struct sbi_pmu *pmu, struct sbi_pmu_event *e, bool by_user);
int sbi_pmu_ask_more(struct sbi_pmu *pmu, struct sbi_pmu_event *e, u64 among,
		       enum sbi_pmu_ask how);
void sbi_pmu_known_put(struct sbi_pmu_known *known);
void sbi_pmu_known_denied(struct sbi_pmu_known *known);
void sbi_pmu_probe_cache_free(struct sbi_pmu_probe_cache *cache);
void sbi_pmu_probe_cache_show(struct sbi_pmu_probe_cache *cache, struct seq_file *file);

/* ---- interrupts (irq_source.c, overflow.c) ---- */

struct sbi_pmu_irq_source {
	const char *name;    /* in caps/overflow, and a value of overflow= */
	const char *title;   /* in the log */
	const char *missing; /* in the log, if it is asked for on other cores */
	u16 hwirq;           /* its number at the interrupt controller of the core */
	u16 overflow;       /* CSR with a bit for each counter that has overflowed, by CSR number */
	u16 pending;        /* CSR of the pending bit */
	u16 enable;         /* CSR of the enable bit, at the same place */
	unsigned long mask; /* the two bits */
	bool filters;       /* programmable counters should filter by privilege mode */
};

void sbi_pmu_irq_source_probe(struct sbi_pmu *pmu);
bool sbi_pmu_irq_source_exists(struct sbi_pmu *pmu);
const struct sbi_pmu_irq_source *sbi_pmu_irq_source_named(const char *name);
bool sbi_pmu_loses_irqs(const struct sbi_pmu *pmu);
bool sbi_pmu_may_have_one_filter(const struct sbi_pmu_firmware_id *core);

const char *sbi_pmu_overflow_request(struct sbi_pmu *pmu);
void sbi_pmu_overflow_free(struct sbi_pmu *pmu);
void sbi_pmu_overflow_retry(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_sample_counter(struct sbi_pmu_cpu *cpu, unsigned int idx, enum sbi_pmu_sampling how);
void sbi_pmu_report_time(struct sbi_pmu_cpu *cpu, u64 start);
bool sbi_pmu_find_missed_irqs(struct sbi_pmu_cpu *cpu);
void sbi_pmu_serve_missed_irqs(struct sbi_pmu_cpu *cpu);

/* ---- branch records (branch.c) ---- */

/* Of all CPUs of a kind; const after probe. They are compared as memory: no padding. */
struct sbi_pmu_branch_caps {
	unsigned int entries; /* 0: none */
	u16 inhibits;         /* kinds of which recording can be inhibited, a bit each */
	bool tells_types;     /* a record says of which kind it is */
	bool call_stack;      /* they can be only the calls that have not returned */
};

int sbi_pmu_branch_probe(struct sbi_pmu *pmu, unsigned int wanted);
bool sbi_pmu_branch_is_alike(const struct sbi_pmu *pmu);
int sbi_pmu_branch_filter(const struct sbi_pmu *pmu, struct perf_event *event,
			  struct sbi_pmu_branch_request *request);
int sbi_pmu_branch_open(const struct sbi_pmu *pmu, struct sbi_pmu_event *e);
bool sbi_pmu_branch_go_together(const struct sbi_pmu *pmu, const struct sbi_pmu_branch_request *a,
				const struct sbi_pmu_branch_request *b);
bool sbi_pmu_branch_add(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_branch_del(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e);
void sbi_pmu_branch_switch(struct sbi_pmu_cpu *cpu, bool in);
void sbi_pmu_branch_online(struct sbi_pmu_cpu *cpu);
void sbi_pmu_branch_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_branch_sample(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e,
			   struct perf_sample_data *data);

/* The event leaves this CPU. */
static inline void sbi_pmu_branch_leave(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	if (unlikely(!hlist_unhashed(&e->branch_node)))
		sbi_pmu_branch_del(cpu, e);
}

/* The overflow interrupt has frozen the records: its handler has looked at them. */
static inline void sbi_pmu_branch_go_on(const struct sbi_pmu_cpu *cpu)
{
	if (unlikely(!hlist_empty(&cpu->branch.events)) && cpu->branch.on)
		sbi_pmu_csr_branch_unfreeze();
}

/* ---- timers (timer.c) ---- */

void sbi_pmu_timer_init(struct sbi_pmu_cpu *cpu, int id);
void sbi_pmu_timer_stop(struct sbi_pmu_cpu *cpu);
void sbi_pmu_timer_needed(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling);
void sbi_pmu_timer_update(struct sbi_pmu_cpu *cpu);
void sbi_pmu_period_seen(struct sbi_pmu_event *e, u64 now);

/* ---- reads from user space (user_page.c, user_access.c) ---- */

void sbi_pmu_user_page_publish(struct sbi_pmu_event *e);
void sbi_pmu_write_scounteren(struct sbi_pmu_cpu *cpu);

enum sbi_pmu_user_access_mode {
	SBI_PMU_USER_ACCESS_NONE,  /* programs read no counter */
	SBI_PMU_USER_ACCESS_OWN,   /* those of their own events that they have mapped */
	SBI_PMU_USER_ACCESS_FIXED, /* also cycle and instret, without an event */
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

void sbi_pmu_user_access_init(struct sbi_pmu *pmu);
void sbi_pmu_user_access_start(struct sbi_pmu *pmu);
void sbi_pmu_user_access_exit(struct sbi_pmu *pmu);
void sbi_pmu_user_access_resume(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_offline(struct sbi_pmu_cpu *cpu);
void sbi_pmu_user_access_open(struct sbi_pmu_event *e);
bool sbi_pmu_user_access_map(struct sbi_pmu_event *e, struct mm_struct *mm);
void sbi_pmu_user_access_close(struct sbi_pmu_event *e);

/* ---- the driver (main.c) ---- */

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
	/* CPUs that had @counters when last online; hotplug callbacks write it, one at a time */
	struct cpumask homogeneous;
	struct cpumask cpus;                 /* those that are online; likewise */
	enum sbi_pmu_overflow_source source; /* what makes samples, and */
	const char *no_irq;   /* in words for the log why not the interrupt; NULL: it does */
	bool sample_by_timer; /* what cannot interrupt */
	/* values show which overflowed: KVM has no scountovf, nor does it clear bits in memory */
	bool overflow_by_value;
	const struct sbi_pmu_irq_source *irq_source; /* that the cores have, or NULL */
	bool irq_missing;                            /* a CPU with this core lacks it */
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
	struct sbi_pmu_layout layout;         /* of every CPU in @cpus */
	struct sbi_pmu_probe_limits limits;     /* how to read what firmware says of counters */
	struct sbi_pmu_delegation delegation;   /* if counters are delegated */
	struct sbi_pmu_branch_caps branch;      /* records of branches */
	struct sbi_pmu_probe_cache cache;       /* which counters can count an event */
	atomic_t events;                        /* number of perf events that exist */
	char own_name[32];                      /* @name, of another kind than the first */
	struct sbi_pmu_layout found;          /* of a CPU that comes online */
	struct sbi_pmu *next;                   /* the next kind, NULL: no other */
	struct sbi_pmu_user_access user_access; /* user-space reads */
	struct sbi_pmu_builtin builtin;         /* the driver that was stopped */
	struct hlist_node hotplug;              /* in the list of the CPU hotplug state */
	struct notifier_block reboot;           /* notified before kexec and power-off, */
	struct notifier_block pm;               /* notified when a CPU loses or regains power */
	struct dentry *debugfs;                 /* folder */
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

#define for_each_kind(pmu) \
	for ((pmu) = sbi_pmu_the_pmu; (pmu); (pmu) = (pmu)->next)

void sbi_pmu_pmu_init(struct sbi_pmu *pmu); /* pmu.c */
extern struct sbi_pmu *sbi_pmu_the_pmu;

/* cpu.c */
DECLARE_PER_CPU(struct sbi_pmu_cpu *, sbi_pmu_here);
int sbi_pmu_cpu_alloc(struct sbi_pmu *pmu);
int sbi_pmu_cpu_start(struct sbi_pmu *pmu);
void sbi_pmu_cpu_retry(void);
void sbi_pmu_cpu_stop(struct sbi_pmu *pmu);

/* perf_symbols.c */
int sbi_pmu_find_pmus(struct sbi_pmu *pmu, char **owner, bool *taken);
void *sbi_pmu_lookup(const char *name);
void *sbi_pmu_lookup_variable(const char *name);

const char *sbi_pmu_kprobe(struct kprobe *probe, const char *function,
			   int (*handler)(struct kprobe *, struct pt_regs *),
			   const char *no_kprobe);
void sbi_pmu_find_symbols(struct sbi_pmu *pmu);

/* takeover.c */
const char *sbi_pmu_take_over(struct sbi_pmu *pmu, bool asked_for);
void sbi_pmu_find_stopped(struct sbi_pmu *pmu);
void sbi_pmu_give_back(struct sbi_pmu *pmu);

/* debugfs.c */
void sbi_pmu_debugfs_init(struct sbi_pmu *pmu);

#endif
