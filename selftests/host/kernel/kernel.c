// SPDX-License-Identifier: GPL-2.0-only
/* kernel: what the driver calls of the kernel, but for perf core. See kernel.h. */
#include <stdarg.h>

#include "../../fakesbi/fakesbi.h"

struct host host;
struct user_namespace init_user_ns;
struct pid_namespace init_pid_ns;

void host_warn(const char *file, int line, const char *what)
{
	printf("# %s:%d: the driver warns: %s\n", file, line, what);
	fflush(stdout);
	abort();
}

/* ---- text ---- */

/* "0,2-5": the bits of @bits */
static int print_list(char *buf, size_t size, u64 bits)
{
	int at = 0;

	while (bits) {
		const unsigned int first = __builtin_ctzll(bits);
		const u64 above = ~(bits >> first) << first & ~(BIT_ULL(first) - 1);
		const unsigned int end = above ? __builtin_ctzll(above) : 64;

		at += snprintf(buf + at, size - at, "%s%u", at ? "," : "", first);
		if (end - first > 1)
			at += snprintf(buf + at, size - at, "-%u", end - 1);
		bits &= end < 64 ? ~0ULL << end : 0;
	}
	return at;
}

/* As the kernel's, but of what follows %p only "bl" is known. Return: characters written */
int host_vsnprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
	size_t at = 0;

	while (*fmt && at + 1 < size) {
		const size_t plain = strcspn(fmt, "%"), length = strspn(fmt + 1, "-+ #0123456789.*lhz");
		char spec[16];

		if (plain) {
			at += snprintf(buf + at, size - at, "%.*s", (int)plain, fmt);
			fmt += plain;
			continue;
		}
		if (!strncmp(fmt, "%*pbl", 5)) {
			(void)va_arg(ap, int);
			at += print_list(buf + at, size - at, *va_arg(ap, u64 *));
			fmt += 5;
			continue;
		}
		snprintf(spec, sizeof(spec), "%.*s", (int)length + 2, fmt);
		fmt += length + 2;
		/* All integers of 64 bits, here, come as two words or as one. */
		if (strchr(spec, 's'))
			at += snprintf(buf + at, size - at, spec, va_arg(ap, char *));
		else if (strchr(spec, '%') != strrchr(spec, '%'))
			buf[at++] = '%';
		else if (strchr(spec, 'l') || strchr(spec, 'z'))
			at += snprintf(buf + at, size - at, spec, va_arg(ap, u64));
		else
			at += snprintf(buf + at, size - at, spec, va_arg(ap, int));
	}
	buf[at < size ? at : size - 1] = 0;
	return at;
}

int host_snprintf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = host_vsnprintf(buf, size, fmt, ap);
	va_end(ap);
	return n;
}

int host_printk(const char *fmt, ...)
{
	va_list ap;

	if (host.logged > sizeof(host.log) - 1024)
		host.logged = 0;
	va_start(ap, fmt);
	host.logged += host_vsnprintf(host.log + host.logged, 1024, fmt, ap);
	va_end(ap);
	return 0;
}

bool host_logged(const char *text)
{
	return strstr(host.log, text);
}

/* ---- parameters ---- */

static struct host_param *params;

void host_param_add(struct host_param *param)
{
	memcpy(&param->start, param->value, param->size);
	param->next = params;
	params = param;
}

/* "name=value", as insmod takes it; NULL: all as at the start of the program */
void host_set_param(const char *setting)
{
	for (struct host_param *p = params; p; p = p->next) {
		const size_t n = strlen(p->name);

		if (!setting)
			memcpy(p->value, &p->start, p->size);
		if (!setting || strncmp(setting, p->name, n) || setting[n] != '=')
			continue;
		if (!strcmp(p->type, "charp"))
			*(const char **)p->value = setting + n + 1;
		else if (!strcmp(p->type, "bool"))
			*(bool *)p->value = !strcmp(setting + n + 1, "1");
		else
			*(unsigned int *)p->value = strtoul(setting + n + 1, NULL, 0);
		return;
	}
	if (setting)
		host_warn(setting, 0, "no such parameter");
}

/* ---- memory ---- */

static struct {
	int (*online)(unsigned int cpu, struct hlist_node *node);
	int (*offline)(unsigned int cpu, struct hlist_node *node);
	struct hlist_node *node[2]; /* instances, the newest first */
	bool is_set, running;
} hotplug;

