// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/outcome_page.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "formats/character.h"
#include "formats/data/json_text.h"
#include "interp/program/program.h"
#include "interp/store/store.h"
#include "runtime/run/saved_session.h"
#include "shell/pages/answer_origin.h"
#include "shell/pages/html.h"
#include "shell/pages/recorded_words.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

// --- Answers -----------------------------------------------------------------------------

/// Answers as a table: names of columns, and cells as HTML, row by row.
struct AnswerTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string CellOf(const ordered_json& value) {
  return value.is_string() ? ShownLines(value.get<std::string>()) : InCode(DumpJson(value));
}

// A binding map of the answer, {"?where":"Lucca"}, is a row; nullopt if an answer has another form.
std::optional<AnswerTable> TableOf(const std::vector<std::string>& answers) {
  AnswerTable out;
  for (const std::string& answer : answers) {
    const ordered_json map = ParseOwnJson(answer);
    // A number that this reading does not keep as written is not shown in another form.
    if (!map.is_object() || map.empty() || DumpJson(map) != answer) return std::nullopt;
    std::vector<std::string> columns;
    std::vector<std::string> row;
    for (const auto& [name, value] : map.items()) {
      columns.push_back(name.starts_with('?') ? name.substr(1) : name);
      row.push_back(CellOf(value));
    }
    if (!out.rows.empty() && columns != out.columns) return std::nullopt;
    out.columns = std::move(columns);
    out.rows.push_back(std::move(row));
  }
  return out.rows.empty() ? std::nullopt : std::optional(out);
}

// Answers of one column are recorded as bare values.
std::optional<AnswerTable> ColumnOf(const std::vector<std::string>& answers,
                                    const StoryEpoch& epoch) {
  if (!epoch.last || epoch.last->columns.size() != 1 || epoch.last->cells.size() != answers.size())
    return std::nullopt;
  const Pool& pool = epoch.saved->session().pool();
  const std::string& name = epoch.last->columns.front();
  AnswerTable out{{name.starts_with('?') ? name.substr(1) : name}, {}};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const Value cell = epoch.last->cells[i];
    const bool text = cell.kind() == Kind::kString;
    out.rows.push_back({text ? ShownLines(PlainText(pool, cell)) : InCode(answers[i])});
  }
  return out;
}

std::string OriginHtml(const AnswerOrigin& origin, const PagePlaces& places) {
  using Kind = AnswerOrigin::Kind;
  switch (origin.kind) {
    case Kind::kStated: return "<span class=\"by\">stated</span>" + places.Link(origin.place);
    case Kind::kDerived: return "<span class=\"by rule\">by rules</span>";
    case Kind::kFile: return "<span class=\"by\">from a file</span>";
    case Kind::kTool: return "<span class=\"by tool\">from a tool</span>";
    case Kind::kAnswered: return "<span class=\"by ask\">answered</span>";
  }
  return "";
}

// The only answer, with the origins that are known.
std::string AnswerHtml(const AnswerTable& table, const StoryEpoch& epoch,
                       const PagePlaces& places) {
  std::map<std::string, AnswerOrigin> origins;
  if (epoch.last) origins = OriginsOf(*epoch.last, epoch.saved->session());
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto origin = origins.find("?" + table.columns[i]);
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n",
                       Shown(table.columns[i]), table.rows[0][i],
                       origin == origins.end() ? "" : OriginHtml(origin->second, places));
  }
  return "<table class=\"answer\"><caption>The answer</caption><tbody>\n" + out +
         "</tbody></table>\n";
}

