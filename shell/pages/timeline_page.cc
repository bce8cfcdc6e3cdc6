// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/timeline_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "interp/program/operators.h"
#include "shell/pages/html.h"
#include "shell/pages/outcome_page.h"
#include "shell/pages/recorded_words.h"

namespace rpl {
namespace {

/// The name of a phase (§18.3) and what it does.
struct PhaseWords {
  std::string_view name;
  std::string_view does;
};
constexpr std::array<PhaseWords, 9> kPhases = {{
    {"before the phases", ""},
    {"assert new avars", "the replies to earlier calls become facts"},
    {"assert input novelty", "documents, messages and facts come in"},
    {"quiesce relations", "rules derive until nothing is new"},
    {"activate goals", "which rules of the goals may be followed"},
    {"update plans", "the first of them that may still hold is the plan"},
    {"progress plan", "the plan is solved; a goal that holds becomes a fact"},
    {"quiesce relations", "rules derive again; constraints are checked"},
    {"dispatch asyncs", "questions and calls go out"},
}};

// In a session with more timesteps, they are closed initially.
constexpr std::size_t kOpenSteps = 12;

// In a session with more timesteps than twice this number, so many stand together in a part.
constexpr std::size_t kStepsOfPart = 100;

std::string_view AnswererOf(By by) {
  switch (by) {
    case By::kProgram: return "the document";
    case By::kPerson: return "a person";
    case By::kHost: return "an option, a file or a program";
    case By::kModel: return "a language model";
    case By::kTool: return "a tool";
    case By::kFile: return "a file";
  }
  return "";
}

std::string LinkTo(const FoundItem& found) {
  return fmt::format("<a href=\"#{}\">step {}</a>", found.id, found.step->number);
}

// A value as text: of a string without quotes, else in code.
std::string ValueHtml(const std::string& value) {
  const std::optional<std::string> text = StringOf(value);
  return text ? ShownLines(*text) : InCode(value);
}

std::string FailureHtml(const CallFailure& failure) {
  std::string out = "<span class=\"tag bad\">failed</span>";
  if (!failure.code.empty()) out += " <code>" + Shown(failure.code) + "</code>";
  if (!failure.message.empty()) out += " " + ShownLines(failure.message);
  return out;
}

std::string ReplyHtml(const StoryCall& call) {
  switch (call.reply) {
    case StoryCall::Reply::kNobody:
      return std::string("<span class=\"tag open\">") +
             (call.started    ? "in doubt: started, and no reply"
              : call.question ? "no answer yet"
                              : "no reply") +
             "</span>";
    case StoryCall::Reply::kDeclined: return "<span class=\"tag bad\">declined</span>";
    case StoryCall::Reply::kMetadata:
      if (const std::optional<CallFailure> failure = CallFailureOf(call.value))
        return FailureHtml(*failure);
      break;
    case StoryCall::Reply::kValue: break;
  }
  return call.question ? ValueHtml(call.value) : InCode(call.value);
}

std::string SectionBegin(std::string_view name, std::size_t epoch, std::string_view title,
                         std::string_view sub = "") {
  return fmt::format("<section aria-labelledby=\"{0}-{1}\">\n<h2 id=\"{0}-{1}\">{2}</h2>\n{3}",
                     name, epoch, title,
                     sub.empty() ? "" : fmt::format("<p class=\"sub\">{}</p>\n", sub));
}

// More questions or calls than these are folded.
constexpr std::size_t kMostUnfolded = 100;

std::string Fold(std::string_view summary) {
  return fmt::format("<details class=\"fold\"><summary>{}</summary>\n", summary);
}

std::optional<std::int64_t> TimeBetween(const StoryStep& first, const StoryStep& last) {
  const std::optional<std::int64_t> from = ParseInstant(first.now);
  const std::optional<std::int64_t> to = ParseInstant(last.now);
  if (!from || !to || *to - *from < 1'000'000) return std::nullopt;
  return (*to - *from) / 1000;
}

class Timeline {
 public:
  Timeline(const PagePlaces& places, std::size_t epoch) : places_(places), epoch_(epoch) {}

