// SPDX-License-Identifier: GPL-2.0-only
/* sbi-topdown - top-down analysis without multiplexing. See sbi-topdown.1. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "topdown.h"

/* Exit status, if not the command's own */
enum { WRONG_USE = 2, NOT_AVAILABLE = 124, FAILED = 125, NOT_RUNNABLE = 126, NOT_FOUND = 127 };

#define MAX_PIDS	256
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* ---- the command line ---- */

static struct {
	bool all_cpus, csv;
	char *pid_list;
	pid_t pid[MAX_PIDS];
	unsigned int n_pids, interval, level;
	const char *output, *record, *pmu;
	char **command;
} options = { .level = 2 };

static const char usage[] =
	"usage: sbi-topdown [OPTION...] [--] COMMAND [ARGUMENT...]\n"
	"       sbi-topdown [OPTION...] -a | -p PID[,PID...] [[--] COMMAND [ARGUMENT...]]\n"
	"  -a, --all            measure all CPUs, until Ctrl-C or the end of COMMAND\n"
	"  -p, --pid PID,...    measure processes with all their threads\n"
	"  -l, --level 1|2|3    level of detail (default: 2)\n"
	"  -I, --interval MS    print each interval of MS milliseconds, too\n"
	"      --pmu NAME       use the PMU of another kind of cores, as cpu_a100\n"
	"      --record[=FILE]  run COMMAND again, and show the functions that the largest\n"
	"                       part comes from; perf's data go to FILE (default: perf.data)\n"
	"      --csv            print CSV, for programs\n"
	"  -o, --output FILE    write to FILE (default: stdout; with COMMAND: stderr)\n"
	"  -h, --help           print this help\n"
	"      --version        print the version\n";

__attribute__((noreturn)) static void fail_usage(const char *error)
{
	errx(WRONG_USE, "%s: see sbi-topdown --help", error);
}

/* Parse a number up to the end or a comma. */
static unsigned long parse_number(char **text, unsigned long min, unsigned long max,
				  const char *error)
{
	const unsigned long n = **text == '-' ? 0 : strtoul(*text, text, 10);

	if (n < min || n > max || (**text && **text != ','))
		fail_usage(error);
	return n;
}

static void parse_pids(char *list)
{
	options.pid_list = list;
	do {
		if (options.n_pids == MAX_PIDS)
			fail_usage("-p: too many processes");
		options.pid[options.n_pids++] =
			parse_number(&list, 1, 1 << 30, "-p: not a process id");
	} while (*list++);
}

#define LONG_OPTIONS	\
	{ "all", no_argument, NULL, 'a' }, { "pid", required_argument, NULL, 'p' }, \
	{ "level", required_argument, NULL, 'l' }, { "csv", no_argument, NULL, 'C' }, \
	{ "interval", required_argument, NULL, 'I' }, { "record", optional_argument, NULL, 'R' }, \
	{ "output", required_argument, NULL, 'o' }, { "pmu", required_argument, NULL, 'P' }, \
	{ "help", no_argument, NULL, 'h' }, { "version", no_argument, NULL, 'V' }, {}

static void parse_options(int argc, char **argv)
{
	static const struct option long_options[] = { LONG_OPTIONS };
	int option;

	/* The "+" stops at COMMAND: options after it belong to the command. */
	while ((option = getopt_long(argc, argv, "+:ap:l:I:o:h", long_options, NULL)) != -1) {
		if (option == ':')
			fail_usage("an option lacks its value");
		if (option == '?' && optopt)
			errx(WRONG_USE, "wrong option '-%c': see sbi-topdown --help", optopt);
		if (option == '?')
			errx(WRONG_USE, "wrong option '%s': see sbi-topdown --help",
			     argv[optind - 1]);
		if (option == 'h' || option == 'V') {
			fputs(option == 'h' ? usage : "sbi-topdown " VERSION "\n", stdout);
			exit(0);
		}
		if (option == 'p')
			parse_pids(optarg);
		else if (option == 'l')
			options.level = parse_number(&optarg, 1, 3, "-l: the level is 1, 2 or 3");
		else if (option == 'I')
			options.interval = parse_number(&optarg, 10, 1000000000,
							"-I: the interval is 10 ms or more");
		else if (option == 'R')
			options.record = optarg ?: "perf.data";
		else if (option == 'P')
			options.pmu = optarg;
		else if (option == 'o')
			options.output = optarg;
		options.all_cpus |= option == 'a';
		options.csv |= option == 'C';
	}
	if (optind < argc)
		options.command = argv + optind;
	if (options.all_cpus && options.n_pids)
		fail_usage("use -a or -p, not both");
	if (!options.all_cpus && !options.n_pids && !options.command)
		fail_usage("nothing to measure: use -a, -p or a command");
	if (options.record && (!*options.record || !strcmp(options.record, "-")))
		fail_usage("--record=FILE: this is not the name of a file");
	if (options.record && !options.command)
		fail_usage("--record needs a command: it runs twice (for a time: -- sleep 10)");
	if (options.record && (options.level == 1 || options.csv))
		fail_usage("--record needs level 2 or 3, and prints text only");
}

