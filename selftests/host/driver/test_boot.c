// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_boot: the module is loaded on many machines: what it says, what sysfs shows, and that
 * nothing is left when it does not load, or is unloaded.
 */
#include "test.h"

static unsigned int allocation;
static const char *symbol;

static void no_extension(void)	{ host.no_pmu_extension = true; }
static void old_sbi(void)	{ host.spec = sbi_mk_version(0, 2); }
static void no_counters(void)	{ fakesbi.end = 0; }
static void much_narrower(void)
{
	for (unsigned int i = 3; i < 7; i++)
		fakesbi.ctr[i].width = 26;
}

static void second_insn(void)	{ host.kprobe_offset = 4; }
static void no_kprobes(void)	{ host.no_kprobes = true; }
static void moved(void)		{ host.lookup_at = 1000; }
static void moved_second_insn(void) { moved(); second_insn(); }
static void below(void)		{ host.lookup_at = -30; no_kprobes(); }
static void irq_taken(void)	{ host.irq_taken = true; }
static void no_controller(void)	{ host.no_irq_domain = true; }
static void enable_is_zero(void) { host.enable_reads_zero = true; }
static void no_vectors(void)	{ host.no_vectors = true; }
static void kprobes_off(void)	{ host.kprobes_off = true; }
static void lto(void)		{ host.lto = true; }
static void kvm(void)		{ host.kvm = true; }
static void fail_allocation(void) { host.alloc_fails_in = allocation; }
static void symbol_twice(void)	{ host.twice = symbol; }
static void pmu_named_cpu(void)	{ perf_core_other_pmu("cpu", PERF_TYPE_MAX + 1); }
static void beyond(void)	{ fakesbi_add_firmware(159); }
static void time_twice(void)	{ fakesbi_add(20, 0xc01, 64); fakesbi_add(21, 0xc03, 64); }

CAN(is_raw, code->idx >> 16 == SPEC_TYPE_RAW)

/* A counter does not overflow while it is started. */
static void fast(void)		{ host.clock_ns = host.read_ns = host.call_ns = 1; }

/* The device tree does not say that the cores have Sscofpmf. */
static void half_sscofpmf(void)	{ fakesbi_harts[0].sscofpmf = true; }

static void hidden_sscofpmf(void)
{
	fakesbi_harts[0].sscofpmf = fakesbi_harts[1].sscofpmf = true;
}

static void other_width(void)
{
	for (unsigned int i = 3; i < 7; i++)
		fakesbi_harts[1].ctr[i].info -= 1 << 12;
}

static void fewer_counters(void) { fakesbi_harts[1].end = 5; }
static void on_last_cpu(void)	{ host_run_cpu(hweight64(host.online.bits) - 1); }

/* insmod does not stay on its CPU. */
static void insmod_migrates(void)
{
	fewer_counters();
	host.migrates = true;
}

static void insmod_migrates_from_other(void)
{
	insmod_migrates();
	host_run_cpu(1);
}

static void other_delegation(void) { fakesbi_harts[1].delegated = 0; }

static void sticky(void)	{ fakesbi.quirks |= QUIRK(EVENT_STICKS); }

static void others_record(void)
{
	fakesbi_harts[2].branches.least = fakesbi_harts[3].branches.least = 16;
	fakesbi_harts[2].branches.most = fakesbi_harts[3].branches.most = 64;
}

static void third_kind(void)	{ fakesbi_harts[3].end = 5; }

static void dead_cycle(void)	{ fakesbi_harts[1].ctr[0].dead = true; }

#define USER_BRANCHES	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY)

/* SpacemiT K3 */
#define TWO_KINDS .vendor = 0x710, .arch = 0x8000000058000002, .other_arch = 0x8000000041000002
/* T-Head C908 */
#define C908	THEAD, .arch = 0x8000000009140d00

