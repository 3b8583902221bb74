// SPDX-License-Identifier: GPL-2.0-only
/*
 * terminal - size and abilities of the terminal; the alternate screen.
 *
 * Cursor and echo are not changed, so that after SIGKILL the terminal works as before,
 * though it may still show the alternate screen.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"

/**
 * td_terminal_is_capable() - is this a terminal that understands escape sequences?
 * @out: the output
 */
bool td_terminal_is_capable(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && *term && strcmp(term, "dumb");
}

/* Like setlocale(), but without the locale files, which small systems do not have. */
static bool is_utf8(void)
{
	static const char * const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

/**
 * td_terminal_get_style() - get size and abilities of the terminal
 * @out: the terminal
 * @style: filled in
 */
void td_terminal_get_style(FILE *out, struct td_style *style)
{
	const char *no_color = getenv("NO_COLOR");
	struct winsize size = {};

	if (ioctl(fileno(out), TIOCGWINSZ, &size) || !size.ws_col || !size.ws_row)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	style->width = size.ws_col < 14 ? 14 : size.ws_col;
	style->rows = size.ws_row;
	style->utf8 = is_utf8();
	style->colour = !no_color || !*no_color;
}

/**
 * td_terminal_enter() - switch to the alternate screen and clear it
 * @out: the terminal
 */
void td_terminal_enter(FILE *out)
{
	fputs("\033[?1049h\033[H\033[2J", out);
	fflush(out);
}

/**
 * td_terminal_leave() - switch back to the normal screen
 * @out: the terminal
 */
void td_terminal_leave(FILE *out)
{
	fputs("\033[2J\033[H\033[?1049l", out);
	fflush(out);
}