  std::string Write(const StoryEpoch& story) {
    std::size_t steps = 0;
    for (const StoryTurn& turn : story.turns) steps += turn.steps.size();
    out_ = SectionBegin("timeline", epoch_, "What happened when");
    Legend();
    const StoryStep* before = nullptr;
    for (std::size_t i = 0; i < story.turns.size(); ++i) {
      const StoryTurn& turn = story.turns[i];
      if (story.turns.size() > 1)
        Add("<h3>{} {} {}</h3>\n", turn.message ? "Message" : "Run", i + 1, Badge(StatusOf(turn)));
      const bool parts = turn.steps.size() > 2 * kStepsOfPart;
      for (std::size_t s = 0; s < turn.steps.size(); ++s) {
        const StoryStep& step = turn.steps[s];
        if (parts && s % kStepsOfPart == 0) BeginPart(turn, s);
        if (before != nullptr)
          if (const auto later = TimeBetween(*before, step))
            Add("<p class=\"later\">{} later</p>\n", Duration(*later));
        Step(step, steps <= kOpenSteps);
        before = &step;
      }
      if (parts) Add("</details>\n");
    }
    return out_ + "</section>\n";
  }

 private:
  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  std::string ItemId(const StoryStep& step, std::size_t item) const {
    return fmt::format("t{}-i{}-{}", step.number, item, epoch_);
  }

  void Legend() {
    Add("<details class=\"legend\"><summary>A timestep has eight phases. "
        "<span class=\"strip\" aria-hidden=\"true\"><span class=\"much\">1</span></span> recorded "
        "something, <span class=\"strip\" aria-hidden=\"true\"><span "
        "class=\"some\">1</span></span> "
        "did something, <span class=\"strip\" aria-hidden=\"true\"><span class=\"none\">1</span>"
        "</span> had nothing to do.</summary>\n<ol>\n");
    for (std::size_t p = 1; p <= 8; ++p)
      Add("<li><span class=\"phase\">{}</span> <b>{}</b>: {}</li>\n", p, kPhases[p].name,
          kPhases[p].does);
    Add("</ol></details>\n");
  }

  // The part of the timesteps from `begin` on; ends the part before.
  void BeginPart(const StoryTurn& turn, std::size_t begin) {
    const std::size_t last = std::min(begin + kStepsOfPart, turn.steps.size()) - 1;
    Add("{}<details class=\"part\"><summary>Timesteps {} to {} <time>{}</time></summary>\n",
        begin == 0 ? "" : "</details>\n", turn.steps[begin].number, turn.steps[last].number,
        Shown(turn.steps[begin].now));
  }

  void Step(const StoryStep& step, bool open) {
    std::array<std::vector<std::size_t>, 9> items;
    for (std::size_t i = 0; i < step.items.size(); ++i)
      items[static_cast<std::size_t>(step.items[i].phase)].push_back(i);
    Add("<details class=\"step\" id=\"t{}-{}\"{}>\n<summary><span class=\"number\">Timestep "
        "{}</span> <span class=\"strip\" aria-hidden=\"true\">",
        step.number, epoch_, open ? " open" : "", step.number);
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
    Add("<li id=\"t{}-p{}-{}\"><h4><span class=\"phase\">{}</span> {}</h4>\n", step.number, p,
        epoch_, p, kPhases[p].name);
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
        Add("<li><code>{}</code>{}</li>\n", PlainCode(line.text), places_.ShortLink(line.place));
      Add("</ul>\n");
      if (log.more > 0)
        Add("<p class=\"note\">{} not shown.</p>\n",
            Many(log.more, "more line is", "more lines are"));
      Add("</details>\n");
    }
    Add("</li>\n");
  }

  void Item(const StoryItem& item, const std::string& id) {
    const auto add = [&](std::string_view kind, std::string_view word, bool placed) {
      Add("<li id=\"{}\"><span class=\"tag {}\">{}</span> <code>{}</code>{}</li>\n", id, kind, word,
          PlainCode(item.line.text), placed ? places_.ShortLink(item.line.place) : "");
    };
    switch (item.kind) {
      case StoryItem::Kind::kEntry:
        add(item.entry == TraceEntry::Kind::kFailure ? "bad"
            : item.entry == TraceEntry::Kind::kGoal  ? "good"
                                                     : "plain",
            EntryName(item.entry), true);
        break;
      case StoryItem::Kind::kChat: add("plain", "chat", false); break;
      case StoryItem::Kind::kDecision: add("plain", "guard", false); break;
      case StoryItem::Kind::kViolation: add("bad", "violated", true); break;
      case StoryItem::Kind::kAttempt: add("bad", "not taken", false); break;
      case StoryItem::Kind::kCall: Call(item, id); break;
    }
  }

