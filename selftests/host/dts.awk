# SPDX-License-Identifier: GPL-2.0-only
#
# dts.awk - decode the properties of a riscv,pmu node and compare them with the event
# data, independently of read.awk and write-dts.awk: from register values to names.
#   awk -f dts.awk -v table=TABLE events.tsv combined.tsv standard.tsv NODE
# NODE has the cells of the three properties, one property a line.

function wrong(what)
{
	print what
	failed = 1
}

function number(text,    i, n)
{
	for (i = 1; i <= length(text); i++)
		n = n * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return n
}

# @width bits of @value from bit @low on
function bits(value, low, width)
{
	for (; low > 0; low--)
		value = int(value / 2)
	for (low = 1; width > 0; width--)
		low *= 2
	return value % low
}

# The event names in an mhpmevent, in the order of its fields, and its operators.
function decode(u, hi, lo,    out, op)
{
	out = name[u, bits(lo, 0, 10)]
	if (bits(lo, 10, 10))
		out = out " " name[u, bits(lo, 10, 10)]
	if (bits(lo, 20, 10))
		out = out " " name[u, bits(lo, 20, 10)]
	if (bits(hi, 0, 8) * 4 + bits(lo, 30, 2))
		out = out " " name[u, bits(hi, 0, 8) * 4 + bits(lo, 30, 2)]
	op = bits(hi, 8, 5) "," bits(hi, 13, 5) "," bits(hi, 18, 5)
	return bits(hi, 23, 9) ? "junk" : out " " op
}

# The members of a combined event, separated by spaces; "" if the table lacks one.
function members(list,    word, n, i, j, part, out, one)
{
	n = split(list, word, " ")
	for (i = 1; i <= n; i++) {
		gsub(/[{}]/, "|", word[i])
		if (split(word[i], part, "|") == 1)
			part[2] = "0..0"
		for (j = substr(part[2], 1, 1); j <= substr(part[2], 4, 1); j++) {
			one = part[3] == "" && part[1] == word[i] ? word[i] : part[1] j part[3]
			if (!(one in unit))
				return ""
			out = out (out == "" ? "" : " ") one
			total++
		}
		part[1] = part[2] = part[3] = ""
	}
	return out
}

BEGIN {
	FS = "\t"
	mask["frontend"] = "7f8"
	mask["backend"] = "7f800"
	mask["memory"] = "7f80000"
	mask["cache"] = "f8000000"
	for (u in mask)
		of[mask[u]] = u
}

FNR == 1 { file++ }

file == 1 && $1 == "#name" {
	for (i = 1; i <= NF; i++)
		column[$i] = i
}

/^#/ { next }

file == 1 && $column[table] != "-" && $column["fault"] == "-" {
	name[$2, $column[table]] = $1
	unit[$1] = $2
	meaning[$1] = $1 " 0,0,0"
}

file == 2 && !($1 in unit) {
	total = 0
	list = members($3)
	split(list, first, " ")
	if (list != "") {
		unit[$1] = unit[first[1]]
		meaning[$1] = list " " ($2 == "or" || total < 2 ? "0,0,0" : \
					total == 2 ? "4,0,0" : "4,4,4")
	}
}

file == 3 && !(substr($1, 3) in want) && ($3 in unit) {
	want[substr($1, 3)] = meaning[$3]
	place[substr($1, 3)] = unit[$3]
	wanted++
}

file == 4 && FNR == 1 {
	n = split($0, cell, " ")
	for (i = 1; i < n; i += 3) {
		hi[cell[i]] = number(cell[i + 1])
		lo[cell[i]] = number(cell[i + 2])
		got++
	}
}

file == 4 && FNR == 2 {
	n = split($0, cell, " ")
	for (i = 1; i < n; i += 3) {
		if (cell[i] != cell[i + 1] || cell[i] in counters)
			wrong(cell[i] " to " cell[i + 1] ": not a row for each event")
		counters[cell[i]] = cell[i + 2]
	}
}

file == 4 && FNR == 3 {
	raw = $0
}

END {
	for (id in want) {
		u = of[counters[id]]
		if (u != place[id])
			wrong(id " is on counters " counters[id] ", and should be on those of the " place[id])
		else if (decode(u, hi[id], lo[id]) != want[id])
			wrong(id " is '" decode(u, hi[id], lo[id]) "', and should be '" want[id] "'")
	}
	if (!wanted || got != wanted)
		wrong(got " events, and not " wanted)
	if (raw != "0 0 0 300 7f8 0 100 0 300 7f800 0 200 0 300 7f80000 0 300 0 300 f8000000")
		wrong("raw events are routed otherwise: " raw)
	if (!failed)
		print wanted " standard events"
	exit failed
}
