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
release_check() { in_copy tools/release-check.sh "$version" "$dir/out" >"$dir/said" 2>&1; }

mkdir "$copy"
tar -C "$top" --exclude=.git -cf - . | tar -C "$copy" -xf -
in_copy git init -q
version=$(sed -n 's/.*SBI_PMU_VERSION "\([0-9.]*\).*/\1/p' "$top/include/sbi_pmu/version.h")
in_copy grep -rlF "$version~dev" . --exclude-dir=.git | (cd "$copy" && xargs -r sed -i "s/$version~dev\(+git[0-9a-f.]*\)*/$version/")
printf '# Changes\n\n## %s (2026-12-01)\n\n- A change.\n' "$version" >"$copy/CHANGELOG.md"
sed -i '1s/UNRELEASED/unstable/' "$copy/debian/changelog"
commit || exit
for page in $(sed -n "s/^measured='\(.*\)'/\1/p" "$copy/tools/release-check.sh"); do
	[ ! -e "$copy/$page" ] || sed -i 's/commit ``[0-9a-f]*``//' "$copy/$page"
	echo "Figures of commit \`\`$(in_copy git rev-parse HEAD)\`\`." >>"$copy/$page"
done
commit
in_copy git tag good
release_check || { fails "nothing is wrong, but:" "$(cat "$dir/said")"; exit 1; }
(cd "$dir/out" && sha256sum --quiet -c SHA256SUMS) || fails "SHA256SUMS is wrong"

# The fault has been planted: it is found, and said with TEXT.
found() { # TEXT
	commit
	! release_check && grep -qF -- "$1" "$dir/said" || fails "not found: $1" "$(cat "$dir/said")"
	in_copy git reset -q --hard good
}

sed -i 's/^PACKAGE_VERSION=.*/PACKAGE_VERSION="9"/' "$copy/dkms.conf"
found "dkms.conf has version '9'"
sed -i 's/^## .*/## 9 (2026-12-01)/' "$copy/CHANGELOG.md"
found "CHANGELOG.md begins with '## 9 "
sed -i '1s/) unstable/) UNRELEASED/' "$copy/debian/changelog"
found "debian/changelog begins with"
echo '[a](Documentation/none.rst#b)' >>"$copy/README.md"
found "a link leads nowhere"
echo '/* changed */' >>"$copy/drivers/perf/sbi_pmu/main.c"
found "have changed since commit"
sed -i /SPDX/d "$copy/tools/version.sh"
found "no SPDX line"
version=9
found "version.h does not have version 9"
exit $failed
