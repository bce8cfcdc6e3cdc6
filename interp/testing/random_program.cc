// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/random_program.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "grammar/parser.h"
#include "interp/store/relation_id.h"

namespace rpl {
namespace {

std::string Joined(const std::vector<std::string>& parts, const char* separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? separator : "") + parts[i];
  return out;
}

// One program while it grows. Variables of the rule at hand are known by type: the letters
// of RandomRelation::columns, and `z` for a set.
class Grower {
 public:
  Grower(std::uint32_t seed, Vocabulary vocabulary)
      : random_(seed), plain_(vocabulary == Vocabulary::kPlain) {}

  RandomProgram Grow() {
    const int bases = 2 + Pick(3);
    for (int i = 0; i < bases; ++i) AddRelation("e" + std::to_string(i), Columns(), 0);
    const int layers = 1 + Pick(3);
    for (int layer = 1; layer <= layers; ++layer) {
      layer_ = layer;
      if (!plain_ && Pick(3) == 0) {
        AddGathering();
        continue;
      }
      const std::size_t first = out_.relations.size();
      const int count = 1 + Pick(2);
      for (int i = 0; i < count; ++i)
        AddRelation("r" + std::to_string(layer) + std::string(1, static_cast<char>('a' + i)),
                    Columns(), layer);
      for (std::size_t r = first; r < out_.relations.size(); ++r) {
        const int rules = 1 + Pick(3);
        for (int i = 0; i < rules; ++i) AddRule(r);
      }
    }
    for (const RandomRelation& r : out_.relations)
      if (r.layer == 0 || Pick(6) == 0) AddFacts(r);
    AddExtra();
    return std::move(out_);
  }

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  template <typename T>
  const T& Of(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  std::string Columns() {
    static const std::vector<std::string> kColumns = {"nn", "ny", "nn", "n", "y",  "yn", "nnn",
                                                      "nl", "l",  "yt", "t", "nm", "nny"};
    const std::string& columns = Of(kColumns);
    return plain_ && columns == "nm" ? "nn" : columns;
  }

  void AddRelation(std::string name, std::string columns, int layer) {
    out_.relations.push_back({std::move(name), std::move(columns), layer, layer > 0});
  }

  // --- constants ----------------------------------------------------------------------

  std::string Constant(char type) {
    static const std::vector<std::string> kNames = {"a", "b", "\"a\"", "\"x y\"", ":k", "c"};
    switch (type) {
      case 'n': return std::to_string(Pick(5));
      case 'y': return Of(kNames);
      case 'l': {
        std::vector<std::string> items;
        for (int n = Pick(4); n > 0; --n) items.push_back(Constant('n'));
        return "[" + Joined(items, " ") + "]";
      }
      case 't':
        return Pick(2) == 0 ? "f(" + Constant('n') + ")"
                            : "g(" + Constant('y') + ", " + Constant('n') + ")";
      case 'm':
        return Pick(2) == 0 ? "{:k " + Constant('n') + "}"
                            : "{:k " + Constant('n') + ", :h " + Constant('n') + "}";
      default: return "[]";
    }
  }

  std::string SetConstant() {
    return "#{" + Constant('n') + " " + Constant('n') + " " + std::to_string(Pick(9)) + "}";
  }

  void AddFacts(const RandomRelation& r) {
    if (r.columns.find('g') != std::string::npos) return;
    for (int n = 2 + Pick(r.layer == 0 ? 7 : 2); n > 0; --n) out_.facts.push_back(Fact(r, true));
  }

  std::string Fact(const RandomRelation& r, bool sets) {
    std::vector<std::string> args;
    for (char c : r.columns) {
      if (sets && c == 'n' && !plain_ && Pick(25) == 0) {
        args.push_back(SetConstant());
        MarkSets(r.name);
      } else {
        args.push_back(Constant(c));
      }
    }
    return r.name + "(" + Joined(args, ", ") + ")";
  }

  void MarkSets(const std::string& name) {
    for (RandomRelation& r : out_.relations)
      if (r.name == name) r.sets = true;
  }

  void AddExtra() {
    const std::set<std::string> known(out_.facts.begin(), out_.facts.end());
    for (const RandomRelation& r : out_.relations) {
      if (r.layer > 0 || r.sets) continue;
      for (int n = Pick(3); n > 0; --n)
        if (std::string fact = Fact(r, false); known.count(fact) == 0)
          out_.extra.push_back(std::move(fact));
    }
  }

  // --- variables ----------------------------------------------------------------------

  std::string Fresh(char type) {
    std::string name = "?" + std::string(1, type) + std::to_string(next_++);
    if (type != 'g') vars_[type].push_back(name);
    return name;
  }

  std::string Local() { return "?o" + std::to_string(next_++); }

  // A variable that the rule has bound so far, or a constant.
  std::string Known(char type) {
    const auto& known = vars_[type];
    return known.empty() || Pick(8) == 0 ? Constant(type) : Of(known);
  }

  bool Has(char type) { return !vars_[type].empty(); }

  // Inside a list or term, where a set pattern takes sets only.
  std::string Inner(char type) {
    const bool allowed = std::exchange(set_patterns_, false);
    std::string out = Arg(type);
    set_patterns_ = allowed;
    return out;
  }

  std::string Arg(char type) {
    if (type == 'g') return Pick(3) == 0 ? "_" : Gathered();
    const int choice = Pick(20);
    if (choice < 10 && Has(type)) return Of(vars_[type]);
    if (choice == 10) return Constant(type);
    if (choice == 11) return "_";
    if (type == 'l' && choice < 15) {
      switch (Pick(4)) {
        case 0: return "[" + Inner('n') + " & " + Fresh('l') + "]";
        case 1: return "[" + Inner('n') + " " + Inner('n') + "]";
        case 2: return "[" + Inner('n') + " . " + Inner('n') + " & _]";
        default: return "[& " + Fresh('l') + "]";
      }
    }
    if (type == 't' && choice < 16)
      return Pick(2) == 0 ? "f(" + Inner('n') + ")" : "g(" + Inner('y') + ", " + Inner('n') + ")";
    if (type == 'n' && choice == 12 && set_patterns_) {
      // `#{1 2}` asks for several rows: of one column, or as in Test().
      switch (Pick(sets_ ? 5 : 3)) {
        case 0: return "#{" + Fresh('n') + " & _}";
        case 3: return "#{" + Constant('n') + " " + Constant('n') + "}";
        case 4: {
          const std::string one = Fresh('n');
          return "#{" + one + " " + Fresh('n') + "}";
        }
        default: return "#{& " + Fresh('z') + "}";
      }
    }
    return Fresh(type);
  }

  std::string Gathered() {
    gathered_.push_back(Fresh('g'));
    return gathered_.back();
  }

  // --- clauses ------------------------------------------------------------------------

  const RandomRelation& Below(int layer) {
    std::vector<const RandomRelation*> some;
    for (const RandomRelation& r : out_.relations)
      if (r.layer <= layer) some.push_back(&r);
    return *Of(some);
  }

  std::string Atom(const RandomRelation& r) {
    set_patterns_ = !plain_;
    sets_ = r.layer < layer_ && r.columns.size() == 1;
    std::vector<std::string> args;
    // Two occurrences of a fresh variable in one atom come from vars_ growing on the way.
    for (char c : r.columns) args.push_back(Arg(c));
    return r.name + "(" + Joined(args, ", ") + ")";
  }

  // A pattern that says something of the form of a value, and may match it in several ways.
  std::string Open(char c) {
    static const std::vector<std::string> kLists = {"[_ & _]", "[_ _]"};
    static const std::vector<std::string> kMaps = {"{:k _ & _}", "{_ _ & _}", "~ {:h _}"};
    if (c == 'l') return Of(kLists);
    if (c == 'm') return Of(kMaps);
    const int choice = Pick(3);
    return choice == 0 ? "f(" + Known('n') + ")" : choice == 1 ? "f(_)" : "g(_, _)";
  }

  // An atom over what is bound, `_` and variables of its own.
  std::string BoundAtom(const RandomRelation& r) {
    std::vector<std::string> args;
    for (char c : r.columns) {
      const int choice = Pick(10);
      if (c == 'g' || choice < 2) {
        args.push_back("_");
      } else if (choice < 4) {
        args.push_back(Local());
      } else if (choice < 6 && (c == 't' || c == 'l' || c == 'm')) {
        args.push_back(Open(c));
      } else {
        args.push_back(Known(c));
      }
    }
    return r.name + "(" + Joined(args, ", ") + ")";
  }

  // Alternatives, some of which are alternatives again.
  template <typename Leaf>
  std::string Nested(int depth, const Leaf& leaf) {
    std::vector<std::string> branches;
    for (int n = Pick(5) == 0 ? 3 : 2; n > 0; --n)
      branches.push_back(depth > 1 && Pick(3) == 0 ? Nested(depth - 1, leaf) : leaf());
    return "(" + Joined(branches, " | ") + ")";
  }

  std::string Test() {
    static const std::vector<std::string> kOrder = {" < ", " <= ", " > ", " >= ", " != ", " = "};
    const RandomRelation& lower = Below(layer_ - 1);
    switch (Pick(13)) {
      case 12:
        if (!plain_ && lower.columns.size() == 2 && lower.columns[1] == 'n')
          return lower.name + "(" + Known(lower.columns[0]) + ", #{" + Known('n') + " " +
                 Known('n') + "})";
        return Known('n') + " <= 3";
      case 9: return "not (not " + BoundAtom(lower) + ")";
      case 10: return "not (" + BoundAtom(lower) + ", |" + BoundAtom(Below(layer_ - 1)) + "| > 1)";
      case 11:
        return Nested(2, [&] {
          return (Pick(3) == 0 ? "not " : "") + BoundAtom(Below(layer_ - 1)) +
                 (Pick(4) == 0 ? ", " + Known('n') + Of(kOrder) + Known('n') : "");
        });
      case 0: return Known('n') + Of(kOrder) + Known('n');
      case 1: return Known('y') + (Pick(2) == 0 ? " != " : " = ") + Known('y');
      case 2: return "not " + BoundAtom(lower);
      case 3: return "not (" + BoundAtom(lower) + ", " + BoundAtom(Below(layer_ - 1)) + ")";
      case 4: return "|" + BoundAtom(lower) + "|" + Of(kOrder) + std::to_string(Pick(4));
      case 5: return Known('n') + (Pick(2) == 0 ? " in " : " not in ") + Constant('l');
      case 6: return Known('n') + " + " + Known('n') + Of(kOrder) + Known('n') + " * 2";
      case 7: return "not " + Known('n') + " = " + Known('n');
      default: return "not (" + BoundAtom(lower) + " | " + Known('n') + " = 2)";
    }
  }

  // Binds something new. `grows`: values that no row holds are allowed.
  void Binding(std::vector<std::string>& clauses, bool grows) {
    static const std::vector<std::string> kArithmetic = {" + ", " - ", " * "};
    switch (Pick(grows ? 17 : 9)) {
      case 7:
        if (!plain_ && Has('y')) {
          const std::string text = Of(vars_['y']);
          clauses.push_back(text + " = ~ \"" + (Pick(2) == 0 ? "<" : "") + "{" + Fresh('y') +
                            "}>\"");
        }
        return;
      case 8:
        if (Has('m')) {
          const std::string map = Of(vars_['m']);
          const std::string entry = Fresh('y') + " " + Fresh('n');
          clauses.push_back(map + " = ~ {" + entry + " & " + Fresh('m') + "}");
        }
        return;
      case 0: {
        const std::string over = "|" + BoundAtom(Below(layer_ - 1)) + "|";
        clauses.push_back(Fresh('n') + " = " + over);
        return;
      }
      case 1:
        if (Has('l')) {
          const std::string list = Of(vars_['l']);
          clauses.push_back(Fresh('n') + " in " + list);
        }
        return;
      case 2:
        if (Has('z')) {
          const std::string set = Of(vars_['z']);
          clauses.push_back(Pick(2) == 0 ? set + " = ~ " + Fresh('n') : Fresh('n') + " in " + set);
        }
        return;
      case 3: {
        const std::string x = Fresh('n');
        clauses.push_back("(" + x + " = " + Constant('n') + " | " + x + " = " + Constant('n') +
                          ")");
        return;
      }
      case 4: {
        // All branches bind one variable.
        std::vector<const RandomRelation*> some;
        for (const RandomRelation& r : out_.relations)
          if (r.layer < layer_ && r.columns[0] == 'n') some.push_back(&r);
        if (some.empty()) return;
        const std::string x = Fresh('n');
        clauses.push_back(Nested(3, [&] {
          const RandomRelation& r = *Of(some);
          return r.name + "(" + x + std::string(r.columns.size() > 1 ? ", _" : "") +
                 std::string(r.columns.size() > 2 ? ", _" : "") + ")" +
                 (Pick(5) == 0 ? ", " + x + (Pick(2) == 0 ? " < " : " != ") + Known('n') : "");
        }));
        return;
      }
      case 5:
        if (Has('m')) {
          const std::string map = Of(vars_['m']);
          clauses.push_back(map + " = ~ {:k " + (Pick(2) == 0 ? Fresh('n') : Known('n')) + "}");
        }
        return;
      case 6:
        if (Has('l')) {
          const std::string list = Of(vars_['l']);
          clauses.push_back(list + " = [" + Fresh('n') + " & " + Fresh('l') + "]");
        }
        return;
      case 9:
      case 10: {
        const std::string& sign = Of(kArithmetic);
        const std::string sum =
            Known('n') + sign + (plain_ && sign == " * " ? Constant('n') : Known('n'));
        clauses.push_back(Fresh('n') + " = " + sum);
        return;
      }
      case 11: {
        const std::string list = "[" + Known('n') + " " + Known('n') + "]";
        clauses.push_back(Fresh('l') + " = " + list);
        return;
      }
      case 12: {
        if (plain_) return;
        const std::string set = "#{" + Known('n') + " " + Known('n') + "}";
        clauses.push_back(Fresh('z') + " = " + set);
        return;
      }
      case 13:
        if (Has('z')) {
          static const std::vector<std::string> kSets = {" union ", " intersect ", " difference "};
          const std::string both = Of(vars_['z']) + Of(kSets) + Of(vars_['z']);
          clauses.push_back(Fresh('z') + " = " + both);
        }
        return;
      case 14:
        if (Has('z') || Has('l')) {
          const std::string some = Has('z') ? Of(vars_['z']) : Of(vars_['l']);
          clauses.push_back(Fresh('n') + " = |" + some + "|");
        }
        return;
      case 15: {
        const std::string text = "\"<{" + (Has('n') ? Of(vars_['n']) : "?none") + "}>\"";
        if (!plain_ && Has('n')) clauses.push_back(Fresh('y') + " = " + text);
        return;
      }
      default: {
        if (plain_) return;
        const std::string half = Known('n') + " / 2";
        clauses.push_back(Fresh('n') + " = " + half);
        return;
      }
    }
  }

  void UseGathered(std::vector<std::string>& clauses) {
    for (const std::string& g : gathered_)
      clauses.push_back(Pick(2) == 0 ? Fresh('n') + " = |" + g + "|" : Known('n') + " in " + g);
    gathered_.clear();
  }

  std::string HeadArg(char type, bool grows) {
    if (type == 'n' && grows && !plain_ && Pick(12) == 0 && Has('n'))
      return "#{" + Of(vars_['n']) + " " + Known('n') + "}";
    if (type == 'n' && Has('z') && Pick(4) == 0) return Of(vars_['z']);
    if (Has(type)) return Of(vars_[type]);
    if (!grows || !Has('n')) return Constant(type);
    if (type == 't') return "f(" + Of(vars_['n']) + ")";
    if (type == 'l') return "[" + Of(vars_['n']) + "]";
    if (type == 'm') return "{:k " + Of(vars_['n']) + "}";
    return Constant(type);
  }

  std::string Head(const RandomRelation& r, bool grows) {
    std::vector<std::string> args;
    for (char c : r.columns) {
      args.push_back(HeadArg(c, grows));
      if (args.back().starts_with("#{") || args.back().starts_with("?z")) MarkSets(r.name);
    }
    return r.name + "(" + Joined(args, ", ") + ")";
  }

  void AddRule(std::size_t relation) {
    vars_.clear();
    gathered_.clear();
    const RandomRelation target = out_.relations[relation];
    RandomRule rule;
    // A closure step, a group count, or anything.
    const int kind = Pick(10);
    if (kind == 0 && target.columns == "nn") {
      const std::string x = Fresh('n'), y = Fresh('n'), z = Fresh('n');
      std::vector<std::string> pairs;
      for (const RandomRelation& r : out_.relations)
        if (r.columns == "nn" && r.layer <= layer_) pairs.push_back(r.name);
      rule.clauses = {target.name + "(" + x + ", " + y + ")", Of(pairs) + "(" + y + ", " + z + ")"};
      rule.heads = {target.name + "(" + x + ", " + z + ")"};
      out_.rules.push_back(std::move(rule));
      return;
    }
    if (kind == 1 && target.columns == "nn") {
      std::vector<const RandomRelation*> some;
      for (const RandomRelation& r : out_.relations)
        if (r.layer < layer_ && r.columns.size() == 2 && r.columns[0] == 'n') some.push_back(&r);
      if (!some.empty()) {
        const std::string k = Fresh('n'), n = Fresh('n');
        const std::string count =
            "|" + Of(some)->name + "(" + k + ", " + (Pick(2) == 0 ? "_" : Local()) + ")|";
        rule.clauses.push_back(Pick(2) == 0 ? count + " = " + n : n + " = " + count);
        if (Pick(2) == 0) rule.clauses.push_back(n + " > 1");
        if (Pick(3) == 0)  // of the same groups, in either order
          rule.clauses.insert(
              rule.clauses.begin() + Pick(2),
              "|" + Of(some)->name + "(" + k + ", _)| " + (Pick(2) == 0 ? "< 2" : "= 0"));
        rule.heads = {target.name + "(" + k + ", " + n + ")"};
        out_.rules.push_back(std::move(rule));
        return;
      }
    }
    bool grows = true;
    for (int n = 1 + Pick(3); n > 0; --n) {
      const RandomRelation& r = Below(Pick(2) == 0 ? layer_ : layer_ - 1);
      grows = grows && r.layer < layer_;
      rule.clauses.push_back(Atom(r));
    }
    UseGathered(rule.clauses);
    for (int n = Pick(3); n > 0; --n) Binding(rule.clauses, grows);
    for (int n = Pick(3); n > 0; --n) rule.clauses.push_back(Test());
    rule.heads.push_back(Head(target, grows));
    if (Pick(8) == 0) {
      // A second head in the same layer keeps the layers.
      for (const RandomRelation& r : out_.relations)
        if (r.layer == layer_ && r.name != target.name) {
          rule.heads.push_back(Head(r, grows));
          break;
        }
    }
    out_.rules.push_back(std::move(rule));
  }

  void AddGathering() {
    vars_.clear();
    gathered_.clear();
    RandomRule rule;
    for (int n = 1 + Pick(2); n > 0; --n) rule.clauses.push_back(Atom(Below(layer_ - 1)));
    UseGathered(rule.clauses);
    if (Pick(2) == 0) rule.clauses.push_back(Test());
    if (!Has('n')) rule.clauses.push_back(Fresh('n') + " in [1 2]");
    const std::string value = Of(vars_['n']);
    const bool list = Pick(2) == 0;
    const bool pair = list && Has('y') && Pick(2) == 0;
    std::string gather = list ? "[& " : "#{& ";
    gather += value + (pair ? " " + Of(vars_['y']) : "") + (list ? "]" : "}");
    const std::string name = "c" + std::to_string(layer_);
    const char column = list ? 'g' : 'n';
    switch (Pick(3)) {
      case 0:
        AddRelation(name, std::string(1, column), layer_);
        rule.heads = {name + "(" + gather + ")"};
        break;
      default: {
        const char key = Has('y') && Pick(2) == 0 ? 'y' : 'n';
        AddRelation(name, std::string{key, column}, layer_);
        rule.heads = {name + "(" + Of(vars_[key]) + ", " + gather + ")"};
      }
    }
    if (!list) MarkSets(name);
    out_.rules.push_back(std::move(rule));
  }

  std::mt19937 random_;
  const bool plain_;
  RandomProgram out_;
  int layer_ = 0;
  int next_ = 0;
  bool set_patterns_ = true;
  bool sets_ = true;
  std::map<char, std::vector<std::string>> vars_;
  std::vector<std::string> gathered_;
};

// std::shuffle differs between libraries.
template <typename T>
void Shuffle(std::vector<T>& items, std::mt19937& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[random() % i]);
}

}  // namespace

