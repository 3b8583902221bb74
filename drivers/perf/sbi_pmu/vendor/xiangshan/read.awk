# SPDX-License-Identifier: GPL-2.0-only
#
# read.awk - after ../common.awk: read and check the event data; a third script writes the output:
#   awk -f ../common.awk -f read.awk -f write-c.awk events.tsv combined.tsv standard.tsv
#   awk -f ../common.awk -f read.awk -f write-dts.awk -v only=TABLE events.tsv combined.tsv standard.tsv
#
# A writer finds in its END block:
#   table[1..tables]       names of the event tables; per table t: title[t], rtl[t],
#                          rtl_date[t], slots[t], bits[t, unit number]
#   event[t, 1..events[t]] event names: by unit and index, then combined events
#   per [t, name]          unit, parts (number of indices), members (their names, only
#                          of combined events), op, max, fault ("-": none), rtl_name,
#                          text, note; and index_of[t, name, 0..parts-1]
#   standard_id, _name, _alias[1..standards]
#   riscv_name, _alias, _tables[1..riscvs]
#   metric_name, _group, _expr, _text[1..metrics]; a writer notes those that it has
#                          written in written_metric[name], for computable()

# "a{0..2}_b c" to "a0_b a1_b a2_b c"
function expand(list,    n, word, i, j, out)
{
	n = split(list, word, " ")
	for (i = 1; i <= n; i++)
		if (match(word[i], /\{[0-9]\.\.[0-9]\}/))
			for (j = substr(word[i], RSTART + 1, 1); j <= substr(word[i], RSTART + 4, 1); j++)
				out = out " " substr(word[i], 1, RSTART - 1) j substr(word[i], RSTART + 6)
		else
			out = out " " word[i]
	return substr(out, 2)
}

function check_known(alias)
{
	if (!(alias in known))
		error("no table has '" alias "'")
}

function number(what, text, limit)
{
	if (text ~ /^(0|[1-9][0-9]*)$/ && text + 0 < limit)
		return text + 0
	error(what " '" text "' is not a number below " limit)
	return 0
}

# The events come first, and combined events before what names them.
BEGIN {
	FS = "\t"
	columns["combined"] = "#name\top\tmembers\tdescription"
	columns["standard"] = "#id\tstandard\tname"
	columns["riscv"] = "#riscv\tname\ttables\treason"
	columns["metrics"] = "#name\tgroup\texpression\tdescription"
	columns["events"] = "#name\tunit"
	split("frontend backend memory cache", unit_name, " ")
	for (i = 1; i <= 4; i++)
		unit_number[unit_name[i]] = i
	events_file = ARGV[1]
}

FNR == 1 {
	if (kind == "events")
		end_events()
	kind = FILENAME
	sub(/.*\//, "", kind)
	sub(/\.tsv$/, "", kind)
	width = 0
}

/^#(title|rtl|slots|bits)\t/ {
	if (($1 == "#title") == ($2 in title))
		error($1 == "#title" ? "duplicate table '" $2 "'" : "unknown table '" $2 "'")
	else if ($1 == "#title") {
		table[++tables] = $2
		title[$2] = $3
		columns["events"] = columns["events"] "\t" $2
	} else if ($1 == "#rtl") {
		if ($3 !~ /^20[0-9][0-9]-(0[1-9]|1[0-2])$/)
			error("RTL date '" $3 "' is not YYYY-MM")
		rtl_date[$2] = $3
		rtl[$2] = $4
	} else if ($1 == "#slots")
		slots[$2] = number("slots", $3, 64)
	else
		for (i = 3; i <= NF; i++) {
			split($i, pair, " ")
			if (pair[1] in unit_number)
				bits[$2, unit_number[pair[1]]] = number("bits", pair[2], 9)
			else
				error("unknown unit '" pair[1] "'")
		}
	next
}

# The names of the columns, after the lines that name the tables
index($0, columns[kind]) == 1 {
	width = NF
	next
}

/^#/ || /^$/ { next }

!width {
	error("no line '" columns[kind] "' before this")
	exit
}

NF != width {
	error(NF " fields instead of " width)
	next
}

# ---- events.tsv ----

