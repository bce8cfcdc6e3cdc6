// SPDX-License-Identifier: Apache-2.0
//
// The walk of Novelty::ForEach and Take, for those who call them: it looks ahead into the rows of
// the store.
#ifndef RPL_INTERP_PROGRAM_NOVELTY_WALK_H_
#define RPL_INTERP_PROGRAM_NOVELTY_WALK_H_

#include <cstddef>
#include <span>

#include "interp/program/novelty.h"
#include "interp/store/row_set.h"
#include "interp/store/store.h"

namespace rpl {

template <typename OnFact, typename OnAssertion, typename OnHalf, typename OnQuestion,
          typename EachBlock>
void Novelty::Walk(const Store& store, OnFact&& fact, OnAssertion&& assertion, OnHalf&& on_half,
                   OnQuestion&& on_question, EachBlock&& each_block) const {
  auto next = assertions.begin();
  auto half = half_answers.begin();
  auto question = question_entries.begin();
  // The others behind so many facts.
  const auto tell_others = [&](std::size_t told) {
    for (;;) {
      const auto is_next = [&](const StatedBefore& before) {
        return before.facts <= told && assertions.begin() + before.assertions <= next;
      };
      const bool is_half = half != half_answers.end() && is_next(half->before);
      const bool is_question = question != question_entries.end() && is_next(question->before);
      if (is_half && !(is_question && question->span.begin < half->span.begin)) on_half(*half++);
      else if (is_question) on_question(*question++);
      else if (next != assertions.end() && next->facts_before <= told) assertion(*next++);
      else return;
    }
  };
  constexpr std::size_t kAhead = 16;
  std::size_t told = 0;
  each_block([&](std::span<const Fact> block, const Value* row) {
    const Value* ahead = row;  // of the next fact to prefetch for
    std::size_t asked = 0;
    for (std::size_t i = 0; i < block.size(); ++i) {
      for (; asked < block.size() && asked < i + kAhead; ++asked) {
        const RowSet& rows = store.at(block[asked].relation).rows();
        rows.Prefetch(RowSet::HashOf({ahead, rows.arity()}));
        ahead += rows.arity();
      }
      tell_others(told++);
      const std::size_t arity = store.at(block[i].relation).arity();
      fact(block[i].relation, std::span(row, arity), Span{file, block[i].begin, block[i].end});
      row += arity;
    }
  });
  tell_others(told);
}

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_NOVELTY_WALK_H_