/* A task that may sleep may wake up on the other CPU, unless it is of one CPU. */
void host_might_sleep(void)
{
	assert(!host.irqs_off);
	if (host.migrates && !hotplug.running)
		host_run_cpu(!host.cpu);
}

void *host_alloc(size_t size, gfp_t flags)
{
	void *p;

	host_might_sleep();
	host.accounted += flags == GFP_KERNEL_ACCOUNT ? size : 0;
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return NULL;
	p = calloc(1, size);
	assert(p);
	host.allocations++;
	return p;
}

char *kstrdup(const char *s, gfp_t flags)
{
	char *copy = host_alloc(strlen(s) + 1, flags);

	return copy ? strcpy(copy, s) : NULL;
}

void host_free(const void *p)
{
	if (!p)
		return;
	host.allocations--;
	free((void *)p);
}

/* A page that firmware may write to */
unsigned long get_zeroed_page(gfp_t flags)
{
	void *page = NULL;

	(void)flags;
	host_might_sleep();
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return 0;
	if (posix_memalign(&page, 4096, 4096))
		return 0;
	memset(page, 0, 4096);
	host.allocations++;
	return (unsigned long)page;
}

void free_page(unsigned long page)
{
	host_free((void *)page);
}

/* ---- CPUs ---- */

struct notifier_block *host_pm_notifier, *host_reboot_notifier;

void host_run_cpu(unsigned int cpu)
{
	host.cpu = cpu;
	fakesbi_now = &fakesbi_harts[cpu];
}

static void call_on(unsigned int cpu, void (*function)(void *arg), void *arg)
{
	const unsigned int before = host.cpu;
	const unsigned long irqs_off = host.irqs_off, calls = host.pmu_calls;

	host_run_cpu(cpu);
	host.irqs_off = true;
	function(arg);
	host.irqs_off = irqs_off;
	host.most_calls = max(host.most_calls, host.pmu_calls - calls);
	host_run_cpu(before);
}

int smp_call_function_single(int cpu, void (*function)(void *arg), void *arg, int wait)
{
	assert(wait);
	/* A CPU with interrupts disabled that waits for another one can wait forever. */
	assert(!host.irqs_off || cpu == host.cpu);
	if (cpu >= HOST_CPUS || !cpumask_test_cpu(cpu, cpu_online_mask))
		return -ENXIO;
	call_on(cpu, function, arg);
	return 0;
}

void on_each_cpu_cond_mask(bool (*cond)(int cpu, void *arg), void (*function)(void *arg),
			   void *arg, bool wait, const struct cpumask *mask)
{
	assert(wait && !host.irqs_off);
	for (unsigned int cpu = 0; cpu < HOST_CPUS; cpu++)
		if (cpumask_test_cpu(cpu, mask) && cpumask_test_cpu(cpu, cpu_online_mask) &&
		    (!cond || cond(cpu, arg))) {
			host.interrupted++;
			call_on(cpu, function, arg);
		}
}

int cpuhp_setup_state_multi(enum cpuhp_state state, const char *name,
			    int (*online)(unsigned int cpu, struct hlist_node *node),
			    int (*offline)(unsigned int cpu, struct hlist_node *node))
{
	assert(!hotplug.is_set);
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return -ENOSPC;
	hotplug.is_set = true;
	hotplug.online = online;
	hotplug.offline = offline;
	return state;
}

static int call_hotplug(int (*callback)(unsigned int cpu, struct hlist_node *node),
			unsigned int cpu, struct hlist_node *node)
{
	const unsigned int before = host.cpu;
	int ret;

	host_run_cpu(cpu);
	hotplug.running = true;
	ret = callback(cpu, node);
	hotplug.running = false;
	host_run_cpu(before);
	return ret;
}

int cpuhp_state_add_instance(enum cpuhp_state state, struct hlist_node *node)
{
	unsigned int cpu;
	int ret = 0;

	assert(hotplug.is_set && !hotplug.node[1]);
	for_each_online_cpu(cpu) {
		ret = call_hotplug(hotplug.online, cpu, node);
		if (!ret)
			continue;
		while (cpu--)
			call_hotplug(hotplug.offline, cpu, node);
		return ret;
	}
	hotplug.node[1] = hotplug.node[0];
	hotplug.node[0] = node;
	return 0;
}

