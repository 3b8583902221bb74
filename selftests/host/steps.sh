# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# steps.sh - for scripts that check files: top, the project; dir, a folder that goes
# with the script; fails TEXT; same_list and agree; and failed, which these set.
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fails() {
	echo "$*"
	failed=1
}

# Is the sorted list $dir/sources, of what is in the sources, the same as LIST?
same_list() { # LIST
	diff "$dir/sources" "$1" >"$dir/diff"
}

# It must be, where LIST is what PLACE has.
agree() { # LIST PLACE
	same_list "$1" && return
	sed -n "s,^< ,not in $2: ,p; s,^> ,in no source\\, or twice in $2: ,p" "$dir/diff"
	failed=1
}
