#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# release.sh - the checks of make release-check pass where all is right, and find each planted
# fault. In a repository of its own, with these sources as a release.
. "$(dirname "$0")/steps.sh"
command -v git >/dev/null || { echo "skipped: git is not installed"; exit 4; }
copy=$dir/tree
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a

in_copy() { (cd "$copy" && "$@"); }
commit() { in_copy git add -A && in_copy git commit -q --allow-empty -m x; }
release_check() { in_copy tools/release-check.sh "$version" "$dir/out" </dev/null >"$dir/said" 2>&1; }

mkdir "$copy"
"$top/selftests/sources.sh" "$copy"
in_copy git init -q
version=$(sed -n 's/.*SBI_PMU_VERSION "\([0-9.]*\).*/\1/p' "$top/include/sbi_pmu/version.h")
in_copy grep -rlF "$version~dev" . --exclude-dir=.git | (cd "$copy" && xargs -r sed -i "s/$version~dev\(+git[0-9a-f.]*\)*/$version/")
printf '# Changes\n\n## %s (2026-12-01)\n\n- A change.\n' "$version" >"$copy/CHANGELOG.md"
sed -i '1s/UNRELEASED/unstable/' "$copy/debian/changelog"
commit || exit
for page in $(sed -n "s/^measured='\(.*\)'/\1/p" "$copy/tools/release-check.sh"); do
	sed -i "1i Of commit \`\`$(in_copy git rev-parse HEAD)\`\`" "$copy/$page"
done
commit
in_copy git tag good
release_check || { fails "nothing is wrong, but:" "$(cat "$dir/said")"; exit 1; }
(cd "$dir/out" && sha256sum --quiet -c SHA256SUMS) || fails "SHA256SUMS is wrong"

# Each fault that sed makes in a file is found, and said.
while IFS=: read -r file edit text; do
	sed -i "$edit" "$copy/$file"
	commit
	! release_check && grep -qF -- "$text" "$dir/said" || fails "not found: $text" "$(cat "$dir/said")"
	in_copy git reset -q --hard good
done <<'END'
dkms.conf:s/^PACKAGE_VERSION=.*/PACKAGE_VERSION="9"/:dkms.conf has version '9'
include/sbi_pmu/version.h:s/VERSION "/&9/:version.h does not have version
CHANGELOG.md:s/^## .*/## 9 (2026-12-01)/:CHANGELOG.md begins with '## 9
debian/changelog:1s/) unstable/) UNRELEASED/:debian/changelog begins with
drivers/perf/sbi_pmu/main.c:$s/$/ /:have changed since commit
tools/version.sh:/SPDX/d:no SPDX line
END
exit $failed
