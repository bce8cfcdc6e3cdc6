// SPDX-License-Identifier: Apache-2.0
//
// The dispatcher of the Language Server Protocol: messages to features.
//
// Take is called by one thread, which reads: it applies changes in their order and answers what
// needs no evaluation. Checks, proofs and answers run on workers, so the reader is never busy for
// long, and a request that evaluates can be cancelled.
//
// A request before `initialize`, after `shutdown` or of an unknown method is an error; unknown
// notifications are passed over. No message ends the server but `exit`.
#ifndef RPL_SHELL_LSP_LSP_SERVER_H_
#define RPL_SHELL_LSP_LSP_SERVER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "formats/data/json_rpc.h"
#include "shell/lsp/project.h"
#include "shell/serving/worker_pool.h"

namespace rpl::lsp {

class CheckFeed;

/// Codes of errors that the protocol adds to those of JSON-RPC.
enum LspCode : int {
  kNotInitialized = -32002,
  kRequestFailed = -32803,
  kRequestCancelled = -32800,
};

struct RequestError {
  int code;
  std::string message;
};
/// The result of a request, why it has none, or nothing yet: a worker sends it.
using Reply = std::variant<Json, RequestError, std::monostate>;

class LspServer {
 public:
  using Sink = std::function<void(const Json& message)>;

  /// `send` is called by any thread.
  explicit LspServer(Sink send);
  ~LspServer();
  LspServer(const LspServer&) = delete;

  /// Takes the body of a message.
  void Take(std::string_view body);
  /// Takes note of a frame that cannot be read.
  void TakeFault(const std::string& reason);

  /// Set after `exit`: 0 if `shutdown` came before it, else 1.
  std::optional<int> exit_code() const { return exit_code_; }
  /// The process of the client, by `initialize`; 0 if it is not known.
  int client_process() const { return client_process_; }

  struct Method;

 private:
  using Flag = std::shared_ptr<std::atomic<bool>>;
  static const Method kMethods[];

  void TakeRequest(RpcMessage message);
  void TakeNotification(const RpcMessage& message);
  Reply ReplyTo(const RpcMessage& message);
  void Send(const Json& id, Reply reply);
  void Log(const std::string& text);

  Json Initialize(const Json& params);
  Reply Hover(const Json& id, const Json& params);
  Reply Actions(const Json& params);
  Reply PrepareRename(const Json& params);
  Reply RenameTo(const Json& params);
  Reply Format(const Json& params, bool whole);
  Reply Tokens(const Json& params, bool whole);
  Reply Hints(const Json& params);
  Reply Execute(const Json& id, const Json& params);

  void WatchedFiles(const Json& params);
  /// Posts what evaluates: `work` gives the result.
  Reply Evaluate(const Json& id, std::function<Json(const Flag& cancelled)> work);

  const Sink send_;
  Project project_;
  WorkerPool pool_;
  const std::unique_ptr<CheckFeed> feed_;
  const std::shared_ptr<Strand> evaluations_;
  bool initialized_ = false;
  bool shut_down_ = false;
  bool watches_ = false;  // the client reports changed files if it is asked to
  std::optional<int> exit_code_;
  int client_process_ = 0;
  std::mutex mutex_;
  std::map<std::string, Flag> open_;  // requests that evaluate, by their id as JSON
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_LSP_SERVER_H_
