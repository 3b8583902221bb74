#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh CONFIG OUT SUITE - run in a build root with a riscv64 compiler: build the kernel of a
# Debian suite with CONFIG on top of allnoconfig. OUT gets vmlinux, which boots, and build, the KDIR for a module.
config=$1
out=$2

export ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q -y --no-install-recommends install -t "$3" linux-source gcc libc6-dev flex bison bc

mkdir /tmp/linux
cd /tmp/linux
tar --strip-components=1 -xf /usr/src/linux-source-*.tar.xz

# The build's own programs become part of OUT. Static, as libc may be older where they run.
build() { make HOSTLDFLAGS=-static "$@"; }

# kconfig drops an option without a message if it no longer exists or a dependency is missing.
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
	holds "$line" || { echo "kernel.sh: missing in the kernel's configuration: $line"; wrong=1; }
done <"$config"
[ $wrong = 0 ]

build -j "$(nproc)" Image modules
mkdir "$out"
cp arch/riscv/boot/Image "$out/vmlinux"
# As for a package of headers. With CC and HOSTCC equal the build's programs are copied; otherwise
# they are built again for riscv64.
srctree=. SRCARCH=riscv CC=gcc HOSTCC=gcc sh scripts/package/install-extmod-build "$out/build"
