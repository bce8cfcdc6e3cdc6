#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/pages_test.sh MERMAID
#
# What `rpl trace html` and `rpl doc` write, given to the programs that it is for: pages to a
# browser, graphs to Graphviz and to Mermaid, whose script is MERMAID. Pictures of the pages
# stay in build/pages-drawn, to be looked at. The last line is `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
mermaid=$(realpath "${1:?usage: shell/pages_test.sh MERMAID}")
rpl=$PWD/build/rpl
drawn=$PWD/build/pages-drawn
. shell/expect.sh
rm -rf "$drawn"
mkdir -p "$drawn"

# browser LOG ARGS…: what the page's console says is in LOG.
browser() {
  local log=$1
  shift
  timeout 60 chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
    --enable-logging=stderr --user-data-dir="$folder/profile" "$@" 2>"$log"
}

# is_quiet LOG: the console has no line; a load that the policy forbade would be one.
is_quiet() { ! grep 'CONSOLE' "$1"; }

# draw NAME: build/pages-drawn/NAME.html in both colours, wide and on a phone, and on paper.
draw() {
  local name=$1 theme size scheme
  for theme in light dark; do
    [[ $theme == dark ]] && scheme=0 || scheme=1
    for size in 1280x900 390x800; do
      check "$name, $theme, $size" browser "$folder/log" \
        --blink-settings=preferredColorScheme=$scheme --window-size="${size/x/,}" \
        --screenshot="$drawn/$name-$theme-$size.png" "file://$drawn/$name.html"
      check "$name, $theme, $size: there" test -s "$drawn/$name-$theme-$size.png"
      check "$name, $theme, $size: nothing to complain of" is_quiet "$folder/log"
    done
  done
  check "$name, on paper" browser "$folder/log" --no-pdf-header-footer \
    --print-to-pdf="$drawn/$name.pdf" "file://$drawn/$name.html"
}

# The page's own script passes its policy: it adds two buttons.
has_buttons() {
  browser "$folder/log" --dump-dom "file://$1" | grep -q '>Close all</button>'
}

# fits WIDTH PAGE: nothing sticks out at that width.
fits() {
  {
    printf '<!DOCTYPE html><iframe id="f" src="file://%s" style="width:%spx;height:800px"></iframe>' \
      "$2" "$1"
    printf '<script>onload = () => { const d = f.contentDocument.documentElement;'
    printf 'document.title = d.scrollWidth <= d.clientWidth ? "fits" : "sticks out"; };</script>'
  } >"$folder/frame.html"
  browser "$folder/log" --allow-file-access-from-files --dump-dom "file://$folder/frame.html" |
    grep -q '<title>fits</title>'
}

# asks PAGE: runs the JavaScript on standard input once PAGE, 1280 by 900, has loaded in a frame;
# `page` is its window. It returns true or false.
asks() {
  {
    printf '<!DOCTYPE html><iframe id="f" src="file://%s" ' "$1"
    printf 'style="width:1280px;height:900px"></iframe><script>onload = async () => {'
    printf 'const page = f.contentWindow; document.title = await (async () => {'
    cat
    printf '})() ? "yes" : "no"; };</script>'
  } >"$folder/frame.html"
  browser "$folder/log" --allow-file-access-from-files --virtual-time-budget=5000 \
    --dump-dom "file://$folder/frame.html" | grep -q '<title>yes</title>'
}

# leads PAGE: a link to a line opens the source and brings the line into view.
leads() {
  asks "$1" <<'END'
for (const part of page.document.querySelectorAll("#source details")) part.open = false;
page.location.hash = "#L30-f0-1";
await new Promise((done) => setTimeout(done, 300));
const line = page.document.getElementById("L30-f0-1").getBoundingClientRect();
return line.height > 0 && line.top >= 0 && line.bottom <= 900;
END
}

# searches PAGE WORDS COUNT: the search field leaves so many entries.
searches() {
  asks "$1" <<END
const field = page.document.querySelector("input");
field.value = "$2";
field.dispatchEvent(new page.Event("input"));
return page.document.querySelectorAll(".group .entry:not([hidden])").length === $3;
END
}

# is_drawn PAGE: every name fits its box, and every node leads to an entry.
is_drawn() {
  asks "$1" <<'END'
const nodes = [...page.document.querySelectorAll("svg.graph .node")];
return nodes.length > 0 && nodes.every((node) => {
  const box = node.querySelector("rect").getBoundingClientRect();
  const text = node.querySelector("text").getBoundingClientRect();
  return text.left > box.left && text.right < box.right && text.top >= box.top - 1 &&
    text.bottom <= box.bottom + 1 &&
    page.document.getElementById(node.getAttribute("href").slice(1)) !== null;
});
END
}

# --- Sessions ----------------------------------------------------------------------------

