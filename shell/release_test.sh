#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/release_test.sh FOLDER
#
# The packages in FOLDER (packaging/release.sh): what is in them; those of npm, by shell/npm_test.sh;
# MCP servers at addresses, by shell/mcp_tools_test.sh; and the program in bare roots of Debian 11, 12
# and 13. Programs for arm64 are run by qemu. A line says which roots could not be made. The last line
# is `N passed, N failed`.
set -uo pipefail
release=$(realpath "${1:?usage: release_test.sh FOLDER}")
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/expect.sh
project=$PWD
. shell/bare_roots.sh
TYPESCRIPT=typescript@5.9.3
version=$(sed -n 's/^project(rpl VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
mkdir -p build
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state

# counted NAME COMMAND…: another test, whose last line is counted.
counted() {
  local name=$1 last
  shift
  "$@" >counted.log 2>&1 || true
  head -n -1 counted.log
  read -r last < <(tail -n 1 counted.log)
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else failure "$name: it ended early" "$last"
  fi
}

check "the checksums" bash -c "cd '$release' && sha256sum --check --quiet SHA256SUMS"
# in_tarball FOLDER MACHINE SYSTEM: the packages of a program.
in_tarball() {
  local top=$1 machine=$2 system=$3 library
  tar -xf "$release/rpl-$version-linux-$machine.tar.gz" && mv "rpl-$version-linux-$machine" "$top"
  same "$machine: the package of npm has the same program" "$(sha256sum <"$top/rpl")" \
    "$(tar -xzOf "$release/rpl-engine-linux-$system-$version.tgz" package/bin/rpl | sha256sum)"
  same "$machine: the wheel has the same program" "$(sha256sum <"$top/rpl")" "$(python3 -m zipfile -e \
    "$release"/rpl_engine-*"_$machine.whl" wheel && sha256sum <wheel/rpl/bin/rpl)"
  check "$machine: the list of what is linked is JSON" python3 -m json.tool "$top/sbom.spdx.json"
  for library in gmp re2 sqlite3 uv1 yaml-cpp fmt mimalloc curl4 ssl c-ares stdc++ c6; do
    if compgen -G "$top/licences/lib$library*" >/dev/null; then pass; else failure "$machine: no licence of $library"; fi
  done
  if [[ -f $top/licences/shfmt && -x $top/shfmt ]]; then pass; else failure "$machine: no shfmt"; fi
}
in_tarball tarball x86_64 x64
# This is what ldd says of static-pie; of a program linked with -static, "not a dynamic executable".
same "no shared library is needed, nor a fixed address" "	statically linked" "$(ldd tarball/rpl 2>&1)"
for page in README.md docs/README.md docs/tutorial.md docs/errors.md examples/packing-list.md std/std.md; do
  check "$page is in the tarball" test -f "tarball/$page"
done
same "links of its pages lead to files" "" "$(python3 - tarball <<'END'
import re, sys
from pathlib import Path
for page in Path(sys.argv[1]).rglob("*.md"):
    text = re.sub(r"^(```|~~~).*?^\1[^\n]*$|(`+)(?!`).+?(?<!`)\2(?!`)(?!\])", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s#]+)", text):
        if not re.match("[a-z]+:", target) and not (page.parent / target).exists():
            print(page, target)
END
)"
expect "a page without network" 0 '*' '' unshare --net tarball/rpl help tutorial
expect "a finding" 0 '*' '' tarball/rpl help RPL2005
counted "MCP servers at addresses" "$project/shell/mcp_tools_test.sh" tarball/rpl
if command -v npm >/dev/null; then
  npm install --prefix "$project/build/typescript" --no-audit --no-fund --silent "$TYPESCRIPT" </dev/null
  counted "packages of npm" "$project/shell/npm_test.sh" "$release" "$project/build/typescript/node_modules/typescript"
else
  echo "release: the packages of npm are not tested: there is no npm"
fi

if [[ -f $release/rpl-$version-linux-aarch64.tar.gz ]]; then
  in_tarball arm64 aarch64 arm64
  emulated=(qemu-aarch64-static arm64/rpl)
  expect "arm64: the version" 0 "rpl $version" '' "${emulated[@]}" --version
  expect "arm64: an example" 0 "$(cat "$project/examples/packing-list.md.expected")" '' \
    "${emulated[@]}" run "$project/examples/packing-list.md" --answer choose=rain
  expect "arm64: a page" 0 '*' '' "${emulated[@]}" help RPL2005
  expect "arm64: shfmt" 0 'true' '' qemu-aarch64-static arm64/shfmt <<<true
fi

# --- In bare roots ----------------------------------------------------------------------------------

# A server of HTTP and one of HTTPS, with an authority of this test, for the roots.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
  -keyout tls.key -out ca.pem 2>/dev/null && cat tls.key ca.pem >tls.pem
servers=()
trap 'kill "${servers[@]}" 2>/dev/null; rm -rf "$folder"' EXIT
for way in http https; do
  options=(--http "$folder/$way")
  [[ $way == http ]] || options+=(--tls "$folder/tls.pem")
  python3 "$project/shell/mcp_server.py" "${options[@]}" >"$way.log" 2>&1 &
  servers+=($!)
  for ((i = 0; i < 500; i++)); do [[ -f $way ]] && break; sleep 0.02; done
done

for codename in bullseye bookworm trixie; do
  if ! why=$(bare_root "$codename" "$folder/$codename"); then
    echo "release: not tested on $codename: $why"
    continue
  fi
  cp -r tarball "$codename/rpl"
  expect "$codename: the version" 0 '*' '' in_root "$codename" /rpl/rpl --version
  expect "$codename: a query" 0 6 '' in_root "$codename" /rpl/rpl query 'std#sum([1 2 3], ?n)'
  cp ca.pem "$codename/ca.pem"
  cat >"$codename/rpl.yaml" <<END
version: 1
mcp:
  http: {url: 'http://localhost:$(cat http)/mcp', headers: {X-Key: k}}
  https: {url: 'https://localhost:$(cat https)/mcp', headers: {X-Key: k}}
tools:
  t: {command: [sh, t.sh], permission: allow}
  http-add: {mcp: http, tool: add, args: [a, b], permission: allow}
  https-add: {mcp: https, tool: add, args: [a, b], permission: allow}
END
  cat >"$codename/t.sh" <<'END'
read -r request
id=${request#*\"id\":\"}
echo "{\"id\":\"${id%%\"*}\",\"result\":7}"
END
  echo '% <- $t() ^ ~ {:result ?r}, $json(?r)' >"$codename/tool.rpl"
  expect "$codename: a tool" 0 7 '' in_root "$codename" sh -c 'cd / && /rpl/rpl run tool.rpl --session s.rpls --allow-tool t'
  expect "$codename: a session" 0 '*' '' in_root "$codename" /rpl/rpl trace verify /s.rpls
  for way in http https; do
    echo "% <- \$$way-add(1, 2) ^ ~ {:result ?r}, \$json(?r)" >"$codename/$way.rpl"
    expect "$codename: a server by $way" 0 '"3"' '' in_root "$codename" env SSL_CERT_FILE=/ca.pem \
      sh -c 'cd / && /rpl/rpl run "$1.rpl" --allow-tool "$1-add"' - "$way"
  done
  expect "$codename: HTTPS without certificates" 4 '' 'this system has no file of certificates; name one in SSL_CERT_FILE' \
    in_root "$codename" sh -c 'cd / && /rpl/rpl run https.rpl --allow-tool https-add'
done
finish
