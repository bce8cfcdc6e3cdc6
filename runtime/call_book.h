// SPDX-License-Identifier: Apache-2.0
//
// The book of calls: those of the turn that were made, answered, declined, refused or held, by what
// tells one call from another (CallId).
#ifndef RPL_RUNTIME_CALL_BOOK_H_
#define RPL_RUNTIME_CALL_BOOK_H_

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interp/eval/evaluation.h"
#include "runtime/agent.h"

namespace rpl {

struct CallBook {
  /// A reply on its way into the program.
  struct Reply {
    OpenCall call;
    Answer answer;
    bool held = false;  // a guard held it back, and it is decided about again
  };

  std::deque<Reply> replies;               // of phase 8, taken in phase 1
  std::vector<OpenCall> not_run;           // failed in this turn alone
  std::set<CallId> created;                // that the log has shown
  std::set<CallId> declined;               // by a person
  std::set<CallId> admitted;               // that may go out in this turn
  std::map<CallId, std::string> refused;   // that may not, and why
  std::map<CallId, std::string> refusals;  // the same, from the next timestep on
  std::map<CallId, std::string> reports;   // of refused calls: the %fail
  std::map<CallId, Reply> held_replies;    // results that wait for a review
  std::string held;                        // the %fail that ends the run, or ""

  /// A new turn decides about all calls again. Replies and held results stay.
  void BeginTurn() {
    declined.clear();
    not_run.clear();
    admitted.clear();
    refused.clear();
    refusals.clear();
    reports.clear();
    held.clear();
  }
};

}  // namespace rpl

#endif  // RPL_RUNTIME_CALL_BOOK_H_
