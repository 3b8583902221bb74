// SPDX-License-Identifier: GPL-2.0-only
/*
 * sse - samples where interrupts are disabled (overflow=sse): a module that spins so has the share
 * of samples that it has of the time; and what is interrupted does not notice. By interrupt all of
 * them are where it enables interrupts again.
 */
#include <fcntl.h>
#include <libgen.h>

#include "ring.h"
#include "../registers.h"

enum { CPU = 0, SECONDS = 2 };

static char module_path[256];
static uint64_t off_start, on_start, in_off, in_on;

/* Return: the result of finit_module(), or a negative errno. The module ends its work in there. */
static int load_module(const char *parameters)
{
	const int fd = open(module_path, O_RDONLY | O_CLOEXEC);
	const int ret = fd < 0 || syscall(SYS_finit_module, fd, parameters, 0) ? -errno : 0;

	close(fd);
	return ret;
}

static void unload_module(void)
{
	if (syscall(SYS_delete_module, "spin_irq_off", O_NONBLOCK))
		perror("# rmmod");
}

static void load_spin(void)
{
	char parameters[64];

	snprintf(parameters, sizeof(parameters), "total_ms=%d", SECONDS * 1000);
	if (load_module(parameters))
		perror("# spin_irq_off");
}

enum { LENGTH = 64 }; /* of the two functions, at most */

/* A parameter of the module, while it is loaded */
static uint64_t parameter(const char *name)
{
	char path[96];

	snprintf(path, sizeof(path), "/sys/module/spin_irq_off/parameters/%s", name);
	return find_number(path, "", "%lu");
}

static void look(const struct record *r)
{
	const uint64_t off = r->ip - off_start, on = r->ip - on_start;

	/* One may begin within so many bytes of the other. */
	if (off < LENGTH && off < on)
		in_off += r->period;
	else if (on < LENGTH)
		in_on += r->period;
}

static void test_share(bool by_sse)
{
	struct perf_event_attr attr = event(CYCLES);
	struct sampled s = {};
	struct ring ring;
	uint64_t off = 0, on = 0;
	double by_clock, by_samples;

	attr.sample_period = 1000003;
	attr.disabled = 1;
	in_off = in_on = 0;
	ring = ring_open(&attr, -1, CPU, -1);
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	load_spin();
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	s.count = perf_get(ring.fd);
	off_start = parameter("off_function");
	on_start = parameter("on_function");
	off = parameter("off_us");
	on = parameter("on_us");
	s.totals = ring_look(&ring, look);
	ring_close(&ring);
	unload_module();
	check((int64_t)off > 0 && off_start, "module_spins");
	if (!by_sse) {
		check(!in_off, "no_sample_where_interrupts_are_disabled");
		/* Where they are enabled again; with the period that had begun before */
		in_off = s.totals.weight - in_on;
	}
	by_clock = 100.0 * off / (off + on);
	by_samples = in_off ? 100.0 * in_off / (in_off + in_on) : 0;
	note("interrupts disabled: %.1f %% of the time, %.1f %% of the samples%s", by_clock,
	     by_samples, by_sse ? "" : ", all after that");
	note("%lu samples, weights %lu, count %lu, in both %lu", s.totals.samples, s.totals.weight,
	     s.count.value, in_off + in_on);
	check(within(in_off + in_on, s.totals.weight, 3), "samples_are_in_these");
	check(by_samples > by_clock - 3 && by_samples < by_clock + (by_sse ? 3 : 10),
	      "share_of_samples_is_that_of_time");
	check(within(s.totals.weight, s.count.value, 2), "weights_are_the_count");
}

static unsigned long changed;

static void hold_load(void)
{
	changed |= changed_registers(10000, 1);
}

static void test_registers(void)
{
	struct perf_event_attr attr = event(CYCLES);
	struct sampled s;
	struct ring ring;
	int ret;

	/* All kinds of samples in both: exceptions in the handler, too */
	attr.sample_period = 100000;
	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	s = sample_load(attr, -1, CPU, 1000, hold_load, NULL);
	note("program: %lu samples, changed %#lx", s.totals.samples, changed);
	check(s.totals.samples > 100 && !changed, "program_keeps_its_registers");
	ring = ring_open(&attr, -1, CPU, -1);
	ret = load_module("registers=1 total_ms=1000");
	s.totals = ring_drain(&ring);
	ring_close(&ring);
	note("module: %lu samples, %s", s.totals.samples, ret ? strerror(-ret) : "loaded");
	if (!ret)
		unload_module();
	check(s.totals.samples > 100 && !ret, "module_keeps_its_registers");
	check(!find_number(DEBUGFS "overflow", "0 ", "0 %ld"), "no_overflow_is_found_by_timer");
}

int main(int argc, char **argv)
{
	bool by_sse;

	(void)argc;
	begin();
	by_sse = samples_by_sse();
	snprintf(module_path, sizeof(module_path), "%s/spin_irq_off.ko", dirname(argv[0]));
	pin(CPU);
	limits_raise();
	test_share(by_sse);
	if (by_sse)
		test_registers();
	limits_restore();
	return end();
}
