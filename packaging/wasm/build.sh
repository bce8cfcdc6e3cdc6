#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/wasm/build.sh BUILD
#
# In the folder BUILD: rpl.mjs and rpl.wasm, the language as a module of WebAssembly with its types
# (rpl.d.mts), and rpl_scripts.js, which runs test scripts with it in node.
#
# The compiler is emscripten in a root of Debian 13, because that of Debian 12 is too old. The root
# is made by debootstrap, with the libraries compiled (packaging/wasm/libraries.sh), and kept in
# BUILD/root. To be run as root.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source=$PWD
build=$(mkdir -p "$1" && realpath "$1")
root=$build/root
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  sed -n 's/^Debian \([^ ]*\) [a-z]*$/\1/p' | head -n 1)

say() { printf 'wasm: %s\n' "$*"; }

make_root() {
  say "a root of Debian 13 with emscripten, once"
  rm -rf "$root"
  debootstrap --variant=minbase trixie "$root" "$mirror" >"$build/debootstrap.log" 2>&1
  cp /etc/resolv.conf "$root/etc"
  cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d"
  {
    echo "deb $mirror trixie main"
    echo "deb-src $mirror trixie main"
    echo "deb-src $mirror bookworm main"
  } >"$root/etc/apt/sources.list"
  chroot "$root" sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y \
    --no-install-recommends automake cmake dpkg-dev emscripten libhowardhinnant-date-dev libtool \
    make ninja-build nlohmann-json3-dev perl pkgconf python3-six tao-pegtl-dev unicode-data \
    xz-utils' >"$build/packages.log" 2>&1
}

within() { chroot "$root" env -C / HOME=/root "$@"; }

end() {
  for place in rpl wasm proc; do
    if mountpoint -q "$root/$place"; then umount "$root/$place"; fi
  done
}
trap end EXIT

if [[ ! -e $root/usr/bin/emcc ]]; then make_root; fi
mkdir -p "$root/rpl" "$root/wasm" "$build/objects"
mount -t proc proc "$root/proc"
mount --bind "$source" "$root/rpl"
mount --bind "$build/objects" "$root/wasm"

if [[ ! -e $root/opt/rpl/done || packaging/wasm/libraries.sh -nt $root/opt/rpl/done ]]; then
  say "the libraries, once"
  within bash /rpl/packaging/wasm/libraries.sh /opt/rpl >"$build/libraries.log" 2>&1
  touch "$root/opt/rpl/done"
fi
say "the language"
within emcmake cmake -S /rpl -B /wasm -G Ninja -DRPL_WASM_LIBRARIES=/opt/rpl \
  -DCMAKE_UNITY_BUILD=ON >"$build/cmake.log" 2>&1
within ninja -C /wasm >"$build/ninja.log" 2>&1 || { grep -m 20 'error' "$build/ninja.log"; exit 1; }
cp "$build/objects"/rpl.{mjs,wasm} "$build/objects"/rpl_scripts.{js,wasm} "$build"
cp packaging/wasm/rpl.d.mts "$build"
cp "$root/usr/share/doc/emscripten/copyright" "$build/emscripten.copyright"
for file in rpl.wasm rpl.mjs; do
  say "$file: $(stat -c %s "$build/$file") bytes, $(gzip -9c "$build/$file" | wc -c) with gzip"
done
