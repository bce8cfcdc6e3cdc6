// SPDX-License-Identifier: Apache-2.0
#include "runtime/testing/protocol.h"

#include <algorithm>

namespace rpl::protocol {

bool IsVariable(const std::string& term) { return term.starts_with('?') || term.starts_with('$'); }

std::string Atom::Text() const {
  std::string out;
  for (const std::string& a : args) out += (out.empty() ? "" : ", ") + a;
  return goal() && args.empty() ? name : name + "(" + out + ")";
}

std::string Clause::Text() const {
  switch (kind) {
    case Kind::kHolds: return atom.Text();
    case Kind::kNot: return (atom.goal() ? "!" : "not ") + atom.Text();
    case Kind::kCount: return "|" + atom.Text() + "| " + op + " " + std::to_string(number);
    case Kind::kCompare: return left + " " + op + " " + right;
    case Kind::kEither: break;
  }
  std::string out;
  for (const Tail& t : either)
    out += (out.empty() ? "(" : " | ") + std::string(t.size() > 1 ? "(" : "") + TextOf(t) +
           (t.size() > 1 ? ")" : "");
  return out + ")";
}

std::string TextOf(const Tail& tail) {
  std::string out;
  for (const Clause& c : tail) out += (out.empty() ? "" : ", ") + c.Text();
  return out.empty() ? "1 = 1" : out;
}

std::string Rule::Text() const {
  std::string conditions = TextOf(when);
  if (guards && !arrow) conditions = "!" + head.name + (when.empty() ? "" : ", " + conditions);
  std::string out = head.Text() + " <- " + TextOf(tail), act;
  if (!when.empty() || (guards && !arrow)) act = "@when(" + conditions + ")";
  if (!each.empty())
    act += (act.empty() ? "" : ", ") + std::string("@each(") + each.front().atom.args.back() +
           ", " + TextOf(each) + ")";
  if (!act.empty()) out += " ; " + act;
  return out + (guards && arrow ? " -> !" + head.name : "");
}

std::string Constraint::Text() const {
  return TextOf(left) + " -> " + (right.empty() ? "false" : TextOf(right));
}

std::string Protocol::Text() const {
  std::string out;
  for (const Heading& h : headings) {
    out += "# Heading - " + h.head.Text() + "\n\nSay";
    out += (h.span.empty() ? "" : " __" + h.span + "__") + ".\n\n";
  }
  out += "# Program\n\n```rpl\n";
  for (const Atom& f : facts) out += f.Text() + "\n";
  for (const Rule& r : rules) out += r.Text() + "\n";
  for (const Constraint& c : constraints) out += c.Text() + "\n";
  return out + "```\n";
}

const Heading* Protocol::Asks(const std::string& relation) const {
  for (const Heading& h : headings)
    if (h.head.name == relation) return &h;
  return nullptr;
}

bool Protocol::Acts(const Tail& tail) const {
  bool acts = false;
  ForEachAtom(tail, [&](const Atom& a, bool) {
    acts |= Asks(a.name) != nullptr;
    for (const Rule& r : rules) acts |= r.head.name == a.name && Acts(r);
  });
  return acts;
}

bool Protocol::Acts(const Rule& rule) const {
  return Acts(rule.tail) || Acts(rule.when) || Acts(rule.each);
}

bool Protocol::Iterates() const {
  return std::any_of(rules.begin(), rules.end(), [](const Rule& r) { return !r.each.empty(); });
}

bool Protocol::Guards() const {
  return std::any_of(rules.begin(), rules.end(), [](const Rule& r) { return r.guards; });
}

bool Protocol::Chooses() const {
  return std::any_of(rules.begin(), rules.end(), [&](const Rule& r) {
    const bool either = std::any_of(r.tail.begin(), r.tail.end(), [](const Clause& c) {
      return c.kind == Clause::Kind::kEither;
    });
    return either || (r.head.goal() && Acts(r) &&
                      std::count_if(rules.begin(), rules.end(), [&](const Rule& other) {
                        return other.head.name == r.head.name;
                      }) > 1);
  });
}

bool Protocol::TakesRows(const std::string& heading) const {
  bool rows = false;
  const auto read = [&](const Tail& tail) {
    ForEachAtom(tail, [&](const Atom& a, bool many) { rows |= many && a.name == heading; });
  };
  for (const Rule& r : rules) {
    read(r.tail);
    read(r.when);
    for (const Clause& c : r.each) rows |= c.atom.name == heading;
  }
  for (const Constraint& c : constraints) {
    read(c.left);
    read(c.right);
  }
  return rows;
}

}  // namespace rpl::protocol