// `epoch`, if these are the answers of its last turn: else null.
std::string AnswersHtml(const std::vector<std::string>& answers, const StoryEpoch* epoch,
                        const PagePlaces& places) {
  if (answers.empty()) return "";
  std::optional<AnswerTable> table = TableOf(answers);
  if (!table && epoch != nullptr) table = ColumnOf(answers, *epoch);
  std::string out;
  if (!table) {
    for (const std::string& answer : answers) out += "<li>" + InCode(answer) + "</li>\n";
    return "<ul class=\"answers\">\n" + out + "</ul>\n";
  }
  const std::string caption = Many(answers.size(), "answer", "answers");
  if (table->rows.size() == 1 && epoch != nullptr) return AnswerHtml(*table, *epoch, places);
  std::string heads;
  for (const std::string& name : table->columns)
    heads += "<th scope=\"col\">" + Shown(name) + "</th>";
  for (const std::vector<std::string>& row : table->rows) {
    out += "<tr>";
    for (const std::string& cell : row) out += "<td>" + cell + "</td>";
    out += "</tr>\n";
  }
  return fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"answers\">"
      "<table class=\"rows\"><caption>{}</caption><thead><tr>{}</tr></thead><tbody>\n{}</tbody>"
      "</table></div>\n",
      caption, heads, out);
}

// --- Ends --------------------------------------------------------------------------------

const Constraint* ConstraintAt(const StoryEpoch& epoch, Span place) {
  for (const Constraint& c : epoch.saved->session().program().constraints())
    if (c.span == place) return &c;
  return nullptr;
}

std::string ToDoHtml(const ToDo& to_do, const PagePlaces& places, std::string_view kind) {
  return fmt::format("<blockquote class=\"{}\"><p>{}</p><footer>{}{}</footer></blockquote>\n", kind,
                     ShownProse(Flowing(to_do.text), to_do.values), Shown(to_do.heading),
                     places.Link(to_do.place));
}

bool IsOfGoal(const StoryEpoch& epoch, const ToDo& to_do) {
  const Session& session = epoch.saved->session();
  for (const Definition& def : session.program().definitions())
    if (def.span == to_do.place && def.head != kNoId)
      return session.store().at(def.head).space() == Space::kGoal;
  return false;
}

// What the goals say, then what headings on the way say.
std::string NowHtml(const StoryEpoch& epoch, const PagePlaces& places) {
  std::string goals;
  std::string way;
  for (const ToDo& to_do : epoch.last->now)
    if (IsOfGoal(epoch, to_do)) goals += ToDoHtml(to_do, places, "now");
    else way += ToDoHtml(to_do, places, "way");
  return goals + way;
}

// The values of a violated constraint, "?where = \"Lucca\"", one line each.
std::string ValuesHtml(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) out += "<li>" + InCode(value) + "</li>";
  return out.empty() ? "" : "<ul class=\"answers\">" + out + "</ul>\n";
}

std::string ViolatedHtml(const StoryEpoch& epoch, const PagePlaces& places) {
  const ToDo& violated = *epoch.last->violated;
  std::string out = ToDoHtml(violated, places, "stop");
  if (const Constraint* constraint = ConstraintAt(epoch, violated.place))
    out += "<p class=\"test\"><b>Does not hold</b> " + InCode(constraint->text) +
           places.Link(violated.place) + "</p>\n";
  return out;
}

// Violations that somebody accepted.
std::string OverriddenHtml(const std::vector<Overridden>& overridden) {
  std::string out;
  for (const Overridden& each : overridden) {
    out += "<p class=\"test\"><b>Overridden</b> ";
    if (each.words) out += Shown(each.words->heading) + ": " + Shown(each.words->text) + " ";
    out += InCode(each.constraint) +
           fmt::format(" accepted by {} in timestep {}</p>\n",
                       each.by == By::kHost ? "an option" : "a person", each.timestep) +
           ValuesHtml(each.with);
  }
  return out;
}

// The reason that a turn records, in words where it is a %fail. `told`: they are on the page.
std::string ReasonHtml(const StoryTurn& turn, bool told = false) {
  if (turn.reason.empty()) return "";
  const std::optional<FailWords> words = FailWordsOf(turn.reason);
  const std::string raw = "<details class=\"raw\"><summary>As the engine reports it</summary><p>" +
                          InCode(turn.reason) + "</p></details>\n";
  if (told) return raw;
  if (!words) return "<p class=\"reason\">" + Shown(turn.reason) + "</p>\n";
  std::string out = "<p class=\"reason\">" + Shown(words->reason) + "</p>\n";
  if (!words->explanation.empty() && words->explanation != words->reason)
    out += "<p class=\"dim\">" + ShownLines(words->explanation) + "</p>\n";
  return out + raw;
}

// A text between single quotes of a shell.
std::string InQuotes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