int cpuhp_state_remove_instance_nocalls(enum cpuhp_state state, struct hlist_node *node)
{
	if (state == CPUHP_AP_PERF_RISCV_STARTING) /* of the other driver */
		return 0;
	assert(hotplug.node[0] == node);
	hotplug.node[0] = hotplug.node[1];
	hotplug.node[1] = NULL;
	return 0;
}

int cpuhp_state_remove_instance(enum cpuhp_state state, struct hlist_node *node)
{
	unsigned int cpu;

	for_each_online_cpu(cpu)
		call_hotplug(hotplug.offline, cpu, node);
	return cpuhp_state_remove_instance_nocalls(state, node);
}

void cpuhp_remove_multi_state(enum cpuhp_state state)
{
	assert(!hotplug.node[0]);
	hotplug.is_set = false;
}

/* Take a CPU down or up. Its hart then starts with the counters as firmware leaves them. */
int host_hotplug(unsigned int cpu, bool online)
{
	int ret = 0;

	assert(!host.cpus_locked);
	if (online)
		cpumask_set_cpu(cpu, cpu_online_mask);
	for (unsigned int i = 0; i < ARRAY_SIZE(hotplug.node) && hotplug.node[i] && !ret; i++)
		ret = call_hotplug(online ? hotplug.online : hotplug.offline, cpu, hotplug.node[i]);
	if (!online || ret)
		cpumask_clear_cpu(cpu, cpu_online_mask);
	return ret;
}

int host_set_notifier(struct notifier_block **which, struct notifier_block *nb)
{
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return -ENOMEM;
	assert(!*which);
	*which = nb;
	return 0;
}

int host_clear_notifier(struct notifier_block **which, struct notifier_block *nb)
{
	assert(!*which || *which == nb);
	*which = NULL;
	return 0;
}

void host_cpu_pm(unsigned long action)
{
	host.irqs_off = true;
	if (host_pm_notifier)
		host_pm_notifier->notifier_call(host_pm_notifier, action, NULL);
	host.irqs_off = false;
}

/* All CPUs are online, and run on. Kexec is a SYS_RESTART, too. */
void host_reboot(unsigned long action)
{
	if (host_reboot_notifier)
		host_reboot_notifier->notifier_call(host_reboot_notifier, action, NULL);
}

long copy_from_user_nofault(void *to, const void *from, size_t size)
{
	(void)from;
	if (!host.insn)
		return -EFAULT;
	memcpy(to, &host.insn, size);
	return 0;
}

/* ---- time and interrupts ---- */

#define TIMERS	(6 * HOST_CPUS)

static struct hrtimer *hrtimers[TIMERS];
static struct timer_list *timers[TIMERS];
static struct irq_work *works[TIMERS];

#define REMEMBER(list, what) do {						\
	unsigned int i = 0;							\
	while (i < TIMERS && (list)[i] && (list)[i] != (what))			\
		i++;								\
	assert(i < TIMERS);							\
	(list)[i] = (what);							\
	memset(what, 0, sizeof(*(what)));					\
} while (0)

u64 sched_clock(void)
{
	host_pass(host.clock_ns);
	return host.now + 123456789; /* another base than ktime_get() */
}

void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer),
		   int clock, enum hrtimer_mode mode)
{
	assert(clock == CLOCK_MONOTONIC);
	(void)mode;
	REMEMBER(hrtimers, timer);
	timer->function = function;
}

void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode)
{
	timer->expires = mode == HRTIMER_MODE_REL_PINNED_HARD ? (s64)host.now + time : time;
	timer->queued = true;
	timer->cpu = host.cpu;
}

void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *timer),
		 unsigned int flags)
{
	REMEMBER(timers, timer);
	timer->function = function;
	timer->flags = flags;
}

int mod_timer(struct timer_list *timer, unsigned long expires)
{
	const bool pending = timer->pending;

	timer->expires = expires;
	timer->pending = true;
	timer->cpu = host.cpu;
	return pending;
}

void init_irq_work(struct irq_work *work, void (*function)(struct irq_work *work))
{
	REMEMBER(works, work);
	work->function = function;
}

bool irq_work_queue(struct irq_work *work)
{
	work->pending = true;
	work->cpu = host.cpu;
	return true;
}

