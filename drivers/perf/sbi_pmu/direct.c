// SPDX-License-Identifier: GPL-2.0-only
/*
 * direct: programs that read counters by themselves, without a system call.
 *
 * A hart's SCOUNTEREN lets its programs read what the task that runs there has
 * mapped of its own events, and time; the rest traps. A counter runs on when its task
 * has left, so for a task that may not look at others it begins anew each time. So
 * nobody sees what others count, and nobody has to be told when others come and go.
 *
 * A program that has just looked up where its counter is, and before it reads that
 * goes to another hart, finds a counter that is not its own: that traps. It is
 * given a zero and goes on: its page has changed, so it will look again.
 */
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "sbi_pmu.h"

#define ALWAYS	SBI_PMU_CSR_BIT(SBI_PMU_CSR_TIME)
#define FIXED	(SBI_PMU_CSR_BIT(SBI_PMU_CSR_CYCLE) | SBI_PMU_CSR_BIT(SBI_PMU_CSR_INSTRET))

/**
 * sbi_pmu_direct_refresh - let the task that runs here read what it may
 * @cpu: this hart
 *
 * Context: interrupts off.
 */
void sbi_pmu_direct_refresh(struct sbi_pmu_cpu *cpu)
{
	u32 open = ALWAYS;

	/* Where there is another driver, it does this. */
	if (!cpu->pmu->sole)
		return;
	if (READ_ONCE(cpu->pmu->direct.access) == SBI_PMU_ACCESS_FIXED)
		open |= FIXED;
	open |= sbi_pmu_perf_readable(cpu);
	if (open == cpu->open)
		return;
	cpu->open = open;
	sbi_pmu_csr_open(open);
}

/* ---- cycle and instret for everybody ---- */

/*
 * Firmware stops a counter that is given back, so they are kept, by a user each; if
 * firmware gives out no such counter we have not stopped it either.
 */
static void keep(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user, u16 csr, u32 event)
{
	const struct sbi_pmu_code code = { .idx = event };
	struct sbi_pmu_mask which = {};
	unsigned int i;

	sbi_pmu_mask_for_each(i, &slots->inv->fixed)
		if (slots->inv->ctr[i].csr == csr)
			sbi_pmu_mask_set(&which, i);
	sbi_pmu_user_init(user, &code, &which);
	if (!sbi_pmu_user_attach(slots, user) && sbi_pmu_user_start(slots, user))
		sbi_pmu_user_detach(slots, user);
}

/* The sysctl may have changed. Context: on the hart, interrupts off. */
static void follow_access(struct sbi_pmu_cpu *cpu)
{
	const bool want = READ_ONCE(cpu->pmu->direct.access) == SBI_PMU_ACCESS_FIXED;

	cpu->slots.common = want ? cpu->slots.inv->fixed : (struct sbi_pmu_mask){};
	if (want && !cpu->keeps) {
		keep(&cpu->slots, &cpu->kept[0], SBI_PMU_CSR_CYCLE, SBI_PMU_GENERAL_CYCLES);
		keep(&cpu->slots, &cpu->kept[1], SBI_PMU_CSR_INSTRET,
		     SBI_PMU_GENERAL_INSTRUCTIONS);
	} else if (!want && cpu->keeps) {
		sbi_pmu_user_detach(&cpu->slots, &cpu->kept[0]);
		sbi_pmu_user_detach(&cpu->slots, &cpu->kept[1]);
		if (!atomic_read(&cpu->pmu->events))
			sbi_pmu_slots_release_idle(&cpu->slots);
	}
	cpu->keeps = want;
	sbi_pmu_direct_refresh(cpu);
}

static void access_changed(void *arg)
{
	struct sbi_pmu *pmu = arg;
	struct sbi_pmu_cpu *cpu = this_cpu_ptr(pmu->cpu);

	if (cpu->slots.online)
		follow_access(cpu);
}

/*
 * What has been mapped stays readable: what a program may do is settled when it opens
 * an event, and no write to the sysctl kills it.
 */
static int access_handler(sbi_pmu_ctl_table *table, int write, void *buffer, size_t *length,
			  loff_t *pos)
{
	struct sbi_pmu *pmu = container_of(table->data, struct sbi_pmu, direct.access);
	int ret = proc_dointvec_minmax(table, write, buffer, length, pos);

	if (!ret && write)
		on_each_cpu(access_changed, pmu, true);
	return ret;
}

/**
 * sbi_pmu_direct_up - the hart has come, or its power is back
 * @cpu: this hart
 *
 * Context: on the hart, interrupts off.
 */
void sbi_pmu_direct_up(struct sbi_pmu_cpu *cpu)
{
	if (cpu->pmu->sole)
		cpu->pmu->direct.openable &= sbi_pmu_csr_openable();
	cpu->open = 0;
	follow_access(cpu);
}

/* The hart goes: its slots are down, and with them what was kept. */
void sbi_pmu_direct_down(struct sbi_pmu_cpu *cpu)
{
	cpu->keeps = false;
	if (!cpu->pmu->sole)
		return;
	cpu->open = ALWAYS;
	sbi_pmu_csr_open(ALWAYS);
}

