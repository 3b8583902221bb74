# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# steps.sh - for scripts that check files: top, the project; dir, a folder that goes
# with the script; fails TEXT; and failed, which that sets.
export LC_ALL=C
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0

fails() {
	echo "$*"
	failed=1
}
