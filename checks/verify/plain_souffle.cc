// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/plain_souffle.h"

#include <cctype>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>

namespace rpl::plain {
namespace {

// An argument: a constant (as in SouffleRow), a variable `v…`, or `_`.
struct Atom {
  std::string relation;
  std::vector<std::string> args;
};

struct Literal {
  char kind = 'a';  // atom, ! negated, c count, < comparison
  Atom atom;
  std::string left, op, right;
};

struct Clause {
  Atom head;
  std::vector<Literal> body;
};

using Row = SouffleRow;
using Bound = std::map<std::string, std::string>;

class Program {
 public:
  explicit Program(const std::string& text) : text_(text) { Read(); }

  SouffleResult Run() {
    for (const auto& [name, types] : types_) Derive(name);
    return {std::move(rows_), std::move(outputs_)};
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    throw std::runtime_error(what + " at: " + text_.substr(at_, 60));
  }

  // --- reading ------------------------------------------------------------------------------

  void Skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      else if (text_.compare(at_, 2, "//") == 0) {
        const std::size_t end = text_.find('\n', at_);
        // A preprocessor would join the next line to the comment.
        if (end != text_.npos && text_[end - 1] == '\\') Fail("a comment goes on");
        at_ = end == text_.npos ? text_.size() : end;
      } else break;
    }
  }

  bool Take(const std::string& token) {
    Skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }

  void Want(const std::string& token) {
    if (!Take(token)) Fail("expected " + token);
  }

