// SPDX-License-Identifier: Apache-2.0
//
// The head of an HTTP request, as far as the server reads it: whether it can
// be read in two ways, whether it is refused, and whose it is.
//
// Values only, without a connection: the reader of the request (http_connection.cc) adds them.
// Names of headers are those of kHeaders, as they are spelled there.
#ifndef RPL_SHELL_MCP_HTTP_HEAD_H_
#define RPL_SHELL_MCP_HTTP_HEAD_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "shell/mcp/http_server.h"

namespace rpl {

class HttpHead {
 public:
  /// The headers that are read. Each is there once, or the request has a fault.
  static constexpr const char* kHeaders[] = {"Host",
                                             "Origin",
                                             "Authorization",
                                             "Content-Type",
                                             "Content-Length",
                                             "traceparent",
                                             "Idempotency-Key",
                                             "Mcp-Session-Id",
                                             "MCP-Protocol-Version",
                                             "Mcp-Method",
                                             "Mcp-Name",
                                             "Expect",
                                             "Transfer-Encoding"};

  HttpHead() = default;
  /// `has_body`: it is sent in chunks, or its length is not 0.
  HttpHead(std::string method, std::string target, bool has_body)
      : method_(std::move(method)), target_(std::move(target)), has_body_(has_body) {}
  /// Adds a header, in the order of the request.
  void Add(const char* name, std::string value) { headers_[name].push_back(std::move(value)); }

  const std::string& target() const { return target_; }
  /// The target before `?`.
  std::string Path() const { return target_.substr(0, target_.find('?')); }
  /// The value of a header, or "".
  std::string Header(const char* name) const;

  /// Why the request can be read in two ways, or "": what stands before this server may take the
  /// other one.
  std::string Fault() const;
  /// The status with which the request is refused before its body is read, or 200. `local`: the
  /// address is a loopback; `serves_mcp`: there is /mcp.
  unsigned Refusal(const HttpSettings& settings, bool local, bool serves_mcp) const;
  /// The tenant whose token the request carries, after a scheme in any case (RFC 9110, 11.1), or
  /// null. The comparison takes the same time for any token of a length.
  const std::string* Tenant(const HttpSettings& settings) const;
  /// Whose the runs of the request are.
  std::string Who(const HttpSettings& settings) const;

 private:
  bool IsJson() const;

  std::string method_ = "GET";
  std::string target_;
  bool has_body_ = false;
  std::map<std::string, std::vector<std::string>> headers_;
};

}  // namespace rpl

#endif  // RPL_SHELL_MCP_HTTP_HEAD_H_
