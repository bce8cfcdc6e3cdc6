// SPDX-License-Identifier: Apache-2.0
#include "grammar/facts.h"

#include <array>
#include <bit>
#include <cstring>

#include "formats/spelling.h"

namespace rpl {
namespace {

// Classes of bytes, one bit each.
enum : std::uint8_t { kLower = 1, kDigit = 2, kHyphen = 4, kBlank = 8, kInString = 16 };

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    std::uint8_t& of = classes[static_cast<std::size_t>(c)];
    if (c >= 'a' && c <= 'z') of |= kLower;
    if (c >= '0' && c <= '9') of |= kDigit;
    if (c == '-') of |= kHyphen;
    if (c == ' ' || c == '\t') of |= kBlank;
    if (c != '\\' && c != '{' && c != '\n' && c != '"' && c != '\'') of |= kInString;
  }
  return classes;
}();

bool Is(char c, int classes) { return (kClasses[static_cast<unsigned char>(c)] & classes) != 0; }

// Bits of the bytes of the word that are `c`. A byte above such a one may have a bit, too.
std::uint64_t BytesThatAre(std::uint64_t word, char c) {
  constexpr std::uint64_t kOnes = 0x0101010101010101u;
  const std::uint64_t differs = word ^ (kOnes * static_cast<unsigned char>(c));
  return (differs - kOnes) & ~differs & (kOnes << 7);
}

// Words that are no relation names.
bool IsTaken(std::string_view word) {
  return word == "true" || word == "false" || word == "nil" || IsOperatorWord(word);
}

// A cursor over a fact. Each reader returns true and advances if its token is at the cursor; after
// false the position is unspecified.
class Scanner {
 public:
  Scanner(std::string_view text, std::uint32_t begin, std::uint32_t limit)
      : text_(text), limit_(limit), at_(begin) {}

  std::uint32_t at() const { return at_; }

  bool Mark(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  void Blanks() {
    while (Is(Peek(), kBlank)) ++at_;
  }

  // A kebab-case name: words of lower-case letters and digits with single hyphens between.
  bool Name() {
    if (!Is(Peek(), kLower)) return false;
    do {
      ++at_;
      while (Is(Peek(), kLower | kDigit)) ++at_;
    } while (Peek() == '-' && at_ + 1 < limit_ && Is(text_[at_ + 1], kLower | kDigit));
    return !Is(Peek(), kHyphen);
  }

  // The bytes up to the closing quote.
  bool StringRest(char quote) {
    for (std::uint64_t word; at_ + sizeof word <= limit_; at_ += sizeof word) {
      std::memcpy(&word, text_.data() + at_, sizeof word);
      const std::uint64_t ends = BytesThatAre(word, quote) | BytesThatAre(word, '\\') |
                                 BytesThatAre(word, '{') | BytesThatAre(word, '\n');
      if (ends == 0) continue;
      if constexpr (std::endian::native == std::endian::little)
        at_ += static_cast<std::uint32_t>(std::countr_zero(ends)) / 8;
      break;
    }
    const char other = quote == '"' ? '\'' : '"';
    while (Is(Peek(), kInString) || Peek() == other) {
      if (at_ >= limit_) return false;
      ++at_;
    }
    return Peek() == quote;
  }

  // Accepts only so few digits that nothing overflows and no value is rounded twice.
  bool Number(PlainFacts::Kind& kind) {
    constexpr std::uint32_t kMaxDigits = 15;
    const std::uint32_t begin = at_;
    Mark('-');
    kind = PlainFacts::Kind::kInteger;
    if (!Digits()) return false;
    if (Mark('.')) {
      kind = PlainFacts::Kind::kDecimal;
      if (!Digits()) return false;
    }
    return at_ - begin <= kMaxDigits;
  }

  bool Argument(PlainFacts::Argument& to) {
    const char c = Peek();
    to.begin = at_;
    PlainFacts::Kind kind = PlainFacts::Kind::kWord;
    bool read = false;
    if (c == '"' || c == '\'') {
      ++at_;
      to.begin = at_;
      read = StringRest(c);
      kind = PlainFacts::Kind::kString;
    } else if (c == ':') {
      ++at_;
      to.begin = at_;
      read = Name();
      kind = PlainFacts::Kind::kKeyword;
    } else if (Is(c, kLower)) {
      read = Name() && !IsOperatorWord(text_.substr(to.begin, at_ - to.begin));
    } else {
      read = Number(kind);
    }
    if (!read || at_ - to.begin > kMaxPlainSize) return false;
    to.size = at_ - to.begin;
    to.kind = kind;
    if (kind == PlainFacts::Kind::kString) ++at_;
    return true;
  }

 private:
  char Peek() const { return at_ < limit_ ? text_[at_] : '\0'; }

  bool Digits() {
    const std::uint32_t begin = at_;
    while (Is(Peek(), kDigit)) ++at_;
    return at_ > begin;
  }

  std::string_view text_;
  std::uint32_t limit_;
  std::uint32_t at_;
};

}  // namespace

std::uint32_t ScanPlainFact(std::string_view text, std::uint32_t begin, std::uint32_t limit,
                            PlainFacts& to) {
  Scanner scanner(text, begin, limit);
  if (!scanner.Name()) return 0;
  const std::uint32_t label_end = scanner.at();
  if (!scanner.Mark('(') || IsTaken(text.substr(begin, label_end - begin))) return 0;
  const std::size_t first = to.arguments.size();
  PlainFacts::Argument argument{};
  do {
    scanner.Blanks();
    const bool read = scanner.Argument(argument);
    if (!read || to.arguments.size() - first == kMaxPlainArguments) {
      to.arguments.resize(first);
      return 0;
    }
    to.arguments.push_back(argument);
    scanner.Blanks();
  } while (scanner.Mark(','));
  if (!scanner.Mark(')')) {
    to.arguments.resize(first);
    return 0;
  }
  to.facts.push_back(
      {begin, scanner.at(), label_end - begin, static_cast<std::uint32_t>(to.arguments.size())});
  return scanner.at();
}

}  // namespace rpl
