// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/random_shapes.h"

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rpl {
namespace {

using Clauses = std::vector<std::string>;

// What clingo does not simplify to nothing, which would be defined for texts, too.
const Clauses kSteps = {" + 1", " + 3", " - 1", " - 2", " * 2"};

// Adds shapes to one program. Names of relations and variables end in a number of their own.
class ShapeWriter {
 public:
  ShapeWriter(RandomProgram& out, std::uint32_t seed) : out_(out), random_(seed) { AddBases(); }

  /// To be called before each shape.
  void Begin() { known_ = out_.relations.size(); }
  void Equal();
  void Mixed();
  void MixedFunction();
  void MixedRecursion();
  void MixedUnderMixed();
  void MixedBesideCounts();
  void Closure();
  void Pairs();
  void Parity();
  void Lists();
  void Append();
  void Recogniser();
  void Distance();
  void Split();
  void Either();
  void When();
  void Goals();
  void GoalBranch();
  void GoalRead();
  void Sets();
  void ShrinkingSets();
  void Extrema();
  void MixedExtrema();
  void Aliases();
  void Equivalences();
  void Counted();
  void Equalities();
  void Texts();

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  bool Half() { return Pick(2) == 0; }
  template <typename T>
  const T& Of(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }
  std::string Small() { return std::to_string(Pick(6)); }
  std::string Order() { return Of(Clauses{" < ", " <= ", " > ", " >= ", " != "}); }
  std::string Name(const char* stem) { return stem + std::to_string(next_++); }

  // Every program has these, so that each type has a relation that may be read whole.
  void AddBases() {
    for (const char* columns : {"n", "nn", "l"}) {
      const std::string name = std::string("b-") + columns;
      out_.relations.push_back({name, columns});
      for (int n = 2 + Pick(4); n > 0; --n) out_.facts.push_back(Fact(name, columns));
      if (Half())
        if (std::string fact = Fact(name, columns);
            std::find(out_.facts.begin(), out_.facts.end(), fact) == out_.facts.end())
          out_.extra.push_back(std::move(fact));
    }
  }

  std::string Fact(const std::string& name, std::string_view columns) {
    std::string out = name + "(";
    for (char c : columns) {
      if (out.back() != '(') out += ", ";
      if (c == 'n') {
        out += Small();
      } else {
        out += "[";
        for (int n = Pick(4); n > 0; --n) out += Small() + (n > 1 ? " " : "");
        out += "]";
      }
    }
    return out + ")";
  }

  std::string Add(std::string name, const char* columns, std::vector<std::string> needs = {}) {
    out_.relations.push_back({name, columns, 9, true, false, true, std::move(needs)});
    return name;
  }

  // A clause order is nothing, so a rule gets any.
  void Rule(std::string head, Clauses clauses, Clauses inputs = {}) {
    for (std::size_t i = clauses.size(); i > 1; --i) std::swap(clauses[i - 1], clauses[Index(i)]);
    out_.rules.push_back({{std::move(head)}, std::move(clauses), "", std::move(inputs)});
  }
  std::size_t Index(std::size_t n) { return random_() % n; }

  // Alternatives in pairs, nested somehow.
  std::string Nested(Clauses branches) {
    while (branches.size() > 1) {
      const std::size_t at = Index(branches.size() - 1);
      branches[at] = "(" + branches[at] + " | " + branches[at + 1] + ")";
      branches.erase(branches.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    return branches.front();
  }

  // Two to four alternatives that bind the variable.
  std::string SomeOf(const std::string& variable) {
    Clauses branches;
    for (int n = 2 + Pick(3); n > 0; --n)
      branches.push_back(Half() ? Reads(variable) : Reads("nn", {variable, "_"}));
    return Nested(std::move(branches));
  }

  void KeepUnbeaten(const std::string& best, bool greatest);

  static std::string Key(const std::string& variable) { return "key-n(" + variable + ")"; }

  // An atom over a relation that stood before the shape and is known whole, with these variables in
  // columns of these types.
  std::string Reads(std::string_view types, const Clauses& variables) {
    std::vector<const RandomRelation*> some;
    for (std::size_t i = 0; i < known_; ++i) {
      const RandomRelation& r = out_.relations[i];
      std::size_t at = 0;
      for (char c : r.columns)
        if (at < types.size() && c == types[at]) ++at;
      if (at == types.size() && !r.tabled() && r.name[0] != '%') some.push_back(&r);
    }
    const RandomRelation& r = *Of(some);
    std::string out = r.name + "(";
    std::size_t at = 0;
    for (char c : r.columns) {
      if (out.back() != '(') out += ", ";
      out += at < types.size() && c == types[at] ? variables[at++] : "_";
    }
    return out + ")";
  }
  std::string Reads(const std::string& variable) { return Reads("n", {variable}); }

  // `m` with one argument needs it from its caller: relations that call it in several ways.
  void ReadTabled(const std::string& m) {
    for (int n = 1 + Pick(3); n > 0; --n) {
      const std::string call = m + "(?x)";
      switch (Pick(14)) {
        case 0: Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), call}); break;
        case 1: Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), "not " + call}); break;
        case 2:
          Rule(Add(Name("u"), "nn") + "(?x, ?c)", {Reads("?x"), "?c = |" + call + "|"});
          break;
        case 3:
          Rule(Add(Name("u"), "nn") + "(?x, ?k)",
               {Reads("?x"), "?k = ?x + " + std::to_string(1 + Pick(3)),
                (Half() ? "" : "not ") + m + "(?k)"});
          break;
        case 4:
          Rule(Add(Name("u"), "nn") + "(?x, ?y)",
               {Reads("nn", {"?x", "?y"}), Nested({call, "?y < 2", "not " + m + "(?y)"})});
          break;
        case 5:
          Rule(Add(Name("u"), "n") + "(?x)",
               {Reads("?x"), "not (" + Reads("nn", {"?x", "?o"}) + ", " + m + "(?o))"});
          break;
        case 6: {
          const std::string name = Add(Name("u"), "n");
          Rule(name + "(?x)", {Reads("?x"), call});
          Rule(Add(Name("u"), "n") + "(?c)", {"?c = |" + name + "(_)|"});
          break;
        }
        case 7: {
          // A closure over those for which it does, or does not, hold.
          const std::string name = Add(Name("u"), "n");
          Rule(name + "(?x)", {Reads("?x")});
          Rule(name + "(?x)", {name + "(?y)", Base("nn", "?y, ?x"), (Half() ? "" : "not ") + call});
          break;
        }
        case 9:
          Rule(Add(Name("u"), "nn") + "(?x, ?y)",
               {Reads("nn", {"?x", "?y"}), "(not " + call + " | " + m + "(?y))"});
          break;
        case 10:
          Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), "|" + call + "|" + Order() + "0"});
          break;
        case 11: Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), "not (not " + call + ")"}); break;
        case 12: {
          // Both heads hold, and only where the tail does.
          const std::string second = Add(Name("u"), "n");
          Rule(Add(Name("u"), "n") + "(?x) <- " + second + "(?y)",
               {Reads("nn", {"?x", "?y"}), call, "not " + m + "(?y)"});
          break;
        }
        case 13: {
          const std::string goal = Add(Name("%u"), "n");
          Rule(goal + "(?x)", {Reads("?x"), call});
          Rule(goal + "(?x)", {Reads("nn", {"_", "?x"}), "not " + call});
          break;
        }
        default: {
          const std::string goal = Add(Name("%u"), "n");
          Rule(goal + "(?x)", {Reads("?x"), (Half() ? "" : "not ") + call});
        }
      }
    }
  }

  static std::string Base(const char* columns, const std::string& arguments) {
    return std::string("b-") + columns + "(" + arguments + ")";
  }

  // A relation of which one rule is derived, from what `read` says, and another needs its caller.
  std::string MixedUnary(const Clauses& more = {}, std::string read = "") {
    if (read.empty()) read = Reads("?a");
    const std::string name = Add(Name("m"), "n", {"0"});
    Clauses test = {"?a" + Order() + Small()};
    test.insert(test.end(), more.begin(), more.end());
    const bool first = Half();
    if (first) Rule(name + "(?a)", test, {Key("?a")});
    if (Pick(4) > 0) Rule(name + "(?a)", {read});
    if (!first) Rule(name + "(?a)", test, {Key("?a")});
    if (Pick(3) == 0) out_.facts.push_back(name + "(" + Small() + ")");
    return name;
  }

  // Clauses that join through equalities, and the variables that they bind: each atom has variables
  // of its own.
  Clauses JoinedByEqualities(Clauses& variables, std::string_view first) {
    Clauses out;
    for (int n = 2 + Pick(3); n > 0; --n) {
      const std::string a = Name("?a"), b = Name("?b");
      const bool is_first = variables.empty() && !first.empty();
      const bool two = !is_first && Half();
      if (is_first) out.push_back(std::string(first) + "(" + a + ")");
      else out.push_back(two ? Reads("nn", {a, b}) : Reads(a));
      if (!variables.empty() && Pick(5) > 0) {
        const std::string& other = Of(variables);
        switch (Pick(4)) {
          case 0: out.push_back(a + " = " + other + Of(kSteps)); break;
          case 1: out.push_back(other + " = " + a); break;
          case 2: out.push_back(a + " + 1 = " + other + " * 2"); break;
          default: out.push_back(a + " = " + other);
        }
      }
      variables.push_back(a);
      if (two) variables.push_back(b);
    }
    return out;
  }

  // What the shape has added reads no goal, and needs no caller, unless something before it does.
  void MarkDerived() {
    const auto begin = out_.relations.begin(), known = begin + static_cast<std::ptrdiff_t>(known_);
    const bool above = std::any_of(begin, known, [](const RandomRelation& r) { return r.above; });
    std::for_each(known, out_.relations.end(), [&](RandomRelation& r) { r.above = above; });
  }

  // The keys of a relation over lists: parts of the lists that stand in rows now.
  std::string ListKeys() {
    const std::string key = Name("key-l"), start = Name("start-l");
    for (const RandomRelation& r : out_.relations)
      for (std::size_t i = 0; i < r.columns.size(); ++i) {
        if (r.columns[i] != 'l' || r.tabled() || r.name[0] == '%') continue;
        out_.keys += key + "(?l) <- " + r.name + "(";
        for (std::size_t k = 0; k < r.columns.size(); ++k)
          out_.keys += std::string(k > 0 ? ", " : "") + (k == i ? "?l" : "_");
        out_.keys += ")\n";
      }
    out_.keys += key + "([])\n" + key + "(?t) <- " + key + "([_ & ?t])\n" + key + "(?p) <- " +
                 start + "(_, ?p)\n" + start + "(?l, []) <- " + key + "(?l)\n" + start +
                 "(?l, ?p) <- " + key + "(?l), ?l = ~ [?h & ?t], " + start +
                 "(?t, ?q), ?p = [?h & ?q]\n";
    return key;
  }

  std::string AppendRules(std::vector<std::string> needs) {
    const std::string name = Add(Name("app"), "lll", std::move(needs)), key = ListKeys();
    const bool first = Half();
    const auto empty = [&] { Rule(name + "(?a, ?l, ?r)", {"?a = []", "?r = ?l"}, {key + "(?l)"}); };
    if (first) empty();
    Rule(name + "(?a, ?l, ?r)",
         {"?a = ~ [?h & ?t]", name + "(?t, ?l, ?s)",
          (Half() ? "?r = ~ " : "?r = ") + std::string("[?h & ?s]")},
         {key + "(?a)", key + "(?l)"});
    if (!first) empty();
    return name;
  }

  RandomProgram& out_;
  std::mt19937 random_;
  int next_ = 0;
  std::size_t known_ = 0;  // relations that the shape may read
};

