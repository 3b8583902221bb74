#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kdir-check.sh - 'make' for a kernel or a compiler that cannot work stops with the reason.
# shellcheck source=selftests/host/steps.sh
. "$(dirname "$0")/steps.sh"
check=$top/selftests/kdir-check.sh
all="CONFIG_RISCV CONFIG_64BIT CONFIG_PERF_EVENTS CONFIG_RISCV_SBI CONFIG_MODULES"

# Make as much of a kernel build folder as kdir-check.sh reads.
kdir() { # RELEASE CONFIG...
	mkdir -p "$dir/k/include/config"
	touch "$dir/k/Makefile"
	echo "$1" > "$dir/k/include/config/kernel.release"
	shift
	printf '%s=y\n' "$@" > "$dir/k/include/config/auto.conf"
}

# program NAME TEXT: a compiler that answers everything with it.
program() {
	mkdir -p "$dir/llvm"
	printf '#!/bin/sh\necho "%s"\n' "$2" > "$dir/$1"
	chmod 755 "$dir/$1"
}

refuses() { # PATTERN [KDIR [PREFIX]]
	if "$check" "${2:-$dir/k}" "${3:-$dir/test-}" 2> "$dir/said"; then
		fails "not refused: $1"
	elif ! grep -q "^sbi_pmu: .*$1" "$dir/said"; then
		fails "not '$1', but:" "$(cat "$dir/said")"
	fi
}

accepts() { # WHAT
	"$check" "$dir/k" "$dir/test-" || fails "refused, but should work: $1"
}

program test-gcc riscv64-linux-gnu
refuses 'no kernel build folder' "$dir/nowhere"
mkdir "$dir/raw" && touch "$dir/raw/Makefile"
refuses 'not configured' "$dir/raw"
kdir 6.12.1 CONFIG_X86 CONFIG_64BIT
refuses 'no RISC-V kernel'
kdir 6.12.1 CONFIG_RISCV CONFIG_32BIT
refuses '32-bit'
kdir 6.12.1 CONFIG_RISCV CONFIG_64BIT CONFIG_RISCV_SBI
refuses 'CONFIG_PERF_EVENTS'
# shellcheck disable=SC2086 # words
for old in 6.5.13 6.1.0-49-riscv64 5.19.0; do kdir $old $all; refuses 'too old'; done
# shellcheck disable=SC2086
for good in 6.6.0 6.12.107+deb13-riscv64 7.2.12 10.0.0; do kdir $good $all; accepts $good; done
mkdir "$dir/a b"
refuses 'blank' "$dir/a b"
(cd "$dir/a b" && refuses 'blank' && exit $failed) || failed=1
# shellcheck disable=SC2086
for weird in weird 6.x; do kdir $weird $all; refuses 'no version of Linux'; done
# shellcheck disable=SC2086
kdir 6.6.0 $all
refuses 'no compiler' "$dir/k" "$dir/missing-"
program test-gcc x86_64-linux-gnu
refuses 'not for riscv64'

# LLVM and CC select another compiler; gcc is one for another machine then.
export LLVM="$dir/llvm/" ARCH=riscv
program llvm/clang 'clang: x86-64'
refuses 'cannot compile for riscv64'
program llvm/clang 'clang: riscv64'
accepts LLVM=
[ "$(uname -m)" = riscv64 ] || ARCH='' refuses 'set ARCH=riscv'
# shellcheck disable=SC2086
kdir 6.6.0 $all CONFIG_CC_IS_GCC
refuses 'built by gcc'
# shellcheck disable=SC2086
kdir 6.6.0 $all CONFIG_CC_IS_CLANG
LLVM='' CC="$dir/llvm/clang -O2" accepts CC=
exit $failed
