/* SPDX-License-Identifier: GPL-2.0-only */
/* vendor: what is known of the core's events beyond what firmware says, by a table of them. */
#ifndef SBI_PMU_VENDOR_H
#define SBI_PMU_VENDOR_H

#include "sbi_pmu.h"

/*
 * The table of the core, by module parameters, device tree and ids; an empty one if it is unknown.
 * The log says what prevents it. Return: 0, or an errno if the module must not load. May sleep.
 */
int sbi_pmu_table_find(const struct sbi_pmu_firmware_id *id, struct sbi_pmu_table **table);
/* Encode @config of a raw event into @code's data and csrs. Return: 0 or -EINVAL. */
int sbi_pmu_table_encode(const struct sbi_pmu_table *table, u64 config, struct sbi_pmu_code *code);
/* Does a counter count this event in all privilege modes, whatever filter it has? */
bool sbi_pmu_table_ignores_filters(const struct sbi_pmu_table *table,
				   const struct sbi_pmu_code *code);
/*
 * Encode the event that counts as standard event @idx into @code's data and csrs, for counters that
 * are programmed without firmware. Return: is there one?
 */
bool sbi_pmu_table_standard(const struct sbi_pmu_table *table, u32 idx, struct sbi_pmu_code *code);
/*
 * Replace standard event @code, which firmware is known to map wrongly, by an event of the core.
 * Return: 0, also if nothing is known; -ENOENT if no event counts it.
 */
int sbi_pmu_table_correct(const struct sbi_pmu_table *table, struct sbi_pmu_code *code);
/* Replace an event that no counter can filter so; what replaces it is probed after. */
bool sbi_pmu_table_substitute(const struct sbi_pmu_table *table, struct sbi_pmu_code *code);
/*
 * Formats, events, caps; support of events can be asked. Sets event_table and slots of @pmu's caps.
 * Return: NULL: no memory. May sleep.
 */
const struct attribute_group **sbi_pmu_table_attribute_groups(struct sbi_pmu *pmu);
void sbi_pmu_table_log(struct sbi_pmu *pmu); /* what was found and chosen; may sleep */
void sbi_pmu_table_free(struct sbi_pmu_table *table);

#endif
