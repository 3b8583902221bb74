# SPDX-License-Identifier: GPL-2.0-only
#
# read-cores.awk - after common.awk: read and check the tables of cores that need no code; a third
# script writes the output:
#   awk -f common.awk -f read-cores.awk -f write-cores.awk VENDOR/FAMILY.tsv ...
#
# A file has the cores of a family. Lines of its head; CORES are names of cores, "*": all of the file:
#   #core CORE TITLE DATE          a core; month of the newest table that was read
#   #id CORE MVENDORID MARCHID MIMPID   [1-9a-e]: one of these digits, * at the end of MIMPID: any. If
#                                  several cores have them: see #tree, else the first of these cores
#   #stock CORE MODEL ...          perf's own tables of it
#   #tree CORE COMPATIBLE ...      what device trees call it
#   #slots CORE N                  micro-ops of a cycle at most, where sbi-topdown has formulas
#   #rows CORES COUNTERS SELECTOR/MASK ...   what firmware's device tree can say of raw events: these
#                                  counters take selectors that are alike outside of MASK's zeros
#   #field NAME LOW-HIGH           bits of the selector
#   #unfiltered CORE FIRST LAST    events that count in all modes, by the lowest byte
#   #limit CORE FIRST LAST COUNTERS   events that only these counters count, as a mask
#   #standard CORES ID NAME WHEN EVENT REASON [NOTE]   the event that counts standard event ID; several of
#                                  one field "bits" may be added; "-": none. NOTE is for the log: what it
#                                  counts, if that is not all. WHEN this is used:
#     missing: firmware does not take the standard event
#     partial: firmware is known to count a part of them only; if it does not take EVENT, it may do so
#     wrong: firmware is known to count something else; if it does not take EVENT, none is counted
#     same: firmware maps EVENT, too; equal events must share a counter
#     user, kernel: no counter can filter the standard event so
# After that an event a line: name, selector, cores, other public names, description ("-": no public
# text says more than the name).
#
# A writer finds in its END block what write-json.awk needs (xiangshan/read.awk), and per core t:
#   file[t], date[t], stock[t], tree[t], slots[t], rows[t], first[t], last[t], limit[t]
#   ids[t], id[t, 1..]             "MVENDORID MARCHID MIMPID"
#   standards[t], standard[t, 1..] "ID WHEN SELECTOR EVENT NAME"; and reason[t, 1..], differs[t, 1..]
#   fields[file[t]]                "NAME LOW HIGH" and so on

BEGIN {
	FS = "\t"
	unit_name[1] = "events"
}

# Call by each core of a list. The cores of this file are in mine[1..mines].
function cores_of(list, found,    n, word, i)
{
	if (list == "*") {
		for (i = 1; i <= mines; i++)
			found[i] = mine[i]
		return mines
	}
	n = split(list, word, " ")
	for (i = 1; i <= n; i++) {
		if (!(word[i] in title))
			error("unknown core '" word[i] "'")
		found[i] = word[i]
	}
	return n
}

function is_hex(what, text)
{
	if (text ~ /^0x(0|[1-9a-f][0-9a-f]*)$/)
		return 1
	error(what " '" text "' is no hexadecimal number")
	return 0
}

# The selector of "a" or of "a+b" of core t; "": there is none
function selector_of(t, list,    n, word, i, set, value)
{
	n = split(list, word, "+")
	for (i = 1; i <= n; i++) {
		if (!((t, word[i]) in selector)) {
			error_at(head, "core " t " has no '" word[i] "'")
			return ""
		}
		set = unhex(selector[t, word[i]]) % 256
		if (n > 1 && (fields[file[t]] !~ / bits / || (i > 1 && value % 256 != set)))
			error_at(head, "'" list "' cannot be added")
		value += unhex(selector[t, word[i]]) - (i > 1 ? set : 0)
	}
	return hex(value, 1)
}

