// SPDX-License-Identifier: Apache-2.0
//
// File namespaces (§17.7, decision 77): `file.md#rel` refers to `rel` of another file. A namespace
// with a dot names a file; any other is only a prefix.
#ifndef RPL_GRAMMAR_NAMESPACES_H_
#define RPL_GRAMMAR_NAMESPACES_H_

#include <string>
#include <vector>

#include "grammar/document.h"

namespace rpl {

/// A file named by the label of a call, and the span of the call.
struct FileUse {
  std::string file;
  Span span;
};

/// The files named by the labels of a document or of one sentence, in written order, with
/// repetitions. Trace entries in a document (§12.3) do not count: they record what held and load no
/// file.
std::vector<FileUse> FilesNamed(const Document& document);
std::vector<FileUse> FilesNamed(const Sentence& sentence);

/// Adds the prefix `file#` to every relation and goal of `document`, except to those that have a
/// namespace, the root goal and %fail. Tools keep their names. REQUIRES: the document was read with
/// FactForm::kSentences.
void PrefixLabels(Document& document, const std::string& file);

}  // namespace rpl

#endif  // RPL_GRAMMAR_NAMESPACES_H_
