# SPDX-License-Identifier: GPL-2.0-only
#
# verdict.awk - judge a boot from its results (first file) and its console.
#
# Prints "PASSED FAILED SKIPPED", then a line for each thing that is wrong. A
# boot that says too little has failed as much as one that says "not ok".

function wrong(text) {
	failed++
	said[++lines] = text
}

function close_plan() {
	if (planned != seen)
		wrong(sprintf("%s: %d of %d subtests reported", "program " (top_seen + 1), seen, planned))
	planned = seen = 0
	open = 0
}

BEGIN { wanted = split(programs, name, " ") }

{ file = FILENAME == ARGV[1] ? 1 : 2 }

file == 1 && /^  1\.\.[0-9]+/ { planned = substr($1, 4) + 0; open = 1 }
file == 1 && /^  (not )?ok [0-9]+/ {
	seen++
	if ($1 == "not")
		wrong($0)
	else if (/# SKIP/) {
		skipped++
		print $0 > "/dev/stderr"
	} else
		passed++
}
file == 1 && /^1\.\./ { top_planned = substr($1, 4) + 0 }
file == 1 && /^(not )?ok [0-9]+/ {
	if (!open)
		wrong($0 ": no plan")
	close_plan()
	top_seen++
	if ($1 == "not")
		wrong($0)
}
file == 1 && /^# end of / { ended = 1 }

# Words that no kernel says when all is well.
file == 2 && /WARNING:|(^|[^A-Z_])BUG[ :]|INFO:|Oops|Kernel panic|Call Trace|unable to handle/ ||
file == 2 && /KASAN|UBSAN|ODEBUG|possible (recursive|circular)|suspicious RCU|sleeping function/ ||
file == 2 && /self-detected stall|detected stalls|soft lockup|LOCKUP|turning off the locking/ ||
file == 2 && /unreferenced.* object|suspected memory leak|leak detector disabled/ {
	if (!bad++) {
		wrong("console: " $0)
		follows = 40
		next
	}
}

# And from where: of a long log only the end may be kept.
file == 2 && follows-- > 0 { said[++lines] = "  " $0 }

END {
	if (top_planned != wanted || top_seen != wanted)
		wrong(sprintf("%d of %d programs reported", top_seen, wanted))
	if (!ended)
		wrong("the machine did not get to the end")
	if (status != 0)
		wrong("QEMU ended with status " status (status == 124 ? ": it hung" : ""))
	printf "%d %d %d\n", passed, failed, skipped
	for (i = 1; i <= lines; i++)
		print said[i]
}
