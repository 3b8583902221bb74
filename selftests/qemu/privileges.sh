# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# privileges.sh - commands as root, and commands inside a build root.
#
# Three machines are supported: root, an ordinary user with sudo, and root in a container
# that may not mount (no CAP_SYS_ADMIN). Sourced by lab.sh, and by recipes that run as root.

say() { clear_progress; echo "lab: $*" >&2; }
die() { clear_progress; echo "lab: error: $*" >&2; exit 1; }

# ---- background jobs ----

# start_job COMMAND...: in the background, as a group of processes of its own, which end_jobs
# ends whole. Its number is the last in lanes.
lanes=()

start_job() {
	set -m
	(
		trap - EXIT
		trap 'exit 143' INT TERM
		"$@"
	) </dev/null &
	lanes+=($!)
	set +m
}

end_jobs() {
	local lane
	for lane in "${lanes[@]}"; do
		# shellcheck disable=SC2016 # for that shell
		! kill -0 -- "-$lane" 2>/dev/null || as_root sh -c 'kill -- "-$1"' sh "$lane"
	done
}

# ---- root ----

# sudo has been asked for a password in need_root(): here it must not ask again.
as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n -- "$@"; fi
}

without_root() {
	cat <<-EOF2
	lab: error: $1
	  This command makes Debian systems with mmdebstrap and runs compilers in them with chroot;
	  both need root. Run it as root, or have an administrator do
	      apt install sudo && adduser $(id -un) sudo
	  Without root these work:
	      make test               needs make and gcc; with shellcheck and device-tree-compiler
	                              nothing of it is skipped
	      make KDIR=... ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-
	                              builds the module; needs gcc-riscv64-linux-gnu and the headers
	                              of a riscv64 kernel
	      make tools dts          needs gcc and device-tree-compiler
	EOF2
	exit 1
}

# need_root: ask sudo for a password now, and keep it remembered until this run ends.
need_root() {
	[ "$(id -u)" != 0 ] || return 0
	command -v sudo >/dev/null || without_root "$(id -un) is not root and there is no sudo" >&2
	if ! sudo -n true 2>/dev/null; then
		[ -t 0 ] || without_root "sudo wants a password and there is no terminal to ask on" >&2
		say "root is needed to set up and use build systems; sudo asks once:"
		sudo -v || without_root "sudo does not allow $(id -un) to be root" >&2
	fi
	while sleep 50 && kill -0 $$; do sudo -n -v || exit; done </dev/null >/dev/null 2>&1 &
}

# can_mount: a container without CAP_SYS_ADMIN has neither mounts nor namespaces. The answer
# is remembered, and handed to recipes.
can_mount() {
	if [ -z "${lab_mounts:-}" ]; then
		lab_mounts=no
		! as_root unshare --mount --pid --fork mount -t tmpfs tmpfs /tmp 2>/dev/null ||
			lab_mounts=yes
	fi
	[ "$lab_mounts" = yes ]
}

# isolated COMMAND...: as root; where possible in namespaces of its own, so that all its
# processes end, and all its mounts are gone, when it does.
isolated() {
	if can_mount; then
		as_root unshare --mount --pid --fork --kill-child "$@"
	else
		as_root "$@"
	fi
}

# in_root ROOT [OUTSIDE:INSIDE[:ro]...] -- COMMAND...
#
# Run COMMAND as the calling user inside ROOT, with folders of the outside at places under
# /run of the inside: mounted there, or copied in and, unless marked as read-only, back out.
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
		# Not exec: as process 1 of a namespace, timeout and others fail.
		chroot --userspec="$user" "$root" "$@" || exit
	' sh "$root" "$(id -u):$(id -g)" "${#shared[@]}" "${shared[@]}" "$@"
}

# The places inside are the same for every run: one at a time.
in_root_copied() {
	local status pair
	(
		flock 7
		for pair in "${shared[@]%:ro}"; do
			# shellcheck disable=SC2016 # for the inner shell
			as_root sh -ec 'rm -rf "$2" && mkdir -p "$2" && cp -a "$1/." "$2"' \
				sh "${pair%:*}" "$root${pair##*:}" || exit
		done
		as_root chroot --userspec="$(id -u):$(id -g)" "$root" "$@"
		status=$?
		for pair in "${shared[@]}"; do
			[ "$pair" != "${pair%:ro}" ] ||
				as_root cp -a "$root${pair##*:}/." "${pair%:*}" || exit
			pair=${pair%:ro}
			as_root rm -rf "$root${pair##*:}" || exit
		done
		exit $status
	) 7>"$cache/root.lock"
}
