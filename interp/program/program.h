// SPDX-License-Identifier: Apache-2.0
//
// The program: what was loaded, in normal form, in the order it was loaded.
//
// Load conjoins what a document says (§17.3, §17.4, decisions 70-76) and lowers it
// sentence by sentence: facts are returned to be asserted (they are novelty of a
// timestep, phase 2), definitions and constraints join the program. What is wrong is
// reported and left out. Loading twice accumulates (§18.2).
//
// Owns its definitions and constraints; references stay valid. Borrows the store.
#ifndef RPL_INTERP_PROGRAM_PROGRAM_H_
#define RPL_INTERP_PROGRAM_PROGRAM_H_

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "grammar/document.h"
#include "interp/program/clause.h"
#include "interp/store/store.h"

namespace rpl {

/// What a person is asked for a bare avar or an argument (§13, §17.2).
struct Question {
  std::string name;            // the avar's or argument's name
  std::string subject;         // "draft(?draft-id)", "$focus": where it belongs
  SharedText prompt;           // prose of the heading, or the name
  RelationId options = kNoId;  // a unary relation whose facts are the choices
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
  std::string reported;  // text of the left side, for traces
};

/// A constraint that forbids calls: `$refund(?o, ?a), ?a > 200 -> false`. It is no invariant
/// over replies but a condition on calls, decided before each goes out (§18.3, phase 8). So
/// its tool atoms read relations that say which calls there are, and never call:
///
///   pending   the call to decide
///   called    that, the calls that are out, and those that were made
///   made      the calls that were made: what `not $auth()` reads
struct CallGuard {
  int constraint = 0;  // its number
  /// For each call on its left side: the constraint where that one is the pending call, and
  /// the others are any.
  struct Reading {
    RelationId tool;
    Constraint form;
  };
  std::vector<Reading> readings;
};
struct CallRelations {
  RelationId pending, called, made;
};

/// A ground sentence: assert or retract (§12.3, §12.4, decisions 34, 43).
struct Assertion {
  RelationId relation = kNoId;
  std::vector<Value> row;
  std::vector<SetOrder> orders;  // of its sets, where they are written in another one
  bool truth = true;
  bool trace = false;    // written with `-> true`, `-> false` or `^ true`
  bool assumed = false;  // `%goal ^ true`: the author says so, whatever the goal's rules say
  Value meta;            // author's metadata and context slots, or kNone
  Span span;
  std::string text;              // the sentence, when it is more than the row: traces, retractions
  std::size_t facts_before = 0;  // plain facts of the document that stand before it
};

/// What a trace says of a heading that collects several arguments and has only some of their
/// answers: `stay(1, ?to, ?x) ^^ {?to 2} -> true`.
struct HalfAnswer {
  RelationId relation;
  std::vector<Value> key;  // what the heading is called with; kNone where it is free
  std::vector<Value> row;  // the same with the answers that there are
  std::string text;        // the sentence
  Span span;
};

/// What a document asserts: plain facts as rows of words, and the assertions among them.
/// The role of a sentence in the program (decisions 34, 43, 71, 72).
enum class SentenceRole : std::uint8_t {
  kSignature,   // of a heading
  kOwn,         // a rule that continues its heading's rule
  kConjoined,   // an expression that joins the tails of headings
  kAssertion,   // facts, traces, retractions
  kRule,        // stands alone
  kConstraint,  // with `->`
  kFailure,     // a statement of %fail
  kObligation,  // a bare expression that joins nothing
  kRefused,     // it would join too many headings; reported
};

struct SentenceReading {
  SentenceRole role = SentenceRole::kObligation;
  std::vector<int> joins;  // kConjoined: the scopes with the signatures that it joins
};

struct Novelty {
  struct Fact {
    RelationId relation;
    std::uint32_t begin;  // of its text
    std::uint32_t end;
  };
  std::uint32_t file = 0;
  std::vector<Fact> facts;
  std::vector<Value> cells;  // of the facts, one after another
  std::vector<Assertion> assertions;
  std::vector<HalfAnswer> half_answers;
  std::vector<SentenceReading> readings;  // of Document::sentences, in their order

  /// Calls `fact(relation, row, span)` and `assertion(a)` for each, in the order of the text.
  template <typename OnFact, typename OnAssertion>
  void ForEach(const Store& store, OnFact&& fact, OnAssertion&& assertion) const;
};

/// What a goal is: its captures by position (decision 61).
struct Goal {
  RelationId relation;
  std::string label;
  std::vector<int> rules;  // numbers of definitions, in written order
  std::vector<Value> captures;
};

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

