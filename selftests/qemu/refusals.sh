#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# refusals.sh - 'make' on what cannot work says why, in words, and stops.
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

# A kernel build folder as far as the check looks: RELEASE CONFIG...
kdir() {
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

refuses() { # PATTERN [KDIR [PREFIX]]
	if "$top/selftests/kdir-check.sh" "${2:-$dir/k}" "${3:-$dir/test-}" 2> "$dir/said"; then
		echo "not refused: $1"
		failed=1
	elif ! grep -q "^sbi_pmu: .*$1" "$dir/said"; then
		echo "said instead of '$1':"
		cat "$dir/said"
		failed=1
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

compiler riscv64-unknown-linux-gnu
for good in 6.6.0 6.12.107+deb13-riscv64 7.2.12 10.0.0; do
	# shellcheck disable=SC2086
	kdir $good $all
	"$top/selftests/kdir-check.sh" "$dir/k" "$dir/test-" ||
		{ echo "refused although fine: $good"; failed=1; }
done
exit $failed
