// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf_core: see perf_core.h. It does what kernel/events/core.c of Linux 6.12 and 7.2 does, in the
 * same order; where they differ, perf_core.version decides.
 */
#include "perf_core.h"

struct perf_core perf_core;
int sysctl_perf_event_paranoid = 2;

#define for_each_member(e, leader)								\
	for ((e) = (leader); (e); (e) = next_member(e, leader))

static struct perf_event *next_member(struct perf_event *e, struct perf_event *leader)
{
	struct list_head *next = e == leader ? leader->sibling_list.next : e->sibling_list.next;

	return next == &leader->sibling_list ? NULL :
					       list_entry(next, struct perf_event, sibling_list);
}

static bool is_throttled(const struct perf_event *e)
{
	return e->hw.interrupts == MAX_INTERRUPTS;
}

/* ---- what counts, by perf's ABI and the SBI specification ---- */

static u32 filters(const struct perf_event_attr *a)
{
	const bool has_h = host_has_isa("h");
	u32 flags = 0;

	if (a->exclude_user || a->exclude_host)
		flags |= SPEC_CFG_UINH;
	if (a->exclude_kernel || a->exclude_host)
		flags |= SPEC_CFG_SINH;
	if (has_h && (a->exclude_user || a->exclude_guest))
		flags |= SPEC_CFG_VUINH;
	if (has_h && (a->exclude_kernel || a->exclude_guest))
		flags |= SPEC_CFG_VSINH;
	if (a->exclude_hv)
		flags |= SPEC_CFG_MINH;
	return flags;
}

static struct fakesbi_code code_of(const struct perf_event_attr *a)
{
	const u64 rest = a->config & GENMASK_ULL(61, 0);
	struct fakesbi_code code = { .flags = filters(a) };

	if (a->type == PERF_TYPE_HARDWARE) {
		code.idx = a->config + 1;
	} else if (a->type == PERF_TYPE_HW_CACHE) {
		code.idx = SPEC_TYPE_CACHE << 16 | (a->config & 0xff) << 3 |
			   (a->config >> 8 & 0xff) << 1 | a->config >> 16;
	} else if (a->config >> 62 == 0) {
		code.idx = (rest >> 48 ? SPEC_TYPE_RAW_V2 : SPEC_TYPE_RAW) << 16;
		code.data = rest;
	} else if (a->config >> 62 == 1) {
		code.idx = rest;
	} else {
		code.idx = SPEC_TYPE_FIRMWARE << 16 | SPEC_FW_PLATFORM;
		code.data = rest;
		if (a->config >> 62 == 2) {
			code.idx = SPEC_TYPE_FIRMWARE << 16 | rest;
			code.data = 0;
		}
	}
	return code;
}

static bool counts(const struct perf_event *e)
{
	return e->state == PERF_EVENT_STATE_ACTIVE && !(e->hw.state & PERF_HES_STOPPED);
}

/* Time passes on all CPUs. */
void host_pass(u64 ns)
{
	const unsigned int cpu = host.cpu;
	struct perf_model *m;

	if (!ns)
		return;
	for (unsigned int i = 0; i < HOST_CPUS; i++) {
		if (!fakesbi_harts[i].end)
			continue;
		host_run_cpu(i);
		fakesbi_run(ns);
	}
	host_run_cpu(cpu);
	host.now += ns;
	for_each_event(m) {
		if (counts(&m->event))
			m->happened += ns * m->rate;
		m->enabled += m->event.state >= PERF_EVENT_STATE_INACTIVE ? ns : 0;
		m->running += m->event.state == PERF_EVENT_STATE_ACTIVE ? ns : 0;
	}
}

/* ---- scheduling of events, on this CPU, interrupts disabled ---- */

static void pmu_disable(struct pmu *pmu)
{
	if (!pmu->disable_count[host.cpu]++)
		pmu->pmu_disable(pmu);
}

static void pmu_enable(struct pmu *pmu)
{
	if (!--pmu->disable_count[host.cpu])
		pmu->pmu_enable(pmu);
}

