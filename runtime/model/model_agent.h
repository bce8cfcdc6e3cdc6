// SPDX-License-Identifier: Apache-2.0
//
// The agent that has a model answer questions, in front of people and tools, which it borrows.
//
// It answers what its scope names (ModelConfig::answers), and nothing else. A question that counts
// a person's answer alone, a secret and a decision about a failure are never put to a model. All
// else, and what the model did not answer, goes to the people.
//
// The questions for several open arguments of one heading are one request. Its
// reply is kept until they are put, and is an attempt of each of them; one that is not taken is an
// attempt of the first.
//
// For a question it makes attempts until one is taken, as far as the attempts of the question and
// the budget of the run reach; both count what the session recorded (runtime/attempt.h). Each
// attempt that is refused is recorded before the next is made. The one that is taken is a part of
// the answer, and recorded with it. A request that brings no reply is recorded as well, so that it
// counts, and leaves the question open.
//
// A source of `$index` that the tools do not read as facts, a text of any kind, is read by the
// model if the scope names `index` and the call names a heading: its rows are asked for, each with
// a `citation`, which must stand in the text. They are a source of RPL, whose facts are the
// model's.
//
// Before the first request the user approves of provider, address and model, as of a command, and,
// if the configuration says `ask`, of the questions. One thread.
#ifndef RPL_RUNTIME_MODEL_MODEL_AGENT_H_
#define RPL_RUNTIME_MODEL_MODEL_AGENT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

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

  ModelAgent(People& people, Tools& tools, Permission& permission, Note note,
             std::function<bool()> interrupted);

  /// Takes a model, or, without a provider, none. `approved`: the start of the run named it.
  void Use(const ModelConfig& config, Permit permit, bool approved,
           std::unique_ptr<ModelProvider> provider);

  /// The answer of the model to a question in its scope; not again once one was refused.
  std::optional<rpl::Answer> AnswerTo(const Request& request, Pool& pool, std::string_view refused);
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override;
  bool AnswersAgain(const std::string& call, const AttemptBook& attempts) override;

  /// Whether the model may answer the question, but for budgets and approval.
  bool IsInScope(const Question& question) const;

 private:
  bool IsPermitted(const Question& question);
  std::vector<Question> AskedWith(const Question& question) const;
  /// A reply that passed the gates, with its attempt, which is not recorded yet.
  struct Passed {
    ReadReply read;
    Attempt attempt;
  };
  /// A gate of its own: why the values are not taken, or "".
  using Gate = std::function<std::string(const std::vector<Value>&)>;
  std::optional<Passed> AskUntilTaken(const Question& question, Pool& pool, const Gate& gate);
  std::optional<rpl::Answer> AskModel(const Question& question, Pool& pool);
  bool MayRead(const ToolCall& call) const;
  rpl::Answer ReadByModel(const ToolCall& call, rpl::Answer text, Pool& pool);
  std::optional<rpl::Answer> Kept(const Question& question, Pool& pool);
  void Keep(const Question& question, const nlohmann::ordered_json& values, const Attempt& of);
  rpl::Answer Taken(Attempt attempt, Value value) const;
  ModelRequest RequestFor(const std::vector<Question>& asked, const ModelPrompt& prompt,
                          const std::vector<Attempt>& before) const;
  std::string NameOf(const ModelReply& reply) const;
  std::string ReachedLimit(const AttemptBook& attempts) const;
  Attempt AttemptFor(const Question& question, const ModelPrompt& prompt,
                     const ModelReply& reply) const;

  Permission& permission_;
  Note note_;
  std::function<bool()> interrupted_;
  ModelConfig config_;
  Permit permit_ = Permit::kAsk;
  bool approved_ = false;
  bool ended_ = false;  // it is not asked any more in this run
  std::unique_ptr<ModelProvider> provider_;
  std::map<std::string, Attempt> kept_;  // replies of the last request, to questions that are not
                                         // put yet, by their id
};

}  // namespace rpl

#endif  // RPL_RUNTIME_MODEL_MODEL_AGENT_H_
