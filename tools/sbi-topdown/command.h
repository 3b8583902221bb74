/* SPDX-License-Identifier: GPL-2.0-only */
/* command.h - the command that is measured; its process waits while events are opened. */
#ifndef TOPDOWN_COMMAND_H
#define TOPDOWN_COMMAND_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/**
 * struct td_command - process of the command
 * @pid: 0: no command
 * @start_fd: a byte written to it starts the command
 * @error_fd: exec closes it; if exec fails, its errno can be read
 */
struct td_command {
	pid_t pid;
	int start_fd;
	int error_fd;
};

bool td_command_create(struct td_command *command, char * const *argv, const sigset_t *mask);
int td_command_start(struct td_command *command);
int td_command_status(const struct td_command *command);
bool td_command_exists(const char *name);
FILE *td_command_read(char * const *argv, const sigset_t *mask, pid_t *pid);

#endif
