/* SPDX-License-Identifier: GPL-2.0-only */
#include_next <asm/csr.h>

#ifndef SBI_PMU_COMPAT_CSR_H
#define SBI_PMU_COMPAT_CSR_H

#ifndef CSR_SCOUNTOVF /* 6.10; its name was CSR_SSCOUNTOVF */
#define CSR_SCOUNTOVF		0xda0
#endif

#ifndef CSR_SIREG2 /* 7.3 */
#define CSR_SIREG2		0x152
#endif

#ifndef CSR_SCOUNTINHIBIT /* 7.3 */
#define CSR_SCOUNTINHIBIT	0x120
#endif

#ifndef HPMEVENT_OF /* 7.3 */
#define HPMEVENT_OF		BIT_ULL(63)
#define HPMEVENT_MINH		BIT_ULL(62)
#define HPMEVENT_SINH		BIT_ULL(61)
#define HPMEVENT_UINH		BIT_ULL(60)
#define HPMEVENT_VSINH		BIT_ULL(59)
#define HPMEVENT_VUINH		BIT_ULL(58)
#endif

#ifndef CSR_SCTRCTL /* not in 7.3 */
#define CSR_SCTRCTL		0x14e
#define CSR_SCTRSTATUS		0x14f
#define CSR_SIREG3		0x153
#define CSR_SCTRDEPTH		0x15f
#define CSR_VSCTRCTL		0x24e
#endif

#endif
