// SPDX-License-Identifier: GPL-2.0-only
/*
 * test_model: the firmware model answers as the PMU chapter of the SBI
 * specification says. Tables of calls, in order, and what each returns.
 */
#include "test.h"

#define NUM		SPEC_FID_NUM_COUNTERS
#define INFO		SPEC_FID_COUNTER_INFO
#define CONFIG		SPEC_FID_CONFIG_MATCHING
#define START		SPEC_FID_START
#define STOP		SPEC_FID_STOP
#define READ		SPEC_FID_FW_READ
#define READ_HI		SPEC_FID_FW_READ_HI
#define SHMEM		SPEC_FID_SNAPSHOT_SHMEM
#define EVENTS		SPEC_FID_EVENT_INFO

#define OK		SPEC_OK
#define UNSUPPORTED	SPEC_ERR_NOT_SUPPORTED
#define INVALID		SPEC_ERR_INVALID_PARAM
#define ADDRESS		SPEC_ERR_INVALID_ADDRESS
#define STARTED		SPEC_ERR_ALREADY_STARTED
#define STOPPED		SPEC_ERR_ALREADY_STOPPED
#define NO_SHMEM	SPEC_ERR_NO_SHMEM

#define SKIP		SPEC_CFG_SKIP_MATCH
#define CLEAR		SPEC_CFG_CLEAR_VALUE
#define AUTO		SPEC_CFG_AUTO_START
#define SET		SPEC_START_SET_INIT
#define RESET		SPEC_STOP_RESET
#define ALL_ONES	(~0ULL)
#define HW		0x1fdULL	/* cycle, instret, hpmcounter3-8 */
#define FIRMWARE	0xe00ULL	/* 9 to 11 */

/* A call, with 64-bit arguments whole; value only counts if error is 0. */
struct row {
	const char *what;
	unsigned int fid;
	u64 arg[5];
	long error;
	u64 value;
};

/* Which of a function's arguments takes two registers on RV32. */
static int wide_arg(unsigned int fid)
{
	switch (fid) {
	case CONFIG:
		return 4;
	case START:
		return 3;
	case SHMEM:
	case EVENTS:
		return 0;
	default:
		return -1;
	}
}

static struct sbiret ask(unsigned int fid, const u64 from[5])
{
	const int wide = wide_arg(fid);
	unsigned long arg[SBI_PMU_ARGS] = {};
	unsigned int n = 0;

	for (int i = 0; i < 5 && n < SBI_PMU_ARGS; i++) {
		arg[n++] = from[i];
		if (i != wide)
			continue;
		/* An address has an upper half, which is 0 on RV64. */
		if (wide == 0)
			arg[n++] = from[i] == ALL_ONES ? ALL_ONES : 0;
	}
	return fakesbi_call(fid, arg);
}

static void ask_all(const struct row *row, unsigned int n)
{
	for (; n; n--, row++) {
		struct sbiret ret = ask(row->fid, row->arg);

		check(ret.error == row->error && (ret.error || (u64)ret.value == row->value),
		      "FID %u: %s (%ld %#llx)", row->fid, row->what, ret.error,
		      (unsigned long long)ret.value);
	}
}

#define ASK(rows)	ask_all(rows, ARRAY_SIZE(rows))
#define ASK1(fid, ...)	ask(fid, (const u64 [5]) { __VA_ARGS__ })

static void answers_info(void)
{
	const struct row rows[] = {
		{ "their number, not their end", NUM, {}, OK, 11 },
		{ "cycle, 64 bits", INFO, { 0 }, OK, 63 << 12 | 0xc00 },
		{ "a gap", INFO, { 1 }, INVALID, 0 },
		{ "instret", INFO, { 2 }, OK, 63 << 12 | 0xc02 },
		{ "hpmcounter8, 48 bits", INFO, { 8 }, OK, 47 << 12 | 0xc08 },
		{ "a firmware counter", INFO, { 9 }, OK, 1ULL << 63 },
		{ "past the last", INFO, { 12 }, INVALID, 0 },
		{ "far past it", INFO, { ALL_ONES }, INVALID, 0 },
		{ "no such function", 9, {}, UNSUPPORTED, 0 },
		{ "no such function", ~0U, {}, UNSUPPORTED, 0 },
	};

	fakesbi_reset(6, 3, 48);
	ASK(rows);
	check(!fakesbi.broken, "asking breaks no rule");
}

