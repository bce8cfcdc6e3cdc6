// SPDX-License-Identifier: Apache-2.0
//
// Values: one 64-bit word each, equal values are equal words (§2, §4, decisions 21, 46).
//
// The low four bits of a word are its Kind, the others a payload:
//
//   Special   0: none (no value), nil, true, false, wild, absent, unknown
//   Int       a signed 60-bit integer in place
//   all else  the number of a node in the Pool: integers beyond 60 bits, floats,
//             strings, keywords, symbols, slots, lists, sets, maps, terms
//
// Nodes are hash-consed, so unification of ground values, duplicate elimination and
// index probes compare words and never walk a structure. One number has one form: an
// integral value is an Int or BigInt, whatever its size and its spelling, so that numbers are
// equal when their words are (decision 89). A Float is never whole.
//
// Equality of sets and maps ignores the order of their parts. The node keeps the order of its
// first appearance in the pool, in which parts are read, printed and enumerated (decision 45).
// Where a literal is distributed, its own order is kept beside the word: see OrderIfOther.
//
// Three constants never leave the engine as answers: `wild` stands for `_` inside a term
// that is read by form (#?x, §5.7), `absent` for a capture that the chosen goal rule does
// not have, `unknown` for a value that a pending call will give (§13.1). A Slot is the
// name `?u` as data: the key of a bindings map (decision 46), or an unbound lvar inside a
// term that is read by form.
//
// A Pool owns its nodes; words of different pools must not meet. Nodes never move and are
// never freed before the pool. Not safe for concurrent writers.
#ifndef RPL_INTERP_STORE_VALUE_H_
#define RPL_INTERP_STORE_VALUE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/number_text.h"
#include "grammar/namespace.h"
#include "interp/store/id_table.h"

namespace rpl {

class Integer;  // interp/store/integer.h

/// Asked now and then during long work whether to go on.
using KeepOn = std::function<bool()>;

enum class Kind : std::uint8_t {
  kSpecial,
  kInt,
  kBigInt,
  kFloat,
  kString,
  kKeyword,
  kSymbol,
  kSlot,
  kList,
  kSet,
  kMap,
  kTerm,
};

class Value {
 public:
  constexpr Value() = default;  // none
  static constexpr Value FromBits(std::uint64_t bits) {
    Value v;
    v.bits_ = bits;
    return v;
  }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr Kind kind() const { return static_cast<Kind>(bits_ & 15); }
  constexpr bool is_none() const { return bits_ == 0; }
  friend constexpr bool operator==(Value, Value) = default;
  /// An order of words, for tables; it means nothing to programs.
  friend constexpr auto operator<=>(Value, Value) = default;

 private:
  std::uint64_t bits_ = 0;
};

inline constexpr Value kNone{};
inline constexpr Value kNil = Value::FromBits(1 << 4);
inline constexpr Value kTrue = Value::FromBits(2 << 4);
inline constexpr Value kFalse = Value::FromBits(3 << 4);
inline constexpr Value kWild = Value::FromBits(4 << 4);
inline constexpr Value kAbsent = Value::FromBits(5 << 4);
inline constexpr Value kUnknown = Value::FromBits(6 << 4);

/// Limits on the nesting of values and on the length of texts; Pool refuses to build others.
inline constexpr std::uint32_t kMaxValueDepth = 2000;
inline constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;

/// The elements of a set in a column of a row, in written order (Pool::OrderIfOther).
struct SetOrder {
  std::size_t column;
  std::vector<Value> elements;
};

class Pool {
 public:
  Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// Builders give kNone when the value would exceed a limit; overflow() then names it.
  Value Int(std::int64_t v);
  /// Of at most kMaxDigits digits.
  Value Int(const Integer& v);
  /// A whole one becomes the integer that it is. REQUIRES: v is finite.
  Value Float(double v);
  Value Number(const WrittenNumber& number);
  static Value Bool(bool v) { return v ? kTrue : kFalse; }
  Value String(std::string_view text) { return Text(Kind::kString, text); }
  Value Keyword(std::string_view name) { return Text(Kind::kKeyword, name); }
  Value Symbol(std::string_view name) { return Text(Kind::kSymbol, name); }
  Value Slot(std::string_view name) { return Text(Kind::kSlot, name); }
  /// The text of a string, keyword, symbol or slot, and the cell to receive its value.
  struct Spelling {
    Kind kind;
    std::string_view text;  // of at most kMaxTextBytes
    std::size_t cell;
  };
  /// Interns at most kTogether texts, in order, with prefetching so that their cache misses
  /// overlap.
  static constexpr std::size_t kTogether = 32;
  void Intern(std::span<const Spelling> texts, Value* cells);
  Value List(std::span<const Value> items);
  /// Repeated elements are dropped.
  Value Set(std::span<const Value> items);
  /// From key, value, key, value, …; of entries with the same key, the first counts.
  Value Map(std::span<const Value> entries);
  Value Term(Namespace ns, std::string_view label, std::span<const Value> args);

  /// REQUIRES: an integer that fits 64 bits.
  std::int64_t AsInt(Value v) const;
  /// The value of an integer that 64 bits hold. nullopt for other values.
  std::optional<std::int64_t> Int64Of(Value v) const;
  /// REQUIRES: Int or BigInt.
  Integer IntegerOf(Value v) const;
  /// The float nearest to a number; infinite for an integer beyond their range. nullopt for other
  /// kinds.
  std::optional<double> AsDouble(Value v) const;
  /// Negative, zero or positive, as `a` is less than, equal to or greater than `b`; exact.
  /// REQUIRES: two numbers.
  int CompareNumbers(Value a, Value b) const;
  static bool IsInt(Value v) { return v.kind() == Kind::kInt || v.kind() == Kind::kBigInt; }
  static bool IsNumber(Value v) { return IsInt(v) || v.kind() == Kind::kFloat; }

