// SPDX-License-Identifier: Apache-2.0
//
// Random programs over values of mixed kinds, for tests only.
//
// Numbers, texts that look like numbers, `nil`, keywords, symbols and lists stand in the same
// columns, so that orders, sums and counts are undefined for some rows (decision 93). Alternatives
// nest, several of them in one body. Relations come in layers, as in random_program.h, and nothing
// needs its caller.
//
// What the program says is read by interp/testing/naive.h; of a goal that calls a tool, CallText
// says by rules which calls go out.
//
// The same seed gives the same program with the same compiler.
#ifndef RPL_INTERP_TESTING_RANDOM_KINDS_H_
#define RPL_INTERP_TESTING_RANDOM_KINDS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rpl {

/// The clauses of one alternative of a goal, and whether a call of the tool is one more.
struct KindsAlternative {
  std::string clauses;
  bool acts = true;
};

/// A goal that calls a tool: `$tool(NUMBER, ?x)`, where NUMBER is that of the alternative.
struct KindsGoal {
  enum class Form {
    kAlternatives,  // one body: clauses that bind ?x, then nested alternatives
    kRules,         // each alternative is a rule of the goal, whose ?x is its own
    kChoose,        // @choose of one ?x; the alternatives are one
    kDistinct,      // @distinct of each ?x; the alternatives are one
    kGuarded,       // a constraint forbids some calls; the alternatives are one
  };
  Form form = Form::kAlternatives;
  std::string binder;
  std::vector<KindsAlternative> alternatives;
  std::string when;   // the condition of `@when`; empty: none
  std::string guard;  // kGuarded: what is forbidden of the call
  bool left = false;  // the first alternatives are nested, not the last ones

  /// Rules of `%act`, which calls `tool`, and the constraint.
  std::string Text(const std::string& tool) const;
  /// By rules: `call(NUMBER, ?x)` holds for the calls that go out, or of which one is chosen.
  std::string CallText() const;
};

struct KindsRelation {
  std::string name;
  int arity = 1;
  bool gathers = false;  // the last column is a list that a head gathers
};

struct KindsProgram {
  std::vector<KindsRelation> relations;
  std::vector<std::string> sentences;  // facts, then rules
  std::vector<std::string> constraints;
  std::vector<KindsGoal> goals;

  std::string Text() const;
};

/// The values that columns hold, as RPL text.
const std::vector<std::string>& KindsValues();

KindsProgram MakeKinds(std::uint32_t seed);

/// A smaller program for which `fails` still holds: sentences, clauses and alternatives are dropped
/// while it does. Calls `fails` at most `budget` times.
KindsProgram ShrunkKinds(KindsProgram program,
                         const std::function<bool(const KindsProgram&)>& fails, int budget);

}  // namespace rpl

#endif  // RPL_INTERP_TESTING_RANDOM_KINDS_H_
