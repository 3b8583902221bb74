#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# events.sh - each error planted in a copy of the event data is reported with file and line, by each
# awk of this machine. That the data has none is tested by generated.sh.
. "$(dirname "$0")/steps.sh"
vendor=$top/drivers/perf/sbi_pmu/vendor
xiangshan=$vendor/xiangshan

generate() { # AWK FOLDER
	$1 -f "$vendor/common.awk" -f "$2/read.awk" -f "$2/write-c.awk" "$2/events.tsv" "$2/combined.tsv" \
		"$2/standard.tsv" "$2/riscv.tsv" "$2/metrics.tsv"
}

# refuses GENERATE GOOD SCRIPT FILE LINE-PATTERN MESSAGE: after the sed SCRIPT on FILE of the folder
# GOOD, MESSAGE is reported with FILE and the number of the last line that matches; LINE-PATTERN
# "end": an error of the whole file, without a number.
refuses() {
	generate=$1 good=$2
	shift 2
	rm -rf "$dir/events"
	cp -r "$good" "$dir/events"
	sed "$1" "$good/$2" >"$dir/events/$2"
	! cmp -s "$good/$2" "$dir/events/$2" || fails "nothing planted: $4"
	if $generate "$awk" "$dir/events" >"$dir/out" 2>"$dir/said"; then
		fails "$awk: not refused: $4"
		return
	fi
	[ ! -s "$dir/out" ] || fails "$awk: refused, but with output: $4"
	line=$2:
	[ "$3" = end ] || line=$2:$(grep -nE "$3" "$dir/events/$2" | tail -n 1 | cut -d : -f 1):
	grep -F "/$line" "$dir/said" | grep -q "$4" ||
		{ fails "$awk: instead of '$line $4':"; cat "$dir/said"; }
}

refuses_event() { refuses generate "$xiangshan" "$@"; }
refuses_core() { refuses generate_cores "$vendor" "$@"; }

