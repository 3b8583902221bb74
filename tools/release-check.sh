#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# release-check.sh VERSION FOLDER - check whether this checkout can be released as VERSION, and print every
# problem. Without one, write what is published to FOLDER (tools/packaging/archive.sh). For make release-check.
export LC_ALL=C
cd "$(dirname "$0")/.." || exit
version=$1 folder=$2
# Pages with figures. Each names the commit that was measured; since then only the version may have changed.
measured='Documentation/admin-guide/perf/sbi-pmu-compare.rst Documentation/testing/kernels.rst'
failed=0

wrong() {
	echo "release-check: $*" >&2
	failed=1
}

git rev-parse -q HEAD >/dev/null || exit
case $version in '' | *[!0-9.]*) wrong "'$version' is not the version of a release: VERSION=0.3" ;; esac
[ -z "$(git status --porcelain)" ] || wrong "not all is committed: git status"
grep -qF "SBI_PMU_VERSION \"$version\"" include/sbi_pmu/version.h ||
	wrong "include/sbi_pmu/version.h does not have version $version"
selftests/host/versions.sh >&2 || wrong "these versions differ"
heading=$(sed -n '/^## /{p;q;}' CHANGELOG.md)
case $heading in
"## $version (20"??-??-??')') ;;
*) wrong "CHANGELOG.md begins with '$heading', not with '## $version (2026-12-31)'" ;;
esac
lines=$(awk '/^## / { n++; next } n == 1 && NF' CHANGELOG.md | wc -l)
[ "$lines" -ge 1 ] && [ "$lines" -le 40 ] || wrong "CHANGELOG.md has $lines lines about $version: 1 to 40"
head -n 1 debian/changelog | grep -q "^sbi-pmu ($version) unstable;" ||
	wrong "debian/changelog begins with '$(head -n 1 debian/changelog)': version $version, unstable"
for page in $measured; do
	commit=$(sed -n 's/.*commit ``\([0-9a-f]\{7,40\}\)``.*/\1/p' "$page" | head -n 1)
	if [ -z "$commit" ]; then
		wrong "$page does not say of which commit its figures are (commit \`\`$(git rev-parse --short HEAD)\`\`)"
	elif ! git diff --quiet "$commit" HEAD -- drivers include ':!include/sbi_pmu/version.h'; then
		wrong "$page: drivers/ or include/ have changed since commit $commit, or it is not in this clone: measure again"
	fi
done
selftests/lint.sh >&2 || wrong "lint finds faults"
[ $failed = 0 ] || exit 1
exec tools/packaging/archive.sh "$version" "$folder"
