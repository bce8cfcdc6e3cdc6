// SPDX-License-Identifier: Apache-2.0
#include "shell/mcp/http_connection.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <deque>

#include "formats/data/json_text.h"
#include "shell/mcp/http_address.h"
#include "shell/mcp/http_head.h"
#include "shell/mcp/mcp_service.h"
#include "shell/serving/web_handler.h"

namespace rpl {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using nlohmann::ordered_json;
using Error = beast::error_code;

constexpr std::uint64_t kMostBody = 16u << 20;
constexpr std::uint32_t kMostHeader = 32u << 10;
constexpr std::size_t kMostConnections = 512;
constexpr std::size_t kMostStreams = 256;
constexpr std::size_t kMostSessions = 1024;
constexpr std::size_t kMostEnded = 10'000;
constexpr std::size_t kMostQueuedBytes = 64u << 20;
constexpr const char* kSessionPurpose = "session";
constexpr std::int64_t kSessionSeconds = 7 * 86'400;
constexpr std::size_t kMostUnread = 4 * kMostBody;  // of a request that was refused
constexpr std::size_t kUnreadPiece = 64u << 10;
constexpr auto kReadTime = std::chrono::seconds(30);
constexpr auto kIdleTime = std::chrono::seconds(120);
constexpr auto kWriteTime = std::chrono::seconds(30);
constexpr auto kKeepAlive = std::chrono::seconds(15);

constexpr const char* kVersionHeader = "MCP-Protocol-Version";
constexpr const char* kSessionHeader = "Mcp-Session-Id";
constexpr const char* kMethodHeader = "Mcp-Method";
constexpr const char* kNameHeader = "Mcp-Name";

std::string StringOf(beast::string_view text) { return std::string(text.data(), text.size()); }

// Whether a version is one that comes after the handshakes.
bool LooksModern(const std::string& version) { return version > kLegacyRevisions[0]; }

// The one value that the header Mcp-Name repeats, or null.
const ordered_json* NamedBy(const RpcMessage& message) {
  const bool named = message.method == "tools/call" || message.method == "prompts/get";
  const char* const key = named ? "name" : message.method == "resources/read" ? "uri" : nullptr;
  if (key == nullptr) return nullptr;
  const auto at = message.params.find(key);
  return at == message.params.end() ? nullptr : &*at;
}

// What stands before the body of a request.
HttpHead HeadOf(const http::request_parser<http::string_body>& parser) {
  const auto& header = parser.get();
  const auto length = parser.content_length();
  HttpHead head(StringOf(header.method_string()), StringOf(header.target()),
                header.chunked() || (length && *length > 0));
  for (const char* name : HttpHead::kHeaders) {
    const auto [begin, end] = header.equal_range(name);
    for (auto at = begin; at != end; ++at) head.Add(name, StringOf(at->value()));
  }
  return head;
}

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(tcp::socket socket, HttpHub& hub)
      : stream_(std::move(socket)), hub_(hub), timer_(hub.loop) {
    ++hub_.connections;
  }
  ~HttpConnection() {
    StopWaiting();
    --hub_.connections;
    if (streaming_) --hub_.streams;
  }

