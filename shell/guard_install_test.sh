#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/guard_install_test.sh [RPL]
#
# `rpl guard install` and `rpl guard doctor`, for each host: what is written, that it is protected,
# and that nothing of the user's is lost. The last line is `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
export XDG_STATE_HOME=$folder/state HOME=$folder/home
unset CLAUDE_PROJECT_DIR
mkdir -p "$HOME" "$folder/a project/.git"
cd "$folder/a project" || exit 1
cat >ship.md <<'END'
# No push - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> false
END
printf 'No push - std#decides(?c), std#runs(?c, "git", ["push" & _]) -> false\n' >prose.md
printf '# Gate - std#decides(?c) -> \n' >broken.md
printf '{"policy": {"name": "p"}, "rules": []}\n' >policy.json
printf '# Words\n\nword(?w) <- std#runs(?c, ?w, _)\n' >rules.md
while IFS='|' read -r protocol why; do
  expect "$protocol binds nothing" 2 "" "$why" "$rpl" guard install "$protocol" --write
  check "$protocol: nothing is written" test ! -e .claude
  expect "$protocol: doctor" 1 "*" "" "$rpl" guard doctor "$protocol"
  check "$protocol: doctor says why" grep -qF "$why" out
done <<'END'
prose.md|every call is let through
rules.md|every call is let through
broken.md|it has errors: broken.md:1
policy.json|it is a policy, not a protocol
END
declare -A file=([claude-code]=.claude/settings.json [codex]=.codex/hooks.json [cursor]=.cursor/hooks.json
  [gemini-cli]=.gemini/settings.json [copilot-cli]=.github/hooks/rpl-guard.json [windsurf]=.windsurf/hooks.json
  [opencode]=.opencode/plugins/rpl-guard.js)
mapfile -t hosts < <(printf '%s\n' "${!file[@]}" | sort)

install() { "$rpl" guard install --host "$1" ship.md "${@:2}"; }
edit() {  # edit PATH: what the guard says of an edit
  jq -nc --arg path "$1" --arg cwd "$PWD" '{hook_event_name: "PreToolUse", session_id: "s", cwd: $cwd,
    tool_name: "Write", tool_input: {file_path: $path, content: ""}}' |
    "$rpl" guard hook --protocol "$PWD/ship.md" --project "$PWD" --sessions "$folder/runs"
}
refused() {  # refused NAME MESSAGE HOST: nothing is written
  local before
  before=$(cat "${file[$3]}" 2>&1)
  expect "$1" 6 "" "$2" install "$3" --write
  expect "$1: what to do" 6 "" "nothing was written; without --write the hooks are printed" install "$3" --write
  same "$1: as before" "$before" "$(cat "${file[$3]}" 2>&1)"
}

for host in "${hosts[@]}"; do
  at=${file[$host]}
  expect "$host: printed" 0 "*" "help: this belongs into $PWD/$at; with --write it is added there" install "$host"
  check "$host: printing writes nothing" test ! -e "$at"
  cp out printed
  expect "$host: doctor before" 1 "*" "" "$rpl" guard doctor --host "$host" ship.md
  check "$host: doctor says what to do" grep -qF "rpl guard install --host $host ship.md --write" out
  expect "$host: written" 0 "" "$at: the hooks are there" install "$host" --write
  check "$host: as printed" cmp printed "$at"
  expect "$host: written again" 0 "" "$at: the hooks are there" install "$host" --write
  check "$host: the same" cmp printed "$at"
  expect "$host: doctor" 0 "*" "" "$rpl" guard doctor --host "$host" ship.md
  check "$host: doctor fails nothing" test "$(grep -c '^ok' out)" -ge 11 -a "$(grep -vc '^ok' out)" = 0
  check "$host: each hook is for the protocol" grep -qF -- "$PWD/ship.md" "$at"
  for path in "$at" "$PWD/$at" "$HOME/$at"; do
    [[ $path == "$HOME/.github"* || $path == "$HOME/.windsurf"* || $path == "$HOME/.opencode"* ]] && continue
    check "$host: $path is protected" grep -q "belongs to the guard" <(edit "$path")
  done
