# SPDX-License-Identifier: GPL-2.0-only
#
# boards.awk - boards.tsv as initializers for test_boards.c, or with -v board=NAME as a device tree
# overlay that gives firmware in QEMU the rows of that board.
BEGIN { FS = "\t" }

/^#/ || (board != "" && $1 != board) { next }

{ values = split($4, value, " ") }

# The counters of the line as a mask; %d of some awks ends at 2^31.
function mask(  n, part, range, i, last, sum) {
	for (n = split($3, part, ","); n > 0; n--) {
		last = split(part[n], range, "-")
		for (i = range[1]; i <= range[last] + 0; i++)
			sum += 2 ^ i
	}
	return sprintf("%.0f", sum)
}

$2 == "event" {
	for (i = 1; i <= values; i++) {
		split(value[i], pair, ":")
		rows = rows sprintf("{ 0, %s, %s, ~0ULL, %s, \"%s\" }, ", pair[1], pair[1], mask(), $3)
		mapped = mapped sprintf(" <%s %s %s>,", pair[1], pair[1], mask())
		if (pair[2] != "-")
			selectors = selectors sprintf(" <%s 0 %s>,", pair[1], pair[2])
	}
}

# The upper halves of a mask and of a selector are cells of their own.
$2 == "raw" {
	for (i = 1; i <= values; i++) {
		ones = split(value[i], part, "/") < 2 ? "0xffffffffffffffff" : part[2]
		if (split(part[1], range, "-") < 2)
			range[2] = range[1]
		rows = rows sprintf("{ 1, %s, %s, %s, %s, \"%s\" }, ", range[1], range[2], ones, mask(), $3)
		for (select = range[1]; ; select++) {
			raw = raw sprintf(" <0 %s %s 0x%s %s>,", select, substr(ones, 1, 10), substr(ones, 11), mask())
			if (select == range[2])
				break
		}
	}
}

$2 == "samples" { source = $4 }
$2 == "compatible" { name = value[values] }
$2 == "machine" { core = value[7]; other = value[8]; marchid = other == "" ? 0 : value[9] }

board == "" && $2 == "machine" {
	split(value[5], version, ".")
	printf "{ .name = \"%s\", .vendor = %s, .arch = %s, .mimpid = %s, .counters = %s, .width = %d,\n",
		$1, value[1], value[2], value[3], mask(), value[4]
	printf "  .version = OPENSBI(%d, %d), .isa = \"%s\", .core = \"%s\", .other = %s,\n", version[1], version[2],
		value[6] == "-" ? "" : " " value[6] " ", core, marchid
}
board == "" && $2 ~ /^(opens|refuses|samples|names|replaces|log)$/ { printf "  .%s = \"%s\",\n", $2, $4 }
board == "" && $2 == "log" { printf "  .rows = { %s} },\n", rows; rows = "" }

# OpenSBI knows by the board's name that it has T-Head's counters: K230's, as it does nothing else for that one. The
# last name is for sbi-pmu-report.
END {
	if (board == "")
		exit
	if (rows == "") {
		print "boards.tsv: no board " board >"/dev/stderr"
		exit 1
	}
	gsub(/,$/, ";", mapped); gsub(/,$/, ";", selectors); gsub(/,$/, ";", raw)
	print "/dts-v1/;\n/plugin/;\n\n&{/} {\n\tmodel = \"" board "\";"
	print "\tcompatible = " (source == "thead" ? "\"canaan,kendryte-k230\", " : "") "\"riscv-virtio\", \"" name "\";"
	if (core != "-")
		print "};\n\n&{/cpus/cpu@0} {\n\tcompatible = \"" core "\", \"riscv\";"
	if (other != "")
		print "};\n\n&{/cpus/cpu@1} {\n\tcompatible = \"" other "\", \"riscv\";"
	print "};\n\n&{/pmu} {\n\triscv,event-to-mhpmevent =" selectors
	print "\triscv,event-to-mhpmcounters =" mapped
	print "\triscv,raw-event-to-mhpmcounters =" raw "\n};"
}
