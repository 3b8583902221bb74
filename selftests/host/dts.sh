#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dts.sh - the device trees in dts/ compile without warnings and match the event data,
# and an overlay gives another tree the same pmu node. Needs dtc.
. "$(dirname "$0")/steps.sh"
for tool in dtc fdtget fdtoverlay; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed (Debian: device-tree-compiler)"
		exit 4
	}
done
events=$top/drivers/perf/sbi_pmu/vendor/xiangshan
tables=$(sed -n 's/^#title	\([^	]*\)	.*/\1/p' "$events/events.tsv")
[ -n "$tables" ] || fails "no event tables"

# The properties of a tree's pmu node, one a line.
node() { # TREE
	for p in event-to-mhpmevent event-to-mhpmcounters raw-event-to-mhpmcounters; do
		fdtget -t x "$1" /pmu riscv,$p
	done
}

matches() { # TABLE
	awk -f "$top/selftests/host/dts.awk" -v table="$1" "$events/events.tsv" \
		"$events/combined.tsv" "$events/standard.tsv" "$dir/node"
}

make -C "$top/dts" OUT="$dir" >"$dir/make.log" 2>&1 || fails "dts do not compile"
! grep -qi warning "$dir/make.log" || fails "dts compile with warnings"
[ $failed = 0 ] || cat "$dir/make.log"

# The pmu node of QEMU's virt machine.
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

for t in $tables; do
	tree=$dir/xiangshan-$t.dtb
	node "$tree" >"$dir/node"
	said=$(matches "$t") || fails "$t:" "$said"
	echo "$t: $said"
	[ "$(fdtget "$tree" /pmu openxiangshan,event-table)" = "$t" ] || fails "$t: names another table"

	fdtoverlay -i "$dir/virt.dtb" -o "$dir/laid.dtb" "$dir/xiangshan-$t-virt.dtbo" &&
		node "$dir/laid.dtb" | cmp - "$dir/node" ||
		fails "$t: the overlay gives another node"
done
exit $failed
