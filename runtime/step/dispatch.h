// SPDX-License-Identifier: Apache-2.0
//
// Phase 8: the lines of $json are shown, and calls and questions go out. Calls of tools go out
// together, questions one after another.
//
// Owns the dispatch of calls and of questions. Borrows the rest. One thread.
#ifndef RPL_RUNTIME_STEP_DISPATCH_H_
#define RPL_RUNTIME_STEP_DISPATCH_H_

#include <utility>
#include <vector>

#include "runtime/ports.h"
#include "runtime/step/call_dispatch.h"
#include "runtime/step/part_names.h"
#include "runtime/step/question_dispatch.h"

namespace rpl {

class Dispatch {
 public:
  /// Without a sink, nothing is shown.
  Dispatch(ChatSink sink, CallDispatch::Parts of_calls, QuestionDispatch::Parts of_questions)
      : run_(of_calls),
        engine_(run_.engine),
        sink_(std::move(sink)),
        tool_calls_(std::move(of_calls)),
        questions_(std::move(of_questions)) {}

  /// Sends what the timestep has to send; replies that come back at once are in the book of calls
  /// then, and decisions in the inbox.
  void Run(StepState& step);

  /// Whether a tool wrote chat since the turn began.
  bool chat() const { return chat_; }
  void BeginTurn() { chat_ = false; }

 private:
  void ShowChat(const StepState& step);
  std::vector<OpenCall> TakeAwaited(StepState& step);

  const CallDispatch::Parts run_;
  interp::Engine& engine_;
  const ChatSink sink_;
  CallDispatch tool_calls_;
  QuestionDispatch questions_;
  bool chat_ = false;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_DISPATCH_H_
