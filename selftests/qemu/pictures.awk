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
}

{ driver = $1 ~ /-module-/ ? "module" : "builtin" }

$1 ~ /^compare-(module|builtin)-testing$/ && match($2, /^switch, [1-5] counting events?: /) {
	what = substr($2, RLENGTH + 1)
	value[driver, what, substr($2, 9, 1)] = $3
	values++
	if ($3 > most[what])
		most[what] = $3
}

$2 == "burst" {
	counted[driver, $3] = $4
	sampled[driver, $3] = $5
	bursts = $3 + 1
	if ($4 > longest)
		longest = $4
}

function text(x, y, string, attributes) {
	printf "<text x=\"%d\" y=\"%d\" %s>%s</text>\n", x, y, attributes, string
}

function rectangle(x, floor, width, height, fill) {
	printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n",
		x, floor - height, width, height, fill
}

# What a driver takes with 1 to 5 events, and the last value
function line(driver, left, what,    n, x, y, points) {
	for (n = 1; n <= 5; n++) {
		x = left + n * 48
		y = 260 - 170 * value[driver, what, n] / most[what]
		points = points sprintf("%d,%.1f ", x, y)
		printf "<circle cx=\"%d\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\"/>\n", x, y, color[driver]
	}
	printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", points, color[driver]
	text(x + 8, y + 4, value[driver, what, 5] + 0, "fill=\"" color[driver] "\"")
	text(x, y - 10, name[driver], "text-anchor=\"end\" fill=\"" color[driver] "\"")
}

function panel(left, what, title,    n) {
	text(left, 56, title, "font-weight=\"bold\"")
	printf "<path d=\"M%d 80 V260 H%d\" fill=\"none\" stroke=\"#8c959f\"/>\n", left, left + 260
	for (n = 1; n <= 5; n++)
		text(left + n * 48, 278, n, "text-anchor=\"middle\" fill=\"#57606a\"")
	line("builtin", left, what)
	line("module", left, what)
}

# The cycles of each burst, and in them those of samples
function strip(driver, floor,    i, x, all, seen) {
	for (i = 0; i < bursts; i++) {
		x = 40 + i * 640 / bursts
		rectangle(x, floor, 10, 80 * counted[driver, i] / longest, "#d0d7de")
		rectangle(x + 2, floor, 6, 80 * sampled[driver, i] / longest, color[driver])
		all += counted[driver, i]
		seen += sampled[driver, i]
	}
	text(40, floor - 96, name[driver] (seen ? sprintf(": samples have %.0f %% of the cycles", 100 * seen / all) : \
		": no samples (perf takes those of a clock in their place)"),
		"font-weight=\"bold\" fill=\"" color[driver] "\"")
	printf "<path d=\"M40 %d H680\" stroke=\"#8c959f\"/>\n", floor
}

END {
	if (picture == "switch" ? values < 20 || !most["SBI calls"] : bursts < 2) {
		print "pictures.awk: not all of picture " picture " was measured" >"/dev/stderr"
		exit 1
	}
	print "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 312\" font-family=\"sans-serif\" font-size=\"13\">"
	print "<!-- SPDX-License-Identifier: GPL-2.0-only; drawn by \"make compare\" -->"
	rectangle(0, 312, 720, 312, "#ffffff")
	if (picture == "switch") {
		title = "What a context switch costs with events open"
		legend = "events of the task that counts (different ones)"
		panel(40, "SBI calls", "SBI calls at a context switch")
		panel(400, "instructions more", "Instructions that a switch takes more")
	} else {
		title = "What is sampled where cores have no overflow interrupt"
		legend = "grey: cycles of bursts of a program; in them: those of samples"
		strip("builtin", 156)
		strip("module", 272)
	}
	text(40, 28, title, "font-size=\"17\"")
	text(40, 300, legend "; Linux " kernel ", QEMU, " date, "fill=\"#57606a\"")
	print "</svg>"
}
