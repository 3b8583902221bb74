// SPDX-License-Identifier: GPL-2.0-only
/* command - the program that is measured. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

/* In the child, until it is the program. */
static void become(char *const *argv, const sigset_t *mask, int go, int error)
{
	char nothing;

	/* If the parent ends before it lets us go, this is not to run. */
	if (read(go, &nothing, 1) != 1)
		_exit(125);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	if (write(error, &errno, sizeof(errno)) < 0)
		_exit(125);
	_exit(127);
}

/**
 * td_command_hold - make the process of a program that does not run yet
 * @command: filled in
 * @argv: the program
 * @mask: its signal mask
 */
bool td_command_hold(struct td_command *command, char *const *argv, const sigset_t *mask)
{
	int go[2], error[2];

	if (pipe2(go, O_CLOEXEC) || pipe2(error, O_CLOEXEC))
		return false;
	command->pid = fork();
	if (command->pid < 0)
		return false;
	if (!command->pid) {
		close(go[1]);
		close(error[0]);
		become(argv, mask, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	command->go = go[1];
	command->error = error[0];
	return true;
}

/* Let it go. Return: 0, or the errno of an exec that failed. */
int td_command_go(struct td_command *command)
{
	int error = 0;

	if (write(command->go, "", 1) != 1 ||
	    read(command->error, &error, sizeof(error)) < 0)
		error = errno;
	close(command->go);
	close(command->error);
	return error;
}

/* Return: its exit status as a shell has it, -1 if it has not ended. */
int td_command_end(const struct td_command *command)
{
	int status;

	if (waitpid(command->pid, &status, WNOHANG) != command->pid)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
