// SPDX-License-Identifier: Apache-2.0
//
// An agent in front of another one, which it borrows: what it does not answer itself goes there.
// The base of agents that answer from a script or from given answers, or that let only some calls
// pass at a time.
#ifndef RPL_RUNTIME_RELAYING_AGENT_H_
#define RPL_RUNTIME_RELAYING_AGENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/agent.h"

namespace rpl {

class RelayingAgent : public Agent {
 public:
  explicit RelayingAgent(Agent& otherwise) : otherwise_(otherwise) {}

  rpl::Answer Ask(const Request& request, Pool& pool, std::string_view refused) override {
    return otherwise_.Ask(request, pool, refused);
  }
  bool AnswersAlone(const Request& request) const override {
    return otherwise_.AnswersAlone(request);
  }
  bool AnswersAgain(const std::string& call, const AttemptBook& attempts) override {
    return otherwise_.AnswersAgain(call, attempts);
  }
  void Open(OpenQuestions open) override { otherwise_.Open(std::move(open)); }
  std::vector<rpl::Answer> Call(const std::vector<Request>& requests, Pool& pool) override {
    return otherwise_.Call(requests, pool);
  }
  std::vector<rpl::Answer> ReadAgain(const std::vector<Reread>& calls, Pool& pool) override {
    return otherwise_.ReadAgain(calls, pool);
  }
  std::vector<RecordedText> ReadRecorded(const std::vector<RecordedRead>& reads,
                                         Pool& pool) override {
    return otherwise_.ReadRecorded(reads, pool);
  }
  std::vector<std::optional<SqlSource>> Places(const std::vector<Request>& calls,
                                               const Pool& pool) override {
    return otherwise_.Places(calls, pool);
  }
  void Chat(const std::string& line) override { otherwise_.Chat(line); }
  void OfferToContinue(const std::string& goal) override { otherwise_.OfferToContinue(goal); }

 protected:
  /// The answers to calls, of which `answer` gives those that are not put to the other agent; the
  /// others are, in one call.
  template <typename Answering>
  std::vector<rpl::Answer> CallUnless(const std::vector<Request>& requests, Pool& pool,
                                      const Answering& answer) {
    std::vector<rpl::Answer> out(requests.size());
    std::vector<Request> rest;
    std::vector<std::size_t> places;  // in `requests`, of each of the rest
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (std::optional<rpl::Answer> own = answer(requests[i])) {
        out[i] = std::move(*own);
        continue;
      }
      rest.push_back(requests[i]);
      places.push_back(i);
    }
    if (rest.empty()) return out;
    std::vector<rpl::Answer> others = otherwise_.Call(rest, pool);
    for (std::size_t k = 0; k < rest.size(); ++k) out[places[k]] = std::move(others[k]);
    return out;
  }

  Agent& otherwise_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RELAYING_AGENT_H_