static const struct {
	const char *name;
	struct machine machine;
	int error;        /* of insmod */
	const char *log;  /* is in the log */
	const char *file, *value; /* in sysfs */
} cases[] = {
	/* what firmware is, and has */
	{ "plain", {}, 0, "cpu PMU on SBI 2.0 (OpenSBI 1.7): 6 hardware + 3 firmware counters, exclusive, sampling by LCOFI", "caps/hardware_counters", "6" },
	{ "firmware_counters_are_shown", { .firmware = 5 }, 0, NULL, "caps/firmware_counters", "5" },
	{ "firmware_with_last_name", { .impl = 11, .impl_version = 2 }, 0, "(bhyve 0x2)" },
	{ "firmware_without_name", { .impl = 12, .impl_version = 2 }, 0, "(unknown firmware 0x2)" },
	{ "no_pmu_extension", { .prepare = no_extension }, -ENODEV, "has no PMU extension" },
	{ "sbi_0_2", { .prepare = old_sbi }, -ENODEV, "has no PMU extension" },
	{ "no_counters", { .prepare = no_counters }, -ENODEV, "offers no counters" },
	{ "only_fixed_counters", { .no_hpm = true, .no_firmware = true }, 0, "2 hardware + 0 firmware" },
	{ "counters_past_the_last_are_reported", { .quirks = QUIRK(GAPS_COUNTED), .prepare = beyond }, 0, "counters past index" },
	{ "csr_of_no_counter_is_reported", { .prepare = time_twice }, 0, "1 counters are not used: firmware names a CSR", "caps/hardware_counters", "6" },
	{ "narrow_counters_are_reported", { .width = 26 }, 0, "4 hardware counters of less than 27 bits are not used" },
	{ "true_width_is_measured", { .prepare = narrow_by_tree }, 0, "counter 3: firmware says 64 bits, measured 40 (" },
	{ "counters_measured_as_too_narrow_are_not_used", { .prepare = much_narrower }, 0, "measured 26 (4 counters)", "caps/hardware_counters", "2" },
	{ "width_parameter", { .params = { "width=40" } }, 0, NULL, "caps/hardware_counters", "6" },
	{ "width_26_is_refused", { .params = { "width=26" } }, -EINVAL, "width=26: counters of 27 to 64" },
	{ "width_65_is_refused", { .params = { "width=65" } }, -EINVAL, "width=65" },
	/* what makes samples */
	{ "lcofi_by_name", { .params = { "overflow=lcofi" } }, 0, NULL, "caps/overflow", "lcofi" },
	{ "thead_by_ids", { THEAD }, 0, "T-Head's interrupt", "caps/overflow", "thead" },
	{ "other_thead_core", { THEAD, .arch = 1 }, 0, "no Sscofpmf", "caps/overflow", "timer" },
	{ "thead_k230", { C908, .mimpid = 0x50000 }, 0, "T-Head's interrupt", "caps/overflow", "thead" },
	{ "thead_later_c908", { C908, .mimpid = 0x100d000 }, 0, "no Sscofpmf", "caps/overflow", "timer" },
	{ "thead_with_sscofpmf", { .vendor = 0x5b7 }, 0, NULL, "caps/overflow", "lcofi" },
	{ "xandespmu", { ANDES }, 0, "Andes' interrupt", "caps/overflow", "andes" },
	{ "andes_without_xandespmu", { .isa = "", .vendor = 0x31e, .overflow_csr = 0x9d4 }, 0, NULL, "caps/overflow", "timer" },
	{ "other_source_is_refused", { .params = { "overflow=thead" } }, -EOPNOTSUPP, "no core T-Head C9xx" },
	{ "andes_is_refused", { .params = { "overflow=andes" } }, -EOPNOTSUPP, "no Xandespmu" },
	{ "lcofi_without_sscofpmf", { .isa = "", .params = { "overflow=lcofi" } }, -EOPNOTSUPP, "no Sscofpmf" },
	{ "unknown_source", { .params = { "overflow=x" } }, -EINVAL, "are known" },
	{ "timer_by_name", { .params = { "overflow=timer" } }, 0, "sampling by timer (asked for)", "caps/overflow", "timer" },
	{ "counting_only", { .params = { "overflow=none" } }, 0, "counting only (asked for)", "caps/overflow", "none" },
	{ "no_kallsyms", { .prepare = no_kallsyms }, 0, "perf_event_overflow not found: is CONFIG_KALLSYMS on?", "caps/overflow", "none" },
	{ "timer_without_kallsyms", { .params = { "overflow=timer" }, .prepare = no_kallsyms }, -EOPNOTSUPP, "not found" },
	{ "samples_without_kprobes", { .prepare = no_kprobes }, 0, NULL, "caps/overflow", "lcofi" },
	{ "symbols_below", { .prepare = below }, 0, NULL, "caps/overflow", "lcofi" },
	{ "symbols_far_away", { .prepare = moved }, 0, NULL, "caps/overflow", "lcofi" },
	{ "symbols_far_away_kprobe_at_second_instruction", { .prepare = moved_second_insn }, 0, NULL, "caps/overflow", "lcofi" },
	{ "interrupt_is_taken", { .prepare = irq_taken }, 0, "the interrupt is taken", "caps/overflow", "timer" },
	{ "taken_interrupt_by_name", { .params = { "overflow=lcofi" }, .prepare = irq_taken }, -EOPNOTSUPP, "the interrupt is taken" },
	{ "no_interrupt_controller", { .prepare = no_controller }, 0, "no interrupt controller", "caps/overflow", "timer" },
	{ "interrupt_cannot_be_enabled", { .prepare = enable_is_zero }, 0, "cannot be enabled", "caps/overflow", "timer" },
	/* does the interrupt work? */
	{ "interrupt_does_not_come", { .quirks = QUIRK(NO_IRQ) }, 0, "sampling by timer (the overflow interrupt does not come)", "caps/overflow", "timer" },
	{ "interrupt_that_does_not_come_at_once_is_waited_for", { .quirks = QUIRK(OF_UNSHOWN), .prepare = fast }, 0, "does not say which counter overflowed", "caps/overflow", "timer" },
	{ "interrupt_does_not_come_by_name", { .quirks = QUIRK(NO_IRQ), .params = { "overflow=lcofi" } }, -EOPNOTSUPP, "overflow=lcofi: the overflow interrupt does not come" },
	{ "interrupt_does_not_come_delegated", { .quirks = QUIRK(NO_IRQ), .delegated = true, .params = { "backend=csr" } }, 0, "does not come", "caps/overflow", "timer" },
	{ "interrupt_comes_delegated", { .delegated = true, .params = { "backend=csr" } }, 0, NULL, "caps/overflow", "lcofi" },
	{ "interrupt_comes_by_snapshot", { .quirks = KVM, .params = { "backend=snapshot" } }, 0, NULL, "caps/overflow", "lcofi" },
	{ "interrupt_comes_in_old_vm", { .quirks = KVM_OLD }, 0, NULL, "caps/overflow", "lcofi" },
	{ "interrupt_does_not_come_in_a_vm", { .quirks = KVM | QUIRK(NO_IRQ) }, 0, "does not come", "caps/overflow", "timer" },
	{ "interrupt_names_no_counter", { .quirks = QUIRK(OF_UNSHOWN) }, 0, "sampling by timer (the overflow interrupt does not say which counter overflowed)", "caps/overflow", "timer" },
	{ "interrupt_needs_no_names_in_a_vm", { .quirks = KVM | QUIRK(OF_UNSHOWN) }, 0, NULL, "caps/overflow", "lcofi" },
	{ "interrupt_cannot_be_cleared", { .quirks = QUIRK(OF_STICKS) }, 0, "sampling by timer (the overflow interrupt cannot be cleared)", "caps/overflow", "timer" },
	{ "start_value_is_ignored", { .quirks = QUIRK(VALUE_IGNORED) }, 0, "sampling by timer (a counter does not start from the value that it is given)", "caps/overflow", "timer" },
	{ "thead_level", { THEAD, .quirks = QUIRK(LEVEL) }, 0, NULL, "caps/overflow", "thead" },
	{ "thead_d1_old", { THEAD, .quirks = D1_OLD }, 0, "does not say which", "caps/overflow", "timer" },
	{ "thead_d1_old_fixed_only", { THEAD, .no_hpm = true, .quirks = D1_OLD }, 0, "does not say which", "caps/overflow", "timer" },
	{ "thead_d1_old_raw_only", { THEAD, .quirks = D1_OLD, .can = is_raw }, 0, "does not say which", "caps/overflow", "timer" },
	{ "thead_without_interrupt_raw_only", { THEAD, .quirks = QUIRK(NO_IRQ), .can = is_raw }, 0, "does not come", "caps/overflow", "timer" },
	{ "thead_sg2042_old_level", { THEAD, .quirks = SG2042_OLD | QUIRK(LEVEL) }, 0, NULL, "caps/overflow", "thead" },
	{ "thead_sg2042_old_latch", { THEAD, .quirks = SG2042_OLD }, 0, "cannot be cleared", "caps/overflow", "timer" },
	{ "interrupt_is_believed_where_no_event_is_known", { .can = is_raw }, 0, NULL, "caps/overflow", "lcofi" },
	{ "fixed_counters_alone_do_not_interrupt", { .no_hpm = true }, 0, "sampling by timer (no programmable counter)", "caps/overflow", "timer" },
	{ "fixed_counters_alone_that_interrupt", { .no_hpm = true, .quirks = QUIRK(FIXED_HOMOGENEOUS) }, 0, NULL, "caps/overflow", "lcofi" },
	{ "fixed_counters_alone_that_filter", { .no_hpm = true, .smcntrpmf = 5, .quirks = OPENSBI_NEW }, 0, "sampling by timer (no programmable counter)", "caps/overflow", "timer" },
	{ "fixed_counters_alone_that_are_only_read", { .no_hpm = true, .quirks = OPENSBI_NEW | QUIRK(FIXED_WITHHELD) }, 0, "sampling by timer (no programmable counter)", "caps/overflow", "timer" },
	{ "sscofpmf_not_in_device_tree", { .isa = "", .cpus = 2, .prepare = hidden_sscofpmf }, 0, NULL, "caps/overflow", "lcofi" },
	{ "sscofpmf_of_one_cpu", { .isa = "", .cpus = 2, .prepare = half_sscofpmf }, 0, "no Sscofpmf", "caps/overflow", "timer" },
	{ "sscofpmf_of_the_kind_that_is_used", { .isa = "", .cpus = 2, TWO_KINDS, .prepare = half_sscofpmf }, 0, NULL, "caps/overflow", "lcofi" },
	/* other PMUs */
	{ "shared", { .other = "cpu" }, 0, "shared with PMU cpu, sampling by timer (the other PMU has the interrupt)", "events/hw_cycles", "event=0x1,firmware=0x1" },
	{ "shared_has_no_cpus", { .other = "cpu" }, 0, "shared mode: an event of the other PMU is open", "cpus", NULL },
	{ "shared_by_name", { .other = "cpu", .other_leaves = true, .params = { "mode=shared" } }, 0, "shared mode: mode=shared", "caps/mode", "shared" },
	{ "taken_over", { .other = "cpu", .other_leaves = true }, 0, "exclusive (taken over from riscv_pmu_sbi, rmmod gives it back), sampling by LCOFI", "caps/mode", "exclusive" },
	{ "shared_without_kallsyms", { .other = "cpu", .other_leaves = true, .prepare = no_kallsyms }, 0, "exclusive mode needs CONFIG_KALLSYMS", "caps/mode", "shared" },
	{ "shared_if_kvm_is_loaded", { .other = "cpu", .other_leaves = true, .isa = " sscofpmf h ", .prepare = kvm }, 0, "shared mode: KVM is loaded", "caps/mode", "shared" },
	{ "exclusive_is_refused", { .other = "cpu", .params = { "mode=exclusive" } }, -EBUSY, "mode=exclusive: an event of the other PMU is open" },
	{ "exclusive_alone", { .params = { "mode=exclusive" } }, 0, "exclusive, sampling by LCOFI", "caps/mode", "exclusive" },
	{ "unknown_mode", { .other = "cpu", .other_leaves = true, .params = { "mode=x" } }, -EINVAL, "mode=x: auto, exclusive and shared are known" },
	{ "fails_when_taken_over", { .other = "cpu", .other_leaves = true, .params = { "overflow=thead" } }, -EOPNOTSUPP, "no core T-Head C9xx" },
	{ "shared_in_a_vm", { .other = "cpu", .quirks = KVM }, -EBUSY, "uses this guest's counters" },
	{ "name_is_taken", { .prepare = pmu_named_cpu }, -EBUSY, "there is a PMU 'cpu' already" },
	{ "shared_name_is_taken", { .other = "sbi_pmu" }, -EBUSY, "there is a PMU 'sbi_pmu' already" },
	/* how counters are programmed */
	{ "snapshot", { .params = { "backend=snapshot" } }, 0, "read by snapshot", "caps/backend", "snapshot" },
	{ "no_snapshot", { .quirks = QUIRK(NO_SNAPSHOT), .params = { "backend=snapshot" } }, -EOPNOTSUPP, "no snapshot shared memory" },
	{ "sbi", { .params = { "backend=sbi" } }, 0, NULL, "caps/backend", "sbi" },
	{ "unknown_backend", { .params = { "backend=x" } }, -EINVAL, "are known" },
	{ "csr", { .delegated = true, .params = { "backend=csr" } }, 0, "delegated counters", "caps/backend", "csr" },
	{ "csr_without_delegation", { .params = { "backend=csr" } }, -EOPNOTSUPP, "backend=csr: " },
	{ "csr_in_a_vm", { .quirks = KVM, .params = { "backend=csr" } }, -EOPNOTSUPP, "of a VM" },
	{ "csr_beside_another_pmu", { .other = "cpu", .delegated = true, .params = { "backend=csr" } }, -EOPNOTSUPP, "the other PMU" },
	{ "sbi_without_a_table", { .delegated = true }, 0, NULL, "caps/backend", "sbi" },
	{ "sbi_if_events_stick", { .hpm = 29, .delegated = true, .prepare = sticky, .params = { "xiangshan=v3" } }, 0, NULL, "caps/backend", "sbi" },
	{ "csr_by_table", { .hpm = 29, .delegated = true, .quirks = QUIRK(NO_SNAPSHOT), .params = { "xiangshan=v3" } }, 0, "are programmed by CSRs", "caps/backend", "csr" },
	/* the CPUs */
	{ "all_cpus", { .cpus = 2 }, 0, NULL, "cpus", "0-1" },
	{ "cpu_with_other_counters", { .cpus = 2, .prepare = other_width }, 0, "CPU 1 has other counters", "cpus", "0" },
	{ "cpu_with_fewer_counters", { .cpus = 2, .prepare = fewer_counters }, 0, "CPU 1 has other counters", "caps/hardware_counters", "6" },
	{ "eight_cpus_of_each_kind", { .cpus = 16, TWO_KINDS }, 0, "CPU 15 has another core (mvendorid, marchid) than CPU 0", "cpus", "0-7" },
	{ "insmod_on_the_other_eight_cpus", { .cpus = 16, TWO_KINDS, .prepare = on_last_cpu }, 0, "CPU 8 has another core (mvendorid, marchid) than CPU 0", "cpus", "0-7" },
	{ "insmod_migrates", { .cpus = 2, .prepare = insmod_migrates }, 0, NULL, "caps/hardware_counters", "6" },
	{ "insmod_migrates_from_other", { .cpus = 2, .prepare = insmod_migrates_from_other }, 0, "CPU 1 has other counters", "cpus", "0" },
	{ "cpu_with_other_delegation", { .cpus = 2, .delegated = true, .params = { "backend=csr" }, .prepare = other_delegation }, 0, "are not delegated as", "cpus", "0" },
	{ "cpu_without_cycle", { .cpus = 2, .quirks = QUIRK(FIXED_WITHHELD), .can = is_not_fixed, .prepare = dead_cycle }, 0, "do not run as", "cpus", "0" },
	/* reads by programs */
	{ "user_reads", {}, 0, NULL, "caps/user_read", "1" },
	{ "user_reads_with_ftrace", { .prepare = second_insn }, 0, NULL, "caps/user_read", "1" },
	{ "no_user_reads_without_kprobes", { .prepare = no_kprobes }, 0, "need CONFIG_KPROBES and CONFIG_RISCV_ISA_V", "caps/user_read", "0" },
	{ "no_user_reads_without_vectors", { .prepare = no_vectors }, 0, "need CONFIG_KPROBES and CONFIG_RISCV_ISA_V", "caps/user_read", "0" },
	{ "no_user_reads_with_lto", { .prepare = lto }, 0, "may be inlined", "caps/user_read", "0" },
	{ "no_user_reads_while_kprobes_are_off", { .prepare = kprobes_off }, 0, "kprobes are switched off", "caps/user_read", "0" },
	{ "user_reads_after_takeover", { .other = "cpu", .other_leaves = true }, 0, NULL, "caps/user_read", "1" },
	{ "no_user_reads_in_a_vm", { .quirks = KVM }, 0, NULL, "caps/user_read", "0" },
	/* cycle and instret that nobody hands out */
	{ "free_running", { .quirks = QUIRK(FIXED_WITHHELD), .can = is_not_fixed }, 0, "firmware has no counter for cycles,instructions", "caps/free_running", "cycles,instructions" },
	{ "free_running_not_if_the_other_pmu_has_all", { .no_hpm = true, .other = "cpu" }, 0, NULL, "caps/free_running", "none" },
	/* files */
	{ "format", {}, 0, NULL, "format/event", "config:0-55" },
	{ "format_of_firmware", {}, 0, NULL, "format/firmware", "config:62-63" },
	{ "format_of_counterid_mask", {}, 0, NULL, "format/counterid_mask", "config2:0-31" },
	{ "event", {}, 0, NULL, "events/cycles", "event=0x1,firmware=0x1" },
	{ "firmware_event", {}, 0, NULL, "events/fw_sfence_vma_asid_received", "event=0xd,firmware=0x2" },
	{ "no_cache_event_if_exclusive", {}, 0, NULL, "events/hw_dtlb-load-misses", NULL },
	{ "xiangshan_events", { .hpm = 29, .params = { "xiangshan=v2r2-2025", "xiangshan_all=1" } }, 0, "XiangShan events by table v2r2-2025", "events/l2_access", "event0=0x5,event1=0x11,event2=0x1d,event3=0x29,op0=0x4,op1=0x4,op2=0x4,unit=0x4" },
	{ "xiangshan_format", { .hpm = 29, .params = { "xiangshan=v3" } }, 0, NULL, "format/op2", "config:50-54" },
	{ "xiangshan_unknown_table", { .params = { "xiangshan=v4" } }, -EINVAL, "are known" },
};

