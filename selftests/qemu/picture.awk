# SPDX-License-Identifier: GPL-2.0-only
#
# picture.awk - an SVG of what 'make run' shows: SBI calls at a context switch with both drivers,
# and a profile compared to the program's own clock. Input: the output of guest/demo and
# guest/demo_shared.

# After "builtin driver": N  0.00 calls  4.00 calls  ####
$3 == "calls" && $5 == "calls" { n[++rows] = $1; ours[rows] = $2; theirs[rows] = $4 }
/by the clock/ { clock[$1] = $(NF - 1) }
/\[\.\] (naive|blocked)$/ { sub(/%/, "", $1); profile[$NF] = $1 }
/sbi_pmu: [0-9.]+: cpu PMU/ { version = $2; sub(/:$/, "", version) }
match($0, /On Linux [^,]*/) { kernel = substr($0, RSTART + 3, RLENGTH - 3) }

function text(x, y, size, fill, anchor, s) {
	printf "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\" text-anchor=\"%s\">%s</text>\n", \
		x, y, size, fill, anchor, s
}

function bar(x, y, width, fill) {
	printf "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"16\" rx=\"2\" fill=\"%s\"/>\n", \
		x, y, (width > 1.5 ? width : 1.5), fill
}

END {
	if (rows != 4 || !profile["naive"] || !clock["naive"]) {
		print "picture.awk: figures are missing in the input" > "/dev/stderr"
		exit 1
	}
	green = "#2a9d63"
	grey = "#9aa3ad"
	dark = "#24292f"
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 330\" width=\"860\" height=\"330\" font-family=\"system-ui, sans-serif\">"
	print "<rect width=\"860\" height=\"330\" rx=\"8\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>"
	text(24, 36, 17, dark, "start", "SBI calls at each context switch")
	text(24, 56, 12, "#57606a", "start", "two tasks with N open events each; counted by the tracepoint riscv:sbi_call")
	for (i = 1; i <= rows; i++) {
		y = 78 + (i - 1) * 48
		text(92, y + 22, 13, dark, "end", n[i] (n[i] == 1 ? " event" : " events"))
		bar(102, y, 0, green)
		text(112, y + 13, 12, green, "start", ours[i] "  sbi_pmu")
		bar(102, y + 19, theirs[i] * 8, grey)
		text(110 + theirs[i] * 8, y + 32, 12, dark, "start", theirs[i] (i == 1 ? "  built-in driver" : ""))
	}
	printf "<line x1=\"470\" y1=\"24\" x2=\"470\" y2=\"284\" stroke=\"#d0d7de\"/>\n"
	text(494, 36, 17, dark, "start", "A profile and the program's own clock")
	text(494, 56, 12, "#57606a", "start", "perf record of matmul, a sample each 1,000,003 cycles")
	split("naive blocked", name, " ")
	for (i = 1; i <= 2; i++) {
		y = 84 + (i - 1) * 72
		text(556, y + 22, 13, dark, "end", name[i])
		bar(566, y, profile[name[i]] * 3.4, green)
		text(572 + profile[name[i]] * 3.4, y + 13, 12, green, "start", profile[name[i]] " %  perf")
		bar(566, y + 19, clock[name[i]] * 3.4, grey)
		text(572 + clock[name[i]] * 3.4, y + 32, 12, dark, "start", clock[name[i]] " %  clock")
	}
	text(24, 312, 12, "#57606a", "start", "make run: sbi_pmu " version ", " kernel ", QEMU with -icount, OpenSBI 1.9. Drawn by make picture.")
	print "</svg>"
}
