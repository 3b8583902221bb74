// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows as supervisor software events (SSE; SBI 3.0, chapter 17): firmware enters
 * sbi_pmu_sse_entry also while interrupts are disabled, as an NMI does elsewhere.
 *
 * While the driver changes a CPU's state (a section), the event stays masked in firmware and comes
 * when the section ends. Likewise in must_wait(). In entry code no sample is taken; the next
 * overflow, a few events later, takes it. See Documentation/admin-guide/perf/sbi-pmu-sse.rst.
 */
#include <linux/entry-common.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include <asm/irq_regs.h>
#include <asm/tlbflush.h>

#include "counters.h"

#define OVERFLOW_EVENT	0x00010000 /* LOCAL_PMU_OVERFLOW */
#define INVALID_STATE	-10	   /* SBI error */

/* A CPU: above the handler's stack, on which struct pt_regs is first. See sse_entry.S. */
struct sse_hart {
	unsigned long gp;     /* the kernel's; at offset 0 */
	unsigned long vector; /* its stvec */
	struct sbi_pmu_cpu *cpu;
	unsigned long id; /* to firmware */
	/* attributes of the event: what firmware keeps of the interrupted code */
	struct {
		unsigned long sepc, flags, a6, a7;
	} interrupted;
};

#define INTERRUPTED	6      /* attribute of the first */
#define SPP		BIT(0) /* in flags: sstatus.SPP */

/* The stack is the lower half: the kernel's entry tests bit THREAD_SHIFT of sp (VMAP_STACK). */
#define STACK_ORDER	get_order(2 * THREAD_SIZE)

struct sbi_pmu_sse {
	/* the kernel's entry code; in @exit sscratch may be the next value already */
	struct sbi_pmu_code_range entry, exit;
	/* perf_event_task_tick(): it resets perf_throttled_count, in several instructions */
	struct sbi_pmu_code_range tick;
	struct kprobe *__percpu *current_kprobe;
	/* Linux 6.12: CPUs whose entry code lets a fault of the kernel try again, once; or NULL */
	unsigned long *new_mappings;
	typeof(&irqentry_nmi_enter) irqentry_nmi_enter;
	typeof(&irqentry_nmi_exit) irqentry_nmi_exit;
	struct notifier_block modules;
	struct kprobe crash;
};

/* ---- the handler ---- */

static __always_inline bool is_in(const struct sbi_pmu_code_range *code, unsigned long pc)
{
	return pc >= code->start && pc < code->end;
}

/* Further events wait, for sbi_pmu_sse_section_ended(). Return: true */
static __always_inline bool hold(struct sbi_pmu_cpu *cpu)
{
	cpu->sse.times_held++;
	cpu->sse.held = true;
	return true;
}

/*
 * The task that runs; NULL if that is not certain: the event is held. tp may have any value here,
 * and an exception would be fatal: so nothing of this may be probed or instrumented.
 *
 * In user mode sscratch has the task. In the kernel it is 0; but entry code swaps it with tp, and
 * on the way to user mode it has the task, too, while functions are called.
 */
noinstr struct task_struct *sbi_pmu_sse_find_task(struct sse_hart *hart, const struct pt_regs *regs,
						  unsigned long scratch, unsigned long vector)
{
	const struct sbi_pmu_sse *sse = hart->cpu->pmu->sse;
	const unsigned long pc = regs->epc;
	unsigned long task = regs->tp;

	if (vector != hart->vector)
		task = 0;
	else if (user_mode(regs))
		task = scratch;
	else if (scratch && scratch != task && !is_in(&sse->entry, pc))
		task = 0;
	/* Before the swap, or after it: from the kernel tp is 0 then. */
	else if (scratch && (pc == hart->vector || is_in(&sse->exit, pc) || !task))
		task = scratch;
	if (!task)
		hold(hart->cpu);
	return (struct task_struct *)task;
}

/*
 * A CPU that waits in stop_machine() while the kernel's code is changed must not execute that; its
 * thread has this priority, as have others of SCHED_FIFO 99. A fault in here would end the single
 * step of a kprobe (kprobe_fault_handler()), and a kprobe could not be hit.
 */
static __always_inline bool must_wait(const struct sbi_pmu_cpu *cpu, unsigned long pc)
{
	const struct sbi_pmu_sse *sse = cpu->pmu->sse;

	return cpu->sse.sections || cpu->disabled || is_in(&sse->tick, pc) ||
	       (current->flags & PF_KTHREAD && !current->prio) ||
	       (sse->current_kprobe && *raw_cpu_ptr(sse->current_kprobe));
}

