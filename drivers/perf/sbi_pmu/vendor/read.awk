# SPDX-License-Identifier: GPL-2.0-only
#
# read.awk - read and check the event data; a second script writes the output:
#   awk -f read.awk -f write-c.awk VENDOR/FAMILY.tsv ... xiangshan/events.tsv xiangshan/combined.tsv
# POSIX awk; tested with mawk, gawk, busybox and the original awk.
#
# A file VENDOR/FAMILY.tsv has the cores of a family, or the numberings of events that a core has had. Lines
# of its head; CORES are names of cores, "*": all of the file:
#   #core CORE TITLE DATE          a core; month of the newest table that was read, or of its newest RTL
#   #id CORE MVENDORID MARCHID MIMPID   [1-9a-e]: one of these digits, * at the end of MIMPID: any. If
#                                  several cores have them: see #tree, else the first of these cores
#   #stock CORE MODEL ...          perf's own tables of it
#   #tree CORE COMPATIBLE ...      what device trees call it
#   #slots CORE N                  micro-ops of a cycle at most, where sbi-topdown has formulas
#   #rows CORES COUNTERS SELECTOR/MASK ...   what firmware's device tree can say of raw events: these
#                                  counters take selectors that are alike outside of MASK's zeros. Of several
#                                  lines the first that fits a selector is the right one
#   #field NAME LOW-HIGH           bits of the selector
#   #unfiltered CORE FIRST LAST    events that count in all modes, by the lowest byte
#   #limit CORES FIRST LAST COUNTERS   events that only these counters count, as a mask; the first that fits
#   #standard CORES ID NAME WHEN EVENT REASON [NOTE]   the event that counts standard event ID; several of
#                                  one field "bits" may be added; "-": none. NOTE is for the log: what it
#                                  counts, if that is not all. WHEN this is used:
#     missing: firmware does not take the standard event
#     partial: firmware is known to count a part of them only; if it does not take EVENT, it may do so
#     wrong: firmware is known to count something else; if it does not take EVENT, none is counted
#     same: firmware maps EVENT, too; equal events must share a counter
#     user, kernel: no counter can filter the standard event so
#     delegated: counters are programmed without firmware. Of several for an ID, a core has the first whose
#       event it has without a fault
# After that a heading, and an event a line:
#   #name code cores also description   selector, cores, other public names; description "-": no public text
#                                  says more than the name
# or, where counters are of units of the core, and each unit has its own events:
#   #bits CORE UNIT N ...          in the head: how many bits of an index the hardware decodes
#   #rtl CORE TEXT                 likewise, the RTL that was read
#   #name unit CORE ... rtl_name instance max fault description note   an index for each core;
#                                  xiangshan/events.tsv describes the columns
# Other files come after that of their cores:
#   #name op members description   (combined) events made of several
#   #riscv name tables reason      names of RISC-V International
#   #model NAME CORES              (metrics) what follows, up to the next such line, is of these cores
#   #name group expression description ...   (metrics) formulas
#
# A writer finds in its END block:
#   table[1..tables]       names of the cores; per core t: vendor[t], file[t], title[t], date[t], slots[t],
#                          stock[t], tree[t], first[t], last[t], rtl[t], bits[t, unit]; lists in the order of
#                          the file: rows[t] of "COUNTERS/SELECTOR/MASK", limit[t] of "FIRST/LAST/COUNTERS"
#   ids[t], id[t, 1..]     "MVENDORID MARCHID MIMPID"
#   fields[file[t]]        "NAME LOW HIGH" and so on
#   event[t, 1..events[t]] event names: as in the file, or by unit and index; then combined events
#   per [t, name]          selector, unit (its number; 1: no units), fault ("-": none), text, note; and with
#                          units parts (number of indices), members (their names, only of combined
#                          events), op, max, rtl_name, and index_of[t, name, 0..parts-1]
#   standards[t], standard[t, 1..] "ID WHEN CODE EVENT NAME"; and differs[t, 1..]
#   riscv_name, _alias, _tables[1..riscvs]
#   metric_name, _group, _expr, _text[1..metrics], computable(t, metric); a writer notes those that it has
#                          written in written_metric[name]

BEGIN {
	FS = "\t"
	units = split("frontend backend memory cache", unit_name, " ")
	for (i = 1; i <= units; i++)
		unit_number[unit_name[i]] = i
}

# ---- errors, numbers, names ----

function error_at(where, what)
{
	print where ": " what > "/dev/stderr"
	bad = 1
}

function error(what)
{
	error_at(FILENAME ":" FNR, what)
}

# 2 to the power of n; busybox awk has no such operator.
function power(n,    p)
{
	for (p = 1; n > 0; n--)
		p *= 2
	return p
}

