// SPDX-License-Identifier: GPL-2.0-only
/*
 * A CPU's scounteren opens time, and the counters of the running task's own events that it has
 * mapped. A counter runs on after its task was switched out, so it is reset for a task that must
 * not see what others count. So no task sees others' counts, and a context switch needs no message
 * to other CPUs. (Except with CAP_PERFMON; cycle and instret with kernel.perf_user_access=2; and
 * after exec() until the next switch.)
 *
 * A program may look up its counter, migrate, and then read: that traps and returns 0. Its page
 * has changed meanwhile, so it looks again.
 */
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include "csr.h"
#include "sbi_pmu.h"
#include "user_access.h"
#include "user_page.h"

#define ALWAYS	SBI_PMU_CSR_BIT(CSR_TIME)
#define FIXED	(SBI_PMU_CSR_BIT(CSR_CYCLE) | SBI_PMU_CSR_BIT(CSR_INSTRET))

static struct sbi_pmu_cpu *this_cpu_of(struct perf_event *perf)
{
	return this_cpu_ptr(to_sbi_pmu(perf->pmu)->cpu);
}

/**
 * sbi_pmu_user_access_publish() - set the words of which perf core makes the mmap page
 * @e: an event that a program may read from user space, just accounted
 *
 * hw.flags (PERF_EVENT_FLAG_USER_READ_CNT becomes cap_user_rdpmc), hw.prev_count, and hw.idx (the
 * width, for ctr_get_width()). Context: on its CPU, interrupts disabled.
 */
void sbi_pmu_user_access_publish(struct sbi_pmu_perf_event *e)
{
	const struct sbi_pmu_cpu *cpu = this_cpu_of(e->perf);
	struct hw_perf_event *hw = &e->perf->hw;
	const struct sbi_pmu_user_page page =
		sbi_pmu_user_page(&cpu->counters, &e->event, cpu->openable);

	if (page.csr)
		e->published |= SBI_PMU_CSR_BIT(page.csr);
	WRITE_ONCE(e->shown, page.csr ? page.csr - CSR_CYCLE + 1 : 0);
	if (page.by_kernel)
		hw->flags &= ~PERF_EVENT_FLAG_USER_READ_CNT;
	else
		hw->flags |= PERF_EVENT_FLAG_USER_READ_CNT;
	local64_set(&hw->prev_count, page.base);
	hw->idx = page.width - 1;
}

/*
 * Write the mmap page of an event: if its samples go to another event's buffer
 * (PERF_EVENT_IOC_SET_OUTPUT), that is the other's. Context: on its CPU, interrupts disabled.
 */
void sbi_pmu_publish_page(struct sbi_pmu_perf_event *e)
{
	sbi_pmu_add_count(e);
	perf_event_update_userpage(e->perf);
}

/* See struct sbi_pmu_counters, @changed. */
void sbi_pmu_event_changed(struct sbi_pmu_event *event)
{
	sbi_pmu_publish(container_of(event, struct sbi_pmu_perf_event, event));
}

/* The page's index, 0: none. Perf core asks on any CPU, hence as published with its other words. */
int sbi_pmu_event_shown(const struct sbi_pmu_perf_event *e)
{
	return READ_ONCE(e->shown);
}

static u32 readable_by_current(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_perf_event *e;
	const struct sbi_pmu_event *event;
	u32 readable = 0;
	unsigned int i;

	for_each_counter(i, cpu->counters.plan.busy) {
		hlist_for_each_entry(event, &cpu->counters.events[i], node) {
			/* Not those of keep(). */
			if (!event->user_read)
				continue;
			e = container_of(event, struct sbi_pmu_perf_event, event);
			/* The task may have called exec() since it mapped the event. */
			if (e->shown && READ_ONCE(e->mm) == current->mm)
				readable |= BIT(e->shown - 1);
		}
	}
	return readable;
}

