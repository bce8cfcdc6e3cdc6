#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The steps of action.yml; its inputs are variables. Findings are annotations. Fails if a protocol or
# a test does.
set -euo pipefail
read -ra protocols <<<"${RPL_PROTOCOLS:-.}"
read -ra tests <<<"${RPL_TESTS:-}"
folder=${RUNNER_TEMP:-$(mktemp -d)}/rpl

fail() {
  printf '::error::%s\n' "$*"
  exit 1
}

if [[ -n ${RPL_TARBALL:-} ]]; then
  mkdir -p "$folder"
  tarball=$RPL_TARBALL
  if [[ $tarball == *://* ]]; then
    [[ -n ${RPL_SHA256:-} ]] || fail "a tarball at an address needs its sha256"
    curl -fsSL --retry 3 -o "$folder/rpl.tar.gz" "$tarball" || fail "$tarball cannot be read"
    tarball=$folder/rpl.tar.gz
  fi
  if [[ -n ${RPL_SHA256:-} ]]; then
    printf '%s  %s\n' "$RPL_SHA256" "$tarball" | sha256sum --quiet -c - ||
      fail "the tarball has another sha256"
  fi
  tar -xzf "$tarball" -C "$folder" --strip-components=1
  PATH=$folder:$PATH
fi
command -v rpl >/dev/null || fail "rpl is not installed: name a tarball of a release"
rpl --version

options=()
if [[ ${RPL_STRICT:-false} == true ]]; then options+=(--strict); fi
status=0
rpl check "${options[@]}" --format github "${protocols[@]}" || status=1
if [[ -n ${RPL_SARIF:-} ]]; then
  rpl check "${options[@]}" --format sarif "${protocols[@]}" >"$RPL_SARIF" || true
fi
if ((${#tests[@]})); then
  report=()
  if [[ -n ${RPL_JUNIT:-} ]]; then report=(--junit "$RPL_JUNIT"); fi
  rpl test "${report[@]}" "${tests[@]}" || status=1
fi
exit "$status"