static bool is_of_task(const struct perf_event *e)
{
	return e->attach_state & PERF_ATTACH_TASK;
}

/* Is it of this CPU, or of the task that runs here? */
static bool belongs_here(const struct perf_event *e)
{
	if (is_of_task(e))
		return e->hw.target == current && (e->cpu < 0 || e->cpu == host.cpu);
	return e->cpu == host.cpu;
}

/* Disable or enable the PMUs that have events in a context here, also if they keep off this CPU. */
static void for_pmus_in_use(void (*function)(struct pmu *pmu))
{
	struct perf_model *m;

	for_each_pmu(pmu)
		for_each_event(m)
			if (m->event.pmu == pmu &&
			    (belongs_here(&m->event) || m->event.oncpu == (int)host.cpu)) {
				function(pmu);
				break;
			}
}

/* Begin and end a change of events of this CPU. */
static unsigned long begin(void)
{
	const unsigned long before = host.irqs_off;

	host.irqs_off = true;
	for_pmus_in_use(pmu_disable);
	return before;
}

static void end(unsigned long before)
{
	for_pmus_in_use(pmu_enable);
	host.irqs_off = before;
}

static void unthrottle(struct perf_event *e, bool start)
{
	if (e->state != PERF_EVENT_STATE_ACTIVE)
		return;
	e->hw.interrupts = 0;
	if (start)
		e->pmu->start(e, 0);
}

static void unthrottle_group(struct perf_event *e, bool not_this)
{
	struct perf_event *member;

	for_each_member(member, e->group_leader)
		unthrottle(member, !not_this || member != e);
}

static void throttle_group(struct perf_event *e)
{
	struct perf_event *member;

	for_each_member(member, e->group_leader) {
		if (member->state != PERF_EVENT_STATE_ACTIVE)
			continue;
		member->hw.interrupts = MAX_INTERRUPTS;
		member->pmu->stop(member, 0);
	}
}

static void event_out(struct perf_event *e)
{
	if (e->state != PERF_EVENT_STATE_ACTIVE)
		return;
	pmu_disable(e->pmu);
	e->pmu->del(e, 0);
	e->oncpu = -1;
	e->state = e->pending_disable ? PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE;
	e->pending_disable = 0;
	pmu_enable(e->pmu);
}

static int event_in(struct perf_event *e)
{
	int ret;

	if (e->state <= PERF_EVENT_STATE_OFF)
		return 0;
	e->oncpu = host.cpu;
	e->state = PERF_EVENT_STATE_ACTIVE;
	/* It may have missed several ticks. */
	if (is_throttled(e))
		unthrottle(e, false);
	pmu_disable(e->pmu);
	ret = e->pmu->add(e, PERF_EF_START);
	if (ret) {
		e->state = PERF_EVENT_STATE_INACTIVE;
		e->oncpu = -1;
	}
	pmu_enable(e->pmu);
	return ret;
}

static bool is_leader(const struct perf_event *e)
{
	return e->group_leader == e;
}

/* With a leader its group */
static void group_out(struct perf_event *e)
{
	struct perf_event *member;

	if (e->state != PERF_EVENT_STATE_ACTIVE)
		return;
	pmu_disable(e->pmu);
	if (is_leader(e))
		for_each_member(member, e)
			event_out(member);
	else
		event_out(e);
	pmu_enable(e->pmu);
}

static int group_in(struct perf_event *leader)
{
	struct pmu *pmu = leader->pmu;
	struct perf_event *e, *done;

	if (leader->state == PERF_EVENT_STATE_OFF)
		return 0;
	pmu->start_txn(pmu, PERF_PMU_TXN_ADD);
	for_each_member(e, leader)
		if (event_in(e))
			break;
	if (!e && !pmu->commit_txn(pmu))
		return 0;
	for (done = leader; done && done != e; done = next_member(done, leader))
		event_out(done);
	pmu->cancel_txn(pmu);
	return -EAGAIN;
}

enum which { TASK = 1, CPU = 2, PINNED = 4, FLEXIBLE = 8 };

