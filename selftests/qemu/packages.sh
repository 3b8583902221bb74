# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# packages.sh - the Debian packages: make deb, make check-packages, and what make check-all tests
# of them.
#
# They are built for riscv64 in a root that has debhelper, dkms, lintian and the headers of
# riscv64 kernels, and installed in a booted Debian. Sourced by lab.sh.

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

# In a booted Debian install the packages, restart, count, upgrade the kernel, restart, count, and
# purge the packages: see debian-steps.sh. An emulated CPU takes ten times as long for a compiler
# as for the rest: objects come from a cache that is filled here, by the same compiler.
packages_in_debian() {
	local dir q11 firmware content=$run/debian
	dir=$(artifact debian) && q11=$(artifact q11) && firmware=$(artifact firmware)/1.9.bin || return
	: >"$run/debian.console"
	{ ls "$run"/deb/*.deb 2>/dev/null || in_packaging build; } >"$run/debian.log" 2>&1 &&
		in_packaging ccache >>"$run/debian.log" 2>&1 || { cat "$run/debian.log"; return 1; }
	mkdir -p "$content/packages"
	cp "$run"/deb/*.deb "$content/packages/"
	cp -r "$run/tree/debian/tests" "$run/deb/ccache" "$content/"
	cp "$run/tree/selftests/qemu/debian-steps.sh" "$content/steps.sh"
	tar -C "$content" -cf "$content.tar" .
	truncate -s %1M "$content.tar"
	# What is written to the disk goes to a file of this run.
	TMPDIR=$run timeout --foreground $((step_limit / 2)) "$q11/loader" --inhibit-cache --library-path "$q11/lib" \
		"$q11/qemu-system-riscv64" -nodefaults -display none -M virt -m 1G \
		-cpu rv64,sscofpmf=true -smp 1 -bios "$firmware" -kernel "$dir/u-boot.bin" \
		-serial "file:$run/debian.console" \
		-drive "file=$dir/disk,format=raw,if=none,id=disk,snapshot=on,werror=report" -device virtio-blk-pci,drive=disk \
		-drive "file=$content.tar,format=raw,if=none,id=lab,readonly=on" -device virtio-blk-pci,drive=lab ||
		echo "QEMU ended with status $? (124: it took $((step_limit / 2)) s)"
	[ -e "$(artifact packaging)/root/newer" ] ||
		echo "skipped: testing and unstable have the same kernel"$'\t'"an upgrade of the kernel"
	grep -q '^lab: passed' "$run/debian.console" && return
	cat "$run/debian.console"
	return 1
}

# What the machine shows, without its own messages.
transcript() { sed -un 's/\r*$//; s/^lab| \{0,1\}//p'; }

# make check-packages: only that, and the transcript.
check_packages() {
	need_root
	start_run
	make_artifacts 3000 packaging q11 firmware debian
	progress_stop
	: >"$run/debian.console"
	say "building the packages, then booting a Debian: about ten minutes"
	start_job packages_in_debian >"$run/debian.out" 2>&1
	tail -n +1 -s 0.5 --pid="${job_pids[-1]}" -f "$run/debian.console" | transcript
	wait "${job_pids[-1]}" || {
		cat "$run/debian.out" >&2
		die "the packages failed: see 'lab: FAILED' above, or the end of the console"
	}
	grep '^skipped: ' "$run/debian.out"
	say "the packages passed in $SECONDS s"
}
