// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf: perf core's doors, in both directions.
 */
#include <linux/ptrace.h>
#include <linux/sched/clock.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include <asm/irq_regs.h>

#include "sbi_pmu.h"

/**
 * struct sbi_pmu_event - what we keep of a perf event; its pmu_private
 * @user: its place on a hart
 * @event: whose it is
 * @readable: its task may read it by itself, once it has mapped it
 * @shown: the counter that its program is told to read now, by hpmcounter, plus one; or 0
 * @mm: the task's memory, where it is mapped, with a reference; NULL before
 * @told: counters that the program was told of so far, as SCOUNTEREN has them
 * @reader: among those who read by themselves, if @mm
 * @rcu: for its end
 */
struct sbi_pmu_event {
	struct sbi_pmu_user user;
	struct perf_event *event;
	bool readable;
	u8 shown;
	struct mm_struct *mm;
	u32 told;
	struct hlist_node reader;
	struct rcu_head rcu;
};

static struct sbi_pmu_user *event_user(struct perf_event *event)
{
	struct sbi_pmu_event *e = event->pmu_private;

	return &e->user;
}

static struct sbi_pmu_cpu *event_cpu(struct perf_event *event)
{
	return this_cpu_ptr(to_sbi_pmu(event->pmu)->cpu);
}

static struct sbi_pmu_slots *event_slots(struct perf_event *event)
{
	return &event_cpu(event)->slots;
}

/* ---- while an event is on a hart: interrupts are off, nothing may fail ---- */

/*
 * The counter that the event's program may read by itself now, or NULL. Not one that
 * tells when somebody else's sample comes, if it must not know of others.
 */
static const struct sbi_pmu_ctr *direct_counter(struct perf_event *event)
{
	const struct sbi_pmu_slots *slots = event_slots(event);
	const struct sbi_pmu_user *user = event_user(event);
	const struct sbi_pmu_ctr *ctr;

	if (!user->reads || !user->live || user->slot == SBI_PMU_NO_SLOT ||
	    (user->fresh && sbi_pmu_mask_test(&slots->armed, user->slot)))
		return NULL;
	ctr = &slots->inv->ctr[user->slot];
	return to_sbi_pmu(event->pmu)->direct.openable & SBI_PMU_CSR_BIT(ctr->csr) ? ctr : NULL;
}

/*
 * Hand out what has been counted up to when the counter was last looked at. What
 * perf core tells programs is made of these three words, whenever it does.
 */
static void event_take(struct perf_event *event)
{
	struct sbi_pmu_event *e = event->pmu_private;
	const struct sbi_pmu_ctr *ctr = direct_counter(event);
	struct sbi_pmu_view view = { .width = 64 };
	u8 shown = 0;

	local64_add(sbi_pmu_user_take(&e->user), &event->count);
	if (ctr) {
		view = sbi_pmu_ctr_view(ctr, e->user.prev);
		e->told |= SBI_PMU_CSR_BIT(ctr->csr);
		shown = ctr->csr - SBI_PMU_CSR_CYCLE + 1;
	}
	WRITE_ONCE(e->shown, shown);
	/* Counting, and not to be read: the kernel is to be asked. */
	if (e->user.direct && e->user.live && !shown)
		event->hw.flags &= ~PERF_EVENT_FLAG_USER_READ_CNT;
	else if (e->user.direct)
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	local64_set(&event->hw.prev_count, view.base);
	/* The width, for ctr_get_width() below. */
	event->hw.idx = view.width - 1;
}

static void event_collect(struct perf_event *event)
{
	sbi_pmu_user_update(event_slots(event), event_user(event));
	event_take(event);
}

/* Tell the event's program where its counter is, and what to add to it. */
static void event_publish(struct perf_event *event)
{
	event_take(event);
	perf_event_update_userpage(event);
}

/*
 * 0: there is none to read, the rest of the page has the count. From any hart, hence
 * what goes with the three words, not what is so now.
 */
static int pmu_event_idx(struct perf_event *event)
{
	const struct sbi_pmu_event *e = event->pmu_private;

	return READ_ONCE(e->shown);
}

/* The kernel's arch_perf_update_userpage() asks how wide a counter is, less 1. */
static int ctr_get_width(int idx)
{
	return idx;
}

/*
 * perf core keeps what is left of a period while its event is stopped, and makes
 * it 0 to have a new one begin. Below 0 the period was over when the event was
 * stopped: its sample is due, and comes at once.
 */
static void period_resume(struct perf_event *event)
{
	s64 left = local64_read(&event->hw.period_left);

	event_user(event)->left = left ?: event->hw.sample_period;
}

