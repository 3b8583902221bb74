# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# topdown.sh - for the tests of sbi-topdown: run it, and check its exit status and messages.
. "$(dirname "$0")/ktap.sh"
topdown=$(dirname "$0")/sbi-topdown
spin='i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done'

# Does COMMAND end with this status? Its output goes to /tmp/out and /tmp/err.
exits_with() { # STATUS COMMAND [ARGUMENT...]
	expected=$1
	shift
	"$@" > /tmp/out 2> /tmp/err
	got=$?
	[ $got = "$expected" ] || { echo "status $got, not $expected"; cat /tmp/out /tmp/err; return 1; }
}

# Did it print this to stderr?
printed() { # EXPRESSION
	grep -q "$1" /tmp/err || { cat /tmp/err; return 1; }
}

# Does sbi-topdown refuse to start, with this reason?
analysis_fails() { # REASON
	exits_with 124 "$topdown" true && printed "no top-down analysis here: $1" && printed '^To do: '
}

analysis_fails_without_module() {
	rmmod sbi_pmu && analysis_fails 'the module sbi_pmu is not loaded'
	ret=$?
	ensure_loaded && return $ret
}
