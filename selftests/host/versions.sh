#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# versions.sh - the version is the same wherever it is written.
. "$(dirname "$0")/steps.sh"
plain=$(sed -n 's/.*SBI_PMU_VERSION "\(.*\)"/\1/p' "$top/include/sbi_pmu/version.h")
plain=${plain%+git*}

# says FILE EXPRESSION: the first version there, which sed prints, is that of version.h.
says() {
	found=$(sed -n "$2" "$top/$1" | head -n 1)
	[ "${found%+git*}" = "$plain" ] || fails "$1 has version '$found', not '$plain'"
}

says README.md 's/.*dkms install sbi-pmu.\([^`]*\)`.*/\1/p'
says dkms.conf 's/^PACKAGE_VERSION="\(.*\)"/\1/p'
says dkms.conf 's/.*dkms install sbi-pmu.//p'
says debian/changelog 's/^sbi-pmu (\([^)]*\)).*/\1/p'
says CHANGELOG.md 's/^## \([0-9][^ ]*\).*/\1/p'
says README.md 's/.* sbi_pmu: \([^ ]*\): .*/\1/p'
for page in sbi-pmu sbi-pmu-quickstart; do
	says "Documentation/admin-guide/perf/$page.rst" 's/.* sbi_pmu: \([^ ]*\): .*/\1/p'
done
says tools/packaging/sbi-pmu.spec 's/^Version: *//p'
says tools/packaging/PKGBUILD 's/^pkgver=//p'
exit $failed
