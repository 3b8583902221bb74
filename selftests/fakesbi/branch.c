// SPDX-License-Identifier: GPL-2.0-only
/* fakesbi: branch records of a hart, after the specification of Smctr and Ssctr 1.0. */
#include "fakesbi.h"

#define ctr	(fakesbi.branches)

static bool is_recorded(enum fakesbi_mode mode)
{
	return mode == FAKESBI_USER ? ctr.control & SPEC_CTR_U :
	       mode == FAKESBI_KERNEL && ctr.control & SPEC_CTR_S;
}

static bool is_call(unsigned int type)
{
	return type == SPEC_CTR_INDIRECT_CALL || type == SPEC_CTR_DIRECT_CALL;
}

static void pop(void)
{
	memmove(&ctr.entry[0], &ctr.entry[1], sizeof(ctr.entry) - sizeof(ctr.entry[0]));
	memset(&ctr.entry[ARRAY_SIZE(ctr.entry) - 1], 0, sizeof(ctr.entry[0]));
}

/* The hart takes a branch. @cycles as CTRDATA has them */
void fakesbi_branch(enum fakesbi_mode from, enum fakesbi_mode to, unsigned int type, u64 source,
		    u64 target, u64 cycles)
{
	const bool is_trap = type == SPEC_CTR_EXCEPTION || type == SPEC_CTR_INTERRUPT;

	if (ctr.frozen || !is_recorded(to) || (is_trap && !is_recorded(from)))
		return;
	if (type == SPEC_CTR_NOT_TAKEN ? !(ctr.control >> (32 + type) & 1) :
					 ctr.control >> (32 + type) & 1)
		return;
	if (ctr.control & SPEC_CTR_RASEMU) {
		if (type == SPEC_CTR_RETURN || type == SPEC_CTR_COROUTINE_SWAP)
			pop();
		if (!is_call(type) && type != SPEC_CTR_COROUTINE_SWAP)
			return;
	}
	memmove(&ctr.entry[1], &ctr.entry[0], sizeof(ctr.entry) - sizeof(ctr.entry[0]));
	ctr.entry[0] = (struct fakesbi_record){
		.source = (is_recorded(from) ? source : 0) | SPEC_CTR_VALID,
		.target = target,
		.data = type | cycles,
	};
}

/* An interrupt comes; the handler's own branches are the kernel's. */
void fakesbi_branch_interrupt(bool overflow, bool user)
{
	if (overflow && ctr.control & SPEC_CTR_LCOFIFRZ)
		ctr.frozen = true;
	fakesbi_branch(user ? FAKESBI_USER : FAKESBI_KERNEL, FAKESBI_KERNEL, SPEC_CTR_INTERRUPT,
		       user ? 0x10000 : FAKESBI_HANDLER + 0x100, FAKESBI_HANDLER, 0);
	for (unsigned int i = 0; i < 4; i++)
		fakesbi_branch(FAKESBI_KERNEL, FAKESBI_KERNEL, SPEC_CTR_DIRECT_CALL,
			       FAKESBI_HANDLER + i * 4, FAKESBI_HANDLER + 0x40, 0);
}
