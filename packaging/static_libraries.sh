#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: packaging/static_libraries.sh FOLDER
#
# Archives of the libraries of which Debian has only shared ones, made in FOLDER from Debian's own
# sources of the same versions: libfmt.a, libdate-tz.a and libmimalloc.a; and libcurl.a with HTTP and
# HTTPS alone, because Debian's archive of it needs twenty others. What is there is kept. CC, CXX and
# AR name the tools of another architecture (packaging/arm64.sh).
set -euo pipefail
folder=$(mkdir -p "$1" && realpath "$1")
cd "$folder"
export CC=${CC:-gcc} CXX=${CXX:-g++} AR=${AR:-ar}

# The lists of sources, in a folder of their own: apt of this machine need not have them.
apt_sources() {
  local from
  mkdir -p lists/partial parts
  for from in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    [[ -f $from ]] || continue
    case $from in
      *.sources) sed 's/^Types:.*/Types: deb-src/' "$from" >"parts/${from##*/}" ;;
      *) sed -n 's/^deb /deb-src /p' "$from" >"parts/${from##*/}" ;;
    esac
  done
  APT=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$PWD/parts"
    -o Dir::State::lists="$PWD/lists" -o APT::Sandbox::User=root -o Acquire::Languages=none)
  apt-get "${APT[@]}" update
}

# source_of PACKAGE: its source of the version that is installed, unpacked into a folder of that name.
source_of() {
  local package=$1 source version
  read -r source version < <(dpkg-query -W -f '${source:Package} ${source:Version}\n' "$package")
  [[ ${#APT[@]} != 0 ]] || apt_sources
  rm -rf "$source"-* "$source"
  apt-get "${APT[@]}" source --download-only "$source=$version"
  dpkg-source --no-check --extract "${source}_${version#*:}.dsc" "$source"
}
APT=()

# archive NAME FLAGS… -- SOURCES…
archive() {
  local name=$1 flags=() at=0 part
  shift
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  rm -f "$name.new"
  for part in "$@"; do
    case $part in
      *.c) "$CC" -O2 -fPIC "${flags[@]}" -c "$part" -o "$name.$at.o" ;;
      *) "$CXX" -std=c++17 -O2 -fPIC "${flags[@]}" -c "$part" -o "$name.$at.o" ;;
    esac
    "$AR" -rc "$name.new" "$name.$at.o"
    at=$((at + 1))
  done
  "$AR" -s "$name.new"
  mv "$name.new" "$name"
}

if [[ ! -f libfmt.a ]]; then
  source_of libfmt-dev
  archive libfmt.a -Ifmtlib/include -- fmtlib/src/format.cc fmtlib/src/os.cc
fi
if [[ ! -f libdate-tz.a ]]; then
  source_of libhowardhinnant-date-dev
  # As Debian compiles it: zones are those of the system.
  archive libdate-tz.a -Ihowardhinnant-date/include -DUSE_OS_TZDB=1 -DONLY_C_LOCALE=1 \
    -DHAS_STRING_VIEW=1 -- howardhinnant-date/src/tz.cpp
fi
if [[ ! -f libmimalloc.a ]]; then
  source_of libmimalloc-dev
  archive libmimalloc.a -Imimalloc/include -DNDEBUG -DMI_MALLOC_OVERRIDE -fno-builtin-malloc \
    -ftls-model=initial-exec -- mimalloc/src/static.c
fi
if [[ ! -f libcurl.a ]]; then
  source_of libcurl4-openssl-dev
  # Names are resolved by c-ares: getaddrinfo of a static program would load the modules of the C
  # library that runs. Certificates are named by runtime/tools/mcp_http.cc.
  cmake -S curl -B curl/made -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$CC" \
    ${CURL_SYSTEM:+"-DCMAKE_SYSTEM_NAME=Linux" "-DCMAKE_SYSTEM_PROCESSOR=$CURL_SYSTEM"} \
    -DCMAKE_POSITION_INDEPENDENT_CODE=ON -DBUILD_SHARED_LIBS=OFF -DBUILD_CURL_EXE=OFF -DBUILD_TESTING=OFF \
    -DHTTP_ONLY=ON -DENABLE_ARES=ON -DENABLE_MANUAL=OFF -DENABLE_UNIX_SOCKETS=OFF -DHAVE_POLL_FINE=1 \
    -DCURL_USE_OPENSSL=ON -DCURL_DISABLE_OPENSSL_AUTO_LOAD_CONFIG=ON -DCURL_CA_BUNDLE=none -DCURL_CA_PATH=none \
    -DCURL_USE_LIBSSH2=OFF -DCURL_ZLIB=OFF -DUSE_LIBIDN2=OFF -DCURL_DISABLE_ALTSVC=ON \
    -DCURL_DISABLE_COOKIES=ON -DCURL_DISABLE_DOH=ON -DCURL_DISABLE_HSTS=ON -DCURL_DISABLE_NETRC=ON \
    -DCURL_DISABLE_NTLM=ON
  ninja -C curl/made
  mv curl/made/lib/libcurl.a .
fi
