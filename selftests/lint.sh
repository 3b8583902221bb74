#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lint.sh - the rules that a grep can keep. Each says where it is broken; all are looked at
# before it ends. With an argument something else:
#   lint.sh self-test   a breach planted in a copy of the sources is found
#   lint.sh shellcheck  the same by shellcheck, which must be installed
#   lint.sh checkpatch  the same by the kernel's checkpatch.pl, which CHECKPATCH names
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

skip() {
	echo "skipped: $*"
	exit 4
}

verdict() { exit $failed; }

finds() { # TEXT [MODE]; in a copy of the sources with breaches in it
	if "$copy/selftests/lint.sh" ${2:+"$2"} >"$copy/log" || ! grep -q "$1" "$copy/log"; then
		echo "not found: $1"
		failed=1
	fi
}

case ${1:-} in
self-test)
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
	tar --exclude=.git -cf - . | tar -C "$copy" -xf -
	echo 'static int breach(void) { return csr_read(CSR_CYCLE); }' >>"$copy/$driver/pmu.c"
	finds 'CSR access belongs'
	echo '#include "pmu.h"' >>"$copy/$driver/counters.h"
	finds 'an include points up'
	echo '/* the counter comes round */' >>"$copy/$driver/sysfs.c"
	finds 'not a usual word'
	echo '/* xiangshan */' >>"$copy/$driver/sysfs.c"
	finds 'vendors belong'
	yes '/* breach */' | head -n 2000 >>"$copy/$driver/pmu.c"
	finds 'many comments'
	if clang-format --version 2>/dev/null | grep -q 'version 19'; then
		echo 'int  breach;' >>"$copy/$driver/pmu.c"
		finds 'int  breach' format
	fi
	if command -v shellcheck >/dev/null; then
		printf '#!/bin/sh\nbreach=1\nrm $breech\n' >"$copy/selftests/guest/breach"
		finds 'breech' shellcheck
	fi
	verdict
	;;
shellcheck)
	command -v shellcheck >/dev/null || skip "shellcheck is not installed"
	find . -path ./.git -prune -o -type f -print0 | xargs -0 grep -lE '^#!/bin/(ba|)sh' |
		xargs shellcheck --severity=warning -x -P selftests/qemu:selftests/guest:selftests/host 2>&1 |
		rule 'shellcheck'
	verdict
	;;
checkpatch)
	[ -n "${CHECKPATCH:-}" ] || skip "CHECKPATCH does not name the kernel's checkpatch.pl"
	# QEMU's and other programs' own names are in CamelCase.
	find "$driver" include selftests tools -name '*.[ch]' ! -name 'xiangshan-hpm.[ch]' \
		! -name 'vendor-pmu.[ch]' -print0 |
		xargs -0 perl "$CHECKPATCH" --no-tree --strict --terse --quiet --no-summary \
			--max-line-length=100 --ignore "$(sed 's/[[:space:]]*#.*//; /^$/d' selftests/checkpatch.ignore | paste -sd,)" -f 2>&1 |
		rule 'checkpatch'
	verdict
	;;
format)
	clang-format --version 2>/dev/null | grep -q 'version 19' || skip "clang-format 19 is not installed"
	find "$driver" include tools -name '*.[ch]' | sort | while read -r file; do
		if [ "${2:-}" = -i ]; then
			clang-format -i "$file"
		else
			clang-format "$file" | diff -u --label "$file" --label "$file" "$file" -
		fi
	done | rule 'clang-format'
	verdict
	;;
'') ;;
*) echo "usage: lint.sh [self-test|shellcheck|checkpatch|format]" >&2; exit 2 ;;
esac

# Of the kernel: region.h is for user space.
code() { find "$driver" include -name '*.[ch]' ! -name region.h -print0; }
outside() { grep -v "^$1:"; } # FILE pattern

code | xargs -0 grep -nE '\bsbi_ecall\(' | outside "$driver/sbi.c" |
	rule 'sbi_ecall() belongs in sbi.c'
code | xargs -0 grep -nE '\bcsr_(read|write|set|clear|swap)' | outside "$driver/csr.[ch]" |
	rule 'CSR access belongs in csr.c and csr.h'
code | xargs -0 grep -nE '[>.]perf_event_overflow\(' | outside "$driver/overflow.c" |
	rule 'samples are delivered in overflow.c'
code | xargs -0 grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION|^[[:space:]]*#[[:space:]]*(if|ifdef|elif)\b' |
	outside 'include/compat/[^:]*' |
	rule 'version and configuration differences belong in include/compat/'
