// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent.h"

#include <charconv>

#include "grammar/parser.h"
#include "interp/program/program.h"

namespace rpl {

std::vector<rpl::Answer> Agent::Call(const std::vector<Request>& requests, Pool& pool) {
  std::vector<rpl::Answer> out;
  for (const Request& request : requests) out.push_back(Answer(request, pool, false));
  return out;
}

Answer FailedCall(Pool& pool, std::string_view code, std::string_view message) {
  const Value entries[] = {pool.Keyword("status"), pool.Keyword("error"),   pool.Keyword("code"),
                           pool.String(code),      pool.Keyword("message"), pool.String(message)};
  return {Answer::Kind::kMeta, pool.Map(entries)};
}

Answer NotRunCall(Pool& pool, std::string_view code, std::string_view message) {
  return {Answer::Kind::kNotRun, FailedCall(pool, code, message).value};
}

Value TypedValue(Pool& pool, const std::string& text) {
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  const bool digit = !text.empty() &&
                     ((text.front() >= '0' && text.front() <= '9') ||
                      (text.size() > 1 && text.front() == '-' && text[1] >= '0' && text[1] <= '9'));
  if (quoted || digit) {
    Sources sources;
    const std::uint32_t file = sources.Add("answer", text);
    Diagnostics ignored;
    const auto term =
        ParseTerm(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, ignored);
    if (term && (term->As<Number>() || term->As<String>()))
      if (const Value v = GroundValue(pool, *term); !v.is_none()) return v;
  }
  return pool.String(text);
}

Value TypedOption(Pool& pool, const std::string& text, const std::vector<Value>& options) {
  for (Value option : options)
    if (PlainText(pool, option) == text || Text(pool, option) == text) return option;
  const char* begin = text.data() + (text.starts_with('#') ? 1 : 0);
  const char* end = text.data() + text.size();
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error == std::errc{} && stop == end && number >= 1 && number <= options.size())
    return options[number - 1];
  return kNone;
}

}  // namespace rpl
