# SPDX-License-Identifier: Apache-2.0
#
# For scripts that test the command line: each check is one call of `expect`, which leaves
# what the command wrote in the files `out` and `err`.
# shellcheck shell=bash disable=SC2034

export LC_ALL=C.UTF-8  # `$'\u202e'` is a character then, whatever the machine speaks

passed=0
failed=0

fail() {
  failed=$((failed + 1))
  printf '%s: %s\n  exit %s\n  stdout: %s\n  stderr: %s\n' "$name" "$1" "$status" \
    "$(head -c 2000 out)" "$(head -c 2000 err)"
}

# expect NAME EXIT STDOUT STDERR-PART COMMAND…: runs the command on the standard input of
# the call. STDOUT is exact, without the last newline; `*` accepts any.
expect() {
  name=$1
  local code=$2 out=$3 err=$4
  shift 4
  status=0
  "$@" >out 2>err || status=$?
  if [[ $status != "$code" ]]; then fail "expected exit $code"
  elif [[ $out != '*' && $(cat out) != "$out" ]]; then fail "expected on stdout: $out"
  elif [[ -n $err ]] && ! grep -qF -- "$err" err; then fail "expected on stderr: $err"
  elif grep -qE 'internal error|Sanitizer|terminate called' err; then fail "a bug shows"
  else passed=$((passed + 1))
  fi
}
