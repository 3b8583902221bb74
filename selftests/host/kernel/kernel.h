/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel.h - what the driver uses of the kernel, for its files as they are in a program of the
 * host. Forced in front of each of them; the headers that they include are empty (see the
 * Makefile). Names and shapes are the kernel's; what acts is in kernel.c, perf core in perf_core.c.
 */
#ifndef HOST_KERNEL_H
#define HOST_KERNEL_H

#include <assert.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#define HOST_LIBC_DONE /* from here on the kernel's headers are empty */

#include "basics.h"

/* ---- memory, locks ---- */

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	1

struct rcu_head {
	int unused;
};

struct mutex {
	bool locked;
};

typedef struct {
	bool locked;
} spinlock_t;

void *host_alloc(size_t size, gfp_t flags);
void host_free(const void *p);
void host_check_timers(const void *from, const void *to);
void host_might_sleep(void);
unsigned long get_zeroed_page(gfp_t flags);
void free_page(unsigned long page);

#define kzalloc(size, flags)		host_alloc(size, flags)
#define kcalloc(n, size, flags)		host_alloc((n) * (size), flags)
#define kvcalloc			kcalloc
#define kfree(p)			host_free(p)
#define kvzalloc(size, flags)		kzalloc(size, flags)
#define kvfree(p)			host_free(p)
#define kfree_rcu(p, member)		host_free(p)
char *kstrdup(const char *s, gfp_t flags);
#define struct_size(p, member, n)	(sizeof(*(p)) + (n) * sizeof((p)->member[0]))
#define virt_to_phys(p)			((u64)(unsigned long)(p))
#define rcu_read_lock()			((void)host.rcu++)
#define rcu_read_unlock()		((void)host.rcu--)
#define synchronize_rcu()		host_might_sleep()
#define rcu_barrier()			(host_might_sleep(), (void)(host.freed_later = false))

#define HOST_LOCK(lock)		(assert(!(lock)->locked), (lock)->locked = true)
#define HOST_UNLOCK(lock)	(assert((lock)->locked), (lock)->locked = false)
#define mutex_init(lock)	((lock)->locked = false)
#define mutex_lock(lock)	(host_might_sleep(), HOST_LOCK(lock))
#define mutex_unlock(lock)	HOST_UNLOCK(lock)
#define xchg(p, v)		__atomic_exchange_n(p, v, __ATOMIC_SEQ_CST)
#define spin_lock_init(lock)	((lock)->locked = false)
#define spin_lock(lock)		HOST_LOCK(lock)
#define spin_unlock(lock)	HOST_UNLOCK(lock)

typedef struct {
	int counter;
} atomic_t;

#define atomic_read(a)		((a)->counter)
#define atomic_set(a, v)	((a)->counter = (v))
#define atomic_inc(a)		((void)(a)->counter++)
#define atomic_dec_and_test(a)	(--(a)->counter == 0)

typedef struct {
	s64 v;
} local64_t;

#define local64_read(l)		((l)->v)
#define local64_set(l, x)	((void)((l)->v = (x)))
/* Counts wrap. */
#define local64_add(x, l)	((void)((l)->v = (u64)(l)->v + (u64)(x)))
#define local64_sub(x, l)	((void)((l)->v = (u64)(l)->v - (u64)(x)))

/* ---- the log, parameters, the module ---- */

int host_vsnprintf(char *buf, size_t size, const char *fmt, __builtin_va_list ap);
int host_snprintf(char *buf, size_t size, const char *fmt, ...);
int host_printk(const char *fmt, ...);
#define pr_fmt(fmt)		fmt
#define pr_err(fmt, ...)	host_printk("<3>" pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)	host_printk("<4>" pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)	host_printk("<6>" pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...)	((void)0)
#define pr_warn_ratelimited	pr_warn
#define pr_info_ratelimited	pr_info
#define pr_info_once		pr_info

struct host_param {
	const char *name, *type;
	void *value;
	size_t size;
	u64 start; /* its value at the start of the program */
	struct host_param *next;
};

void host_param_add(struct host_param *param);
#define module_param(_name, _type, _mode)						\
	__attribute__((constructor)) static void host_param_##_name(void)		\
	{										\
		static struct host_param param = {					\
			.name = #_name, .type = #_type,					\
			.value = &_name, .size = sizeof(_name),				\
		};									\
		host_param_add(&param);							\
	}										\
	static_assert(sizeof(_name) <= 8, "")
