/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The driver's state, all of it, and the calls between its rooms.
 */
#ifndef SBI_PMU_H
#define SBI_PMU_H

#include <linux/cpumask.h>
#include <linux/hashtable.h>
#include <linux/hrtimer.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/perf/riscv_pmu.h>
#include <linux/perf_event.h>
#include <linux/sysctl.h>
#include <sbi_pmu/version.h>

#include "event.h"
#include "slot.h"
#include "tables.h"

#undef pr_fmt
#define pr_fmt(fmt) "sbi_pmu: " fmt

/**
 * struct sbi_pmu_firmware_id - who answers our calls; const after probe
 * @spec: SBI version, as the base extension encodes it
 * @impl: implementation id
 * @impl_version: its version, in an encoding of its own
 */
struct sbi_pmu_firmware_id {
	unsigned long spec;
	unsigned long impl;
	unsigned long impl_version;
};

struct sbi_pmu;
struct sbi_pmu_names;

/* The snapshot memory */
enum sbi_pmu_snapshots {
	SBI_PMU_SNAPSHOT_NONE,		/* firmware has none, or it does not work */
	SBI_PMU_SNAPSHOT_UNUSED,	/* it has, and reading counters is cheaper */
	SBI_PMU_SNAPSHOT_USED,
};

/**
 * struct sbi_pmu_cpu - a hart
 * @slots: its counters; see there for who may touch them
 * @timer: rings while there is something to look at
 * @interval: ns from its last ring to the next, 0 while it is still
 * @polled: when it last looked at sampling events
 * @open: what programs may read now, as SCOUNTEREN has it
 * @kept: users of the fixed counters, while every program may read these
 * @keeps: they are in use
 * @astray: reads by programs that came too late, and were given a zero
 * @rescues: overflows served whose interrupt was lost
 * @skidded: samples that came due in a mode that they are not about
 * @pmu: the driver
 *
 * All of it is touched on its own hart only, with interrupts off.
 */
struct sbi_pmu_cpu {
	struct sbi_pmu_slots slots;
	struct hrtimer timer;
	u64 interval;
	ktime_t polled;
	u32 open;
	struct sbi_pmu_user kept[2];
	bool keeps;
	unsigned long astray;
	unsigned long rescues;
	unsigned long skidded;
	struct sbi_pmu *pmu;
};

/**
 * struct sbi_pmu_direct - programs that read counters by themselves
 * @able: the kernel lets us have it; const after probe
 * @access: the sysctl kernel.perf_user_access, see enum
 * @sysctl: its handle, NULL where the other driver has it
 * @table: its description
 * @probe: on the kernel's function for traps, if @able
 * @openable: counters that every hart can let programs read
 * @readers: events that may be read, by task; under RCU
 * @count: how many
 * @lock: for those who change @readers
 */
struct sbi_pmu_direct {
	bool able;
	int access;
	struct ctl_table_header *sysctl;
	struct ctl_table table;
	struct kprobe probe;
	u32 openable;
	DECLARE_HASHTABLE(readers, 6);
	unsigned int count;
	spinlock_t lock;
};

enum sbi_pmu_access {
	SBI_PMU_ACCESS_NONE,	/* programs read no counter */
	SBI_PMU_ACCESS_OWN,	/* those of their own events that they have mapped */
	SBI_PMU_ACCESS_FIXED,	/* besides, cycle and instret are everybody's */
};

/* What makes samples */
enum sbi_pmu_source {
	SBI_PMU_BY_NOTHING,
	SBI_PMU_BY_LCOFI,
	SBI_PMU_BY_TIMER,
};

/**
 * struct sbi_pmu - the driver
 * @pmu: as perf core knows it
 * @riscv: the same, as the kernel's arch_perf_update_userpage() takes it to be
 * @cpu: by hart
 * @inv: the counters of every hart in @cpus; const after probe
 * @wrap_ns: how often its narrow counters must be looked at, 0 if there are none;
 *	     const after probe
 * @able: what the machine can do; const after probe
 * @id: the firmware; const after probe
 * @manner: how counters are best read here; const after probe
 * @snapshot: see enum; const after probe
 * @sole: we are the CPU PMU, type RAW; otherwise there is another, and we live
 *	  beside it, leaving alone what is its; const after probe
 * @name: the PMU's name in that mode; const after probe
 * @alike: harts that have, or when they were last online had, the counters of
 *	   @inv; written by hotplug callbacks, which the core serialises
 * @cpus: those of them that are online; likewise
 * @source: see enum; const after probe
 * @poll: events that cannot interrupt may be sampled by timer; const after probe
 * @irq: the overflow interrupt, 0 without; const after probe
 * @overflow: perf_event_overflow, which the kernel does not export, or NULL;
 *	      const after probe
 * @took: perf_sample_event_took, likewise
 * @xiangshan: the event table, if this is such a core; const after probe
 * @names_found: how many of its names can be counted here
 * @names_wide: those of them that are sums of three and more
 * @names: its names in sysfs, NULL without; const after probe
 * @hints: standard events that firmware says it has, by sbi_pmu_event_standard();
 *	   const after probe
 * @truth_lock: guards @truths, and has one trial at a time; may sleep
 * @truths: what trials have told, by event
 * @truth_count: entries of @truths
 * @events: perf events that exist
 * @direct: who reads counters by himself
 * @sleep: told when a hart's power goes and comes
 * @debugfs: our folder there
 */
