// SPDX-License-Identifier: Apache-2.0
//
// The terminal of this process, whatever its input and output are connected to: only a person
// types there, unless a program has made the terminal.
#ifndef RPL_SHELL_TERMINAL_CONTROLLING_TERMINAL_H_
#define RPL_SHELL_TERMINAL_CONTROLLING_TERMINAL_H_

#include <optional>
#include <string>
#include <string_view>

namespace rpl {

class ControllingTerminal {
 public:
  ControllingTerminal();
  ~ControllingTerminal();
  ControllingTerminal(const ControllingTerminal&) = delete;
  ControllingTerminal& operator=(const ControllingTerminal&) = delete;

  /// Whether there is one.
  bool IsOpen() const { return fd_ >= 0; }
  /// Its name, such as "/dev/pts/3"; "" if it is not known.
  std::string Name() const;

  /// Writes `prompt`, and reads a line without its end; with `hidden`, what is typed is not shown.
  /// nullopt at the end of input or Ctrl-C.
  std::optional<std::string> Ask(std::string_view prompt, bool hidden);

 private:
  void Write(std::string_view text);

  int fd_;
};

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_CONTROLLING_TERMINAL_H_
