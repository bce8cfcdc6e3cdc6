// SPDX-License-Identifier: Apache-2.0
//
// Two printers over the same tree. Both recurse, because a tree is no deeper than
// kMaxNesting. Neither adds parentheses: the tree has a Group wherever the text had one.
#include "grammar/printer.h"

#include <charconv>
#include <cstdio>
#include <utility>

#include "grammar/abductives.h"

namespace rpl {
namespace {

const char* Sigil(Namespace ns) {
  return ns == Namespace::kGoal ? "%" : ns == Namespace::kTool ? "$" : "";
}

// The text of a string between its quotes. A brace is escaped only where it would open a hole.
std::string Escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      case '{': {
        const char next = i + 1 < text.size() ? text[i + 1] : '\0';
        out += next == '?' || next == '_' ? "\\{" : "{";
        break;
      }
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          char buffer[8];
          std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
          out += buffer;
        } else {
          out += c;
        }
    }
  }
  return out;
}

std::string Text(const Number& n) {
  char buffer[40];
  if (const std::int64_t* i = std::get_if<std::int64_t>(&n.value))
    return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, *i).ptr);
  if (const std::string* digits = std::get_if<std::string>(&n.value)) return *digits;
  const double value = std::get<double>(n.value);
  std::string out(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  // Digits alone would be an integer, and a float without fraction is out of their range.
  if (out.find_first_of(".e") == out.npos) out += ".0";
  return out;
}

std::string Text(const Regex& r) {
  std::string out = "/";
  for (std::size_t i = 0; i < r.body.size(); ++i) {
    const char c = r.body[i];
    if (c == '/') out += '\\';
    out += c;
    if (c == '\\' && i + 1 < r.body.size()) out += r.body[++i];
  }
  return out + "/";
}

struct Printer {
  using Variable = PrintedVariable;

  std::string out;
  std::vector<Variable>* variables = nullptr;  // null: nobody asked for them

  void Put(Variable::Kind kind, const char* before, const std::string& name,
           const char* after = "") {
    const std::size_t begin = out.size();
    out += before;
    out += name;
    out += after;
    if (variables != nullptr) variables->push_back({kind, begin, out.size(), name});
  }
  // What takes no value, unlike what is inside it.
  void PutUnvalued(const Node& node) {
    if (node.As<Lvar>() == nullptr && node.As<Avar>() == nullptr) return Put(node);
    auto* const asked = std::exchange(variables, nullptr);
    Put(node);
    variables = asked;
  }

