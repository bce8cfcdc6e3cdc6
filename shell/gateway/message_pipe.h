// SPDX-License-Identifier: Apache-2.0
//
// Standard input and output as the pipe of a protocol: a queue of messages to the client, the
// channel apart from what else the process writes, and signals that end a server.
#ifndef RPL_SHELL_GATEWAY_MESSAGE_PIPE_H_
#define RPL_SHELL_GATEWAY_MESSAGE_PIPE_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace rpl {

/// Writes messages in the order in which they come; one thread writes, so that a client that reads
/// slowly delays nothing until much is queued. It must outlive the threads that send.
class MessageWriter {
 public:
  explicit MessageWriter(int fd);
  MessageWriter(const MessageWriter&) = delete;

  /// Queues the bytes of a message. Dropped when the client no longer reads. Any thread.
  void Send(std::string bytes);
  /// Writes what is queued, for at most `most`. Nothing is sent any more.
  void Close(std::chrono::milliseconds most);

 private:
  static constexpr std::size_t kMostQueued = std::size_t{16} << 20;  // bytes

  void Write();
  bool WriteAll(std::string_view text) const;

  const int fd_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> messages_;
  std::size_t bytes_ = 0;
  bool closed_ = false;
  std::thread thread_;
};

/// The channel of the protocol: what else is written to standard output goes to standard error from
/// now on.
int TakeStandardOutput();

/// A descriptor that can be read when a signal comes that ends the server. REQUIRES: these signals
/// are blocked.
int SignalsAsInput();

}  // namespace rpl

#endif  // RPL_SHELL_GATEWAY_MESSAGE_PIPE_H_
