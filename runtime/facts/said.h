// SPDX-License-Identifier: Apache-2.0
//
// The statements made to a run that wait for phase 2, in the order in which they were made.
#ifndef RPL_RUNTIME_FACTS_SAID_H_
#define RPL_RUNTIME_FACTS_SAID_H_

#include <deque>

#include "interp/program/program.h"
#include "interp/store/by.h"

namespace rpl {

/// The origin of a text. Documents are loaded again in every epoch; the trace of an earlier epoch
/// is not news; nor are the facts of a source, whose reply is. kFacts: a file that is no document.
enum class From { kDocument, kMessage, kTrace, kDecision, kSource, kFacts };

struct Said {
  Novelty what;
  From from;
  By by;  // who says it; not of a trace
};

using SaidQueue = std::deque<Said>;

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_SAID_H_
