# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.awk -v picture=switch|bursts -v kernel=RELEASE -v date=DATE ROWS - make compare: draw a picture (SVG)
# of what it has measured on testing's kernel. ROWS are as measured_rows prints them: CASE, NAME, VALUE for
# a switch, CASE, "burst", NUMBER, CYCLES, CYCLES OF SAMPLES.
BEGIN {
	FS = "\t"
	color["module"] = "#1a7f37"
	color["builtin"] = "#cf6a00"
	name["module"] = "sbi_pmu"
	name["builtin"] = "built-in driver"
	last = 5
}

function text(x, y, string, attributes) {
	printf "<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y, attributes, string
}

function rectangle(x, y, width, height, fill) {
	printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width, height, fill
}

# ---- calls and instructions of a switch ----

$1 ~ /^compare-(module|builtin)-testing$/ && match($2, /^switch, [1-5] counting events?: /) {
	split($1, part, "-")
	events = substr($2, 9, 1)
	what = substr($2, RLENGTH + 1)
	value[part[2], what, events] = $3
	if ($3 > most[what])
		most[what] = $3
}

# The lines of both drivers, and the values of the last number of events
function panel(left, what, title,    driver, n, x, y, points) {
	text(left, 56, title, "font-weight=\"bold\"")
	printf "<path d=\"M%d 80 V260 H%d\" fill=\"none\" stroke=\"#8c959f\"/>\n", left, left + 260
	for (n = 1; n <= last; n++)
		text(left + n * 48, 278, n, "text-anchor=\"middle\" fill=\"#57606a\"")
	for (driver = "builtin"; driver; driver = driver == "builtin" ? "module" : "") {
		points = ""
		for (n = 1; n <= last; n++) {
			if (!((driver, what, n) in value) || !most[what]) {
				print "pictures.awk: " driver " with " n " events was not measured" >"/dev/stderr"
				exit status = 1
			}
			x = left + n * 48
			y = 260 - 170 * value[driver, what, n] / most[what]
			points = points sprintf("%.1f,%.1f ", x, y)
			printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x, y, color[driver]
		}
		printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", points, color[driver]
		text(x + 8, y + 4, value[driver, what, last] + 0, "fill=\"" color[driver] "\"")
		text(x, y - 10, name[driver], "text-anchor=\"end\" fill=\"" color[driver] "\"")
	}
}

function draw_switch() {
	panel(40, "SBI calls", "SBI calls at a context switch")
	panel(400, "instructions more", "Instructions that a switch takes more")
	text(40, 300, "events of the task that counts (different ones); Linux " kernel ", QEMU, " date, "fill=\"#57606a\"")
}

# ---- samples of bursts ----

$1 ~ /^compare-bursts-/ && $2 == "burst" {
	split($1, part, "-")
	counted[part[3], $3] = $4
	sampled[part[3], $3] = $5
	bursts = $3 + 1
	if ($4 > longest)
		longest = $4
}

function strip(driver, floor,    i, x, height, all, seen) {
	for (i = 0; i < bursts; i++) {
		x = 40 + i * 640 / bursts
		height = 80 / longest
		rectangle(x, floor - counted[driver, i] * height, 10, counted[driver, i] * height, "#d0d7de")
		rectangle(x + 2, floor - sampled[driver, i] * height, 6, sampled[driver, i] * height, color[driver])
		all += counted[driver, i]
		seen += sampled[driver, i]
	}
	text(40, floor - 96, name[driver] (seen ? sprintf(": samples have %.0f %% of the cycles", 100 * seen / all) : \
		": no samples (perf takes those of a clock in their place)"),
		"font-weight=\"bold\" fill=\"" color[driver] "\"")
	printf "<path d=\"M40 %d H680\" stroke=\"#8c959f\"/>\n", floor
}

function draw_bursts() {
	strip("builtin", 156)
	strip("module", 272)
	text(40, 300, "grey: cycles of bursts of a program; in them: those of samples; Linux " kernel ", QEMU, " date,
		"fill=\"#57606a\"")
	return bursts > 1 ? 0 : 1
}

END {
	if (status)
		exit status
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 312\" font-family=\"sans-serif\" font-size=\"13\">"
	print "<!-- SPDX-License-Identifier: GPL-2.0-only; drawn by \"make compare\" -->"
	rectangle(0, 0, 720, 312, "#ffffff")
	if (picture == "switch") {
		text(40, 28, "What a context switch costs with events open", "font-size=\"17\"")
		draw_switch()
	} else {
		text(40, 28, "What is sampled where cores have no overflow interrupt", "font-size=\"17\"")
		status = draw_bursts()
	}
	print "</svg>"
	exit status
}
