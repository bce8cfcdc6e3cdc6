#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/bypass_test.sh [RPL]
#
# Attempts to get round a policy that forbids writing outside of /box: through `rpl guard mcp`, in
# front of a server that takes for a call whatever any server might (shell/mcp_server.py
# --careless), through `rpl guard hook` and through lines of `rpl guard`. shell/bypass_attempts.py
# makes them, and says of each what a careless reader would write. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
. "$here/expect.sh"
cd "$folder" || exit 1
export XDG_STATE_HOME=$folder/state PYTHONDONTWRITEBYTECODE=1

# The policy of a careful author: nothing but plain paths below /box, and nothing of other tools
# that write.
cat >policy.yaml <<'END'
rules:
  - {priority: 2, enabled: true, name: below, selector: {phase: tool.before, tool: {name: "*write*"}},
     condition: {kind: not, not: {kind: toolArg, type: string, op: startsWith, path: path, value: /box/}},
     effect: {type: block, reason: only below /box}}
  - {priority: 1, enabled: true, name: plain, selector: {phase: tool.before, tool: {name: "*write*"}},
     condition: {kind: or, any: [
       {kind: toolArg, type: string, op: contains, path: path, value: ".."},
       {kind: toolArg, type: string, op: contains, path: path, value: "%"},
       {kind: toolArg, type: string, op: contains, path: path, value: "\\"},
       {kind: toolArg, type: string, op: contains, path: path, value: "~"},
       {kind: toolArg, type: string, op: contains, path: path, value: "$"},
       {kind: toolArg, type: string, op: contains, path: path, value: "\uFF0E"},
       {kind: toolArg, type: string, op: contains, path: path, value: "\u2025"},
       {kind: toolArg, type: string, op: contains, path: path, value: "\uFF0F"}]},
     effect: {type: block, reason: a plain path}}
  - {priority: 1, enabled: true, name: edits, selector: {phase: tool.before, tool: {name: "edit*"}},
     condition: {kind: toolName, op: glob, value: "*"}, effect: {type: block, reason: no edits}}
  - {priority: 1, enabled: true, name: sums, selector: {phase: tool.before, tool: {name: add}},
     condition: {kind: toolArg, type: number, op: gt, path: a, value: 100},
     effect: {type: block, reason: large sums}}
END
cat >rpl.yaml <<'END'
version: 1
tools: {}
END

python3 "$here/bypass_attempts.py" make attempts >count
check "at least 500 attempts" test "$(cat count)" -ge 500
bare=$(python3 "$here/bypass_attempts.py" bare attempts "$here/mcp_server.py")
check "most succeed where nothing stands before the server: $bare" test "$bare" -ge 700
python3 "$here/bypass_attempts.py" run attempts "$rpl" "$here/mcp_server.py" policy.yaml >result 2>err
grep '^failed' result | head -n 40
passed=$((passed + $(grep -c '^passed' result)))
failed=$((failed + $(grep -c '^failed' result)))
same "every attempt has a result" "$(cat count)" "$(grep -cE '^(passed|failed)' result)"
finish
