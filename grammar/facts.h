// SPDX-License-Identifier: Apache-2.0
//
// Plain facts in a flat form: the short path of the sentences that tables of data consist of.
//
//   edge(1, 2)
//   person("ada", :engineer, 36.5, true)
//
// A plain fact is a relation call whose arguments are numbers, strings without escapes and holes,
// keywords, symbols, booleans and nil, in spellings that no lint concerns. It has the meaning that
// the grammar gives it, but no tree is built. Text that is not plain in every respect is left to
// the parser, so that errors and lints have one origin.
#ifndef RPL_GRAMMAR_FACTS_H_
#define RPL_GRAMMAR_FACTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rpl {

/// The plain facts of one file, in the order of the text. Offsets are bytes of the whole file.
struct PlainFacts {
  /// The type of an argument. kDecimal is a number with a fraction.
  enum class Kind : std::uint32_t { kString, kInteger, kDecimal, kKeyword, kWord };
  /// An argument: its bytes without quotes or mark. kWord is a symbol, a boolean or nil.
  struct Argument {
    std::uint32_t begin;
    std::uint32_t size : 29;
    Kind kind : 3;
  };
  /// One fact, as byte offsets and an index into `arguments`.
  struct Fact {
    std::uint32_t begin;  // of its label
    std::uint32_t end;    // after its closing parenthesis
    std::uint32_t label_size;
    std::uint32_t arguments_end;  // index after its last argument
  };

  std::vector<Fact> facts;
  std::vector<Argument> arguments;

  /// The arguments of a fact, in order; valid until a fact is added. REQUIRES: fact < facts.size().
  std::span<const Argument> ArgumentsOf(std::size_t fact) const {
    const std::size_t from = fact == 0 ? 0 : facts[fact - 1].arguments_end;
    return {arguments.data() + from, facts[fact].arguments_end - from};
  }
  /// Removes the last fact and its arguments. REQUIRES: !facts.empty().
  void DropLast() {
    facts.pop_back();
    arguments.resize(facts.empty() ? 0 : facts.back().arguments_end);
  }
};

/// The maximal number of arguments of a plain fact, and the maximal size of one in bytes; a larger
/// fact is the parser's.
inline constexpr std::size_t kMaxPlainArguments = 64;
inline constexpr std::uint32_t kMaxPlainSize = 1u << 20;

/// Appends the plain fact that begins at text[begin] and ends before `limit` to `to`, and returns
/// its end; 0 if there is none, and `to` is unchanged. The caller must check the text behind the
/// fact, because a plain fact can be the beginning of a longer sentence. O(length of the fact).
std::uint32_t ScanPlainFact(std::string_view text, std::uint32_t begin, std::uint32_t limit,
                            PlainFacts& to);

}  // namespace rpl

#endif  // RPL_GRAMMAR_FACTS_H_
