# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# causes.sh - finds in the log of a download or a build why it failed.
#
# Sourced by artifacts.sh; tested by selftests/host/causes.sh.

# cause_of LOG: print one word, for the first cause of the list in END that the log shows.
cause_of() {
	# Every log has apt's warning about its sandbox; in a container also mmdebstrap's attempt
	# to unshare.
	grep -vE 'Download is performed unsandboxed|unshare failed' "$1" | awk '
		function is(cause) { seen[cause] = 1 }
		/No space left on device|enough free space|Disk quota exceeded/ { is("disk") }
		/Release file .*is expired|Release.* is not valid anymore/ { is("expired") }
		/is not valid yet/ { is("clock") }
		/NO_PUBKEY|EXPKEYSIG|is not signed|signatures? (could|were)n.t|Sub-process .*sqv? returned/ { is("signature") }
		/Hash Sum mismatch|unexpected size|Mirror sync in progress|isn.t valid|the archive has changed/ { is("mirror") }
		/404 .*Not Found/ && /\.deb/ { is("mirror") }
		/Could not resolve|Temporary failure resolving|Could not connect|Unable to connect|Connection (refused|timed out|failed|reset)|Network is unreachable|No route to host/ { is("network") }
		/Could not get lock/ { is("locked") }
		/Unable to locate package|no installation candidate|does not have a Release file|no longer has a Release/ { is("gone") }
		/Operation not permitted|Permission denied|must be root/ { is("permission") }
		/[Kk]illed|Cannot allocate memory|out of memory/ { is("memory") }
		END {
			n = split("disk expired clock signature mirror network gone memory locked permission", order, " ")
			for (i = 1; i <= n; i++)
				if (order[i] in seen) {
					print order[i]
					exit
				}
			print "unknown"
		}'
}

# explain CAUSE: print what happened and what to do.
explain() {
	case $1 in
	disk) echo "the disk is full: free some space, or set XDG_CACHE_HOME to a bigger disk" ;;
	expired) echo "the mirror's Release file has expired, and apt does not accept it: use another mirror" ;;
	clock) echo "the mirror's Release file is from the future: set this machine's clock" ;;
	signature) echo "the mirror's signature is not accepted: update debian-archive-keyring" ;;
	mirror) echo "the mirror is being updated: try again in half an hour, or use another mirror" ;;
	network) echo "the mirror cannot be reached: check the network, and the proxy in apt's settings" ;;
	gone) echo "the mirror does not have a package or a suite that is needed: is it complete?" ;;
	permission) echo "an operation is not permitted: run this as root, in a container that allows chroot" ;;
	locked) echo "another program is using apt: try again when it has ended" ;;
	memory) echo "a process was killed: is there enough memory?" ;;
	*) echo "the reason is in the log" ;;
	esac
}
