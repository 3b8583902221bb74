# SPDX-License-Identifier: GPL-2.0-only
#
# read.awk - read and check event tables; what to write is in a second script:
#   awk -f read.awk -f write-c.awk sums.tsv TABLE.tsv...
#   awk -f read.awk -f write-dts.awk -v only=TABLE sums.tsv standard.tsv TABLE.tsv...
# POSIX awk, mawk will do. sums.tsv comes before the tables.
#
# What a writer finds at its END: table[1..tables], the names; title[t], rtl[t];
# event[t, 1..events[t]], the aliases in the order of the file, sums last. By [t, alias]:
# unit, nth (how many events of the unit it is made of), members (their aliases), op,
# most (of it in a cycle), mark ("-": sound), rtlname, instance, text, note. By
# [t, alias, 0..nth-1]: index_of. And standard_id, _name and _alias[1..standards], metric_name,
# _group, _expr and _text[1..metrics].

function fail(what)
{
	printf "%s:%d: %s\n", FILENAME, FNR, what > "/dev/stderr"
	bad = 1
}

# Of two. (busybox has no operator for it.)
function power(n,    p)
{
	for (p = 1; n > 0; n--)
		p *= 2
	return p
}

# "a{0..2}_b c" to "a0_b a1_b a2_b c"
function expand(list,    n, word, i, j, from, to, head, tail, out)
{
	n = split(list, word, " ")
	for (i = 1; i <= n; i++) {
		if (!match(word[i], /\{[0-9]\.\.[0-9]\}/)) {
			out = out " " word[i]
			continue
		}
		head = substr(word[i], 1, RSTART - 1)
		tail = substr(word[i], RSTART + RLENGTH)
		from = substr(word[i], RSTART + 1, 1)
		to = substr(word[i], RSTART + 4, 1)
		for (j = from; j <= to; j++)
			out = out " " head j tail
	}
	return substr(out, 2)
}

# A name that perf takes for an event of ours, and of nobody else.
function check_alias(alias)
{
	if (alias !~ /^[a-z][a-z0-9_]*$/)
		fail("alias '" alias "' is not all of a-z, 0-9 and _")
	else if (alias ~ /^(cycles|instructions|branches|hw_.*|fw_.*)$/)
		fail("alias '" alias "' is taken by an event of the SBI specification")
}

function number(what, text, limit)
{
	if (text !~ /^(0|[1-9][0-9]*)$/ || text + 0 >= limit) {
		fail(what " '" text "' is not a number below " limit)
		return 0
	}
	return text + 0
}

BEGIN {
	FS = "\t"
	split("frontend backend memory cache", unit_name, " ")
	for (i = 1; i <= 4; i++)
		unit_number[unit_name[i]] = i
	columns["sums"] = "#alias\top\tmembers\tdescription"
	columns["standard"] = "#id\tname\talias"
	columns["metrics"] = "#name\tgroup\texpression\tdescription"
	columns["table"] = "#unit\tindex\tname\tdescription\talias\tinstance\tmost\tmark\tnote"
}

FNR == 1 {
	t = FILENAME
	sub(/.*\//, "", t)
	sub(/\.tsv$/, "", t)
	kind = t ~ /^(sums|standard|metrics)$/ ? t : "table"
	if (kind == "table")
		table[++tables] = t
	width = headed = 0
	for (i = 1; i <= 4; i++)
		bits[t, i] = 0
}

/^#(title|rtl)\t/ {
	if ($1 == "#title")
		title[t] = $2
	else
		rtl[t] = $2
	next
}

# How many bits of an index each unit's hardware looks at.
/^#bits\t/ {
	for (i = 2; i <= NF; i++) {
		split($i, pair, " ")
		if (!(pair[1] in unit_number))
			fail("unknown unit '" pair[1] "'")
		else
			bits[t, unit_number[pair[1]]] = number("bits", pair[2], 9)
	}
	next
}

$0 == columns[kind] {
	headed = 1
	width = NF
	next
}

/^#/ || /^$/ { next }

!headed {
	fail("no line '" columns[kind] "' before this")
	exit
}

NF != width {
	fail(NF " fields, and not " width)
	next
}

kind == "sums" {
	check_alias($1)
	if ($2 != "or" && $2 != "add")
		fail("unknown operator '" $2 "'")
	if ((n = split(expand($3), member, " ")) > 4)
		fail(n " members, and not up to 4")
	sums++
	sum_alias[sums] = $1
	is_sum[$1] = 1
	sum_op[sums] = $2
	sum_members[sums] = expand($3)
	sum_text[sums] = $4
	sum_at[sums] = FILENAME ":" FNR
	next
}

kind == "standard" {
	if ($1 !~ /^0x[1-9a-f][0-9a-f]*$/)
		fail("id '" $1 "' is no event id")
	standards++
	standard_id[standards] = $1
	standard_name[standards] = $2
	standard_alias[standards] = $3
	standard_at[standards] = FILENAME ":" FNR
	next
}

kind == "metrics" {
	if ($1 !~ /^[a-z][a-z0-9_]*$/)
		fail("metric '" $1 "' is not all of a-z, 0-9 and _")
	if ($1 in is_metric)
		fail("duplicate metric '" $1 "'")
	is_metric[$1] = 1
	metrics++
	metric_name[metrics] = $1
	metric_group[metrics] = $2
	metric_expr[metrics] = $3
	metric_text[metrics] = $4
	metric_at[metrics] = FILENAME ":" FNR
	next
}

