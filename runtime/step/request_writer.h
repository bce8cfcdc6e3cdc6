// SPDX-License-Identifier: Apache-2.0
//
// The writer of requests: it words calls and questions for those outside, with their choices and
// the parties whose answers count.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_REQUEST_WRITER_H_
#define RPL_RUNTIME_STEP_REQUEST_WRITER_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/step/part_names.h"
#include "runtime/step/titles.h"

namespace rpl {

class OpenRequest;
struct Question;
struct Request;
struct ToolCall;

class RequestWriter {
 public:
  RequestWriter(interp::Engine& engine, const SessionOptions& options, Budget& budget,
                const Door& door, const SourceFeed& sources, const Tools& tools);

  /// The call as those outside get it: a question, or a call of a tool.
  OpenRequest For(const OpenCall& call) const;
  Question QuestionFor(const OpenCall& call) const;
  ToolCall CallFor(const OpenCall& call) const;
  /// An answer with the party whose it is: a host may answer for somebody else if who started the
  /// run says so.
  Answer WhoseAnswer(Answer answer) const;
  /// Whether the party that gave the answer may (decision 92).
  bool MayAnswer(const Request& request, const Answer& answer) const;

 private:
  std::vector<Question> Others(const OpenCall& call) const;
  void TakeCall(const OpenCall& call, Request& to) const;
  void TakeTool(const OpenCall& call, Request& to) const;
  void TakeReading(ToolCall& to) const;
  void TakeUse(const OpenCall& call, Question& to) const;
  std::function<bool()> StopOfReading(std::string id) const;
  std::vector<std::pair<std::string, std::string>> WrittenFiles() const;

  interp::Engine& engine_;
  const SessionOptions& options_;
  Budget& budget_;
  const Door& door_;
  const SourceFeed& sources_;
  const Tools& tools_;
  mutable Titles titles_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_REQUEST_WRITER_H_
