// SPDX-License-Identifier: Apache-2.0
//
// The ids and tickets that a gateway makes for itself. Each begins with `rpl-guard` and a random
// text that neither side sees before it is used, so neither can answer to one that it was not sent.
//
// Ids of requests to the host and to the server have different random texts and one count.
#ifndef RPL_SHELL_GATEWAY_GATEWAY_IDS_H_
#define RPL_SHELL_GATEWAY_GATEWAY_IDS_H_

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace rpl {

class GatewayIds {
 public:
  GatewayIds();

  /// A new id of a request to the host, or to the server.
  std::string ForHost() { return host_prefix_ + std::to_string(++number_); }
  std::string ForServer() { return server_prefix_ + std::to_string(++number_); }
  /// A new ticket, which a host brings back as `requestState`.
  std::string NewTicket() const;

  /// True for an id that looks like a gateway's: neither side may use such a one.
  static bool IsOwn(const nlohmann::ordered_json& id) {
    return id.is_string() && id.get_ref<const std::string&>().starts_with("rpl-guard");
  }
  /// The same for a ticket.
  static bool IsTicket(const std::string& state) { return state.starts_with("rpl-guard."); }

 private:
  std::string host_prefix_, server_prefix_, ticket_prefix_;
  std::size_t number_ = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_GATEWAY_IDS_H_
