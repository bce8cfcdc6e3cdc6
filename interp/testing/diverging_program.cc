// SPDX-License-Identifier: Apache-2.0
#include "interp/testing/diverging_program.h"

#include <algorithm>
#include <random>
#include <utility>

namespace rpl {
namespace {

using Texts = std::vector<std::string>;

class DivergingWriter {
 public:
  explicit DivergingWriter(std::uint32_t seed) : random_(seed) {}

  DivergingProgram Make();

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
  bool Half() { return Pick(2) == 0; }
  const std::string& Of(const Texts& from) { return from[random_() % from.size()]; }
  std::string Name(const char* stem) { return stem + std::to_string(next_++); }

  void Add(std::string sentence) { sentences_.push_back(std::move(sentence)); }
  void AddRule(const std::string& head, Texts clauses);
  void AddGrowing(const std::string& head, Texts clauses) {
    AddRule(head, std::move(clauses));
    out_.growing.push_back(sentences_.back());
  }

  // A value that is larger than another one: the clauses that make it, if any, and how a head
  // writes it.
  struct Larger {
    Texts clauses;
    std::string term;
  };
  Larger MakeLarger(const std::string& from, const std::string& to);
  // The same with a clause that binds `to`.
  Texts MakeLargerIn(const std::string& from, const std::string& to);
  // The value that the last Larger begins with.
  const std::string& Start() const { return start_; }

  // Each adds a growth and names its relation or goal, of one argument that is free.
  std::string Derived();
  std::string Nonlinear();
  std::string Mutual();
  std::string Pairs();
  std::string Permuted();
  std::string Counting();
  std::string Crossed();
  std::string Barren();
  std::string Demanded();
  std::string LeftRecursive();
  std::string Doubled();
  std::string Goal();
  std::string Goals();
  std::string Loop();

  void Innocent();
  std::string Read(const std::string& growth);

