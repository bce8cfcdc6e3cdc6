// SPDX-License-Identifier: Apache-2.0
//
// Colour for people at a terminal. It is an addition: without it the same words stand there, and
// what another program reads never has any.
#ifndef RPL_SHELL_TERMINAL_COLOURS_H_
#define RPL_SHELL_TERMINAL_COLOURS_H_

#include <string>
#include <string_view>

namespace rpl {

/// Where colours are shown.
struct Colours {
  bool out = false;  // standard output
  bool err = false;  // standard error
};

/// `when` is auto, always or never. Auto respects NO_COLOR and TERM, and requires a terminal.
Colours ColoursFor(std::string_view when);

inline constexpr std::string_view kRed = "\033[1;31m";
inline constexpr std::string_view kGreen = "\033[32m";
inline constexpr std::string_view kBold = "\033[1m";

/// The text, which is Printable already, within a mark if `on`.
std::string Marked(std::string_view text, std::string_view mark, bool on);

/// Findings as Render formats them, with their severity in colour if `on`.
std::string MarkedFindings(std::string findings, bool on);

}  // namespace rpl

#endif  // RPL_SHELL_TERMINAL_COLOURS_H_
