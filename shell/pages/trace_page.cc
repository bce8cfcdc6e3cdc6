// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/trace_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "interp/program/program.h"
#include "shell/pages/html.h"
#include "shell/pages/outcome_page.h"
#include "shell/pages/page_assets.h"  // generated
#include "shell/pages/page_places.h"
#include "shell/pages/proof_page.h"
#include "shell/pages/protocol_page.h"
#include "shell/pages/shown_document.h"
#include "shell/pages/source_page.h"
#include "shell/pages/timeline_page.h"

namespace rpl {
namespace {

std::string TitleOfPage(const StoryEpoch& epoch) {
  if (!epoch.title.empty()) return epoch.title;
  if (!epoch.turns.empty() && epoch.turns.back().goal.size() > 1) return epoch.turns.back().goal;
  return epoch.files > 0 ? epoch.sources().at(0).name : "session";
}

// The sections of an epoch. Ids of epoch N end in -N.
class EpochPage {
 public:
  /// `number` of `count` epochs.
  EpochPage(const StoryEpoch& epoch, std::size_t number, std::size_t count)
      : epoch_(epoch),
        number_(number),
        count_(count),
        places_(epoch.sources(), epoch.files, number) {}

  const PagePlaces& places() const { return places_; }

  std::string Report() const {
    std::string out;
    if (count_ > 1)
      out += fmt::format("<h2 class=\"epoch\" id=\"program-{0}\">Program {0}{1}</h2>\n", number_,
                         number_ == count_ ? "" : ", before it was changed");
    if (!epoch_.differs.empty())
      out +=
          "<p class=\"note\">Going through it again differs from what was recorded, so what "
          "phases did may be missing: " +
          InCode(epoch_.differs) + "</p>\n";
    out += OutcomeHtml(epoch_, places_, Id("outcome"), number_ == count_);
    if (const std::string earlier = EarlierTurnsHtml(epoch_, places_); !earlier.empty())
      out += Section("earlier", "Earlier turns", earlier);
    out += ViolationsHtml(epoch_, places_, number_);
    out += Protocol();
    out += QuestionsHtml(epoch_, places_, number_);
    out += ToolsHtml(epoch_, places_, number_);
    out += Why();
    return out + TimelineHtml(epoch_, places_, number_);
  }

  /// Links to the sections of `report`, or to the whole of an earlier program.
  std::string Links(const std::string& report) const {
    if (number_ < count_)
      return fmt::format("<li><a href=\"#program-{0}\">Program {0}</a></li>", number_);
    constexpr std::pair<std::string_view, std::string_view> kSections[] = {
        {"outcome", "Outcome"},     {"violations", "Violations"}, {"protocol", "Protocol"},
        {"questions", "Questions"}, {"tools", "Tools"},           {"why", "Why"},
        {"timeline", "Timeline"}};
    std::string out;
    for (const auto& [name, title] : kSections)
      if (report.find("id=\"" + Id(name) + "\"") != report.npos)
        out += fmt::format("<li><a href=\"#{}\">{}</a></li>", Id(name), title);
    return out;
  }

  std::string Source() const {
    const std::map<std::size_t, LineMark> marked = Marked();
    std::string out;
    for (std::uint32_t file = 0; file < epoch_.files; ++file) {
      const Sources::File& source = epoch_.sources().at(file);
      out += fmt::format(
          "<details open aria-labelledby=\"{0}\"><summary><h3 id=\"{0}\">{1}</h3> "
          "<span class=\"dim\">{2}</span></summary>\n",
          places_.FileId(file), "<code>" + Shown(source.name) + "</code>",
          Many(LineCount(source), "line", "lines"));
      out += SourceHtml(places_, file,
                        StopFile() == file ? marked : std::map<std::size_t, LineMark>{});
      out += "</details>\n";
    }
    return out;
  }

 private:
  std::string Id(std::string_view what) const { return fmt::format("{}-{}", what, number_); }

  std::string Section(std::string_view name, std::string_view title,
                      const std::string& inside) const {
    return fmt::format(
        "<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n{2}</section>\n", Id(name),
        title, inside);
  }

  std::optional<std::uint32_t> StopFile() const {
    if (!epoch_.last || !epoch_.last->violated) return std::nullopt;
    return epoch_.last->violated->place.file;
  }

  // The lines of the constraint that stopped the run.
  std::map<std::size_t, LineMark> Marked() const {
    std::map<std::size_t, LineMark> out;
    const std::optional<std::uint32_t> file = StopFile();
    if (!file || *file >= epoch_.files) return out;
    const Span at = epoch_.last->violated->place;
    const std::size_t last = epoch_.sources().PlaceOf(at.file, at.end).line;
    for (std::size_t line = epoch_.sources().PlaceOf(at.file, at.begin).line; line <= last; ++line)
      out.emplace(line, LineMark{"hit", ""});
    return out;
  }

  std::string Protocol() const {
    const std::vector<ProtocolNote> notes = NotesOf(epoch_, number_);
    const std::vector<ToDo> filled = epoch_.last ? epoch_.last->now : std::vector<ToDo>{};
    std::string out;
    for (std::uint32_t file = 0; file < epoch_.files; ++file) {
      const std::string& name = epoch_.sources().at(file).name;
      if (!IsMarkdownName(name)) continue;
      out += ProtocolHtml(places_, file, epoch_.title, notes, filled, Used());
    }
    if (out.empty()) return "";
    return Section("protocol", "The protocol, with this run in its margin", out);
  }