/*
 * Are the registers, and the user memory, those of the interrupted code? Not of the next task when
 * only one of both has been switched.
 */
static bool is_regular(const struct sbi_pmu_sse *sse, const struct pt_regs *regs)
{
	/* A kernel thread that is switched out has given it to the next task already. */
	const struct mm_struct *mm = READ_ONCE(current->active_mm);

	return user_mode(regs) || (!is_in(&sse->entry, regs->epc) && mm &&
				   sbi_pmu_csr_root_pfn() == virt_to_pfn(mm->pgd));
}

static void inject(const struct sbi_pmu_cpu *cpu)
{
	sbi_pmu_sbi_sse(SBI_PMU_SSE_INJECT, OVERFLOW_EVENT, cpu->sse.hart->id, 0, 0);
}

/* As in an NMI */
static void serve(struct sse_hart *hart, struct pt_regs *regs)
{
	struct sbi_pmu_cpu *cpu = hart->cpu;
	unsigned long *new_mappings = cpu->pmu->sse->new_mappings;
	const bool is_marked = new_mappings && test_bit(smp_processor_id(), new_mappings);
	const bool is_trap = !user_mode(regs) && regs->epc == hart->vector;
	struct pt_regs trapped, *old;
	bool known = true;

	/* While the handler runs a6 and a7 are firmware's. */
	if (is_trap || atomic_read(&cpu->pmu->want_registers)) {
		known = !sbi_pmu_sbi_sse(SBI_PMU_SSE_READ_ATTRS, OVERFLOW_EVENT, INTERRUPTED,
					 sizeof(hart->interrupted) / sizeof(long),
					 virt_to_phys(&hart->interrupted));
		regs->a6 = hart->interrupted.a6;
		regs->a7 = hart->interrupted.a7;
	}
	/* A trap that has done nothing yet is sampled where it came from. */
	if (is_trap) {
		trapped = *regs;
		trapped.epc = hart->interrupted.sepc;
		trapped.status &= ~SR_SPP;
		trapped.status |= hart->interrupted.flags & SPP ? SR_SPP : 0;
		regs = &trapped;
	}
	old = set_irq_regs(known && is_regular(cpu->pmu->sse, regs) ? regs : NULL);
	sbi_pmu_overflow_serve(cpu);
	set_irq_regs(old);
	/* A fault in here clears it; the code that was interrupted may be about to look. */
	if (is_marked)
		set_bit(smp_processor_id(), new_mappings);
	/* Firmware has forgotten one. */
	if (sbi_pmu_overflow_bits(cpu))
		inject(cpu);
}

/*
 * tp is right. Before irqentry_nmi_enter() and after irqentry_nmi_exit() there may be no exception.
 * Return: further events must wait.
 */
noinstr bool sbi_pmu_sse_handle(struct sse_hart *hart, struct pt_regs *regs)
{
	struct sbi_pmu_cpu *cpu = hart->cpu;
	const struct sbi_pmu_sse *sse = cpu->pmu->sse;
	const unsigned long bad_cause = current->thread.bad_cause; /* uprobes look at it */
	const bool irqs_off = !(regs->status & SR_PIE);
	struct sbi_pmu_tracepoint_readers readers[2] __uninitialized; /* memset() may be probed */
	struct thread_info space __uninitialized;
	irqentry_state_t state;
	int traced;

	if (must_wait(cpu, regs->epc))
		return hold(cpu);
	if (irqs_off)
		sbi_pmu_tracepoint_readers_save(readers);
	/* Exceptions in here use it, as interrupted entry code may. */
	sbi_pmu_trap_space_copy(&space, task_thread_info(current));
	state = sse->irqentry_nmi_enter(regs);
	traced = sbi_pmu_trace_irqs(false);
	cpu->sse.sections++;
	serve(hart, regs);
	cpu->sse.sections--;
	sbi_pmu_trace_irqs(traced);
	sse->irqentry_nmi_exit(regs, state);
	if (irqs_off)
		sbi_pmu_tracepoint_readers_restore(readers);
	current->thread.bad_cause = bad_cause;
	sbi_pmu_trap_space_copy(task_thread_info(current), &space);
	return cpu->sse.stuck;
}

/*
 * A section has ended in which an event was held back; that may have been an injected one, of which
 * nothing is pending now. Or, as OpenSBI forgets overflows that come within a call to stop
 * counters, there may have been one. Context: interrupts disabled.
 */