#define MODULE_PARM_DESC(name, text)	static_assert(sizeof(text), "")
#define MODULE_DESCRIPTION(text)	static_assert(sizeof(text), "")
#define MODULE_VERSION(text)		static_assert(sizeof(text), "")
#define MODULE_LICENSE(text)		static_assert(sizeof(text), "")
#define module_init(function)	int (*const host_module_init)(void) = function
#define module_exit(function)	void (*const host_module_exit)(void) = function
#define THIS_MODULE		NULL

/* ---- CPUs ---- */

#define HOST_CPUS	16
/* scounteren as OpenSBI leaves it when a hart starts, or wakes; Linux 6.12 does not write it. */
#define HOST_OPEN_AT_START	7

struct cpumask {
	unsigned long bits;
};

/* Interrupts of the CPU are disabled in what is called there. */
typedef void (*smp_call_func_t)(void *info);
int smp_call_function_single(int cpu, void (*function)(void *arg), void *arg, int wait);
void on_each_cpu_cond_mask(bool (*cond)(int cpu, void *arg), void (*function)(void *arg),
			   void *arg, bool wait, const struct cpumask *mask);
#define on_each_cpu(function, arg, wait)	\
	on_each_cpu_cond_mask(NULL, function, arg, wait, cpu_online_mask)

#define cpu_online_mask			(&host.online)
#define smp_processor_id()		((int)host.cpu)
#define raw_smp_processor_id()		((int)host.cpu)
#define get_cpu()			((int)host.cpu)
#define put_cpu()			((void)0)
#define cpus_read_lock()		(host_might_sleep(), (void)host.cpus_locked++)
#define cpus_read_unlock()		((void)host.cpus_locked--)
#define cpumask_test_cpu(cpu, mask)	((mask)->bits >> (cpu) & 1)
#define cpumask_empty(mask)		(!(mask)->bits)
#define cpu_online(cpu)			cpumask_test_cpu(cpu, cpu_online_mask)
#define cpumask_set_cpu(cpu, mask)	((void)((mask)->bits |= BIT(cpu)))
#define cpumask_clear_cpu(cpu, mask)	((void)((mask)->bits &= ~BIT(cpu)))
#define cpumask_any(mask)		\
	((mask)->bits ? (unsigned int)__builtin_ctzl((mask)->bits) : HOST_CPUS)
#define cpumask_first(mask)		cpumask_any(mask)
#define for_each_cpu(cpu, mask)		\
	for ((cpu) = 0; (cpu) < HOST_CPUS; (cpu)++) if (cpumask_test_cpu(cpu, mask))
#define for_each_online_cpu(cpu)	for_each_cpu(cpu, cpu_online_mask)
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < HOST_CPUS; (cpu)++)

static inline bool cpumask_test_and_clear_cpu(unsigned int cpu, struct cpumask *mask)
{
	const bool was = cpumask_test_cpu(cpu, mask);

	cpumask_clear_cpu(cpu, mask);
	return was;
}

#define cpumask_pr_args(mask)		HOST_CPUS, &(mask)->bits
#define alloc_percpu(type)	((type *)host_alloc(HOST_CPUS * sizeof(type), GFP_KERNEL))
#define free_percpu(p)		\
	(assert(!host.freed_later), host_check_timers(p, (p) + HOST_CPUS), host_free(p))
#define DEFINE_PER_CPU(type, name)	type name[HOST_CPUS]
#define DECLARE_PER_CPU(type, name)	extern type name[HOST_CPUS]
#define per_cpu(name, cpu)	((name)[cpu])
#define raw_cpu_read(name)	((name)[host.cpu])
#define per_cpu_ptr(p, cpu)	(&(p)[cpu])
#define this_cpu_ptr(p)		(&(p)[host.cpu])

#define local_irq_save(flags)		((flags) = host.irqs_off, host.irqs_off = true)
#define local_irq_restore(flags)	((void)(host.irqs_off = (flags)))

enum cpuhp_state { CPUHP_AP_PERF_RISCV_STARTING, CPUHP_AP_ONLINE_DYN = 100 };
#define NOTIFY_OK	1
enum { CPU_PM_ENTER, CPU_PM_ENTER_FAILED, CPU_PM_EXIT };
enum { SYS_RESTART = 1, SYS_HALT, SYS_POWER_OFF };

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long action, void *data);
};

