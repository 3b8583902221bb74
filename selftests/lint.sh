#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lint.sh - the rules that a grep can keep. Each says where it is broken; all are looked at
# before it ends. With an argument something else:
#   lint.sh self-test   a breach of each rule, planted in a copy of the sources, is found
#   lint.sh shellcheck  shellcheck finds nothing
#   lint.sh checkpatch  nor does the kernel's checkpatch.pl, which CHECKPATCH names
#   lint.sh format [-i] show what clang-format 19 would change; -i: change it
# Exit status 4: what it needs is not there.
cd "$(dirname "$0")/.." || exit
shopt -s lastpipe # "... | rule" sets failed in this shell
failed=0
driver=drivers/perf/sbi_pmu

rule() { # TEXT; what breaks it comes on stdin
	local found
	found=$(cat)
	[ -z "$found" ] && return
	printf 'lint: %s\n%s\n' "$1" "$found"
	failed=1
}

sources=$(selftests/sources.sh) && [ -n "$sources" ] || exit
# files EXPRESSION [EXCEPT]: the names of those sources, each with a 0 at its end
files() { grep -E "$1" <<<"$sources" | grep -vE "${2:-^$}" | tr '\n' '\0'; }

skip() { echo "skipped: $*"; exit 4; }

# planted FILE LINE TEXT: put this line there, for which lint has to say TEXT.
planted() {
	echo "$2" >>"$copy/$1"
	texts+=("$3")
}

case ${1:-} in
self-test)
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
	selftests/sources.sh "$copy"
	touch "$copy/tools/sbi-topdown/metrics.inc"
	echo '#ifdef CONFIG_X' >"$copy/$driver/sbi_pmu.mod.c"
	"$copy/selftests/lint.sh" | rule 'found in what was built'
	planted $driver/pmu.c 'int x = sbi_ecall(1);' 'belongs in sbi.c'
	planted $driver/pmu.c 'int x = csr_read(CSR_CYCLE);' 'belongs in csr.c'
	planted $driver/pmu.c 'x = perf_event_overflow(event);' 'belongs in overflow.c'
	planted $driver/pmu.c '#ifdef CONFIG_X' 'include/compat'
	planted $driver/pmu.c '/* XiangShan */' 'belong in vendor/'
	planted $driver/assign.c 'static int x(void) { return sbi_pmu_event_add(cpu, event); }' 'in a circle'
	planted $driver/pmu.c 'static int breach;' 'no file-scope variables'
	planted $driver/pmu.c 'x = 0x504d55;' 'those of asm/sbi.h'
	planted Documentation/abi.rst 'See sbi-pmu-guest.rst.' ':doc: or :ref:, not named'
	touch "$copy/Documentation/alone.rst"
	planted Documentation/alone.rst '' 'no other page links to it'
	planted README.md '[gone](Documentation/gone.rst)' README.md:Documentation/gone.rst
	planted README.md '[gone](Documentation/index.rst#gone)' README.md:Documentation/index.rst
	planted selftests/fakesbi/sbi.c '#include <asm/sbi.h>' 'numbers of its own'
	sed -i /SPDX/d "$copy/$driver/pmu.c"
	planted $driver/pmu.c '' 'no SPDX line'
	found=$("$copy/selftests/lint.sh")
	for text in "${texts[@]}"; do grep -F -- "$text" <<<"$found" >/dev/null || echo "$text"; done |
		rule 'not found'
	exit $failed
	;;
shellcheck)
	command -v shellcheck >/dev/null || skip "shellcheck is not installed"
	files . | xargs -0 grep -lE '^#!/bin/(ba|)sh' |
		xargs shellcheck --severity=warning -x -P selftests/qemu:selftests/guest:selftests/host 2>&1 |
		rule 'shellcheck'
	exit $failed
	;;
checkpatch)
	[ -n "${CHECKPATCH:-}" ] || skip "CHECKPATCH does not name the kernel's checkpatch.pl"
	# QEMU's own names are in CamelCase. The host's models imitate the kernel's macros.
	files "^($driver|include|selftests|tools)/.*\.[ch]$" 'xiangshan-hpm\.|/vendor-pmu/|^selftests/(host|fakesbi)/' |
		xargs -0 perl "$CHECKPATCH" --no-tree --strict --terse --quiet --no-summary \
			--max-line-length=100 --ignore "$(sed 's/[[:space:]]*#.*//; /^$/d' selftests/checkpatch.ignore | paste -sd,)" -f 2>&1 |
		rule 'checkpatch'
	exit $failed
	;;
