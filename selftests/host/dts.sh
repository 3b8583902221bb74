#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dts.sh - the device trees compile without warnings, and an overlay gives another tree the same pmu
# node. Needs dtc. What is in them is checked by generated.sh.
. "$(dirname "$0")/steps.sh"
for tool in dtc fdtget fdtoverlay; do
	command -v $tool >/dev/null || {
		echo "skipped: $tool is not installed (Debian: device-tree-compiler)"
		exit 4
	}
done

# The properties of a tree's pmu node, one a line.
node() { # TREE
	for p in event-to-mhpmevent event-to-mhpmcounters raw-event-to-mhpmcounters; do
		fdtget -t x "$1" /pmu riscv,$p || echo "no $p"
	done
	fdtget "$1" /pmu openxiangshan,event-table
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

for tree in "$dir"/xiangshan-*.dtb; do
	fdtoverlay -i "$dir/virt.dtb" -o "$dir/laid" "${tree%.dtb}-virt.dtbo" || failed=1
	node "$tree" >"$dir/node"
	node "$dir/laid" | cmp - "$dir/node" || fails "${tree##*/}: the overlay gives another node"
	! grep '^no ' "$dir/node" || fails "${tree##*/}: properties are missing"
done
exit $failed
