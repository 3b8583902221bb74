// SPDX-License-Identifier: GPL-2.0-only
/*
 * A read of a counter that scounteren does not enable traps, and do_trap() of the kernel sends a
 * SIGILL. A kprobe on do_trap() comes first. It also slows down all other fatal traps, such as the
 * SIGSEGV that some programs use on purpose, so it is in place only from the first event on that a
 * program can read. It stays, as to arm or disarm it stops all CPUs for a moment, isolated ones,
 * too, and any user can open and close events.
 *
 * The compiler may have put a copy of do_trap() into its caller, which its name does not tell. So
 * the module tries it at load, by a program that does nothing but read a counter.
 */
#include <linux/elf.h>
#include <linux/err.h>
#include <linux/fdtable.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/shmem_fs.h>
#include <linux/umh.h>

#include <asm/csr.h>
#include <asm/ptrace.h>
#include <asm/unistd.h>

#include "sbi_pmu.h"

static int before_trap(struct kprobe *probe, struct pt_regs *regs)
{
	struct sbi_pmu_user_trap *trap = container_of(probe, struct sbi_pmu_user_trap, probe);
	struct pt_regs *program = (struct pt_regs *)regs->a0;

	if (regs->a1 != SIGILL || !user_mode(program) || !sbi_pmu_user_access_catch(trap, program))
		return 0;
	if (current == READ_ONCE(trap->tester))
		trap->caught = true;
	/* Return to the caller of do_trap(). */
	regs->epc = regs->ra;
	return 1;
}

NOKPROBE_SYMBOL(before_trap);

/* Register the probe, disarmed: on the first instruction, or past the two of ftrace. */
static bool register_probe(struct sbi_pmu_user_trap *trap)
{
	static const unsigned int offsets[] = { 0, 8 };

	for (unsigned int i = 0; i < ARRAY_SIZE(offsets); i++) {
		trap->probe = (struct kprobe){
			.symbol_name = "do_trap",
			.offset = offsets[i],
			.pre_handler = before_trap,
			.flags = KPROBE_FLAG_DISABLED,
		};
		if (!register_kprobe(&trap->probe))
			return true;
	}
	return false;
}

/* While all kprobes are switched off (debugfs), enable_kprobe() succeeds and does nothing. */
static bool arm(struct sbi_pmu_user_trap *trap)
{
	if (!trap->armed)
		trap->armed = !enable_kprobe(&trap->probe) && !kprobe_disabled(&trap->probe);
	return trap->armed;
}

/**
 * sbi_pmu_user_trap_get() - catch reads that trap, until sbi_pmu_user_trap_put()
 * @trap: after sbi_pmu_user_trap_init()
 * Context: may sleep; takes the lock of CPU hotplug.
 * Return: are they caught? If not, sbi_pmu_user_trap_put() must not follow.
 */
bool sbi_pmu_user_trap_get(struct sbi_pmu_user_trap *trap)
{
	bool armed;

	mutex_lock(&trap->lock);
	armed = arm(trap);
	if (armed)
		atomic_inc(&trap->users);
	mutex_unlock(&trap->lock);
	return armed;
}

void sbi_pmu_user_trap_put(struct sbi_pmu_user_trap *trap)
{
	atomic_dec(&trap->users);
}

/* No event that is opened from now on can be read. Those that are open keep the probe. */
void sbi_pmu_user_trap_disarm(struct sbi_pmu_user_trap *trap)
{
	mutex_lock(&trap->lock);
	if (!atomic_read(&trap->users) && trap->armed) {
		disable_kprobe(&trap->probe);
		trap->armed = false;
	}
	mutex_unlock(&trap->lock);
}

#define TEST_ADDRESS	0x400000
#define INSN_LI(rd, value)	((value) << 20 | (rd) << 7 | 0x13)
#define INSN_CSRR(rd, csr)	((csr) << 20 | 2 << 12 | (rd) << 7 | 0x73)
#define INSN_ECALL	0x73
#define REG_A0	10
#define REG_A7	17

