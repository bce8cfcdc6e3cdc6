// SPDX-License-Identifier: Apache-2.0
#include "shell/terminal/controlling_terminal.h"

#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

namespace rpl {

ControllingTerminal::ControllingTerminal() : fd_(open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)) {}

ControllingTerminal::~ControllingTerminal() {
  if (fd_ >= 0) close(fd_);
}

std::string ControllingTerminal::Name() const {
  // /dev/tty is named so itself; the terminal behind it is what the standard files name.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (const char* name = ttyname(fd)) return name;
  return "";
}

void ControllingTerminal::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(fd_, text.data(), text.size());
    if (n < 0 && errno != EINTR) return;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
}

std::optional<std::string> ControllingTerminal::Ask(std::string_view prompt, bool hidden) {
  if (!IsOpen()) return std::nullopt;
  termios before = {};
  const bool silent = hidden && tcgetattr(fd_, &before) == 0;
  if (silent) {
    termios without_echo = before;
    without_echo.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    without_echo.c_lflag |= ECHONL;
    tcsetattr(fd_, TCSAFLUSH, &without_echo);
  }
  Write(prompt);
  std::optional<std::string> line;
  char c = 0;
  while (read(fd_, &c, 1) == 1) {  // a Ctrl-C ends it, too
    if (!line) line.emplace();
    if (c == '\n') break;
    *line += c;
  }
  if (silent) tcsetattr(fd_, TCSAFLUSH, &before);
  return c == '\n' ? line : std::nullopt;
}

}  // namespace rpl
