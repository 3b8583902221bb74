#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# dts.sh - the device trees compile without warnings, and an overlay gives another tree the same
# properties. Needs dtc. What is in them is checked by generated.sh.
. "$(dirname "$0")/steps.sh"
for tool in dtc fdtget fdtoverlay; do
	command -v $tool >/dev/null ||
		{ echo "skipped: $tool is not installed (Debian: device-tree-compiler)"; exit 4; }
done

make -C "$top/dts" OUT="$dir" >"$dir/make.log" 2>&1 || fails "$(cat "$dir/make.log")"
! grep -i warning "$dir/make.log" || fails "dts compile with warnings"

# The pmu node of QEMU's virt machine, whose rows are replaced
echo '/dts-v1/; / { pmu { compatible = "riscv,pmu"; riscv,event-to-mhpmcounters = <1 1 0x7fff9>; }; };' |
	dtc -q -o "$dir/virt.dtb"
for tree in "$dir"/[a-z0-9]*.dtso; do
	case $tree in */xiangshan-*) continue ;; esac
	fdtoverlay -i "$dir/virt.dtb" -o "$dir/laid" "${tree%.dtso}.dtbo" || failed=1
	core=$(sed -n 's/.* from \(.*\)\.tsv (.*/\1/p' "$tree")
	[ -n "$core" ] && [ "$(fdtget -t x "$dir/laid" /pmu riscv,raw-event-to-mhpmcounters | wc -w)" -ge 5 ] ||
		fails "${tree##*/}: no raw events"
done
for tree in "$dir"/xiangshan-*.dtb; do
	fdtoverlay -i "$dir/virt.dtb" -o "$dir/laid" "${tree%.dtb}-virt.dtbo" || failed=1
	for p in riscv,event-to-mhpmevent riscv,event-to-mhpmcounters riscv,raw-event-to-mhpmcounters \
		openxiangshan,event-table; do
		fdtget -t bx "$tree" /pmu $p >"$dir/want"
		fdtget -t bx "$dir/laid" /pmu $p | cmp - "$dir/want" || fails "${tree##*/}: another $p"
	done
done
exit $failed
