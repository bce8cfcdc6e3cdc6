// SPDX-License-Identifier: Apache-2.0
//
// Messages: a document, and the query in its last line (§15.9).
#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "formats/character.h"
#include "formats/file_name.h"
#include "formats/utf8.h"
#include "grammar/document.h"
#include "grammar/line_start.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"

namespace rpl {
namespace {

/// The last non-blank line, without blanks around it, if it begins with `%`.
std::optional<Span> QueryLineOf(std::string_view text, std::uint32_t file) {
  std::size_t end = TrimmedEnd(text, 0, text.size());
  std::size_t newline = end == 0 ? kNowhere : text.find_last_of("\r\n", end - 1);
  std::size_t begin = SkipBlanks(text, newline == kNowhere ? MarkSize(text) : newline + 1);
  if (begin >= end || text[begin] != '%') return std::nullopt;
  return Span{file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

/// True for the inputs of the shell and of `rpl query`.
bool IsEntry(std::string_view name) {
  return name == "<query>" || (name.starts_with("<entry ") && name.ends_with('>'));
}

/// The last sentence of an entry, if it begins with `%`.
std::optional<Span> LastGoalOf(std::string_view text, std::uint32_t file) {
  const auto limit = static_cast<std::uint32_t>(text.size());
  SentenceCutter cutter(text, file, 0, limit, Newlines::kEndSentences);
  std::optional<Span> last;
  while (const std::optional<Cut> cut = cutter.Next()) last = Span{file, cut->begin, cut->end};
  return last && text[last->begin] == '%' ? last : std::nullopt;
}

/// True if `line` is meant as a goal with a tail: `%`, a name, arguments, an arrow.
bool ReadsLikeGoal(std::string_view line) {
  std::size_t at = std::min(line.find_first_of(" \t(<", 1), line.size());
  if (at < line.size() && line[at] == '(') return line.find("<-", at) != kNowhere;
  return ArrowAt(line, at, "<-");
}

/// §15.1: a goal as outermost head, and a tail.
bool IsGoalForm(const Sentence& s) {
  if (s.rule.heads.empty() || s.rule.tail.empty()) return false;
  const Node* head = &s.rule.heads.front();
  while (const Annotated* annotated = head->As<Annotated>()) head = &annotated->form.front();
  const Call* call = head->As<Call>();
  return call && call->ns == Namespace::kGoal;
}

}  // namespace

bool IsPlainRpl(std::string_view name) { return HasExtension(name, ".rpl") || IsEntry(name); }

Message ReadMessage(const Sources& sources, std::uint32_t file, Diagnostics& out, FactForm form) {
  Message message;
  const std::string_view text = sources.at(file).text;
  const bool entry = IsEntry(sources.at(file).name);
  if (FindBadByte(text) == kNowhere)
    message.query_line = entry ? LastGoalOf(text, file) : QueryLineOf(text, file);
  Diagnostics found;
  std::optional<Sentence> query;
  bool is_goal = false;
  if (message.query_line) {
    query = ParseSentence(sources, *message.query_line, found);
    is_goal = query ? IsGoalForm(*query) : ReadsLikeGoal(sources.Text(*message.query_line));
    if (entry && !is_goal) message.query_line.reset();  // a statement about a goal
  }
  if (!message.query_line) {
    message.document = ReadDocument(sources, file, out, form);
    return message;
  }
  const Span line = *message.query_line;
  std::size_t limit = line.begin;
  while (limit > 0 && IsBlank(text[limit - 1])) --limit;
  message.document = ReadDocument(sources, file, out, form, limit);

  if (is_goal) {
    for (const Diagnostic& d : found.all()) out.Add(d);
    message.query = std::move(query);
  } else {
    out.Add(Code::kNotAGoal, line,
            "expected a goal form as query: `% <- ...`, `%name <- ...` or `%name(?x) <- ...`");
  }
  return message;
}

}  // namespace rpl
