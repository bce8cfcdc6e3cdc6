// SPDX-License-Identifier: Apache-2.0
#include "interp/store/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "grammar/printer.h"
#include "interp/store/integer.h"

namespace rpl {
namespace {

constexpr std::int64_t kSmallMax = (std::int64_t{1} << 59) - 1;
constexpr std::int64_t kSmallMin = -(std::int64_t{1} << 59);
constexpr std::size_t kBlock = std::size_t{1} << 16;

std::uint64_t HashOfText(Kind kind, std::string_view bytes) {
  std::uint64_t hash = (static_cast<std::uint64_t>(kind) * 0x51ed27u) ^ bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    hash = MixHash(hash, word);
    bytes.remove_prefix(8);
  }
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), bytes.size());
  return MixHash(hash, word);
}

bool SameWords(std::span<const Value> a, std::span<const Value> b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

// Elements (stride 1) or entries (stride 2), sorted by their words.
std::vector<Value> Sorted(std::span<const Value> items, std::size_t stride) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < items.size(); i += stride) order.push_back(i);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return items[a] < items[b]; });
  std::vector<Value> out;
  out.reserve(items.size());
  for (std::size_t i : order)
    for (std::size_t k = 0; k < stride; ++k) out.push_back(items[i + k]);
  return out;
}

// Elements (stride 1) or entries (stride 2) without later ones of the same word (or key).
std::vector<Value> WithoutDoubles(std::span<const Value> items, std::size_t stride) {
  std::vector<Value> out;
  IdTable seen;
  for (std::size_t i = 0; i < items.size(); i += stride) {
    const auto next = static_cast<std::uint32_t>(out.size() / stride);
    if (seen.FindOrInsert(MixHash(0, items[i].bits()), next,
                          [&](std::uint32_t id) { return out[id * stride] == items[i]; }) == next)
      out.insert(out.end(), items.begin() + static_cast<std::ptrdiff_t>(i),
                 items.begin() + static_cast<std::ptrdiff_t>(i + stride));
  }
  return out;
}

}  // namespace

Pool::Pool() = default;

void* Pool::Allocate(std::size_t bytes, std::size_t align) {
  const std::size_t skip = (align - reinterpret_cast<std::uintptr_t>(free_) % align) % align;
  if (free_ == nullptr || free_bytes_ < bytes + skip) {
    const std::size_t size = std::max(bytes + align, kBlock);
    blocks_.push_back(std::make_unique<std::byte[]>(size));
    free_ = blocks_.back().get();
    free_bytes_ = size;
    return Allocate(bytes, align);
  }
  void* out = free_ + skip;
  free_ += skip + bytes;
  free_bytes_ -= skip + bytes;
  return out;
}

void Pool::ForgetFrom(std::size_t size) {
  if (size >= nodes_.size()) return;
  nodes_.erase(nodes_.begin() + static_cast<std::ptrdiff_t>(size), nodes_.end());
  table_.Clear();
  for (std::uint32_t id = 0; id < size; ++id)
    table_.FindOrInsert(nodes_[id].hash, id, [](std::uint32_t) { return false; });
}

Value Pool::Int(std::int64_t v) {
  if (v >= kSmallMin && v <= kSmallMax) return Make(Kind::kInt, static_cast<std::uint64_t>(v));
  const auto bits = static_cast<std::uint64_t>(v);
  const std::uint64_t magnitude = v < 0 ? 0 - bits : bits;
  return BigInt(v < 0, {&magnitude, 1});
}

Value Pool::Int(const Integer& v) {
  if (const auto small = v.AsInt64()) return Int(*small);
  if (!v.IsTooLong()) return BigInt(v.IsNegative(), v.Magnitude());
  overflow_ = fmt::format("an integer of more than {} digits", kMaxDigits);
  return kNone;
}

// A node of words: the sign, then the magnitude.
Value Pool::BigInt(bool negative, std::span<const std::uint64_t> magnitude) {
  std::uint64_t few[4];
  std::vector<std::uint64_t> many;
  std::uint64_t* words = few;
  if (magnitude.size() >= std::size(few)) {
    many.resize(magnitude.size() + 1);
    words = many.data();
  }
  words[0] = negative ? 1 : 0;
  std::copy(magnitude.begin(), magnitude.end(), words + 1);
  const std::string_view bytes(reinterpret_cast<const char*>(words),
                               (magnitude.size() + 1) * sizeof(std::uint64_t));
  return Text(Kind::kBigInt, bytes, HashOfText(Kind::kBigInt, bytes));
}

