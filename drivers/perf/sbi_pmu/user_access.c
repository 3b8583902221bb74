// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which events programs can read from user space: the sysctl, mmap, reads that come too late.
 *
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

#include "counters.h"
#include "probe.h"
#include "user_access.h"

#define ALWAYS	SBI_PMU_CSR_BIT(CSR_TIME)
#define FIXED	(SBI_PMU_CSR_BIT(CSR_CYCLE) | SBI_PMU_CSR_BIT(CSR_INSTRET))

/* Programs that may read them must not end when the built-in driver goes or comes back. */
static u32 always_open(void)
{
	const struct sbi_pmu_builtin *b = &sbi_pmu_the_pmu->builtin;
	const bool fixed = b->device && READ_ONCE(*b->user_access) == SBI_PMU_USER_ACCESS_FIXED;

	return fixed ? ALWAYS | FIXED : ALWAYS;
}

/*
 * Apply the sysctl, also on a CPU without events: firmware leaves cycle and instret open, and tasks
 * move between CPUs. Context: on the CPU, interrupts disabled.
 */
static void apply_mode(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu *pmu = sbi_pmu_the_pmu;
	const bool want = READ_ONCE(*pmu->user_access.mode) == SBI_PMU_USER_ACCESS_FIXED;

	cpu->open_to_all = want ? ALWAYS | FIXED : always_open();
	if (want && cpu->online) {
		sbi_pmu_counters_claim_fixed(cpu);
	} else if (cpu->free_running != cpu->layout->free_running) {
		cpu->free_running = cpu->layout->free_running;
		sbi_pmu_counters_release_idle(cpu, ~0ULL);
	}
	sbi_pmu_write_scounteren(cpu);
}

static void mode_changed(void *unused)
{
	struct sbi_pmu_cpu *cpu = raw_cpu_read(sbi_pmu_here);
	struct sbi_pmu_event *e;
	unsigned int i;

	sbi_pmu_counters_disable(cpu);
	apply_mode(cpu);
	/* Who may read these depends on the mode. What is a secret again must start from 0. */
	for_each_counter(i, cpu->layout->fixed)
		hlist_for_each_entry(e, &cpu->counter[i].events, node) {
			sbi_pmu_event_set_stale(cpu, e);
			sbi_pmu_event_page_changed(e);
		}
	sbi_pmu_counters_enable(cpu);
}

/* Events that are open stay readable, so that no write to the sysctl kills a program. */
static int mode_handler(sbi_pmu_ctl_table *table, int write, void *buffer, size_t *length,
			loff_t *pos)
{
	int ret = proc_dointvec_minmax(table, write, buffer, length, pos);

	if (!ret && write)
		on_each_cpu(mode_changed, NULL, true);
	return ret;
}

/* Write scounteren: the CPU is new, or has lost it. Context: on the CPU, interrupts disabled. */
void sbi_pmu_user_access_resume(struct sbi_pmu_cpu *cpu)
{
	if (!cpu->pmu->exclusive) /* the other driver writes it */
		return;
	cpu->scounteren = 0;
	apply_mode(cpu);
}

/* The CPU goes offline, its counters have been released. Context: interrupts disabled. */
void sbi_pmu_user_access_offline(struct sbi_pmu_cpu *cpu)
{
	if (!cpu->pmu->exclusive)
		return;
	cpu->scounteren = always_open();
	sbi_pmu_csr_open(cpu->scounteren);
}

/*
 * Can a new event be read from user space? Programs look at its mmap page before it is started for
 * the first time.
 */
void sbi_pmu_user_access_open(struct sbi_pmu_event *e)
{
	struct perf_event *event = e->event;
	const struct sbi_pmu *pmu = to_sbi_pmu(event->pmu);
	const struct sbi_pmu_user_access *ua = &sbi_pmu_the_pmu->user_access;

	/* The pages of the kernel show no counter to events of another type. */
	e->readable = ua->available && READ_ONCE(*ua->mode) != SBI_PMU_USER_ACCESS_NONE &&
		      event->attr.type < PERF_TYPE_MAX && event->attach_state & PERF_ATTACH_TASK &&
		      !event->attr.inherit && !e->unfiltered &&
		      pmu->openable & sbi_pmu_csr_bits(&pmu->layout, e->candidates);
	event->hw.idx = e->readable ? 63 : -1;
	if (e->readable)
		event->hw.flags |= PERF_EVENT_FLAG_USER_READ_CNT;
}

