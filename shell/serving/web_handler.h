// SPDX-License-Identifier: Apache-2.0
//
// The handler of the HTTP server for requests to paths other than /mcp.
#ifndef RPL_SHELL_SERVING_WEB_HANDLER_H_
#define RPL_SHELL_SERVING_WEB_HANDLER_H_

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rpl {

struct WebRequest {
  std::string method;  // "GET"
  std::string path;    // before `?`, still encoded
  std::string query;   // after it
  std::string body;    // at most 16 MiB, of type application/json if not empty
  std::string tenant;  // whose token it carries; "" without tokens
  std::string key;     // of the header Idempotency-Key, or ""
  std::string trace;   // of the header traceparent, or ""
};

struct WebAnswer {
  unsigned status = 200;
  std::string body;  // "" for none
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers = {};  // besides those of every answer
};

class WebHandler {
 public:
  virtual ~WebHandler() = default;
  /// Whether the path is served without a token: for probes and scrapers.
  virtual bool IsPublic(std::string_view path) const = 0;
  /// Takes a request. Called on the thread that reads, which must not be kept waiting; `reply` may
  /// be called from any thread, once. A client that has left does not get its answer.
  virtual void Take(WebRequest request, std::function<void(WebAnswer)> reply) = 0;
  /// The process is asked to end: nothing new is begun. Called once, on the thread that reads.
  virtual void Drain() = 0;
  /// Whether nothing is left to wait for, after Drain.
  virtual bool IsDrained() = 0;
};

}  // namespace rpl

#endif  // RPL_SHELL_SERVING_WEB_HANDLER_H_