format)
	clang-format --version 2>/dev/null | grep -q 'version 19' || skip "clang-format 19 is not installed"
	files "^($driver|include|tools)/.*\.[ch]$" | sort -z | while read -rd '' file; do
		if [ "${2:-}" = -i ]; then
			clang-format -i "$file"
		else
			clang-format "$file" | diff -u --label "$file" --label "$file" "$file" -
		fi
	done | rule 'clang-format'
	exit $failed
	;;
'') ;;
*) echo "usage: lint.sh [self-test|shellcheck|checkpatch|format]" >&2; exit 2 ;;
esac

# find_lines EXPRESSION [EXCEPT]: lines of the kernel's code that match, but not in these files.
# region.h is for user space.
find_lines() {
	files "^($driver|include)/.*\.[ch]$" region.h | xargs -0 grep -nE "$1" | grep -vE "^(${2:-none}):"
}

find_lines '\bsbi_ecall\(' "$driver/sbi.c" | rule 'sbi_ecall() belongs in sbi.c'
find_lines '\bcsr_(read|write|set|clear|swap)' "$driver/csr.[ch]" | rule 'CSR access belongs in csr.c'
find_lines '[>.= ]perf_event_overflow\(' "$driver/overflow.c" |
	rule 'perf_event_overflow() belongs in overflow.c'
find_lines 'LINUX_VERSION_CODE|KERNEL_VERSION|^[[:space:]]*#[[:space:]]*(if|ifdef|elif)\b' 'include/compat/[^:]*' |
	rule 'version and configuration differences belong in include/compat/'
find_lines '[Xx]iang[Ss]han|[Kk]unminghu|[Ss]pacemi[Tt]' "$driver/vendor/[^:]*" |
	rule 'vendors belong in vendor/'
find_lines '0x504[Dd]55|0x10000\b|\b0x[cC][0-9a-fA-F]{2}\b' "$driver/[^:]*\.h|include/[^:]*" |
	rule 'SBI and CSR numbers are those of asm/sbi.h and asm/csr.h'
find_lines '^(static )?[a-z][a-z_ ]*[ *][a-z_]+( = .*)?;$' "[^:]*\.h" |
	grep -vE '\(|const|typedef|the_pmu;|unsigned int (width|branches) = |char \*[a-z_]* = "auto";|bool (firmware_map|unfiltered|xiangshan_all);|enum cpuhp_state hotplug_state;' |
	rule 'no file-scope variables but parameters; state belongs in struct sbi_pmu'
# Which file calls which, inline functions of headers as callers only. tsort names those of a circle.
files "^$driver/.*\.[ch]$" '\.mod\.c$' | xargs -0 awk '
	FNR == 1 { file = FILENAME; source[file] = 1; sub(/h$/, "c", file) }
	{ gsub(/\/\*([^*]|\*[^\/])*\*\//, "") }
	/\/\*/, /\*\// { next }
	{
		defines = FILENAME == file && /^[a-z]/ && !/^static/
		while (match($0, /sbi_pmu_[a-z0-9_]+\(/)) {
			name = substr($0, RSTART, RLENGTH)
			$0 = substr($0, RSTART + RLENGTH)
			if (defines)
				owner[name] = file
			else
				calls[file, name] = file
			defines = 0
		}
	}
	END {
		for (call in calls) {
			split(call, part, SUBSEP)
			if (part[1] in source && part[2] in owner)
				print part[1], owner[part[2]]
		}
	}' | tsort 2>&1 >/dev/null | rule 'files call each other in a circle'
grep -nE '#include "|#include <' selftests/fakesbi/*.[ch] |
	grep -vE '"(fakesbi|quirks|spec|\.\./\.\./drivers/perf/sbi_pmu/backend_sbi)\.h"' |
	rule 'the firmware model has numbers of its own, in spec.h'
pages=$(find Documentation -name '*.rst')
# shellcheck disable=SC2086 # a list
grep -nE '[a-z]\.(rst|md)\b' $pages | rule 'a page is linked by :doc: or :ref:, not named'
# shellcheck disable=SC2086
for page in $pages; do
	name=$(basename "$page" .rst)
	[ "$name" = index ] || grep -lE "(:doc:\`|<|/)$name>?\`" $pages |
		grep -qvx -e "$page" -e Documentation/index.rst || echo "$page"
done | rule 'no other page links to it'
files '\.md$' | xargs -0 grep -oHE '\]\([^)]*\)' | grep -v :// |
	tr -d '()' | while IFS=']#' read -r file target label; do
	page=$(dirname "$file")/$target
	[ -e "$page" ] && { [ -z "$label" ] || grep -qx ".. _$label:" "$page"; } || echo "$file$target"
done | rule 'a link leads nowhere'
files "^(Kbuild|Makefile|paths.mk|$driver/|include/|selftests/|tools/)" '\.tsv$' |
	xargs -0 grep -L 'SPDX-License-Identifier' |
	rule 'no SPDX line'
exit $failed
