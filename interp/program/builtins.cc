// SPDX-License-Identifier: Apache-2.0
#include "interp/program/builtins.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "formats/utf8.h"
#include "interp/program/operators.h"
#include "interp/store/integer.h"

namespace rpl {
namespace builtins {
namespace {

using Values = std::span<const Value>;

// Of a value in a reason, at most.
constexpr std::size_t kShownBytes = 60;

std::string Got(const Pool& pool, Value v) {
  return ", got " + std::string(KindName(v)) + ": " + Text(pool, v, kShownBytes);
}

// The elements of an argument that is a list, or a set in its order.
std::optional<Values> Elements(BuiltinCall& call, std::size_t argument) {
  const Value v = call.known[argument];
  if (v.kind() == Kind::kList || v.kind() == Kind::kSet) return call.pool.ItemsOf(v);
  call.why = "it takes a list" + Got(call.pool, v);
  return std::nullopt;
}

std::optional<std::string_view> TextArgument(BuiltinCall& call, std::size_t argument) {
  const Value v = call.known[argument];
  if (v.kind() == Kind::kString) return call.pool.TextOf(v);
  call.why = "it takes a text" + Got(call.pool, v);
  return std::nullopt;
}

Value Joined(Pool& pool, Values first, Values second) {
  std::vector<Value> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return pool.List(all);
}

// (?first, ?second, ?all)
void Append(BuiltinCall& call) {
  const Value first = call.known[0];
  const Value second = call.known[1];
  if (!first.is_none() && !second.is_none()) {
    const auto one = Elements(call, 0);
    const auto other = one ? Elements(call, 1) : std::nullopt;
    if (other) call.give({{first, second, Joined(call.pool, *one, *other)}});
    return;
  }
  const auto all = Elements(call, 2);
  if (!all) return;
  const auto split = [&](std::size_t at) {
    call.give({{call.pool.List(all->first(at)), call.pool.List(all->subspan(at)), call.known[2]}});
  };
  if (first.is_none() && second.is_none()) {
    for (std::size_t at = 0; at <= all->size(); ++at) {
      if (!call.pool.Work(all->size())) return;
      split(at);
    }
    return;
  }
  const auto part = Elements(call, first.is_none() ? 1 : 0);
  if (part && part->size() <= all->size())
    split(first.is_none() ? all->size() - part->size() : part->size());
}

// (?list, ?reversed)
void Reverse(BuiltinCall& call) {
  const std::size_t from = call.known[0].is_none() ? 1 : 0;
  const auto items = Elements(call, from);
  if (!items) return;
  const Value other = call.pool.List(std::vector<Value>(items->rbegin(), items->rend()));
  if (from == 0) call.give({{call.known[0], other}});
  else call.give({{other, call.known[1]}});
}

// (?list, ?number, ?element), counted from 1
void Nth(BuiltinCall& call) {
  const auto items = Elements(call, 0);
  if (!items) return;
  const auto give = [&](std::size_t at) {
    call.give({{call.known[0], call.pool.Int(static_cast<std::int64_t>(at + 1)), (*items)[at]}});
  };
  if (call.known[1].is_none()) {
    for (std::size_t at = 0; at < items->size(); ++at) {
      if (!call.pool.Work(1)) return;
      give(at);
    }
  } else if (const auto number = call.pool.Int64Of(call.known[1])) {
    if (*number >= 1 && static_cast<std::uint64_t>(*number) <= items->size())
      give(static_cast<std::size_t>(*number - 1));
  } else {
    call.why = "it takes a whole number" + Got(call.pool, call.known[1]);
  }
}

// (?rows, ?position, ?elements), counted from 1
void Column(BuiltinCall& call) {
  const auto rows = Elements(call, 0);
  if (!rows) return;
  const std::optional<std::int64_t> position = call.pool.Int64Of(call.known[1]);
  std::vector<Value> out;
  for (const Value row : *rows) {
    const bool has = row.kind() == Kind::kList && position && *position >= 1 &&
                     static_cast<std::uint64_t>(*position) <= call.pool.ItemsOf(row).size();
    if (!has) {
      call.why = "there is no element " + Text(call.pool, call.known[1], kShownBytes) + " in " +
                 Text(call.pool, row, kShownBytes);
      return;
    }
    if (!call.pool.Work(1)) return;
    out.push_back(call.pool.ItemsOf(row)[static_cast<std::size_t>(*position - 1)]);
  }
  call.give({{call.known[0], call.known[1], call.pool.List(out)}});
}

// The order of sorting: that of `<` (decision 22), and lists by the first elements that differ.
// Other values have no order; then `ordered` becomes false, and the result only puts values of one
// kind next to each other. So an unordered pair of a list leaves neighbours that are unordered.
int OrderOf(const Pool& pool, Value a, Value b, bool& ordered) {
  if (a == b) return 0;
  const auto rank = [](Value v) {
    return Pool::IsNumber(v)           ? -3
           : v.kind() == Kind::kString ? -2
           : v.kind() == Kind::kList   ? -1
                                       : static_cast<int>(v.kind());
  };
  const auto sign = [](auto x, auto y) { return x < y ? -1 : 1; };
  if (rank(a) != rank(b)) {
    ordered = false;
    return sign(rank(a), rank(b));
  }
  if (Pool::IsNumber(a)) return pool.CompareNumbers(a, b);
  if (a.kind() == Kind::kString) return pool.TextOf(a).compare(pool.TextOf(b));
  if (a.kind() != Kind::kList) {
    ordered = false;
    return sign(a, b);
  }
  const Values left = pool.ItemsOf(a);
  const Values right = pool.ItemsOf(b);
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
    if (left[i] != right[i]) return OrderOf(pool, left[i], right[i], ordered);
  return sign(left.size(), right.size());
}

// (?list, ?sorted)
void Sort(BuiltinCall& call) {
  const auto items = Elements(call, 0);
  if (!items) return;
  std::vector<Value> sorted(items->begin(), items->end());
  std::ranges::stable_sort(sorted, [&](Value a, Value b) {
    bool ignored = true;
    call.pool.Work(1);
    return OrderOf(call.pool, a, b, ignored) < 0;
  });
  bool ordered = true;
  for (std::size_t i = 1; i < sorted.size() && ordered; ++i) {
    OrderOf(call.pool, sorted[i - 1], sorted[i], ordered);
    if (ordered) continue;
    const auto shown = [&](Value v) { return Text(call.pool, v, kShownBytes); };
    call.why = "it orders numbers, strings, or lists of these, got " + shown(sorted[i - 1]) +
               " and " + shown(sorted[i]);
    return;
  }
  call.give({{call.known[0], call.pool.List(sorted)}});
}

// (?list, ?total)
void Sum(BuiltinCall& call) {
  const auto items = Elements(call, 0);
  if (!items) return;
  Value total = call.pool.Int(0);
  for (const Value item : *items) {
    if (!call.pool.Work(1)) return;
    total = Apply(call.pool, Operator::kAdd, total, item, call.why);
    if (total.is_none()) return;
  }
  call.give({{call.known[0], total}});
}

// (?list, ?separator, ?text); elements as templates show them
void Join(BuiltinCall& call) {
  const auto items = Elements(call, 0);
  const auto separator = items ? TextArgument(call, 1) : std::nullopt;
  if (!separator) return;
  std::string text;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const std::uint64_t bytes = call.pool.TextBytes((*items)[i]);
    if (bytes > kMaxTextBytes || text.size() + bytes > kMaxTextBytes) {
      call.why = "a text longer than 64 MiB";
      return call.pool.Overflow(call.why);
    }
    if (!call.pool.Work(bytes / 16 + 1)) return;
    if (i > 0) text += *separator;
    text += PlainText(call.pool, (*items)[i]);
  }
  call.give({{call.known[0], call.known[1], call.pool.String(text)}});
}

// (?text, ?separator, ?list); by an empty separator, into characters
void Split(BuiltinCall& call) {
  const auto text = TextArgument(call, 0);
  const auto separator = text ? TextArgument(call, 1) : std::nullopt;
  if (!separator) return;
  const auto is_inner = [&](std::size_t at) {  // of a character in UTF-8
    return at < text->size() && (static_cast<unsigned char>((*text)[at]) & 0xC0) == 0x80;
  };
  std::vector<Value> parts;
  const auto take = [&](std::size_t begin, std::size_t end) {
    parts.push_back(call.pool.String(text->substr(begin, end - begin)));
    return call.pool.Work(1);
  };
  std::size_t begin = 0;
  if (separator->empty()) {
    for (std::size_t end = 0; begin < text->size(); begin = end) {
      for (++end; is_inner(end);) ++end;
      if (!take(begin, end)) return;
    }
  } else {
    for (std::size_t end = text->find(*separator); end != text->npos;
         end = text->find(*separator, begin)) {
      if (!take(begin, end)) return;
      begin = end + separator->size();
    }
    take(begin, text->size());
  }
  call.give({{call.known[0], call.known[1], call.pool.List(parts)}});
}

// Calls `fn(code point, bytes)` for each character of a text, which is valid UTF-8, until it
// returns false.
template <typename Fn>
void ForEachCharacter(std::string_view text, Fn&& fn) {
  for (std::size_t at = 0; at < text.size();) {
    utf8proc_int32_t point = 0;
    const auto size = static_cast<std::size_t>(
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                         static_cast<utf8proc_ssize_t>(text.size() - at), &point));
    if (!fn(point, text.substr(at, size))) return;
    at += size;
  }
}

// (?text, ?count) of characters
void TextLength(BuiltinCall& call) {
  const auto text = TextArgument(call, 0);
  if (!text || !call.pool.Work(text->size() / 16 + 1)) return;
  const auto count = static_cast<std::int64_t>(CountCodePoints(*text));
  call.give({{call.known[0], call.pool.Int(count)}});
}

// (?text, ?other) by the case mapping of each character
void Cased(BuiltinCall& call, utf8proc_int32_t (*map)(utf8proc_int32_t)) {
  const auto text = TextArgument(call, 0);
  if (!text || !call.pool.Work(text->size() / 4 + 1)) return;
  std::string out;
  out.reserve(text->size());
  ForEachCharacter(*text, [&](utf8proc_int32_t point, std::string_view bytes) {
    const utf8proc_int32_t mapped = map(point);
    utf8proc_uint8_t encoded[4];
    if (mapped == point) {
      out += bytes;
    } else {
      const utf8proc_ssize_t size = utf8proc_encode_char(mapped, encoded);
      out.append(reinterpret_cast<const char*>(encoded), static_cast<std::size_t>(size));
    }
    return out.size() <= kMaxTextBytes;
  });
  if (out.size() > kMaxTextBytes) {
    call.why = "a text longer than 64 MiB";
    return call.pool.Overflow(call.why);
  }
  call.give({{call.known[0], call.pool.String(out)}});
}

void Lower(BuiltinCall& call) { Cased(call, utf8proc_tolower); }
void Upper(BuiltinCall& call) { Cased(call, utf8proc_toupper); }

// Unicode's White_Space.
bool IsWhiteSpace(utf8proc_int32_t point) {
  if ((point >= 0x9 && point <= 0xD) || point == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(point);
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

// (?text, ?trimmed)
void Trim(BuiltinCall& call) {
  const auto text = TextArgument(call, 0);
  if (!text || !call.pool.Work(text->size() / 4 + 1)) return;
  std::size_t begin = text->size();
  std::size_t end = begin;
  ForEachCharacter(*text, [&](utf8proc_int32_t point, std::string_view bytes) {
    if (IsWhiteSpace(point)) return true;
    const auto at = static_cast<std::size_t>(bytes.data() - text->data());
    begin = std::min(begin, at);
    end = at + bytes.size();
    return true;
  });
  call.give({{call.known[0], call.pool.String(text->substr(begin, end - begin))}});
}

// (?text, ?part)
void Contains(BuiltinCall& call) {
  const auto text = TextArgument(call, 0);
  const auto part = text ? TextArgument(call, 1) : std::nullopt;
  if (!part || !call.pool.Work(text->size() / 16 + 1)) return;
  if (text->find(*part) != text->npos) call.give({{call.known[0], call.known[1]}});
}

// (?text, ?number)
void ReadNumberOf(BuiltinCall& call) {
  if (Pool::IsNumber(call.known[0])) return call.give({{call.known[0], call.known[0]}});
  const auto text = TextArgument(call, 0);
  if (!text) return;
  const NumberText read = ReadNumber(*text);
  switch (read.problem) {
    case NumberText::Problem::kNone:
      return call.give({{call.known[0], call.pool.Number(read.value)}});
    case NumberText::Problem::kNoNumber:
      call.none = Text(call.pool, call.known[0], kShownBytes) + " is no number";
      return;
    case NumberText::Problem::kTooLong:
    case NumberText::Problem::kTooLarge:
      call.why = "a number too large";
      return call.pool.Overflow(call.why);
  }
}

// (?a, ?b, ?quotient, ?remainder) of integers: the quotient rounded down
void Division(BuiltinCall& call) {
  const Value a = call.known[0];
  const Value b = call.known[1];
  if (!Pool::IsInt(a) || !Pool::IsInt(b)) {
    call.why = "it takes whole numbers" + Got(call.pool, Pool::IsInt(a) ? b : a);
    return;
  }
  if (b == call.pool.Int(0)) {
    call.why = "division by zero";
    return;
  }
  const auto x = call.pool.Int64Of(a);
  const auto y = call.pool.Int64Of(b);
  if (x && y && *y != -1) {
    const bool down = *x % *y != 0 && (*x < 0) != (*y < 0);
    const std::int64_t rest = *x % *y + (down ? *y : 0);
    call.give({{a, b, call.pool.Int(*x / *y - (down ? 1 : 0)), call.pool.Int(rest)}});
    return;
  }
  const Integer over = call.pool.IntegerOf(a);
  const Integer under = call.pool.IntegerOf(b);
  call.pool.Work((over.Bits() + under.Bits()) / 64);
  const auto [quotient, rest] = Integer::DivideDown(over, under);
  call.give({{a, b, call.pool.Int(quotient), call.pool.Int(rest)}});
}

// (?value, ?kind)
void KindOf(BuiltinCall& call) {
  std::string_view name = KindName(call.known[0]);
  name.remove_prefix(name.rfind(' ') + 1);  // 0 where there is none
  call.give({{call.known[0], call.pool.Keyword(name)}});
}

// Arguments that must be known, by number from 0.
constexpr Columns Known(std::initializer_list<int> arguments) {
  Columns out = 0;
  for (const int i : arguments) out |= Columns{1} << i;
  return out;
}

// The relations that describe the call under decision.
void OfDecision(BuiltinCall& call) {
  const bool known = call.decided != nullptr && call.decided->Describe(call.label, call);
  // A guard with a wrong argument must not be one that never matches.
  call.unknown = !known || !call.why.empty();
}

// The relations that describe the calls of a host. Without one, nothing is under decision.
void OfHost(BuiltinCall& call) {
  if (call.host == nullptr)
    call.unknown = call.label != "std#decides" && call.label != "std#turn-ends";
  else if (!call.host->Describe(call.label, call)) call.unknown = true;
}

const std::vector<Builtin>& All() {
  static const std::vector<Builtin> kAll = {
      {"std#acts", 2, {Known({1})}, OfHost},
      {"std#agent", 2, {Known({})}, OfHost},
      {"std#append", 3, {Known({2}), Known({0, 1})}, Append},
      {"std#call", 3, {Known({})}, OfHost},
      {"std#call-state", 2, {Known({})}, OfHost},
      {"std#called", 3, {Known({})}, OfDecision},
      {"std#called-tag", 2, {Known({})}, OfDecision},
      {"std#column", 3, {Known({0, 1})}, Column},
      {"std#contains", 2, {Known({0, 1})}, Contains},
      {"std#decides", 1, {Known({})}, OfHost},
      {"std#division", 4, {Known({0, 1})}, Division},
      {"std#edits", 2, {Known({})}, OfHost},
      {"std#edits", 3, {Known({2})}, OfHost},
      {"std#end-user", 1, {Known({})}, OfDecision},
      {"std#end-user-tag", 2, {Known({})}, OfDecision},
      {"std#fetches", 3, {Known({})}, OfHost},
      {"std#fetches", 4, {Known({3})}, OfHost},
      {"std#join", 3, {Known({0, 1})}, Join},
      {"std#kind", 2, {Known({0})}, KindOf},
      {"std#local-time", 3, {Known({})}, OfDecision},
      {"std#lower", 2, {Known({0})}, Lower},
      {"std#metric", 4, {Known({0, 1, 2})}, OfDecision},
      {"std#metric", 5, {Known({0, 1, 2, 3})}, OfDecision},
      {"std#nth", 3, {Known({0})}, Nth},
      {"std#number", 2, {Known({0})}, ReadNumberOf},
      {"std#options", 3, {Known({})}, OfHost},
      {"std#options", 4, {Known({3})}, OfHost},
      {"std#organisation-time", 2, {Known({})}, OfDecision},
      {"std#reads", 2, {Known({})}, OfHost},
      {"std#reads", 3, {Known({2})}, OfHost},
      {"std#result", 2, {Known({})}, OfHost},
      {"std#reverse", 2, {Known({0}), Known({1})}, Reverse},
      {"std#runs", 3, {Known({})}, OfHost},
      {"std#runs", 4, {Known({3})}, OfHost},
      {"std#said", 2, {Known({})}, OfHost},
      {"std#serves", 3, {Known({})}, OfHost},
      {"std#serves", 4, {Known({3})}, OfHost},
      {"std#signal", 3, {Known({0, 1})}, OfDecision},
      {"std#sort", 2, {Known({0})}, Sort},
      {"std#split", 3, {Known({0, 1})}, Split},
      {"std#subject", 4, {Known({})}, OfDecision},
      {"std#succeeded", 3, {Known({})}, OfHost},
      {"std#sum", 2, {Known({0})}, Sum},
      {"std#text-length", 2, {Known({0})}, TextLength},
      {"std#tool-tag", 1, {Known({})}, OfDecision},
      {"std#took", 2, {Known({})}, OfDecision},
      {"std#trim", 2, {Known({0})}, Trim},
      {"std#turn-ends", 1, {Known({})}, OfHost},
      {"std#upper", 2, {Known({0})}, Upper},
  };
  return kAll;
}

}  // namespace
}  // namespace builtins

const Builtin* FindBuiltin(std::string_view label, std::size_t arity) {
  if (!label.starts_with("std#")) return nullptr;
  const std::vector<Builtin>& all = builtins::All();
  const auto at = std::ranges::find_if(all, [&](const Builtin& builtin) {
    return builtin.label == label && builtin.arity == arity;
  });
  return at == all.end() ? nullptr : &*at;
}

bool DescribesCalls(std::string_view label, std::size_t arity) {
  const Builtin* found = FindBuiltin(label, arity);
  return found != nullptr && found->answer == builtins::OfDecision;
}

bool DescribesHost(std::string_view label, std::size_t arity) {
  const Builtin* found = FindBuiltin(label, arity);
  return found != nullptr && found->answer == builtins::OfHost;
}

bool HasOpenRows(std::string_view label, std::size_t arity) {
  return DescribesHost(label, arity) && DescribesHost(label, arity + 1);
}

}  // namespace rpl
