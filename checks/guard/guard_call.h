// SPDX-License-Identifier: Apache-2.0
//
// What a guard decides about, and the seam through which it asks for more.
//
// A GuardCall is complete before a decision begins: the tool by its name in policies, its
// tags, its arguments with names. What may be slow or may fail is asked for through
// GuardSources, and only when a condition needs it. Whoever runs the guard implements that;
// nothing here starts a process or reads a store.
#ifndef RPL_CHECKS_GUARD_GUARD_CALL_H_
#define RPL_CHECKS_GUARD_GUARD_CALL_H_

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// By severity: of several that apply, the last wins.
enum class Effect { kAllow, kHitl, kBlock };
/// "allow", "hitl", "block".
std::string_view EffectName(Effect effect);

enum class CallPhase { kBefore, kAfter };

/// Whoever the agent acts for.
struct EndUser {
  std::optional<std::string> id;
  nlohmann::ordered_json tags = nlohmann::ordered_json::object();
  /// Tags with two different values: nobody knows them.
  std::set<std::string> disputed;
};

struct GuardCall {
  std::string id;  // the host's, by which it tells of the result; "" for none
  std::string tool;
  std::vector<std::string> tags;
  nlohmann::ordered_json args;  // an object by name, or a list by position
  CallPhase phase = CallPhase::kBefore;
  double took_ms = 0;  // kAfter
  std::optional<EndUser> user;
};

/// Something a call is about that its arguments do not show.
struct Subject {
  std::string type;
  std::string value;
  std::optional<std::string> role;
  std::optional<std::string> id_system;
};

/// An answer from outside, or why there is none.
template <typename T>
struct Sourced {
  std::optional<T> value;
  std::string why;  // one line, when there is no value
};

/// What a person said about a call that a rule holds.
struct Review {
  enum class State { kUnasked, kPending, kApproved, kDenied };
  State state = State::kUnasked;
  std::string id;      // unless kUnasked
  std::string reason;  // kDenied: the person's, or ""
};

/// What identifies a reviewed call (see checks/guard/approvals.h), and what its reviewer reads.
struct ReviewRequest {
  std::string rule;  // its id
  std::string tool;
  nlohmann::ordered_json args;
  std::optional<std::string> user;
  std::string message;
};

class GuardSources {
 public:
  virtual ~GuardSources() = default;

  /// The value of a signal for these arguments.
  virtual Sourced<nlohmann::ordered_json> Signal(const std::string& key,
                                                 const nlohmann::ordered_json& args) = 0;
  /// The subjects of a call, in order; none when nothing is registered for its tool.
  virtual Sourced<std::vector<Subject>> Subjects(const GuardCall& call) = 0;
  /// What was said about a call; kUnasked when nobody was asked. No value when that cannot be
  /// read.
  virtual Sourced<Review> FindReview(const ReviewRequest& request) = 0;
  /// Asks for a review. No value when the request cannot be kept.
  virtual Sourced<Review> AskForReview(const ReviewRequest& request) = 0;
};

/// The value at a dot path, or null: keys of objects, numbers from 0 for lists.
const nlohmann::ordered_json* AtPath(const nlohmann::ordered_json& value, std::string_view path);

/// One text for all JSON of one content: keys sorted, whole numbers without a point.
std::string CanonicalText(const nlohmann::ordered_json& value);
/// Whether two values have one content.
bool SameContent(const nlohmann::ordered_json& a, const nlohmann::ordered_json& b);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_GUARD_CALL_H_
