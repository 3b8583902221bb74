#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kvm-host.sh - start a KVM guest in a lab machine. Run by init.sh, exclude_host and kvm_shared.
#
# The guest gets this machine's kernel command line. Its console is this machine's console. In
# the environment:
#   lab_kvm=N   number of the guest's harts
#   lab_cpu=C   its CPU, default host
#   results     file for its results, default this machine's virtio port
#   guest_runs  programs for it, default lab_run
# shellcheck disable=SC2154 # the environment

insmod "$(find /usr/lib/modules -name 'kvm.ko*')"
append=$(sed "s/ lab_kvm=[^ ]*/ LAB_KVM=1/
	s/ lab_run=[^ ]*/ lab_run=${guest_runs:-$lab_run}/
	s/ lab_exclusive=1/ initcall_blacklist=pmu_sbi_devinit,riscv_pmu_legacy_devinit/" /proc/cmdline)
for folder in proc sys dev; do
	mount -o bind /$folder /kvm/$folder
done
mkdir -p /kvm/guest
mount -o bind /guest /kvm/guest

# By a second port the guest (switch_cost) reads how often it exited: for any reason, and for CSR
# accesses.
mkfifo /kvm/tmp/exits.in /kvm/tmp/exits.out
answer_exits() {
	cd /sys/kernel/debug/kvm || return
	while read -r _; do
		echo "$(cat exits) $(cat csr_exit_kernel)"
	done < /kvm/tmp/exits.out > /kvm/tmp/exits.in
}
answer_exits &

chroot /kvm /bin/qemu-system-riscv64 -nodefaults -display none -no-reboot -M virt -accel kvm \
	-cpu "${lab_cpu:-host}" -smp "$lab_kvm" -m 1G -kernel /guest/vmlinux -initrd /guest/initrd \
	-append "$append" -serial stdio -device virtio-serial-pci \
	-chardev file,id=ktap,path="${results:-/dev/vport0p1}" -device virtserialport,chardev=ktap \
	-chardev pipe,id=exits,path=/tmp/exits -device virtserialport,chardev=exits < /dev/null
echo "lab: the guest's QEMU ended with status $?"
