// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/random_kinds.h"

#include <optional>
#include <random>
#include <utility>

#include "grammar/printer.h"
#include "interp/testing/random_program.h"

namespace rpl {
namespace {

using Texts = std::vector<std::string>;

std::string JoinedBy(const Texts& parts, const char* separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i > 0 ? separator : "") + parts[i];
  return out;
}

class KindsWriter {
 public:
  explicit KindsWriter(std::uint32_t seed) : random_(seed) {}

  KindsProgram Write() {
    for (const char* name : {"a", "b", "c", "d"}) AddFacts(name, 1);
    AddFacts("e", 2);
    for (int n = 2 + Pick(4); n > 0; --n)
      AddRelation((Pick(4) == 0 ? "%g" : "r") + std::to_string(n));
    if (Pick(4) == 0) AddGathering();
    for (int n = 1 + Pick(2); n > 0; --n) AddConstraint();
    for (int n = 1 + Pick(2); n > 0; --n) AddGoal();
    return std::move(out_);
  }

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  bool Half() { return Pick(2) == 0; }
  template <typename T>
  const T& Of(const std::vector<T>& from) {
    return from[random_() % from.size()];
  }

  // Half of the values are numbers.
  std::string Value() { return Half() ? std::to_string(1 + Pick(4)) : Of(KindsValues()); }
  std::string Order() { return Of(Texts{" < ", " <= ", " > ", " >= "}); }
  std::string Local() { return "?o" + std::to_string(next_++); }

  void AddFacts(const char* name, int arity) {
    out_.relations.push_back({name, arity});
    for (int n = 1 + Pick(4); n > 0; --n)
      out_.sentences.push_back(name + ("(" + Value()) + (arity > 1 ? ", " + Value() : "") + ")");
  }

  // --- clauses ------------------------------------------------------------------------------

  std::string Atom(const KindsRelation& r, const std::string& x) {
    if (r.arity == 1) return r.name + "(" + x + ")";
    const std::string other = Pick(3) == 0 ? Value() : "_";
    return r.name + (Half() ? "(" + x + ", " + other + ")" : "(" + other + ", " + x + ")");
  }

  const KindsRelation& Known() {
    for (;;)
      if (const KindsRelation& r = Of(out_.relations); !r.gathers) return r;
  }

  // Bars hold no goal.
  const KindsRelation& Counted() {
    for (;;)
      if (const KindsRelation& r = Known(); r.name[0] != '%') return r;
  }

  // `leaf`, or alternatives of it, some of them nested and some with a test of the variable.
  template <typename Leaf>
  std::string Nested(int depth, const std::string& x, const Leaf& leaf) {
    if (depth == 0 || Pick(3) == 0) return leaf();
    Texts branches;
    for (int n = Pick(4) == 0 ? 3 : 2; n > 0; --n) {
      branches.push_back(Nested(depth - 1, x, leaf));
      if (Pick(4) == 0) branches.back() += ", " + Simple(x);
    }
    return "(" + JoinedBy(branches, " | ") + ")";
  }

  // Binds the variable.
  std::string Binder(const std::string& x) {
    return Nested(Half() ? 0 : 3, x, [&] { return Atom(Known(), x); });
  }

  std::string Operand(const std::string& x) {
    switch (Pick(6)) {
      case 0: return x + Of(Texts{" + ", " - ", " * ", " / "}) + std::to_string(Pick(3));
      case 1: return "|" + x + "|";
      default: return x;
    }
  }

  std::string Simple(const std::string& x) {
    switch (Pick(6)) {
      case 0: return x + (Half() ? " = " : " != ") + Value();
      case 1: return Atom(Known(), x);
      case 2: return x + (Half() ? " in [" : " not in [") + Value() + " " + Value() + "]";
      default: return Operand(x) + Order() + (Pick(4) == 0 ? Value() : std::to_string(Pick(5)));
    }
  }

  // A clause about what is bound.
  std::string Test(const Texts& bound, int depth = 2) {
    const std::string x = Of(bound);
    if (depth == 0) return Simple(x);
    switch (Pick(10)) {
      case 0: return "not " + Wrapped(Test(bound, depth - 1));
      case 1: {
        const std::string o = Local();
        Texts clauses = {Binder(o), Test({x, o}, depth - 1)};
        if (Half()) std::swap(clauses[0], clauses[1]);
        return "not (" + clauses[0] + ", " + clauses[1] + ")";
      }
      case 2: return Nested(2, x, [&] { return Test(bound, depth - 1); });
      case 3:
        return "|" + Atom(Counted(), Half() ? "_" : x) + "|" + Order() + std::to_string(Pick(3));
      case 4: return Operand(x) + Order() + Operand(Of(bound));
      case 5: return x + (Half() ? " = " : " != ") + Of(bound);
      case 6: return Gathered(x);
      default: return Simple(x);
    }
  }

