# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# ktap.sh - for test scripts: KTAP output, and the module.
#
# A script calls plan, then check, prepare or skip once per result, then finish.
#
# LAB_TESTS  "program,program.test,...": the tests to run: all of a program, or those that have this
#            name or begin with it. If it names nothing of this program, all run.
tests=0
failures=0
planned=
suite=$(basename "$0")
devices=/sys/bus/event_source/devices
ko=${SBI_PMU_KO:-$(dirname "$0")/sbi_pmu.ko}

# ---- KTAP ----

# Begin the output. The number of results comes at the end, from finish.
plan() {
	echo "KTAP version 1"
	planned=1
}

only=
found=
for ktap_word in $(echo "$LAB_TESTS" | tr , ' '); do
	case $ktap_word in
	"$suite") only=; break ;;
	"$suite".*) only="$only ${ktap_word#*.}" ;;
	esac
done

is_wanted() { # NAME
	[ -n "$only" ] || return 0
	for ktap_word in $only; do
		case $1 in "$ktap_word"*) found="$found $ktap_word"; return 0 ;; esac
	done
	return 1
}

# Print figures and other details of the next result.
note() { echo "# $*"; }

# Report a test that does not apply to this machine.
skip() { # NAME REASON
	is_wanted "$1" || return 0
	tests=$((tests + 1))
	echo "ok $tests $suite.$1 # SKIP $2"
}

# Report whether COMMAND succeeds; print its output only if it fails. NAME stays the same
# from run to run, so that a CI can follow it: figures belong in note.
# COMMAND runs in a subshell: variables that it sets are lost.
check() { # NAME COMMAND [ARGUMENT...]
	! is_wanted "$1" || prepare "$@"
}

# The same for what other tests are based on: it runs even if LAB_TESTS does not name it, and is
# then reported only if it fails.
prepare() { # NAME COMMAND [ARGUMENT...]
	result=$1
	shift
	if output=$("$@" 2>&1); then
		is_wanted "$result" || return 0
		tests=$((tests + 1))
		echo "ok $tests $suite.$result"
	else
		tests=$((tests + 1))
		failures=$((failures + 1))
		echo "$output" | sed 's/^/# /'
		echo "not ok $tests $suite.$result"
	fi
}

# End the script. It fails if a check failed, or if the output never began.
finish() {
	[ -n "$planned" ] || { note "plan was not called"; exit 1; }
	for ktap_word in $only; do
		case " $found " in *" $ktap_word "*) continue ;; esac
		prepare "$ktap_word" \
			sh -c "echo 'LAB_TESTS: no test of $suite has a name that begins so'; false"
	done
	echo "1..$tests"
	[ "$failures" = 0 ]
	exit
}

fails() { ! "$@"; }

# ---- the module ----

is_loaded() { grep -q '^sbi_pmu ' /proc/modules; }

# Load the module with the parameters in LAB_INSMOD.
# shellcheck disable=SC2086 # LAB_INSMOD is a list of words
load_module() { insmod "$ko" $LAB_INSMOD; }

ensure_loaded() { is_loaded || load_module; }

# Unload the module if it is loaded, clear the log, and load it with these parameters only.
reload() { # [PARAMETER...]
	! is_loaded || rmmod sbi_pmu || return
	dmesg -c > /dev/null
	insmod "$ko" "$@"
}

# Reload it with the parameters in LAB_INSMOD, and with these besides.
# shellcheck disable=SC2086 # LAB_INSMOD is a list of words
reload_case() { reload $LAB_INSMOD "$@"; } # [PARAMETER...]

# Has the module logged this since the last reload?
log_has() { # EXPRESSION
	dmesg | sed -n 's/.*sbi_pmu: //p' > /tmp/log
	grep -qE "$1" /tmp/log || { cat /tmp/log; return 1; }
}

# Does loading fail with this error, and with this reason in the log?
load_fails() { # ERROR EXPRESSION [PARAMETER...]
	error=$1
	reason=$2
	shift 2
	! reload "$@" 2> /tmp/err && cat /tmp/err && grep -q "$error" /tmp/err && log_has "$reason"
}

# Unload it although another program may hold an event open for a moment.
unload() { # [TRIES]
	for _ in $(seq "${1:-9}"); do
		! rmmod sbi_pmu || return 0
		usleep 50000
	done
	return 1
}

