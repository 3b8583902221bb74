// SPDX-License-Identifier: GPL-2.0-only
/*
 * sse: the supervisor software event of a counter overflow, after chapter 17 of the SBI
 * specification 3.0, and as OpenSBI has it since 1.7: once it is registered the overflow interrupt
 * is firmware's. Other events do not exist.
 */
#include "fakesbi.h"

#define sse	(fakesbi.sse)

bool fakesbi_sse_has_irq(void)
{
	return sse.state > FAKESBI_SSE_UNUSED && !sse.leaves_irq;
}

static long change(enum fakesbi_sse_state from, enum fakesbi_sse_state to)
{
	if (sse.state != from)
		return SPEC_ERR_INVALID_STATE;
	sse.state = to;
	return SPEC_OK;
}

static long read_attributes(const unsigned long arg[FAKESBI_ARGS])
{
	if (sse.unreadable || arg[1] + arg[2] > SPEC_SSE_ATTRIBUTES || !arg[2] || arg[3] % sizeof(long))
		return SPEC_ERR_INVALID_PARAM;
	for (unsigned int i = 0; i < arg[2]; i++)
		((unsigned long *)arg[3])[i] = sse.attribute[arg[1] + i];
	return SPEC_OK;
}

static long call(unsigned int fid, const unsigned long arg[FAKESBI_ARGS])
{
	long ret = SPEC_OK;

	switch (fid) {
	case SPEC_SSE_READ_ATTRS:
		return read_attributes(arg);
	case SPEC_SSE_REGISTER:
		ret = change(FAKESBI_SSE_UNUSED, FAKESBI_SSE_REGISTERED);
		if (ret)
			return ret;
		sse.enter = (void (*)(void))arg[1];
		sse.arg = arg[2];
		return ret;
	case SPEC_SSE_UNREGISTER:
		return change(FAKESBI_SSE_REGISTERED, FAKESBI_SSE_UNUSED);
	case SPEC_SSE_ENABLE:
		if (sse.not_enabled)
			return SPEC_ERR_FAILED;
		return change(FAKESBI_SSE_REGISTERED, FAKESBI_SSE_ENABLED);
	case SPEC_SSE_DISABLE:
		ret = change(FAKESBI_SSE_ENABLED, FAKESBI_SSE_REGISTERED);
		if (!ret)
			fakesbi.lcofi = false; /* OpenSBI: an event that is pending stays so */
		return ret;
	case SPEC_SSE_COMPLETE:
		sse.pending |= sse.endless;
		return change(FAKESBI_SSE_RUNNING, FAKESBI_SSE_ENABLED);
	case SPEC_SSE_INJECT:
		if (arg[1] != FAKESBI_HART_ID(fakesbi_now - fakesbi_harts))
			model_report("an SSE event is injected into another hart");
		if (sse.state < FAKESBI_SSE_ENABLED)
			model_report("an SSE event is injected that is not enabled");
		sse.pending = true;
		return ret;
	}
	return SPEC_ERR_NOT_SUPPORTED;
}

struct sbiret fakesbi_sse_call(unsigned int fid, const unsigned long arg[FAKESBI_ARGS])
{
	const bool mask = fid == SPEC_SSE_MASK, before = sse.masked;

	if (!sse.exists)
		return (struct sbiret){ .error = SPEC_ERR_NOT_SUPPORTED };
	if (mask || fid == SPEC_SSE_UNMASK) {
		if (!mask && !before)
			model_report("SSE events are unmasked that are not masked");
		sse.masked = mask;
		return (struct sbiret){
			.error = before != mask ? SPEC_OK :
				 mask		? SPEC_ERR_ALREADY_STOPPED :
						  SPEC_ERR_ALREADY_STARTED,
		};
	}
	if (arg[0] != SPEC_SSE_PMU_OVERFLOW)
		return (struct sbiret){ .error = SPEC_ERR_NOT_SUPPORTED };
	return (struct sbiret){ .error = call(fid, arg) };
}

/* Enter what is registered, if it is due. */
void fakesbi_sse_serve(void)
{
	while (sse.state == FAKESBI_SSE_ENABLED && !sse.in_call) {
		/* While the event runs firmware does not look at the interrupt. */
		if (fakesbi_sse_has_irq())
			sse.pending |= fakesbi.lcofi;
		if (!sse.pending || sse.masked || sse.silent)
			return;
		sse.pending = false;
		sse.state = FAKESBI_SSE_RUNNING;
		sse.entered++;
		sse.enter();
		if (sse.state == FAKESBI_SSE_RUNNING)
			model_report("the handler of an SSE event does not complete it");
	}
}