  std::string Name() {
    Skip();
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      name += text_[at_++];
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) Fail("no name");
    return name;
  }

  std::string Number() {
    Skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string digits = text_.substr(begin, at_ - begin);
    if (digits.empty() || digits.size() > 11) Fail("no number");
    const long long value = std::stoll(digits);
    if (value > INT32_MAX || value < INT32_MIN) Fail("a number beyond 32 bits");
    return "n" + digits;
  }

  std::string Symbol() {
    std::string text = "s";
    for (Want("\""); at_ < text_.size() && text_[at_] != '"'; ++at_) {
      const char c = text_[at_];
      if (c == '\n' || c == '\t' || c == '\r') Fail("a raw control character in a symbol");
      if (c != '\\') {
        text += c;
        continue;
      }
      switch (text_[++at_]) {
        case 'n': text += '\n'; break;
        case 't': text += '\t'; break;
        case 'r': text += '\r'; break;
        case '"': text += '"'; break;
        case '\\': text += '\\'; break;
        default: Fail("an unknown escape");
      }
    }
    Want("\"");
    return text;
  }

  std::string Argument() {
    Skip();
    if (text_[at_] == '"') return Symbol();
    if (text_[at_] == '-' || std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
      return Number();
    const std::string name = Name();
    return name == "_" ? name : "v" + name;
  }

  Atom ReadAtom() {
    Atom atom{Name(), {}};
    const auto types = types_.find(atom.relation);
    if (types == types_.end()) Fail("undeclared " + atom.relation);
    Want("(");
    do {
      atom.args.push_back(Argument());
    } while (Take(","));
    Want(")");
    if (atom.args.size() != types->second.size()) Fail("arity of " + atom.relation);
    for (std::size_t i = 0; i < atom.args.size(); ++i)
      if ((atom.args[i][0] == 's' || atom.args[i][0] == 'n') && atom.args[i][0] != types->second[i])
        Fail("type in " + atom.relation);
    return atom;
  }

  Literal ReadLiteral() {
    Literal literal;
    if (Take("!")) {
      literal.kind = '!';
      literal.atom = ReadAtom();
      return literal;
    }
    if (Take("1 = count : {")) {
      literal.kind = 'c';
      literal.atom = ReadAtom();
      Want("}");
      return literal;
    }
    const std::size_t begin = at_;
    const std::string name = Name();
    for (const std::string op : {"<=", ">=", "<", ">"})
      if (Take(op)) {
        literal.kind = '<';
        literal.left = "v" + name;
        literal.op = op;
        literal.right = Number();
        return literal;
      }
    at_ = begin;
    literal.atom = ReadAtom();
    return literal;
  }

  void Read() {
    for (Skip(); at_ < text_.size(); Skip()) {
      if (Take(".decl")) {
        std::string& types = types_[Name()];
        if (!types.empty()) Fail("declared twice");
        Want("(");
        do {
          Name();
          Want(":");
          types += Take("symbol") ? 's' : (Want("number"), 'n');
        } while (Take(","));
        Want(")");
      } else if (Take(".output")) {
        const std::string name = Name();
        if (!types_.contains(name)) Fail("undeclared " + name);
        outputs_.insert(name);
      } else {
        Clause clause{ReadAtom(), {}};
        if (Take(":-")) do
            clause.body.push_back(ReadLiteral());
          while (Take(","));
        Want(".");
        Check(clause);
        clauses_[clause.head.relation].push_back(std::move(clause));
      }
    }
  }

  void Check(const Clause& clause) const {
    std::set<std::string> grounded;
    for (const Literal& literal : clause.body)
      if (literal.kind == 'a')
        for (const std::string& arg : literal.atom.args) grounded.insert(arg);
    for (const std::string& arg : clause.head.args)
      if (arg == "_" || (arg[0] == 'v' && !grounded.contains(arg))) Fail("ungrounded head");
    for (const Literal& literal : clause.body) {
      if (literal.kind == '<' && !grounded.contains(literal.left)) Fail("ungrounded comparison");
      if (literal.kind != '!') continue;
      for (const std::string& arg : literal.atom.args)
        if (arg[0] == 'v' && !grounded.contains(arg)) Fail("ungrounded negation");
    }
  }

  // --- evaluating ---------------------------------------------------------------------------

  // Derives first all relations that this one depends on; there is no recursion.
  void Derive(const std::string& relation) {
    if (done_.contains(relation)) return;
    if (!running_.insert(relation).second) Fail("recursion of " + relation);
    for (const Clause& clause : clauses_[relation])
      for (const Literal& literal : clause.body)
        if (!literal.atom.relation.empty()) Derive(literal.atom.relation);
    for (const Clause& clause : clauses_[relation]) Solve(clause, 0, {});
    rows_[relation];
    done_.insert(relation);
  }

  static std::optional<Bound> Match(const Atom& atom, const Row& row, Bound bound) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string& arg = atom.args[i];
      if (arg == "_") continue;
      if (arg[0] == 'v') {
        if (bound.try_emplace(arg, row[i]).first->second != row[i]) return std::nullopt;
      } else if (arg != row[i]) {
        return std::nullopt;
      }
    }
    return bound;
  }

  std::size_t Count(const Atom& atom, const Bound& bound) {
    std::size_t n = 0;
    for (const Row& row : rows_[atom.relation]) n += Match(atom, row, bound) ? 1 : 0;
    return n;
  }

  static bool Compared(const Literal& literal, const Bound& bound) {
    const long left = std::stol(bound.at(literal.left).substr(1));
    const long right = std::stol(literal.right.substr(1));
    if (literal.op == "<") return left < right;
    if (literal.op == ">") return left > right;
    return literal.op == "<=" ? left <= right : left >= right;
  }

  void Solve(const Clause& clause, std::size_t at, const Bound& bound) {
    if (at == clause.body.size()) {
      Row row;
      for (const std::string& arg : clause.head.args)
        row.push_back(arg[0] == 'v' ? bound.at(arg) : arg);
      rows_[clause.head.relation].insert(row);
      return;
    }
    const Literal& literal = clause.body[at];
    if (literal.kind == 'a') {
      for (const Row& row : rows_[literal.atom.relation])
        if (const auto more = Match(literal.atom, row, bound)) Solve(clause, at + 1, *more);
      return;
    }
    const bool holds = literal.kind == '<'
                           ? Compared(literal, bound)
                           : Count(literal.atom, bound) == (literal.kind == 'c' ? 1u : 0u);
    if (holds) Solve(clause, at + 1, bound);
  }

  const std::string& text_;
  std::size_t at_ = 0;
  std::map<std::string, std::string> types_;
  std::set<std::string> outputs_;
  std::map<std::string, std::vector<Clause>> clauses_;
  std::map<std::string, std::set<Row>> rows_;
  std::set<std::string> done_;
  std::set<std::string> running_;
};

}  // namespace

SouffleResult RunSouffle(const std::string& text) { return Program(text).Run(); }

}  // namespace rpl::plain
