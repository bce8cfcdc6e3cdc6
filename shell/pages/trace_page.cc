// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/trace_page.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "formats/terminal_text.h"
#include "shell/pages/page_assets.h"  // generated

namespace rpl {
namespace {

constexpr std::array<std::string_view, 9> kPhases = {
    "before the phases", "assert new avars",  "assert input novelty",
    "quiesce relations", "activate goals",    "update plans",
    "progress plan",     "quiesce relations", "dispatch asyncs"};

// In a session with more timesteps, they are closed initially.
constexpr std::size_t kOpenSteps = 12;

// The levels of a proof that are open initially.
constexpr std::size_t kOpenLevels = 3;

std::string Escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string Shown(std::string_view text) { return Escaped(PrintableLine(text)); }

// Text of several lines, escaped.
std::string ShownLines(std::string_view text) { return Escaped(Printable(text)); }

// A line break after the `?` of a variable is hard to read; longer names may break.
constexpr std::size_t kUnbrokenName = 30;

// RPL as HTML, with variables marked up, so that they do not break.
std::string Code(std::string_view text) {
  const std::string shown = Shown(text);
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = shown.find('?'); at != shown.npos; at = shown.find('?', at + 1)) {
    const std::size_t end = std::min(
        shown.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-", at + 1), shown.size());
    if (end == at + 1 || end - at > kUnbrokenName) continue;
    out += shown.substr(from, at - from) + "<var>" + shown.substr(at, end - at) + "</var>";
    from = end;
  }
  return out + shown.substr(from);
}

std::string InCode(std::string_view text) { return "<code>" + Code(text) + "</code>"; }

std::string Badge(std::string_view status) {
  const std::string_view kind = status == "satisfied" ? "good"
                                : status == "waiting" || status == "nothing" ||
                                        status == "interrupted" || status == "not over"
                                    ? "open"
                                    : "bad";
  return fmt::format("<span class=\"badge {}\">{}</span>", kind, Shown(status));
}

std::string Duration(std::int64_t ms) {
  return ms < 1000 ? fmt::format("{} ms", ms) : fmt::format("{}.{} s", ms / 1000, ms % 1000 / 100);
}

std::string Many(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

// The form in which a content security policy allows an inline text.
std::string PolicyHash(std::string_view text) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::array<char,
             sodium_base64_ENCODED_LEN(crypto_hash_sha256_BYTES, sodium_base64_VARIANT_ORIGINAL)>
      base64;
  sodium_bin2base64(base64.data(), base64.size(), hash.data(), hash.size(),
                    sodium_base64_VARIANT_ORIGINAL);
  return fmt::format("'sha256-{}'", base64.data());
}

// The sections of an epoch. Ids of epoch N end in -N.
class EpochPage {
 public:
  EpochPage(const StoryEpoch& epoch, std::size_t number, bool only, std::string& out)
      : epoch_(epoch), number_(number), only_(only), out_(out) {}

  void Report() {
    if (!only_) Add("<h2 class=\"epoch\" id=\"program-{}\">Program {}</h2>\n", number_, number_);
    if (!epoch_.differs.empty())
      Add("<p class=\"note\">Going through it again differs from what was recorded, so what "
          "phases did may be missing: {}</p>\n",
          InCode(epoch_.differs));
    Goals();
    Violations();
    Questions();
    Tools();
    Timeline();
  }

  /// Links to the sections; `of` distinguishes epochs.
  void Links(std::string_view of) {
    const auto link = [&](std::string_view id, std::string_view title) {
      Add("<li><a href=\"#{}\">{}{}</a></li>", Id(id), title, of);
    };
    link("goals", "Goals");
    if (!Find(IsViolation).empty()) link("violations", "Violations");
    if (!Find(IsQuestion).empty()) link("questions", "Questions");
    if (!Find(IsToolCall).empty()) link("tools", "Tool calls");
    link("timeline", "Timeline");
  }

  void Source() {
    for (std::uint32_t file = 0; file < epoch_.files; ++file) {
      const Sources::File& source = epoch_.sources().at(file);
      Add("<section aria-labelledby=\"{}\">\n<h3 id=\"{}\">{}</h3>\n<pre class=\"source\">",
          FileId(file), FileId(file), InCode(source.name));
      const std::size_t lines = Lines(source);
      for (std::size_t i = 0; i < std::min(lines, kPageSourceLines); ++i)
        Add("<span class=\"line\" id=\"{}\">{}\n</span>", LineId(file, i + 1),
            Code(Line(source, i)));
      Add("</pre>\n");
      if (lines > kPageSourceLines)
        Add("<p class=\"note\">{} not shown.</p>\n",
            Many(lines - kPageSourceLines, "more line is", "more lines are"));
      Add("</section>\n");
    }
  }