  std::mt19937 random_;
  int next_ = 0;
  std::string start_;
  std::vector<std::string> sentences_;
  DivergingProgram out_;
};

void DivergingWriter::AddRule(const std::string& head, Texts clauses) {
  std::shuffle(clauses.begin(), clauses.end(), random_);
  std::string rule = head + " <- ";
  for (std::size_t i = 0; i < clauses.size(); ++i) rule += (i > 0 ? ", " : "") + clauses[i];
  Add(std::move(rule));
}

DivergingWriter::Larger DivergingWriter::MakeLarger(const std::string& from,
                                                    const std::string& to) {
  start_ = "1";
  switch (Pick(6)) {
    case 0:
      start_ = "2";
      return {{to + " = " + from + Of({" + 1", " * 2", " - 3", " + " + from, " * " + from})}, to};
    case 1:
      start_ = "\"ab\"";
      return {{to + " = \"" +
               Of({"{" + from + "}x", "{" + from + "}{" + from + "}", "({" + from + "})"}) + "\""},
              to};
    default: break;
  }
  const std::string term = Of({"[" + from + "]", "[0 " + from + "]", "[" + from + " " + from + "]",
                               "[#{" + from + " 7}]", "{:k " + from + "}", "tree(" + from + ")",
                               "tree(" + from + ", " + from + ")", "[{:a " + from + ", :b 1}]"});
  if (Half()) return {{}, term};
  return {{to + " = " + term}, to};
}

Texts DivergingWriter::MakeLargerIn(const std::string& from, const std::string& to) {
  Larger larger = MakeLarger(from, to);
  return larger.clauses.empty() ? Texts{to + " = " + larger.term} : larger.clauses;
}

// r(?b) <- r(?a), ?b = ?a + 1
std::string DivergingWriter::Derived() {
  const std::string r = Name("grow");
  Larger larger = MakeLarger("?a", "?b");
  larger.clauses.push_back(r + "(?a)");
  if (Half()) larger.clauses.push_back("some(?s)"), larger.clauses.push_back("?s < 2");
  AddGrowing(r + "(" + larger.term + ")", larger.clauses);
  Add(r + "(" + Start() + ")");
  return r;
}

// Trees of all that was there before.
std::string DivergingWriter::Nonlinear() {
  const std::string r = Name("trees");
  AddGrowing(r + Of({"([?a ?b])", "([?b 0 ?a])", "(tree(?b, ?a))", "({:l ?a, :r ?b})"}),
             {r + "(?a)", r + "(?b)"});
  Add(r + "(1)");
  if (Half()) Add(r + "(2)");
  return r;
}

// A ring of relations, at least one of whose rules makes something larger.
std::string DivergingWriter::Mutual() {
  const int n = 2 + Pick(4);
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) names.push_back(Name("ring"));
  const Larger larger = MakeLarger("?a", "?b");
  const int at = Pick(n);
  for (int i = 0; i < n; ++i) {
    const std::string from = names[static_cast<std::size_t>(i)] + "(?a)";
    const std::string& to = names[static_cast<std::size_t>((i + 1) % n)];
    const bool grows = i == at || Pick(3) == 0;
    Texts clauses = grows ? larger.clauses : Texts{};
    clauses.push_back(from);
    AddGrowing(to + "(" + (grows ? larger.term : "?a") + ")", std::move(clauses));
  }
  Add(names.front() + "(" + Start() + ")");
  return Of(names);
}

// Two columns of which one grows.
std::string DivergingWriter::Pairs() {
  const std::string p = Name("pairs"), r = Name("grow");
  AddGrowing(p + "(?k, ?b)", {p + "(?k, ?a)", "some(?k)", "?b = ?a + ?k + 1"});
  AddGrowing(r + "(?b)", {p + "(_, ?b)"});
  out_.growing.pop_back();
  for (int i = 0; i < 3; ++i) Add(p + "(" + std::to_string(i) + ", " + std::to_string(i) + ")");
  return r;
}

// Lists of all that there is, in every order.
std::string DivergingWriter::Permuted() {
  const std::string r = Name("words");
  AddGrowing(r + "(?m)", {"some(?x)", r + "(?l)", "?m = [?x & ?l]"});
  Add(r + "([])");
  return r;
}

// A count of a list that grows.
std::string DivergingWriter::Counting() {
  const std::string r = Name("long");
  AddGrowing(r + "(?m)", {r + "(?l)", "?n = |?l|", "?m = [?n & ?l]"});
  Add(r + "([])");
  return r;
}

std::string DivergingWriter::Crossed() {
  const std::string n = Name("n"), r = Name("cross"), c = Name("first");
  for (int i = 0; i < 400; ++i) Add(n + "(" + std::to_string(i) + ")");
  AddGrowing(r + "(?x, ?y, ?z)", {n + "(?x)", n + "(?y)", n + "(?z)"});
  AddRule(c + "(?x)", {r + "(?x, _, _)"});
  return c;
}

// A join of many rows that gives none.
std::string DivergingWriter::Barren() {
  const std::string n = Name("n"), r = Name("barren");
  for (int i = 0; i < 600; ++i) Add(n + "(" + std::to_string(i) + ")");
  AddGrowing(r + "(?x)",
             {n + "(?x)", n + "(?y)", n + "(?z)", n + "(?u)",
              Of({"?x + ?y + ?z + ?u = -1", "?x * ?y + ?z * ?u < 0", "?x + ?y + ?z = ?u + 5000"})});
  return r;
}

// Calls that never reach the base.
std::string DivergingWriter::Demanded() {
  const std::string r = Name("down"), c = Name("calls");
  Texts clauses = MakeLargerIn("?a", "?b");
  clauses.push_back(r + "(?b, ?z)");
  AddGrowing(r + "(?a, ?z)", std::move(clauses));
  // From the base the step could be taken backwards, but for numbers.
  if (Start() == "2" && Half()) AddRule(r + "(?a, ?z)", {"?a = stop", "?z = ?a"});
  else AddRule(r + "(?a, ?z)", {"not some(?a)", "?z = 0"});
  AddRule(c + "(?z)", {r + "(" + Start() + ", ?z)"});
  return c;
}

// A table that feeds itself.
std::string DivergingWriter::LeftRecursive() {
  const std::string r = Name("left"), c = Name("calls");
  Texts clauses = MakeLargerIn("?y", "?z");
  clauses.push_back(r + "(?a, ?y)");
  if (Pick(3) == 0) clauses.push_back(r + "(?a, ?w)");
  AddGrowing(r + "(?a, ?z)", std::move(clauses));
  AddRule(r + "(?a, ?z)", {"?z = ?a"});
  AddRule(c + "(?z)", {r + "(" + Start() + ", ?z)"});
  return c;
}

// Calls that fork.
std::string DivergingWriter::Doubled() {
  const std::string r = Name("fork"), c = Name("calls");
  AddGrowing(r + "(?n, ?z)",
             {"?b = ?n + 1", "?c = ?n * 2 + 3", r + "(?b, ?x)", r + "(?c, ?y)", "?z = ?x + ?y"});
  if (Half()) AddRule(r + "(?n, ?z)", {"?n > 1000000000000000000", "?z = 1"});
  else AddRule(r + "(?n, ?z)", {"?n < 0", "?z = 1"});
  AddRule(c + "(?z)", {r + "(1, ?z)"});
  return c;
}

std::string DivergingWriter::Goal() {
  const std::string g = Name("%goal");
  Texts clauses = MakeLargerIn("?x", "?y");
  clauses.push_back(g + "(?x)");
  AddGrowing(g + "(?y)", std::move(clauses));
  AddRule(g + "(?x)", {"?x = " + Start()});
  return g;
}

std::string DivergingWriter::Goals() {
  const std::string g = Name("%goal"), h = Name("%goal"), r = Name("grow");
  AddGrowing(g + "(?x)", {h + "(?x)"});
  AddGrowing(h + "(?y)", {g + "(?x)", "?y = [?x]"});
  AddRule(g + "(?x)", {"some(?x)"});
  if (Half()) return h;
  AddRule(r + "(?x)", {g + "(?x)"});
  return r;
}

std::string DivergingWriter::Loop() {
  const std::string r = Name("loop");
  AddGrowing(r + "(?i)", {"1 = 1"});
  sentences_.back() += " ; @for(?i = 1, ?i > 0, ?j = ?i + 1)";
  out_.growing.back() = sentences_.back();
  return r;
}

void DivergingWriter::Innocent() {
  const std::string a = Name("calm"), b = Name("calm");
  switch (Pick(3)) {
    case 0:
      for (int i = 0; i < 8; ++i)
        Add(a + "(" + std::to_string(i) + ", " + std::to_string(i + 1) + ")");
      AddRule(b + "(?x, ?y)", {a + "(?x, ?y)"});
      AddRule(b + "(?x, ?z)", {b + "(?x, ?y)", a + "(?y, ?z)"});
      break;
    case 1:
      AddRule(a + "(?n)", {"?n = |some(_)|"});
      AddRule(b + "(?n)", {"some(?n)", "not " + a + "(?n)"});
      break;
    default: AddRule(a + "(?x)", {"?x < 12"}); AddRule(b + "(?x)", {"some(?x)", a + "(?x)"});
  }
}

// Adds a reader of the growth, and gives the query that asks it.
std::string DivergingWriter::Read(const std::string& growth) {
  const std::string call = growth + "(?x)", r = Name("reads");
  // A goal cannot be counted.
  switch (growth.starts_with('%') ? 3 * Pick(3) : Pick(8)) {
    case 0: return "%ask(?x) <- " + call;
    case 1: return "%ask(?n) <- ?n = |" + growth + "(_)|";
    case 2: AddRule(r + "(?n)", {"?n = |" + growth + "(_)|"}); break;
    // With `?s` for `_` it would be answered for what is in `some`, where values get smaller then.
    case 3: AddRule(r + "(?s)", {"some(?s)", "not " + growth + "(_)"}); break;
    case 4: AddRule(r + "([& ?x])", {call}); break;
    case 5:
      Add(call + " -> some(_)");
      AddRule(r + "(?x)", {call});
      break;
    case 6: AddRule(r + "(?x)", {"(some(?x) | " + call + ")"}); break;
    default: AddRule(r + "(?x)", {call, "some(?s)"});
  }
  return "%ask(?r) <- " + r + "(?r)";
}

DivergingProgram DivergingWriter::Make() {
  for (int i = 0; i < 3; ++i) Add("some(" + std::to_string(i) + ")");
  std::string (DivergingWriter::*const kGrowths[])() = {
      &DivergingWriter::Derived,  &DivergingWriter::Derived,       &DivergingWriter::Nonlinear,
      &DivergingWriter::Mutual,   &DivergingWriter::Mutual,        &DivergingWriter::Pairs,
      &DivergingWriter::Permuted, &DivergingWriter::Counting,      &DivergingWriter::Crossed,
      &DivergingWriter::Barren,   &DivergingWriter::Demanded,      &DivergingWriter::Demanded,
      &DivergingWriter::Doubled,  &DivergingWriter::LeftRecursive, &DivergingWriter::Goal,
      &DivergingWriter::Goals,    &DivergingWriter::Loop};
  for (int n = Half() ? 1 : 1 + Pick(3); n > 0; --n) {
    const std::string growth = (this->*kGrowths[Pick(std::size(kGrowths))])();
    out_.query = Read(growth);
  }
  for (int n = Pick(4); n > 0; --n) Innocent();
  std::shuffle(sentences_.begin(), sentences_.end(), random_);
  for (const std::string& sentence : sentences_) out_.text += sentence + "\n";
  out_.threads = Half() ? 1 : 2;
  return std::move(out_);
}

}  // namespace

DivergingProgram MakeDiverging(std::uint32_t seed) { return DivergingWriter(seed).Make(); }

}  // namespace rpl
