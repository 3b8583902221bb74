/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Illegal instructions: firmware handles each one before the kernel and counts it, so that a
 * program knows this event's exact number.
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
 * Return: an event that execute_illegal(n) counts at least n times. Not illegal instructions
 * in a KVM guest: firmware does not count them there, and on a Linux 6.12 host the first one
 * ends the guest.
 */
static inline uint64_t illegal_event(void)
{
	return is_kvm_guest() ? INSTRUCTIONS : FW_ILLEGAL_INSN;
}

/*
 * Execute @n illegal instructions, each a write to the read-only CSR cycle; in a KVM guest at
 * least @n other instructions.
 */
static inline void execute_illegal(unsigned int n)
{
	struct sigaction sa = { .sa_sigaction = skip_instruction, .sa_flags = SA_SIGINFO };

	if (is_kvm_guest()) {
		work(n);
		return;
	}
	sigaction(SIGILL, &sa, NULL);
	while (n--)
		asm volatile(".word 0xc0001073");
	signal(SIGILL, SIG_DFL);
}

#endif
