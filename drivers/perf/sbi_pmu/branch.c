// SPDX-License-Identifier: GPL-2.0-only
/* Branch records (Smctr, Ssctr): what cores recorded of a program's last branches, for samples. */
#include <linux/cpu.h>
#include <linux/of.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/uaccess.h>

#include "branch.h"
#include "csr.h"
#include "irq_source.h"
#include "sbi.h"

/* ---- what cores record ---- */

/* Kinds of control transfers, as entries have them in CTRDATA_TYPE (CTR 1.0, 2.5) */
enum {
	EXCEPTION = 1,
	INTERRUPT,
	TRAP_RETURN,
	NOT_TAKEN,
	TAKEN,
	INDIRECT_CALL = 8,
	DIRECT_CALL,
	INDIRECT_JUMP,
	DIRECT_JUMP,
	COROUTINE_SWAP,
	RETURN,
	OTHER_INDIRECT_JUMP,
	OTHER_DIRECT_JUMP,
	TYPES,
};

/* Sets of them. Perf knows no branch that is not taken. */
#define TRAPS		(BIT(EXCEPTION) | BIT(INTERRUPT) | BIT(TRAP_RETURN))
#define INDIRECT_CALLS	(BIT(INDIRECT_CALL) | BIT(COROUTINE_SWAP))
#define INDIRECT_JUMPS	(BIT(INDIRECT_JUMP) | BIT(OTHER_INDIRECT_JUMP))
#define CALLS		(BIT(DIRECT_CALL) | INDIRECT_CALLS)
#define RETURNS		(BIT(RETURN) | BIT(COROUTINE_SWAP))
#define ANY		(TRAPS | BIT(TAKEN) | CALLS | RETURNS | INDIRECT_JUMPS | \
			 BIT(DIRECT_JUMP) | BIT(OTHER_DIRECT_JUMP))

/* What a user asks for. HV, which perf core may add, has no meaning here. */
static const struct {
	u32 asked;
	u16 types;
} filters[] = {
	{ PERF_SAMPLE_BRANCH_ANY, ANY },
	{ PERF_SAMPLE_BRANCH_ANY_CALL, CALLS | BIT(EXCEPTION) },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, RETURNS | BIT(TRAP_RETURN) },
	{ PERF_SAMPLE_BRANCH_IND_CALL, INDIRECT_CALLS },
	{ PERF_SAMPLE_BRANCH_COND, BIT(TAKEN) },
	{ PERF_SAMPLE_BRANCH_CALL_STACK, CALLS | RETURNS },
	{ PERF_SAMPLE_BRANCH_IND_JUMP, INDIRECT_JUMPS },
	{ PERF_SAMPLE_BRANCH_CALL, BIT(DIRECT_CALL) },
};

#define MODES	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)
#define OPTIONS	(PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES | \
		 PERF_SAMPLE_BRANCH_TYPE_SAVE | PERF_SAMPLE_BRANCH_HW_INDEX | \
		 PERF_SAMPLE_BRANCH_PRIV_SAVE)

#define ECALL	0x73 /* the instruction of a system call */

struct record_probe {
	const struct sbi_pmu_firmware_id *id;
	unsigned int wanted; /* entries */
	struct sbi_pmu_branch_caps found;
	bool other_core; /* the CPU is of another kind */
};

/* Set up this CPU. What is optional and missing is read-only zero, also in records (CTR 1.0). */
static struct sbi_pmu_branch_caps set_up(unsigned int wanted)
{
	u64 control = SBI_PMU_CTR_RASEMU | FIELD_PREP(SBI_PMU_CTR_INHIBIT, ANY);
	struct sbi_pmu_branch_record r = { SBI_PMU_CTRSOURCE_V, 0, SBI_PMU_CTRDATA_TYPE };
	struct sbi_pmu_branch_caps found = {
		.entries = sbi_pmu_csr_branch_setup(wanted, &control),
	};

	if (!found.entries)
		return found;
	found.call_stack = control & SBI_PMU_CTR_RASEMU;
	found.inhibits = FIELD_GET(SBI_PMU_CTR_INHIBIT, control);
	sbi_pmu_csr_branch_write(0, &r);
	sbi_pmu_csr_branch_read(0, &r);
	found.tells_types = r.data & SBI_PMU_CTRDATA_TYPE;
	sbi_pmu_csr_branch_clear();
	return found;
}

