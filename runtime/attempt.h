// SPDX-License-Identifier: Apache-2.0
//
// The attempts of a model to answer the questions of a run, as a session records them.
//
// An attempt is one reply that was judged: taken, or refused by a gate for a reason. The book also
// has the requests that brought no reply, and the budgets that were reached, because they count
// for the budgets of the run. Nothing in it is ever removed: a budget holds over restarts.
//
// Attempts are of questions, by the call as RPL text. One thread.
#ifndef RPL_RUNTIME_ATTEMPT_H_
#define RPL_RUNTIME_ATTEMPT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

struct Attempt {
  enum class Gate {
    kTaken,        // it passed: the answer
    kSchema,       // the reply is no JSON of the schema
    kQuestion,     // the value is none that the question takes
    kConstraints,  // later: the answer was taken, and violates a constraint
    kRefusal,      // the model refuses to answer
    kTransport,    // no attempt: no reply came
    kBudget,       // no attempt: a budget of the run is used up
  };
  std::string call = {};  // the question
  Gate gate = Gate::kTaken;
  std::string reason = {};  // why it was not taken, for the model and for people
  /// kTaken: the call as the trace has it, `claim("x")`, or the heading of which it is a part.
  std::string of = {};
  std::string value = {};  // of the reply, as JSON; "" if it has none
  std::string provider = {}, model = {};
  std::string digest = {};    // of the request
  std::string prompt = {};    // the request, of the recording `full`: the text for the model
  std::string schema = {};    // the same: JSON
  std::string reply = {};     // the same: the whole text
  std::size_t requests = 0;   // with those that the transport repeated
  std::uint64_t tokens = 0;   // of request and reply
  bool estimated = false;     // the tokens were not told
  std::uint64_t took_ms = 0;  // wall time

  /// Whether it is one of the attempts that a question has.
  bool Counts() const {
    return gate != Gate::kConstraints && gate != Gate::kTransport && gate != Gate::kBudget;
  }
  bool operator==(const Attempt&) const = default;
};

/// "taken", "schema", …; stable, part of the file format.
std::string_view GateName(Attempt::Gate gate);

/// What became of it in one line, for people: `claim(?x): "a" is not taken (schema): …`.
std::string AttemptLine(const Attempt& attempt);

/// The body of its event; and the reverse, in which missing fields are empty.
nlohmann::ordered_json AttemptJson(const Attempt& attempt);
Attempt AttemptOf(const nlohmann::ordered_json& body);
/// Why the body of such an event cannot be read, for people, or "".
std::string AttemptFault(const nlohmann::ordered_json& body);

/// The attempts of a run, in order.
class AttemptBook {
 public:
  /// Records an attempt; returns false if that failed.
  using Sink = std::function<bool(const Attempt&)>;

  /// Where new attempts are recorded; without a sink they are kept here alone.
  void SetSink(Sink sink) { sink_ = std::move(sink); }
  /// Adds one that was recorded before.
  void Take(Attempt attempt);
  /// Adds a new one. False: it could not be recorded, and nothing may rest on it.
  [[nodiscard]] bool Add(Attempt attempt);

  const std::vector<Attempt>& all() const { return all_; }
  /// How many attempts the question had.
  std::size_t CountOf(std::string_view call) const;
  /// What was used up by all of them.
  struct Spent {
    std::size_t calls = 0;
    std::uint64_t tokens = 0;
    std::uint64_t ms = 0;
  };
  Spent spent() const;

  /// The budget that was reached in this turn, for people, or "".
  const std::string& limit() const { return limit_; }
  void SetLimit(std::string limit) { limit_ = std::move(limit); }

 private:
  Sink sink_;
  std::vector<Attempt> all_;
  std::string limit_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_ATTEMPT_H_
