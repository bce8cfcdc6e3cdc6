// SPDX-License-Identifier: Apache-2.0
#include "grammar/document_text.h"

#include <algorithm>
#include <optional>

#include "formats/character.h"
#include "grammar/ast.h"
#include "grammar/line_start.h"
#include "grammar/parser.h"
#include "grammar/sentences.h"

namespace rpl {

Span DocumentText::WithoutBlanks(Span span) const {
  return SpanOf(span.begin, TrimmedEnd(text_, span.begin, span.end));
}

std::size_t DocumentText::PassComments(std::size_t line, std::size_t end) const {
  while (line < end && StartsWithAt(text_, SkipBlanks(text_, line), "--"))
    line = std::min(LineEnd(text_, line) + 1, end);
  return line;
}

std::string DocumentText::FirstLineOf(std::size_t begin, std::size_t end) const {
  constexpr std::size_t kShown = 60;
  const std::string_view text = text_.substr(begin, end - begin);
  const std::string_view line = text.substr(0, TrimmedEnd(text, 0, LineEnd(text, 0)));
  if (line.size() <= kShown) return std::string(line) + (line.size() < text.size() ? " …" : "");
  return std::string(line.substr(0, line.find_first_of(" (") + 1)) + "…";
}

bool DocumentText::IsBareSentence(std::size_t at, std::size_t end, std::size_t& stop) const {
  const std::string_view text = text_.substr(0, end);
  const Start start = StartOf(text, at, text.substr(at, LineEnd(text, at) - at));
  if (start != Start::kCall && start != Start::kMaybe) return false;
  stop = SentenceEnd(text_, static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(end));
  stop = TrimmedEnd(text, at, stop);
  Diagnostics found;
  if (ParseSentence(sources_, SpanOf(at, stop), found)) return true;
  if (found.size() > 0 && IsUnclosed(found.all().front())) stop = end;
  return false;
}

bool DocumentText::IsGround(Span span) const {
  Diagnostics ignored;
  const std::optional<Sentence> s = ParseSentence(sources_, span, ignored);
  if (!s || !s->rule.heads.empty() || s->rule.tail.size() != 1) return false;
  const Call* call = s->rule.tail.front().As<Call>();
  return call && call->ns == Namespace::kRelation && !HasVariables(s->rule.tail.front());
}

}  // namespace rpl
