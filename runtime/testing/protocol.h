// SPDX-License-Identifier: Apache-2.0
//
// Protocols as plain data: headings that ask, relations over the answers, goals, constraints. For
// tests only; a Protocol is written as a document for the engine, and read as it is by
// naive_protocol.h.
#ifndef RPL_RUNTIME_TESTING_PROTOCOL_H_
#define RPL_RUNTIME_TESTING_PROTOCOL_H_

#include <map>
#include <string>
#include <vector>

namespace rpl::protocol {

/// Values, variables and `_` as RPL text: `"a"`, `?x`, `_`.
using Row = std::vector<std::string>;

bool IsVariable(const std::string& term);

/// A call of a relation (`r0`), or of a goal (`%g0`; `%` is the root).
struct Atom {
  std::string name;
  Row args;

  bool goal() const { return name.starts_with('%'); }
  std::string Text() const;
  auto operator<=>(const Atom&) const = default;
};

struct Clause;
using Tail = std::vector<Clause>;

struct Clause {
  enum class Kind {
    kHolds,
    kNot,
    kCount,    // |atom| op number
    kCompare,  // left op right
    kEither,   // alternatives without variables
  };
  Kind kind = Kind::kHolds;
  Atom atom = {};
  std::string op = {};
  int number = 0;
  std::string left = {}, right = {};
  std::vector<Tail> either = {};
  bool alternative = false;  // for who reads it: taken from kEither

  std::string Text() const;
};

std::string TextOf(const Tail& tail);

struct Rule {
  Atom head;  // of a goal: its captures, all variables
  Tail tail;
  Tail when = {};       // of `@when`
  bool guards = false;  // against its own goal
  bool arrow = false;   // … and says so by `-> !%g`
  Tail each = {};       // of `@each(?x, items)`, one clause
  std::string Text() const;
};

/// A heading that asks for its last argument, and needs its other ones.
struct Heading {
  Atom head;
  std::string span;  // in its prose: its own variable, a unary relation whose rows are offered, ""
};

/// `left -> right`; an empty right side is `false`.
struct Constraint {
  Tail left, right;
  std::string Text() const;
};

struct Protocol {
  std::vector<Atom> facts;
  std::vector<Heading> headings;
  std::vector<Rule> rules;  // those of `%` may stand anywhere
  std::vector<Constraint> constraints;

  std::string Text() const;
  const Heading* Asks(const std::string& relation) const;
  /// Whether it asks, directly or through what it reads. REQUIRES: no recursion.
  bool Acts(const Tail& tail) const;
  bool Acts(const Rule& rule) const;
  /// Whether some rule has `@each`; whether some rule guards against its own goal.
  bool Iterates() const;
  bool Guards() const;
  /// Whether there are alternatives in some tail, or a goal with several rules of which one asks.
  bool Chooses() const;
  /// Whether the program counts, iterates or negates the relation itself (decision 81).
  bool TakesRows(const std::string& heading) const;
};

/// Calls `visit` for each atom of a tail, and whether that is counted or negated.
template <typename Visit>
void ForEachAtom(const Tail& tail, const Visit& visit) {
  for (const Clause& c : tail) {
    if (c.kind != Clause::Kind::kCompare && c.kind != Clause::Kind::kEither)
      visit(c.atom, c.kind != Clause::Kind::kHolds);
    for (const Tail& alternative : c.either) ForEachAtom(alternative, visit);
  }
}

}  // namespace rpl::protocol

#endif  // RPL_RUNTIME_TESTING_PROTOCOL_H_
