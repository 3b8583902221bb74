# SPDX-License-Identifier: GPL-2.0-only
#
# write-c.awk - after read.awk: tables.inc, the event tables for tables.c.
#
# An event is EVENT(name, unit, operator, index, index, index, index). Events that
# never count, or count something else, are left out.

function write_event(t, alias,    i, line)
{
	if (fault[t, alias] != "-")
		return
	line = sprintf("\tEVENT(\"%s\", %d, %s", alias, unit[t, alias],
		       op[t, alias] == "add" ? "ADD" parts[t, alias] : "OR")
	for (i = 0; i < 4; i++)
		line = line ", " (i < parts[t, alias] ? index_of[t, alias, i] : 0)
	print line "),"
}

# Unit 0, any unit, has indices of 8 bits.
function table_entry(t, names)
{
	return "\t{\n" \
		"\t\t.name = \"" t "\",\n" \
		"\t\t.rtl_date = \"" rtl_date[t] "\",\n" \
		"\t\t.names = " names ",\n" \
		"\t\t.total = ARRAY_SIZE(" names "),\n" \
		"\t\t.bits = { 8, " bits[t, 1] ", " bits[t, 2] ", " bits[t, 3] ", " bits[t, 4] " },\n" \
		"\t},\n"
}

END {
	print "/* SPDX-License-Identifier: GPL-2.0-only */"
	print "/* Made by events/write-c.awk; not to be edited. */"
	for (i = 1; i <= tables; i++) {
		t = c = table[i]
		gsub(/-/, "_", c)
		printf "\nstatic const struct sbi_pmu_name %s_names[] = {\n", c
		for (n = 1; n <= events[t]; n++)
			write_event(t, event[t, n])
		print "};"
		list = list table_entry(t, c "_names")
	}
	printf "\nstatic const struct sbi_pmu_table tables[] = {\n%s};\n", list
}
