#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/wasm/libraries.sh PREFIX
#
# In a root of Debian 13 with emscripten: the libraries that the engine is linked with, compiled to
# WebAssembly from Debian's sources, in PREFIX. The versions are those of Debian 12, which the
# native program is built with, so that both print the same bytes.
set -euo pipefail
prefix=$1
sources=$(mktemp -d)
trap 'rm -rf "$sources"' EXIT
cd "$sources"
flags=(-O2 -fwasm-exceptions)
export CFLAGS="${flags[*]}" CXXFLAGS="${flags[*]}"

# get PACKAGE [VERSION]: its sources, in a folder of its name.
get() {
  apt-get source -qq --download-only -o APT::Sandbox::User=root "$1${2:+=$2}"
  dpkg-source --no-check -x "$1"_*.dsc "$1" >/dev/null
}

# build_with_cmake FOLDER OPTION…
build_with_cmake() {
  local folder=$1
  shift
  emcmake cmake -S "$folder" -B "$folder/wasm" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@" >/dev/null
  ninja -C "$folder/wasm" install >/dev/null
}

mkdir -p "$prefix/include" "$prefix/lib"
# Libraries of headers alone come from Debian's packages.
cp -r /usr/include/date /usr/include/nlohmann /usr/include/tao "$prefix/include"

get fmtlib 9.1.0+ds1-2
build_with_cmake fmtlib -DFMT_TEST=OFF -DFMT_DOC=OFF

get re2 20220601+dfsg-1
make -s -C re2 REBUILD_TABLES=1 re2/{perl_groups,unicode_casefold,unicode_groups}.cc
build_with_cmake re2 -DRE2_BUILD_TESTING=OFF

get yaml-cpp 0.7.0+dfsg-8
build_with_cmake yaml-cpp -DYAML_CPP_BUILD_TESTS=OFF -DYAML_CPP_BUILD_TOOLS=OFF

get utf8proc 2.8.0-1
emcc "${flags[@]}" -DUTF8PROC_STATIC -c utf8proc/utf8proc.c -o utf8proc.o
emar rcs "$prefix/lib/libutf8proc.a" utf8proc.o
cp utf8proc/utf8proc.h "$prefix/include"

get zlib 1:1.2.13.dfsg-1
(cd zlib && emcc "${flags[@]}" -c adler32.c compress.c crc32.c deflate.c inffast.c inflate.c \
  inftrees.c trees.c uncompr.c zutil.c && emar rcs "$prefix/lib/libz.a" ./*.o)
cp zlib/{zlib,zconf}.h "$prefix/include"

# The part of GMP that needs no assembler. A limb is a word of 64 bits, as in the native library.
get gmp
emcc "${flags[@]}" '-DMINI_GMP_LIMB_TYPE=long long' -c gmp/mini-gmp/mini-gmp.c -o mini-gmp.o
emar rcs "$prefix/lib/libgmp.a" mini-gmp.o
{
  printf '#define MINI_GMP_LIMB_TYPE long long\n'
  cat gmp/mini-gmp/mini-gmp.h
} >"$prefix/include/gmp.h"

get libsodium
(cd libsodium && autoreconf -fi >/dev/null 2>&1 && emconfigure ./configure --prefix="$prefix" --disable-shared --disable-ssp \
  --disable-asm --disable-pie >/dev/null && emmake make -j2 install >/dev/null)
