#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# linux.sh CONFIG OUT - run in a build root with a riscv64 compiler: build testing's kernel with
# CONFIG on top of allnoconfig. OUT gets linux.tar, its source tree as built, without what a
# build of one more driver does not need.
config=$1
out=$2

export ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y --no-install-recommends install linux-source gcc libc6-dev flex bison bc patch

mkdir /tmp/linux
cd /tmp/linux
tar --strip-components=1 -xf /usr/src/linux-source-*.tar.xz
make -s allnoconfig KCONFIG_ALLCONFIG="$config"
make -s -j "$(nproc)" vmlinux modules

# Of folders without an object, kbuild reads these two files.
for folder in drivers/* fs/* net/* samples/* sound/* tools/perf tools/testing; do
	[ -d "$folder" ] || continue
	[ -n "$(find "$folder" -name '*.o' -print -quit)" ] ||
		find "$folder" -type f ! -name 'Kconfig*' ! -name Makefile -delete
done
mkdir "$out"
tar -cf "$out/linux.tar" --exclude=./Documentation/devicetree .
