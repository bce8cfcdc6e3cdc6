// SPDX-License-Identifier: Apache-2.0
//
// The words for recorded RPL values: failures as sentences instead of terms.
#ifndef RPL_SHELL_PAGES_RECORDED_WORDS_H_
#define RPL_SHELL_PAGES_RECORDED_WORDS_H_

#include <optional>
#include <string>
#include <string_view>

namespace rpl {

/// The parts of `%fail("reason", "explanation")`; nullopt for any other text.
struct FailWords {
  std::string reason;
  std::string explanation;
};
std::optional<FailWords> FailWordsOf(std::string_view text);

/// The failure of a call, whose metadata are `{:status :error, :code "…", :message "…"}`: its
/// code and message. nullopt for any other text.
struct CallFailure {
  std::string code;
  std::string message;
};
std::optional<CallFailure> CallFailureOf(std::string_view text);

/// The text of a string literal; nullopt for any other text.
std::optional<std::string> StringOf(std::string_view text);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_RECORDED_WORDS_H_
