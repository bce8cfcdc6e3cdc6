// SPDX-License-Identifier: Apache-2.0
#include "shell/gateway/message_pipe.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace rpl {

MessageWriter::MessageWriter(int fd) : fd_(fd) {
  // Signals are for the thread that reads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  thread_ = std::thread([this] { Write(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void MessageWriter::Send(std::string bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closed_ || bytes_ < kMostQueued; });
  if (closed_) return;
  bytes_ += bytes.size();
  messages_.push_back(std::move(bytes));
  changed_.notify_all();
}

void MessageWriter::Close(std::chrono::milliseconds most) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [&] { return closed_ || bytes_ == 0; });
    closed_ = true;
  }
  changed_.notify_all();
  thread_.detach();  // it may be in a write that nobody reads
}

void MessageWriter::Write() {
  for (;;) {
    std::string message;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return closed_ || !messages_.empty(); });
      if (messages_.empty()) return;
      message = std::move(messages_.front());
      messages_.pop_front();
    }
    const bool written = WriteAll(message);
    {
      const std::lock_guard lock(mutex_);
      bytes_ -= message.size();
      if (!written) closed_ = true;
    }
    changed_.notify_all();
    if (!written) return;
  }
}

bool MessageWriter::WriteAll(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t n = write(fd_, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

int TakeStandardOutput() {
  const int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  return fd;
}

int SignalsAsInput() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signalfd(-1, &signals, SFD_CLOEXEC);
}

}  // namespace rpl
