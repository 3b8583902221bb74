// SPDX-License-Identifier: GPL-2.0-only
/*
 * sbi-topdown - top-down analysis of a XiangShan core without multiplexing. See
 * sbi-topdown.1.
 */
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "events.h"
#include "options.h"
#include "record.h"
#include "terminal.h"

/**
 * struct run - a measurement
 * @options: the command line
 * @events: open events
 * @command: pid 0 if there is none
 * @out: where the results go
 * @terminal: @out is a terminal that understands escape sequences
 * @style: its size and abilities
 * @full_screen: intervals are drawn on its alternate screen
 * @what: what is measured, for people
 * @start_ns: when the measurement started
 * @interval_end_ns: when the current interval ends
 * @total: what had been counted at the end of the last interval
 * @last_interval: its counts
 * @status: exit status of the command, -1: it runs
 * @done: the measurement is to end
 * @files: limit of open files before it was raised
 * @signal_fd: the signals
 * @signals_before: signal mask of the commands
 */
struct run {
	struct options options;
	struct td_events events;
	struct td_command command;
	FILE *out;
	bool terminal;
	struct td_style style;
	bool full_screen;
	char what[64];
	uint64_t start_ns;
	uint64_t interval_end_ns;
	struct td_sample total;
	struct td_report last_interval;
	int status;
	bool done;
	struct rlimit files;
	int signal_fd;
	sigset_t signals_before;
};

/* ---- output ---- */

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* With a command the default is stderr, as the command uses stdout. */
static FILE *open_output(const struct options *options)
{
	FILE *out;

	if (!options->output)
		return options->command ? stderr : stdout;
	out = fopen(options->output, "we");
	if (!out)
		err(FAILED, "cannot write to %s", options->output);
	return out;
}

/* Print the head, or enter full screen; not with a command, which may use the terminal. */
static void start_output(struct run *run)
{
	struct options *options = &run->options;

	run->terminal = options->format == TEXT && td_terminal_is_capable(run->out);
	run->full_screen = run->terminal && !options->command;
	if (run->full_screen && !options->interval)
		options->interval = 1000;
	if (options->format == CSV)
		td_show_csv_head(run->out);
	else if (options->format == TEXT && !run->full_screen && options->interval)
		td_show_columns_head(run->out, run->events.n_events);
	fflush(run->out);
	if (run->full_screen)
		td_terminal_enter(run->out);
}

/* Draw the last interval. The screen is written at once, to avoid flicker. */
static void draw_screen(struct run *run)
{
	size_t size = 0;
	char *text = NULL;
	FILE *frame;

	if (!run->last_interval.what)
		return;
	frame = open_memstream(&text, &size);
	if (!frame)
		return;
	td_terminal_get_style(run->out, &run->style);
	td_show_screen(frame, &run->last_interval, &run->style);
	fclose(frame);
	fwrite(text, 1, size, run->out);
	free(text);
}

static void print_report(struct run *run, const struct td_report *report)
{
	switch (run->options.format) {
	case CSV:
		td_show_csv(run->out, report);
		break;
	case JSON:
		td_show_json(run->out, report);
		break;
	case TEXT:
		if (!report->summary && run->full_screen) {
			draw_screen(run);
		} else if (!report->summary) {
			td_show_columns(run->out, report);
		} else if (run->terminal) {
			td_terminal_get_style(run->out, &run->style);
			td_show_bars(run->out, report, &run->style);
		} else {
			td_show_text(run->out, report);
		}
	}
	fflush(run->out);
}

/* ---- measurement ---- */

/* Each event of each task or CPU needs an open file. */
static void raise_file_limit(struct run *run)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &run->files))
		return;
	files = run->files;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

static bool open_events(struct run *run)
{
	const struct options *options = &run->options;

	if (options->all_cpus)
		return td_open_cpus(&run->events);
	for (unsigned int i = 0; i < options->n_pids; i++)
		if (!td_open_process(&run->events, options->pids[i]))
			return false;
	return options->n_pids || td_open_command(&run->events, run->command.pid);
}

/* Write the name of what is measured, without control characters. */
static void set_name(struct run *run)
{
	const struct options *options = &run->options;
	const size_t size = sizeof(run->what);

	if (options->all_cpus)
		snprintf(run->what, size, "all %u CPUs", run->events.n_groups);
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

/* Read the counts since the start. A failure ends the measurement unless a command runs. */
static bool read_report(struct run *run, struct td_report *report)
{
	*report = (struct td_report){
		.what = run->what,
		.seconds = (now_ns() - run->start_ns) / 1e9,
		.user_only = run->events.user_only,
	};
	if (td_read_events(&run->events, &report->sample))
		return true;
	run->done |= !run->command.pid;
	return false;
}

static void end_interval(struct run *run)
{
	const uint64_t ns = run->options.interval * 1000000ULL;
	struct td_report report;
	struct td_sample total;

	/* Skip intervals that have passed meanwhile. */
	run->interval_end_ns += ns * ((now_ns() - run->interval_end_ns) / ns + 1);
	if (!read_report(run, &report))
		return;
	total = report.sample;
	report.sample = td_sample_difference(&total, &run->total);
	run->total = total;
	run->last_interval = report;
	print_report(run, &report);
}

/* Print the whole measurement, in @report. Return: whether it has shares. */
static bool print_summary(struct run *run, struct td_report *report, double share[TD_PARTS])
{
	if (!read_report(run, report)) {
		warnx("%s", run->events.error);
		return false;
	}
	report->summary = true;
	print_report(run, report);
	return td_compute_shares(&report->sample, share) == TD_VALID;
}

/* ---- signals and intervals ---- */

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD, SIGWINCH, SIGTSTP, 0 };

