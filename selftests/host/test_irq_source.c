// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_irq_source: which overflow interrupt a core has, and where its bits are. The numbers are
 * those of the privileged specification and of the vendors' manuals.
 */
#include "test.h"

#define THEAD	0x5b7
#define ANDES	0x31e

static bool is_named(const struct sbi_pmu_irq_source *source, const char *name)
{
	return source && !strcmp(source->name, name);
}

static bool is_of(struct sbi_pmu_irq_ids ids, const char *name)
{
	return is_named(sbi_pmu_irq_source_of(&ids), name);
}

static bool has_none(struct sbi_pmu_irq_ids ids)
{
	return !sbi_pmu_irq_source_of(&ids);
}

static void test_found(void)
{
	check(has_none((struct sbi_pmu_irq_ids){}), "irq_source.none_without_extension_or_id");
	check(is_of((struct sbi_pmu_irq_ids){ .sscofpmf = true }, "lcofi"),
	      "irq_source.sscofpmf_is_lcofi");
	check(is_of((struct sbi_pmu_irq_ids){ .mvendorid = THEAD }, "thead"),
	      "irq_source.thead_c9xx_by_ids");
	check(has_none((struct sbi_pmu_irq_ids){ .mvendorid = THEAD, .marchid = 1 }) &&
		      has_none((struct sbi_pmu_irq_ids){ .mvendorid = THEAD, .mimpid = 1 }),
	      "irq_source.other_thead_cores_have_none");
	check(is_of((struct sbi_pmu_irq_ids){ .mvendorid = THEAD, .sscofpmf = true }, "lcofi"),
	      "irq_source.thead_with_sscofpmf_is_lcofi");
	check(is_of((struct sbi_pmu_irq_ids){ .mvendorid = ANDES, .xandespmu = true }, "andes"),
	      "irq_source.xandespmu_is_andes");
	check(has_none((struct sbi_pmu_irq_ids){ .mvendorid = ANDES }),
	      "irq_source.andes_without_xandespmu_has_none");
}

static void test_named(void)
{
	check(is_named(sbi_pmu_irq_source_named("lcofi"), "lcofi") &&
		      is_named(sbi_pmu_irq_source_named("thead"), "thead") &&
		      is_named(sbi_pmu_irq_source_named("andes"), "andes"),
	      "irq_source.found_by_name");
	check(!sbi_pmu_irq_source_named("timer") && !sbi_pmu_irq_source_named("auto") &&
		      !sbi_pmu_irq_source_named(""),
	      "irq_source.other_names_are_no_source");
}

/* @at: hwirq, CSRs of overflow, pending and enable bits, the bit */
static bool is_at(const char *name, const unsigned int at[5])
{
	const struct sbi_pmu_irq_source *s = sbi_pmu_irq_source_named(name);

	return s->hwirq == at[0] && s->overflow == at[1] && s->pending == at[2] &&
	       s->enable == at[3] && s->mask == BIT(at[4]);
}

static void test_numbers(void)
{
	check(is_at("lcofi", (unsigned int[]){ 13, 0xda0, 0x144, 0x104, 13 }),
	      "irq_source.lcofi_numbers");
	check(is_at("thead", (unsigned int[]){ 17, 0x5c5, 0x144, 0x104, 17 }),
	      "irq_source.thead_numbers");
	check(is_at("andes", (unsigned int[]){ 274, 0x9d4, 0x9c5, 0x9c4, 18 }),
	      "irq_source.andes_numbers");
	check(sbi_pmu_irq_source_named("lcofi")->filters &&
		      !sbi_pmu_irq_source_named("thead")->filters &&
		      sbi_pmu_irq_source_named("andes")->filters,
	      "irq_source.thead_cannot_filter");
}

void test_irq_source(void)
{
	test_found();
	test_named();
	test_numbers();
}
