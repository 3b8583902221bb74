#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab.sh VERB - tests the module in QEMU, on stock kernels. "make help" says what each verb does.
set -u
export LC_ALL=C
# Every make that is called from here starts without the options of the one that called this.
unset MAKEFLAGS MFLAGS MAKELEVEL

lab=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$lab/../.." && pwd)
# shellcheck source=selftests/qemu/privileges.sh
. "$lab/privileges.sh"
# shellcheck source=selftests/qemu/artifacts.sh
. "$lab/artifacts.sh"
# shellcheck source=selftests/qemu/machine.sh
. "$lab/machine.sh"
# shellcheck source=selftests/qemu/check.sh
. "$lab/check.sh"
# shellcheck source=selftests/qemu/demo.sh
. "$lab/demo.sh"
# shellcheck source=selftests/qemu/packages.sh
. "$lab/packages.sh"
# shellcheck source=selftests/qemu/upstream.sh
. "$lab/upstream.sh"
# shellcheck source=selftests/qemu/compare.sh
. "$lab/compare.sh"
# shellcheck source=selftests/qemu/iss.sh
. "$lab/iss.sh"

# At the end of lab.sh, also by a signal: end all processes and remove the files of this run.
end_run() {
	local status=$? unfinished
	trap '' INT TERM
	end_jobs
	# shellcheck disable=SC2046 # one or more
	[ -z "$(jobs -p)" ] || kill $(jobs -p) 2>/dev/null
	{ wait; } 2>/dev/null # bash reports each process that was ended
	if [ -e "$run/unfinished" ]; then
		while read -r unfinished; do
			[ ! -e "$unfinished" ] || as_root rm -rf --one-file-system "$unfinished"
		done <"$run/unfinished"
	fi
	[ -n "${KEEP:-}" ] || rm -rf "$run"
	exit $status
}

# start_run: make the folder of this run, with a copy of the sources: what is edited while tests
# run is not tested.
start_run() {
	mkdir -p "$cache" || die "cannot make $cache"
	run=$(mktemp -d "$cache/run.XXXXXX") || die "cannot write to $cache"
	trap end_run EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	copy_sources "$run/tree" || die "cannot copy the sources to $run"
	(cd "$run/tree" && "$top/tools/version.sh" include/sbi_pmu/version.h dkms.conf)
	: >"$run/results"
	: >"$run/skips"
}

clean() {
	local busy
	for busy in "$cache"/run.*; do
		[ ! -e "$busy" ] || die "another run uses $cache; if it was killed, remove $busy"
	done
	need_root
	as_root rm -rf --one-file-system "$cache"
}

setup() {
	need_root
	start_run
	# shellcheck disable=SC2046 # words
	make_artifacts 0 $(all_artifacts)
}

# The cases without QEMU's -cpu.
list() {
	sed -n 's/^# \(name\t\)/\1/; /^[^#]/p' "$lab/cases.tsv" | cut -f 1-7,9 |
		expand -t 22,28,34,44,55,65,104
}

verb=${1:-}
[ $# = 0 ] || shift
case $verb in
test) run_test ;;
check) if [ $# = 0 ]; then run_check check; else run_check "$@"; fi ;;
check-all | check-release | check-debug | check-kernels | check-packages) run_check "${verb#check-}" ;;
perf-test) run_check perf ;;
check-upstream) check_upstream ;;
check-iss) check_iss ;;
run) demo ;;
run-xiangshan) demo_xiangshan ;;
compare | deb | list | setup) "$verb" ;;
shell) shell "$@" ;;
clean-lab) clean ;;
*) die "no verb '$verb'; see 'make help'" ;;
esac
