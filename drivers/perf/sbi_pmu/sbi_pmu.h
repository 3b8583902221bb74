/* SPDX-License-Identifier: GPL-2.0-only */
/* sbi_pmu: the state of the driver. */
#ifndef SBI_PMU_H
#define SBI_PMU_H

#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/notifier.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/perf_event.h>
#include <linux/sysctl.h>
#include <linux/timer.h>
#include <sbi_pmu/version.h>

#include "irq_source.h"
#include "fixed.h"
#include "sbi.h"
#include "support.h"
#include "user_trap.h"

#undef pr_fmt
#define pr_fmt(fmt) "sbi_pmu: " fmt

/* SBI implementation ids (SBI 3.0, 4.9) */
#define SBI_IMPL_OPENSBI	1
#define SBI_IMPL_KVM		3

#define OPENSBI_VERSION(major, minor)	((major) << 16 | (minor))

/* How counters are programmed and read: backend.h */
enum sbi_pmu_backend_kind {
	SBI_PMU_BACKEND_SBI,
	SBI_PMU_BACKEND_SNAPSHOT,
	SBI_PMU_BACKEND_CSR,
};

enum sbi_pmu_snapshot_use {
	SBI_PMU_SNAPSHOT_NONE,   /* firmware does not have it, or it does not work */
	SBI_PMU_SNAPSHOT_UNUSED, /* it works, but reading counters is faster */
	SBI_PMU_SNAPSHOT_USED,
};

/* A CPU. Only touched on its own CPU with interrupts disabled. */
struct sbi_pmu_cpu {
	struct sbi_pmu *pmu;
	struct sbi_pmu_counters counters;
	struct hrtimer timer;         /* while a narrow counter counts; serves lost interrupts */
	u64 interval;                 /* ns from its last expiry to the next, 0: off */
	struct hrtimer sample_timer;  /* runs while an event is sampled by timer */
	bool timed_changed;           /* such an event has started or stopped: set sample_timer */
	struct timer_list look_timer; /* looks for lost interrupts of events that sample by one */
	u64 lost;                     /* counters whose lost interrupt is not served yet */
	u32 scounteren;               /* counters that programs may read now */
	u32 open_to_all;              /* of these, what all programs may read, by the sysctl */
	u32 openable;                 /* counters that this CPU can open to programs */
	struct sbi_pmu_event kept[SBI_PMU_KEPT]; /* see fixed.h */
	unsigned long trapped_reads; /* user-space reads that came too late, and returned 0 */
	unsigned long lost_irqs;     /* overflows found although their interrupt was lost */
	unsigned long wrong_mode;    /* samples due in a privilege mode that the event excludes */
	struct irq_work failed;      /* reports that an event had to be disabled */
};

/* What the driver keeps of a perf event, in pmu_private */
struct sbi_pmu_perf_event {
	struct sbi_pmu_event event; /* on a CPU */
	struct perf_event *perf;    /* perf core's event */
	struct sbi_pmu_cpu *cpu;    /* the CPU that it is on, from pmu_add() to pmu_del() */
	bool readable;              /* its task may read it, if it maps it; const after open */
	bool has_page;              /* a task has mapped it */
	u8 shown;                   /* hpmcounter number plus one in its mmap page, or 0 */
	struct mm_struct *mm;       /* which has mapped it, with a reference; NULL before */
	u32 published;              /* all counters that its page has shown, as in scounteren */
	struct hlist_node reader;   /* in the list of readers, if @mm */
	struct rcu_head rcu;        /* to free it */
};

enum sbi_pmu_user_access_mode {
	SBI_PMU_USER_ACCESS_NONE,  /* programs read no counter */
	SBI_PMU_USER_ACCESS_OWN,   /* those of their own events that they have mapped */
	SBI_PMU_USER_ACCESS_FIXED, /* also cycle and instret, without an event */
};

struct sbi_pmu_user_access {
	bool available; /* the kernel has what is needed; const after probe */
	int mode;       /* the sysctl kernel.perf_user_access, enum sbi_pmu_user_access_mode */
	struct ctl_table_header *sysctl; /* its handle, NULL where the other driver has it */
	struct ctl_table table;          /* its description */
	struct sbi_pmu_user_trap trap;   /* catches reads that come too late, if @available */
	DECLARE_HASHTABLE(readers, 6);   /* events that have been mapped, by task; under RCU */
	unsigned int count;              /* number of readers */
	spinlock_t lock;                 /* for changes of @readers */
};

/* What makes samples */
enum sbi_pmu_overflow_source {
	SBI_PMU_OVERFLOW_NONE,
	SBI_PMU_OVERFLOW_IRQ, /* the interrupt of irq_source */
	SBI_PMU_OVERFLOW_TIMER,
};

/* The driver; const after probe, except for @homogeneous, @cpus, and @support to the end */
struct sbi_pmu {
	union {
		struct pmu pmu;         /* for perf core */
		struct riscv_pmu riscv; /* for arch_perf_update_userpage(), which casts to it */
	};
	struct sbi_pmu_cpu __percpu *cpu;
	struct sbi_pmu_inventory inv;           /* the counters of every CPU in @cpus */
	struct sbi_pmu_probe_limits limits;     /* how to read what firmware says of counters */
	u64 wrap_ns;                            /* how often to read narrow counters, 0: none */
	struct sbi_pmu_caps caps;               /* what the machine can do */
	struct sbi_pmu_firmware_id id;          /* the firmware */
	struct sbi_pmu_delegation delegation;   /* if counters are delegated */
	struct sbi_pmu_read_method read_method; /* how counters are best read */
	enum sbi_pmu_backend_kind backend;      /* how counters are programmed */
	enum sbi_pmu_snapshot_use snapshot;
	/* no other CPU PMU is there: ours has type RAW, else it leaves alone what that one uses */
	bool exclusive;
	const char *name; /* the PMU's name in that mode */
	/* CPUs that had @inv when last online; hotplug callbacks, which are serialised, write it */
	struct cpumask homogeneous;
	struct cpumask cpus;                         /* those that are online; likewise */
	enum sbi_pmu_overflow_source source;         /* what makes samples */
	bool poll;                                   /* sample by timer what cannot interrupt */
	const struct sbi_pmu_irq_source *irq_source; /* that the cores have, or NULL */
	int irq;                                     /* its Linux number, 0 if it is not used */
	/* what perf core does not export, or NULL */
	typeof(&perf_event_overflow) perf_event_overflow;
	typeof(&perf_sample_event_took) perf_sample_event_took;
	typeof(&perf_event_disable_inatomic) perf_event_disable_inatomic;
	const typeof(sysctl_perf_event_paranoid) *perf_event_paranoid;
	struct sbi_pmu_support_cache support;   /* which counters can count an event */
	atomic_t events;                        /* number of perf events that exist */
	struct sbi_pmu_user_access user_access; /* user-space reads */
	struct hlist_node hotplug;              /* in the list of the CPU hotplug state */
	struct notifier_block reboot;           /* notified before kexec and power-off */
	struct notifier_block pm;               /* notified when a CPU loses or regains power */
	struct dentry *debugfs;                 /* folder */
};

static inline struct sbi_pmu *to_sbi_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct sbi_pmu, pmu);
}

/* The counters of a KVM guest are perf events of its host. */
static inline bool sbi_pmu_in_kvm(const struct sbi_pmu *pmu)
{
	return pmu->id.impl == SBI_IMPL_KVM;
}

#endif
