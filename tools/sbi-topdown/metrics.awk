# SPDX-License-Identifier: GPL-2.0-only
#
# metrics.awk - C of the files of metrics, whose formulas are valid C. Of model M: TD_EVENTS_M(X), a list
# X(name, level) of the events, cycles and what retires first, and those of a lower level before others;
# TD_METRICS_M(X), a list X(name, level, formula, description, label, event, event). Of all:
# TD_MODELS(X), a list X(M, event that level 3 can do without, TD_EVENTS: none, " core core ").
BEGIN { FS = "\t" }

function add(m, name, level)
{
	if (!((m, name) in at)) {
		at[m, name] = n_events++
		events = events " \\\n\tX(" name ", " level ")"
	}
}

$1 == "#model" {
	model[++models] = m = $2
	cores[m] = $3
}
$1 == "#spare" { spare[m] = $2 }
/^#/ { next }
{ row[m, ++rows[m]] = $0 }

function write(m,    level, i, n, w, word)
{
	events = metrics = ""
	n_events = 0
	$0 = row[m, 1]
	gsub(/[^a-z0-9_]+/, " ", $3)
	n = split($3, word, " ")
	add(m, word[n], 1)
	for (level = 1; level <= 3; level++)
		for (i = 1; i <= rows[m]; i++) {
			$0 = row[m, i]
			gsub(/[^a-z0-9_]+/, " ", $3)
			n = split($2 ~ level "$" ? $3 : "", word, " ")
			for (w = 1; w <= n; w++)
				if (word[w] !~ /^([0-9]+|max|min|d_ratio|slots|td_.*)$/)
					add(m, word[w], level)
		}
	for (i = 1; i <= rows[m]; i++) {
		$0 = row[m, i]
		n = split($6, word, " ")
		metrics = metrics sprintf(" \\\n\tX(%s, %d, %s, \"%s\", \"%s\", %d, %d)", $1, \
			substr($2, length($2)), $3, $4, $5, at[m, word[1]], at[m, word[n]])
	}
	print "#define TD_EVENTS_" m "(X)" events
	print "#define TD_METRICS_" m "(X)" metrics
	list = list " X(" m ", " (m in spare ? at[m, spare[m]] : "TD_EVENTS") ", \" " cores[m] " \")"
}

END {
	for (i = 1; i <= models; i++)
		write(model[i])
	print "#define TD_MODELS(X)" list
}
