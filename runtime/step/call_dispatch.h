// SPDX-License-Identifier: Apache-2.0
//
// Calls of tools, in phase 8: those of one plan go out together, after a decision about each in
// written order; replies are taken in that order. Recorded replies come from the journal instead.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_CALL_DISPATCH_H_
#define RPL_RUNTIME_STEP_CALL_DISPATCH_H_

#include <string>
#include <utility>
#include <vector>

#include "runtime/step/part_names.h"

namespace rpl {

class CallDispatch {
 public:
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    Tools& tools;
    SourceAccess& access;
    Recorder& recorder;
    const Budget& budget;
    CallBook& calls;
    CallPermission& permission;
    SourceFeed& sources;
    const Inbox& inbox;
    const RequestWriter& requests;
  };
  explicit CallDispatch(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

  /// Makes these calls, as far as they may go out; their replies are in the book of calls then.
  void Make(const std::vector<const OpenCall*>& calls);

 private:
  struct Going;  // the calls that go out, their requests and replies
  void TakeRecorded(Going& going);
  void Send(Going& going);

  const Parts run_;
  interp::Engine& engine_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_CALL_DISPATCH_H_
