// SPDX-License-Identifier: Apache-2.0
//
// The Model Context Protocol over HTTP, by libcurl (runtime/tools/curl_library.h).
//
// Each message is a POST. Its answer is one JSON value, or a stream of events (SSE) of which each
// has one as `data`. In the modern era ending the transfer cancels the request.
#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>

#include "formats/data/json_fields.h"
#include "formats/data/json_rpc.h"
#include "formats/data/json_text.h"
#include "runtime/tools/curl_library.h"
#include "runtime/tools/mcp_transport.h"

namespace rpl {
namespace {

using nlohmann::ordered_json;
using std::chrono::milliseconds;

constexpr std::size_t kMostBody = RpcLines::kMaxLine;
constexpr long kConnectMs = 10'000;
constexpr const char* kModernHttp = "2026-07-28";
constexpr int kTransportError = -32000;
// --- headers ------------------------------------------------------------------------------

bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

// A value as headers of MCP have it: plain, or in base64 where it would not survive.
std::string HeaderValue(const std::string& value) {
  const bool plain =
      !value.empty() && value.front() != ' ' && value.back() != ' ' &&
      !(value.starts_with("=?base64?") && value.ends_with("?=")) &&
      std::all_of(value.begin(), value.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  if (plain) return value;
  std::string out(sodium_base64_encoded_len(value.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(value.data()),
                    value.size(), sodium_base64_VARIANT_ORIGINAL);
  out.resize(std::char_traits<char>::length(out.c_str()));
  return "=?base64?" + out + "?=";
}

// The headers that a schema asks for by `x-mcp-header`. False if its marks are not legal.
bool ParamHeaders(const ordered_json& schema, const ordered_json& args,
                  std::map<std::string, std::string>& out) {
  const ordered_json& properties = FieldAt(schema, "properties");
  if (!properties.is_object()) return true;
  for (const auto& [name, property] : properties.items()) {
    const ordered_json& value = FieldAt(args, name.c_str());
    if (!ParamHeaders(property, value, out)) return false;
    if (!property.is_object() || !property.contains("x-mcp-header")) continue;
    const std::string mark = TextAt(property, "x-mcp-header");
    const std::string type = TextAt(property, "type");
    if (!IsToken(mark) || (type != "string" && type != "integer" && type != "boolean"))
      return false;
    const std::string text = value.is_null()     ? ""
                             : value.is_string() ? value.get<std::string>()
                                                 : DumpJson(value);
    if (!out.emplace("Mcp-Param-" + mark, value.is_null() ? "" : HeaderValue(text)).second)
      return false;
  }
  return true;
}

// The text with ${NAME} replaced by variables of the environment. False if one is not set.
bool Expand(const std::string& text, std::string& out) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find("${", at);
    const std::size_t end = begin == text.npos ? text.npos : text.find('}', begin);
    if (end == text.npos) {
      out += text.substr(at);
      return true;
    }
    out += text.substr(at, begin - at);
    const char* const value = std::getenv(text.substr(begin + 2, end - begin - 2).c_str());
    if (value == nullptr) return false;
    out += value;
    at = end + 1;
  }
  return true;
}

// --- the transport ------------------------------------------------------------------------

class McpHttp : public McpTransport {
 public:
  explicit McpHttp(std::shared_ptr<const McpServer> server) : server_(std::move(server)) {}
  ~McpHttp() override { Stop(); }

  std::string Start() override {
    Stop();
    curl_ = Curl::Load();
    if (curl_ == nullptr) return std::string(kNoCurl);
    headers_.clear();
    for (const auto& [name, value] : server_->headers) {
      std::string expanded;
      if (!IsToken(name)) return "the header `" + name + "` is none";
      if (!Expand(value, expanded)) return "a variable of the header `" + name + "` is not set";
      if (expanded.find_first_of("\r\n") != expanded.npos)
        return "the header `" + name + "` has a line end";
      headers_.push_back(name + ": " + expanded);
    }
    multi_ = curl_->multi_init();
    return multi_ == nullptr ? "no memory for HTTP" : "";
  }

  void Speak(const std::string& version) override { version_ = version; }

