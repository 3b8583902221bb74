# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# causes.sh - why a download or a build failed, from its log.
#
# Sourced by artifacts.sh; tested by selftests/host/causes.sh.

# cause_of LOG: one word, by the first of these that the log has.
cause_of() {
	# Every log has apt's warning about its sandbox, and in a container mmdebstrap's
	# question whether it may unshare.
	grep -vE 'Download is performed unsandboxed|unshare failed' "$1" | awk '
		function is(word) { seen[word] = 1 }
		/No space left on device|enough free space|Disk quota exceeded/ { is("disk") }
		/Release file .*is expired|Release.* is not valid anymore/ { is("expired") }
		/is not valid yet/ { is("clock") }
		/NO_PUBKEY|EXPKEYSIG|is not signed|signatures? (could|were)n.t|Sub-process .*sqv? returned/ { is("signature") }
		/Hash Sum mismatch|unexpected size|Mirror sync in progress|isn.t valid|the archive moved/ { is("mirror") }
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

# explain CAUSE: what happened and what to do, in a sentence.
explain() {
	case $1 in
	disk) echo "the disk is full: free some space, or set XDG_CACHE_HOME to a bigger disk" ;;
	expired) echo "the mirror's Release file has expired, and is refused even so: use another mirror" ;;
	clock) echo "the mirror's Release file is from the future: set this machine's clock" ;;
	signature) echo "the mirror's signature is not accepted: update debian-archive-keyring" ;;
	mirror) echo "the mirror is in the middle of an update: try again in half an hour, or use another" ;;
	network) echo "the mirror cannot be reached: check the network, and the proxy in apt's settings" ;;
	gone) echo "the mirror has not got a package or a suite that is needed: is it complete?" ;;
	permission) echo "something is not permitted here: is this root, in a container that may chroot?" ;;
	locked) echo "another program is using apt: try again when it is done" ;;
	memory) echo "a process was killed: is there enough memory?" ;;
	*) echo "the reason is in the log" ;;
	esac
}
