#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# debian-steps.sh - in a booted Debian, as root, at each of its starts: install the packages and
# restart, count and upgrade the kernel and restart, count and purge. /run/lab has what it needs:
# packages/ with the two packages, tests/ with those of debian/, ccache/ with objects.
#
# Commands and their output go to the console, marked for the lab: "lab| ". The last line is
# "lab: passed" or "lab: FAILED: REASON".
export LC_ALL=C HOME=/root DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
# Debian's headers know ccache.
export DEBIAN_KERNEL_USE_CCACHE=1 CCACHE_DIR=/run/lab/ccache
export CCACHE_STATSLOG=/run/lab/stats CCACHE_DEPEND=1 CCACHE_COMPILERCHECK='%compiler% -dumpfullversion'
state=/var/lib/lab-step
newer=/var/lib/lab-newer
argument=initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit
step=$(cat $state 2>/dev/null || echo 1)
cd /run/lab || exit

seconds() { cut -d . -f 1 /proc/uptime; }
shown() { sed 's/ *$//; s/^/lab| /'; }
say() { printf '%s\n' "$*" | shown; }

end() {
	echo "lab: $*"
	sync
	systemctl poweroff --force 2>/dev/null
	exit
}

fails() { end "FAILED: $*"; }

# show COMMAND: run it, show it with its output, and fail if it fails. Not shown are apt's lines for
# each package that it reads or unpacks.
show() {
	say
	say "# $1"
	start=$(seconds)
	sh -c "$1" >/run/lab/output 2>&1 </dev/null
	status=$?
	tr '\r' '\n' </run/lab/output | grep -vE '^(Reading|Building|Solving) .*\.\.\.( .*)?$|^\(Reading database|^Get:|^Selecting previously|^Preparing to unpack|^N: Download is|^$' | shown
	echo "($(($(seconds) - start)) s)"
	[ $status = 0 ] || fails "$1 returned $status"
}

restart() {
	echo $((step + 1)) >$state
	say
	say "# reboot"
	ccache --show-log-stats
	sync
	systemctl reboot --force 2>/dev/null
	exit
}

release=$(uname -r)
say
say "Step $step: Linux $release"
echo "(started after $(seconds) s)"

# The module is loaded, has the PMU to itself, and counts.
check_counts() {
	show "grep -o 'initcall_blacklist=[^ ]*' /proc/cmdline"
	show "dmesg | grep sbi_pmu:"
	show "dkms status"
	grep -q "^sbi-pmu/.*, $release, .*: installed" output || fails "not installed for $release"
	show "modinfo -F filename sbi_pmu"
	[ -e /sys/bus/event_source/devices/cpu/caps/mode ] || fails "the module has no PMU 'cpu'"
	show "perf stat -e cycles,instructions,r1234 -- true"
	grep -Eq '^ *[1-9][0-9,]* +instructions' output || fails "instructions are not counted"
	grep -q '<not supported> *r1234' output || fails "an unknown event is not refused"
}

# Of the packages nothing is left, by name or in a file that lists modules, packages or arguments.
nothing_is_left() {
	say
	say "# what is left"
	{
		find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp \) -prune -o \
			-iname '*sbi[-_]pmu*' -print
		grep -rlI -e sbi-pmu -e sbi_pmu -e "$argument" /etc /usr/lib/modprobe.d \
			/usr/lib/modules-load.d /boot/extlinux /usr/lib/modules/*/modules.* /var/lib/dkms \
			/var/lib/dpkg/status /var/lib/dpkg/info 2>/dev/null
	} >output
	shown <output
	[ ! -s output ] || fails "purge leaves the files above"
	say "nothing"
}

case $step in
1)
	[ ! -e /sys/module/sbi_pmu ] || fails "the module is there before it is installed"
	show "cd packages && apt-get install -y ./sbi-pmu-dkms_*.deb ./sbi-pmu-tools_*.deb"
	# As README.Debian says.
	show "sed -i 's/^U_BOOT_PARAMETERS=\"\\(.*\\)\"/U_BOOT_PARAMETERS=\"\\1 $argument\"/' /etc/default/u-boot"
	show "u-boot-update"
	restart
	;;
2)
	check_counts
	show "sh tests/tools"
	show "sh tests/count"
	if [ -e $newer ]; then
		show "cd $newer && apt-get install -y ./*.deb"
		echo "$release" >/root/older
	fi
	restart
	;;
3)
	[ ! -e $newer ] || [ "$release" != "$(cat /root/older)" ] || fails "the same kernel after the upgrade"
	check_counts
	show "apt-get purge -y sbi-pmu-dkms sbi-pmu-tools"
	show "sed -i 's/ $argument//' /etc/default/u-boot"
	show "u-boot-update"
	[ ! -e /sys/module/sbi_pmu ] || fails "the module is still loaded"
	nothing_is_left
	end passed
	;;
esac