std::pair<bool, std::span<const std::uint64_t>> Pool::PartsOf(Value big) const {
  assert(big.kind() == Kind::kBigInt);
  const Node& n = At(big);
  const auto* words = static_cast<const std::uint64_t*>(n.data);
  return {words[0] != 0, {words + 1, n.size / sizeof(std::uint64_t) - 1}};
}

Value Pool::Float(double v) {
  assert(std::isfinite(v));
  if (v == std::trunc(v)) {
    if (v >= -0x1p63 && v < 0x1p63) return Int(static_cast<std::int64_t>(v));
    return Int(Integer::OfDouble(v));
  }
  return Text(Kind::kFloat, std::string_view(reinterpret_cast<const char*>(&v), sizeof v));
}

Value Pool::Number(const WrittenNumber& number) {
  if (const auto* i = std::get_if<std::int64_t>(&number)) return Int(*i);
  if (const auto* f = std::get_if<double>(&number)) return Float(*f);
  return Int(Integer::OfDigits(std::get<std::string>(number)));
}

Value Pool::Text(Kind kind, std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    overflow_ = "a text longer than 64 MiB";
    return kNone;
  }
  return Text(kind, text, HashOfText(kind, text));
}

Value Pool::Text(Kind kind, std::string_view text, std::uint64_t hash) {
  const auto equal = [&](std::uint32_t id) {
    const Node& n = nodes_[id];
    return n.kind == kind && n.size == text.size() &&
           std::memcmp(n.data, text.data(), text.size()) == 0;
  };
  if (!Work(text.size() / 64)) work_ = kStepsPerPoll;  // whoever asks next is told, too
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t id = table_.FindOrInsert(hash, next, equal);
  if (id == next) {
    void* copy = Allocate(text.size(), 8);
    std::memcpy(copy, text.data(), text.size());
    constexpr double kDigitsPerByte = 2.41;  // of an integer
    const std::uint64_t shown =
        kind == Kind::kBigInt
            ? static_cast<std::uint64_t>(static_cast<double>(text.size() - 8) * kDigitsPerByte)
            : text.size();
    nodes_.push_back({shown + 2, copy, static_cast<std::uint32_t>(text.size()), 0, hash, kNone,
                      Namespace::kRelation, kind});
  }
  return Make(kind, id);
}

void Pool::Intern(std::span<const Spelling> texts, Value* cells) {
  assert(texts.size() <= kTogether);
  std::uint64_t hashes[kTogether];
  std::uint32_t near[kTogether];
  for (std::size_t i = 0; i < texts.size(); ++i) {
    hashes[i] = HashOfText(texts[i].kind, texts[i].text);
    table_.Prefetch(hashes[i]);
  }
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (near[i] = table_.Candidate(hashes[i]); near[i] != kNoId) Prefetch(&nodes_[near[i]]);
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (near[i] != kNoId) Prefetch(nodes_[near[i]].data);
  for (std::size_t i = 0; i < texts.size(); ++i)
    cells[texts[i].cell] = Text(texts[i].kind, texts[i].text, hashes[i]);
}

