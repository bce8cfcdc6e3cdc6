// SPDX-License-Identifier: Apache-2.0
#include "runtime/replies.h"

#include <algorithm>
#include <charconv>

#include "formats/spelling.h"
#include "grammar/parser.h"
#include "interp/program/operators.h"
#include "interp/program/program.h"

namespace rpl {

Answer FailedCall(Pool& pool, std::string_view code, std::string_view message) {
  const Value entries[] = {pool.Keyword("status"), pool.Keyword("error"),   pool.Keyword("code"),
                           pool.String(code),      pool.Keyword("message"), pool.String(message)};
  return {Answer::Kind::kMeta, pool.Map(entries)};
}

Answer NotRunCall(Pool& pool, std::string_view code, std::string_view message) {
  return {Answer::Kind::kNotRun, FailedCall(pool, code, message).value};
}

Value TypedValue(Pool& pool, const std::string& text, Takes takes) {
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
      if (const Value v = GroundValue(pool, *term); !v.is_none())
        // `007` and `2.10` are codes: as numbers they would come back as other text.
        if (quoted || takes == Takes::kNumber || Text(pool, v) == text) return v;
  }
  return pool.String(text);
}

namespace {

std::string Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

bool IsNumber(Value v) {
  return v.kind() == Kind::kInt || v.kind() == Kind::kBigInt || v.kind() == Kind::kFloat;
}

// What to write for a number that is given as a word.
std::string InDigits(const Pool& pool, Value v) {
  if (v.kind() != Kind::kString && v.kind() != Kind::kSymbol) return "";
  const std::string digits = DigitsOf(pool.TextOf(v));
  return digits.empty() ? "" : ": write " + digits;
}

// The reason why a question does not take the value; "" if it does.
std::string Misfit(const Request& request, Value v, Pool& pool) {
  constexpr std::size_t kShown = 60;
  if (!request.choices().empty() && std::ranges::count(request.choices(), v) == 0)
    return Text(pool, v, kShown) + " is not one of the options";
  if (request.wanted() == Takes::kNumber && !IsNumber(v))
    return "expected a number, got " + Text(pool, v, kShown) + InDigits(pool, v);
  const bool text = v.kind() == Kind::kString;
  if (request.wanted() == Takes::kTime && !(text && ParseInstant(pool.TextOf(v))))
    return "expected a date, as 2026-05-01 or 2026-05-01T10:00:00Z, got " + Text(pool, v, kShown);
  return "";
}

// A row of several values, from a list of them or a map by name; kNone if it is neither.
Value RowOf(const Request& request, Value given, Pool& pool) {
  const std::size_t width = request.row.size();
  if (given.kind() == Kind::kList) return pool.ItemsOf(given).size() == width ? given : kNone;
  if (given.kind() != Kind::kMap || pool.ItemsOf(given).size() != 2 * width) return kNone;
  std::vector<Value> cells;
  for (const std::string& name : request.row) {
    cells.push_back(pool.Lookup(given, pool.String(name)));
    if (cells.back().is_none()) cells.back() = pool.Lookup(given, pool.Keyword(name));
    if (cells.back().is_none()) return kNone;
  }
  return pool.List(cells);
}

}  // namespace

TakenReply TakeReply(const Request& request, Value reply, Pool& pool) {
  if (request.row.empty()) return {reply, Misfit(request, reply, pool)};
  std::vector<Value> rows;
  const bool several = reply.kind() == Kind::kList || reply.kind() == Kind::kSet;
  const bool chosen = std::ranges::count(request.choices(), reply) != 0;
  const bool none = reply == kNil || reply == pool.String("none") || reply == pool.Symbol("none");
  if (several) rows.assign(pool.ItemsOf(reply).begin(), pool.ItemsOf(reply).end());
  else if (chosen || !none) rows.push_back(reply);
  std::vector<Value> taken;
  for (Value row : rows) {
    std::string refused;
    if (request.row.size() == 1) {
      refused = Misfit(request, row, pool);
    } else if (row = RowOf(request, row, pool); row.is_none()) {
      refused = "expected rows of " + std::to_string(request.row.size()) + " values";
      for (std::size_t i = 0; i < request.row.size(); ++i)
        refused += (i == 0 ? ": " : ", ") + request.row[i];
    }
    if (!refused.empty()) return {kNone, std::move(refused)};
    if (std::find(taken.begin(), taken.end(), row) == taken.end()) taken.push_back(row);
  }
  return {pool.List(taken), ""};
}

Value TypedReply(Pool& pool, const std::string& text, const Request& request) {
  const Value option = TypedOption(pool, text, request.choices());
  const auto typed = [&] {
    return option.is_none() ? TypedValue(pool, text, request.wanted()) : option;
  };
  if (request.row.empty()) return typed();
  if (text.starts_with("#{") || text.starts_with('[')) {
    Sources sources;
    Diagnostics ignored;
    const Span whole{sources.Add("answer", text), 0, static_cast<std::uint32_t>(text.size())};
    if (const auto term = ParseTerm(sources, whole, ignored))
      if (const Value v = GroundValue(pool, *term); !v.is_none()) return v;
  }
  if (option.is_none() && text == "none") return pool.List({});
  if (request.row.size() == 1) {
    const Value row = typed();
    return pool.List({&row, 1});
  }
  std::vector<Value> cells;
  std::size_t from = 0;
  for (std::size_t i = 1; i < request.row.size(); ++i) {
    const std::size_t comma = text.find(',', from);
    if (comma == text.npos) break;
    cells.push_back(TypedValue(pool, Trimmed(std::string_view(text).substr(from, comma - from))));
    from = comma + 1;
  }
  cells.push_back(TypedValue(pool, Trimmed(std::string_view(text).substr(from))));
  const Value row = pool.List(cells);
  return pool.List({&row, 1});
}

Value TypedOption(Pool& pool, const std::string& text, std::span<const Value> options) {
  for (Value option : options)
    if (PlainText(pool, option) == text || Text(pool, option) == text ||
        ProseText(pool, option) == text)
      return option;
  const char* begin = text.data() + (text.starts_with('#') ? 1 : 0);
  const char* end = text.data() + text.size();
  std::size_t number = 0;
  const auto [stop, error] = std::from_chars(begin, end, number);
  if (error == std::errc{} && stop == end && number >= 1 && number <= options.size())
    return options[number - 1];
  return kNone;
}

}  // namespace rpl
