# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# topdown.sh - for the tests of sbi-topdown: run it, and look at what it says.
. "$(dirname "$0")/ktap.sh"
topdown=$(dirname "$0")/sbi-topdown
spin='i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'

# exits STATUS COMMAND...: what it prints goes to /tmp/out and /tmp/err.
exits() {
	must=$1
	shift
	"$@" > /tmp/out 2> /tmp/err
	got=$?
	[ $got = "$must" ] && return
	echo "status $got, not $must"
	cat /tmp/out /tmp/err
	return 1
}

says() { grep -q "$1" /tmp/err || { cat /tmp/err; return 1; }; }

refuses() { # WHY
	exits 124 "$topdown" true && says "no top-down analysis here: $1" && says '^To do: ' &&
		exits 124 "$topdown" -a --json && says "$1"
}

without_module() {
	rmmod sbi_pmu && refuses 'the module sbi_pmu is not loaded'
	ret=$?
	load && return $ret
}