/* ---- processes ---- */

static sigset_t signals_before; /* of the commands */
static struct rlimit files_before;

/* A process that waits before its exec; a byte written to @start starts it. */
struct process {
	pid_t pid;
	int start, error;
};

static struct process create_process(char **argv, int out)
{
	int start[2], error[2];
	struct process p;
	char byte;

	p.pid = pipe2(start, O_CLOEXEC) || pipe2(error, O_CLOEXEC) ? -1 : fork();
	if (p.pid < 0)
		err(FAILED, "cannot create a process for %s", argv[0]);
	if (!p.pid) {
		close(start[1]);
		/* At the end of the file sbi-topdown has ended: do not run the program. */
		if (read(start[0], &byte, 1) != 1)
			_exit(FAILED);
		if (out >= 0)
			dup2(out, STDOUT_FILENO);
		setrlimit(RLIMIT_NOFILE, &files_before);
		sigprocmask(SIG_SETMASK, &signals_before, NULL);
		execvp(argv[0], argv);
		_exit(write(error[1], &errno, sizeof(errno)) < 0 ? FAILED : NOT_FOUND);
	}
	close(start[0]);
	close(error[1]);
	p.start = start[1];
	p.error = error[0];
	return p;
}

/* Return: 0, or the errno of an exec that failed. */
static int start_process(struct process *p)
{
	int error = 0;

	if (write(p->start, "", 1) != 1 || read(p->error, &error, sizeof(error)) < 0)
		error = errno;
	close(p->start);
	close(p->error);
	return error;
}

/* Return: the exit status as a shell reports it. */
static int wait_for_process(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- measurement ---- */

static struct td_set set;
static FILE *out;
static char what[64];
static uint64_t start_ns;
static int signal_fd;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* What is counted since the start. */
static bool read_report(struct td_report *report)
{
	*report = (struct td_report){
		.what = what,
		.table = set.table,
		.seconds = (now_ns() - start_ns) / 1e9,
		.user_only = set.user_only,
	};
	return td_read_events(&set, &report->sample);
}

/* Locale files may be missing, so look at the names only. */
static struct td_style style_of_terminal(void)
{
	static const char * const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *term = getenv("TERM"), *locale = "";
	struct winsize size = {};

	if (!isatty(fileno(out)) || !term || !*term || !strcmp(term, "dumb"))
		return (struct td_style){};
	for (unsigned int i = 0; i < 3 && !*locale; i++)
		locale = getenv(names[i]) ?: "";
	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col)
		size.ws_col = 80;
	return (struct td_style){
		.width = size.ws_col,
		.utf8 = strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"),
	};
}

/* Return: whether there are shares. */
static bool print_report(const struct td_report *report)
{
	const struct td_style style = style_of_terminal();
	const bool ok = options.csv ? td_show_csv(out, report) :
				      td_show_summary(out, report, &style);

	fflush(out);
	return ok;
}

static uint64_t subtract(uint64_t *a, uint64_t b)
{
	const uint64_t before = *a;

	*a = before > b ? before - b : 0;
	return before;
}

/* Print the last interval. Return: whether the counters could be read. */
static bool end_interval(void)
{
	static struct td_sample total;
	struct td_report report;
	struct td_sample *s = &report.sample;

	if (!read_report(&report))
		return false;
	total.enabled = subtract(&s->enabled, total.enabled);
	total.running = subtract(&s->running, total.running);
	for (unsigned int i = 0; i < TD_EVENTS; i++)
		total.count[i] = subtract(&s->count[i], total.count[i]);
	print_report(&report);
	return true;
}

/*
 * A signal ends this program (Return: true), or goes to the command if the terminal has not sent it
 * there.
 */
static bool handle_signal(pid_t command)
{
	struct signalfd_siginfo info;

	if (read(signal_fd, &info, sizeof(info)) != sizeof(info))
		return false;
	if (command && info.ssi_code <= 0)
		kill(command, info.ssi_signo);
	return !command;
}

