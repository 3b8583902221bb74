#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh whisper|spike - build an emulator from /tmp/NAME.tar, and install it. Runs as root in a
# build root. Whisper gets /tmp/whisper/*.patch. Spike's parts that no kernel here needs take most
# of its build.
set -e
off=$(printf 'riscv_insn_ext_%s= ' v p q q_zfa zvfofp4min zvfofp8min bf16 zvk zvbdot zvldot zvabd zvzip \
	zfh zfh_zfa k d_zfa f_zfa)
mkdir "/tmp/src"
cd /tmp/src
tar -xf "/tmp/$1.tar"
case $1 in
whisper)
	cat /tmp/whisper/*.patch | patch -p1
	nice make -j 2 BOOST_INC= BOOST_LIB_DIR= SOFT_FLOAT=0 TRACE_READER=0 MEM_CALLBACKS=0 OFLAGS=-O2
	cp build-Linux/whisper /usr/bin/
	;;
spike)
	sed -i "/'P')/d" riscv/overlap_list.h
	mkdir build
	cd build
	../configure --without-boost --without-boost-asio --without-boost-regex
	# shellcheck disable=SC2086 # words
	nice make -j 2 $off CFLAGS="-O1 -g0" CXXFLAGS="-O1 -g0" spike
	cp spike /usr/bin/
	;;
esac
rm -r /tmp/src "/tmp/$1.tar"
