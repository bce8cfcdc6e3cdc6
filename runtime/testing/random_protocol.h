// SPDX-License-Identifier: Apache-2.0
//
// Random protocols, for tests only.
//
// Left out, because the specification does not say which plan is taken, or which question comes
// first:
//
// - a goal with a rule that asks and another rule, whose captures the reader knows or restricts:
//   what other plans are asked for once one gave an answer for the reader (decision 85);
// - alternatives with variables of clauses around them: whether a plan is chosen once or for each
//   row; alternatives in `@when`: whether another plan is taken where the body does not hold;
// - headings whose known arguments nothing binds before them in the tail;
// - constraints that offer answers, `h(?x) -> r(?x)`, where `r` may rest on `h`.
//
// The same seed gives the same protocol with the same compiler.
#ifndef RPL_RUNTIME_TESTING_RANDOM_PROTOCOL_H_
#define RPL_RUNTIME_TESTING_RANDOM_PROTOCOL_H_

#include <cstdint>
#include <functional>

#include "runtime/testing/protocol.h"

namespace rpl::protocol {

Protocol MakeProtocol(std::uint32_t seed);

/// A smaller protocol for which `fails` still holds: sentences and clauses are dropped while it
/// does.
Protocol Shrunk(Protocol protocol, const std::function<bool(const Protocol&)>& fails);

}  // namespace rpl::protocol

#endif  // RPL_RUNTIME_TESTING_RANDOM_PROTOCOL_H_
