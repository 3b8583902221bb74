# SPDX-License-Identifier: GPL-2.0-only
#
# map.awk - after read.awk: what sbi-pmu-map prints. task: check, write or list; only: names of
# cores, "": by the tree; properties: a file of a tree's properties.

# a & b of 32 bits; POSIX awk has no such operator.
function both(a, b,    bit, value)
{
	for (bit = 2147483648; bit >= 1; bit /= 2) {
		if (a >= bit && b >= bit)
			value += bit
		a -= a >= bit ? bit : 0
		b -= b >= bit ? bit : 0
	}
	return value + 0
}

function refuse(what)
{
	print "sbi-pmu-map: " what > "/dev/stderr"
	exit 2
}

# The cells of a property are appended to cell[name, 1..cells[name]].
function read_properties(    line, n, word, i, t, found)
{
	while ((getline line < properties) > 0) {
		n = split(line, word, " ")
		for (i = 2; i <= n && word[1] == "compatible"; i++) {
			if (seen[word[i]]++)
				continue
			for (t in title)
				if (index(" " tree[t] " ", " " word[i] " ") && !had[t]++)
					found = found " " t
			compatible = compatible " " word[i]
		}
		for (i = 2; i <= n && word[1] != "compatible"; i++)
			cell[word[1], ++cells[word[1]]] = unhex("0x" word[i])
	}
	only = only == "" ? found : only
}

# Do the raw rows of the tree take a selector?
function takes(value,    i, name)
{
	name = "riscv,raw-event-to-mhpmcounters"
	for (i = 1; i + 4 <= cells[name]; i += 5)
		if (cell[name, i] == 0 && both(value, cell[name, i + 3]) == cell[name, i + 1])
			return 1
	return 0
}

# What a selector counts, by the names of core t; the selectors of a sum are of one set.
function name_of(t, value,    n, name, out, bits)
{
	if ((t, hex(value, 1)) in named)
		return named[t, hex(value, 1)]
	for (n = 1; n <= events[t] && fields[file[t]] ~ / bits /; n++) {
		name = unhex(code(t, event[t, n]))
		bits = name - name % 256
		if (name % 256 == value % 256 && both(value, bits) == bits)
			out = out (out == "" ? "" : "+") event[t, n]
	}
	return out == "" ? "unknown" : out
}

function describe(t, value)
{
	return hex(value, 1) " " name_of(t, value)
}

# Standard event row n of core t against the tree
function check_standard(t, n,    part, right, has, i, verdict)
{
	split(standard[t, n], part, " ")
	if (part[2] == "user" || part[2] == "kernel")
		return
	right = unhex(part[3])
	has = part[1] in selector_in_tree ? selector_in_tree[part[1]] : unhex(part[1])
	if (!(part[1] in listed)) {
		if (part[2] == "wrong" && !right)
			return
		verdict = "not in the tree"
	} else if (right && has == right)
		verdict = "right"
	else {
		verdict = part[2] ~ /missing|same/ ? "another event than ours" : \
			part[2] == "partial" ? "ONLY A PART" : "WRONG"
		verdicts[part[2]]++
	}
	printf "  %-25s %s%s: %s", part[5], part[1] in listed ? describe(t, has) : "-", \
		(part[1] in listed) && !(part[1] in selector_in_tree) ? " (no selector: its own number)" : "", verdict
	if (verdict != "right") {
		printf "; right: %s", right ? describe(t, right) : "none"
		if (right)
			printf ", which raw rows %s", takes(right) ? "take" : "do not take"
	}
	print ""
}

