#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dts.sh - the device trees in dts/ compile without a word, say what the event tables
# say, and an overlay makes of another tree's pmu node the same. Needs dtc.
. "$(dirname "$0")/steps.sh"
for tool in dtc fdtget fdtoverlay; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed (Debian: device-tree-compiler)"
		exit 4
	}
done
events=$top/drivers/perf/sbi_pmu/events

# The properties of a tree's pmu node, a line each.
node() { # TREE
	for p in event-to-mhpmevent event-to-mhpmcounters raw-event-to-mhpmcounters; do
		fdtget -t x "$1" /pmu riscv,$p
	done
}

says() { # TABLE
	awk -f "$top/selftests/host/dts.awk" "$events/$1.tsv" "$events/sums.tsv" \
		"$events/standard.tsv" "$dir/node"
}

make -C "$top/dts" OUT="$dir" >"$dir/make.log" 2>&1 || fails "dts do not compile"
! grep -qi warning "$dir/make.log" || fails "dts compile with warnings"
[ $failed = 0 ] || cat "$dir/make.log"

# What QEMU's virt machine has there.
cat >"$dir/virt.dts" <<'END'
/dts-v1/;
/ {
	pmu {
		compatible = "riscv,pmu";
		riscv,event-to-mhpmcounters = <0x1 0x1 0x7fff9>, <0x2 0x2 0x7fffc>;
	};
};
END
dtc -q -o "$dir/virt.dtb" "$dir/virt.dts"

for tsv in "$events"/*.tsv; do
	t=$(basename "$tsv" .tsv)
	case $t in sums | standard | metrics) continue ;; esac
	tree=$dir/xiangshan-$t.dtb
	node "$tree" >"$dir/node"
	said=$(says "$t") || fails "$t:" "$said"
	echo "$t: $said"
	[ "$(fdtget "$tree" /pmu openxiangshan,event-table)" = "$t" ] || fails "$t: names another table"

	fdtoverlay -i "$dir/virt.dtb" -o "$dir/laid.dtb" "$dir/xiangshan-$t-virt.dtbo" &&
		node "$dir/laid.dtb" | cmp - "$dir/node" ||
		fails "$t: the overlay makes another node"

	# Would it be seen? One event of another index, one on counters of another unit.
	for change in 's/^1 0 /1 1 /' '2s/^1 1 7f80000/1 1 7f800/' '3s/ 100 / 101 /' '1s/ [^ ]* [^ ]* [^ ]*$//'; do
		node "$tree" | sed "$change" >"$dir/node"
		! says "$t" >/dev/null || fails "$t: '$change' is not seen"
	done
done
exit $failed
