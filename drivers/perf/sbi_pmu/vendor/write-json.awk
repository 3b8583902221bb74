# SPDX-License-Identifier: GPL-2.0-only
#
# write-json.awk - after read.awk: files for perf's source tree into the folder $FOLDER, of cores that perf does
# not know: all events in one, or one for each unit, and one of metrics. Prints lines for perf's mapfile.csv.

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
	printf "%s  {\n%s\n  }", (written++ ? ",\n" : "[\n"), body > out
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
function write_metric(t, m,    expr)
{
	written_metric[metric_name[m]] = 1
	expr = metric_expr[m]
	gsub(/slots/, slots[t], expr)
	object(field("MetricName", metric_name[m]) ",\n" \
	       field("MetricGroup", metric_group[m]) ",\n" \
	       field("MetricExpr", expr) ",\n" \
	       field("ScaleUnit", "100%") ",\n" \
	       field("BriefDescription", metric_text[m]))
}

# perf wants no empty files. u: number of a unit; 0: metrics
function write_file(t, model, topic, u,    n, alias)
{
	out = ENVIRON["FOLDER"] "/" model "/" topic ".json"
	written = 0
	for (n = 1; n <= events[t]; n++) {
		alias = event[t, n]
		if (unit[t, alias] == u && fault[t, alias] == "-")
			write_event(t, alias)
	}
	for (n = 1; n <= riscvs; n++)
		if (index(" " riscv_tables[n] " ", " " t " ") && unit[t, riscv_alias[n]] == u)
			write_riscv(t, n)
	for (n = 1; !u && n <= metrics; n++)
		if (computable(t, n))
			write_metric(t, n)
	if (written) {
		print "\n]" > out
		close(out)
	}
}

# A number is a regular expression there.
function print_lines(t, model,    n, ids_of)
{
	for (n = 1; n <= ids[t]; n++) {
		ids_of = id[t, n]
		gsub(/ /, "-", ids_of)
		sub(/\*/, "[[:xdigit:]]+", ids_of)
		sub(/-\[\[/, "-0x[[", ids_of)
		print ids_of ",v1," model ",core"
	}
}

END {
	for (i = 1; i <= tables; i++) {
		t = table[i]
		if (t in stock)
			continue
		model = (t in has_units ? "openxiangshan/kunminghu-" : vendor[t] "/") t
		system("mkdir -p '" ENVIRON["FOLDER"] "/" model "'")
		split("", written_metric)
		for (u = 0; u <= units; u++)
			write_file(t, model, !u ? "metrics" : t in has_units ? unit_name[u] : "events", u)
		print_lines(t, model)
	}
}
