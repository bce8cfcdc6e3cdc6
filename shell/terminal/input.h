// SPDX-License-Identifier: Apache-2.0
//
// Input of the shell: whole files, standard input, lines of a person; and Ctrl-C.
//
// Reads are system calls, because a stream of the standard library continues to block after a
// signal.
#ifndef RPL_SHELL_TERMINAL_INPUT_H_
#define RPL_SHELL_TERMINAL_INPUT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "interp/store/by.h"

namespace rpl {

/// The maximal size of an input in bytes; spans are 32 bits wide.
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

/// The bytes of a file, or the reason why they are missing ("No such file or directory").
struct Input {
  std::string text;
  std::string error;  // empty if `text` is complete
};
/// Reads a whole file. The path is not interpreted: `-` is a file name.
Input ReadFile(const std::string& path);

/// Reads a file of facts: `-` is standard input, and what gzip compressed (`.gz`) is decompressed.
Input ReadRows(const std::string& path);
/// Reads standard input to its end.
Input ReadStandardInput();

/// The next line of standard input without its line end. nullopt at the end of input and after an
/// interrupt.
std::optional<std::string> ReadLine();

/// True if standard input is a terminal.
bool InputIsTerminal();
/// Who writes standard input: a person at a terminal, else a host.
By ByOfInput();

/// True if the text is UTF-8; NUL is allowed.
bool IsUtf8(std::string_view text);

/// From now on the first `most` Ctrl-C only make Interrupted() true and end a read; the next one
/// ends the process. Affects the whole process.
void CatchInterrupt(int most = 1);
/// True if Ctrl-C came since the last ClearInterrupt.
bool Interrupted();
/// True if it came, and Interrupted has not said so yet.
bool IsInterruptOpen();
/// Whether Interrupted was asked since the last call of this. Any thread.
bool TakePolled();
/// Resets the count: the next Ctrl-C is the first.
void ClearInterrupt();

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_INPUT_H_
