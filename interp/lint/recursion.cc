// SPDX-License-Identifier: Apache-2.0
//
// Recursion that makes a larger value of each row (Analysis::Endless).
#include <string>

#include "interp/lint/context.h"
#include "interp/plan/analysis.h"
#include "interp/store/store.h"

namespace rpl::check {
namespace {

// The text on one line, shortened.
std::string Shown(const std::string& text) {
  constexpr std::size_t kMost = 60;
  std::string out = text.substr(0, text.find('\n'));
  if (out.size() > kMost) out = out.substr(0, kMost) + "…";
  return "`" + out + "`";
}

}  // namespace

void CheckRecursion(Context& context) {
  const Analysis& analysis = context.engine.analysis;
  for (const Analysis::Endless& endless : analysis.endless()) {
    const std::string name = context.engine.store.at(endless.relation).name();
    const std::string by = endless.clause.empty() ? "its rule" : "`" + endless.clause + "`";
    std::string what = "`" + name + "` has no end: " + by + " makes a larger value of each row";
    std::string hint = "bound the values in the rule, as by `?n < 100` or `|?l| < 10`";
    const std::string needs =
        endless.modes.Text([](std::size_t i) { return "argument " + std::to_string(i + 1); });
    if (!needs.empty() && !endless.reader_text.empty()) {
      what += ", and " + Shown(endless.reader_text) + " does not bind " + needs;
      hint = "bind it wherever `" + name + "` is read, or " + hint;
    }
    context.Add(Code::kEndlessRecursion, endless.span, what, hint);
  }
}

}  // namespace rpl::check
