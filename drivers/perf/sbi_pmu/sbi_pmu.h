/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sbi_pmu: the state of the driver.
 */
#ifndef SBI_PMU_H
#define SBI_PMU_H

#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/perf_event.h>
#include <linux/sysctl.h>
#include <sbi_pmu/version.h>

#include "overflow_scan.h"
#include "sbi.h"
#include "support.h"

#undef pr_fmt
#define pr_fmt(fmt) "sbi_pmu: " fmt

/* SBI implementation ids (SBI 3.0, 4.9) */
#define SBI_IMPL_OPENSBI	1
#define SBI_IMPL_KVM		3

#define OPENSBI_VERSION(major, minor)	((major) << 16 | (minor))

/* Is the snapshot shared memory used? */
enum sbi_pmu_snapshot_use {
	SBI_PMU_SNAPSHOT_NONE,		/* firmware does not have it, or it does not work */
	SBI_PMU_SNAPSHOT_UNUSED,	/* it works, but reading counters is faster */
	SBI_PMU_SNAPSHOT_USED,
};

/**
 * struct sbi_pmu_cpu - a CPU
 * @counters: its counters
 * @timer: runs while an event must be looked at regularly (poll.c)
 * @interval: ns from the last expiry to the next, 0 while the timer is off
 * @polled: when sampling events were looked at last
 * @scounteren: counters that programs may read now
 * @kept: events that keep cycle and instret running while all programs may read them
 * @keeps: they are in use
 * @trapped_reads: user-space reads that came too late, and returned 0
 * @lost_irqs: overflows that were found although their interrupt was lost
 * @wrong_mode: samples that were due in a privilege mode that the event excludes
 * @pmu: the driver
 *
 * Only touched on its own CPU with interrupts disabled.
 */
struct sbi_pmu_cpu {
	struct sbi_pmu_counters counters;
	struct hrtimer timer;
	u64 interval;
	ktime_t polled;
	u32 scounteren;
	struct sbi_pmu_event kept[2];
	bool keeps;
	unsigned long trapped_reads;
	unsigned long lost_irqs;
	unsigned long wrong_mode;
	struct sbi_pmu *pmu;
};

/**
 * struct sbi_pmu_perf_event - what the driver keeps of a perf event, in pmu_private
 * @event: on a CPU
 * @perf: perf core's event
 * @readable: its task may read it from user space once it has mapped it
 * @shown: the counter in its mmap page: hpmcounter number plus one, or 0
 * @mm: the address space that has mapped it, with a reference; NULL before
 * @published: counters that its page has shown so far, as in scounteren
 * @reader: in the list of readers, if @mm
 * @rcu: to free it
 */
struct sbi_pmu_perf_event {
	struct sbi_pmu_event event;
	struct perf_event *perf;
	bool readable;
	u8 shown;
	struct mm_struct *mm;
	u32 published;
	struct hlist_node reader;
	struct rcu_head rcu;
};

enum sbi_pmu_user_access_mode {
	SBI_PMU_USER_ACCESS_NONE,	/* programs read no counter */
	SBI_PMU_USER_ACCESS_OWN,	/* those of their own events that they have mapped */
	SBI_PMU_USER_ACCESS_FIXED,	/* also cycle and instret, without an event */
};

/**
 * struct sbi_pmu_user_access - user-space reads
 * @available: the kernel has what is needed; const after probe
 * @mode: the sysctl kernel.perf_user_access, enum sbi_pmu_user_access_mode
 * @sysctl: its handle, NULL where the other driver has it
 * @table: its description
 * @probe: on the kernel's function for fatal traps, if @available
 * @openable: counters that can be opened to user space on every CPU
 * @readers: events that have been mapped, by task; under RCU
 * @count: number of readers
 * @lock: for changes of @readers
 */
struct sbi_pmu_user_access {
	bool available;
	int mode;
	struct ctl_table_header *sysctl;
	struct ctl_table table;
	struct kprobe probe;
	u32 openable;
	DECLARE_HASHTABLE(readers, 6);
	unsigned int count;
	spinlock_t lock;
};

/* What makes samples */
enum sbi_pmu_overflow_source {
	SBI_PMU_OVERFLOW_NONE,
	SBI_PMU_OVERFLOW_LCOFI,
	SBI_PMU_OVERFLOW_TIMER,
};

/**
 * struct sbi_pmu - the driver
 * @pmu: for perf core
 * @riscv: the same, for the kernel's arch_perf_update_userpage(), which casts to it
 * @cpu: per CPU
 * @inv: the counters of every CPU in @cpus; const after probe
 * @limits: how to read what firmware says of counters; const after probe
 * @wrap_ns: how often narrow counters must be read, 0 if there are none; const after probe
 * @caps: what the machine can do; const after probe
 * @id: the firmware; const after probe
 * @read_method: how counters are best read; const after probe
 * @snapshot: enum sbi_pmu_snapshot_use; const after probe
 * @exclusive: no other CPU PMU is there: this one has type RAW and all counters. Else in
 *	       shared mode it leaves alone what the other PMU uses; const after probe
 * @name: the PMU's name in that mode; const after probe
 * @homogeneous: CPUs that have the counters of @inv, or had when they were online last;
 *		 written by hotplug callbacks, which the core serialises
 * @cpus: those that are online; likewise
 * @source: what makes samples; const after probe
 * @poll: events that cannot interrupt may be sampled by timer; const after probe
 * @irq: the overflow interrupt, 0 without; const after probe
 * @perf_event_overflow: perf core's function, which is not exported, or NULL; const after
 *			 probe
 * @perf_sample_event_took: likewise
 * @support: which counters can count an event
 * @events: number of perf events that exist
 * @user_access: user-space reads
 * @hotplug: in the list of the CPU hotplug state
 * @pm: notified when a CPU loses or regains power
 * @debugfs: folder
 */
struct sbi_pmu {
	union {
		struct pmu pmu;
		struct riscv_pmu riscv;
	};
	struct sbi_pmu_cpu __percpu *cpu;
	struct sbi_pmu_inventory inv;
	struct sbi_pmu_probe_limits limits;
	u64 wrap_ns;
	struct sbi_pmu_caps caps;
	struct sbi_pmu_firmware_id id;
	struct sbi_pmu_read_method read_method;
	enum sbi_pmu_snapshot_use snapshot;
	bool exclusive;
	const char *name;
	struct cpumask homogeneous;
	struct cpumask cpus;
	enum sbi_pmu_overflow_source source;
	bool poll;
	int irq;
	typeof(perf_event_overflow) *perf_event_overflow;
	typeof(perf_sample_event_took) *perf_sample_event_took;
	struct sbi_pmu_support_cache support;
	atomic_t events;
	struct sbi_pmu_user_access user_access;
	struct hlist_node hotplug;
	struct notifier_block pm;
	struct dentry *debugfs;
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