static void answers_config_sets(void)
{
	static const struct row rows[] = {
		{ "no counter offered", CONFIG, { 0, 0, 0, 1 }, INVALID, 0 },
		{ "a gap among them", CONFIG, { 0, HW | 2, 0, 1 }, INVALID, 0 },
		{ "past the last", CONFIG, { 0, HW | 1 << 12, 0, 1 }, INVALID, 0 },
		{ "base past the last", CONFIG, { 12, 1, 0, 1 }, INVALID, 0 },
		{ "base at the end", CONFIG, { ALL_ONES, 1, 0, 1 }, INVALID, 0 },
		{ "base and bit come round to 0", CONFIG, { ALL_ONES, 2, 0, 1 }, INVALID, 0 },
		{ "base and bit come round to 2", CONFIG, { ALL_ONES, 8, 0, 1 }, INVALID, 0 },
		{ "a reserved flag", CONFIG, { 0, HW, 0x100, 1 }, INVALID, 0 },
		{ "the last reserved flag", CONFIG, { 0, HW, 1ULL << 63, 1 }, INVALID, 0 },
		{ "cycles on cycle", CONFIG, { 0, HW, 0, 1 }, OK, 0 },
		{ "instructions on instret", CONFIG, { 0, 0x1fc, 0, 2 }, OK, 2 },
		{ "neither offered", CONFIG, { 0, 0x1f0, 0, 2 }, OK, 4 },
		{ "the base moves the mask", CONFIG, { 3, 4, 0, RAW, 5 }, OK, 5 },
		{ "what is stopped is free", CONFIG, { 3, 4, 0, RAW, 6 }, OK, 5 },
		{ "and starts", CONFIG, { 5, 1, AUTO, RAW, 6 }, OK, 5 },
		{ "and then it is not", CONFIG, { 5, 1, 0, RAW, 6 }, UNSUPPORTED, 0 },
		{ "another then", CONFIG, { 5, 3, 0, RAW, 6 }, OK, 6 },
		{ "firmware event", CONFIG, { 0, FIRMWARE, 0, FW + 1 }, OK, 9 },
		{ "firmware event on hardware", CONFIG, { 0, HW, 0, FW + 1 }, UNSUPPORTED, 0 },
		{ "hardware event on firmware", CONFIG, { 0, FIRMWARE, 0, 1 }, UNSUPPORTED, 0 },
		{ "all filters", CONFIG, { 7, 1, 0xf8, RAW, 6 }, OK, 7 },
		{ "past a word", CONFIG, { 64, 1 << 6, 0, FW + 1 }, OK, 70 },
	};

	fakesbi_reset(6, 3, 48);
	fakesbi_add_firmware(70);
	ASK(rows);
	check(fakesbi.ctr[5].running && fakesbi.ctr[6].configured && !fakesbi.ctr[6].running &&
	      fakesbi.ctr[7].code.flags == 0xf8 && !fakesbi.ctr[3].configured,
	      "and only these are configured");
	check(fakesbi.broken == 9, "each mistake is noted (%u)", fakesbi.broken);
}

