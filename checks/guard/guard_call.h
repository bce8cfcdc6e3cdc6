// SPDX-License-Identifier: Apache-2.0
//
// The subject of a guard's decision, and the interface to everything outside it.
//
// A GuardCall is complete before a decision begins: the tool by its name in policies, its tags, its
// arguments by name. Information that may be slow or may fail is requested through GuardSources,
// and only if a condition depends on it. The host of the guard implements that interface;
// checks/guard starts no process and reads no store.
#ifndef RPL_CHECKS_GUARD_GUARD_CALL_H_
#define RPL_CHECKS_GUARD_GUARD_CALL_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// Effects in order of severity: of several, the last wins.
enum class Effect { kAllow, kHitl, kBlock };
/// The name of an effect in policies: "allow", "hitl", "block".
std::string_view EffectName(Effect effect);
/// The effect with that name; nullopt for any other text.
std::optional<Effect> EffectNamed(std::string_view name);

/// Before the call goes out, or after its result is there.
enum class CallPhase { kBefore, kAfter };

/// The person for whom the agent acts.
struct EndUser {
  std::optional<std::string> id;
  nlohmann::ordered_json tags = nlohmann::ordered_json::object();
  /// Tags with two different values: their value is unknown.
  std::set<std::string> disputed;
};

/// A tool call. Arguments and tags are untrusted.
struct GuardCall {
  std::string id;  // the host's id, which relates the result to the call; "" for none
  std::string tool;
  std::vector<std::string> tags;
  nlohmann::ordered_json args;  // an object by name, or a list by position
  CallPhase phase = CallPhase::kBefore;
  double took_ms = 0;  // kAfter: the duration
  std::optional<EndUser> user;
};

/// Arguments that are a list, by the names of the tool's parameters; those behind the last name are
/// named by their position. Unchanged without names, and where they are no list.
nlohmann::ordered_json NamedArguments(nlohmann::ordered_json args,
                                      const std::vector<std::string>& params);

/// An entity that a call concerns and its arguments do not show.
struct Subject {
  std::string type;
  std::string value;
  std::optional<std::string> role;
  std::optional<std::string> id_system;
};

/// A value from outside, or the reason why it is missing.
template <typename T>
struct Sourced {
  std::optional<T> value;
  std::string why;  // one line, if there is no value
};

/// The state of a person's review of a held call.
struct Review {
  /// kUnasked: there is no request, or what it approved is spent or expired.
  enum class State { kUnasked, kPending, kApproved, kDenied };
  State state = State::kUnasked;
  std::string id;      // empty for kUnasked
  std::string reason;  // kDenied: the person's reason, or ""
};

/// The identity of a reviewed call (checks/guard/guard_store.h), and the message for its reviewer.
struct ReviewRequest {
  std::string rule;  // the rule's id
  std::string tool;
  nlohmann::ordered_json args;
  std::optional<std::string> user;
  std::string message;
};

/// The interface through which a decision requests information. Calls come in the order of
/// evaluation and may block; a missing answer is a Sourced without a value, not an exception.
class GuardSources {
 public:
  virtual ~GuardSources() = default;

  /// The value of a signal for these arguments.
  virtual Sourced<nlohmann::ordered_json> Signal(const std::string& key,
                                                 const nlohmann::ordered_json& args) = 0;
  /// The subjects of a call, in order; an empty list if nothing is registered for its tool.
  virtual Sourced<std::vector<Subject>> Subjects(const GuardCall& call) = 0;
  /// The state of a review; kUnasked if none was requested. No value if that cannot be read.
  virtual Sourced<Review> FindReview(const ReviewRequest& request) = 0;
  /// Requests a review. No value if the request cannot be stored.
  virtual Sourced<Review> AskForReview(const ReviewRequest& request) = 0;
  /// Spends an approval on the call. False if another call spent it before; no value if that cannot
  /// be stored.
  virtual Sourced<bool> SpendReview(const Review& review) = 0;
};

/// The value at a dot path, or null: keys of objects, indexes from 0 for lists. Valid as long as
/// `value`.
const nlohmann::ordered_json* AtPath(const nlohmann::ordered_json& value, std::string_view path);

/// A number of JSON, exactly: a long double holds all integers of 64 bits. REQUIRES: it is one.
long double NumberOf(const nlohmann::ordered_json& number);

/// The canonical JSON of a value: keys sorted, whole numbers without a point. Values of equal
/// content have equal texts.
std::string CanonicalText(const nlohmann::ordered_json& value);
/// True if two values have equal content.
bool SameContent(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_CALL_H_