// What a person may decide about the failure, if that is still open.
std::string WaysHtml(const StoryTurn& turn) {
  const StoryCall* open = nullptr;
  for (const StoryStep& step : turn.steps)
    for (const StoryItem& item : step.items)
      if (item.call.key == kWhatNow)
        open = item.call.reply == StoryCall::Reply::kNobody ? &item.call : nullptr;
  if (open == nullptr || open->options.empty()) return "";
  std::string out = "<h3>What can be decided</h3>\n<ul class=\"ways\">\n";
  for (const std::string& option : open->options) {
    const std::string way = StringOf(option).value_or(option);
    out += "<li><h4>" + Shown(way) + "</h4><p class=\"dim\">" +
           (way == "continue"             ? "The run goes on, and accepts it."
            : way == "stop"               ? "The run ends here."
            : way.starts_with("retract ") ? "The run goes on without this fact."
                                          : "") +
           "</p><p><code>rpl resume SESSION --answer " + Shown("'what-now=" + InQuotes(way) + "'") +
           "</code></p></li>\n";
  }
  return out + "</ul>\n";
}

std::string PendingHtml(const StoryEpoch& epoch, bool current) {
  std::string out = "<ol class=\"pending\">\n";
  const Pool& pool = epoch.saved->session().pool();
  for (const OpenRequest& open : epoch.last->pending) {
    const Request& request = *open;
    const bool tool = request.call() != nullptr;
    out += fmt::format(
        "<li class=\"{}\"><p class=\"prompt\">{}</p>", tool ? "tool" : "ask",
        tool ? "It needs the reply of a tool: " + InCode(request.id) : ShownLines(request.prompt));
    if (!request.choices().empty()) {
      out += "<ul class=\"options\" aria-label=\"choices\">";
      for (const Value option : request.choices())
        out += "<li>" + Shown(PlainText(pool, option)) + "</li>";
      out += "</ul>";
    }
    if (request.doubtful())
      out += "<p class=\"dim\">It was started, and no reply is recorded: it may have run.</p>";
    else if (current)
      out +=
          "<p><code>rpl resume SESSION --answer &#39;" + Shown(request.name) + "=…&#39;</code></p>";
    out += "</li>\n";
  }
  return out + "</ol>\n";
}

// Two columns if there is something to do and an answer.
std::string Beside(const std::string& left, const std::string& right) {
  if (left.empty() || right.empty()) return left + right;
  return "<div class=\"beside\"><div>" + left + "</div><div>" + right + "</div></div>\n";
}

std::string_view HeadingOf(std::string_view status, bool now, bool current) {
  if (status == "satisfied") return now && current ? "What to do now" : "The outcome";
  if (status == "waiting") return current ? "What it waits for" : "What it waited for";
  if (status == "nothing") return "The outcome";
  if (status == "not over") return "Where it was cut off";
  if (status == "review") return "What is held for a review";
  return "Why it stopped";
}

std::string_view StatusWords(std::string_view status) {
  if (status == "nothing") return "There was no goal to pursue.";
  if (status == "not over") return "The record ends before the run did.";
  if (status == "unsatisfied") return "The goal was not reached.";
  if (status == "tool-failed") return "The goal was not reached, because a tool failed.";
  if (status == "limit") return "A limit of the run was reached.";
  if (status == "rejected") return "The program was rejected, and nothing of it ran.";
  if (status == "interrupted") return "The run was interrupted.";
  if (status == "review") return "A guard holds a call until a person decides about it.";
  return "";
}

std::string GoalHtml(const StoryEpoch& epoch, const PagePlaces& places, const std::string& name) {
  if (name == "%" || name.empty()) return "The goal of the document";
  const Goal* goal = epoch.saved->session().program().FindGoal(name.substr(1));
  std::string out = "The goal " + InCode(name);
  if (goal == nullptr || goal->rules.empty()) return out;
  const auto rule = static_cast<std::size_t>(goal->rules.front());
  return out + places.Link(epoch.saved->session().program().definitions()[rule].span);
}

}  // namespace

std::string StatusOf(const StoryTurn& turn) { return turn.over ? turn.status : "not over"; }

