/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Illegal instructions: firmware sees every one before the kernel does, and
 * counts it. The one thing that a program here knows the exact number of.
 */
#ifndef ILLEGAL_H
#define ILLEGAL_H

#include <signal.h>
#include <ucontext.h>

#include "harness.h"

#define FW_ILLEGAL_INSN	FIRMWARE(4)

static void skip_instruction(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	uc->uc_mcontext.__gregs[REG_PC] += 4;
}

/*
 * In a KVM guest firmware sees none of them, and with Linux 6.12 below, the first is the
 * guest's end. Where it does not matter what is counted, as long as it is no less often
 * than that, instructions do.
 */
static inline uint64_t illegal_event(void)
{
	return in_kvm() ? INSTRUCTIONS : FW_ILLEGAL_INSN;
}

/* Executes @n of them, each a write to the read-only CSR cycle. */
static inline void illegal(unsigned int n)
{
	struct sigaction sa = { .sa_sigaction = skip_instruction, .sa_flags = SA_SIGINFO };

	if (in_kvm()) {
		work(n);
		return;
	}
	sigaction(SIGILL, &sa, NULL);
	while (n--)
		asm volatile(".word 0xc0001073");
	signal(SIGILL, SIG_DFL);
}

#endif
