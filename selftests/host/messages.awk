# SPDX-License-Identifier: GPL-2.0-only
#
# messages.awk - print each text of the sources that can be in the log, one a line: the format
# of a pr_...(), and texts that become part of one, which are returned or assigned as the reason
# ("why", "missing") or written by snprintf(). Conversions of printf become "<>".

# Print the C strings of a statement. Adjacent ones are one text; what follows a format are
# arguments.
function put(statement,    text, gap)
{
	while (match(statement, /"([^"\\]|\\.)*"/)) {
		gap = substr(statement, 1, RSTART - 1)
		if (text != "" && gap ~ /[^ \t]/) {
			print plain(text)
			text = ""
			if (has_format)
				return
		}
		text = text substr(statement, RSTART + 1, RLENGTH - 2)
		statement = substr(statement, RSTART + RLENGTH)
	}
	if (text != "")
		print plain(text)
}

function plain(text)
{
	gsub(/\\n/, "", text)
	gsub(/\\"/, "\"", text)
	gsub(/%[-#0-9.]*[hlz]*[a-zA-Z]/, "<>", text)
	return text
}

# Comments have no statements.
{ gsub(/\/\*.*\*\//, "") }
/\/\*/ { comment = 1 }
comment { if (/\*\//) comment = 0; next }

!is_text && /(^|[^a-z_])pr_(err|warn|notice|info)[a-z_]*\(/ { is_text = has_format = 1 }
!is_text && (/snprintf\(text,/ || /return "/ || /[^a-z_](why|missing) = .*["?:]/) { has_format = /snprintf/; is_text = 1 }
is_text {
	line = line " " $0
	if (/;[ \t]*$/ || /missing = .*,$/) {
		put(line)
		is_text = 0
		line = ""
	}
}