// `probe` carries kind, label and namespace; `items` are the parts in written order.
// Sets and maps store their parts twice: as written, then sorted by words, for equality.
Value Pool::Compound(Node probe, std::span<const Value> items) {
  const bool unordered = probe.kind == Kind::kSet || probe.kind == Kind::kMap;
  if (!Work(items.size() * (unordered ? 8 : 1) + 1)) work_ = kStepsPerPoll;
  std::vector<Value> sorted;
  if (unordered) sorted = Sorted(items, probe.kind == Kind::kMap ? 2 : 1);
  const std::span<const Value> key = unordered ? std::span<const Value>(sorted) : items;

  std::uint64_t hash = MixHash(static_cast<std::uint64_t>(probe.kind) + items.size() * 16,
                               probe.label.bits() * 4 + static_cast<std::uint64_t>(probe.ns));
  std::uint32_t depth = 0;
  std::uint64_t text_bytes = 2 + (probe.label.is_none() ? 0 : TextBytes(probe.label));
  for (Value v : key) {
    hash = MixHash(hash, v.bits());
    if (v.kind() >= Kind::kList) depth = std::max(depth, At(v).depth);
    text_bytes = std::min(text_bytes + TextBytes(v) + 1, kManyBytes);
  }
  if (depth + 1 > kMaxValueDepth) {
    overflow_ = "a value nested deeper than " + std::to_string(kMaxValueDepth);
    return kNone;
  }

  const auto equal = [&](std::uint32_t id) {
    const Node& n = nodes_[id];
    if (n.kind != probe.kind || n.label != probe.label || n.ns != probe.ns) return false;
    if (n.size != items.size()) return false;
    const auto* data = static_cast<const Value*>(n.data) + (unordered ? n.size : 0);
    return SameWords({data, n.size}, key);
  };
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t id = table_.FindOrInsert(hash, next, equal);
  if (id == next) {
    auto* copy = static_cast<Value*>(
        Allocate(items.size() * sizeof(Value) * (unordered ? 2 : 1), alignof(Value)));
    std::uninitialized_copy(items.begin(), items.end(), copy);
    std::uninitialized_copy(sorted.begin(), sorted.end(), copy + items.size());
    probe.data = copy;
    probe.size = static_cast<std::uint32_t>(items.size());
    probe.depth = depth + 1;
    probe.text_bytes = text_bytes;
    probe.hash = hash;
    nodes_.push_back(probe);
  }
  return Make(probe.kind, id);
}

Value Pool::List(std::span<const Value> items) {
  return Compound({0, nullptr, 0, 0, 0, kNone, Namespace::kRelation, Kind::kList}, items);
}

Value Pool::Set(std::span<const Value> items) {
  return Compound({0, nullptr, 0, 0, 0, kNone, Namespace::kRelation, Kind::kSet},
                  WithoutDoubles(items, 1));
}

Value Pool::Map(std::span<const Value> entries) {
  assert(entries.size() % 2 == 0);
  return Compound({0, nullptr, 0, 0, 0, kNone, Namespace::kRelation, Kind::kMap},
                  WithoutDoubles(entries, 2));
}

Value Pool::Term(Namespace ns, std::string_view label, std::span<const Value> args) {
  return Compound({0, nullptr, 0, 0, 0, Symbol(label), ns, Kind::kTerm}, args);
}

std::uint64_t Pool::TextBytes(Value v) const {
  constexpr std::uint64_t kScalarBytes = 2;  // a small number; others count as little
  const bool is_long = v.kind() >= Kind::kString || v.kind() == Kind::kBigInt;
  return is_long ? At(v).text_bytes : kScalarBytes;
}

std::int64_t Pool::AsInt(Value v) const {
  assert(Int64Of(v));
  return *Int64Of(v);
}

std::optional<std::int64_t> Pool::Int64Of(Value v) const {
  if (v.kind() == Kind::kInt) return static_cast<std::int64_t>(v.bits()) >> 4;
  if (v.kind() != Kind::kBigInt) return std::nullopt;
  const auto [negative, magnitude] = PartsOf(v);
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  if (magnitude.size() > 1 || magnitude[0] > kTop || (magnitude[0] == kTop && !negative))
    return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - magnitude[0] : magnitude[0]);
}

Integer Pool::IntegerOf(Value v) const {
  assert(IsInt(v));
  if (v.kind() == Kind::kInt) return Integer(static_cast<std::int64_t>(v.bits()) >> 4);
  const auto [negative, magnitude] = PartsOf(v);
  return Integer(negative, magnitude);
}

std::optional<double> Pool::AsDouble(Value v) const {
  if (v.kind() == Kind::kInt) return static_cast<double>(static_cast<std::int64_t>(v.bits()) >> 4);
  if (v.kind() == Kind::kBigInt) return IntegerOf(v).Nearest();
  if (v.kind() != Kind::kFloat) return std::nullopt;
  double out;
  std::memcpy(&out, At(v).data, sizeof out);
  return out;
}

int Pool::CompareNumbers(Value a, Value b) const {
  assert(IsNumber(a) && IsNumber(b));
  if (a == b) return 0;
  if (a.kind() == Kind::kFloat && b.kind() == Kind::kFloat)
    return *AsDouble(a) < *AsDouble(b) ? -1 : 1;
  if (a.kind() == Kind::kFloat) return -CompareNumbers(b, a);
  if (b.kind() == Kind::kFloat) return Integer::Compare(IntegerOf(a), *AsDouble(b));
  const auto x = Int64Of(a);
  const auto y = Int64Of(b);
  if (x && y) return *x < *y ? -1 : 1;
  return Integer::Compare(IntegerOf(a), IntegerOf(b));
}

