// SPDX-License-Identifier: Apache-2.0
//
// The names of one document: where each is defined and used.
//
// A name is a relation with its arity, a goal, a tool, or a variable of a group of sentences. A
// *group* is what shares its variables: a sentence, or a heading's signature with the sentences and
// the prose that its rule takes in (§17.2, §17.4). What does not parse has no occurrences; the rest
// keeps its own.
#ifndef RPL_SHELL_LSP_DOCUMENT_INDEX_H_
#define RPL_SHELL_LSP_DOCUMENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "shell/lsp/document_layout.h"
#include "shell/lsp/document_part.h"
#include "shell/lsp/workspace.h"

namespace rpl::lsp {

class DocumentIndex {
 public:
  /// `before`: an index of an earlier text of the file, whose parts that are the same are not read
  /// again; the result does not depend on it. May be null.
  explicit DocumentIndex(File file, const DocumentIndex* before = nullptr);
  DocumentIndex(const DocumentIndex&) = delete;

  const TextFile& file() const { return *file_; }
  const DocumentLayout& layout() const { return layout_; }
  std::string_view Text(Span span) const {
    return std::string_view(file_->text).substr(span.begin, span.end - span.begin);
  }
  /// In document order.
  const std::vector<Occurrence>& occurrences() const { return occurrences_; }

  /// The innermost occurrence at an offset, with its mark and namespace, or that ends there; null
  /// if there is none. O(log occurrences + those of one place).
  const Occurrence* At(std::uint32_t offset) const;
  /// Those of a relation, goal or tool, in document order.
  std::vector<const Occurrence*> Of(const Name& name) const { return Used(kNoGroup, name); }
  /// Those of the same variable; of another name as Of.
  std::vector<const Occurrence*> SameAs(const Occurrence& occurrence) const;
  /// The definitions: heads, or else facts.
  std::vector<const Occurrence*> Definitions(const Name& name) const;
  /// The spans of variables of that name that are keys of binding patterns, `^^ {?x 1}`.
  std::vector<Span> BindingKeys(const std::string& name) const;
  /// The relations, goals or tools that occur, once each, in order.
  std::vector<Name> NamesOf(NameKind kind) const;

  /// Whether an emphasised span of prose names the relation of that label, instead of a variable:
  /// it is unary, and has facts or rules that are no headings (decision 75).
  bool IsNamedInProse(const std::string& label) const { return offered_.contains(label); }
  /// The place where `$index` reads rows into the relation of that label, if one does.
  std::optional<Span> IndexedAt(const std::string& label) const;

  /// The prose below the heading of a scope.
  std::string ProseOf(int scope) const;
  /// Whether all text of the regions has been read.
  bool is_whole() const { return !HasErrors(layout_.findings); }

 private:
  static constexpr int kNoGroup = -1;

  // An occurrence by its group, if it is a variable, and the hash of its name.
  struct Use {
    int group;
    std::size_t hash;
    std::uint32_t occurrence;
    friend auto operator<=>(const Use&, const Use&) = default;
  };

  void ReadParts(const DocumentCuts& cuts, const DocumentIndex* before);
  void AddOccurrences();
  void NameProse(const std::vector<std::uint32_t>& prose);
  bool IsVariableAbove(int scope, const std::string& name) const;
  std::vector<const Occurrence*> Used(int group, const Name& name) const;

  const File file_;
  std::vector<PlacedPart> parts_;
  DocumentLayout layout_;
  std::vector<Occurrence> occurrences_;
  std::vector<Use> uses_;                    // in order
  std::unordered_set<std::string> offered_;  // labels that prose may name
};
using Index = std::shared_ptr<const DocumentIndex>;

/// The indexes of files that were asked for last. May be called from any thread.
class IndexCache {
 public:
  Index Of(const File& file);

 private:
  static constexpr std::size_t kMost = 4'096;

  std::mutex mutex_;
  std::map<std::string, std::pair<File, Index>> known_;  // by URI
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_DOCUMENT_INDEX_H_