// --- shapes that derive -----------------------------------------------------------------------

void ShapeWriter::Equal() {
  switch (Pick(4)) {
    case 0:
      Rule(Add(Name("eq"), "nn") + "(?x, ?y)", {"?x = ?y", Reads(Half() ? "?x" : "?y")});
      break;
    case 1:
      Rule(Add(Name("eq"), "nn") + "(?x, ?z)", {"?x = ?y", "?y = ?z",
                                                Reads(Half()   ? "?x"
                                                      : Half() ? "?y"
                                                               : "?z"),
                                                "?z > 1"});
      break;
    case 2:
      Rule(Add(Name("eq"), "ln") + "(?l, ?x)",
           {"?l = [?x & ?t]", Reads("?x"), Reads("l", {"?t"}), "?x < 4"});
      break;
    default:
      Rule(Add(Name("eq"), "nl") + "(?x, ?t)",
           {"?m = [?x & ?t]", "?l = ?m", Reads("l", {Half() ? "?l" : "?m"}), Reads("?x")});
  }
}

void ShapeWriter::When() {
  const std::string name = Add(Name("w"), "n");
  const std::string m = Half() ? MixedUnary() : "";
  const std::string condition = m.empty() ? (Half() ? "" : "not ") + Reads("nn", {Small(), "_"})
                                          : (Half() ? "" : "not ") + m + "(" + Small() + ")";
  Rule(name + "(?x)", {Reads("?x")});
  out_.rules.back().when = condition;
}

