// SPDX-License-Identifier: Apache-2.0
#include "runtime/relaying_agent.h"

#include "runtime/replies.h"

namespace rpl {

Answer RelayingAgent::Ask(const Question& question, Pool& pool, std::string_view refused) {
  std::optional<Answer> answer = own_(question, pool, refused);
  if (!answer) answer = people_.Ask(question, pool, refused);
  unanswered_.reset();
  if (answer->kind == Answer::Kind::kNobody) unanswered_ = question;
  return *answer;
}

std::vector<Answer> RelayingAgent::Call(const std::vector<ToolCall>& calls, Pool& pool) {
  std::vector<Answer> out(calls.size());
  Picked<ToolCall> rest;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    std::string_view refused;
    if (std::optional<Answer> own = own_(calls[i], pool, refused)) out[i] = *std::move(own);
    else rest.Add(calls[i], i);
  }
  if (!rest.calls.empty()) rest.Place(tools_.Call(rest.calls, pool), out);
  return out;
}

}  // namespace rpl