  static std::string Wrapped(const std::string& clause) {
    return clause.front() == '(' ? clause : "(" + clause + ")";
  }

  std::string Gathered(const std::string& x) {
    for (const KindsRelation& r : out_.relations) {
      if (!r.gathers) continue;
      const std::string list = Local();
      const std::string atom = r.name + (r.arity > 1 ? "(" + x + ", " : "(") + list + ")";
      const std::string test =
          Half() ? "|" + list + "|" + Order() + std::to_string(Pick(3)) : x + " in " + list;
      return (Half() ? "not (" : "(") + atom + ", " + test + ")";
    }
    return Simple(x);
  }

  std::string Body(const Texts& bound, int tests) {
    Texts clauses;
    if (bound.size() == 2 && Half()) {
      clauses.push_back("e(" + bound[0] + ", " + bound[1] + ")");
    } else {
      for (const std::string& x : bound) clauses.push_back(Binder(x));
    }
    for (; tests > 0; --tests) clauses.push_back(Test(bound));
    for (std::size_t i = clauses.size(); i > 1; --i)
      std::swap(clauses[i - 1], clauses[random_() % i]);
    return JoinedBy(clauses, ", ");
  }

  // --- sentences ----------------------------------------------------------------------------

  void AddRelation(const std::string& name) {
    const bool goal = name[0] == '%';
    const int arity = !goal && Pick(4) == 0 ? 2 : 1;
    const Texts bound = arity == 2 ? Texts{"?x", "?y"} : Texts{"?x"};
    const std::string head = name + "(" + JoinedBy(bound, ", ") + ") <- ";
    Texts rules;
    for (int n = 1 + Pick(2); n > 0; --n) rules.push_back(head + Body(bound, 1 + Pick(2)));
    if (arity == 1 && !goal && Pick(4) == 0)
      rules.push_back(name + "(?y) <- " + name + "(?x), e(?x, ?y), " + Test({"?x", "?y"}));
    out_.sentences.insert(out_.sentences.end(), rules.begin(), rules.end());
    out_.relations.push_back({name, arity});
  }

  void AddGathering() {
    const bool keyed = Half();
    const Texts bound = keyed ? Texts{"?x", "?y"} : Texts{"?y"};
    out_.sentences.push_back((keyed ? "all(?x, [& ?y]) <- " : "all([& ?y]) <- ") + Body(bound, 1));
    out_.relations.push_back({"all", keyed ? 2 : 1, true});
    AddRelation("r0");
  }

  void AddConstraint() {
    const Texts bound = Pick(4) == 0 ? Texts{"?x", "?y"} : Texts{"?x"};
    const std::string left = Body(bound, Pick(3));
    out_.constraints.push_back(left + " -> " + (Pick(3) == 0 ? "false" : Test(bound)));
  }

  void AddGoal() {
    using Form = KindsGoal::Form;
    KindsGoal goal;
    goal.form = Of(std::vector<Form>{Form::kAlternatives, Form::kAlternatives, Form::kRules,
                                     Form::kChoose, Form::kDistinct, Form::kGuarded});
    goal.left = Half();
    const bool plans = goal.form == Form::kAlternatives || goal.form == Form::kRules;
    if (goal.form == Form::kAlternatives) goal.binder = Binder("?x");
    for (int n = plans ? 1 + Pick(4) : 1; n > 0; --n) {
      if (goal.form == Form::kAlternatives)
        goal.alternatives.push_back({Test({"?x"}), Pick(4) > 0});
      else goal.alternatives.push_back({Body({"?x"}, 1 + Pick(2))});
    }
    if (Pick(3) == 0) goal.when = Body({Local()}, 1);
    if (goal.form == Form::kGuarded) {
      goal.guard = Test({"?x"});
    }
    out_.goals.push_back(std::move(goal));
  }