// A recursion whose rules join over variables that nothing reads afterwards, so that the same
// values come again in many rounds: an alias analysis in small.
void ShapeWriter::Aliases() {
  const std::string flow = Add(Name("flow"), "nn");
  const std::string alias = Add(Name("alias"), "nn");
  const std::string memory = Add(Name("memory"), "nn");
  std::set<std::string> edges;
  for (int n = 4 + Pick(9); n > 0; --n) edges.insert("(" + Small() + ", " + Small() + ")");
  const std::string edge = Add(Name("edge"), "nn");
  for (const std::string& e : edges) out_.facts.push_back(edge + e);
  Rule(flow + "(?x, ?y)", {edge + "(?x, ?y)"});
  Rule(flow + "(?x, ?y)", {flow + "(?x, ?z)", Half() ? edge + "(?z, ?y)" : flow + "(?z, ?y)"});
  Rule(alias + "(?x, ?y)", {flow + "(?z, ?x)", memory + "(?z, ?w)", flow + "(?w, ?y)"});
  if (Half()) Rule(alias + "(?x, ?y)", {flow + "(?z, ?x)", flow + "(?z, ?y)"});
  if (Half())
    Rule(alias + "(?x, ?y)",
         {flow + "(?z, ?x)", memory + "(?z, ?w)", alias + "(?w, ?v)", flow + "(?v, ?y)"});
  Rule(memory + "(?x, ?w)", {Reads("nn", {"?y", "?x"}), alias + "(?y, ?z)", edge + "(?z, ?w)"});
  Rule(memory + "(?x, ?w)", {Reads("nn", {"?x", "?w"})});
  if (Half()) Rule(flow + "(?x, ?y)", {edge + "(?x, ?z)", memory + "(?z, ?y)"});
  if (Half()) Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), "not " + alias + "(?x, ?x)"});
}

// A relation that its own rules make an equivalence; others add to it, in recursion, too.
void ShapeWriter::Equivalences() {
  const std::string same = Add(Name("same"), "nn");
  const auto either_way = [&](const char* a, const char* b) {
    return same +
           (Half() ? std::string("(") + a + ", " + b + ")" : std::string("(") + b + ", " + a + ")");
  };
  std::set<std::string> stated;
  for (int n = 1 + Pick(6); n > 0; --n) stated.insert("(" + Small() + ", " + Small() + ")");
  for (const std::string& pair : stated) out_.facts.push_back(same + pair);
  for (int n = 1 + Pick(2); n > 0; --n)
    Rule(same + "(?x, ?y)", {Reads("nn", {"?x", "?y"}), Half() ? "?x < ?y" : "?x > 1"});
  Rule(same + "(?x, ?y)", {same + "(?y, ?x)"});
  Rule(same + "(?x, ?z)", {either_way("?x", "?y"), either_way("?y", "?z")});
  const std::string next = Add(Name("next"), "nn");
  Rule(next + "(?x, ?z)", {same + "(?x, ?y)", Reads("nn", {"?y", "?z"})});
  if (Half()) Rule(same + "(?x, ?y)", {next + "(?x, ?y)", "?x > " + Small()});
  if (Half()) Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), "not " + same + "(?x, _)"});
  if (Half()) Rule(Add(Name("u"), "nn") + "(?x, ?n)", {Reads("?x"), "?n = |" + same + "(?x, _)|"});
}

// In the closed text, the values of a relation that no other one beats.
void ShapeWriter::KeepUnbeaten(const std::string& best, bool greatest) {
  out_.keys += best + "(?x, ?d) <- " + best + "-all(?x, ?d), not " + best + "-beaten(?x, ?d)\n" +
               best + "-beaten(?x, ?d) <- " + best + "-all(?x, ?d), " + best + "-all(?x, ?c), ?c" +
               (greatest ? " > " : " < ") + "?d\n";
}

// Least or greatest values for an argument that the caller gives, of a function with exceptions.
void ShapeWriter::MixedExtrema() {
  const bool greatest = Half();
  const std::string best = Add(Name("best"), "nn", {"0"});
  KeepUnbeaten(best, greatest);
  const auto rule = [&](Clauses clauses, Clauses inputs = {}) {
    Rule(best + "(?x, ?d)", std::move(clauses), std::move(inputs));
    out_.rules.back().extremum = greatest ? "greatest" : "least";
    out_.rules.back().within = {best};
  };
  rule({Half() ? "?d = ?x + " + Small() : "?d = ?x * 2"}, {Key("?x")});
  for (int n = Pick(3); n > 0; --n) rule({Reads("nn", {"?x", "?d"})});
  if (Pick(3) == 0) rule({Reads("nn", {"?x", "?y"}), "not " + Reads("?y"), "?d = ?y - 1"});
  if (Pick(3) == 0) out_.facts.push_back(best + "(" + Small() + ", " + Small() + ")");
  for (int n = 1 + Pick(3); n > 0; --n) {
    const std::string u = Add(Name("u"), "nn");
    switch (Pick(5)) {
      case 0: Rule(u + "(?x, ?d)", {Reads("?x"), best + "(?x, ?d)"}); break;
      case 1: Rule(u + "(?x, ?y)", {Reads("nn", {"?x", "?y"}), best + "(?x, ?y)"}); break;
      case 2: Rule(u + "(?x, ?y)", {Reads("nn", {"?x", "?y"}), "not " + best + "(?x, ?y)"}); break;
      case 3: Rule(u + "(?x, ?n)", {Reads("?x"), "?n = |" + best + "(?x, _)|"}); break;
      default:
        Rule(u + "(?x, ?d)",
             {Reads("?x"), "?k = ?x + 3", best + "(?k, ?d)", "?d" + Order() + Small()});
    }
  }
}

