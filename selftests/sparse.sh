#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sparse.sh - sparse as the kernel's CHECK; it knows no extension that is
# longer than a letter, and stops at the -march of today's kernels.
for arg; do
	shift
	case $arg in
	-march=*) set -- "$@" -march=rv64imac ;;
	*) set -- "$@" "$arg" ;;
	esac
done
exec sparse "$@"