static void probe_here(void *arg)
{
	struct record_probe *p = arg;

	p->other_core = !sbi_pmu_sbi_same_core(p->id);
	p->found = set_up(p->wanted);
}

/*
 * Do all CPUs with this core record branches, and how many? pmu->branch is filled in.
 * @wanted: entries at most: 0, 16, 32 or 64. Context: may sleep. Return: 0 or -ENOMEM.
 */
int sbi_pmu_branch_probe(struct sbi_pmu *pmu, unsigned int wanted)
{
	struct record_probe p = { .id = &pmu->id, .wanted = wanted };
	bool first = true, alike = true;
	struct device_node *node;
	int cpu;

	/* KVM has none for its guests. */
	if (!wanted || pmu->source == SBI_PMU_OVERFLOW_NONE || sbi_pmu_in_kvm(pmu) ||
	    !pmu->perf_sched_cb_inc || !pmu->perf_sched_cb_dec)
		return 0;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		smp_call_function_single(cpu, probe_here, &p, true);
		if (p.other_core)
			continue;
		if (first)
			pmu->branch = p.found;
		alike = alike && !memcmp(&p.found, &pmu->branch, sizeof(p.found));
		first = false;
	}
	cpus_read_unlock();
	if (!alike) {
		pr_warn("not all CPUs record branches alike: there are no branch stacks\n");
		pmu->branch.entries = 0;
	} else if (!pmu->branch.entries) {
		/* By the device tree: the kernel does not parse it. */
		node = of_get_cpu_node(pmu->probed_cpu, NULL);
		if (of_property_match_string(node, "riscv,isa-extensions", "ssctr") >= 0)
			pr_info("the cores can record branches (Ssctr), but firmware does not let the kernel use that: OpenSBI does since 1.7\n");
		of_node_put(node);
	}
	if (!pmu->branch.entries)
		return 0;
	for_each_possible_cpu(cpu) {
		struct perf_branch_stack *stack;

		stack = kzalloc(struct_size(stack, entries, pmu->branch.entries), GFP_KERNEL);
		if (!stack)
			return -ENOMEM;
		per_cpu_ptr(pmu->cpu, cpu)->branch.stack = stack;
	}
	return 0;
}

/* Does this CPU record as those that were probed? If nobody uses records, it need not. */
bool sbi_pmu_branch_is_alike(const struct sbi_pmu *pmu)
{
	struct sbi_pmu_branch_caps found;
	unsigned long flags;

	if (!pmu->branch.entries)
		return true;
	local_irq_save(flags);
	found = set_up(pmu->branch.entries);
	local_irq_restore(flags);
	return !memcmp(&found, &pmu->branch, sizeof(found));
}

/* Does the overflow interrupt freeze the records? It must be ours: its handler lets them go on. */
static bool has_freeze(const struct sbi_pmu *pmu)
{
	return pmu->source == SBI_PMU_OVERFLOW_IRQ && pmu->irq_source->overflow == CSR_SCOUNTOVF;
}

/* ---- open ---- */

/*
 * Which branches does an event ask for? @request: the answer; not changed if it asks for none.
 *
 * Without a freeze the records are those of user mode only: the interrupt, and the work before the
 * sample, would be all that is seen of the kernel.
 * Return: 0, -EOPNOTSUPP if that cannot be recorded, -EINVAL if it makes no sense.
 */
int sbi_pmu_branch_filter(const struct sbi_pmu *pmu, struct perf_event *event,
			  struct sbi_pmu_branch_request *request)
{
	const u64 asked = event->attr.branch_sample_type;
	const u64 others = MODES | PERF_SAMPLE_BRANCH_HV | OPTIONS;
	u64 known = others;
	u32 unwanted;

	if (!has_branch_stack(event))
		return 0;
	request->modes = asked & MODES;
	if (!has_freeze(pmu))
		request->modes &= PERF_SAMPLE_BRANCH_USER;
	for (unsigned int i = 0; i < ARRAY_SIZE(filters); i++) {
		known |= filters[i].asked;
		if (asked & filters[i].asked)
			request->types |= filters[i].types;
	}
	if (!pmu->branch.entries || !is_sampling_event(event) || asked & ~known || !request->modes)
		return -EOPNOTSUPP;
	if (!request->types)
		return -EINVAL;
	/* Kinds that are recorded though not asked for. Traps of user mode end in the kernel. */
	unwanted = ANY & ~request->types & ~pmu->branch.inhibits;
	if (!(request->modes & PERF_SAMPLE_BRANCH_KERNEL))
		unwanted &= ~TRAPS;
	if (!(asked & PERF_SAMPLE_BRANCH_CALL_STACK))
		return pmu->branch.tells_types || !unwanted ? 0 : -EOPNOTSUPP;
	/* Cores then remove a call from the records when it returns: nothing else is in them. */
	request->call_stack = true;
	if (asked & ~(others | PERF_SAMPLE_BRANCH_CALL_STACK))
		return -EINVAL;
	return pmu->branch.call_stack && request->modes == PERF_SAMPLE_BRANCH_USER ? 0 :
										     -EOPNOTSUPP;
}