# printf's %x of large numbers differs from awk to awk.
function hex(value, digits,    out, digit)
{
	for (; value >= 1 || digits > 0; digits--) {
		digit = value % 16
		out = substr("0123456789abcdef", digit + 1, 1) out
		value = (value - digit) / 16
	}
	return "0x" out
}

# The value of a hexadecimal number; exact below 2^53
function unhex(text,    i, value)
{
	for (i = 3; i <= length(text); i++)
		value = value * 16 + index("0123456789abcdef", substr(text, i, 1)) - 1
	return value + 0
}

function is_hex(what, text)
{
	if (text ~ /^0x(0|[1-9a-f][0-9a-f]*)$/)
		return 1
	error(what " '" text "' is no hexadecimal number")
	return 0
}

function number(what, text, limit)
{
	if (text ~ /^(0|[1-9][0-9]*)$/ && text + 0 < limit)
		return text + 0
	error(what " '" text "' is not a number below " limit)
	return 0
}

# perf and sysfs accept lower case; standard events must keep their names.
function check_alias(alias)
{
	if (alias !~ /^[a-z][a-z0-9_]*$/)
		error("alias '" alias "' is not all of a-z, 0-9 and _")
	else if (alias ~ /^((hw_)?(cycles|instructions|branches)|fw_.*)$/)
		error("alias '" alias "' is taken by an event of the SBI specification")
}

function check_known(alias, where)
{
	if (!(alias in known))
		error_at(where, "no table has '" alias "'")
}

# Call by each core of a list. The cores of the newest file that has some are in mine[1..mines].
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

# Table t lacks one of these events, or one has a fault.
function lacks(t, list,    n, member, i)
{
	n = split(list, member, " ")
	for (i = 1; i <= n; i++)
		if (!((t, member[i]) in unit) || fault[t, member[i]] != "-")
			return 1
	return 0
}

# The code of an event, in the driver and in other programs: the selector with the unit in bits 9:8, which
# hardware ignores. So firmware with a device tree finds the right counters for the built-in driver, too.
function code(t, alias)
{
	return hex(selector[t, alias] + 256 * (unit[t, alias] - 1), 1)
}

# ---- the head of a file ----

FNR == 1 {
	kind = columns = ""
}

$1 == "#core" {
	if (columns == "") {
		mines = 0
		n = split(FILENAME, word, "/")
		folder = word[n - 1]
		family = word[n]
		sub(/\.tsv$/, "", family)
	}
	columns = columns "\t" $2
	if ($2 in title)
		error("duplicate core '" $2 "'")
	if ($4 !~ /^20[0-9][0-9]-(0[1-9]|1[0-2])$/)
		error("date '" $4 "' is not YYYY-MM")
	table[++tables] = mine[++mines] = $2
	file[$2] = family
	vendor[$2] = folder
	head[$2] = FILENAME
	title[$2] = $3
	date[$2] = $4
}

/^#(id|stock|tree|slots|rtl|bits|unfiltered)\t/ && !($2 in title) {
	error("unknown core '" $2 "'")
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
$1 == "#slots" { slots[$2] = number("slots", $3, 64) }
$1 == "#rtl" { rtl[$2] = $3 }
$1 == "#unfiltered" { first[$2] = $3; last[$2] = $4 }
$1 == "#field" {
	sub(/-/, " ", $3)
	fields[family] = fields[family] " " $2 " " $3
}

$1 == "#bits" {
	has_units[$2] = 1
	for (i = 3; i <= NF; i++) {
		split($i, pair, " ")
		if (pair[1] in unit_number)
			bits[$2, unit_number[pair[1]]] = number("bits", pair[2], 9)
		else
			error("unknown unit '" pair[1] "'")
	}
}

$1 == "#rows" {
	more = " " $4
	gsub(/ /, " " $3 "/", more)
	n = cores_of($2, core)
	for (i = 1; i <= n; i++)
		rows[core[i]] = rows[core[i]] more
}

$1 == "#limit" {
	n = cores_of($2, core)
	for (i = 1; i <= n; i++)
		limit[core[i]] = limit[core[i]] " " $3 "/" $4 "/" $5
}

$1 == "#standard" {
	is_hex("id", $3)
	if ($5 !~ /^(missing|partial|wrong|same|user|kernel|delegated)$/)
		error("'" $5 "' is not when an event is used")
	if ($6 == "-" && $5 != "wrong")
		error("'" $4 "' has no event")
	n = cores_of($2, core)
	for (i = 1; i <= n; i++) {
		t = core[i]
		standard[t, ++standards[t]] = $3 " " $5 " " $6 " " $4
		standard_at[t, standards[t]] = FILENAME ":" FNR
		differs[t, standards[t]] = $8
	}
}

$1 == "#model" {
	modelled = cores_of($3, modelled_core)
	for (i = 1; i <= modelled; i++)
		analysis[modelled_core[i]] = $2
	this_model = $2
	split("", is_metric)
}

