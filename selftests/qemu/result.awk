# SPDX-License-Identifier: GPL-2.0-only
#
# result.awk - the result of a boot, from its KTAP (first file) and its console.
#
# Prints "PASSED FAILED SKIPPED", then a line for each failure. A boot that reports less than
# was planned has failed, too. On standard error, for each test that was skipped: its reason, a
# tab, and its name.
#
# Variables: programs, names in their order; status, QEMU's exit status (124: the lab ended it).

function failure(text) {
	failed++
	lines[++count] = text
}

# skip(TEXT, NAME): count a result with "# SKIP reason".
function skip(text, name,    reason) {
	reason = text
	sub(/.*# SKIP */, "", reason)
	sub(/ *# SKIP.*/, "", name)
	skipped++
	print (reason == "" ? "no reason is given" : reason) "\t" name > "/dev/stderr"
}

# The program that reports now, by the order of the list.
function program() { return top_seen < wanted ? expected[top_seen + 1] : "program " (top_seen + 1) }

BEGIN { wanted = split(programs, expected, " ") }

{ file = FILENAME == ARGV[1] ? 1 : 2 }

# Results of a program are indented. Its plan comes first or last.
file == 1 && /^  1\.\.[0-9]+/ {
	planned = substr($1, 4) + 0
	has_plan = 1
	if (/# SKIP/ && planned == 0)
		skip($0, program())
}
file == 1 && /^  (not )?ok [0-9]+/ {
	seen++
	if ($1 == "not")
		failure($0)
	else if (/# SKIP/)
		skip($0, substr($0, index($0, $3)))
	else
		passed++
}

# And the program's own result, after them.
file == 1 && /^1\.\./ { top_planned = substr($1, 4) + 0 }
file == 1 && /^(not )?ok [0-9]+/ {
	if (!has_plan)
		failure($0 ": no plan")
	if (planned != seen)
		failure(sprintf("%s: %d of %d tests reported", program(), seen, planned))
	planned = seen = has_plan = 0
	top_seen++
	if ($1 == "not")
		failure($0)
}
file == 1 && /^# end of / { ended = 1 }

# What a kernel prints only about an error.
file == 2 && /WARNING:|(^|[^A-Z_])BUG[ :]|INFO:|Oops|Kernel panic|Call Trace|unable to handle/ ||
file == 2 && /KASAN|UBSAN|ODEBUG|possible (recursive|circular)|suspicious RCU|sleeping function/ ||
file == 2 && /self-detected stall|detected stalls|soft lockup|LOCKUP|turning off the locking/ ||
file == 2 && /unreferenced.* object|suspected memory leak|leak detector disabled/ {
	if (!reports++) {
		failure("console: " $0)
		follows = 40
		next
	}
}

# The trace after it: of a long log only the end may be kept.
file == 2 && follows-- > 0 { lines[++count] = "  " $0 }

END {
	if (top_planned != wanted || top_seen != wanted)
		failure(sprintf("%d of %d programs reported", top_seen, wanted))
	if (!ended)
		failure("the results do not end with '# end of'")
	if (status != 0)
		failure("QEMU ended with status " status (status == 124 ? ": it hung" : ""))
	printf "%d %d %d\n", passed, failed, skipped
	for (i = 1; i <= count; i++)
		print lines[i]
}
