#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# debian-configure.sh - in the machine that artifact_debian boots: configure the packages that have
# been unpacked into its disk. They cannot run where they were unpacked, on another architecture.
set -e
export DEBIAN_FRONTEND=noninteractive DEBCONF_NONINTERACTIVE_SEEN=true LC_ALL=C HOME=/root
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
seconds() { echo "$1: $(cut -d . -f 1 /proc/uptime) s"; }

# It makes /etc/passwd, which other packages need when they are configured.
/var/lib/dpkg/info/base-passwd.preinst install
seconds "configuring"
dpkg --configure -a
seconds "configured"
# What the machine needs to start: the initrd has the modules of its disk.
echo '/dev/vda1 / ext4 defaults,noatime 0 0' >/etc/fstab
echo lab >/etc/hostname
systemd-machine-id-setup
sed -i 's/^#U_BOOT_PARAMETERS=.*/U_BOOT_PARAMETERS="ro quiet fsck.mode=skip console=ttyS0 panic=-1"/; s/^#U_BOOT_TIMEOUT=.*/U_BOOT_TIMEOUT="1"/' \
	/etc/default/u-boot
systemctl enable lab.service
# What an emulated CPU would take seconds for; the initrd has looked for devices before.
systemctl mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
	e2scrub_reap.service fstrim.timer getty.target systemd-udev-trigger.service \
	systemd-logind.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
	dev-hugepages.mount dev-mqueue.mount systemd-journal-flush.service
u-boot-update
cat /boot/extlinux/extlinux.conf
dpkg --audit
# Not at the next start, which is measured.
touch /etc/.updated /var/.updated
seconds "ready"
echo "lab: configured"