std::string RandomRule::Text() const {
  std::string head = Joined(heads, " <- ");
  if (!extremum.empty()) {
    head.insert(head.rfind('?'), "std#" + extremum + "(");
    head += ")";
  }
  return head + " <- " + Joined(clauses, ", ") + (when.empty() ? "" : " ; @when(" + when + ")");
}

std::string RandomProgram::RuleText() const {
  std::string out;
  for (const RandomRule& rule : rules) out += rule.Text() + "\n";
  return out;
}

std::string RandomProgram::FactText() const {
  std::string out;
  for (const std::string& fact : facts) out += fact + "\n";
  return out;
}

std::string RandomProgram::ClosedText() const {
  std::string out = FactText();
  std::set<std::string> choosing;
  for (const RandomRule& rule : rules) choosing.insert(rule.within.begin(), rule.within.end());
  for (const std::string& fact : facts)
    if (const std::size_t call = fact.find('('); choosing.contains(fact.substr(0, call)))
      out += fact.substr(0, call) + "-all" + fact.substr(call) + "\n";
  for (RandomRule rule : rules) {
    rule.clauses.insert(rule.clauses.end(), rule.inputs.begin(), rule.inputs.end());
    if (!rule.when.empty()) rule.clauses.push_back("(" + std::exchange(rule.when, "") + ")");
    rule.extremum.clear();
    for (const std::string& name : rule.within)
      for (std::vector<std::string>* part : {&rule.heads, &rule.clauses})
        for (std::string& atom : *part)
          if (const std::size_t call = atom.find(name + "("); call != atom.npos)
            atom.insert(call + name.size(), "-all");
    out += rule.Text() + "\n";
  }
  out += keys;
  for (std::size_t at = 0; (at = out.find('%', at)) != out.npos;) out.replace(at, 1, "goal-");
  return out;
}

