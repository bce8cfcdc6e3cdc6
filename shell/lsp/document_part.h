// SPDX-License-Identifier: Apache-2.0
//
// The reading of a part of a document: from one heading to the next, as a rule.
//
// A part depends on its own text alone, and its places count from its begin. So the parts of a text
// that an edit left as they were are those of the text before it (DocumentIndex).
#ifndef RPL_SHELL_LSP_DOCUMENT_PART_H_
#define RPL_SHELL_LSP_DOCUMENT_PART_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grammar/document.h"
#include "interp/program/novelty.h"

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
  std::size_t Hash() const;
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
  Span span;          // of the label, without mark and namespace
  Span whole;         // of the call or variable
  int sentence = -1;  // index into sentences(); -1 in prose
  int group = -1;     // of a variable
  const Node* call =
      nullptr;  // of a relation, goal or tool outside prose; its places are the part's

  bool defines() const { return role == Role::kHead || role == Role::kFact; }
};

/// A sentence or the signature of a heading.
struct PartSentence {
  const Sentence* sentence = nullptr;
  int scope = 0;
  bool signature = false;
  bool fenced = false;
  /// kConjoined and kRefused depend on other parts: a document decides about them again.
  SentenceRole role = SentenceRole::kSignature;
};

class DocumentPart {
 public:
  /// `name` is that of the whole file.
  DocumentPart(std::string name, std::string text);
  DocumentPart(const DocumentPart&) = delete;

  std::string_view text() const { return sources_.at(0).text; }
  const Document& document() const { return document_; }
  /// The findings of the readers.
  const std::vector<Diagnostic>& findings() const { return findings_.all(); }
  /// In document order.
  const std::vector<PartSentence>& sentences() const { return sentences_; }
  /// In document order. Those of sentences have no group. Those of prose are variables, whatever
  /// they are in the document, and have their scope as a group.
  const std::vector<Occurrence>& occurrences() const { return occurrences_; }
  /// Of the names of the occurrences.
  const std::vector<std::size_t>& hashes() const { return hashes_; }
  /// The variables in the signature of a scope.
  const std::vector<std::string>& VariablesOf(std::size_t scope) const { return variables_[scope]; }
  /// Variables that are keys of binding patterns, `^^ {?x 1}`.
  const std::multimap<std::string, Span>& binding_keys() const { return binding_keys_; }
  /// The labels that prose may name (DocumentIndex::IsNamedInProse).
  const std::set<std::string>& offered() const { return offered_; }

 private:
  class Collector;

  void AddSentences(std::vector<SentenceReading> readings);
  void AddProse();

  Sources sources_;
  Diagnostics findings_;
  Document document_;
  std::vector<PartSentence> sentences_;
  std::vector<Occurrence> occurrences_;
  std::vector<std::size_t> hashes_;
  std::vector<std::vector<std::string>> variables_;  // by scope
  std::multimap<std::string, Span> binding_keys_;
  std::set<std::string> offered_;
};

}  // namespace rpl::lsp

#endif  // RPL_SHELL_LSP_DOCUMENT_PART_H_
