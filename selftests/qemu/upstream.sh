# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# upstream.sh - make check-upstream: the patches of tools/upstream apply, and what they touch compiles
# without a warning. Also a step of make check-debug. Sourced by lab.sh.

upstream_artifacts="testing linux kerneltools"

apply_patches() { # TREE PATCH...
	local tree=$1 patch
	shift
	for patch; do
		run_program linux patch -s -p1 --batch --forward --fuzz=0 -d "$tree" <"$patch" ||
			{ echo "does not apply: ${patch##*/}"; return 1; }
	done
}

# The driver as a whole is built by kernel_patch.
upstream() {
	local folder=$run/upstream series=$run/tree/tools/upstream tools checkpatch first=() rest=() patch
	tools=$(artifact linux) && checkpatch=$(artifact kerneltools) || return
	mkdir -p "$folder/linux" && tar -C "$folder/linux" -xf "$tools/linux.tar" || return

	# QEMU: the lab builds and boots the same change to an older tree.
	[ "$(grep -c '^[-+]#define' "$series"/qemu/0001-*.patch)" = 2 ] || { echo "QEMU's patch has no two lines"; return 1; }
	diff <(grep -h '^[-+]#define' "$series"/qemu/0*.patch) \
		<(grep -h '^[-+]#define' "$lab"/patches/0001-*.patch) || return

	# perf's files; that perf reads them is tested by perf_json
	mkdir -p "$folder/perf" && cp -R "$checkpatch/tools" "$folder/perf/" &&
		"$series/series.sh" perf-json "$folder/perf" "$folder/perf-json" &&
		apply_patches "$folder/perf" "$folder"/perf-json/000[1-9]-*.patch || return

	# The driver: the first three pieces compile, all together are what make kernel-patch writes.
	"$series/series.sh" sbi_pmu "$folder/linux" "$folder/sbi_pmu" &&
		"$run/tree/tools/kernel-patch.sh" "$folder/linux" "$folder/sbi_pmu.patch" || return
	for patch in "$folder"/sbi_pmu/0*.patch; do
		case ${patch##*/} in
		0000-*) ;;
		000[123]-*) first+=("$patch") ;;
		*) rest+=("$patch") ;;
		esac
	done
	apply_patches "$folder/linux" "$series"/riscv-pmu/000[1-9]-*.patch "${first[@]}" || return
	# shellcheck disable=SC2016 # for the inner shell
	in_root "$(artifact testing)/root" "$folder/linux:/run/linux" "$tools:/run/tools:ro" \
		"$series:/run/upstream:ro" "$checkpatch/scripts:/run/scripts:ro" -- sh -ec '
		for patch in /run/upstream/riscv-pmu/000[1-9]-*.patch; do
			perl /run/scripts/checkpatch.pl --no-tree --no-signoff --strict --terse --quiet --no-summary \
				--ignore UNKNOWN_COMMIT_ID "$patch"
		done
		export PATH="/run/tools:$PATH" LD_LIBRARY_PATH=/run/tools/lib
		cd /run/linux
		make="make -s ARCH=riscv CROSS_COMPILE=riscv64-linux-gnu-"
		sed -i "s/^# CONFIG_RISCV_PMU_SBI is.*/CONFIG_RISCV_PMU_SBI=y/" .config
		$make olddefconfig
		grep -x CONFIG_RISCV_PMU_SBI=y .config
		cp drivers/perf/Makefile saved
		echo "obj-y += sbi_pmu/" >>drivers/perf/Makefile
		for object in riscv_pmu riscv_pmu_sbi sbi_pmu/sbi sbi_pmu/csr sbi_pmu/event sbi_pmu/assign; do
			$make drivers/perf/$object.o
			[ -e drivers/perf/$object.o ]
		done
		mv saved drivers/perf/Makefile
	' >"$folder.log" 2>&1 && ! grep -niE '(warning|error):' "$folder.log" || {
		cat "$folder.log"
		return 1
	}
	apply_patches "$folder/linux" "${rest[@]}" &&
		run_program linux patch -s -p1 -R --dry-run -d "$folder/linux" <"$folder/sbi_pmu.patch"
}

check_upstream() {
	need_root
	start_run
	# shellcheck disable=SC2086 # words
	make_artifacts 3000 $upstream_artifacts
	upstream || die "the patches of tools/upstream failed"
	say "the patches of tools/upstream passed in $SECONDS s"
}
