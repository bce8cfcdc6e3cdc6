#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/release.sh BUILD FOLDER
#
# From the static program in the folder BUILD, in FOLDER: a tarball, a package for npm and a wheel for
# Python that carry the program and their modules, a list of what is linked (SPDX) in each, and
# SHA256SUMS. The same program gives the same bytes.
set -euo pipefail
build=$(realpath "$1")
folder=$(mkdir -p "$2" && realpath "$2")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=rpl-$version-linux-x86_64
made=$(git log -1 --format=%ct 2>/dev/null || echo 0)
HEADERS=(libboost1.81-dev libcli11-dev nlohmann-json3-dev tao-pegtl-dev)  # that leave no archive
C_LIBRARIES=(libc6-dev libstdc++-12-dev libgcc-12-dev)

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# The Debian packages of which something is in the program: those of the archives that it is linked
# with, and those of which we take headers.
linked_packages() {
  {
    ninja -C "$build" -t commands rpl | tail -n 1 | tr ' ' '\n' | grep '^/usr/.*\.a$' | sort -u |
      xargs -r dpkg -S | sed 's/:.*//'
    printf '%s\n' libfmt-dev libhowardhinnant-date-dev libmimalloc-dev "${HEADERS[@]}" "${C_LIBRARIES[@]}"
  } | sort -u | while read -r package; do
    if dpkg -s "$package" >/dev/null 2>&1; then printf '%s\n' "$package"; fi
  done
}

# SPDX 2.3, of packages on standard input.
bill() {
  local first=yes package source version_of
  printf '{"spdxVersion":"SPDX-2.3","dataLicense":"CC0-1.0","SPDXID":"SPDXRef-DOCUMENT",'
  printf '"name":"%s","documentNamespace":"https://rpl.invalid/spdx/%s",' "$name" "$name"
  printf '"creationInfo":{"created":"%s","creators":["Tool: packaging/release.sh"]},\n' \
    "$(date -u -d "@$made" +%FT%TZ)"
  printf '"packages":[\n{"name":"rpl","SPDXID":"SPDXRef-rpl","versionInfo":"%s",' "$version"
  printf '"downloadLocation":"NOASSERTION","licenseConcluded":"Apache-2.0","licenseDeclared":"Apache-2.0"}'
  while read -r package; do
    source=$(dpkg-query -W -f '${source:Package}' "$package")
    version_of=$(dpkg-query -W -f '${source:Version}' "$package")
    printf ',\n{"name":"%s","SPDXID":"SPDXRef-%s","versionInfo":"%s",' "$source" \
      "${package//[^A-Za-z0-9.-]/-}" "$version_of"
    printf '"downloadLocation":"NOASSERTION","licenseConcluded":"NOASSERTION","licenseDeclared":"NOASSERTION",'
    printf '"comment":"Debian package %s; its licences are in licences/%s"}' "$package" "$package"
  done <"$stage/linked"
  printf '],\n"relationships":[\n{"spdxElementId":"SPDXRef-DOCUMENT","relationshipType":"DESCRIBES","relatedSpdxElement":"SPDXRef-rpl"}'
  while read -r package; do
    printf ',\n{"spdxElementId":"SPDXRef-rpl","relationshipType":"STATIC_LINK","relatedSpdxElement":"SPDXRef-%s"}' \
      "${package//[^A-Za-z0-9.-]/-}"
  done <"$stage/linked"
  printf ']}\n'
}

# pack FILE FOLDER: the folder of $stage as a tarball, always with the same bytes.
pack() {
  tar -C "$stage" --sort=name --mtime="@$made" --owner=0 --group=0 --numeric-owner -cf - "$2" |
    gzip -9n >"$folder/$1"
}

linked_packages >"$stage/linked"
root=$stage/$name
mkdir -p "$root/licences"
install -m 755 "$build/rpl" "$root/rpl"
strip "$root/rpl"
install -m 644 LICENSE README.md "$root"
while read -r package; do
  install -m 644 "/usr/share/doc/$package/copyright" "$root/licences/$package"
done <"$stage/linked"
bill >"$root/sbom.spdx.json"
python3 -m json.tool "$root/sbom.spdx.json" >/dev/null

package=$stage/package
mkdir -p "$package/bin"
cp "$root/rpl" "$package/bin/rpl"
cp -r "$root/licences" "$root/LICENSE" "$root/sbom.spdx.json" "$package"
sed "s/@VERSION@/$version/" packaging/npm/package.json >"$package/package.json"
cp packaging/npm/{README.md,index.mjs,index.d.ts,program.mjs} "$package"
wheel=$(packaging/wheel.py "$root/rpl" "$version" manylinux_2_17_x86_64 "$made" "$folder" \
  LICENSE "$root/licences" "$root/sbom.spdx.json")

cp -r examples "$root"
rm -rf "$root/examples/embed"
mkdir -p "$root/man" "$root/completions"
for command in $("$root/rpl" reference commands) ''; do
  "$root/rpl" reference man ${command:+"$command"} >"$root/man/rpl${command:+-$command}.1"
done
for shell in bash zsh fish; do "$root/rpl" completion $shell >"$root/completions/rpl.$shell"; done

pack "$name.tar.gz" "$name"
pack "rpl-engine-$version.tgz" package
files=("$name.tar.gz" "rpl-engine-$version.tgz" "$wheel")
(cd "$folder" && sha256sum "${files[@]}" >SHA256SUMS)
(cd "$folder" && ls -l "${files[@]}") | awk '{ print $5, $9 }'
