/* SPDX-License-Identifier: GPL-2.0-only */
/* OpenSBI, a kernel, a device tree and an initrd in one program, which any emulator loads: bundle.ld */
	.section .tramp, "ax"
	.globl _start
_start:	/* as fw_dynamic has it: hart, device tree, struct fw_dynamic_info (kernel, in S-mode) */
	csrr	a0, mhartid
	la	a1, tree
	la	a2, info
	li	t0, 0x80000000
	jr	t0
	.balign 8
info:	.dword	0x4942534f, 2, 0x80200000, 1, 0, 0
	.section .fw, "a"
	.incbin "fw_dynamic.bin"
	.section .kernel, "a"
	.incbin "vmlinux"
	.section .tree, "a"
	.balign 8
tree:	.incbin "tree"
	.section .initrd, "a"
	.incbin "initrd"
	.section .htif, "aw"	/* by which the machine is switched off */
	.balign 64
	.globl tohost, fromhost
tohost:	.dword 0
	.balign 64
fromhost: .dword 0
