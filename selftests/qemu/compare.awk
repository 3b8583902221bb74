# SPDX-License-Identifier: GPL-2.0-only
#
# compare.awk - the page, the chart and README's table of make compare, from compare.tsv
#
# -v what=page, chart or readme. A row: kernel, driver, where (native, guest, suites), test, load,
# n, name, value. Times are one row for each run: shown are the median, the least and the most.
BEGIN {
	FS = "\t"
	split("module builtin", drivers, " ")
	split("stable testing", kernels, " ")
}

sub(/^#/, "", $1) {
	info[$1] = $2
	full[$1] = $2
	sub(/\+.*/, "", info[$1])
	next
}

$4 == "answer" {
	answer[$1, $2, $3, $5] = $7 == "refused" ? "refused: " $8 : "opens: " $8
	if (!asked[$5]++)
		questions[++nquestions] = $5
	next
}
$7 == "failed" && $6 {
	fails[$1, $2, $8]
	if (!listed[$8]++)
		failing[++nfailing] = $8
}
$3 == "suites" && $6 { next }
{
	key = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4 SUBSEP $5 SUBSEP $6 SUBSEP $7
	value[key, ++runs[key]] = $8
	if ($4 == "samples" && !seen[$5]++)
		sampled[++nsampled] = $5
}

# ---- values ----

# order(KEY): sort the values of a key. Return: how many there are.
function order(key,    i, j, t) {
	for (i = 2; i <= runs[key]; i++)
		for (j = i; j > 1 && value[key, j - 1] + 0 > value[key, j] + 0; j--) {
			t = value[key, j]
			value[key, j] = value[key, j - 1]
			value[key, j - 1] = t
		}
	return runs[key]
}

function key_of(kernel, driver, where, test, load, n, name) {
	return kernel SUBSEP driver SUBSEP where SUBSEP test SUBSEP load SUBSEP n SUBSEP name
}

function has(kernel, driver, where, test, load, n, name) {
	return key_of(kernel, driver, where, test, load, n, name) in runs
}

# The median of the runs.
function median(kernel, driver, where, test, load, n, name,    key, count) {
	key = key_of(kernel, driver, where, test, load, n, name)
	count = order(key)
	return count ? value[key, int((count + 1) / 2)] : ""
}

# "12.3 (12.1-14.0)" in thousands of ns
function spread(kernel, driver, where, test, load, n, name,    key, count) {
	key = key_of(kernel, driver, where, test, load, n, name)
	count = order(key)
	return count ? sprintf("%.1f (%.1f-%.1f)", median(kernel, driver, where, test, load, n, name) / 1e3, \
			       value[key, 1] / 1e3, value[key, count] / 1e3) : "-"
}

# Instructions of half a ping-pong pair that are due to events: those without events are subtracted.
function per_switch(kernel, driver, where, load, n,    all, none) {
	all = median(kernel, driver, where, "switch", load, n, "pair_ns")
	none = median(kernel, driver, where, "switch", "none", 0, "pair_ns")
	return all == "" ? "-" : sprintf("%.0f", (all - none) / 2 / 2 ^ info["shift"])
}

function number(format, v) { return v == "" ? "-" : sprintf(format, v) }

# ---- the page ----

# A row of a table; the cells are separated by "|".
function cells(line) {
	print "   " line
}

function table(widths, head) {
	print "\n.. csv-table::\n   :delim: |\n   :header-rows: 1\n   :widths: " widths "\n"
	cells(head)
}

function heading(text,    line) {
	print "\n" text
	line = text
	gsub(/./, "-", line)
	print line "\n"
}