# Is nothing left of the module in sysfs and /proc?
is_gone() { ! is_loaded && ! pmu_name && ! grep -q sbi_pmu /proc/interrupts; }

# Print the name of the module's PMU: cpu in exclusive mode, sbi_pmu in shared mode.
pmu_name() {
	for name in sbi_pmu cpu; do
		if [ -e $devices/$name/caps/mode ]; then
			echo $name
			return
		fi
	done
	return 1
}

# How does the driver program counters: sbi, snapshot or csr?
backend_is() { [ "$(cat "$devices/$(pmu_name)/caps/backend")" = "$1" ]; }

# Print the prefix of its generic hardware events: hw_ in shared mode.
event_prefix() { [ "$(pmu_name)" = cpu ] || echo hw_; }

# Set pmu, and the names of three of its events: cycles, instructions, misses (loads, in the TLB).
name_events() {
	pmu=$(pmu_name)
	cycles=$pmu/$(event_prefix)cycles/
	instructions=$pmu/$(event_prefix)instructions/
	misses=$pmu/event=0x10019,firmware=0x1/
	[ "$pmu" = cpu ] || misses=$pmu/hw_dtlb-load-misses/
}

# Print the number of overflow interrupts of all drivers.
interrupts() {
	awk '/sbi_pmu|riscv-pmu/ { for (i = 2; i < NF; i++) n += $i } END { print n + 0 }' /proc/interrupts
}

# Does perf stat count an event, and is that not zero?
counts() { # ARGUMENT...
	perf stat -x, -o /tmp/stat "$@" -- true
	grep -v '^#' /tmp/stat | grep . | tee /dev/stderr | awk -F, '$1 + 0 > 0 { ok = 1 } END { exit !ok }'
}

# Does the program samples take more than that? Set served to the number of interrupts meanwhile.
takes_samples() { # LEAST COMMAND...
	least=$1
	shift
	before=$(interrupts)
	samples=$("$@" | sed 's/.*, \([0-9]*\) samples/\1/')
	served=$(($(interrupts) - before))
	echo "$samples samples, $served interrupts"
	[ "$samples" -gt "$least" ]
}

# Keep an event of this process open, and thereby the module in use, until release.
hold() {
	mkfifo /tmp/hold.in 2> /dev/null
	"$(dirname "$0")/hold" < /tmp/hold.in > /tmp/hold.out &
	exec 9> /tmp/hold.in
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		grep -q holding /tmp/hold.out && return
		sleep 0.2
	done
}

release() {
	exec 9>&-
	wait
}

# Print the month of an event table's RTL.
month_of() { # TABLE
	awk -v table="$1" '$1 == table { print $2 }' "$(dirname "$0")/event_tables"
}

# ---- the machine ----

# Set number to a random number below LIMIT, and random, the seed, to the next one: a linear
# congruential generator, so that a seed gives the same sequence in each shell.
next_random() { # LIMIT
	random=$(((random * 1103515245 + 12345) & 0x7fffffff))
	number=$((random / 65536 % $1))
}

# CPUs go offline and come back, and the last one is told that it may lose its state. In Linux 7.3-rc7
# the virtio port for the results stays closed then: virtcons_restore() asks the host for its state
# before the answer has a buffer.
suspend_cpus() {
	case $(uname -r) in 7.3.*) return 1 ;; esac
	echo core > /sys/power/pm_test && echo disk > /sys/power/state
	set -- $?
	echo none > /sys/power/pm_test
	return "$1"
} 2> /dev/null

# QEMU before 10.0: its default CPUs have its version in marchid and mimpid.
is_old_qemu() {
	arch=$(sed -n 's/^marchid[^0-9]*//p' /proc/cpuinfo | head -n 1)
	grep -q "^mimpid[^0-9]*$arch\$" /proc/cpuinfo && [ $((arch)) -gt 0 ] &&
		[ $((arch)) -lt $((0xa0000)) ]
}

# As has_mode_filters() in harness.h, but for KVM guests
has_mode_filters() {
	grep -qE 'sscofpmf|xandespmu|^mvendorid.*0x5b7$' /proc/cpuinfo && ! is_old_qemu &&
		! grep -q cycles "$devices/$(pmu_name)/caps/free_running"
}