  /// The characters of a string, keyword, symbol or slot (without its mark), or the label
  /// of a term. REQUIRES: one of these kinds.
  std::string_view TextOf(Value v) const;
  /// Elements of a list or set, entries of a map (key, value, …), arguments of a term;
  /// in written order. REQUIRES: one of these kinds. Valid as long as the pool.
  std::span<const Value> ItemsOf(Value v) const;
  /// The parts of a set or map in the order of `written`, from which it was built, without
  /// repetitions; empty if that is the order of ItemsOf. REQUIRES: a set or map.
  std::vector<Value> OrderIfOther(Value v, std::span<const Value> written) const;
  Namespace NamespaceOf(Value term) const;
  bool Contains(Value set, Value element) const;
  /// The value under `key` of a map, or kNone.
  Value Lookup(Value map, Value key) const;
  /// Approximate length in bytes of Text without a limit; saturates at kManyBytes. Shared parts
  /// count at every occurrence, so this may far exceed the value's memory. O(1).
  std::uint64_t TextBytes(Value v) const;
  static constexpr std::uint64_t kManyBytes = std::uint64_t{1} << 62;

  /// The limit that a builder exceeded since ClearOverflow, in words; "" for none.
  const std::string& overflow() const { return overflow_; }
  void Overflow(std::string what) { overflow_ = std::move(what); }
  void ClearOverflow() { overflow_.clear(); }

  /// Counts work on values in steps of some ten nanoseconds, so that limits measure work and not
  /// rows: what walks or builds values says so, the builders by themselves. False when a Watched
  /// was asked and says to give up; a value that is being built is finished nevertheless.
  bool Work(std::size_t steps) {
    if (watch_ == nullptr || (work_ += steps) < kStepsPerPoll) return true;
    work_ = 0;
    return (*watch_)();
  }
  /// While it lives, `keep_on` is asked every few thousand steps. Borrows both.
  class Watched {
   public:
    Watched(Pool& pool, const KeepOn& keep_on)
        : pool_(pool), outer_(std::exchange(pool.watch_, &keep_on)) {}
    ~Watched() { pool_.watch_ = outer_; }
    Watched(const Watched&) = delete;

   private:
    Pool& pool_;
    const KeepOn* outer_;
  };

  std::size_t size() const { return nodes_.size(); }
  /// Removes the nodes made since the pool had `size`, so that explanations do not affect the order
  /// in which sets are shown. REQUIRES: none of their words is in use. O(size).
  void ForgetFrom(std::size_t size);

 private:
  struct Node {
    std::uint64_t text_bytes;  // see TextBytes
    const void* data;          // chars or Values
    std::uint32_t size;        // chars or Values
    std::uint32_t depth;       // of lists, sets, maps, terms; 0 for texts
    std::uint64_t hash;
    Value label;   // terms: the label as a symbol
    Namespace ns;  // terms
    Kind kind;
  };

  const Node& At(Value v) const { return nodes_[v.bits() >> 4]; }
  Value Text(Kind kind, std::string_view text);
  Value Text(Kind kind, std::string_view text, std::uint64_t hash);
  Value BigInt(bool negative, std::span<const std::uint64_t> magnitude);
  /// Of a BigInt: whether it is negative, and its magnitude, least significant word first.
  std::pair<bool, std::span<const std::uint64_t>> PartsOf(Value big) const;
  Value Compound(Node probe, std::span<const Value> items);
  static Value Make(Kind kind, std::uint64_t payload) {
    return Value::FromBits(payload << 4 | static_cast<std::uint64_t>(kind));
  }
  void* Allocate(std::size_t bytes, std::size_t align);

  std::vector<Node> nodes_;
  IdTable table_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;
  std::size_t free_bytes_ = 0;
  std::string overflow_;
  static constexpr std::size_t kStepsPerPoll = std::size_t{1} << 14;
  const KeepOn* watch_ = nullptr;
  std::size_t work_ = 0;
};

/// RPL source text of a value: `"a"`, `:k`, `[1 2]`, `#{1}`, `{:a 1}`, `f(1)`, `?u`. Beyond `most`
/// bytes, its beginning and its length: `[[0 0] [0… (about 4,000,000 bytes)`.
std::string Text(const Pool& pool, Value v, std::size_t most = kMaxTextBytes);

/// Bytes of a value that messages and log lines show, at most; and that derivations show.
inline constexpr std::size_t kToldBytes = 400;
inline constexpr std::size_t kDerivationBytes = std::size_t{1} << 12;

/// A value as one JSON value, compact, UTF-8 unescaped (decision 59): symbols as their
/// text, keywords with colon, slots with `?`, terms as source text, sets as arrays, map
/// keys as strings by the same rules. nullopt when two keys of a map collide as strings, or
/// the text would be longer than kMaxTextBytes.
std::optional<std::string> Json(const Pool& pool, Value v);

/// The text of a value in a template or a bare reply: the characters of a string, else Text.
std::string PlainText(const Pool& pool, Value v);

/// The text of a value in prose, for a reader: of a list or set its elements, `a, b`; of one of
/// such lists, `a, b; c, d`; `none` if it is empty. PlainText of another value, and where a text
/// among the elements has a separator or a line end of its own.
std::string ProseText(const Pool& pool, Value v);

/// The kind of a value, for messages: "a string", "a number", "a list".
std::string_view KindName(Value v);

}  // namespace rpl

#endif  // RPL_INTERP_STORE_VALUE_H_