function switches(where,    l, n, k, d, loads, counts, row) {
	split("counting sampling firmware", loads, " ")
	split("1 2 4 8", counts, " ")
	table("20 10 20 20 20 20", "events||module, " info["stable"] "|built-in, " info["stable"] \
	      "|module, " info["testing"] "|built-in, " info["testing"])
	for (l = 1; l <= 3; l++)
		for (n = 1; n <= 4; n++) {
			if (!has("testing", "module", where, "switch", loads[l], counts[n], "calls"))
				continue
			row = counts[n] " " loads[l] "|calls"
			for (k = 1; k <= 2; k++)
				for (d = 1; d <= 2; d++)
					row = row "|" number("%.2f", median(kernels[k], drivers[d], where, \
						"switch", loads[l], counts[n], "calls"))
			cells(row)
			if (where == "guest") {
				row = "|exits"
				for (k = 1; k <= 2; k++)
					for (d = 1; d <= 2; d++)
						row = row "|" number("%.2f", median(kernels[k], drivers[d], \
							where, "switch", loads[l], counts[n], "exits"))
				cells(row)
			}
			row = "|instructions"
			for (k = 1; k <= 2; k++)
				for (d = 1; d <= 2; d++)
					row = row "|" per_switch(kernels[k], drivers[d], where, loads[l], counts[n])
			cells(row)
		}
}

function four(label, where, test, load, n, name, format,    k, d, row) {
	row = label
	for (k = 1; k <= 2; k++)
		for (d = 1; d <= 2; d++)
			row = row "|" (format == "spread" ? \
				spread(kernels[k], drivers[d], where, test, load, n, name) : \
				number(format, median(kernels[k], drivers[d], where, test, load, n, name)))
	cells(row)
}

function head_of_four(first) {
	table("28 18 18 18 18", first "|module, " info["stable"] "|built-in, " info["stable"] \
	      "|module, " info["testing"] "|built-in, " info["testing"])
}

function samples(where,    i, k, d, row, taken) {
	table("28 10 16 16 16 16", "|due|module, " info["stable"] "|built-in, " info["stable"] \
	      "|module, " info["testing"] "|built-in, " info["testing"])
	for (i = 1; i <= nsampled; i++) {
		row = sampled[i] "|" number("%d", median("testing", "module", where, "samples", sampled[i], 1, "due"))
		for (k = 1; k <= 2; k++)
			for (d = 1; d <= 2; d++) {
				taken = median(kernels[k], drivers[d], where, "samples", sampled[i], 1, "taken")
				row = row "|" number("%d", taken)
			}
		cells(row)
	}
}

function overflows(where,    n, k, d, row, count, v) {
	head_of_four("")
	for (n = 1; n <= 4; n *= 2) {
		four("interrupts of " (n == 1 ? "one sampling event" : \
		     "one sampling and " (n - 1) " counting"), where, "overflow", "sampling", n, "overflows", "%d")
		four("SBI calls each", where, "overflow", "sampling", n, "calls", "%.2f")
		row = "instructions each"
		for (k = 1; k <= 2; k++)
			for (d = 1; d <= 2; d++) {
				v = median(kernels[k], drivers[d], where, "overflow", "sampling", n, "ns")
				row = row "|" (v == "" ? "-" : sprintf("%.0f", v / 2 ^ info["shift"]))
			}
		cells(row)
	}
}

function times(where,    n, counts) {
	split("0 1 2 4 8", counts, " ")
	head_of_four("microseconds: median (least-most)")
	for (n = 1; n <= 5; n++)
		four("ping-pong pair, " counts[n] " counting events", where, "switch", \
		     counts[n] ? "counting" : "none", counts[n], "pair_ns", "spread")
	for (n = 1; n <= 5; n++)
		four("fork, exit and wait, " counts[n] " inherited events", where, "fork", "counting", \
		     counts[n], "ns", "spread")
}

function answers(    i, k, d, row) {
	head_of_four("event")
	for (i = 1; i <= nquestions; i++) {
		row = questions[i]
		for (k = 1; k <= 2; k++)
			for (d = 1; d <= 2; d++)
				row = row "|" answer[kernels[k], drivers[d], "native", questions[i]]
		cells(row)
	}
}

