// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/gateway_ids.h"

#include <fmt/format.h>
#include <sodium.h>

#include <array>

namespace rpl {
namespace {

std::string RandomText() {
  [[maybe_unused]] const int ready = sodium_init();
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::string hex;
  for (const unsigned char byte : bytes) hex += fmt::format("{:02x}", byte);
  return hex;
}

}  // namespace

GatewayIds::GatewayIds()
    : host_prefix_("rpl-guard-" + RandomText() + "-"),
      server_prefix_("rpl-guard-" + RandomText() + "-"),
      ticket_prefix_("rpl-guard." + RandomText() + ".") {}

std::string GatewayIds::NewTicket() const { return ticket_prefix_ + RandomText(); }

}  // namespace rpl