  std::string Send(const ordered_json& message, const ordered_json& schema, milliseconds most,
                   const Log&) override {
    const std::string method = TextAt(message, "method");
    const ordered_json& params = FieldAt(message, "params");
    const bool modern = version_ == kModernHttp;
    if (modern && method == "notifications/cancelled") {
      std::erase_if(transfers_, [&](const auto& transfer) {
        return transfer.second->id == FieldAt(params, "requestId");
      });
      return "";
    }
    auto transfer = std::make_unique<Transfer>(*this);
    transfer->id = FieldAt(message, "id");
    transfer->expects = message.contains("method") && !transfer->id.is_null();
    transfer->request = DumpJson(message);
    std::vector<std::string> headers = {"Content-Type: application/json",
                                        "Accept: application/json, text/event-stream", "Expect:"};
    if (!version_.empty()) headers.push_back("MCP-Protocol-Version: " + version_);
    if (modern) {
      headers.push_back("Mcp-Method: " + method);
      if (params.contains("name"))
        headers.push_back("Mcp-Name: " + HeaderValue(TextAt(params, "name")));
      std::map<std::string, std::string> of_schema;
      if (!ParamHeaders(schema, FieldAt(params, "arguments"), of_schema))
        return "the schema of the tool has an `x-mcp-header` that is not legal";
      for (const auto& [name, value] : of_schema)
        if (!value.empty()) headers.push_back(name + ": " + value);
    } else if (!session_.empty()) {
      headers.push_back("Mcp-Session-Id: " + session_);
    }
    headers.insert(headers.end(), headers_.begin(), headers_.end());
    if (!transfer->Begin(headers, most)) return "no memory for HTTP";
    CURL* const handle = transfer->handle;
    transfers_[handle] = std::move(transfer);
    return "";
  }

  std::optional<std::string> Receive(milliseconds most, const Log&) override {
    if (lines_.empty() && multi_ != nullptr) {
      int running = 0;
      curl_->multi_perform(multi_, &running);
      TakeEnded();
      if (lines_.empty()) {
        curl_->multi_poll(multi_, nullptr, 0, static_cast<int>(most.count()), nullptr);
        curl_->multi_perform(multi_, &running);
        TakeEnded();
      }
    }
    if (lines_.empty()) return std::nullopt;
    std::string line = std::move(lines_.front());
    lines_.pop_front();
    return line;
  }

  std::vector<ordered_json> TakeTooLong() override { return std::exchange(too_long_, {}); }

  bool HasEnded(std::string& why) override {
    why = "it has ended";
    return multi_ == nullptr;
  }

 private:
  struct Transfer {
    explicit Transfer(McpHttp& owner) : of(owner) {}
    ~Transfer() {
      if (handle == nullptr) return;
      of.curl_->multi_remove_handle(of.multi_, handle);
      of.curl_->easy_cleanup(handle);
      of.curl_->slist_free_all(list);
    }
    Transfer(const Transfer&) = delete;

    bool Begin(const std::vector<std::string>& headers, milliseconds most) {
      const Curl& curl = *of.curl_;
      handle = curl.Begin();
      if (handle == nullptr) return false;
      for (const std::string& header : headers) list = curl.slist_append(list, header.c_str());
      const auto set = [&](CURLoption option, auto value) {
        curl.easy_setopt(handle, option, value);
      };
      set(CURLOPT_URL, of.server_->url.c_str());
      set(CURLOPT_PROTOCOLS_STR, "http,https");
      set(CURLOPT_NOSIGNAL, 1L);
      set(CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
      static_cast<void>(most);  // the client ends what takes too long
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.size()));
      set(CURLOPT_POSTFIELDS, request.c_str());
      set(CURLOPT_HTTPHEADER, list);
      set(CURLOPT_WRITEDATA, static_cast<void*>(this));
      set(CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
      set(CURLOPT_HEADERDATA, static_cast<void*>(this));
      set(CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
      return curl.multi_add_handle(of.multi_, handle) == CURLM_OK;
    }

    static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
      auto& transfer = *static_cast<Transfer*>(self);
      const std::string_view line(data, size * count);
      const std::size_t colon = line.find(':');
      if (line.starts_with("HTTP/")) transfer.session.clear(), transfer.is_stream = false;
      if (colon == line.npos) return size * count;
      std::string name(line.substr(0, colon));
      std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      });
      std::string value(line.substr(colon + 1));
      value.erase(0, value.find_first_not_of(" \t"));
      value.erase(value.find_last_not_of(" \t\r\n") + 1);
      if (name == "content-type") transfer.is_stream = value.starts_with("text/event-stream");
      if (name == "mcp-session-id") transfer.session = value;
      return size * count;
    }

