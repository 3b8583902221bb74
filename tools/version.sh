#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# version.sh [FILE...] - print the version of version.h and, between releases, the commit of this
# checkout, if git tells it. With FILEs, write that in place of the version there.
top=$(dirname "$0")/..
plain=$(sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' "$top/include/sbi_pmu/version.h")
version=$plain
# Not the commit of another repository, in which these sources may lie
if [ "$plain" != "${plain%~dev}" ] && [ -e "$top/.git" ]; then
	git=$(cd "$top" && git rev-list --count HEAD && git rev-parse --short=7 HEAD) 2> /dev/null &&
		version=$plain+git$(echo "$git" | paste -sd .)
fi
if [ $# = 0 ]; then echo "$version"; else sed -i "s/$plain/$version/" "$@"; fi
