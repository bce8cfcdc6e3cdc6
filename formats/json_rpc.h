// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC 2.0 as the Model Context Protocol uses it: messages of one line each.
//
// A *request* has an id, a string or an integer, and wants a response; a *notification* has none
// and is never answered; a *response* has the id of its request and either a result, which is an
// object, or an error. Ids are kept as JSON, because `1` and `"1"` are two of them. Unknown fields
// are ignored, as MCP demands.
//
// Text is untrusted: ParseJson bounds its nesting and refuses a key twice. Integers are exact
// (JsonNumbers::kExact), and DumpJson prints them so.
#ifndef RPL_FORMATS_JSON_RPC_H_
#define RPL_FORMATS_JSON_RPC_H_

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace rpl {

/// Codes of JSON-RPC, and those that MCP adds.
enum RpcCode : int {
  kRpcParseError = -32700,
  kRpcInvalidRequest = -32600,
  kRpcMethodNotFound = -32601,
  kRpcInvalidParams = -32602,
  kRpcInternalError = -32603,
  kRpcResourceNotFound = -32002,    // until 2025-11-25; later kRpcInvalidParams
  kRpcHeaderMismatch = -32020,      // HTTP headers and body disagree
  kRpcMissingCapability = -32021,   // of the client, from 2026-07-28
  kRpcUnsupportedVersion = -32022,  // from 2026-07-28
};

struct RpcMessage {
  enum class Kind { kRequest, kNotification, kResponse };
  Kind kind = Kind::kNotification;
  nlohmann::ordered_json id;      // kRequest, kResponse; null: an error for an unread request
  std::string method;             // kRequest, kNotification
  nlohmann::ordered_json params;  // an object; empty if the message has none
  nlohmann::ordered_json result;  // kResponse: an object, or null if it has an error
  nlohmann::ordered_json error;   // kResponse: {"code", "message", "data"?}, or null
};

/// Why a text is no message, as the error to answer with.
struct RpcFault {
  int code = kRpcParseError;
  std::string message;
  nlohmann::ordered_json id;  // of the request, if it could be read; else null
};

/// A message, or the fault of the text. An array, a batch of 2025-03-26, is a fault: its members
/// are read by RpcMessageOf.
std::variant<RpcMessage, RpcFault> ReadRpc(std::string_view text);
std::variant<RpcMessage, RpcFault> RpcMessageOf(nlohmann::ordered_json json);

/// Messages to send, as JSON; DumpJson makes the line of it. `params` and `data` null: left out.
nlohmann::ordered_json RpcRequest(nlohmann::ordered_json id, std::string_view method,
                                  nlohmann::ordered_json params = nullptr);
nlohmann::ordered_json RpcNotification(std::string_view method,
                                       nlohmann::ordered_json params = nullptr);
nlohmann::ordered_json RpcResult(nlohmann::ordered_json id, nlohmann::ordered_json result);
/// With a null id there is no key `id`, as MCP's schema wants it for text that could not be read.
nlohmann::ordered_json RpcError(nlohmann::ordered_json id, int code, std::string_view message,
                                nlohmann::ordered_json data = nullptr);

/// Splits a stream of bytes into lines, and bounds their length.
class RpcLines {
 public:
  static constexpr std::size_t kMaxLine = 16u << 20;

  explicit RpcLines(std::size_t max_line = kMaxLine) : max_line_(max_line) {}

  /// Takes bytes as they arrive and calls `line` with each line that ends in them, without its line
  /// end and without blank ones; with nullopt once for a line beyond the limit, the rest of which
  /// is dropped. The view is valid during the call.
  void Feed(std::string_view bytes,
            const std::function<void(std::optional<std::string_view>)>& line);

 private:
  std::size_t max_line_;
  std::string begun_;  // of the line that has not ended, at most max_line_
  bool dropping_ = false;
};

}  // namespace rpl

#endif  // RPL_FORMATS_JSON_RPC_H_