static void answers_config_events(void)
{
	static const struct row rows[] = {
		{ "event 0", CONFIG, { 3, 1, 0, 0 }, UNSUPPORTED, 0 },
		{ "the last general one", CONFIG, { 3, 1, 0, 10 }, OK, 3 },
		{ "past it", CONFIG, { 3, 1, 0, 11 }, UNSUPPORTED, 0 },
		{ "data of a general one", CONFIG, { 3, 1, 0, 3, 1 }, UNSUPPORTED, 0 },
		{ "the last cache event", CONFIG, { 3, 1, 0, 0x10035 }, OK, 3 },
		{ "an operation past", CONFIG, { 3, 1, 0, 0x10036 }, UNSUPPORTED, 0 },
		{ "a cache past", CONFIG, { 3, 1, 0, 0x10038 }, UNSUPPORTED, 0 },
		{ "data of a cache one", CONFIG, { 3, 1, 0, 0x10000, 1ULL << 40 }, UNSUPPORTED, 0 },
		{ "raw 0", CONFIG, { 3, 1, 0, RAW }, OK, 3 },
		{ "raw, 48 bits", CONFIG, { 3, 1, 0, RAW, 1ULL << 47 }, OK, 3 },
		{ "raw, 49 bits", CONFIG, { 3, 1, 0, RAW, 1ULL << 48 }, UNSUPPORTED, 0 },
		{ "raw with a code", CONFIG, { 3, 1, 0, RAW + 1 }, UNSUPPORTED, 0 },
		{ "raw v2, 56 bits", CONFIG, { 3, 1, 0, RAW_V2, 1ULL << 55 }, OK, 3 },
		{ "raw v2, 57 bits", CONFIG, { 3, 1, 0, RAW_V2, 1ULL << 56 }, UNSUPPORTED, 0 },
		{ "raw v2 with a code", CONFIG, { 3, 1, 0, RAW_V2 + 1 }, UNSUPPORTED, 0 },
		{ "a reserved type", CONFIG, { 3, 1, 0, 0x40000 }, UNSUPPORTED, 0 },
		{ "bit 20", CONFIG, { 3, 1, 0, 0x100001 }, UNSUPPORTED, 0 },
		{ "firmware, the last standard", CONFIG, { 9, 1, 0, FW + 21 }, OK, 9 },
		{ "firmware, reserved", CONFIG, { 9, 1, 0, FW + 22 }, UNSUPPORTED, 0 },
		{ "firmware, reserved", CONFIG, { 9, 1, 0, FW + 255 }, UNSUPPORTED, 0 },
		{ "firmware, implementation's", CONFIG, { 9, 1, 0, FW + 256 }, OK, 9 },
		{ "with data", CONFIG, { 9, 1, 0, FW + 256, 1 }, UNSUPPORTED, 0 },
		{ "firmware, platform's", CONFIG, { 9, 1, 0, FW + 65535, ALL_ONES }, OK, 9 },
	};

	fakesbi_reset(6, 3, 48);
	ASK(rows);
	check(fakesbi.ctr[9].code.data == ALL_ONES && fakesbi.ctr[3].code.data == 1ULL << 55 &&
	      fakesbi.ctr[3].code.idx == RAW_V2, "64 bits of data arrive");
	check(!fakesbi.broken, "an event that is not there breaks no rule");
}

static void answers_config_flags(void)
{
	static const struct row first[] = {
		{ "clear", CONFIG, { 3, 1, CLEAR, RAW, 1 }, OK, 3 },
		{ "start", CONFIG, { 4, 1, AUTO, RAW, 2 }, OK, 4 },
		{ "clear and start", CONFIG, { 5, 1, CLEAR | AUTO, RAW, 3 }, OK, 5 },
		{ "skip: the first, the one before offered it or not",
		  CONFIG, { 0, 0x1c8, SKIP, RAW, 9 }, OK, 3 },
		{ "skip: even if it cannot", CONFIG, { 0, 0x0fd, SKIP, RAW, 9 }, UNSUPPORTED, 0 },
		{ "skip: no counter", CONFIG, { 0, 0, SKIP, RAW, 9 }, INVALID, 0 },
	};

	fakesbi_reset(6, 3, 48);
	for (unsigned int i = 3; i < 9; i++)
		fakesbi.ctr[i].value = 7777;
	ASK(first);
	check(fakesbi.ctr[3].value == 0 && !fakesbi.ctr[3].running && fakesbi.ctr[3].code.data == 9,
	      "cleared, and skip keeps the value");
	check(fakesbi.ctr[4].running && fakesbi.ctr[5].running && !fakesbi.ctr[5].value, "started");
	fakesbi.ctr[3].value = 55;
	ASK1(CONFIG, 3, 1, SKIP | CLEAR | AUTO, RAW, 1);
	check(fakesbi.ctr[3].running && !fakesbi.ctr[3].value, "skip, clear and start");
	check(fakesbi.broken == 1, "one mistake (%u)", fakesbi.broken);
	ASK1(CONFIG, 3, 1, SKIP, RAW, 1);
	check(fakesbi.broken == 2, "a running one that is configured is another");
}

