// SPDX-License-Identifier: GPL-2.0-only
/*
 * as_nobody [-p] COMMAND [ARGUMENT...] - for scripts: run a command as a user without privileges,
 * with -p with CAP_PERFMON
 */
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { NOBODY = 65534 };

/* Of all capabilities; the command inherits it. */
static int keep_perfmon(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};

	data[CAP_TO_INDEX(CAP_PERFMON)].permitted = CAP_TO_MASK(CAP_PERFMON);
	data[CAP_TO_INDEX(CAP_PERFMON)].inheritable = CAP_TO_MASK(CAP_PERFMON);
	return syscall(SYS_capset, &header, data) ||
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_PERFMON, 0, 0);
}

int main(int argc, char **argv)
{
	bool perfmon = argc > 1 && !strcmp(argv[1], "-p");

	argv += 1 + perfmon;
	if (!argv[0] || (perfmon && prctl(PR_SET_KEEPCAPS, 1)) || setgroups(0, NULL) ||
	    setgid(NOBODY) || setuid(NOBODY) || (perfmon && keep_perfmon())) {
		perror("as_nobody");
		return 127;
	}
	execvp(argv[0], argv);
	perror(argv[0]);
	return 127;
}