static bool is_one_of(const struct perf_event *e, unsigned int which)
{
	return is_leader(e) && which & (is_of_task(e) ? TASK : CPU) &&
	       which & (e->attr.pinned ? PINNED : FLEXIBLE);
}

static void groups_out(unsigned int which)
{
	struct perf_model *m;

	for_each_event(m)
		if (is_one_of(&m->event, which) && m->event.oncpu == host.cpu)
			group_out(&m->event);
}

/* The group of @which that is next in order after @order */
static struct perf_model *next_group(const struct pmu *pmu, unsigned int which, u64 order)
{
	struct perf_model *m, *next = NULL;

	for_each_event(m)
		if (m->event.pmu == pmu && m->order > order && is_one_of(&m->event, which) && belongs_here(&m->event) &&
		    (!next || m->order < next->order))
			next = m;
	return next;
}

/* After the first group that finds no counter others of the PMU are not tried. */
static void groups_in_of(struct pmu *pmu, unsigned int which)
{
	struct perf_model *m = NULL;
	bool can_add = true;

	while ((m = next_group(pmu, which, m ? m->order : 0))) {
		if (m->event.state != PERF_EVENT_STATE_INACTIVE || !can_add ||
		    pmu->filter(pmu, host.cpu))
			continue;
		if (!group_in(&m->event))
			continue;
		if (m->event.attr.pinned) {
			m->event.state = PERF_EVENT_STATE_ERROR;
			continue;
		}
		can_add = false;
		perf_core.mux_until = host.now + pmu->hrtimer_interval_ms * NSEC_PER_MSEC;
	}
}

static void groups_in(unsigned int which)
{
	for_each_pmu(pmu)
		groups_in_of(pmu, which);
}

static void all_in(void)
{
	groups_in(CPU | PINNED);
	groups_in(TASK | PINNED);
	groups_in(CPU | FLEXIBLE);
	groups_in(TASK | FLEXIBLE);
}

/* After a change of one event of this CPU or of its task */
void perf_resched(void)
{
	const unsigned long before = begin();

	groups_out(TASK | PINNED | FLEXIBLE);
	groups_out(CPU | FLEXIBLE);
	all_in();
	end(before);
}

void perf_pmu_resched(struct pmu *pmu)
{
	unsigned long before;

	assert(pmu->dev->drvdata == pmu && host.irqs_off);
	before = begin();
	groups_out(TASK | CPU | PINNED | FLEXIBLE);
	all_in();
	end(before);
}

void perf_sched_cb_inc(struct pmu *pmu)
{
	assert(host.irqs_off && pmu->sched_task);
	perf_core.sched_cb[host.cpu]++;
	perf_core.sched_pmu[host.cpu] = pmu;
}

void perf_sched_cb_dec(struct pmu *pmu)
{
	assert(host.irqs_off && perf_core.sched_cb[host.cpu]);
	perf_core.sched_cb[host.cpu]--;
}

static void tell_of_switch(bool in)
{
	/* No context: so it is before 7.2.9 if the task has none. */
	if (perf_core.sched_cb[host.cpu])
		perf_core.sched_pmu[host.cpu]->sched_task(NULL, current, in);
}

void perf_switch(struct task_struct *next)
{
	unsigned long before = begin();

	current->nvcsw++;
	tell_of_switch(false);
	groups_out(TASK | PINNED | FLEXIBLE);
	end(before);
	current = next;
	before = begin();
	groups_in(TASK | PINNED);
	groups_in(TASK | FLEXIBLE);
	tell_of_switch(true);
	end(before);
}

/* Multiplexing: the groups that came first come last now. */
void perf_rotate(void)
{
	const unsigned long before = begin();

	groups_out(TASK | CPU | FLEXIBLE);
	for_each_pmu(pmu) {
		struct perf_model *task = next_group(pmu, TASK | FLEXIBLE, 0);
		struct perf_model *cpu = next_group(pmu, CPU | FLEXIBLE, 0);

		if (cpu)
			cpu->order = ++perf_core.last_order;
		if (task)
			task->order = ++perf_core.last_order;
	}
	groups_in(CPU | FLEXIBLE);
	groups_in(TASK | FLEXIBLE);
	end(before);
}

