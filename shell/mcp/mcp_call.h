// SPDX-License-Identifier: Apache-2.0
//
// One request of a client, and the party that it came from.
//
// Two eras of MCP (§1 of the protocol's history: a handshake until 2025-11-25, none since
// 2026-07-28) differ in what a request carries and what its result must have. Handlers do not see
// this: they read a McpCall and give it a result once; the call adds what its era wants and leaves
// out what an old revision does not know.
//
// All functions may be called from any thread.
#ifndef RPL_SHELL_MCP_MCP_CALL_H_
#define RPL_SHELL_MCP_MCP_CALL_H_

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rpl {

/// Revisions with a handshake, the newest first, and those without.
inline constexpr std::string_view kLegacyRevisions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                                        "2024-11-05"};
inline constexpr std::string_view kModernRevisions[] = {"2026-07-28"};
/// Of a client that sends requests without a handshake.
inline constexpr std::string_view kAssumedRevision = "2025-03-26";

bool IsLegacyRevision(std::string_view revision);
bool IsModernRevision(std::string_view revision);

inline constexpr const char* kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr const char* kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr const char* kMetaServer = "io.modelcontextprotocol/serverInfo";
inline constexpr const char* kMetaSubscription = "io.modelcontextprotocol/subscriptionId";
inline constexpr const char* kTasksExtension = "io.modelcontextprotocol/tasks";

/// Takes messages for a client, whole ones, one at a time.
using McpSink = std::function<void(const nlohmann::ordered_json& message)>;

class McpCall;

/// A number from which on a peer counts its questions.
std::uint64_t FirstQuestion();

/// A party that talks to the server: a process on a pipe, or a session of HTTP. What the handshake
/// settled, and what is open. Modern requests change none of it but `calls` and `listening`.
struct McpPeer {
  explicit McpPeer(std::string who_it_is, std::string which = "")
      : who(std::move(who_it_is)), client(std::move(which)) {}

  const std::string who;  // whose runs it may use
  /// The client, among those of one party: the process on the pipe or the session of HTTP. "": a
  /// request without either, of which nobody knows whether another one is from the same client.
  const std::string client;
  McpSink send;  // for messages that belong to no request; empty: there is no way (HTTP)

  std::mutex mutex;                     // for all below
  std::optional<std::string> revision;  // after a handshake
  bool forms = false;                   // the client can show forms
  bool no_questions = false;            // it said that it could, and cannot
  bool left = false;                    // it is asked nothing any more
  /// Of the server's own requests. A session that several processes serve has a peer in each: they
  /// begin at different numbers, so that no answer is taken for that to another question.
  std::uint64_t last_question = FirstQuestion();
  /// What takes the responses to the server's own requests, by number, each once: the reason why
  /// what it says is not stored, or "". Those that nobody waits for any more are kept for a while,
  /// the latest ones.
  std::map<std::uint64_t, std::function<std::string(const nlohmann::ordered_json& result,
                                                    const nlohmann::ordered_json& error)>>
      asked;
  std::map<std::string, std::weak_ptr<McpCall>> calls;        // open ones, by id as JSON
  std::map<std::string, std::shared_ptr<McpCall>> listening;  // of subscriptions/listen, likewise
  std::set<std::string> subscribed;                           // URIs, of resources/subscribe
};

class McpCall : public std::enable_shared_from_this<McpCall> {
 public:
  std::shared_ptr<McpPeer> peer;
  nlohmann::ordered_json id;
  std::string method;
  nlohmann::ordered_json params;
  bool modern = false;
  std::string revision;
  bool settled = false;  // its `_meta` is that of its era
  bool forms = false;    // questions may be asked in forms
  bool tasks = false;    // the client knows tasks
  std::optional<nlohmann::ordered_json> progress_token;
  McpSink send;                        // for what belongs to this request
  std::function<void()> dropped = {};  // called when it is cancelled: nothing more is sent
  /// Called once, before the result or error is sent; not if it is cancelled.
  std::function<void()> answering = {};
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  /// Whether the revision is this one or a later one.
  bool Has(std::string_view since) const { return revision >= since; }

  /// Gives the result, in the form of its revision; what a list or a read gives may be kept for
  /// `ttl_ms` where this is not negative. Only the first result or error counts, and none after a
  /// cancellation. Whether it did.
  bool Reply(nlohmann::ordered_json result, std::int64_t ttl_ms = -1);
  /// The same for a result that is no complete one, `input_required` or `task`.
  bool ReplyAs(std::string_view type, nlohmann::ordered_json result);
  bool Fail(int code, std::string_view message, nlohmann::ordered_json data = nullptr);
  /// A result of a tool: the structured content, and the same as text.
  bool ReplyTool(nlohmann::ordered_json structured, bool is_error,
                 std::vector<nlohmann::ordered_json> links = {});
  bool done() const { return done_; }

  /// The client wants no result any more: nothing is sent for it from now on.
  void Cancel();
  bool cancelled() const { return cancelled_; }
  /// Called once when it is cancelled, at once if it is already; the last one set counts.
  void OnCancel(std::function<void()> stop);

  /// Tells how far it is, if the client wants to know. Numbers grow by themselves.
  void TellProgress(const std::string& message);

 private:
  bool End(const nlohmann::ordered_json& message);

  std::atomic<bool> done_ = false;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  std::function<void()> stop_;
  std::uint64_t told_ = 0;
};

/// The id of the server's own request of a number, with a sealed text or without; the number, 0 for
/// other ids; and the sealed text, or "".
std::string QuestionId(std::uint64_t number, const std::string& sealed = "");
std::uint64_t QuestionNumber(const nlohmann::ordered_json& id);
std::string QuestionSeal(const nlohmann::ordered_json& id);

/// The implementation as the protocol shows it: name, title, version.
nlohmann::ordered_json ServerInfo();

}  // namespace rpl

#endif  // RPL_SHELL_MCP_MCP_CALL_H_
