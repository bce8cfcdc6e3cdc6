// SPDX-License-Identifier: Apache-2.0
//
// Random stratified programs in RPL text, for tests only.
//
// Relations come in layers: layer 0 has facts, a rule of layer k reads layers up to k, and
// negates, counts and gathers from layers below k only. Columns are typed, so that joins
// hit: small numbers, names, lists of numbers, terms and maps. A rule that reads its own
// layer builds no new values, so every program has a finite fixpoint.
//
// So that answers do not depend on order, a list that a head aggregates is only counted or
// searched, never joined. Programs stay within the core of interp/testing/naive.h.
//
// interp/testing/random_shapes.h adds relations that need their caller, goals and changes of facts.
// Such a program has a closed text, which says the same to an evaluator that knows facts and rules
// only: a rule that needs its caller ranges over the keys that callers pass, and a goal is a
// relation.
//
// The same seed gives the same program with the same compiler.
#ifndef RPL_INTERP_TESTING_RANDOM_PROGRAM_H_
#define RPL_INTERP_TESTING_RANDOM_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "grammar/ast.h"

namespace rpl {

struct RandomRelation {
  std::string name;
  /// One letter per column: n small number, y name, l list of numbers, t term, m map,
  /// g gathered list.
  std::string columns;
  int layer = 0;
  bool derived = false;  // some rule has it as a head
  bool sets = false;     // some row may hold a set
  bool above = false;    // it reads goals, or relations that need their caller
  /// When some rule needs its caller: which columns, one of these sets ("01" or "2").
  std::vector<std::string> needs = {};

  bool tabled() const { return !needs.empty(); }
};

struct RandomRule {
  std::vector<std::string> heads;
  std::vector<std::string> clauses;
  std::string when = {};  // the condition of `@when`; empty: none
  std::vector<std::string> inputs =
      {};  // of the closed text: clauses that bind what a caller binds
  /// "least" or "greatest", which the last argument of the head is; empty: neither.
  std::string extremum = {};
  /// Relations with an extremum that are recursive through this rule. In the closed text it reads
  /// and gives all of their values, among which rules of that text choose.
  std::vector<std::string> within = {};

  std::string Text() const;
};

/// A fact of the program that stood as another one before: a turn retracts a part of it.
struct RandomChange {
  std::string before;
  std::string retracted;
  std::string after;  // one of RandomProgram::facts
};

struct RandomProgram {
  std::vector<RandomRelation> relations;
  std::vector<std::string> facts;
  std::vector<RandomRule> rules;
  /// Facts of relations without rules and sets, none of them in `facts`.
  std::vector<std::string> extra;
  std::vector<RandomChange> changes;
  /// Of the closed text: what the keys of callers are.
  std::string keys;
  /// Whether a rule may call a relation that needs its caller with a text: keys are numbers.
  bool passes_texts = false;

  std::string RuleText() const;
  std::string FactText() const;
  std::string Text() const { return FactText() + RuleText(); }
  std::string ClosedText() const;
};

/// What programs are made of. kPlain has no sets, maps, texts, gathering or division: what other
/// engines of logic programs also say.
enum class Vocabulary { kAll, kPlain };

/// The number in an environment variable for tests of random programs, as in
/// RPL_RANDOM_PROGRAMS=1000; `otherwise` if it is not set.
std::uint32_t Setting(const char* name, std::uint32_t otherwise);

/// The sentences of a text of plain RPL. If some do not parse, the first error is in `why`.
std::vector<Sentence> Parsed(const std::string& text, std::string* why = nullptr);
/// The same; throws std::runtime_error with the first error.
std::vector<Sentence> SentencesOf(const std::string& text);

RandomProgram MakeProgram(std::uint32_t seed, Vocabulary vocabulary = Vocabulary::kAll);

/// Graphs, with rules that are joins: recursions of many kinds, arithmetic, negation and counts of
/// what is derived below, facts of derived relations.
RandomProgram MakeGraph(std::uint32_t seed);

/// A change of a program's facts: a sentence for each one that comes or goes, and all that hold
/// then.
struct RandomTurn {
  std::string change;
  std::string facts;
};
/// Changes one after another, of facts whose relations have no sets; none if there are no such
/// facts. The same program has the same.
std::vector<RandomTurn> TurnsOf(const RandomProgram& program, int count);

/// The same program with facts, rules and the clauses of each rule in another order.
RandomProgram Permuted(RandomProgram program, std::mt19937& random);

/// A smaller program for which `fails` still holds: facts, rules and clauses are dropped
/// while it does. Calls `fails` at most `budget` times.
RandomProgram Shrunk(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails,
                     int budget);

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_RANDOM_PROGRAM_H_
