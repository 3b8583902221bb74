# SPDX-License-Identifier: GPL-2.0-only
#
# event_tables.awk - what tests in the guest expect of each event table of events.tsv: name, month
# of its RTL.

BEGIN { FS = "\t" }

$1 == "#core" { print $2, $4 }