for example in museum-loan greenhouse-irrigation packing-list; do
  cp "examples/$example.md" "$folder/"
  "$rpl" run "$folder/$example.md" --session "$folder/$example.rpls" \
    <"examples/$example.md.answers" >/dev/null 2>&1
  check "$example: a page" "$rpl" trace html "$folder/$example.rpls" -o "$drawn/$example.html"
  draw "$example"
  check "$example: its script runs" has_buttons "$drawn/$example.html"
  check "$example: fits a phone" fits 390 "$drawn/$example.html"
  check "$example: fits a screen" fits 1280 "$drawn/$example.html"
  check "$example: a link leads to its line" leads "$drawn/$example.html"
done

cat >"$folder/violated.md" <<'END'
# Trip - %trip(?where, ?sky) <- place(?where), cheap(?where), ?sky = $weather(?where)

## Place - place(?where)

Where to?

## Money

```rpl
price("Lucca", 90)
price("Averylongnamewithoutanyblankinwhichalinecouldendthatgoesonandonandonandonandonandon", 9)
cheap(?where) <- price(?where, ?each), ?each < 100
price(?where, ?each), ?each > 80 -> approved(?where)
```
END
printf '[{"match":{"key":"where"},"value":"Lucca"},
 {"match":{"tool":"weather"},"value":"</code></li><script>document.title=4</script>\\u202e\\u0007"},
 {"match":{"key":"what-now"},"value":"continue"}]' >"$folder/answers.json"
"$rpl" run "$folder/violated.md" --session "$folder/violated.rpls" \
  --answers "$folder/answers.json" >/dev/null 2>&1
check "violated: a page" "$rpl" trace html "$folder/violated.rpls" -o "$drawn/violated.html"
draw violated
check "violated: fits a phone" fits 390 "$drawn/violated.html"
check "violated: fits a screen" fits 1280 "$drawn/violated.html"

# --- Programs ----------------------------------------------------------------------------

for n in {1..300}; do printf 'r%d(?x) <- r%d(?x), s%d(?x)\n' "$n" "$((n / 2))" "$n"; done \
  >"$folder/wide.rpl"
printf 'a(?x) <- shelf.md#on-shelf(?x), $tool(?x), ?y = $avar\n%% <- a(?x)\n' >"$folder/boxed.rpl"
printf '# On shelf - on-shelf(?what)\n' >"$folder/shelf.md"

for example in museum-loan street-workshop reachability; do
  file=$(ls examples/"$example".{md,rpl} 2>/dev/null)
  "$rpl" doc --html "$file" >"$drawn/$example-catalogue.html" 2>/dev/null
  draw "$example-catalogue"
  check "$example: its catalogue fits a phone" fits 390 "$drawn/$example-catalogue.html"
  check "$example: its catalogue fits a screen" fits 1280 "$drawn/$example-catalogue.html"
  check "$example: its graph is drawn" is_drawn "$drawn/$example-catalogue.html"
done
check "a name is found" searches "$drawn/museum-loan-catalogue.html" "bears" 2
check "words of prose are found" searches "$drawn/museum-loan-catalogue.html" "CONTRACT premium" 1
check "what is nowhere is not found" searches "$drawn/museum-loan-catalogue.html" "zebra" 0

# graph FILE: Graphviz and Mermaid draw it.
graph() {
  local name
  name=$(basename "$1")
  "$rpl" doc "$1" --format dot >"$folder/graph.dot" 2>/dev/null
  check "$name: Graphviz" dot -Tsvg "$folder/graph.dot" -o "$drawn/$name.svg"
  "$rpl" doc "$1" --format mermaid >"$folder/graph.mmd" 2>/dev/null
  {
    printf '<!DOCTYPE html><meta charset="utf-8"><pre id="text">'
    sed 's/&/\&amp;/g; s/</\&lt;/g' "$folder/graph.mmd"
    printf '</pre><div id="drawing"></div><script src="file://%s"></script>' "$mermaid"
    cat <<'END'
<script>
(async () => {
  const text = document.getElementById("text");
  try {
    mermaid.initialize({startOnLoad: false});
    await mermaid.parse(text.textContent);
    const {svg} = await mermaid.render("graph", text.textContent);
    document.getElementById("drawing").innerHTML = svg;
    text.remove();
    document.title = "drawn";
  } catch (error) {
    document.title = "refused: " + error.message;
  }
})();
</script>
END
  } >"$folder/mermaid.html"
  browser "$folder/log" --allow-file-access-from-files --virtual-time-budget=20000 \
    --dump-dom "file://$folder/mermaid.html" >"$folder/dom"
  check "$name: Mermaid $(grep -o '<title>[^<]*' "$folder/dom")" grep -q '<title>drawn<' "$folder/dom"
  check "$name: Mermaid's nodes" test "$(grep -cE '^ *n[0-9]+(\(|\[|>)' "$folder/graph.mmd")" = \
    "$(grep -oE 'id="[^"]*flowchart-n[0-9]+-[0-9]+"' "$folder/dom" | wc -l)"
}
for program in examples/*.md examples/*.rpl "$folder/wide.rpl" "$folder/boxed.rpl"; do
  graph "$program"
done

finish
