# SPDX-License-Identifier: GPL-2.0-only
#
# examples.awk - write the complete programs of a page, code blocks that begin with a line of the
# preprocessor, to dir: PAGE-1.c, PAGE-2.cpp ...; print their names.

FNR == 1 {
	n = 0
	page = FILENAME
	gsub(/.*\/|\.rst$/, "", page)
}

/^\.\. code-block::/ { suffix = $3 == "c" ? ".c" : $3 == "c++" ? ".cpp" : ""; file = "" }
/^[^\t .]/ { suffix = file = "" }

suffix != "" && file == "" && /^\t/ {
	if (/^\t#/)
		print file = dir "/" page "-" ++n suffix
	suffix = ""
}

file != "" { sub(/^\t/, ""); print >file }
