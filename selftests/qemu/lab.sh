#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lab.sh - the module on stock kernels in QEMU. See "lab.sh help".
set -u
# Each make in here is one of its own.
unset MAKEFLAGS MFLAGS MAKELEVEL

lab=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$lab/../.." && pwd)
# shellcheck source=selftests/qemu/progress.sh
. "$lab/progress.sh"
# shellcheck source=selftests/qemu/privileges.sh
. "$lab/privileges.sh"
# shellcheck source=selftests/qemu/causes.sh
. "$lab/causes.sh"
# shellcheck source=selftests/qemu/artifacts.sh
. "$lab/artifacts.sh"
# shellcheck source=selftests/qemu/machine.sh
. "$lab/machine.sh"
# shellcheck source=selftests/qemu/check.sh
. "$lab/check.sh"
# shellcheck source=selftests/qemu/demo.sh
. "$lab/demo.sh"

usage() {
	cat <<-'EOF2'
	usage: lab.sh VERB
	  test             what needs a compiler and no root: lint and host tests
	  check [CASE...]  the same, the module's build, and a few boots; or the boots named
	  check-all        everything
	  check-debug      the boots of a kernel with its checkers on
	  run              boot a machine and show what the module does
	  run-xiangshan    the same on a model of XiangShan's counters
	  picture          draw what run shows, for the README
	  shell            the machine of run, with a prompt
	  list             the boots
	  setup            download and build what check-all needs, ahead of time
	  clean            remove the cache
	EOF2
}

# Everything of this run is gone when it ends, however it does.
end_run() {
	local status=$? unfinished
	trap '' INT TERM
	progress_stop
	end_jobs
	# shellcheck disable=SC2046 # one or more
	[ -z "$(jobs -p)" ] || kill $(jobs -p) 2>/dev/null
	{ wait; } 2>/dev/null # without a word for each that was ended
	if [ -e "$run/unfinished" ]; then
		while read -r unfinished; do
			[ ! -e "$unfinished" ] || as_root rm -rf --one-file-system "$unfinished"
		done <"$run/unfinished"
	fi
	[ -n "${KEEP:-}" ] || rm -rf "$run"
	exit $status
}

# start_run: a folder for everything of this run, and in it a copy of the sources: what is
# edited meanwhile is not tested. Runs side by side have their own.
start_run() {
	mkdir -p "$cache" || die "cannot make $cache"
	run=$(mktemp -d "$cache/run.XXXXXX") || die "cannot write to $cache"
	trap end_run EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	mkdir "$run/tree"
	tar -C "$top" --exclude=.git --exclude='*.ko' --exclude='*.o' -cf - . | tar -C "$run/tree" -xf - ||
		die "cannot copy the sources to $run"
	: >"$run/results"
	progress_start
}

clean() {
	local busy
	for busy in "$cache"/run.*; do
		[ ! -e "$busy" ] || die "a run is using $cache (or was killed: then remove $busy)"
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

verb=${1:-help}
[ $# = 0 ] || shift
case $verb in
test) run_test ;;
check) if [ $# = 0 ]; then run_check check; else run_check "$@"; fi ;;
check-all) run_check all ;;
check-debug) run_check_debug ;;
run) demo ;;
run-xiangshan) demo_xiangshan ;;
shell | picture) "$verb" ;;
list) rows | cut -f 1-4,6-8,10 | expand -t 22,28,34,40,43,51,81 ;;
setup) setup ;;
clean) clean ;;
help) usage ;;
*) usage >&2; exit 2 ;;
esac
