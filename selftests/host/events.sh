#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# events.sh - the event tables are read without a word, and what is wrong in one is
# refused with its file and line: each error planted in a copy. With each awk of
# this machine.
. "$(dirname "$0")/steps.sh"
good=$top/drivers/perf/sbi_pmu/events

generate() { # AWK FOLDER
	$1 -f "$2/read.awk" -f "$2/write-c.awk" "$2/sums.tsv" "$2/standard.tsv" "$2/metrics.tsv" \
		"$2/user-guide.tsv" "$2/v2r2-2025.tsv" "$2/v2r2-2026.tsv" "$2/v3.tsv"
}

# refuses SCRIPT FILE LINE-PATTERN WHAT: after the sed SCRIPT on FILE the line that
# matches is refused for WHAT; "end" for a line: none in particular.
refuses() {
	rm -rf "$dir/events"
	cp -r "$good" "$dir/events"
	sed "$1" "$good/$2" >"$dir/events/$2"
	! cmp -s "$good/$2" "$dir/events/$2" || fails "nothing planted: $4"
	if generate "$awk" "$dir/events" >"$dir/out" 2>"$dir/said"; then
		fails "$awk: not refused: $4"
		return
	fi
	[ ! -s "$dir/out" ] || fails "$awk: refused, and written all the same: $4"
	line=
	[ "$3" = end ] || line=$2:$(grep -nE "$3" "$dir/events/$2" | tail -n 1 | cut -d : -f 1):
	grep -F "$line" "$dir/said" | grep -q "$4" ||
		{ fails "$awk: said instead of '$line $4':"; cat "$dir/said"; }
}

all_errors() {
	refuses '/^frontend	3	/s/ifu_miss/ifu_req/2' v3.tsv '^frontend	3	' 'duplicate alias'
	refuses '/^memory	1	/s/ldu0_load_s0_in_fire/ifu_req/' v3.tsv '^memory	1	' 'duplicate alias'
	refuses '/^backend	7	/s/	7	/	6	/' v2r2-2025.tsv 'rename_in' 'index 6 of the backend is taken'
	refuses '/^backend	7	/s/^backend/middle/' v2r2-2025.tsv '^middle' "unknown unit 'middle'"
	refuses '/^#bits/s/cache/cash/' v2r2-2025.tsv '^#bits' "unknown unit 'cash'"
	refuses '/^frontend	2	/s/	ifu_req	ifu/	Ifu_req	ifu/' v3.tsv '	Ifu_req' "alias 'Ifu_req' is not all of"
	refuses '/^frontend	2	/s/	ifu_req	ifu/	ifu-req	ifu/' v3.tsv '	ifu-req' "alias 'ifu-req' is not all of"
	refuses '/^frontend	2	/s/	ifu_req	ifu/	cycles	ifu/' v3.tsv '^frontend	2	' 'taken by an event of the SBI'
	refuses '/^frontend	26	/s/26/32/' v3.tsv '^frontend	32' "index of the frontend '32' is not a number below 32"
	refuses '/^cache	48	/s/48/64/' v2r2-2025.tsv '^cache	64' 'not a number below 64'
	refuses '/^cache	48	/s/48/0x30/' v2r2-2025.tsv '^cache	0x30' 'not a number below 64'
	refuses '/^cache	5	/d' v2r2-2025.tsv end 'cache has 48 events and indices up to 48'
	refuses '/^cache	5	/s/slice0_l2_cache_access/-/' v2r2-2025.tsv '^cache	5	' 'index 0, and no other'
	refuses '/^cache	5	/s/	[^	]*$//' v2r2-2025.tsv '^cache	5	' '8 fields, and not 9'
	refuses '/^cache	3	/s/	zero	/	nil	/' v2r2-2025.tsv '^cache	3	' "unknown mark 'nil'"
	refuses '/^cache	3	/s/	zero	.*/	zero	-/' v2r2-2025.tsv '^cache	3	' 'no note why'
	refuses '/^#bits/d' v3.tsv '^frontend	0	' "no '#bits' of the frontend"
	refuses '/^#unit/d' v3.tsv '^frontend	0	' "no line '#unit"
	refuses '/^#rtl/d' v3.tsv end "no '#title' or '#rtl'"
	refuses '/^backend	51	/s/	56	/	64	/' v3.tsv '^backend	51	' "most '64' is not"
	refuses '/^frontend	25	/s/itlb_access/dtlb_ld_access/2' v3.tsv '^frontend	25	' "is another unit's in another table"
	refuses '/^l2_hit/s/	add	/	plus	/' sums.tsv '^l2_hit' "unknown operator 'plus'"
	refuses '/^l2_hit/s/{0..3}/{0..4}/' sums.tsv '^l2_hit' '5 members'
	refuses '/^l2_hit/s/slice/slize/' sums.tsv '^l2_hit' "no table has 'slize0_l2_cache_hit'"
	refuses '/^l2_hit/s/^l2_hit/ifu_req/' sums.tsv '^ifu_req' "alias 'ifu_req' is taken"
	refuses '/^inst_spec/s/	inst_spec rec/	ifu_req rec/' sums.tsv '^inst_spec' "another unit's"
	refuses '/^inst_spec/s/	inst_spec rec/	rob_commitinstr inst_spec rec/' sums.tsv '^inst_spec' 'may be 70 in a cycle'
	refuses '/cycles_memory/s/0x1/one/' standard.tsv 'cycles_memory' "id 'one' is no event id"
	refuses '/cycles_memory/s/cycles_memory/cycles_mem/' standard.tsv 'cycles_mem' "no table has 'cycles_mem'"
	refuses '/^td_l1/s/memstall_any/memstal_any/' metrics.tsv '^td_l1' "no table has 'memstal_any_load'"
	refuses '/^td_l1/s/td_l1/td_l2/' metrics.tsv '^td_l2_bound' "duplicate metric"
	refuses '/^td_l1/s/td_l1/TD_L1/' metrics.tsv '^TD_L1' "metric 'TD_L1_bound'"
}