/* ---- samples ---- */

/* So that the event is sampled attr.sample_freq times a second */
static void adjust_period(struct perf_event *e, u64 ns, u64 events, bool stop)
{
	const unsigned __int128 each = (unsigned __int128)events * NSEC_PER_SEC;
	s64 delta = (s64)(u64)(each / ((unsigned __int128)ns * e->attr.sample_freq)) -
		    (s64)e->hw.sample_period;

	e->hw.sample_period += (delta >= 0 ? delta + 7 : delta - 7) / 8;
	if (!e->hw.sample_period)
		e->hw.sample_period = 1;
	if (local64_read(&e->hw.period_left) <= 8 * (s64)e->hw.sample_period)
		return;
	if (stop)
		e->pmu->stop(e, PERF_EF_UPDATE);
	local64_set(&e->hw.period_left, 0);
	if (stop)
		e->pmu->start(e, PERF_EF_RELOAD);
}

/* Return: must the driver stop it? */
static int account_interrupt(struct perf_event *e)
{
	const u64 ns = host.now - e->hw.freq_time_stamp;
	const u64 most = perf_core.max_samples_per_tick ?: ~0ULL - 1;
	int ret = 0;

	if (e->hw.interrupts_seq != perf_core.seq) {
		e->hw.interrupts_seq = perf_core.seq;
		e->hw.interrupts = 1;
	} else if (!is_throttled(e) &&
		   ++e->hw.interrupts >= most + (perf_core.version == 612)) {
		perf_model(e)->throttled++;
		if (perf_core.version == 612)
			e->hw.interrupts = MAX_INTERRUPTS;
		else
			throttle_group(e);
		ret = 1;
	}
	if (e->attr.freq) {
		e->hw.freq_time_stamp = host.now;
		if (ns && ns < 2 * TICK_NSEC)
			adjust_period(e, ns, e->hw.last_period, true);
	}
	return ret;
}

/* The counts of the group go into the sample. */
static void read_group(struct perf_event *e)
{
	struct perf_event *member;

	for_each_member(member, e->group_leader)
		if (member != e && member->state == PERF_EVENT_STATE_ACTIVE)
			member->pmu->read(member);
}

/* May it see this address now? Its upper half is the number of a program; 0: of any. */
static bool may_see(const struct perf_event *e, u64 address)
{
	const u64 program = (address + (1ULL << 31)) >> 32;

	if (address >> 63)
		return e->attr.branch_sample_type & PERF_SAMPLE_BRANCH_KERNEL;
	return address && (!program || program == current - perf_core.task + 1);
}

static void take_branches(struct perf_model *m, const struct perf_branch_stack *stack)
{
	m->branches = stack ? (int)stack->nr : -1;
	for (int i = 0; i < m->branches; i++) {
		m->branch[i] = stack->entries[i];
		perf_core.branches++;
		perf_core.foreign += !may_see(&m->event, m->branch[i].from) ||
				     !may_see(&m->event, m->branch[i].to);
	}
}

int perf_event_overflow(struct perf_event *e, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct perf_model *m = perf_model(e);
	int ret;

	assert(is_sampling_event(e) && m->is_open && host.irqs_off && e->oncpu == (int)host.cpu);
	ret = account_interrupt(e);
	if (atomic_read(&e->event_limit) && atomic_dec_and_test(&e->event_limit)) {
		ret = 1;
		perf_event_disable_inatomic(e);
		if (perf_core.version != 612)
			e->pmu->stop(e, 0);
	}
	host_pass(host.sample_ns);
	take_branches(m, data->br_stack);
	m->samples++;
	m->sampled += data->period;
	m->wrong_mode += user_mode(regs) ? e->attr.exclude_user : e->attr.exclude_kernel;
	if (e->attr.read_format & PERF_FORMAT_GROUP)
		read_group(e);
	return ret;
}

