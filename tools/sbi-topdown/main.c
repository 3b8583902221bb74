// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi-topdown - where a XiangShan core's time goes, in one pass. See sbi-topdown.1.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "events.h"
#include "options.h"
#include "terminal.h"

/**
 * struct run - a measurement
 * @options: what is wanted
 * @events: open
 * @command: pid 0 if there is none
 * @out: where the results go
 * @terminal: @out is one, and of this style
 * @style: its size and abilities
 * @live: we have a screen on it
 * @what: is measured, for people
 * @begin: when it began, ns
 * @next: when an interval ends, ns
 * @before: what had been counted when the last one did
 * @shown: the last interval
 * @status: the command's, -1: it has not ended
 * @done: it is over
 */
struct run {
	struct options options;
	struct td_events events;
	struct td_command command;
	FILE *out;
	bool terminal;
	struct td_style style;
	bool live;
	char what[64];
	uint64_t begin;
	uint64_t next;
	struct td_sample before;
	struct td_report shown;
	int status;
	bool done;
};

/* ---- output ---- */

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* A command's standard output is its own. */
static FILE *output_of(const struct options *options)
{
	FILE *out;

	if (!options->output)
		return options->command ? stderr : stdout;
	out = fopen(options->output, "we");
	if (!out)
		err(FAILED, "%s", options->output);
	return out;
}

/* Only if nothing else writes there is the screen ours. */
static void begin_output(struct run *run)
{
	struct options *options = &run->options;

	run->terminal = options->format == TEXT && td_terminal(run->out);
	run->live = run->terminal && !options->command;
	if (run->live && !options->interval)
		options->interval = 1000;
	if (options->format == CSV)
		td_show_csv_head(run->out);
	else if (options->format == TEXT && !run->live && options->interval)
		td_show_columns_head(run->out, run->events.known);
	fflush(run->out);
	if (run->live)
		td_terminal_enter(run->out);
}

/* As a whole, so that nobody sees half of it. */
static void draw(struct run *run)
{
	size_t size = 0;
	char *text = NULL;
	FILE *frame;

	if (!run->shown.what)
		return;
	frame = open_memstream(&text, &size);
	if (!frame)
		return;
	td_terminal_style(run->out, &run->style);
	td_show_screen(frame, &run->shown, &run->style);
	fclose(frame);
	fwrite(text, 1, size, run->out);
	free(text);
}

static void print(struct run *run, const struct td_report *report)
{
	switch (run->options.format) {
	case CSV:
		td_show_csv(run->out, report);
		break;
	case JSON:
		td_show_json(run->out, report);
		break;
	case TEXT:
		if (!report->summary && run->live) {
			draw(run);
		} else if (!report->summary) {
			td_show_columns(run->out, report);
		} else if (run->terminal) {
			td_terminal_style(run->out, &run->style);
			td_show_bars(run->out, report, &run->style);
		} else {
			td_show_text(run->out, report);
		}
	}
	fflush(run->out);
}

/* ---- measurement ---- */

