#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refusals.sh - 'make' for a kernel or a compiler that cannot work stops with the reason.
# shellcheck source=selftests/host/steps.sh
. "$(dirname "$0")/../host/steps.sh"

# Make as much of a kernel build folder as kdir-check.sh reads.
kdir() { # RELEASE CONFIG...
	rm -rf "$dir/k"
	mkdir -p "$dir/k/include/config"
	touch "$dir/k/Makefile"
	echo "$1" > "$dir/k/include/config/kernel.release"
	shift
	for config; do echo "$config=y"; done > "$dir/k/include/config/auto.conf"
}

compiler() { # MACHINE
	printf '#!/bin/sh\necho %s\n' "$1" > "$dir/test-gcc"
	chmod 755 "$dir/test-gcc"
}

# Make a clang in $dir/llvm that has one target.
clang() { # TARGET
	mkdir -p "$dir/llvm"
	printf '#!/bin/sh\ncase $* in\n*--version) echo clang version 19 ;;\n*) echo "%s - x" ;;\nesac\n' "$1" \
		> "$dir/llvm/clang"
	chmod 755 "$dir/llvm/clang"
}

refuses() { # PATTERN [KDIR [PREFIX]]
	if "$top/selftests/kdir-check.sh" "${2:-$dir/k}" "${3:-$dir/test-}" 2> "$dir/said"; then
		fails "not refused: $1"
	elif ! grep -q "^sbi_pmu: .*$1" "$dir/said"; then
		fails "not '$1', but:" "$(cat "$dir/said")"
	fi
}

all="CONFIG_RISCV CONFIG_64BIT CONFIG_PERF_EVENTS CONFIG_RISCV_SBI CONFIG_MODULES"
compiler riscv64-linux-gnu

refuses 'no kernel build folder' "$dir/nowhere"
mkdir -p "$dir/raw" && touch "$dir/raw/Makefile"
refuses 'not configured' "$dir/raw"
kdir 6.12.1 CONFIG_X86 CONFIG_64BIT
refuses 'no RISC-V kernel'
kdir 6.12.1 CONFIG_RISCV CONFIG_32BIT
refuses '32-bit'
# shellcheck disable=SC2086 # words
for old in 6.5.13 6.1.0-49-riscv64 5.19.0; do kdir $old $all; refuses 'too old'; done
kdir 6.12.1 CONFIG_RISCV CONFIG_64BIT CONFIG_RISCV_SBI
refuses 'CONFIG_PERF_EVENTS'
# shellcheck disable=SC2086
kdir 6.6.0 $all
refuses 'no compiler' "$dir/k" "$dir/missing-"
compiler x86_64-linux-gnu
refuses 'not for riscv64'


# LLVM and CC select another compiler, and gcc may be missing then.
export LLVM="$dir/llvm/" ARCH=riscv
refuses 'no compiler' "$dir/k" "$dir/missing-"
clang x86-64
refuses 'cannot compile for riscv64' "$dir/k" "$dir/missing-"
clang riscv64
"$top/selftests/kdir-check.sh" "$dir/k" "$dir/missing-" || fails "LLVM= is refused, but should work"
if [ "$(uname -m)" != riscv64 ]; then
	ARCH='' refuses 'set ARCH=riscv' "$dir/k" "$dir/missing-"
fi
# shellcheck disable=SC2086
kdir 6.6.0 $all CONFIG_CC_IS_GCC
refuses 'built by gcc' "$dir/k" "$dir/missing-"
# shellcheck disable=SC2086
kdir 6.6.0 $all CONFIG_CC_IS_CLANG
LLVM='' CC="$dir/llvm/clang -O2" "$top/selftests/kdir-check.sh" "$dir/k" "$dir/missing-" ||
	fails "CC= is refused, but should work"
unset LLVM ARCH

compiler riscv64-unknown-linux-gnu
for good in 6.6.0 6.12.107+deb13-riscv64 7.2.12 10.0.0; do
	# shellcheck disable=SC2086
	kdir $good $all
	"$top/selftests/kdir-check.sh" "$dir/k" "$dir/test-" ||
		fails "refused, but should work: $good"
done
exit $failed