    static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self) {
      auto& transfer = *static_cast<Transfer*>(self);
      transfer.body.append(data, size * count);
      if (transfer.is_stream) transfer.TakeEvents();
      transfer.too_long = transfer.body.size() + transfer.event.size() > kMostBody;
      return transfer.too_long ? 0 : size * count;  // 0 ends the transfer
    }

    // Takes whole lines of events off the body.
    void TakeEvents() {
      std::size_t begin = 0;
      for (std::size_t end; (end = body.find('\n', begin)) != body.npos; begin = end + 1) {
        std::string_view line = std::string_view(body).substr(begin, end - begin);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.empty() && !event.empty()) Take(std::exchange(event, ""));
        if (!line.starts_with("data:")) continue;
        line.remove_prefix(line.starts_with("data: ") ? 6 : 5);
        if (!event.empty()) event += '\n';
        event += line;
      }
      body.erase(0, begin);
    }

    void Take(std::string text) {
      JsonText read = ParseExactJson(text);
      if (!read.error.empty()) return;
      const auto take = [this](const ordered_json& json) {
        if (!id.is_null() && json.is_object() && !json.contains("method") &&
            (FieldAt(json, "id") == id || FieldAt(json, "id").is_null())) {
          answered = true;
          ordered_json out = json;  // errors of HTTP may come without the id
          out["id"] = id;
          of.lines_.push_back(DumpJson(out));
        } else {
          of.lines_.push_back(DumpJson(json));
        }
      };
      if (!read.json.is_array()) return take(read.json);
      for (const ordered_json& one : read.json) take(one);
    }

    McpHttp& of;
    CURL* handle = nullptr;
    curl_slist* list = nullptr;
    ordered_json id;
    bool expects = false;  // an answer
    bool answered = false;
    bool is_stream = false;
    bool too_long = false;
    std::string request, body, event, session;
  };

  void TakeEnded() {
    int left = 0;
    while (const CURLMsg* const message = curl_->multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      const auto found = transfers_.find(message->easy_handle);
      if (found == transfers_.end()) continue;
      Transfer& transfer = *found->second;
      long status = 0;
      curl_->easy_getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
      if (!transfer.session.empty()) session_ = transfer.session;
      if (transfer.too_long) {
        if (transfer.expects && !transfer.answered) too_long_.push_back(transfer.id);
        transfers_.erase(found);
        continue;
      }
      if (transfer.is_stream) transfer.body += "\n\n", transfer.TakeEvents();
      else if (!transfer.body.empty()) transfer.Take(transfer.body);
      if (transfer.expects && !transfer.answered) {
        const std::string why = code != CURLE_OK ? curl_->WhyNot(code)
                                : status >= 400  ? fmt::format("the status {}", status)
                                                 : "no answer";
        lines_.push_back(DumpJson(RpcError(transfer.id, kTransportError, "HTTP: " + why)));
      }
      transfers_.erase(found);
    }
  }

  // The end of a session of the legacy era is not told: servers forget sessions that are not used.
  void Stop() {
    transfers_.clear();
    lines_.clear();
    too_long_.clear();
    session_.clear();
    if (multi_ != nullptr) curl_->multi_cleanup(multi_);
    multi_ = nullptr;
  }

  std::shared_ptr<const McpServer> server_;
  const Curl* curl_ = nullptr;
  CURLM* multi_ = nullptr;
  std::map<CURL*, std::unique_ptr<Transfer>> transfers_;
  std::deque<std::string> lines_;
  std::vector<ordered_json> too_long_;  // ids of answers that were dropped
  std::vector<std::string> headers_;
  std::string version_, session_;
};

}  // namespace

std::unique_ptr<McpTransport> MakeMcpHttp(std::shared_ptr<const McpServer> server) {
  return std::make_unique<McpHttp>(std::move(server));
}

}  // namespace rpl