std::uint32_t Setting(const char* name, std::uint32_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
}

std::vector<Sentence> Parsed(const std::string& text, std::string* why) {
  Sources sources;
  Diagnostics findings;
  const std::uint32_t file = sources.Add("x.rpl", text);
  std::vector<Sentence> out =
      ParseSentences(sources, {file, 0, static_cast<std::uint32_t>(text.size())}, findings);
  if (why != nullptr && findings.has_errors()) *why = Render(findings.all().front(), sources);
  return out;
}

std::vector<Sentence> SentencesOf(const std::string& text) {
  std::string why;
  std::vector<Sentence> out = Parsed(text, &why);
  if (!why.empty()) throw std::runtime_error(why);
  return out;
}

RandomProgram MakeProgram(std::uint32_t seed, Vocabulary vocabulary) {
  return Grower(seed, vocabulary).Grow();
}

RandomProgram MakeGraph(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto pick = [&](std::uint32_t n) { return static_cast<int>(random() % n); };
  RandomProgram p;
  for (const auto& [name, layer] :
       {std::pair("e", 0), {"f", 0}, {"t", 1}, {"u", 1}, {"v", 2}, {"w", 3}})
    p.relations.push_back({name, "nn", layer, layer > 0});
  const int nodes = 4 + pick(8);
  const auto fact = [&](const std::string& of) {
    return of + "(" + std::to_string(pick(static_cast<std::uint32_t>(nodes))) + ", " +
           std::to_string(pick(static_cast<std::uint32_t>(nodes))) + ")";
  };
  for (int n = 3 + pick(20); n > 0; --n) p.facts.push_back(fact(pick(3) == 0 ? "f" : "e"));
  for (int n = pick(4); n > 0; --n) p.facts.push_back(fact(pick(2) == 0 ? "t" : "u"));
  for (int n = 3 + pick(6); n > 0; --n) p.extra.push_back(fact(pick(3) == 0 ? "f" : "e"));
  std::ranges::sort(p.facts);
  p.facts.erase(std::unique(p.facts.begin(), p.facts.end()), p.facts.end());
  std::erase_if(p.extra, [&](const std::string& of) {
    return std::ranges::find(p.facts, of) != p.facts.end();
  });
  static const std::pair<const char*, std::vector<std::string>> kBodies[] = {
      {"t", {"e(?x, ?y)"}},
      {"t", {"t(?x, ?z)", "e(?z, ?y)"}},
      {"t", {"e(?x, ?z)", "t(?z, ?y)"}},
      {"t", {"t(?x, ?z)", "t(?z, ?y)"}},
      {"t", {"u(?y, ?x)", "f(?x, ?a)"}},
      {"t", {"e(?a, ?x)", "t(?a, ?b)", "e(?b, ?y)"}},
      {"u", {"f(?x, ?y)", "?x != ?y"}},
      {"u", {"t(?x, ?z)", "f(?z, ?y)"}},
      {"u", {"u(?x, ?z)", "e(?z, ?y)", "?y < 6"}},
      {"u", {"t(?x, ?y)", "t(?y, ?x)"}},
      {"u", {"e(?x, ?a)", "?y = ?a + 1", "?y < 9"}},
      {"v", {"t(?x, ?y)", "u(?y, ?a)"}},
      {"v", {"t(?x, ?y)", "not u(?x, ?y)"}},
      {"v", {"v(?x, ?z)", "e(?z, ?y)", "not f(?z, ?y)"}},
      {"v", {"e(?x, ?y)", "e(?y, ?x)"}},
      {"w", {"v(?x, ?y)", "t(?x, ?y)"}},
      {"w", {"v(?x, ?a)", "?y = |t(?x, _)|"}},
      {"w", {"w(?x, ?z)", "v(?z, ?y)"}},
  };
  for (const auto& [head, body] : kBodies)
    if (pick(5) < 3) p.rules.push_back({{std::string(head) + "(?x, ?y)"}, body});
  return p;
}

