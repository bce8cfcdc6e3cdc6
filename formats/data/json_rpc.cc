// SPDX-License-Identifier: Apache-2.0
#include "formats/data/json_rpc.h"

#include "formats/data/json_text.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;

bool IsRpcId(const ordered_json& id) {
  return id.is_string() || id.is_number_integer() || DigitsOf(id).has_value();
}

std::variant<RpcMessage, RpcFault> ResponseOf(ordered_json& json) {
  RpcMessage out;
  out.kind = RpcMessage::Kind::kResponse;
  if (const auto id = json.find("id"); id != json.end()) out.id = std::move(*id);
  const auto result = json.find("result");
  const auto error = json.find("error");
  if ((result == json.end()) == (error == json.end()))
    return RpcFault{kRpcInvalidRequest, "expected either `result` or `error`", {}};
  if (!IsRpcId(out.id) && !(out.id.is_null() && error != json.end()))
    return RpcFault{kRpcInvalidRequest, "the `id` of a response is a string or an integer", {}};
  if (result != json.end()) {
    if (!result->is_object())
      return RpcFault{kRpcInvalidRequest, "the `result` of a response is an object", {}};
    out.result = std::move(*result);
    return out;
  }
  const bool is_error = error->is_object() && error->contains("code") &&
                        (*error)["code"].is_number_integer() && error->contains("message") &&
                        (*error)["message"].is_string();
  if (!is_error) return RpcFault{kRpcInvalidRequest, "an `error` has a code and a message", {}};
  out.error = std::move(*error);
  return out;
}

}  // namespace

std::variant<RpcMessage, RpcFault> RpcMessageOf(ordered_json json) {
  if (!json.is_object()) return RpcFault{kRpcInvalidRequest, "a message is a JSON object", {}};
  ordered_json id;
  const auto with_id = json.find("id");
  if (with_id != json.end() && IsRpcId(*with_id)) id = *with_id;
  if (const auto version = json.find("jsonrpc"); version == json.end() || *version != "2.0")
    return RpcFault{kRpcInvalidRequest, "expected `\"jsonrpc\":\"2.0\"`", std::move(id)};
  const auto method = json.find("method");
  if (method == json.end()) {
    if (json.contains("result") || json.contains("error")) return ResponseOf(json);
    return RpcFault{kRpcInvalidRequest, "a request has a `method`", std::move(id)};
  }
  if (!method->is_string())
    return RpcFault{kRpcInvalidRequest, "a `method` is a string", std::move(id)};
  if (with_id != json.end() && id.is_null())
    return RpcFault{kRpcInvalidRequest, "the `id` of a request is a string or an integer", {}};
  RpcMessage out;
  out.kind = id.is_null() ? RpcMessage::Kind::kNotification : RpcMessage::Kind::kRequest;
  out.method = method->get<std::string>();
  out.params = ordered_json::object();
  if (const auto params = json.find("params"); params != json.end()) {
    if (!params->is_object())
      return RpcFault{kRpcInvalidParams, "`params` is an object", std::move(id)};
    out.params = std::move(*params);
  }
  out.id = std::move(id);
  return out;
}

std::variant<RpcMessage, RpcFault> ReadRpc(std::string_view text) {
  auto read = ReadRpcJson(text);
  if (auto* const fault = std::get_if<RpcFault>(&read)) return std::move(*fault);
  return RpcMessageOf(std::move(std::get<ordered_json>(read)));
}

std::variant<ordered_json, RpcFault> ReadRpcJson(std::string_view text) {
  JsonText read = ParseExactJson(text);
  if (!read.error.empty()) read = ParseExactJson(CleanJson(std::string(text)));
  if (read.error.empty()) return std::move(read.json);
  RpcOutline outline = OutlineOf(text);
  if (!outline.has_method) outline.id = nullptr;
  return RpcFault{kRpcParseError, std::move(read.error), std::move(outline.id)};
}

ordered_json RpcRequest(ordered_json id, std::string_view method, ordered_json params) {
  ordered_json out{{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"method", method}};
  if (!params.is_null()) out["params"] = std::move(params);
  return out;
}

ordered_json RpcNotification(std::string_view method, ordered_json params) {
  ordered_json out{{"jsonrpc", "2.0"}, {"method", method}};
  if (!params.is_null()) out["params"] = std::move(params);
  return out;
}

ordered_json RpcResult(ordered_json id, ordered_json result) {
  return {{"jsonrpc", "2.0"}, {"id", std::move(id)}, {"result", std::move(result)}};
}

