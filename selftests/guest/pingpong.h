/* SPDX-License-Identifier: GPL-2.0-only */
/* Two tasks on one CPU send a byte to each other in turn, to force context switches. */
#ifndef PINGPONG_H
#define PINGPONG_H

#include <stdbool.h>
#include <unistd.h>

static inline bool ping_rounds(int rounds, int in, int out)
{
	char c = 0;

	while (rounds--)
		if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
			return false;
	return true;
}

static inline bool pong_rounds(int rounds, int in, int out)
{
	char c;

	while (rounds--)
		if (read(in, &c, 1) != 1 || write(out, &c, 1) != 1)
			return false;
	return true;
}

#endif
