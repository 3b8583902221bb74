/* SPDX-License-Identifier: GPL-2.0-only */
/* terminal.h - what the terminal can do, and a screen of our own on it. */
#ifndef TOPDOWN_TERMINAL_H
#define TOPDOWN_TERMINAL_H

#include "show.h"

bool td_terminal(FILE *out);
void td_terminal_style(FILE *out, struct td_style *style);
void td_terminal_enter(FILE *out);
void td_terminal_leave(FILE *out);

#endif