/*
 * Block the signals, to read them from a file. Without a command, SIGINT and SIGQUIT end
 * the measurement, even if the program was started with "&" by a script, which makes it
 * ignore them; a command keeps ignoring them.
 * @before: filled in with the previous signal mask
 * Return: the file.
 */
static int open_signals(const struct options *options, sigset_t *before)
{
	sigset_t mask;
	int fd;

	signal(SIGCHLD, SIG_DFL);
	if (!options->command) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
	}
	sigemptyset(&mask);
	for (unsigned int i = 0; signals[i]; i++)
		sigaddset(&mask, signals[i]);
	sigprocmask(SIG_BLOCK, &mask, before);
	fd = signalfd(-1, &mask, SFD_CLOEXEC);
	if (fd < 0)
		err(FAILED, "cannot receive signals");
	return fd;
}

/* Leave the screen while the program is stopped by SIGTSTP. */
static void suspend(struct run *run)
{
	if (run->full_screen)
		td_terminal_leave(run->out);
	raise(SIGSTOP);
	if (run->full_screen) {
		td_terminal_enter(run->out);
		draw_screen(run);
		fflush(run->out);
	}
}

/* Without a command a signal ends the measurement; a command gets the signal instead. */
static void end_or_forward(struct run *run, const struct signalfd_siginfo *info)
{
	if (!run->command.pid)
		run->done = true;
	else if (info->ssi_code <= 0)
		/* Sent by a process. A signal of the terminal reaches the command anyway. */
		kill(run->command.pid, info->ssi_signo);
}

