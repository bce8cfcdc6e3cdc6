// SPDX-License-Identifier: Apache-2.0
//
// The abductives of §16, such as `@choose`: one table of how each is written. Parser, checks of
// their arguments, printers, completion, messages and lints follow from it, and abductives_test.cc
// compares it with docs/language.md and fuzz/rpl.dict. What each means is a function of
// interp/program/lower_activation.cc.
#ifndef RPL_GRAMMAR_ABDUCTIVES_H_
#define RPL_GRAMMAR_ABDUCTIVES_H_

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

namespace rpl {

enum class AbductiveKind { kWhen, kChoose, kDistinct, kEach, kFor };

/// How the comma list in the parentheses divides (decisions 67-69). Only a tail alone may be
/// alternatives without parentheses.
enum class AbductiveArguments {
  kTail,             // a tail
  kBindingTail,      // one or more bare lvars, then a tail
  kItems,            // bare lvars or none, then clauses or none
  kBindingTailStep,  // a clause, a clause, and a step, whose clauses bind a fresh lvar
};

struct AbductiveRow {
  AbductiveKind kind;
  std::string_view word;  // after the `@`
  AbductiveArguments arguments;
  std::string_view usage;  // as messages show how to write it
  bool takes_some;         // of the answers: with more of them, others may be taken
};

/// In the order of the kinds.
inline constexpr AbductiveRow kAbductives[] = {
    {AbductiveKind::kWhen, "when", AbductiveArguments::kTail, "@when(tail(?x))", false},
    {AbductiveKind::kChoose, "choose", AbductiveArguments::kBindingTail, "@choose(?x, tail(?x))",
     true},
    {AbductiveKind::kDistinct, "distinct", AbductiveArguments::kBindingTail,
     "@distinct(?x, tail(?x))", true},
    {AbductiveKind::kEach, "each", AbductiveArguments::kItems, "@each(?x, items(?x))", false},
    {AbductiveKind::kFor, "for", AbductiveArguments::kBindingTailStep,
     "@for(?i = 1, ?i < 9, ?j = ?i + 1)", false},
};

constexpr const AbductiveRow& AbductiveOf(AbductiveKind kind) {
  return kAbductives[static_cast<std::size_t>(kind)];
}
static_assert(std::ranges::all_of(kAbductives, [](const AbductiveRow& row) {
  return &AbductiveOf(row.kind) == &row;
}));

/// The one with this word; null for a word that is none.
constexpr const AbductiveRow* FindAbductive(std::string_view word) {
  const auto* const row = std::ranges::find(kAbductives, word, &AbductiveRow::word);
  return row == std::end(kAbductives) ? nullptr : row;
}

}  // namespace rpl

#endif  // RPL_GRAMMAR_ABDUCTIVES_H_