static void answers_start_stop(void)
{
	static const struct row rows[] = {
		{ "no event", START, { 6, 1 }, INVALID, 0 },
		{ "none", START, { 3, 0 }, INVALID, 0 },
		{ "a gap", START, { 0, 2 }, INVALID, 0 },
		{ "one of them a gap", START, { 1, 5 }, INVALID, 0 },
		{ "a reserved flag", START, { 3, 1, 4 }, INVALID, 0 },
		{ "the last reserved flag", START, { 3, 1, 1ULL << 63 }, INVALID, 0 },
		{ "a value, and the snapshot's", START, { 3, 1, 3 }, INVALID, 0 },
		{ "the snapshot's, without one", START, { 3, 1, 2 }, NO_SHMEM, 0 },
		{ "one", START, { 3, 1 }, OK, 0 },
		{ "again", START, { 3, 1 }, STARTED, 0 },
		{ "two, one started: the other starts", START, { 3, 3 }, STARTED, 0 },
		{ "from a value", START, { 5, 1, SET, 0x123456789abcULL }, OK, 0 },
		{ "stop none", STOP, { 3, 0 }, INVALID, 0 },
		{ "stop a gap", STOP, { 0, 2 }, INVALID, 0 },
		{ "stop one of them a gap", STOP, { 1, 5 }, INVALID, 0 },
		{ "a reserved flag", STOP, { 3, 1, 4 }, INVALID, 0 },
		{ "a snapshot, without one", STOP, { 3, 1, 2 }, NO_SHMEM, 0 },
		{ "stop one", STOP, { 3, 1 }, OK, 0 },
		{ "stop it again", STOP, { 3, 1 }, STOPPED, 0 },
		{ "two, one stopped: the other stops", STOP, { 3, 3 }, STOPPED, 0 },
		{ "start two", START, { 3, 3 }, OK, 0 },
		{ "stop and reset all", STOP, { 3, 7, RESET }, OK, 0 },
		{ "nothing to start", START, { 3, 1 }, INVALID, 0 },
		{ "a stopped one resets", STOP, { 9, 1, RESET }, STOPPED, 0 },
	};

	fakesbi_reset(6, 3, 48);
	for (u64 i = 3; i < 6; i++)
		ASK1(CONFIG, i, 1, CLEAR, RAW, i);
	ASK1(CONFIG, 9, 1, CLEAR, FW + 1);
	ask_all(rows, 12);
	check(fakesbi.ctr[3].running && fakesbi.ctr[4].running && fakesbi.ctr[5].running &&
	      !fakesbi.ctr[6].running && !fakesbi.ctr[9].running, "what was started runs");
	check(!fakesbi.ctr[3].value && fakesbi.ctr[5].value == 0x123456789abcULL,
	      "from where it should");
	fakesbi_run(2);
	check(fakesbi.ctr[3].value == 2 * fakesbi_rate(&fakesbi.ctr[3].code) &&
	      !fakesbi.ctr[9].value, "and counts; what was not does not");
	ask_all(rows + 12, 8);
	check(!fakesbi.ctr[3].running && !fakesbi.ctr[4].running && fakesbi.ctr[5].running &&
	      fakesbi.ctr[4].configured, "what was stopped does not, and keeps its event");
	ask_all(rows + 20, ARRAY_SIZE(rows) - 20);
	check(quiet(), "reset takes events away");
	check(fakesbi.broken == 14, "each mistake is noted (%u)", fakesbi.broken);
	ASK1(CONFIG, 3, 1, 0, RAW, 1);
	ASK1(CONFIG, 4, 1, 0, RAW, 2);
	check(!ASK1(START, 3, 3, SET, 5).error && fakesbi.ctr[4].value == 5 &&
	      fakesbi.broken == 15, "a value is for one counter: noted");
}