  void Read() {
    WaitForClient();
    parser_.emplace();
    parser_->body_limit(kMostBody);
    parser_->header_limit(kMostHeader);
    stream_.expires_after(first_ ? kReadTime : kIdleTime);
    first_ = false;
    http::async_read_header(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](Error error, std::size_t) { self->HaveHeader(error); });
  }

  /// Takes a message for the open call. Any thread.
  void Post(const ordered_json& message) {
    const bool last = message.is_array() || !message.contains("method");
    asio::post(hub_.loop,
               [self = shared_from_this(), message, last] { self->Deliver(message, last); });
  }

  void Refuse(http::status status, const std::string& text) {
    Send(Response(status, text + "\n", "text/plain"));
  }

 private:
  using Answer = http::response<http::string_body>;

  Answer Response(http::status status, std::string body, const char* type) {
    Answer answer{status, parser_ ? parser_->get().version() : 11};
    answer.set(http::field::server, "rpl");
    if (!body.empty()) answer.set(http::field::content_type, type);
    answer.keep_alive(keep_alive_);
    answer.body() = std::move(body);
    answer.prepare_payload();
    return answer;
  }

  Answer Fault(http::status status, const ordered_json& id, int code, const std::string& message,
               ordered_json data = nullptr) {
    return Response(status, DumpJson(RpcError(id, code, message, std::move(data))),
                    "application/json");
  }

  void Send(Answer answer) {
    WaitForClient();
    auto held = std::make_shared<Answer>(std::move(answer));
    stream_.expires_after(kWriteTime);
    http::async_write(stream_, *held, [self = shared_from_this(), held](Error error, std::size_t) {
      if (error) return self->Close();
      if (held->keep_alive()) return self->Read();
      if (self->unread_ == 0) return self->Close();
      Error ignored;
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
      self->stream_.expires_after(kReadTime);  // for all that is skipped
      self->SkipUnread();
    });
  }

  // Ends a connection whose client may still be sending: what comes is thrown away, a bounded
  // amount. If it were closed at once, a reset would answer the rest, and take from the client what
  // it has not read yet: the reason.
  void SkipUnread() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(std::min(unread_, kUnreadPiece)),
                            [self = shared_from_this()](Error error, std::size_t size) {
                              self->unread_ -= size;
                              if (error || self->unread_ == 0) return self->Close();
                              self->SkipUnread();
                            });
  }

  // It waits for bytes of the client, or for the client to take some: it may be closed for another.
  void WaitForClient() {
    StopWaiting();
    waiting_ = hub_.waiting.insert(hub_.waiting.end(), [this] { Close(); });
  }
  void StopWaiting() {
    if (waiting_) hub_.waiting.erase(*waiting_);
    waiting_.reset();
  }

  void Close() {
    StopWaiting();
    open_ = false;
    Error ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
    stream_.close();
    timer_.cancel();
    EndCall(true);
    held_ = nullptr;  // the caller holds it
  }

  // The call has no connection any more; `lost`: the client left before its end.
  void EndCall(bool lost) {
    if (call_ != nullptr && call_->modern) {
      if (lost) call_->Cancel();
      RpcServer::Leave(*call_->peer);
    }
    call_ = nullptr;
  }

  // --- A request -------------------------------------------------------------------------------

  void HaveHeader(Error error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
      return RefuseAndClose(http::status::request_header_fields_too_large,
                            "the header is too large");
    if (error == http::error::body_limit) return RefuseBody();
    if (error == http::error::end_of_stream || error == beast::error::timeout ||
        error == asio::error::operation_aborted || error == asio::error::connection_reset)
      return Close();
    if (error) return RefuseAndClose(http::status::bad_request, "this is no request of HTTP");
    keep_alive_ = parser_->get().keep_alive();
    if (hub_.connections > kMostConnections) {  // this one ends at once
      keep_alive_ = false;
      return Refuse(http::status::service_unavailable, "too many connections");
    }
    head_ = HeadOf(*parser_);
    if (const std::string fault = head_.Fault(); !fault.empty())
      return RefuseAndClose(http::status::bad_request, fault);
    const auto refused =
        static_cast<http::status>(head_.Refusal(hub_.settings, hub_.local, hub_.server != nullptr));
    if (refused != http::status::ok) {
      EndAfterAnswer();
      const bool unauthorized = refused == http::status::unauthorized;
      Answer answer =
          Response(refused, unauthorized ? "a token is required\n" : "refused\n", "text/plain");
      if (unauthorized) answer.set(http::field::www_authenticate, "Bearer");
      if (refused == http::status::method_not_allowed)
        answer.set(http::field::allow, "POST, DELETE");
      return Send(std::move(answer));
    }
    if (parser_->content_length() && *parser_->content_length() > kMostBody) return RefuseBody();
    if (head_.Header("Expect") == "100-continue") {
      auto go_on = std::make_shared<http::response<http::empty_body>>(http::status::continue_, 11);
      http::async_write(stream_, *go_on, [self = shared_from_this(), go_on](Error e, std::size_t) {
        if (e) return self->Close();
        self->ReadBody();
      });
      return;
    }
    ReadBody();
  }

  void ReadBody() {
    stream_.expires_after(kReadTime);
    http::async_read(
        stream_, buffer_, *parser_, [self = shared_from_this()](Error error, std::size_t) {
          if (error == http::error::body_limit) return self->RefuseBody();
          if (error.category() == Error(http::error::bad_chunk).category())
            return self->RefuseAndClose(http::status::bad_request, "the body is none of HTTP");
          if (error) return self->Close();
          self->HaveRequest();
        });
  }

  // What follows may be a body: it is not taken.
  void EndAfterAnswer() {
    keep_alive_ = false;
    unread_ = kMostUnread;
  }

  void RefuseAndClose(http::status status, const std::string& text) {
    EndAfterAnswer();
    Refuse(status, text);
  }

  void RefuseBody() {
    RefuseAndClose(
        http::status::payload_too_large,
        fmt::format("the body has more than {} MiB, the most that is taken", kMostBody >> 20));
  }

  // A request for the handler.
  void TakeOther() {
    const std::string& target = head_.target();
    const std::size_t query = target.find('?');
    const std::string* const tenant = head_.Tenant(hub_.settings);
    WebRequest request{StringOf(parser_->get().method_string()),
                       target.substr(0, query),
                       query == target.npos ? "" : target.substr(query + 1),
                       std::move(parser_->get().body()),
                       tenant == nullptr ? "" : *tenant,
                       head_.Header("Idempotency-Key"),
                       head_.Header("traceparent")};
    OpenCall(nullptr);
    const std::weak_ptr<HttpConnection> self = weak_from_this();
    hub_.settings.handler->Take(std::move(request), [self](WebAnswer answer) {
      const auto held = self.lock();
      if (held == nullptr) return;
      asio::post(held->hub_.loop, [held, answer = std::move(answer)] {
        if (held->open_) held->SendOther(answer);
      });
    });
  }

  void SendOther(const WebAnswer& given) {
    open_ = false;
    Error ignored;
    stream_.socket().cancel(ignored);
    Answer answer =
        Response(static_cast<http::status>(given.status), given.body, given.type.c_str());
    for (const auto& [name, value] : given.headers) answer.set(name, value);
    Send(std::move(answer));
    held_ = nullptr;
  }

  void HaveRequest() {
    head_ = HeadOf(*parser_);  // with what came behind the body
    if (head_.Path() != "/mcp" || hub_.server == nullptr) return TakeOther();
    if (hub_.draining) {
      Answer answer =
          Response(http::status::service_unavailable, "this process ends\n", "text/plain");
      answer.set(http::field::retry_after, "2");
      return Send(std::move(answer));
    }
    if (parser_->get().method() == http::verb::delete_) return Delete();
    const std::string& body = parser_->get().body();
    const std::string version = head_.Header(kVersionHeader);
    auto read = ReadRpcJson(body);
    if (const auto* fault = std::get_if<RpcFault>(&read))
      return Send(Fault(http::status::bad_request, fault->id, fault->code, fault->message));
    auto& json = std::get<ordered_json>(read);
    if (json.is_array()) return TakeBatch(json, body);
    auto parsed = RpcMessageOf(std::move(json));
    if (const auto* fault = std::get_if<RpcFault>(&parsed))
      return Send(Fault(http::status::bad_request, fault->id, fault->code, fault->message));
    RpcMessage message = std::move(std::get<RpcMessage>(parsed));
    const auto meta =
        message.params.is_object() ? message.params.find("_meta") : message.params.end();
    const bool names_version = message.params.is_object() && meta != message.params.end() &&
                               meta->is_object() && meta->contains(kMetaVersion);
    if (names_version || (message.method != "initialize" && LooksModern(version)))
      return TakeModern(std::move(message), version);
    TakeLegacy(std::move(message), version);
  }

  void Delete() {
    const std::string session = head_.Header(kSessionHeader);
    // A session that many processes serve is in its id, and ends with its time.
    if (session.empty() || LooksModern(head_.Header(kVersionHeader)) ||
        hub_.service->runs.shared()) {
      Answer answer = Response(http::status::method_not_allowed, "", "");
      answer.set(http::field::allow, "POST");
      return Send(std::move(answer));
    }
    const bool there = hub_.FindSession(session, head_.Who(hub_.settings)) != nullptr;
    if (there) hub_.EndSession(session);
    Send(Response(there ? http::status::no_content : http::status::not_found, "", ""));
  }

  // --- Modern ------------------------------------------------------------------------------------

  void TakeModern(RpcMessage message, const std::string& version) {
    const auto mismatch = [&](const std::string& text) {
      Send(Fault(http::status::bad_request, message.id, kRpcHeaderMismatch, text));
    };
    if (message.kind == RpcMessage::Kind::kResponse)
      return Send(Fault(http::status::bad_request, nullptr, kRpcInvalidRequest,
                        "a POST is a request, and this is a response"));
    const auto meta = message.params.find("_meta");
    const bool named = meta != message.params.end() && meta->is_object() &&
                       meta->contains(kMetaVersion) && (*meta)[kMetaVersion].is_string();
    if (version.empty()) return mismatch(fmt::format("the header {} is missing", kVersionHeader));
    if (named && (*meta)[kMetaVersion].get<std::string>() != version)
      return mismatch(fmt::format("{} is {}, the body says {}", kVersionHeader, version,
                                  (*meta)[kMetaVersion].get<std::string>()));
    if (message.kind == RpcMessage::Kind::kRequest && !IsModernRevision(version))
      return Send(Fault(http::status::bad_request, message.id, kRpcUnsupportedVersion,
                        "Unsupported protocol version: " + version,
                        {{"supported", kModernRevisions}, {"requested", version}}));
    const auto method = HeaderText(head_.Header(kMethodHeader));
    // A notification may come without it, as from clients that set it for requests alone.
    const bool needed =
        message.kind == RpcMessage::Kind::kRequest || !head_.Header(kMethodHeader).empty();
    if (needed && (!method || *method != message.method))
      return mismatch(
          fmt::format("{} is {}, the body calls {}", kMethodHeader,
                      head_.Header(kMethodHeader).empty() ? "missing" : head_.Header(kMethodHeader),
                      message.method));
    if (const ordered_json* name = NamedBy(message); name != nullptr) {
      const auto header = HeaderText(head_.Header(kNameHeader));
      if (!name->is_string() || !header || *header != name->get<std::string>())
        return mismatch(
            fmt::format("{} is {}, the body names {}", kNameHeader,
                        head_.Header(kNameHeader).empty() ? "missing" : head_.Header(kNameHeader),
                        name->is_string() ? name->get<std::string>() : "nothing"));
    }
    if (message.kind == RpcMessage::Kind::kNotification)
      return Send(Response(http::status::accepted, "", ""));
    if (!named)
      return Send(Fault(http::status::bad_request, message.id, kRpcInvalidParams,
                        fmt::format("`_meta` lacks `{}`", kMetaVersion)));
    Begin(std::make_shared<McpPeer>(head_.Who(hub_.settings)), std::move(message));
  }

  // --- With a session
  // ------------------------------------------------------------------------------

  void TakeLegacy(RpcMessage message, const std::string& version) {
    if (!version.empty() && message.method != "initialize" && !IsLegacyRevision(version))
      return Send(Fault(http::status::bad_request, message.id, kRpcInvalidRequest,
                        "unsupported " + std::string(kVersionHeader) + ": " + version));
    if (message.kind == RpcMessage::Kind::kRequest && message.method == "initialize") {
      new_peer_ = std::make_shared<McpPeer>(head_.Who(hub_.settings), "m1-" + RandomText(18));
      return Begin(new_peer_, std::move(message));
    }
    const std::shared_ptr<McpPeer> peer = Session(message.id);
    if (peer == nullptr) return;
    if (message.kind == RpcMessage::Kind::kResponse) return TakeResponse(peer, std::move(message));
    if (message.kind != RpcMessage::Kind::kRequest) {
      hub_.server->Take(peer, std::move(message), nullptr);
      return Send(Response(http::status::accepted, "", ""));
    }
    Begin(peer, std::move(message));
  }

  // What an answer says is stored before it is acknowledged.
  void TakeResponse(const std::shared_ptr<McpPeer>& peer, RpcMessage message) {
    stream_.expires_never();
    hub_.service->pool.Post([self = shared_from_this(), peer, message = std::move(message)] {
      const std::string fault = self->hub_.server->TakeResponse(peer, message);
      asio::post(self->hub_.loop, [self, fault] {
        if (fault.empty()) return self->Send(self->Response(http::status::accepted, "", ""));
        self->Refuse(http::status::service_unavailable, "the answer is not stored: " + fault);
      });
    });
  }

  // The peer of the session; null: the request was answered.
  std::shared_ptr<McpPeer> Session(const ordered_json& id) {
    const std::string session = head_.Header(kSessionHeader);
    if (std::shared_ptr<McpPeer> peer = hub_.FindSession(session, head_.Who(hub_.settings)))
      return peer;
    if (session.empty())
      Send(Fault(http::status::bad_request, id, kRpcInvalidRequest,
                 fmt::format("the header {} is missing: begin with initialize", kSessionHeader)));
    else
      Send(Fault(http::status::not_found, id, kRpcInvalidRequest,
                 "there is no such session: begin with initialize"));
    return nullptr;
  }

  void TakeBatch(const ordered_json& batch, const std::string& body) {
    const std::string session = head_.Header(kSessionHeader);
    const std::shared_ptr<McpPeer> peer = hub_.FindSession(session, head_.Who(hub_.settings));
    bool batches = false;
    if (peer != nullptr) {
      const std::lock_guard lock(peer->mutex);
      batches = peer->revision == "2025-03-26";
    }
    if (!batches)
      return Send(Fault(http::status::bad_request, nullptr, kRpcInvalidRequest,
                        "a message is a JSON object"));
    OpenCall(nullptr);
    bool any = false;
    const std::weak_ptr<HttpConnection> self = weak_from_this();
    hub_.server->TakeLine(
        peer, body,
        [self](const ordered_json& message) {
          if (const auto held = self.lock()) held->Post(message);
        },
        [](const RpcFault&) {});
    for (const ordered_json& each : batch)
      any = any || (each.is_object() && each.contains("id") && each.contains("method"));
    if (!any) {
      open_ = false;
      Send(Response(http::status::accepted, "", ""));
      held_ = nullptr;
    }
  }

  // --- A call
  // ----------------------------------------------------------------------------------------

  void OpenCall(std::shared_ptr<McpCall> call) {
    StopWaiting();
    call_ = std::move(call);
    open_ = true;
    began_ = false;
    held_ = shared_from_this();
    stream_.expires_never();
    WatchForEnd();
  }

  void Begin(const std::shared_ptr<McpPeer>& peer, RpcMessage message) {
    OpenCall(nullptr);
    const std::weak_ptr<HttpConnection> self = weak_from_this();
    call_ = hub_.server->Take(peer, std::move(message), [self](const ordered_json& sent) {
      if (const auto held = self.lock()) held->Post(sent);
    });
    if (call_ != nullptr)
      call_->dropped = [self] {
        if (const auto held = self.lock())
          asio::post(held->hub_.loop, [held] {
            if (held->open_) held->EndWithoutAnswer();
          });
      };
  }

  // Of a call that is cancelled by another request there is no response: its stream ends, which has
  // no event if it has not begun.
  void EndWithoutAnswer() {
    open_ = false;
    if (began_) return Enqueue("", true);
    Error ignored;
    stream_.socket().cancel(ignored);
    EndCall(false);
    Answer answer = Response(http::status::ok, "", "");
    answer.set(http::field::content_type, "text/event-stream");
    Send(std::move(answer));
    held_ = nullptr;
  }

  // Notices that the client has left while a call is open.
  void WatchForEnd() {
    stream_.socket().async_wait(tcp::socket::wait_read, [self = shared_from_this()](Error error) {
      if (error || !self->open_) return;
      char byte = 0;
      const ssize_t n =
          recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
      if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        self->open_ = false;
        self->Close();
      }
      // Anything else is the next request, which waits.
    });
  }

  // A message for the open call.
  void Deliver(const ordered_json& message, bool last) {
    if (!open_) return;
    if (!began_ && last) {
      open_ = false;
      Error ignored;
      stream_.socket().cancel(ignored);
      Answer answer = Response(StatusOf(message), DumpJson(message), "application/json");
      if (new_peer_ != nullptr) answer.set(kSessionHeader, hub_.NewSession(std::move(new_peer_)));
      new_peer_ = nullptr;
      EndCall(false);
      Send(std::move(answer));
      held_ = nullptr;
      return;
    }
    if (!began_) BeginStream();
    if (!open_) return;
    Enqueue("event: message\ndata: " + DumpJson(message) + "\n\n", last);
  }

  http::status StatusOf(const ordered_json& message) const {
    if (!message.is_object() || !message.contains("error") || call_ == nullptr || !call_->modern)
      return http::status::ok;
    switch (message["error"].value("code", 0)) {
      case kRpcMethodNotFound: return http::status::not_found;
      case kRpcUnsupportedVersion:
      case kRpcMissingCapability:
      case kRpcHeaderMismatch: return http::status::bad_request;
      case kRpcInvalidParams: return call_->settled ? http::status::ok : http::status::bad_request;
      case kRpcInternalError: return http::status::internal_server_error;
      default: return http::status::ok;
    }
  }

  void BeginStream() {
    if (hub_.streams >= kMostStreams) {
      open_ = false;
      EndCall(true);
      return RefuseAndClose(http::status::service_unavailable, "too many streams");
    }
    began_ = true;
    streaming_ = true;
    ++hub_.streams;
    http::response<http::empty_body> header{http::status::ok, 11};
    header.set(http::field::server, "rpl");
    header.set(http::field::content_type, "text/event-stream");
    header.set(http::field::cache_control, "no-cache, no-transform");
    header.set("X-Accel-Buffering", "no");
    header.chunked(true);
    header.keep_alive(true);
    if (new_peer_ != nullptr) header.set(kSessionHeader, hub_.NewSession(std::move(new_peer_)));
    new_peer_ = nullptr;
    std::ostringstream text;
    text << header.base();  // without the end of the body
    queue_.push_back({text.str(), false});
    Write();
    KeepAlive();
  }

  void KeepAlive() {
    timer_.expires_after(kKeepAlive);
    timer_.async_wait([self = shared_from_this()](Error error) {
      if (error || !self->open_) return;
      self->Enqueue(":\n\n", false);
      self->KeepAlive();
    });
  }

  void Enqueue(const std::string& event, bool last) {
    std::string chunk = event.empty() ? "" : fmt::format("{:x}\r\n", event.size()) + event + "\r\n";
    if (last) chunk += "0\r\n\r\n";
    queued_bytes_ += chunk.size();
    queue_.push_back({std::move(chunk), last});
    if (queued_bytes_ > kMostQueuedBytes) return Close();  // a client that does not read
    Write();
  }

  void Write() {
    if (writing_ || queue_.empty()) return;
    writing_ = true;
    stream_.expires_after(kWriteTime);
    asio::async_write(stream_, asio::buffer(queue_.front().first),
                      [self = shared_from_this()](Error error, std::size_t) {
                        self->writing_ = false;
                        if (error) {
                          self->open_ = false;
                          return self->Close();
                        }
                        const auto [text, last] = std::move(self->queue_.front());
                        self->queue_.pop_front();
                        self->queued_bytes_ -= std::min(self->queued_bytes_, text.size());
                        if (last) return self->EndStream();
                        self->stream_.expires_never();
                        self->Write();
                      });
  }

  void EndStream() {
    open_ = began_ = false;
    timer_.cancel();
    Error ignored;
    stream_.socket().cancel(ignored);
    if (streaming_) --hub_.streams;
    streaming_ = false;
    EndCall(false);
    Read();
    held_ = nullptr;
  }

  beast::tcp_stream stream_;
  HttpHub& hub_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpHead head_;                                                      // of the request in hand
  std::optional<std::list<std::function<void()>>::iterator> waiting_;  // in the hub
  bool first_ = true;
  bool keep_alive_ = true;
  std::size_t unread_ = 0;             // the most that is skipped before the end of the connection
  std::shared_ptr<McpPeer> new_peer_;  // of a handshake that has no answer yet
  std::shared_ptr<HttpConnection> held_;  // itself, while a call is open
  std::shared_ptr<McpCall> call_;         // the open one; null of a batch
  bool open_ = false;                     // a call is
  bool began_ = false;                    // its stream has
  bool streaming_ = false;                // counted
  bool writing_ = false;
  std::deque<std::pair<std::string, bool>> queue_;  // chunks; true: the last one
  std::size_t queued_bytes_ = 0;
};

}  // namespace

