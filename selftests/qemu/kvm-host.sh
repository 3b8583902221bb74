#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kvm-host.sh - run in a machine of the lab by its init: a guest in it, by KVM, that does
# what this machine was told to. The guest's console is ours, its results go where ours
# would; so does the end of all this. In the environment:
#   lab_kvm=N  the guest's harts
#   lab_cpu=C  its CPU, default host
#   results    where its results go, default to the machine's own port
#   guest_runs what it runs, default what the machine was to run
# shellcheck disable=SC2154 # they come from there

insmod "$(find /usr/lib/modules -name 'kvm.ko*')"
append=$(sed "s/ lab_kvm=[^ ]*/ LAB_KVM=1/
	s/ lab_run=[^ ]*/ lab_run=${guest_runs:-$lab_run}/
	s/ lab_sole=1/ initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit/" /proc/cmdline)
for folder in proc sys dev; do
	mount -o bind /$folder /kvm/$folder
done
mkdir -p /kvm/guest
mount -o bind /guest /kvm/guest

# The guest asks how often it has left, by a second port: exits, and those for CSRs.
mkfifo /kvm/tmp/exits.in /kvm/tmp/exits.out
answer() {
	cd /sys/kernel/debug/kvm || return
	while read -r _; do
		echo "$(cat exits) $(cat csr_exit_kernel)"
	done < /kvm/tmp/exits.out > /kvm/tmp/exits.in
}
answer &

chroot /kvm /bin/qemu-system-riscv64 -nodefaults -display none -no-reboot -M virt -accel kvm \
	-cpu "${lab_cpu:-host}" -smp "$lab_kvm" -m 1G -kernel /guest/vmlinux -initrd /guest/initrd \
	-append "$append" -serial stdio -device virtio-serial-pci \
	-chardev file,id=ktap,path="${results:-/dev/vport0p1}" -device virtserialport,chardev=ktap \
	-chardev pipe,id=exits,path=/tmp/exits -device virtserialport,chardev=exits < /dev/null
echo "lab: the guest's QEMU ended with status $?"