/*
 * Prepare an event that asks for branches, also one that a child process inherits. Context: may
 * sleep. Return: 0, -ENOMEM, or -EOPNOTSUPP: it asks for branches of the kernel only, which an
 * event that is sampled by timer cannot have.
 */
int sbi_pmu_branch_open(const struct sbi_pmu *pmu, struct sbi_pmu_event *e)
{
	if (e->sampling == SBI_PMU_BY_TIMER)
		e->branch.modes &= PERF_SAMPLE_BRANCH_USER;
	/* A child's event may have lost the interrupt since: fork() must not fail for that. */
	if (!e->branch.modes && !e->event->parent)
		return -EOPNOTSUPP;
	/* Perf core then tells of switches between tasks without events, too. */
	e->event->attach_state |= PERF_ATTACH_SCHED_CB;
	if (!e->branch.call_stack || !(e->event->attach_state & PERF_ATTACH_TASK))
		return 0;
	e->calls = kzalloc(struct_size(e->calls, record, pmu->branch.entries), GFP_KERNEL_ACCOUNT);
	return e->calls ? 0 : -ENOMEM;
}

/*
 * Can the same records be for two events? Cores record calls that have not returned, or any. Where
 * records do not tell their kind, all must be of a kind that both ask for.
 */
bool sbi_pmu_branch_go_together(const struct sbi_pmu *pmu, const struct sbi_pmu_branch_request *a,
				const struct sbi_pmu_branch_request *b)
{
	return a->call_stack == b->call_stack && (pmu->branch.tells_types || a->types == b->types);
}

/* ---- on a CPU: interrupts disabled ---- */

/* Clear the records: another program may run from now on, and its samples show only its own. */
static void forget(struct sbi_pmu_cpu *cpu)
{
	sbi_pmu_csr_branch_clear();
	cpu->branch.mm = current->mm;
}

/* Record what any event asks for; sbi_pmu_branch_sample() gives each its own. */
static void set_control(struct sbi_pmu_cpu *cpu)
{
	const struct sbi_pmu_event *e;
	u64 control = 0;
	u32 types = 0;

	if (!cpu->branch.on)
		return;
	hlist_for_each_entry(e, &cpu->branch.events, branch_node) {
		types |= e->branch.types;
		if (e->branch.modes & PERF_SAMPLE_BRANCH_USER)
			control |= SBI_PMU_CTR_U;
		if (e->branch.modes & PERF_SAMPLE_BRANCH_KERNEL)
			control |= SBI_PMU_CTR_S;
		if (e->branch.call_stack)
			control |= SBI_PMU_CTR_RASEMU;
	}
	if (!(control & SBI_PMU_CTR_S))
		types &= ~TRAPS;
	control |= FIELD_PREP(SBI_PMU_CTR_INHIBIT, ANY & ~types);
	if (types && has_freeze(cpu->pmu))
		control |= SBI_PMU_CTR_LCOFIFRZ;
	sbi_pmu_csr_branch_control(types ? control : 0);
	/* A guest that comes next may be able to read what is left. */
	if (!types)
		sbi_pmu_csr_branch_clear();
}

/*
 * Have this CPU record branches for an event that starts, perhaps not for the first time since it
 * was added. If the CPU has lost its records, samples of the event have no branches.
 * Return: false if another event is there with which it does not go together.
 */
bool sbi_pmu_branch_add(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	const struct sbi_pmu_event *other;

	if (!hlist_unhashed(&e->branch_node) || !cpu->branch.on)
		return true;
	hlist_for_each_entry(other, &cpu->branch.events, branch_node)
		if (!sbi_pmu_branch_go_together(cpu->pmu, &other->branch, &e->branch))
			return false;
	hlist_add_head(&e->branch_node, &cpu->branch.events);
	cpu->pmu->perf_sched_cb_inc(&cpu->pmu->pmu);
	forget(cpu);
	sbi_pmu_csr_branch_unfreeze();
	set_control(cpu);
	return true;
}

