// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/http_address.h"

#include <arpa/inet.h>
#include <sodium.h>

#include <algorithm>
#include <cctype>

#include "shell/host/input.h"

namespace rpl {

std::optional<HttpAddress> ReadAddress(const std::string& text) {
  HttpAddress out;
  const std::size_t colon = text.rfind(':');
  std::string port = text;
  if (colon != text.npos && text.find(']', colon) == text.npos) {
    out.host = text.substr(0, colon);
    port = text.substr(colon + 1);
  }
  if (out.host.starts_with('[') && out.host.ends_with(']'))
    out.host = out.host.substr(1, out.host.size() - 2);
  if (out.host.empty() || out.host == "localhost") out.host = "127.0.0.1";
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos)
    return std::nullopt;
  const unsigned long number = std::stoul(port);
  if (number > 65535) return std::nullopt;
  out.port = static_cast<std::uint16_t>(number);
  in6_addr bytes;
  if (inet_pton(AF_INET, out.host.c_str(), &bytes) != 1 &&
      inet_pton(AF_INET6, out.host.c_str(), &bytes) != 1)
    return std::nullopt;
  return out;
}

bool IsLoopback(const std::string& host) {
  in_addr four;
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six;
  return inet_pton(AF_INET6, host.c_str(), &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

std::optional<std::string> HeaderText(std::string_view value) {
  constexpr std::string_view kBegin = "=?base64?", kEnd = "?=";
  const auto is_plain = [](char c) { return c >= 0x20 && c <= 0x7e; };
  if (!std::all_of(value.begin(), value.end(), is_plain)) return std::nullopt;
  if (!value.starts_with(kBegin) || !value.ends_with(kEnd) ||
      value.size() < kBegin.size() + kEnd.size())
    return std::string(value);
  value.remove_prefix(kBegin.size());
  value.remove_suffix(kEnd.size());
  std::string out(value.size(), '\0');
  std::size_t size = 0;
  const char* end = nullptr;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), value.data(),
                        value.size(), nullptr, &size, &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
      end != value.data() + value.size())
    return std::nullopt;
  out.resize(size);
  return IsUtf8(out) ? std::optional(std::move(out)) : std::nullopt;
}

bool IsLocalHost(std::string_view host) {
  if (host.starts_with('[')) {
    const std::size_t end = host.find(']');
    if (end == host.npos || (end + 1 < host.size() && host[end + 1] != ':')) return false;
    return host.substr(0, end + 1) == "[::1]";
  }
  std::string name(host.substr(0, host.find(':')));
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name == "localhost" || name == "127.0.0.1";
}

}  // namespace rpl
