# SPDX-License-Identifier: GPL-2.0-only
#
# write-rst.awk - after read.awk: a page about table "only".

function line(char, n,    out)
{
	for (; n > 0; n--)
		out = out char
	return out
}

function heading(string, char)
{
	print "\n" string "\n" line(char, length(string)) "\n"
}

# What would be markup, and is a name.
function plain(string)
{
	gsub(/\\/, "\\\\", string)
	gsub(/[*_`|]/, "\\\\&", string)
	return string
}

function list_table(widths, head)
{
	print ".. list-table::\n   :header-rows: 1\n   :widths: " widths "\n"
	row(head)
}

function row(cells,    i, n, cell)
{
	n = split(cells, cell, "\t")
	for (i = 1; i <= n; i++)
		print (i == 1 ? "   * - " : "     - ") cell[i]
}

function about(t, alias,    out)
{
	out = plain(text[t, alias])
	if (note[t, alias] != "")
		out = out ". *Beware:* " plain(note[t, alias])
	return out
}

function sum_of(t, alias,    n, member, i, out)
{
	n = split(members[t, alias], member, " ")
	for (i = 1; i <= n; i++)
		out = out (i > 1 ? op[t, alias] == "add" ? " + " : " or " : "") "``" member[i] "``"
	return out
}

function write_unit(t, u,    n, alias)
{
	heading("The " unit_name[u] ": ``unit=" u "``", "-")
	list_table("10 30 20 40", "event0\tName\tThe core's own name\tWhat it counts")
	for (n = 1; n <= events[t]; n++) {
		alias = event[t, n]
		if (unit[t, alias] == u && fault[t, alias] == "-" && !((t, alias) in members))
			row(sprintf("%s\t``%s``\t``%s``\t%s", hex(index_of[t, alias, 0], 1),
				    alias, rtl_name[t, alias], about(t, alias)))
	}
}

function write_sums(t,    n, alias)
{
	heading("Several at once", "-")
	list_table("20 35 45", "Name\tMade of\tWhat it counts")
	for (n = 1; n <= events[t]; n++) {
		alias = event[t, n]
		if ((t, alias) in members)
			row(sprintf("``%s``\t%s\t%s", alias, sum_of(t, alias), about(t, alias)))
	}
}

function write_left_out(t,    n, alias)
{
	heading("Left out", "-")
	print "These have no name in sysfs: they count nothing, or not what they are called.\n"
	list_table("15 10 30 10 35", "Unit\tevent0\tThe core's own name\tCounts\tWhy it is left out")
	for (n = 1; n <= events[t]; n++) {
		alias = event[t, n]
		if (fault[t, alias] != "-")
			row(sprintf("%s\t%s\t``%s``\t%s\t%s", unit_name[unit[t, alias]],
				    hex(index_of[t, alias, 0], 1), rtl_name[t, alias],
				    fault[t, alias] == "zero" ? "nothing" : "otherwise",
				    plain(note[t, alias])))
	}
}

END {
	print ".. SPDX-License-Identifier: GPL-2.0-only"
	print ".. Made by write-rst.awk; not to be edited."
	heading("Events of " title[only], "=")
	print "``xiangshan=" only "``: " plain(rtl[only]) "."
	print "What units, sums and operators are is in sbi-pmu-xiangshan.rst."
	for (u = 1; u <= 4; u++)
		if (indices[only, u] > 1)
			write_unit(only, u)
	write_sums(only)
	write_left_out(only)
}