static void period_suspend(struct perf_event *event)
{
	local64_set(&event->hw.period_left, event_user(event)->left ?: -1);
}

static void pmu_start(struct perf_event *event, int flags)
{
	struct sbi_pmu_cpu *cpu = event_cpu(event);

	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		return;
	if (is_sampling_event(event))
		period_resume(event);
	/* A counter that cannot be read leaves the event stopped. */
	if (!sbi_pmu_user_start(&cpu->slots, event_user(event))) {
		sbi_pmu_timer_kick(cpu, event_user(event)->sampling);
		if (!cpu->slots.held)
			sbi_pmu_overflow_arm(cpu);
	}
	if (event_user(event)->live)
		event->hw.state = 0;
	event_publish(event);
}

static void pmu_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	sbi_pmu_user_stop(event_slots(event), event_user(event));
	event_publish(event);
	if (is_sampling_event(event))
		period_suspend(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void pmu_del(struct perf_event *event, int flags)
{
	pmu_stop(event, PERF_EF_UPDATE);
	sbi_pmu_user_detach(event_slots(event), event_user(event));
}

static int pmu_add(struct perf_event *event, int flags)
{
	int ret;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	ret = sbi_pmu_user_attach(event_slots(event), event_user(event));
	if (ret)
		return ret;
	if (!(flags & PERF_EF_START))
		return 0;
	pmu_start(event, PERF_EF_RELOAD);
	if (!(event->hw.state & PERF_HES_STOPPED))
		return 0;
	/* It cannot be read: not running, rather than running and zero. */
	pmu_del(event, 0);
	return -EIO;
}

static void pmu_read(struct perf_event *event)
{
	event_collect(event);
}

/*
 * perf core takes several events off and puts others on between these two.
 * Nothing is stopped meanwhile, or all by one call where that is cheaper (reading.c);
 * what has to be started is started at once, after.
 */
static void pmu_disable(struct pmu *pmu)
{
	this_cpu_ptr(to_sbi_pmu(pmu)->cpu)->slots.held = true;
}

static void pmu_enable(struct pmu *pmu)
{
	sbi_pmu_overflow_let_go(this_cpu_ptr(to_sbi_pmu(pmu)->cpu));
}

/* ---- samples: from the interrupt or the timer of the hart ---- */

/*
 * The registers to show for a sample, NULL if the hart has left the modes that
 * the event is about. A user-only counter that overflowed just before a trap is
 * served in the kernel: the user's registers are those of that very moment.
 */
static struct pt_regs *sample_regs(struct perf_event *event, struct pt_regs *regs)
{
	if (user_mode(regs))
		return event->attr.exclude_user ? NULL : regs;
	if (!event->attr.exclude_kernel)
		return regs;
	if (event_user(event)->sampling == SBI_PMU_POLLED ||
	    current->flags & (PF_KTHREAD | PF_USER_WORKER) || !current->mm)
		return NULL;
	return task_pt_regs(current);
}

/* One sample, if a period of the event is over. */
static void event_sample(struct sbi_pmu_cpu *cpu, struct perf_event *event, struct pt_regs *regs)
{
	struct sbi_pmu_user *user = event_user(event);
	struct perf_sample_data data;

	if (user->left > 0)
		return;
	regs = sample_regs(event, regs);
	if (!regs) {
		sbi_pmu_user_skidded(user);
		cpu->skidded++;
		return;
	}
	event->hw.last_period = sbi_pmu_user_sampled(user, event->hw.sample_period);
	period_suspend(event);
	event_collect(event);
	perf_sample_data_init(&data, 0, event->hw.last_period);
	/* Kernels before 6.17 leave it to us to stop an event that has had enough. */
	if (cpu->pmu->overflow(event, &data, regs))
		pmu_stop(event, 0);
}

/* Samples for those of slot @idx whose periods are over. */
static void slot_sample(struct sbi_pmu_cpu *cpu, unsigned int idx, enum sbi_pmu_sampling how,
			struct pt_regs *regs)
{
	struct sbi_pmu_user *user;

	list_for_each_entry(user, &cpu->slots.users[idx], node) {
		if (user->live && user->sampling == how)
			event_sample(cpu, container_of(user, struct sbi_pmu_event, user)->event,
				     regs);
	}
}

/**
 * sbi_pmu_perf_fired - counters have overflowed
 * @cpu: this hart
 * @fired: halted, their users up to date
 * @regs: where it was interrupted
 */
void sbi_pmu_perf_fired(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_mask *fired,
			struct pt_regs *regs)
{
	unsigned int i;

	sbi_pmu_mask_for_each(i, fired)
		slot_sample(cpu, i, SBI_PMU_INTERRUPTED, regs);
}

/**
 * sbi_pmu_perf_poll - the timer looks at what cannot interrupt
 * @cpu: this hart
 *
 * Return: whether there is any such event.
 */
bool sbi_pmu_perf_poll(struct sbi_pmu_cpu *cpu)
{
	const u64 start = sched_clock();
	bool any = false;
	unsigned int i;

	cpu->slots.held = true;
	sbi_pmu_mask_for_each(i, &cpu->slots.plan.busy) {
		if (!sbi_pmu_slot_samples(&cpu->slots, i, SBI_PMU_POLLED))
			continue;
		sbi_pmu_slot_update(&cpu->slots, i);
		slot_sample(cpu, i, SBI_PMU_POLLED, get_irq_regs());
		any = true;
	}
	sbi_pmu_overflow_let_go(cpu);
	if (any)
		sbi_pmu_perf_took(cpu->pmu, sched_clock() - start);
	return any;
}

/* perf core lowers the highest allowed rate where samples take too long. */
void sbi_pmu_perf_took(struct sbi_pmu *pmu, u64 ns)
{
	if (pmu->took)
		pmu->took(ns);
}

/* ---- programs that read counters by themselves ---- */

/* A user's counter has moved, or been looked at, behind its program's back. */
static void user_moved(struct sbi_pmu_user *user)
{
	event_publish(container_of(user, struct sbi_pmu_event, user)->event);
}

/**
 * sbi_pmu_perf_told - which counters has a task been told of, for its own events?
 * @pmu: the driver
 * @task: the current one
 *
 * Return: counters, as SCOUNTEREN has them, whosever they are by now.
 */
u32 sbi_pmu_perf_told(struct sbi_pmu *pmu, const struct task_struct *task)
{
	const struct sbi_pmu_event *e;
	u32 told = 0;

	rcu_read_lock();
	hash_for_each_possible_rcu(pmu->direct.readers, e, reader, (unsigned long)task)
		if (e->event->hw.target == task && READ_ONCE(e->mm) == task->mm)
			told |= READ_ONCE(e->told);
	rcu_read_unlock();
	return told;
}

/**
 * sbi_pmu_perf_readable - what the current task may read by itself
 * @cpu: this hart
 *
 * Context: interrupts off.
 * Return: counters, as SCOUNTEREN has them.
 */
u32 sbi_pmu_perf_readable(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_event *e;
	const struct sbi_pmu_user *user;
	u32 readable = 0;
	unsigned int i;

	if (!READ_ONCE(cpu->pmu->direct.count))
		return 0;
	sbi_pmu_mask_for_each(i, &cpu->slots.plan.busy) {
		list_for_each_entry(user, &cpu->slots.users[i], node) {
			/* Only an event's; the hart has users of its own (direct.c). */
			if (!user->reads)
				continue;
			e = container_of(user, struct sbi_pmu_event, user);
			/* Its task may have gone on to another program. */
			if (e->shown && READ_ONCE(e->mm) == current->mm)
				readable |= BIT(e->shown - 1);
		}
	}
	return readable;
}

static void publish_here(void *arg)
{
	struct perf_event *event = arg;
	struct sbi_pmu_cpu *cpu = event_cpu(event);

	/* Not when it has just left this hart: it will be told when it comes back. */
	if (READ_ONCE(event->oncpu) != smp_processor_id())
		return;
	sbi_pmu_user_reads(&cpu->slots, event_user(event));
	event_collect(event);
	/* Armed and open first: who is told where to read may do so. */
	sbi_pmu_overflow_let_go(cpu);
	perf_event_update_userpage(event);
}

/*
 * A program has mapped an event. From now on it may read the counter by itself, if
 * that counts this very program. (It has gone on to another program since it mapped
 * the event for the first time: then this one may.)
 *
 * There is no event_unmapped: kernels from 6.15 on would not let the PMU go in the
 * moment between the last reference to the module and the end of an event. An
 * event that is not mapped any more may still be read by its own task.
 */
static void pmu_event_mapped(struct perf_event *event, struct mm_struct *mm)
{
	struct sbi_pmu_event *e = event->pmu_private;
	struct sbi_pmu_direct *direct = &to_sbi_pmu(event->pmu)->direct;
	struct task_struct *task = event->hw.target;
	struct mm_struct *before;
	int cpu;

	if (!e->readable || READ_ONCE(task->mm) != mm)
		return;
	mmgrab(mm);
	spin_lock(&direct->lock);
	before = e->mm;
	WRITE_ONCE(e->mm, mm);
	if (!before) {
		hash_add_rcu(direct->readers, &e->reader, (unsigned long)task);
		direct->count++;
	}
	spin_unlock(&direct->lock);
	if (before)
		mmdrop(before);
	/* From then on they are touched on the event's hart only. */
	if (!e->user.direct)
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	WRITE_ONCE(e->user.direct, true);
	cpu = READ_ONCE(event->oncpu);
	if (cpu >= 0)
		smp_call_function_single(cpu, publish_here, event, true);
}

/* Firmware counts what no CSR has, and who inherits counts for others. */
static bool event_readable(const struct sbi_pmu *pmu, const struct perf_event *event,
			   const struct sbi_pmu_code *code)
{
	return pmu->direct.able && READ_ONCE(pmu->direct.access) != SBI_PMU_ACCESS_NONE &&
	       event->attach_state & PERF_ATTACH_TASK && !event->attr.inherit &&
	       !sbi_pmu_code_is_firmware(code);
}

/* ---- at open and close: may sleep, may refuse ---- */

static int group_add(struct sbi_pmu *pmu, struct sbi_pmu_plan *plan,
		     struct perf_event *member)
{
	struct sbi_pmu_user *user;

	if (is_software_event(member))
		return 0;
	if (member->pmu != &pmu->pmu)
		return -EINVAL;
	user = event_user(member);
	return sbi_pmu_plan_fits(plan, &pmu->inv, &user->code, &user->can) ? 0 : -EINVAL;
}

/* Could all of the event's group be on an otherwise empty hart together? */
static int group_validate(struct sbi_pmu *pmu, struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *sibling;
	struct sbi_pmu_plan *plan;
	int ret;

	if (leader == event)
		return 0;
	plan = kzalloc(sizeof(*plan), GFP_KERNEL);
	if (!plan)
		return -ENOMEM;
	ret = group_add(pmu, plan, leader);
	for_each_sibling_event(sibling, leader) {
		if (!ret)
			ret = group_add(pmu, plan, sibling);
	}
	if (!ret)
		ret = group_add(pmu, plan, event);
	kfree(plan);
	return ret;
}

static void release_idle(void *arg)
{
	struct sbi_pmu *pmu = arg;

	sbi_pmu_slots_release_idle(&this_cpu_ptr(pmu->cpu)->slots);
}

/* With no event left on any hart, this does not change behind our back. */
static bool has_slots(int cpu, void *arg)
{
	const struct sbi_pmu *pmu = arg;

	return !sbi_pmu_mask_empty(&per_cpu_ptr(pmu->cpu, cpu)->slots.plan.configured);
}

static void event_destroy(struct perf_event *event)
{
	struct sbi_pmu *pmu = to_sbi_pmu(event->pmu);
	struct sbi_pmu_event *e = event->pmu_private;

	if (e->mm) {
		spin_lock(&pmu->direct.lock);
		hash_del_rcu(&e->reader);
		pmu->direct.count--;
		spin_unlock(&pmu->direct.lock);
		mmdrop(e->mm);
	}
	event->pmu_private = NULL;
	kfree_rcu(e, rcu);
	if (atomic_dec_and_test(&pmu->events))
		on_each_cpu_cond_mask(has_slots, release_idle, pmu, true, &pmu->cpus);
}

/* Does nothing here make samples of such an event? */
static bool never_sampled(const struct sbi_pmu *pmu, struct perf_event *event,
			  const struct sbi_pmu_code *code)
{
	/* Firmware counts its own work, which has no place in the program. */
	return is_sampling_event(event) &&
	       (sbi_pmu_code_is_firmware(code) || pmu->source == SBI_PMU_BY_NOTHING);
}

static int event_encode(struct sbi_pmu *pmu, struct perf_event *event,
			struct sbi_pmu_code *code, struct sbi_pmu_mask *can)
{
	const struct perf_event_attr *attr = &event->attr;
	int ret;

	ret = sbi_pmu_event_encode(&pmu->able, attr, attr->type == pmu->pmu.type, code);
	if (ret)
		return ret;
	if (perf_attr_further_config(attr))
		return -EINVAL;
	if (sbi_pmu_event_further(code) && !pmu->able.further)
		return -ENOENT;
	if (has_branch_stack(event) || attr->precise_ip || never_sampled(pmu, event, code))
		return -EOPNOTSUPP;
	/* A task's event can wait for its CPU to come back, a CPU's own cannot. */
	if (event->cpu >= 0 &&
	    !cpumask_test_cpu(event->cpu, event->attach_state & PERF_ATTACH_TASK ?
			      &pmu->alike : &pmu->cpus))
		return -ENODEV;
	ret = sbi_pmu_event_filter(&pmu->able, attr, code);
	if (ret)
		return ret;
	ret = sbi_pmu_truth_find(pmu, code, can);
	/* What perf calls "event is not supported", and asks for no other way. */
	if (ret == -EOPNOTSUPP)
		return -ENOENT;
	if (ret)
		return ret;
	if (!code->flags)
		return 0;
	/* A fixed counter counts in every mode. */
	*can = sbi_pmu_mask_and(*can, &pmu->inv.hpm);
	if (!sbi_pmu_mask_empty(can))
		return 0;
	/* Nor does it interrupt. */
	return is_sampling_event(event) && !pmu->poll ? -EOPNOTSUPP :
							sbi_pmu_event_unfiltered(&pmu->able);
}

/*
 * How an event is to learn of its periods, and the counters that can tell: only
 * programmable ones interrupt, the timer can look at any.
 */
static int event_sampling(struct sbi_pmu *pmu, struct perf_event *event,
			  struct sbi_pmu_mask *can)
{
	const struct sbi_pmu_mask hpm = sbi_pmu_mask_and(*can, &pmu->inv.hpm);

	if (!is_sampling_event(event))
		return SBI_PMU_COUNTS;
	if (pmu->source == SBI_PMU_BY_LCOFI && !sbi_pmu_mask_empty(&hpm)) {
		*can = hpm;
		return SBI_PMU_INTERRUPTED;
	}
	return pmu->poll ? SBI_PMU_POLLED : -EOPNOTSUPP;
}

static int pmu_event_init(struct perf_event *event)
{
	struct sbi_pmu *pmu = to_sbi_pmu(event->pmu);
	struct sbi_pmu_event *e;
	struct sbi_pmu_code code;
	struct sbi_pmu_mask can;
	int ret, sampling;

	if (event->parent) {
		/* A fork inherits: all has been asked and answered. */
		code = event_user(event->parent)->code;
		can = event_user(event->parent)->can;
		sampling = event_user(event->parent)->sampling;
	} else {
		ret = event_encode(pmu, event, &code, &can);
		if (ret)
			return ret;
		sampling = event_sampling(pmu, event, &can);
	}
	if (sampling < 0)
		return sampling;

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	sbi_pmu_user_init(&e->user, &code, &can);
	e->user.sampling = sampling;
	e->event = event;
	e->readable = event_readable(pmu, event, &code);
	/* Who may not see what a whole CPU does, is not to see it in a counter either. */
	e->user.fresh = !perfmon_capable();
	event->pmu_private = e;
	event->hw.idx = -1;
	ret = event->parent ? 0 : group_validate(pmu, event);
	if (ret) {
		event->pmu_private = NULL;
		kfree(e);
		return ret;
	}
	atomic_inc(&pmu->events);
	event->destroy = event_destroy;
	return 0;
}

/*
 * Harts that differ from the one probed count nothing, nor does one that goes or
 * comes; keep tasks' events off.
 */
static bool pmu_filter(struct pmu *pmu, int cpu)
{
	return !cpumask_test_cpu(cpu, &to_sbi_pmu(pmu)->cpus);
}

void sbi_pmu_perf_init(struct sbi_pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(pmu->cpu, cpu)->slots.moved = user_moved;
	pmu->pmu.module = THIS_MODULE;
	pmu->pmu.event_init = pmu_event_init;
	pmu->pmu.add = pmu_add;
	pmu->pmu.del = pmu_del;
	pmu->pmu.start = pmu_start;
	pmu->pmu.stop = pmu_stop;
	pmu->pmu.read = pmu_read;
	pmu->pmu.pmu_disable = pmu_disable;
	pmu->pmu.pmu_enable = pmu_enable;
	pmu->pmu.filter = pmu_filter;
	pmu->pmu.event_mapped = pmu_event_mapped;
	pmu->pmu.event_idx = pmu_event_idx;
	pmu->riscv.ctr_get_width = ctr_get_width;
	pmu->pmu.capabilities = PERF_PMU_CAP_EXTENDED_HW_TYPE;
	/* perf core refuses to sample then. */
	if (pmu->source == SBI_PMU_BY_NOTHING)
		pmu->pmu.capabilities |= PERF_PMU_CAP_NO_INTERRUPT;
}
