// SPDX-License-Identifier: Apache-2.0
//
// Plain facts, flat: the short form of the sentences that tables of data are made of.
//
//   edge(1, 2)
//   person("ada", :engineer, 36.5, true)
//
// A plain fact is a call of a relation whose arguments are numbers, strings without escapes
// and holes, keywords, symbols, booleans and nil, all spelled so that nothing is to be said
// about them. It means what the grammar says; only its tree is never made. What is not plain in any
// respect is left to the parser, so errors and lints come from one place.
#ifndef RPL_GRAMMAR_FACTS_H_
#define RPL_GRAMMAR_FACTS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rpl {

/// Facts of one file, in the order of the text. Offsets are bytes of the whole file.
struct PlainFacts {
  enum class Kind : std::uint32_t { kString, kInteger, kDecimal, kKeyword, kWord };
  /// An argument: the bytes without quotes or mark. A word is a symbol, a boolean or nil.
  struct Argument {
    std::uint32_t begin;
    std::uint32_t size : 29;
    Kind kind : 3;
  };
  struct Fact {
    std::uint32_t begin;  // of its label
    std::uint32_t end;    // after its closing parenthesis
    std::uint32_t label_size;
    std::uint32_t arguments_end;  // index after its last argument
  };

  std::vector<Fact> facts;
  std::vector<Argument> arguments;

  std::span<const Argument> ArgumentsOf(std::size_t fact) const {
    const std::size_t from = fact == 0 ? 0 : facts[fact - 1].arguments_end;
    return {arguments.data() + from, facts[fact].arguments_end - from};
  }
  void DropLast() {
    facts.pop_back();
    arguments.resize(facts.empty() ? 0 : facts.back().arguments_end);
  }
};

/// The most arguments of a plain fact, and bytes of one.
inline constexpr std::size_t kMaxPlainArguments = 64;
inline constexpr std::uint32_t kMaxPlainSize = 1u << 20;

/// Adds the plain fact that begins at text[begin] and is over before `limit` to `to`. Says
/// where it ends, or 0 when there is none; then `to` is as it was. What follows the fact is
/// for the caller to look at: it may be part of a longer sentence.
std::uint32_t ScanPlainFact(std::string_view text, std::uint32_t begin, std::uint32_t limit,
                            PlainFacts& to);

}  // namespace rpl

#endif  // RPL_GRAMMAR_FACTS_H_
