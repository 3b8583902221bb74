#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh DESTDIR LIBEXEC - install those parts of Debian's sbi-pmu-dkms that the RPM and Arch packages
# have, too: the module's sources for DKMS, its parameters, and the unit that loads it if a user enables that.
set -e
cd "$(dirname "$0")/../.."
make install-source DESTDIR="$1"
install -D -m 755 debian/load "$1$2/sbi-pmu/load"
install -d "$1/etc/modprobe.d" "$1/usr/lib/systemd/system"
# These packages have the documents in other folders than Debian's.
sed 's,Documentation/admin-guide/perf/,,' debian/sbi-pmu-dkms.sbi-pmu.modprobe >"$1/etc/modprobe.d/sbi-pmu.conf"
sed "/^Documentation=/d; s,/usr/libexec,$2," debian/sbi-pmu-dkms.sbi-pmu.service \
	>"$1/usr/lib/systemd/system/sbi-pmu.service"