/* ---- reads that trap ---- */

/* A csrr of a counter: csrrs rd, csr, x0. Not of the upper halves: we are 64 bits wide. */
static bool reads_counter(u32 insn, unsigned int *csr, unsigned int *rd)
{
	*csr = insn >> 20;
	*rd = insn >> 7 & 31;
	return (insn & 0xff07f) == 0x2073 && *csr >= SBI_PMU_CSR_CYCLE &&
	       *csr <= SBI_PMU_CSR_LAST && *csr != SBI_PMU_CSR_TIME;
}

/*
 * A program's read of a counter has trapped. Return: whether it may go on, with the
 * same read if it should not have, or past it with a zero.
 */
static bool read_trapped(struct sbi_pmu *pmu, struct pt_regs *regs)
{
	struct sbi_pmu_cpu *cpu;
	unsigned int csr, rd;
	unsigned long flags;
	bool open;
	u64 value;
	u32 insn;

	/* Where a program may not read its own text, the hart may say what it was. */
	if (copy_from_user_nofault(&insn, (void __user *)regs->epc, sizeof(insn)))
		insn = regs->badaddr;
	if (!reads_counter(insn, &csr, &rd) ||
	    !(sbi_pmu_perf_told(pmu, current) & SBI_PMU_CSR_BIT(csr)))
		return false;

	local_irq_save(flags);
	cpu = this_cpu_ptr(pmu->cpu);
	open = cpu->open & SBI_PMU_CSR_BIT(csr);
	if (!open) {
		sbi_pmu_direct_refresh(cpu);
		if (!(cpu->open & SBI_PMU_CSR_BIT(csr))) {
			/* Registers are in the order of their numbers, after epc. */
			if (rd)
				((unsigned long *)regs)[rd] = 0;
			regs->epc += sizeof(insn);
			cpu->astray++;
		}
	}
	local_irq_restore(flags);
	/* Opened meanwhile, by an interrupt; if it traps for us too, that is not why. */
	return !open || !sbi_pmu_csr_read(csr, &value);
}

/* do_trap(regs, signal, ...) is about to kill a program. */
static int before_trap(struct kprobe *probe, struct pt_regs *regs)
{
	struct sbi_pmu_direct *direct = container_of(probe, struct sbi_pmu_direct, probe);
	struct pt_regs *program = (struct pt_regs *)regs->a0;

	if (regs->a1 != SIGILL || !user_mode(program) ||
	    !read_trapped(container_of(direct, struct sbi_pmu, direct), program))
		return 0;
	/* As if do_trap() had done its work: on to its caller. */
	regs->epc = regs->ra;
	return 1;
}

NOKPROBE_SYMBOL(before_trap);

/* As in lookup.c, but here the probe stays: on the first instruction, or past ftrace's two. */
static bool probe_traps(struct sbi_pmu_direct *direct)
{
	static const unsigned int offsets[] = { 0, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(offsets); i++) {
		direct->probe = (struct kprobe){
			.symbol_name = "do_trap",
			.offset = offsets[i],
			.pre_handler = before_trap,
		};
		if (!register_kprobe(&direct->probe))
			return true;
	}
	return false;
}

static const struct ctl_table access_table = {
	.procname = "perf_user_access",
	.maxlen = sizeof(int),
	.mode = 0644,
	.proc_handler = access_handler,
	.extra1 = SYSCTL_ZERO,
	.extra2 = SYSCTL_TWO,
};

/**
 * sbi_pmu_direct_init - let programs read counters, where we are the only driver
 * @pmu: its harts are up, and it is to be registered
 *
 * Without kprobes no event is for programs to read: a read too late must not kill.
 *
 * Context: may sleep.
 */
void sbi_pmu_direct_init(struct sbi_pmu *pmu)
{
	struct sbi_pmu_direct *direct = &pmu->direct;

	/*
	 * In a guest it would be no quicker than to ask the kernel; and where counters
	 * rest, they do not go on from what a program has seen.
	 */
	if (!pmu->sole || sbi_pmu_in_kvm(pmu) || pmu->snapshot == SBI_PMU_SNAPSHOT_USED)
		return;
	direct->able = IS_ENABLED(CONFIG_RISCV_PMU) && probe_traps(direct);
	direct->access = direct->able ? SBI_PMU_ACCESS_OWN : SBI_PMU_ACCESS_NONE;
	direct->table = access_table;
	direct->table.data = &direct->access;
	direct->sysctl = register_sysctl_sz("kernel", &direct->table, 1);
	if (!direct->sysctl)
		pr_warn("no sysctl kernel.perf_user_access: programs read counters as if it were %d\n",
			direct->access);
}

void sbi_pmu_direct_exit(struct sbi_pmu *pmu)
{
	if (pmu->direct.sysctl)
		unregister_sysctl_table(pmu->direct.sysctl);
	if (pmu->direct.able)
		unregister_kprobe(&pmu->direct.probe);
}
