#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
#
# init.sh - process 1 of a lab machine. Its parameters are in the environment: the kernel puts
# unknown words of its command line there.
#   lab_run=a,b,c  run these programs of /lab; KTAP goes to the virtio port
#   lab_limit=N    stop each program after N seconds
#   lab_suite=S    the suite of the kernel; debug: check kmemleak and lockdep at the end
#   lab_case=NAME  name for the last line of the results
#   lab_load=1     load the module before them
#   lab_end=reboot end so, not by poweroff
#   lab_acpi=1     the kernel has ACPI tables in place of a device tree
#   LAB_TESTS=T    the tests that they run; see selftests/guest/ktap.sh
#   lab_kvm=N      start a KVM guest of N harts, with the other parameters
#   lab_hosts=1    with lab_kvm: run the programs here; one of them starts the guest
#   lab_demo=NAME  run /lab/NAME; its output goes to the virtio port
#   LAB_INSMOD=P   the module's parameters
# Without lab_run, lab_kvm and lab_demo: a prompt on the console.
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

power_off() {
	sync
	"${lab_end:-poweroff}" -f
}

# The port appears when its driver has probed the device.
wait_for_port() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		[ -e /dev/vport0p1 ] && return
		usleep 200000
	done
	echo "lab: no virtio port" > /dev/console
}

# Each program is one KTAP test; its own results are indented subtests.
run_programs() {
	set -- $(echo "$1" | tr , ' ')
	echo "KTAP version 1"
	echo "1..$#"
	n=0
	[ -z "$lab_acpi" ] || [ ! -e /proc/device-tree ] || echo "lab: BUG: there is a device tree" > /dev/console
	[ -z "$lab_load" ] || insmod sbi_pmu.ko $LAB_INSMOD
	for program; do
		n=$((n + 1))
		echo "lab: $program" > /dev/kmsg
		start=$(cut -d . -f 1 /proc/uptime)
		timeout "$lab_limit" "./$program" 2>&1 < /dev/null |
			while IFS= read -r line; do echo "  $line"; done
		status=$?
		echo "# $program took $(($(cut -d . -f 1 /proc/uptime) - start)) s"
		case $status in
		0) echo "ok $n $program" ;;
		4) echo "ok $n $program # SKIP" ;;
		*) echo "not ok $n $program" ;;
		esac
	done
	[ "$lab_suite" != debug ] || check_kernel_debug > /dev/console 2>&1
	echo "# end of $lab_case"
}

# Other checkers of the debug kernel print on the console when they find something. kmemleak
# needs a scan: without the module, memory that it did not free has no reference. Two scans, as
# kmemleak does not report objects younger than five seconds or changed since the last scan.
check_kernel_debug() {
	rmmod sbi_pmu
	leaks=/sys/kernel/debug/kmemleak
	echo scan > $leaks && sleep 6 && echo scan > $leaks && cat $leaks ||
		echo "lab: BUG: kmemleak has turned itself off"
	grep -q 'debug_locks: *1' /proc/lockdep_stats ||
		echo "lab: BUG: lockdep has turned itself off"
}

if [ -n "$lab_kvm" ] && [ -z "$lab_hosts" ]; then
	wait_for_port
	./kvm-host.sh
elif [ -n "$lab_run" ]; then
	wait_for_port
	run_programs "$lab_run" > /dev/vport0p1
elif [ -n "$lab_demo" ]; then
	wait_for_port
	"./$lab_demo" > /dev/vport0p1 2>&1
else
	insmod sbi_pmu.ko $LAB_INSMOD
	dmesg | grep sbi_pmu:
	setsid cttyhack sh
fi
power_off