  void List(const Nodes& nodes, const char* separator) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (i > 0) out += separator;
      Put(nodes[i]);
    }
  }

  void Put(const Node& node) {
    std::visit([this](const auto& v) { One(v); }, node.is);
  }

  void One(const Lvar& v) {
    if (v.name.empty()) out += "_";
    else Put(Variable::Kind::kLvar, "?", v.name);
  }
  void One(const Avar& v) { Put(Variable::Kind::kAvar, "$", v.name); }
  void One(const String& v) { out += Quote(v.text); }
  void One(const Template& v) {
    out += "\"";
    for (std::size_t i = 0; i < v.texts.size(); ++i) {
      // A text that ends in `{` touches the brace of the hole, which is no danger: `{{?x}`
      // reads as a brace and a hole.
      out += Escaped(v.texts[i]);
      if (i >= v.holes.size()) continue;
      if (v.holes[i].empty()) out += "{_}";
      else Put(Variable::Kind::kHole, "{?", v.holes[i], "}");
    }
    out += "\"";
  }
  void One(const Number& v) { out += Text(v); }
  void One(const Keyword& v) { out += ":" + v.name; }
  void One(const Symbol& v) { out += v.name; }
  void One(const Boolean& v) { out += v.value ? "true" : "false"; }
  void One(const Nil&) { out += "nil"; }
  void One(const Regex& v) { out += Text(v); }
  void One(const Now&) { out += "now"; }
  void One(const Expansion& v) { Put(Variable::Kind::kExpansion, "#?", v.name); }
  void One(const Match& v) {
    out += "~ ";
    PutUnvalued(v.pattern.front());
  }
  void One(const Collection& v) {
    out += v.kind == CollectionKind::kList ? "[" : v.kind == CollectionKind::kSet ? "#{" : "{";
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      const bool map = v.kind == CollectionKind::kMap;
      const bool within_entry = map && i % 2 == 1;
      if (i > 0) out += within_entry ? " " : v.dotted ? " . " : map ? ", " : " ";
      Put(v.items[i]);
    }
    if (!v.rest.empty()) {
      out += v.items.empty() ? "& " : " & ";
      for (const Node& rest : v.rest) {
        if (&rest != &v.rest.front()) out += " ";
        PutUnvalued(rest);
      }
    }
    out += v.kind == CollectionKind::kList ? "]" : "}";
  }
  void One(const Call& v) {
    out += Sigil(v.ns) + v.label;
    if (!v.parens) return;
    out += "(";
    List(v.args, ", ");
    out += ")";
  }
  void One(const Count& v) {
    out += "|";
    Put(v.operand.front());
    out += "|";
  }
  void One(const Not& v) {
    out += "not ";
    Put(v.clause.front());
  }
  void One(const GoalFalse& v) {
    out += "!";
    Put(v.goal.front());
  }
  void One(const Binary& v) {
    Put(v.sides[0]);
    out += std::string(" ") + OperatorText(v.op) + " ";
    Put(v.sides[1]);
  }
  void One(const Within& v) {
    Put(v.parts[0]);
    out += " within ";
    Put(v.parts[1]);
    out += " of ";
    Put(v.parts[2]);
  }
  void One(const Between& v) {
    Put(v.parts[0]);
    out += " between ";
    Put(v.parts[1]);
    out += " and ";
    Put(v.parts[2]);
  }
  void One(const Conjunction& v) { List(v.clauses, ", "); }
  void One(const Disjunction& v) { List(v.branches, " | "); }
  void One(const Annotated& v) {
    Put(v.form.front());
    for (const Suffix& s : v.suffixes) One(s);
  }
  void One(const Suffix& s) {
    out += s.bindings ? " ^^ " : " ^";
    if (s.key.empty()) {
      if (!s.bindings) out += " ";
    } else {
      Put(s.key.front());
      out += " ";
    }
    Put(s.value.front());
  }
  void One(const Group& v) {
    out += "(";
    Put(v.inner.front());
    out += ")";
  }
  void One(const Abductive& v) {
    out.append("@").append(AbductiveOf(v.kind).word).append("(");
    List(v.clauses, ", ");
    out += ")";
  }
  void One(const Rule& v) {
    const char* separator = "";
    for (const Nodes* part : {&v.heads, &v.tail}) {
      for (const Node& node : *part) {
        out += separator;
        Put(node);
        separator = " <- ";
      }
    }
    separator = " ; ";
    for (const Abductive& a : v.abductives) {
      out += separator;
      One(a);
      separator = ", ";
    }
    for (const Node& c : v.constraints) {
      out += " -> ";
      Put(c);
    }
  }
};

struct TreePrinter {
  std::string out;

  void All(const Nodes& nodes) {
    for (const Node& node : nodes) {
      out += " ";
      Put(node);
    }
  }
  void Form(std::string_view name, const Nodes& nodes) {
    out += "(";
    out += name;
    All(nodes);
    out += ")";
  }

  void Put(const Node& node) {
    std::visit([this](const auto& v) { One(v); }, node.is);
  }