/* An event leaves this CPU, which has recorded branches for it. */
void sbi_pmu_branch_del(struct sbi_pmu_cpu *cpu, struct sbi_pmu_event *e)
{
	hlist_del_init(&e->branch_node);
	cpu->pmu->perf_sched_cb_dec(&cpu->pmu->pmu);
	set_control(cpu);
}

/* This task is switched out: its callers will be the same when it comes back. */
static void save_calls(const struct sbi_pmu_cpu *cpu, struct sbi_pmu_branch_calls *calls)
{
	struct sbi_pmu_branch_record *r = calls->record;

	calls->task = current;
	calls->switches = current->nvcsw + current->nivcsw;
	calls->count = 0;
	if (cpu->branch.mm != current->mm)
		return;
	for (; calls->count < cpu->pmu->branch.entries; calls->count++, r++) {
		sbi_pmu_csr_branch_read(calls->count, r);
		if (!(r->source & SBI_PMU_CTRSOURCE_V))
			break;
	}
}

/* Current has come (@in), or is about to go, while an event is here that asks for branches. */
void sbi_pmu_branch_switch(struct sbi_pmu_cpu *cpu, bool in)
{
	struct sbi_pmu_branch_calls *calls;
	struct sbi_pmu_event *e;

	if (!cpu->branch.on)
		return;
	if (in)
		forget(cpu);
	/* One event keeps the calls for all of its task: this takes some thousand cycles. */
	hlist_for_each_entry(e, &cpu->branch.events, branch_node) {
		calls = e->calls;
		if (!calls)
			continue;
		if (!in) {
			save_calls(cpu, calls);
			break;
		}
		/* The task has run on another CPU meanwhile, or the event had another task then. */
		if (calls->task != current || calls->switches != current->nvcsw + current->nivcsw)
			continue;
		for (unsigned int i = 0; i < calls->count; i++)
			sbi_pmu_csr_branch_write(i, &calls->record[i]);
		break;
	}
}

/* A CPU comes online, or wakes: if it has records it is set up, with the depth. */
void sbi_pmu_branch_online(struct sbi_pmu_cpu *cpu)
{
	cpu->branch.on = cpu->pmu->branch.entries && sbi_pmu_branch_is_alike(cpu->pmu);
	if (cpu->branch.on) {
		sbi_pmu_csr_branch_unfreeze();
		set_control(cpu);
	} else if (cpu->pmu->branch.entries) {
		pr_warn("CPU%d: firmware has not restored branch records after a low-power state: samples have no branches until the CPU goes offline and comes back; update the firmware\n",
			smp_processor_id());
	}
}

/* Record nothing any more, whatever perf core deletes or adds yet, and leave nothing behind. */
void sbi_pmu_branch_offline(struct sbi_pmu_cpu *cpu)
{
	/* A CPU that was never on may be of another kind, whose CSRs trap. */
	if (!cpu->branch.on)
		return;
	cpu->branch.on = false;
	sbi_pmu_csr_branch_control(0);
	sbi_pmu_csr_branch_clear();
}

/* ---- samples ---- */

/* The kernel's half of addresses is the upper one. */
static unsigned int mode_of(u64 address)
{
	return (s64)address < 0 ? PERF_SAMPLE_BRANCH_KERNEL : PERF_SAMPLE_BRANCH_USER;
}

/*
 * Fill in @entry, unless the event may not have @r. A branch from one mode to another has one end
 * in each; an end in a mode that is not recorded, as a guest's, is 0. A kind that is not told is
 * one that the event asks for: sbi_pmu_branch_go_together().
 */