function check(t,    i, n, name, value, taken, lost, mended)
{
	print "core: " title[t] " (table " t ", " date[t] ")"
	name = "riscv,event-to-mhpmcounters"
	for (i = 1; i + 2 <= cells[name]; i += 3)
		for (n = cell[name, i]; n <= cell[name, i + 1]; n++)
			listed[hex(n, 1)] = 1
	name = "riscv,event-to-mhpmevent"
	for (i = 1; i + 2 <= cells[name]; i += 3)
		selector_in_tree[hex(cell[name, i], 1)] = cell[name, i + 2]
	if (!cells["riscv,event-to-mhpmcounters"] && !cells["riscv,raw-event-to-mhpmcounters"])
		print "the tree maps no events (firmware may have removed the properties): sbi-pmu-map -w -c " t \
			" writes an overlay for firmware"
	print "standard events:"
	for (n = 1; n <= standards[t]; n++)
		check_standard(t, n)
	for (n = 1; n <= events[t]; n++) {
		value = unhex(code(t, event[t, n]))
		if (takes(value))
			taken++
		else {
			lost = lost " " event[t, n]
			mended += counters_of(t, value) != ""
		}
	}
	printf "events: raw rows take %d of %d\n", taken, events[t]
	if (lost != "" && taken)
		print "  not:" lost
	if (mended) {
		print "  with these rows, as the core is known to have them, " mended " more:"
		print_rows(t, "    ")
	}
	return verdicts["partial"] + verdicts["wrong"] > 0
}

# The counters to which the rows that are known of core t give a selector, "": none
function counters_of(t, value,    n, part, row, i)
{
	n = split(rows[t], part, " ")
	for (i = 1; i <= n; i++) {
		split(part[i], row, "/")
		if (both(value, unhex(row[3])) == unhex(row[2]))
			return row[1]
	}
	return ""
}

function print_rows(t, indent,    n, part, row, i)
{
	n = split(rows[t], part, " ")
	for (i = 1; i <= n; i++) {
		split(part[i], row, "/")
		print indent "<0x0 " row[2] " 0xffffffff " row[3] " " row[1] ">" (i < n ? "," : ";")
	}
}

# The selector for a standard event in a tree of core t
function selector_of(t, id,    n, part)
{
	for (n = 1; n <= standards[t]; n++) {
		split(standard[t, n], part, " ")
		if (part[1] == id && part[2] !~ /user|kernel/ && part[4] != "-")
			return part[3]
	}
	return ""
}

# A chip with two kinds of cores has one tree, which can only say what is right for both.
function write(t, other,    n, part, done, list, map, i, value)
{
	if (!(t in rows))
		refuse("which counters this core has is not known: " t)
	if (rows[t] != rows[other])
		refuse(t " and " other " have other rows")
	for (n = 1; n <= standards[t]; n++) {
		split(standard[t, n], part, " ")
		value = selector_of(t, part[1])
		if (value == "" || value != selector_of(other, part[1]) || done[part[1]]++)
			continue
		list[++i] = "/* " part[5] ": " part[4] " */\n\t\t\t<" part[1] " 0x0 " value ">"
		map[i] = "<" part[1] " " part[1] " " counters_of(t, unhex(value)) ">"
	}
	print "// SPDX-License-Identifier: GPL-2.0-only"
	print "/*"
	print " * " title[t] (t == other ? "" : ", " title[other]) ": events and counters, for the device tree that firmware gets. Not tried on a board."
	print " * Written by sbi-pmu-map from " file[t] ".tsv (" date[t] "); do not edit."
	print " */"
	print "/dts-v1/;\n/plugin/;\n\n&{/} {\n\tpmu {\n\t\tcompatible = \"riscv,pmu\";"
	property("riscv,event-to-mhpmevent", list, i)
	property("riscv,event-to-mhpmcounters", map, i)
	print "\t\triscv,raw-event-to-mhpmcounters ="
	print_rows(t, "\t\t\t")
	print "\t};\n};"
}

function property(name, list, n,    i)
{
	if (n)
		print "\t\t" name " ="
	for (i = 1; i <= n; i++)
		print "\t\t\t" list[i] (i < n ? "," : ";")
}

END {
	for (i = 1; i <= tables && task == "list"; i++)
		printf "%-10s %-32s %s, %d events\n", table[i], title[table[i]], date[table[i]], events[table[i]]
	if (task == "list")
		exit
	read_properties()
	gsub(/,/, " ", only)
	n = split(only, core, " ")
	for (i = 1; i <= n || n == 0; i++)
		if (!(core[i] in title))
			refuse((n ? "'" core[i] "' is not known" : ENVIRON["TREE"] ": no core is known (compatible:" \
				(compatible == "" ? " no node cpu@" : compatible) ")") \
			       "; -l lists those that are, -c names one")
	if (task == "write")
		write(core[1], core[n])
	for (i = 1; i <= n && task == "check"; i++)
		bad += check(core[i])
	exit bad > 0
}
