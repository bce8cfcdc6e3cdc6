// SPDX-License-Identifier: Apache-2.0
//
// An agent in front of people and tools, which it borrows: what it does not answer itself goes
// there. The base of agents that answer from a script, from given answers or from a model.
#ifndef RPL_RUNTIME_RELAYING_AGENT_H_
#define RPL_RUNTIME_RELAYING_AGENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

class RelayingAgent : public People, public Tools {
 public:
  RelayingAgent(People& people, Tools& tools) : people_(people), tools_(tools) {}

  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override {
    return people_.Ask(question, pool, refused);
  }
  void Open(OpenQuestions open) override { people_.Open(std::move(open)); }
  bool AnswersAgain(const std::string& call, const AttemptBook& attempts) override {
    return people_.AnswersAgain(call, attempts);
  }
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    return tools_.Call(calls, pool);
  }
  bool AnswersAlone(const ToolCall& call) const override { return tools_.AnswersAlone(call); }

 protected:
  /// The answers to calls, of which `answer` gives those that are not put to the other tools; the
  /// others are, in one call.
  template <typename Answering>
  std::vector<rpl::Answer> CallUnless(const std::vector<ToolCall>& calls, Pool& pool,
                                      const Answering& answer) {
    std::vector<rpl::Answer> out(calls.size());
    std::vector<ToolCall> rest;
    std::vector<std::size_t> places;  // in `calls`, of each of the rest
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (std::optional<rpl::Answer> own = answer(calls[i])) {
        out[i] = std::move(*own);
        continue;
      }
      rest.push_back(calls[i]);
      places.push_back(i);
    }
    if (rest.empty()) return out;
    std::vector<rpl::Answer> others = tools_.Call(rest, pool);
    for (std::size_t k = 0; k < rest.size(); ++k) out[places[k]] = std::move(others[k]);
    return out;
  }

  People& people_;
  Tools& tools_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RELAYING_AGENT_H_