static void test_case(unsigned int n)
{
	const char *text = "";
	int error;
	bool ok;

	fakesbi_seed(n + 1);
	error = boot(&cases[n].machine);
	ok = error == cases[n].error && (!cases[n].log || host_logged(cases[n].log));
	if (!error && cases[n].file) {
		text = perf_sysfs(cases[n].file);
		ok = ok && !text == !cases[n].value && (!text || !strcmp(text, cases[n].value));
	}
	if (!ok)
		note("insmod %d, file '%s', log: %s", error, text ?: "(none)", host.log);
	check(ok, "boot.%s", cases[n].name);
}

/* Each allocation and registration at load fails in turn. */
static void test_failures(const struct machine *like, const char *name)
{
	struct machine machine = *like;
	unsigned int failed = 0, bad = 0, refused = 0;
	int error;

	machine.prepare = fail_allocation;
	for (allocation = 1;; allocation++) {
		error = boot(&machine);
		if (host.alloc_fails_in)
			break;
		failed += !!error;
		refused += host_logged("perf core refuses PMU 'cpu' (-12)");
		if (error > 0 || error < -ENOSPC - 100 || (!error && !perf_core.pmu))
			bad++;
		if (!unload()) {
			note("without allocation %u: %s", allocation, host.log);
			bad++;
		}
	}
	note("%s: %u of %u ends the load", name, failed, allocation - 1);
	check(refused && !host_logged("perf core refuses"), "boot.%s_says_if_perf_core_refuses", name);
	check(failed > 3 && !bad, "boot.%s_leaves_nothing_if_an_allocation_fails", name);
}

