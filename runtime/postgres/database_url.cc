// SPDX-License-Identifier: Apache-2.0
#include "runtime/postgres/database_url.h"

#include <algorithm>
#include <charconv>

#include "formats/percent_text.h"
#include "formats/terminal_text.h"

namespace rpl {
namespace {

constexpr std::size_t kMostSessionName = 200;  // bytes, so that an index can hold it
constexpr int kMostLease = 3600;
constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

// The parts of a URL as libpq cuts it, not decoded.
struct UrlParts {
  std::string_view user, password, hosts, path;
  std::string_view parameters;  // after `?`
};

std::size_t SchemeSize(std::string_view text) {
  for (const std::string_view scheme : kSchemes)
    if (text.starts_with(scheme)) return scheme.size();
  return 0;
}

// The text before the first `mark`; the rest, without the mark, stays in `text`.
std::string_view CutAt(std::string_view& text, char mark) {
  const std::size_t at = text.find(mark);
  const std::string_view before = text.substr(0, at);
  text = at == text.npos ? std::string_view() : text.substr(at + 1);
  return before;
}

// REQUIRES: IsDatabaseUrl, and at most one `@`.
UrlParts PartsOf(std::string_view url) {
  UrlParts out;
  std::string_view rest = url.substr(SchemeSize(url));
  std::string_view place = CutAt(rest, '?');
  out.parameters = rest;
  if (place.find('@') != place.npos) {
    out.password = CutAt(place, '@');
    out.user = CutAt(out.password, ':');
  }
  out.hosts = place.substr(0, place.find('/'));
  if (out.hosts.size() < place.size()) out.path = place.substr(out.hosts.size() + 1);
  return out;
}

bool IsSecret(std::string_view parameter) {
  return parameter == "password" || parameter == "sslpassword";
}

// Whether each host of `a:1,[::1]:2` has a port of digits, or none.
bool HasPlainPorts(std::string_view hosts) {
  while (!hosts.empty()) {
    std::string_view host = CutAt(hosts, ',');
    if (host.starts_with('[')) {
      const std::size_t end = host.find(']');
      if (end == host.npos) return false;
      host = host.substr(end + 1);
      if (!host.empty() && !host.starts_with(':')) return false;
    }
    CutAt(host, ':');
    if (host.size() > 5 ||
        !std::all_of(host.begin(), host.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return false;
  }
  return true;
}

}  // namespace

bool IsDatabaseUrl(std::string_view text) { return SchemeSize(text) > 0; }

std::string CheckDatabaseUrl(std::string_view url) {
  constexpr const char* kEncode =
      "; in a user, a password and a parameter, `@`, `:`, `/`, `?` and `%` are written as `%40`, "
      "`%3A`, `%2F`, `%3F` and `%25`";
  if (!IsDatabaseUrl(url)) return "expected a URL like `postgresql://USER@HOST/DATABASE`";
  if (std::count(url.begin(), url.end(), '@') > 1)
    return std::string("the URL has more than one `@`") + kEncode;
  const std::size_t question = url.find('?');
  if (question != url.npos && url.find('@', question) != url.npos)
    return std::string("the URL has an `@` behind `?`") + kEncode;
  const std::size_t at = url.find('@');
  if (at != url.npos && url.substr(SchemeSize(url), at - SchemeSize(url)).find('/') != url.npos)
    return std::string("the URL has a `/` before `@`") + kEncode;
  const UrlParts parts = PartsOf(url);
  if (parts.password.find(':') != parts.password.npos)
    return std::string("the URL has two `:` before `@`") + kEncode;
  if (!HasPlainPorts(parts.hosts))
    return std::string("the port of the URL is not a number") + kEncode;
  if (std::any_of(url.begin(), url.end(),
                  [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }))
    return "the URL has a space or a control character";
  for (const std::string_view part : {parts.user, parts.password, parts.hosts, parts.path})
    if (!PercentDecoded(part))
      return std::string("a `%` of the URL is not `%` and two digits") + kEncode;
  for (std::string_view rest = parts.parameters; !rest.empty();) {
    const std::string_view parameter = CutAt(rest, '&');
    if (std::count(parameter.begin(), parameter.end(), '=') != 1)
      return "a parameter of the URL is not `NAME=VALUE`";
    if (!PercentDecoded(parameter))
      return std::string("a `%` of the URL is not `%` and two digits") + kEncode;
  }
  return "";
}

std::string WithoutPassword(const std::string& url) {
  const std::size_t scheme = SchemeSize(url);
  if (scheme == 0) return url;
  if (!CheckDatabaseUrl(url).empty()) return url.substr(0, scheme) + "***";
  const UrlParts parts = PartsOf(url);
  std::string out = url.substr(0, std::min(url.find('?'), url.size()));
  if (parts.password.data() != nullptr && !parts.password.empty())
    out.replace(static_cast<std::size_t>(parts.password.data() - url.data()), parts.password.size(),
                "***");
  char before = '?';
  for (std::string_view rest = parts.parameters; !rest.empty(); before = '&') {
    const std::string_view parameter = CutAt(rest, '&');
    const std::string_view name = parameter.substr(0, parameter.find('='));
    const bool secret = IsSecret(PercentDecoded(name).value_or(""));
    out += before + (secret ? std::string(name) + "=***" : std::string(parameter));
  }
  return out;
}

std::vector<std::string> PasswordsOf(std::string_view url) {
  const UrlParts parts = PartsOf(url);
  std::vector<std::string> out;
  const auto add = [&](std::string_view text) {
    for (const std::string& one : {std::string(text), PercentDecoded(text).value_or("")})
      if (!one.empty()) out.push_back(one);
  };
  add(parts.password);
  for (std::string_view rest = parts.parameters; !rest.empty();) {
    std::string_view value = CutAt(rest, '&');
    const std::string_view name = CutAt(value, '=');
    if (IsSecret(PercentDecoded(name).value_or(""))) add(value);
  }
  return out;
}

SessionUrl SessionUrlOf(const std::string& url) {
  SessionUrl out;
  out.error = CheckDatabaseUrl(url);
  if (!out.error.empty()) return out;
  const UrlParts parts = PartsOf(url);
  std::string_view rest = parts.path;
  const std::string_view database = CutAt(rest, '/');
  const std::size_t place = std::min(url.find('?'), url.size()) - parts.path.size();
  out.database = url.substr(0, place) + std::string(database);
  if (rest.data() != nullptr) {
    const std::string name = PercentDecoded(rest).value_or("");
    if (rest.find('/') != rest.npos)
      out.error = "expected `postgresql://USER@HOST/DATABASE/NAME`; a `/` in a name is `%2F`";
    else if (name.empty())
      out.error = "the URL names no session; expected `postgresql://USER@HOST/DATABASE/NAME`";
    else if (name.size() > kMostSessionName)
      out.error = "the name of a session has at most 200 bytes";
    else if (PrintableLine(name) != name)
      out.error = "the name of a session has characters that are not printable";
    out.session = name;
  }
  char before = '?';
  for (rest = parts.parameters; !rest.empty();) {
    const std::string_view parameter = CutAt(rest, '&');
    if (!parameter.starts_with("lease=")) {
      out.database += before + std::string(parameter);
      before = '&';
      continue;
    }
    const std::string_view value = parameter.substr(6);
    int seconds = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (read.ec != std::errc() || read.ptr != value.data() + value.size() || seconds < 1 ||
        seconds > kMostLease)
      out.error = "expected `lease=SECONDS` of 1 to 3600 in the URL";
    out.lease = std::chrono::seconds(seconds);
  }
  return out;
}

std::string SessionUrlIn(const std::string& database, const std::string& session,
                         std::optional<std::chrono::seconds> lease) {
  const std::size_t query = std::min(database.find('?'), database.size());
  std::string out = database.substr(0, query);
  while (out.ends_with('/')) out.pop_back();
  out += "/" + session + database.substr(query);
  if (!lease) return out;
  return out + (query < database.size() ? '&' : '?') + "lease=" + std::to_string(lease->count());
}

}  // namespace rpl