/* A file for each event of each task or CPU. */
static void allow_files(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static bool open_events(struct run *run)
{
	const struct options *options = &run->options;

	if (options->all)
		return td_open_cpus(&run->events);
	for (unsigned int i = 0; i < options->n_pids; i++)
		if (!td_open_process(&run->events, options->pids[i]))
			return false;
	return options->n_pids || td_open_command(&run->events, run->command.pid);
}

static void name_it(struct run *run)
{
	const struct options *options = &run->options;
	const size_t size = sizeof(run->what);

	if (options->all)
		snprintf(run->what, size, "all %u CPUs", run->events.n);
	else if (options->n_pids > 1)
		snprintf(run->what, size, "%u processes", options->n_pids);
	else if (options->n_pids)
		snprintf(run->what, size, "process %d", options->pids[0]);
	else
		snprintf(run->what, size, "%s", options->command[0]);
	for (char *c = run->what; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
}

/* If it cannot be read there is no point in going on, but for the command. */
static bool sample(struct run *run, struct td_report *report)
{
	*report = (struct td_report){
		.what = run->what,
		.seconds = (now() - run->begin) / 1e9,
		.user_only = run->events.user_only,
	};
	if (td_read(&run->events, &report->sample))
		return true;
	run->done |= !run->command.pid;
	return false;
}

static void interval(struct run *run)
{
	const uint64_t ns = run->options.interval * 1000000ULL;
	struct td_report report;
	struct td_sample total;

	/* What could not be kept is skipped. */
	run->next += ns * ((now() - run->next) / ns + 1);
	if (!sample(run, &report))
		return;
	total = report.sample;
	report.sample = td_since(&total, &run->before);
	run->before = total;
	run->shown = report;
	print(run, &report);
}

/* Return: is there a result? */
static bool summary(struct run *run)
{
	double share[TD_PARTS];
	struct td_report report;

	if (!sample(run, &report)) {
		warnx("%s", run->events.why);
		return false;
	}
	report.summary = true;
	print(run, &report);
	return td_shares(&report.sample, share) == TD_RIGHT;
}

/* ---- life ---- */

static const int signals[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGWINCH, SIGTSTP, 0
};

/*
 * Return: they come by this file. @before: how they came until now. What is started
 * by a script with "&" is to ignore Ctrl-C, but it is how this one ends. A command
 * of ours still ignores what we were to ignore.
 */
static int take_signals(const struct options *options, sigset_t *before)
{
	sigset_t ours;
	int fd;

	signal(SIGCHLD, SIG_DFL);
	if (!options->command) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
	}
	sigemptyset(&ours);
	for (unsigned int i = 0; signals[i]; i++)
		sigaddset(&ours, signals[i]);
	sigprocmask(SIG_BLOCK, &ours, before);
	fd = signalfd(-1, &ours, SFD_CLOEXEC);
	if (fd < 0)
		err(FAILED, "signalfd");
	return fd;
}

static void stop(struct run *run)
{
	if (run->live)
		td_terminal_leave(run->out);
	raise(SIGSTOP);
	if (run->live) {
		td_terminal_enter(run->out);
		draw(run);
		fflush(run->out);
	}
}

static void ask_to_end(struct run *run, const struct signalfd_siginfo *info)
{
	if (!run->command.pid)
		run->done = true;
	else if (info->ssi_code <= 0)
		/* From a process, for us. What comes from the terminal the command gets, too. */
		kill(run->command.pid, info->ssi_signo);
}

static void take_signal(struct run *run, int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return;
	switch (info.ssi_signo) {
	case SIGCHLD:
		if (run->command.pid)
			run->status = td_command_end(&run->command);
		run->done |= run->status >= 0;
		break;
	case SIGWINCH:
		if (run->live)
			draw(run);
		fflush(run->out);
		break;
	case SIGTSTP:
		stop(run);
		break;
	default:
		ask_to_end(run, &info);
	}
}

/* Milliseconds until an interval ends, -1: never. */
static int patience(const struct run *run)
{
	const uint64_t t = now();

	if (!run->options.interval)
		return -1;
	return run->next > t ? (run->next - t + 999999) / 1000000 : 0;
}

/**
 * struct watch - what is waited for
 * @fd: of signals, then a pidfd for each process that is measured
 * @n: of them
 * @alive: processes that have not ended
 */
struct watch {
	struct pollfd fd[1 + MAX_PIDS];
	unsigned int n;
	unsigned int alive;
};

static void watch_begin(struct watch *watch, const struct options *options, int signal_fd)
{
	*watch = (struct watch){ .fd = { { .fd = signal_fd, .events = POLLIN } }, .n = 1 };
	for (unsigned int i = 0; i < options->n_pids; i++) {
		const int fd = syscall(SYS_pidfd_open, options->pids[i], 0);

		watch->fd[watch->n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		watch->alive += fd >= 0 || errno != ESRCH;
	}
}

/* Processes that ended are not looked at again. */
static bool all_ended(struct watch *watch)
{
	for (unsigned int i = 1; i < watch->n; i++) {
		if (watch->fd[i].revents) {
			close(watch->fd[i].fd);
			watch->fd[i].fd = -1;
			watch->alive--;
		}
	}
	return watch->n > 1 && !watch->alive;
}

static void measure(struct run *run, int signal_fd)
{
	struct watch watch;

	watch_begin(&watch, &run->options, signal_fd);
	while (!run->done) {
		if (poll(watch.fd, watch.n, patience(run)) < 0 && errno != EINTR)
			err(FAILED, "poll");
		if (watch.fd[0].revents)
			take_signal(run, signal_fd);
		if (all_ended(&watch) && !run->command.pid)
			run->done = true;
		if (!run->done && !patience(run))
			interval(run);
	}
}

static void begin(struct run *run)
{
	int error;

	run->begin = now();
	/* Nobody likes to look at an empty screen. */
	run->next = run->begin + (run->live ? 250 : run->options.interval) * 1000000ULL;
	if (run->options.all || run->options.n_pids)
		td_enable(&run->events);
	if (!run->command.pid)
		return;
	error = td_command_go(&run->command);
	if (error) {
		errno = error;
		err(error == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "%s", run->options.command[0]);
	}
}

int main(int argc, char **argv)
{
	struct run run = { .status = -1 };
	sigset_t before;
	int signal_fd;
	bool known;

	td_options(&run.options, argc, argv);
	if (!td_find(&run.events, TD_DEVICES, run.options.level))
		errx(NOT_HERE, "no top-down analysis here: %s", run.events.why);
	run.out = output_of(&run.options);
	signal_fd = take_signals(&run.options, &before);
	if (run.options.command && !td_command_hold(&run.command, run.options.command, &before))
		err(FAILED, "fork");
	/* Now, lest the program inherits it. */
	allow_files();
	if (!open_events(&run))
		errx(FAILED, "%s", run.events.why);
	name_it(&run);
	begin_output(&run);
	begin(&run);
	measure(&run, signal_fd);
	if (run.live)
		td_terminal_leave(run.out);
	known = summary(&run);
	td_close(&run.events);
	if (ferror(run.out) || fclose(run.out))
		errx(FAILED, "what was measured could not be written");
	if (run.status > 0)
		return run.status;
	return known ? 0 : FAILED;
}
