#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# packages-start.sh - in a machine that has the files of the installed packages: what systemd does
# at a start loads the module only if its unit is enabled, and not after a start that hung; then it
# has the PMU to itself and counts. See packages.sh.
set -ex
marker=/var/lib/sbi-pmu/loading

# systemd does not run here. Its program loads modules; of units only the command matters here.
start() {
	/usr/lib/systemd/systemd-modules-load
	for unit in /etc/systemd/system/multi-user.target.wants/*.service; do
		[ ! -e "$unit" ] || strace -f -o /tmp/calls -e trace=sync,finit_module \
			"$(sed -n 's/^ExecStart=//p' "$unit")"
	done
}

is_loaded() { [ -e /sys/module/sbi_pmu ]; }

# set -e takes no notice of a command after "!".
fails() { if "$@"; then exit 1; fi; }

start
fails is_loaded
systemctl --root=/ enable sbi-pmu.service
# A start that ends while it loads the module leaves its marker, and the next one does not load it.
# shellcheck disable=SC2016 # for that shell
echo 'install sbi_pmu kill -9 $PPID' >/etc/modprobe.d/hang.conf
fails start
rm /etc/modprobe.d/hang.conf
[ "$(cat $marker)" = "$(uname -r)" ]
fails start
fails is_loaded
dmesg | grep 'sbi_pmu: not loaded: .* (kernel [0-9]'
rm $marker
start
is_loaded
[ ! -e $marker ]
# The marker was on the disk before.
awk '/ sync\(/ { synced = 1 } /finit_module\(/ { loaded = synced } END { exit !loaded }' /tmp/calls
dmesg | grep sbi_pmu:
[ -e /sys/bus/event_source/devices/cpu/caps/mode ]
/lab/count
perf stat -e cycles,instructions,r1234 -- true 2>&1 | tee /tmp/said
grep -q '<not supported> *r1234' /tmp/said
sbi-topdown --help | grep -q sbi-topdown
echo "-- the end"
