// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/naive_protocol.h"

#include <algorithm>
#include <functional>

namespace rpl::protocol {
namespace {

using Env = std::map<std::string, std::string>;
using Names = std::set<std::string>;

const std::vector<std::string> kValues = {"\"a\"", "\"b\"", "\"c\""};

Judged Sure(bool holds) { return {holds ? Truth::kTrue : Truth::kFalse}; }

// The truth of one of two that decides, or both, whose causes are joined.
Judged Of(Judged a, const Judged& b, Truth decides) {
  if (a.truth == decides || b.truth == decides) return {decides};
  if (a.truth != Truth::kUndecided) return b;
  if (b.truth == Truth::kUndecided) a.rests_on.insert(b.rests_on.begin(), b.rests_on.end());
  return a;
}
Judged And(const Judged& a, const Judged& b) { return Of(a, b, Truth::kFalse); }
Judged Or(const Judged& a, const Judged& b) { return Of(a, b, Truth::kTrue); }
Judged Not(Judged a) {
  if (a.truth != Truth::kUndecided) a = Sure(a.truth == Truth::kFalse);
  return a;
}

bool Compare(int a, const std::string& op, int b) {
  return op == "=" ? a == b : op == ">" ? a > b : op == "<" ? a < b : a != b;
}

std::string Given(const std::string& term, const Env& env) {
  const auto it = env.find(term);
  return it == env.end() ? term : it->second;
}

Atom Given(Atom atom, const Env& env) {
  for (std::string& a : atom.args) a = Given(a, env);
  return atom;
}

void AddVariables(const Tail& tail, Names& out) {
  const auto add = [&](const std::string& term) {
    if (IsVariable(term)) out.insert(term);
  };
  ForEachAtom(tail, [&](const Atom& a, bool) { std::for_each(a.args.begin(), a.args.end(), add); });
  for (const Clause& c : tail) {
    add(c.left);
    add(c.right);
  }
}

// With each way to give values to the variables that have none.
void ForEachEnv(Names variables, Env env, const std::function<void(const Env&)>& then) {
  while (!variables.empty() && env.count(*variables.begin()) > 0)
    variables.erase(variables.begin());
  if (variables.empty()) return then(env);
  const std::string v = *variables.begin();
  variables.erase(v);
  for (const std::string& value : kValues) {
    env[v] = value;
    ForEachEnv(variables, env, then);
  }
}

void ForEachRow(std::size_t arity, const std::function<void(const Row&)>& then) {
  Names columns;
  for (std::size_t i = 0; i < arity; ++i) columns.insert("?" + std::to_string(i));
  ForEachEnv(columns, {}, [&](const Env& env) {
    Row row;
    for (const auto& [column, value] : env) row.push_back(value);
    then(row);
  });
}

// With each row that agrees with an atom, in which `_` may be anything.
void ForEachRowOf(const Atom& atom, const std::function<void(const Atom&)>& then) {
  ForEachRow(atom.args.size(), [&](const Row& row) {
    for (std::size_t i = 0; i < row.size(); ++i)
      if (atom.args[i] != "_" && atom.args[i] != row[i]) return;
    then({atom.name, row});
  });
}

}  // namespace

// Whether no open question may decide it.
bool Reading::Dead(const Judged& j) const {
  return j.truth == Truth::kUndecided &&
         std::none_of(j.rests_on.begin(), j.rests_on.end(),
                      [&](const std::string& q) { return Open(q); });
}

Judged Reading::Asked(const Heading& heading, const Row& row) {
  Atom question = {heading.head.name, row};
  question.args.back() = heading.head.args.back();
  const auto it = said_.replies.find(question.Text());
  if (it == said_.replies.end() || it->second.declined) {
    met_.insert(question.Text());
    return {Truth::kUndecided, {question.Text()}};
  }
  const std::vector<std::string>& values = it->second.values;
  return Sure(std::find(values.begin(), values.end(), row.back()) != values.end());
}

Judged Reading::HoldsRow(const Atom& atom, bool known) {
  if (atom.goal()) {
    const GoalRows rules = RowsOf(atom.name, atom.args.size(), known);
    if (rules.empty()) return {Truth::kUndecided, {atom.name}};
    Judged out;
    for (const auto& [number, rows] : rules)
      for (const auto& [row, judged] : rows)
        if (atom.args.empty() || row == atom.args) out = Or(out, judged);
    return out;
  }
  Judged out = Sure(said_.facts.count(atom) > 0);
  if (const Heading* heading = protocol_.Asks(atom.name)) {
    const bool stated = std::any_of(said_.facts.begin(), said_.facts.end(),
                                    [&](const Atom& f) { return f.name == atom.name; });
    if (!stated) return Asked(*heading, atom.args);
  }
  for (const Rule& rule : protocol_.rules) {
    if (rule.head.name != atom.name) continue;
    for (const auto& [row, judged] : RowsOf(rule, known)) {
      if (row != atom.args) continue;
      out = Or(out, judged);
      again_[atom].insert(judged.rests_on.begin(), judged.rests_on.end());
    }
  }
  return out;
}

Judged Reading::Holds(const Atom& atom, bool known) {
  const auto at = known_.find({atom, known});
  if (at != known_.end()) return at->second;
  Judged out;
  if (atom.goal() && atom.args.empty()) out = HoldsRow(atom, known);
  else ForEachRowOf(atom, [&](const Atom& row) { out = Or(out, HoldsRow(row, known)); });
  return known_[{atom, known}] = out;
}

// Alternatives that derive give what they give; of those that ask, the first that is not
// unsatisfied with the rest of the tail is taken, where the others gave nothing (decision 85). What
// a person declined is passed over (82), and nothing is known of it.
Judged Reading::Either(const Tail& tail, std::size_t at, const Env& env, const Names& bound) {
  const auto with = [&](const Tail& alternative) {
    Tail out(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(at));
    for (Clause clause : alternative) {
      clause.alternative = true;
      out.push_back(clause);
    }
    out.insert(out.end(), tail.begin() + static_cast<std::ptrdiff_t>(at) + 1, tail.end());
    return Holds(out, env, bound);
  };
  Judged out, given;  // all, and without those that are false whatever stands around them
  for (const Tail& t : tail[at].either) {
    if (protocol_.Acts(t)) continue;
    const Judged one = with(t);
    out = Or(out, one);
    if (Holds(t, env, bound).truth != Truth::kFalse) given = Or(given, one);
  }
  bool taken = false;
  for (const Tail& t : tail[at].either) {
    if (!protocol_.Acts(t)) continue;
    if (given.truth == Truth::kFalse || Dead(given)) {
      const Judged one = with(t);
      out = Or(out, one);
      given = Or(given, one);
      taken = true;
    } else if (taken) {
      with(t);  // may be asked where a clause behind is known to be false
    }
  }
  return out;
}

Judged Reading::Holds(const Clause& clause, const Env& env, const Names& bound) {
  const Atom atom = Given(clause.atom, env);
  const bool known =
      !clause.atom.args.empty() &&
      std::all_of(clause.atom.args.begin(), clause.atom.args.end(), [&](const std::string& term) {
        return term != "_" && (!IsVariable(term) || bound.count(term) > 0);
      });
  switch (clause.kind) {
    case Clause::Kind::kHolds: return Holds(atom, known);
    case Clause::Kind::kNot: return Not(Holds(atom, known));
    case Clause::Kind::kCompare:
      return Sure((Given(clause.left, env) == Given(clause.right, env)) == (clause.op == "="));
    case Clause::Kind::kEither:
    case Clause::Kind::kCount: break;
  }
  int count = 0;
  Judged unknown;
  ForEachRowOf(atom, [&](const Atom& row) {
    const Judged one = HoldsRow(row, known);
    if (one.truth == Truth::kTrue) ++count;
    const Names& again = again_[row];
    if (clauses_ == Clauses::kInOrder && !again.empty())
      unknown = Or(unknown, {Truth::kUndecided, again});
    if (one.truth == Truth::kUndecided) unknown = Or(unknown, one);
  });
  if (unknown.truth == Truth::kUndecided) return unknown;
  return Sure(Compare(count, clause.op, clause.number));
}

// Whether it binds nothing and asks nothing. What reads a goal has its place, and alternatives
// have.
bool Reading::IsTest(const Clause& clause, const Names& bound) const {
  if (clause.atom.goal() || clause.alternative) return false;
  Names read;
  AddVariables({clause}, read);
  return !protocol_.Acts({clause}) &&
         std::includes(bound.begin(), bound.end(), read.begin(), read.end());
}

Judged Reading::Holds(const Tail& tail, const Env& env, Names bound) {
  for (std::size_t at = 0; at < tail.size(); ++at)
    if (tail[at].kind == Clause::Kind::kEither) return Either(tail, at, env, bound);
  Judged out = Sure(true);
  Names again;
  for (auto clause = tail.begin(); clause != tail.end(); ++clause) {
    const bool sure = out.truth == Truth::kTrue;
    for (auto later = clause; sure && later != tail.end(); ++later)
      if (IsTest(*later, bound) && Holds(*later, env, bound).truth == Truth::kFalse) {
        if (clauses_ == Clauses::kAtOnce || again.empty()) return {};
        return {Truth::kUndecided, again};
      }
    if (Dead(out) && clauses_ == Clauses::kInOrder) break;
    const Judged one = Holds(*clause, env, bound);
    if (one.truth == Truth::kFalse) {
      if (clauses_ == Clauses::kAtOnce || (sure && again.empty())) return one;
      return sure ? Judged{Truth::kUndecided, again} : out;
    }
    out = And(out, one);
    const Names& more = again_[Given(clause->atom, env)];
    again.insert(more.begin(), more.end());
    if (out.truth == Truth::kTrue && clause->kind == Clause::Kind::kHolds)
      AddVariables({*clause}, bound);
  }
  out.again = again;
  return out;
}

// Without its guard.
std::map<Row, Judged> Reading::RowsOf(const Rule& rule, bool known) {
  const Names given = known ? Names(rule.head.args.begin(), rule.head.args.end()) : Names();
  Names variables;
  AddVariables(rule.when, variables);
  AddVariables(rule.each, variables);
  AddVariables(rule.tail, variables);
  std::map<Row, Judged> out;
  ForEachEnv(variables, {}, [&](const Env& env) {
    Judged judged = Sure(true);
    Names bound = given, again;
    for (const Tail* tail : {&rule.when, &rule.each, &rule.tail}) {
      if (Dead(judged) && clauses_ == Clauses::kInOrder) break;
      const Judged one = Holds(*tail, env, bound);
      if (one.truth == Truth::kFalse && judged.truth == Truth::kTrue && !again.empty() &&
          clauses_ == Clauses::kInOrder)
        judged = {Truth::kUndecided, again};
      else if (judged.truth == Truth::kTrue || one.truth != Truth::kFalse ||
               clauses_ == Clauses::kAtOnce)
        judged = And(judged, one);
      again.insert(one.again.begin(), one.again.end());
      AddVariables(*tail, bound);
    }
    Judged& row = out[Given(rule.head, env).args];
    row = Or(row, judged);
  });
  return out;
}

bool Reading::Iterates(const Tail& tail) const {
  bool each = false;
  ForEachAtom(tail, [&](const Atom& a, bool) { each |= Iterates(a.name); });
  return each;
}

bool Reading::Iterates(const std::string& name) const {
  return std::any_of(protocol_.rules.begin(), protocol_.rules.end(), [&](const Rule& r) {
    return r.head.name == name && (!r.each.empty() || Iterates(r.tail) || Iterates(r.when));
  });
}

Reading::GoalRows Reading::RowsOf(const std::string& goal, std::size_t captures, bool known) {
  GoalRows out;
  // What was established and still stands decides what guards see (decision 99).
  Judged stands;
  const auto established = [&](std::size_t n, const Row& row) {
    const auto rows = said_.established.find(n);
    return rows != said_.established.end() && rows->second.count(row) > 0;
  };
  for (std::size_t n = 0; n < protocol_.rules.size(); ++n) {
    const Rule& rule = protocol_.rules[n];
    if (rule.head.name != goal) continue;
    if (captures > 0 && rule.head.args.size() != captures) continue;
    out[n] = RowsOf(rule, known);
    for (const auto& [row, judged] : out[n])
      if (established(n, row)) stands = Or(stands, judged);
  }
  Judged before;
  for (auto& [n, rows] : out) {
    const Rule& rule = protocol_.rules[n];
    const bool acts = protocol_.Acts(rule);
    Judged given;
    for (auto& [row, judged] : rows) {
      // Rules that guard against their goal are alternatives: what was declined is passed over.
      if (rule.guards && !established(n, row))
        judged = And(Not(Or(Dead(before) ? Judged() : before, stands)), judged);
      // A rule that acts is tried while those before it are unsatisfied; others add their rows,
      // once it is known whether a plan before them is taken (§18.4).
      if (!rule.guards && acts && before.truth == Truth::kTrue) judged = {};
      if (before.truth == Truth::kUndecided && !Dead(before) && judged.truth != Truth::kFalse)
        judged = before;
      given = Or(given, judged);
    }
    before = Or(before, given);
  }
  return out;
}

Judged Reading::Constraints() {
  Judged out = Sure(true);
  for (const Constraint& constraint : protocol_.constraints) {
    Names left, right;
    AddVariables(constraint.left, left);
    AddVariables(constraint.right, right);
    ForEachEnv(left, {}, [&](const Env& env) {
      const Judged condition = Holds(constraint.left, env, {});
      Judged holds;
      if (condition.truth != Truth::kFalse || clauses_ == Clauses::kAtOnce)
        ForEachEnv(right, env, [&](const Env& both) {
          holds = Or(holds, Holds(constraint.right, both, left));
        });
      if (constraint.right.empty()) holds = {};
      if (clauses_ == Clauses::kInOrder && !condition.again.empty())
        holds = And(holds, {Truth::kUndecided, condition.again});
      out = And(out, Or(Not(condition), holds));
    });
  }
  return out;
}

Ending Reading::OfGoal(const std::string& goal) {
  Ending out;
  out.each = Iterates(goal);
  std::set<Row> rows;  // what two rules give is one answer, with the names of the first
  for (const auto& [n, by_rule] : RowsOf(goal, 0, false)) {
    const Row& names = protocol_.rules[n].head.args;
    for (const auto& [row, judged] : by_rule) {
      out.goal = Or(out.goal, judged);
      if (judged.truth != Truth::kTrue) continue;
      out.given[n].insert(row);
      std::map<std::string, std::string> answer;
      for (std::size_t i = 0; i < names.size(); ++i) answer[names[i]] = row[i];
      if (!names.empty() && rows.insert(row).second) out.answers.insert(answer);
    }
  }
  out.constraints = Constraints();
  out.more = met_;
  return out;
}

std::vector<std::string> Reading::Options(const Heading& heading) {
  std::vector<std::string> out;
  if (heading.span.empty()) return out;
  for (const std::string& a : heading.head.args)
    if (a.substr(1) == heading.span) return out;
  for (const std::string& value : kValues)
    if (Holds({heading.span, {value}}, true).truth == Truth::kTrue) out.push_back(value);
  return out;
}

}  // namespace rpl::protocol
