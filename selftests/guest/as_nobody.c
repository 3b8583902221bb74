// SPDX-License-Identifier: GPL-2.0-only
/*
 * as_nobody COMMAND [ARGUMENT...] - for scripts: run a command as a user without privileges
 */
#include <grp.h>
#include <stdio.h>
#include <unistd.h>

enum { NOBODY = 65534 };

int main(int argc, char **argv)
{
	if (argc < 2 || setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)) {
		perror("as_nobody");
		return 127;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
