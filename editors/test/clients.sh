#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: editors/test/clients.sh RPL CLIENT...
#
# Clients of `rpl lsp`: neovim, emacs, vscode. Each runs in a copy of the workspace, with RPL in its
# PATH, a home of its own, and the configuration that docs/editors.md shows. A client that is missing
# is a failure. The last line is `N passed, N failed`.
set -uo pipefail
here=$(realpath "$(dirname "${BASH_SOURCE[0]}")")
page=$here/../../docs/editors.md
rpl=$(realpath "$1")
shift
top=$(mktemp -d)
trap '[[ -n ${KEEP:-} ]] || rm -rf "$top"' EXIT
mkdir "$top/bin"
ln -s "$rpl" "$top/bin/rpl"
export PATH=$top/bin:$PATH LC_ALL=C.UTF-8
passed=0 failed=0

# The first block of this language on the page.
block_of_page() {
  awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { if (inside) exit } inside' "$page"
}

# client NAME COMMAND...: runs a client in a copy of the workspace and adds up its last line.
client() {
  local name=$1 folder=$top/$1 last status=0
  shift
  mkdir -p "$folder/home"
  cp -r "$here/workspace" "$folder/workspace"
  (cd "$folder/workspace" && HOME=$folder/home timeout 300 "$@" </dev/null >"$folder/out" 2>&1) || status=$?
  last=$(grep -aE '^[0-9]+ passed, [0-9]+ failed$' "$folder/out" | tail -n 1)
  if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
    printf '%s: %s\n' "$name" "$last"
    ((status == 0 && BASH_REMATCH[2] == 0)) && return
  fi
  ((${BASH_REMATCH[2]:-0} > 0)) || failed=$((failed + 1))
  printf 'failed: %s, with status %s\n' "$name" "$status"
  tail -n 60 "$folder/out"
}

neovim() {
  block_of_page lua >"$top/init.lua"
  # Neovim 0.7 does not offer UTF-8, as later versions do.
  cat >"$top/offer.lua" <<'END'
if os.getenv("ENCODING") == "utf-8" then
  local start = vim.lsp.start_client
  vim.lsp.start_client = function(config)
    config.offset_encoding = "utf-8"
    config.capabilities = vim.lsp.protocol.make_client_capabilities()
    config.capabilities.general = { positionEncodings = { "utf-8", "utf-16" } }
    return start(config)
  end
end
END
  local encoding
  for encoding in utf-16 utf-8; do
    ENCODING=$encoding client "neovim-$encoding" nvim --headless -n -i NONE --cmd "luafile $top/offer.lua" \
      -u "$top/init.lua" -c "luafile $here/neovim.lua"
  done
}

emacs() {
  block_of_page lisp >"$top/init.el"
  client emacs emacs --batch --load package --funcall package-initialize \
    --load "$top/init.el" --load "$here/emacs.el"
}

# Needs the modules and the extension that ./dev editors puts in build/editors.
vscode() {
  local built=$here/../../build/editors
  client vscode node "$here/vscode.mjs" "$rpl" "$built/node_modules" "$built/rpl.vsix" "$built/pictures"
}

for name in "$@"; do "$name"; done
printf '%s passed, %s failed\n' "$passed" "$failed"
((failed == 0))
