/* SPDX-License-Identifier: GPL-2.0-only */
/* test.h - tests of the tools and of region.h; those of the driver are in driver/. */
#ifndef HOST_TEST_H
#define HOST_TEST_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../ktap.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

void write_pmu_file(const char *devices, const char *pmu, const char *dir, const char *name,
		    const char *line);
bool remove_tree(const char *path);

#endif
