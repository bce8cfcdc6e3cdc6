// SPDX-License-Identifier: Apache-2.0
//
// An agent in front of people and tools: what it has no answer to goes to them. Its answers are
// those of a script (shell/terminal/answer_script.h), of a client (runtime/wire/given_answers.h),
// of the host of an embedded engine, or of a model.
#ifndef RPL_RUNTIME_RELAYING_AGENT_H_
#define RPL_RUNTIME_RELAYING_AGENT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

class RelayingAgent : public People, public Tools {
 public:
  /// Borrows all. `answers` has a function AnswerTo(const Request&, Pool&, std::string_view&
  /// refused), which gives a std::optional<Answer>. `refused` is the reason as in People::Ask;
  /// AnswerTo may clear it, and the people get what is left.
  template <typename Answers>
  RelayingAgent(People& people, Tools& tools, Answers& answers)
      : people_(people),
        tools_(tools),
        own_([&answers](const Request& request, Pool& pool, std::string_view& refused) {
          return answers.AnswerTo(request, pool, refused);
        }) {}

  rpl::Answer Ask(const Question& question, Pool& pool, std::string_view refused) override;
  void Open(OpenQuestions open) override { people_.Open(std::move(open)); }
  bool AnswersAgain(const std::string& call, const AttemptBook& attempts) override {
    return people_.AnswersAgain(call, attempts);
  }
  /// Calls without an answer go to the tools together.
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override;
  bool AnswersAlone(const ToolCall& call) const override { return tools_.AnswersAlone(call); }

  /// The last question, if it got no answer.
  const std::optional<Question>& unanswered() const { return unanswered_; }

 private:
  People& people_;
  Tools& tools_;
  const std::function<std::optional<rpl::Answer>(const Request&, Pool&, std::string_view&)> own_;
  std::optional<Question> unanswered_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_RELAYING_AGENT_H_