// Least or greatest values, also in a recursion that keeps their order. The closed text derives all
// values up to a bound, and those that no other one beats.
void ShapeWriter::Extrema() {
  const bool greatest = Half();
  const std::string best = Add(Name("best"), "nn");
  KeepUnbeaten(best, greatest);
  const auto rule = [&](const std::string& head, Clauses clauses, Clauses bounds = {}) {
    Rule(head, std::move(clauses), std::move(bounds));
    if (head.starts_with(best)) out_.rules.back().extremum = greatest ? "greatest" : "least";
    out_.rules.back().within = {best};
  };
  const std::string better = greatest ? " > " : " < ";
  const Clauses small = {"?d < 8", "?d > -8"};
  for (int n = 1 + Pick(2); n > 0; --n) {
    if (Half()) rule(best + "(?x, ?d)", {Reads("nn", {"?x", "?d"}), small[0], small[1]});
    else rule(best + "(?x, ?d)", {Reads("?x"), "?d = " + Small()});
  }
  if (Pick(3) == 0) out_.facts.push_back(best + "(" + Small() + ", " + Small() + ")");
  const auto worse = [&](const std::string& value) {
    return "?d = " + value + (greatest ? " - " : " + ") + std::to_string(Pick(3));
  };
  const Clauses bounds = {greatest ? "?d > -40" : "?d < 40"};
  for (int n = Pick(3); n > 0; --n) {
    Clauses clauses = {best + "(?x, ?c)", Reads("nn", {"?x", "?y"}), worse("?c")};
    if (Pick(3) == 0) clauses.push_back("?c" + better + std::to_string(Pick(9) - 2));
    if (Pick(4) == 0) clauses.push_back("not " + Reads("?y"));
    rule(best + "(?y, ?d)", std::move(clauses), bounds);
  }
  if (Pick(3) == 0) {
    const std::string reach = Add(Name("reach"), "n");
    rule(reach + "(?x)", {best + "(?x, ?c)", "?c" + better + Small()});
    rule(best + "(?y, ?d)", {reach + "(?x)", Reads("nn", {"?x", "?y"}), "?d = " + Small()});
  }
  if (Half()) Rule(Add(Name("u"), "n") + "(?x)", {best + "(?x, ?d)", "?d" + Order() + Small()});
  if (Half())
    Rule(Add(Name("u"), "nn") + "(?x, ?y)", {best + "(?x, ?d)", best + "(?y, ?d)", "?x < ?y"});
  if (Half())
    Rule(Add(Name("u"), "n") + "(?x)", {Reads("?x"), "not " + best + "(?x, " + Small() + ")"});
  if (Half()) Rule(Add(Name("u"), "nn") + "(?d, ?n)", {"?n = |" + best + "(_, ?d)|"});
}

// --- shapes that need a caller ----------------------------------------------------------------

void ShapeWriter::Mixed() { ReadTabled(MixedUnary()); }

void ShapeWriter::MixedUnderMixed() {
  const std::string below = MixedUnary();
  Clauses more;
  switch (Pick(4)) {
    case 0: more = {"not " + below + "(?a)"}; break;
    case 1: more = {below + "(?a)"}; break;
    // With `?a` in the bars it would be a group key (decision 25).
    case 2: more = {"?k = ?a - 1", "|" + below + "(?k)| = " + std::to_string(Pick(2))}; break;
    default: more = {"?k = ?a - 1", "not " + below + "(?k)"};
  }
  ReadTabled(MixedUnary(more));
}

// Calls without the argument that some of their rules need, beside a count for each value of it.
// Where the count stands in the same rule, what it ranges over is no value for other counts.
void ShapeWriter::MixedBesideCounts() {
  const bool apart = Half();
  const std::string read = apart ? "" : Base("n", "?a");
  const std::string m = MixedUnary({}, read), other = Half() ? MixedUnary({}, read) : "";
  Clauses tail = {"?y = |" + Reads("nn", {"?x", "?l"}) + "|"};
  if (apart) {
    const std::string size = Add(Name("size"), "nn");
    Rule(size + "(?x, ?y)", tail);
    tail = {size + "(?x, ?y)"};
  }
  switch (Pick(4)) {
    case 0: tail.push_back(Nested({m + "(?x)", Half() ? "?y < 2" : Reads("?x")})); break;
    case 1: tail.insert(tail.end(), {"?z = ?x + 1", m + "(?z)"}); break;
    default: tail.push_back(m + "(?x)");
  }
  if (!other.empty()) tail.push_back(Half() ? other + "(?x)" : Nested({other + "(?x)", "?x < 3"}));
  Rule(Add(Name(Half() ? "beside" : "%beside"), "nn") + "(?x, ?y)", std::move(tail));
}

// Counts by group over a function that has exceptions.
void ShapeWriter::MixedFunction() {
  const std::string f = Add(Name("f"), "nn", {"0"});
  if (Pick(4) > 0) Rule(f + "(?x, ?c)", {Reads("nn", {"?x", "?c"})});
  Rule(f + "(?x, ?c)", {Half() ? "?c = ?x + 2" : "?c = ?x * 2"}, {Key("?x")});
  const std::string row = Add(Name("row"), "nn");
  if (Half()) Rule(row + "(?g, ?c)", {Reads("nn", {"?g", "?x"}), f + "(?x, ?c)"});
  else Rule(row + "(?x, ?c)", {Reads("?x"), "?k = ?x + 3", f + "(?k, ?c)"});
  const std::string total = Add(Name("total"), "nn");
  Rule(total + "(?g, ?n)", {"?n = |" + row + "(?g, ?c)|"});
  if (Half())
    Rule(Add(Name("light"), "n") + "(?g)", {Reads("?g"), "not (" + total + "(?g, ?n), ?n > 1)"});
  if (Half()) Rule(Add(Name("k"), "nn") + "(?x, ?n)", {Reads("?x"), "?n = |" + f + "(?x, _)|"});
  if (Half())
    Rule(Add(Name("k"), "n") + "(?x)", {Reads("?x"), "not " + f + "(?x, " + Small() + ")"});
  if (Half()) Rule(Add(Name("%f"), "nn") + "(?x, ?y)", {Reads("?x"), f + "(?x, ?y)"});
}

void ShapeWriter::MixedRecursion() {
  const std::string step = Add(Name("step"), "nn", {"0"}), reach = Add(Name("reach"), "n");
  Rule(step + "(?x, ?y)", {Base("nn", "?x, ?y")});
  Rule(step + "(?x, ?y)", {"?x < " + Small(), "?y = ?x + " + std::to_string(1 + Pick(3))},
       {Key("?x")});
  Rule(reach + "(?x)", {Reads("?x")});
  Rule(reach + "(?y)", {reach + "(?x)", step + "(?x, ?y)"});
  Rule(Add(Name("last"), "n") + "(?n)", {"?n = |" + reach + "(_)|"});
  if (Half()) Rule(Add(Name("missed"), "n") + "(?x)", {Reads("?x"), "not " + reach + "(?x)"});
}