void sbi_pmu_sse_section_ended(struct sbi_pmu_cpu *cpu)
{
	const bool held = cpu->sse.held;

	if (cpu->disabled || cpu->sse.sections || cpu->sse.stuck)
		return;
	if (held) {
		cpu->sse.held = false;
		sbi_pmu_sbi_sse(SBI_PMU_SSE_UNMASK, 0, 0, 0, 0);
	}
	if ((held || cpu->called) && sbi_pmu_overflow_bits(cpu)) {
		cpu->called = false;
		inject(cpu);
	}
}

/* ---- a CPU ---- */

static long disable_event(void)
{
	sbi_pmu_sbi_sse(SBI_PMU_SSE_MASK, 0, 0, 0, 0);
	sbi_pmu_sbi_sse(SBI_PMU_SSE_DISABLE, OVERFLOW_EVENT, 0, 0, 0);
	return sbi_pmu_sbi_sse(SBI_PMU_SSE_UNREGISTER, OVERFLOW_EVENT, 0, 0, 0);
}

/* Context: on the CPU. Return: NULL, or in words for the log why firmware does not do it. */
const char *sbi_pmu_sse_try_to_start(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_irq_source *source = cpu->pmu->irq_source;
	struct sse_hart *hart = cpu->sse.hart;
	const char *why = NULL;
	long error;

	if (!hart->vector) { /* the first time here */
		hart->gp = sbi_pmu_global_pointer();
		hart->vector = sbi_pmu_csr_vector();
		/* So that nothing of this module faults in the entry: it was not there before. */
		local_flush_tlb_all();
	}
	error = sbi_pmu_sbi_sse(SBI_PMU_SSE_REGISTER, OVERFLOW_EVENT,
				(unsigned long)sbi_pmu_sse_entry, (unsigned long)hart, 0);
	if (error)
		return error == INVALID_STATE ?
			       "the SSE event is in use: reboot the machine" :
			       "firmware has no SSE event for overflows (OpenSBI has since 1.7)";
	if (sbi_pmu_csr_can_enable(source->enable, source->mask))
		why = "firmware leaves the interrupt to the kernel (OpenSBI before 1.7)";
	else if (sbi_pmu_sbi_sse(SBI_PMU_SSE_ENABLE, OVERFLOW_EVENT, 0, 0, 0))
		why = "firmware does not enable the SSE event";
	cpu->sse.on = !why;
	cpu->sse.stuck = false;
	if (why)
		disable_event();
	else
		sbi_pmu_sbi_sse(SBI_PMU_SSE_UNMASK, 0, 0, 0, 0);
	return why;
}

/* Context: on the CPU, interrupts disabled; nothing happens if it was not started. */
void sbi_pmu_sse_stop(struct sbi_pmu_cpu *cpu)
{
	if (cpu->sse.on && disable_event())
		pr_err("CPU%d: firmware does not unregister the SSE event\n", smp_processor_id());
	cpu->sse.on = false;
	cpu->sse.held = false;
}

/*
 * Nothing happens without overflow=sse, nor once the kernel ends. Context: on the CPU, interrupts
 * disabled. Return: false if its events are to be sampled by timer.
 */
bool sbi_pmu_sse_start(struct sbi_pmu_cpu *cpu)
{
	const char *why = NULL;

	if (cpu->pmu->sse && !cpu->pmu->rebooting)
		why = sbi_pmu_sse_try_to_start(cpu);
	if (why && why != cpu->sse.why)
		pr_warn("CPU%d: overflow=sse: %s: sampling by timer on this CPU\n",
			smp_processor_id(), why);
	cpu->sse.why = why;
	return !why;
}

/* ---- load and unload ---- */

/* KVM does not load while this is on: guests run with registers that are not the kernel's. */
static int module_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	if (action != MODULE_STATE_COMING || strcmp(((struct module *)data)->name, "kvm"))
		return NOTIFY_DONE;
	pr_warn("overflow=sse: KVM cannot be loaded beside it: load sbi_pmu without it\n");
	return notifier_from_errno(-EBUSY);
}

/* The next kernel has another entry, and wants the interrupt. */
static int crash_notify(struct kprobe *probe, struct pt_regs *regs)
{
	disable_event();
	return 0;
}