  // The facts that the proofs rest on.
  std::set<std::pair<std::uint32_t, std::uint32_t>> Used() const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> out;
    for (const StoryGoal& goal : epoch_.goals)
      for (const Explanation& proof : goal.proofs)
        for (const ExplainNode& node : proof.nodes)
          if (node.kind == ExplainNode::Kind::kAsserted && node.placed)
            out.emplace(node.place.file, node.place.begin);
    return out;
  }

  std::string Why() const {
    std::string out;
    for (std::size_t g = 0; g < epoch_.goals.size(); ++g) {
      const StoryGoal& goal = epoch_.goals[g];
      out +=
          fmt::format("<h3>Why {}{}</h3>\n", goal.proofs.empty() ? "not " : "", InCode(goal.form));
      if (epoch_.last && epoch_.last->violated &&
          epoch_.last->goal == goal.form.substr(0, goal.form.find('(')))
        out += "<p class=\"stopped\">" + OutcomeSentence(epoch_, places_) + "</p>\n";
      for (std::size_t i = 0; i < goal.proofs.size(); ++i)
        out += ProofHtml(goal.proofs[i], places_, fmt::format("g{}-{}-{}", g, i, number_));
      if (goal.why_not)
        out += ProofHtml(*goal.why_not, places_, fmt::format("g{}-n-{}", g, number_));
      if (goal.more > 0)
        out += fmt::format("<p class=\"note\">{} not explained.</p>\n",
                           Many(goal.more, "more answer is", "more answers are"));
    }
    return out.empty() ? "" : Section("why", "Why", out);
  }

  const StoryEpoch& epoch_;
  const std::size_t number_;
  const std::size_t count_;
  const PagePlaces places_;
};

// --- The head ----------------------------------------------------------------------------

std::string Figure(std::string_view name, std::string_view value, std::string_view small = "") {
  return fmt::format("<div><dt>{}</dt><dd>{}{}</dd></div>", name, value,
                     small.empty() ? "" : fmt::format(" <small>{}</small>", small));
}

std::string Figures(const StoryEpoch& epoch, std::size_t number) {
  const std::vector<FoundItem> questions = FindItems(epoch, number, IsQuestion);
  const std::vector<FoundItem> calls = FindItems(epoch, number, IsToolCall);
  std::size_t steps = 0;
  for (const StoryTurn& turn : epoch.turns) steps += turn.steps.size();
  const auto is_open = [](const FoundItem& found) {
    return found.item->call.reply == StoryCall::Reply::kNobody;
  };
  const auto open = [&](const std::vector<FoundItem>& all) {
    const auto count = std::count_if(all.begin(), all.end(), is_open);
    return count == 0 ? std::string() : fmt::format("{} open", count);
  };
  const std::size_t constraints = epoch.saved->session().program().constraints().size();
  std::string out = "<dl class=\"figures\">";
  out += Figure("Questions", std::to_string(questions.size()), open(questions));
  out += Figure("Tool calls", std::to_string(calls.size()), open(calls));
  if (epoch.differs.empty())
    out += Figure("Constraints", std::to_string(constraints),
                  constraints == 0                                ? ""
                  : FindItems(epoch, number, IsViolation).empty() ? "none violated"
                                                                  : "violated");
  out += Figure("Timesteps", std::to_string(steps));
  if (const auto time = TimeOf(epoch)) out += Figure("Time", Duration(*time), "to the last step");
  return out + "</dl>\n";
}

}  // namespace

std::string TracePage(const std::vector<StoryEpoch>& story) {
  const StoryEpoch& last = story.back();
  const std::string title = TitleOfPage(last);
  const std::string status = last.turns.empty() ? "nothing" : StatusOf(last.turns.back());
  // The last program first: it is what the head tells about.
  std::vector<EpochPage> pages;
  for (std::size_t e = story.size(); e > 0; --e) pages.emplace_back(story[e - 1], e, story.size());
  std::string links;
  std::string report;
  for (const EpochPage& page : pages) {
    const std::string part = page.Report();
    links += page.Links(part);
    report += part;
  }
  std::string out = PageBegin(title + ": " + status, kPageStyle, kPageScript);
  out +=
      "<a class=\"skip\" href=\"#report\">Skip to the report</a>\n<nav aria-label=\"page\"><div>"
      "<b>" +
      Shown(title) + "</b><ul>" + links +
      "<li><a href=\"#source\">Source</a></li></ul></div>"
      "</nav>\n";
  out += fmt::format("<header>\n<p>{}</p>\n<h1>{}</h1>\n<p class=\"lede\">{}</p>\n{}</header>\n",
                     Badge(status), ShownProse(title),
                     OutcomeSentence(last, pages.front().places()), Figures(last, story.size()));
  out += "<main id=\"report\">\n" + report;
  out +=
      "<section id=\"source\" aria-labelledby=\"source-title\">\n<h2 id=\"source-title\">The "
      "source, as it was read</h2>\n";
  for (std::size_t e = 0; e < pages.size(); ++e) {
    if (pages.size() > 1)
      out += fmt::format("<p class=\"epoch\">Program {}</p>\n", pages.size() - e);
    out += pages[e].Source();
  }
  return out + "</section>\n</main>\n" + PageEnd(kPageScript);
}

}  // namespace rpl