// A closure from where its caller begins, in one of the three ways to write it.
void ShapeWriter::Closure() {
  const std::string path = Add(Name("path"), "nn", {"0"});
  const std::string edge = Half() ? Base("nn", "?x, ?y") : Reads("nn", {"?x", "?y"});
  const auto step = [&](const char* from, const char* to) {
    std::string out = edge;
    out.replace(out.find("?x"), 2, from);
    return out.replace(out.find("?y"), 2, to);
  };
  Rule(path + "(?x, ?y)", {Half() ? "?y = ?x + 0" : "?x > 0, ?y = ?x + 0"}, {Key("?x")});
  if (Half()) Rule(path + "(?x, ?y)", {step("?x", "?y")});
  switch (Pick(3)) {
    case 0: Rule(path + "(?x, ?y)", {path + "(?x, ?z)", step("?z", "?y")}, {Key("?x")}); break;
    case 1: Rule(path + "(?x, ?y)", {step("?x", "?z"), path + "(?z, ?y)"}); break;
    default: Rule(path + "(?x, ?y)", {path + "(?x, ?z)", path + "(?z, ?y)"}, {Key("?x")});
  }
  Rule(Add(Name("ends"), "nn") + "(?x, ?y)", {Reads("?x"), path + "(?x, ?y)"});
  if (Half())
    Rule(Add(Name("apart"), "nn") + "(?x, ?y)",
         {Reads("?x"), Base("n", "?y"), "not " + path + "(?x, ?y)"});
  if (Half()) Rule(Add(Name("k"), "nn") + "(?x, ?n)", {Reads("?x"), "?n = |" + path + "(?x, _)|"});
  if (Half()) Rule(Add(Name("%ends"), "n") + "(?y)", {path + "(" + Small() + ", ?y)"});
}

// Both arguments are the caller's.
void ShapeWriter::Pairs() {
  const std::string pair = Add(Name("pair"), "nn", {"01"});
  Rule(pair + "(?x, ?y)", {"?x" + Order() + "?y"}, {Key("?x"), Key("?y")});
  if (Half()) Rule(pair + "(?x, ?y)", {Reads("nn", {"?x", "?y"})});
  if (Half()) Rule(pair + "(?x, ?y)", {Reads("?x"), "?x" + Order() + Small()}, {Key("?y")});
  Rule(Add(Name("u"), "nn") + "(?x, ?y)",
       {Reads("?x"), Base("n", "?y"), (Half() ? "" : "not ") + pair + "(?x, ?y)"});
  if (Half())
    Rule(Add(Name("most"), "n") + "(?x)",
         {Reads("?x"), "not (" + Base("n", "?y") + ", not " + pair + "(?x, ?y))"});
  if (Half())
    Rule(Add(Name("k"), "nn") + "(?x, ?n)",
         {Reads("nn", {"?x", "?y"}), "?n = |" + pair + "(?y, ?x)|"});
}

void ShapeWriter::Parity() {
  const std::string even = Add(Name("even"), "n", {"0"}), odd = Add(Name("odd"), "n", {"0"});
  Rule(even + "(?n)", {"?n = 0"}, {Key("?n")});
  Rule(even + "(?n)", {"?n > 0", "?m = ?n - 1", odd + "(?m)"}, {Key("?n")});
  Rule(odd + "(?n)", {"?n > 0", "?m = ?n - 1", even + "(?m)"}, {Key("?n")});
  if (Half()) Rule(even + "(?n)", {Reads("?n")});
  ReadTabled(Half() ? even : odd);
}

void ShapeWriter::Lists() {
  const std::string key = ListKeys();
  if (Half()) {
    const std::string last = Add(Name("last"), "ln", {"0"}), sorted = Add(Name("up"), "l", {"0"});
    Rule(last + "(?l, ?x)", {"?l = ~ [?x]"}, {key + "(?l)"});
    Rule(last + "(?l, ?x)", {"?l = ~ [_ & ?t]", last + "(?t, ?x)"}, {key + "(?l)"});
    Rule(sorted + "(?l)", {Half() ? "?l = []" : "|?l| = 0"}, {key + "(?l)"});
    Rule(sorted + "(?l)", {"?l = ~ [_]"}, {key + "(?l)"});
    Rule(sorted + "(?l)", {"?l = ~ [?a ?b & ?r]", "?a <= ?b", "?m = [?b & ?r]", sorted + "(?m)"},
         {key + "(?l)"});
    Rule(Add(Name("lasts"), "ln") + "(?l, ?x)", {Reads("l", {"?l"}), last + "(?l, ?x)"});
    Rule(Add(Name("mess"), "l") + "(?l)", {Reads("l", {"?l"}), "not " + sorted + "(?l)"});
    Rule(Add(Name("k"), "nl") + "(?n, ?l)",
         {Reads("l", {"?l"}), sorted + "(?l)", "?n = |" + last + "(?l, _)|"});
    return;
  }
  if (Half()) {
    const std::string length = Add(Name("len"), "ln", {"0"});
    Rule(length + "(?l, 0)", {"?l = []"}, {key + "(?l)"});
    Rule(length + "(?l, ?n)", {"?l = ~ [_ & ?t]", length + "(?t, ?m)", "?n = ?m + 1"},
         {key + "(?l)"});
    Rule(Add(Name("lens"), "ln") + "(?l, ?n)", {Reads("l", {"?l"}), length + "(?l, ?n)"});
    const std::string longer = Add(Name("long"), "l");
    Rule(longer + "(?l)", {Reads("l", {"?l"}), length + "(?l, ?n)", "?n > 1"});
    Rule(Add(Name("short"), "l") + "(?l)", {Reads("l", {"?l"}), "not " + longer + "(?l)"});
    return;
  }
  const std::string member = Add(Name("mem"), "nl", {"1"});
  Rule(member + "(?x, ?l)", {"?l = ~ [?x & _]"}, {key + "(?l)"});
  Rule(member + "(?x, ?l)", {"?l = ~ [_ & ?t]", member + "(?x, ?t)"}, {key + "(?l)"});
  Rule(Add(Name("in"), "n") + "(?x)", {Reads("l", {"?l"}), member + "(?x, ?l)"});
  Rule(Add(Name("out"), "nl") + "(?x, ?l)",
       {Reads("?x"), Base("l", "?l"), "not " + member + "(?x, ?l)"});
  Rule(Add(Name("many"), "nl") + "(?n, ?l)", {Reads("l", {"?l"}), "?n = |" + member + "(_, ?l)|"});
}