std::string HttpHub::NewSession(std::shared_ptr<McpPeer> peer) {
  std::string id;
  {
    const std::lock_guard lock(peer->mutex);
    id = service->seals.Seal(kSessionPurpose,
                             {{"id", peer->client},
                              {"who", peer->who},
                              {"revision", peer->revision.value_or("")},
                              {"forms", peer->forms}},
                             SecondsNow() + kSessionSeconds);
  }
  Keep(id, std::move(peer));
  return id;
}

void HttpHub::Keep(const std::string& id, std::shared_ptr<McpPeer> peer) {
  sessions[id] = std::move(peer);
  session_order.push_back(id);
  while (sessions.size() > kMostSessions) Forget(std::string(session_order.front()));
}

std::shared_ptr<McpPeer> HttpHub::FindSession(const std::string& id, const std::string& who) {
  if (const auto at = sessions.find(id); at != sessions.end())
    return at->second->who == who ? at->second : nullptr;
  if (ended.contains(id)) return nullptr;
  const auto sealed = service->seals.Open(kSessionPurpose, id, SecondsNow());
  if (!sealed || sealed->value("who", "") != who) return nullptr;
  auto peer = std::make_shared<McpPeer>(who, sealed->value("id", ""));
  if (const std::string revision = sealed->value("revision", ""); !revision.empty())
    peer->revision = revision;
  peer->forms = sealed->value("forms", false);
  Keep(id, peer);
  return peer;
}

void HttpHub::Forget(const std::string& id) {
  const auto at = sessions.find(id);
  if (at == sessions.end()) return;
  RpcServer::Leave(*at->second);
  sessions.erase(at);
  session_order.remove(id);
}

void HttpHub::EndSession(const std::string& id) {
  if (ended.size() >= kMostEnded) ended.clear();
  ended.insert(id);
  Forget(id);
}

void ServeConnection(tcp::socket socket, HttpHub& hub) {
  if (hub.connections >= kMostConnections && !hub.waiting.empty())
    std::function(hub.waiting.front())();
  // A worker may be the last to hold it, and its end is for the thread of the loop, too.
  const auto end = [&hub](HttpConnection* connection) {
    asio::dispatch(hub.loop, [ended = std::unique_ptr<HttpConnection>(connection)] {});
  };
  std::shared_ptr<HttpConnection>(new HttpConnection(std::move(socket), hub), end)->Read();
}

}  // namespace rpl