# What the lines are, by the second column
/^#(name|riscv)\t/ {
	kind = $1 == "#riscv" ? "riscv" : $2
	if (kind == "unit" && index($0, "#name\tunit" columns "\trtl_name\t") != 1)
		kind = ""
	width = NF
}

/^#/ || /^$/ { next }

kind !~ /^(code|unit|op|group|riscv)$/ {
	error("no line '#name ...' with the right columns before this")
	exit
}

NF != width {
	error(NF " fields instead of " width)
	next
}

# ---- an event ----

# The event of this line, in table t
function add_event(t, alias, value, u, its_fault, its_text, its_note)
{
	if ((t, alias) in unit)
		error("duplicate alias '" alias "' in table " t ": " where[t, alias])
	where[t, alias] = FILENAME ":" FNR
	selector[t, alias] = value
	unit[t, alias] = u
	fault[t, alias] = its_fault
	text[t, alias] = its_text
	note[t, alias] = its_note
}

kind == "code" {
	check_alias($1)
	if (is_hex("selector", $2) && unhex($2) >= power(32))
		error("selector '" $2 "' has more than 32 bits")
	n = cores_of($3, core)
	for (i = 1; i <= n; i++) {
		t = core[i]
		if ((t, $2) in named)
			error("selector " $2 " of core " t " is taken: " named[t, $2])
		named[t, $2] = event[t, ++events[t]] = $1
		add_event(t, $1, unhex($2), 1, "-", $5 == "-" ? "no public text says more than the name" : $5)
	}
}

# The event of this line has index $at of unit u in table t; $c: the column rtl_name
function add_index(t, u, at, c,    n)
{
	if (!bits[t, u]) {
		error("no '#bits' of the " unit_name[u] " in table " t)
		return
	}
	n = number("index of the " unit_name[u], $at, power(bits[t, u]))
	if ($at == "0")
		error("index 0 is no event")
	if ((t, u, n) in alias_at)
		error("index " n " of the " unit_name[u] " in table " t " is taken: " alias_at[t, u, n])
	add_event(t, $1, n, u, $(c + 3), $(c + 4), $(c + 5) == "-" ? "" : $(c + 5))
	alias_at[t, u, n] = $1
	counted[t, u]++
	if (n > largest[t, u])
		largest[t, u] = n
	parts[t, $1] = 1
	index_of[t, $1, 0] = n
	rtl_name[t, $1] = $c
	max[t, $1] = $(c + 2) == "-" ? 8 : $(c + 2) + 0
}

kind == "unit" {
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
	c = 3 + mines
	if ($(c + 2) != "-" && number("max", $(c + 2), 128) > 63 && $(c + 5) == "-")
		error("max '" $(c + 2) "' needs more than 6 bits, and no note says what is lost")
	if ($(c + 3) !~ /^(-|wrong|zero)$/)
		error("unknown fault '" $(c + 3) "'")
	if ($(c + 3) != "-" && $(c + 5) == "-")
		error("fault '" $(c + 3) "' without a note that gives the reason")
	n = 0
	for (i = 1; i <= mines; i++)
		if ($(2 + i) != "-") {
			add_index(mine[i], u, 2 + i, c)
			n++
		}
	if (!n)
		error("no table has '" $1 "'")
}

# ---- the other files ----

# The combined event of this line in table t: indices of 10 bits, and for "add" a 4 in each operator used.
# Less than 2^53, which awk's numbers hold exactly.
function add_combined(t, alias, list,    n, member, i, value, notes)
{
	n = split(list, member, " ")
	for (i = 1; i <= n; i++) {
		if (unit[t, member[i]] != unit[t, member[1]])
			error("the unit of '" member[i] "' is not that of '" member[1] "'")
		index_of[t, alias, i - 1] = selector[t, member[i]]
		value += selector[t, member[i]] * power(10 * (i - 1))
		max[t, alias] += max[t, member[i]]
		if (index(notes, note[t, member[i]]) == 0)
			notes = notes (notes == "" ? "" : "; ") note[t, member[i]]
	}
	# The adder has 6 bits and no carry.
	if ($2 == "add" && max[t, alias] > 63)
		error("'" alias "' may be " max[t, alias] " in a cycle; the adder wraps at 64")
	if ($2 == "add" && n > 1)
		value += power(42) + (n > 2 ? power(47) + power(52) : 0)
	combined[t, ++combineds[t]] = alias
	parts[t, alias] = n
	op[t, alias] = $2
	members[t, alias] = list
	add_event(t, alias, value, unit[t, member[1]], "-", $4, notes)
}

