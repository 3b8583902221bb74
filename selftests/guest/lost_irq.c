// SPDX-License-Identifier: GPL-2.0-only
/*
 * lost_irq - sampling continues after a lost overflow interrupt. The test module drop_irq.ko
 * clears a pending interrupt on the CPU that is sampled. It is in the directory of this program.
 */
#include <fcntl.h>
#include <libgen.h>

#include "ring.h"

/* After a lost interrupt the module looks every 10 ms, in a tick (4 ms), without OF one later. */
enum { CPU = 0, ROUNDS = 9, PERIOD_MS = 10, CHECK_MS = 10 + 4 };

static char drop_irq[256];

/* Return: how many lost interrupts the driver has found on this CPU, by debugfs; -1: unknown. */
static long lost_irqs(void)
{
	return find_number(DEBUGFS "overflow", "0 ", "0 %ld");
}

/* Load and unload drop_irq. Return: 0 if it dropped an interrupt, or an errno. */
static int drop_interrupt(void)
{
	int fd = open(drop_irq, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 || syscall(SYS_finit_module, fd, "", 0) ? errno : 0;

	close(fd);
	if (!error && syscall(SYS_delete_module, "drop_irq", O_NONBLOCK))
		perror("# rmmod");
	return error;
}

/* Wait two seconds at most. Return: the time until the next sample in ms, -1 on timeout. */
static long wait_for_sample(struct ring *ring)
{
	const uint64_t start = now_ns();

	while (now_ns() < start + 2000000000ULL) {
		run_load(1, spin_load);
		if (ring_drain(ring).samples)
			return (now_ns() - start) / 1000000;
	}
	return -1;
}

/* A busy host may delay a sample, but not in most rounds. Return: the time that the first took. */
static long test_lost_irq(struct ring *ring)
{
	unsigned int in_time = 0, found = 0, dropped = 0, resumed = 0;
	long first = 0;

	for (int i = 0; i < ROUNDS; i++) {
		const long before = lost_irqs();
		const int error = drop_interrupt();
		long ms;

		ring_drain(ring);
		ms = wait_for_sample(ring);
		note("round %d: %s, next sample after %ld ms", i,
		     error ? strerror(error) : "interrupt dropped", ms);
		first = i ? first : ms;
		dropped += !error;
		resumed += ms >= 0;
		in_time += ms >= 0 && ms <= CHECK_MS + PERIOD_MS;
		found += before >= 0 && lost_irqs() > before;
	}
	note("%d rounds: %u in time, %u found by the driver", ROUNDS, in_time, found);
	/* QEMU 7.2 loses some by itself, which the driver must find as well. */
	check(dropped > ROUNDS / 2, "interrupt_is_dropped_in_most_rounds");
	check(resumed == ROUNDS, "sampling_resumes_after_each_lost_irq");
	check(in_time > ROUNDS / 2, "most_lost_irqs_cost_one_check_interval_and_period_at_most");
	check(found == ROUNDS, "driver_finds_each_lost_irq");
	return first;
}

/* The periods differ, so that sometimes one ends while the other event's counter is started. */
static bool two_events_keep_rates(struct ring *ring, uint64_t period)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	const long lost = lost_irqs();
	const uint64_t before = perf_get(ring->fd).value;
	uint64_t n, due, other_due;
	struct sampled other;

	attr.sample_period = period + period / 97;
	ring_drain(ring);
	other = sample_load(attr, -1, CPU, 4000, spin_load, NULL);
	n = ring_drain(ring).samples;
	due = (perf_get(ring->fd).value - before) / period;
	other_due = other.count.value / attr.sample_period;
	note("%lu of %lu and %lu of %lu samples; %ld interrupts lost", n, due, other.totals.samples,
	     other_due, lost_irqs() - lost);
	return within(n, due, 10) && within(other.totals.samples, other_due, 10);
}

/* T-Head's cores are known to lose overflows: the driver need not find one first (112 ms). */
static void test_thead(struct ring *ring, uint64_t period, long first)
{
	char source[16];
	bool ok;

	if (!pmu_text("caps/overflow", source, sizeof(source)) || strcmp(source, "thead"))
		return;
	check(first <= 3 * CHECK_MS, "first_lost_irq_is_found_as_early");
	do
		ok = two_events_keep_rates(ring, period);
	while (try_again("two events", ok));
	check(ok, "two_events_keep_their_rates");
}

int main(int argc, char **argv)
{
	struct ring ring;
	uint64_t period;
	long first;

	(void)argc;
	begin();
	if (!has_overflow_irq()) {
		skip("sampling_resumes_after_each_lost_irq", "samples are taken by timer");
		return end();
	}
	snprintf(drop_irq, sizeof(drop_irq), "%s/drop_irq.ko", dirname(argv[0]));
	pin(CPU);
	limits_raise();
	period = per_second(event(CYCLES), spin_load) * PERIOD_MS / 1000;
	ring = ring_sample(CYCLES, period, -1, CPU);
	note("fd %d, period %lu", ring.fd, period);
	if (!check(period && ring.fd >= 0, "sampling_event_of_cpu_opens"))
		return end();
	first = test_lost_irq(&ring);
	check(wait_for_sample(&ring) >= 0, "samples_arrive");
	test_thead(&ring, period, first);
	ring_close(&ring);
	limits_restore();
	return end();
}