static unsigned int reads_to_delay;

static void is_delayed(void)
{
	fast();
	host.slow_read = reads_to_delay;
}

/* The host of a VM runs something else while the counters are looked at; in QEMU they go on. */
static void test_delay(const char *name, u64 quirks)
{
	struct perf_event *e;
	bool right = true;

	for (reads_to_delay = 1;; reads_to_delay++) {
		boot(&(struct machine){ .quirks = quirks, .prepare = is_delayed });
		if (host.slow_read)
			break;
		host.clock_ns = host.read_ns = host.call_ns = 0;
		e = open_own(STANDARD_EVENT(1));
		for (unsigned int ns = 1000; ns; ns /= 2) {
			perf_run(ns);
			right = is_right(e) && right;
		}
	}
	note("%s: %u reads at load", name, reads_to_delay - 1);
	check(right && reads_to_delay > 2, "boot.%s_counts_after_a_delay_at_load", name);
}

static void test_give_back(void)
{
	static const struct machine taken = { .other = "cpu", .other_leaves = true };

	boot(&taken);
	host.irq_taken = true;
	unload();
	check(host_logged("riscv_pmu_sbi has come back without its interrupt"),
	      "boot.says_if_other_driver_is_back_without_interrupt");
	boot(&taken);
	host.other_fails = true;
	unload_unchecked();
	check(host_logged("riscv_pmu_sbi has not come back"),
	      "boot.says_if_other_driver_is_not_back");
	host.other_fails = false;
	host.log[0] = host.logged = 0;
	boot_again();
	check(host_logged("exclusive (taken over from riscv_pmu_sbi, rmmod gives it back)"),
	      "boot.next_load_is_as_after_takeover");
	unload();
	check(perf_core_other_is_back(), "boot.next_unload_tries_again");
}

