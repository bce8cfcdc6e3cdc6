#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/readme_pictures.sh
#
# Draws docs/pictures/trace-page-{light,dark}.png, the pictures of README.md: the page of a run
# of the program in README.md. Needs build/rpl (./dev build) and chromium. To be run when the
# program in README.md or the page of `rpl trace html` changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The program is the here-document of README.md.
sed -n '/^\$ cat >build\/refund.md/,/^> END$/{/^\$ /d;/^> END$/d;s/^> \{0,1\}//;p}' README.md \
  >"$folder/refund.md"
build/rpl run "$folder/refund.md" --answer order=A-17 --session "$folder/refund.rpls" \
  --now 2026-05-04T09:30:00Z
build/rpl trace html "$folder/refund.rpls" -o "$folder/refund.html"

mkdir -p docs/pictures
for theme in light dark; do
  [[ $theme == dark ]] && scheme=0 || scheme=1
  chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
    --user-data-dir="$folder/profile" --blink-settings=preferredColorScheme=$scheme \
    --window-size=1200,720 --screenshot="docs/pictures/trace-page-$theme.png" \
    "file://$folder/refund.html" 2>/dev/null
done
