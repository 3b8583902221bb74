// SPDX-License-Identifier: GPL-2.0-only
/* What perf core does not export: its list of PMUs, and some of its functions. */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/slab.h>

#include "perf_symbols.h"

#define NAME_EXCLUSIVE	"cpu"
#define NAME_SHARED	"sbi_pmu"

static int is_cpu_pmu(struct device *dev, const void *unused)
{
	const struct pmu *pmu = dev_get_drvdata(dev);

	return pmu && pmu->type == PERF_TYPE_RAW;
}

/*
 * Is there another CPU PMU, such as riscv_pmu_sbi's? pmu->exclusive and pmu->name are filled in.
 * @owner: the name of that PMU, for kfree(), NULL if there is none. @taken: a PMU has our name.
 *
 * To register a type or name that is taken ends in a kernel warning. Perf core does not export its
 * list of PMUs, but the device of any PMU leads to the bus of all; the software PMU always exists.
 * Context: may sleep. Return: 0 or an errno.
 */
int sbi_pmu_find_pmus(struct sbi_pmu *pmu, char **owner, bool *taken)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.disabled = 1,
	};
	struct perf_event *event;
	struct device *dev;
	int ret = 0;

	event = perf_event_create_kernel_counter(&attr, -1, current, NULL, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);

	dev = bus_find_device(event->pmu->dev->bus, NULL, NULL, is_cpu_pmu);
	pmu->exclusive = !dev;
	pmu->name = dev ? NAME_SHARED : NAME_EXCLUSIVE;
	if (dev) {
		*owner = kstrdup(dev_name(dev), GFP_KERNEL);
		if (!*owner)
			ret = -ENOMEM;
		put_device(dev);
	}
	dev = bus_find_device_by_name(event->pmu->dev->bus, NULL, pmu->name);
	*taken = dev;
	put_device(dev);
	perf_event_release_kernel(event);
	return ret;
}

/*
 * kallsyms_lookup_name() is not exported, but sprint_symbol() is, of the same file: follow the text
 * from there, one way, by the names and sizes that it prints. NULL if it is not near.
 */
static void *find_near_sprint_symbol(const char *name, bool downwards)
{
	unsigned long start, offset, size, addr = (unsigned long)sprint_symbol;
	char text[KSYM_SYMBOL_LEN], *plus;

	for (unsigned int i = 0; i < 200; i++) {
		sprint_symbol(text, addr); /* name+offset/size */
		plus = strrchr(text, '+');
		if (!plus || sscanf(plus, "+0x%lx/0x%lx", &offset, &size) != 2)
			break;
		*plus = 0;
		start = addr - offset;
		if (!strcmp(text, name))
			return (void *)start;
		addr = downwards ? start - 1 : start + size;
	}
	return NULL;
}

/*
 * Where link-time optimization has moved it: a kprobe, never armed, yields the address of any
 * kernel function. It cannot be where ftrace patches calls, before 6.16 the first byte of a
 * function: then the next instruction will do.
 */
static void *find_by_kprobe(const char *name)
{
	static const unsigned int offsets[] = { 0, 4 };

	for (unsigned int i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct kprobe kp = {
			.symbol_name = name,
			.offset = offsets[i],
			.flags = KPROBE_FLAG_DISABLED,
		};
		void *addr;

		if (register_kprobe(&kp))
			continue;
		addr = (void *)kp.addr - offsets[i];
		unregister_kprobe(&kp);
		return addr;
	}
	return NULL;
}

/*
 * Any symbol of the kernel or of a module; NULL if it does not exist. Not all kernels have the
 * names of variables (CONFIG_KALLSYMS_ALL). Context: may sleep.
 */
void *sbi_pmu_lookup(const char *name)
{
	static const char function[] = "kallsyms_lookup_name";
	typeof(&kallsyms_lookup_name) lookup = find_near_sprint_symbol(function, false);

	if (!lookup)
		lookup = find_near_sprint_symbol(function, true);
	if (!lookup)
		lookup = find_by_kprobe(function);
	return lookup ? (void *)lookup(name) : NULL;
}

static int is_second(void *found, unsigned long addr)
{
	return xchg((unsigned long *)found, addr) != 0;
}

/*
 * A variable of the kernel that is to be locked, written or freed; NULL if not exactly one has the
 * name, as that of a static one may be another file's, too. Context: may sleep.
 */
void *sbi_pmu_lookup_variable(const char *name)
{
	typeof(&kallsyms_on_each_match_symbol) on_each =
		sbi_pmu_lookup("kallsyms_on_each_match_symbol");
	unsigned long addr = 0;

	return on_each && !on_each(is_second, name, &addr) ? (void *)addr : NULL;
}

/* Find what perf core does not export; NULL where the kernel has no symbols. */
void sbi_pmu_find_symbols(struct sbi_pmu *pmu)
{
	pmu->perf_event_overflow = sbi_pmu_lookup("perf_event_overflow");
	pmu->perf_sample_event_took = sbi_pmu_lookup("perf_sample_event_took");
	pmu->perf_event_paranoid = sbi_pmu_lookup("sysctl_perf_event_paranoid");
	pmu->perf_pmu_resched = sbi_pmu_lookup("perf_pmu_resched");
	pmu->perf_sched_cb_inc = sbi_pmu_lookup("perf_sched_cb_inc");
	pmu->perf_sched_cb_dec = sbi_pmu_lookup("perf_sched_cb_dec");
}
