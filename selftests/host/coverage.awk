# SPDX-License-Identifier: GPL-2.0-only
# What gcov says of the rooms: one line each; fails below the floor, or if one
# is missing.
/^File / {
	n = split($2, path, "/")
	file = path[n]
	gsub("'", "", file)
}
/^Lines executed:/ && index(" " rooms " ", " " file " ") {
	split($2, percent, "[:%]")
	printf "coverage: XLEN %s %s: %s%% of %s lines\n", xlen, file, percent[2], $4
	low += percent[2] < floor
	seen++
	file = ""
}
END { exit low > 0 || seen != split(rooms, all, " ") }
