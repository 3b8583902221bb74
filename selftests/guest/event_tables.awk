# SPDX-License-Identifier: GPL-2.0-only
#
# event_tables.awk - what tests in the guest expect of each event table of events.tsv: name, month
# of its RTL, and slots of a cycle, the maximum of the event that counts empty slots.

BEGIN { FS = "\t" }

$1 == "#core" { month[$2] = $4 }

$1 == "#name" {
	for (i = 3; $i != "rtl_name"; i++)
		table[i] = $i
	for (; i <= NF; i++)
		if ($i == "max")
			max = i
}

$1 == "front_bubble" {
	for (i in table)
		if ($i != "-")
			print table[i], month[table[i]], $max
}
