// SPDX-License-Identifier: Apache-2.0
//
// Addresses and headers of HTTP, as far as the server looks into them.
#ifndef RPL_SHELL_MCP_HTTP_ADDRESS_H_
#define RPL_SHELL_MCP_HTTP_ADDRESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

struct HttpAddress {
  std::string host;
  std::uint16_t port = 0;
};

/// Reads "127.0.0.1:7000", "[::1]:7000", "localhost:7000", ":7000" or "7000". nullopt: it is none.
std::optional<HttpAddress> ReadAddress(const std::string& text);

/// Whether only this machine reaches the host, an address in digits.
bool IsLoopback(const std::string& host);

/// A value of a header as the protocol encodes it: plain, or `=?base64?…?=`. nullopt if malformed.
std::optional<std::string> HeaderText(std::string_view value);

/// The host, in small letters, of the value of `Host` or the authority of a URL: after it comes a
/// port or nothing. nullopt: the text is none.
std::optional<std::string> HostOf(std::string_view authority);
/// What follows the scheme in an `Origin` of a page; nullopt: it is of something else.
std::optional<std::string_view> AuthorityOf(std::string_view origin);
/// Whether the authority names this machine.
bool IsLocalHost(std::string_view authority);

}  // namespace rpl

#endif  // RPL_SHELL_MCP_HTTP_ADDRESS_H_
