#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh - the version is the same wherever it is written; what 'make install' puts into a
# folder works there, and 'make uninstall' removes all of it. Without a kernel: not the module.
. "$(dirname "$0")/steps.sh"

version=$(sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' "$top/include/sbi_pmu/version.h")
"$top/selftests/host/versions.sh" || failed=1

# Between releases the commit of a checkout is added where that can be had.
mkdir -p "$dir/git/.git" "$dir/git/include/sbi_pmu" "$dir/bin"
cp -R "$top/tools" "$dir/git"
echo '#define SBI_PMU_VERSION "1.0~dev"' > "$dir/git/include/sbi_pmu/version.h"
for git in 'echo 7,1.0~dev+git7.7' 'exit 128,1.0~dev'; do
	echo "${git%,*}" > "$dir/bin/git"
	chmod 755 "$dir/bin/git"
	found=$(PATH="$dir/bin:$PATH" "$dir/git/tools/version.sh" 2>&1)
	[ "$found" = "${git#*,}" ] || fails "version.sh prints '$found', not '${git#*,}'"
done

# In a copy, as the programs are built.
copy=$dir/tree root=$dir/root
mkdir "$copy"
"$top/selftests/sources.sh" "$copy"

in_copy() { # MAKE ARGUMENT...
	make -s -C "$copy" DESTDIR="$root" prefix=/usr "$@" > "$dir/log" 2>&1 ||
		fails "make $* failed:" "$(cat "$dir/log")"
}

# Each Makefile refuses a path that leads elsewhere, before any command of any of its targets, and takes
# none from the environment but DESTDIR. Folders that it deletes elsewhere have this project's name.
all_targets() { # FOLDER VARIABLE=VALUE
	# shellcheck disable=SC2046 # targets
	make -n -k --no-print-directory -C "$copy/$1" KDIR=/none DESTDIR="$root" "$2" \
		$(sed -n '/^\.PHONY:/,/[^\]$/{ s/^.PHONY://; s/\\$//; p }' "$copy/$1/Makefile") 2>"$dir/log" >"$dir/commands"
}

for folder in $(cd "$copy" && grep -rl '^\.PHONY' --include=Makefile . | xargs -n 1 dirname); do
	for variable in BUILD DESTDIR prefix OUT VERSION; do
		for value in "$dir/my root" "$dir/my " "$dir/R&D" "$dir/root/.." my ''; do
			case $variable=$value in DESTDIR= | OUT=my | VERSION=my) continue ;; esac
			! all_targets "$folder" "$variable=$value" && [ ! -s "$dir/commands" ] &&
				grep -qF "*** $variable='$value'" "$dir/log" || fails "$folder: not refused: $variable='$value'"
		done
		all_targets "$folder" "$variable=/elsewhere"
		! grep 'rm -r.*/elsewhere' "$dir/commands" | grep -v 'sbi[-_]pmu' || fails "$folder: $variable"
	done
	BUILD=/elsewhere prefix=/elsewhere OUT=/elsewhere all_targets "$folder" KDIR=/none
	[ -s "$dir/commands" ] && ! grep -m 3 /elsewhere "$dir/commands" || fails "$folder: taken from the environment"
done
! DESTDIR="$dir/my root" make -n -C "$copy" clean >"$dir/log" 2>&1 || fails "not refused in the environment"

files() { find "$root" ! -type d; }
tree_files() { (cd "$copy" && find . ! -type d | sort); }

in_copy clean KDIR="$dir/none"
install -D /dev/null "$copy/linux/a.o"
tree_files >"$dir/clean"
"$copy/selftests/sources.sh" >"$dir/sources"

in_copy install-tools CC="${CC:-gcc}"
printf '#include <sbi_pmu/region.h>\nint main(void) { struct region r; return region_open(&r, "cycles") > 0; }\n' \
	> "$dir/user.c"
