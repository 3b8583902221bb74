# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# privileges.sh - commands as root, and commands inside a build root.
#
# Works as root, as an ordinary user with sudo, and as root in a container that may not mount
# (no CAP_SYS_ADMIN). Sourced by lab.sh, and by recipes that run as root.

say() { echo "lab: $*" >&2; }
die() { echo "lab: error: $*" >&2; exit 1; }

# ---- background jobs ----

# start_job COMMAND...: run it in the background in a process group of its own, so that end_jobs
# ends it with all its processes. Its process ID is added to job_pids.
job_pids=()

start_job() {
	set -m
	(
		trap - EXIT
		trap 'exit 143' INT TERM
		"$@"
	) </dev/null &
	job_pids+=($!)
	set +m
}

# wait_for_slot COUNT: wait until fewer than COUNT of these jobs run.
wait_for_slot() {
	while [ "$(jobs -rp | grep -cxF "$(printf '%s\n' "${job_pids[@]:-none}")")" -ge "$1" ]; do
		sleep 0.3
	done
}

end_jobs() {
	local pid
	for pid in "${job_pids[@]}"; do
		# shellcheck disable=SC2016 # for that shell
		! kill -0 -- "-$pid" 2>/dev/null || as_root sh -c 'kill -- "-$1"' sh "$pid"
	done
}

# ---- root ----

# need_root has asked for sudo's password: here sudo must not ask again.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n -- "$@"; fi
}

without_root() {
	cat <<-EOF2
	lab: error: $1
	  This command installs Debian systems with mmdebstrap and runs compilers in them with chroot;
	  both need root. Run it as root, or ask an administrator for
	      apt install sudo && adduser $(id -un) sudo
	  These commands work without root:
	      make test               needs make and gcc; skips nothing if shellcheck, g++, locales
	                              and device-tree-compiler are installed
	      make KDIR=... ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-
	                              builds the module; needs gcc-riscv64-linux-gnu and the headers
	                              of a riscv64 kernel
	      make tools dts          needs gcc and device-tree-compiler
	EOF2
	exit 1
}

# need_root: let sudo ask for a password now, and keep sudo's timestamp valid until this run ends.
need_root() {
	[ "$(id -u)" != 0 ] || return 0
	command -v sudo >/dev/null || without_root "$(id -un) is not root, and sudo is not installed" >&2
	if ! sudo -n true 2>/dev/null; then
		[ -t 0 ] || without_root "sudo needs a password, and there is no terminal to ask on" >&2
		say "build systems need root; sudo asks once:"
		sudo -v || without_root "sudo does not let $(id -un) become root" >&2
	fi
	while sleep 50 && kill -0 $$; do sudo -n -v || exit; done </dev/null >/dev/null 2>&1 &
}

# can_mount: may this machine mount and make namespaces? A container without CAP_SYS_ADMIN may
# not. The answer is kept in lab_mounts, which recipes get, too.
can_mount() {
	if [ -z "${lab_mounts:-}" ]; then
		lab_mounts=no
		! as_root unshare --mount --pid --fork mount -t tmpfs tmpfs /tmp 2>/dev/null ||
			lab_mounts=yes
	fi
	[ "$lab_mounts" = yes ]
}

# isolated COMMAND...: run it as root, for 6000 seconds at most; where possible in namespaces of its
# own, so that its processes and mounts go away when it ends.
isolated() {
	if can_mount; then
		as_root timeout --foreground -s KILL 6000 unshare --mount --pid --fork --kill-child "$@"
	else
		as_root timeout --foreground -s KILL 6000 "$@"
	fi
}

# in_root ROOT [OUTSIDE:INSIDE[:ro]...] -- COMMAND...
#
# Run COMMAND in ROOT, as the calling user or as that in as_user (UID:GID). Each folder OUTSIDE is at INSIDE, below /run of the
# root: mounted, or else copied into the root and, unless it is marked ro, back at the end.
in_root() {
	local root=$1 shared=()
	shift
	while [ "$1" != -- ]; do
		shared+=("$1")
		shift
	done
	shift
	if can_mount; then
		in_root_mounted "$@"
	else
		in_root_copied "$@"
	fi
}

in_root_mounted() {
	# shellcheck disable=SC2016 # for the inner shell
	isolated sh -ec '
		root=$1 user=$2 n=$3
		shift 3
		mount -t tmpfs -o mode=755 tmpfs "$root/run"
		while [ "$n" -gt 0 ]; do
			pair=${1%:ro}
			mkdir -p "$root${pair##*:}"
			mount --bind "${pair%:*}" "$root${pair##*:}"
			[ "$pair" = "$1" ] || mount -o remount,bind,ro "$root${pair##*:}"
			shift
			n=$((n - 1))
		done
		mount -t proc proc "$root/proc"
		mount --rbind /dev "$root/dev"
		# Not exec: timeout and others fail as process 1 of a namespace.
		chroot --userspec="$user" "$root" "$@" || exit
	' sh "$root" "${as_user:-$(id -u):$(id -g)}" "${#shared[@]}" "${shared[@]}" "$@"
}

# All runs use the same folders in the root: one at a time. The lock is the root's own folder,
# since recipes run as root, and a file made by them could not be opened by the user.
in_root_copied() {
	local status pair
	(
		flock 7
		for pair in "${shared[@]%:ro}"; do
			# shellcheck disable=SC2016 # for the inner shell
			as_root sh -ec 'rm -rf "$2" && mkdir -p "$2" && cp -a "$1/." "$2"' \
				sh "${pair%:*}" "$root${pair##*:}" || exit
		done
		isolated chroot --userspec="${as_user:-$(id -u):$(id -g)}" "$root" "$@"
		status=$?
		for pair in "${shared[@]}"; do
			[ "$pair" != "${pair%:ro}" ] ||
				as_root cp -a "$root${pair##*:}/." "${pair%:*}" || exit
			pair=${pair%:ro}
			as_root rm -rf "$root${pair##*:}" || exit
		done
		exit $status
	) 7<"$root"
}