code | xargs -0 grep -niE 'xiangshan|openxiangshan|kunminghu|spacemit' |
	outside "$driver/vendor/[^:]*" | rule 'vendors belong in vendor/'
# Layers, lowest first: a file includes headers of lower layers and its own.
layers='kernel_api
inventory event_code sampling irq_source
csr
vendor assign selector stand_in
event backend_sbi tables
backend sbi
probe counters delegation
counters_overflow
allocate support timed user_page user_trap
fixed
check
sbi_pmu
user_access perf_symbols backend_select sysfs debugfs
overflow core
poll vendors
pmu cpu
main'
code | xargs -0 grep -n '#include ".*\.h"' | awk -F '[:"]' -v layers="$layers" '
	BEGIN {
		n = split(layers, line, "\n")
		for (i = 1; i <= n; i++) {
			m = split(line[i], file, " ")
			for (j = 1; j <= m; j++)
				layer[file[j]] = i
		}
	}
	function name(path) {
		sub(/.*\//, "", path)
		# These implement the interface in backend.h.
		sub(/^backend_(sbi|snapshot|csr)\.c$/, "backend", path)
		sub(/\.[ch]$/, "", path)
		return path
	}
	$1 !~ /perf\/sbi_pmu\// { next }
	{
		from = name($1)
		to = name($4)
		if (!(from in layer) || !(to in layer))
			print $0 ": not in the list of layers"
		else if (from != to && layer[to] >= layer[from])
			print
	}' | rule 'an include points up: see the layers in lint.sh'
host_testable=$(sed -n '/^tested :=/,/[^\\]$/p' selftests/host/Makefile | tr ' \\' '\n\n' | grep '\.c$')
for file in $host_testable; do
	grep -nHE '#include <' "$driver/$file" "$driver/${file%.c}.h" 2>/dev/null
done | rule 'a host-testable file includes nothing of the kernel but kernel_api.h'
grep -nE '#include "|#include <' selftests/fakesbi/*.[ch] |
	grep -vE '"(fakesbi|model|quirks|spec|\.\./\.\./drivers/perf/sbi_pmu/backend_sbi)\.h"' |
	rule 'the firmware model has numbers of its own, in spec.h'
# File-scope variables that are neither const nor described below.
find "$driver" -name '*.c' -print0 |
	xargs -0 grep -nE '^(static )?[a-z][a-z_ ]*[ *][a-z_]+( = .*)?;$' |
	grep -vE '\(|const|typedef|the_pmu;|unsigned int width = 64;|char \*(overflow|backend|table_wish) = "auto";|bool (all|check)_wish;|enum cpuhp_state hotplug_state;' |
	rule 'no file-scope variables; state belongs in struct sbi_pmu'
find "$driver" -name '*.c' -print0 |
	xargs -0 grep -nE '0x504d55|0x10000\b|\b0x[cC][0-9a-fA-F]{2}\b' -i |
	rule 'SBI and CSR numbers are those of asm/sbi.h and asm/csr.h'
# region.h is one file, so that programs can copy it.
find "$driver" include selftests tools -name '*.[ch]' ! -name region.h -size +24k |
	rule 'this file is long: does it do two jobs?'
find "$driver" -name '*.[ch]' -exec cat {} + | awk '
	/^[[:space:]]*$/ { next }
	!inside && !/^[[:space:]]*\/[*\/]/ { code++; next }
	{ comments++ }
	!inside { inside = /^[[:space:]]*\/[*]/ }
	/[*]\// { inside = 0 }
	END { if (comments > 0.22 * code) print comments " comment lines, " code " code lines" }' |
	rule 'too many comments: at most 22 lines for 100 lines of code'
# Private words for what the field has a word for, see Documentation/design/glossary.rst.
words='anew|lest|witness(es)?|stranded|robbed|rescued?|skids|skidded|astray|twofold|thief'
words+='|squatter|murder|players?|lent|owed|manner|truth|trials?|halted|forgotten|verdict|rooms'
words+='|workout|whoever|seats?|seated|himself|comes? round|came round|for ever|held up|let go'
find README.md CONTRIBUTING.md Documentation Makefile "$driver" dts include selftests tools \
	-type f ! -name '*.tsv' ! -name lint.sh -print0 |
	xargs -0 grep -nHwiE "$words" | rule 'this is not a usual word'
find Kbuild Makefile "$driver" include selftests tools -type f ! -name '*.tsv' \
	-exec grep -L 'SPDX-License-Identifier' {} + |
	rule 'no SPDX line'

verdict