  void Call(const StoryItem& item, const std::string& id) {
    const StoryCall& call = item.call;
    Add("<li id=\"{}\"><span class=\"tag call\">{}</span> <code>{}</code>{}", id,
        call.question ? "question" : "call", PlainCode(item.line.text),
        places_.ShortLink(item.line.place));
    Add("<p class=\"reply\"><span class=\"dim\">{}</span> {}", call.question ? "answer" : "reply",
        ReplyHtml(call));
    if (!call.model.empty()) Add(" <span class=\"dim\">by the model {}</span>", Shown(call.model));
    if (call.took_ms) Add(" <span class=\"took\">{}</span>", Duration(*call.took_ms));
    Add("</p></li>\n");
  }

  const PagePlaces& places_;
  const std::size_t epoch_;
  std::string out_;
};

}  // namespace

bool IsViolation(const StoryItem& item) { return item.kind == StoryItem::Kind::kViolation; }
bool IsQuestion(const StoryItem& item) { return item.call.question; }
bool IsToolCall(const StoryItem& item) {
  return item.kind == StoryItem::Kind::kCall && !item.call.question;
}

std::vector<FoundItem> FindItems(const StoryEpoch& story, std::size_t epoch,
                                 bool (*wanted)(const StoryItem&)) {
  std::vector<FoundItem> out;
  for (const StoryTurn& turn : story.turns)
    for (const StoryStep& step : turn.steps)
      for (std::size_t i = 0; i < step.items.size(); ++i)
        if (wanted(step.items[i]))
          out.push_back({&step, &step.items[i], fmt::format("t{}-i{}-{}", step.number, i, epoch)});
  return out;
}

std::optional<std::int64_t> TimeOf(const StoryEpoch& story) {
  const StoryStep* first = nullptr;
  const StoryStep* last = nullptr;
  for (const StoryTurn& turn : story.turns)
    for (const StoryStep& step : turn.steps) {
      if (first == nullptr) first = &step;
      last = &step;
    }
  return first == nullptr ? std::nullopt : TimeBetween(*first, *last);
}

std::vector<ProtocolNote> NotesOf(const StoryEpoch& story, std::size_t epoch) {
  std::vector<ProtocolNote> out;
  const auto add = [&](const FoundItem& found, std::string kind, std::string html) {
    if (found.item->line.place)
      out.push_back(
          {*found.item->line.place, std::move(kind), std::move(html) + ", " + LinkTo(found)});
  };
  for (const FoundItem& found : FindItems(story, epoch, IsQuestion)) {
    const StoryCall& call = found.item->call;
    const bool open = call.reply == StoryCall::Reply::kNobody;
    const bool declined = call.reply == StoryCall::Reply::kDeclined;
    add(found,
        open       ? "open"
        : declined ? "no"
                   : "ask",
        open       ? "<b>Asked</b>, not answered yet"
        : declined ? "<b>Declined</b>"
                   : "<b>" + ReplyHtml(call) + "</b>" +
                         (call.by ? " by " + std::string(AnswererOf(*call.by)) : ""));
  }
  for (const FoundItem& found : FindItems(story, epoch, IsToolCall))
    add(found, "tool",
        "<code>" + PlainCode(found.item->line.text) + "</code> " + ReplyHtml(found.item->call));
  for (const FoundItem& found : FindItems(story, epoch, IsViolation))
    add(found, "no", "<b>Violated</b>");
  const auto is_goal = [](const StoryItem& item) {
    return item.kind == StoryItem::Kind::kEntry && item.entry == TraceEntry::Kind::kGoal;
  };
  for (const FoundItem& found : FindItems(story, epoch, is_goal))
    add(found, "ok", "<b>Reached</b>");
  return out;
}