/* For sbi_pmu_user_access_update() */
void sbi_pmu_user_access_write(struct sbi_pmu_cpu *cpu)
{
	const u32 open = cpu->open_to_all | readable_by_current(cpu);

	if (open == cpu->scounteren)
		return;
	cpu->scounteren = open;
	sbi_pmu_csr_open(open);
}

/* Apply the sysctl. Context: on the CPU, interrupts disabled. */
static void apply_mode(struct sbi_pmu_cpu *cpu)
{
	const bool want = READ_ONCE(cpu->pmu->user_access.mode) == SBI_PMU_USER_ACCESS_FIXED;
	struct sbi_pmu_counters *c = &cpu->counters;

	cpu->open_to_all = want ? ALWAYS | FIXED : ALWAYS;
	c->world_readable = want ? c->backend.inv->fixed : 0;
	if (want)
		sbi_pmu_fixed_keep(c, cpu->kept);
	else if (sbi_pmu_fixed_drop(c, cpu->kept) && !atomic_read(&cpu->pmu->events))
		sbi_pmu_counters_release_idle(c);
	sbi_pmu_user_access_write(cpu);
}

static void mode_changed(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);

	if (!cpu->counters.online)
		return;
	apply_mode(cpu);
	/* Events may have moved to make a counter free. */
	pmu->support.restart(&cpu->counters);
}

/* Events that are open stay readable, so that no write to the sysctl kills a program. */
static int mode_handler(sbi_pmu_ctl_table *table, int write, void *buffer, size_t *length,
			loff_t *pos)
{
	struct sbi_pmu *pmu = container_of(table->data, struct sbi_pmu, user_access.mode);
	int ret = proc_dointvec_minmax(table, write, buffer, length, pos);

	if (!ret && write)
		on_each_cpu(mode_changed, pmu, true);
	return ret;
}

/* Write scounteren after the CPU has lost it. Context: on the CPU, interrupts disabled. */
void sbi_pmu_user_access_resume(struct sbi_pmu_cpu *cpu)
{
	if (!cpu->pmu->exclusive) /* the other driver writes it */
		return;
	cpu->scounteren = 0;
	apply_mode(cpu);
}

/* Prepare a CPU that has come online. Context: on the CPU, interrupts disabled. */
void sbi_pmu_user_access_online(struct sbi_pmu_cpu *cpu)
{
	if (cpu->pmu->exclusive)
		cpu->openable = sbi_pmu_csr_openable();
	sbi_pmu_fixed_init(&cpu->counters, cpu->kept);
	sbi_pmu_user_access_resume(cpu);
}

/* The CPU goes offline, its counters have been released. Context: interrupts disabled. */
void sbi_pmu_user_access_offline(struct sbi_pmu_cpu *cpu)
{
	if (!cpu->pmu->exclusive)
		return;
	cpu->scounteren = ALWAYS;
	sbi_pmu_csr_open(ALWAYS);
}

/*
 * Homogeneous CPUs can open the same counters. While an event is added to a group of a CPU, perf
 * core holds a mutex that CPU hotplug takes, so sbi_pmu_user_trap_get() must not be called.
 */
static bool is_possible(const struct sbi_pmu *pmu, const struct perf_event *perf,
			const struct sbi_pmu_event *event)
{
	return pmu->user_access.available &&
	       READ_ONCE(pmu->user_access.mode) != SBI_PMU_USER_ACCESS_NONE &&
	       perf->attach_state & PERF_ATTACH_TASK &&
	       perf->group_leader->attach_state & PERF_ATTACH_TASK && !perf->attr.inherit &&
	       sbi_pmu_user_page_possible(&pmu->inv, event->candidates,
					  raw_cpu_ptr(pmu->cpu)->openable);
}

/**
 * sbi_pmu_user_access_open() - decide whether an event can be read from user space
 * @e: a new event; programs look at its mmap page before it is started for the first time
 * Context: may sleep.
 */
