#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/arm64.sh BUILD
#
# In the folder BUILD: rpl and shfmt for Linux on arm64, linked statically. The compiler and the
# archives for arm64 are in a root of Debian 12, which debootstrap makes from the suites of apt of
# this machine and which is kept in BUILD/root; so this machine needs no second architecture. To be
# run as root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source=$PWD
build=$(mkdir -p "$1" && realpath "$1")
root=$build/root
# Of the packages that the program is made of, those with headers and archives are those of arm64.
mapfile -t packages < <(./dev packages run | sed 's/^z\?lib.*-dev$/&:arm64/; /^\(cmake\|g++\|shfmt\|tzdata\)$/d')
packages+=(cmake dpkg-dev g++-aarch64-linux-gnu libc-ares-dev:arm64 libssl-dev:arm64 shfmt:arm64)

say() { printf 'arm64: %s\n' "$*"; }

make_root() {
  local sources mirror
  # shellcheck disable=SC2016
  sources=$(apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' | sed -n 's/^Debian \(deb [^ ]* bookworm\(-updates\|-security\)\? .*\)/\1/p')
  mirror=$(sed -n 's/^deb \([^ ]*\) bookworm main$/\1/p' <<<"$sources" | head -n 1)
  [[ -n $mirror ]] || { say "apt has no mirror of Debian 12"; exit 1; }
  say "a root of Debian 12 with a compiler for arm64, once"
  rm -rf --one-file-system "$root"
  debootstrap --variant=minbase bookworm "$root" "$mirror" >"$build/debootstrap.log" 2>&1
  cp /etc/resolv.conf "$root/etc"
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
  printf '%s\n' "$sources" >"$root/etc/apt/sources.list"
}

install_packages() {
  say "its packages, once"
  # shellcheck disable=SC2016
  chroot "$root" sh -c 'dpkg --add-architecture arm64 && apt-get update &&
    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"' - "${packages[@]}" \
    >"$build/packages.log" 2>&1 || { tail -n 20 "$build/packages.log"; exit 1; }
  printf '%s\n' "${packages[*]}" >"$root/installed"
}

within() {
  chroot "$root" env -C / HOME=/root CC=aarch64-linux-gnu-gcc CXX=aarch64-linux-gnu-g++ \
    AR=aarch64-linux-gnu-ar CURL_SYSTEM=aarch64 \
    PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig "$@"
}

end() {
  for place in rpl arm64 proc; do
    if mountpoint -q "$root/$place"; then umount "$root/$place"; fi
  done
}
trap end EXIT

[[ -e $root/etc/apt/sources.list && -e $root/etc/debian_version ]] || make_root
[[ $(cat "$root/installed" 2>/dev/null) == "${packages[*]}" ]] || install_packages
mkdir -p "$root/rpl" "$root/arm64" "$build/objects"
mount -t proc proc "$root/proc"
mount --bind "$source" "$root/rpl"
mount --bind "$build/objects" "$root/arm64"

say "the libraries"
within bash /rpl/packaging/static_libraries.sh /arm64/libraries >"$build/libraries.log" 2>&1 ||
  { tail -n 20 "$build/libraries.log"; exit 1; }
say "the program"
if [[ ! -f $build/objects/build.ninja ]]; then
  within cmake -S /rpl -B /arm64 -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DRPL_TESTS=OFF \
    -DRPL_STATIC=/arm64/libraries -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    >"$build/cmake.log" 2>&1 || { tail -n 20 "$build/cmake.log"; exit 1; }
fi
within ninja -C /arm64 rpl >"$build/ninja.log" 2>&1 || { grep -m 20 'error' "$build/ninja.log"; exit 1; }
within ninja -C /arm64 -t commands rpl | tail -n 1 >"$build/link"
cp "$root/usr/bin/shfmt" "$build/shfmt"
within aarch64-linux-gnu-strip -o /arm64/rpl.stripped /arm64/rpl
mv "$build/objects/rpl.stripped" "$build/rpl"
say "rpl: $(stat -c %s "$build/rpl") bytes"
