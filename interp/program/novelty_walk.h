// SPDX-License-Identifier: Apache-2.0
//
// Novelty::ForEach, for those who call it: it looks ahead into the rows of the store.
#ifndef RPL_INTERP_PROGRAM_NOVELTY_WALK_H_
#define RPL_INTERP_PROGRAM_NOVELTY_WALK_H_

#include <cstddef>
#include <span>

#include "interp/program/novelty.h"
#include "interp/store/row_set.h"
#include "interp/store/store.h"

namespace rpl {

template <typename OnFact, typename OnAssertion, typename OnHalf, typename OnQuestion>
void Novelty::ForEach(const Store& store, OnFact&& fact, OnAssertion&& assertion, OnHalf&& on_half,
                      OnQuestion&& on_question) const {
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
  const Value* row = cells.data();
  const Value* ahead = row;  // of the next fact to prefetch for
  std::size_t asked = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (; asked < facts.size() && asked < i + kAhead; ++asked) {
      const RowSet& rows = store.at(facts[asked].relation).rows();
      rows.Prefetch(RowSet::HashOf({ahead, rows.arity()}));
      ahead += rows.arity();
    }
    tell_others(i);
    const std::size_t arity = store.at(facts[i].relation).arity();
    fact(facts[i].relation, std::span(row, arity), Span{file, facts[i].begin, facts[i].end});
    row += arity;
  }
  tell_others(facts.size());
}

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_NOVELTY_WALK_H_