function suites(    k, d, row, result, i) {
	if (!has("testing", "module", "suites", "suite", "perf test", 0, "passed"))
		return
	heading("Public test suites")
	print "The tests of ``perf test`` that Debian's perf has, one by one. Many fail with any driver, since the"
	print "lab's machine has no bash, Python, compiler or other programs that these tests call. Unfinished:"
	print "stopped after 60 s."
	head_of_four("perf test")
	split("passed failed unfinished skipped", result, " ")
	for (i = 1; i <= 4; i++)
		four(result[i], "suites", "suite", "perf test", 0, result[i], "%d")
	row = "failed with this driver only"
	for (k = 1; k <= 2; k++)
		for (d = 1; d <= 2; d++)
			row = row "|" only(kernels[k], drivers[d], drivers[3 - d])
	cells(row)
}

function ran(kernel, driver) {
	return has(kernel, driver, "suites", "suite", "perf test", 0, "passed")
}

# The tests that fail with one driver and not with the other
function only(kernel, driver, other,    i, names) {
	if (!ran(kernel, driver) || !ran(kernel, other))
		return "-"
	for (i = 1; i <= nfailing; i++)
		if ((kernel, driver, failing[i]) in fails && !((kernel, other, failing[i]) in fails))
			names = names (names == "" ? "" : "; ") failing[i]
	return names == "" ? "none" : names
}

function page() {
	print ".. SPDX-License-Identifier: GPL-2.0-only"
	print ".. Written by make compare; do not edit."
	print "\nThe module compared with the kernel's built-in driver"
	print "=====================================================\n"
	print "Both drivers on the same emulated machine: QEMU " info["qemu"] " with the lab's patches, one hart,"
	print "OpenSBI " info["opensbi"] ", Debian's Linux " full["stable"] " and"
	print full["testing"] ". One program"
	print "(``selftests/guest/compare.c``) measures the driver that is there: the module " info["module"] ","
	print "or ``riscv_pmu_sbi``, which the kernel has built in. Measured " info["date"] " by ``" info["command"] "``"
	print "(commit " info["commit"] "), which repeats it and writes this page. Rows:"
	print "``selftests/qemu/compare.tsv``.\n"
	print "Instructions are the clock of the machine (``-icount``): a time is the number of instructions"
	print "that the program, the kernel and the firmware executed, " 2 ^ info["shift"] " ns each. It does not depend on"
	print "the host, and says nothing about caches or about what a trap costs on a real core."
	print "\n.. image:: ../../images/compare.svg"
	heading("Context switch")
	print "Two tasks with the same events open send a byte to each other. Calls are those of the SBI PMU"
	print "extension for each context switch, counted by the kernel's tracepoint; instructions those that"
	print "a switch takes more than without events."
	switches("native")
	heading("Context switch in a KVM guest")
	print "Exits to the host are counted by the host. Instructions are those of guest and host together."
	print "A switch without events takes " number("%.1f", median("testing", "module", "guest", "switch", "none", 0, "exits")) \
		" exits (" info["testing"] ")."
	switches("guest")
	heading("Overflow")
	print "A program of one task that samples its cycles, a period of 200,000, while it works for 200"
	print "periods. Instructions are those that the work takes more than without events, by overflow."
	overflows("native")
	heading("Samples taken and due")
	print "A task that works for 200 periods and samples itself. *User mode* counts only there; the ordinary"
	print "user has no privileges (``kernel.perf_event_paranoid`` 2). The last two rows are limits: perf core"
	print "stops an event after one sample when a program asked for one, and when it samples more often than"
	print "``kernel.perf_event_max_sample_rate`` allows; there *due* is the limit."
	samples("native")
	print "\nThe same in a KVM guest."
	if (half_is_lost("testing"))
		lost_in_guests()
	samples("guest")
	heading("Time")
	times("native")
	heading("What cannot be counted")
	answers()
	suites()
}

# Has the built-in driver less than half of the samples in a guest?
function half_is_lost(kernel) {
	return median(kernel, "builtin", "guest", "samples", "steady", 1, "taken") * 2 < \
		median(kernel, "builtin", "guest", "samples", "steady", 1, "due")
}

function lost_in_guests() {
	print "There the built-in driver uses snapshot shared memory, and its calls that start counters again"
	print "after an overflow have a wrong base index (``pmu_sbi_start_ovf_ctrs_snapshot()``, since Linux"
	print "6.10): KVM refuses them, and the counters stand still until the next context switch."
}

