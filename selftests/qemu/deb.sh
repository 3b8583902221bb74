#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# deb.sh COMMAND... - in the packaging root (see packages.sh), with the sources in /run/deb/sbi-pmu:
#   build    build the packages for riscv64: /run/deb/*.deb
#   lint     lintian finds nothing in them, also if it is pedantic
#   others   build the RPM and Arch packages, see tools/packaging
#   install  make uninstall removes all that make install has installed
# and as root, in a copy of the root, of which prepare makes a riscv64 machine:
#   upgrade  upgrade the packages from 0.2, and purge them
#   life     install the packages, upgrade the kernel, purge them. /run/deb/RELEASE.vmlinux and .cpio
#            get what a start with each kernel needs
set -e
export HOME=/tmp ARCH=riscv DEBIAN_FRONTEND=noninteractive
release=$(cat /kernel-release)
# It goes with the folder of this run.
TMPDIR=$(mktemp -d /run/deb/tmp.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
cd /run/deb/sbi-pmu
version=$(sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' include/sbi_pmu/version.h)

fails() { echo "$*" >&2; exit 1; }

build() {
	# Without ARCH: that is for the kernel's make.
	env -u ARCH CC=riscv64-linux-gnu-gcc DEB_BUILD_OPTIONS=noautodbgsym \
		dpkg-buildpackage -d -b -us -uc -a riscv64
}

lint() {
	LC_ALL=C.UTF-8 lintian --allow-root --pedantic --display-info \
		--fail-on error,warning,info,pedantic ../*.changes
}

others() {
	chmod 755 "$TMPDIR" # makepkg does not run as root.
	tools/packaging/build.sh "$TMPDIR/others"
}

installs() {
	cp -a . "$TMPDIR/src"
	make_there() {
		make -C "$TMPDIR/src" CROSS_COMPILE=riscv64-linux-gnu- \
			KDIR="/usr/src/linux-headers-$release" DESTDIR="$TMPDIR/root" "$@"
	}
	make_there install
	module=$(find "$TMPDIR/root/lib/modules/$release" -name 'sbi_pmu.ko*')
	[ "$(modinfo -F version "$module")" = "$version" ] || fails "make install has installed no module"
	make_there uninstall
	left=$(find "$TMPDIR/root" ! -type d)
	[ -z "$left" ] || fails "make uninstall leaves:" "$left"
}

# DKMS and dpkg are this root's, and compile for a riscv64 machine, in place of one: only these
# programs say so.
prepare() {
	for kernel in /lib/modules/*; do
		# As the packages of its modules do; the root has the headers only.
		depmod "${kernel##*/}"
		[ "${kernel##*/}" = "$release" ] || mv "$kernel" /usr/newer
	done
	cat >/usr/local/bin/uname <<-END
	#!/bin/sh
	case \$* in
	-r) echo $release ;;
	-m) echo riscv64 ;;
	*) exec /usr/bin/uname "\$@" ;;
	esac
	END
	chmod 755 /usr/local/bin/uname
	ln -s /usr/bin/riscv64-linux-gnu-strip /usr/local/bin/strip
	export PATH="/usr/local/bin:$PATH" CROSS_COMPILE=riscv64-linux-gnu-
	echo force-unsafe-io >/etc/dpkg/dpkg.cfg.d/lab
}

# installed_for RELEASE: the module that DKMS has installed is this one, for that kernel. Keep what
# the next start with that kernel needs of this root.
installed_for() {
	dkms status | grep -q "^sbi-pmu/$version, $1, riscv64: installed" ||
		fails "DKMS has not installed the module for $1:" "$(dkms status)"
	module=$(modinfo -k "$1" -F filename sbi_pmu)
	case $module in /lib/modules/"$1"/updates/dkms/*) ;; *) fails "the module is $module" ;; esac
	modinfo "$module" | grep -q "^vermagic: *$1 " || fails "no module for $1"
	[ "$(modinfo -F version "$module")" = "$version" ] || fails "the module has another version"
	modinfo -F parm "$module" | sed 's/:.*//' | sort >"$TMPDIR/parameters"
	sed -n 's/^#options sbi_pmu \(.*\)=.*/\1/p' /etc/modprobe.d/sbi-pmu.conf | sort |
		diff "$TMPDIR/parameters" - || fails "modprobe.d has other parameters than the module"
	rm -rf "${TMPDIR:?}/boot"
	mkdir -p "$TMPDIR/boot/lab"
	(cd / && find "usr/lib/modules/$1" \( -name 'modules.*' -o -name 'sbi_pmu.ko*' \)
		find etc -name sbi-pmu.service
		dpkg -L sbi-pmu-dkms sbi-pmu-tools | grep -E '^/usr/(bin|libexec)/|(modprobe|modules-load)\.d/|\.service$') |
		sed 's,^/,,' | cpio -D / -pdL --quiet "$TMPDIR/boot"
	(cd /guest && find . -name systemd-modules-load -o -name 'libsystemd-shared*') | cpio -D /guest -pd --quiet "$TMPDIR/boot"
	[ -e "$TMPDIR/boot/usr/lib/systemd/systemd-modules-load" ] || fails "no systemd-modules-load"
	cp debian/tests/count selftests/qemu/packages-start.sh "$TMPDIR/boot/lab"
	cp selftests/qemu/init.sh "$TMPDIR/boot/init"
	chmod 755 "$TMPDIR/boot/init" "$TMPDIR"/boot/lab/*
	(cd "$TMPDIR/boot" && find . | cpio -o -H newc --quiet -R 0:0) >"/run/deb/$1.cpio"
}

# Of the packages nothing is left, by name or in a file that lists modules or packages.
nothing_is_left() {
	{
		find / -xdev \( -path /proc -o -path /run -o -path /tmp \) -prune -o \
			-iname '*sbi[-_]pmu*' -print
		grep -rlI -e sbi-pmu -e sbi_pmu /etc /usr/lib/modprobe.d /usr/lib/modules-load.d \
			/usr/lib/modules/*/modules.* /var/lib/dkms /var/lib/dpkg/status \
			/var/lib/dpkg/info 2>/dev/null || :
	} >"$TMPDIR/left"
	[ ! -s "$TMPDIR/left" ] || fails "purge leaves:" "$(cat "$TMPDIR/left")"
}

