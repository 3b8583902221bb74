# SPDX-License-Identifier: GPL-2.0-only
#
# write-json.awk - after read.awk: one event file of table "only" for perf's source
# tree. "topic" is the name of a unit, or "metrics", which needs metrics.tsv.
#
# The event code has the unit in bits 9:8, so that firmware with a device tree from
# dts/ finds the right counters for the built-in driver, too.

function quote(string)
{
	gsub(/\\/, "\\\\", string)
	gsub(/"/, "\\\"", string)
	return "\"" string "\""
}

function sentence(string)
{
	return toupper(substr(string, 1, 1)) substr(string, 2)
}

function field(name, value)
{
	return sprintf("    \"%s\": %s", name, quote(value))
}

function object(body)
{
	printf "%s  {\n%s\n  }", written++ ? ",\n" : "", body
}

function write_event(t, alias,    body)
{
	body = field("EventName", alias) ",\n"
	body = body field("EventCode", hex(selector(t, alias) + 256 * (unit[t, alias] - 1), 1)) ",\n"
	body = body field("BriefDescription", sentence(text[t, alias]))
	if (note[t, alias] != "")
		body = body ",\n" field("PublicDescription", sentence(text[t, alias]) ". " sentence(note[t, alias]))
	object(body)
}

# Table t has all events in the expression, and its metrics have been written.
function computable(t, expr,    n, word, i)
{
	n = split(names_of(expr), word, " ")
	for (i = 1; i <= n; i++)
		if (!(word[i] in written_metric) &&
		    (!((t, word[i]) in unit) || fault[t, word[i]] != "-"))
			return 0
	return 1
}

# The expression with the number of table t for "slots": perf knows #slots only on arm64.
function with_slots(t, expr,    out, word)
{
	while (match(expr, /[a-z0-9_]+/)) {
		word = substr(expr, RSTART, RLENGTH)
		out = out substr(expr, 1, RSTART - 1) (word == "slots" ? slots[t] : word)
		expr = substr(expr, RSTART + RLENGTH)
	}
	return out expr
}

function write_metric(m)
{
	written_metric[metric_name[m]] = 1
	object(field("MetricName", metric_name[m]) ",\n" \
	       field("MetricGroup", metric_group[m]) ",\n" \
	       field("MetricExpr", with_slots(only, metric_expr[m])) ",\n" \
	       field("ScaleUnit", "100%") ",\n" \
	       field("BriefDescription", metric_text[m]))
}

END {
	print "["
	for (n = 1; topic != "metrics" && n <= events[only]; n++) {
		alias = event[only, n]
		if (fault[only, alias] == "-" && unit_name[unit[only, alias]] == topic)
			write_event(only, alias)
	}
	for (m = 1; topic == "metrics" && m <= metrics; m++)
		if (computable(only, metric_expr[m]))
			write_metric(m)
	print "\n]"
}