/* Names of static variables need not be unique: what is found is neither locked nor written. */
static void test_symbols_twice(void)
{
	static const char *const names[] = {
		"sysctl_lock", "sysctl_table_root", "sysctl_perf_user_access",
		"check_std_events_work", "sbi_pmu_snapshot_available",
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(names); i++) {
		symbol = names[i];
		boot(&(struct machine){ .other = "cpu", .other_leaves = true, .prepare = symbol_twice });
		check(host_logged("shared mode: the kernel has no names of its variables, or has one twice"),
		      "boot.%s_twice_is_shared", symbol);
		boot(&(struct machine){ .prepare = symbol_twice });
		check(host_logged("exclusive, sampling"), "boot.%s_twice_without_other_driver", symbol);
	}
}

static void look_at(const struct attribute_group **groups, unsigned int *files, unsigned int *bad)
{
	char path[96];

	for (; groups && *groups; groups++) {
		for (int i = 0; (*groups)->attrs[i]; i++) {
			const char *text;

			snprintf(path, sizeof(path), "%s%s%s", (*groups)->name ?: "",
				 (*groups)->name ? "/" : "", (*groups)->attrs[i]->name);
			text = perf_sysfs(path);
			*files += !!text;
			*bad += text && (!*text || (*groups)->attrs[i]->mode != 0444);
		}
	}
}

