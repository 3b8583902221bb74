# SPDX-License-Identifier: GPL-2.0-only
#
# examples.awk - write the complete programs of a page, those that begin with a line of the
# preprocessor, to dir: PAGE-1.c, PAGE-2.cpp ...; print their names.

function end_block() {
	if (file != "")
		close(file)
	file = ""
	block = 0
}

FNR == 1 {
	end_block()
	n = 0
	page = FILENAME
	sub(/.*\//, "", page)
	sub(/\.rst$/, "", page)
}

/^\.\. code-block:: c(\+\+)?$/ {
	end_block()
	block = 1
	suffix = $3 == "c" ? "c" : "cpp"
	next
}

/^[^\t ]/ { end_block() }

block && file == "" && /^\t/ {
	if (!/^\t#/) {
		block = 0
		next
	}
	file = dir "/" page "-" ++n "." suffix
	printf "" >file
	print file
}

file != "" {
	sub(/^\t/, "")
	print >file
}

END { end_block() }
