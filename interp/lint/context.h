// SPDX-License-Identifier: Apache-2.0
//
// State shared by the passes of the checker: the documents, their program, and the findings so far.
// Internal to interp/lint.
//
// Each sentence is a Part with the role that the loader gives it (interp/program/program.h); a part
// of a namespaced file defines, but is not checked. Facts of other files are no parts, but rows of
// the store.
#ifndef RPL_INTERP_LINT_CONTEXT_H_
#define RPL_INTERP_LINT_CONTEXT_H_

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/document.h"
#include "interp/eval/engine.h"
#include "interp/lint/checker.h"
#include "interp/program/program.h"

namespace rpl::check {

/// Begins the names of the library (std/std.md).
inline constexpr std::string_view kLibrary = "std#";

using Role = SentenceRole;

struct Part {
  const Document* document;
  const Sentence* sentence;
  int scope;
  Role role;
  bool checked;              // false in a namespaced file
  std::vector<int> targets;  // kConjoined: scopes whose signature it joins

  const Rule& rule() const { return sentence->rule; }
  const Scope& section() const { return document->scopes[static_cast<std::size_t>(scope)]; }
};

/// A relation with a file of facts: a call of it, and its first row or the start of the file.
struct GivenRelation {
  Call call;
  Span span;
};

struct Context {
  explicit Context(Sources& s) : sources(s), engine(s) {}

  void Add(Code code, Span span, std::string message, std::string hint = "",
           std::vector<Edit> edits = {});
  /// The same, also in a file that the checked ones only name: a run would meet it.
  void AddOfRun(Code code, Span span, std::string message, std::string hint = "",
                std::vector<Edit> edits = {});
  /// Likewise.
  void Add(Diagnostic found, std::vector<Edit> edits = {});
  void AddOfRun(Diagnostic found, std::vector<Edit> edits = {});

  /// Makes errors of the findings from `first` on: for them, the left side of a constraint can
  /// never hold (decision 93).
  void NeverHolds(std::size_t first);

  Sources& sources;
  std::deque<Document> documents;
  std::vector<Part> parts;  // by document, signatures and sentences in document order
  interp::Engine engine;    // nothing is derived
  std::vector<Assertion> assertions;
  std::vector<QuestionEntry> question_entries;          // placed among `assertions`
  std::unordered_set<RelationId> stated;                // those with facts in the documents
  std::vector<Novelty> given;                           // CheckOptions::facts
  std::map<RelationId, GivenRelation> given_relations;  // of these
  std::unordered_set<std::uint32_t> checked_files;
  std::set<std::string> host_tools;              // labels of tools that the host offers
  std::set<std::string> unread_files;            // namespaces that are missing or have errors
  std::unordered_set<std::string> broken_names;  // labels in text that did not parse
  std::unordered_set<std::string> broken_heads;  // those of them that begin a line
  std::vector<Finding> findings;
  /// Variables with a finding of their own, "file:begin of the sentence:?name": they get
  /// no second one for being used once. "*" for a whole sentence that asserts nothing.
  std::unordered_set<std::string> blamed;

  using At = std::pair<std::uint32_t, std::uint32_t>;  // a file, and an offset in it
  std::map<At, std::string> renamed;   // findings that rename "?x", "p", "%g" or "$t"
  std::map<At, std::string> misspelt;  // spans that such a renaming would resolve

  /// The remaining budget of Closest, so that a text full of misspellings takes linear time.
  std::size_t suggestions = 200'000;

  /// Calls `fn` for every fact that holds.
  void ForEachFact(const std::function<void(RelationId, std::span<const Value> row)>& fn) const;

  void Blame(Span sentence, const std::string& variable);
  bool IsBlamed(Span sentence, const std::string& variable) const;
};

/// The passes. All but CheckVariables and CheckRecursion run while the analysis is made: they use
/// neither it nor what else Engine::Prepare changes. CheckVariables comes after CheckForms, whose
/// Blame it heeds.
void CheckNames(Context& context);
void CheckForms(Context& context);
void CheckHabits(Context& context);
void CheckKinds(Context& context);
void CheckDocument(Context& context);
void CheckAuthority(Context& context);
void CheckVariables(Context& context);
void CheckRecursion(Context& context);

/// Adds edits to the findings of the readers that can be fixed mechanically.
void AddFixes(Context& context);

/// Removes findings that follow from findings with edits. To be called after ApplySuppressions: a
/// suppressed renaming explains nothing.
void DropWhatFollows(Context& context);

/// Removes suppressed findings, and reports wrong suppressions.
void ApplySuppressions(Context& context);

/// The name of a call as written: "p", "%goal", "$tool".
std::string NameOf(const Call& call);

/// The candidate closest to `got`, or "" if none is close. Subtracts the candidates compared from
/// `budget`, and stops when it is spent.
std::string Closest(std::string_view got, const std::vector<std::string>& candidates,
                    std::size_t& budget);

/// The key of a call: "edge/2", "$tool/1", and "%goal" whatever its arguments.
std::string KeyOf(const Call& call);

/// The first occurrence of the lvar or avar `name` (without mark) below `node`, also in templates;
/// else the span of `node`.
Span SpanOfVariable(const Sources& sources, const Node& node, const std::string& name);

}  // namespace rpl::check

#endif  // RPL_INTERP_LINT_CONTEXT_H_
