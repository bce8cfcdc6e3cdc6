#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/release.sh BUILD FOLDER [ARM64 [WASM]]
#
# In FOLDER, of the static program in the folder BUILD, and of that for arm64 in the folder ARM64
# (packaging/arm64.sh; "" for none):
#
#   rpl-VERSION-linux-MACHINE.tar.gz     the program with its pages, examples, man pages and completions
#   rpl_engine-VERSION-….whl             the program with its module for Python
#   rpl-engine-linux-SYSTEM-VERSION.tgz  the program as the package @rpl-engine/linux-SYSTEM of npm
#   rpl-engine-VERSION.tgz               the package of npm that finds the program of its system, with
#                                        the module of WebAssembly in the folder WASM, if it is there
#
# and SHA256SUMS. Each program comes with shfmt, a list of what is linked (SPDX) and the licences.
# The same programs give the same bytes.
set -euo pipefail
build=$(realpath "$1")
folder=$(mkdir -p "$2" && realpath "$2")
arm64=${3:+$(realpath "$3")}
wasm=$(realpath -m "${4:-build/wasm}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
made=$(git log -1 --format=%ct 2>/dev/null || echo 0)
HEADERS=(libboost1.81-dev libcli11-dev nlohmann-json3-dev tao-pegtl-dev)  # that leave no archive
# Those made by packaging/static_libraries.sh, and those that the linker finds by `-l`.
OWN_ARCHIVES=(libc-ares-dev libcurl4-openssl-dev libfmt-dev libhowardhinnant-date-dev libmimalloc-dev libssl-dev)
C_LIBRARIES=(libc6-dev libgcc-12-dev libstdc++-12-dev)
WASM_LIBRARIES=(libfmt-dev libgmp-dev libhowardhinnant-date-dev libre2-dev libsodium-dev libutf8proc-dev
  libyaml-cpp-dev nlohmann-json3-dev tao-pegtl-dev zlib1g-dev)

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
files=()

# installed FORMAT PACKAGE: what dpkg knows of a package in $root; fails if it is not installed.
installed() { dpkg-query --admindir="$root/var/lib/dpkg" -W -f "$1" "$2" 2>/dev/null; }

# The Debian packages of which something is in the program: those of the archives that it is linked
# with, and those of which we take headers. Standard input has the command that linked it.
linked_packages() {
  {
    tr ' ' '\n' | grep '^/usr/.*\.a$' | sort -u |
      xargs -r dpkg-query --admindir="$root/var/lib/dpkg" -S | sed 's/:.*//'
    printf '%s\n' "${OWN_ARCHIVES[@]}" "${HEADERS[@]}" "${C_LIBRARIES[@]}" "${C_LIBRARIES[@]/%/-arm64-cross}"
  } | sort -u | while read -r package; do
    if [[ -n $(installed '${Package}' "$package") ]]; then printf '%s\n' "$package"; fi
  done
}

# licences_of FOLDER PACKAGE…: their copyright files, from $root.
licences_of() {
  local to=$1 package
  shift
  mkdir -p "$to"
  for package in "$@"; do install -m 644 "$root/usr/share/doc/$package/copyright" "$to/$package"; done
}

# bill NAME PACKAGE…: SPDX 2.3. shfmt is a program of its own.
bill() {
  local name=$1 package relation
  shift
  printf '{"spdxVersion":"SPDX-2.3","dataLicense":"CC0-1.0","SPDXID":"SPDXRef-DOCUMENT",'
  printf '"name":"%s","documentNamespace":"https://rpl.invalid/spdx/%s",' "$name" "$name"
  printf '"creationInfo":{"created":"%s","creators":["Tool: packaging/release.sh"]},\n' \
    "$(date -u -d "@$made" +%FT%TZ)"
  printf '"packages":[\n{"name":"rpl","SPDXID":"SPDXRef-rpl","versionInfo":"%s",' "$version"
  printf '"downloadLocation":"NOASSERTION","licenseConcluded":"Apache-2.0","licenseDeclared":"Apache-2.0"}'
  for package in "$@"; do
    printf ',\n{"name":"%s","SPDXID":"SPDXRef-%s","versionInfo":"%s",' \
      "$(installed '${source:Package}' "$package")" "${package//[^A-Za-z0-9.-]/-}" \
      "$(installed '${source:Version}' "$package")"
    printf '"downloadLocation":"NOASSERTION","licenseConcluded":"NOASSERTION","licenseDeclared":"NOASSERTION",'
    printf '"comment":"Debian package %s; its licences are in licences/%s"}' "$package" "$package"
  done
  printf '],\n"relationships":[\n{"spdxElementId":"SPDXRef-DOCUMENT","relationshipType":"DESCRIBES","relatedSpdxElement":"SPDXRef-rpl"}'
  for package in "$@"; do
    if [[ $package == shfmt ]]; then
      printf ',\n{"spdxElementId":"SPDXRef-shfmt","relationshipType":"RUNTIME_DEPENDENCY_OF","relatedSpdxElement":"SPDXRef-rpl"}'
      continue
    fi
    printf ',\n{"spdxElementId":"SPDXRef-rpl","relationshipType":"STATIC_LINK","relatedSpdxElement":"SPDXRef-%s"}' \
      "${package//[^A-Za-z0-9.-]/-}"
  done
  printf ']}\n'
}

# pack FILE FOLDER: the folder of $stage as a tarball, always with the same bytes.
pack() {
  tar -C "$stage" --sort=name --mtime="@$made" --owner=0 --group=0 --numeric-owner -cf - "$2" |
    gzip -9n >"$folder/$1"
  files+=("$1")
}

# fill FILE NAME=VALUE…: the file with @NAME@ replaced.
fill() {
  local edits=() pair
  for pair in "${@:2}"; do edits+=(-e "s|@${pair%%=*}@|${pair#*=}|g"); done
  sed "${edits[@]}" "$1"
}

# for_system MACHINE SYSTEM PROGRAM SHFMT: all packages with the program. $root has the Debian packages
# that it was made of; standard input has the command that linked it.
for_system() {
  local machine=$1 system=$2 program=$3 shfmt=$4 name=rpl-$version-linux-$1 top linked wheel
  top=$stage/$name
  mapfile -t linked < <(linked_packages && echo shfmt)
  mkdir -p "$top"
  install -m 755 "$program" "$top/rpl"
  install -m 755 "$shfmt" "$top/shfmt"
  [[ $machine != "$(uname -m)" ]] || strip "$top/rpl"
  install -m 644 LICENSE "$top"
  licences_of "$top/licences" "${linked[@]}"
  bill "$name" "${linked[@]}" >"$top/sbom.spdx.json"
  python3 -m json.tool "$top/sbom.spdx.json" >/dev/null

  local package=$stage/$system/package
  mkdir -p "$package/bin"
  cp "$top"/{rpl,shfmt} "$package/bin"
  cp -r "$top"/{licences,LICENSE,sbom.spdx.json} "$package"
  local words=(VERSION="$version" SYSTEM="linux-$system" OS=linux CPU="$system" MACHINE="$machine")
  fill packaging/npm/system/package.json "${words[@]}" >"$package/package.json"
  fill packaging/npm/system/README.md "${words[@]}" >"$package/README.md"
  wheel=$(packaging/wheel.py "$package/bin" "$version" "manylinux_2_17_$machine" "$made" "$folder" \
    LICENSE "$top/licences" "$top/sbom.spdx.json")
  files+=("$wheel")

  fill packaging/tarball/README.md "${words[@]}" >"$top/README.md"
  # Every program prints the same; this one runs here.
  local native=$build/rpl
  mkdir -p "$top/man" "$top/completions"
  for command in $("$native" reference commands) ''; do
    "$native" reference man ${command:+"$command"} >"$top/man/rpl${command:+-$command}.1"
  done
  for shell in bash zsh fish; do "$native" completion $shell >"$top/completions/rpl.$shell"; done
  packaging/pages.py "$top"
  pack "$name.tar.gz" "$name"
  tar -C "$stage/$system" --sort=name --mtime="@$made" --owner=0 --group=0 --numeric-owner -cf - package |
    gzip -9n >"$folder/rpl-engine-linux-$system-$version.tgz"
  files+=("rpl-engine-linux-$system-$version.tgz")
}

launcher() {
  local package=$stage/package
  mkdir -p "$package"
  cp -r packaging/npm/{bin,index.d.ts,index.mjs,portable.mjs,program.mjs,wasm.mjs,README.md} LICENSE "$package"
  fill packaging/npm/package.json VERSION="$version" >"$package/package.json"
  if [[ -f $wasm/rpl.wasm ]]; then
    mkdir -p "$package/wasm"
    install -m 644 "$wasm"/rpl.{wasm,mjs} "$package/wasm"
    licences_of "$package/licences" "${WASM_LIBRARIES[@]}"
    if [[ -f $wasm/emscripten.copyright ]]; then
      install -m 644 "$wasm/emscripten.copyright" "$package/licences/emscripten"
    fi
  else
    echo "release: the package of npm has no module of WebAssembly: there is no $wasm/rpl.wasm" >&2
  fi
  pack "rpl-engine-$version.tgz" package
}

rm -f "$folder"/*.{tar.gz,tgz,whl}
root=''
for_system x86_64 x64 "$build/rpl" /usr/bin/shfmt < <(ninja -C "$build" -t commands rpl | tail -n 1)
launcher
if [[ -n $arm64 ]]; then
  root=$arm64/root
  for_system aarch64 arm64 "$arm64/rpl" "$arm64/shfmt" <"$arm64/link"
fi
(cd "$folder" && sha256sum "${files[@]}" >SHA256SUMS)
(cd "$folder" && ls -l "${files[@]}") | awk '{ print $5, $9 }'