int cpuhp_setup_state_multi(enum cpuhp_state state, const char *name,
			    int (*online)(unsigned int cpu, struct hlist_node *node),
			    int (*offline)(unsigned int cpu, struct hlist_node *node));
int cpuhp_state_add_instance(enum cpuhp_state state, struct hlist_node *node);
int cpuhp_state_remove_instance(enum cpuhp_state state, struct hlist_node *node);
int cpuhp_state_remove_instance_nocalls(enum cpuhp_state state, struct hlist_node *node);
void cpuhp_remove_multi_state(enum cpuhp_state state);
#define cpu_hotplug_disable()	((void)0)
#define cpu_hotplug_enable()	((void)0)
extern struct notifier_block *host_pm_notifier, *host_reboot_notifier;
int host_set_notifier(struct notifier_block **which, struct notifier_block *nb);
int host_clear_notifier(struct notifier_block **which, struct notifier_block *nb);
#define cpu_pm_register_notifier(nb)	host_set_notifier(&host_pm_notifier, nb)
#define cpu_pm_unregister_notifier(nb)	host_clear_notifier(&host_pm_notifier, nb)
#define register_reboot_notifier(nb)	host_set_notifier(&host_reboot_notifier, nb)
#define unregister_reboot_notifier(nb)	host_clear_notifier(&host_reboot_notifier, nb)

/* ---- tasks ---- */

/* Registers in the order of their numbers after epc, as the kernel's */
struct pt_regs {
	unsigned long epc;
	union {
		unsigned long x[31]; /* from x1 on */
		struct {
			unsigned long ra, x2_to_x9[8], a0;
		};
	};
	unsigned long badaddr;
	bool user;
};

struct mm_struct {
	int references;
};

typedef unsigned int kuid_t;

struct user_namespace {
	struct user_namespace *parent;
	kuid_t owner;
};

struct pid_namespace {
	struct pid_namespace *parent;
	unsigned int level;
	struct user_namespace *user_ns;
};

extern struct user_namespace init_user_ns;
extern struct pid_namespace init_pid_ns;

struct task_struct {
	unsigned int flags;
	unsigned long nvcsw, nivcsw;
	struct mm_struct *mm;
	struct pt_regs regs;
	unsigned int uid;
};

#define PF_KTHREAD		1
#define PF_USER_WORKER		2
#define current			(host.current_task[host.cpu])
#define task_pt_regs(task)	(&(task)->regs)
#define user_mode(regs)		((regs)->user)
#define get_irq_regs()		(&host.regs)
#define mmgrab(mm)		((void)(mm)->references++)
#define mmdrop(mm)		((void)(assert((mm)->references > 0), (mm)->references--))
#define perfmon_capable()	(host.perfmon_asked++, host.perfmon)
#define CAP_SYS_ADMIN		21
#define CAP_PERFMON		38
#define ns_capable_noaudit(ns, cap)	\
	(host.perfmon_asked_unlogged++, assert((ns) == &init_user_ns), (cap) == CAP_PERFMON && host.perfmon)
#define GLOBAL_ROOT_UID		((kuid_t)0)
#define __kuid_val(uid)		(uid)
#define task_active_pid_ns(task)	((void)(task), host.pid_ns ?: &init_pid_ns)
#define current_uid()		(host.uid)
#define task_uid(task)		((task)->uid)
#define current_user_ns()	(host.user_ns ?: &init_user_ns)
#define uid_eq(a, b)		((a) == (b))
long copy_from_user_nofault(void *to, const void *from, size_t size);

/* ---- time: ns of host.now; a jiffy is 4 ms ---- */

typedef s64 ktime_t;

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };
enum hrtimer_mode { HRTIMER_MODE_ABS_PINNED_HARD, HRTIMER_MODE_REL_PINNED_HARD };

struct hrtimer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	ktime_t expires;
	bool queued;
	unsigned int cpu;
};

struct timer_list {
	void (*function)(struct timer_list *timer);
	unsigned long expires;
	unsigned int flags;
	bool pending;
	unsigned int cpu;
};

struct irq_work {
	void (*function)(struct irq_work *work);
	bool pending;
	unsigned int cpu;
};