 private:
  struct Found {
    const StoryStep* step;
    const StoryItem* item;
    std::string id;
  };

  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string Id(std::string_view what) const { return fmt::format("{}-{}", what, number_); }
  std::string FileId(std::uint32_t file) const { return fmt::format("f{}-{}", file, number_); }
  std::string LineId(std::uint32_t file, std::size_t line) const {
    return fmt::format("L{}-f{}-{}", line, file, number_);
  }
  std::string ItemId(const StoryStep& step, std::size_t item) const {
    return fmt::format("t{}-i{}-{}", step.number, item, number_);
  }
  std::string PhaseId(const StoryStep& step, int phase) const {
    return fmt::format("t{}-p{}-{}", step.number, phase, number_);
  }

  // A line end at the end of the file begins no further line.
  static std::size_t Lines(const Sources::File& source) {
    const std::size_t lines = source.lines.size();
    return lines > 0 && source.lines.back() == source.text.size() ? lines - 1 : lines;
  }

  static std::string_view Line(const Sources::File& source, std::size_t line) {
    const std::size_t begin = source.lines[line];
    const std::size_t end =
        line + 1 < source.lines.size() ? source.lines[line + 1] : source.text.size();
    std::string_view text(source.text.data() + begin, end - begin);
    while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
    return text;
  }

  // " trip.md:4", as a link if the page contains the line.
  std::string Place(const std::optional<Span>& place) const {
    if (!place || place->file >= epoch_.files) return "";
    const std::size_t line = epoch_.sources().PlaceOf(place->file, place->begin).line;
    const std::string where =
        Shown(fmt::format("{}:{}", epoch_.sources().at(place->file).name, line));
    if (line > kPageSourceLines || line > Lines(epoch_.sources().at(place->file)))
      return " <span class=\"place\">" + where + "</span>";
    return fmt::format(" <a class=\"place\" href=\"#{}\">{}</a>", LineId(place->file, line), where);
  }

  static bool IsViolation(const StoryItem& i) { return i.kind == StoryItem::Kind::kViolation; }
  static bool IsQuestion(const StoryItem& i) { return i.call.question; }
  static bool IsToolCall(const StoryItem& i) {
    return i.kind == StoryItem::Kind::kCall && !i.call.question;
  }

  std::vector<Found> Find(bool (*wanted)(const StoryItem&)) const {
    std::vector<Found> out;
    for (const StoryTurn& turn : epoch_.turns)
      for (const StoryStep& step : turn.steps)
        for (std::size_t i = 0; i < step.items.size(); ++i)
          if (wanted(step.items[i])) out.push_back({&step, &step.items[i], ItemId(step, i)});
    return out;
  }

  // --- goals -----------------------------------------------------------------------------

  void Goals() {
    Add("<section aria-labelledby=\"{}\">\n<h2 id=\"{}\">Goals</h2>\n", Id("goals"), Id("goals"));
    for (const StoryTurn& turn : epoch_.turns) Outcome(turn);
    for (std::size_t g = 0; g < epoch_.goals.size(); ++g) {
      const StoryGoal& goal = epoch_.goals[g];
      Add("<h3>Why {}{}</h3>\n", goal.proofs.empty() ? "not " : "", InCode(goal.form));
      for (std::size_t i = 0; i < goal.proofs.size(); ++i)
        Proof(goal.proofs[i], fmt::format("g{}-{}", g, i));
      if (goal.why_not) Proof(*goal.why_not, fmt::format("g{}-n", g));
      if (goal.more > 0)
        Add("<p class=\"note\">{} not explained.</p>\n",
            Many(goal.more, "more answer is", "more answers are"));
    }
    Add("</section>\n");
  }

  void Outcome(const StoryTurn& turn) {
    const std::string what = turn.message ? "A message" : turn.goal.empty() ? "A run" : "";
    Add("<div class=\"outcome\">\n<p>{}{} {}</p>\n", what,
        turn.goal.empty() ? "" : InCode(turn.goal), Badge(turn.over ? turn.status : "not over"));
    if (turn.message) Add("<pre>{}</pre>\n", ShownLines(*turn.message));
    if (!turn.answers.empty()) {
      Add("<ul class=\"answers\">\n");
      for (const std::string& answer : turn.answers) Add("<li>{}</li>\n", InCode(answer));
      Add("</ul>\n");
    }
    if (!turn.reason.empty()) Add("<p>{}</p>\n", InCode(turn.reason));
    Add("</div>\n");
  }