/* exit(cycle): a read that is caught returns 0 */
static const struct test_program {
	struct elf64_hdr elf;
	struct elf64_phdr load;
	u32 code[4];
} test_program = {
	.elf = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_RISCV,
		.e_version = EV_CURRENT,
		.e_entry = TEST_ADDRESS + offsetof(struct test_program, code),
		.e_phoff = offsetof(struct test_program, load),
		.e_ehsize = sizeof(struct elf64_hdr),
		.e_phentsize = sizeof(struct elf64_phdr),
		.e_phnum = 1,
	},
	.load = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_vaddr = TEST_ADDRESS,
		.p_paddr = TEST_ADDRESS,
		.p_filesz = sizeof(struct test_program),
		.p_memsz = sizeof(struct test_program),
		.p_align = PAGE_SIZE,
	},
	.code = {
		INSN_LI(REG_A7, __NR_exit),
		INSN_LI(REG_A0, 1),
		INSN_CSRR(REG_A0, CSR_CYCLE),
		INSN_ECALL,
	},
};

struct test_setup {
	struct sbi_pmu_user_trap *trap;
	const struct cpumask *cpus; /* where it runs: CPUs whose scounteren the module writes */
};

static int begin_test(struct subprocess_info *info, struct cred *new)
{
	const struct test_setup *setup = info->data;

	WRITE_ONCE(setup->trap->tester, current);
	return set_cpus_allowed_ptr(current, setup->cpus);
}

static struct file *test_file(void)
{
	struct file *file =
		shmem_file_setup("sbi_pmu_user_trap", sizeof(test_program), EMPTY_VMA_FLAGS);
	loff_t pos = 0;
	ssize_t n;

	if (IS_ERR(file))
		return file;
	n = kernel_write(file, &test_program, sizeof(test_program), &pos);
	if (n == sizeof(test_program))
		return file;
	fput(file);
	return ERR_PTR(n < 0 ? n : -EIO);
}

/*
 * Run the program from @file, through a file descriptor of the task that loads the module. Return:
 * its status as of wait(2), or an errno.
 */
static int run_file(struct file *file, struct test_setup *setup)
{
	const int fd = get_unused_fd_flags(O_CLOEXEC);
	char path[40], *argv[2] = { path }, *envp[1] = {};
	struct subprocess_info *info;
	int ret = -ENOMEM;

	if (fd < 0)
		return fd;
	fd_install(fd, get_file(file));
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", task_tgid_nr(current), fd);
	info = call_usermodehelper_setup(path, argv, envp, GFP_KERNEL, begin_test, NULL, setup);
	if (info)
		ret = call_usermodehelper_exec(info, UMH_WAIT_PROC);
	WRITE_ONCE(setup->trap->tester, NULL);
	close_fd(fd);
	return ret;
}

/* Return: NULL if the read of the program is caught, or why not. */
static const char *self_test(struct sbi_pmu_user_trap *trap, const struct cpumask *cpus)
{
	struct test_setup setup = { .trap = trap, .cpus = cpus };
	struct file *file = test_file();
	int status;

	if (IS_ERR(file))
		return "no memory for the program of the self-test";
	status = run_file(file, &setup);
	fput(file);
	if (status < 0)
		return "the program of the self-test cannot be run: is /proc mounted?";
	if ((status & 0x7f) == SIGILL)
		return "a read that traps kills the program: do_trap() is not on its way";
	if (status || !trap->caught)
		return "the read of the self-test did not trap";
	return NULL;
}

/**
 * sbi_pmu_user_trap_init() - prepare to catch reads that trap
 * @trap: zero
 * @cpus: CPUs on which reads trap now
 * Context: may sleep; in the task that loads the module.
 * Return: NULL, or in words for the log why such reads cannot be caught.
 */
const char *sbi_pmu_user_trap_init(struct sbi_pmu_user_trap *trap, const struct cpumask *cpus)
{
	const char *why = "kprobes are switched off (debugfs, kprobes/enabled)";

	mutex_init(&trap->lock);
	if (!register_probe(trap))
		return "no kprobe on do_trap(): is CONFIG_KPROBES on?";
	if (sbi_pmu_user_trap_get(trap)) {
		why = self_test(trap, cpus);
		sbi_pmu_user_trap_put(trap);
		sbi_pmu_user_trap_disarm(trap);
	}
	if (why)
		sbi_pmu_user_trap_exit(trap);
	return why;
}

void sbi_pmu_user_trap_exit(struct sbi_pmu_user_trap *trap)
{
	unregister_kprobe(&trap->probe);
}
