# SPDX-License-Identifier: GPL-2.0-only
#
# metrics.awk - C of metrics.tsv, whose formulas are valid C: lists X(name, level) of the events, those
# of a lower level first, and X(name, level, formula, description) of the metrics.
BEGIN { FS = "\t"; add("cycles", 1) }

function add(name, level)
{
	if (!seen[name]++)
		events = events " \\\n\tX(" name ", " level ")"
}

/^#/ { next }

{
	level = substr($2, length($2))
	metrics = metrics sprintf(" \\\n\tX(%s, %d, %s, \"%s\")", $1, level, $3, $4)
	gsub(/[^a-z0-9_]+/, " ", $3)
	n = split($3, word, " ")
	for (i = 1; i <= n; i++)
		if (word[i] !~ /^([0-9]+|max|min|d_ratio|slots|td_.*)$/)
			add(word[i], level)
}

END {
	print "#define TD_EVENT_LIST(X)" events
	print "#define TD_METRIC_LIST(X)" metrics
}
