// SPDX-License-Identifier: GPL-2.0-only
/*
 * terminal - its size and abilities; the alternate screen.
 *
 * Nothing else of the terminal is changed: neither the cursor nor echo, so that even
 * after SIGKILL it works as before, if on that screen.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "terminal.h"

/* Can it do more than take lines? */
bool td_terminal(FILE *out)
{
	const char *term = getenv("TERM");

	return isatty(fileno(out)) && term && *term && strcmp(term, "dumb");
}

/* As the C library has it, but without its tables, which a small system lacks. */
static bool is_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (unsigned int i = 0; i < 3; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

void td_terminal_style(FILE *out, struct td_style *style)
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

void td_terminal_enter(FILE *out)
{
	fputs("\033[?1049h\033[H\033[2J", out);
	fflush(out);
}

void td_terminal_leave(FILE *out)
{
	fputs("\033[2J\033[H\033[?1049l", out);
	fflush(out);
}
