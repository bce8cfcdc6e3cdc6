// SPDX-License-Identifier: Apache-2.0
//
// File namespaces (§17.7, decision 77): `file.md#rel` is `rel` of another file. A namespace
// names a file when it has a dot; any other is only a prefix.
#ifndef RPL_GRAMMAR_NAMESPACES_H_
#define RPL_GRAMMAR_NAMESPACES_H_

#include <string>
#include <vector>

#include "grammar/document.h"

namespace rpl {

/// A label that names a file, where it stands.
struct FileUse {
  std::string file;
  Span span;
};

/// The files that the labels of a document, or of one sentence, name; in written order,
/// with repeats. Entries of a trace in a document need no file: they say what held.
std::vector<FileUse> FilesNamed(const Document& document);
std::vector<FileUse> FilesNamed(const Sentence& sentence);

/// Gives every relation and goal of `document` the prefix `file#`, except those that have a
/// namespace, the root goal and %fail.
void PrefixLabels(Document& document, const std::string& file);

}  // namespace rpl

#endif  // RPL_GRAMMAR_NAMESPACES_H_
