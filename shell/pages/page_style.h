// SPDX-License-Identifier: Apache-2.0
//
// The style sheet and the script of a page (shell/pages/trace_page.h).
//
// Light or dark according to the reader's settings; two columns on wide screens, one on phones and
// on paper. The script does only what HTML cannot: it opens the parts that contain a link's target,
// opens or closes all parts at once, and opens all of them for printing. Without it the page is
// complete.
//
// Both texts are constant and contain nothing of a session, so that the page's policy can allow
// them by their hash.
#ifndef RPL_SHELL_PAGES_PAGE_STYLE_H_
#define RPL_SHELL_PAGES_PAGE_STYLE_H_

#include <string_view>

namespace rpl {

/// The style sheet. Colours are variables, redefined for dark screens and for paper.
inline constexpr std::string_view kPageStyle = R"(
:root {
  --paper: #fff; --raised: #f5f6f8; --ink: #1c2127; --dim: #59636e; --rule: #d5d9de;
  --link: #0b57a4; --good: #17692f; --good-paper: #e0f3e4; --bad: #a3201a; --bad-paper: #fbe5e3;
  --open: #805300; --open-paper: #fbefd0; --mark: #fff3b8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --raised: #1d2127; --ink: #e4e7eb; --dim: #9aa4af; --rule: #363d46;
    --link: #7db8f5; --good: #79d18c; --good-paper: #173521; --bad: #ff9d94; --bad-paper: #45201e;
    --open: #e8bd60; --open-paper: #3b2f12; --mark: #4a4212;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif;
}
code, pre, .place, time, .took { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
code, pre { font-size: .875em; overflow-wrap: anywhere; unicode-bidi: isolate; }
pre { white-space: pre-wrap; margin: 0; }
var { font-style: normal; white-space: nowrap; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, button:focus-visible, aside:focus-visible {
  outline: 2px solid var(--link); outline-offset: 2px; border-radius: 2px;
}
h1, h2, h3, h4 { line-height: 1.25; margin: 0; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; }
h1 code { font-size: 1em; }
h2 { font-size: 1.2rem; margin: 2rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
h4 { font-size: .875rem; font-weight: 600; }
p { margin: .25rem 0; }
ul, ol { margin: 0; padding: 0; list-style: none; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .5rem; }
header { padding: 1rem 1.25rem; border-bottom: 1px solid var(--rule); background: var(--raised); }
nav ul, .tools { display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin-top: .5rem; }
nav button {
  font: inherit; font-size: .875rem; color: var(--link); background: none; cursor: pointer;
  border: 1px solid var(--rule); border-radius: 4px; padding: 0 .5rem;
}
main, aside { padding: 0 1.25rem 2rem; min-width: 0; }
aside { border-top: 1px solid var(--rule); }
h2.epoch { font-size: 1.35rem; border-top: 2px solid var(--rule); padding-top: 1rem; }
.badge, .tag {
  display: inline-block; font: 600 .75rem/1.5 system-ui, "DejaVu Sans", sans-serif;
  border-radius: 3px; padding: 0 .4rem; background: var(--raised); color: var(--dim);
  border: 1px solid transparent; white-space: nowrap;
}
.badge { font-size: .8125rem; vertical-align: middle; }
.good { background: var(--good-paper); color: var(--good); }
.bad { background: var(--bad-paper); color: var(--bad); }
.open { background: var(--open-paper); color: var(--open); }
.call { background: var(--raised); color: var(--link); }
.tag.plain { border-color: var(--rule); }
.dim, .note, time { color: var(--dim); font-size: .8125rem; }
.place { font-size: .75rem; overflow-wrap: anywhere; color: var(--dim); }
a.place { color: var(--link); }
.took { font-size: .8125rem; white-space: nowrap; }
.outcome { border: 1px solid var(--rule); border-radius: 6px; padding: .5rem .75rem; }
.outcome + .outcome { margin-top: .5rem; }
.answers li::before { content: "= "; color: var(--dim); }
summary { cursor: pointer; }
.proof ul { margin-left: .45rem; padding-left: .9rem; border-left: 1px solid var(--rule); }
.proof li { padding: .125rem 0; }
.proof summary, .proof .leaf { padding-left: 1rem; text-indent: -1rem; }
.proof .leaf { padding-left: 2rem; }
.proof ul { text-indent: 0; }
.proof .rule { display: block; color: var(--dim); text-indent: 0; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th { text-align: left; font-size: .8125rem; color: var(--dim); font-weight: 600; }
th, td { border-bottom: 1px solid var(--rule); padding: .375rem .75rem .375rem 0; vertical-align: top; }
td { min-width: 7rem; }
td.when, td.took { min-width: 0; }
td .prompt { display: block; }
.prompt { white-space: pre-line; }
.step { border: 1px solid var(--rule); border-radius: 6px; margin: .5rem 0; }
.step > summary { padding: .4rem .75rem; background: var(--raised); border-radius: 6px; }
.step > summary .number { font-weight: 600; }
.step > summary time { white-space: nowrap; }
.strip { display: inline-flex; gap: 2px; vertical-align: middle; margin: 0 .5rem; }
.strip span {
  font: .6875rem/1.25rem ui-monospace, "DejaVu Sans Mono", monospace; width: 1.25rem;
  text-align: center; border-radius: 3px; border: 1px solid var(--rule); color: var(--dim);
}
.strip .some { background: var(--rule); color: var(--ink); }
.strip .much { background: var(--link); border-color: var(--link); color: var(--paper); }
.phases { padding: .25rem .75rem .75rem; }
.phases > li { margin-top: .5rem; }
.phases .phase { display: inline-block; min-width: 1rem; color: var(--dim); }
.phases .items, .phases .log { margin-left: 1.25rem; }
.items > li { padding: .125rem 0; }
.items .prompt, .items .reply, .items .options { margin: .125rem 0 .125rem 1rem; }
.options { display: flex; flex-wrap: wrap; gap: .25rem .75rem; }
.log { font-size: .8125rem; color: var(--dim); }
.log li { padding-left: 1rem; text-indent: -1rem; margin-left: .5rem; }
.source { counter-reset: line; border: 1px solid var(--rule); border-radius: 6px; padding: .5rem 0; }
.line { display: block; counter-increment: line; padding: 0 .75rem 0 3.75rem; min-height: 1.5em; }
.line::before {
  content: counter(line); display: inline-block; width: 2.75rem; margin: 0 .75rem 0 -3.5rem;
  text-align: right; color: var(--dim); user-select: none;
}
:target:not(aside, main) { background: var(--mark); }
@media (min-width: 68rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 7fr) minmax(0, 5fr); }
  aside {
    border-top: 0; border-left: 1px solid var(--rule); position: sticky; top: 0;
    height: 100vh; overflow: auto; scroll-padding-top: 1rem;
  }
  /* Room for the last line to come to the top: else the report would be scrolled as well. */
  aside::after { content: ""; display: block; height: 100vh; }
}
@media (max-width: 40rem) {
  main, aside, header { padding-left: .875rem; padding-right: .875rem; }
  thead { position: absolute; left: -100vw; }
  tr { display: block; border-bottom: 1px solid var(--rule); padding: .375rem 0; }
  td { display: block; border: 0; padding: .0625rem 0; }
  .when::before { content: "timestep "; color: var(--dim); font-size: .8125rem; }
  .strip { margin: 0; }
  .strip span { width: 1.1rem; }
  .phases .items, .phases .log { margin-left: 0; }
  .line { padding-left: 2.75rem; padding-right: .5rem; }
  .line::before { width: 2rem; margin-left: -2.5rem; margin-right: .5rem; }
}
@media print {
  :root {
    --paper: #fff; --raised: #fff; --ink: #000; --dim: #444; --rule: #bbb; --link: #000;
    --good: #000; --good-paper: #fff; --bad: #000; --bad-paper: #fff; --open: #000;
    --open-paper: #fff; --mark: #fff;
  }
  .columns { display: block; }
  aside { position: static; height: auto; overflow: visible; border-left: 0; break-before: page; }
  nav, .skip, aside::after { display: none; }
  .badge, .tag { border: 1px solid #888; }
  .strip .much { background: #fff; border: 2px solid #000; color: #000; }
  h2, h3, h4, summary { break-after: avoid; }
  .items > li, tr, .outcome { break-inside: avoid; }
}
)";

/// The script, one function that runs when the page has loaded.
inline constexpr std::string_view kPageScript = R"(
(() => {
  const parts = () => document.querySelectorAll("details");
  const reveal = () => {
    const at = document.getElementById(location.hash.slice(1));
    if (at === null) return;
    for (let up = at; up !== null; up = up.parentElement)
      if (up.tagName === "DETAILS") up.open = true;
    at.scrollIntoView();
  };
  const list = document.querySelector("nav ul");
  for (const [label, open] of [["Open all", true], ["Close all", false]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => parts().forEach((part) => (part.open = open)));
    list.appendChild(document.createElement("li")).appendChild(button);
  }
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...parts()].filter((part) => !part.open);
    closed.forEach((part) => (part.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((part) => (part.open = false)));
  addEventListener("hashchange", reveal);
  reveal();
})();
)";

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_PAGE_STYLE_H_