# make_old: in $old packages of version 0.2, as far as an upgrade notices: these ones, with the file by
# which 0.2 was loaded at each start, without the unit, and with fewer parameters in modprobe.d. They
# are not built from the commit of 0.2: an archive of the sources has no history, and the driver of
# that time does not build for each newer kernel.
make_old() {
	old=$TMPDIR/old
	mkdir "$old"
	dpkg-deb -R ../sbi-pmu-dkms_*.deb "$old/dkms"
	dpkg-deb -R ../sbi-pmu-tools_*.deb "$old/tools"
	mv "$old/dkms/usr/src/sbi-pmu-$version" "$old/dkms/usr/src/sbi-pmu-0.2"
	rm -r "$old/dkms/usr/libexec" "$old/dkms/usr/lib/systemd" "$old"/*/DEBIAN/md5sums
	mkdir "$old/dkms/usr/lib/modules-load.d"
	echo sbi_pmu >"$old/dkms/usr/lib/modules-load.d/sbi-pmu.conf"
	sed -i '/ mode=/d' "$old/dkms/etc/modprobe.d/sbi-pmu.conf"
	sed -i '/added by dh_installsystemd/,/^# End/d' "$old/dkms/DEBIAN"/p[or]*
	grep -rlF "$version" "$old" | xargs sed -i "s/$version/0.2/g"
	for package in dkms tools; do dpkg-deb -b "$old/$package" "$old/$package.deb"; done
}

# From 0.2: of that nothing is left, DKMS has the new module only, and no user has enabled the unit.
upgrade() {
	make_old
	dpkg -i "$old/dkms.deb" "$old/tools.deb"
	dkms status | grep -q "^sbi-pmu/0.2, $release, riscv64: installed" || fails "0.2: $(dkms status)"
	# The kernel's own modules are not here; without any DKMS drops modules.dep with the last module.
	install -D "$(modinfo -k "$release" -F filename sbi_pmu)" "/lib/modules/$release/kernel/lab.ko"
	depmod "$release"
	dpkg -i ../sbi-pmu-dkms_*.deb ../sbi-pmu-tools_*.deb
	installed_for "$release"
	[ "$(dkms status | wc -l)" = 1 ] || fails "after the upgrade DKMS has:" "$(dkms status)"
	left=$(find /usr/src /usr/lib/modules-load.d /etc/modprobe.d /etc/systemd/system -iname 'sbi[-_]pmu*' \
		! -path "/usr/src/sbi-pmu-$version*" ! -path /etc/modprobe.d/sbi-pmu.conf 2>/dev/null || :)
	[ -z "$left" ] || fails "the upgrade leaves or enables:" "$left"
	dpkg --purge sbi-pmu-dkms sbi-pmu-tools
	rm -r "/lib/modules/$release/kernel"
	depmod "$release"
	nothing_is_left
}

life() {
	dpkg -i ../sbi-pmu-dkms_*.deb ../sbi-pmu-tools_*.deb
	installed_for "$release"
	status=0
	dkms build "sbi-pmu/$version" -k "$release" -a x86_64 || status=$?
	[ $status = 77 ] || fails "dkms build for x86_64 returned $status, not 77"
	if [ -e /newer ]; then
		newer=$(basename "$(echo /newer/linux-image-*.deb)" | cut -d _ -f 1)
		newer=${newer#linux-image-}
		mv /usr/newer "/lib/modules/$newer"
		# Neither its modules nor an initramfs are needed here.
		dpkg --force-depends -i /newer/*.deb
		installed_for "$newer"
		cp -L "/boot/vmlinux-$newer" "/run/deb/$newer.vmlinux" 2>/dev/null ||
			cp "/lib/modules/$newer/vmlinuz" "/run/deb/$newer.vmlinux"
	else
		echo "skipped: $(cat /no-newer)$(printf '\t')an upgrade of the kernel"
	fi
	# As after "systemctl enable sbi-pmu" and a start that hung
	mkdir -p /etc/systemd/system/multi-user.target.wants /var/lib/sbi-pmu
	ln -sf /usr/lib/systemd/system/sbi-pmu.service /etc/systemd/system/multi-user.target.wants
	touch /var/lib/sbi-pmu/loading
	dpkg --purge sbi-pmu-dkms sbi-pmu-tools
	nothing_is_left
}

for command; do
	case $command in
	build | lint | others | prepare | upgrade | life) $command ;;
	install) installs ;;
	*) fails "deb.sh: no command '$command'" ;;
	esac
done
