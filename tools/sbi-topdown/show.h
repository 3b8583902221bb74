/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * show.h - print a sample, for people and for programs. Everything is written to a given
 * stream; no other system calls are made.
 */
#ifndef TOPDOWN_SHOW_H
#define TOPDOWN_SHOW_H

#include <stdio.h>

#include "formula.h"
#include "record.h"

/**
 * struct td_report - a sample and its context
 * @what: what was measured, for people
 * @seconds: since the start
 * @summary: covers the whole measurement, not one interval
 * @user_only: user mode only
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
 * struct td_style - size and abilities of the terminal
 * @width: in columns
 * @rows: of the screen
 * @utf8: can show Unicode, not only ASCII
 * @colour: can show colours
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
void td_show_functions(FILE *out, const struct td_profile *profile, const struct td_style *style);
void td_show_columns_head(FILE *out, unsigned int n_events);
void td_show_columns(FILE *out, const struct td_report *report);
void td_show_csv_head(FILE *out);
void td_show_csv(FILE *out, const struct td_report *report);
void td_show_json(FILE *out, const struct td_report *report);

#endif