# Columns of events.tsv: name unit user-guide v2r2-2025 v2r2-2026 v3 rtl_name instance max
# fault description note
all_errors() {
	refuses_event '/^ifu_req_cacheline_0	/s//ifu_req	/' events.tsv '^ifu_req	.*cacheline' "duplicate alias 'ifu_req' in table v3"
	refuses_event '/^ldu0_load_s0_in_fire	/s//ifu_req	/' events.tsv '^ifu_req	memory' "duplicate alias 'ifu_req' in table v2r2-2025"
	refuses_event '/^rename_in	/s/	7	/	6	/' events.tsv '^rename_in	' 'index 6 of the backend in table v2r2-2025 is taken'
	refuses_event '/^rename_in	/s/backend/middle/' events.tsv '	middle' "unknown unit 'middle'"
	refuses_event '/^#bits	v2r2-2025/s/cache/cash/' events.tsv '^#bits	v2r2-2025' "unknown unit 'cash'"
	refuses_event '/^ifu_req	/s//Ifu_req	/' events.tsv '^Ifu_req' "alias 'Ifu_req' is not all of"
	refuses_event '/^ifu_req	/s//ifu-req	/' events.tsv '^ifu-req' "alias 'ifu-req' is not all of"
	refuses_event '/^ifu_req	/s//-	/' events.tsv '^-' "alias '-' is not all of"
	refuses_event '/^ifu_req	/s//cycles	/' events.tsv '^cycles	' 'taken by an event of the SBI'
	refuses_event '/^itlb_miss	/s/	26	/	32	/' events.tsv '^itlb_miss	' "index of the frontend '32' is not a number below 32"
	refuses_event '/^slice3_l2_cache_inv	/s/	48	/	64	/' events.tsv '^slice3_l2_cache_inv	' 'not a number below 64'
	refuses_event '/^slice3_l2_cache_inv	/s/	48	/	0x30	/' events.tsv '^slice3_l2_cache_inv	' 'not a number below 64'
	refuses_event '/^slice0_l2_cache_access	/s/	5	/	-	/' events.tsv end 'table v2r2-2025: the cache has 47 events, but the largest index is 48'
	refuses_event '/^slice0_l2_cache_access	/s/	5	/	0	/' events.tsv '^slice0_l2_cache_access	' 'index 0 is no event'
	refuses_event '/^slice0_l2_cache_access	/s/	[^	]*$//' events.tsv '^slice0_l2_cache_access	' '11 fields instead of 12'
	refuses_event '/^slice0_l2_cache_wr_refill	/s/	zero	/	nil	/' events.tsv '^slice0_l2_cache_wr_refill	' "unknown fault 'nil'"
	refuses_event '/^slice0_l2_cache_wr_refill	/s/[^	]*$/-/' events.tsv '^slice0_l2_cache_wr_refill	' "fault 'zero' without a note"
	refuses_event '/^rob_commitinstr	/s/	56	/	128	/' events.tsv '^rob_commitinstr	.*	128	' "max '128' is not"
	refuses_event '/^rob_commitinstr	/s/	56	/	64	/' events.tsv '^rob_commitinstr	.*	64	-	.*	-$' "max '64' needs more than 6 bits"
	refuses_event '/^itlb_access	/s//dtlb_ld_access	/' events.tsv '^dtlb_ld_access	memory' 'has another unit'
	refuses_event '/^ifu_req	/s/	2	2	2	2	/	-	-	-	-	/' events.tsv '^ifu_req	' "no table has 'ifu_req'"
	refuses_event '/^#bits	v3/d' events.tsv '^ifu_req	' "no '#bits' of the frontend in table v3"
	refuses_event '/^#name/d' events.tsv '^frontendflush	' "no line '#name"
	refuses_event '/^#name/s/v2r2-2026	v3/v3	v2r2-2026/' events.tsv '^frontendflush	' "no line '#name"
	refuses_event '/^#rtl	v3/d' events.tsv end "table v3: no '#title' or '#rtl'"
	refuses_event '/^#rtl	v3/s/2026-03/2026-3/' events.tsv '^#rtl	v3' "RTL date '2026-3' is not YYYY-MM"
	refuses_event '/^#slots	v3/d' events.tsv end "table v3: no '#slots'"
	refuses_event '/^#slots	v3/s/8/six/' events.tsv '^#slots	v3' "slots 'six' is not a number"
	refuses_event '/^#slots	v3/s/8/6/' events.tsv '^front_bubble	' "'front_bubble' may be 8 in a cycle, which has 6 slots in table v3"
	refuses_event '/^inst_spec	/s/	8	/	6	/' events.tsv '^inst_spec	' "'inst_spec' may be 6 in a cycle, which has 8 slots in table v3"
	refuses_event '/^#rtl	v3/s/v3/v4/' events.tsv '^#rtl	v4' "unknown table 'v4'"
	refuses_event '/^#title	v3/s/v3/v2r2-2025/' events.tsv '^#title	v2r2-2025' "duplicate table 'v2r2-2025'"
	refuses_event '/^l2_hit/s/	add	/	plus	/' combined.tsv '^l2_hit' "unknown operator 'plus'"
	refuses_event '/^l2_hit/s/{0..3}/{0..4}/' combined.tsv '^l2_hit' '5 members'
	refuses_event '/^l2_hit/s/slice/slize/' combined.tsv '^l2_hit' "no table has 'slize0_l2_cache_hit'"
	refuses_event '/^l2_hit/s/^l2_hit/ifu_req/' combined.tsv '^ifu_req' "alias 'ifu_req' is taken"
	refuses_event '/^inst_spec/s/	inst_spec rec/	ifu_req rec/' combined.tsv '^inst_spec' "the unit of 'recovery_bubble' is not that of 'ifu_req'"
	refuses_event '/^inst_spec/s/	inst_spec rec/	rob_commitinstr inst_spec rec/' combined.tsv '^inst_spec' 'may be 70 in a cycle'
	refuses_event '/cycles_memory/s/0x1/one/' standard.tsv 'cycles_memory' "id 'one' is no event id"
	refuses_event '/cycles_memory/s/cycles_memory/cycles_mem/' standard.tsv 'cycles_mem' "no table has 'cycles_mem'"
	refuses_event '/^INST.RET/s/commitinstr/commit/' riscv.tsv '^INST.RET' "table user-guide has no 'rob_commit'"
	refuses_event '/^INST.RET/s/user-guide/user_guide/' riscv.tsv '^INST.RET' "unknown table 'user_guide'"
	refuses_event '/^INST.RET/s/INST/Inst/' riscv.tsv '^Inst.RET' "'Inst.RET' is not all of"
	refuses_event '/^td_l1/s/memstall_any/memstal_any/' metrics.tsv '^td_l1' "no table has 'memstal_any_load'"
	refuses_event '/^td_l1/s/td_l1/td_l2/' metrics.tsv '^td_l2_bound' "duplicate metric"
	refuses_event '/^td_l1/s/td_l1/TD_L1/' metrics.tsv '^TD_L1' "metric 'TD_L1_bound'"
}

