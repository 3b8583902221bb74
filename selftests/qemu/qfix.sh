#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# qfix.sh OUT - run in a build root: Debian's QEMU with its PMU mended, as OUT.

mkdir /tmp/qemu
cd /tmp/qemu
apt-get -q update
apt-get -q source --download-only qemu
tar xf qemu_*.orig.tar.*
cd qemu-*/

# Replace text that must stand on exactly one line, or this is not the source
# that the mend was made for.
edit() { # FILE FROM TO
	[ "$(grep -cF -- "$2" "$1")" = 1 ] || { echo "qfix: not one '$2' in $1"; exit 1; }
	python3 - "$@" <<-'PY'
	import sys
	name, old, new = sys.argv[1:]
	text = open(name).read().replace(old, new)
	open(name, "w").write(text)
	PY
}

# Since QEMU 8, bit 13 (LCOFI) of mie and sie cannot be written: the mask of
# the local interrupts starts at bit 16, and no other mask holds bit 13. With
# that mask starting at bit 13 the counter overflow interrupt is delivered.
edit target/riscv/csr.c '(~0xFFFFULL)' '(~0x1FFFULL)'

# Cycles and instructions are ticks of the host's clock, but the timer of their
# overflows takes what is left for nanoseconds: overflows are late by the ratio.
# One a nanosecond is right for both, and stands still when the machine does.
now='qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL)'
edit target/riscv/csr.c 'curr_val = cpu_get_host_ticks();' "curr_val = $now;"
edit target/riscv/pmu.c 'current_icount = cpu_get_host_ticks();' "current_icount = $now;"
edit target/riscv/pmu.c 'current_ticks = cpu_get_host_ticks();' "current_ticks = $now;"

# Debian's tarball has no ROM blobs; the machine used here needs none.
echo 'roms = []' > pc-bios/meson.build

./configure --target-list=riscv64-softmmu --without-default-features \
	--enable-tcg --enable-system --enable-fdt=system --disable-docs \
	--disable-werror --disable-download
ninja -C build qemu-system-riscv64
strip -o "$1" build/qemu-system-riscv64
