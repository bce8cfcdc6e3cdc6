// SPDX-License-Identifier: Apache-2.0
//
// The request by which a gateway lists the tools of a server itself, because the host called one
// before it had listed them all; and the lines of the host that wait for it meanwhile.
//
// Pages follow one another, at most kMostPages; the time for all of them begins with the first. In
// the modern era the request says of the host what the call says that waits.
#ifndef RPL_SHELL_GATEWAY_LIST_REQUEST_H_
#define RPL_SHELL_GATEWAY_LIST_REQUEST_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace rpl {

class ListRequest {
 public:
  using Json = nlohmann::ordered_json;
  using Time = std::chrono::steady_clock::time_point;

  /// Begins, for the call in `line`, which waits; `call` is its message.
  void Begin(const Json& call, std::string_view line, Time due);
  /// The next request to the server, by this id of the gateway's; `cursor` is "" for the first
  /// page.
  Json NextPage(std::string id, const std::string& cursor);
  /// The cursor of the page after this result, or "" if that is the last one.
  std::string CursorAfter(const Json& result);
  /// Ends. Returns the lines that waited, oldest first.
  std::deque<std::string> End();

  /// True while the server has not answered.
  bool open() const { return !id_.empty(); }
  /// True for the id of the page that the server has not answered.
  bool Awaits(const Json& id) const;
  Time due() const { return due_; }

  /// Lets another line of the host wait.
  void Hold(std::string_view line) { held_.emplace_back(line); }
  bool holds() const { return !held_.empty(); }

 private:
  std::string id_;  // of the gateway's own request; "" if there is none
  Json meta_;
  std::size_t pages_ = 0;
  Time due_ = {};
  std::deque<std::string> held_;  // lines of the host
};

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_LIST_REQUEST_H_
