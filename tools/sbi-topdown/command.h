/* SPDX-License-Identifier: GPL-2.0-only */
/* command.h - the program that is measured: held before its exec, then let go. */
#ifndef TOPDOWN_COMMAND_H
#define TOPDOWN_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/**
 * struct td_command - a program that is measured
 * @pid: its process, 0: none
 * @go: closed to let it go
 * @error: closed by its exec; else its errno comes
 */
struct td_command {
	pid_t pid;
	int go;
	int error;
};

bool td_command_hold(struct td_command *command, char *const *argv, const sigset_t *mask);
int td_command_go(struct td_command *command);
int td_command_end(const struct td_command *command);

#endif
