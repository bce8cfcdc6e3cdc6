// SPDX-License-Identifier: Apache-2.0
//
// The program: the loaded documents in normal form, in order of loading.
//
// Load conjoins the parts of a document (§17.3, §17.4, decisions 70-76) and lowers it
// sentence by sentence: facts are returned to be asserted (they are novelty of a
// timestep, phase 2), definitions and constraints join the program. Erroneous sentences are
// reported and omitted. Loading twice accumulates (§18.2).
//
// Owns its definitions and constraints; references stay valid. Borrows the store.
#ifndef RPL_INTERP_PROGRAM_PROGRAM_H_
#define RPL_INTERP_PROGRAM_PROGRAM_H_

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grammar/document.h"
#include "interp/program/assertion.h"
#include "interp/program/clause.h"
#include "interp/program/novelty.h"
#include "interp/store/relation_id.h"

namespace rpl {

class Relation;
class Store;

/// The question to a person for a bare avar or an argument (§13, §17.2).
struct ArgumentQuestion {
  std::string name;     // the avar's or argument's name
  std::string subject;  // the call that it belongs to: "draft(?draft-id)", "$focus"
  SharedText prompt;    // prose of the heading, or the name
  std::shared_ptr<const HeadingProse> words;  // the same prose, or null
  RelationId options = kNoId;                 // a unary relation: choices, if it is asked alone
  std::string offers = {};  // else the label of one that may be stated later, or ""
};

/// A heading with a head and no tail (decision 70): one question per argument.
struct Collected {
  RelationId relation;
  std::vector<int> questions;
  Span span;
};

/// left -> right (§12). `forbids`: the right side is `false`.
struct Constraint {
  int number = 0;
  Clauses left;
  Clauses right;  // empty for `-> true` and bare sentences
  bool forbids = false;
  bool obligation = false;  // A -> true or a bare sentence: pending, never violated
  bool guards = false;      // forbids calls: see CallGuard
  std::vector<std::string> slots;
  std::vector<bool> avar;
  OwnSlots own;
  Span span;
  std::string text;
  std::string heading;
  std::shared_ptr<const HeadingProse> words;  // under the heading above it, or null
  std::string reported;                       // text of the left side, for traces
};

/// A constraint that forbids calls: `$refund(?o, ?a), ?a > 200 -> false`, or `-> approved(?o)`
/// where nothing else binds an argument of the call. It is not an invariant over replies but a
/// condition on calls, decided before each goes out (§18.3, phase 8). So its tool atoms read
/// relations of calls, and never call:
///
///   pending   the call to decide
///   called    the pending call, the calls in flight, and those made
///   made      the calls made: `not $auth()` reads these
struct CallGuard {
  int constraint = 0;  // its number
  /// For each call on its left side, the constraint in which that call is the pending one, and the
  /// others are any.
  struct Reading {
    RelationId tool;
    Constraint form;
  };
  std::vector<Reading> readings;
};
struct CallRelations {
  RelationId pending, called, made;
};

/// A goal with its rules, and its captures by position (decisions 61, 97).
struct Goal {
  RelationId relation;
  std::string label;
  std::vector<int> rules;       // numbers of definitions, in written order
  std::vector<Value> captures;  // of the rule that captures most
  /// The captures of all rules, each list once, in the order of the rules.
  std::vector<std::vector<Value>> forms;

  /// Those of the first rule that captures so many; null without one.
  const std::vector<Value>* FormOf(std::size_t count) const;

  /// Whether a run may pursue it: no report of a failure, and no goal of a file that is only named
  /// (decision 91).
  bool IsPursued() const { return label != "fail" && label.find('#') == std::string::npos; }
};

struct Builtin;  // interp/program/builtins.h

struct Declared {
  std::string name;  // "rel/1", "%goal/1", "$tool/1", "%"
  Span span;
  std::string heading;
  std::string prose;
};

class Program {
 public:
  Program(Store& store, const Sources& sources);
  Program(const Program&) = delete;

  /// Loads a document. Adds findings to `out`. Returns the facts to assert. `forbids`: whether the
  /// retraction of a call forbids it as well, as in a document of the program (decision 43).
  Novelty Load(const Document& document, Diagnostics& out, bool forbids = true);

  /// Lowers a goal form that does not join the program (decision 65). nullopt if it has errors,
  /// which are added to `out`. The definition's head is a fresh goal relation.
  std::optional<Definition> LowerQuery(const Sentence& query, Diagnostics& out);

