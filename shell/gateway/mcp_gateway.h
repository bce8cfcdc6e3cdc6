// SPDX-License-Identifier: Apache-2.0
//
// The gateway between a host and a server of the Model Context Protocol: it decides about each call
// of a tool. Messages go in and come out; it does no input or output, and knows no policy.
//
//        host ── FromHost ──► │ gateway │ ── to_server ──► server
//             ◄── to_host ─── │         │ ◄─ FromServer ──
//                                  │
//                              McpDecider: policy, store, audit log
//
// Transparent: the bytes of a message that nothing is decided about pass unchanged, in their order.
// Both eras of the protocol pass, and are told apart by each message: one whose
// `params._meta` names a protocol version is *modern* (2026-07-28), any other *legacy*.
//
// A call is decided on exactly what the server reads. A message that two readers may read in two
// ways is never passed on: a key twice, or twice but for its case (some servers ignore case), bytes
// that are not UTF-8, lone surrogates, control characters, an id that is still in use, a method
// that only looks like `tools/call`, a call without an id. Where rules read arguments, these must
// also fit the input schema that the server listed.
//
// A refusal is a *result* with `isError`, because hosts do not show errors of JSON-RPC to a model.
// A call that a person must review is asked about by elicitation:
//
//   legacy   elicitation/create with an id of the gateway's; the call waits meanwhile
//   modern   input_required with a ticket as `requestState`; the repeated call brings the answer
//   neither  refused, with the id of the review; once it is approved, the repeated call passes
//
// A result that waits for a review, or about which the guard could not decide, is kept
// (WithheldResults): the equal next call is not made, but decides about that result again.
//
// What a person says counts whenever it comes: an approval that is late lets the next such call
// pass, and after a "no" the same call is refused without another form, until somebody approves of
// its review elsewhere.
//
// The definitions of tools are pinned. A tool whose definition changed, or that is new since the
// server listed all of them for the first time, is not listed and not called until that is
// approved; nor is one that the server does not list. If the host calls a tool before it has listed
// them all, the gateway lists them itself, and what the host sends meanwhile waits. If the list
// does not come in time, the calls that waited are refused, and the next one asks for it again.
//
// Whoever waits for a message that cannot be read is told at once. Bytes that are not UTF-8, and
// half of a character, in what the server says are read, and passed on, as U+FFFD.
//
// Ids and tickets of the gateway's own begin with `rpl-guard` and a random text that neither side
// sees before it is used. Answers to them never reach the server.
//
// Single-threaded. Messages are untrusted from both sides.
#ifndef RPL_SHELL_GATEWAY_MCP_GATEWAY_H_
#define RPL_SHELL_GATEWAY_MCP_GATEWAY_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/data/json_rpc.h"
#include "runtime/tools/mcp_definition.h"
#include "shell/gateway/withheld_results.h"

namespace rpl {

/// A call as it is decided about.
struct GatewayCall {
  std::string tool;
  nlohmann::ordered_json args;  // an object
  std::string id;               // of its message, as JSON
  std::string digest;           // of the tool and its arguments: equal calls have equal ones
};

/// What the gateway asks. Answers may take a while; none throws.
class McpDecider {
 public:
  struct Ruling {
    enum class Kind {
      kPass,
      kRefuse,
      kReview,
      kUndecided,  // after a call: the guard failed, and may decide about the result later
    };
    Kind kind = Kind::kRefuse;
    std::string reason;    // for the model and for people; "" for kPass
    std::string review;    // kReview: its id
    std::size_t step = 0;  // kPass, before a call: the number of the call
  };
  virtual ~McpDecider() = default;