/* Fill in what must be found in the kernel. Return: NULL, or what is not there. */
static const char *find_kernel(struct sbi_pmu *pmu)
{
	struct sbi_pmu_sse *sse = pmu->sse;
	const unsigned long *hart_ids = sbi_pmu_lookup("__cpuid_to_hartid_map");
	unsigned int id;

	sse->irqentry_nmi_enter = sbi_pmu_lookup("irqentry_nmi_enter");
	sse->irqentry_nmi_exit = sbi_pmu_lookup("irqentry_nmi_exit");
	sse->entry.start = (unsigned long)sbi_pmu_lookup("__irqentry_text_start");
	sse->entry.end = (unsigned long)sbi_pmu_lookup("__irqentry_text_end");
	sse->current_kprobe = (void __percpu *)sbi_pmu_lookup("current_kprobe");
	sse->new_mappings = sbi_pmu_lookup("new_valid_map_cpus") ?: sbi_pmu_lookup("new_vmalloc");
	if (!sse->irqentry_nmi_enter || !sse->irqentry_nmi_exit || !hart_ids || !sse->entry.start ||
	    !sse->entry.end || (IS_ENABLED(CONFIG_KPROBES) && !sse->current_kprobe) ||
	    !sbi_pmu_find_code(&sse->exit, "ret_from_exception") ||
	    !sbi_pmu_find_code(&sse->tick, "perf_event_task_tick"))
		return "a function or variable of the kernel is not found: CONFIG_KALLSYMS_ALL?";
	if (!is_in(&sse->entry, sbi_pmu_csr_vector()) || !is_in(&sse->entry, sse->exit.start))
		return "the kernel's entry code is not as expected";
	for_each_possible_cpu(id) {
		struct sbi_pmu_cpu *cpu = per_cpu_ptr(pmu->cpu, id);
		const unsigned long stack = __get_free_pages(GFP_KERNEL | __GFP_ZERO, STACK_ORDER);

		if (!stack)
			return "no memory";
		cpu->sse.hart = (struct sse_hart *)(stack + THREAD_SIZE);
		cpu->sse.hart->cpu = cpu;
		cpu->sse.hart->id = hart_ids[id];
	}
	return NULL;
}

void sbi_pmu_sse_free(struct sbi_pmu *pmu)
{
	struct sbi_pmu_sse *sse = pmu->sse;
	unsigned int id;

	if (!sse)
		return;
	if (sse->crash.pre_handler)
		unregister_kprobe(&sse->crash);
	if (sse->modules.notifier_call)
		unregister_module_notifier(&sse->modules);
	for_each_possible_cpu(id) {
		struct sse_hart *hart = per_cpu_ptr(pmu->cpu, id)->sse.hart;

		if (hart)
			free_pages((unsigned long)hart - THREAD_SIZE, STACK_ORDER);
	}
	kfree(sse);
	pmu->sse = NULL;
}

/*
 * Prepare it; sbi_pmu_sse_start() starts it on a CPU. Context: may sleep. Return: NULL, or in words
 * for the log why not.
 */
const char *sbi_pmu_sse_request(struct sbi_pmu *pmu)
{
	const char *why = NULL;

	/* As sse_entry.S has it */
	BUILD_BUG_ON(offsetof(struct pt_regs, t6) != 31 * sizeof(long) ||
		     offsetof(struct pt_regs, cause) != 34 * sizeof(long) ||
		     sizeof(struct pt_regs) != 36 * sizeof(long));
	if (sbi_pmu_in_kvm(pmu) || pmu->backend != &sbi_pmu_backend_sbi)
		return "only with backend=sbi, and not in a guest";
	if (IS_ENABLED(CONFIG_SHADOW_CALL_STACK) || IS_ENABLED(CONFIG_CFI) ||
	    IS_ENABLED(CONFIG_CFI_CLANG) || IS_ENABLED(CONFIG_PREEMPT_RT))
		return "not with CONFIG_SHADOW_CALL_STACK, CFI or PREEMPT_RT";
	if (sbi_pmu_lookup("sse_event_register"))
		return "the kernel has an SSE driver of its own";
	pmu->sse = kzalloc(sizeof(*pmu->sse), GFP_KERNEL);
	if (!pmu->sse)
		return "no memory";
	/* First, so that none is missed that loads meanwhile */
	if (pmu->caps.has_h) {
		pmu->sse->modules.notifier_call = module_notify;
		register_module_notifier(&pmu->sse->modules);
		if (sbi_pmu_lookup("kvm_get_kvm"))
			why = "KVM's guests have other registers: unload kvm, if it is a module";
	}
	why = why ?: find_kernel(pmu);
	if (!why && sbi_pmu_lookup("machine_crash_shutdown"))
		why = sbi_pmu_kprobe(&pmu->sse->crash, "machine_crash_shutdown", crash_notify,
				     "no kprobe in machine_crash_shutdown(): CONFIG_KPROBES?");
	if (why)
		sbi_pmu_sse_free(pmu);
	return why;
}