int host_request_percpu_irq(int irq, irq_handler_t handler, void *dev, size_t size)
{
	if (host.irq_taken)
		return -EBUSY;
	assert(!host.handler);
	host.irq = irq;
	host.handler = handler;
	host.handler_dev = dev;
	host.handler_size = size;
	return 0;
}

void free_percpu_irq(int irq, void *dev)
{
	assert(host.handler && irq == host.irq && dev == host.handler_dev);
	for (unsigned int cpu = 0; cpu < HOST_CPUS; cpu++)
		assert(!host.irq_enabled[cpu]);
	host.handler = NULL;
}

void enable_percpu_irq(int irq, unsigned int type)
{
	assert(irq == host.irq && host.handler && type == IRQ_TYPE_NONE);
	host.irq_enabled[host.cpu] = true;
}

void disable_percpu_irq(int irq)
{
	assert(irq == host.irq && host.irq_enabled[host.cpu]);
	host.irq_enabled[host.cpu] = false;
}

/* Does it expire when it is due? A deferrable one waits for a tick. */
static bool can_expire(const struct timer_list *timer)
{
	return timer->pending && !(host.nohz_full && timer->flags & TIMER_DEFERRABLE);
}

static void serve_hrtimer(struct hrtimer *timer)
{
	const u64 start = host.now;

	host.timer_irqs++;
	timer->queued = false;
	if (timer->function(timer) == HRTIMER_RESTART) {
		timer->queued = true;
		timer->cpu = host.cpu;
	}
	host.longest_irq = max(host.longest_irq, host.now - start);
}

static void serve_work(struct irq_work *work)
{
	work->pending = false;
	work->function(work);
}

/* It waits for the interrupt of the CPU that queued the work. */
void irq_work_sync(struct irq_work *work)
{
	const unsigned int cpu = host.cpu;
	const bool off = host.irqs_off;

	assert(!off);
	if (!work->pending)
		return;
	host.cpu = work->cpu;
	host.irqs_off = true;
	serve_work(work);
	host.irqs_off = off;
	host.cpu = cpu;
}

/* Has this CPU raised an interrupt for itself? */
bool host_has_work(void)
{
	for (unsigned int i = 0; i < TIMERS && works[i]; i++)
		if (works[i]->pending && works[i]->cpu == host.cpu)
			return true;
	return false;
}

/* What is due on this CPU: the overflow interrupt, timers, work for an interrupt of its own. */
void host_serve_interrupts(void)
{
	u64 start = host.now;

	if (host.irqs_off)
		return;
	host.irqs_off = true;
	if (fakesbi.lcofi && host.irq_enabled[host.cpu]) {
		host.irqs++;
		fakesbi_branch_interrupt(true, host.regs.user);
		host.handler(host.irq, (char *)host.handler_dev + host.cpu * host.handler_size);
		host.longest_irq = max(host.longest_irq, host.now - start);
	}
	for (unsigned int i = 0; i < TIMERS && hrtimers[i]; i++)
		if (hrtimers[i]->queued && hrtimers[i]->cpu == host.cpu &&
		    hrtimers[i]->expires <= (s64)host.now) {
			fakesbi_branch_interrupt(false, host.regs.user);
			serve_hrtimer(hrtimers[i]);
		}
	for (unsigned int i = 0; i < TIMERS && works[i]; i++)
		if (works[i]->pending && works[i]->cpu == host.cpu)
			serve_work(works[i]);
	host.irqs_off = false;
	for (unsigned int i = 0; i < TIMERS && timers[i]; i++) {
		if (!can_expire(timers[i]) || timers[i]->cpu != host.cpu ||
		    (long)(timers[i]->expires - jiffies) > 0)
			continue;
		timers[i]->pending = false;
		timers[i]->function(timers[i]);
	}
}

/* Forget those between @from and @to. */
#define FORGET(list, is_active) do {						\
	unsigned int n = 0;							\
	for (unsigned int i = 0; i < TIMERS && (list)[i]; i++) {		\
		const void *at = (list)[i];					\
		assert(at < from || at >= to || !(list)[i]->is_active);		\
		if (at < from || at >= to)					\
			(list)[n++] = (list)[i];				\
	}									\
	while (n < TIMERS)							\
		(list)[n++] = NULL;						\
} while (0)