done
for path in .github/hooks/other.json .github/copilot/settings.json .opencode/plugin/x.ts opencode.json "$HOME/.copilot/settings.json" \
  "$HOME/.copilot/hooks/x.json" "$HOME/.codeium/windsurf/hooks.json" "$HOME/.config/opencode/plugins/x.js" "$HOME/.config/opencode/opencode.json"; do
  check "$path is protected" grep -q "belongs to the guard" <(edit "$path")
done
for path in .github/workflows/ci.yml .opencode/command/x.md .windsurf/rules/x.md src/opencode.json; do
  same "$path is not" '{}' "$(edit "$path")"
done
expect "the host is Claude Code without --host" 0 "" ".claude/settings.json: the hooks are there" "$rpl" guard install ship.md --write
expect "a short name of a host" 0 "" ".github/hooks/rpl-guard.json: the hooks are there" install copilot --write
expect "no host" 2 "" "--host" install nano --write
expect "no protocol" 6 "" "none.md" "$rpl" guard install none.md --write
same "Windsurf names no folder, so the command does" "$PWD" \
  "$(jq -r '.hooks.pre_read_code[0].command' .windsurf/hooks.json | xargs -n 1 | grep -A 1 -x -- --project | tail -n 1)"
check "the hook of Windsurf decides" bash -c \
  "echo '{\"agent_action_name\": \"pre_read_code\", \"trajectory_id\": \"s\", \"tool_info\": {\"file_path\": \"/x\"}}' | $(jq -r '.hooks.pre_read_code[0].command' .windsurf/hooks.json)"
expect "the hook of Windsurf denies" 2 "*" "No push" bash -c \
  "echo '{\"agent_action_name\": \"pre_run_command\", \"trajectory_id\": \"s\", \"tool_info\": {\"command_line\": \"git push\", \"cwd\": \"$PWD\"}}' | $(jq -r '.hooks.pre_run_command[0].command' .windsurf/hooks.json)"
expect "the hook of Copilot CLI denies" 0 "*" "" bash -c \
  "echo '{\"sessionId\": \"s\", \"cwd\": \"$PWD\", \"toolName\": \"bash\", \"toolArgs\": \"{\\\"command\\\":\\\"git push\\\"}\"}' | $(jq -r '.hooks.preToolUse[0].bash' .github/hooks/rpl-guard.json)"
check "the hook of Copilot CLI denies in its form" grep -q '"permissionDecision":"deny"' out

# What the user has stays, in its order; what was installed before is replaced.
user='{"model":"m","hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]},
  {"matcher":"*","hooks":[{"type":"command","command":"too"},{"type":"command","command":"/old/rpl guard hook --protocol /x.md || exit 2"}]},
  {"matcher":"*","hooks":[{"type":"command","command":"/old/rpl guard hook --protocol /y.md || exit 2"}]}],
  "Notification":[{"hooks":[]}]},"permissions":{"allow":["Bash(ls)"]},"number":1.50}'
for host in claude-code codex gemini-cli; do
  event=PreToolUse
  [[ $host == gemini-cli ]] && event=BeforeTool
  echo "${user//PreToolUse/$event}" >"${file[$host]}"
  expect "$host: over other settings" 0 "" "" install "$host" --write
  same "$host: the user's keys" '["model","hooks","permissions","number"]' "$(jq -c keys_unsorted "${file[$host]}")"
  same "$host: the user's values" '["m",{"allow":["Bash(ls)"]},1.5,[{"hooks":[]}]]' \
    "$(jq -c '[.model, .permissions, .number, .hooks.Notification]' "${file[$host]}")"
  same "$host: the user's hooks, and ours once" $'mine\ntoo\n'"ours" \
    "$(jq -r --arg event $event '.hooks[$event][].hooks[].command | if contains("guard hook") then "ours" else . end' "${file[$host]}")"