struct sbi_pmu {
	union {
		struct pmu pmu;
		struct riscv_pmu riscv;
	};
	struct sbi_pmu_cpu __percpu *cpu;
	struct sbi_pmu_inventory inv;
	u64 wrap_ns;
	struct sbi_pmu_abilities able;
	struct sbi_pmu_firmware_id id;
	struct sbi_pmu_manner manner;
	enum sbi_pmu_snapshots snapshot;
	bool sole;
	const char *name;
	struct cpumask alike;
	struct cpumask cpus;
	enum sbi_pmu_source source;
	bool poll;
	int irq;
	int (*overflow)(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
	void (*took)(u64 ns);
	struct sbi_pmu_choice xiangshan;
	unsigned int names_found;
	unsigned int names_wide;
	struct sbi_pmu_names *names;
	u64 hints;
	struct mutex truth_lock;
	DECLARE_HASHTABLE(truths, 6);
	unsigned int truth_count;
	atomic_t events;
	struct sbi_pmu_direct direct;
	struct notifier_block sleep;
	struct dentry *debugfs;
};

static inline struct sbi_pmu *to_sbi_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct sbi_pmu, pmu);
}

/* KVM gives its guests counters that are events of its own kernel. */
static inline bool sbi_pmu_in_kvm(const struct sbi_pmu *pmu)
{
	return pmu->id.impl == SBI_IMPL_KVM;
}

/* sbi.c */
int sbi_pmu_sbi_probe(struct sbi_pmu_firmware_id *id);
void sbi_pmu_sbi_core(unsigned long *vendor, unsigned long *arch);
struct sbi_pmu_ret sbi_pmu_sbi_call(unsigned int fid, const xlen_t arg[SBI_PMU_ARGS]);

/* csr.c */
int sbi_pmu_csr_read(unsigned int csr, u64 *value);

u32 sbi_pmu_csr_overflowed(void);
bool sbi_pmu_csr_pending(void);
bool sbi_pmu_csr_pending_clear(void);
void sbi_pmu_csr_pending_set(void);
bool sbi_pmu_csr_enable_sticks(void);

u32 sbi_pmu_csr_openable(void);
void sbi_pmu_csr_open(u32 counters);

/* overflow.c */
const char *sbi_pmu_overflow_probe(struct sbi_pmu *pmu);
void sbi_pmu_overflow_free(struct sbi_pmu *pmu);
void sbi_pmu_overflow_up(struct sbi_pmu *pmu);
void sbi_pmu_overflow_down(struct sbi_pmu *pmu);
void sbi_pmu_overflow_arm(struct sbi_pmu_cpu *cpu);
void sbi_pmu_overflow_let_go(struct sbi_pmu_cpu *cpu);
bool sbi_pmu_overflow_watch(struct sbi_pmu_cpu *cpu);

/* timer.c */
void sbi_pmu_timer_init(struct sbi_pmu_cpu *cpu);
void sbi_pmu_timer_kick(struct sbi_pmu_cpu *cpu, enum sbi_pmu_sampling sampling);
void sbi_pmu_timer_stop(struct sbi_pmu_cpu *cpu);

/* direct.c */
void sbi_pmu_direct_init(struct sbi_pmu *pmu);
void sbi_pmu_direct_exit(struct sbi_pmu *pmu);
void sbi_pmu_direct_up(struct sbi_pmu_cpu *cpu);
void sbi_pmu_direct_down(struct sbi_pmu_cpu *cpu);
void sbi_pmu_direct_refresh(struct sbi_pmu_cpu *cpu);

/* truth.c */
void sbi_pmu_truth_learn(struct sbi_pmu *pmu);
int sbi_pmu_truth_of(struct sbi_pmu *pmu, const struct sbi_pmu_code *code,
		     struct sbi_pmu_mask *can);
int sbi_pmu_truth_find(struct sbi_pmu *pmu, struct sbi_pmu_code *code,
		       struct sbi_pmu_mask *can);
void sbi_pmu_truth_free(struct sbi_pmu *pmu);

/* perf.c */
void sbi_pmu_perf_init(struct sbi_pmu *pmu);
void sbi_pmu_perf_fired(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_mask *fired,
			struct pt_regs *regs);
bool sbi_pmu_perf_poll(struct sbi_pmu_cpu *cpu);
void sbi_pmu_perf_took(struct sbi_pmu *pmu, u64 ns);
u32 sbi_pmu_perf_told(struct sbi_pmu *pmu, const struct task_struct *task);
u32 sbi_pmu_perf_readable(struct sbi_pmu_cpu *cpu);

/* lookup.c */
int sbi_pmu_lookup_pmus(int type, char **owner, const char *name, bool *taken);
void sbi_pmu_lookup_functions(struct sbi_pmu *pmu);

/* xiangshan.c */
int sbi_pmu_xiangshan_choose(struct sbi_pmu *pmu, const char *wish);
bool sbi_pmu_xiangshan_counts(struct sbi_pmu *pmu, u64 config);
void sbi_pmu_xiangshan_log(struct sbi_pmu *pmu, bool check);

/* debugfs.c */
void sbi_pmu_debugfs_init(struct sbi_pmu *pmu);
void sbi_pmu_debugfs_exit(struct sbi_pmu *pmu);

/* sysfs.c */
int sbi_pmu_sysfs_names(struct sbi_pmu *pmu);
void sbi_pmu_sysfs_free(struct sbi_pmu *pmu);
extern const struct attribute_group *sbi_pmu_attr_groups_sole[];
extern const struct attribute_group *sbi_pmu_attr_groups_beside[];

#endif
