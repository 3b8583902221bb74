# SPDX-License-Identifier: GPL-2.0-only
#
# write-likwid.awk - after read.awk, needs metrics.tsv: the metrics of group "group" of table
# "only" as a performance group of likwid; nothing if the table has none.
#
# PMC0 is hpmcounter3: 8 counters each for the frontend, the backend and memory, and 5 for the
# cache. FIXC0 is cycle, FIXC1 instret.

# The counter of an event; each event of the group gets one.
function counter_of(name,    u)
{
	if (name in counter)
		return counter[name]
	if (name == "cycles" || name == "instructions") {
		counter[name] = "FIXC" (name == "instructions")
	} else {
		u = unit[only, name]
		if (used[u] == (u == 4 ? 5 : 8))
			error_at(metric_at[m], "too many events of the " unit_name[u] " in " group)
		counter[name] = "PMC" (8 * (u - 1) + used[u]++)
	}
	eventset = eventset sprintf("%-6s %s\n", counter[name], toupper(name))
	return counter[name]
}

# likwid has no d_ratio(). Its arguments here contain no parentheses.
function without_ratio(expr,    list)
{
	while (match(expr, /d_ratio\([^()]*\)/)) {
		list = substr(expr, RSTART + 8, RLENGTH - 9)
		sub(/,/, ")/(", list)
		expr = substr(expr, 1, RSTART - 1) "((" list "))" substr(expr, RSTART + RLENGTH)
	}
	return expr
}

# The expression with the formulas of other metrics in place of their names, and, if "counters",
# with counters in place of events.
function replaced(expr, counters,    out, word)
{
	while (match(expr, /[a-z][a-z0-9_]*/)) {
		word = substr(expr, RSTART, RLENGTH)
		out = out substr(expr, 1, RSTART - 1)
		expr = substr(expr, RSTART + RLENGTH)
		if (word in formula)
			word = "(" formula[word] ")"
		else if (counters && word !~ /^(max|min)$/)
			word = counter_of(word)
		out = out word
	}
	return out expr
}

END {
	for (m = 1; m <= metrics; m++) {
		name = metric_name[m]
		if (!computable(only, metric_expr[m]))
			continue
		expr = without_ratio(replaced(with_slots(only, metric_expr[m])))
		# A space would end the name of the metric.
		gsub(/ /, "", expr)
		if (metric_group[m] == group) {
			lines = lines name " " replaced(expr, 1) "\n"
			texts = texts name ": " metric_text[m] "\n"
		}
		written_metric[name] = 1
		formula[name] = expr
	}
	if (lines != "") {
		printf "SHORT %s, %s\n\n", group, title[only]
		printf "EVENTSET\n%s\nMETRICS\nRuntime [s] time\n%s\n", eventset, lines
		printf "LONG\n%sWritten by 'make likwid' of sbi_pmu.\n", texts
	}
}