#define HZ			250
#define TICK_NSEC		4000000ULL
#define NSEC_PER_SEC		1000000000ULL
#define NSEC_PER_MSEC		1000000ULL
#define jiffies			((unsigned long)(host.now / TICK_NSEC))
#define msecs_to_jiffies(ms)	(((ms) + 3) / 4)
#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)
#define ktime_get()		((ktime_t)host.now)
#define ktime_get_ns()		(host.now)
#define ktime_add_ns(t, ns)	((t) + (s64)(ns))
#define ns_to_ktime(ns)		((ktime_t)(ns))
#define ktime_to_ns(t)		((s64)(t))
#define CLOCK_MONOTONIC		1
#define TIMER_DEFERRABLE	1
#define TIMER_PINNED		2
#define hrtimer_is_queued(t)		((t)->queued)
#define hrtimer_get_expires(t)		((t)->expires)
#define hrtimer_set_expires(t, time)	((void)((t)->expires = (time)))
#define hrtimer_try_to_cancel(t)	((t)->queued = false)
#define hrtimer_cancel(t)		((void)((t)->queued = false))
#define timer_pending(t)		((t)->pending)
#define tick_nohz_full_cpu(cpu)		(host.nohz_full && (cpu) >= 0)
#define timer_delete_sync(t)		((void)(host_might_sleep(), (t)->pending = false))
u64 sched_clock(void);
void hrtimer_setup(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *timer),
		   int clock, enum hrtimer_mode mode);
void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode);
void timer_setup(struct timer_list *timer, void (*function)(struct timer_list *timer),
		 unsigned int flags);
int mod_timer(struct timer_list *timer, unsigned long expires);
void init_irq_work(struct irq_work *work, void (*function)(struct irq_work *work));
bool irq_work_queue(struct irq_work *work);
void irq_work_sync(struct irq_work *work);

/* ---- interrupts ---- */

typedef enum { IRQ_NONE, IRQ_HANDLED } irqreturn_t;
typedef irqreturn_t (*irq_handler_t)(int irq, void *dev);

struct irq_domain;

#define IRQ_TYPE_NONE			0
#define DOMAIN_BUS_ANY			0
#define riscv_get_intc_hwnode()		NULL
#define irq_find_matching_fwnode(node, bus) \
	((void)(node), host.no_irq_domain ? NULL : (struct irq_domain *)&host)
#define irq_create_mapping(domain, hw)	((void)(domain), (int)(hw) + 1)
#define request_percpu_irq(irq, handler, name, dev) \
	host_request_percpu_irq(irq, handler, dev, sizeof(**(dev)))
int host_request_percpu_irq(int irq, irq_handler_t handler, void *dev, size_t size);
void free_percpu_irq(int irq, void *dev);
void enable_percpu_irq(int irq, unsigned int type);
void disable_percpu_irq(int irq);

/* ---- the machine: firmware, CSRs, ISA, device tree ---- */

#include "asm_sbi.h"

#define CSR_SCOUNTEREN			0x106
#define SBI_EXT_BASE			0x10
#define SBI_EXT_PMU			0x504D55
#define SBI_SPEC_VERSION_MAJOR_SHIFT	24
#define SBI_SPEC_VERSION_MAJOR_MASK	0x7f
#define SBI_SPEC_VERSION_MINOR_MASK	0xffffff
#define sbi_mk_version(major, minor)	((unsigned long)(major) << 24 | (minor))
#define ANDES_VENDOR_ID			0x31e

enum {
	SBI_EXT_BASE_GET_SPEC_VERSION,
	SBI_EXT_BASE_GET_IMP_ID,
	SBI_EXT_BASE_GET_IMP_VERSION,
	SBI_EXT_BASE_PROBE_EXT,
	SBI_EXT_BASE_GET_MVENDORID,
	SBI_EXT_BASE_GET_MARCHID,
	SBI_EXT_BASE_GET_MIMPID,
};

