// SPDX-License-Identifier: Apache-2.0
//
// The reviews of calls that a person is asked about by elicitation: the forms that the host shows,
// the tickets of calls that are repeated with an answer, and what a person said.
//
//   legacy   elicitation/create with an id of the gateway's; the call waits meanwhile
//   modern   input_required with a ticket as `requestState`; the repeated call brings the answer
//   neither  refused, with the id of the review; once it is approved, the repeated call passes
//
// What a person says counts whenever it comes: an approval that is late lets the next such call
// pass, and after a "no" the same call is refused without another form, until somebody approves of
// its review elsewhere. Which calls are open is the gateway's business (McpGateway): here are the
// lines of those that wait, by the ids of their forms.
#ifndef RPL_SHELL_GATEWAY_CALL_REVIEWS_H_
#define RPL_SHELL_GATEWAY_CALL_REVIEWS_H_

#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/data/json_rpc.h"
#include "shell/gateway/gateway_ids.h"
#include "shell/gateway/gateway_output.h"
#include "shell/gateway/mcp_decider.h"

namespace rpl {

struct ReviewSettings {
  /// The time that a person has to answer in the legacy era, in which the host's call is open.
  std::chrono::milliseconds patience{};
  /// A line for people, to be escaped. Not empty.
  std::function<void(const std::string&)> log;
  /// What `rpl guard approve ID` needs behind it to find the reviews (StoreOptionAnywhere).
  std::string store_option;
};

class CallReviews {
 public:
  using Json = nlohmann::ordered_json;
  using Time = std::chrono::steady_clock::time_point;

  /// A review in the legacy era.
  struct Asked {
    std::string line;  // of the call
    Json id;           // of the call
    std::string review;
    std::string reason;
    Time since = {};
    bool given_up = false;  // the call has been answered; an approval is still recorded
  };

  /// Borrows all but the settings. Forms, tickets and refusals go to `output`.
  CallReviews(McpDecider& decider, GatewayIds& ids, GatewayOutput& output, ReviewSettings settings);

  /// The host of the legacy era begins, with these capabilities; agrees on a version of the
  /// protocol; turns out to have no forms.
  void Initialize(const Json& capabilities);
  void Agree(const std::string& version) { version_ = version; }
  void NoForms() { elicits_ = false; }

  /// Asks a person about a call that the policy holds, or refuses it. True if it waits for the
  /// answer: `line` is read again after it.
  bool Ask(RpcMessage& message, const GatewayCall& call, std::string_view line,
           const McpDecider::Ruling& ruling, Time now);
  /// If the call brings a ticket of the gateway's, takes it out of the message and acts on the
  /// answer. True if it did; `refused` if it also answered the call.
  bool TakeTicket(RpcMessage& message, const GatewayCall& call, bool& refused);
  /// The review whose form has this id, which is answered now; nullopt if there is none.
  std::optional<Asked> PopAsked(const std::string& id);
  /// Keeps what a person said to a review; the reason why an approval could not be kept, or "".
  std::string KeepAnswer(const Json& answer, const std::string& review);
  static bool IsApproval(const Json& answer);
  /// The text for a call whose form did not approve it.
  std::string UnapprovedText(const Json& answer, const std::string& reason,
                             const std::string& review) const;
  /// Logs how what waits for a review is let pass.
  void LogHeld(const char* what, const std::string& review) const;

  /// The host cancelled the call with this id, as JSON: takes its forms back.
  void Cancel(const std::string& call);
  /// Takes back the forms that nobody answered in time, and refuses their calls, whose ids it
  /// returns. To be called at Due.
  std::vector<Json> GiveUp(Time now);
  std::optional<Time> Due() const;
  /// The server has ended: no answer counts any more.
  void Clear() { asked_.clear(); }

 private:
  /// A review in the modern era. The server's own state waits in it.
  struct Ticket {
    std::string digest;
    std::string review;
    std::string reason;
    Json state, responses;
    Time since = {};
  };
  /// The text for a call that waits for a review; how it is answered is in the log.
  std::string HeldText(const std::string& reason, const std::string& review) const;

  McpDecider& decider_;
  GatewayIds& ids_;
  GatewayOutput& output_;
  ReviewSettings settings_;
  bool elicits_ = false;                // the host, in the legacy era
  std::string version_;                 // negotiated, legacy
  std::map<std::string, Asked> asked_;  // by own id
  std::map<std::string, Ticket> tickets_;
  std::set<std::string> refused_;  // reviews, by a person in a form
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_CALL_REVIEWS_H_