std::string_view Pool::TextOf(Value v) const {
  const Node& n = At(v);
  if (n.kind == Kind::kTerm) return TextOf(n.label);
  assert(v.kind() >= Kind::kString && v.kind() <= Kind::kSlot);
  return {static_cast<const char*>(n.data), n.size};
}

std::span<const Value> Pool::ItemsOf(Value v) const {
  assert(v.kind() >= Kind::kList);
  const Node& n = At(v);
  return {static_cast<const Value*>(n.data), n.size};
}

std::vector<Value> Pool::OrderIfOther(Value v, std::span<const Value> written) const {
  const std::span<const Value> known = ItemsOf(v);
  if (SameWords(known, written)) return {};
  std::vector<Value> out = WithoutDoubles(written, v.kind() == Kind::kMap ? 2 : 1);
  if (SameWords(known, out)) out.clear();
  return out;
}

Namespace Pool::NamespaceOf(Value term) const {
  assert(term.kind() == Kind::kTerm);
  return At(term).ns;
}

bool Pool::Contains(Value set, Value element) const {
  assert(set.kind() == Kind::kSet);
  const Node& n = At(set);
  const auto* sorted = static_cast<const Value*>(n.data) + n.size;
  return std::binary_search(sorted, sorted + n.size, element);
}

Value Pool::Lookup(Value map, Value key) const {
  const std::span<const Value> items = ItemsOf(map);
  for (std::size_t i = 0; i < items.size(); i += 2)
    if (items[i] == key) return items[i + 1];
  return kNone;
}

