// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/http_head.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <string_view>

#include "formats/character.h"
#include "shell/mcp/http_address.h"
#include "shell/serving/web_handler.h"
#include "shell/terminal/input.h"

namespace rpl {
namespace {

constexpr unsigned kOk = 200;
constexpr unsigned kUnauthorized = 401;
constexpr unsigned kForbidden = 403;
constexpr unsigned kNotFound = 404;
constexpr unsigned kMethodNotAllowed = 405;
constexpr unsigned kUnsupportedType = 415;

// Of letters of ASCII.
bool IsSameInAnyCase(std::string_view a, std::string_view b) {
  const auto small = [](char c) { return IsUpper(c) ? static_cast<char>(c + ('a' - 'A')) : c; };
  return std::ranges::equal(a, b, {}, small, small);
}

}  // namespace

std::string HttpHead::Header(const char* name) const {
  const auto given = headers_.find(name);
  return given == headers_.end() ? "" : given->second.front();
}

std::string HttpHead::Fault() const {
  for (const char* name : kHeaders) {
    const auto given = headers_.find(name);
    if (given != headers_.end() && given->second.size() > 1)
      return fmt::format("the header {} is there twice", name);
    if (!IsUtf8(Header(name))) return fmt::format("the header {} is not UTF-8", name);
  }
  if (!Header("Host").empty() && !HostOf(Header("Host")))
    return "the header Host is no host with a port or without";
  return target_.starts_with('/') ? "" : "the target of a request is a path";
}

unsigned HttpHead::Refusal(const HttpSettings& settings, bool local, bool serves_mcp) const {
  if (local && !IsLocalHost(Header("Host"))) return kForbidden;
  if (headers_.contains("Origin")) {
    const std::string text = Header("Origin");
    const auto from = AuthorityOf(text);
    const bool same = from && !local && HostOf(*from) && *from == Header("Host");
    if (!from || (!IsLocalHost(*from) && !same)) return kForbidden;
  }
  const std::string path = Path();
  const bool other = path != "/mcp" || !serves_mcp;
  const WebHandler* const handler = settings.handler;
  const bool open = other && handler != nullptr && handler->IsPublic(path);
  if (!open && !settings.tokens.empty() && !Tenant(settings)) return kUnauthorized;
  if (other) {
    if (handler == nullptr) return kNotFound;
    return has_body_ && !IsJson() ? kUnsupportedType : kOk;
  }
  if (method_ != "POST" && method_ != "DELETE") return kMethodNotAllowed;
  if (method_ == "POST" && !IsJson()) return kUnsupportedType;
  return kOk;
}

bool HttpHead::IsJson() const {
  const std::string type = Header("Content-Type");
  return IsSameInAnyCase(type.substr(0, type.find(';')), "application/json");
}

const std::string* HttpHead::Tenant(const HttpSettings& settings) const {
  constexpr std::string_view kScheme = "Bearer ";
  std::string given = Header("Authorization");
  if (!IsSameInAnyCase(given.substr(0, kScheme.size()), kScheme)) return nullptr;
  given.erase(0, kScheme.size());
  const std::string* tenant = nullptr;
  for (const auto& [token, of] : settings.tokens)
    if (given.size() == token.size() &&
        sodium_memcmp(given.data(), token.data(), token.size()) == 0)
      tenant = &of;
  return tenant;
}

std::string HttpHead::Who(const HttpSettings& settings) const {
  const std::string* const tenant = Tenant(settings);
  return tenant == nullptr ? settings.party : *tenant;
}

}  // namespace rpl
