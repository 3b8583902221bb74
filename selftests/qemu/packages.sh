# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# packages.sh - the Debian packages: make deb, and what make check-all tests of them.
#
# They are built for riscv64 in a root that has debhelper, dkms, lintian and the headers of
# a riscv64 kernel. Sourced by lab.sh.

# in_packaging COMMAND...: run selftests/qemu/deb.sh in that root. The sources of this run are in
# $run/deb/sbi-pmu, and the packages in $run/deb.
in_packaging() {
	local folder=$run/deb
	[ -d "$folder/sbi-pmu" ] || copy_tree "$folder/sbi-pmu" || return
	in_root "$(artifact packaging)/root" "$folder:/run/deb" -- \
		/run/deb/sbi-pmu/selftests/qemu/deb.sh "$@"
}

# make deb: build/deb/ has the packages at the end.
deb() {
	need_root
	start_run
	make_artifacts 300 packaging
	in_packaging build >"$run/deb.log" 2>&1 || { cat "$run/deb.log" >&2; exit 1; }
	progress_stop
	mkdir -p "$top/build/deb"
	rm -f "$top"/build/deb/*.deb
	cp "$run"/deb/*.deb "$top/build/deb/" && ls "$top"/build/deb/*.deb
}
