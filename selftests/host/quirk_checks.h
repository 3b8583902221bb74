/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_SHOWS_H
#define HOST_SHOWS_H

#include "test.h"

/**
 * struct quirk_row - how to see that the model has a quirk
 * @quirk: which; rows are in their order
 * @name: its name
 * @shows: whether the model, just reset, does what the quirk is
 */
struct quirk_row {
	enum fakesbi_quirk quirk;
	const char *name;
	bool (*shows)(void);
};

extern const struct quirk_row quirk_rows[FAKESBI_QUIRKS];

#endif