void ShapeWriter::Append() {
  const std::string append = AppendRules({"01"});
  Rule(Add(Name("both"), "l") + "(?r)",
       {Base("l", "?a"), Reads("l", {"?l"}), append + "(?a, ?l, ?r)"});
  if (Half())
    Rule(Add(Name("%both"), "ll") + "(?a, ?r)", {Base("l", "?a"), append + "(?a, ?a, ?r)"});
}

// Recursion over ever larger lists, of which callers give one; of one or two relations, and with
// another argument or none.
void ShapeWriter::Recogniser() {
  const std::string key = ListKeys();
  const bool counts = Half();
  const auto add = [&] { return Add(Name("word"), counts ? "ln" : "l", {"0"}); };
  const std::string first = add(), second = Half() ? add() : first;
  const auto call = [&](const std::string& word, const std::string& list, const char* number) {
    return word + "(" + list + (counts ? std::string(", ") + number : "") + ")";
  };
  const auto longer = [&](const std::string& word, const std::string& from) {
    Clauses clauses = {call(from, "?t", "?m"), "?l = [?x & ?t]"};
    if (counts) clauses.push_back("?n = ?m + 1");
    if (Pick(4) > 0) clauses.push_back(Reads("?x"));
    else clauses.push_back("?x = " + Small());
    if (Pick(4) == 0) clauses.push_back("?x" + Order() + Small());
    if (Pick(3) == 0) {
      clauses.push_back("?t = [?y & _]");
      clauses.push_back("?x" + Order() + "?y");
    }
    if (Pick(5) == 0) clauses.push_back("not " + Reads("nn", {"?x", "_"}));
    Rule(call(word, "?l", "?n"), std::move(clauses), {key + "(?l)"});
  };
  const auto start = [&](const std::string& word) {
    if (Half()) out_.facts.push_back(call(word, "[]", "0"));
    else if (counts) Rule(word + "(?l, ?n)", {"?l = []", "?n = 0"}, {key + "(?l)"});
    else Rule(word + "(?l)", {"?l = []"}, {key + "(?l)"});
    if (Pick(3) == 0)
      Rule(call(word, "?l", "?n"),
           counts ? Clauses{Reads("?x"), "?l = [?x]", "?n = 1"} : Clauses{Reads("?x"), "?l = [?x]"},
           {key + "(?l)"});
    if (Pick(4) == 0) out_.facts.push_back(call(word, "[" + Small() + "]", "7"));
  };
  start(first);
  longer(first, second);
  if (second != first) longer(second, first);
  if (second != first && Half()) start(second);
  if (Half()) longer(first, first);
  for (int n = 1 + Pick(3); n > 0; --n) {
    const std::string& word = Half() ? first : second;
    const std::string u = Add(Name("u"), "l");
    switch (Pick(5)) {
      case 0: Rule(u + "(?l)", {Reads("l", {"?l"}), call(word, "?l", "_")}); break;
      case 1: Rule(u + "(?l)", {Reads("l", {"?l"}), "not " + call(word, "?l", "_")}); break;
      case 2: Rule(u + "(?l)", {Reads("l", {"?l"}), "?l = [_ & ?k]", call(word, "?k", "_")}); break;
      case 3:
        Rule(u + "(?l)",
             {Reads("l", {"?l"}), "|" + call(word, "?l", "_") + "| = " + std::to_string(Pick(2))});
        break;
      default: {
        // What the caller gives passes through another relation.
        const std::string fine = Add(Name("fine"), "l", {"0"});
        Rule(fine + "(?l)", {call(word, "?l", "_")}, {key + "(?l)"});
        Rule(u + "(?l)", {Reads("l", {"?l"}), (Half() ? "" : "not ") + fine + "(?l)"});
      }
    }
  }
}

// An edit distance, the least of several ways.
void ShapeWriter::Distance() {
  const std::string key = ListKeys();
  const std::string d = Add(Name("dist"), "lln", {"01"});
  out_.keys += d + "(?a, ?b, ?n) <- " + d + "-all(?a, ?b, ?n), not " + d + "-beaten(?a, ?b, ?n)\n" +
               d + "-beaten(?a, ?b, ?n) <- " + d + "-all(?a, ?b, ?n), " + d +
               "-all(?a, ?b, ?m), ?m < ?n\n";
  const auto rule = [&](Clauses clauses) {
    Rule(d + "(?a, ?b, ?n)", std::move(clauses), {key + "(?a)", key + "(?b)"});
    out_.rules.back().extremum = "least";
    out_.rules.back().within = {d};
  };
  rule({"?a = []", "?b = []", "?n = 0"});
  rule({"?a = ~ [_ & ?s]", d + "(?s, ?b, ?m)", "?n = ?m + " + std::to_string(1 + Pick(2))});
  rule({"?b = ~ [_ & ?t]", d + "(?a, ?t, ?m)", "?n = ?m + 1"});
  if (Pick(4) > 0) rule({"?a = ~ [?x & ?s]", "?b = ~ [?x & ?t]", d + "(?s, ?t, ?n)"});
  if (Half())
    rule({"?a = ~ [?x & ?s]", "?b = ~ [?y & ?t]", "?x != ?y", d + "(?s, ?t, ?m)", "?n = ?m + 1"});
  if (Pick(3) == 0) rule({Reads("?n"), "?a = ?b"});
  Rule(Add(Name("far"), "lln") + "(?a, ?b, ?n)",
       {Base("l", "?a"), Base("l", "?b"), d + "(?a, ?b, ?n)"});
  if (Half())
    Rule(Add(Name("near"), "ll") + "(?a, ?b)",
         {Base("l", "?a"), Base("l", "?b"),
          (Half() ? "" : "not ") + d + "(?a, ?b, " + Small() + ")"});
  if (Half())
    Rule(Add(Name("nearer"), "ll") + "(?a, ?b)",
         {Base("l", "?a"), Base("l", "?b"), d + "(?a, ?b, ?n)", "?n" + Order() + Small()});
}

// Any of several sets of arguments suffices.
void ShapeWriter::Split() {
  const std::string append = AppendRules({"01", "2"});
  Rule(Add(Name("parts"), "ll") + "(?a, ?l)", {Base("l", "?r"), append + "(?a, ?l, ?r)"});
  Rule(Add(Name("rest"), "l") + "(?l)",
       {Base("l", "?r"), Base("l", "?a"), append + "(?a, ?l, ?r)"});
}