/* The timers in this memory of the driver are about to be freed. */
void host_check_timers(const void *from, const void *to)
{
	FORGET(hrtimers, queued);
	FORGET(timers, pending);
	FORGET(works, pending);
}

/* ns from now on to the first timer of any CPU, at most @ns */
u64 host_next_timer(u64 ns)
{
	u64 end = host.now + ns;

	for (unsigned int i = 0; i < TIMERS && hrtimers[i]; i++)
		if (hrtimers[i]->queued && (u64)hrtimers[i]->expires < end)
			end = hrtimers[i]->expires;
	for (unsigned int i = 0; i < TIMERS && timers[i]; i++)
		if (can_expire(timers[i]) && timers[i]->expires * TICK_NSEC < end)
			end = timers[i]->expires * TICK_NSEC;
	return end > host.now ? end - host.now : 0;
}

/* ---- firmware's base extension, the device tree ---- */

bool host_is_other_kind(unsigned int cpu)
{
	return host.other_arch && cpu >= (host.cpus + 1) / 2;
}

static struct sbiret base_call(int fid, unsigned long arg)
{
	const unsigned long answers[] = {
		host.spec, host.impl, host.impl_version,
		arg == SBI_EXT_PMU && !host.no_pmu_extension,
		host.vendor, host_is_other_kind(host.cpu) ? host.other_arch : host.arch, host.mimpid,
	};

	assert((unsigned int)fid < ARRAY_SIZE(answers));
	return (struct sbiret){ .value = answers[fid] };
}

struct sbiret sbi_ecall(int ext, int fid, unsigned long a0, unsigned long a1, unsigned long a2,
			unsigned long a3, unsigned long a4, unsigned long a5)
{
	const unsigned long arg[FAKESBI_ARGS] = { a0, a1, a2, a3, a4, a5 };
	struct sbiret ret;

	if (ext == SBI_EXT_BASE)
		return base_call(fid, a0);
	assert(ext == SBI_EXT_PMU);
	/* What counters hold must not change in between. */
	assert(host.irqs_off || fid == SBI_EXT_PMU_NUM_COUNTERS ||
	       fid == SBI_EXT_PMU_COUNTER_GET_INFO);
	host.pmu_calls++;
	ret = fakesbi_call(fid, arg);
	host_pass(host.call_ns);
	return ret;
}

bool host_has_isa(const char *name)
{
	char word[32];

	snprintf(word, sizeof(word), " %s ", name);
	for (char *c = word; *c; c++)
		*c |= 0x20; /* lower case */
	return host.isa && strstr(host.isa, word);
}

/* The nodes of the CPUs, one for each kind */
struct device_node *of_get_cpu_node(int cpu, unsigned int *thread)
{
	return (struct device_node *)(host_is_other_kind(cpu) ? &host.other_arch : &host.arch);
}

int of_property_match_string(struct device_node *node, const char *name, const char *value)
{
	assert(node && !strcmp(name, "riscv,isa-extensions"));
	return host_has_isa(value) ? 0 : -ENODATA;
}

int of_property_read_string(struct device_node *node, const char *name, const char **value)
{
	if (!strcmp(name, "compatible")) {
		*value = (void *)node == &host.other_arch ? "spacemit,a100" : host.compatible;
		return 0;
	}
	if (strcmp(name, "openxiangshan,event-table") || !host.event_table)
		return -EINVAL;
	*value = host.event_table;
	return 0;
}

/* ---- sysctl, debugfs ---- */

static const struct ctl_table *sysctl;

struct ctl_table_header *register_sysctl_sz(const char *path, const struct ctl_table *table,
					    size_t size)
{
	assert(!sysctl && size == 1 && !strcmp(path, "kernel") &&
	       perf_core_other_sysctl(-1) == -ENOENT);
	if (host.alloc_fails_in && !--host.alloc_fails_in)
		return NULL;
	sysctl = table;
	return (struct ctl_table_header *)&sysctl;
}

void unregister_sysctl_table(struct ctl_table_header *header)
{
	if (perf_core_unregister_other_sysctl(header))
		return;
	assert((void *)header == &sysctl);
	sysctl = NULL;
}

int proc_dointvec_minmax(const struct ctl_table *table, int write, void *buffer, size_t *length,
			 loff_t *pos)
{
	const long value = strtol(buffer, NULL, 10);

	(void)length;
	(void)pos;
	assert(write);
	if (value < (long)table->extra1 || value > (long)table->extra2)
		return -EINVAL;
	*(int *)table->data = value;
	return 0;
}

