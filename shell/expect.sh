# SPDX-License-Identifier: Apache-2.0
#
# For scripts that test: they count what passes and what fails, have a temporary folder, in
# $folder, which is removed at the end, and end with `finish`. A check is one call: `expect`
# for a command line, `check` for any command, `same` for two texts.
# shellcheck shell=bash disable=SC2034

export LC_ALL=C.UTF-8  # `$'\u202e'` is a character then, whatever the machine speaks

passed=0
failed=0
export terminal=$(realpath "${BASH_SOURCE[0]%/*}")/terminal.py  # runs a command at a terminal
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

pass() { passed=$((passed + 1)); }

# failure LINE…: says it with the place in the script.
failure() {
  local i=0
  while [[ ${BASH_SOURCE[i + 1]:-} == */expect.sh ]]; do i=$((i + 1)); done
  failed=$((failed + 1))
  printf '%s\n' "${BASH_SOURCE[i + 1]##*/}:${BASH_LINENO[i]}: $1" "${@:2}"
}

# The last line, `N passed, N failed`, and whether all passed.
finish() {
  printf '%s passed, %s failed\n' "$passed" "$failed"
  ((failed == 0))
}

# side_by_side FUNCTION NAME…: calls the function with each name at the same time, in a folder of
# that name below $folder, and counts what each of them counted.
side_by_side() {
  local function=$1 name last
  shift
  for name in "$@"; do
    (
      trap - EXIT
      passed=0 failed=0
      mkdir -p "$folder/$name" && cd "$folder/$name" && "$function" "$name"
      finish
    ) >"$folder/$name.log" 2>&1 &
  done
  wait
  for name in "$@"; do
    head -n -1 "$folder/$name.log"
    read -r last < <(tail -n 1 "$folder/$name.log")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
      passed=$((passed + BASH_REMATCH[1]))
      failed=$((failed + BASH_REMATCH[2]))
    else
      failure "$name: it ended early" "$last"
    fi
  done
}

# same NAME WANTED GOT
same() {
  if [[ $2 == "$3" ]]; then pass; else failure "$1: expected" "$2" "got" "$3"; fi
}

# reviews WHAT ID [OPTION…]: `rpl guard WHAT ID`, confirmed by a person at a terminal; fails if it does.
reviews() { printf '%s\n' "$1" | "$terminal" "$rpl" guard "$@"; }

# check NAME COMMAND…: the command succeeds. The end of what it prints is shown when not.
check() {
  local name=$1 got
  shift
  if got=$("$@" 2>&1); then pass; else failure "$name" "  $(printf '%q ' "$@")" "$(tail -n 50 <<<"$got")"; fi
}

# expect NAME EXIT STDOUT STDERR-PART COMMAND…: runs the command on the standard input of
# the call, and leaves what it wrote in the files `out` and `err`. STDOUT is exact, without
# the last newline; `*` accepts any.
expect() {
  name=$1
  local code=$2 out=$3 err=$4
  shift 4
  printf -v command_line '%q ' "$@"
  status=0
  "$@" >out 2>err || status=$?
  if [[ $status != "$code" ]]; then fail "expected exit $code"
  elif [[ $out != '*' && $(cat out) != "$out" ]]; then fail "expected on stdout: $out"
  elif [[ -n $err ]] && ! grep -qF -- "$err" err; then fail "expected on stderr: $err"
  elif grep -qE 'internal error|Sanitizer|terminate called' err; then fail "a bug shows"
  else pass
  fi
}

# plain: the last command wrote nothing but line ends and printable characters, on either stream.
plain() {
  if LC_ALL=C.UTF-8 grep -qP '[^\P{C}\n\x{e000}-\x{f8ff}]' out err; then fail "a control character got out"; fi
}

# fail MESSAGE: a failure of the last command, $name, with $status, `out` and `err`.
fail() {
  failure "$name: $1" "  ${command_line:-}" "  exit $status" "  stdout: $(head -c 2000 out)" "  stderr: $(head -c 2000 err)"
}