enum {
	SBI_PMU_FW_MISALIGNED_LOAD, SBI_PMU_FW_MISALIGNED_STORE, SBI_PMU_FW_ACCESS_LOAD,
	SBI_PMU_FW_ACCESS_STORE, SBI_PMU_FW_ILLEGAL_INSN, SBI_PMU_FW_SET_TIMER,
	SBI_PMU_FW_IPI_SENT, SBI_PMU_FW_IPI_RCVD, SBI_PMU_FW_FENCE_I_SENT,
	SBI_PMU_FW_FENCE_I_RCVD, SBI_PMU_FW_SFENCE_VMA_SENT, SBI_PMU_FW_SFENCE_VMA_RCVD,
	SBI_PMU_FW_SFENCE_VMA_ASID_SENT, SBI_PMU_FW_SFENCE_VMA_ASID_RCVD,
	SBI_PMU_FW_HFENCE_GVMA_SENT, SBI_PMU_FW_HFENCE_GVMA_RCVD,
	SBI_PMU_FW_HFENCE_GVMA_VMID_SENT, SBI_PMU_FW_HFENCE_GVMA_VMID_RCVD,
	SBI_PMU_FW_HFENCE_VVMA_SENT, SBI_PMU_FW_HFENCE_VVMA_RCVD,
	SBI_PMU_FW_HFENCE_VVMA_ASID_SENT, SBI_PMU_FW_HFENCE_VVMA_ASID_RCVD,
};

struct sbiret sbi_ecall(int ext, int fid, unsigned long a0, unsigned long a1, unsigned long a2,
			unsigned long a3, unsigned long a4, unsigned long a5);

#define riscv_isa_extension_available(map, name)	((void)(map), host_has_isa(#name))
#define riscv_isa_vendor_extension_available(vendor, name)	((void)(vendor), host_has_isa(#name))
bool host_has_isa(const char *name);

struct device_node;

#define of_find_compatible_node(from, type, name) \
	(strcmp(name, "riscv,pmu") && strcmp(name, host.compatible) ? NULL : (struct device_node *)&host)
struct device_node *of_get_cpu_node(int cpu, unsigned int *thread);
#define of_node_put(node)		((void)(node))
#define of_property_present(node, name)	((void)(node), host.event_table)
int of_property_read_string(struct device_node *node, const char *name, const char **value);
int of_property_match_string(struct device_node *node, const char *name, const char *value);

/* ---- devices, sysfs, sysctl, debugfs, kprobes ---- */

struct kobject {
	int unused;
};

struct device {
	struct kobject kobj;
	void *drvdata;
	const char *name;
	struct bus_type *bus;
	const struct device_driver *driver;
};

struct device_driver {
	const char *name;
	struct module *owner;
};

extern struct bus_type {
	int unused;
} platform_bus_type;

struct work_struct;

struct static_key_false {
	int key;
};

struct attribute {
	const char *name;
	umode_t mode;
};

struct device_attribute {
	struct attribute attr;
	ssize_t (*show)(struct device *dev, struct device_attribute *attr, char *buf);
	ssize_t (*store)(struct device *dev, struct device_attribute *attr, const char *buf,
			 size_t count);
};

struct attribute_group {
	const char *name;
	umode_t (*is_visible)(struct kobject *kobj, struct attribute *attr, int n);
	struct attribute **attrs;
};