void ShapeWriter::Either() {
  const std::string same = Add(Name("same"), "nn", {"0", "1"});
  if (Half()) Rule(same + "(?x, ?y)", {Reads("nn", {"?x", "?y"})});
  if (Half()) Rule(same + "(?x, ?y)", {"?x = ?y"}, {Key("?x")});
  else Rule(same + "(?x, ?x)", {"?x > 1"}, {Key("?x")});
  Rule(Add(Name("a"), "nn") + "(?x, ?y)", {Reads("?x"), same + "(?x, ?y)"});
  Rule(Add(Name("a"), "nn") + "(?x, ?y)", {Reads("?y"), same + "(?x, ?y)"});
  if (Half())
    Rule(Add(Name("a"), "nn") + "(?x, ?z)", {Reads("?x"), same + "(?x, ?y)", same + "(?z, ?y)"});
  if (Half()) Rule(Add(Name("a"), "nn") + "(?x, ?n)", {Reads("?x"), "?n = |" + same + "(_, ?x)|"});
}

// --- goals ------------------------------------------------------------------------------------

void ShapeWriter::Goals() {
  const std::string goal = Add(Name("%g"), "n");
  Rule(goal + "(?x)", {Reads("?x")});
  if (Half()) Rule(goal + "(?x)", {Reads("?x"), "?x > 1"});
  switch (Pick(5)) {
    case 0: Rule(Add(Name("%h"), "n") + "(?x)", {goal + "(?x)", Reads("?x")}); break;
    case 1: Rule(Add(Name("%h"), "n") + "(?x)", {Reads("?x"), SomeOf("?x")}); break;
    case 2: Rule(Add(Name("%h"), "nn") + "(?x, ?y)", {SomeOf("?x"), SomeOf("?y")}); break;
    case 3:
      Rule(Add(Name("%h"), "nn") + "(?x, ?n)",
           {goal + "(?x)", "?n = |" + Reads("nn", {"?x", "_"}) + "|"});
      break;
    default: Rule(Add(Name("%h"), "n") + "(?x)", {goal + "(?x)", "not " + Reads("?x")});
  }
}

// A goal is one of several alternatives, none of which acts.
void ShapeWriter::GoalBranch() {
  const std::string goal = Add(Name("%g"), "n");
  Rule(goal + "(?x)", {Reads("?x")});
  Clauses branches = {Reads("?x"), goal + "(?x)"};
  if (Half()) branches.push_back(Reads("?x"));
  std::swap(branches.back(), branches[Index(branches.size())]);
  Clauses clauses = {Nested(std::move(branches))};
  if (Half()) clauses.push_back(Reads("?x"));
  Rule(Add(Name("%h"), "n") + "(?x)", std::move(clauses));
}

void ShapeWriter::GoalRead() {
  const std::string goal = Add(Name("%g"), "n"), row = Add(Name("row"), "n");
  if (Half()) Rule(goal + "(?x)", {Reads("?x")});
  else Rule(goal + "(?x)", {SomeOf("?x")});
  Rule(row + "(?x)", {goal + "(?x)"});
  if (Half()) Rule(Add(Name("k"), "n") + "(?n)", {"?n = |" + row + "(_)|"});
  if (Half()) Rule(Add(Name("k"), "n") + "(?x)", {Reads("?x"), "not " + goal + "(?x)"});
  if (Half()) Rule(Add(Name("k"), "n") + "(?x)", {Reads("?x"), "(" + goal + "(?x) | ?x = 1)"});
}

// --- sets -------------------------------------------------------------------------------------

void ShapeWriter::Sets() {
  const std::string name = Name("s");
  out_.relations.push_back({name, "n", 0, false, true});
  for (int n = 1 + Pick(2); n > 0; --n)
    out_.facts.push_back(name + "(#{" + Small() + " " + Small() + " " + Small() + "})");
  if (Half()) out_.facts.push_back(name + "(" + Small() + ")");
  if (Half()) Rule(Add(Name("t"), "n") + "(?c)", {name + "(#{& ?z})", "?c = |?z|"});
  if (Half())
    Rule(Add(Name("t"), "nn") + "(?c, ?x)", {name + "(#{& ?z})", "?c = |?z|", "?x in ?z"});
  Rule(Add(Name("t"), "n") + "(?x)", {name + "(#{& ?z})", "?x in ?z", Reads("?x")});
}

void ShapeWriter::ShrinkingSets() {
  Sets();
  const std::string name = Name("s");
  out_.relations.push_back({name, "n", 0, false, true});
  const std::string after = name + "(#{1 " + std::to_string(2 + Pick(2)) + "})";
  out_.facts.push_back(after);
  std::string before = after;
  before.insert(before.size() - 2, " 5");
  out_.changes.push_back({before, name + "(5)", after});
  Rule(Add(Name("t"), "nn") + "(?c, ?x)", {name + "(#{& ?z})", "?c = |?z|", "?x in ?z"});
}

// Counts in helpers, which other clauses call for values of their own (decision 94).
void ShapeWriter::Counted() {
  const auto count = [&] { return "|" + Reads("nn", {"?x", "?l"}) + "|"; };
  const std::string size = Add(Name("size"), "nn"), few = Add(Name("few"), "n");
  Rule(size + "(?x, ?n)", {"?n = " + count()});
  Rule(few + "(?x)", {count() + Of(Clauses{" = 0", " < 1", " < 2", " != 1"})});
  if (Half()) Rule(few + "(?x)", {Reads("?x"), "?x" + Order() + Small()});
  const std::string chain = Add(Name("chain"), "n");
  if (Half()) Rule(chain + "(?z)", {few + "(?z)"});
  else Rule(chain + "(?z)", {size + "(?z, ?n)", "?n < 2"});
  if (Half()) Rule(chain + "(?z)", {Reads("?z")});
  const auto condition = [&](const std::string& x) {
    switch (Pick(5)) {
      case 0: return few + "(" + x + ")";
      case 1: return chain + "(" + x + ")";
      case 2: return size + "(" + x + ", " + std::to_string(Pick(2)) + ")";
      case 3: return "(" + few + "(" + x + ") | " + chain + "(" + x + "))";
      default: return "not " + Of(Clauses{few, chain}) + "(" + x + ")";
    }
  };
  const std::string read = Add(Name("read"), "n");
  Rule(read + "(?x)", {Reads("?x"), condition("?x")});
  if (Half()) Rule(read + "(?y)", {Reads("?x"), "?y = ?x + 1", condition("?y")});
  if (Half()) Rule(read + "(?y)", {read + "(?x)", Reads("nn", {"?x", "?y"}), condition("?y")});
  if (Half()) Rule(Add(Name("sized"), "nn") + "(?x, ?n)", {Reads("?x"), size + "(?x, ?n)"});
  if (Half()) Rule(Add(Name("rivals"), "n") + "(?x)", {few + "(?x)", size + "(?x, ?n)"});
  if (Half()) Rule(Add(Name("pairs"), "nn") + "(?x, ?y)", {few + "(?x)", chain + "(?y)"});
  if (Half()) Rule(Add(Name("%few"), "n") + "(?x)", {condition("?x"), Reads("?x")});
  if (Half()) Rule(Add(Name("total"), "n") + "(?n)", {"?n = |" + read + "(_)|"});
}

