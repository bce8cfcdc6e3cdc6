// SPDX-License-Identifier: Apache-2.0
//
// The traversal of trees: definitions of the templates and inline functions that grammar/ast.h
// declares. Only ast.h includes this file.
#ifndef RPL_GRAMMAR_AST_WALK_H_
#define RPL_GRAMMAR_AST_WALK_H_

#include <algorithm>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_set>
#include <vector>

namespace rpl {

inline std::size_t BindingSize(const Abductive& act) {
  const auto is_lvar = [](const Node& n) { return n.As<Lvar>() != nullptr; };
  return static_cast<std::size_t>(std::ranges::find_if_not(act.clauses, is_lvar) -
                                  act.clauses.begin());
}

template <typename Fn>
void ForEachChild(const Rule& rule, Fn&& fn) {
  for (const Node& n : rule.heads) fn(n);
  for (const Node& n : rule.tail) fn(n);
  for (const Abductive& a : rule.abductives)
    for (const Node& n : a.clauses) fn(n);
  for (const Node& n : rule.constraints) fn(n);
}

template <typename Fn>
void ForEachChild(const Node& node, Fn&& fn) {
  auto each = [&](const Nodes& nodes) {
    for (const Node& n : nodes) fn(n);
  };
  Visit(
      node, [&](const Match& v) { each(v.pattern); },
      [&](const Collection& v) { each(v.items), each(v.rest); },
      [&](const Call& v) { each(v.args); }, [&](const Count& v) { each(v.operand); },
      [&](const Not& v) { each(v.clause); }, [&](const GoalFalse& v) { each(v.goal); },
      [&](const Binary& v) { each(v.sides); },
      [&](const Among<Within, Between> auto& v) { each(v.parts); },
      [&](const Conjunction& v) { each(v.clauses); },
      [&](const Disjunction& v) { each(v.branches); },
      [&](const Annotated& v) {
        each(v.form);
        for (const Suffix& s : v.suffixes) each(s.key), each(s.value);
      },
      [&](const Group& v) { each(v.inner); }, [&](const Rule& v) { ForEachChild(v, fn); },
      [](const Among<Lvar, Avar, String, Template, Number, Keyword, Symbol, Boolean, Nil, Regex,
                     Now, Expansion> auto&) {});
}

inline const Node& Ungroup(const Node& node) {
  const Node* at = &node;
  while (const auto* g = at->As<Group>()) at = &g->inner.front();
  return *at;
}

template <typename Fn>
void ForEachGroup(const Regex& regex, Fn&& fn) {
  const std::string_view body = regex.body;
  bool in_class = false;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] == '\\') {
      ++at;
      continue;
    }
    if (body[at] == '[') in_class = true;
    if (body[at] == ']') in_class = false;
    if (in_class) continue;
    std::size_t begin = at;
    if (body.substr(at).starts_with("(?P<")) begin += 4;
    else if (body.substr(at).starts_with("(?<")) begin += 3;
    const std::size_t end = begin == at ? std::string_view::npos : body.find('>', begin);
    if (end != std::string_view::npos) fn(begin, end - begin);
  }
}

inline std::string LvarOfGroup(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

inline bool IsLiteral(const Node& node) {
  return Visit(
      node, [](const Among<String, Number, Keyword, Symbol, Boolean, Nil> auto&) { return true; },
      [](const Among<Lvar, Avar, Template, Regex, Match, Now, Collection, Call, Expansion, Count,
                     Not, GoalFalse, Binary, Within, Between, Conjunction, Disjunction, Annotated,
                     Group, Rule> auto&) { return false; });
}

template <typename Fn>
void ForEachOwnName(const Node& node, Fn&& fn) {
  Visit(
      node, [&](const Among<Lvar, Avar, Expansion> auto& v) { fn(v.name); },
      [&](const Template& t) {
        for (const std::string& hole : t.holes) fn(hole);
      },
      [&](const Regex& r) {
        ForEachGroup(r, [&](std::size_t begin, std::size_t size) {
          fn(LvarOfGroup(std::string_view(r.body).substr(begin, size)));
        });
      },
      [](const Among<String, Number, Keyword, Symbol, Boolean, Nil, Match, Now, Collection, Call,
                     Count, Not, GoalFalse, Binary, Within, Between, Conjunction, Disjunction,
                     Annotated, Group, Rule> auto&) {});
}

// The state of CollectVariables. Up to kFew names, which is the common case, a linear search finds
// repetitions; from there on a hash set does, so that the whole stays linear.
class VariableCollector {
 public:
  explicit VariableCollector(std::vector<std::string>& out) : out_(out) {}

  void Collect(const Node& node) {
    ForEachOwnName(node, [&](const std::string& name) { Add(name); });
    ForEachChild(node, [&](const Node& child) { Collect(child); });
  }

 private:
  static constexpr std::size_t kFew = 16;

  void Add(const std::string& name) {
    if (name.empty()) return;
    if (out_.size() < kFew) {
      if (std::find(out_.begin(), out_.end(), name) != out_.end()) return;
    } else {
      if (seen_.empty()) seen_.insert(out_.begin(), out_.end());
      if (!seen_.insert(name).second) return;
    }
    out_.push_back(name);
  }

  std::vector<std::string>& out_;
  std::unordered_set<std::string> seen_;  // empty, or the same names as out_
};

inline void CollectVariables(const Node& node, std::vector<std::string>& out) {
  VariableCollector(out).Collect(node);
}

inline bool HasVariables(const Node& node) {
  std::vector<std::string> names;
  CollectVariables(node, names);
  return !names.empty();
}

}  // namespace rpl

#endif  // RPL_GRAMMAR_AST_WALK_H_