#define __ATTR(_name, _mode, _show, _store) \
	{ .attr = { .name = #_name, .mode = _mode }, .show = _show, .store = _store }
#define DEVICE_ATTR_RO(name) \
	struct device_attribute dev_attr_##name = __ATTR(name, 0444, name##_show, NULL)
#define strstarts(string, prefix)	(!strncmp(string, prefix, strlen(prefix)))
#define sysfs_attr_init(attr)		((void)(attr))
#define sysfs_emit(buf, ...)		host_snprintf(buf, 4096, __VA_ARGS__)
#define sysfs_emit_at(buf, at, ...)	host_snprintf((buf) + (at), 4096 - (at), __VA_ARGS__)
#define kobj_to_dev(kobject)		container_of(kobject, struct device, kobj)
#define dev_get_drvdata(dev)		((dev)->drvdata)
#define dev_name(dev)			((dev)->name)
#define put_device(dev)			((void)(dev))
#define device_lock(dev)		((void)(dev))
#define device_unlock(dev)		((void)(dev))
#define flush_work(work)		((void)(work))
#define static_key_disable(key)		((void)(*(key) = 0))
int device_reprobe(struct device *dev);
struct device *device_find_child_by_name(struct device *dev, const char *name);
struct device *bus_find_device(struct bus_type *bus, struct device *start, const void *data,
			       int (*match)(struct device *dev, const void *data));
struct device *bus_find_device_by_name(struct bus_type *bus, struct device *start,
				       const char *name);

struct ctl_table {
	const char *procname;
	void *data;
	int maxlen;
	umode_t mode;
	int (*proc_handler)(const struct ctl_table *table, int write, void *buffer,
			    size_t *length, loff_t *pos);
	void *extra1, *extra2;
};

typedef const struct ctl_table sbi_pmu_ctl_table;
struct ctl_table_header;

#define SYSCTL_ZERO	((void *)0)
#define SYSCTL_TWO	((void *)2)
struct ctl_table_header *register_sysctl_sz(const char *path, const struct ctl_table *table,
					    size_t size);
void unregister_sysctl_table(struct ctl_table_header *header);

/* A tree is a list. */
struct rb_node {
	struct rb_node *next;
};

struct rb_root {
	struct rb_node *rb_node;
};

#define rb_entry(ptr, type, member)	container_of(ptr, type, member)
#define rb_first(root)	((root)->rb_node)
#define rb_next(node)	((node)->next)

struct ctl_table_header {
	const struct ctl_table *ctl_table;
	int ctl_table_size;
	struct ctl_node *node;
};

struct ctl_node {
	struct rb_node node;
	struct ctl_table_header *header;
};

struct ctl_dir {
	struct ctl_table_header header;
	struct rb_root root;
};

struct ctl_table_root {
	struct {
		struct ctl_dir dir;
	} default_set;
};
int proc_dointvec_minmax(const struct ctl_table *table, int write, void *buffer, size_t *length,
			 loff_t *pos);

struct dentry;

struct seq_file {
	void *private;
	char *buf;
	size_t size, used;
};

struct file_operations {
	int (*show)(struct seq_file *file, void *unused);
};

#define DEFINE_SHOW_ATTRIBUTE(name) \
	static const struct file_operations name##_fops = { .show = name##_show }
void seq_printf(struct seq_file *file, const char *fmt, ...);
#define seq_puts(file, text)	seq_printf(file, "%s", text)
#define seq_putc(file, c)	seq_printf(file, "%c", c)
struct dentry *debugfs_create_dir(const char *name, struct dentry *parent);
void debugfs_create_file(const char *name, umode_t mode, struct dentry *parent, void *data,
			 const struct file_operations *fops);
void debugfs_create_atomic_t(const char *name, umode_t mode, struct dentry *parent, atomic_t *value);
void debugfs_lookup_and_remove(const char *name, struct dentry *parent);

struct kprobe {
	const char *symbol_name;
	unsigned int offset;
	unsigned int flags;
	void *addr;
	int (*pre_handler)(struct kprobe *probe, struct pt_regs *regs);
};

#define KPROBE_FLAG_DISABLED	2
#define NOKPROBE_SYMBOL(name)	static_assert(1)
#define kprobe_disabled(probe)	(!!((probe)->flags & KPROBE_FLAG_DISABLED))
int register_kprobe(struct kprobe *probe);
int enable_kprobe(struct kprobe *probe);
void unregister_kprobe(struct kprobe *probe);
typedef int (*kprobe_pre_handler_t)(struct kprobe *probe, struct pt_regs *regs);
unsigned long kallsyms_lookup_name(const char *name);
int kallsyms_on_each_match_symbol(int (*fn)(void *, unsigned long), const char *name, void *data);
int sprint_symbol(char *text, unsigned long address);
#define KSYM_SYMBOL_LEN	64

#include "perf_event.h"

/* ---- the state of all this ---- */

/* What a driver is loaded on, and what it asked for */
struct host {
	u64 now;                      /* ns */
	u64 clock_ns, call_ns, read_ns; /* what a look at the clock, a call, a read take, */
	u64 sample_ns;                  /* a sample */
	unsigned int slow_read;       /* after so many CSRs are read something else runs; 0: never */
	unsigned int cpu;             /* that runs now */
	unsigned int cpus;            /* that the machine has */
	bool migrates;                /* what may sleep wakes up on the other of two CPUs */
	struct cpumask online;        /* CPUs */
	unsigned long irqs_off;       /* interrupts are disabled */
	unsigned long pmu_calls;      /* SBI calls of the PMU extension */
	unsigned long most_calls;     /* so many at most in one function called on a CPU */
	struct pt_regs regs;          /* of what an interrupt interrupts */
	unsigned int kprobes;         /* that are registered */
	struct task_struct *current_task[HOST_CPUS];
	bool perfmon;                 /* it has CAP_PERFMON */
	unsigned int perfmon_asked;   /* how often that was asked, and audit logs if not, */
	unsigned int perfmon_asked_unlogged; /* or does not */
	kuid_t uid;                   /* its user, as the initial namespace knows him */
	struct user_namespace *user_ns; /* NULL: the initial one */
	struct pid_namespace *pid_ns;   /* likewise */
	u32 insn;                     /* at epc of a program whose read trapped; 0: not readable */
	u32 scounteren[HOST_CPUS];    /* the CSR */
	u32 closed;                   /* its bits that were set, and then not, on any CPU */
	u32 openable;                 /* its bits that can be set */
	unsigned long allocations;    /* that are not freed */
	size_t accounted;             /* bytes that were charged to the user's control group */
	unsigned int alloc_fails_in;  /* this allocation from now on fails, 0: none */
	bool no_kallsyms;             /* the kernel has no names of symbols, */
	int lookup_at;                /* or this one so many functions away, 0: near */
	const char *twice;            /* or this name first of something else */
	bool no_kprobes;              /* the kernel has none */
	bool kprobes_off;             /* all are switched off */
	bool no_vectors;              /* no CONFIG_RISCV_ISA_V */
	bool lto;                     /* CONFIG_LTO */
	unsigned int kprobe_offset;   /* of the first instruction that takes one */
	unsigned int stops;           /* how often a kprobe stopped all CPUs */
	unsigned int interrupted;     /* CPUs on which on_each_cpu() and the like called */
	bool no_irq_domain;           /* the interrupt has no controller */
	bool irq_taken;               /* another driver has it */
	bool enable_reads_zero;       /* its enable bit is read-only zero */
	const char *isa;              /* extensions, with a space before and after each */
	const char *event_table;      /* property of the node riscv,pmu; NULL: there is none */
	const char *compatible;       /* property of the CPUs' nodes */
	unsigned long spec, impl, impl_version, vendor, arch, mimpid; /* what firmware says */
	unsigned long other_arch;     /* of the upper half of @cpus; 0: as of the others */
	bool no_pmu_extension;
	bool shared;                  /* another driver uses counters, too */
	bool other_leaves;            /* it can be stopped */
	bool other_fails;             /* to start again */
	bool kvm;                     /* its module is loaded */
	irq_handler_t handler;        /* of the overflow interrupt; NULL: not requested */
	void *handler_dev;
	size_t handler_size;          /* of what it has for each CPU */
	int irq;
	bool irq_enabled[HOST_CPUS];
	unsigned long irqs, timer_irqs; /* number of interrupts, of hrtimers, so far */
	u64 longest_irq;              /* of either (ns) */
	int rcu;                      /* rcu_read_lock(), less rcu_read_unlock() */
	int cpus_locked;              /* likewise of cpus_read_lock() */
	bool freed_later;             /* perf core has call_rcu() free what points to per-CPU memory */
	bool nohz_full;               /* all CPUs are, and run one task that makes no system call */
	char log[1 << 16];            /* what was written to it since the machine was set up */
	size_t logged;
};

extern struct host host;
extern int (*const host_module_init)(void);
extern void (*const host_module_exit)(void);

void host_run_cpu(unsigned int cpu);
void host_set_param(const char *setting);
void host_reset(void);
const char *host_left(void);
bool perf_core_other_is_back(void);
void *perf_core_other_symbol(const char *name);
int perf_core_other_sysctl(int value);
bool perf_core_unregister_other_sysctl(struct ctl_table_header *header);
void host_serve_interrupts(void);
bool host_has_work(void);
u64 host_next_timer(u64 ns);
int host_hotplug(unsigned int cpu, bool online);
void host_cpu_pm(unsigned long action);
void host_reboot(unsigned long action);
bool host_is_other_kind(unsigned int cpu);
int host_sysctl(const char *value);
const char *host_debugfs(const char *name);
bool host_logged(const char *text);
bool host_illegal_instruction(struct pt_regs *regs);
/* In perf_core.c: time passes, and events happen. */
void host_pass(u64 ns);

#endif
