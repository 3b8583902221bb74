#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# events.sh - each error planted in a copy of the event data is reported with file and line, by each
# awk of this machine. That the data has none is tested by generated.sh.
. "$(dirname "$0")/steps.sh"
vendor=$top/drivers/perf/sbi_pmu/vendor
files=$(for family in $(sed -n 's/^cores := //p' "$vendor/../Makefile") spacemit/metrics thead/metrics \
	xiangshan/events xiangshan/combined xiangshan/riscv xiangshan/metrics; do echo "./${family%.tsv}.tsv"; done)

# refuses SCRIPT FILE LINE-PATTERN MESSAGE: after the sed SCRIPT on FILE of a copy, MESSAGE is reported
# with FILE and the number of the last line that matches; LINE-PATTERN "end": an error of the whole
# file, without a number.
refuses() {
	sed "$1" "$vendor/$2" >"$dir/events/$2"
	# shellcheck disable=SC2086 # lists
	(cd "$dir/events" && $awk -f read.awk -f write-c.awk $files) >"$dir/out" 2>"$dir/said"
	status=$?
	line=$2:
	[ "$3" = end ] || line=$2:$(awk -v last="$3" '$0 ~ last { n = NR } END { print n }' "$dir/events/$2"):
	cp "$vendor/$2" "$dir/events/$2"
	[ $status != 0 ] || { fails "$awk: not refused: $4"; return; }
	[ ! -s "$dir/out" ] || fails "$awk: refused, but with output: $4"
	grep -F "/$line" "$dir/said" | grep -q "$4" ||
		{ fails "$awk: instead of '$line $4':"; cat "$dir/said"; }
}