  std::mt19937 random_;
  KindsProgram out_;
  int next_ = 0;
};

// --- smaller texts --------------------------------------------------------------------------

std::optional<Sentence> SentenceOf(const std::string& text) {
  std::string why;
  std::vector<Sentence> out = Parsed(text, &why);
  if (!why.empty() || out.size() != 1) return std::nullopt;
  return std::move(out.front());
}

void Smaller(const Node& node, Nodes& out);

// The same parts without one, or with one of them smaller.
template <typename T>
void SmallerParts(const Node& node, Nodes T::*parts, Nodes& out) {
  const T& whole = *node.As<T>();
  for (std::size_t i = 0; i < (whole.*parts).size(); ++i) {
    T less = whole;
    (less.*parts).erase((less.*parts).begin() + static_cast<std::ptrdiff_t>(i));
    if ((less.*parts).size() == 1) out.push_back((less.*parts).front());
    else if ((less.*parts).size() > 1) out.push_back({std::move(less), {}});
    Nodes inside;
    Smaller((whole.*parts)[i], inside);
    for (Node& part : inside) {
      T changed = whole;
      (changed.*parts)[i] = std::move(part);
      out.push_back({std::move(changed), {}});
    }
  }
}

void Smaller(const Node& node, Nodes& out) {
  if (node.As<Conjunction>() != nullptr) SmallerParts(node, &Conjunction::clauses, out);
  if (node.As<Disjunction>() != nullptr) SmallerParts(node, &Disjunction::branches, out);
  if (node.As<Not>() != nullptr) SmallerParts(node, &Not::clause, out);
  if (const auto* group = node.As<Group>()) {
    const Node& inner = group->inner.front();
    if (inner.As<Conjunction>() == nullptr && inner.As<Disjunction>() == nullptr)
      out.push_back(inner);
    SmallerParts(node, &Group::inner, out);
  }
}

Texts SmallerSentences(const std::string& text) {
  Texts out;
  const std::optional<Sentence> sentence = SentenceOf(text);
  if (!sentence) return out;
  for (Nodes Rule::*part : {&Rule::tail, &Rule::constraints})
    for (const Node& node : sentence->rule.*part) {
      Nodes inside;
      Smaller(node, inside);
      for (Node& less : inside) {
        Rule rule = sentence->rule;
        rule.*part = {std::move(less)};
        out.push_back(Print(rule));
      }
    }
  return out;
}

Texts SmallerClauses(const std::string& text) {
  static const std::string kHead = "h() <- ";
  Texts out = SmallerSentences(kHead + text);
  for (std::string& less : out) less.erase(0, kHead.size());
  return out;
}

// All texts of a program that may become smaller, each with the way to make it so.
struct ShrinkablePart {
  std::string* text;
  Texts (*smaller)(const std::string&);
};

std::vector<ShrinkablePart> PartsOf(KindsProgram& p) {
  std::vector<ShrinkablePart> out;
  for (std::string& text : p.sentences) out.push_back({&text, SmallerSentences});
  for (std::string& text : p.constraints) out.push_back({&text, SmallerSentences});
  for (KindsGoal& goal : p.goals) {
    for (std::string* text : {&goal.binder, &goal.when, &goal.guard})
      if (!text->empty()) out.push_back({text, SmallerClauses});
    for (KindsAlternative& a : goal.alternatives) out.push_back({&a.clauses, SmallerClauses});
  }
  return out;
}

// A goal without rules fails where it is used (decision 100).
bool CallsMissingGoal(const KindsProgram& p) {
  std::string all = p.Text();
  for (const std::string& text : p.constraints) all += text + "\n";
  for (const KindsGoal& goal : p.goals) all += goal.Text("$act");
  for (std::size_t at = 0; (at = all.find("%g", at)) != all.npos; ++at)
    if (all.find(all.substr(at, all.find('(', at) - at) + "(?x) <-") == all.npos) return true;
  return false;
}

std::string WithWhen(const std::string& rule, const std::string& when) {
  return rule + (when.empty() ? "" : " ; @when(" + when + ")") + "\n";
}

}  // namespace

const std::vector<std::string>& KindsValues() {
  static const Texts kValues = {"1",   "2",    "3",       "4",  "2.5", "\"310\"", "\"2\"",
                                "nil", ":key", "[1 2 3]", "[]", "sym", "true"};
  return kValues;
}

std::string KindsProgram::Text() const {
  std::string out;
  for (const std::string& s : sentences) out += s + "\n";
  return out;
}

