// SPDX-License-Identifier: Apache-2.0
//
// A naive reading of the agent layer (§15 to §18), from a protocol and all that was said so far:
// what holds, what is asked for, and how a run ends. For tests only.
//
// Every variable runs over all values that there are, and a clause is true, false or undecided,
// whatever its place. What is undecided says which questions it rests on: those without a reply,
// and those that were declined (decisions 56, 80, 82). There are no plans but the one rule of
// decision 85: of the alternatives that ask, the first that is not unsatisfied is taken.
//
// In a tail, a clause that asks comes before the clauses behind it, unless these bind nothing and
// ask nothing (decision 23). A constraint holds where its right side does (decision 93). So a
// conjunction may be undecided at a clause that asks (kInOrder), although a clause behind it is
// known to be false (kAtOnce), and a relation asks for rows that it has by another rule. Both
// readings end alike; while a run waits, it follows one of them.
#ifndef RPL_RUNTIME_TESTING_NAIVE_PROTOCOL_H_
#define RPL_RUNTIME_TESTING_NAIVE_PROTOCOL_H_

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "interp/testing/naive_datum.h"
#include "runtime/testing/protocol.h"

namespace rpl::protocol {

using naive::Truth;

struct Reply {
  bool declined = false;
  std::vector<std::string> values = {};  // none: there are none
};

/// What was said so far.
struct Said {
  std::set<Atom> facts;
  std::map<std::string, Reply> replies;  // by question, `h1("a", ?x)`
  /// By number of the rule: what a rule that guards against its own goal established.
  std::map<std::size_t, std::set<Row>> established = {};
};

/// A truth, and, of what is undecided, the questions that it rests on.
struct Judged {
  Truth truth = Truth::kFalse;
  std::set<std::string> rests_on = {};
  std::set<std::string> again = {};  // of what a tail found: the questions of other proofs
};

/// The rows of a goal by its rules, each with the names of its captures.
using Answers = std::set<std::map<std::string, std::string>>;

struct Ending {
  Judged goal;
  Judged constraints;
  Answers answers;                  // those that are true
  bool each = false;                // all answers are wanted
  std::set<std::string> more = {};  // the questions that something read rests on
  /// By number of the rule of the root: the rows that it gives.
  std::map<std::size_t, std::set<Row>> given = {};
};

class Reading {
 public:
  enum class Clauses { kInOrder, kAtOnce };

  Reading(const Protocol& protocol, const Said& said, Clauses clauses)
      : protocol_(protocol), said_(said), clauses_(clauses) {}

  Ending OfGoal(const std::string& goal);
  /// The values that a question offers, in order; all are taken where there are none.
  std::vector<std::string> Options(const Heading& heading);
  bool Open(const std::string& question) const { return said_.replies.count(question) == 0; }

 private:
  using Env = std::map<std::string, std::string>;
  using Names = std::set<std::string>;
  // By number of the rule.
  using GoalRows = std::map<std::size_t, std::map<Row, Judged>>;

  // `known`: the reader knows all arguments before it reads them.
  Judged Holds(const Atom& atom, bool known);
  Judged HoldsRow(const Atom& atom, bool known);
  Judged Asked(const Heading& heading, const Row& row);
  // `bound`: the variables whose values are known before.
  Judged Holds(const Clause& clause, const Env& env, const Names& bound);
  Judged Holds(const Tail& tail, const Env& env, Names bound);
  Judged Either(const Tail& tail, std::size_t at, const Env& env, const Names& bound);
  bool IsTest(const Clause& clause, const Names& bound) const;
  std::map<Row, Judged> RowsOf(const Rule& rule, bool known);
  // Of a goal, the rules that capture as many as the reader wants, or all.
  GoalRows RowsOf(const std::string& goal, std::size_t captures, bool known);
  Judged Constraints();
  bool Dead(const Judged& j) const;
  bool Iterates(const Tail& tail) const;
  bool Iterates(const std::string& name) const;

  const Protocol& protocol_;
  const Said& said_;
  Clauses clauses_;
  std::map<std::pair<Atom, bool>, Judged> known_;
  std::map<Atom, Names> again_;  // of rows that hold: questions that other proofs rest on
  Names met_;                    // questions without an answer
};

}  // namespace rpl::protocol

#endif  // RPL_RUNTIME_TESTING_NAIVE_PROTOCOL_H_