ordered_json RpcError(ordered_json id, int code, std::string_view message, ordered_json data) {
  ordered_json error{{"code", code}, {"message", message}};
  if (!data.is_null()) error["data"] = std::move(data);
  ordered_json out{{"jsonrpc", "2.0"}};
  if (!id.is_null()) out["id"] = std::move(id);
  out["error"] = std::move(error);
  return out;
}

ordered_json RpcErrorOf(const RpcFault& fault) {
  return {{"jsonrpc", "2.0"},
          {"id", fault.id},
          {"error", {{"code", fault.code}, {"message", fault.message}}}};
}

void RpcOutlineReader::Feed(std::string_view piece, const Take& take) {
  constexpr std::size_t kMostOutlines = 100;  // more are no batch that anybody takes
  for (const char c : piece) {
    Read(c);
    if (!known_ || given_ || broken_ || count_ == kMostOutlines) continue;
    given_ = true;
    ++count_;
    take(message_);
  }
}

void RpcOutlineReader::End(const Take& take) {
  if (count_ == 0) take({});
}

RpcOutline OutlineOf(std::string_view text) {
  RpcOutlineReader reader;
  std::optional<RpcOutline> first;
  const auto take = [&](const RpcOutline& outline) {
    if (!first) first = outline;
  };
  reader.Feed(text, take);
  reader.End(take);
  return *first;
}

void RpcOutlineReader::Read(char c) {
  constexpr std::size_t kMostToken = 1000;
  const auto keep = [&] {
    if (InMessage() && token_.size() < kMostToken) token_ += c;
  };
  if (in_string_) {
    keep();
    if (escaped_) escaped_ = false;
    else if (c == '\\') escaped_ = true;
    else if (c == '"') in_string_ = false;
    return;
  }
  switch (c) {
    case ' ':
    case '\t':
    case '\r': return;
    case '{':
    case '[':
      if (depth_ == 0) message_depth_ = c == '[' ? 2 : 1;
      ++depth_;
      if (!InMessage()) return;
      token_.clear();
      message_ = {};
      is_value_ = is_id_ = known_ = given_ = false;
      return;
    case '}':
    case ']':
      if (InMessage()) ReadMember(), known_ = true;
      if (depth_ > 0) --depth_;
      return;
    case ',':
      if (InMessage()) ReadMember();
      return;
    case ':':
      if (!InMessage() || is_value_) return;
      is_value_ = true;
      is_id_ = token_ == "\"id\"";
      message_.has_id = message_.has_id || is_id_;
      if (token_ == "\"method\"") message_.has_method = true;
      if (token_ == "\"result\"" || token_ == "\"error\"") message_.has_result = true;
      token_.clear();
      break;
    default:
      in_string_ = c == '"';
      broken_ = broken_ || depth_ == 0;
      keep();
      return;
  }
  known_ = !message_.id.is_null() && (message_.has_method || message_.has_result);
}

// A member of a message has ended.
void RpcOutlineReader::ReadMember() {
  if (is_value_ && is_id_) {
    JsonText id = ParseJson(token_, 1, JsonNumbers::kExact);
    if (id.error.empty() && IsRpcId(id.json)) message_.id = std::move(id.json);
  }
  is_value_ = is_id_ = false;
  token_.clear();
  known_ = !message_.id.is_null() && (message_.has_method || message_.has_result);
}

void RpcLines::Feed(std::string_view bytes, const std::function<void(std::string_view)>& line,
                    const RpcOutlineReader::Take& too_long) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (!dropped_ && begun_.size() + part.size() > max_line_) {
      dropped_.emplace().Feed(begun_, too_long);
      begun_ = std::string();
    }
    if (dropped_) dropped_->Feed(part, too_long);
    else if (end == std::string_view::npos || !begun_.empty()) begun_ += part;
    if (end == std::string_view::npos) return;
    if (dropped_) {
      dropped_->End(too_long);
      dropped_.reset();
      continue;
    }
    std::string_view whole = begun_.empty() ? part : std::string_view(begun_);
    if (whole.ends_with('\r')) whole.remove_suffix(1);
    if (whole.find_first_not_of(" \t") != std::string_view::npos) line(whole);
    begun_.clear();
  }
}

std::string RpcTooLongText() {
  return "a line has more than " + std::to_string(RpcLines::kMaxLine >> 20) + " MiB";
}

std::optional<ordered_json> RpcTooLongError(const RpcOutline& outline) {
  const bool is_notification = outline.has_method && !outline.has_id;
  if (outline.has_result || is_notification) return std::nullopt;
  const int code = outline.has_method ? kRpcInvalidRequest : kRpcParseError;
  return RpcErrorOf({code, RpcTooLongText(), outline.id});
}

}  // namespace rpl
