#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh COMMAND... - in the packaging root (see packages.sh), with the sources in /run/deb/sbi-pmu:
#   build   build the packages for riscv64: /run/deb/*.deb
#   lint    lintian finds neither errors nor warnings in them
#   dkms    DKMS builds the module from the package, and not for other architectures
#   ccache  fill /run/deb/ccache with the objects that DKMS will compile in the booted Debian
#   install make uninstall removes all that make install has installed
set -e
export HOME=/tmp
release=$(cat /kernel-release)
headers=/usr/src/linux-headers-$release
export ARCH=riscv
# It goes with the folder of this run.
TMPDIR=$(mktemp -d /run/deb/tmp.XXXXXX)
export TMPDIR
cd /run/deb/sbi-pmu
version=$(sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' include/sbi_pmu/version.h)

fails() { echo "$*" >&2; exit 1; }

build() {
	# Without ARCH: that is for the kernel's make.
	env -u ARCH CC=riscv64-linux-gnu-gcc DEB_BUILD_OPTIONS=noautodbgsym \
		dpkg-buildpackage -d -b -us -uc -a riscv64
}

lint() { LC_ALL=C.UTF-8 lintian --allow-root --fail-on error,warning ../*.changes; }

# The trees of DKMS are in a folder of their own.
dkms_in_trees() {
	dkms "$@" -m sbi-pmu -v "$version" --dkmstree "$trees/dkms" --sourcetree "$trees/usr/src" \
		--installtree "$trees/modules"
}

build_by_dkms() { # ARCHITECTURE
	CROSS_COMPILE=riscv64-linux-gnu- dkms_in_trees build -k "$release" -a "$1" \
		--kernelsourcedir "$headers"
}

dkms_builds() {
	trees=$(mktemp -d)
	dpkg-deb -x ../sbi-pmu-dkms_*_all.deb "$trees"
	mkdir "$trees/dkms" "$trees/modules"
	dkms_in_trees add
	build_by_dkms riscv64 || { cat "$trees/dkms/sbi-pmu/$version/build/make.log"; exit 1; }
	module=$(find "$trees/dkms" -name 'sbi_pmu.ko*')
	modinfo "$module" | grep -q "^vermagic: *$release " || fails "no module for $release"
	[ "$(modinfo -F version "$module")" = "$version" ] || fails "the module has another version"
	modinfo -F parm "$module" | sed 's/:.*//' | sort >"$trees/parameters"
	sed -n 's/^#options sbi_pmu \(.*\)=.*/\1/p' "$trees/etc/modprobe.d/sbi-pmu.conf" | sort |
		diff "$trees/parameters" - || fails "modprobe.d has other parameters than the module"
	status=0
	build_by_dkms x86_64 || status=$?
	[ $status = 77 ] || fails "dkms build for x86_64 returned $status, not 77"
	dkms_in_trees remove --all
	[ -z "$(ls "$trees/dkms")" ] || fails "dkms remove leaves:" "$(find "$trees/dkms")"
	rm -rf "$trees"
}

# In the same folder, with the same compiler and headers: then ccache finds them there.
fill_ccache() {
	folder=/var/lib/dkms/sbi-pmu/$version/build
	trees=$(mktemp -d)
	dpkg-deb -x ../sbi-pmu-dkms_*_all.deb "$trees"
	export DEBIAN_KERNEL_USE_CCACHE=1 CCACHE_DIR=/run/deb/ccache
	export CCACHE_DEPEND=1 CCACHE_COMPILERCHECK='%compiler% -dumpfullversion'
	for headers in /usr/src/linux-headers-*-riscv64; do
		rm -rf "$folder"
		mkdir -p "$folder"
		cp -a "$trees/usr/src/sbi-pmu-$version/." "$folder"
		CROSS_COMPILE=riscv64-linux-gnu- make -C "$folder" -j 2 \
			"KERNELRELEASE=${headers#*-headers-}" KDIR="$headers" modules
	done
	ccache -s
	rm -rf /var/lib/dkms/sbi-pmu "$trees"
}

installs() {
	folder=$(mktemp -d)
	cp -a . "$folder/src"
	make_there() { make -C "$folder/src" CROSS_COMPILE=riscv64-linux-gnu- KDIR="$headers" DESTDIR="$folder/root" "$@"; }
	make_there install
	module=$(find "$folder/root/lib/modules/$release" -name 'sbi_pmu.ko*')
	[ "$(modinfo -F version "$module")" = "$version" ] || fails "make install has installed no module"
	make_there uninstall
	[ -z "$(find "$folder/root" ! -type d)" ] || fails "make uninstall leaves:" "$(find "$folder/root")"
	rm -rf "$folder"
}

for command; do
	case $command in
	build | lint) $command ;;
	dkms) dkms_builds ;;
	ccache)
		# Other runs use the same folder.
		(flock 9 && fill_ccache) 9</var/lib/dkms
		;;
	install) installs ;;
	*) fails "deb.sh: no command '$command'" ;;
	esac
done
