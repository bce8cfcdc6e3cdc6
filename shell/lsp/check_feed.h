// SPDX-License-Identifier: Apache-2.0
//
// Findings that follow the text: a worker checks a document when it has changed, and the documents
// that name it.
//
// A check begins a moment after the last change, so that fast typing does not start one for each
// key. The moment is half as long as the last check of the document took, but no change waits
// longer than the client's patience. The result of a text that has changed meanwhile is published
// only if the client has had none for a while; the newer text is checked at once.
#ifndef RPL_SHELL_LSP_CHECK_FEED_H_
#define RPL_SHELL_LSP_CHECK_FEED_H_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "shell/lsp/workspace.h"
#include "shell/serving/worker_pool.h"

namespace rpl::lsp {

class Project;
struct ProgramCheck;

class CheckFeed {
 public:
  using Publish = std::function<void(const ProgramCheck&)>;

  /// Borrows the project and the pool. `publish` is called on a worker.
  CheckFeed(Project& project, WorkerPool& pool, Publish publish)
      : project_(project),
        pool_(pool),
        strand_(std::make_shared<Strand>(pool)),
        publish_(std::move(publish)) {}

  /// An open document has changed. A file that is only on disk has: the documents that name it are
  /// checked.
  void Changed(const std::string& uri);
  /// A document was closed: it has no findings any more.
  void Closed(const std::string& uri);

  /// The check of this text, if it was the last one of its document; else it is made now.
  std::shared_ptr<const ProgramCheck> CheckOf(const File& file);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kDelay{10};
  static constexpr std::chrono::milliseconds kPatience{500};

  struct State {
    std::uint64_t alarm = 0;    // in the pool; 0: none
    Clock::time_point changed;  // first, since the last alarm
    Clock::duration pause = kDelay;
    bool queued = false;
    std::shared_ptr<const ProgramCheck> last;
    Clock::time_point published;
  };

  void Schedule(const std::string& uri);  // under the lock
  void Queue(const std::string& uri);
  void Run(const std::string& uri);

  Project& project_;
  WorkerPool& pool_;
  const std::shared_ptr<Strand> strand_;
  const Publish publish_;
  std::mutex mutex_;
  std::map<std::string, State> states_;  // by URI, of open documents
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_CHECK_FEED_H_
