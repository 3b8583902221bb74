/* SPDX-License-Identifier: GPL-2.0-only */
/* vendor: what a vendor's cores add. */
#ifndef SBI_PMU_VENDOR_H
#define SBI_PMU_VENDOR_H

#include "sbi_pmu.h"

/* A vendor's support; a function other than @match may be NULL */
struct sbi_pmu_vendor {
	/*
	 * is this for the machine, by module parameters, device tree and ids? Log what prevents
	 * it; @data is passed to the others. Return: 0, -ENODEV if it is not for this machine,
	 * another errno if the module must not load. May sleep.
	 */
	int (*match)(const struct sbi_pmu_firmware_id *id, void **data);
	/*
	 * encode @config of a raw event into @code's data and csrs. Return: 0 or -EINVAL.
	 */
	int (*encode)(const void *data, u64 config, struct sbi_pmu_code *code);
	/* does a counter count this event in all privilege modes, whatever filter it has? */
	bool (*ignores_filters)(const void *data, const struct sbi_pmu_code *code);
	/*
	 * encode the event that counts as standard event @idx into @code's data and csrs, for
	 * counters that are programmed without firmware. Return: is there one?
	 */
	bool (*standard)(const void *data, u32 idx, struct sbi_pmu_code *code);
	/*
	 * replace standard event @code, which firmware is known to map wrongly, by an event of the
	 * core. Return: 0, also if nothing is known; -ENOENT if no event counts it.
	 */
	int (*correct)(const void *data, struct sbi_pmu_code *code);
	/* replace an event that no counter can filter so; what replaces it is probed after */
	bool (*substitute)(const void *data, struct sbi_pmu_code *code);
	/*
	 * formats, events, caps; support of events can be asked. Sets event_table and slots of
	 * @pmu's caps. Return: NULL: no memory. May sleep.
	 */
	const struct attribute_group **(*attribute_groups)(struct sbi_pmu *pmu, void *data);
	void (*log)(struct sbi_pmu *pmu, void *data); /* what was found and chosen; may sleep */
	void (*remove)(void *data);                   /* free all */
};

/* Ends with NULL; vendor/cores.c */
extern const struct sbi_pmu_vendor * const sbi_pmu_vendors[];

#endif
