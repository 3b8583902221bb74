// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf: perf core's doors, in both directions.
 */
#include <linux/slab.h>

#include "sbi_pmu.h"

/**
 * struct sbi_pmu_event - what we keep of a perf event; its pmu_private
 * @user: its place on a hart
 */
struct sbi_pmu_event {
	struct sbi_pmu_user user;
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

static void event_collect(struct perf_event *event)
{
	local64_add(sbi_pmu_user_collect(event_slots(event), event_user(event)),
		    &event->count);
}

static void pmu_start(struct perf_event *event, int flags)
{
	if (WARN_ON_ONCE(!(event->hw.state & PERF_HES_STOPPED)))
		return;
	/* A counter that cannot be read leaves the event stopped. */
	if (!sbi_pmu_user_start(event_slots(event), event_user(event)))
		event->hw.state = 0;
	perf_event_update_userpage(event);
}

static void pmu_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	sbi_pmu_user_stop(event_slots(event), event_user(event));
	event_collect(event);
	event->hw.state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void pmu_del(struct perf_event *event, int flags)
{
	pmu_stop(event, PERF_EF_UPDATE);
	sbi_pmu_user_detach(event_slots(event), event_user(event));
	event->hw.idx = -1;
	perf_event_update_userpage(event);
}

static int pmu_add(struct perf_event *event, int flags)
{
	int ret;

	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	ret = sbi_pmu_user_attach(event_slots(event), event_user(event));
	if (ret)
		return ret;
	event->hw.idx = event_user(event)->slot;
	sbi_pmu_timer_kick(event_cpu(event));
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

	kfree(event->pmu_private);
	event->pmu_private = NULL;
	if (atomic_dec_and_test(&pmu->events))
		on_each_cpu_cond_mask(has_slots, release_idle, pmu, true, &pmu->cpus);
}

static int event_encode(struct sbi_pmu *pmu, struct perf_event *event,
			struct sbi_pmu_code *code, struct sbi_pmu_mask *can)
{
	const struct perf_event_attr *attr = &event->attr;
	int ret;

	ret = sbi_pmu_event_encode(attr, attr->type == pmu->pmu.type, code);
	if (ret)
		return ret;
	if (perf_attr_further_config(attr))
		return -EINVAL;
	if (sbi_pmu_event_further(code) && !pmu->able.further)
		return -ENOENT;
	if (has_branch_stack(event) || is_sampling_event(event) || attr->precise_ip)
		return -EOPNOTSUPP;
	/* A task's event can wait for its CPU to come back, a CPU's own cannot. */
	if (event->cpu >= 0 &&
	    !cpumask_test_cpu(event->cpu, event->attach_state & PERF_ATTACH_TASK ?
			      &pmu->alike : &pmu->cpus))
		return -ENODEV;
	ret = sbi_pmu_event_filter(&pmu->able, attr, code);
	if (ret)
		return ret;
	ret = sbi_pmu_truth_of(pmu, code, can);
	if (ret == -EOPNOTSUPP && sbi_pmu_event_other_raw(code))
		ret = sbi_pmu_truth_of(pmu, code, can);
	/* What perf calls "event is not supported", and asks for no other way. */
	if (ret == -EOPNOTSUPP)
		return -ENOENT;
	if (ret)
		return ret;
	if (!code->flags)
		return 0;
	/* A fixed counter counts in every mode. */
	*can = sbi_pmu_mask_and(*can, &pmu->inv.hpm);
	return sbi_pmu_mask_empty(can) ? sbi_pmu_event_unfiltered(&pmu->able) : 0;
}

static int pmu_event_init(struct perf_event *event)
{
	struct sbi_pmu *pmu = to_sbi_pmu(event->pmu);
	struct sbi_pmu_event *e;
	struct sbi_pmu_code code;
	struct sbi_pmu_mask can;
	int ret = 0;

	if (event->parent) {
		/* A fork inherits: all has been asked and answered. */
		code = event_user(event->parent)->code;
		can = event_user(event->parent)->can;
	} else {
		ret = event_encode(pmu, event, &code, &can);
	}
	if (ret)
		return ret;

	e = kzalloc(sizeof(*e), GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	sbi_pmu_user_init(&e->user, &code, &can);
	event->pmu_private = e;
	event->hw.idx = -1;
	if (!event->parent)
		ret = group_validate(pmu, event);
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
	pmu->pmu.module = THIS_MODULE;
	pmu->pmu.event_init = pmu_event_init;
	pmu->pmu.add = pmu_add;
	pmu->pmu.del = pmu_del;
	pmu->pmu.start = pmu_start;
	pmu->pmu.stop = pmu_stop;
	pmu->pmu.read = pmu_read;
	pmu->pmu.filter = pmu_filter;
	/* No overflow source yet: perf core refuses sampling. */
	pmu->pmu.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_EXTENDED_HW_TYPE;
}

/* ---- what perf core does not export ---- */

static int match_type(struct device *dev, const void *type)
{
	const struct pmu *pmu = dev_get_drvdata(dev);

	return pmu && pmu->type == *(const int *)type;
}

/**
 * sbi_pmu_perf_survey - who is there already
 * @type: a PMU type that we would like: PERF_TYPE_RAW
 * @owner: the name of the PMU that has it, for kfree(); NULL if none has
 * @name: a name that we would like
 * @taken: whether a PMU has that
 *
 * Registering a type or name that is taken ends in a kernel warning, so look
 * first. The list of PMUs is perf core's own; but any PMU's device leads to
 * the bus of all, and the software PMU is always there.
 *
 * Context: may sleep.
 * Return: 0 or an errno.
 */
int sbi_pmu_perf_survey(int type, char **owner, const char *name, bool *taken)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event;
	struct device *dev;
	int ret = 0;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);

	*owner = NULL;
	dev = bus_find_device(event->pmu->dev->bus, NULL, &type, match_type);
	if (dev) {
		*owner = kstrdup(dev_name(dev), GFP_KERNEL);
		if (!*owner)
			ret = -ENOMEM;
		put_device(dev);
	}
	dev = bus_find_device_by_name(event->pmu->dev->bus, NULL, name);
	*taken = dev;
	put_device(dev);
	perf_event_release_kernel(event);
	return ret;
}