/*
 * The calling task has mapped an event: who may read it? By the rights of this task, not of the one
 * that opened it: a file descriptor can be passed on. @mm: the address space; another one if the
 * task has called exec() since. Context: may sleep. Return: may its page have to change?
 */
bool sbi_pmu_user_access_map(struct sbi_pmu_event *e, struct mm_struct *mm)
{
	struct sbi_pmu_user_access *ua = &sbi_pmu_the_pmu->user_access;
	const int *paranoid = sbi_pmu_the_pmu->perf_event_paranoid;
	const bool own = e->event->hw.target == current;
	struct mm_struct *before = NULL;

	/* The page would show an unfiltered event's count at each switch. */
	WRITE_ONCE(e->has_page, !e->unfiltered);
	if (!e->readable)
		return false;
	spin_lock(&ua->lock);
	/*
	 * The page does not tell its readers apart, and on another thread's CPU the read traps or
	 * returns another counter: after another task has mapped the event, nobody reads it.
	 */
	if (own) {
		before = e->mm;
		mmgrab(mm);
		WRITE_ONCE(e->mm, mm);
		if (!before)
			hash_add_rcu(ua->readers, &e->reader, (unsigned long)current);
		e->reset_on_start = !(paranoid && READ_ONCE(*paranoid) <= 0) &&
				    !sbi_pmu_has_perfmon();
	} else {
		WRITE_ONCE(e->mapped_by_other, true);
	}
	WRITE_ONCE(e->mapped, !e->mapped_by_other);
	spin_unlock(&ua->lock);
	if (before)
		mmdrop(before);
	return true;
}

/* The event ends. Context: may sleep. */
void sbi_pmu_user_access_close(struct sbi_pmu_event *e)
{
	struct sbi_pmu_user_access *ua = &sbi_pmu_the_pmu->user_access;

	if (e->mm) {
		spin_lock(&ua->lock);
		hash_del_rcu(&e->reader);
		spin_unlock(&ua->lock);
		mmdrop(e->mm);
	}
}

/*
 * An instruction of a program is illegal. If it reads a counter that a page of this task has shown,
 * and that is closed by now, it returns 0 and the program goes on.
 */
static int illegal_instruction(struct kprobe *probe, struct pt_regs *regs)
{
	struct sbi_pmu *pmu = container_of(probe, struct sbi_pmu, user_access.probe);
	struct pt_regs *program = (struct pt_regs *)regs->a0;
	const struct sbi_pmu_event *e;
	struct sbi_pmu_cpu *cpu;
	unsigned int csr, rd;
	unsigned long flags;
	u32 published = 0;
	u64 value;
	bool open;
	u32 insn;

	/* Where a program's text is not readable, the hart may have saved the instruction. */
	if (copy_from_user_nofault(&insn, (void __user *)program->epc, sizeof(insn)))
		insn = program->badaddr;
	/* Is it a read of a counter (csrrs rd, csr, x0)? The kernel is 64-bit: no upper halves. */
	csr = insn >> 20;
	rd = insn >> 7 & 31;
	if ((insn & 0xff07f) != 0x2073 || csr < CSR_CYCLE || csr > CSR_HPMCOUNTER31 ||
	    csr == CSR_TIME)
		return 0;

	/* Only counters that pages of the task's own events have shown, whatever they hold now. */
	rcu_read_lock();
	hash_for_each_possible_rcu(pmu->user_access.readers, e, reader, (unsigned long)current)
		if (e->event->hw.target == current && READ_ONCE(e->mm) == current->mm)
			published |= READ_ONCE(e->published);
	rcu_read_unlock();
	if (!(published & SBI_PMU_CSR_BIT(csr)))
		return 0;

	local_irq_save(flags);
	cpu = raw_cpu_read(sbi_pmu_here);
	open = cpu->scounteren & SBI_PMU_CSR_BIT(csr);
	if (!open) {
		sbi_pmu_write_scounteren(cpu);
		/* If it is open now, the program reads again. */
		if (!(cpu->scounteren & SBI_PMU_CSR_BIT(csr))) {
			/* struct pt_regs has registers in the order of their numbers, after epc. */
			if (rd)
				((unsigned long *)program)[rd] = 0;
			program->epc += sizeof(insn);
			cpu->trapped_reads++;
		}
	}
	local_irq_restore(flags);
	/* An interrupt has opened it since the trap; unless a read by the kernel traps, too. */
	if (open && sbi_pmu_csr_read(csr, &value))
		return 0;
	/* The function returns true: there is no signal. */
	regs->a0 = true;
	regs->epc = regs->ra;
	return 1;
}