void perf_sample_event_took(u64 ns)
{
	perf_core.took++;
	perf_core.took_ns = max(perf_core.took_ns, ns);
}

void perf_event_disable_inatomic(struct perf_event *e)
{
	e->pending_disable = 1;
}

static void disable_here(struct perf_event *e)
{
	const unsigned long before = begin();

	group_out(e);
	e->state = PERF_EVENT_STATE_OFF;
	e->pending_disable = 0;
	end(before);
}

/* What is due on all CPUs now */
void perf_interrupts(void)
{
	const unsigned int cpu = host.cpu;
	struct perf_model *m;

	for (unsigned int i = 0; i < HOST_CPUS; i++) {
		if (!cpumask_test_cpu(i, cpu_online_mask))
			continue;
		host_run_cpu(i);
		/* What they raise comes at once. */
		for (unsigned int n = 0; !n || host_has_work(); n++) {
			assert(n < 1000);
			host_serve_interrupts();
			for_each_event(m)
				if (m->event.pending_disable && m->event.oncpu == (int)i)
					disable_here(&m->event);
		}
	}
	host_run_cpu(cpu);
}

/* ns from now on to the next interrupt, timer or overflow, at most @ns */
static u64 until_next(u64 ns)
{
	const unsigned int cpu = host.cpu;

	ns = host_next_timer(ns);
	for (unsigned int i = 0; i < HOST_CPUS; i++) {
		host_run_cpu(i);
		if (cpumask_test_cpu(i, cpu_online_mask) &&
		    host.irq_enabled[i])
			ns = fakesbi_next_overflow(ns);
	}
	host_run_cpu(cpu);
	return ns;
}

void perf_run(u64 ns)
{
	while (ns) {
		u64 step = until_next(ns);

		if (perf_core.latency)
			step += fakesbi_random() % perf_core.latency;
		step = min(max(step, 1ULL), ns);
		host_pass(step);
		ns -= step;
		perf_interrupts();
	}
}

static void tick_event(struct perf_event *e)
{
	s64 delta;
	u64 now;

	if (is_throttled(e)) {
		if (perf_core.version != 612) {
			unthrottle_group(e, e->attr.freq);
		} else {
			e->hw.interrupts = 0;
			if (!e->attr.freq)
				e->pmu->start(e, 0);
		}
	}
	if (!e->attr.freq)
		return;
	e->pmu->stop(e, PERF_EF_UPDATE);
	now = local64_read(&e->count);
	delta = now - e->hw.freq_count_stamp;
	e->hw.freq_count_stamp = now;
	if (delta > 0)
		adjust_period(e, TICK_NSEC, delta, false);
	e->pmu->start(e, delta > 0 ? PERF_EF_RELOAD : 0);
}

void perf_tick(void)
{
	const unsigned long before = begin();
	struct perf_model *m;

	perf_core.seq++;
	for_each_event(m)
		if (m->event.state == PERF_EVENT_STATE_ACTIVE && m->event.oncpu == (int)host.cpu)
			tick_event(&m->event);
	end(before);
}

/* ---- system calls ---- */

/* Run this where the event is, or can be: perf core sends an interrupt there. */
static void for_cpu_of(const struct perf_event *e, void (*function)(void))
{
	const unsigned int cpu = host.cpu;

	for (unsigned int i = 0; i < HOST_CPUS; i++) {
		host_run_cpu(i);
		if (cpumask_test_cpu(i, cpu_online_mask) && belongs_here(e))
			function();
	}
	host_run_cpu(cpu);
}

static struct pmu *pmu_of(const struct perf_event_attr *attr)
{
	const bool general = attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE;
	const u32 type = general ? attr->config >> PERF_PMU_TYPE_SHIFT ?: PERF_TYPE_RAW :
				   attr->type;

	for_each_pmu(pmu)
		if ((int)type == pmu->type)
			return pmu;
	return NULL;
}

static unsigned int is_user_event(const struct perf_event *e)
{
	return !!(e->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT);
}

static struct perf_event *alloc_event(const struct perf_event_attr *attr, struct pmu *pmu,
				      struct task_struct *task, int cpu)
{
	struct perf_model *m = perf_core.model;
	struct perf_event *e;