/* Wait for the end of the command, or without one for the end of all processes or a signal. */
static void measure(pid_t command)
{
	struct pollfd fd[1 + MAX_PIDS] = { { .fd = signal_fd, .events = POLLIN } };
	const uint64_t interval = options.interval * 1000000ULL;
	const unsigned int n = command ? 1 : options.n_pids;
	uint64_t end = start_ns + interval;
	unsigned int alive = 0;
	int ms = -1;

	for (unsigned int i = 0; i < n; i++) {
		fd[1 + i].fd = syscall(SYS_pidfd_open, command ?: options.pid[i], 0);
		fd[1 + i].events = POLLIN;
		alive += fd[1 + i].fd >= 0 || errno != ESRCH;
	}
	while (alive || !n) {
		if (interval)
			ms = end > now_ns() ? (end - now_ns() + 999999) / 1000000 : 0;
		if (poll(fd, 1 + n, ms) < 0 && errno != EINTR)
			err(FAILED, "poll");
		if (fd[0].revents && handle_signal(command))
			return;
		for (unsigned int i = 1; i <= n; i++)
			if (fd[i].revents) {
				close(fd[i].fd);
				fd[i].fd = -1;
				alive--;
			}
		if (interval && now_ns() >= end && (alive || !n)) {
			/* Skip intervals that have passed meanwhile. */
			end += interval * ((now_ns() - end) / interval + 1);
			if (!end_interval() && !command)
				return;
		}
	}
}

/*
 * Read signals from a file. Without a command, SIGINT and SIGQUIT end the measurement even if a
 * script started this program with "&", so that they are ignored; a command keeps ignoring them.
 */
static void open_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	sigset_t mask;

	signal(SIGCHLD, SIG_DFL);
	if (!options.command) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
	}
	sigemptyset(&mask);
	for (unsigned int i = 0; i < ARRAY_SIZE(signals); i++)
		sigaddset(&mask, signals[i]);
	sigprocmask(SIG_BLOCK, &mask, &signals_before);
	signal_fd = signalfd(-1, &mask, SFD_CLOEXEC);
	if (signal_fd < 0)
		err(FAILED, "cannot receive signals");
}

static bool open_events(pid_t command)
{
	if (options.all_cpus)
		return td_open_cpus(&set);
	for (unsigned int i = 0; i < options.n_pids; i++)
		if (!td_open_process(&set, options.pid[i]))
			return false;
	return options.n_pids || td_open_command(&set, command);
}

static void set_name(void)
{
	if (options.all_cpus)
		snprintf(what, sizeof(what), "all %u CPUs", set.n_groups);
	else if (options.n_pids)
		snprintf(what, sizeof(what), "process %.50s", options.pid_list);
	else
		snprintf(what, sizeof(what), "%s", options.command[0]);
}

/* ---- a second run, and the end ---- */

/* Record with callers (-g), for a flame graph. Return: the exit status. */
static int record(const struct td_profile *profile)
{
	char event[96], period[24];
	char *whom = options.n_pids ? "-p" : options.all_cpus ? "-a" : "-q";
	char *pids = options.n_pids ? options.pid_list : "-q";
	char *file = (char *)options.record;
	char *perf[] = {
		"perf", "record", "-qgo", file, "-c", period, "-e", event, whom, pids, "--"
	};
	unsigned int words = 1;
	struct process p;
	char **argv;

	while (options.command[words - 1])
		words++;
	argv = calloc(ARRAY_SIZE(perf) + words, sizeof(*argv));
	if (!argv)
		err(FAILED, "perf");
	td_name_event(&set, profile->event, event);
	snprintf(period, sizeof(period), "%llu", profile->period);
	memcpy(argv, perf, sizeof(perf));
	memcpy(argv + ARRAY_SIZE(perf), options.command, words * sizeof(*argv));
	options.interval = 0;
	p = create_process(argv, -1);
	start_process(&p);
	measure(p.pid);
	return wait_for_process(p.pid);
}

/*
 * Let perf report list the functions: "52.56%<tab>246<tab>[.] blocked<tab>hotspot"; "[.]" is user
 * mode, "[k]" the kernel, which the last field says, too. Symbols may have control characters.
 * Return: whether there are any.
 */