# The event of this line has index $index_text in table t.
function add_event(t, u, alias, index_text, c,    n)
{
	if (!bits[t, u]) {
		error("no '#bits' of the " unit_name[u] " in table " t)
		return
	}
	n = number("index of the " unit_name[u], index_text, power(bits[t, u]))
	if (index_text == "0")
		error("index 0 is no event")
	if ((t, u, n) in alias_at)
		error("index " n " of the " unit_name[u] " in table " t " is taken: " alias_at[t, u, n])
	if ((t, alias) in unit)
		error("duplicate alias '" alias "' in table " t ": " where[t, alias])
	where[t, alias] = FILENAME ":" FNR
	alias_at[t, u, n] = alias
	counted[t, u]++
	if (n > largest[t, u])
		largest[t, u] = n
	unit[t, alias] = u
	parts[t, alias] = 1
	index_of[t, alias, 0] = n
	rtl_name[t, alias] = $c
	max[t, alias] = $(c + 2) == "-" ? 8 : $(c + 2) + 0
	fault[t, alias] = $(c + 3)
	text[t, alias] = $(c + 4)
	note[t, alias] = $(c + 5) == "-" ? "" : $(c + 5)
}

kind == "events" {
	check_alias($1)
	if (!($2 in unit_number)) {
		error("unknown unit '" $2 "'")
		next
	}
	u = unit_number[$2]
	if (($1 in known) && known[$1] != u)
		error("alias '" $1 "' has another unit: " known_at[$1])
	known[$1] = u
	known_at[$1] = FILENAME ":" FNR
	c = 3 + tables
	if ($(c + 2) != "-" && number("max", $(c + 2), 128) > 63 && $(c + 5) == "-")
		error("max '" $(c + 2) "' needs more than 6 bits, and no note says what is lost")
	if ($(c + 3) !~ /^(-|wrong|zero)$/)
		error("unknown fault '" $(c + 3) "'")
	if ($(c + 3) != "-" && $(c + 5) == "-")
		error("fault '" $(c + 3) "' without a note that gives the reason")
	n = 0
	for (i = 1; i <= tables; i++)
		if ($(2 + i) != "-") {
			add_event(table[i], u, $1, $(2 + i), c)
			n++
		}
	if (!n)
		error("no table has '" $1 "'")
	next
}

# The event counts slots, or micro-ops that each take one.
function check_slots(t, alias)
{
	if (((t, alias) in unit) && max[t, alias] != slots[t])
		error_at(where[t, alias], "'" alias "' may be " max[t, alias] " in a cycle, which has " \
			 slots[t] + 0 " slots in table " t)
}

# All events are there: check the tables, and list the events by unit and index.
function end_events(    i, t, u, n)
{
	for (i = 1; i <= tables; i++) {
		t = table[i]
		for (u = 1; u <= 4; u++) {
			if (largest[t, u] + 0 != counted[t, u] + 0)
				error_at(events_file, "table " t ": the " unit_name[u] " has " counted[t, u] \
					 " events, but the largest index is " largest[t, u])
			for (n = 1; n <= largest[t, u]; n++)
				event[t, ++events[t]] = alias_at[t, u, n]
		}
		if (title[t] == "" || rtl[t] == "")
			error_at(events_file, "table " t ": no '#title' or '#rtl'")
		if (!slots[t])
			error_at(events_file, "table " t ": no '#slots'")
		check_slots(t, "front_bubble")
		check_slots(t, "inst_spec")
	}
	if (bad)
		exit
}

# ---- the other files ----

# Table t lacks one of these events, or one has a fault.
function lacks(t, list,    n, member, i)
{
	n = split(list, member, " ")
	for (i = 1; i <= n; i++)
		if (!((t, member[i]) in unit) || fault[t, member[i]] != "-")
			return 1
	return 0
}

