/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef HOST_QUIRK_CHECKS_H
#define HOST_QUIRK_CHECKS_H

#include "test.h"

/**
 * struct quirk_check - how to detect that the model has a quirk
 * @quirk: the quirk; checks are in the order of enum fakesbi_quirk
 * @label: its name in lower case, for names of results
 * @is_present: whether the model, just reset, behaves as the quirk says
 */
struct quirk_check {
	enum fakesbi_quirk quirk;
	const char *label;
	bool (*is_present)(void);
};

extern const struct quirk_check quirk_checks[FAKESBI_QUIRKS];

#endif