# Columns of events.tsv: name unit user-guide v2r2-2025 v2r2-2026 v3 rtl_name instance max
# fault description note
all_errors() {
	refuses '/^ifu_req_cacheline_0	/s//ifu_req	/' xiangshan/events.tsv '^ifu_req	.*cacheline' "duplicate alias 'ifu_req' in table v3"
	refuses '/^ldu0_load_s0_in_fire	/s//ifu_req	/' xiangshan/events.tsv '^ifu_req	memory' "duplicate alias 'ifu_req' in table v2r2-2025"
	refuses '/^rename_in	/s/	7	/	6	/' xiangshan/events.tsv '^rename_in	' 'index 6 of the backend in table v2r2-2025 is taken'
	refuses '/^rename_in	/s/backend/middle/' xiangshan/events.tsv '	middle' "unknown unit 'middle'"
	refuses '/^#bits	v2r2-2025/s/cache/cash/' xiangshan/events.tsv '^#bits	v2r2-2025' "unknown unit 'cash'"
	refuses '/^ifu_req	/s//Ifu_req	/' xiangshan/events.tsv '^Ifu_req' "alias 'Ifu_req' is not all of"
	refuses '/^ifu_req	/s//ifu-req	/' xiangshan/events.tsv '^ifu-req' "alias 'ifu-req' is not all of"
	refuses '/^ifu_req	/s//-	/' xiangshan/events.tsv '^-' "alias '-' is not all of"
	refuses '/^ifu_req	/s//cycles	/' xiangshan/events.tsv '^cycles	' 'taken by an event of the SBI'
	refuses '/^itlb_miss	/s/	26	/	32	/' xiangshan/events.tsv '^itlb_miss	' "index of the frontend '32' is not a number below 32"
	refuses '/^slice3_l2_cache_inv	/s/	48	/	64	/' xiangshan/events.tsv '^slice3_l2_cache_inv	' 'not a number below 64'
	refuses '/^slice3_l2_cache_inv	/s/	48	/	0x30	/' xiangshan/events.tsv '^slice3_l2_cache_inv	' 'not a number below 64'
	refuses '/^slice0_l2_cache_access	/s/	5	/	-	/' xiangshan/events.tsv end 'table v2r2-2025: the cache has 47 events, but the largest index is 48'
	refuses '/^slice0_l2_cache_access	/s/	5	/	0	/' xiangshan/events.tsv '^slice0_l2_cache_access	' 'index 0 is no event'
	refuses '/^slice0_l2_cache_access	/s/	[^	]*$//' xiangshan/events.tsv '^slice0_l2_cache_access	' '11 fields instead of 12'
	refuses '/^slice0_l2_cache_wr_refill	/s/	zero	/	nil	/' xiangshan/events.tsv '^slice0_l2_cache_wr_refill	' "unknown fault 'nil'"
	refuses '/^slice0_l2_cache_wr_refill	/s/[^	]*$/-/' xiangshan/events.tsv '^slice0_l2_cache_wr_refill	' "fault 'zero' without a note"
	refuses '/^rob_commitinstr	/s/	56	/	128	/' xiangshan/events.tsv '^rob_commitinstr	.*	128	' "max '128' is not"
	refuses '/^rob_commitinstr	/s/	56	/	64	/' xiangshan/events.tsv '^rob_commitinstr	.*	64	-	.*	-$' "max '64' needs more than 6 bits"
	refuses '/^itlb_access	/s//dtlb_ld_access	/' xiangshan/events.tsv '^dtlb_ld_access	memory' 'has another unit'
	refuses '/^ifu_req	/s/	2	2	2	2	/	-	-	-	-	/' xiangshan/events.tsv '^ifu_req	' "no table has 'ifu_req'"
	refuses '/^#bits	v3/d' xiangshan/events.tsv '^ifu_req	' "no '#bits' of the frontend in table v3"
	refuses '/^#name/d' xiangshan/events.tsv '^frontendflush	' "no line '#name"
	refuses '/^#name/s/v2r2-2026	v3/v3	v2r2-2026/' xiangshan/events.tsv '^frontendflush	' "no line '#name"
	refuses '/^#rtl	v3/d' xiangshan/events.tsv end "table v3: no '#rtl'"
	refuses '/^#core	v3/s/2026-03$/2026-3/' xiangshan/events.tsv '^#core	v3' "date '2026-3' is not YYYY-MM"
	refuses '/^#slots	v3/d' xiangshan/events.tsv end "table v3: no '#slots'"
	refuses '/^#slots	v3/s/8/six/' xiangshan/events.tsv '^#slots	v3' "slots 'six' is not a number"
	refuses '/^#slots	v3/s/8/6/' xiangshan/events.tsv '^front_bubble	' "'front_bubble' may be 8 in a cycle, which has 6 slots in table v3"
	refuses '/^inst_spec	/s/	8	/	6	/' xiangshan/events.tsv '^inst_spec	' "'inst_spec' may be 6 in a cycle, which has 8 slots in table v3"
	refuses '/^#rtl	v3/s/v3/v4/' xiangshan/events.tsv '^#rtl	v4' "unknown core 'v4'"
	refuses '/^#core	v3/s/v3/v2r2-2025/' xiangshan/events.tsv '^#core	v2r2-2025' "duplicate core 'v2r2-2025'"
	refuses '/^l2_hit/s/	add	/	plus	/' xiangshan/combined.tsv '^l2_hit' "unknown operator 'plus'"
	refuses '/^l2_hit/s/	add	/	add	ifu_req /' xiangshan/combined.tsv '^l2_hit' '5 members'
	refuses '/^l2_hit/s/slice0/slize0/' xiangshan/combined.tsv '^l2_hit' "no table has 'slize0_l2_cache_hit'"
	refuses '/^l2_hit/s/^l2_hit/ifu_req/' xiangshan/combined.tsv '^ifu_req' "alias 'ifu_req' is taken"
	refuses '/^inst_spec/s/	inst_spec rec/	ifu_req rec/' xiangshan/combined.tsv '^inst_spec' "the unit of 'recovery_bubble' is not that of 'ifu_req'"
	refuses '/^inst_spec/s/	inst_spec rec/	rob_commitinstr inst_spec rec/' xiangshan/combined.tsv '^inst_spec' 'may be 70 in a cycle'
	refuses '/^#standard.*cycles_memory/s/0x1/one/' xiangshan/events.tsv '^#standard.*cycles_memory' "id 'one' is no hex"
	refuses '/^#standard.*cycles_memory/s/cycles_memory/cycles_mem/' xiangshan/events.tsv '^#standard.*cycles_mem	' "no table has 'cycles_mem'"
	refuses '/^INST.RET/s/commitinstr/commit/' xiangshan/riscv.tsv '^INST.RET' "table user-guide has no 'rob_commit'"
	refuses '/^INST.RET/s/user-guide/user_guide/' xiangshan/riscv.tsv '^INST.RET' "unknown core 'user_guide'"
	refuses '/^INST.RET/s/INST/Inst/' xiangshan/riscv.tsv '^Inst.RET' "'Inst.RET' is not all of"
	refuses '/^td_l1/s/memstall_any/memstal_any/' xiangshan/metrics.tsv '^td_l1' "no table has 'memstal_any_load'"
	refuses '/^td_l1/s/td_l1/td_l2/' xiangshan/metrics.tsv '^td_l2_bound' "duplicate metric"
	refuses '/^td_l1/s/td_l1/TD_L1/' xiangshan/metrics.tsv '^TD_L1' "metric 'TD_L1_bound'"
	refuses '/^td_core/s/td_memory/td_memo/' spacemit/metrics.tsv '^td_core_bound' "no table has 'td_memo_bound'"
	refuses '/^#model	a100/s/a100$/a101/' spacemit/metrics.tsv '^#model	a100' "unknown core 'a101'"

	# the tables of other cores
	refuses '/^inst_fp	/s//inst_csr	/' thead/c900.tsv '^inst_csr	' "duplicate alias 'inst_csr' in table c900"
	refuses '/^inst_fp	/s/0x2a/0x20/' thead/c900.tsv '^inst_fp	' 'selector 0x20 of core c900 is taken: inst_csr'
	refuses '/^inst_fp	/s/0x2a/42/' thead/c900.tsv '^inst_fp	' "selector '42' is no hex"
	refuses '/^inst_fp	/s/0x2a/0x100000000/' thead/c900.tsv '^inst_fp	' 'more than 32 bits'
	refuses '/^inst_fp	/s//Inst_fp	/' thead/c900.tsv '^Inst_fp	' "alias 'Inst_fp' is not all of"
	refuses '/^inst_fp	/s//branches	/' thead/c900.tsv '^branches	' 'taken by an event of the SBI'
	refuses '/^inst_fp	/s/	[^	]*$//' thead/c900.tsv '^inst_fp	' '4 fields instead of 5'
	refuses '/^utlb_hit	/s/p550/p551/' sifive/bullet.tsv '^utlb_hit	' "unknown core 'p551'"
	refuses '/	0x5	/s/inst_branch/inst_branches/' thead/c900.tsv '^#standard.*	0x5	' "core c900 has no 'inst_branches'"
	refuses '/	0x5	/s/inst_branch/inst_branch+inst_jmp/' thead/c900.tsv '^#standard.*	0x5	' 'cannot be added'
	refuses '/	0x6	/s/branch_target_misprediction/utlb_miss/' sifive/bullet.tsv '^#standard	u74.*	0x6	' 'cannot be added'
	refuses '/	0x5	/s/same/absent/' thead/c900.tsv '^#standard.*	0x5	' "'absent' is not when"
	refuses '/	0x5	/s/inst_branch/-/' thead/c900.tsv '^#standard.*	0x5	' "'branches' has no event"
	refuses '/^#core/s/2026-07/July/' thead/c900.tsv '^#core' "date 'July' is not YYYY-MM"
	refuses '/^#core/s/c900/x60/' thead/c900.tsv '^#core' "duplicate core 'x60'"
	refuses '/^#limit	c900/s/c900/c901/' thead/c900.tsv '^#limit	c901' "unknown core 'c901'"
	refuses '/^#id	ax65/s/8a65/8a6x/' andes/ax.tsv '^#id	ax65' 'is no pattern'
}

cp -r "$vendor" "$dir/events"
for awk in mawk gawk "busybox awk" original-awk; do
	$awk 'BEGIN { exit }' 2>/dev/null </dev/null || continue
	tried=$awk
	all_errors
	echo "event data: $awk"
done
[ -n "$tried" ] || fails "no awk"

exit $failed
