#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/trace_page_test.sh [RPL]
#
# The page of `rpl trace html`, read as a browser reads it: each entry of the trace is there,
# links lead somewhere, hostile text is only text, nothing is loaded. The last line is
# `N passed, N failed`.
set -uo pipefail
rpl=$(realpath "${1:-$(dirname "${BASH_SOURCE[0]}")/../build/rpl}")
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../examples")
. "$(dirname "${BASH_SOURCE[0]}")/expect.sh"
cd "$folder" || exit 1

# Reads a page, and checks what holds of every one; then that each line of the files that
# follow stands in its text.
cat >read.py <<'END'
import base64, hashlib, re, sys
from html.parser import HTMLParser

VOID = {"meta"}
TAGS = set("""html head meta title style body a header h1 h2 h3 h4 nav ul ol li div main section p
span code pre table caption thead tbody tr th td details summary time script em b strong small var
dl dt dd blockquote footer article svg defs marker path rect text""".split())
ATTRIBUTES = {"class", "id", "href", "open", "scope", "lang", "charset", "name", "content", "title",
              "role", "http-equiv", "tabindex", "aria-label", "aria-labelledby", "aria-hidden",
              # of a drawing
              "viewbox", "width", "height", "refx", "refy", "markerwidth", "markerheight", "orient",
              "d", "x", "y", "rx", "textlength", "lengthadjust", "marker-start", "marker-end",
              "data-a", "data-b", "data-n"}

class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.text, self.inline, self.policy = [], [], [], [], {}, ""
        self.named = []

    def handle_starttag(self, tag, attributes):
        assert tag in TAGS, f"<{tag}>"
        for key, value in attributes:
            assert key in ATTRIBUTES, f"{key}= of <{tag}>"
            assert "http" not in (value or ""), f"{key}={value}"
        fields = dict(attributes)
        if "id" in fields: self.ids.append(fields["id"])
        if "href" in fields: self.links.append(fields["href"])
        if "aria-labelledby" in fields: self.named.append(fields["aria-labelledby"])
        if fields.get("http-equiv") == "Content-Security-Policy": self.policy = fields["content"]
        if tag not in VOID: self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.inline[self.open[-1]] = self.inline.get(self.open[-1], "") + data
        else:
            self.text.append(data)

raw = open(sys.argv[1], "rb").read()
page = Page()
page.feed(raw.decode())
page.close()
assert not page.open, page.open
assert len(page.ids) == len(set(page.ids)), "an id stands twice"
for link in page.links:
    assert link.startswith("#") and link[1:] in page.ids, f"a link to {link}"
for name in page.named:
    assert name in page.ids, f"named by {name}"
assert "default-src 'none'" in page.policy
for part in ("script", "style"):
    digest = base64.b64encode(hashlib.sha256(page.inline[part].encode()).digest()).decode()
    assert f"{part}-src 'sha256-{digest}'" in page.policy, f"the {part} is not the one allowed"
    assert not re.search(r"http|url\(|@import|fetch|eval|innerHTML", page.inline[part]), part
text = "".join(page.text)
for character in text:
    code = ord(character)
    assert code == 10 or code >= 32 and not 0x7f <= code < 0xa0, f"a control: {code:x}"
    assert not (0x202a <= code <= 0x202e or 0x2066 <= code <= 0x2069 or code in (0x200e, 0x200f)), \
        f"a mark that reorders text: {code:x}"
flat = re.sub(r"\s+", " ", text)
for file in sys.argv[2:]:
    lines = [line for line in open(file, encoding="utf-8").read().split("\n") if line]
    for line in lines:
        assert re.sub(r"\s+", " ", line) in flat, f"not on the page: {line}"
END

# page NAME SESSION: the page is sound, and has each entry, and no more of the trace.
page() {
  local name=$1 session=$2
  shift 2
  check "$name: a page" "$rpl" trace html "$session" -o page.html
  "$rpl" trace show "$session" | sed -E 's/^[0-9.]+ [a-z]+ +//' >entries
  check "$name: sound, with its entries" /usr/bin/python3 read.py page.html entries "$@"
  check "$name: the same bytes again" cmp page.html <("$rpl" trace html "$session")
}

# --- Hostile text, a tool, a question, a violation, a proof ----------------------------------

cat >hostile.md <<'END'
# Trip <script>alert(1)</script> - %trip(?where, ?sky) <- place(?where), cheap(?where), ?sky = $weather(?where)

<img src=x onerror=alert(2)> "quoted" & 'single' http://example.org/x.js

## Place - place(?where)

Where to? <b>Bold</b> & __bolder__

## Money

```rpl
price("Lucca", 90)
price("</script><script>alert(3)//", 1)
cheap(?where) <- price(?where, ?each), ?each < 100
price(?where, ?each), ?each > 80 -> approved(?where)
```
END
printf '[{"match":{"key":"where"},"value":"Lucca"},
 {"match":{"tool":"weather"},"value":"</code></li><script>alert(4)</script>\\u202e\\u0007\\u001b[2J"},
 {"match":{"key":"what-now"},"value":"continue"}]' >answers.json
