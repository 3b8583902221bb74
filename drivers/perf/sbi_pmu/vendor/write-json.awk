# SPDX-License-Identifier: GPL-2.0-only
#
# write-json.awk - after read.awk: one event file of table "only" for perf's source
# tree. "topic" is the name of a unit, which needs riscv.tsv, "metrics", which needs
# metrics.tsv, or "events": all of a table without units.

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
	body = body field("EventCode", code(t, alias)) ",\n"
	body = body field("BriefDescription", sentence(text[t, alias]))
	if (note[t, alias] != "")
		body = body ",\n" field("PublicDescription", sentence(text[t, alias]) ". " sentence(note[t, alias]))
	object(body)
}

# The name of RISC-V International for an event
function write_riscv(t, r)
{
	object(field("EventName", riscv_name[r]) ",\n" \
	       field("EventCode", code(t, riscv_alias[r])) ",\n" \
	       field("BriefDescription", "RISC-V International's name of " riscv_alias[r] ": " text[t, riscv_alias[r]]))
}

# perf knows #slots only on arm64.
function write_metric(m)
{
	written_metric[metric_name[m]] = 1
	gsub(/slots/, slots[only], metric_expr[m])
	object(field("MetricName", metric_name[m]) ",\n" \
	       field("MetricGroup", metric_group[m]) ",\n" \
	       field("MetricExpr", metric_expr[m]) ",\n" \
	       field("ScaleUnit", "100%") ",\n" \
	       field("BriefDescription", metric_text[m]))
}

END {
	print "["
	for (n = 1; topic != "metrics" && n <= events[only]; n++) {
		alias = event[only, n]
		if (fault[only, alias] == "-" && (topic == "events" || unit_name[unit[only, alias]] == topic))
			write_event(only, alias)
	}
	for (r = 1; r <= riscvs; r++)
		if (index(" " riscv_tables[r] " ", " " only " ") &&
		    unit_name[unit[only, riscv_alias[r]]] == topic)
			write_riscv(only, r)
	for (m = 1; topic == "metrics" && m <= metrics; m++)
		if (computable(only, metric_expr[m]))
			write_metric(m)
	print "\n]"
}
