// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/clingo.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "grammar/abductives.h"
#include "grammar/printer.h"
#include "interp/testing/unfold.h"

namespace rpl::clingo {
namespace {

using VariableNames = std::set<std::string>;
using Branch = std::vector<const Node*>;  // clauses without a disjunction among them

struct Untranslated {
  std::string what;
};

std::string Comma(const std::vector<std::string>& parts, const char* separator = ",") {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? separator : "") + parts[i];
  return out;
}

std::string WithUnderscores(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

VariableNames VariablesOf(const Node& node) {
  std::vector<std::string> names;
  CollectVariables(node, names);
  return {names.begin(), names.end()};
}

bool IsComputed(const Node& e) {
  const Node& node = Ungroup(e);
  return node.As<Count>() != nullptr || node.As<Binary>() != nullptr;
}

bool HasWildcard(const Node& node) {
  const auto* v = node.As<Lvar>();
  bool found = v != nullptr && v->name.empty();
  ForEachChild(node, [&](const Node& child) { found |= HasWildcard(child); });
  return found;
}

bool Within(const VariableNames& names, const VariableNames& bound) {
  return std::includes(bound.begin(), bound.end(), names.begin(), names.end());
}

const Collection* SetPatternOf(const Node& node) {
  const auto* c = node.As<Collection>();
  return c != nullptr && c->kind == CollectionKind::kSet ? c : nullptr;
}

const char* Sign(Operator op) {
  switch (op) {
    case Operator::kEqual: return " = ";
    case Operator::kNotEqual: return " != ";
    case Operator::kLess: return " < ";
    case Operator::kGreater: return " > ";
    case Operator::kLessEqual: return " <= ";
    case Operator::kGreaterEqual: return " >= ";
    case Operator::kAdd: return " + ";
    case Operator::kSubtract: return " - ";
    case Operator::kMultiply: return " * ";
    default: throw Untranslated{"an operator"};
  }
}

bool IsArithmetic(Operator op) {
  return op == Operator::kAdd || op == Operator::kSubtract || op == Operator::kMultiply;
}

// Conjunctions of clauses, any of which must hold.
std::vector<Branch> BranchesOf(const Node& grouped) {
  const Node& node = Ungroup(grouped);
  std::vector<Branch> out;
  if (const auto* d = node.As<Disjunction>()) {
    for (const Node& branch : d->branches)
      for (Branch& b : BranchesOf(branch)) out.push_back(std::move(b));
    return out;
  }
  const auto* c = node.As<Conjunction>();
  if (c == nullptr) return {{&node}};
  out.emplace_back();
  for (const Node& clause : c->clauses) {
    std::vector<Branch> longer;
    for (const Branch& before : out)
      for (const Branch& after : BranchesOf(clause)) {
        longer.push_back(before);
        longer.back().insert(longer.back().end(), after.begin(), after.end());
      }
    out = std::move(longer);
  }
  return out;
}

class Translator {
 public:
  Translator(std::string prefix, const Needs& needs) : prefix_(std::move(prefix)), needs_(needs) {}

  std::string Translate(const std::vector<Sentence>& sentences) {
    for (const Sentence& s : sentences) FindSetPatterns(s.rule);
    for (const Sentence& s : sentences) {
      if (s.rule.heads.empty()) AddFact(s.rule.tail.front());
      else AddRule(s.rule);
    }
    return std::move(out_);
  }

 private:
  // Literals so far, and the variables that they bind.
  struct Body {
    std::vector<std::string> literals;
    VariableNames bound;
    VariableNames grouped = {};  // of them, those that counts bind as group keys
  };

  // --- sentences ----------------------------------------------------------------------------

  void FindSetPatterns(const Rule& rule) {
    const auto visit = [&](const auto& self, const Node& node) -> void {
      if (const auto* call = node.As<Call>())
        for (const Node& arg : call->args)
          if (SetPatternOf(arg) != nullptr) whole_.insert(call->label);
      ForEachChild(node, [&](const Node& child) { self(self, child); });
    };
    if (!rule.heads.empty())
      for (const Node& tail : rule.tail) visit(visit, tail);
  }

  void AddFact(const Node& node) {
    const auto* call = Ungroup(node).As<Call>();
    if (call == nullptr) throw Untranslated{Print(node)};
    const Collection* set = call->args.size() == 1 ? SetPatternOf(call->args[0]) : nullptr;
    const std::string name = Name(*call);
    if (set == nullptr && whole_.count(call->label) == 0) {
      out_ += name + Arguments(call->args) + ".\n";
      return;
    }
    const std::string id = std::to_string(next_++);
    for (const Node& element : set != nullptr ? set->items : call->args) {
      out_ += name + "(" + TermOf(element) + ").\n";
      if (whole_.count(call->label) > 0)
        out_ += name + "_whole(" + id + "," + TermOf(element) + ").\n";
    }
  }

  void AddRule(const Rule& rule) {
    VariableNames outside;
    for (const Node& head : rule.heads) outside.merge(VariablesOf(head));
    if (!rule.constraints.empty()) throw Untranslated{"a constraint"};
    Node tail = rule.tail.front();
    for (const Abductive& a : rule.abductives) {
      if (a.kind != AbductiveKind::kWhen) throw Untranslated{"an activation clause"};
      Conjunction both{{tail}};
      both.clauses.insert(both.clauses.end(), a.clauses.begin(), a.clauses.end());
      tail.is = std::move(both);
    }
    for (const Branch& branch : BranchesOf(tail)) {
      set_of_.clear();
      std::optional<Body> body = Solve(branch, outside, {}, true);
      if (!body) throw Untranslated{"a clause without its inputs: " + Print(tail)};
      for (const Node& head : rule.heads) {
        const auto* call = head.As<Call>();
        if (call == nullptr) throw Untranslated{Print(head)};
        Emit(Name(*call) + Arguments(call->args), *body);
      }
    }
  }

  void Emit(const std::string& head, const Body& body) {
    out_ += head + (body.literals.empty() ? "" : " :- " + Comma(body.literals, ", ")) + ".\n";
  }

  // --- terms --------------------------------------------------------------------------------

  std::string Name(const Call& call) {
    if (call.ns == Namespace::kTool) throw Untranslated{"a tool"};
    return Predicate(prefix_, (call.ns == Namespace::kGoal ? "%" : "") + call.label);
  }

  std::string Variable() { return "W" + std::to_string(next_++); }
  std::string Own() { return prefix_ + "own" + std::to_string(next_++); }

  static std::string Applied(const std::string& name, const std::vector<std::string>& args) {
    return args.empty() ? name : name + "(" + Comma(args) + ")";
  }

  std::string Arguments(const Nodes& args) { return Applied("", TermsOf(args)); }

  std::vector<std::string> TermsOf(const Nodes& nodes) {
    std::vector<std::string> out;
    for (const Node& n : nodes) out.push_back(TermOf(n));
    return out;
  }

  std::string TermOf(const Node& node) {
    if (const auto* v = node.As<Lvar>())
      return v->name.empty() ? Variable() : "V" + WithUnderscores(v->name);
    if (const auto* m = node.As<Match>()) return TermOf(m->pattern.front());
    if (const auto* s = node.As<String>()) return Quoted(s->text);
    if (const auto* y = node.As<Symbol>()) return "y(" + Quoted(y->name) + ")";
    if (const auto* k = node.As<Keyword>()) return "k(" + Quoted(k->name) + ")";
    if (const auto* b = node.As<Boolean>()) return b->value ? "b(1)" : "b(0)";
    if (node.As<Nil>()) return "b(2)";
    if (const auto* n = node.As<Number>())
      if (const auto* i = std::get_if<std::int64_t>(&n->value);
          i != nullptr && *i == static_cast<std::int32_t>(*i))
        return std::to_string(*i);
    if (const auto* c = node.As<Collection>(); c != nullptr && c->kind == CollectionKind::kList) {
      std::string out = c->rest.empty() ? "nil" : TermOf(c->rest.front());
      for (std::size_t i = c->items.size(); i-- > 0;)
        out = "c(" + TermOf(c->items[i]) + "," + out + ")";
      return out;
    }
    if (const auto* call = node.As<Call>(); call != nullptr && call->ns == Namespace::kRelation)
      return Applied("t_" + WithUnderscores(call->label), TermsOf(call->args));
    throw Untranslated{Print(node)};
  }

  // --- clauses in an order ------------------------------------------------------------------

  // Adds the clauses to `body`; nullopt when one never has its inputs. `outside`: variables of the
  // rule that stand elsewhere. `groups`: whether a count may take group keys, which comes last.
  std::optional<Body> Solve(const Branch& branch, const VariableNames& outside, Body body,
                            bool groups) {
    Branch left = branch;
    while (!left.empty()) {
      bool found = false;
      for (const bool last : {false, true}) {
        for (std::size_t i = 0; i < left.size() && !found; ++i) {
          VariableNames others = outside;
          for (const Node* clause : branch)
            if (clause != left[i]) others.merge(VariablesOf(*clause));
          if (!IsReady(*left[i], others, body.bound, last && groups)) continue;
          Add(*left[i], others, body);
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
          found = true;
        }
        if (found) break;
      }
      if (!found) return std::nullopt;
    }
    return body;
  }

  static VariableNames FreeAmong(const Node& node, const VariableNames& others,
                                 const VariableNames& bound) {
    VariableNames out;
    for (const std::string& name : VariablesOf(node))
      if (others.count(name) > 0 && bound.count(name) == 0) out.insert(name);
    return out;
  }

  static bool IsKnown(const Node& e, const VariableNames& others, const VariableNames& bound,
                      bool groups) {
    if (const auto* g = e.As<Group>()) return IsKnown(g->inner.front(), others, bound, groups);
    if (const auto* b = e.As<Binary>())
      return IsKnown(b->sides[0], others, bound, groups) &&
             IsKnown(b->sides[1], others, bound, groups);
    if (const auto* c = e.As<Count>(); c != nullptr && c->operand.front().As<Call>())
      return groups || FreeAmong(e, others, bound).empty();
    return !HasWildcard(e) && Within(VariablesOf(e), bound);
  }

  // Whether a call binds what it must.
  bool IsMet(const Call& call, const VariableNames& bound) const {
    const auto it = needs_.find(call.label);
    if (it == needs_.end()) return true;
    return std::any_of(it->second.begin(), it->second.end(), [&](const std::string& columns) {
      return std::all_of(columns.begin(), columns.end(), [&](char c) {
        const Node& arg = call.args[static_cast<std::size_t>(c - '0')];
        return !HasWildcard(arg) && Within(VariablesOf(arg), bound);
      });
    });
  }

  bool IsReady(const Node& clause, const VariableNames& others, const VariableNames& bound,
               bool groups) const {
    if (const auto* call = clause.As<Call>()) return IsMet(*call, bound);
    if (clause.As<Not>() || clause.As<GoalFalse>()) return FreeAmong(clause, others, bound).empty();
    const auto* b = clause.As<Binary>();
    if (b == nullptr) throw Untranslated{Print(clause)};
    const bool left = IsKnown(b->sides[0], others, bound, groups);
    const bool right = IsKnown(b->sides[1], others, bound, groups);
    if (b->op == Operator::kIn) return right;
    if (b->op != Operator::kEqual) return left && right;
    // Only a term can be bound by the other side.
    return (left || !IsComputed(b->sides[0])) && (right || !IsComputed(b->sides[1])) &&
           (left || right);
  }

  void Add(const Node& clause, const VariableNames& others, Body& body) {
    if (const auto* call = clause.As<Call>()) return AddAtom(*call, body);
    if (const auto* n = clause.As<Not>()) return AddNot(n->clause.front(), others, body);
    if (const auto* g = clause.As<GoalFalse>()) return AddNot(g->goal.front(), others, body);
    const auto& b = *clause.As<Binary>();
    if (b.op == Operator::kIn || b.op == Operator::kNotIn) return AddIn(b, body);
    const std::string left = Expression(b.sides[0], others, body);
    const std::string right = Expression(b.sides[1], others, body);
    body.literals.push_back(left + Sign(b.op) + right);
    if (b.op != Operator::kEqual) return;
    for (const Node& side : b.sides)
      if (!Ungroup(side).As<Count>()) body.bound.merge(VariablesOf(side));
  }

  void AddAtom(const Call& call, Body& body) {
    if (call.args.size() == 1)
      if (const Collection* set = SetPatternOf(call.args[0])) {
        const auto* rest = set->rest.size() == 1 ? set->rest.front().As<Lvar>() : nullptr;
        if (rest == nullptr || !set->items.empty() || body.bound.count(rest->name) > 0)
          throw Untranslated{"a set pattern"};
        set_of_[rest->name] = Name(call) + "_whole";
        body.literals.push_back(Name(call) + "_whole(V" + WithUnderscores(rest->name) + ",_)");
        body.bound.insert(rest->name);
        return;
      }
    body.literals.push_back(Name(call) + Arguments(call.args));
    for (const Node& arg : call.args) body.bound.merge(VariablesOf(arg));
  }

  // A predicate over the variables that the clauses inside share with those outside. It stands
  // alone where they bind these variables, else on the body so far.
  void AddNot(const Node& inner, const VariableNames& others, Body& body) {
    VariableNames shared, outside = others;
    outside.insert(body.bound.begin(), body.bound.end());
    for (const std::string& name : VariablesOf(inner))
      if (body.bound.count(name) > 0) shared.insert(name);
    std::vector<std::string> args;
    for (const std::string& name : shared) args.push_back("V" + WithUnderscores(name));
    const std::string head = Applied(Own(), args);
    for (const Branch& branch : BranchesOf(inner)) {
      std::optional<Body> alone = Solve(branch, outside, {}, false);
      if (!alone || !Within(shared, alone->bound))
        alone = Solve(branch, outside, {body.literals, body.bound}, true);
      if (!alone) throw Untranslated{"a clause without its inputs: " + Print(inner)};
      Emit(head, *alone);
    }
    body.literals.push_back("not " + head);
  }

  // `own(LIST, REST)` for each part of a list that begins further on.
  std::string Parts(const std::string& list, const Body& body) {
    const std::string own = Own(), any = Variable(), more = Variable();
    Emit(own + "(" + list + "," + list + ")", body);
    out_ += own + "(" + any + "," + more + ") :- " + own + "(" + any + ",c(_," + more + ")).\n";
    return own;
  }

  void AddIn(const Binary& b, Body& body) {
    const Node& collection = Ungroup(b.sides[1]);
    const std::string left = TermOf(b.sides[0]), right = TermOf(collection);
    if (const auto* v = collection.As<Lvar>(); v != nullptr && set_of_.count(v->name) > 0) {
      body.literals.push_back((b.op == Operator::kIn ? "" : "not ") + set_of_[v->name] + "(" +
                              right + "," + left + ")");
    } else {
      const std::string parts = Parts(right, body), own = Own(), list = Variable(),
                        element = Variable();
      out_ += own + "(" + list + "," + element + ") :- " + parts + "(" + list + ",c(" + element +
              ",_)).\n";
      body.literals.push_back((b.op == Operator::kIn ? "" : "not ") + own + "(" + right + "," +
                              left + ")");
    }
    if (b.op == Operator::kIn) body.bound.merge(VariablesOf(b.sides[0]));
  }

  // --- expressions --------------------------------------------------------------------------

  std::string Expression(const Node& e, const VariableNames& others, Body& body) {
    if (const auto* g = e.As<Group>()) return Expression(g->inner.front(), others, body);
    if (const auto* b = e.As<Binary>()) {
      if (!IsArithmetic(b->op)) throw Untranslated{Print(e)};
      const std::string left = Expression(b->sides[0], others, body);
      return "(" + left + Sign(b->op) + Expression(b->sides[1], others, body) + ")";
    }
    const auto* c = e.As<Count>();
    if (c == nullptr) return TermOf(e);
    const std::string n = Variable();
    if (const auto* atom = c->operand.front().As<Call>()) {
      if (!IsMet(*atom, body.bound)) throw Untranslated{"a count without its inputs: " + Print(e)};
      VariableNames keys = FreeAmong(c->operand.front(), others, body.bound);
      for (const std::string& name : VariablesOf(c->operand.front()))
        if (body.grouped.count(name) > 0) keys.insert(name);
      AddGroupKeys(*atom, keys, body);
      const std::vector<std::string> args = TermsOf(atom->args);
      body.literals.push_back(n + " = #count{ " + (args.empty() ? "0" : Comma(args)) + " : " +
                              Applied(Name(*atom), args) + " }");
    } else {
      AddLength(c->operand.front(), n, body);
    }
    return n;
  }

  // The rows that are counted bind the keys; their other variables are others here.
  void AddGroupKeys(const Call& atom, const VariableNames& keys, Body& body) {
    if (keys.empty()) return;
    std::vector<std::string> args;
    for (const Node& arg : atom.args) {
      const auto* v = arg.As<Lvar>();
      const bool local = v != nullptr && keys.count(v->name) == 0 && body.bound.count(v->name) == 0;
      if (v == nullptr && !Within(VariablesOf(arg), body.bound))
        throw Untranslated{"a group key inside of a pattern"};
      args.push_back(local ? Variable() : TermOf(arg));
    }
    body.literals.push_back(Applied(Name(atom), args));
    body.bound.insert(keys.begin(), keys.end());
    body.grouped.insert(keys.begin(), keys.end());
  }

  void AddLength(const Node& operand, const std::string& n, Body& body) {
    const std::string value = TermOf(operand);
    if (const auto* v = operand.As<Lvar>(); v != nullptr && set_of_.count(v->name) > 0) {
      const std::string element = Variable();
      body.literals.push_back(n + " = #count{ " + element + " : " + set_of_[v->name] + "(" + value +
                              "," + element + ") }");
      return;
    }
    const std::string own = Own();
    Emit(own + "(" + value + "," + value + ",0)", body);
    out_ += own + "(L,T,N+1) :- " + own + "(L,c(_,T),N).\n";
    body.literals.push_back(own + "(" + value + ",nil," + n + ")");
  }

  const std::string prefix_;
  const Needs& needs_;
  std::string out_;
  int next_ = 0;
  std::set<std::string> whole_;                // labels that a set pattern reads
  std::map<std::string, std::string> set_of_;  // of the branch: variables with a set, its predicate

 public:
  static std::string GroundTerm(const Node& node) { return Translator("", {}).TermOf(node); }
};

// Reads terms as Translator writes them, and writes them as RPL has them.
class TermReader {
 public:
  explicit TermReader(std::string_view text) : text_(text) {}

  std::string Terms() {
    std::string out;
    while (at_ < text_.size() && text_[at_] != ')') {
      if (text_[at_] == ',') ++at_, out += ", ";
      out += Term();
    }
    return out;
  }

 private:
  std::string Term() {
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '"') {
      for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
      return std::string(text_.substr(begin, ++at_ - begin));
    }
    at_ = std::min(text_.find_first_of("(),", at_), text_.size());
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "nil") return "[]";
    if (at_ == text_.size() || text_[at_] != '(') return std::string(name);
    ++at_;
    std::string out;
    if (name == "c") {
      const std::string first = Term();
      ++at_;
      const std::string rest = Term();
      out = "[" + first + (rest == "[]" ? "" : " ") + rest.substr(1);
    } else if (name == "y" || name == "k") {
      const std::string quoted = Term();
      out = (name == "k" ? ":" : "") + quoted.substr(1, quoted.size() - 2);
    } else {
      out = std::string(name.substr(name.starts_with("t_") ? 2 : 0)) + "(" + Terms() + ")";
    }
    ++at_;
    return out;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Adds the atoms of a line of clingo's, separated by blanks.
void ReadModel(std::string_view line, Rows& rows) {
  std::size_t begin = 0;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i < line.size() && (quoted || depth > 0 || line[i] != ' ')) {
      if (quoted && line[i] == '\\') ++i;
      else if (line[i] == '"') quoted = !quoted;
      else if (!quoted && line[i] == '(') ++depth;
      else if (!quoted && line[i] == ')') --depth;
      continue;
    }
    const std::string_view atom = line.substr(begin, i - begin);
    begin = i + 1;
    if (atom.empty()) continue;
    const std::size_t open = atom.find('(');
    if (open == atom.npos) rows[std::string(atom)].insert("");
    else
      rows[std::string(atom.substr(0, open))].insert(
          std::string(atom.substr(open + 1, atom.size() - open - 2)));
  }
}