static void answers_read(void)
{
	static const struct row rows[] = {
		{ "what it holds", READ, { 9 }, OK, 0x123456789abcdef0 },
		{ "the upper half, on RV32", READ_HI, { 9 }, OK, 0 },
		{ "of a hardware counter", READ, { 3 }, INVALID, 0 },
		{ "of none", READ, { 1 }, INVALID, 0 },
		{ "of none", READ, { ALL_ONES }, INVALID, 0 },
		{ "of a hardware counter", READ_HI, { 3 }, INVALID, 0 },
		{ "of none", READ_HI, { 12 }, INVALID, 0 },
	};

	fakesbi_reset(6, 3, 48);
	fakesbi.ctr[9].value = 0x123456789abcdef0ULL;
	ASK(rows);
	check(fakesbi.broken == 5, "each mistake is noted (%u)", fakesbi.broken);
}

static struct spec_snapshot pages[2] __attribute__((aligned(4096)));

static void answers_snapshot_memory(void)
{
	const u64 at = (unsigned long)pages;
	const struct row rows[] = {
		{ "a flag", SHMEM, { at, 1 }, INVALID, 0 },
		{ "not aligned", SHMEM, { at + 2048, 0 }, INVALID, 0 },
		{ "beyond memory", SHMEM, { at + sizeof(pages), 0 }, ADDRESS, 0 },
		{ "before memory", SHMEM, { at - 4096, 0 }, ADDRESS, 0 },
		{ "a page", SHMEM, { at, 0 }, OK, 0 },
		{ "none", SHMEM, { ALL_ONES, 0 }, OK, 0 },
		{ "none, again", SHMEM, { ALL_ONES, 0 }, OK, 0 },
		{ "none, with a flag", SHMEM, { ALL_ONES, 1 }, INVALID, 0 },
		{ "the other page", SHMEM, { at + 4096, 0 }, OK, 0 },
	};
	const unsigned long above[2][SBI_PMU_ARGS] = { { 0, 1 }, { 0, (unsigned long)ALL_ONES } };

	fakesbi_reset(6, 3, 48);
	fakesbi_memory(at, pages, sizeof(pages));
	memset(pages, 0xaa, sizeof(pages));
	ask_all(rows, 5);
	check(fakesbi.shmem == &pages[0], "given");
	ask_all(rows + 5, 3);
	check(!fakesbi.shmem, "taken away");
	ask_all(rows + 8, 1);
	check(fakesbi.shmem == &pages[1] && pages[1].overflow == 0xaaaaaaaaaaaaaaaaULL,
	      "given, and not touched");
	check(fakesbi_call(SHMEM, above[0]).error == ADDRESS &&
	      fakesbi_call(SHMEM, above[1]).error == ADDRESS,
	      "above all memory");
}

/* Counters 3 to 5 and firmware counter 9 run; the window begins at 3. */
static void snapshot_setup(void)
{
	fakesbi_reset(6, 3, 48);
	fakesbi_memory(4096, pages, sizeof(pages));
	memset(pages, 0, sizeof(pages));
	pages[0].value[3] = 4242;
	ASK1(SHMEM, 4096);
	for (u64 i = 3; i < 6; i++)
		ASK1(CONFIG, i, 1, CLEAR | AUTO, RAW, i);
	ASK1(CONFIG, 9, 1, CLEAR | AUTO, FW + 1);
	fakesbi.ctr[4].value = (1ULL << 48) - 1;
	fakesbi_run(1);
}

static void answers_snapshot(void)
{
	const struct fakesbi_ctr *ctr = fakesbi.ctr;

	snapshot_setup();
	check(ctr[4].overflown && fakesbi.lcofi && fakesbi_scountovf() == BIT(4),
	      "a counter has come round");
	check(ASK1(STOP, 3, 0x47, 2).error == OK, "stop four, with a snapshot");
	check(pages[0].value[0] == ctr[3].value && ctr[3].value &&
	      pages[0].value[1] == ctr[4].value &&
	      pages[0].value[2] == ctr[5].value &&
	      pages[0].value[6] == ctr[9].value && ctr[9].value,
	      "their values, relative to the base");
	check(pages[0].value[3] == 4242, "no other value is touched");
	check(pages[0].overflow == BIT(1), "who came round, relative to the base");
	pages[0].value[0] = 1000;
	pages[0].value[1] = ~0ULL;
	check(ASK1(START, 3, 3, 2).error == OK && ctr[3].value == 1000 &&
	      ctr[4].value == (1ULL << 48) - 1 && !ctr[4].overflown && ctr[3].running,
	      "start two from it, cut to their width");
	check(ASK1(STOP, 3, 7, 2 | RESET).error == STOPPED &&
	      pages[0].value[2] == ctr[5].value && !ctr[3].configured,
	      "a value is told of those that were stopped, too; then they are reset");
	check(!pages[0].overflow && !fakesbi.broken, "the bitmap is written anew");
	check(!pages[0].reserved[0] && !pages[0].reserved[3575] && !pages[1].overflow,
	      "nothing beyond");
}

