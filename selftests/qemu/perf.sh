#!/bin/bash -e
# SPDX-License-Identifier: GPL-2.0-only
#
# perf.sh JSON OUT - run in a root with a riscv64 compiler and the libraries of perf: build perf of testing's
# kernel with its own tests, and with the events and metrics in the folder JSON (make perf-json). OUT gets
# opt/perf, with symbols, which Debian's perf does not have.
json=$1
out=$2

mkdir /tmp/linux
cd /tmp/linux
tar --strip-components=1 -xf /usr/src/linux-source-*.tar.xz --wildcards --no-wildcards-match-slash \
	linux-source-*/{tools,arch,include,scripts,lib,kernel,Makefile}
cd tools/perf
# As a user does who knows the core
sed 's/^#0x86f/0x86f/; /^#/d' "$json/mapfile-lines.csv" | while IFS=, read -r core version model kind; do
	mkdir -p "pmu-events/arch/riscv/$model"
	cp "$json/arch/riscv/$model"/* "pmu-events/arch/riscv/$model/"
	echo "$core,$version,$model,$kind" >>pmu-events/arch/riscv/mapfile.csv
done

# Workloads run for whole seconds: 0.1 is none for one of them, no end for another.
sed -i -E 's/\b(noploop|thloop) 0\.[0-9]+/\1 1/' tests/shell/*.sh
sed -i -E 's/(for duration in) 0\.01 0\.1 0\.3 1\.0 2\.0/\1 1 2/' tests/shell/lib/perf_record.sh
grep -q 'for duration in 1 2;' tests/shell/lib/perf_record.sh

# -O3 takes longer. -O1 has false warnings.
sed -i 's/+= -O3$/+= -O1/' Makefile.config
grep -q -- '+= -O1$' Makefile.config

export PKG_CONFIG_LIBDIR=/usr/lib/riscv64-linux-gnu/pkgconfig
make -j "$(nproc)" ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu- PYTHON=python3 PYTHON_CONFIG=/bin/true \
	NO_LIBPYTHON=1 NO_LIBPERL=1 NO_LIBBPF=1 BUILD_BPF_SKEL=0 NO_SHELLCHECK=1 NO_JVMTI=1 WERROR=0 \
	prefix=/opt/perf DESTDIR="$out" install
