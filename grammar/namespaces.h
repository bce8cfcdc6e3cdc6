// SPDX-License-Identifier: Apache-2.0
//
// File namespaces (§17.7, decision 77): `file.md#rel` is `rel` of another file. A namespace
// names a file when it has a dot; any other is only a prefix.
#ifndef RPL_GRAMMAR_NAMESPACES_H_
#define RPL_GRAMMAR_NAMESPACES_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

/// Reads documents with the files that their labels name (§17.7), each file once.
class NamespaceReader {
 public:
  /// The text of a file beside the documents; nullopt when there is none. Empty: there are none.
  using FileReader = std::function<std::optional<std::string>(const std::string& name)>;
  /// Takes in a document. `named`: it is such a file, and its labels have its prefix.
  using Take = std::function<void(Document document, bool named, Diagnostics& found)>;

  NamespaceReader(Sources& sources, Take take) : sources_(sources), take_(std::move(take)) {}

  void SetFiles(FileReader files) { files_ = std::move(files); }

  /// Hands over the files that `document` names, and theirs, each before the document that names
  /// it, then the document. A file that is not there is a finding, once.
  void Read(Document document, Diagnostics& found);
  /// The same for the files alone.
  void ReadFiles(const std::vector<FileUse>& wanted, Diagnostics& found);

  /// The files that are not there.
  const std::set<std::string>& missing() const { return missing_; }

 private:
  void Read(Document document, bool named, Diagnostics& found);

  Sources& sources_;
  Take take_;
  FileReader files_;
  std::set<std::string> seen_;
  std::set<std::string> missing_;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_NAMESPACES_H_
