// SPDX-License-Identifier: Apache-2.0
//
// The check of authority (decision 92): questions that no party may answer, questions whose one
// answer counts for many rows, and files of facts for relations with rules.
#include "interp/plan/authority.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "interp/lint/context.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

// The values of a call's arguments, if none of them has a variable.
std::optional<std::vector<Value>> FixedArguments(const Atom& atom) {
  std::vector<Value> out;
  for (const Pattern& arg : atom.args) {
    if (arg.kind != Pattern::Kind::kConstant) return std::nullopt;
    out.push_back(arg.constant);
  }
  return out;
}

// The name of a variable of the head that another atom of the body binds; "" if there is none.
std::string RowVariable(const Definition& def, const Atom& question) {
  std::vector<bool> of_head(def.slots.size());
  for (const Pattern& arg : def.args)
    ForEachSlot(arg, [&](SlotId slot) { of_head[static_cast<std::size_t>(slot)] = true; });
  std::string out;
  for (const auto& own : OwnAtoms(def.body)) {
    if (&own.atom == &question) continue;
    for (const Pattern& arg : own.atom.args)
      ForEachSlot(arg, [&](SlotId slot) {
        const auto at = static_cast<std::size_t>(slot);
        if (out.empty() && of_head[at] && !def.slots[at].empty()) out = "?" + def.slots[at];
      });
  }
  return out;
}

void CheckApproval(Context& context, const Authority& authority, const Definition& def) {
  for (const auto& [position, clause, atom] : OwnAtoms(def.body)) {
    if (!IsQuestion(context.engine.store.at(atom.relation))) continue;
    const auto args = FixedArguments(atom);
    if (!args || (authority.AnswersTo(atom.relation, *args) & PartyBit(By::kModel)) != 0) continue;
    if (const std::string row = RowVariable(def, atom); !row.empty())
      context.Add(Code::kOneAnswerForRows, clause.span,
                  "this question is put once, and its answer counts for every `" + row + "`",
                  "name what is approved in its text, as in `\"Approve {" + row + "}?\"`");
  }
}

}  // namespace

void CheckAuthority(Context& context) {
  const Store& store = context.engine.store;
  Authority authority(context.engine.program, store, false);
  for (const Assertion& a : context.assertions)
    if (a.truth) authority.NoteFact(a.relation, a.span);
  const auto checked = [&](Span span) { return context.checked_files.contains(span.file); };
  for (const Authority::Closed& closed : authority.Unanswerable())
    if (checked(closed.second))
      context.Add(Code::kNobodyAnswers, closed.second,
                  "nobody may answer `" + store.at(closed.relation).name() +
                      "`: this reading and the one at " + context.sources.Where(closed.first) +
                      " admit different parties",
                  "let them admit one party, or read two headings");
  for (const Definition& def : context.engine.program.definitions())
    if (checked(def.span)) CheckApproval(context, authority, def);
  for (const auto& [relation, given] : context.given_relations) {
    const Authority::Entry entry = authority.Of(relation);
    if (entry.kind == Authority::Kind::kRules)
      context.Add(Code::kRefusedFact, given.span,
                  "a file of facts may not state `" + NameOf(given.call) + "`: it has rules (" +
                      context.sources.Where(entry.line) + ")",
                  "give the file another relation, and let a rule read that");
  }
}

}  // namespace rpl::check
