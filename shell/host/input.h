// SPDX-License-Identifier: Apache-2.0
//
// What the shell reads: whole files, standard input, lines of a person; and Ctrl-C.
//
// Reads go to the system directly, because a stream of the standard library goes on
// waiting for input after a signal.
#ifndef RPL_SHELL_HOST_INPUT_H_
#define RPL_SHELL_HOST_INPUT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// The largest input taken in, in bytes; spans are 32 bits wide.
inline constexpr std::size_t kMaxInputBytes = std::size_t{1} << 30;

/// The bytes of a file, or why there are none ("No such file or directory").
struct Input {
  std::string text;
  std::string error;  // empty when `text` was read to its end
};
Input ReadFile(const std::string& path);
Input ReadStandardInput();

/// The next line of standard input without its line end. nullopt at the end of input and
/// after an interrupt.
std::optional<std::string> ReadLine();

/// Whether a person sits at standard input.
bool InputIsTerminal();

bool IsUtf8(std::string_view text);

/// From here on, the first `most` Ctrl-C only make Interrupted() true and end a wait for
/// input; the next one kills. The caller's thread and its later children only.
void CatchInterrupt(int most = 1);
bool Interrupted();
/// The Ctrl-C so far is dealt with: the next one counts as the first.
void ClearInterrupt();

}  // namespace rpl

#endif  // RPL_SHELL_HOST_INPUT_H_