void sbi_pmu_user_access_open(struct sbi_pmu_perf_event *e)
{
	struct sbi_pmu *pmu = to_sbi_pmu(e->perf->pmu);
	struct hw_perf_event *hw = &e->perf->hw;

	e->readable = is_possible(pmu, e->perf, &e->event) &&
		      sbi_pmu_user_trap_get(&pmu->user_access.trap);
	/* hw.idx is the width for ctr_get_width(), or -1: no reads from user space. */
	hw->idx = e->readable ? 63 : -1;
	if (e->readable)
		hw->flags |= PERF_EVENT_FLAG_USER_READ_CNT;
}

static bool may_count_cpus(const struct sbi_pmu *pmu)
{
	return (pmu->perf_event_paranoid && READ_ONCE(*pmu->perf_event_paranoid) <= 0) ||
	       perfmon_capable();
}

/* The task that @e counts has mapped it in @mm. Context: ua->lock. Return: for mmdrop(). */
static struct mm_struct *add_reader(struct sbi_pmu_user_access *ua, struct sbi_pmu_perf_event *e,
				    struct mm_struct *mm)
{
	struct mm_struct *before = e->mm;

	mmgrab(mm);
	WRITE_ONCE(e->mm, mm);
	if (!before) {
		hash_add_rcu(ua->readers, &e->reader, (unsigned long)e->perf->hw.target);
		ua->count++;
	}
	return before;
}

/**
 * sbi_pmu_user_access_map() - decide who may read an event that the calling task has mapped
 * @e: the event
 * @mm: the address space; another one if the task has called exec() since
 *
 * By the rights of this task, not of the one that opened it: a file descriptor can be passed on.
 * Context: may sleep.
 * Return: may its page have to change?
 */
bool sbi_pmu_user_access_map(struct sbi_pmu_perf_event *e, struct mm_struct *mm)
{
	struct sbi_pmu *pmu = to_sbi_pmu(e->perf->pmu);
	const bool own = e->perf->hw.target == current, sees_all = may_count_cpus(pmu);
	struct mm_struct *before = NULL;

	WRITE_ONCE(e->has_page, true);
	if (!e->readable)
		return false;
	spin_lock(&pmu->user_access.lock);
	if (own)
		before = add_reader(&pmu->user_access, e, mm);
	sbi_pmu_user_page_mapped(&e->event, own, sees_all);
	spin_unlock(&pmu->user_access.lock);
	if (before)
		mmdrop(before);
	return true;
}

/* Another task has mapped an event that is not on a CPU; there its flag is cleared, too. */
void sbi_pmu_user_access_hide(struct sbi_pmu_perf_event *e)
{
	if (!READ_ONCE(e->event.mapped_by_other))
		return;
	e->perf->hw.flags &= ~PERF_EVENT_FLAG_USER_READ_CNT;
	perf_event_update_userpage(e->perf);
}

static void remove_reader(struct sbi_pmu_user_access *ua, struct sbi_pmu_perf_event *e)
{
	spin_lock(&ua->lock);
	hash_del_rcu(&e->reader);
	ua->count--;
	spin_unlock(&ua->lock);
	mmdrop(e->mm);
}

/* The event ends. Context: may sleep. */
void sbi_pmu_user_access_close(struct sbi_pmu_perf_event *e)
{
	struct sbi_pmu_user_access *ua = &to_sbi_pmu(e->perf->pmu)->user_access;

	if (e->mm)
		remove_reader(ua, e);
	if (e->readable)
		sbi_pmu_user_trap_put(&ua->trap);
}

/* Counters that pages of @task's own events have shown, whatever they hold by now. */
static u32 published_to(struct sbi_pmu *pmu, const struct task_struct *task)
{
	const struct sbi_pmu_perf_event *e;
	u32 published = 0;

	rcu_read_lock();
	hash_for_each_possible_rcu(pmu->user_access.readers, e, reader, (unsigned long)task)
		if (e->perf->hw.target == task && READ_ONCE(e->mm) == task->mm)
			published |= READ_ONCE(e->published);
	rcu_read_unlock();
	return published;
}