"$rpl" run hostile.md --session hostile --answers answers.json --now 2026-01-02T00:00:00Z >/dev/null 2>&1
cat >wanted <<'END'
</code></li><script>alert(4)</script>\u202e\u0007\u001b[2J
<img src=x onerror=alert(2)> "quoted" & 'single' http://example.org/x.js
# Trip <script>alert(1)</script> - %trip(?where, ?sky)
price("</script><script>alert(3)//", 1)
Where to? <b>Bold</b> & bolder
cheap("Lucca")
90 < 100
price(?where, ?each), ?each > 80 -> approved(?where) ^^ {?where "Lucca", ?each 90}
Timestep 3
derived cheap("Lucca")
END
page "hostile text" hostile wanted
# The page without the marks of colours.
sed -E 's/<span class="[a-z]">([^<]*)<\/span>/\1/g; s/<\/?var>//g' page.html >plain.html
check "a proof unfolds" grep -qF \
  '<details open><summary class="node"><span class="said"><code>%trip(&quot;Lucca&quot;' plain.html
check "a proof leads to the line of its rule" grep -qE \
  '<code>cheap\(&quot;Lucca&quot;\)</code></span> .*<span class="at"> <a class="place" href="#L14-f0-1" title="hostile.md:14"' plain.html
check "a question leads to what asks it" grep -qE \
  'place\(\?where\)</code> <a class="place" href="#L5-f0-1"' plain.html
check "its title is that of the document" grep -qF \
  '<h1>Trip &lt;script&gt;alert(1)&lt;/script&gt;</h1>' page.html
check "an answer is a table" grep -qF '<th scope="row">where</th><td>Lucca</td>' page.html
check "an answer has its origin" grep -qF \
  '<th scope="row">where</th><td>Lucca</td><td><span class="by ask">answered</span></td>' page.html
check "a fact is a row, and only text" grep -qF '<td>&lt;/script&gt;&lt;script&gt;alert(3)//</td>' page.html
check "a section has its answer in the margin" grep -qE \
  '<div class="margin"><p class="ask"><b>Lucca</b> by an option, a file or a program' page.html
check "a fact that the answer rests on is marked" grep -qF '<tr class="used"><td>Lucca</td>' page.html
check "a decision after a failure is a question" grep -qE 'What now\?</p>' plain.html

# --- What stops a run, in words ----------------------------------------------------------------

sed 's/^```rpl/A night in __where__ costs __each__, <b>too much<\/b>.\n\n&/' hostile.md >stopped.md
"$rpl" run stopped.md --session stopped --answer where=Lucca --now 2026-01-02T00:00:00Z </dev/null >/dev/null 2>&1
page "a constraint that stops the run" stopped
check "is named in the first sentence" grep -qF \
  'It stopped, because a constraint under “Money” does not hold.' page.html
check "has its prose with the values" grep -qF \
  'A night in <b class="value">Lucca</b> costs <b class="value">90</b>, &lt;b&gt;too much&lt;/b&gt;.' page.html
check "has what can be decided" grep -qF \
  "<code>rpl resume SESSION --answer &#39;what-now=retract price(&quot;Lucca&quot;, 90)&#39;</code>" page.html
check "is marked in the source" grep -qE 'class="line hit" id="L17-f0-1"' page.html
check "is told at why not" grep -qF '<p class="stopped">It stopped, because' page.html
printf '# A - %%a <- p(1)\n\n```rpl\np(2)\n%%fail("out of <i>ink</i>", "none since noon") <- p(2)\n```\n' >fails.md
"$rpl" run fails.md --session fails --answer what-now=stop >/dev/null 2>&1
page "a %fail" fails
check "is told in its words" grep -qF '<p class="reason">out of &lt;i&gt;ink&lt;/i&gt;</p>' page.html

# --- A catalogue -------------------------------------------------------------------------------

"$rpl" doc --html hostile.md >page.html 2>/dev/null
printf '%s\n' 'place(?where)' 'Where to? <b>Bold</b> & bolder' '$weather/1' 'cheap(?where)' >wanted
check "a catalogue: sound" /usr/bin/python3 read.py page.html wanted
check "a catalogue: the same bytes again" cmp page.html <("$rpl" doc --format html hostile.md 2>/dev/null)
"$rpl" doc --html "$examples/museum-loan.md" >page.html
check "a catalogue of an example: sound" /usr/bin/python3 read.py page.html

# --- A tool that a command answers, and how long it took -------------------------------------

# shellcheck disable=SC2016
printf '#!/bin/sh\nread -r line\nid=${line#*\\"id\\":\\"}\nprintf %s "${id%%%%\\"*}"\n' \
  "'{\"id\":\"%s\",\"result\":7}\\n'" >seven.sh
chmod +x seven.sh
printf 'version: 1\ntools: {seven: {command: ["./seven.sh"]}}\n' >rpl.yaml
printf '%%seven(?x) <- ?x = $seven("a")\n' >seven.rpl
"$rpl" run seven.rpl --session timed --allow-tool seven >/dev/null 2>&1
page "a tool" timed
check "the value of a single column has its name" grep -qF \
  '<th scope="row">x</th><td><code><span class="n">7</span></code></td>' page.html
check "how long it took" grep -qE '<td class="took">[0-9.]+ m?s</td>' page.html
"$rpl" run seven.rpl --session untimed --allow-tool seven --now 2026-01-02T00:00:00Z >/dev/null 2>&1
page "a clock that stands still" untimed
check "tells no duration" grep -qF 'not recorded' page.html

printf 'p(1)\nq(1)\nr(2)\np(?x) <- q(?x)\n%%both(?x, ?y) <- p(?x), r(?y)\n' >both.rpl
"$rpl" run both.rpl --session both >/dev/null 2>&1
page "a value that is stated and derived" both
check "has no origin" grep -qF '<th scope="row">x</th><td><code><span class="n">1</span></code></td><td></td>' page.html
check "one that is stated has its line" grep -qE \
  '<th scope="row">y</th>.*<span class="by">stated</span> <a class="place" href="#L3-f0-1"' page.html

# --- Decisions of a guard ----------------------------------------------------------------------

guarded() {
  "$rpl" run "$examples/guard/refund-desk.md" --policy "$examples/guard/refund-policy.json" \
    --config "$examples/guard/rpl.yaml" --store reviews.db \
    --answers "$examples/guard/refund-answers.json" --session guarded --now 2026-01-02T00:00:00Z
}
guarded >/dev/null 2>&1
"$rpl" guard pending --store reviews.db 2>/dev/null | head -n 1 >review
cat >wanted <<END
guard \$issueRefund allowed
guard \$issueRefund held for a review by the rule \`review-refunds\`, review $(cat review): refunds over 100 are approved by a person
END
page "a guarded run that waits for a review" guarded wanted
reviews approve "$(cat review)" --store reviews.db --now 2026-01-02T00:00:00Z >/dev/null
guarded >/dev/null 2>&1
cat >wanted <<END
guard \$issueRefund blocked by the rule \`no-large-refunds\`: refunds over 500 go through accounting
END
page "a guarded run" guarded wanted
check "shows no JSON of a decision" test "$(grep -c 'evaluatedRules' page.html)" = 0

# --- A run that was killed while its tool ran -----------------------------------------------

# Between rpl and its tool is the keeper.
cat >killer.sh <<'END'
#!/bin/bash
read -r _ _ _ rpl _ <"/proc/$PPID/stat"
kill -9 "$rpl"
sleep 5
END
chmod +x killer.sh
printf 'version: 1\ntools: {killer: {command: ["./killer.sh"]}}\n' >rpl.yaml
printf '%%end(?x) <- ?y = $ask("Q"), ?x = $killer(?y)\n' >killer.rpl
{ "$rpl" run killer.rpl --session killed --allow-tool killer --answer ask=1; } >/dev/null 2>&1
page "a run that was killed" killed
check "is not over" grep -qF '<span class="badge open">not over</span>' page.html
check "its call is in doubt" grep -qF 'in doubt: started, and no reply' page.html
check "nothing is told that did not happen" test "$(grep -c 'class="step"' page.html)" = 2

# --- A run that waits, one that fails, a program that changed --------------------------------

"$rpl" run seven.rpl --session waits </dev/null >/dev/null 2>&1
page "no permission" waits
cp "$examples/packing-list.md" packing.md
"$rpl" run packing.md --session packing </dev/null >/dev/null 2>&1
page "a run that waits" packing
check "says so" grep -qF '<span class="badge open">waiting</span>' page.html
check "and how to go on" grep -qF '<code>rpl resume SESSION --answer &#39;choose=…&#39;</code>' page.html
check "and why its goal does not hold" grep -qF '<h3>Why not ' page.html
printf '\n## More\n\n```rpl\nmore("x")\n```\n' >>packing.md
"$rpl" resume packing <"$examples/packing-list.md.answers" >/dev/null 2>&1
page "a program that changed" packing
check "both programs are there" grep -qF 'id="program-2"' page.html
check "the last one first" test "$(grep -o 'id="program-[12]"' page.html | head -n 1)" = 'id="program-2"'
check "the first one waits no more" grep -qF '>What it waited for<' page.html
check "and nobody is told to answer it" test "$(grep -c 'rpl resume SESSION' page.html)" = 0
printf '%%all(?k, ?v) <- ?k = 1, ?v = -9223372036854775809\n' >large.rpl
"$rpl" run large.rpl --session large >/dev/null 2>&1
page "an integer that 64 bits do not hold" large
check "it stands in the table of answers" grep -qE \
  '<th scope="row">v</th><td><code>.*9223372036854775809' page.html
printf 'n(0)\nn(?y) <- n(?x), ?y = ?x + 1, ?y < 2000\n%% <- n(1999)\n' >many.rpl
"$rpl" run many.rpl --session many >/dev/null 2>&1
page "a long log" many
check "what is cut is said" grep -qE '<p class="note">[0-9]+ more lines are not shown' page.html

finish
