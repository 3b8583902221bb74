/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * show.h - a sample as people and programs read it. All of it is written to a stream
 * that is given; nothing is asked of the system.
 */
#ifndef TOPDOWN_SHOW_H
#define TOPDOWN_SHOW_H

#include <stdio.h>

#include "formula.h"

/**
 * struct td_report - a sample, and where it is from
 * @what: was measured, for people
 * @seconds: since the start
 * @summary: it is all of the measurement, not an interval
 * @user_only: the kernel is left out
 * @sample: the counts
 */
struct td_report {
	const char *what;
	double seconds;
	bool summary;
	bool user_only;
	struct td_sample sample;
};

/**
 * struct td_style - what the terminal can do
 * @width: in columns
 * @rows: of its screen
 * @utf8: more than ASCII
 * @colour: and colours
 */
struct td_style {
	unsigned int width;
	unsigned int rows;
	bool utf8;
	bool colour;
};

void td_show_screen(FILE *out, const struct td_report *report, const struct td_style *style);
void td_show_bars(FILE *out, const struct td_report *report, const struct td_style *style);
void td_show_text(FILE *out, const struct td_report *report);
void td_show_columns_head(FILE *out, unsigned int known);
void td_show_columns(FILE *out, const struct td_report *report);
void td_show_csv_head(FILE *out);
void td_show_csv(FILE *out, const struct td_report *report);
void td_show_json(FILE *out, const struct td_report *report);

#endif
