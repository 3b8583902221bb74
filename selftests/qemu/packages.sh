# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# packages.sh - the Debian packages: make deb, make check-packages, and most of that in make check-all.
# RPM and Arch packages are only built (tools/packaging).
#
# They are built for riscv64 in a root that has debhelper, dkms, lintian and the headers of two
# riscv64 kernels, and installed in a copy of it, by that system's dpkg and a cross compiler: an
# emulated CPU would take ten times as long. Then a machine starts with each of the two kernels and
# with the files that were installed. Sourced by lab.sh.

# in_packaging ROOT COMMAND...: run selftests/qemu/deb.sh there. The sources of this run are in
# $run/deb/sbi-pmu, and the packages in $run/deb.
in_packaging() {
	local root=$1 folder=$run/deb
	shift
	[ -d "$folder/sbi-pmu" ] || copy_tree "$folder/sbi-pmu" || return
	in_root "$root" "$folder:/run/deb" -- /run/deb/sbi-pmu/selftests/qemu/deb.sh "$@"
}

# make deb: build/deb/ has the packages at the end.
deb() {
	need_root
	start_run
	make_artifacts 300 packaging
	in_packaging "$(artifact packaging)/root" build >"$run/deb.log" 2>&1 ||
		{ cat "$run/deb.log" >&2; exit 1; }
	mkdir -p "$top/build/deb"
	rm -f "$top"/build/deb/*.deb
	cp "$run"/deb/*.deb "$top/build/deb/" && ls "$top"/build/deb/*.deb
}

# Boot a machine with the files of $run/FOLDER.
started_packages() { # FOLDER
	demo_boot packages-start.sh q11 "$1" exclusive - rv64,sscofpmf=true
	shown_whole packages-start.sh && cat "$run/packages-start.sh.shown"
}

# Test the packages; with "all" also what takes long and hardly depends on a change: an upgrade from
# 0.2, and the RPM and Arch packages.
packages() { # [all]
	local packaging guest root=$run/installed archive release
	packaging=$(artifact packaging)/root && guest=$(artifact testing) || return
	release=$(cat "$packaging/kernel-release")
	[ "$release" = "$(release_of testing)" ] || {
		echo "no kernel $release, of which the packages' root has headers: 'make clean-lab' first"
		return 1
	}
	in_packaging "$packaging" build lint install ${1:+others} || return
	echo "$root" >>"$run/unfinished"
	as_root cp -a --reflink=auto "$packaging" "$root" &&
		as_user=0:0 in_packaging "$root" prepare ${1:+upgrade} life || return
	as_root rm -rf --one-file-system "$root"
	cp "$guest/vmlinux" "$run/deb/$release.vmlinux"
	for archive in "$run"/deb/*.cpio; do
		release=$(basename "$archive" .cpio)
		mkdir "$run/$release"
		mv "$run/deb/$release.vmlinux" "$run/$release/vmlinux"
		cat "$guest/base.cpio" "$archive" >"$run/$release/initrd"
		started_packages "$release" || return
	done
}
