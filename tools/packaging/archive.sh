#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# archive.sh VERSION FOLDER - write to FOLDER: the source archive of this checkout's commit, which is
# reproducible with the same git and gzip; its SBOM (CycloneDX, one line); the files that build packages
# of it; and the checksums of all.
export LC_ALL=C
cd "$(dirname "$0")/../.." || exit
name=sbi-pmu-$1
mkdir -p "$2" && folder=$(cd "$2" && pwd) && other=$(mktemp -d) || exit
trap 'rm -rf "$other"' EXIT

pack() { # CHECKOUT
	git -C "$1" -c tar.umask=0022 -c core.autocrlf=false archive --format=tar --prefix="$name/" HEAD |
		gzip -9n
}

pack . >"$folder/$name.tar.gz"
# Again, from another checkout, by a user with other settings
(umask 077 && TZ=Asia/Tokyo && export TZ && git clone -q . "$other/tree" 2>"$other/log" &&
	pack "$other/tree" >"$other/again") || cat "$other/log" >&2
cmp "$folder/$name.tar.gz" "$other/again" && tar -tzf "$other/again" | grep -qx "$name/dkms.conf" || {
	echo "archive.sh: the archive is not the same when it is made again" >&2
	exit 1
}

sum=$(sha256sum <"$folder/$name.tar.gz" | cut -d ' ' -f 1)
cat >"$folder/$name.cdx.json" <<END
{"bomFormat":"CycloneDX","specVersion":"1.5","metadata":{"component":{"type":"application","name":"sbi-pmu","version":"$1","purl":"pkg:generic/sbi-pmu@$1","licenses":[{"expression":"GPL-2.0-only AND (GPL-2.0-only OR MIT)"}],"hashes":[{"alg":"SHA-256","content":"$sum"}],"properties":[{"name":"commit","value":"$(git rev-parse HEAD)"}]}},"components":[]}
END
sed "s/^sha256sums=.*/sha256sums=($sum)/" tools/packaging/PKGBUILD >"$folder/PKGBUILD"
cp tools/packaging/sbi-pmu.spec "$folder"
cd "$folder" && sha256sum "$name.tar.gz" "$name.cdx.json" PKGBUILD sbi-pmu.spec | tee SHA256SUMS