static unsigned int times_logged(const char *text)
{
	unsigned int n = 0;

	for (const char *at = host.log; (at = strstr(at, text)); at++)
		n++;
	return n;
}

static void four_without(void)
{
	for (unsigned int i = 5; i < 9; i++)
		fakesbi_harts[i].end = 0;
}

static void later(void)		{ cpumask_clear_cpu(2, cpu_online_mask); }

/* Each kind of core has a PMU, which counts and samples on its CPUs in its own way. */
static void test_kinds(void)
{
	static const struct {
		const char *what;
		struct machine machine;
		const char *name, *cpus, *overflow; /* of the second */
	} kinds[] = {
		{ "both_by_interrupt", { .cpus = 4, TWO_KINDS }, "cpu_a100", "2-3", "lcofi" },
		{ "one_by_interrupt", { .isa = "", .cpus = 4, TWO_KINDS, .prepare = hidden_sscofpmf },
		  "cpu_a100", "2-3", "timer" },
		{ "one_without_what_is_asked_for", { .isa = "", .cpus = 4, TWO_KINDS,
		  .params = { "overflow=lcofi" }, .prepare = hidden_sscofpmf }, "cpu_a100", "2-3", "none" },
		{ "one_delegated", { .cpus = 2, .delegated = true, .params = { "backend=csr" },
		  .prepare = other_delegation }, "cpu_1", "1", "lcofi" },
		{ "three", { .cpus = 4, TWO_KINDS, .prepare = third_kind }, "cpu_a100", "2", "lcofi" },
	};
	struct perf_event_attr attr = { .config = 5 };
	struct perf_event *first, *e;
	struct pmu *other;
	int error;

	for (unsigned int i = 0; i < ARRAY_SIZE(kinds); i++) {
		boot(&kinds[i].machine);
		other = perf_core.pmus[1] ?: perf_core.pmu;
		check(times_logged("is that of CPUs") == 1 + !!perf_core.pmus[2] &&
		      !host_logged("PMU cpu is that of CPUs"),
		      "kinds.%s_say_whose_the_others_are", kinds[i].what);
		attr.type = other->type;
		attr.sample_period = strcmp(kinds[i].overflow, "none") ? 10000 : 0;
		first = open_sampler(5, 10000);
		e = perf_open(&attr, NULL, hweight64(host.online.bits) / 2, NULL, &error);
		perf_run(20000000);
		check(is_sampled(first, 100) && is_right(first) && is_right(e) &&
		      (!attr.sample_period || is_sampled(e, 11000000)) &&
		      !strcmp(other->name, kinds[i].name) &&
		      !strcmp(perf_sysfs_of(other, "cpus"), kinds[i].cpus) &&
		      !strcmp(perf_sysfs_of(other, "caps/backend"), "sbi") &&
		      !strcmp(perf_sysfs_of(other, "caps/overflow"), kinds[i].overflow) &&
		      !perf_open(&attr, NULL, 0, NULL, &error) && error == -ENOENT,
		      "kinds.%s_count_and_sample_there", kinds[i].what);
	}
	check(!strcmp(perf_core.pmus[2]->name, "cpu_3"), "kinds.name_that_is_taken_is_a_number");
	check(strstr(host_debugfs("counters"), "\n2 3 0xc03/64 0x20000 0x5"), "kinds.debugfs_shows_all");
	first = open_own(5);
	check(!perf_open(&attr, current, -1, first, &error) && error == -EINVAL,
	      "kinds.group_of_two_is_einval");
	e = open_task(&attr);
	check(e && !(e->hw.flags & PERF_EVENT_FLAG_USER_READ_CNT),
	      "kinds.counter_that_no_page_shows_is_not_opened");

	/* CPUs 5 to 8 are a kind without counters, 9 is another one. */
	boot(&(struct machine){ .cpus = 10, TWO_KINDS, .prepare = four_without });
	check(times_logged("firmware offers no counters") == 1 &&
	      times_logged("no PMU for the kind of CPU") == 1,
	      "kinds.one_that_cannot_be_used_is_probed_once");
	check(!strcmp(perf_core.pmus[1]->name, "cpu_a100") &&
	      !strcmp(perf_sysfs_of(perf_core.pmus[1], "cpus"), "9") &&
	      !perf_open(GENERAL(0), NULL, 6, NULL, &error) && error == -ENODEV,
	      "kinds.one_that_cannot_be_used_has_no_pmu_and_no_name");
	host.log[0] = host.logged = 0;
	perf_hotplug(6, false);
	perf_hotplug(6, true);
	check(host_logged("CPU 6 has another core (mvendorid, marchid) than CPU 0, which was probed: no events of PMU cpu on"),
	      "kinds.hotplug_says_that_a_cpu_has_no_events");

	boot(&(struct machine){ .cpus = 4, TWO_KINDS, .prepare = others_record });
	check(perf_open(GENERAL(0, .sample_period = 10000, .branch_sample_type = USER_BRANCHES,
				.sample_type = PERF_SAMPLE_BRANCH_STACK), NULL, 2, NULL, &error),
	      "kinds.event_of_a_cpu_needs_nothing_of_another_kind");
	host.log[0] = host.logged = 0;
	perf_hotplug(3, false);
	perf_hotplug(3, true);
	check(!host.logged, "kinds.hotplug_says_nothing");
	perf_hotplug(3, false);
	fakesbi_harts[3].end = 5;
	perf_hotplug(3, true);
	check(host_logged("CPU 3 has other counters than CPU 2, which was probed: no events of PMU cpu_a100 on"),
	      "kinds.hotplug_says_how_a_cpu_differs_from_before");
	perf_hotplug(2, false);
	attr = (struct perf_event_attr){ .type = perf_core.pmus[1]->type, .config = 9 };
	check(!perf_open(&attr, current, -1, NULL, &error) && error == -ENODEV,
	      "kinds.new_event_of_one_that_is_offline_is_enodev");

	boot(&(struct machine){ .cpus = 3, TWO_KINDS, .prepare = later });
	perf_hotplug(2, true);
	check(!perf_core.pmus[1] && !strcmp(perf_sysfs("cpus"), "0-1") &&
	      !perf_open(GENERAL(0), NULL, 2, NULL, &error) && error == -ENODEV,
	      "kinds.cpu_of_a_kind_that_comes_later_is_left_out");
}