static void answers_overflow(void)
{
	snapshot_setup();
	fakesbi.lcofi = false;
	fakesbi.ctr[4].value = (1ULL << 48) - 1;
	fakesbi_run(1);
	check(!fakesbi.lcofi, "a set OF bit makes no second interrupt");
	ASK1(STOP, 4, 1);
	ASK1(START, 4, 1, SET, ALL_ONES);
	check(!fakesbi.ctr[4].overflown, "START clears it");
	fakesbi_run(1);
	check(fakesbi.lcofi && fakesbi.ctr[4].overflown, "and there is an interrupt");
	fakesbi.sscofpmf = false;
	ASK1(STOP, 4, 1, RESET);
	ASK1(CONFIG, 4, 1, SPEC_CFG_UINH, RAW, 1);
	ASK1(START, 4, 1, SET, ALL_ONES);
	fakesbi.lcofi = false;
	fakesbi_run(1);
	check(!fakesbi.lcofi && !fakesbi_scountovf() && !fakesbi.ctr[4].code.flags,
	      "without Sscofpmf neither overflow nor filters");
	check(!fakesbi.broken, "no rule broken");
}

static void answers_event_info(void)
{
	struct spec_event_info *info = (void *)pages;
	const u64 at = 0x10000;
	const struct row rows[] = {
		{ "a flag", EVENTS, { at, 1, 1 }, INVALID, 0 },
		{ "not aligned", EVENTS, { at + 8, 1 }, INVALID, 0 },
		{ "before memory", EVENTS, { at - 16, 2 }, ADDRESS, 0 },
		{ "too long", EVENTS, { at, sizeof(pages) / 16 + 1 }, ADDRESS, 0 },
		{ "far too long", EVENTS, { at, ALL_ONES }, ADDRESS, 0 },
		{ "16 times this is 16", EVENTS, { at, 1ULL << 60 | 1 }, ADDRESS, 0 },
		{ "six entries", EVENTS, { at + 16, 6 }, OK, 0 },
	};
	static const struct spec_event_info entries[] = {
		{ 0, 0xffffffff, 0 },			/* not in the call */
		{ SPEC_GENERAL_CYCLES, 0xffffffff, 99 },	/* data means nothing here */
		{ 11, 0xffffffff, 0 },
		{ RAW, 0xfffffffe, 4 },
		{ RAW, 0xffffffff, 1ULL << 48 },
		{ FW + 256, 0, 0 },
		{ FW + 256, 0xff, 1 },
		{ 0, 0xffffffff, 0 },			/* nor this */
	};
	static const u32 want[] = { 0xffffffff, 1, 0, 1, 0, 1, 0, 0xffffffff };
	unsigned int wrong = 0;

	fakesbi_reset(6, 3, 48);
	fakesbi_memory(at, pages, sizeof(pages));
	memcpy(info, entries, sizeof(entries));
	ASK(rows);
	for (unsigned int i = 0; i < ARRAY_SIZE(want); i++)
		wrong += info[i].output != want[i] ||
			 info[i].event_idx != entries[i].event_idx ||
			 info[i].event_data != entries[i].event_data;
	check(!wrong, "outputs are whole words, and nothing else is written (%u)", wrong);
	info[2].event_idx = BIT(20) | 1;
	info[1].output = 7;
	check(ASK1(EVENTS, at, 4).error == INVALID && info[1].output == 7,
	      "a reserved bit of event_idx, and nothing is written");
}

void test_model(void)
{
	answers_info();
	answers_config_sets();
	answers_config_events();
	answers_config_flags();
	answers_start_stop();
	answers_read();
	answers_snapshot_memory();
	answers_snapshot();
	answers_overflow();
	answers_event_info();
}
