# SPDX-License-Identifier: GPL-2.0-only
#
# names.awk - what the driver is given for each name, taken apart and held against
# the tables: awk -f names.awk TABLE.tsv... sums.tsv tables.inc. By itself, so that
# an error of what makes the one from the other is seen.

function wrong(what)
{
	print what
	failed = 1
}

# Members "a{0..2}b" as " a0b a1b a2b", each a sound event of table @t; "" if not.
function members(t, list,    word, n, i, at, low, high, k, out, one)
{
	n = split(list, word, " ")
	for (i = 1; i <= n; i++) {
		low = high = -1
		at = index(word[i], "{")
		if (at) {
			low = substr(word[i], at + 1, 1)
			high = substr(word[i], at + 4, 1)
		}
		for (k = low + 0; k <= high + 0; k++) {
			one = at ? substr(word[i], 1, at - 1) k substr(word[i], at + 6) : word[i]
			if (!((t, one) in sound))
				return ""
			out = out " " one
		}
	}
	return out
}

function units_number(name)
{
	return name == "frontend" ? 1 : name == "backend" ? 2 : name == "memory" ? 3 : 4
}

BEGIN { FS = "\t" }

FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }

file ~ /^(user-guide|v)/ && !/^#/ && $5 != "-" {
	t = file
	sub(/\.tsv$/, "", t)
	if ($8 == "-")
		sound[t, $5] = units_number($1) ", " $2
	all[t]
}

file == "sums.tsv" && !/^#/ {
	for (t in all) {
		list = members(t, $3)
		if (list == "" || ((t, $1) in must))
			continue
		n = split(substr(list, 2), one, " ")
		for (i = 1; i <= 4; i++) {
			split(i <= n ? sound[t, one[i]] : "0, 0", part, ", ")
			if (i == 1)
				must[t, $1] = part[1] ", " ($2 == "or" ? "OR" : "ADD" n)
			must[t, $1] = must[t, $1] ", " part[2]
		}
	}
}

file == "tables.inc" && /_names\[\] = / {
	t = $0
	sub(/.*sbi_pmu_name /, "", t)
	sub(/_names.*/, "", t)
	gsub(/_/, "-", t)
}

file == "tables.inc" && /EVENT\("/ {
	split($0, part, "\"")
	name = part[2]
	what = substr(part[3], 3)
	sub(/\),$/, "", what)
	given[t]++
	if ((t, name) in sound)
		want = sound[t, name]
	else
		want = ""
	if (want != "") {
		split(want, part, ", ")
		want = part[1] ", OR, " part[2] ", 0, 0, 0"
	} else if ((t, name) in must)
		want = must[t, name]
	if (what != want)
		wrong(t ": " name " is " what ", must be " want)
}

END {
	for (key in sound) {
		split(key, part, SUBSEP)
		due[part[1]]++
	}
	for (key in must) {
		split(key, part, SUBSEP)
		due[part[1]]++
	}
	for (t in all)
		if (given[t] != due[t])
			wrong(t ": " given[t] + 0 " names, must be " due[t])
	exit failed
}
