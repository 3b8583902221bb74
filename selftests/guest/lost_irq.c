// SPDX-License-Identifier: GPL-2.0-only
/*
 * lost_irq - an overflow interrupt gets lost, and sampling goes on. A helper module,
 * drop_irq.ko, takes it away on the CPU that is sampled.
 *
 * DROP_IRQ_KO  where that is, default drop_irq.ko beside this program
 */
#include <fcntl.h>
#include <libgen.h>

#include "ring.h"

/* The driver looks for lost overflows every 10 ms. */
enum { CPU = 0, ROUNDS = 9, PERIOD_MS = 10, WATCHDOG_MS = 10 };

static char drop_irq[256];

/* Its first line with this CPU's number: how many overflows were served late. */
static long rescued(void)
{
	FILE *f = fopen("/sys/kernel/debug/sbi_pmu/overflow", "r");
	char line[128];
	long n = -1;

	while (f && fgets(line, sizeof(line), f)) {
		int cpu;
		long count;

		if (sscanf(line, "%d %ld", &cpu, &count) == 2 && cpu == CPU)
			n = count;
	}
	if (f)
		fclose(f);
	return n;
}

/* Return: 0 if an interrupt is lost now, or an errno. */
static int steal(void)
{
	int fd = open(drop_irq, O_RDONLY | O_CLOEXEC);
	int error = fd < 0 || syscall(SYS_finit_module, fd, "", 0) ? errno : 0;

	close(fd);
	if (!error && syscall(SYS_delete_module, "drop_irq", O_NONBLOCK))
		perror("# rmmod");
	return error;
}

/* How long it took until the next sample, in ms; -1 if two seconds were not enough. */
static long next_sample_ms(struct ring *ring)
{
	const uint64_t start = now_ns();

	while (now_ns() < start + 2000000000ULL) {
		busy(1, spin_load);
		if (ring_drain(ring).samples)
			return (now_ns() - start) / 1000000;
	}
	return -1;
}

/*
 * What is lost is found at the next look, and a sample comes with it. A machine
 * whose host is away is later; not most of the time.
 */
static void test_lost(struct ring *ring)
{
	unsigned int in_time = 0, noticed = 0;
	bool stolen = true, on = true;

	for (int i = 0; i < ROUNDS; i++) {
		const long before = rescued();
		const int error = steal();
		long ms;

		ring_drain(ring);
		ms = next_sample_ms(ring);
		printf("# round %d: %s, the next sample %ld ms later\n", i,
		       error ? strerror(error) : "an interrupt is lost", ms);
		stolen &= !error;
		on &= ms >= 0;
		in_time += ms >= 0 && ms <= WATCHDOG_MS + PERIOD_MS;
		noticed += before >= 0 && rescued() > before;
	}
	check(stolen, "in %d rounds an overflow interrupt is lost", ROUNDS);
	check(on, "and each time there are samples again");
	check(in_time > ROUNDS / 2, "most times within a look and a period of %d ms each (%u)",
	      WATCHDOG_MS, in_time);
	check(noticed == ROUNDS, "the driver noticed each (%u)", noticed);
}

static void test_nothing_to_lose(struct ring *ring)
{
	puts("# samples come by timer: there is no interrupt to lose");
	check(next_sample_ms(ring) >= 0, "samples come");
	check(rescued() == 0, "and none was rescued (%ld)", rescued());
}

int main(int argc, char **argv)
{
	const char *given = getenv("DROP_IRQ_KO");
	struct perf_event_attr attr = { .config = STANDARD(CODE_CYCLES) };
	struct ring ring;

	(void)argc;
	if (given)
		snprintf(drop_irq, sizeof(drop_irq), "%s", given);
	else
		snprintf(drop_irq, sizeof(drop_irq), "%s/drop_irq.ko", dirname(argv[0]));
	attr.type = find_pmu() ? pmu.type : -1;
	ktap_plan(-1);
	pin(CPU);
	limits_lift();
	attr.sample_period = per_second(attr, spin_load) * PERIOD_MS / 1000;
	ring = ring_open(&attr, -1, CPU, -1);
	if (!check(attr.sample_period && ring.fd >= 0, "CPU %d is sampled (%d)", CPU, ring.fd))
		return ktap_exit();
	check(next_sample_ms(&ring) >= 0, "there are samples");
	if (pmu_interrupts(pmu.name))
		test_lost(&ring);
	else
		test_nothing_to_lose(&ring);
	ring_close(&ring);
	limits_restore();
	return end();
}
