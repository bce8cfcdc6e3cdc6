#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/bind_test.sh [RPL]
#
# A protocol binds an agent, through `rpl guard hook --protocol`: dishonest agents and honest ones, who
# also go through `rpl guard mcp --protocol` where their calls have a form there; spellings of what is
# forbidden, many hooks at once, and faults. shell/bind_cases.py makes them, and lists what is known to
# fail; `shell/bind_cases.py speed RPL` prints times. shell/bind_run_cases.py has what `rpl mcp` and
# persons do with a run. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/expect.sh"
cd "$folder" || exit 1
export PYTHONDONTWRITEBYTECODE=1 TMPDIR=$folder
unset CLAUDE_PROJECT_DIR

declare -A least=([dishonest]=40 [honest]=40 [dishonest-mcp]=66 [honest-mcp]=60 [spellings]=1000 [crowd]=6 [faults]=40)
for part in dishonest honest dishonest-mcp honest-mcp spellings crowd faults; do
  python3 "$here/bind_cases.py" "$part" "$rpl" >result 2>err || failure "$part: it ended early" "$(tail -n 5 err)"
  grep '^failed' result | head -n 40
  passed=$((passed + $(grep -c '^passed' result)))
  failed=$((failed + $(grep -c '^failed' result)))
  check "$part: all have a result" test "$(grep -cE '^(passed|known|failed)' result)" -ge "${least[$part]}"
done
PYTHONPATH=$here python3 "$here/bind_run_cases.py" "$rpl" "$folder" >result 2>err || failure "$(cat result err)"
passed=$((passed + $(sed -n '$s/ passed.*//p' result)))
finish
