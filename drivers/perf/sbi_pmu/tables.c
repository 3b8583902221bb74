// SPDX-License-Identifier: GPL-2.0-only
#include "tables.h"

/* A value in the place of a config field, in a constant expression. */
#define AT(_field, _value)	((u64)(_value) * ((_field) & -(_field)))

#define OR	0
#define ADD2	AT(SBI_PMU_CFG_OP0, SBI_PMU_OP_ADD)
#define ADD3	(ADD2 | AT(SBI_PMU_CFG_OP1, SBI_PMU_OP_ADD) | AT(SBI_PMU_CFG_OP2, SBI_PMU_OP_ADD))
#define ADD4	ADD3

#define EVENT(_name, _unit, _op, _e0, _e1, _e2, _e3)					\
	{										\
		.name = _name,								\
		.config = AT(SBI_PMU_CFG_UNIT, _unit) | (_op) |				\
			  AT(SBI_PMU_CFG_EVENT0, _e0) | AT(SBI_PMU_CFG_EVENT1, _e1) |	\
			  AT(SBI_PMU_CFG_EVENT2, _e2) | AT(SBI_PMU_CFG_EVENT3, _e3),	\
	}

#define TABLE(_name, _names, _frontend, _backend, _memory, _cache)			\
	{										\
		.name = _name, .names = _names, .total = ARRAY_SIZE(_names),		\
		.bits = { 8, _frontend, _backend, _memory, _cache },			\
	}

#include "tables.inc"

/* The @n-th of all tables; NULL past the last. */
const struct sbi_pmu_table *sbi_pmu_table_nth(unsigned int n)
{
	return n < ARRAY_SIZE(tables) ? &tables[n] : NULL;
}

const struct sbi_pmu_table *sbi_pmu_table_find(const char *name)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(tables); n++)
		if (!strcmp(tables[n].name, name))
			return &tables[n];
	return NULL;
}

/* The config of an event of @table; 0, which is none, if it has no such name. */
u64 sbi_pmu_table_config(const struct sbi_pmu_table *table, const char *name)
{
	for (unsigned int n = 0; n < table->total; n++)
		if (!strcmp(table->names[n].name, name))
			return table->names[n].config;
	return 0;
}

/* ---- which ---- */

#define ARCH_XIANGSHAN	25
#define VENDOR_BOSC	0x86f

/* What can be told from the core's own registers, which is not much. */
static void choose_by_core(const struct sbi_pmu_core *core, struct sbi_pmu_choice *choice)
{
	if (core->arch != ARCH_XIANGSHAN)
		return;
	if (core->vendor != VENDOR_BOSC) {
		choice->why = "cores with this mvendorid have had three different ones";
	} else if (core->smcntrpmf) {
		choice->table = sbi_pmu_table_find("v3");
		choice->why = "mvendorid 0x86f, Smcntrpmf";
	} else {
		/* That nobody has listed the extension does not mean that it is not there. */
		choice->why = "V2, and V3 where nobody says Smcntrpmf, look alike";
	}
}

/**
 * sbi_pmu_table_choose - which table a core has
 * @wish: auto, off, or a table's name
 * @core: what is known of it
 * @choice: the answer
 *
 * A wrong table gives plausible numbers of other events, so where there is doubt
 * there is no table. The device tree's word counts whatever the core says: who
 * wrote that knows which events its firmware maps.
 *
 * Return: 0, -EINVAL if @wish is none of these.
 */
int sbi_pmu_table_choose(const char *wish, const struct sbi_pmu_core *core,
			 struct sbi_pmu_choice *choice)
{
	memset(choice, 0, sizeof(*choice));
	if (!strcmp(wish, "off"))
		return 0;
	if (strcmp(wish, "auto")) {
		choice->table = sbi_pmu_table_find(wish);
		choice->why = "asked for";
		return choice->table ? 0 : -EINVAL;
	}
	if (!core->stated) {
		choose_by_core(core, choice);
		return 0;
	}
	choice->table = sbi_pmu_table_find(core->stated);
	choice->why = choice->table ? "the device tree says so" :
		      "the device tree names one that is not known here";
	return 0;
}

/* ---- is it the right one? ---- */

/* The config of an event that happens on every cycle if @table is the core's. */
u64 sbi_pmu_table_witness(const struct sbi_pmu_table *table, unsigned int n)
{
	static const char * const names[SBI_PMU_WITNESSES] = {
		[SBI_PMU_WITNESS_MEMORY] = "cycles_memory",
		[SBI_PMU_WITNESS_BACKEND] = "cycles_backend",
	};

	return sbi_pmu_table_config(table, names[n]);
}

