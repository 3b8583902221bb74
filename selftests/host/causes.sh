#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# causes.sh - what made a download fail is recognised in apt's words.
. "$(dirname "$0")/steps.sh"
. "$top/selftests/qemu/causes.sh"

is() { # CAUSE LINE...
	cause=$1
	shift
	{
		echo "W: Download is performed unsandboxed as root as file /x couldn't be accessed by user '_apt'. - pkgAcquire::Run (13: Permission denied)"
		echo "unshare: unshare failed: Operation not permitted"
		printf '%s\n' "$@"
	} >"$dir/log"
	found=$(cause_of "$dir/log")
	[ "$found" = "$cause" ] || fails "taken for '$found', not '$cause': $*"
	[ "$cause" = unknown ] || [ "$(explain "$cause")" != "$(explain unknown)" ] ||
		fails "no explanation: $cause"
}

is expired "E: Release file for http://mirror/dists/sid/InRelease is expired (invalid since 3d 2h). Updates for this repository will not be applied."
is clock "E: Release file for http://mirror/dists/sid/InRelease is not valid yet (invalid for another 5h). Updates for this repository will not be applied."
is network "W: Failed to fetch http://mirror/InRelease  Temporary failure resolving 'mirror'"
is network "Err:1 http://mirror sid InRelease" "  Could not connect to mirror:80 (192.0.2.1), connection timed out"
is mirror "E: Failed to fetch http://mirror/main/binary-amd64/Packages.xz  File has unexpected size (7 != 8). Mirror sync in progress? [IP: 192.0.2.1 80]"
is mirror "E: Failed to fetch http://mirror/pool/x.deb  Hash Sum mismatch"
is mirror "E: Failed to fetch http://mirror/pool/main/l/linux/linux_7.2_amd64.deb  404  Not Found [IP: 192.0.2.1 80]"
is gone "E: Unable to locate package qemu-system-riscv"
is gone "E: Package 'opensbi' has no installation candidate"
is gone "E: The repository 'http://mirror/debian trixie Release' does not have a Release file."
is signature "W: GPG error: http://mirror sid InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 0E98404D386FA1D9"
is disk "E: You don't have enough free space in /var/cache/apt/archives/."
is disk "tar: lib/x: Cannot write: No space left on device"
is disk "E: Failed to fetch http://mirror/pool/x.deb  Hash Sum mismatch" "write error: No space left on device"
is permission "chroot: cannot change root directory to '/x': Operation not permitted"
is memory "unshare: unshare failed: Operation not permitted" "chroot: Permission denied" "Killed"
is memory "collect2: fatal error: ld terminated with signal 9 [Killed]"
is locked "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 7"
is unknown "make: *** [Makefile:7: all] Error 2"
exit $failed