# All events of the file are there.
function end_file(    i, t, n, part)
{
	for (i = 1; i <= mines; i++) {
		t = mine[i]
		if (!ids[t])
			error_at(head, "core " t " has no '#id'")
		for (n = 1; n <= standards[t]; n++) {
			head = standard_at[t, n]
			split(standard[t, n], part, " ")
			standard[t, n] = part[1] " " part[2] " " \
				(part[3] == "-" ? "0x0" : selector_of(t, part[3])) " " part[3] " " part[4]
		}
	}
	mines = 0
}

FNR == 1 {
	end_file()
	family = FILENAME
	sub(/.*\//, "", family)
	sub(/\.tsv$/, "", family)
	head = FILENAME
}

$1 == "#core" {
	if ($2 in title)
		error("duplicate core '" $2 "'")
	if ($4 !~ /^20[0-9][0-9]-(0[1-9]|1[0-2])$/)
		error("date '" $4 "' is not YYYY-MM")
	table[++tables] = mine[++mines] = $2
	file[$2] = family
	title[$2] = $3
	date[$2] = $4
}

$1 == "#id" {
	is_hex("mvendorid", $3)
	if ($4 !~ /^0x([0-9a-f]|\[([0-9a-f](-[0-9a-f])?)+\])+$/)
		error("marchid '" $4 "' is no pattern")
	if ($5 !~ /^(\*|0x([0-9a-f]|\[([0-9a-f](-[0-9a-f])?)+\])+\*?)$/)
		error("mimpid '" $5 "' is no pattern")
	id[$2, ++ids[$2]] = $3 " " $4 " " $5
}

$1 == "#stock" { stock[$2] = $3 }
$1 == "#tree" { tree[$2] = $3 }
$1 == "#slots" { slots[$2] = $3 }
$1 == "#limit" { limit[$2] = $3 " " $4 " " $5 }
$1 == "#unfiltered" { first[$2] = $3; last[$2] = $4 }
$1 == "#field" {
	sub(/-/, " ", $3)
	fields[family] = fields[family] " " $2 " " $3
}

$1 == "#rows" {
	n = cores_of($2, core)
	for (i = 1; i <= n; i++)
		rows[core[i]] = $3 " " $4
}

$1 == "#standard" {
	is_hex("id", $3)
	if ($5 !~ /^(missing|partial|wrong|same|user|kernel)$/)
		error("'" $5 "' is not when an event is used")
	if ($6 == "-" && $5 != "wrong")
		error("'" $4 "' has no event")
	n = cores_of($2, core)
	for (i = 1; i <= n; i++) {
		t = core[i]
		standard[t, ++standards[t]] = $3 " " $5 " " $6 " " $4
		standard_at[t, standards[t]] = FILENAME ":" FNR
		reason[t, standards[t]] = $7
		differs[t, standards[t]] = $8
	}
}

/^#/ || /^$/ { next }

NF != 5 {
	error(NF " fields instead of 5")
	next
}

{
	check_alias($1)
	if (is_hex("selector", $2) && unhex($2) >= power(32))
		error("selector '" $2 "' has more than 32 bits")
	n = cores_of($3, core)
	for (i = 1; i <= n; i++) {
		t = core[i]
		if ((t, $1) in selector)
			error("duplicate name '" $1 "' of core " t)
		if ((t, $2) in named)
			error("selector " $2 " of core " t " is taken: " named[t, $2])
		named[t, $2] = $1
		event[t, ++events[t]] = $1
		selector[t, $1] = $2
		also[t, $1] = $4
		unit[t, $1] = 1
		fault[t, $1] = "-"
		text[t, $1] = $5 == "-" ? "no public text says more than the name" : $5
	}
}

# For write-json.awk: codes, and no metrics.
function code(t, alias)
{
	return selector[t, alias]
}

function computable(t, expr)
{
	return 0
}

END {
	end_file()
	if (bad)
		exit 1
}
