#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/release_test.sh FOLDER
#
# The tarball and the npm package in FOLDER: what is in them, and the program in bare roots of Debian
# 11, 12 and 13, in which nothing of it is installed. Roots are made by debootstrap from the mirror of
# apt and kept in build/ for a month; a line says which could not be made. The last line is
# `N passed, N failed`.
set -uo pipefail
release=$(realpath "${1:?usage: release_test.sh FOLDER}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh
project=$PWD
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

check "the checksums" bash -c "cd '$release' && sha256sum --check --quiet SHA256SUMS"
tar -xf "$release"/rpl-*-linux-x86_64.tar.gz && mv rpl-*-linux-x86_64 tarball
tar -xf "$release"/rpl-engine-*.tgz
# This is what ldd says of static-pie; of a program linked with -static, "not a dynamic executable".
same "no shared library is needed, nor a fixed address" "	statically linked" "$(ldd tarball/rpl 2>&1)"
same "both have the same program" "$(sha256sum <tarball/rpl)" "$(sha256sum <package/bin/rpl)"
check "the list of what is linked is JSON" python3 -m json.tool tarball/sbom.spdx.json
for library in gmp re2 sqlite3 uv1 yaml-cpp fmt mimalloc; do
  if compgen -G "tarball/licences/lib$library*" >/dev/null; then pass; else failure "no licence of $library"; fi
done
if command -v npx >/dev/null && npx --version >/dev/null 2>&1; then
  expect "npx runs the package" 0 "rpl $(tarball/rpl --version | cut -d ' ' -f 2)" '' \
    sh -c 'cp "$1"/rpl-engine-*.tgz . && npx --yes ./rpl-engine-*.tgz --version' - "$release"
fi

# --- In bare roots ----------------------------------------------------------------------------------

mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' |
  sed -n 's/^Debian \([^ ]*\) [a-z]*$/\1/p' | head -n 1)
mkdir -p "$project/build"

# root CODENAME: a bare root in ./CODENAME, or a line that says why there is none.
root() {
  local archive=$project/build/release-root-$1.tar
  mkdir "$1"
  if [[ -z $(find "$archive" -mtime -30 2>/dev/null) ]]; then
    ((EUID == 0)) && command -v debootstrap >/dev/null && [[ -n $mirror ]] ||
      { echo "release: not tested on $1: no root, debootstrap or mirror"; return 1; }
    debootstrap --variant=minbase "$1" "$1" "$mirror" >debootstrap.log 2>&1 ||
      { echo "release: not tested on $1: $(tail -n 1 debootstrap.log)"; return 1; }
    tar -C "$1" -cf "$archive.new" . && mv "$archive.new" "$archive"
    return
  fi
  tar -C "$1" -xf "$archive"
}

# in_root COMMAND…: in the root $codename, with a /proc, which ends with the command.
in_root() {
  unshare --mount sh -c 'mount -t proc proc "$1/proc" && root=$1 && shift && exec chroot "$root" "$@"' - \
    "$codename" env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

for codename in bullseye bookworm trixie; do
  root "$codename" || continue
  cp -r tarball "$codename/rpl"
  expect "$codename: the version" 0 '*' '' in_root /rpl/rpl --version
  expect "$codename: a query" 0 6 '' in_root /rpl/rpl query 'std#sum([1 2 3], ?n)'
  printf 'version: 1\ntools: {t: {command: [sh, t.sh], permission: allow}}\n' >"$codename/rpl.yaml"
  cat >"$codename/t.sh" <<'END'
read -r request
id=${request#*\"id\":\"}
echo "{\"id\":\"${id%%\"*}\",\"result\":7}"
END
  echo '% <- $t() ^ ~ {:result ?r}, $json(?r)' >"$codename/tool.rpl"
  expect "$codename: a tool" 0 7 '' in_root sh -c 'cd / && /rpl/rpl run tool.rpl --session s.rpls --allow-tool t'
  expect "$codename: a session" 0 '*' '' in_root /rpl/rpl trace verify /s.rpls
done
finish