static void handle_signal(struct run *run)
{
	struct signalfd_siginfo info;

	if (read(run->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	switch (info.ssi_signo) {
	case SIGCHLD:
		if (run->command.pid)
			run->status = td_command_status(&run->command);
		run->done |= run->status >= 0;
		break;
	case SIGWINCH:
		if (run->full_screen)
			draw_screen(run);
		fflush(run->out);
		break;
	case SIGTSTP:
		suspend(run);
		break;
	default:
		end_or_forward(run, &info);
	}
}

/* Return: milliseconds until the interval ends, -1: never. */
static int ms_to_interval_end(const struct run *run)
{
	const uint64_t t = now_ns();

	if (!run->options.interval)
		return -1;
	return run->interval_end_ns > t ? (run->interval_end_ns - t + 999999) / 1000000 : 0;
}

/**
 * struct watch - files to poll
 * @fd: the signals, then a pidfd for each measured process
 * @n: number of files
 * @alive: number of processes that have not ended
 */
struct watch {
	struct pollfd fd[1 + MAX_PIDS];
	unsigned int n;
	unsigned int alive;
};

static void open_watch(struct watch *watch, const struct options *options, int signal_fd)
{
	*watch = (struct watch){ .fd = { { .fd = signal_fd, .events = POLLIN } }, .n = 1 };
	for (unsigned int i = 0; i < options->n_pids; i++) {
		const int fd = syscall(SYS_pidfd_open, options->pids[i], 0);

		watch->fd[watch->n++] = (struct pollfd){ .fd = fd, .events = POLLIN };
		watch->alive += fd >= 0 || errno != ESRCH;
	}
}

/* Close the pidfds of processes that ended. Return: whether all have ended. */
static bool close_ended(struct watch *watch)
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

static void measure(struct run *run)
{
	struct watch watch;

	open_watch(&watch, &run->options, run->signal_fd);
	while (!run->done) {
		if (poll(watch.fd, watch.n, ms_to_interval_end(run)) < 0 && errno != EINTR)
			err(FAILED, "poll");
		if (watch.fd[0].revents)
			handle_signal(run);
		if (close_ended(&watch) && !run->command.pid)
			run->done = true;
		if (!run->done && !ms_to_interval_end(run))
			end_interval(run);
	}
}

static void start(struct run *run)
{
	/* On a full screen the first interval is short, so that it is not empty for long. */
	const uint64_t ms = run->full_screen ? 250 : run->options.interval;
	int error;

	run->start_ns = now_ns();
	run->interval_end_ns = run->start_ns + ms * 1000000;
	if (run->options.all_cpus || run->options.n_pids)
		td_enable_events(&run->events);
	if (!run->command.pid)
		return;
	error = td_command_start(&run->command);
	if (error) {
		errno = error;
		err(error == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "cannot run %s",
		    run->options.command[0]);
	}
}

/* ---- a second run ---- */

/* Run perf record as the command. Return: false if it cannot be run. */
static bool run_record(struct run *run, char **argv)
{
	struct pollfd signal = { .fd = run->signal_fd, .events = POLLIN };
	int error;

	setrlimit(RLIMIT_NOFILE, &run->files);
	if (!td_command_create(&run->command, argv, &run->signals_before)) {
		warn("cannot create a process for perf");
		return false;
	}
	run->status = -1;
	error = td_command_start(&run->command);
	if (error) {
		errno = error;
		warn("cannot run perf");
	}
	while (run->status < 0)
		if (poll(&signal, 1, -1) > 0)
			handle_signal(run);
	return !error;
}

/*
 * Rename a file to FILE.old. perf does that, too, but not if it fails: old samples would then
 * look like new ones.
 * Return: false if the name is that of a directory, for example.
 */
static bool move_away(const char *file)
{
	struct stat info;
	char old[4096];

	if (stat(file, &info))
		return true;
	snprintf(old, sizeof(old), "%s.old", file);
	return S_ISREG(info.st_mode) && !rename(file, old);
}

/* Sample @profile's event in a second run. Return: whether perf record could be run. */
static bool record(struct run *run, const struct td_profile *profile)
{
	struct td_arguments arguments;
	char event[96];
	bool ok;

	if (!move_away(profile->file)) {
		warnx("--record=%s: is no regular file, or cannot be renamed", profile->file);
		return false;
	}
	td_name_event(&run->events, profile->event, event, sizeof(event));
	if (!td_record_arguments(&arguments, &run->options, profile, event))
		return false;
	fprintf(run->out, "\nRunning again, with a sample each %llu %s\n", profile->period,
		td_events[profile->event]);
	fflush(run->out);
	ok = run_record(run, arguments.argv);
	td_free_arguments(&arguments);
	return ok;
}

/* Let perf report list the functions. Return: whether there are any. */
static bool read_functions(struct run *run, struct td_profile *profile)
{
	struct td_arguments arguments;
	FILE *report = NULL;
	pid_t pid;

	if (access(profile->file, R_OK))
		return false;
	if (td_report_arguments(&arguments, profile))
		report = td_command_read(arguments.argv, &run->signals_before, &pid);
	if (report) {
		td_read_functions(profile, report);
		fclose(report);
		waitpid(pid, NULL, 0);
	}
	td_free_arguments(&arguments);
	return profile->n_functions;
}

/* Show the functions behind the largest part. Return: whether they could be shown. */
static bool show_functions(struct run *run, const struct td_report *report,
			   const double share[TD_PARTS])
{
	struct td_profile profile = { .part = td_bottleneck(share), .file = run->options.record };

	if (run->status > 128) {
		warnx("not run again: a signal ended the command");
		return false;
	}
	if (profile.part < TD_PARTS) {
		profile.event = td_event_of_part(profile.part, &report->sample);
		profile.period = td_choose_period(&report->sample, profile.event, report->seconds);
	}
	if (!profile.period) {
		warnx("not run again: no event to sample was counted");
		return false;
	}
	if (!record(run, &profile))
		return false;
	if (!read_functions(run, &profile)) {
		warnx("perf record took no samples (its exit status is %d)\n"
		      "To do: see what perf printed above; run the command for a longer time.",
		      run->status);
		return false;
	}
	if (run->terminal)
		td_terminal_get_style(run->out, &run->style);
	td_show_functions(run->out, &profile, run->terminal ? &run->style : NULL);
	return true;
}

/* Print the results. Return: the exit status without a command, or if that succeeded. */
static int finish(struct run *run)
{
	double share[TD_PARTS];
	struct td_report report;
	bool valid = print_summary(run, &report, share);

	td_close_events(&run->events);
	if (valid && run->options.record)
		valid = show_functions(run, &report, share);
	return valid ? 0 : FAILED;
}

int main(int argc, char **argv)
{
	struct run run = { .status = -1 };
	int status, result;

	td_parse_options(&run.options, argc, argv);
	if (run.options.record && !td_command_exists("perf"))
		errx(FAILED, "--record needs perf, which is not in PATH\n"
			     "To do: install it (Debian: apt install linux-perf).");
	if (!td_find_events(&run.events, TD_DEVICES, run.options.level))
		errx(NOT_AVAILABLE, "no top-down analysis here: %s", run.events.error);
	run.out = open_output(&run.options);
	run.signal_fd = open_signals(&run.options, &run.signals_before);
	if (run.options.command &&
	    !td_command_create(&run.command, run.options.command, &run.signals_before))
		err(FAILED, "cannot create a process for the command");
	/* After the fork, so that the command does not inherit the limit. */
	raise_file_limit(&run);
	if (!open_events(&run))
		errx(FAILED, "%s", run.events.error);
	set_name(&run);
	start_output(&run);
	start(&run);
	measure(&run);
	if (run.full_screen)
		td_terminal_leave(run.out);
	/* perf's exit status replaces that of the command. */
	status = run.status;
	result = finish(&run);
	if (ferror(run.out) || fclose(run.out))
		errx(FAILED, "cannot write the results");
	return status > 0 ? status : result;
}