  // Leaves are their own text.
  template <typename Leaf>
  void One(const Leaf& v) {
    Printer leaf;
    leaf.One(v);
    out += leaf.out;
  }
  void One(const Match& v) { Form("match", v.pattern); }
  void One(const Collection& v) {
    out += v.kind == CollectionKind::kList ? "[" : v.kind == CollectionKind::kSet ? "#{" : "{";
    const std::size_t begin = out.size();
    const std::size_t entry = v.kind == CollectionKind::kMap ? 2 : 1;
    for (std::size_t i = 0; i < v.items.size(); ++i) {
      if (v.dotted && i > 0 && i % entry == 0) out += " .";
      out += " ";
      Put(v.items[i]);
    }
    if (!v.rest.empty()) out += " &";
    All(v.rest);
    if (out.size() > begin) out.erase(begin, 1);
    out += v.kind == CollectionKind::kList ? "]" : "}";
  }
  void One(const Call& v) {
    if (v.ns == Namespace::kRelation) return Form(v.label, v.args);
    const std::string ns = v.ns == Namespace::kGoal ? "goal " : "tool ";
    Form(ns + (v.label.empty() ? "root" : v.label), v.args);
  }
  void One(const Expansion& v) { out += "(expand ?" + v.name + ")"; }
  void One(const Count& v) { Form("count", v.operand); }
  void One(const Not& v) { Form("not", v.clause); }
  void One(const GoalFalse& v) { Form("goal-false", v.goal); }
  void One(const Binary& v) {
    if (v.op == Operator::kNotIn) return Form("not-in", v.sides);
    Form(OperatorText(v.op), v.sides);
  }
  void One(const Within& v) { Form("within", v.parts); }
  void One(const Between& v) { Form("between", v.parts); }
  void One(const Conjunction& v) { Form("and", v.clauses); }
  void One(const Disjunction& v) { Form("or", v.branches); }
  void One(const Group& v) { Put(v.inner.front()); }
  void One(const Annotated& v) {
    out += "(meta ";
    Put(v.form.front());
    for (const Suffix& s : v.suffixes) {
      out += s.bindings ? " (^^" : " (^";
      All(s.key);
      All(s.value);
      out += ")";
    }
    out += ")";
  }

  // Heads nest to the right; constraints enclose the rule, a chain the last of them.
  void One(const Rule& v) {
    if (!v.constraints.empty()) out += "(constraint ";
    for (const Node& head : v.heads) {
      out += "(rule ";
      Put(head);
      out += v.tail.empty() ? "" : " ";
    }
    if (v.heads.empty() && !v.abductives.empty()) out += "(activate ";
    if (!v.tail.empty()) Put(v.tail.front());
    for (const Abductive& a : v.abductives) {
      out += " ";
      Form(AbductiveOf(a.kind).word, a.clauses);
    }
    out += std::string(v.heads.empty() && !v.abductives.empty() ? 1 : v.heads.size(), ')');
    if (v.constraints.empty()) return;
    out += " ";
    if (v.constraints.size() == 2) {
      Form("constraint", v.constraints);
    } else {
      Put(v.constraints.front());
    }
    out += ")";
  }
};

}  // namespace

const char* OperatorText(Operator op) {
  switch (op) {
    case Operator::kEqual: return "=";
    case Operator::kNotEqual: return "!=";
    case Operator::kLess: return "<";
    case Operator::kGreater: return ">";
    case Operator::kLessEqual: return "<=";
    case Operator::kGreaterEqual: return ">=";
    case Operator::kAdd: return "+";
    case Operator::kSubtract: return "-";
    case Operator::kMultiply: return "*";
    case Operator::kDivide: return "/";
    case Operator::kUnion: return "union";
    case Operator::kIntersect: return "intersect";
    case Operator::kDifference: return "difference";
    case Operator::kIn: return "in";
    case Operator::kNotIn: return "not in";
    case Operator::kBefore: return "before";
    case Operator::kAfter: return "after";
  }
  return "";
}

std::string Quote(std::string_view text) { return "\"" + Escaped(text) + "\""; }

std::string Print(const Node& node) {
  Printer printer;
  printer.Put(node);
  return std::move(printer.out);
}

std::string Print(const Node& node, std::vector<PrintedVariable>& variables) {
  Printer printer;
  printer.variables = &variables;
  printer.Put(node);
  return std::move(printer.out);
}

std::string Print(const Abductive& abductive, std::vector<PrintedVariable>& variables) {
  Printer printer;
  printer.variables = &variables;
  printer.One(abductive);
  return std::move(printer.out);
}

std::string Print(const Rule& rule) {
  Printer printer;
  printer.One(rule);
  return std::move(printer.out);
}

std::string Print(const Sentence& sentence) { return Print(sentence.rule); }

std::string PrintTree(const Node& node) {
  TreePrinter printer;
  printer.Put(node);
  return std::move(printer.out);
}

std::string PrintTree(const Sentence& sentence) {
  TreePrinter printer;
  printer.One(sentence.rule);
  return std::move(printer.out);
}

}  // namespace rpl
