#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# qfix.sh OUT - run in a build root: build Debian's QEMU with patches/ and with the models of
# counters, xiangshan-hpm/ and vendor-pmu/, all beside this script, and install it as OUT.
here=$(dirname "$0")

mkdir /tmp/qemu
cd /tmp/qemu
apt-get -q update
apt-get -q source --download-only qemu
tar xf qemu_*.orig.tar.*
cd qemu-*/

# No fuzz: the patches have one line of context only.
for patch in "$here"/patches/*.patch; do
	patch -p1 --fuzz=0 --batch --forward <"$patch" ||
		{ echo "qfix: ${patch##*/} does not apply to ${PWD##*/}"; exit 1; }
done
cp "$here"/xiangshan-hpm/*.[ch] "$here"/vendor-pmu/*.[ch] target/riscv/

# Only the devices that the machines of the lab have, and no debug information: it takes less time to build.
cat >configs/devices/riscv64-softmmu/lab.mak <<-EOF
	CONFIG_RISCV_VIRT=y
	CONFIG_VIRTIO_PCI=y
	CONFIG_VIRTIO_SERIAL=y
EOF
./configure --target-list=riscv64-softmmu --without-default-features \
	--without-default-devices --with-devices-riscv64=lab \
	--enable-tcg --enable-system --enable-fdt=system --disable-docs \
	--disable-debug-info --disable-werror --disable-download
ninja -C build qemu-system-riscv64
strip -o "$1" build/qemu-system-riscv64