  // An explicit stack of open nodes: proofs may be of any depth.
  void Proof(const Explanation& proof, const std::string& name) {
    struct Open {
      int node;
      std::size_t level;
      bool closes;
    };
    std::map<std::string_view, std::size_t> first;  // the nodes that `above` refers to
    for (std::size_t i = 0; i < proof.nodes.size(); ++i)
      if (!proof.nodes[i].above) first.emplace(proof.nodes[i].text, i);
    const auto id = [&](std::size_t node) { return fmt::format("{}-{}-{}", name, node, number_); };
    std::set<std::string_view> rules;
    std::vector<Open> stack = {{0, 0, false}};
    Add("<ul class=\"proof\">\n");
    while (!stack.empty()) {
      const Open at = stack.back();
      stack.pop_back();
      if (at.closes) {
        Add("</ul></details></li>\n");
        continue;
      }
      const auto number = static_cast<std::size_t>(at.node);
      const ExplainNode& node = proof.nodes[number];
      const auto above = node.above ? first.find(node.text) : first.end();
      const std::string text =
          Node(node, rules) +
          (above == first.end()
               ? ""
               : fmt::format(" <a class=\"place\" href=\"#{}\">above</a>", id(above->second)));
      if (node.premises.empty()) {
        Add("<li id=\"{}\" class=\"leaf\">{}</li>\n", id(number), text);
        continue;
      }
      Add("<li id=\"{}\"><details{}><summary>{}</summary><ul>\n", id(number),
          at.level < kOpenLevels ? " open" : "", text);
      stack.push_back({at.node, at.level, true});
      for (auto it = node.premises.rbegin(); it != node.premises.rend(); ++it)
        stack.push_back({*it, at.level + 1, false});
    }
    Add("</ul>\n");
  }

  // A rule is shown at its first use in a proof; `rules` collects those shown.
  std::string Node(const ExplainNode& node, std::set<std::string_view>& rules) const {
    using Kind = ExplainNode::Kind;
    std::string out = node.kind == Kind::kMissing   ? "no "
                      : node.kind == Kind::kNearest ? "nearest: "
                                                    : "";
    if (node.kind == Kind::kTruncated) out += "<em>" + Shown(node.text) + "</em>";
    else out += InCode(node.text);
    if (node.kind == Kind::kFailed) out += " <span class=\"tag bad\">fails</span>";
    if (!node.note.empty()) out += " <span class=\"dim\">" + Shown(node.note) + "</span>";
    if (node.placed) out += Place(node.place);
    if (!node.rule.empty() && !node.above && rules.insert(node.rule).second)
      out += "<span class=\"rule\">" + InCode(node.rule) + "</span>";
    return out;
  }

  // --- tables of items of the timeline ---------------------------------------------------

  void Begin(std::string_view id, std::string_view title, std::string_view heads) {
    Add("<section aria-labelledby=\"{}\">\n<h2 id=\"{}\">{}</h2>\n", Id(id), Id(id), title);
    Add("<table><thead><tr>{}</tr></thead><tbody>\n", heads);
  }

  static std::string When(const Found& found) {
    return fmt::format("<a href=\"#{}\">{}.{}</a>", found.id, found.step->number,
                       found.item->phase);
  }

  void Row(std::string_view cells, std::string_view when) {
    Add("<tr>{}<td class=\"when\">{}</td></tr>\n", cells, when);
  }

  void End() { Add("</tbody></table>\n</section>\n"); }

  void Violations() {
    const std::vector<Found> all = Find(IsViolation);
    if (all.empty()) return;
    Begin("violations", "Constraint violations",
          "<th scope=\"col\">Violated</th><th scope=\"col\">When</th>");
    // A violation that persists is found again in each timestep.
    std::vector<std::pair<const StoryLine*, std::string>> rows;
    std::map<std::string_view, std::size_t> row_of;
    for (const Found& found : all) {
      const auto [at, is_new] = row_of.emplace(found.item->line.text, rows.size());
      if (is_new) rows.emplace_back(&found.item->line, When(found));
      else rows[at->second].second += ", " + When(found);
    }
    for (const auto& [line, when] : rows)
      Row(fmt::format("<td>{}{}</td>", InCode(line->text), Place(line->place)), when);
    End();
  }

