/* SPDX-License-Identifier: GPL-2.0-only */
/* terminal.h - abilities of the terminal, and its alternate screen. */
#ifndef TOPDOWN_TERMINAL_H
#define TOPDOWN_TERMINAL_H

#include "show.h"

bool td_terminal_is_capable(FILE *out);
void td_terminal_get_style(FILE *out, struct td_style *style);
void td_terminal_enter(FILE *out);
void td_terminal_leave(FILE *out);

#endif