/* All files in sysfs and debugfs can be read, while events count. */
static void test_files(void)
{
	static const struct machine machines[] = {
		{ .params = { "backend=snapshot" } }, { .other = "cpu" },
		{ .hpm = 29, .delegated = true, .params = { "xiangshan=v3", "xiangshan_all=1" } },
	};
	static const char *const names[] = { "counters", "events", "overflow", "sbi_calls",
					     "unfiltered", "user_access" };
	char line[192];

	for (unsigned int m = 0; m < ARRAY_SIZE(machines); m++) {
		unsigned int files = 0, bad = 0;

		boot(&machines[m]);
		open_raw(5);
		open_raw(FIRMWARE_EVENT(5));
		look_at(perf_core.pmu->attr_groups, &files, &bad);
		look_at(perf_core.pmu->attr_update, &files, &bad);
		note("%u files", files);
		check(files > 40 && !bad, "boot.all_can_read_text_in_sysfs_%u", m);
		bad = 0;
		for (unsigned int i = 0; i < ARRAY_SIZE(names); i++)
			bad += !strchr(host_debugfs(names[i]), '\n');
		check(!bad, "boot.files_in_debugfs_have_text_%u", m);
		snprintf(line, sizeof(line), " snapshot_shmem\n0 %lu %lu %lu %lu %lu %lu %lu %lu\n1 ",
			 calls(0), calls(1), calls(2), calls(3), calls(4), calls(5), calls(6),
			 calls(7));
		check(strstr(host_debugfs("sbi_calls"), line),
		      "boot.debugfs_shows_calls_of_first_cpu_%u", m);
		host.alloc_fails_in = 1;
		check(!strcmp(host_debugfs("counters"), "-12"), "boot.debugfs_without_memory_is_enomem_%u", m);
		check(strstr(host_debugfs("counters"), " 0x5 ") &&
		      !strstr(host_debugfs("counters"), "refused") &&
		      strstr(host_debugfs("counters"), "firmware 0xf0005"),
		      "boot.debugfs_shows_counters_in_use_%u", m);
	}
}

void test_boot(void)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(cases); n++)
		test_case(n);
	test_failures(&(struct machine){}, "lcofi");
	test_failures(&(struct machine){ .params = { "backend=snapshot" } }, "snapshot");
	test_failures(&(struct machine){ .params = { "xiangshan=v3" } }, "xiangshan");
	test_failures(&(struct machine){ .other = "cpu", .other_leaves = true }, "takeover");
	test_failures(&(struct machine){ .delegated = true, .params = { "backend=csr" } }, "csr");
	test_failures(&(struct machine){ .cpus = 2, TWO_KINDS }, "two_kinds");
	test_delay("guest", KVM);
	test_delay("guest_of_6_12", KVM_OLD);
	test_give_back();
	test_symbols_twice();
	test_files();
	test_kinds();
}