NOKPROBE_SYMBOL(illegal_instruction);

/*
 * The kernel calls riscv_v_first_use_handler() for illegal instructions of programs only, also on
 * harts without vectors, and sends a SIGILL if it returns false. The kprobe is in place as long as
 * the module is loaded: to put it there and to remove it stops all CPUs for a moment, also isolated
 * ones, which no user may cause.
 * Return: NULL, or why reads that trap cannot be caught.
 */
static const char *register_probe(struct kprobe *probe)
{
	/* The first instruction, or past the two of ftrace */
	static const unsigned int offsets[] = { 0, 8 };
	int ret = -ENOENT;

	if (IS_ENABLED(CONFIG_LTO))
		return "with CONFIG_LTO, the function that is probed may be inlined";
	for (unsigned int i = 0; ret && i < ARRAY_SIZE(offsets); i++) {
		*probe = (struct kprobe){
			.symbol_name = "riscv_v_first_use_handler",
			.offset = offsets[i],
			.pre_handler = illegal_instruction,
			.flags = KPROBE_FLAG_DISABLED,
		};
		ret = register_kprobe(probe);
	}
	if (ret)
		return "they need CONFIG_KPROBES and CONFIG_RISCV_ISA_V";
	/* While kprobes are switched off (debugfs), enable_kprobe() succeeds and does nothing. */
	if (!enable_kprobe(probe) && !kprobe_disabled(probe))
		return NULL;
	unregister_kprobe(probe);
	return "kprobes are switched off (debugfs, kprobes/enabled)";
}

static const struct ctl_table mode_table = {
	.procname = "perf_user_access",
	.maxlen = sizeof(int),
	.mode = 0644,
	.proc_handler = mode_handler,
	.extra1 = SYSCTL_ZERO,
	.extra2 = SYSCTL_TWO,
};

/*
 * Not in a VM, where a read is no faster than read(2), nor with snapshot, where counters do not
 * count on from the value that a program has seen.
 */
static bool may_be_read(const struct sbi_pmu *pmu)
{
	return pmu->exclusive && !sbi_pmu_in_kvm(pmu) && !pmu->backend->stops_all;
}

/*
 * Allow user-space reads, unless a late one would kill the program: CPUs are online, the PMU is not
 * registered yet.
 */
void sbi_pmu_user_access_init(struct sbi_pmu *pmu)
{
	struct sbi_pmu_user_access *ua = &pmu->user_access;
	const char *why = "no CONFIG_RISCV_PMU";

	if (!may_be_read(pmu))
		return;
	if (IS_ENABLED(CONFIG_RISCV_PMU))
		why = register_probe(&ua->probe);
	if (why)
		pr_warn("no user-space reads: %s\n", why);
	ua->available = !why;
	ua->own = ua->available ? SBI_PMU_USER_ACCESS_OWN : SBI_PMU_USER_ACCESS_NONE;
	if (pmu->builtin.device)
		ua->own = min(ua->own, READ_ONCE(*pmu->builtin.user_access));
}

/*
 * Register the sysctl: that of the built-in driver if it was stopped, so that it keeps its value.
 * Context: may sleep; all events have been probed, as probes go wrong while the fixed counters are
 * open.
 */
void sbi_pmu_user_access_start(struct sbi_pmu *pmu)
{
	struct sbi_pmu_user_access *ua = &pmu->user_access;

	if (!may_be_read(pmu))
		return;
	if (pmu->builtin.device) {
		WRITE_ONCE(ua->mode, pmu->builtin.user_access);
		on_each_cpu(mode_changed, NULL, true);
	}
	ua->table = mode_table;
	ua->table.data = ua->mode;
	ua->sysctl = register_sysctl_sz("kernel", &ua->table, 1);
	if (!ua->sysctl)
		pr_warn("cannot register sysctl kernel.perf_user_access: user-space reads are as with value %d\n",
			*ua->mode);
}

void sbi_pmu_user_access_exit(struct sbi_pmu *pmu)
{
	if (pmu->user_access.sysctl)
		unregister_sysctl_table(pmu->user_access.sysctl);
	if (pmu->user_access.available)
		unregister_kprobe(&pmu->user_access.probe);
}