// Joins through equalities, of which some bind what atoms bind as well.
void ShapeWriter::Equalities() {
  for (int n = 1 + Pick(3); n > 0; --n) {
    Clauses bound;
    Clauses clauses = JoinedByEqualities(bound, "");
    const std::string k = Name("?k"), m = Name("?m");
    clauses.push_back(k + " = " + (Half() ? Small() : Of(bound)));
    if (Half()) clauses.push_back(m + " = " + Of(bound) + " + " + Of(Clauses{k, "1"}));
    else clauses.push_back(m + " = " + k);
    if (Half()) clauses.push_back(Half() ? Reads(k) : "not " + Reads(m));
    if (Half()) clauses.push_back(Of(bound) + Order() + Of(bound));
    if (Half()) clauses.push_back(m + Order() + Small());
    if (Pick(4) == 0) clauses.push_back(Of(bound) + " = " + Small());
    Rule(Add(Name("eqs"), "nn") + "(" + Of(Clauses{k, m, bound[0]}) + ", " + Of(bound) + ")",
         clauses);
  }
  if (Half()) {
    const std::string steps = Add(Name("steps"), "n");
    Rule(steps + "(?x)", {Reads("?x")});
    Rule(steps + "(?y)",
         {steps + "(?x)", "?z = ?x", Reads("?w"), "?w = ?z", "?y = ?w + 1", "?y < 9"});
  }
  MarkDerived();
}

// Texts stand among the numbers of a relation, so that sums are undefined for some of its rows.
void ShapeWriter::Texts() {
  const std::string some = Name("some");
  out_.relations.push_back({some, "y", 0});
  std::set<std::string> values;
  for (int n = 3 + Pick(4); n > 0; --n)
    values.insert(Half() ? Small() : Of(Clauses{"a", "b", ":k"}));
  for (const std::string& value : values) out_.facts.push_back(some + "(" + value + ")");
  for (int n = 1 + Pick(3); n > 0; --n) {
    Clauses bound;
    Clauses clauses = JoinedByEqualities(bound, some);
    const std::string k = Name("?k");
    clauses.push_back(k + " = " + bound[0] + Of(kSteps));
    if (Half()) clauses.push_back(Reads(Half() ? k : bound[0]));
    if (Half()) clauses.push_back(bound[0] + " != " + Of(bound));
    for (const RandomRelation& r : out_.relations)
      out_.passes_texts |= r.above && std::ranges::any_of(clauses, [&](const std::string& clause) {
                             return clause.starts_with(r.name + "(");
                           });
    Rule(Add(Name("sum"), "yy") + "(" + Of(Clauses{k, bound[0]}) + ", " + Of(bound) + ")", clauses);
  }
  MarkDerived();
}

// --- the table --------------------------------------------------------------------------------

struct Entry {
  Shape shape;
  void (ShapeWriter::*add)();
};

const Entry kEntries[] = {
    {{"equal", ""}, &ShapeWriter::Equal},
    {{"when", ""}, &ShapeWriter::When},
    {{"mixed", ""}, &ShapeWriter::Mixed},
    {{"mixed-under-mixed", ""}, &ShapeWriter::MixedUnderMixed},
    {{"mixed-function", ""}, &ShapeWriter::MixedFunction},
    {{"mixed-recursion", ""}, &ShapeWriter::MixedRecursion},
    {{"closure", ""}, &ShapeWriter::Closure},
    {{"pairs", ""}, &ShapeWriter::Pairs},
    {{"parity", ""}, &ShapeWriter::Parity},
    {{"lists", ""}, &ShapeWriter::Lists},
    {{"goals", ""}, &ShapeWriter::Goals},
    {{"sets", ""}, &ShapeWriter::Sets},
    {{"append", ""}, &ShapeWriter::Append},
    {{"split", ""}, &ShapeWriter::Split},
    {{"either", ""}, &ShapeWriter::Either},
    {{"goal-branch", ""}, &ShapeWriter::GoalBranch},
    {{"goal-read", ""}, &ShapeWriter::GoalRead},
    {{"shrinking-sets", ""}, &ShapeWriter::ShrinkingSets},
    {{"mixed-extrema", ""}, &ShapeWriter::MixedExtrema},
    {{"aliases", ""}, &ShapeWriter::Aliases},
    {{"equivalences", ""}, &ShapeWriter::Equivalences},
    {{"counted", ""}, &ShapeWriter::Counted},
    {{"extrema", ""}, &ShapeWriter::Extrema},
    {{"recogniser", ""}, &ShapeWriter::Recogniser},
    {{"distance", ""}, &ShapeWriter::Distance},
    {{"equalities", ""}, &ShapeWriter::Equalities},
    {{"texts", ""}, &ShapeWriter::Texts},
    {{"mixed-beside-counts", ""}, &ShapeWriter::MixedBesideCounts},
};

}  // namespace

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> kShapes = [] {
    std::vector<Shape> out;
    for (const Entry& e : kEntries) out.push_back(e.shape);
    return out;
  }();
  return kShapes;
}

std::vector<std::string_view> SoundShapes() {
  std::vector<std::string_view> out;
  for (const Shape& shape : Shapes())
    if (shape.fault.empty()) out.push_back(shape.name);
  return out;
}

RandomProgram MakeShaped(std::uint32_t seed, const std::vector<std::string_view>& shapes) {
  RandomProgram out = MakeProgram(seed, Vocabulary::kPlain);
  std::mt19937 random(seed * 2654435761U + 1);
  ShapeWriter writer(out, random());
  for (std::uint32_t n = shapes.empty() ? 0 : random() % 4; n > 0; --n) {
    const std::string_view name = shapes[random() % shapes.size()];
    writer.Begin();
    for (const Entry& e : kEntries)
      if (e.shape.name == name) (writer.*e.add)();
  }
  if (std::any_of(out.rules.begin(), out.rules.end(),
                  [](const RandomRule& rule) { return !rule.inputs.empty(); }))
    for (int key = kLeastKey; key <= kMostKey; ++key)
      out.keys += "key-n(" + std::to_string(key) + ")\n";
  return out;
}

}  // namespace rpl
