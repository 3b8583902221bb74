/* SPDX-License-Identifier: GPL-2.0-only */
/* See asm/vendor_extensions.h. */
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include_next <asm/vendor_extensions/andes.h>
#endif