struct TextFile {
  TextFile() {
    const char* folder = std::getenv("TMPDIR");
    path = std::string(folder == nullptr ? "/tmp" : folder) + "/rpl-clingo-XXXXXX";
    descriptor = mkstemp(path.data());
  }
  ~TextFile() {
    if (descriptor >= 0) close(descriptor), unlink(path.c_str());
  }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;

  bool Write(std::string_view text) {
    while (descriptor >= 0 && !text.empty()) {
      const ssize_t n = write(descriptor, text.data(), text.size());
      if (n <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(n));
    }
    return descriptor >= 0;
  }

  std::string path;
  int descriptor = -1;
};

}  // namespace

std::optional<std::string> Translate(const std::vector<Sentence>& sentences, const Needs& needs,
                                     const std::string& prefix, std::string* problem) {
  const auto unfolded = Unfolded(sentences, needs, false, problem);
  if (!unfolded) return std::nullopt;
  try {
    return Translator(prefix, needs).Translate(*unfolded);
  } catch (const Untranslated& u) {
    const bool same = *unfolded == sentences;
    *problem = same ? u.what : std::string(kNoForm) + " for clingo: " + u.what;
    return std::nullopt;
  }
}

std::string Predicate(const std::string& prefix, std::string_view label) {
  const bool goal = label.starts_with('%');
  return prefix + (goal ? "goal_" : "") + WithUnderscores(label.substr(goal ? 1 : 0));
}

std::string Term(const Node& ground) {
  try {
    return Translator::GroundTerm(ground);
  } catch (const Untranslated&) {
    return "";
  }
}

std::string Readable(const std::string& row) { return "(" + TermReader(row).Terms() + ")"; }

std::optional<Rows> Solve(const std::string& text, std::string* problem) {
  TextFile file;
  if (!file.Write(text)) {
    *problem = "cannot write " + file.path;
    return std::nullopt;
  }
  const std::string command = "clingo --verbose=0 --warn=none -n 2 " + file.path + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  std::string said;
  char buffer[1 << 16];
  for (std::size_t n; pipe != nullptr && (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    said.append(buffer, n);
  if (pipe != nullptr) pclose(pipe);
  // One line of atoms, then the verdict.
  const std::size_t end = said.find('\n');
  if (end == said.npos || said.substr(end + 1) != "SATISFIABLE\n") {
    *problem = said.size() > 500 ? said.substr(0, 500) + "…" : said.empty() ? "no clingo" : said;
    return std::nullopt;
  }
  Rows rows;
  ReadModel(std::string_view(said).substr(0, end), rows);
  return rows;
}

}  // namespace rpl::clingo
