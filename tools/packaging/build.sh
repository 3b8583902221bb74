#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# build.sh FOLDER - in the lab, where an amd64 Debian has a compiler for riscv64: pack these sources,
# build the RPM and Arch packages of them in FOLDER, by Debian's rpmbuild and makepkg, and look at
# what is in them. The packages are not installed: Debian has neither distribution's DKMS.
set -e
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd)
version=$(sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' "$top/include/sbi_pmu/version.h")
export CROSS_COMPILE=riscv64-linux-gnu- LC_ALL=C.UTF-8 HOME="$folder"
# The lab sets it for the kernel's make.
unset ARCH

fails() {
	echo "$*" >&2
	exit 1
}

# has FILE LIST: a package is complete.
has() {
	for path in "usr/src/sbi-pmu-$version/dkms.conf" "usr/src/sbi-pmu-$version/include/sbi_pmu/version.h" \
		etc/modprobe.d/sbi-pmu.conf usr/lib/systemd/system/sbi-pmu.service "$2/sbi-pmu/load" \
		usr/bin/sbi-topdown usr/bin/sbi-pmu-report usr/bin/sbi-pmu-map usr/include/sbi_pmu/region.h \
		usr/share/sbi-pmu/cores/map.awk; do
		sed 's,^/,,' "$1" | grep -qxF "$path" || fails "$1: no $path"
	done
}

# Without files that were built in the sources
name=sbi-pmu-$version
mkdir -p "$folder/SOURCES" "$folder/arch" "$folder/$name"
"$top/selftests/sources.sh" "$folder/$name"
tar -C "$folder" -czf "$folder/SOURCES/$name.tar.gz" "$name"
cp "$folder/SOURCES/$name.tar.gz" "$folder/arch"
sed "s/^Version: .*/Version: $version/" "$here/sbi-pmu.spec" >"$folder/sbi-pmu.spec"
sed "s/^pkgver=.*/pkgver=$version/" "$here/PKGBUILD" >"$folder/arch/PKGBUILD"

# Debian's rpm knows no installed packages.
rpmbuild -bb --nodeps --target riscv64-linux --define "_topdir $folder" --define "debug_package %{nil}" \
	--define "__strip riscv64-linux-gnu-strip" \
	"$folder/sbi-pmu.spec"
find "$folder/RPMS" -name '*.rpm' -exec rpm -qpl {} + >"$folder/rpm.list"
has "$folder/rpm.list" usr/libexec
rpm -qp --scripts "$folder"/RPMS/noarch/*.rpm | grep -qF "dkms add -m sbi-pmu -v $version " ||
	fails "the RPM does not call dkms"
rpmlint -c "$here/rpmlint.toml" "$folder/sbi-pmu.spec" "$folder"/RPMS/*/*.rpm

# makepkg refuses root.
as_user=
if [ "$(id -u)" = 0 ]; then
	as_user="setpriv --reuid=65534 --regid=65534 --clear-groups"
	chown -R 65534:65534 "$folder/arch"
fi
cat /etc/makepkg.conf - >"$folder/makepkg.conf" <<-'END'
	CARCH=riscv64 CHOST=riscv64-linux-gnu CFLAGS='-O2 -g' LDFLAGS=
	OPTIONS=(!strip !debug !lto) PKGEXT=.pkg.tar.gz
END
(cd "$folder/arch" && HOME="$folder/arch" TMPDIR="$folder/arch" PACMAN=true $as_user makepkg --config "$folder/makepkg.conf" -d --noconfirm)
for package in "$folder"/arch/*.pkg.tar.gz; do tar -tzf "$package"; done >"$folder/arch.list"
has "$folder/arch.list" usr/lib