/* Write to the sysctl kernel.perf_user_access. */
int host_sysctl(const char *value)
{
	char buffer[16];
	size_t length = snprintf(buffer, sizeof(buffer), "%s", value);
	loff_t pos = 0;

	if (!sysctl)
		return perf_core_other_sysctl(atoi(value));
	return sysctl->proc_handler(sysctl, 1, buffer, &length, &pos);
}

static struct {
	const char *name;
	void *data;
	const struct file_operations *fops;
} files[8];

static unsigned int file_count;

struct dentry *debugfs_create_dir(const char *name, struct dentry *parent)
{
	return (struct dentry *)files;
}

void debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data,
			 const struct file_operations *fops)
{
	assert(file_count < ARRAY_SIZE(files) && (void *)parent == files);
	files[file_count].name = name;
	files[file_count].data = data;
	files[file_count++].fops = fops;
}

void debugfs_create_atomic_t(const char *name, umode_t mode, struct dentry *parent, atomic_t *value)
{
	debugfs_create_file(name, mode, parent, value, NULL);
}

void debugfs_lookup_and_remove(const char *name, struct dentry *parent)
{
	file_count = 0;
}

void seq_printf(struct seq_file *file, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	file->used += host_vsnprintf(file->buf + file->used, file->size - file->used, fmt, ap);
	va_end(ap);
}

/* What a file in debugfs has, or the errno of its read; until the next call. */
const char *host_debugfs(const char *name)
{
	static char text[1 << 16];
	struct seq_file file = { .buf = text, .size = sizeof(text) };
	int ret;

	*text = 0;
	for (unsigned int i = 0; i < file_count; i++) {
		if (strcmp(files[i].name, name))
			continue;
		file.private = files[i].data;
		ret = files[i].fops ? files[i].fops->show(&file, NULL) : 0;
		if (!files[i].fops)
			snprintf(text, sizeof(text), "%d\n", atomic_read((atomic_t *)files[i].data));
		if (ret)
			snprintf(text, sizeof(text), "%d", ret);
	}
	return text;
}

/* ---- kprobes ---- */

/* It is never called: vectors are not used. */
static bool riscv_v_first_use_handler(struct pt_regs *regs)
{
	(void)regs;
	abort();
}

static const struct {
	const char *name;
	void *address;
} symbols[] = {
	{ "perf_event_overflow", perf_event_overflow },
	{ "perf_sample_event_took", perf_sample_event_took },
	{ "perf_pmu_resched", perf_pmu_resched },
	{ "perf_sched_cb_inc", perf_sched_cb_inc },
	{ "perf_sched_cb_dec", perf_sched_cb_dec },
	{ "sysctl_perf_event_paranoid", &sysctl_perf_event_paranoid },
	{ "kallsyms_lookup_name", kallsyms_lookup_name },
	{ "kallsyms_on_each_match_symbol", kallsyms_on_each_match_symbol },
	{ "riscv_v_first_use_handler", riscv_v_first_use_handler },
};

/* What has a name, too: whoever locks it spins, and nobody may write to it. */
static const char something_else[64] = { 1, 1, 1, 1 };

unsigned long kallsyms_lookup_name(const char *name)
{
	if (host.twice && !strcmp(host.twice, name))
		return (unsigned long)something_else;
	for (unsigned int i = 0; i < ARRAY_SIZE(symbols); i++)
		if (!strcmp(symbols[i].name, name))
			return (unsigned long)symbols[i].address;
	return (unsigned long)perf_core_other_symbol(name);
}

int kallsyms_on_each_match_symbol(int (*fn)(void *, unsigned long), const char *name, void *data)
{
	const unsigned long address = kallsyms_lookup_name(name);
	const bool twice = host.twice && !strcmp(host.twice, name);

	return address ? fn(data, address) ?: twice ? fn(data, address + 1) : 0 : 0;
}

