// SPDX-License-Identifier: GPL-2.0-only
/*
 * bursts - tasks that run for less than a period at a time are sampled as often as others, and
 * the timer that samples them does not expire while they sleep.
 *
 * As in the test sample, samples are compared with the count of the same event in the same run.
 * In the lab instructions are QEMU's clock: a host that does not run QEMU for longer than a burst
 * would change the result.
 */
#include "ring.h"
#include "tracepoint.h"

/* A period is about PERIOD_US of work. */
enum { CPU = 0, RUN_MS = 1000, PERIOD_US = 500, TASKS = 10 };

/* A task runs for @on us, then sleeps for @off us. */
static const struct pattern {
	unsigned int on, off;
} patterns[] = { { 500, 1500 }, { 100, 2000 }, { 900, 1100 } };

/* What was seen of tasks. @wakeups: expiries of the driver's timer, of all tasks */
struct result {
	uint64_t samples, weight, count, lost;
	uint64_t wakeups;
};

static uint64_t period;

/* ---- tasks ---- */

static void run_bursts(const struct pattern *p, int start)
{
	const struct timespec off = { .tv_nsec = p->off * 1000 };
	uint64_t end, now;
	char byte;

	pin(CPU);
	if (read(start, &byte, 1) < 0)
		_exit(1);
	end = now_ns() + RUN_MS * 1000000ULL;
	while ((now = now_ns()) < end) {
		while (now_ns() < now + p->on * 1000)
			work(100);
		nanosleep(&off, NULL);
	}
	_exit(0);
}

struct task {
	pid_t pid;
	struct ring ring;
};

/* Cycles of user mode, if counters can filter */
static struct task start_task(const struct pattern *p, int start)
{
	struct perf_event_attr attr = {
		.type = pmu.type, .config = CYCLES, .sample_period = period,
		.exclude_kernel = isa_has("sscofpmf"), .read_format = READ_TIMES,
	};
	struct task task = { .pid = fork() };

	if (!task.pid)
		run_bursts(p, start);
	task.ring = ring_open(&attr, task.pid, -1, -1);
	return task;
}

static pid_t own_pid;
static uint64_t others;		/* samples that are not of the task */

static void look(const struct record *r)
{
	others += r->pid != (uint32_t)own_pid;
}

static void end_task(struct task *task, struct result *result)
{
	struct ring_totals s;

	waitpid(task->pid, NULL, 0);
	if (task->ring.fd < 0)
		return;
	own_pid = task->pid;
	result->count += perf_get(task->ring.fd).value;
	s = ring_look(&task->ring, look);
	result->lost += s.lost;
	result->samples += s.samples;
	result->weight += s.weight;
	ring_close(&task->ring);
}

/* Run @n tasks at once, with one pattern after the other from @p on. */
static struct result run_tasks(const struct pattern *p, unsigned int n)
{
	struct result result = {};
	struct task task[TASKS];
	int start[2], wakeups = open_expiries("sample_timer", CPU);

	if (pipe(start))
		return result;
	for (unsigned int i = 0; i < n; i++)
		task[i] = start_task(&patterns[(p - patterns + i) % ARRAY_SIZE(patterns)],
				     start[0]);
	result.wakeups = perf_get(wakeups).value;
	for (unsigned int i = 0; i < n; i++)
		if (write(start[1], "", 1) != 1)
			perror("# start");
	for (unsigned int i = 0; i < n; i++)
		end_task(&task[i], &result);
	result.wakeups = perf_get(wakeups).value - result.wakeups;
	close(wakeups);
	close(start[0]);
	close(start[1]);
	return result;
}

/*
 * An expiry without a sample: at the begin, when the rate is not known; when the rate changes;
 * when the task is in the kernel, for a tenth of the time.
 */
static bool has_few_wakeups(const struct result *r)
{
	return r->wakeups <= r->samples + r->samples / 5 + 5 * TASKS;
}

static void test_bursts(const char *name, const struct pattern *p, unsigned int n)
{
	const struct result r = run_tasks(p, n);

	note("%s: %lu samples, %lu periods; weights %lu, count %lu; %lu expiries", name, r.samples,
	     r.count / period, r.weight, r.count, r.wakeups);
	check(r.samples && r.samples * 10 >= r.count / period * 7,
	      "%s_have_a_sample_for_most_periods", name);
	check(within(r.weight, r.count, 5), "%s_sample_weights_add_up_to_count", name);
	check(r.wakeups && has_few_wakeups(&r), "%s_timer_expires_for_samples_only", name);
	check(!r.lost && !others, "%s_samples_are_of_the_task", name);
}

int main(void)
{
	begin();
	if (has_overflow_irq()) {
		skip("bursts_have_a_sample_for_most_periods", "samples are not taken by timer");
		return end();
	}
	limits_raise();
	period = per_second(event(CYCLES), spin_load) / (1000000 / PERIOD_US) ?: 1;
	note("period %lu", period);
	test_bursts("bursts_of_500_us", &patterns[0], 1);
	test_bursts("bursts_of_100_us", &patterns[1], 1);
	test_bursts("bursts_of_900_us", &patterns[2], 1);
	test_bursts("bursts_of_ten_tasks", &patterns[0], TASKS);
	limits_restore();
	return end();
}
