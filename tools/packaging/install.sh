#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh DESTDIR LIBEXEC - what the RPM and Arch packages have of Debian's sbi-pmu-dkms: the
# module's sources for DKMS, its parameters, and the unit that loads it if a user enables it.
set -e
cd "$(dirname "$0")/../.."
make install-source DESTDIR="$1"
install -D -m 755 debian/load "$1$2/sbi-pmu/load"
install -d "$1/etc/modprobe.d" "$1/usr/lib/systemd/system"
# Documents are elsewhere than in Debian.
sed 's,Documentation/admin-guide/perf/,,' debian/sbi-pmu-dkms.sbi-pmu.modprobe >"$1/etc/modprobe.d/sbi-pmu.conf"
sed "/^Documentation=/d; s,/usr/libexec,$2," debian/sbi-pmu-dkms.sbi-pmu.service \
	>"$1/usr/lib/systemd/system/sbi-pmu.service"
