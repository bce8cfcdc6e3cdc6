// SPDX-License-Identifier: Apache-2.0
//
// Answers given before the run: `--answer`, `--answers` and the REPLY lines of test scripts.
//
// A script is a list. A request takes the first unused entry that matches, so several entries for
// one call are used in order; a question for rows takes all of them. A reply that is refused (a
// choice outside its options) is used up.
//
// A KEY is one of runtime/wire/request_key.h. Answers in JSON are read by
// shell/terminal/answer_list.h.
#ifndef RPL_SHELL_TERMINAL_ANSWER_SCRIPT_H_
#define RPL_SHELL_TERMINAL_ANSWER_SCRIPT_H_

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/ast.h"
#include "runtime/ports.h"

namespace rpl {

/// One entry of a script.
struct ScriptedAnswer {
  std::string label;  // the key or pattern, as written
  /// True if the entry answers the request.
  std::function<bool(const Request&, Pool&)> matches;
  /// An answer, with a message if it does not fit.
  struct Made {
    rpl::Answer answer;
    std::string error;  // the reason why it does not fit the request; the answer is then kNobody
    std::string hint;
  };
  /// Creates the answer to a request that matches.
  std::function<Made(const Request&, Pool&)> make;
  bool used = false;
};

/// The entry of `KEY=VALUE`; VALUE is read like a line at the terminal. nullopt without key or `=`.
std::optional<ScriptedAnswer> AnswerFromOption(const std::string& text);

/// The entry that declines what KEY names.
ScriptedAnswer DeclineFromOption(const std::string& key);

/// The entry of a REPLY in a test script. `call` is a tool call, an avar, or a symbol that names an
/// argument; its variables match any value. `value` is used for kValue and kMeta only. REQUIRES:
/// IsPlain(call's arguments, true), IsPlain(value, false).
ScriptedAnswer AnswerFromTerms(std::string label, Node call, rpl::Answer::Kind kind, Node value,
                               By by = By::kHost);

/// The script.
class AnswerScript {
 public:
  /// Borrows the stream, on which refused answers are reported.
  explicit AnswerScript(std::ostream& err) : err_(err) {}

  /// Appends an entry to the script.
  void Add(ScriptedAnswer answer) { script_.push_back(std::move(answer)); }
  /// The labels of the unused entries, in written order.
  std::vector<std::string> Unused() const;

  /// The name of an earlier request that the key may misspell, or "". A name that was asked for is
  /// not misspelt.
  std::string NameLike(std::string_view key) const;
  /// The first answer that did not fit its request, with error and hint; its error is "" if all
  /// fit.
  const ScriptedAnswer::Made& misfit() const { return misfit_; }

  /// For an agent that relays. The refusal of an entry is not told to others.
  std::optional<rpl::Answer> AnswerTo(const Request& request, Pool& pool,
                                      std::string_view& refused);

 private:
  rpl::Answer Made(ScriptedAnswer& answer, const Request& request, Pool& pool);

  std::ostream& err_;
  std::vector<ScriptedAnswer> script_;
  std::vector<std::string> asked_;  // names, relations and tools of all requests
  std::string last_;                // label of the last entry used
  ScriptedAnswer::Made misfit_;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_ANSWER_SCRIPT_H_
