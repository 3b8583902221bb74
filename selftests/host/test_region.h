/* SPDX-License-Identifier: GPL-2.0-only */
/* test_region.h - the parts of the tests of region.h. */
#ifndef HOST_TEST_REGION_H
#define HOST_TEST_REGION_H

void test_region_name(void);

#endif