/* Around this function are others of 16 bytes each, and kallsyms_lookup_name() among them. */
int sprint_symbol(char *text, unsigned long address)
{
	const long distance = address - (unsigned long)sprint_symbol;
	const long n = (distance + (1 << 20)) / 16 - (1 << 16);

	if (host.no_kallsyms)
		return sprintf(text, "%s", "");
	assert(!address || (n >= -200 && n <= 200));
	if (!address || n < -50 || n > 150) /* not text */
		return sprintf(text, "0x%lx", address);
	if (n == (host.lookup_at ?: 30))
		return sprintf(text, "kallsyms_lookup_name+0x%lx/0x10",
			       address - (unsigned long)kallsyms_lookup_name);
	return sprintf(text, "function_%ld+0x%lx/0x10", n, distance & 15);
}

int register_kprobe(struct kprobe *probe)
{
	assert(probe->flags == KPROBE_FLAG_DISABLED);
	if (host.no_kprobes || host.no_kallsyms || probe->offset < host.kprobe_offset)
		return -EINVAL;
	for (unsigned int i = 0; i < ARRAY_SIZE(symbols); i++) {
		if (strcmp(symbols[i].name, probe->symbol_name) ||
		    (host.no_vectors && symbols[i].address == riscv_v_first_use_handler))
			continue;
		probe->addr = (char *)symbols[i].address + probe->offset;
		host.kprobes++;
		return 0;
	}
	return -ENOENT;
}

static struct kprobe *kprobe; /* that is in place */

int enable_kprobe(struct kprobe *probe)
{
	/* Ftrace changes the second instruction. */
	assert(probe->offset != 4 && !host.irqs_off && !kprobe);
	if (host.kprobes_off)
		return 0;
	probe->flags = 0;
	kprobe = probe;
	host.stops++;
	return 0;
}

void unregister_kprobe(struct kprobe *probe)
{
	assert(host.kprobes && probe->addr);
	host.kprobes--;
	if (kprobe != probe)
		return;
	kprobe = NULL;
	host.stops++;
}

/* The instruction of a program is illegal. Return: may it go on? Else the kernel kills it. */
bool host_illegal_instruction(struct pt_regs *regs)
{
	struct pt_regs kernel = { .epc = 1, .ra = 2, .a0 = (unsigned long)regs };

	if (!kprobe || !kprobe->pre_handler(kprobe, &kernel))
		return false;
	assert(kernel.epc == kernel.ra && kernel.a0 == true);
	return true;
}

/* ---- setup, and what must not be left ---- */

/* A kernel without the module; the caller sets up firmware. */
void host_reset(void)
{
	memset(&host, 0, offsetof(struct host, log));
	host.log[0] = 0;
	host.logged = 0;
	host.online.bits = host.cpus = 1;
	for (unsigned int cpu = 0; cpu < HOST_CPUS; cpu++)
		host.scounteren[cpu] = HOST_OPEN_AT_START;
	host.openable = ~0U;
	host.spec = sbi_mk_version(2, 0);
	host.impl = 1;
	host.impl_version = 1 << 16 | 7;
	host_set_param(NULL);
	host_run_cpu(0);
}

/* Return: what a module that was unloaded, or did not load, has left behind; NULL: nothing */
const char *host_left(void)
{
	if (host.allocations)
		return "memory";
	if (host.handler && !host.other_leaves)
		return "the interrupt's handler";
	if (host.rcu)
		return "an RCU read lock";
	if (host.cpus_locked)
		return "a lock of hotplug";
	if (hotplug.is_set || host_pm_notifier || host_reboot_notifier)
		return "a notifier";
	if (!perf_core_other_is_back())
		return "a PMU, or the other driver without its own";
	if (sysctl || file_count || host.kprobes)
		return "a sysctl, a file or a kprobe";
	for (unsigned int h = 0; h < FAKESBI_HARTS; h++) {
		const struct fakesbi_branches *b = &fakesbi_harts[h].branches;

		if (fakesbi_harts[h].shmem)
			return "shared memory";
		if (fakesbi_harts[h].filter)
			return "a filter";
		/* What is lost nobody can read. */
		if (b->control || (b->entry[0].source && !b->lost))
			return "a branch record";
		/* A fixed counter that was not offered may be another driver's. */
		for (unsigned int i = 0; i < fakesbi_harts[h].end; i++)
			if ((fakesbi_harts[h].ctr[i].configured && (!host.shared || i > 2)) ||
			    fakesbi_harts[h].ctr[i].running)
				return fakesbi_harts[h].ctr[i].running ? "a running counter" :
									 "a counter with an event";
	}
	return NULL;
}
