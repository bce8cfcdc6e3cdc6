// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/http_address.h"

#include <arpa/inet.h>
#include <sodium.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "formats/character.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

std::optional<std::uint16_t> ReadPort(std::string_view text) {
  constexpr std::size_t kMostDigits = 5;
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, port);
  const bool whole = text.size() <= kMostDigits && error == std::errc() && stop == end;
  return whole ? std::optional(port) : std::nullopt;
}

}  // namespace

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
  const std::optional<std::uint16_t> number = ReadPort(port);
  if (!number) return std::nullopt;
  out.port = *number;
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

std::optional<std::string> HostOf(std::string_view authority) {
  std::size_t end = authority.find(':');
  if (authority.starts_with('[')) {
    end = authority.find(']');
    if (end == authority.npos) return std::nullopt;
    in6_addr bytes;
    const std::string address(authority.substr(1, end - 1));
    if (inet_pton(AF_INET6, address.c_str(), &bytes) != 1) return std::nullopt;
    ++end;
  }
  std::string host(authority.substr(0, end));
  const std::string_view rest = authority.substr(std::min(end, authority.size()));
  if (host.empty() || (!rest.empty() && !(rest.front() == ':' && ReadPort(rest.substr(1)))))
    return std::nullopt;
  const auto fits = [&](char c) {
    return IsLetter(c) || IsDigit(c) || c == '-' || c == '.' || host.front() == '[';
  };
  if (!std::all_of(host.begin(), host.end(), fits)) return std::nullopt;
  for (char& c : host) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return host;
}

std::optional<std::string_view> AuthorityOf(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return origin.substr(scheme.size());
  return std::nullopt;
}

bool IsLocalHost(std::string_view authority) {
  const std::optional<std::string> host = HostOf(authority);
  return host == "localhost" || host == "127.0.0.1" || host == "[::1]";
}

}  // namespace rpl
