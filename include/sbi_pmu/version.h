/* SPDX-License-Identifier: GPL-2.0-only */
/* The version, once: module, package and documentation read it. Kbuild adds a commit. */
#ifndef SBI_PMU_VERSION
#define SBI_PMU_VERSION "0.4~dev"
#endif
