// SPDX-License-Identifier: GPL-2.0-only
/*
 * libpfm4.c - print "name code" of each event of a generated header, as libpfm4's own structure
 * has them, if libpfm4 accepts the code as a raw event. EVENTS is the header, TABLE its array.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/pfmlib.h>

/* In libpfm4 such a structure is private to the code of an architecture. */
typedef struct {
	const char *name;
	uint64_t code;
	const char *desc;
} riscv_entry_t;

#include EVENTS

/* Is the code that of a raw event, as libpfm4 parses it? */
static int is_raw_event(uint64_t code)
{
	pfm_pmu_encode_arg_t arg = { .size = sizeof(arg) };
	char text[64];
	int ret;

	snprintf(text, sizeof(text), "perf_raw::r%llx", (unsigned long long)code);
	ret = pfm_get_os_event_encoding(text, 0, PFM_OS_NONE, &arg);
	if (ret != PFM_SUCCESS)
		fprintf(stderr, "%s: %s\n", text, pfm_strerror(ret));
	return ret == PFM_SUCCESS && arg.count == 1 && arg.codes[0] == code;
}

int main(void)
{
	/* Without it libpfm4 has only the events of this machine. */
	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	if (pfm_initialize() != PFM_SUCCESS)
		return 1;
	for (unsigned int i = 0; i < sizeof(TABLE) / sizeof(TABLE[0]); i++) {
		const pfm_event_info_t info = {
			.name = TABLE[i].name,
			.desc = TABLE[i].desc,
			.code = TABLE[i].code,
			.size = sizeof(info),
			.dtype = PFM_DTYPE_UINT64,
		};

		if (!strlen(info.name) || !strlen(info.desc) || !is_raw_event(info.code))
			return 1;
		printf("%s 0x%llx\n", info.name, (unsigned long long)info.code);
	}
	return 0;
}
