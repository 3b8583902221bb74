#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# qfix.sh OUT - run in a build root: Debian's QEMU with LCOFI mended, as OUT.
#
# Since QEMU 8, bit 13 (LCOFI) of mie and sie cannot be written: the mask of
# the local interrupts starts at bit 16, and no other mask holds bit 13. With
# that mask starting at bit 13 the counter overflow interrupt is delivered.

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

edit target/riscv/csr.c '(~0xFFFFULL)' '(~0x1FFFULL)'
# Debian's tarball has no ROM blobs; the machine used here needs none.
echo 'roms = []' > pc-bios/meson.build

./configure --target-list=riscv64-softmmu --without-default-features \
	--enable-tcg --enable-system --enable-fdt=system --disable-docs \
	--disable-werror --disable-download
ninja -C build qemu-system-riscv64
strip -o "$1" build/qemu-system-riscv64