# The tables of other cores
cores=$(sed -n 's/^cores := //p' "$vendor/../Makefile")

generate_cores() { # AWK FOLDER
	# shellcheck disable=SC2046,SC2086 # lists
	(cd "$2" && $1 -f "$vendor/common.awk" -f read-cores.awk -f write-cores.awk $(printf './%s ' $cores))
}

all_core_errors() {
	refuses_core '/^inst_fp	/s//inst_csr	/' thead/c900.tsv '^inst_csr	' "duplicate name 'inst_csr' of core c900"
	refuses_core '/^inst_fp	/s/0x2a/0x20/' thead/c900.tsv '^inst_fp	' 'selector 0x20 of core c900 is taken: inst_csr'
	refuses_core '/^inst_fp	/s/0x2a/42/' thead/c900.tsv '^inst_fp	' "selector '42' is no hex"
	refuses_core '/^inst_fp	/s/0x2a/0x100000000/' thead/c900.tsv '^inst_fp	' 'more than 32 bits'
	refuses_core '/^inst_fp	/s//Inst_fp	/' thead/c900.tsv '^Inst_fp	' "alias 'Inst_fp' is not all of"
	refuses_core '/^inst_fp	/s//branches	/' thead/c900.tsv '^branches	' 'taken by an event of the SBI'
	refuses_core '/^inst_fp	/s/	[^	]*$//' thead/c900.tsv '^inst_fp	' '4 fields instead of 5'
	refuses_core '/^utlb_hit	/s/p550/p551/' sifive/bullet.tsv '^utlb_hit	' "unknown core 'p551'"
	refuses_core '/	0x5	/s/inst_branch/inst_branches/' thead/c900.tsv '^#standard.*	0x5	' "core c900 has no 'inst_branches'"
	refuses_core '/	0x5	/s/inst_branch/inst_branch+inst_jmp/' thead/c900.tsv '^#standard.*	0x5	' 'cannot be added'
	refuses_core '/	0x6	/s/branch_target_misprediction/utlb_miss/' sifive/bullet.tsv '^#standard	u74.*	0x6	' 'cannot be added'
	refuses_core '/	0x5	/s/same/absent/' thead/c900.tsv '^#standard.*	0x5	' "'absent' is not when"
	refuses_core '/	0x5	/s/inst_branch/-/' thead/c900.tsv '^#standard.*	0x5	' "'branches' has no event"
	refuses_core '/^#core/s/2026-07/July/' thead/c900.tsv '^#core' "date 'July' is not YYYY-MM"
	refuses_core '/^#core/s/c900/x60/' thead/c900.tsv '^#core' "duplicate core 'x60'"
	refuses_core '/^#id	ax65/s/8a65/8a6x/' andes/ax.tsv '^#id	ax65' 'is no pattern'
}

for awk in mawk gawk "busybox awk" original-awk; do
	$awk 'BEGIN { exit }' 2>/dev/null </dev/null || continue
	tried=$awk
	all_errors
	all_core_errors
	echo "event data: $awk"
done
[ -n "$tried" ] || fails "no awk"

exit $failed
