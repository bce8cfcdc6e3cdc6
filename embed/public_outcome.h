// SPDX-License-Identifier: Apache-2.0
//
// The conversion of outcomes, questions and proofs to the public headers' structs. Names with the
// prefix `Engine::` are those of the public header.
#ifndef RPL_EMBED_PUBLIC_OUTCOME_H_
#define RPL_EMBED_PUBLIC_OUTCOME_H_

#include <optional>
#include <string>
#include <vector>

#include "interp/explain/explanation.h"
#include "rpl/rpl.h"
#include "runtime/outcome.h"
#include "runtime/request.h"

namespace rpl {

/// The public enumerator of the same name.
Engine::Status StatusOf(Status status);

/// A copy of the question, with its arguments and options as JSON.
Engine::Question QuestionOf(const Request& request, const Pool& pool);

/// The arguments as a JSON array; nullopt if one has no JSON.
std::optional<std::string> ArgsOf(const Pool& pool, const std::vector<Value>& args);

/// A copy of the derivation, as text and as a tree. `sources` are those of its places.
Engine::Proof ProofOf(const Explanation& explanation, const Sources& sources);

}  // namespace rpl

#endif  // RPL_EMBED_PUBLIC_OUTCOME_H_
