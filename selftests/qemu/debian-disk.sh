#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# debian-disk.sh TREE OUT - as root, where kmod, cpio, mke2fs and sfdisk are: from a folder into
# which riscv64 packages have been unpacked, with the packages in its /var/cache/apt/archives,
# make OUT/disk, a disk with that system, and OUT/initrd, which configures it at its first boot.
set -e
tree=$1 out=$2
here=$(dirname "$0")
# It goes with the artifact that is being made.
export TMPDIR="$out"
release=$(ls "$tree/lib/modules")

# ---- what dpkg knows ----

# Packages are unpacked, or installed if there is nothing to configure. Python's would compile all
# of its modules, which takes minutes there; perf needs its library only.
info=$tree/var/lib/dpkg/info
rm -rf "$info" && mkdir -p "$info" "$tree/var/lib/dpkg/updates" "$tree/var/lib/dpkg/triggers"
printf '1\n' >"$info/format"
: >"$tree/var/lib/dpkg/status"
control=$(mktemp -d)
for deb in "$tree"/var/cache/apt/archives/*.deb; do
	rm -rf "$control" && dpkg-deb -e "$deb" "$control"
	name=$(dpkg-deb -f "$deb" Package)
	state=unpacked
	[ -e "$control/postinst" ] || state=installed
	case $name in *python3*) state=installed ;; esac
	[ "$(dpkg-deb -f "$deb" Multi-Arch)" != same ] || name=$name:$(dpkg-deb -f "$deb" Architecture)
	for file in "$control"/*; do
		case ${file##*/} in
		# Without the list of conffiles dpkg keeps them as they have been unpacked.
		control | conffiles) ;;
		*) mv "$file" "$info/$name.${file##*/}" ;;
		esac
	done
	dpkg-deb --fsys-tarfile "$deb" | tar -t | sed 's|^\./|/|; s|/$||; s|^$|/.|' >"$info/$name.list"
	sed "s/^Package: .*/&\nStatus: install ok $state/" "$control/control" >>"$tree/var/lib/dpkg/status"
	echo >>"$tree/var/lib/dpkg/status"
done
rm -rf "$control" "$tree"/var/cache/apt/archives/*.deb

# ---- what the machine does without ----

# An emulated CPU takes 10 ms to unpack a file, and reads all modules each time that depmod runs:
# keep the modules that the machine has a use for, and of the newer kernel's headers those that
# a module may include.
keep_modules() { # FOLDER
	find "$1"/usr/lib/modules/*/kernel -type f ! -path '*/kernel/crypto/*' \
		! -path '*/drivers/block/virtio_blk*' ! -path '*/drivers/virtio/*' \
		! -path '*/fs/ext4/*' ! -path '*/fs/jbd2/*' ! -path '*/fs/mbcache*' \
		! -path '*/kernel/lib/*' -delete
}

keep_headers() { # FOLDER
	find "$1"/usr/src/*/arch -mindepth 1 -maxdepth 1 -type d ! -name riscv -exec rm -r {} +
	rm -rf "$1"/usr/src/*/include/dt-bindings "$1"/usr/src/*/include/config/[A-Z0-9]*
}

keep_modules "$tree"
for deb in "$tree"/var/lib/lab-newer/linux-modules-*.deb "$tree"/var/lib/lab-newer/linux-headers-[0-9]*.deb; do
	[ -e "$deb" ] || continue
	dpkg-deb -R "$deb" "$out/package"
	case $deb in
	*/linux-modules-*) keep_modules "$out/package" ;;
	*) keep_headers "$out/package" ;;
	esac
	dpkg-deb -Znone -b "$out/package" "$deb"
	rm -rf "$out/package"
done
rm -rf "$tree"/usr/share/man/* "$tree"/usr/share/locale/* "$tree"/usr/share/info/*
echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/lab"

# ---- the first start ----

# Its initrd: busybox, and the modules that the disk needs.
depmod -b "$tree" "$release"
initrd=$(mktemp -d)
mkdir "$initrd/bin" "$initrd/proc" "$initrd/sys" "$initrd/dev" "$initrd/disk"
cp "$tree/bin/busybox" "$initrd/bin/"
n=10
for module in $(modprobe -d "$tree" -S "$release" --show-depends -a virtio_blk ext4 |
	sed -n 's/^insmod //p' | awk '!seen[$1]++ { print $1 }'); do
	case $module in
	*.xz) xz -dc "$module" >"$initrd/$n.ko" ;;
	*.zst) zstd -dc "$module" >"$initrd/$n.ko" ;;
	*) cp "$module" "$initrd/$n.ko" ;;
	esac
	n=$((n + 1))
done
cat >"$initrd/init" <<'END'
#!/bin/busybox sh
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
for module in /*.ko; do insmod "$module"; done
i=0
while [ ! -e /dev/vda1 ] && [ $((i += 1)) -lt 50 ]; do usleep 100000; done
mount -t ext4 /dev/vda1 /disk
for folder in proc sys dev; do mount -o bind /$folder /disk/$folder; done
chroot /disk /bin/sh /root/configure.sh || echo "lab: FAILED"
rm /disk/root/configure.sh
for folder in proc sys dev; do umount /disk/$folder; done
umount /disk
poweroff -f
END
chmod 755 "$initrd/init"
(cd "$initrd" && find . | cpio -o -H newc --quiet -R 0:0) >"$out/initrd"
rm -rf "$initrd"
cp "$here/debian-configure.sh" "$tree/root/configure.sh"

# ---- each start ----

# The machine runs what it is given as its second disk.
cat >"$tree/etc/systemd/system/lab.service" <<'END'
[Unit]
Description=the steps of the lab
After=basic.target systemd-modules-load.service

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'mkdir -p /run/lab && tar -C /run/lab -xf /dev/vdb && exec sh /run/lab/steps.sh'
StandardOutput=tty
StandardError=tty
TTYPath=/dev/ttyS0
TimeoutStartSec=infinity

[Install]
WantedBy=multi-user.target
END
mkdir -p "$tree/etc/initramfs-tools/conf.d"
printf 'MODULES=list\nCOMPRESS=gzip\nCOMPRESSLEVEL=1\n' >"$tree/etc/initramfs-tools/conf.d/lab"
printf 'virtio_blk\next4\n' >>"$tree/etc/initramfs-tools/modules"

# One partition, as U-Boot looks for those that can be booted.
rm -f "$out/disk"
truncate -s 4G "$out/disk"
echo 'start=2048, type=83, bootable' | sfdisk -q "$out/disk"
mke2fs -q -F -t ext4 -O ^metadata_csum,^orphan_file -E offset=1048576,lazy_itable_init=0 -d "$tree" "$out/disk" \
	$((4 * 1024 * 1024 - 2048))k