namespace {

std::string NumberText(const Pool& pool, Value v) {
  if (const auto small = pool.Int64Of(v)) return std::to_string(*small);
  if (Pool::IsInt(v)) return pool.IntegerOf(v).Digits();
  return fmt::format("{}", *pool.AsDouble(v));
}

// Stops when the text has more than `most` bytes: parts may be shared, so the text of a small value
// can be exponentially long.
void Print(const Pool& pool, Value v, std::size_t most, std::string& out) {
  if (out.size() > most) return;
  const auto each = [&](std::span<const Value> items, std::string_view separator) {
    for (std::size_t i = 0; i < items.size() && out.size() <= most; ++i) {
      if (i > 0) out += separator;
      Print(pool, items[i], most, out);
    }
  };
  switch (v.kind()) {
    case Kind::kSpecial:
      out += v == kNil     ? "nil"
             : v == kTrue  ? "true"
             : v == kFalse ? "false"
             : v == kWild  ? "_"
                           : "?";
      return;
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat: out += NumberText(pool, v); return;
    case Kind::kString: {
      // What is cut off is not quoted; a character may be cut, and is dropped with what follows.
      const std::string_view text = pool.TextOf(v);
      out += Quote(text.substr(0, std::min(text.size(), most - out.size() + 1)));
      return;
    }
    case Kind::kKeyword:
      out += ':';
      out += pool.TextOf(v);
      return;
    case Kind::kSlot: out += '?'; [[fallthrough]];
    case Kind::kSymbol: out += pool.TextOf(v); return;
    case Kind::kList:
      out += '[';
      each(pool.ItemsOf(v), " ");
      out += ']';
      return;
    case Kind::kSet:
      out += "#{";
      each(pool.ItemsOf(v), " ");
      out += '}';
      return;
    case Kind::kMap: {
      out += '{';
      const std::span<const Value> items = pool.ItemsOf(v);
      for (std::size_t i = 0; i < items.size() && out.size() <= most; i += 2) {
        if (i > 0) out += ", ";
        Print(pool, items[i], most, out);
        out += ' ';
        Print(pool, items[i + 1], most, out);
      }
      out += '}';
      return;
    }
    case Kind::kTerm: {
      const Namespace ns = pool.NamespaceOf(v);
      if (ns != Namespace::kRelation) out += ns == Namespace::kGoal ? '%' : '$';
      out += pool.TextOf(v);
      out += '(';
      each(pool.ItemsOf(v), ", ");
      out += ')';
      return;
    }
  }
}

std::string JsonString(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// A map key, or a value of a kind without a JSON form, as plain characters.
std::string KeyText(const Pool& pool, Value v) {
  return v.kind() == Kind::kString ? std::string(pool.TextOf(v)) : Text(pool, v);
}

bool PrintJson(const Pool& pool, Value v, std::string& out) {
  if (out.size() > kMaxTextBytes) return false;
  switch (v.kind()) {
    case Kind::kSpecial:
      out += v == kNil ? "null" : v == kTrue ? "true" : v == kFalse ? "false" : "\"_\"";
      return true;
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat: out += NumberText(pool, v); return true;
    case Kind::kString:
    case Kind::kKeyword:
    case Kind::kSymbol:
    case Kind::kSlot:
    case Kind::kTerm: out += JsonString(KeyText(pool, v)); return true;
    case Kind::kList:
    case Kind::kSet: {
      out += '[';
      bool first = true;
      for (Value item : pool.ItemsOf(v)) {
        if (!first) out += ',';
        first = false;
        if (!PrintJson(pool, item, out)) return false;
      }
      out += ']';
      return true;
    }
    case Kind::kMap: {
      const std::span<const Value> items = pool.ItemsOf(v);
      std::vector<std::string> keys;
      out += '{';
      for (std::size_t i = 0; i < items.size(); i += 2) {
        keys.push_back(JsonString(KeyText(pool, items[i])));
        if (i > 0) out += ',';
        out += keys.back();
        out += ':';
        if (!PrintJson(pool, items[i + 1], out)) return false;
      }
      out += '}';
      std::sort(keys.begin(), keys.end());
      return std::adjacent_find(keys.begin(), keys.end()) == keys.end();
    }
  }
  return true;
}

bool IsListed(Value v) { return v.kind() == Kind::kList || v.kind() == Kind::kSet; }

// The elements side by side; "" if one has parts, is empty, or could be read as several.
std::string Joined(const Pool& pool, std::span<const Value> items) {
  std::string out;
  for (const Value item : items) {
    if (IsListed(item) || item.kind() == Kind::kMap) return "";
    const std::string text = KeyText(pool, item);
    if (text.empty() || text.find_first_of(",;\n") != text.npos) return "";
    if (!out.empty()) out += ", ";
    out += text;
  }
  return out;
}

}  // namespace

std::string Text(const Pool& pool, Value v, std::size_t most) {
  std::string out;
  Print(pool, v, most, out);
  if (out.size() <= most) return out;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
  out.resize(end);
  const std::uint64_t bytes = std::max<std::uint64_t>(pool.TextBytes(v), most);
  if (bytes >= Pool::kManyBytes) return out + "… (more than 10^18 bytes)";
  return out + fmt::format("… (about {} bytes)", bytes);
}

std::optional<std::string> Json(const Pool& pool, Value v) {
  // The text of RPL, which is not much longer, is known to be too long without being written.
  if (pool.TextBytes(v) > 4 * kMaxTextBytes) return std::nullopt;
  std::string out;
  if (!PrintJson(pool, v, out)) return std::nullopt;
  return out;
}

std::string PlainText(const Pool& pool, Value v) { return KeyText(pool, v); }

std::string ProseText(const Pool& pool, Value v) {
  if (!IsListed(v)) return PlainText(pool, v);
  if (pool.ItemsOf(v).empty()) return "none";
  if (const std::string cells = Joined(pool, pool.ItemsOf(v)); !cells.empty()) return cells;
  std::string out;
  for (const Value row : pool.ItemsOf(v)) {
    const std::string cells = IsListed(row) ? Joined(pool, pool.ItemsOf(row)) : "";
    if (cells.empty()) return PlainText(pool, v);
    out += (out.empty() ? "" : "; ") + cells;
  }
  return out;
}

std::string_view KindName(Value v) {
  switch (v.kind()) {
    case Kind::kSpecial:
      return v == kNil ? "nil" : v == kTrue || v == kFalse ? "a boolean" : "nothing";
    case Kind::kInt:
    case Kind::kBigInt:
    case Kind::kFloat: return "a number";
    case Kind::kString: return "a string";
    case Kind::kKeyword: return "a keyword";
    case Kind::kSymbol: return "a symbol";
    case Kind::kSlot: return "a slot";
    case Kind::kList: return "a list";
    case Kind::kSet: return "a set";
    case Kind::kMap: return "a map";
    case Kind::kTerm: return "a relation call";
  }
  return "a value";
}

}  // namespace rpl
