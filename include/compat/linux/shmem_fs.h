/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <linux/shmem_fs.h>

#ifndef SBI_PMU_COMPAT_SHMEM_FS_H
#define SBI_PMU_COMPAT_SHMEM_FS_H

/* The flags of shmem_file_setup(); a number before they became a type. */
#ifndef EMPTY_VMA_FLAGS
#define EMPTY_VMA_FLAGS	0
#endif

#endif
