# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# demo.sh - for the scripts of 'make run': print titles, and commands with their output.
#
# selftests/qemu/demo.sh depends on lines that begin with "-- " and "   # ", and on the last
# one, "-- the end".
cd "$(dirname "$0")" || exit
devices=/sys/bus/event_source/devices

title() { printf '\n-- %s\n\n' "$*"; }
note() { printf '   %s\n' "$*"; }

# Print a command and its output, without lines that do not matter here. If a command fails,
# the_end prints nothing.
failed=
try() { # COMMAND
	printf '   # %s\n' "$1"
	sh -c "$1" > /tmp/out 2>&1
	status=$?
	[ $status = 0 ] || failed=1
	sed 's/[[:space:]]*$//; /^$/d; /seconds user/d; /seconds sys/d; /^\[ perf record/d
		/Performance counter stats/d; /^#/d; /nmi_watchdog/d; /perf stat \.\.\./d; s/^/     /' /tmp/out
	[ $status = 0 ] || echo "     -- failed: status $status"
	echo
}

the_end() { [ -n "$failed" ] || echo "-- the end"; }

load_module() { # PARAMETER...
	dmesg -c > /dev/null
	insmod sbi_pmu.ko "$@" || exit
	echo "   # insmod sbi_pmu.ko${*:+ $*}"
	dmesg | sed -n 's/^\[ *[0-9.]*\] sbi_pmu: /sbi_pmu: /p' | grep -v taint | fold -s -w 86 |
		sed 's/^/     /'
	echo
}