	while (m->is_open || m->is_new)
		m++;
	assert(m < perf_core.model + PERF_EVENTS);
	memset(m, 0, sizeof(*m));
	m->is_new = true;
	perf_core.used = max(perf_core.used, (unsigned int)(m - perf_core.model) + 1);
	e = &m->event;
	e->pmu = pmu;
	e->attr = *attr;
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
		e->attr.config &= PERF_HW_EVENT_MASK;
	INIT_LIST_HEAD(&e->sibling_list);
	e->group_leader = e;
	e->cpu = cpu;
	e->oncpu = -1;
	e->attach_state = task ? PERF_ATTACH_TASK : 0;
	e->hw.target = task;
	e->hw.sample_period = attr->freq ? 1 : attr->sample_period;
	e->hw.last_period = e->hw.sample_period;
	local64_set(&e->hw.period_left, e->hw.sample_period);
	e->state = attr->disabled ? PERF_EVENT_STATE_OFF : PERF_EVENT_STATE_INACTIVE;
	m->code = code_of(&e->attr);
	m->rate = fakesbi_rate(&m->code);
	m->order = ++perf_core.last_order;
	return e;
}

static int init_event(struct perf_event *e, struct pmu *pmu)
{
	int ret;

	e->pmu = pmu;
	if (e->pmu->capabilities & PERF_PMU_CAP_NO_INTERRUPT && is_sampling_event(e))
		return -EOPNOTSUPP;
	assert(!host.irqs_off);
	ret = e->pmu->event_init(e);
	perf_model(e)->is_new = false;
	perf_model(e)->is_open = !ret;
	if (!ret)
		perf_core.nr_user += is_user_event(e);
	return ret;
}

struct perf_event *perf_open(const struct perf_event_attr *attr, struct task_struct *task, int cpu,
			     struct perf_event *leader, int *error)
{
	struct pmu *pmu = pmu_of(attr);
	struct perf_event *e = pmu ? alloc_event(attr, pmu, task, cpu) : NULL;

	*error = -ENOENT;
	if (!e)
		return NULL;
	e->group_leader = leader ?: e;
	*error = init_event(e, pmu);
	/* A general event that names no PMU is offered to all. */
	for_each_pmu(other)
		if (*error == -ENOENT && (int)attr->type != pmu->type && !(attr->config >> PERF_PMU_TYPE_SHIFT))
			*error = init_event(e, other);
	if (*error)
		return NULL;
	e->attach_state |= PERF_ATTACH_GROUP;
	if (leader)
		list_add_tail(&e->sibling_list, &leader->sibling_list);
	for_cpu_of(e, perf_resched);
	return e;
}

/* The event of a new process */
struct perf_event *perf_inherit(struct perf_event *parent, struct task_struct *child)
{
	struct perf_event *e = alloc_event(&parent->attr, parent->pmu, child, parent->cpu);

	e->parent = parent->parent ?: parent;
	if (parent->attr.freq) {
		e->hw.sample_period = e->hw.last_period = parent->hw.sample_period;
		local64_set(&e->hw.period_left, e->hw.sample_period);
	}
	if (init_event(e, e->pmu))
		return NULL;
	e->state = PERF_EVENT_STATE_INACTIVE;
	for_cpu_of(e, perf_resched);
	return e;
}

static void on_its_cpu(struct perf_event *e, void (*function)(struct perf_event *e))
{
	const unsigned int cpu = host.cpu;

	if (e->oncpu >= 0)
		host_run_cpu(e->oncpu);
	function(e);
	host_run_cpu(cpu);
}

static void remove_here(struct perf_event *e)
{
	const unsigned long before = begin();

	group_out(e);
	end(before);
}

/* Inherited events are gone before: they hold the event that they are inherited from. */
static void free_event(struct perf_event *e)
{
	struct perf_model *child;

	for_each_event(child)
		if (child->event.parent == e)
			perf_close(&child->event);
	perf_core.nr_user -= is_user_event(e);
	if (e->destroy)
		e->destroy(e);
	perf_model(e)->is_open = false;
}

