#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kdir-check.sh KDIR CROSS_COMPILE - say what is wrong with a kernel build
# folder, in words, before the kernel's own make does so in its. LLVM and CC
# are in the environment, as for the kernel's make: LLVM=1, LLVM=-19,
# LLVM=/folder/ or CC=compiler.
kdir=$1
case ${LLVM:-} in
'') cc=${2}gcc ;;
*/) cc=${LLVM}clang ;;
-*) cc=clang$LLVM ;;
*) cc=clang ;;
esac
cc=${CC:-$cc}

die() {
	echo "sbi_pmu: $*" >&2
	exit 1
}

on() { grep -qx "$1=y" "$kdir/include/config/auto.conf"; }

case $PWD$kdir in
*[[:space:]]*) die "the kernel's make takes no blank in a path: rename a folder of $PWD or KDIR=$kdir" ;;
esac
[ -e "$kdir/Makefile" ] ||
	die "no kernel build folder at KDIR=$kdir;" \
		"install the headers of your kernel (Debian: apt install linux-headers-$(uname -r))," \
		"or set KDIR. To see the module on any machine: make run"
[ -e "$kdir/include/config/auto.conf" ] && [ -e "$kdir/include/config/kernel.release" ] ||
	die "the kernel in KDIR=$kdir is not configured; run 'make modules_prepare' there"

release=$(cat "$kdir/include/config/kernel.release")
major=${release%%.*}
minor=${release#*.}
minor=${minor%%[!0-9]*}
on CONFIG_RISCV ||
	die "KDIR=$kdir ($release) is no RISC-V kernel;" \
		"set KDIR to one, with ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-"
on CONFIG_64BIT ||
	die "KDIR=$kdir ($release) is a 32-bit kernel; only 64-bit ones are supported"
[ "$major" -gt 6 ] || { [ "$major" = 6 ] && [ "$minor" -ge 6 ]; } ||
	die "Linux $release is too old; 6.6 is the oldest supported"
on CONFIG_PERF_EVENTS && on CONFIG_RISCV_SBI && on CONFIG_MODULES ||
	die "kernel $release must have CONFIG_PERF_EVENTS, CONFIG_RISCV_SBI and CONFIG_MODULES"

case $cc in
*clang*) package=clang how="set LLVM" ;;
*) package=gcc-riscv64-linux-gnu how="set CROSS_COMPILE" ;;
esac
# shellcheck disable=SC2086 # CC may have more than one word
set -- $cc
command -v "$1" >/dev/null ||
	die "no compiler '$cc'; install it (Debian: apt install $package) or $how"
if "$@" --version | grep -q clang; then
	"$@" -print-targets | grep -qw riscv64 || die "'$cc' cannot compile for riscv64"
	# ARCH selects clang's target.
	[ "$(uname -m)" = riscv64 ] || [ "${ARCH:-}" = riscv ] ||
		die "this machine is not a riscv64 one: set ARCH=riscv"
	# Options of gcc are in the kernel's configuration then. Debian's headers have
	# .kernelvariables, which selects their gcc again.
	! on CONFIG_CC_IS_GCC || [ -e "$kdir/.kernelvariables" ] ||
		die "kernel $release was built by gcc: build the module with gcc, too"
else
	case $("$@" -dumpmachine) in
	riscv64-*) ;;
	*) die "'$cc' is not for riscv64: set ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-" ;;
	esac
fi