# ---- README ----

# A row: what was measured, of both drivers.
function two(label, where, test, load, n, name, format) {
	printf "| %s | %s | %s |\n", label, \
		number(format, median("testing", "module", where, test, load, n, name)), \
		number(format, median("testing", "builtin", where, test, load, n, name))
}

function two_switches(label, where, load, n,    d, line) {
	line = "| " label " |"
	for (d = 1; d <= 2; d++)
		line = line " " number("%.1f", median("testing", drivers[d], where, "switch", load, n, \
			where == "guest" ? "exits" : "calls")) ", " \
			per_switch("testing", drivers[d], where, load, n) " |"
	print line
}

function readme(    n, counts, k) {
	k = "testing"
	split("1 2 4 8", counts, " ")
	print "| Linux " info[k] ", QEMU " info["qemu"] " with patches | sbi_pmu " info["module"] " | built-in driver |"
	print "|---|---|---|"
	print "| **context switch: SBI calls, instructions** | | |"
	for (n = 1; n <= 4; n++)
		two_switches(counts[n] " counting event" (n == 1 ? "" : "s"), "native", "counting", counts[n])
	two_switches("1 sampling event", "native", "sampling", 1)
	two_switches("4 sampling events", "native", "sampling", 4)
	two_switches("4 firmware events", "native", "firmware", 4)
	two_switches("4 counting events in a KVM guest: exits, instructions", "guest", "counting", 4)
	print "| **overflow of one sampling event** | | |"
	two("SBI calls", "native", "overflow", "sampling", 1, "calls", "%.2f")
	printf "| instructions | %.0f | %.0f |\n", overflow_cost(k, "module", 1), overflow_cost(k, "builtin", 1)
	printf "| **samples taken, of %d that are due** | | |\n", \
		median(k, "module", "native", "samples", "steady", 1, "due")
	for (n = 1; n <= nsampled; n++)
		two(sampled[n] (n > 4 ? ": " number("%d", median(k, "module", "native", "samples", sampled[n], 1, "due")) \
			" due" : ""), "native", "samples", sampled[n], 1, "taken", "%d")
	two("steady, in a KVM guest", "guest", "samples", "steady", 1, "taken", "%d")
	print "| **what cannot be counted** | | |"
	for (n = 1; n <= nquestions; n++)
		printf "| %s | %s | %s |\n", questions[n], answer[k, "module", "native", questions[n]], \
			answer[k, "builtin", "native", questions[n]]
	if (ran(k, "module"))
		printf "| `perf test`, in a machine without bash and Python: passed, failed | %d, %d | %d, %d |\n", suite(k, "module", "passed"), \
			suite(k, "module", "failed"), suite(k, "builtin", "passed"), suite(k, "builtin", "failed")
}

function suite(kernel, driver, result) {
	return median(kernel, driver, "suites", "suite", "perf test", 0, result)
}

END {
	if (!has("testing", "module", "native", "switch", "counting", 8, "calls")) {
		print "compare.awk: rows are missing" > "/dev/stderr"
		exit 1
	}
	if (what == "page")
		page()
	else if (what == "readme")
		readme()
	else
		chart()
}

# ---- the chart: four pictures, each with a pair of bars for each row ----

function text(x, y, size, fill, anchor, s) {
	gsub(/&/, "\\&amp;", s)
	gsub(/</, "\\&lt;", s)
	printf "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\" text-anchor=\"%s\">%s</text>\n", \
		x, y, size, fill, anchor, s
}

function bar(x, y, width, fill) {
	printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"14\" rx=\"2\" fill=\"%s\"/>\n", \
		x, y, (width > 1.5 ? width : 1.5), fill
}

