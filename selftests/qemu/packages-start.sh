#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# packages-start.sh - in a machine that has the files of the installed packages: what systemd does
# at each start loads the module, which has the PMU to itself and counts. See packages.sh.
set -ex
/usr/lib/systemd/systemd-modules-load
dmesg | grep sbi_pmu:
[ -e /sys/bus/event_source/devices/cpu/caps/mode ]
/lab/count
perf stat -e cycles,instructions,r1234 -- true 2>&1 | tee /tmp/said
grep -q '<not supported> *r1234' /tmp/said
sbi-topdown --help | grep -q sbi-topdown
echo "-- the end"