  /// Takes in a document. Findings go to `out`. Returns what it asserts.
  Novelty Load(const Document& document, Diagnostics& out);

  /// A goal form that is not part of the program (decision 65). nullopt when it does not
  /// lower; findings go to `out`. The definition's head is a goal relation of its own.
  std::optional<Definition> LowerQuery(const Sentence& query, Diagnostics& out);

  const std::deque<Definition>& definitions() const { return definitions_; }
  /// Whether the definition is one of them, not a query's.
  bool Has(const Definition& def) const {
    const auto number = static_cast<std::size_t>(def.number);
    return number < definitions_.size() && &definitions_[number] == &def;
  }
  const std::deque<Constraint>& constraints() const { return constraints_; }
  const std::deque<CallGuard>& guards() const { return guards_; }
  /// The relations that guards read for a tool; made when they are new.
  CallRelations CallsOf(RelationId tool);
  /// The names of a tool's arguments, by its heading; null when it has none.
  const std::vector<std::string>* ParametersOf(RelationId tool) const;
  const std::vector<Question>& questions() const { return questions_; }
  /// Goals in the order of their first rule. The root goal has the empty label.
  const std::vector<Goal>& goals() const { return goals_; }
  const Goal* FindGoal(std::string_view label) const;
  /// Reports calls of goals with more arguments than the goal captures (decision 61).
  void CheckGoalCalls(const Clauses& clauses, Diagnostics& out) const;
  const Collected* FindCollected(RelationId relation) const;
  std::size_t collected_count() const { return collected_.size(); }
  /// What headings and sentences define, in document order, once each.
  const std::vector<Declared>& declared() const { return declared_; }
  /// The title of the heading that a sentence stands under, "" for none.
  std::string HeadingAt(Span span) const;
  /// Tools that the engine or the author's rules answer, not a host.
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
  std::unordered_map<RelationId, std::vector<std::string>> parameters_;  // of tools
  std::vector<Question> questions_;
  std::vector<Goal> goals_;
  std::unordered_map<RelationId, std::size_t> goal_of_;  // index into goals_
  std::unordered_map<RelationId, Collected> collected_;
  std::vector<Declared> declared_;
  std::unordered_set<std::string> declared_names_;
  std::unordered_map<RelationId, int> rule_count_;
  struct HeadingStart {
    std::uint32_t begin;
    std::string title;
  };
  std::unordered_map<std::uint32_t, std::vector<HeadingStart>> headings_;  // by file, in order
};

/// The captures of a goal's bindings map by position, kAbsent where it has none.
std::vector<Value> CapturedCells(Pool& pool, const Goal* goal, Value map, std::size_t count);

/// Whether calling the relation puts a question to a person.
bool IsQuestion(const Relation& relation);

/// `relation(1, "a")`; each value as Text shows it with `most` bytes.
std::string FactText(const Store& store, RelationId relation, std::span<const Value> row,
                     std::size_t most = kMaxTextBytes);

/// Those of a program's assertions, in order, that take back what none before them asserts and
/// no rule may derive.
std::vector<const Assertion*> RetractionsOfNothing(const Program& program, const Store& store,
                                                   std::span<const Assertion> assertions);

/// The value of a ground term; kNone when it is not ground (variables, `_`, templates).
Value GroundValue(Pool& pool, const Node& node);

/// A Number literal's value.
Value NumberValue(Pool& pool, const Number& number);

template <typename OnFact, typename OnAssertion>
void Novelty::ForEach(const Store& store, OnFact&& fact, OnAssertion&& assertion) const {
  constexpr std::size_t kAhead = 16;
  auto next = assertions.begin();
  const Value* row = cells.data();
  const Value* ahead = row;  // of the fact whose place in its relation is asked for
  std::size_t asked = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    for (; asked < facts.size() && asked < i + kAhead; ++asked) {
      const RowSet& rows = store.at(facts[asked].relation).rows();
      rows.Prefetch(RowSet::HashOf({ahead, rows.arity()}));
      ahead += rows.arity();
    }
    for (; next != assertions.end() && next->facts_before == i; ++next) assertion(*next);
    const std::size_t arity = store.at(facts[i].relation).arity();
    fact(facts[i].relation, std::span(row, arity), Span{file, facts[i].begin, facts[i].end});
    row += arity;
  }
  for (; next != assertions.end(); ++next) assertion(*next);
}

}  // namespace rpl

#endif  // RPL_INTERP_PROGRAM_PROGRAM_H_
