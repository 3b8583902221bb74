# SPDX-License-Identifier: GPL-2.0-only
#
# screen.awk - an SVG of what a program prints to a terminal with colours and block characters.
# Run it with LC_ALL=C: it looks at bytes. -v footer=TEXT: the last line.

BEGIN {
	CELL = 8.4
	LINE = 19
	colour[30] = "#24292f"
	colour[31] = "#cf222e"
	colour[32] = "#2a9d63"
	colour[33] = "#bf8700"
	colour[94] = "#3b82d6"
	grey = "#9aa3ad"
}

{ sub(/\r$/, ""); line[NR] = $0 }

# Leave out empty lines at the end.
END {
	while (NR && line[NR] == "")
		NR--
	if (!NR) {
		print "screen.awk: no input" > "/dev/stderr"
		exit 1
	}
	for (i = 1; i <= NR; i++)
		draw(i, line[i])
	width = int(columns * CELL + 40)
	height = NR * LINE + 62
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"ui-monospace, DejaVu Sans Mono, monospace\" font-size=\"14\">\n", \
		width, height, width, height
	printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>\n", width, height
	printf "%s", out
	printf "<text x=\"20\" y=\"%d\" font-size=\"12\" font-family=\"system-ui, sans-serif\" fill=\"#57606a\">%s</text>\n", \
		height - 14, escaped(footer)
	print "</svg>"
}

function escaped(s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	gsub(/>/, "\\&gt;", s)
	return s
}

# Write the text that was collected for this place.
function end_text(row) {
	if (text ~ /[^ ]/)
		out = out sprintf("<text x=\"%.1f\" y=\"%d\" fill=\"%s\"%s xml:space=\"preserve\" textLength=\"%.1f\">%s</text>\n", \
			20 + text_at * CELL, 12 + row * LINE, faint ? grey : fill, \
			bold ? " font-weight=\"bold\"" : "", (column - text_at) * CELL, escaped(text))
	text = ""
	text_at = column
}

# Write the bar that was collected: its end may be a part of a cell.
function end_bar(row) {
	if (bar > 0)
		out = out sprintf("<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", \
			20 + bar_at * CELL, row * LINE - 2, bar * CELL, LINE - 4, fill)
	bar = 0
}

# Set colours as an escape sequence says, from its first digit to "m". Return: its length.
function style(s,    code, n) {
	n = index(s, "m")
	code = substr(s, 1, n - 1) + 0
	if (code == 0) {
		bold = faint = 0
		fill = colour[30]
	} else if (code == 1)
		bold = 1
	else if (code == 2)
		faint = 1
	else if (code in colour)
		fill = colour[code]
	return n
}

function draw(row, s,    i, c) {
	column = bar = bold = faint = 0
	text = ""
	text_at = 0
	fill = colour[30]
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		if (substr(s, i, 2) == "\033[") {
			end_text(row)
			end_bar(row)
			i += 1 + style(substr(s, i + 2))
		} else if (substr(s, i, 2) == "\342\226") {
			# U+2588 to U+258F: 8 to 1 eighths of a cell.
			end_text(row)
			if (!bar)
				bar_at = column
			bar += eighths(substr(s, i + 2, 1)) / 8
			column++
			text_at = column
			i += 2
		} else if (c < "\200" || c >= "\300") {
			end_bar(row)
			while (substr(s, i + 1, 1) >= "\200" && substr(s, i + 1, 1) < "\300")
				c = c substr(s, ++i, 1)
			text = text c
			column++
		}
	}
	end_text(row)
	end_bar(row)
	if (column > columns)
		columns = column
}

function eighths(byte) {
	return 8 - (index("\210\211\212\213\214\215\216\217", byte) - 1)
}
