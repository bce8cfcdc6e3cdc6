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
// A call that a person must review is asked about by elicitation (CallReviews). A result that waits
// for a review, or about which the guard could not decide, is kept (WithheldResults): the equal
// next call is not made, but decides about that result again.
//
// A tool whose definition is not the one that was approved is not listed and not called, and
// neither is one that the server does not list (ListedTools). If the host calls a tool before it
// has listed them all, the gateway lists them itself (ListRequest), and what the host sends
// meanwhile waits. If the list does not come in time, the calls that waited are refused, and the
// next one asks for it again.
//
// Whoever waits for a message that cannot be read is told at once. Bytes that are not UTF-8, and
// half of a character, in what the server says are read, and passed on, as U+FFFD.
//
// Answers to ids and tickets of the gateway's own (GatewayIds) never reach the server.
//
// Single-threaded. Messages are untrusted from both sides.
#ifndef RPL_SHELL_GATEWAY_MCP_GATEWAY_H_
#define RPL_SHELL_GATEWAY_MCP_GATEWAY_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "formats/data/json_rpc.h"
#include "shell/gateway/call_reviews.h"
#include "shell/gateway/gateway_ids.h"
#include "shell/gateway/gateway_output.h"
#include "shell/gateway/list_request.h"
#include "shell/gateway/listed_tools.h"
#include "shell/gateway/mcp_decider.h"
#include "shell/gateway/withheld_results.h"

namespace rpl {

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
  McpGateway(const McpGateway&) = delete;

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
  std::string TakeForHost() { return output_.TakeForHost(); }
  std::string TakeForServer() { return output_.TakeForServer(); }
  /// True while lines of the host wait for the list of the tools. It should not read more then.
  bool holds() const { return listing_.holds(); }
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
  /// A call that the server answered with questions: its next round.
  struct Round {
    std::size_t step = 0;
    Time began = {};
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
  void Answered(CallReviews::Asked asked, const Json& result, Time now);
  void UnreadFromHost(std::string_view line, const std::string& why, Time now);
  void LostFromHost(const Json& id, const std::string& why, Time now);

  bool NeedsList(const Json& json) const;
  void AskForList(const Json& json, std::string_view line, Time now);
  void TakeList(const RpcMessage& message, Time now);
  void EndList(bool known, Time now);

  void LostFromServer(const RpcOutline& outline, const std::string& why, Time now);
  Fate ServerMessage(Json json, Time now);
  Fate ServerResponse(RpcMessage& message, Time now);
  Fate ServerRequest(const RpcMessage& message);
  Fate CallResult(const Open& open, RpcMessage& message, Time now);
  bool AnswerWithheld(const Json& id, bool modern, const GatewayCall& call);
  std::string WithheldText(const McpDecider::Ruling& ruling) const;
  void Noise(std::string_view line);
  void FailRequest(const Json& id, const Open& open, const std::string& why, Time now);

  void Log(const std::string& line) const {
    if (settings_.log) settings_.log(line);
  }

  McpDecider& decider_;
  McpGatewaySettings settings_;
  GatewayIds ids_;
  GatewayOutput output_;
  std::map<std::string, Open> open_;  // by id, as JSON
  CallReviews reviews_;
  std::map<std::string, Round> rounds_;
  WithheldResults withheld_;
  ListedTools tools_;
  ListRequest listing_;
  bool list_failed_ = false;  // for the lines that waited

  std::optional<std::string> ended_;  // how the server did
  std::size_t noise_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MCP_GATEWAY_H_