# Several rows may have one name: a table has the first of which it has all members.
kind == "op" {
	check_alias($1)
	if ($2 != "or" && $2 != "add")
		error("unknown operator '" $2 "'")
	if ((n = split($3, member, " ")) > 4)
		error(n " members, at most 4 are possible")
	for (i = 1; i <= n; i++)
		check_known(member[i], FILENAME ":" FNR)
	if (($1 in known) && !($1 in is_combined))
		error("alias '" $1 "' is taken: " known_at[$1])
	for (i = 1; i <= mines && !bad; i++)
		if (!((mine[i], $1) in unit) && !lacks(mine[i], $3))
			add_combined(mine[i], $1, $3)
	is_combined[$1] = known[$1] = 1
}

kind == "riscv" {
	if ($1 !~ /^[A-Z][A-Z0-9_.]*$/)
		error("'" $1 "' is not all of A-Z, 0-9, _ and .")
	n = cores_of($3, core)
	for (i = 1; i <= n; i++)
		if ((core[i] in title) && lacks(core[i], $2))
			error("table " core[i] " has no '" $2 "'")
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

kind == "group" {
	if ($1 !~ /^[a-z][a-z0-9_]*$/)
		error("metric '" $1 "' is not all of a-z, 0-9 and _")
	if ($1 in is_metric)
		error("duplicate metric '" $1 "'")
	n = split(names_of($3), word, " ")
	for (i = 1; i <= n; i++) {
		for (c = 1; c <= modelled && !((modelled_core[c], word[i]) in unit); c++)
			;
		if (c > modelled && !(word[i] in is_metric))
			error("no table has '" word[i] "'")
	}
	is_metric[$1] = 1
	metric_name[++metrics] = $1
	metric_group[metrics] = $2
	metric_expr[metrics] = $3
	metric_text[metrics] = $4
	metric_model[metrics] = this_model
}

# Metric m is of table t, which has all of its events; and its metrics have been written.
function computable(t, m,    n, word, i)
{
	n = split(names_of(metric_expr[m]), word, " ")
	for (i = 1; i <= n; i++)
		if (!(word[i] in written_metric) && lacks(t, word[i]))
			return 0
	return analysis[t] == metric_model[m]
}

# ---- all events are there ----

# The code of "a", or of "a+b", in table t; $where: of the line
function code_of(t, list, where,    n, word, i, value, set)
{
	n = split(list, word, "+")
	for (i = 1; i <= n; i++) {
		if (!((t, word[i]) in unit)) {
			error_at(where, "core " t " has no '" word[i] "'")
			return ""
		}
		value = unhex(code(t, word[i]))
		if (n > 1 && (fields[file[t]] !~ / bits / || (i > 1 && value % 256 != set % 256)))
			error_at(where, "'" list "' cannot be added")
		set = i > 1 ? set + value - value % 256 : value
	}
	return hex(set, 1)
}

function end_standards(t,    n, m, part, at)
{
	for (n = 1; n <= standards[t]; n++) {
		at = standard_at[t, n]
		split(standard[t, n], part, " ")
		if (part[2] == "delegated") {
			check_known(part[3], at)
			if (lacks(t, part[3]) || has_standard[t, part[1]]++)
				continue
		}
		standard[t, ++m] = part[1] " " part[2] " " (part[3] == "-" ? "0x0" : code_of(t, part[3], at)) \
			" " part[3] " " part[4]
		differs[t, m] = differs[t, n]
	}
	standards[t] = m
}

# The event counts slots, or micro-ops that each take one.
function check_slots(t, alias)
{
	if (((t, alias) in unit) && max[t, alias] != slots[t])
		error_at(where[t, alias], "'" alias "' may be " max[t, alias] " in a cycle, which has " \
			 slots[t] + 0 " slots in table " t)
}

# The indices of a unit have no gaps; list the events by unit and index.
function end_units(t,    u, n)
{
	for (u = 1; u <= units; u++) {
		if (largest[t, u] + 0 != counted[t, u] + 0)
			error_at(head[t], "table " t ": the " unit_name[u] " has " counted[t, u] \
				 " events, but the largest index is " largest[t, u])
		for (n = 1; n <= largest[t, u]; n++)
			event[t, ++events[t]] = alias_at[t, u, n]
	}
	for (n = 1; n <= combineds[t]; n++)
		event[t, ++events[t]] = combined[t, n]
	if (rtl[t] == "")
		error_at(head[t], "table " t ": no '#rtl'")
	if (!slots[t])
		error_at(head[t], "table " t ": no '#slots'")
	check_slots(t, "front_bubble")
	check_slots(t, "inst_spec")
}

END {
	for (i = bad ? tables + 1 : 1; i <= tables; i++) {
		t = table[i]
		if (t in has_units)
			end_units(t)
		else if (!ids[t])
			error_at(head[t], "core " t " has no '#id'")
		end_standards(t)
	}
	if (bad)
		exit 1
}
