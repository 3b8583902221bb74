/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vendor: what a vendor's cores add: names of events, an encoding of raw events, which
 * counters can hold them, and events that count what no other counter can.
 */
#ifndef SBI_PMU_VENDOR_H
#define SBI_PMU_VENDOR_H

#include "event_code.h"
#include "inventory.h"

struct attribute_group;
struct sbi_pmu;

/*
 * A vendor's support
 *
 * Host-testable files use @encode, @candidates and @substitute. A function other than @match
 * may be NULL.
 */
struct sbi_pmu_vendor {
	/*
	 * decide from module parameters, device tree and ids whether this is for the machine,
	 * and log what prevents it; @data is passed to the other functions. Return: 0, -ENODEV
	 * if it is not for this machine, another errno if the module must not load. May sleep.
	 */
	int (*match)(void **data);
	/* encode @config of a raw event into @code's data and unit. Return: 0 or -EINVAL. */
	int (*encode)(const void *data, u64 config, struct sbi_pmu_event_code *code);
	/* the counters that can hold an event of @unit */
	struct sbi_pmu_mask (*candidates)(const struct sbi_pmu_inventory *inv, u32 unit);
	/*
	 * replace an event that no counter can count with these filters by one of the core that
	 * counts the same with them. Return: is there one? Support of it is checked after.
	 */
	bool (*substitute)(const void *data, struct sbi_pmu_event_code *code);
	/*
	 * the slots of a cycle: how many micro-ops it can have at most. NULL, or 0: not
	 * known
	 */
	unsigned int (*slots)(const void *data);
	/*
	 * make attribute groups for perf core: formats, events, caps; called when support of
	 * events can be asked. Return: NULL without memory. May sleep.
	 */
	const struct attribute_group **(*attribute_groups)(struct sbi_pmu *pmu, void *data);
	/* say in the log what was found and chosen. May sleep. */
	void (*log)(struct sbi_pmu *pmu, void *data);
	void (*remove)(void *data); /* free all */
	bool loses_irqs;            /* cores lose overflow interrupts: look for them often */
};

/* Ends with NULL; vendor/vendors.c */
extern const struct sbi_pmu_vendor * const sbi_pmu_vendors[];

#endif
