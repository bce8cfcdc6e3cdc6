// SPDX-License-Identifier: Apache-2.0
//
// File namespaces (§17.7, decision 77): `file.md#rel` refers to `rel` of another file. A namespace
// with a dot names a file; `std` names the library (std/std.md), whose text is part of the program;
// any other is only a prefix.
#ifndef RPL_GRAMMAR_NAMESPACES_H_
#define RPL_GRAMMAR_NAMESPACES_H_

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/document.h"

namespace rpl {

/// The namespace of the library.
inline constexpr std::string_view kLibrary = "std";

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
/// namespace, and %fail. Tools keep their names, and so do spans of prose, since they may be
/// variables: they name relations of `document.prefix`. REQUIRES: the document was read with
/// FactForm::kSentences.
void PrefixLabels(Document& document, const std::string& file);

/// Reads documents with the files that their labels name (§17.7), each file once.
class NamespaceReader {
 public:
  /// The text of a file beside the documents; nullopt when there is none. Empty: there are none.
  using FileReader = std::function<std::optional<std::string>(const std::string& name)>;
  /// What the file was when it was read before, or now with `read`.
  using Record = std::function<std::optional<std::string>(
      const std::string& name, const std::function<std::optional<std::string>()>& read)>;
  /// Takes in a document. `named`: it is such a file, and its labels have its prefix.
  using Take = std::function<void(Document document, bool named, Diagnostics& found)>;

  NamespaceReader(Sources& sources, Take take) : sources_(sources), take_(std::move(take)) {}

  void SetFiles(FileReader files) { files_ = std::move(files); }
  /// Every file is read through `record`, the library too. Empty: none is.
  void SetRecord(Record record) { record_ = std::move(record); }

  /// Hands over the files that `document` names, and theirs, each before the document that names
  /// it, then the document. A file that is not there is a finding, once.
  void Read(Document document, Diagnostics& found);
  /// The same for the files alone.
  void ReadFiles(const std::vector<FileUse>& wanted, Diagnostics& found);

  /// The files that are not there.
  const std::set<std::string>& missing() const { return missing_; }

 private:
  void Read(Document document, bool named, Diagnostics& found);
  std::optional<std::string> TextOf(const std::string& name) const;

  Sources& sources_;
  Take take_;
  FileReader files_;
  Record record_;
  std::set<std::string> seen_;
  std::set<std::string> missing_;
};

}  // namespace rpl

#endif  // RPL_GRAMMAR_NAMESPACES_H_
