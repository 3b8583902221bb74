#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# debug.sh CONFIG OUT - run in a build root with a riscv64 compiler: Debian's
# kernel with CONFIG on top of allnoconfig. In OUT: vmlinux, which boots, and
# build, the KDIR of a module for it.
config=$1
out=$2

export ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y --no-install-recommends install linux-source gcc libc6-dev flex bison bc

mkdir /tmp/linux
cd /tmp/linux
tar --strip-components=1 -xf /usr/src/linux-source-*.tar.xz

# Static: the build's own programs go into OUT, and run where libc may be older.
build() { make HOSTLDFLAGS=-static "$@"; }

# A line that names an option that is gone, or that lacks something, is dropped
# without a word; a checker that is not there finds nothing.
holds() { # LINE of the configuration
	case $1 in
	CONFIG_*) grep -qxF -- "$1" .config ;;
	'# CONFIG_'*' is not set')
		set -- "${1#\# }"
		! grep -q "^${1%% *}=" .config
		;;
	esac
}

build -s allnoconfig KCONFIG_ALLCONFIG="$config"
wrong=0
while IFS= read -r line; do
	holds "$line" || { echo "debug: the kernel's configuration has not: $line"; wrong=1; }
done <"$config"
[ $wrong = 0 ]

build -j "$(nproc)" Image modules
mkdir "$out"
cp arch/riscv/boot/Image "$out/vmlinux"
# As for a package of headers. Two names for one compiler: leave the build's
# programs as they are, do not make them again for riscv64.
srctree=. SRCARCH=riscv CC=gcc HOSTCC=gcc sh scripts/package/install-extmod-build "$out/build"
