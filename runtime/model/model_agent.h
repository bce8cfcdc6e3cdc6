// SPDX-License-Identifier: Apache-2.0
//
// The agent that has a model answer questions, in front of another one, which it borrows.
//
// It answers what its scope names (ModelConfig::answers), and nothing else. A question that counts
// a person's answer alone, a secret, a call of a tool and a decision about a failure are never put
// to a model. All else, and what the model did not answer, goes to the other agent.
//
// For a question it makes attempts until one is taken, as far as the attempts of the question and
// the budget of the run reach; both count what the session recorded (runtime/attempt.h). Each
// attempt that is refused is recorded before the next is made. The one that is taken is a part of
// the answer, and recorded with it. A request that brings no reply is recorded as well, so that it
// counts, and leaves the question open.
//
// Before the first request the user approves of provider, address and model, as of a command, and,
// if the configuration says `ask`, of the questions. One thread.
#ifndef RPL_RUNTIME_MODEL_MODEL_AGENT_H_
#define RPL_RUNTIME_MODEL_MODEL_AGENT_H_

#include <functional>
#include <memory>
#include <string>

#include "runtime/model/model_prompt.h"
#include "runtime/model/model_provider.h"
#include "runtime/relaying_agent.h"
#include "runtime/tools/permission.h"
#include "runtime/tools/tool_config.h"

namespace rpl {

class ModelAgent : public RelayingAgent {
 public:
  /// Tells people what happened, in one line.
  using Note = std::function<void(const std::string&)>;

  ModelAgent(Agent& otherwise, Permission& permission, Note note,
             std::function<bool()> interrupted);

  /// Takes a model, or, without a provider, none. `approved`: who starts the run named it.
  void Use(const ModelConfig& config, Permit permit, bool approved,
           std::unique_ptr<ModelProvider> provider);

  rpl::Answer Ask(const Request& request, Pool& pool, std::string_view refused) override;
  bool AnswersAgain(const std::string& call, const AttemptBook& attempts) override;

  /// Whether the model may answer the question, but for budgets and approval.
  bool IsInScope(const Request& request) const;

 private:
  bool IsPermitted(const Request& request);
  std::optional<rpl::Answer> AskModel(const Request& request, Pool& pool);
  std::string NameOf(const ModelReply& reply) const;
  std::string ReachedLimit(const AttemptBook& attempts) const;
  Attempt AttemptFor(const Request& request, const ModelPrompt& prompt,
                     const ModelReply& reply) const;

  Permission& permission_;
  Note note_;
  std::function<bool()> interrupted_;
  ModelConfig config_;
  Permit permit_ = Permit::kAsk;
  bool approved_ = false;
  bool ended_ = false;  // it is not asked any more in this run
  std::unique_ptr<ModelProvider> provider_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_MODEL_AGENT_H_
