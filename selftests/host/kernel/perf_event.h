/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event.h - linux/perf_event.h of the host build: what the driver sees of perf core. */
#ifndef HOST_PERF_EVENT_H
#define HOST_PERF_EVENT_H

#define PERF_ATTACH_GROUP		0x02
#define PERF_ATTACH_TASK		0x04
#define PERF_ATTACH_SCHED_CB		0x20
#define PERF_HES_STOPPED		0x01
#define PERF_HES_UPTODATE		0x02
#define PERF_EF_START			0x01
#define PERF_EF_RELOAD			0x02
#define PERF_EF_UPDATE			0x04
#define PERF_PMU_CAP_NO_INTERRUPT	0x0001
#define PERF_PMU_CAP_EXTENDED_HW_TYPE	0x0100
#define PERF_PMU_TXN_ADD		0x1
#define PERF_PMU_TXN_READ		0x2
#define PERF_EVENT_FLAG_USER_READ_CNT	0x80000000

enum perf_event_state {
	PERF_EVENT_STATE_ERROR = -2,
	PERF_EVENT_STATE_OFF = -1,
	PERF_EVENT_STATE_INACTIVE = 0,
	PERF_EVENT_STATE_ACTIVE = 1,
};

struct perf_event;

struct perf_pmu_events_attr {
	struct device_attribute attr;
	u64 id;
};

#define PMU_EVENT_ATTR_ID(_name, _show, _id)						\
	(&((struct perf_pmu_events_attr) {						\
		.attr = __ATTR(_name, 0444, _show, NULL), .id = (_id),			\
	}).attr.attr)

struct perf_branch_stack {
	u64 nr, hw_idx;
	struct perf_branch_entry entries[];
};

struct perf_sample_data {
	u64 period;
	const struct perf_branch_stack *br_stack;
};

struct perf_event_pmu_context {
	struct pmu *pmu;
};

struct pmu {
	struct module *module;
	struct device *dev;
	const struct attribute_group **attr_groups;
	const struct attribute_group **attr_update;
	const char *name;
	int type;
	int capabilities;
	int task_ctx_nr;
	int (*event_init)(struct perf_event *event);
	void (*event_mapped)(struct perf_event *event, struct mm_struct *mm);
	void (*event_unmapped)(struct perf_event *event, struct mm_struct *mm);
	void (*pmu_enable)(struct pmu *pmu);
	void (*pmu_disable)(struct pmu *pmu);
	int (*add)(struct perf_event *event, int flags);
	void (*del)(struct perf_event *event, int flags);
	void (*start)(struct perf_event *event, int flags);
	void (*stop)(struct perf_event *event, int flags);
	void (*read)(struct perf_event *event);
	void (*start_txn)(struct pmu *pmu, unsigned int flags);
	int (*commit_txn)(struct pmu *pmu);
	void (*cancel_txn)(struct pmu *pmu);
	int (*event_idx)(struct perf_event *event);
	bool (*filter)(struct pmu *pmu, int cpu);
	void (*sched_task)(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,
			   bool sched_in);
	unsigned int disable_count[HOST_CPUS];
	int hrtimer_interval_ms;
};

struct cpu_hw_events {
	int irq;
};

struct riscv_pmu {
	struct pmu pmu;
	int (*ctr_get_width)(int idx);
	struct cpu_hw_events *hw_events;
	struct hlist_node node;
	struct notifier_block riscv_pm_nb;
};

struct hw_perf_event {
	u64 config;
	int idx;
	int flags;
	struct task_struct *target;
	int state;
	local64_t prev_count;
	u64 sample_period, last_period;
	local64_t period_left;
	u64 interrupts_seq, interrupts;
	u64 freq_time_stamp, freq_count_stamp;
};

struct perf_event {
	struct perf_event *group_leader;
	struct list_head sibling_list;
	struct pmu *pmu;
	void *pmu_private;
	enum perf_event_state state;
	unsigned int attach_state;
	local64_t count;
	struct perf_event_attr attr;
	struct hw_perf_event hw;
	struct perf_event *parent;
	int oncpu, cpu;
	int pending_disable;
	atomic_t event_limit;
	void (*destroy)(struct perf_event *event);
	struct rcu_head rcu_head;
};

#define for_each_sibling_event(sibling, event)						\
	if ((event)->group_leader == (event))						\
		list_for_each_entry(sibling, &(event)->sibling_list, sibling_list)

#define is_sampling_event(event)	((event)->attr.sample_period != 0)
#define is_software_event(event)	((event)->pmu->task_ctx_nr < 0)
#define has_branch_stack(event)		((event)->attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
#define perf_attr_unused_config(a)	((a)->config1)

extern int sysctl_perf_event_paranoid;

int perf_pmu_register(struct pmu *pmu, const char *name, int type);
int perf_pmu_unregister(struct pmu *pmu);
int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs);
void perf_sample_event_took(u64 ns);
void perf_event_disable_inatomic(struct perf_event *event);
void perf_pmu_resched(struct pmu *pmu);
void perf_sched_cb_inc(struct pmu *pmu);
void perf_sched_cb_dec(struct pmu *pmu);
void perf_event_update_userpage(struct perf_event *event);
struct perf_event *perf_event_create_kernel_counter(struct perf_event_attr *attr, int cpu,
						    struct task_struct *task, void *overflow,
						    void *context);
int perf_event_release_kernel(struct perf_event *event);

static inline void perf_sample_data_init(struct perf_sample_data *data, u64 addr, u64 period)
{
	(void)addr;
	data->period = period;
	data->br_stack = NULL;
}

static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *stack, u64 *counts)
{
	assert(has_branch_stack(event) && !counts && !data->br_stack);
	data->br_stack = stack;
}

#define riscv_pmu_snapshot_page(events)	((void)(events), NULL)

/* If the other PMU cannot be stopped somebody counts with it. */
void perf_pmu_stop_multiplexing(struct pmu *pmu);
void perf_pmu_unregister_last(struct pmu *pmu);
#define PERF_PMU_REFUSES_IN_USE		true
#define perf_pmu_unregister_unused(pmu)	(host.other_leaves ? perf_pmu_unregister(pmu) : -EBUSY)

/* As include/compat/ defines them for a kernel that gives the task */
#define DEFINE_SCHED_TASK(name, function)						\
	static void name(struct perf_event_pmu_context *pmu_ctx, struct task_struct *task,	\
			 bool sched_in)							\
	{										\
		function(pmu_ctx, sched_in);						\
	}
#define SCHED_TASK(name)	name

#endif
