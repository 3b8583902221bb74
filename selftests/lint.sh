#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# lint.sh - the rules that a grep can keep. Each says where it is broken; all are looked at
# before it ends. With an argument something else:
#   lint.sh self-test   a breach planted in a copy of the sources is found
#   lint.sh shellcheck  the same by shellcheck, which must be installed
#   lint.sh checkpatch  the same by the kernel's checkpatch.pl, which CHECKPATCH names
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
	echo 'static int breach(void) { return csr_read(0xC00); }' >>"$copy/$driver/perf.c"
	finds 'CSR access belongs'
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
	# QEMU's own names are in CamelCase.
	find "$driver" include selftests tools -name '*.[ch]' ! -name 'xiangshan-hpm.[ch]' -print0 |
		xargs -0 perl "$CHECKPATCH" --no-tree --strict --terse --quiet --no-summary \
			--max-line-length=100 --ignore "$(sed 's/[[:space:]]*#.*//; /^$/d' selftests/checkpatch.ignore | paste -sd,)" -f 2>&1 |
		rule 'checkpatch'
	verdict
	;;
'') ;;
*) echo "usage: lint.sh [self-test|shellcheck|checkpatch]" >&2; exit 2 ;;
esac

# Of the kernel: region*.h are for user space.
code() { find "$driver" include -name '*.[ch]' ! -name 'region*.h' -print0; }
outside() { grep -v "^$1:"; } # FILE pattern

code | xargs -0 grep -nE '\bsbi_ecall\(' | outside "$driver/sbi.c" |
	rule 'sbi_ecall() belongs in sbi.c'
code | xargs -0 grep -nE '\bcsr_(read|write|set|clear|swap)' | outside "$driver/csr.c" |
	rule 'CSR access belongs in csr.c'
code | xargs -0 grep -nE 'perf_event_overflow|overflow_handler|perf_pmu_(un)?register|->count\b' |
	grep -vE "^$driver/(perf|lookup|main)\.c:|^$driver/sbi_pmu\.h:.*\*" |
	rule "perf core's doors belong in perf.c and lookup.c"
code | xargs -0 grep -nE 'LINUX_VERSION_CODE|KERNEL_VERSION|^[[:space:]]*#[[:space:]]*(if|ifdef|elif)\b' |
	outside 'include/compat/[^:]*' |
	rule 'version and configuration differences belong in include/compat/'
grep -nE '#include <' "$driver"/{event,selector,tables,counter,slot,reading,sample,trial,firmware}.[ch] selftests/fakesbi/*.[ch] |
	rule 'a pure room includes nothing of the system (pure.h does)'
# File-scope variables that are neither const nor described below.
grep -nE '^(static )?[a-z][a-z_ ]*[ *][a-z_]+( = .*)?;$' "$driver"/*.c |
	grep -vE '\(|const|typedef|the_pmu;|unsigned int width = 64;|char \*(overflow|snapshot|xiangshan) = "auto";|bool xiangshan_check;|enum cpuhp_state hotplug_state;' |
	rule 'no file-scope variables; state belongs in struct sbi_pmu'
grep -nE '0x504d55|0x10000\b|\b0x[cC][0-9a-fA-F]{2}\b' "$driver"/*.c -i |
	rule 'SBI and CSR numbers belong in include/sbi_pmu/sbi_wire.h'
find "$driver" include selftests tools -name '*.[ch]' -size +24k |
	rule 'this file is long: have two rooms been merged?'
find Kbuild Makefile "$driver" include selftests tools -type f ! -name '*.tsv' \
	! -path 'tools/perf/*' \
	-exec grep -L 'SPDX-License-Identifier' {} + |
	rule 'no SPDX line'

verdict
