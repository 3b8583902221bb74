/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All that a pure room knows of the kernel. A host test is compiled with
 * "-include selftests/host/pure_host.h", which has the same guard and brings
 * the same few names from the C library.
 */
#ifndef SBI_PMU_PURE_H
#define SBI_PMU_PURE_H

#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/string.h>
#include <linux/types.h>
#include <uapi/linux/perf_event.h>

/* A register: what SBI calls take and return. */
typedef unsigned long xlen_t;
#define XLEN BITS_PER_LONG

#endif