for awk in mawk gawk "busybox awk" original-awk; do
	$awk 'BEGIN { exit }' 2>/dev/null </dev/null || continue
	tried=$awk
	generate "$awk" "$good" >"$dir/good" 2>"$dir/said" || fails "$awk refuses our tables"
	[ ! -s "$dir/said" ] || fails "$awk: $(cat "$dir/said")"
	[ ! -e "$dir/first" ] || cmp "$dir/first" "$dir/good" || fails "$awk makes something else"
	[ -e "$dir/first" ] || cp "$dir/good" "$dir/first"
	all_errors
	echo "tables: $awk, $(grep -c EVENT "$dir/good") names"
done
# What was made says what the tables say; and a name with another's index is seen.
names() { # TABLES.INC
	awk -f "$top/selftests/host/names.awk" "$good/user-guide.tsv" "$good/v2r2-2025.tsv" \
		"$good/v2r2-2026.tsv" "$good/v3.tsv" "$good/sums.tsv" "$1"
}

cp "$dir/first" "$dir/tables.inc"
names "$dir/tables.inc" || fails "names are not what the tables say"
sed '0,/OR, 2, 0/s//OR, 3, 0/' "$dir/first" >"$dir/tables.inc"
! names "$dir/tables.inc" >"$dir/said" || fails "a wrong index is not seen"
sed '/"l1d_load_miss"/s/ADD3/OR/' "$dir/first" >"$dir/tables.inc"
! names "$dir/tables.inc" >"$dir/said" || fails "a wrong sum is not seen"
sed '/"ifu_req"/d' "$dir/first" >"$dir/tables.inc"
! names "$dir/tables.inc" >"$dir/said" || fails "a missing name is not seen"
[ -n "$tried" ] || fails "no awk"
exit $failed
