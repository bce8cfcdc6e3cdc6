// SPDX-License-Identifier: Apache-2.0
//
// Answers that were written down before the run: `--answer`, `--answers` and the REPLY
// lines of test scripts. Whatever they do not answer goes to another agent.
//
// A script is a list. A request takes the first entry that matches it and was not used
// before, so that several entries for one call are used in their order. A reply that is
// refused (a choice outside its options) is used up.
//
// A KEY matches a request whose name, relation or tool it is; marks (`?x`, `$x`) are
// allowed. Answers in JSON are read by shell/host/answer_list.h.
#ifndef RPL_SHELL_HOST_SCRIPTED_AGENT_H_
#define RPL_SHELL_HOST_SCRIPTED_AGENT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "runtime/agent.h"
#include "runtime/trace.h"

namespace rpl {

struct ScriptedAnswer {
  std::string label;  // what it answers, as written
  std::function<bool(const Request&, Pool&)> matches;
  struct Made {
    rpl::Answer answer;
    std::string error;  // why it does not fit the request; nobody answers then
    std::string hint;
  };
  std::function<Made(const Request&, Pool&)> make;
  bool used = false;
};

/// Whether the key means the request.
bool KeyFits(const Request& request, std::string_view key);

/// The last reply in the trace that the key means, as a sentence that takes it back, or "".
std::string TakesBack(const Trace& trace, std::string_view key);

/// `KEY=VALUE`; VALUE is read as a person's line would be. nullopt without key or `=`.
std::optional<ScriptedAnswer> AnswerFromOption(const std::string& text);

/// A REPLY of a test script. `call` is a tool call, an avar or (a symbol) the name of an
/// argument; its variables match anything. `value` is used for kValue and kMeta only.
/// REQUIRES: IsPlain(call's arguments, true), IsPlain(value, false).
ScriptedAnswer AnswerFromTerms(std::string label, Node call, rpl::Answer::Kind kind, Node value);

/// Whether the term is made of literals, collections and relation terms, and, if
/// `variables`, lvars.
bool IsPlain(const Node& term, bool variables);

class ScriptedAgent : public Agent {
 public:
  /// Both must outlive this. Refused answers are reported on `err`.
  ScriptedAgent(Agent& otherwise, std::ostream& err) : otherwise_(otherwise), err_(err) {}

  void Add(ScriptedAnswer answer) { script_.push_back(std::move(answer)); }
  /// The entries that nothing asked for, in written order.
  std::vector<std::string> Unused() const;

  /// The name of a request so far that the key may have meant, or "".
  std::string NameLike(std::string_view key) const;
  /// The first answer that did not fit the request it was for: its error and hint.
  const ScriptedAnswer::Made& misfit() const { return misfit_; }
  /// The last question, when nobody answered it.
  const std::optional<Request>& unanswered() const { return unanswered_; }

  rpl::Answer Answer(const Request& request, Pool& pool, bool again) override;
  /// What the script does not answer goes to the other agent in one call.
  std::vector<rpl::Answer> Call(const std::vector<Request>& requests, Pool& pool) override;
  void Chat(const std::string& line) override { otherwise_.Chat(line); }
  void OfferToContinue(const std::string& goal) override { otherwise_.OfferToContinue(goal); }

 private:
  std::optional<rpl::Answer> Scripted(const Request& request, Pool& pool);

  Agent& otherwise_;
  std::ostream& err_;
  std::vector<ScriptedAnswer> script_;
  std::vector<std::string> asked_;  // names of requests, and of their relations and tools
  std::string last_;                // label of the entry used last
  std::optional<Request> unanswered_;
  ScriptedAnswer::Made misfit_;
};

}  // namespace rpl

#endif  // RPL_SHELL_HOST_SCRIPTED_AGENT_H_
