// SPDX-License-Identifier: Apache-2.0
//
// Lowering: from a sentence of the syntax tree to normal form (interp/program/clause.h).
//
// A Lowering serves one sentence: it numbers the slots, resolves labels to relations (declaring
// them in the store), and reduces equivalent spellings to one: `?v = $t()` and `^ :result ?v`,
// `!%g` and `%g ^ false`, `^:bindings` and `^^`. A sentence without a meaning is reported and gives
// nullopt; nothing is guessed.
#ifndef RPL_INTERP_PROGRAM_LOWER_H_
#define RPL_INTERP_PROGRAM_LOWER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interp/program/program.h"

namespace rpl {

/// The context that a heading gives to the rules below it.
struct HeadingContext {
  std::string title;
  std::shared_ptr<const HeadingProse> words;  // the prompt of its questions; null for none
  std::vector<std::string> spans;             // emphasised names of no variable above, normalised
  bool signature = false;
  std::string prefix = {};               // of the document's labels, or ""
  std::vector<std::string> offers = {};  // of `spans`, those that may name relations
};

/// The space of calls with this namespace.
Space SpaceOf(Namespace ns);

/// Whether the node is a tool call or a bare avar, whose result `?v = …` takes (§13.3).
bool IsToolOrAvar(const Node& node);

/// `tail, ?r -> inner(?x)` as `tail -> ?r -> inner(?x)`: it pins the form of ?r (decision 19).
/// nullopt for any other rule.
std::optional<Rule> WithPin(const Rule& rule);

/// Whether the rule is %fail("reason", "explanation") as a statement: the author's own failure
/// (§15.7).
bool IsFailure(const Rule& rule);

/// The argument of a head that is `std#least(…)` or `std#greatest(…)`; null for others.
const Call* ExtremumCall(const Node& arg);

class Lowering {
 public:
  Lowering(Program& program, const HeadingContext& heading, Diagnostics& out)
      : program_(program), heading_(heading), out_(out) {}

  /// The goal of a double implication, and the number of its rule.
  struct Method {
    Node goal;
    int rule;
  };
  /// One head of a rule with the whole tail. `method` (may be null): of the heads before it. If the
  /// rule applies only while that goal does not hold, this head holds only when the goal holds by
  /// this rule (§16.6, decision 37).
  Definition Define(const Node& head, const Rule& rule, Span span, const Method* method = nullptr);
  /// A collected heading, which asks for its free arguments (decision 70).
  Collected Collect(const Node& head);
  /// left -> right, or an obligation when `rule` has no constraint part.
  Constraint Constrain(const Rule& rule, Span span);

  /// Whether an error was reported since construction.
  bool failed() const { return failed_; }

 private:
  struct Annotation;  // a form with suffixes

  SlotId SlotOf(const std::string& name, bool avar);
  SlotId FreshSlot();
  Pattern Term(const Node& node, bool open = false);
  Pattern CollectionPattern(const Collection& c, bool open);
  Pattern Fold(Pattern p);
  Expr Compute(const Node& node, Clauses& before);
  void Tail(const Node& node, Clauses& out);
  void BinaryClause(const Node& node, const Binary& b, Clauses& out);
  void CallClause(const Node& node, const Call& call, Clauses& out, SlotId row);
  Value StartOf(const Pattern& p);
  void NameCall(const Node& node, const std::string& label, Clauses& out);
  void AnnotatedClause(const Node& node, const Annotated& a, Clauses& out);
  void ShownField(const Annotation& of, const Node& key, const Node& value, Clauses& out);
  void FieldsSuffix(const Annotation& of, const Collection& fields, Clauses& out);
  void MatchInstances(const Annotation& of, const OwnSlots& own, Pattern& map);
  void BindingsSuffix(const Annotation& of, Pattern pattern, Clauses& out);
  void NestedRule(const Rule& rule, Clauses& out);
  void HeadOf(const Node& head, const Rule& rule, Definition& def);
  void MatchArgument(const Node& node, Pattern& arg, Clauses& out);
  void TextsOf(Definition& def);
  const Node& ExtremumOf(const Node& arg, const Call& head, Definition& def);
  void ConstraintsOf(const Rule& rule, const Call* own, Definition& def);
  void Activation(const std::vector<Abductive>& abductives, Definition& to);
  struct Activations;  // a function for each abductive
  Pattern MetadataPattern(const Node& value, bool bindings);
  OwnSlots OwnOf(const Node& form);
  void ReadAvars(Clauses& body, const std::vector<Pattern>& head);
  void ReadAvars(Clauses& body, const std::vector<Pattern>& head, std::vector<bool>& dealt_with);
  SlotId ResolvedIn(const Clause& clause) const;
  void CheckTemplates(const Clauses& body, const std::vector<Pattern>& head);
  void CheckHead(const Node& head, const Definition& def);
  void Fail(Code code, Span span, std::string message, std::string hint = "");
  void Push(Clauses& out, const Node& node, decltype(Clause::is) is);
  int QuestionFor(const std::string& name, const std::string& subject);
  const std::map<std::size_t, RelationId>& Options();

  Program& program_;
  const HeadingContext& heading_;
  Diagnostics& out_;
  bool failed_ = false;
  bool activation_ = false;
  std::vector<std::string> names_;
  std::vector<bool> avar_;
  std::map<std::string, SlotId> slots_;
  std::map<std::string, const Node*> forms_;                 // ?t = call(…) of this sentence
  SharedText prompt_;                                        // of the heading, made on first use
  std::unordered_map<std::string_view, std::size_t> spans_;  // that it offers, by name
  std::size_t related_ = 0;                                  // relations looked up in spans_ so far
  std::map<std::size_t, RelationId> options_;                // those found, by their span
  std::vector<SlotId> row_slots_;                            // rows of the atoms lowered in a group
};

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_LOWER_H_
