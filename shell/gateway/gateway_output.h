// SPDX-License-Identifier: Apache-2.0
//
// The output of a gateway: lines to the host, lines to the server, and its own answers to the
// message of the host in hand.
//
// Lines come out in the order in which they went in. Answers wait, so that those to a batch can be
// one, until FlushAnswers makes lines of them; they are then before what the message itself leads
// to. Whole lines, each with its end.
#ifndef RPL_SHELL_GATEWAY_GATEWAY_OUTPUT_H_
#define RPL_SHELL_GATEWAY_GATEWAY_OUTPUT_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rpl {

/// The result of a call that is refused, with `isError`: hosts do not show errors of JSON-RPC to a
/// model.
nlohmann::ordered_json CallRefusal(bool modern, const std::string& text);

class GatewayOutput {
 public:
  using Json = nlohmann::ordered_json;

  void ToHost(const Json& json);
  void ToServer(const Json& json);
  /// A line without its end, as it came.
  void LineToHost(std::string_view line) { to_host_.append(line) += '\n'; }
  void LineToServer(std::string_view line) { to_server_.append(line) += '\n'; }

  /// Answers a message of the host, with a response of JSON-RPC or a refusal of a call.
  void Answer(Json json) { answers_.push_back(std::move(json)); }
  void Refuse(const Json& id, bool modern, const std::string& text);
  /// Writes the answers, as one batch or each by itself.
  void FlushAnswers(bool as_batch);
  /// The answers, which are no longer here: they become a part of another message.
  std::vector<Json> PopAnswers() { return std::exchange(answers_, {}); }

  /// What was written since the last time.
  std::string TakeForHost() { return std::exchange(to_host_, std::string()); }
  std::string TakeForServer() { return std::exchange(to_server_, std::string()); }

 private:
  std::string to_host_, to_server_;
  std::vector<Json> answers_;  // to the line in hand
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_GATEWAY_OUTPUT_H_
