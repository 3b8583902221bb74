# SPDX-License-Identifier: GPL-2.0-only
#
# write-dts.awk - after read.awk: the riscv,pmu node of table "only", to include or,
# with overlay=1, to lay over the tree of QEMU's virt machine.
#
# One row an event: OpenSBI goes on from where the last row was found. Raw events
# are routed by the unit in bits 9:8, which hardware does not look at.

BEGIN { split("0x7f8 0x7f800 0x7f80000 0xf8000000", counters, " ") }

# The event that a standard one is in this table, "" for none.
function standard_of(t, id,    s)
{
	for (s = 1; s <= standards; s++)
		if (standard_id[s] == id && ((t, standard_alias[s]) in unit) &&
		    fault[t, standard_alias[s]] == "-")
			return standard_alias[s]
	return ""
}

function cells(value,    low)
{
	low = value % 4294967296
	return hex((value - low) / 4294967296, 1) " " hex(low, 1)
}

function property(name, list, n, indent,    i)
{
	printf "%s%s =\n", indent, name
	for (i = 1; i <= n; i++)
		print indent "\t" list[i] (i < n ? "," : ";")
}

function node(t, indent,    s, n, alias, done, i)
{
	print indent "compatible = \"riscv,pmu\";"
	print indent "openxiangshan,event-table = \"" t "\";"
	for (s = 1; s <= standards; s++) {
		alias = standard_of(t, standard_id[s])
		if (alias == "" || standard_id[s] in done)
			continue
		done[standard_id[s]] = 1
		n++
		events_list[n] = sprintf("/* %s: %s */ <%s %s>", standard_name[s], alias,
					 standard_id[s], cells(selector(t, alias)))
		counters_list[n] = sprintf("<%s %s %s>", standard_id[s], standard_id[s],
					   counters[unit[t, alias]])
	}
	property("riscv,event-to-mhpmevent", events_list, n, indent)
	property("riscv,event-to-mhpmcounters", counters_list, n, indent)
	for (i = 1; i <= 4; i++)
		raw_list[i] = sprintf("/* %s */ <0x0 %s 0x0 0x300 %s>", unit_name[i],
				      hex(256 * (i - 1), 1), counters[i])
	property("riscv,raw-event-to-mhpmcounters", raw_list, 4, indent)
}

END {
	print "// SPDX-License-Identifier: GPL-2.0-only"
	print "/*"
	print " * The events of " title[only] "."
	print " * " rtl[only] "."
	print " * Made by write-dts.awk; not to be edited."
	print " */"
	if (overlay)
		print "/dts-v1/;\n/plugin/;\n"
	print overlay ? "&{/} {" : "/ {"
	print "\tpmu {"
	node(only, "\t\t")
	print "\t};\n};"
}