/* Close an event, with a leader its group. */
void perf_close(struct perf_event *e)
{
	struct perf_event *member, *next;

	on_its_cpu(e, remove_here);
	for (member = is_leader(e) ? next_member(e, e) : NULL; member; member = next) {
		next = next_member(member, e);
		free_event(member);
	}
	if (!is_leader(e))
		list_del(&e->sibling_list);
	free_event(e);
}

static void read_here(struct perf_event *e)
{
	struct pmu *pmu = e->pmu;
	const unsigned long before = host.irqs_off;
	struct perf_event *member;

	if (e->state != PERF_EVENT_STATE_ACTIVE)
		return;
	host.irqs_off = true;
	if (e->attr.read_format & PERF_FORMAT_GROUP) {
		pmu->start_txn(pmu, PERF_PMU_TXN_READ);
		for_each_member(member, e->group_leader)
			if (member->state == PERF_EVENT_STATE_ACTIVE) {
				member->pmu->read(member);
				host_pass(host.read_ns);
			}
		pmu->commit_txn(pmu);
	} else {
		pmu->read(e);
	}
	host.irqs_off = before;
}

/* read(2); with PERF_FORMAT_GROUP all members are read. */
u64 perf_read(struct perf_event *e)
{
	on_its_cpu(e, read_here);
	return local64_read(&e->count);
}

void perf_enable(struct perf_event *e)
{
	if (e->state > PERF_EVENT_STATE_OFF)
		return;
	e->state = PERF_EVENT_STATE_INACTIVE;
	if (e->group_leader->state > PERF_EVENT_STATE_OFF)
		for_cpu_of(e, perf_resched);
}

void perf_disable(struct perf_event *e)
{
	if (e->state > PERF_EVENT_STATE_OFF)
		on_its_cpu(e, disable_here);
}

static void period_here(struct perf_event *e)
{
	const bool active = e->state == PERF_EVENT_STATE_ACTIVE;
	const unsigned long before = begin();

	if (active) {
		/* So that the tick does not start it again. */
		if (perf_core.version == 612 && is_throttled(e))
			e->hw.interrupts = 0;
		e->pmu->stop(e, PERF_EF_UPDATE);
	}
	local64_set(&e->hw.period_left, 0);
	if (active) {
		e->pmu->start(e, PERF_EF_RELOAD);
		if (is_throttled(e))
			unthrottle_group(e, true);
	}
	end(before);
}

/* PERF_EVENT_IOC_PERIOD: in frequency mode samples a second */
int perf_set_period(struct perf_event *e, u64 period)
{
	if (!is_sampling_event(e) || !period || period >> 63)
		return -EINVAL;
	if (e->attr.freq)
		e->attr.sample_freq = period;
	else
		e->attr.sample_period = e->hw.sample_period = period;
	on_its_cpu(e, period_here);
	return 0;
}

/* PERF_EVENT_IOC_REFRESH */
void perf_refresh(struct perf_event *e, int samples)
{
	e->event_limit.counter += samples;
	perf_enable(e);
}

/* ---- CPUs ---- */

/* A low-power state of this CPU, which takes no time */
void perf_suspend(bool loses_power)
{
	host_cpu_pm(CPU_PM_ENTER);
	if (fakesbi.filter)
		model_report("the filter of all counters is set while the CPU sleeps");
	if (loses_power) {
		fakesbi_suspend();
		host.scounteren[host.cpu] = HOST_OPEN_AT_START;
	}
	host_cpu_pm(loses_power ? CPU_PM_EXIT : CPU_PM_ENTER_FAILED);
}

/* The CPU's own events end. */
static void exit_cpu(unsigned int cpu)
{
	const unsigned int before = host.cpu;
	struct perf_model *m;

	host_run_cpu(cpu);
	for_each_event(m)
		if (!is_of_task(&m->event) && m->event.cpu == (int)cpu && is_leader(&m->event)) {
			disable_here(&m->event);
			m->event.attach_state &= ~PERF_ATTACH_GROUP;
		}
	host_run_cpu(before);
}

