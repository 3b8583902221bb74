/* SPDX-License-Identifier: GPL-2.0-only */
/* For the models of counters: functions of CSRs, which are those of all harts. */
#ifndef TAKE_OVER_H
#define TAKE_OVER_H

static RISCVException any_mode(CPURISCVState *env, int csrno)
{
	return RISCV_EXCP_NONE;
}

static void add(int csrno, riscv_csr_read_fn read, riscv_csr_write_fn write)
{
	riscv_csr_operations ops = { .predicate = any_mode, .read = read, .write = write };

	riscv_set_csr_ops(csrno, &ops);
}

/* Replace the functions of a CSR, but not its access check. */
static void take_over(int csrno, riscv_csr_read_fn read, riscv_csr_write_fn write)
{
	riscv_csr_operations ops;

	riscv_get_csr_ops(csrno, &ops);
	ops.read = read;
	ops.write = write;
	riscv_set_csr_ops(csrno, &ops);
}

/* The same, where reading and writing is one function, and keep QEMU's. */
static void take_over_op(int csrno, riscv_csr_operations *qemu, riscv_csr_op_fn op)
{
	riscv_csr_operations ops;

	riscv_get_csr_ops(csrno, qemu);
	ops = *qemu;
	ops.op = op;
	riscv_set_csr_ops(csrno, &ops);
}

#endif