  void Questions() {
    const std::vector<Found> all = Find(IsQuestion);
    if (all.empty()) return;
    Begin(
        "questions", "Questions",
        "<th scope=\"col\">Question</th><th scope=\"col\">Answer</th><th scope=\"col\">When</th>");
    for (const Found& found : all)
      Row(fmt::format("<td><span class=\"prompt\">{}</span> {}{}</td><td>{}</td>",
                      ShownLines(found.item->call.prompt), InCode(found.item->line.text),
                      Place(found.item->line.place), Reply(found.item->call)),
          When(found));
    End();
  }

  void Tools() {
    const std::vector<Found> all = Find(IsToolCall);
    if (all.empty()) return;
    Begin("tools", "Tool calls",
          "<th scope=\"col\">Call</th><th scope=\"col\">Reply</th><th scope=\"col\">Took</th>"
          "<th scope=\"col\">When</th>");
    for (const Found& found : all)
      Row(fmt::format("<td>{}{}</td><td>{}</td><td class=\"took\">{}</td>",
                      InCode(found.item->line.text), Place(found.item->line.place),
                      Reply(found.item->call),
                      found.item->call.took_ms ? Duration(*found.item->call.took_ms)
                                               : "<span class=\"dim\">not recorded</span>"),
          When(found));
    End();
  }

  static std::string Reply(const StoryCall& call) {
    switch (call.reply) {
      case StoryCall::Reply::kNobody:
        return std::string("<span class=\"tag open\">") +
               (call.started ? "in doubt: started, and no reply" : "no reply") + "</span>";
      case StoryCall::Reply::kDeclined: return "<span class=\"tag bad\">declined</span>";
      case StoryCall::Reply::kValue:
      case StoryCall::Reply::kMetadata: break;
    }
    return InCode(call.value);
  }

  // --- timeline --------------------------------------------------------------------------

  void Timeline() {
    std::size_t steps = 0;
    for (const StoryTurn& turn : epoch_.turns) steps += turn.steps.size();
    Add("<section aria-labelledby=\"{}\">\n<h2 id=\"{}\">Timeline</h2>\n", Id("timeline"),
        Id("timeline"));
    for (std::size_t i = 0; i < epoch_.turns.size(); ++i) {
      const StoryTurn& turn = epoch_.turns[i];
      if (epoch_.turns.size() > 1)
        Add("<h3>{} {} {}</h3>\n", turn.message ? "Message" : "Run", i + 1,
            Badge(turn.over ? turn.status : "not over"));
      for (const StoryStep& step : turn.steps) Step(step, steps <= kOpenSteps);
    }
    Add("</section>\n");
  }

  void Step(const StoryStep& step, bool open) {
    std::array<std::vector<std::size_t>, 9> items;
    for (std::size_t i = 0; i < step.items.size(); ++i)
      items[static_cast<std::size_t>(step.items[i].phase)].push_back(i);
    Add("<details class=\"step\" id=\"t{}-{}\"{}>\n<summary><span class=\"number\">Timestep "
        "{}</span> <span class=\"strip\" aria-hidden=\"true\">",
        step.number, number_, open ? " open" : "", step.number);
    for (std::size_t p = 1; p <= 8; ++p)
      Add("<span class=\"{}\">{}</span>",
          !items[p].empty()            ? "much"
          : !step.log[p].lines.empty() ? "some"
                                       : "none",
          p);
    Add("</span> <time>{}</time></summary>\n<ol class=\"phases\">\n", Shown(step.now));
    for (std::size_t p = 0; p <= 8; ++p)
      if (!items[p].empty() || !step.log[p].lines.empty()) Phase(step, p, items[p]);
    Add("</ol>\n</details>\n");
  }

  void Phase(const StoryStep& step, std::size_t p, const std::vector<std::size_t>& items) {
    Add("<li id=\"{}\"><h4><span class=\"phase\">{}</span> {}</h4>\n",
        PhaseId(step, static_cast<int>(p)), p, kPhases[p]);
    if (!items.empty()) {
      Add("<ul class=\"items\">\n");
      for (const std::size_t i : items) Item(step.items[i], ItemId(step, i));
      Add("</ul>\n");
    }
    const StoryLog& log = step.log[p];
    if (!log.lines.empty()) {
      Add("<details class=\"log\"><summary>{}</summary><ul>\n",
          Many(log.lines.size() + log.more, "line of its log", "lines of its log"));
      for (const StoryLine& line : log.lines)
        Add("<li>{}{}</li>\n", InCode(line.text), Place(line.place));
      Add("</ul>\n");
      if (log.more > 0)
        Add("<p class=\"note\">{} not shown.</p>\n",
            Many(log.more, "more line is", "more lines are"));
      Add("</details>\n");
    }
    Add("</li>\n");
  }