static bool report_functions(const struct td_profile *profile)
{
	static char script[] =
		"perf report --stdio -q -g none --no-children -F overhead,sample,symbol,dso -t '\t' "
		"-i \"$0\" | awk -F '\t' -v what=\"$1\" -v period=\"$2\" '"
		"$2 + 0 && NF > 3 {"
		"	sub(/^ *\\[.\\] /, \"\", $3); gsub(/[[:cntrl:]]/, \"?\", $3);"
		"	split($4, object, \" \"); samples += $2;"
		"	line = sprintf(\"%6.1f %% %8d  %-32s  %s\\n\", $1, $2, $3, object[1]);"
		"	if (++n <= 12) lines = lines line"
		"}"
		"END {"
		"	if (n) printf \"\\n%s, %d samples of %s\\n\\n%s\", what, samples, period, lines;"
		"	if (n > 12) printf \"  and %d more\\n\", n - 12;"
		"	exit !n"
		"}'";
	char what[96], period[24];
	char *argv[] = { "sh", "-c", script, (char *)options.record, what, period, NULL };
	struct process p;

	if (access(options.record, R_OK))
		return false;
	snprintf(what, sizeof(what), "%s: functions by %s", profile->label,
		 set.model->events[profile->event].name);
	snprintf(period, sizeof(period), "%llu", profile->period);
	p = create_process(argv, fileno(out));
	start_process(&p);
	return !wait_for_process(p.pid);
}

/* Show the functions behind the largest part. Return: whether they could be shown. */
static bool show_functions(const struct td_report *report)
{
	struct td_profile profile;
	struct stat info;
	char old[4096];
	int status;

	if (!td_find_bottleneck(report, &profile)) {
		warnx("not run again: no event to sample was counted");
		return false;
	}
	/* perf renames a file, but not if it fails: old samples would then look like new ones. */
	snprintf(old, sizeof(old), "%s.old", options.record);
	if (!stat(options.record, &info) &&
	    (!S_ISREG(info.st_mode) || rename(options.record, old))) {
		warnx("--record=%s: is no regular file, or cannot be renamed", options.record);
		return false;
	}
	fprintf(out, "\nRunning again, with a sample each %llu %s\n", profile.period,
		set.model->events[profile.event].name);
	fflush(out);
	status = record(&profile);
	if (!report_functions(&profile)) {
		warnx("perf record took no samples (its exit status is %d)\n"
		      "To do: see what perf printed above; run the command for a longer time.",
		      status);
		return false;
	}
	fprintf(out, "\nWith callers: perf report -i %s\n", options.record);
	return true;
}

/* Print the results. Return: the exit status without a command, or if that succeeded. */
static int finish(int status)
{
	struct td_report report;
	bool ok;

	if (!read_report(&report)) {
		warnx("%s", set.error);
		return FAILED;
	}
	report.summary = true;
	ok = print_report(&report);
	td_close_events(&set);
	if (ok && options.record && status > 128)
		warnx("not run again: a signal ended the command");
	if (ok && options.record)
		ok = status <= 128 && show_functions(&report);
	return ok ? 0 : FAILED;
}

/* Each event of each task or CPU needs an open file. */
static void raise_file_limit(void)
{
	struct rlimit files;

	getrlimit(RLIMIT_NOFILE, &files_before);
	files = files_before;
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
}

int main(int argc, char **argv)
{
	struct process command = {};
	int status = 0, result;

	parse_options(argc, argv);
	if (options.record && system("command -v perf >/dev/null"))
		errx(FAILED, "--record needs perf, which is not in PATH\n"
			     "To do: install it (Debian: apt install linux-perf).");
	set.pmu = options.pmu;
	if (!td_find_events(&set, options.level))
		errx(NOT_AVAILABLE, "no top-down analysis here: %s", set.error);
	out = options.output ? fopen(options.output, "we") : options.command ? stderr : stdout;
	if (!out)
		err(FAILED, "cannot write to %s", options.output);
	open_signals();
	raise_file_limit();
	if (options.command)
		command = create_process(options.command, -1);
	if (!open_events(command.pid))
		errx(FAILED, "%s", set.error);
	set_name();
	if (options.csv)
		td_show_csv_head(out, set.model);
	fflush(out);
	start_ns = now_ns();
	if (options.all_cpus || options.n_pids)
		td_enable_events(&set);
	errno = command.pid ? start_process(&command) : 0;
	if (errno)
		err(errno == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "cannot run %s",
		    options.command[0]);
	measure(command.pid);
	if (command.pid)
		status = wait_for_process(command.pid);
	result = finish(status);
	if (ferror(out) || fclose(out))
		errx(FAILED, "cannot write the results");
	return status ?: result;
}