# pair(X, Y, LABEL, OURS, THEIRS, SCALE, FORMAT): two bars, of at most 200 pixels
function pair(x, y, label, ours, theirs, scale, format) {
	text(x + 118, y + 19, 12, dark, "end", label)
	bar(x + 126, y, ours * scale, green)
	text(x + 132 + ours * scale, y + 11, 11, green, "start", number(format, ours))
	bar(x + 126, y + 16, theirs * scale, grey)
	text(x + 132 + theirs * scale, y + 27, 11, dark, "start", number(format, theirs))
}

function head(x, y, what, of) {
	text(x, y, 16, dark, "start", what)
	text(x, y + 18, 11, soft, "start", of)
}

function max(a, b) { return a + 0 > b + 0 ? a + 0 : b + 0 }

function chart(    k, n, counts, scale, due) {
	k = "testing"
	green = "#2a9d63"
	grey = "#9aa3ad"
	dark = "#24292f"
	soft = "#57606a"
	split("1 2 4 8", counts, " ")
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 530\" width=\"860\" height=\"530\" font-family=\"system-ui, sans-serif\">"
	print "<rect width=\"860\" height=\"530\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>"
	bar(24, 20, 14, green)
	text(44, 32, 13, green, "start", "sbi_pmu " info["module"])
	bar(160, 20, 14, grey)
	text(180, 32, 13, dark, "start", "built-in driver of Linux " info[k])

	head(24, 66, "SBI calls at each context switch", "two tasks with the same N counting events")
	scale = 200 / max(1, median(k, "builtin", "native", "switch", "counting", 8, "calls"))
	for (n = 1; n <= 4; n++)
		pair(24, 96 + 38 * (n - 1), counts[n] (n == 1 ? " event" : " events"), \
		     median(k, "module", "native", "switch", "counting", counts[n], "calls"), \
		     median(k, "builtin", "native", "switch", "counting", counts[n], "calls"), scale, "%.2f")

	head(446, 66, "Instructions at each context switch", "more than without events; kernel and firmware")
	scale = 200 / max(1, per_switch(k, "builtin", "native", "counting", 8))
	for (n = 1; n <= 4; n++)
		pair(446, 96 + 38 * (n - 1), counts[n] (n == 1 ? " event" : " events"), \
		     per_switch(k, "module", "native", "counting", counts[n]), \
		     per_switch(k, "builtin", "native", "counting", counts[n]), scale, "%d")

	due = median(k, "module", "native", "samples", "steady", 1, "due") + 0
	head(24, 286, "Samples taken, of " due " that are due", "cycles, a period of 200,000")
	sample_pair(0, "steady", "native", "steady", due)
	sample_pair(1, "bursts", "native", "bursts of 3/10 of a period", due)
	sample_pair(2, "ordinary user", "native", "user mode, ordinary user", due)
	sample_pair(3, "KVM guest", "guest", "steady", due)

	head(446, 286, "Instructions for an overflow", "one sampling event, and N - 1 that count beside it")
	scale = 1
	for (n = 1; n <= 3; n++)
		scale = max(scale, max(overflow_cost(k, "module", counts[n]), overflow_cost(k, "builtin", counts[n])))
	for (n = 1; n <= 3; n++)
		pair(446, 316 + 38 * (n - 1), counts[n] (n == 1 ? " event" : " events"), \
		     overflow_cost(k, "module", counts[n]), overflow_cost(k, "builtin", counts[n]), \
		     200 / scale, "%d")

	text(24, 500, 11, soft, "start", "QEMU " info["qemu"] " with -icount, OpenSBI " info["opensbi"] ", " info["date"] \
	     ". Drawn by make compare. Tables and more: sbi-pmu-compare.rst")
	print "</svg>"
}

function overflow_cost(k, driver, n,    v) {
	v = median(k, driver, "native", "overflow", "sampling", n, "ns")
	return v == "" ? "" : sprintf("%.0f", v / 2 ^ info["shift"])
}

function sample_pair(n, label, where, load, due,    ours, theirs) {
	ours = median("testing", "module", where, "samples", load, 1, "taken")
	theirs = median("testing", "builtin", where, "samples", load, 1, "taken")
	pair(24, 316 + 38 * n, label, ours, theirs, 200 / max(due, max(ours, theirs)), "%d")
}
