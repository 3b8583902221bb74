# SPDX-License-Identifier: GPL-2.0-only
#
# write-libpfm4.awk - after read.awk: tables for pfmlib_riscv.c. Of cores with the same ids only the
# first is found by them.

function write_table(t,    c, n, alias, description, pattern, patterns)
{
	c = (t in has_units ? "xiangshan_" : "") t
	gsub(/-/, "_", c)
	printf "\nstatic const struct riscv_entry riscv_%s_pe[] = {\n", c
	for (n = 1; n <= events[t]; n++) {
		alias = event[t, n]
		description = text[t, alias]
		gsub(/["\\]/, "\\\\&", description)
		if (fault[t, alias] == "-")
			printf "\t{ \"%s\", \"%s\", %s },\n", alias, description, code(t, alias)
	}
	patterns = t
	for (n = 1; n <= ids[t]; n++) {
		pattern = id[t, n]
		gsub(/ /, "-", pattern)
		if (taken[pattern]++)
			continue
		patterns = patterns " " pattern
	}
	printf "};\n\nRISCV_TABLE(%s, %s, \"%s\", \"%s\");\n", c, toupper(c), title[t], patterns
}

END {
	for (i = 1; i <= tables; i++)
		write_table(table[i])
}
