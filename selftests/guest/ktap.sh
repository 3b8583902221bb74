# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# ktap.sh - for test scripts: plan N, check TEXT COMMAND..., finish.
tests=0
suite=$(basename "$0")
failures=0
devices=/sys/bus/event_source/devices

# Without a number the plan comes at the end.
plan() {
	echo "KTAP version 1"
	[ -z "${1:-}" ] || echo "1..$1"
	planned=${1:-}
}

# What a result leans on, for the reader: a line before it.
note() { echo "# $*"; }

# A test that does not apply to this machine, and why.
skip() { # NAME WHY
	tests=$((tests + 1))
	echo "ok $tests $suite.$1 # SKIP $2"
}

# One result: did the command succeed? What it printed is shown if not.
check() {
	text=$1
	shift
	tests=$((tests + 1))
	if output=$("$@" 2>&1); then
		echo "ok $tests $suite.$text"
	else
		failures=$((failures + 1))
		echo "$output" | sed 's/^/# /'
		echo "not ok $tests $suite.$text"
	fi
}

# Another program of ours; its results are told among ours, and left in /tmp/shown.
shown() { # PROGRAM [ARGUMENT...]
	program=$1
	shift
	"$(dirname "$0")/$program" "$@" > /tmp/shown 2>&1
	status=$?
	sed 's/^/# /' /tmp/shown
	return $status
}

finish() {
	[ -n "$planned" ] || echo "1..$tests"
	[ "$failures" = 0 ]
	exit
}

not() { ! "$@"; }

ko=${SBI_PMU_KO:-$(dirname "$0")/sbi_pmu.ko}

loaded() { grep -q '^sbi_pmu ' /proc/modules; }

# With the parameters that the row wants.
# shellcheck disable=SC2086 # LAB_INSMOD is as many words as there are
bring() { insmod "$ko" $LAB_INSMOD; }

load() { loaded || bring; }

# The module anew, with these parameters and no others, and an empty log.
anew() { # [PARAMETER...]
	! loaded || rmmod sbi_pmu || return
	dmesg -c > /dev/null
	insmod "$ko" "$@"
}

# What the module has said since.
said() { # EXPRESSION
	dmesg | sed -n 's/.*sbi_pmu: //p' > /tmp/log
	grep -qE "$1" /tmp/log || { cat /tmp/log; return 1; }
}

# It does not load, and says why.
refuses() { # ERROR EXPRESSION [PARAMETER...]
	error=$1
	why=$2
	shift 2
	! anew "$@" 2> /tmp/err && cat /tmp/err && grep -q "$error" /tmp/err && said "$why"
}

# The name of our PMU now: cpu as sole owner, sbi_pmu beside another.
pmu_name() {
	for name in sbi_pmu cpu; do
		if [ -e $devices/$name/caps/mode ]; then
			echo $name
			return
		fi
	done
	return 1
}

# What its general events' names begin with.
hw() { [ "$(pmu_name)" = cpu ] || echo hw_; }
