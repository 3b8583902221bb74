#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# messages.sh - the troubleshooting page has each message of the module, and no others.
. "$(dirname "$0")/steps.sh"
page=Documentation/admin-guide/perf/sbi-pmu-messages.rst

in_sources() { # FOLDER
	find "$1" -name '*.[ch]' -exec awk -f "$top/selftests/host/messages.awk" {} + | sort -u
}

# First cells of the rows of its tables, which are one literal each.
in_page() { # PAGE
	awk '
		/^   \* - / { cell = substr($0, 8); next }
		/^     - / { if (cell ~ /^``/) print cell; cell = "" }
		cell != "" { sub(/^ +/, ""); cell = cell " " $0 }' "$1" |
		sed 's/^``//; s/``$//; s/<[a-z ][a-zA-Z ]*>/<>/g' | sort
}

in_sources "$top/drivers/perf/sbi_pmu" >"$dir/sources"
in_page "$top/$page" >"$dir/page"
agree "$dir/page" "$page"
[ -s "$dir/sources" ] || fails "no messages in the sources"
echo "$(wc -l <"$dir/page") messages and reasons"

# A new message, a changed reason and a lost row are found.
cp -r "$top/drivers/perf/sbi_pmu" "$dir/driver"
planted() { # SED-SCRIPT FILE
	cp "$dir/driver/$2" "$dir/saved"
	sed -i "$1" "$dir/driver/$2"
	in_sources "$dir/driver" >"$dir/sources"
	! same_list "$dir/page" || fails "not found: $1 in $2"
	cp "$dir/saved" "$dir/driver/$2"
}
planted 's/^\tpmu_free(pmu);/\tpr_warn("a new one\\n");/' main.c
planted 's/"no Sscofpmf";/"no Sscofpmf at all";/' overflow.c
planted 's/"the device tree names an unknown/"the device tree has an unknown/' vendor/xiangshan/tables.c
in_sources "$dir/driver" >"$dir/sources"
grep -v '^asked for' "$dir/page" >"$dir/less" && mv "$dir/less" "$dir/page"
! same_list "$dir/page" || fails "a lost row is not found"
exit $failed
