// SPDX-License-Identifier: GPL-2.0-only
/* command - the process of the command that is measured. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"

/* In the child: wait for td_command_start(), then become the program. */
static void exec_program(char * const *argv, const sigset_t *mask, int start_fd, int error_fd)
{
	char byte;

	/* End of file: the parent has ended, so do not run the program. */
	if (read(start_fd, &byte, 1) != 1)
		_exit(125);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(argv[0], argv);
	if (write(error_fd, &errno, sizeof(errno)) < 0)
		_exit(125);
	_exit(127);
}

/**
 * td_command_create() - create the process of a program, which waits before its exec
 * @command: filled in
 * @argv: the program and its arguments
 * @mask: signal mask of the program
 *
 * Return: false if there is no process; errno says why.
 */
bool td_command_create(struct td_command *command, char * const *argv, const sigset_t *mask)
{
	int start[2], error[2];

	if (pipe2(start, O_CLOEXEC) || pipe2(error, O_CLOEXEC))
		return false;
	command->pid = fork();
	if (command->pid < 0)
		return false;
	if (!command->pid) {
		close(start[1]);
		close(error[0]);
		exec_program(argv, mask, start[0], error[1]);
	}
	close(start[0]);
	close(error[1]);
	command->start_fd = start[1];
	command->error_fd = error[0];
	return true;
}

/**
 * td_command_start() - let the process continue to its exec
 * @command: created
 *
 * Return: 0, or the errno of an exec that failed.
 */
int td_command_start(struct td_command *command)
{
	int error = 0;

	if (write(command->start_fd, "", 1) != 1 ||
	    read(command->error_fd, &error, sizeof(error)) < 0)
		error = errno;
	close(command->start_fd);
	close(command->error_fd);
	return error;
}

/**
 * td_command_status() - exit status of the process
 * @command: started
 *
 * Return: the exit status as a shell reports it, -1 if the process runs.
 */
int td_command_status(const struct td_command *command)
{
	int status;

	if (waitpid(command->pid, &status, WNOHANG) != command->pid)
		return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/**
 * td_command_exists() - is there a program of this name in PATH?
 * @name: without a slash
 *
 * Return: whether there is.
 */
bool td_command_exists(const char *name)
{
	const char *path = getenv("PATH");
	char file[4096];

	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		const int n = strcspn(path, ":");

		snprintf(file, sizeof(file), "%.*s/%s", n, path, name);
		if (!access(file, X_OK))
			return true;
		path += n;
	}
	return false;
}

/**
 * td_command_read() - run a program and read its output
 * @argv: the program and its arguments
 * @mask: signal mask of the program
 * @pid: set to its process, to wait for
 *
 * Return: its standard output; NULL if there is no process, then errno says why. A program
 * that cannot be run has no output.
 */
FILE *td_command_read(char * const *argv, const sigset_t *mask, pid_t *pid)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return NULL;
	*pid = fork();
	if (!*pid) {
		dup2(ends[1], STDOUT_FILENO);
		sigprocmask(SIG_SETMASK, mask, NULL);
		execvp(argv[0], argv);
		_exit(127);
	}
	close(ends[1]);
	if (*pid > 0)
		return fdopen(ends[0], "r");
	close(ends[0]);
	return NULL;
}