std::vector<RandomTurn> TurnsOf(const RandomProgram& program, int count) {
  std::vector<std::string> single;  // a fact with a set has instances
  for (const std::vector<std::string>* facts : {&program.facts, &program.extra})
    for (const std::string& fact : *facts) {
      const auto r = std::ranges::find(program.relations, fact.substr(0, fact.find('(')),
                                       &RandomRelation::name);
      if (r != program.relations.end() && !r->sets &&
          std::ranges::find(single, fact) == single.end())
        single.push_back(fact);
    }
  std::vector<RandomTurn> out;
  std::mt19937 random(static_cast<std::uint32_t>(program.Text().size() * 31 + single.size()));
  std::set<std::string> there(program.facts.begin(), program.facts.end());
  while (!single.empty() && out.size() < static_cast<std::size_t>(count)) {
    RandomTurn& turn = out.emplace_back();
    for (std::uint32_t n = 1 + random() % 3 / 2; n > 0; --n) {
      const std::string& fact = single[random() % single.size()];
      const bool comes = there.insert(fact).second;
      if (!comes) there.erase(fact);
      turn.change += fact + (comes ? "\n" : " -> false\n");
    }
    for (const std::string& fact : there) turn.facts += fact + "\n";
  }
  return out;
}

RandomProgram Permuted(RandomProgram program, std::mt19937& random) {
  Shuffle(program.facts, random);
  Shuffle(program.rules, random);
  for (RandomRule& rule : program.rules) Shuffle(rule.clauses, random);
  return program;
}