  /// Decides whether the call goes out. `again`: it is another round of the call with this number,
  /// which the server asked for, and counts once.
  virtual Ruling Before(const GatewayCall& call, std::optional<std::size_t> again) = 0;
  /// Records the end of a call unless it is recorded, notes in `end` that it is, and decides
  /// whether the result comes in. `result` is null if there is none. After kReview or kUndecided it
  /// may be asked again, with an equal call.
  virtual Ruling After(const GatewayCall& call, CallEnd& end,
                       const nlohmann::ordered_json& result) = 0;
  /// Records whether a person approved of a review. The reason why it could not be, or "".
  virtual std::string Answer(const std::string& review, bool approved) = 0;
  /// True if no call of the tool can ever pass.
  virtual bool Hides(const std::string& tool) = 0;
  /// For each definition the reason why the tool must not be used, or "". New ones are pinned until
  /// the server has listed all its tools, and wait for a review after that.
  virtual std::vector<std::string> Pin(const std::vector<McpToolDefinition>& tools) = 0;
  virtual void ListedAll() = 0;
  /// The keys of arguments that rules about the tool read.
  virtual std::set<std::string> ArgumentKeys(const std::string& tool) = 0;
  /// True if a rule may withhold results of the tool.
  virtual bool MayWithhold(const std::string& tool) = 0;
  /// Records what was refused without a decision of the policy.
  virtual void Note(const std::string& event) = 0;
};

struct McpGatewaySettings {
  /// The time that a person has to answer in the legacy era, in which the host's call is open.
  std::chrono::milliseconds patience{45'000};
  /// How long a call waits for the server to list its tools.
  std::chrono::milliseconds list_patience{30'000};
  /// A line for people, to be escaped. May be empty.
  std::function<void(const std::string&)> log = nullptr;
  /// What `rpl guard approve ID` needs behind it to find the reviews (StoreOptionAnywhere).
  std::string store_option = "";
  /// The bounds of the results that are withheld for now.
  std::size_t most_withheld = 100;
  std::size_t most_withheld_bytes = std::size_t{32} << 20;
};

class McpGateway {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Borrows the decider.
  McpGateway(McpDecider& decider, McpGatewaySettings settings);

  /// A line without its end.
  void FromHost(std::string_view line, Time now);
  void FromServer(std::string_view line, Time now);
  /// A message whose line was too long to be passed on (RpcLines): the side that waits is told.
  void TooLongFromHost(const RpcOutline& outline, Time now);
  void TooLongFromServer(const RpcOutline& outline, Time now);
  /// The server has ended: open requests are answered, and those that still come.
  void ServerEnded(const std::string& how, Time now);
  /// Ends what has taken too long. To be called at Due.
  void Tick(Time now);
  std::optional<Time> Due() const;

  /// What is to be written, whole lines with their ends.
  std::string TakeForHost() { return std::exchange(to_host_, std::string()); }
  std::string TakeForServer() { return std::exchange(to_server_, std::string()); }
  /// True while lines of the host wait for the list of the tools. It should not read more then.
  bool holds() const { return !held_.empty(); }
  /// True while a request of the host that was not cancelled has no answer.
  bool busy() const {
    return holds() || std::any_of(open_.begin(), open_.end(),
                                  [](const auto& open) { return !open.second.cancelled; });
  }
  /// Lines of the server that were no messages.
  std::size_t noise() const { return noise_; }

 private:
  using Json = nlohmann::ordered_json;

  /// A request of the host that the server, or a person, has not answered.
  struct Open {
    std::string method;
    bool modern = false;
    bool cancelled = false;
    bool from_start = false;          // of a list: the first page
    bool waits = false;               // a call that a person reviews: the server does not know it
    std::optional<GatewayCall> call;  // of a tool
    std::size_t step = 0;
    Time began = {};
  };
  /// A review in the legacy era.
  struct Asked {
    std::string line;  // of the call
    Json id;           // of the call
    std::string review;
    std::string reason;
    Time since = {};
    bool given_up = false;  // the call has been answered; an approval is still recorded
  };
  /// A review in the modern era. The server's own state waits in it.
  struct Ticket {
    std::string digest;
    std::string review;
    std::string reason;
    Json state, responses;
    Time since = {};
  };
  /// A call that the server answered with questions: its next round.
  struct Round {
    std::size_t step = 0;
    Time began = {};
  };
  struct Tool {
    McpToolDefinition definition;
    std::string fault;  // why it must not be used
  };
  /// What becomes of a message.
  struct Fate {
    bool passes = false;
    std::optional<Json> instead = std::nullopt;  // passes in another form
  };
  static Fate Drop() { return {}; }
  static Fate Pass() { return {true, std::nullopt}; }

  void HostLine(std::string_view line, Time now);
  Fate HostMessage(Json json, std::string_view line, Time now);
  Fate HostRequest(RpcMessage& message, std::string_view line, Time now);
  Fate HostNotification(const RpcMessage& message);
  Fate HostResponse(const RpcMessage& message, Time now);
  Fate Call(RpcMessage& message, std::string_view line, Time now);
  std::string FaultOf(const RpcMessage& message, GatewayCall& call);
  std::string ArgumentFault(const GatewayCall& call);
  bool TakeTicket(RpcMessage& message, const GatewayCall& call, bool& refused);
  std::string KeepAnswer(const Json& answer, const std::string& review);
  Fate AskForReview(RpcMessage& message, const GatewayCall& call, std::string_view line,
                    const McpDecider::Ruling& ruling, Time now);
  void Answered(Asked asked, const Json& result, Time now);
  void UnreadFromHost(std::string_view line, const std::string& why, Time now);
  void LostFromHost(const Json& id, const std::string& why, Time now);

  bool NeedsList(const Json& json) const;
  void AskForList(const Json& json, std::string_view line, const std::string& cursor, Time now);
  void TakeList(const RpcMessage& message, Time now);
  void EndList(bool known, Time now);
  void LearnTools(const Json& tools);
  void LearnedAll();

  void LostFromServer(const RpcOutline& outline, const std::string& why, Time now);
  Fate ServerMessage(Json json, Time now);
  Fate ServerResponse(RpcMessage& message, Time now);
  Fate ServerRequest(const RpcMessage& message);
  Fate CallResult(const Open& open, RpcMessage& message, Time now);
  bool AnswerWithheld(const Json& id, bool modern, const GatewayCall& call);
  std::string WithheldText(const McpDecider::Ruling& ruling) const;
  Fate FilterList(RpcMessage& message, bool from_start);
  void Noise(std::string_view line);
  void FailRequest(const Json& id, const Open& open, const std::string& why, Time now);

  Json Refusal(bool modern, const std::string& text) const;
  void Refuse(const Json& id, bool modern, const std::string& text);
  /// The text for a call that its user refused, and for one whose form did not approve it.
  std::string RefusedText(const std::string& reason) const;
  std::string UnapprovedText(const Json& answer, const std::string& reason,
                             const std::string& review) const;
  /// Logs how what waits for a review is let pass.
  void LogHeld(const char* what, const std::string& review) const;
  /// The text for a call that waits for a review; how it is answered is in the log.
  std::string HeldText(const std::string& reason, const std::string& review) const;
  void Answer(Json json) { answers_.push_back(std::move(json)); }
  void ToHost(const Json& json);
  void LineToHost(std::string_view line) { to_host_.append(line) += '\n'; }
  void ToServer(const Json& json);
  void LineToServer(std::string_view line) { to_server_.append(line) += '\n'; }
  void FlushAnswers(bool as_batch);
  void Log(const std::string& line) const {
    if (settings_.log) settings_.log(line);
  }

  McpDecider& decider_;
  McpGatewaySettings settings_;
  std::string host_prefix_, server_prefix_, ticket_prefix_;
  std::size_t number_ = 0;  // of own ids
  std::string to_host_, to_server_;
  std::vector<Json> answers_;  // to the line in hand

  bool elicits_ = false;                // the host, in the legacy era
  std::string version_;                 // negotiated, legacy
  std::map<std::string, Open> open_;    // by id, as JSON
  std::map<std::string, Asked> asked_;  // by own id
  std::map<std::string, Ticket> tickets_;
  std::set<std::string> refused_;  // reviews, by a person in a form
  std::map<std::string, Round> rounds_;
  WithheldResults withheld_;

  std::map<std::string, Tool> tools_;
  bool listed_ = false;  // tools_ are all of them, if it lists any
  bool lists_ = false;   // it does
  std::string list_id_;  // of the gateway's own request; "" if there is none
  Json list_meta_;
  std::size_t list_pages_ = 0;
  Time list_due_ = {};
  std::deque<std::string> held_;  // lines of the host
  bool list_failed_ = false;      // for the lines that waited

  std::optional<std::string> ended_;  // how the server did
  std::size_t noise_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MCP_GATEWAY_H_
