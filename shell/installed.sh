# SPDX-License-Identifier: Apache-2.0
#
# For scripts that test what is installed: each check is one call of `expect`. They have a
# temporary folder, in $folder, and end with `finish`.
# shellcheck shell=bash disable=SC2034

passed=0
failed=0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# expect NAME COMMAND…: shows what the command printed when it fails.
expect() {
  local name=$1
  shift
  if "$@" >"$folder/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf '%s\n' "$name"
    cat "$folder/log"
  fi
}

# install BUILD: to $folder/rpl. Another folder than the first, so that nothing finds its way
# back to it.
install() {
  cmake --install "$1" --prefix "$folder/first" && mv "$folder/first" "$folder/rpl"
}

finish() {
  printf '%s passed, %s failed\n' "$passed" "$failed"
  ((failed == 0))
}