RandomProgram Shrunk(RandomProgram program, const std::function<bool(const RandomProgram&)>& fails,
                     int budget) {
  const auto attempt = [&](auto&& change) {
    if (budget-- <= 0) return false;
    RandomProgram smaller = program;
    change(smaller);
    if (!fails(smaller)) return false;
    program = std::move(smaller);
    return true;
  };
  for (bool changed = true; changed && budget > 0;) {
    changed = false;
    for (std::size_t i = program.rules.size(); i-- > 0;)
      changed |= attempt([&](RandomProgram& p) {
        p.rules.erase(p.rules.begin() + static_cast<std::ptrdiff_t>(i));
      });
    for (std::size_t i = program.facts.size(); i-- > 0;)
      changed |= attempt([&](RandomProgram& p) {
        p.facts.erase(p.facts.begin() + static_cast<std::ptrdiff_t>(i));
      });
    for (std::size_t i = program.changes.size(); i-- > 0;)
      changed |= attempt([&](RandomProgram& p) {
        p.changes.erase(p.changes.begin() + static_cast<std::ptrdiff_t>(i));
      });
    for (std::size_t i = program.extra.size(); i-- > 0;)
      changed |= attempt([&](RandomProgram& p) {
        p.extra.erase(p.extra.begin() + static_cast<std::ptrdiff_t>(i));
      });
    for (std::size_t r = 0; r < program.rules.size(); ++r) {
      for (std::size_t i = program.rules[r].clauses.size(); i-- > 0;)
        if (program.rules[r].clauses.size() > 1)
          changed |= attempt([&](RandomProgram& p) {
            auto& clauses = p.rules[r].clauses;
            clauses.erase(clauses.begin() + static_cast<std::ptrdiff_t>(i));
          });
      for (std::size_t i = program.rules[r].heads.size(); i-- > 0;)
        if (program.rules[r].heads.size() > 1)
          changed |= attempt([&](RandomProgram& p) {
            auto& heads = p.rules[r].heads;
            heads.erase(heads.begin() + static_cast<std::ptrdiff_t>(i));
          });
    }
  }
  return program;
}

}  // namespace rpl
