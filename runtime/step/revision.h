// SPDX-License-Identifier: Apache-2.0
//
// Answers of models that a violated constraint rests on, to be taken back and asked for again with
// the prose of the constraint as the reason.
//
// It is possible only if each answer there that somebody from outside could change is a model's,
// and was given to a question of this session; otherwise a person decides. Facts of the program, of
// tools and of sources do not count: a model cannot change them.
#ifndef RPL_RUNTIME_STEP_REVISION_H_
#define RPL_RUNTIME_STEP_REVISION_H_

#include <set>
#include <string>
#include <vector>

#include "interp/eval/engine.h"
#include "runtime/attempt.h"
#include "runtime/facts/derivation.h"
#include "runtime/trace.h"

namespace rpl {

struct Revision {
  std::vector<std::string> retractions;  // of the answers, as RPL text; empty: not possible
  std::vector<Attempt> refused;          // one of each question, without the reason
};

/// The revision of an instance that rests on these rows. `trace` and `attempts`: of the session.
Revision RevisionOf(interp::Engine& engine, const Derivations& derivations, const Trace& trace,
                    const AttemptBook& attempts, const std::vector<Derivations::Fact>& rows);

/// The retractions of the answers to these questions, of which recorded attempts say that they
/// violate a constraint.
std::vector<std::string> RetractionsFor(const std::set<std::string>& calls, const Trace& trace,
                                        const AttemptBook& attempts);

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_REVISION_H_
