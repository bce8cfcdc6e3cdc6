// SPDX-License-Identifier: Apache-2.0
//
// The text that is certainly RPL (decision 102): a fix changes nothing else, and text that only
// reads like RPL is no error. Internal to interp/lint.
#ifndef RPL_INTERP_LINT_CERTAINTY_H_
#define RPL_INTERP_LINT_CERTAINTY_H_

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

#include "formats/diagnostic.h"
#include "grammar/formatter.h"
#include "grammar/markdown.h"

namespace rpl::check {

struct Context;
struct Part;

/// Keeps what it finds out about the files of a context, whose parts do not change meanwhile.
class Certainty {
 public:
  explicit Certainty(const Context& context) : context_(context) {}

  /// True in a plain file and in a fence.
  bool IsInRpl(Span place);
  /// True for a sentence that is in one or has a mark of RPL.
  bool Is(const Part& part);
  /// True if the file has such a sentence.
  bool HasSentence(std::uint32_t file);
  /// True for text whose line has a mark of RPL, and for that of a file with such a sentence.
  bool IsLineOfRpl(Span place);

  /// The blocks of a document, and the one that begins at `place` or before it, or nullptr.
  const std::vector<Block>& BlocksOf(std::uint32_t file);
  const Block* BlockAt(Span place);

 private:
  const Context& context_;
  std::unordered_map<std::uint32_t, std::vector<Block>> blocks_;
  std::set<std::uint32_t> files_;  // with a sentence that is certain
  bool has_files_ = false;
};

/// True if, with `edits`, a sentence that begins with the line of the first or one of those above
/// it parses and reaches beyond the last; in a heading, a definition at its start or behind a ` -
/// `, to its end. Reads a limited number of lines and bytes around the edits. REQUIRES: there are
/// some, in order.
bool ReadsWith(const Sources& sources, const std::vector<Edit>& edits);

/// The same for text that continues a signature: the two as one sentence.
bool ContinuesWith(const Sources& sources, Span signature, const Edit& edit);

}  // namespace rpl::check

#endif  // RPL_INTERP_LINT_CERTAINTY_H_