done
for host in cursor copilot-cli windsurf; do
  event=preToolUse key=command
  [[ $host == windsurf ]] && event=pre_run_command
  [[ $host == copilot-cli ]] && key=bash
  printf '{"version":2,"hooks":{"%s":[{"%s":"mine","timeout":9}],"other":[{"%s":"x"}]}}' $event $key $key >"${file[$host]}"
  expect "$host: over other settings" 0 "" "" install "$host" --write
  expect "$host: over other settings again" 0 "" "" install "$host" --write
  same "$host: the user's version" 2 "$(jq .version "${file[$host]}")"
  same "$host: the user's hooks" "[[{\"$key\":\"mine\",\"timeout\":9}],[{\"$key\":\"x\"}]]" \
    "$(jq -c --arg event $event '[.hooks[$event][:-1], .hooks.other]' "${file[$host]}")"
done

# What cannot be read, or holds something else, stays as it is.
for host in "${hosts[@]}"; do
  [[ $host == opencode ]] && continue
  printf '{"hooks": {}, // mine\n' >"${file[$host]}"
  refused "$host: no JSON" "$PWD/${file[$host]}" "$host"
  echo '[]' >"${file[$host]}"
  refused "$host: a list" "it has another form than settings have" "$host"
  echo '{"hooks": []}' >"${file[$host]}"
  # shellcheck disable=SC2016
  refused "$host: hooks in a list" '`hooks` is no object' "$host"
done
echo '{"hooks": {"PreToolUse": {"x": 1}}}' >"${file[claude-code]}"
# shellcheck disable=SC2016
refused "an event that is no list" '`hooks.PreToolUse` is no list' claude-code
echo '{"id": 123456789012345678901234567890}' >"${file[claude-code]}"
refused "a number that would be rounded" "the integer 123456789012345678901234567890 does not fit 64 bits" claude-code
printf '{"a": "\xff"}' >"${file[claude-code]}"
refused "no UTF-8" "$PWD/${file[claude-code]}" claude-code
echo 'export const Mine = async () => ({});' >"${file[opencode]}"
refused "another plugin" "it is another plugin" opencode
rm "${file[claude-code]}" && mkdir "${file[claude-code]}"
refused "a folder in place of the file" "${file[claude-code]}" claude-code
rm -r .claude && touch .claude
refused "a file in place of the folder" "its folder cannot be made" claude-code
rm .claude

# A link stays a link.
mkdir -p .claude dotfiles
echo '{"model": "m"}' >dotfiles/settings.json
ln -s ../dotfiles/settings.json .claude/settings.json
expect "through a link" 0 "" "" install claude-code --write
check "the link stays" test -L .claude/settings.json
same "its target has both" '["model","hooks"]' "$(jq -c keys_unsorted dotfiles/settings.json)"
check "the target is protected" grep -q "belongs to the guard" <(edit dotfiles/settings.json)
rm dotfiles/settings.json
expect "a link to nothing" 6 "" "it is a link to a file that is not there" install claude-code --write
check "the link to nothing stays" test -L .claude/settings.json -a ! -e dotfiles/settings.json
rm -r .claude dotfiles

# A folder, or a file, that may not be written.
as_nobody=()
((EUID)) || as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
chmod 755 "$folder" "$PWD"
mkdir .claude
chmod 555 .claude
expect "a folder that may not be written" 6 "" "Permission denied" "${as_nobody[@]}" "$rpl" guard install "$PWD/ship.md" --write
same "nothing is in it" "" "$(ls -A .claude)"
chmod 755 .claude
echo '{"model": "m"}' >.claude/settings.json
chmod 444 .claude/settings.json
expect "a file that may not be written" 6 "" "Permission denied" "${as_nobody[@]}" "$rpl" guard install "$PWD/ship.md" --write
same "it is as before" '{"model": "m"}' "$(cat .claude/settings.json)"
finish
