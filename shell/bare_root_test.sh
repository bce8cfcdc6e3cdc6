#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/bare_root_test.sh FOLDER
#
# The Debian packages in FOLDER, installed where nothing else is: in a bare root of the release
# that runs here, with the compiler, CMake and make of somebody who embeds the engine. Whatever
# else examples/embed needs must come with the packages' own dependencies.
#
# debootstrap makes the root from the mirror of apt, once: it is kept in build/bare-root.tar for
# a month, and each run unpacks it below build/ and removes it again. Without root or without a
# mirror nothing is tested, and a line says why. The last line is `N passed, N failed`.
set -uo pipefail
packages=$(realpath "${1:?usage: bare_root_test.sh FOLDER}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
architecture=$(dpkg --print-architecture)
archive=build/bare-root.tar
TOOLS=(cmake g++ make)

skip() {
  printf 'bare root: not tested: %s\n' "$1"
  finish
  exit
}

((EUID == 0)) || skip "it takes root to make one"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")

# The suites of this release that apt has here, as lines of a sources.list.
suites() {
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' | sed -n "s/^Debian \(deb [^ ]* $codename\(-updates\|-security\)\? .*\)/\1/p"
}
mapfile -t sources < <(suites)
((${#sources[@]})) || skip "apt has no packages of Debian ${codename:-} here"
mirror=$(printf '%s\n' "${sources[@]}" | sed -n "s/^deb \([^ ]*\) $codename main$/\1/p" | head -n 1)

mkdir -p build
root=$(mktemp -d "$PWD/build/bare-root.XXXXXX")
trap 'rm -rf --one-file-system "$root"; rm -rf "$folder"' EXIT

# Nothing of this machine gets in but its mirror, and the ways to it.
in_root() {
  chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
install() { in_root apt-get install -y --no-install-recommends "$@"; }

make_root() {
  debootstrap --variant=minbase "$codename" "$root" "$mirror" &&
    printf '%s\n' "${sources[@]}" >"$root/etc/apt/sources.list" &&
    apt-config dump | grep -E '^Acquire::(https?|Check-Valid-Until|Retries)' \
      >"$root/etc/apt/apt.conf.d/90mirror"
  in_root apt-get update && install "${TOOLS[@]}" && in_root apt-get clean &&
    tar -C "$root" -cf "$archive.new" . && mv "$archive.new" "$archive"
}

if [[ -n $(find "$archive" -mtime -30 2>/dev/null) ]]; then
  tar -C "$root" -xf "$archive" || skip "$archive cannot be unpacked"
  cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null
  in_root apt-get update >"$folder/log" 2>&1 || skip "the mirror does not answer: $(tail -n 1 "$folder/log")"
else
  printf 'bare root: making it, once\n'
  make_root >"$folder/log" 2>&1 || skip "it cannot be made: $(tail -n 1 "$folder/log")"
fi

is_bare() {
  local found
  found=$(in_root dpkg-query -W -f '${Package}\n' | grep -E '^lib(fmt|re2|sodium|sqlite3|uv1|yaml-cpp|howardhinnant-date)-?.*dev$')
  printf '%s\n' "$found"
  [[ -z $found ]]
}

install_package() {
  cp "$packages/$1_${version}_$architecture.deb" "$root/root" &&
    install "/root/$1_${version}_$architecture.deb"
}

embed() {
  cp -r examples/embed "$root/root/embed" &&
    in_root cmake -S /root/embed -B /root/build &&
    in_root cmake --build /root/build
}

run_embedded() {
  in_root /root/build/returns_desk /root/embed/returns.md | diff examples/embed/output.txt -
}

run_example() {
  printf 'doc-42\nclarity\n' |
    in_root rpl run /usr/share/doc/rpl-engine/examples/collaborative-editing.md
}

check "the root has nothing of what the library is linked with" is_bare
check "the library is installed with its dependencies alone" install_package librpl-engine-dev
check "examples/embed is built with it" embed
check "and prints examples/embed/output.txt" run_embedded
check "the program is installed with its dependencies alone" install_package rpl-engine
check "and runs an example" run_example

finish
