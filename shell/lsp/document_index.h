// SPDX-License-Identifier: Apache-2.0
//
// The names of one document: where each is defined and used.
//
// A name is a relation with its arity, a goal, a tool, or a variable of a group of sentences. A
// *group* is what shares its variables: a sentence, or a heading's signature with the sentences and
// the prose that its rule takes in (§17.2, §17.4). The parts of a document that do not parse have
// no occurrences; the others keep theirs.
#ifndef RPL_SHELL_LSP_DOCUMENT_INDEX_H_
#define RPL_SHELL_LSP_DOCUMENT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grammar/document.h"
#include "grammar/markdown.h"
#include "interp/program/program.h"
#include "shell/lsp/workspace.h"

namespace rpl::lsp {

enum class NameKind : std::uint8_t { kRelation, kGoal, kTool, kLvar, kAvar };

/// A relation, goal or tool as a document names it. `space`: "" for its own, `file.md`, `std`.
struct Name {
  NameKind kind = NameKind::kRelation;
  std::string space;
  std::string label;      // without mark and namespace; "" for the root goal
  std::size_t arity = 0;  // of a relation, else 0

  friend auto operator<=>(const Name&, const Name&) = default;

  bool is_variable() const { return kind == NameKind::kLvar || kind == NameKind::kAvar; }
  /// "edge/2", "%far", "$stock", "?x".
  std::string Text() const;
};

struct Occurrence {
  enum class Role : std::uint8_t {
    kHead,   // of a rule or a heading
    kFact,   // asserted
    kUse,    // anything else
    kProse,  // `__first name__`
  };
  Name name;
  Role role = Role::kUse;
  Span span;                   // of the label, without mark and namespace
  Span whole;                  // of the call or variable
  int sentence = -1;           // index into sentences(); -1 in prose
  int group = -1;              // of a variable
  const Node* call = nullptr;  // of a relation, goal or tool outside prose

  bool defines() const { return role == Role::kHead || role == Role::kFact; }
};

struct IndexedSentence {
  const Sentence* sentence = nullptr;
  int scope = 0;
  bool signature = false;
  bool fenced = false;
  SentenceRole role = SentenceRole::kSignature;
  int group = 0;
};

class DocumentIndex {
 public:
  explicit DocumentIndex(File file);
  DocumentIndex(const DocumentIndex&) = delete;

  const TextFile& file() const { return *file_; }
  const Sources& sources() const { return sources_; }
  const Document& document() const { return document_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// The findings of the readers.
  const std::vector<Diagnostic>& findings() const { return findings_.all(); }
  /// In document order.
  const std::vector<IndexedSentence>& sentences() const { return sentences_; }
  const std::vector<Occurrence>& occurrences() const { return occurrences_; }

  /// The innermost occurrence at an offset, with its mark and namespace, or that ends there; null
  /// if there is none. O(log occurrences + those of one place).
  const Occurrence* At(std::uint32_t offset) const;
  /// Those of a relation, goal or tool, in document order.
  std::vector<const Occurrence*> Of(const Name& name) const;
  /// Those of the same variable; of another name as Of.
  std::vector<const Occurrence*> SameAs(const Occurrence& occurrence) const;
  /// The definitions: heads, or else facts.
  std::vector<const Occurrence*> Definitions(const Name& name) const;
  /// The spans of variables of that name that are keys of binding patterns, `^^ {?x 1}`.
  std::vector<Span> BindingKeys(const std::string& name) const;

  /// Whether an emphasised span of prose names the relation of that label, instead of a variable:
  /// it is unary, and has facts or rules that are no headings (decision 75).
  bool IsNamedInProse(const std::string& label) const { return offered_.contains(label); }
  /// The place where `$index` reads rows into the relation of that label, if one does.
  std::optional<Span> IndexedAt(const std::string& label) const;

  /// The prose below the heading of a scope.
  std::string ProseOf(int scope) const;
  /// The parts of the text that are RPL: fences, bare sentences, signatures; in order and disjoint.
  const std::vector<Span>& regions() const { return regions_; }
  /// Whether all text of the regions has been read.
  bool is_whole() const { return !findings_.has_errors(); }

 private:
  class Collector;

  void FindGroups(const std::vector<SentenceReading>& readings);
  void AddProse();
  void FindRegions();
  int GroupOfScope(int scope) const;

  const File file_;
  Sources sources_;
  Diagnostics findings_;
  Document document_;
  std::vector<Block> blocks_;
  std::vector<IndexedSentence> sentences_;
  std::vector<int> signature_of_;  // by scope: index into sentences_, or -1
  std::vector<Occurrence> occurrences_;
  std::multimap<Name, std::size_t> by_name_;  // relations, goals, tools
  std::map<std::pair<int, Name>, std::vector<std::size_t>> by_group_;
  std::multimap<std::string, Span> binding_keys_;
  std::set<std::string> offered_;  // labels that prose may name
  std::vector<Span> regions_;
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
