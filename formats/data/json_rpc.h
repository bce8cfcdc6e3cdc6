// SPDX-License-Identifier: Apache-2.0
//
// JSON-RPC 2.0 as the Model Context Protocol uses it: messages of one line each.
//
// A *request* has an id, a string or an integer, and wants a response; a *notification* has none
// and is never answered; a *response* has the id of its request and either a result, which is an
// object, or an error. Ids are kept as JSON, because `1` and `"1"` are two of them. Unknown fields
// are ignored, as MCP demands.
//
// Text is untrusted: ParseJson bounds its nesting and refuses a key twice. What is not UTF-8, and
// half of a character, is read as U+FFFD (CleanJson). Integers are exact (JsonNumbers::kExact), and
// DumpJson prints them so.
#ifndef RPL_FORMATS_DATA_JSON_RPC_H_
#define RPL_FORMATS_DATA_JSON_RPC_H_

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

/// The JSON of a text, or why it is none.
std::variant<nlohmann::ordered_json, RpcFault> ReadRpcJson(std::string_view text);
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
/// The error for a fault, in which an id that is not known is null, as JSON-RPC has it.
nlohmann::ordered_json RpcErrorOf(const RpcFault& fault);

/// The outline of a message whose line is too long: enough to answer its sender.
struct RpcOutline {
  nlohmann::ordered_json id;  // null if it has none, or one that is no id
  bool has_method = false;    // it is a request or, without an id, a notification
  bool has_result = false;    // or an error: it is a response
  bool has_id = false;        // also one that is no id
};

/// Finds the outlines of the messages in a line, of one or of a batch, in a constant amount of
/// memory. Text that is no JSON has none, or some that are of no use.
class RpcOutlineReader {
 public:
  using Take = std::function<void(const RpcOutline&)>;

  /// Takes the next piece of the line, and gives each outline as soon as it is known.
  void Feed(std::string_view piece, const Take& take);
  /// The line has ended: gives an empty outline if there was no other.
  void End(const Take& take);

 private:
  void Read(char c);
  void ReadMember();
  bool InMessage() const { return depth_ == message_depth_; }

  std::size_t depth_ = 0;          // of brackets
  std::size_t message_depth_ = 1;  // of the members of a message; 2 in a batch
  bool in_string_ = false, escaped_ = false;
  bool broken_ = false;    // there is text beside the brackets
  std::string token_;      // a key, or the begin of a value that is no container
  bool is_value_ = false;  // after the colon
  bool is_id_ = false;     // of the member
  RpcOutline message_;
  bool known_ = false;  // message_ is one to give
  bool given_ = false;  // and was given
  std::size_t count_ = 0;
};

/// The outline of the first message in a text that could not be read.
RpcOutline OutlineOf(std::string_view text);

/// Splits a stream of bytes into lines, and bounds their length.
class RpcLines {
 public:
  static constexpr std::size_t kMaxLine = 16u << 20;

  explicit RpcLines(std::size_t max_line = kMaxLine) : max_line_(max_line) {}

  /// Takes bytes as they arrive and calls `line` with each line that ends in them, without its line
  /// end and without blank ones. The view is valid during the call. A line beyond the limit is
  /// dropped: `too_long` gets the outlines of its messages, at least one.
  void Feed(std::string_view bytes, const std::function<void(std::string_view)>& line,
            const RpcOutlineReader::Take& too_long);

 private:
  std::size_t max_line_;
  std::string begun_;                        // of the line that has not ended, at most max_line_
  std::optional<RpcOutlineReader> dropped_;  // of a line beyond the limit that has not ended
};

/// The error for a message of a client whose line was too long; nullopt if nobody waits for one. An
/// id that is not known is null.
std::optional<nlohmann::ordered_json> RpcTooLongError(const RpcOutline& outline);
/// A line that is too long, for people: "a line has more than 16 MiB".
std::string RpcTooLongText();

}  // namespace rpl

#endif  // RPL_FORMATS_DATA_JSON_RPC_H_