/* Is @insn a read of a counter (csrrs rd, csr, x0)? The kernel is 64-bit: no upper halves. */
static bool is_counter_read(u32 insn, unsigned int *csr, unsigned int *rd)
{
	*csr = insn >> 20;
	*rd = insn >> 7 & 31;
	return (insn & 0xff07f) == 0x2073 && *csr >= CSR_CYCLE && *csr <= CSR_HPMCOUNTER31 &&
	       *csr != CSR_TIME;
}

/* Return: may the program go on? The read returns 0, or is repeated if it should not trap. */
static bool handle_trapped_read(struct sbi_pmu_user_trap *ut, struct pt_regs *regs)
{
	struct sbi_pmu *pmu = container_of(ut, struct sbi_pmu, user_access.trap);
	const bool test = current == READ_ONCE(ut->tester);
	struct sbi_pmu_cpu *cpu;
	unsigned int csr, rd;
	unsigned long flags;
	bool open;
	u64 value;
	u32 insn;

	/* Where a program's text is not readable, the hart may have saved the instruction. */
	if (copy_from_user_nofault(&insn, (void __user *)regs->epc, sizeof(insn)))
		insn = regs->badaddr;
	if (!is_counter_read(insn, &csr, &rd) ||
	    (!test && !(published_to(pmu, current) & SBI_PMU_CSR_BIT(csr))))
		return false;

	local_irq_save(flags);
	cpu = this_cpu_ptr(pmu->cpu);
	open = cpu->scounteren & SBI_PMU_CSR_BIT(csr);
	if (!open) {
		sbi_pmu_user_access_update(cpu);
		if (!(cpu->scounteren & SBI_PMU_CSR_BIT(csr))) {
			/* struct pt_regs has registers in the order of their numbers, after epc. */
			if (rd)
				((unsigned long *)regs)[rd] = 0;
			regs->epc += sizeof(insn);
			cpu->trapped_reads += !test;
		}
	}
	local_irq_restore(flags);
	/* Opened meanwhile by an interrupt; if the kernel's own read traps that is not why. */
	return !open || !sbi_pmu_csr_read(csr, &value);
}

static const struct ctl_table mode_table = {
	.procname = "perf_user_access",
	.maxlen = sizeof(int),
	.mode = 0644,
	.proc_handler = mode_handler,
	.extra1 = SYSCTL_ZERO,
	.extra2 = SYSCTL_TWO,
};

/**
 * sbi_pmu_user_access_init() - allow user-space reads, in exclusive mode
 * @pmu: the driver, its CPUs online, not registered yet
 *
 * Not if a late read would kill the program; nor in a VM, where a read is no faster than read(2);
 * nor with snapshot, where counters do not count on from the value that a program has seen.
 * Context: may sleep.
 */
void sbi_pmu_user_access_init(struct sbi_pmu *pmu)
{
	struct sbi_pmu_user_access *ua = &pmu->user_access;
	const char *why = "no CONFIG_RISCV_PMU";

	if (!pmu->exclusive || sbi_pmu_in_kvm(pmu) || pmu->snapshot == SBI_PMU_SNAPSHOT_USED)
		return;
	if (IS_ENABLED(CONFIG_RISCV_PMU))
		why = sbi_pmu_user_trap_init(&ua->trap, handle_trapped_read, &pmu->cpus);
	if (why)
		pr_warn("no user-space reads: %s\n", why);
	ua->available = !why;
	ua->mode = ua->available ? SBI_PMU_USER_ACCESS_OWN : SBI_PMU_USER_ACCESS_NONE;
	ua->table = mode_table;
	ua->table.data = &ua->mode;
	ua->sysctl = register_sysctl_sz("kernel", &ua->table, 1);
	if (!ua->sysctl)
		pr_warn("cannot register sysctl kernel.perf_user_access: user-space reads are as with value %d\n",
			ua->mode);
}

void sbi_pmu_user_access_exit(struct sbi_pmu *pmu)
{
	if (pmu->user_access.sysctl)
		unregister_sysctl_table(pmu->user_access.sysctl);
	if (pmu->user_access.available)
		sbi_pmu_user_trap_exit(&pmu->user_access.trap);
}
