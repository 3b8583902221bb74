#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sources.sh [FOLDER] - print the names of all files here but those that .gitignore names, which were
# built; or copy them into FOLDER. Without git, as the sources of a release are no checkout.
pack() {
	sed 's,^/,./,; s,/$,,' "$top/.gitignore" | tar -C "$top" --exclude=.git -X - -cf - .
}

top=$(cd "$(dirname "$0")/.." && pwd) || exit
if [ $# = 0 ]; then pack | tar -tf - | sed -n 's,^\./\(.*[^/]\)$,\1,p'; else pack | tar -C "$1" -xf -; fi