static int seat(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	int ret = sbi_pmu_user_attach(slots, user);

	if (!ret)
		ret = sbi_pmu_user_start(slots, user);
	/* Where counters rest until all is done. */
	sbi_pmu_slots_arm(slots);
	return ret;
}

/* The cycle counter, and the first witness: what a clock says that may stand still. */
enum { BY_CYCLES, BY_WITNESS, CLOCKS };

static u64 counted(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user)
{
	sbi_pmu_user_update(slots, user);
	return user->pending;
}

static void look(struct sbi_pmu_slots *slots, struct sbi_pmu_user *user, u64 clock[CLOCKS])
{
	if (slots->read_csr(SBI_PMU_CSR_CYCLE, &clock[BY_CYCLES]))
		clock[BY_CYCLES] = 0;
	clock[BY_WITNESS] = counted(slots, user);
}

/* Nothing but reads of counters: a call may take firmware any time. */
static void measure_running(struct sbi_pmu_slots *slots,
			    struct sbi_pmu_user user[SBI_PMU_WITNESSES], void (*wait)(void),
			    struct sbi_pmu_measure *measure)
{
	u64 first[CLOCKS], begin[CLOCKS], end[CLOCKS], last[CLOCKS];
	unsigned int n, by;

	look(slots, user, first);
	for (n = 0; n < SBI_PMU_WITNESSES; n++)
		measure->witness[n] = counted(slots, &user[n]);
	look(slots, user, begin);
	wait();
	look(slots, user, end);
	for (n = 0; n < SBI_PMU_WITNESSES; n++)
		measure->witness[n] = counted(slots, &user[n]) - measure->witness[n];
	look(slots, user, last);

	measure->cycles = begin[BY_CYCLES] != end[BY_CYCLES];
	by = measure->cycles ? BY_CYCLES : BY_WITNESS;
	measure->least = end[by] - begin[by];
	measure->most = last[by] - first[by];
}

/**
 * sbi_pmu_table_measure - count the witnesses, and cycles beside them
 * @slots: this hart's, no event on them
 * @code: the witnesses
 * @can: counters that can hold them
 * @wait: lets some time pass
 * @measure: what was counted; written on success
 *
 * The cycle counter is read as it is: an event "cycles" may be one of the
 * witnesses, by the firmware's device tree, and would say that it is right.
 *
 * Context: on the hart, interrupts off.
 * Return: 0, or why there is no counter.
 */
int sbi_pmu_table_measure(struct sbi_pmu_slots *slots,
			  const struct sbi_pmu_code code[SBI_PMU_WITNESSES],
			  const struct sbi_pmu_mask can[SBI_PMU_WITNESSES],
			  void (*wait)(void), struct sbi_pmu_measure *measure)
{
	struct sbi_pmu_user user[SBI_PMU_WITNESSES];
	unsigned int n;
	int ret = 0;

	for (n = 0; n < SBI_PMU_WITNESSES; n++)
		sbi_pmu_user_init(&user[n], &code[n], &can[n]);
	for (n = 0; n < SBI_PMU_WITNESSES && !ret; n++)
		ret = seat(slots, &user[n]);
	if (!ret)
		measure_running(slots, user, wait, measure);
	for (n = 0; n < SBI_PMU_WITNESSES; n++)
		sbi_pmu_user_detach(slots, &user[n]);
	sbi_pmu_slots_release_idle(slots);
	return ret;
}

/**
 * sbi_pmu_table_verdict - could this be the core's table?
 * @measure: what was counted
 *
 * Each witness was looked at between two looks at the clock, so it can be held against
 * both, however long the hart was held up (a virtual one, mostly); if for too long it
 * would be as many whatever it counts: a wrong event may happen on 6 cycles of 5. An
 * eighth more or less is for modes left out.
 *
 * With a cycle counter that stands still, the witnesses, which are of two units, have
 * nothing but each other.
 */
enum sbi_pmu_verdict sbi_pmu_table_verdict(const struct sbi_pmu_measure *measure)
{
	const u64 least = measure->least, most = measure->most;

	if (!most)
		return SBI_PMU_WRONG;
	if (most - least > least / 32)
		return SBI_PMU_UNCLEAR;
	for (unsigned int n = 0; n < SBI_PMU_WITNESSES; n++)
		if (measure->witness[n] < least - least / 8 ||
		    measure->witness[n] > most + most / 8)
			return SBI_PMU_WRONG;
	return SBI_PMU_PLAUSIBLE;
}
