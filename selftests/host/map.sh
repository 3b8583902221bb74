#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# map.sh - sbi-pmu-map finds the wrong rows of eight boards' trees (boards.tsv), and none in an overlay that
# it wrote itself. What is expected is written here by hand.
# shellcheck source=selftests/host/steps.sh
. "$(dirname "$0")/steps.sh"
map=$top/tools/sbi-pmu-map/sbi-pmu-map

# finds BOARD CORE STATUS PATTERN...: the tool has this exit status, and prints these.
finds() {
	board=$1 core=$2 status=$3
	shift 3
	awk -v board="$board" -f "$top/selftests/boards.awk" "$top/selftests/boards.tsv" >"$dir/$board.dts"
	"$map" -c "$core" "$dir/$board.dts" >"$dir/said" 2>&1
	[ $? = "$status" ] || { fails "$board: another exit status than $status"; cat "$dir/said"; }
	for pattern; do
		tr -s ' ' <"$dir/said" | grep -q -- "$pattern" || { fails "$board: not found: $pattern"; cat "$dir/said"; }
	done
	echo "$board: $(grep -c 'WRONG' "$dir/said") wrong, $(grep -c 'ONLY A PART' "$dir/said") in part, $(grep 'raw rows take [0-9]' "$dir/said")"
}

finds d1 c900 1 'cache-misses 0x2 l1_icache_miss: WRONG; right: 0x11 .*do not take' \
	'branches 0x7 inst_branch: right' 'take 12 of 42'
finds th1520 c900 1 'bus-cycles 0x8 inst_jmp_mispredict: WRONG; right: none' \
	'frontend 0x9 inst_jmp: WRONG; right: 0x27 ifu_stalled_cycle, which raw rows take' \
	'ref-cycles 0xb inst_store: WRONG' 'take 42 of 42'
finds sg2042 c900 1 'bus-cycles 0x7 inst_branch (no selector: its own number): WRONG' \
	'ref-cycles 0xa lsu_spec_fail .*WRONG' 'frontend 0x27 .*: right'
finds sg2044 c900 1 'bus-cycles 0x7 inst_branch (no selector'
finds eic7700 p550 1 'branch-misses 0x2001 branch_direction_misprediction: ONLY A PART; right: 0x6001 .*rows take' \
	'cache-misses 0x202 dcache_miss: right' 'not: addressgen_interlock'
finds jh7110 u74 1 'branch-misses 0x4001 .*ONLY A PART; right: 0x6001 .*do not take' 'take 35 of 35'
finds fu740 u74 1 'LLC-load-misses 0x2002 utlb_miss: WRONG' 'cache-references 0x1801 icache_blocked+dcache' \
	'with these rows, .* 1 more'
finds k1 x60 1 'branches 0x1 cond_br_inst: ONLY A PART; right: 0x3c' 'dTLB-store-misses 0x19 .*: right' \
	'cache-misses -: not in the tree; right: 0xb9 l2_miss, which raw rows take' 'take 164 of 164'

# Its own overlay is right, and takes all events.
[ "$("$map" -l | wc -l)" = "$(cat "$top"/drivers/perf/sbi_pmu/vendor/*/*.tsv | grep -c '^#core')" ] ||
	fails "not each core is listed"
for core in $("$map" -l | cut -d ' ' -f 1); do
	"$map" -w -c "$core" >"$dir/own.dts" 2>"$dir/said" || { grep -q 'is not known' "$dir/said" || fails "$core: $(cat "$dir/said")"; continue; }
	"$map" -c "$core" "$dir/own.dts" >"$dir/said" || fails "$core: its own overlay is wrong: $(cat "$dir/said")"
	[ "$core" = p550 ] || ! grep -q ' not:' "$dir/said" || fails "$core: its own overlay does not take all events"
done

# The core is found by the tree; what is not known is refused.
printf '/ { cpus { cpu@0 { compatible = "thead,c910", "riscv"; }; }; };\n' >"$dir/tree.dts"
"$map" "$dir/tree.dts" | grep -q 'T-Head C906' || fails "the core of a tree is not found"
"$map" "$dir/tree.dts" | grep -q 'maps no events' || fails "a tree without rows is not told"
! "$map" -c z80 "$dir/tree.dts" 2>/dev/null || fails "an unknown core is accepted"
exit $failed