# A table's row.
{
	if (!($1 in unit_number)) {
		fail("unknown unit '" $1 "'")
		next
	}
	u = unit_number[$1]
	if (!bits[t, u]) {
		fail("no '#bits' of the " $1 " before this")
		next
	}
	n = number("index of the " $1, $2, power(bits[t, u]))
	if ((t, u, n) in at)
		fail("index " n " of the " $1 " is taken: " at[t, u, n])
	at[t, u, n] = FILENAME ":" FNR
	if (n >= indices[t, u])
		indices[t, u] = n + 1
	held[t, u]++

	if (n == 0 || $5 == "-") {
		if (n != 0 || $5 != "-")
			fail("index 0, and no other, is the event that never happens")
		next
	}
	check_alias($5)
	if ((t, $5) in unit)
		fail("duplicate alias '" $5 "': " where[t, $5])
	if (($5 in home) && home[$5] != u)
		fail("alias '" $5 "' is another unit's in another table: " home_at[$5])
	home[$5] = u
	home_at[$5] = where[t, $5] = FILENAME ":" FNR
	if ($8 !~ /^(-|wrong|zero)$/)
		fail("unknown mark '" $8 "'")
	if ($8 != "-" && $9 == "-")
		fail("marked '" $8 "', and no note why")

	event[t, ++events[t]] = $5
	unit[t, $5] = u
	nth[t, $5] = 1
	index_of[t, $5, 0] = n
	most[t, $5] = $7 == "-" ? 8 : number("most", $7, 64)
	mark[t, $5] = $8
	rtlname[t, $5] = $3
	text[t, $5] = $4
	instance[t, $5] = $6
	note[t, $5] = $9 == "-" ? "" : $9
	known[$5] = 1
}

# A sum that the table has not, for want of a member that is sound?
function lacks(t, list,    n, member, i)
{
	n = split(list, member, " ")
	for (i = 1; i <= n; i++)
		if (!((t, member[i]) in unit) || mark[t, member[i]] != "-")
			return 1
	return 0
}

function enter_sum(t, s,    n, member, i, alias, total)
{
	alias = sum_alias[s]
	n = split(sum_members[s], member, " ")
	event[t, ++events[t]] = alias
	mark[t, alias] = "-"
	unit[t, alias] = unit[t, member[1]]
	nth[t, alias] = n
	op[t, alias] = sum_op[s]
	members[t, alias] = sum_members[s]
	text[t, alias] = sum_text[s]
	for (i = 1; i <= n; i++) {
		if (unit[t, member[i]] != unit[t, alias])
			late(sum_at[s], "'" member[i] "' is another unit's than '" member[1] "'")
		index_of[t, alias, i - 1] = index_of[t, member[i], 0]
		total += most[t, member[i]]
		if (note[t, member[i]] != "" && index(note[t, alias], note[t, member[i]]) == 0)
			note[t, alias] = note[t, alias] (note[t, alias] == "" ? "" : "; ") note[t, member[i]]
	}
	most[t, alias] = total
	# The adder is 6 bits wide and has no carry.
	if (sum_op[s] == "add" && total > 63)
		late(sum_at[s], "'" alias "' may be " total " in a cycle, and the adder ends at 63")
}

function late(where, what)
{
	print where ": " what > "/dev/stderr"
	bad = 1
}

# The selector of an event: 4, for ADD, in each operator. Less than 2^53, which awk's numbers hold exactly.
function data(t, alias,    i, value)
{
	for (i = 0; i < nth[t, alias]; i++)
		value += index_of[t, alias, i] * power(10 * i)
	if (op[t, alias] == "add" && nth[t, alias] > 1)
		value += power(42)
	if (op[t, alias] == "add" && nth[t, alias] > 2)
		value += power(47) + power(52)
	return value
}

# Digit by digit: what %x makes of large numbers differs from awk to awk.
function hex(value, digits,    out, digit)
{
	for (; value >= 1 || digits > 0; digits--) {
		digit = value % 16
		out = substr("0123456789abcdef", digit + 1, 1) out
		value = (value - digit) / 16
	}
	return "0x" out
}

# The events and metrics that an expression names, with spaces between.
function names_of(expr)
{
	gsub(/[^a-z0-9_]+/, " ", expr)
	expr = " " expr " "
	while (sub(/ ([0-9]+|max|min|d_ratio|cycles|instructions) /, " ", expr))
		;
	return expr
}

function check_metric(m,    n, word, i)
{
	n = split(names_of(metric_expr[m]), word, " ")
	for (i = 1; i <= n; i++)
		if (!(word[i] in known) && !(word[i] in is_sum) && !(word[i] in is_metric))
			late(metric_at[m], "no table has '" word[i] "'")
}

function check_table(t,    u)
{
	for (u = 1; u <= 4; u++)
		if (indices[t, u] != held[t, u])
			late(t, "the " unit_name[u] " has " held[t, u] " events and indices up to " \
			     indices[t, u] - 1)
	if (title[t] == "" || rtl[t] == "")
		late(t, "no '#title' or '#rtl'")
}

END {
	if (bad)
		exit 1
	for (s = 1; s <= sums; s++) {
		n = split(sum_members[s], member, " ")
		for (i = 1; i <= n; i++)
			if (!(member[i] in known))
				late(sum_at[s], "no table has '" member[i] "'")
		if (sum_alias[s] in known)
			late(sum_at[s], "alias '" sum_alias[s] "' is taken: " home_at[sum_alias[s]])
	}
	for (s = 1; s <= standards; s++)
		if (!(standard_alias[s] in known) && !(standard_alias[s] in is_sum))
			late(standard_at[s], "no table has '" standard_alias[s] "'")
	for (m = 1; m <= metrics; m++)
		check_metric(m)
	for (i = 1; i <= tables; i++) {
		check_table(table[i])
		for (s = 1; s <= sums; s++)
			if (!((table[i], sum_alias[s]) in unit) && !lacks(table[i], sum_members[s]))
				enter_sum(table[i], s)
	}
	if (bad)
		exit 1
}