static bool fill_entry(struct perf_branch_entry *entry, const struct sbi_pmu_cpu *cpu,
		       const struct sbi_pmu_event *e, const struct sbi_pmu_branch_record *r,
		       u8 modes)
{
	static const u8 types[TYPES] = {
		[INTERRUPT] = PERF_BR_IRQ,
		[TRAP_RETURN] = PERF_BR_ERET,
		[TAKEN] = PERF_BR_COND,
		[INDIRECT_CALL] = PERF_BR_IND_CALL,
		[DIRECT_CALL] = PERF_BR_CALL,
		[INDIRECT_JUMP] = PERF_BR_IND,
		[DIRECT_JUMP] = PERF_BR_UNCOND,
		[COROUTINE_SWAP] = PERF_BR_IND_CALL,
		[RETURN] = PERF_BR_RET,
		[OTHER_INDIRECT_JUMP] = PERF_BR_IND,
		[OTHER_DIRECT_JUMP] = PERF_BR_UNCOND,
	};
	const u64 asked = e->event->attr.branch_sample_type;
	const u64 source = r->source & ~SBI_PMU_CTRSOURCE_V;
	const u64 target = r->target & ~SBI_PMU_CTRTARGET_MISP;
	const unsigned int type = FIELD_GET(SBI_PMU_CTRDATA_TYPE, r->data);
	const u64 mantissa = FIELD_GET(SBI_PMU_CTRDATA_CCM, r->data);
	const unsigned int exponent = FIELD_GET(SBI_PMU_CTRDATA_CCE, r->data);
	u32 insn;

	if (!source || !target ||
	    (type ? !(e->branch.types & BIT(type)) : cpu->pmu->branch.tells_types) ||
	    !(modes & mode_of(source)) || !(modes & mode_of(target)))
		return false;
	*entry = (struct perf_branch_entry){ .from = source, .to = target };
	if (cpu->branch.tells_missed && !(asked & PERF_SAMPLE_BRANCH_NO_FLAGS)) {
		entry->mispred = r->target & SBI_PMU_CTRTARGET_MISP;
		entry->predicted = !entry->mispred;
	}
	/* A mantissa and an exponent (CTR 1.0, 2.5.3). Perf has 16 bits. */
	if (!(asked & PERF_SAMPLE_BRANCH_NO_CYCLES) && r->data & SBI_PMU_CTRDATA_CCV)
		entry->cycles = min_t(u64,
				      exponent ? (4096 + mantissa) << (exponent - 1) : mantissa,
				      0xffff);
	if (asked & PERF_SAMPLE_BRANCH_TYPE_SAVE)
		entry->type = types[type];
	/* Cores do not tell an ecall from a page fault. Text that is not there now is not read. */
	if (asked & PERF_SAMPLE_BRANCH_TYPE_SAVE && type == EXCEPTION &&
	    mode_of(source) == PERF_SAMPLE_BRANCH_USER &&
	    !copy_from_user_nofault(&insn, (void __user *)source, sizeof(insn)) && insn == ECALL)
		entry->type = PERF_BR_SYSCALL;
	if (asked & PERF_SAMPLE_BRANCH_PRIV_SAVE)
		entry->priv = mode_of(target) == PERF_SAMPLE_BRANCH_USER ? PERF_BR_PRIV_USER :
									   PERF_BR_PRIV_KERNEL;
	return true;
}

/* Add the last branches to a sample, which uses memory of @cpu until it is output. */
void sbi_pmu_branch_sample(struct sbi_pmu_cpu *cpu, const struct sbi_pmu_event *e,
			   struct perf_sample_data *data)
{
	struct perf_branch_stack *stack = cpu->branch.stack;
	u8 modes = e->branch.modes;
	bool frozen;

	stack->nr = 0;
	stack->hw_idx = 0; /* by age */
	if (!cpu->branch.on)
		goto save;
	/* From here on this work is not recorded, either. */
	frozen = sbi_pmu_csr_branch_freeze();
	/* Not recorded up to the overflow, but up to here: the kernel's last branches are ours. */
	if (!frozen)
		modes &= PERF_SAMPLE_BRANCH_USER;
	/* Perf core may not tell of a switch between tasks without events; nor of exec(). */
	if (cpu->branch.mm != current->mm)
		forget(cpu);
	for (unsigned int i = 0; i < cpu->pmu->branch.entries; i++) {
		struct sbi_pmu_branch_record r;

		sbi_pmu_csr_branch_read(i, &r);
		if (!(r.source & SBI_PMU_CTRSOURCE_V))
			break;
		/* A core without this bit leaves it 0. */
		if (r.target & SBI_PMU_CTRTARGET_MISP)
			cpu->branch.tells_missed = true;
		stack->nr += fill_entry(&stack->entries[stack->nr], cpu, e, &r, modes);
	}
	if (!frozen)
		sbi_pmu_csr_branch_unfreeze();
save:
	perf_sample_save_brstack(data, e->event, stack, NULL);
}