std::string KindsGoal::Text(const std::string& tool) const {
  Texts parts;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const KindsAlternative& a = alternatives[i];
    const std::string number = std::to_string(i);
    const bool own = form == Form::kRules;
    parts.push_back(a.clauses +
                    (a.acts ? ", " + tool + "(" + number + ", " + (own ? "0" : "?x") + ")" : ""));
  }
  switch (form) {
    case Form::kAlternatives: break;
    case Form::kRules: {
      std::string out;
      for (const std::string& part : parts) out += WithWhen("%act <- " + part, when);
      return out;
    }
    case Form::kChoose:
    case Form::kDistinct:
      return "%act(?x) <- " + tool + "(0, ?x) ; " +
             (form == Form::kChoose ? "@choose(?x, (" : "@distinct(?x, (") +
             alternatives[0].clauses + "))" + (when.empty() ? "" : ", @when(" + when + ")") + "\n";
    case Form::kGuarded:
      return WithWhen("%act(?x) <- " + parts[0], when) + tool + "(?n, ?x), " + guard +
             " -> false\n";
  }
  while (parts.size() > 1) {
    const std::size_t at = left ? 0 : parts.size() - 2;
    parts[at] = "(" + parts[at] + " | " + parts[at + 1] + ")";
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return WithWhen("%act(?x) <- " + binder + ", " + parts[0], when);
}

std::string KindsGoal::CallText() const {
  std::string out, before;
  if (form == Form::kRules) {
    // Each alternative has a ?x of its own.
    for (std::size_t i = 0; i < alternatives.size(); ++i) {
      const std::string number = std::to_string(i);
      out += "tried" + number + "() <- " + (when.empty() ? "" : "(" + when + "), ") +
             alternatives[i].clauses + "\ncall(" + number + ", 0) <- tried" + number + "()" +
             before + "\n";
      before += ", not tried" + number + "()";
    }
    return out;
  }
  // Alternatives that only derive come first (decision 85).
  for (const KindsAlternative& a : alternatives)
    if (!a.acts) before += ", not (" + a.clauses + ")";
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const KindsAlternative& a = alternatives[i];
    if (!a.acts) continue;
    out += std::string(form == Form::kGuarded ? "wanted(" : "call(") + std::to_string(i) +
           ", ?x) <- " + (binder.empty() ? "" : binder + ", ") +
           (when.empty() ? "" : "(" + when + "), ") + "(" + a.clauses + ")" + before + "\n";
    before += ", not (" + a.clauses + ")";
  }
  if (form != Form::kGuarded) return out;
  return out + "denied(?n, ?x) <- wanted(?n, ?x), " + guard + "\n" +
         "call(?n, ?x) <- wanted(?n, ?x), not denied(?n, ?x)\n";
}

KindsProgram MakeKinds(std::uint32_t seed) { return KindsWriter(seed).Write(); }

KindsProgram ShrunkKinds(KindsProgram program,
                         const std::function<bool(const KindsProgram&)>& fails, int budget) {
  const auto attempt = [&](auto&& change) {
    if (budget-- <= 0) return false;
    KindsProgram smaller = program;
    change(smaller);
    if (CallsMissingGoal(smaller) || !fails(smaller)) return false;
    program = std::move(smaller);
    return true;
  };
  const auto drop = [&](auto&& list) {
    bool changed = false;
    for (std::size_t i = list(program).size(); i-- > 0;)
      changed |= attempt([&](KindsProgram& p) {
        list(p).erase(list(p).begin() + static_cast<std::ptrdiff_t>(i));
      });
    return changed;
  };
  for (bool changed = true; changed && budget > 0;) {
    changed = drop([](KindsProgram & p) -> auto& { return p.goals; });
    changed |= drop([](KindsProgram & p) -> auto& { return p.constraints; });
    changed |= drop([](KindsProgram & p) -> auto& { return p.relations; });
    changed |= drop([](KindsProgram & p) -> auto& { return p.sentences; });
    for (std::size_t g = 0; g < program.goals.size(); ++g) {
      if (program.goals[g].alternatives.size() > 1)
        for (std::size_t i = program.goals[g].alternatives.size(); i-- > 0;)
          changed |= program.goals[g].alternatives.size() > 1 && attempt([&](KindsProgram& p) {
                       auto& list = p.goals[g].alternatives;
                       list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
                     });
      if (!program.goals[g].when.empty())
        changed |= attempt([&](KindsProgram& p) { p.goals[g].when.clear(); });
    }
    for (std::size_t i = 0; i < PartsOf(program).size(); ++i) {
      for (bool again = true; again;) {
        again = false;
        const ShrinkablePart part = PartsOf(program)[i];
        for (const std::string& less : part.smaller(*part.text)) {
          again = attempt([&](KindsProgram& p) { *PartsOf(p)[i].text = less; });
          if (again) break;
        }
        changed |= again;
      }
    }
  }
  return program;
}

}  // namespace rpl