  const std::deque<Definition>& definitions() const { return definitions_; }
  /// Whether the definition belongs to the program, not to a query.
  bool Has(const Definition& def) const {
    const auto number = static_cast<std::size_t>(def.number);
    return number < definitions_.size() && &definitions_[number] == &def;
  }
  const std::deque<Constraint>& constraints() const { return constraints_; }
  const std::deque<CallGuard>& guards() const { return guards_; }
  /// The relations that guards read for a tool; created on first use.
  CallRelations CallsOf(RelationId tool);
  /// The names of the arguments of a tool or a built-in relation, from its heading; null if it has
  /// none.
  const std::vector<std::string>* ParametersOf(RelationId relation) const;
  const std::vector<ArgumentQuestion>& questions() const { return questions_; }
  const ArgumentQuestion& QuestionAt(int number) const {
    return questions_[static_cast<std::size_t>(number)];
  }
  /// The relation whose rows a question offers, of those known by now, or kNoId.
  RelationId OptionsOf(const ArgumentQuestion& question) const;
  /// The question about an argument of a heading.
  const ArgumentQuestion& QuestionOf(const Collected& heading, std::size_t argument) const {
    return QuestionAt(heading.questions[argument]);
  }
  /// Goals in the order of their first rule. The root goal has the empty label.
  const std::vector<Goal>& goals() const { return goals_; }
  const Goal* FindGoal(std::string_view label) const;
  /// Whether the goal has a rule or a trace (decision 100).
  bool IsDefinedGoal(RelationId goal) const {
    return goal_of_.contains(goal) || told_goals_.contains(goal);
  }
  /// Reports calls of goals with more arguments than the goal captures (decision 61).
  void CheckGoalCalls(const Clauses& clauses, Diagnostics& out) const;
  const Collected* FindCollected(RelationId relation) const;
  /// The row of the table of built-in relations, if a heading declares the relation; else null.
  const Builtin* FindBuiltin(RelationId relation) const;
  std::size_t collected_count() const { return collected_.size(); }
  /// The definitions in headings and sentences, in document order, once each.
  const std::vector<Declared>& declared() const { return declared_; }
  /// The title of the heading above a sentence, "" if there is none.
  std::string HeadingAt(Span span) const;
  /// The prose below that heading; null if there is none.
  std::shared_ptr<const HeadingProse> ProseAt(Span span) const;
  /// Whether rules of the author or the engine answer calls of the tool, rather than a host.
  bool HasRules(RelationId relation) const;

  Store& store() { return store_; }
  const Store& store() const { return store_; }
  const Sources& sources() const { return sources_; }

 private:
  friend class Lowering;
  friend class Loader;

  void TakeGuard(Constraint& c);
  Store& store_;
  const Sources& sources_;
  std::deque<Definition> definitions_;
  std::deque<Constraint> constraints_;
  std::deque<CallGuard> guards_;
  std::unordered_map<RelationId, std::vector<std::string>> parameters_;
  std::vector<ArgumentQuestion> questions_;
  std::vector<Goal> goals_;
  std::set<std::set<std::string>> told_conjunctions_;    // clauses asserted by one sentence
  std::unordered_set<RelationId> told_goals_;            // with a trace, true or false
  std::unordered_map<RelationId, std::size_t> goal_of_;  // index into goals_
  std::unordered_map<RelationId, Collected> collected_;
  std::unordered_map<RelationId, const Builtin*> builtins_;
  std::vector<Declared> declared_;
  std::unordered_set<std::string> declared_names_;
  std::unordered_map<RelationId, int> rule_count_;
  std::unordered_map<RelationId, std::optional<Extremum>> extrema_;  // of relations with rules
  struct HeadingStart {
    std::uint32_t begin;
    std::string title;
    std::shared_ptr<const HeadingProse> words;
  };
  const HeadingStart* StartOf(Span span) const;
  std::unordered_map<std::uint32_t, std::vector<HeadingStart>> headings_;  // by file, in order
};

/// The captures of a goal's bindings map by position, kAbsent where it has none.
std::vector<Value> CapturedCells(Pool& pool, const Goal* goal, Value map, std::size_t count);
/// The same if the truth captures just that many: the names of a rule's captures, or numbers
/// from 1. Its other entries are context (decision 97). nullopt if not.
std::optional<std::vector<Value>> CapturedExactly(Pool& pool, const Goal* goal, Value map,
                                                  std::size_t count);

/// Whether calling the relation puts a question to a person.
bool IsQuestion(const Relation& relation);

/// `relation(1, "a")`; each value as Text shows it with `most` bytes.
std::string FactText(const Store& store, RelationId relation, std::span<const Value> row,
                     std::size_t most = kMaxTextBytes);

/// The retractions among a program's assertions, in order, of facts that no assertion or answer to
/// a question before them asserts and no rule may derive.
std::vector<const Assertion*> RetractionsOfNothing(const Program& program, const Store& store,
                                                   std::span<const Assertion> assertions,
                                                   std::span<const QuestionEntry> questions);

/// The value of a ground term; kNone if it is not ground. `?x` as the key of a map is a slot.
Value GroundValue(Pool& pool, const Node& node);

/// A Number literal's value.
Value NumberValue(Pool& pool, const Number& number);

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_PROGRAM_H_
