#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# map.sh - sbi-pmu-map finds the wrong rows of ten boards' trees (boards.tsv), and none in an overlay that
# it wrote itself; and refuses what is no tree. What is expected is written here by hand. Needs dtc.
. "$(dirname "$0")/steps.sh"
command -v fdtget >/dev/null || { echo "skipped: dtc is not installed (Debian: device-tree-compiler)"; exit 4; }
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

finds d1 c906 1 'cache-misses 0x2 l1_icache_miss: WRONG; right: none' \
	'branches 0x7 inst_branch: right' 'take 12 of 26'
finds duo c906 0 'backend 0x28 .*: right' 'take 26 of 26'
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
# One tree for two kinds of cores
finds k3-made-up x100,a100 0 'frontend 0x3 stall_backend: another event than ours; right: 0x4 stall_frontend' 'take 35 of 35' \
	'frontend 0x3 stall_frontend: right' 'cache-references -: not in the tree; right: 0x15 l2_access' 'take 22 of 22'

# Its own overlay is right, and takes all events.
[ "$("$map" -l | wc -l)" = "$(grep -l '^#id' "$top"/drivers/perf/sbi_pmu/vendor/*/*.tsv | xargs cat | grep -c '^#core')" ] ||
	fails "not each core is listed"
for core in $("$map" -l | cut -d ' ' -f 1) x100,a100; do
	"$map" -w -c "$core" >"$dir/own.dts" 2>"$dir/said" || { grep -q 'is not known' "$dir/said" || fails "$core: $(cat "$dir/said")"; continue; }
	"$map" -c "$core" "$dir/own.dts" >"$dir/said" || fails "$core: its own overlay is wrong: $(cat "$dir/said")"
	[ "$core" = p550 ] || ! grep -q ' not:' "$dir/said" || fails "$core: its own overlay does not take all events"
done

# The core is found by the tree: source, compiled, as a folder of files as in /sys, and by a link to the tool.
cat >"$dir/tree.dts" <<'EOF2'
/dts-v1/; / { cpus { cpu@0 { compatible = "thead,c910", "riscv"; }; };
	soc { pmu { compatible = "riscv,pmu"; riscv,event-to-mhpmcounters = <3 3 8>; }; }; };
EOF2
dtc -q -o "$dir/tree.dtb" "$dir/tree.dts"
mkdir -p "$dir/tree/cpus/cpu@0" "$dir/tree/pmu"
printf 'thead,c910\0riscv\0' >"$dir/tree/cpus/cpu@0/compatible"
printf '\0\0\0\3\0\0\0\3\0\0\0\10' >"$dir/tree/pmu/riscv,event-to-mhpmcounters"
ln -s "$map" "$dir/link"
for tree in tree.dts tree.dtb tree; do
	"$dir/link" "$dir/$tree" >"$dir/said" 2>&1
	[ $? = 1 ] && grep -q 'T-Head C910' "$dir/said" && grep -q 'cache-references .*own number): WRONG' "$dir/said" ||
		fails "$tree: the core or its rows are not found:" "$(cat "$dir/said")"
done
sed 's/cpu@0 \(.*\)thead,c910\(.*}; \)};/cpu@0 \1spacemit,x100\2cpu@1 \1spacemit,a100\2};/' "$dir/tree.dts" >"$dir/kinds.dts"
"$map" "$dir/kinds.dts" >"$dir/said" 2>&1
grep -q 'X100 (table' "$dir/said" && grep -q 'A100 (table' "$dir/said" || fails "not both kinds of cores are found:" "$(cat "$dir/said")"
# Two nodes with one phandle: dtc complains, machines start.
echo '/dts-v1/; / { a { phandle = <1>; }; b { phandle = <1>; };
	cpus { cpu@0 { compatible = "thead,c906"; }; }; };' >"$dir/bare.dts"
"$map" "$dir/bare.dts" >"$dir/said"
grep -q 'T-Head C906' "$dir/said" && grep -q 'maps no events' "$dir/said" ||
	fails "a tree without rows is not told"

# refuses PATTERN ARGUMENT...: with status 2, and one line that has the pattern.
refuses() {
	pattern=$1
	shift
	"$map" "$@" >"$dir/out" 2>"$dir/said"
	[ "$? $(wc -l <"$dir/said")" = '2 1' ] && [ ! -s "$dir/out" ] &&
		grep -q "^sbi-pmu-map: .*$pattern" "$dir/said" ||
		fails "$*: not '$pattern' alone, but:" "$(cat "$dir/out" "$dir/said")"
}

refuses "'z80' is not known" -c z80 "$dir/tree.dts"
refuses 'x100 and x60 have other rows' -w -c x100,x60
refuses 'README.md.* no device tree' "$top/README.md"
refuses '/etc/passwd.* no device tree' /etc/passwd
refuses 'nowhere.dtb cannot be read' "$dir/nowhere.dtb"
[ -e /sys/firmware/devicetree/base ] || refuses 'this machine has no device tree'
sed 's/thead,c910/acme,one/' "$dir/tree.dts" >"$dir/acme.dts"
refuses 'acme.dts: no core .*compatible: acme,one riscv' "$dir/acme.dts"
sed 's/<3 3 8>/[03 03 08]/' "$dir/tree.dts" >"$dir/bytes.dts"
refuses 'bytes.dts: .* 32-bit cells' "$dir/bytes.dts"
sed 's/<3 3 8>/<garbage>/' "$dir/tree.dts" >"$dir/garbage.dts"
refuses 'garbage.dts.* no device tree' "$dir/garbage.dts"
exit $failed
