# SPDX-License-Identifier: GPL-2.0-only
# Coverage of each file by gcov: one line each; fails below the floor, or if one is missing.
/^File / {
	file = $2
	gsub("'", "", file)
}
/^Lines executed:/ && index(" " files " ", " " file " ") {
	split($2, percent, "[:%]")
	name = file
	gsub("[.][.]/", "", name)
	printf "coverage: %s: %s%% of %s lines\n", name, percent[2], $4
	low += percent[2] < floor
	seen++
	file = ""
}
END { exit low > 0 || seen != split(files, all, " ") }
