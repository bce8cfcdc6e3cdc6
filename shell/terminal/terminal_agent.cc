// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/terminal_agent.h"

#include <fmt/format.h>

#include <iostream>

#include "formats/shorten.h"
#include "runtime/replies.h"
#include "shell/terminal/input.h"
#include "shell/terminal/prompt_text.h"
#include "shell/terminal/report.h"
#include "shell/terminal/text_width.h"

namespace rpl {
namespace {

// Blanks around an answer do not belong to it.
std::string Trim(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// The text with its further lines below the first, which is indented by two.
std::string Indented(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return out;
}

// The line as the subject of a message that says what was expected.
std::string Rejected(const std::string& line) {
  constexpr std::size_t kShown = 60;
  return line.empty() ? "this line is empty"
                      : "`" + PrintableLine(Shortened(line, kShown)) + "` is not one of them";
}

// What a question takes that does not take every text, or "".
std::string_view Expected(Takes takes) {
  switch (takes) {
    case Takes::kNumber: return "a number";
    case Takes::kTime: return "a date, as 2026-05-01 or 2026-05-01T10:00:00Z";
    default: return "";
  }
}

constexpr std::string_view kCommands =
    "  .decline  do not answer this question, now or later\n"
    "  .later    leave it open\n"
    "  .back     take the last answer back and ask that question again\n"
    "  .open     list the open questions\n";

}  // namespace

rpl::Answer TerminalAgent::Ask(const Question& question, Pool& pool, std::string_view refused) {
  if (!read_line_ || !back_.empty()) return {};
  if (question.name == kWhatNow && by_ != By::kPerson) return {};
  if (!refused.empty()) Tell(Printable(refused));
  Tell(PromptFor(question));
  rpl::Answer answer = Put(question, pool);
  if (!back_.empty()) return {};
  answer.by = by_;
  if (answer.kind != rpl::Answer::Kind::kNobody) answered_.push_back(question.id);
  return answer;
}

void TerminalAgent::Tell(const std::string& text) const { err_ << Fitted(text, err_) << '\n'; }

rpl::Answer TerminalAgent::Put(const Question& question, Pool& pool) {
  if (!question.row.empty()) return AskRows(question, pool);
  return question.kind == Question::Kind::kChoose ? Choose(question, pool) : Ask(question, pool);
}

// The next line in UTF-8, trimmed; nullopt at the end of input, after which nothing is asked.
std::optional<std::string> TerminalAgent::Line() {
  for (;;) {
    err_ << mark_ << std::flush;
    std::optional<std::string> line = read_line_();
    if (!line) {
      if (!mark_.empty()) err_ << '\n';
      read_line_ = nullptr;
      return std::nullopt;
    }
    if (IsUtf8(*line)) return Trim(*line);
    Tell("this line is not UTF-8, please write it again");
  }
}

// A line of the answer; nullopt at the end of input, and after a command in place of an answer,
// whose answer is `instead`.
std::optional<std::string> TerminalAgent::Typed(rpl::Answer* instead) {
  for (;;) {
    std::optional<std::string> line = Line();
    if (!line || !line->starts_with('.')) return line;
    if (*line == ".decline") *instead = {rpl::Answer::Kind::kDecline, kNone};
    if (*line == ".decline" || *line == ".later") return std::nullopt;
    if (*line == ".back" && !answered_.empty()) {
      back_ = std::move(answered_.back());
      answered_.pop_back();
      return std::nullopt;
    }
    if (*line == ".back") Tell("there is no answer to take back");
    else if (*line == ".help") err_ << kCommands;
    else if (*line != ".open") return line;
    else if (open_)
      for (const Question& question : open_()) Tell("  " + Indented(PromptFor(question)));
  }
}

rpl::Answer TerminalAgent::Ask(const Question& question, Pool& pool) {
  rpl::Answer answer;
  const std::string_view expected = Expected(question.takes);
  std::optional<std::string> line = Typed(&answer);
  for (; line && line->empty() && !expected.empty(); line = Typed(&answer))
    Tell(Rejected(*line) + ": expected " + std::string(expected));
  if (line && line->empty()) {
    Tell("this line is empty; another empty line answers with the empty text");
    line = Typed(&answer);
  }
  if (line) answer = {rpl::Answer::Kind::kValue, TypedReply(pool, *line, question)};
  return answer;
}

// Lines after the end of input are none: the rows so far are the answer, if there are any.
rpl::Answer TerminalAgent::AskRows(const Question& question, Pool& pool) {
  PrintOptions(question, pool);
  std::string form = "  one per line";
  for (std::size_t i = 0; question.row.size() > 1 && i < question.row.size(); ++i)
    form += (i == 0 ? ", as " : ", ") + Printable(question.row[i]);
  Tell(form + ", then an empty line; an empty line at once is none");
  std::vector<Value> rows;
  rpl::Answer answer;
  std::optional<std::string> line = Typed(&answer);
  for (; line && !line->empty(); line = Typed(&answer)) {
    const TakenReply taken = TakeReply(question, TypedReply(pool, *line, question), pool);
    if (!taken.refused.empty()) {
      Tell(Printable(taken.refused));
      continue;
    }
    const std::span<const Value> typed = pool.ItemsOf(taken.value);
    if (typed.empty()) break;
    rows.insert(rows.end(), typed.begin(), typed.end());
  }
  if (answer.kind == rpl::Answer::Kind::kNobody && (line || !rows.empty()))
    answer = {rpl::Answer::Kind::kValue, pool.List(rows)};
  return answer;
}

void TerminalAgent::PrintOptions(const Question& question, const Pool& pool) const {
  for (std::size_t i = 0; i < question.options.size(); ++i)
    Tell(fmt::format("  {}  {}", i + 1, PrintableLine(ProseText(pool, question.options[i]))));
}

rpl::Answer TerminalAgent::Choose(const Question& question, Pool& pool) {
  PrintOptions(question, pool);
  rpl::Answer answer;
  while (std::optional<std::string> line = Typed(&answer)) {
    const Value option = TypedOption(pool, *line, question.options);
    if (!option.is_none()) return {rpl::Answer::Kind::kValue, option};
    Tell(fmt::format("{}: expected a number from 1 to {}, or the text of an option",
                     Rejected(*line), question.options.size()));
  }
  return answer;
}

}  // namespace rpl