  void Item(const StoryItem& item, const std::string& id) {
    switch (item.kind) {
      case StoryItem::Kind::kEntry:
        Add("<li id=\"{}\"><span class=\"tag {}\">{}</span> {}{}</li>\n", id,
            item.entry == TraceEntry::Kind::kFailure ? "bad"
            : item.entry == TraceEntry::Kind::kGoal  ? "good"
                                                     : "plain",
            EntryName(item.entry), InCode(item.line.text), Place(item.line.place));
        break;
      case StoryItem::Kind::kChat:
        Add("<li id=\"{}\"><span class=\"tag plain\">chat</span> {}</li>\n", id,
            InCode(item.line.text));
        break;
      case StoryItem::Kind::kDecision:
        Add("<li id=\"{}\"><span class=\"tag plain\">guard</span> {}</li>\n", id,
            InCode(item.line.text));
        break;
      case StoryItem::Kind::kViolation:
        Add("<li id=\"{}\"><span class=\"tag bad\">violated</span> {}{}</li>\n", id,
            InCode(item.line.text), Place(item.line.place));
        break;
      case StoryItem::Kind::kCall: Call(item, id); break;
    }
  }

  void Call(const StoryItem& item, const std::string& id) {
    const StoryCall& call = item.call;
    Add("<li id=\"{}\"><span class=\"tag call\">{}</span> {}{}", id,
        call.question ? "question" : "call", InCode(item.line.text), Place(item.line.place));
    if (!call.prompt.empty()) Add("<p class=\"prompt\">{}</p>", ShownLines(call.prompt));
    if (!call.options.empty()) {
      Add("<ul class=\"options\" aria-label=\"choices\">");
      for (const std::string& option : call.options) Add("<li>{}</li>", InCode(option));
      Add("</ul>");
    }
    Add("<p class=\"reply\"><span class=\"dim\">{}</span> {}", call.question ? "answer" : "reply",
        Reply(call));
    if (call.took_ms) Add(" <span class=\"took\">{}</span>", Duration(*call.took_ms));
    Add("</p></li>\n");
  }

  const StoryEpoch& epoch_;
  const std::size_t number_;
  const bool only_;
  std::string& out_;
};

std::string TitleOf(const StoryEpoch& epoch) {
  for (auto turn = epoch.turns.rbegin(); turn != epoch.turns.rend(); ++turn)
    if (!turn->goal.empty() && turn->goal != "%") return turn->goal;
  return epoch.files > 0 ? epoch.sources().at(0).name : "session";
}

std::string Navigation(const std::vector<StoryEpoch>& story) {
  std::string out = "<nav aria-label=\"page\"><ul>";
  for (std::size_t e = 0; e < story.size(); ++e)
    EpochPage(story[e], e + 1, story.size() == 1, out)
        .Links(story.size() == 1 ? "" : fmt::format(" {}", e + 1));
  return out + "<li><a href=\"#source\">Source</a></li></ul></nav>\n";
}

}  // namespace

std::string TracePage(const std::vector<StoryEpoch>& story) {
  const StoryEpoch& last = story.back();
  const std::string title = TitleOf(last);
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src {}; script-src {}; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{} - rpl trace</title>\n<style>{}</style>\n</head>\n<body>\n"
      "<a class=\"skip\" href=\"#report\">Skip to the report</a>\n<header>\n<h1>{}{}</h1>\n",
      PolicyHash(kPageStyle), PolicyHash(kPageScript), Shown(title), kPageStyle, InCode(title),
      last.turns.empty()
          ? ""
          : " " + Badge(last.turns.back().over ? last.turns.back().status : "not over"));
  out += Navigation(story) + "</header>\n<div class=\"columns\">\n<main id=\"report\">\n";
  for (std::size_t e = 0; e < story.size(); ++e)
    EpochPage(story[e], e + 1, story.size() == 1, out).Report();
  out += "</main>\n<aside id=\"source\" aria-label=\"source\" tabindex=\"0\">\n<h2>Source</h2>\n";
  for (std::size_t e = 0; e < story.size(); ++e) {
    if (story.size() > 1) out += fmt::format("<p class=\"epoch\">Program {}</p>\n", e + 1);
    EpochPage(story[e], e + 1, story.size() == 1, out).Source();
  }
  out += "</aside>\n</div>\n";
  out += fmt::format("<script>{}</script>\n</body>\n</html>\n", kPageScript);
  return out;
}

}  // namespace rpl
