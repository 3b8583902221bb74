# SPDX-License-Identifier: GPL-2.0-only
#
# names.awk - compare the tables in tables.inc with the event data, independently of
# read.awk: awk -f names.awk events.tsv combined.tsv standard.tsv tables.inc. Prints the
# number of names of each table. A cycle has as many slots as the events that count them say.

function wrong(what)
{
	print what
	failed = 1
}

# Members "a{0..2}b" as " a0b a1b a2b"; "" unless table @t has them all, without a fault.
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
			if (!((t, one) in code))
				return ""
			out = out " " one
		}
	}
	return out
}

function number_of_unit(name)
{
	return name == "frontend" ? 1 : name == "backend" ? 2 : name == "memory" ? 3 : 4
}

BEGIN { FS = "\t" }

FNR == 1 { file = FILENAME; sub(/.*\//, "", file) }

file == "events.tsv" && $1 == "#name" {
	for (i = 3; $i != "rtl_name"; i++)
		column[$i] = i
	for (i = 3; i <= NF; i++)
		if ($i == "fault")
			fault = i
}

file == "events.tsv" && $1 == "#rtl" {
	date[$2] = $3
}

file == "events.tsv" && ($1 == "front_bubble" || $1 == "inst_spec") {
	for (t in column)
		if ($column[t] != "-")
			slots[t] = $(fault - 1)
}

file == "events.tsv" && !/^#/ {
	for (t in column) {
		if ($column[t] == "-")
			continue
		if ($fault == "-")
			code[t, $1] = number_of_unit($2) ", " $column[t]
		else
			must[t, $1] = "withheld " number_of_unit($2) ", OR, " $column[t] ", 0, 0, 0"
	}
}

file == "combined.tsv" && !/^#/ {
	for (t in column) {
		list = members(t, $3)
		if (list == "" || ((t, $1) in must))
			continue
		n = split(substr(list, 2), one, " ")
		for (i = 1; i <= 4; i++) {
			split(i <= n ? code[t, one[i]] : "0, 0", part, ", ")
			if (i == 1)
				must[t, $1] = part[1] ", " ($2 == "or" ? "OR" : "ADD" n)
			must[t, $1] = must[t, $1] ", " part[2]
		}
	}
}

file == "standard.tsv" && !/^#/ {
	standards = standards " " $1 "," $3
}

file == "tables.inc" && /^\t\{ 0x/ {
	split($0, part, "\"")
	sub(/^\t\{ /, "", part[1])
	sub(/, $/, "", part[1])
	given_standards = given_standards " " part[1] "," part[2]
}

file == "tables.inc" && /_names\[\] = / {
	t = $0
	sub(/.*sbi_pmu_name /, "", t)
	sub(/_names.*/, "", t)
	gsub(/_/, "-", t)
}

file == "tables.inc" && /(EVENT|WITHHELD)\("/ {
	split($0, part, "\"")
	name = part[2]
	what = substr(part[3], 3)
	sub(/\),$/, "", what)
	if (/WITHHELD/)
		what = "withheld " what
	given[t]++
	if ((t, name) in listed)
		wrong(t ": " name " is there twice")
	listed[t, name]
	want = ""
	if ((t, name) in code) {
		split(code[t, name], part, ", ")
		want = part[1] ", OR, " part[2] ", 0, 0, 0"
	} else if ((t, name) in must)
		want = must[t, name]
	if (what != want)
		wrong(t ": " name " is " what ", must be " want)
}

file == "tables.inc" && /^\t\t\.(name|rtl_date|slots) = / {
	what = $0
	sub(/.* = "?/, "", what)
	sub(/"?,$/, "", what)
	if ($0 ~ /\.name/)
		t = what
	else
		given[t, $0 ~ /slots/ ? "slots" : "date"] = what
}

END {
	if (standards != given_standards)
		wrong("standard events are" given_standards ", must be" standards)
	for (t in column) {
		if (!date[t] || given[t, "date"] != date[t])
			wrong(t ": RTL date " given[t, "date"] ", must be " date[t])
		if (!slots[t] || given[t, "slots"] != slots[t])
			wrong(t ": " given[t, "slots"] " slots, must be " slots[t])
	}
	for (key in code) {
		split(key, part, SUBSEP)
		due[part[1]]++
	}
	for (key in must) {
		split(key, part, SUBSEP)
		due[part[1]]++
	}
	for (t in column) {
		if (!due[t] || given[t] != due[t])
			wrong(t ": " given[t] + 0 " names, must be " due[t] + 0)
		else if (!failed)
			print t " " given[t]
	}
	exit failed
}
