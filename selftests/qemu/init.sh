#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# init.sh - process 1 of a lab machine. What to do is in the environment, where
# the kernel puts the words of its command line that it does not know:
#   lab_run=a,b,c  run these programs of /lab; KTAP goes to the virtio port
#   lab_limit=N    each may take N seconds
#   lab_suite=S    whose kernel it is; debug has its checkers on, and is asked at
#                  the end what it found
#   lab_kvm=N      be the host of a guest of N harts, which is told all the rest
#   lab_hosts=1    but run the programs here, one of which starts the guest
#   lab_demo=NAME  run /lab/NAME, for a person
#   lab_shell=1    a prompt on the console
set -o pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=${TERM:-vt100}
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /root
/bin/busybox --install -s /bin 2>/dev/null
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev 2>/dev/null
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mount -t tmpfs tmpfs /tmp
hostname lab
echo -1 > /proc/sys/kernel/perf_event_paranoid
cd /lab

finish() {
	sync
	poweroff -f
}

port() {
	# A port appears when its driver has met it.
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -e /dev/vport0p1 ] && return
		usleep 200000
	done
	echo "lab: no virtio port" > /dev/console
}

# Programs speak KTAP; here they become the subtests of one.
run_programs() {
	set -- $(echo "$1" | tr , ' ')
	echo "KTAP version 1"
	echo "1..$#"
	n=0
	for program; do
		n=$((n + 1))
		echo "lab: $program" > /dev/kmsg
		start=$(cut -d . -f 1 /proc/uptime)
		timeout "$lab_limit" "./$program" 2>&1 < /dev/null | while IFS= read -r line; do echo "  $line"; done
		status=$?
		echo "# $program took $(($(cut -d . -f 1 /proc/uptime) - start)) s"
		case $status in
		0) echo "ok $n $program" ;;
		4) echo "ok $n $program # SKIP" ;;
		*) echo "not ok $n $program" ;;
		esac
	done
	[ "$lab_suite" != debug ] || ask_checkers > /dev/console 2>&1
	echo "# end of $lab_case"
}

# All other checkers speak up by themselves. What the module has forgotten is
# found when it is gone: memory that nobody points to. Two scans, because memory
# that is younger than five seconds, or has changed since the last, may be in use.
ask_checkers() {
	rmmod sbi_pmu
	leaks=/sys/kernel/debug/kmemleak
	echo scan > $leaks && sleep 6 && echo scan > $leaks && cat $leaks ||
		echo "lab: BUG: kmemleak has turned itself off"
	grep -q 'debug_locks: *1' /proc/lockdep_stats ||
		echo "lab: BUG: lockdep has turned itself off"
}

if [ -n "$lab_kvm" ] && [ -z "$lab_hosts" ]; then
	port
	./kvm-host.sh
elif [ -n "$lab_run" ]; then
	port
	run_programs "$lab_run" > /dev/vport0p1
elif [ -n "$lab_demo" ]; then
	port
	"./$lab_demo" > /dev/vport0p1 2>&1
else
	insmod sbi_pmu.ko
	dmesg | grep sbi_pmu:
	setsid cttyhack sh
fi
finish
