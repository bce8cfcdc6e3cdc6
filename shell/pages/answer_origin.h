// SPDX-License-Identifier: Apache-2.0
//
// The origin of the values of an answer, as far as the store knows it: stated in a text,
// answered, replied by a tool, read from a file, or derived by rules.
//
// A value of a goal is a column of the rows that the rule of the goal reads. The origin is told if
// all rows that match the answer agree; a value that nothing shows stays without one. Of several
// relations that have the value, an answer or reply counts more than a rule, and a rule more than
// a statement.
#ifndef RPL_SHELL_PAGES_ANSWER_ORIGIN_H_
#define RPL_SHELL_PAGES_ANSWER_ORIGIN_H_

#include <map>
#include <optional>
#include <string>

#include "formats/diagnostic.h"
#include "runtime/outcome.h"

namespace rpl {

class Session;

struct AnswerOrigin {
  /// By weight.
  enum class Kind { kStated, kDerived, kFile, kTool, kAnswered };
  Kind kind = Kind::kStated;
  std::optional<Span> place;  // kStated: of the fact
};

/// The origins of the only answer of an outcome, by the name of its column, "?x". Empty if there
/// are several answers, or several rules that could have given it. O(rows of the relations that the
/// rule reads), of at most 100,000 rows each.
std::map<std::string, AnswerOrigin> OriginsOf(const Outcome& outcome, const Session& session);

}  // namespace rpl

#endif  // RPL_SHELL_PAGES_ANSWER_ORIGIN_H_
