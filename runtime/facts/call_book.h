// SPDX-License-Identifier: Apache-2.0
//
// The book of calls: those that were made, answered, declined, refused or held, by identity
// (CallId). A declined question stays so until that is taken back (decision 82); the rest is of the
// turn.
#ifndef RPL_RUNTIME_FACTS_CALL_BOOK_H_
#define RPL_RUNTIME_FACTS_CALL_BOOK_H_

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interp/eval/call_table.h"
#include "runtime/ports.h"

namespace rpl {

/// A reply on its way into the program.
struct CallReply {
  OpenCall call;
  Answer answer;
  bool held = false;  // a guard held it; it is decided again
};

struct CallBook {
  std::deque<CallReply> replies;               // of phase 8, asserted in phase 1
  std::vector<OpenCall> not_run;               // failed, in this turn only
  CallTable created{CallTable::Same::kReply};  // already logged
  std::set<CallId> declined;                   // by a person
  std::set<CallId> admitted;                   // may go out in this turn
  std::map<CallId, std::string> refused;       // with the reason
  std::map<CallId, std::string> refusals;      // refused from the next timestep on
  std::map<CallId, std::string> reports;       // %fail reports of refused calls
  std::map<CallId, CallReply> held_replies;    // results that await a review
  std::string held;                            // the %fail that ends the run, or ""
  std::vector<OpenCall> awaited;  // headings that guards of this timestep's calls rest on
  AttemptBook attempts;           // of models, of the whole session
  std::map<CallId, By> halves;    // headings with some answers: the last of those who gave
                                  // them (By is ordered)

  /// Notes an answer to a part of a heading; who stated the heading so far.
  static By NoteHalf(std::map<CallId, By>& halves, const CallReply& reply) {
    By& by =
        halves.try_emplace({reply.call.relation, reply.call.args}, reply.answer.by).first->second;
    return by = std::max(by, reply.answer.by);
  }

  /// Clears the decisions: a new turn decides all calls again. Replies, held results and declined
  /// questions stay.
  void BeginTurn() {
    not_run.clear();
    admitted.clear();
    refused.clear();
    refusals.clear();
    reports.clear();
    held.clear();
    attempts.SetLimit("");
  }
};

}  // namespace rpl

#endif  // RPL_RUNTIME_FACTS_CALL_BOOK_H_