std::string QuestionsHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch) {
  const std::vector<FoundItem> all = FindItems(story, epoch, IsQuestion);
  if (all.empty()) return "";
  const bool folded = all.size() > kMostUnfolded;
  std::string out = SectionBegin("questions", epoch, "Questions and answers") +
                    (folded ? Fold(Many(all.size(), "question", "questions")) : "") +
                    "<ol class=\"talk\">\n";
  for (const FoundItem& found : all) {
    const StoryCall& call = found.item->call;
    out += "<li><div class=\"asked\"><p class=\"prompt\">" +
           (call.prompt.empty() ? InCode(found.item->line.text) : ShownLines(call.prompt)) + "</p>";
    if (!call.options.empty()) {
      out += "<ul class=\"options\" aria-label=\"choices\">";
      for (const std::string& option : call.options) {
        const bool chosen = call.reply == StoryCall::Reply::kValue && option == call.value;
        out += std::string(chosen ? "<li class=\"chosen\">" : "<li>") + ValueHtml(option) + "</li>";
      }
      out += "</ul>";
    }
    out += "<p class=\"dim\">" + LinkTo(found) + ", " + InCode(found.item->line.text) +
           places.Link(found.item->line.place) + "</p></div>\n";
    const bool answered =
        call.reply == StoryCall::Reply::kValue || call.reply == StoryCall::Reply::kMetadata;
    out += fmt::format("<div class=\"answered{}\"><p>{}</p>", answered ? "" : " none",
                       ReplyHtml(call));
    if (call.by) out += "<p class=\"dim\">by " + std::string(AnswererOf(*call.by)) + "</p>";
    out += "</div></li>\n";
  }
  return out + "</ol>\n" + (folded ? "</details>\n" : "") + "</section>\n";
}

std::string ToolsHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch) {
  const std::vector<FoundItem> all = FindItems(story, epoch, IsToolCall);
  if (all.empty()) return "";
  const bool folded = all.size() > kMostUnfolded;
  std::string out = SectionBegin("tools", epoch, "Calls of tools") +
                    (folded ? Fold(Many(all.size(), "call", "calls")) : "") +
                    "<table class=\"events\"><thead><tr><th scope=\"col\">Call</th><th "
                    "scope=\"col\">Reply</th><th scope=\"col\">Took</th><th scope=\"col\">When</th>"
                    "</tr></thead><tbody>\n";
  for (const FoundItem& found : all)
    out += fmt::format(
        "<tr><td>{}{}</td><td>{}</td><td class=\"took\">{}</td><td class=\"when\">{}</td></tr>\n",
        InCode(found.item->line.text), places.Link(found.item->line.place),
        ReplyHtml(found.item->call),
        found.item->call.took_ms ? Duration(*found.item->call.took_ms)
                                 : "<span class=\"dim\">not recorded</span>",
        LinkTo(found));
  return out + "</tbody></table>\n" + (folded ? "</details>\n" : "") + "</section>\n";
}

std::string ViolationsHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch) {
  const std::vector<FoundItem> all = FindItems(story, epoch, IsViolation);
  if (all.empty()) return "";
  // A violation that persists is found again in each timestep.
  constexpr std::size_t kMostSteps = 8;
  struct Row {
    const StoryLine* line;
    std::string when;
    std::size_t count;
  };
  std::vector<Row> rows;
  std::map<std::string_view, std::size_t> row_of;
  for (const FoundItem& found : all) {
    const auto [at, is_new] = row_of.emplace(found.item->line.text, rows.size());
    if (is_new) rows.push_back({&found.item->line, "", 0});
    Row& row = rows[at->second];
    if (++row.count <= kMostSteps) row.when += (row.when.empty() ? "" : ", ") + LinkTo(found);
  }
  std::string out =
      SectionBegin("violations", epoch, "Violated constraints") +
      "<table class=\"events\"><thead><tr><th scope=\"col\">Violated</th><th scope=\"col\">When"
      "</th></tr></thead><tbody>\n";
  for (const Row& row : rows)
    out += fmt::format(
        "<tr><td>{}{}</td><td class=\"when\">{}{}</td></tr>\n", InCode(row.line->text),
        places.Link(row.line->place), row.when,
        row.count > kMostSteps ? fmt::format(" and {} more", row.count - kMostSteps) : "");
  return out + "</tbody></table>\n</section>\n";
}

std::string TimelineHtml(const StoryEpoch& story, const PagePlaces& places, std::size_t epoch) {
  return Timeline(places, epoch).Write(story);
}

}  // namespace rpl