std::string Badge(std::string_view status) {
  const bool open = status == "waiting" || status == "nothing" || status == "interrupted" ||
                    status == "not over" || status == "review";
  return fmt::format("<span class=\"badge {}\">{}</span>",
                     status == "satisfied" ? "good"
                     : open                ? "open"
                                           : "bad",
                     Shown(status));
}

std::string OutcomeSentence(const StoryEpoch& epoch, const PagePlaces& places) {
  if (epoch.turns.empty()) return "Nothing ran yet.";
  const StoryTurn& turn = epoch.turns.back();
  const std::string status = StatusOf(turn);
  if (status == "satisfied") {
    std::string out = GoalHtml(epoch, places, turn.goal) + " was reached";
    if (epoch.last && !epoch.last->rule.empty()) out += " by “" + Shown(epoch.last->rule) + "”";
    if (!turn.answers.empty()) out += ", with " + Many(turn.answers.size(), "answer", "answers");
    if (epoch.last && !epoch.last->cut_off.empty())
      out += "; a limit stopped the search, so there may be more: " + Shown(epoch.last->cut_off);
    return out + ".";
  }
  if (status == "waiting") {
    if (!epoch.last || epoch.last->pending.empty()) return "It waits for an answer.";
    return "It waits for " + Many(epoch.last->pending.size(), "answer", "answers") + ".";
  }
  if (status != "failed") return std::string(StatusWords(status));
  if (epoch.last && epoch.last->violated) {
    const ToDo& violated = *epoch.last->violated;
    return "It stopped, because a constraint under “" + Shown(violated.heading) +
           "” does not hold.";
  }
  if (epoch.last && !epoch.last->declined.empty())
    return "It stopped, because a question that the goal needs was declined.";
  const std::optional<FailWords> words = FailWordsOf(turn.reason);
  return words ? "It stopped: " + Shown(words->reason) : "It stopped.";
}

std::string OutcomeHtml(const StoryEpoch& epoch, const PagePlaces& places, const std::string& id,
                        bool current) {
  if (epoch.turns.empty()) return "";
  const StoryTurn& turn = epoch.turns.back();
  const std::string status = StatusOf(turn);
  const bool told = epoch.last.has_value();
  const bool now = told && !epoch.last->now.empty();
  std::string left;
  if (turn.message && !IsAllSpace(*turn.message))
    left += "<pre>" + ShownLines(*turn.message) + "</pre>\n";
  std::string right = AnswersHtml(turn.answers, &epoch, places);
  if (now) left += NowHtml(epoch, places);
  if (turn.answers.empty() && told) right += ValuesHtml(epoch.last->with);
  if (told && epoch.last->violated) {
    left += ViolatedHtml(epoch, places);
    right += ValuesHtml(epoch.last->violated_with);
  }
  std::string below = told ? OverriddenHtml(epoch.last->overridden) : "";
  if (told && !epoch.last->pending.empty()) below += PendingHtml(epoch, current);
  else
    below += ReasonHtml(turn, told && epoch.last->violated.has_value()) +
             (current ? WaysHtml(turn) : "");
  if (left.empty() && right.empty() && below.empty()) return "";
  return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{1}</h2>\n", id,
                     HeadingOf(status, now, current)) +
         Beside(left, right) + below + "</section>\n";
}

std::string EarlierTurnsHtml(const StoryEpoch& epoch, const PagePlaces& places) {
  std::string out;
  for (std::size_t i = 0; i + 1 < epoch.turns.size(); ++i) {
    const StoryTurn& turn = epoch.turns[i];
    out += "<div class=\"turn\"><p>" + std::string(turn.message ? "Message" : "Run") + " " +
           std::to_string(i + 1) + " " + (turn.goal.empty() ? "" : InCode(turn.goal)) + " " +
           Badge(StatusOf(turn)) + "</p>\n";
    if (turn.message && !IsAllSpace(*turn.message))
      out += "<pre>" + ShownLines(*turn.message) + "</pre>\n";
    out += AnswersHtml(turn.answers, nullptr, places);
    if (!turn.reason.empty() && turn.status != "waiting") out += ReasonHtml(turn);
    out += "</div>\n";
  }
  return out;
}

}  // namespace rpl