flags=$(sed -n "s|^Cflags: -I\${prefix}|-I$root/usr|p" "$root/usr/share/pkgconfig/sbi-pmu.pc")
# shellcheck disable=SC2086 # words
${CC:-gcc} $flags -o "$dir/user" "$dir/user.c" || fails "a program cannot include region.h"
for file in libexec/sbi-pmu/relations bin/sbi-topdown bin/sbi-pmu-report share/man/man1/sbi-pmu-report.1 share/man/man1/sbi-topdown.1 \
	share/sbi-pmu/boards.tsv share/sbi-pmu/dts/xiangshan-v3.dtsi share/sbi-pmu/perf-json/mapfile-lines.csv share/sbi-pmu/dts/k1.dtso share/man/man1/sbi-pmu-map.1; do
	[ -s "$root/usr/$file" ] || fails "not installed: $file"
done
"$root/usr/bin/sbi-pmu-map" -l | grep -q '^x60 .*164 events' || fails "the installed sbi-pmu-map finds no cores"
for tool in sbi-topdown sbi-pmu-report sbi-pmu-map; do
	PATH=$root/usr/bin:$PATH
	"$tool" -h | grep -q "^usage: $tool " || fails "$tool has no -h"
	[ "$("$tool" --version)" = "$tool $version" ] || fails "$tool --version prints '$("$tool" --version)'"
	wrong=$("$tool" -x 2>&1) && fails "$tool accepts -x"
	[ "$?,$wrong" = "2,$tool: wrong option '-x': see $tool --help" ] || fails "$tool -x: $wrong"
	command -v bash >/dev/null || continue
	# shellcheck disable=SC2016 # for bash
	completed=$(bash -c '. "$1" && _sbi_pmu "$2" --v "$2" && echo "${COMPREPLY[@]}"' bash \
		"$root/usr/share/bash-completion/completions/$tool" "$tool")
	[ "$completed" = --version ] || fails "$tool --v is completed as '$completed'"
done
! grep -r "$root" "$root" || fails "an installed file names DESTDIR"
in_copy uninstall-tools
[ -z "$(files)" ] || fails "make uninstall-tools leaves:" "$(files)"

# dkms gets each source of the module, and nothing that was built.
in_copy install-source
source=$root/usr/src/sbi-pmu-$version
for file in $(cd "$top" && find Kbuild Makefile paths.mk dkms.conf selftests/kdir-check.sh include/compat \
	drivers include/sbi_pmu/version.h -name '*.o' -prune -o -type f \
	\( -name '*.[chS]' -o ! -path 'drivers/*' -o -name Makefile -o -name '*.tsv' \) -print); do
	case $file in *.mod.c) continue ;; esac
	cmp -s "$top/$file" "$source/$file" || fails "not for dkms: $file"
done
location=$(sed -n 's/^BUILT_MODULE_LOCATION\[0\]="\(.*\)"/\1/p' "$source/dkms.conf")
[ -e "$source/$location/Makefile" ] || fails "dkms.conf names '$location', which is not there"
in_copy uninstall-source
[ -z "$(files)" ] || fails "make uninstall-source leaves:" "$(files)"

# All that was built goes away, without a kernel; what others may have put beside it does not.
driver=drivers/perf/sbi_pmu
for file in build/x dts/build/x selftests/host/build/x selftests/guest/build/x Module.symvers modules.order \
	.Module.symvers.cmd $driver/a.o $driver/.a.o.cmd $driver/a.ko $driver/a.mod $driver/a.mod.c \
	$driver/vendor/cores.inc debian/a.debhelper debian/a.debhelper.log; do
	install -D /dev/null "$copy/$file"
done
"$copy/selftests/sources.sh" | diff "$dir/sources" - || fails "these were built, and are taken for sources"
rm "$copy"/debian/a.*
in_copy clean KDIR="$dir/none"
tree_files | diff "$dir/clean" - || fails "make clean leaves these"
exit $failed
