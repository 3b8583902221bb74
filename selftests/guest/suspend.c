// SPDX-License-Identifier: GPL-2.0-only
/*
 * suspend - the machine goes to sleep and wakes with events open.
 *
 * The kernel's own rehearsal of hibernation does all but switch the power off:
 * harts go, and the last one is told that its state may be lost.
 */
#include <fcntl.h>

#include "ring.h"

static bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (!ok)
		printf("# %s > %s: %s\n", text, path, strerror(errno));
	close(fd);
	return ok;
}

/* Calls of config_matching that CPU 0 has made. */
static long configured(void)
{
	FILE *f = fopen("/sys/kernel/debug/sbi_pmu/sbi_calls", "r");
	char line[512];
	long n = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "0 %*d %*d %ld", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static bool counts_on(int fd)
{
	struct reading before = perf_get(fd), after;

	work(5000000);
	after = perf_get(fd);
	printf("# %lu, then %lu; %lu of %lu ns\n", before.value, after.value, after.running,
	       after.enabled);
	return after.value > before.value && after.running == after.enabled;
}

static bool samples_on(struct ring *ring)
{
	ring_drain(ring);
	busy(100, spin_load);
	return ring_drain(ring).samples;
}

int main(void)
{
	struct perf_event_attr attr = { .config = CYCLES, .sample_period = 5000000 };
	struct ring ring;
	int wide, task;
	long before, after;
	bool slept;

	begin();
	pin(0);
	wide = open_event(CYCLES, -1, 0, -1);
	task = open_event(CYCLES, 0, -1, -1);
	check(wide >= 0 && task >= 0, "events open for CPU 0 and this task (%d, %d)", wide, task);
	check(counts_on(wide) && counts_on(task), "and count");
	attr.type = pmu.type;
	ring = ring_open(&attr, 0, -1, -1);
	check(ring.fd >= 0 && samples_on(&ring), "one samples (%d)", ring.fd);
	before = configured();
	slept = write_to("/sys/power/pm_test", "core") && write_to("/sys/power/state", "disk");
	write_to("/sys/power/pm_test", "none");
	after = configured();
	check(slept, "the machine sleeps and wakes");
	check(before > 0 && after > before, "counters are configured anew (%ld, %ld)", before,
	      after);
	check(counts_on(wide), "the CPU's event counts on");
	check(counts_on(task), "and so does the task's");
	check(samples_on(&ring), "and there are samples");
	return end();
}
