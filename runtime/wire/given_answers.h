// SPDX-License-Identifier: Apache-2.0
//
// The answers that a call of the client brought to a served run.
//
// A client gives answers by key, for questions that are open and for those that come up in the same
// turn. Each answer is used once; those that nothing asked for are handed back after the turn. Who
// said so comes with the answer: a model's does not count where the program asks for a person, and
// is handed back with that reason, so that the question stays open for the person.
#ifndef RPL_RUNTIME_WIRE_GIVEN_ANSWERS_H_
#define RPL_RUNTIME_WIRE_GIVEN_ANSWERS_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/ports.h"

namespace rpl {

struct GivenAnswer {
  enum class Kind {
    kJson,     // `value`, a JSON value
    kForm,     // `value`, what a person typed or chose in a form
    kFailed,   // the tool failed: `value` is a string for people
    kDecline,  // the question is declined
  };
  Kind kind = Kind::kJson;
  std::string key;  // a name, a relation, or the id of a request
  nlohmann::ordered_json value;
  By by = By::kModel;
};

/// The answers in a request or an input of a turn, of that party: "answers" {KEY: value}, "errors"
/// {KEY: text} of failed tools, and "declines" [KEY]. Throws std::invalid_argument with a reason
/// for people.
std::vector<GivenAnswer> GivenIn(const nlohmann::ordered_json& input, By by);

/// An answer that was not used, and why.
struct UnusedAnswer {
  std::string key;
  std::string why;      // "" if nothing asked for it
  bool person = false;  // it must come from a person
};

/// The value of an answer to a request; with an error if it does not fit.
struct ReadAnswer {
  rpl::Answer answer;
  std::string error;
};
ReadAnswer ReadGiven(const GivenAnswer& given, const Request& request, Pool& pool);

class GivenAnswers {
 public:
  void Give(GivenAnswer answer) { given_.push_back(std::move(answer)); }
  /// The client begins to carry out the call of this id: recorded when the call comes up, so that
  /// it is in doubt until its result is given.
  void Start(std::string id) { started_.insert(std::move(id)); }
  /// Those that were not used since the last call, which are forgotten.
  std::vector<UnusedAnswer> TakeUnused();

  /// For an agent that relays. If it was an answer of the client that was refused, others are asked
  /// as if nothing was.
  std::optional<rpl::Answer> AnswerTo(const Request& request, Pool& pool,
                                      std::string_view& refused);

  /// The calls that got an answer since the last call of this, with their values as RPL text.
  std::vector<std::pair<std::string, std::string>> TakeUsed() { return std::exchange(used_, {}); }
  /// Keeps the lines of chat.
  ChatSink chat() {
    return [this](const std::string& line) { chat_.push_back(line); };
  }
  /// Those since the last call of this.
  std::vector<std::string> TakeChat() { return std::exchange(chat_, {}); }

 private:
  rpl::Answer Given(const Request& request, Pool& pool);

  std::vector<GivenAnswer> given_;
  std::set<std::string> started_;
  std::vector<UnusedAnswer> refused_;
  std::vector<std::pair<std::string, std::string>> used_;
  std::string last_;  // the key of the answer that AnswerTo gave last; "" if it gave none
  std::vector<std::string> chat_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_GIVEN_ANSWERS_H_