/* Take a CPU down or up: its own events end there, tasks go elsewhere. */
int perf_hotplug(unsigned int cpu, bool online)
{
	const unsigned int before = host.cpu;
	int ret;

	host_run_cpu(cpu);
	if (online) {
		fakesbi_restart();
		host.scounteren[cpu] = HOST_OPEN_AT_START;
		current = &perf_core.idle;
	}
	ret = host_hotplug(cpu, online);
	if (!online) {
		perf_switch(&perf_core.idle);
		exit_cpu(cpu);
	} else if (!ret) {
		perf_resched();
	}
	host_run_cpu(before);
	return ret;
}

/* Perf core's own notifier is the last. Programs run on; before kexec the other CPUs go offline. */
void perf_reboot(unsigned long action)
{
	unsigned int cpu;

	host_reboot(action);
	for_each_online_cpu(cpu) {
		exit_cpu(cpu);
		if (fakesbi_harts[cpu].filter)
			model_report("the filter of all counters is set at a reboot");
	}
}

/* ---- mmap pages ---- */

static bool is_readable(const struct perf_event *e)
{
	const u32 type = e->attr.type;

	return (type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE ||
		type == PERF_TYPE_RAW) &&
	       e->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT && e->hw.idx != -1;
}

/* As riscv_pmu.c's arch_perf_update_userpage() does it, too */
void perf_event_update_userpage(struct perf_event *e)
{
	struct perf_event_mmap_page *page = &perf_model(e)->page;
	const bool shown = e->state == PERF_EVENT_STATE_ACTIVE && !(e->hw.state & PERF_HES_STOPPED);

	if (!perf_model(e)->mapped)
		return;
	page->lock++;
	page->index = shown && e->pmu->event_idx ? e->pmu->event_idx(e) : 0;
	page->offset = local64_read(&e->count);
	if (page->index)
		page->offset -= (u64)local64_read(&e->hw.prev_count);
	perf_model(e)->least_offset = min(perf_model(e)->least_offset, (s64)page->offset);
	page->cap_user_rdpmc = is_readable(e);
	if (page->cap_user_rdpmc)
		page->pmc_width = container_of(e->pmu, struct riscv_pmu, pmu)
					  ->ctr_get_width(e->hw.idx) + 1;
	page->lock++;
}

/* mmap(2) by the task that runs now */
void perf_map(struct perf_event *e)
{
	perf_model(e)->mapped = true;
	perf_event_update_userpage(e);
	if (e->pmu->event_mapped)
		e->pmu->event_mapped(e, current->mm);
}

/* As a program does by the mmap page. Return: false if it must use read(2). */
bool perf_user_read(struct perf_event *e, u64 *count)
{
	const struct perf_event_mmap_page *page = &perf_model(e)->page;
	const unsigned int shift = 64 - page->pmc_width;
	u64 value;

	assert(!(page->lock & 1));
	if (!page->cap_user_rdpmc)
		return false;
	*count = page->offset;
	if (!page->index)
		return true;
	/* Nothing happens between the look at the page and the read: it may not trap. */
	assert(host.scounteren[host.cpu] & BIT(page->index - 1));
	assert(!fakesbi_read_csr(SPEC_CSR_CYCLE + page->index - 1, &value));
	*count += (u64)((s64)(value << shift) >> shift);
	return true;
}

/* ---- setup ---- */

void perf_core_reset(void)
{
	memset(&perf_core, 0, sizeof(perf_core));
	perf_pmus_reset();
	perf_core.version = 702;
	perf_core.idle.flags = PF_KTHREAD;
	for (unsigned int i = 0; i < PERF_TASKS; i++) {
		perf_core.task[i].mm = &perf_core.mm[i];
		perf_core.task[i].regs.user = true;
	}
	for (unsigned int cpu = 0; cpu < HOST_CPUS; cpu++)
		host.current_task[cpu] = cpu ? &perf_core.idle : &perf_core.task[0];
}