# The combined event of this line in table t.
function add_combined(t, alias, list,    n, member, i)
{
	n = split(list, member, " ")
	event[t, ++events[t]] = alias
	fault[t, alias] = "-"
	unit[t, alias] = unit[t, member[1]]
	parts[t, alias] = n
	op[t, alias] = $2
	members[t, alias] = list
	text[t, alias] = $4
	for (i = 1; i <= n; i++) {
		if (unit[t, member[i]] != unit[t, alias])
			error("the unit of '" member[i] "' is not that of '" member[1] "'")
		index_of[t, alias, i - 1] = index_of[t, member[i], 0]
		max[t, alias] += max[t, member[i]]
		if (index(note[t, alias], note[t, member[i]]) == 0)
			note[t, alias] = note[t, alias] (note[t, alias] == "" ? "" : "; ") note[t, member[i]]
	}
	# The adder has 6 bits and no carry.
	if ($2 == "add" && max[t, alias] > 63)
		error("'" alias "' may be " max[t, alias] " in a cycle; the adder wraps at 64")
}

# Several rows may have one name: a table has the first of which it has all members.
kind == "combined" {
	check_alias($1)
	if ($2 != "or" && $2 != "add")
		error("unknown operator '" $2 "'")
	all = expand($3)
	if ((n = split(all, member, " ")) > 4)
		error(n " members, at most 4 are possible")
	for (i = 1; i <= n; i++)
		check_known(member[i])
	if (($1 in known) && !($1 in is_combined))
		error("alias '" $1 "' is taken: " known_at[$1])
	for (i = 1; i <= tables && !bad; i++)
		if (!((table[i], $1) in unit) && !lacks(table[i], all))
			add_combined(table[i], $1, all)
	is_combined[$1] = known[$1] = 1
}

kind == "standard" {
	if ($1 !~ /^0x[1-9a-f][0-9a-f]*$/)
		error("id '" $1 "' is no event id")
	check_known($3)
	standard_id[++standards] = $1
	standard_name[standards] = $2
	standard_alias[standards] = $3
}

kind == "riscv" {
	if ($1 !~ /^[A-Z][A-Z0-9_.]*$/)
		error("'" $1 "' is not all of A-Z, 0-9, _ and .")
	n = split($3, word, " ")
	for (i = 1; i <= n; i++)
		if (!(word[i] in title))
			error("unknown table '" word[i] "'")
		else if (lacks(word[i], $2))
			error("table " word[i] " has no '" $2 "'")
	riscv_name[++riscvs] = $1
	riscv_alias[riscvs] = $2
	riscv_tables[riscvs] = $3
}

# Names of the events and metrics in an expression, separated by spaces. "slots" is the
# number of the table.
function names_of(expr)
{
	gsub(/[^a-z0-9_]+/, " ", expr)
	expr = " " expr " "
	while (sub(/ ([0-9]+|max|min|d_ratio|slots|cycles|instructions) /, " ", expr))
		;
	return expr
}

kind == "metrics" {
	if ($1 !~ /^[a-z][a-z0-9_]*$/)
		error("metric '" $1 "' is not all of a-z, 0-9 and _")
	if ($1 in is_metric)
		error("duplicate metric '" $1 "'")
	n = split(names_of($3), word, " ")
	for (i = 1; i <= n; i++)
		if (!(word[i] in is_metric))
			check_known(word[i])
	is_metric[$1] = 1
	metric_name[++metrics] = $1
	metric_group[metrics] = $2
	metric_expr[metrics] = $3
	metric_text[metrics] = $4
}

# ---- for the writers ----

# mhpmevent of an event: indices of 10 bits, and for "add" a 4 in each operator used.
# Less than 2^53, which awk's numbers hold exactly.
function selector(t, alias,    i, value)
{
	for (i = 0; i < parts[t, alias]; i++)
		value += index_of[t, alias, i] * power(10 * i)
	if (op[t, alias] == "add" && parts[t, alias] > 1)
		value += power(42)
	if (op[t, alias] == "add" && parts[t, alias] > 2)
		value += power(47) + power(52)
	return value
}

# The code of an event for other programs: the selector with the unit in bits 9:8, so that firmware
# with a device tree finds the right counters for the built-in driver, too.
function code(t, alias)
{
	return hex(selector(t, alias) + 256 * (unit[t, alias] - 1), 1)
}

# Table t has all events in the expression, and its metrics have been written.
function computable(t, expr,    n, word, i)
{
	n = split(names_of(expr), word, " ")
	for (i = 1; i <= n; i++)
		if (!(word[i] in written_metric) && lacks(t, word[i]))
			return 0
	return 1
}

END {
	if (bad)
		exit 1
}
