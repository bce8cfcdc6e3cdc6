// SPDX-License-Identifier: Apache-2.0
//
// What has no meaning is not "no" (decision 93): random programs over values of mixed kinds through
// the engine and through interp/testing/naive.h, which knows three truths.
//
// RPL_RANDOM_PROGRAMS sets how many programs a run takes (RPL_RANDOM_TIMES multiplies it),
// RPL_RANDOM_SEED the first one's seed.
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "interp/testing/naive.h"
#include "interp/testing/random_batches.h"
#include "interp/testing/random_kinds.h"
#include "interp/testing/random_program.h"
#include "interp/testing/testing.h"
#include "interp/testing/unfold.h"
#include "runtime/run/session.h"

namespace rpl::three_valued {
namespace {

using naive::Truth;

// The engine refuses the text, as it does a left side that can never hold, or it is too large:
// there is nothing to compare.
struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const char* Name(Truth truth) {
  switch (truth) {
    case Truth::kFalse: return "false";
    case Truth::kUndecided: return "undecided";
    case Truth::kTrue: return "true";
  }
  return "";
}

naive::Database Reading(const std::string& text) {
  std::string problem;
  std::optional<naive::Database> out = naive::Evaluate(SentencesOf(text), &problem);
  if (problem.starts_with(kNoForm)) throw Refused(problem);
  if (!out) throw std::runtime_error("not a program of the core: " + problem);
  return *out;
}

Truth TruthOf(const naive::Extension& e, const naive::Row& row) {
  if (e.rows.count(row) > 0) return Truth::kTrue;
  Truth out = Truth::kFalse;
  for (const naive::Row& other : e.undecided) {
    Truth same = Truth::kUndecided;
    for (std::size_t i = 0; i < row.size(); ++i)
      same = std::min(same, naive::Equal(row[i], other[i]));
    out = std::max(out, same);
  }
  return out;
}

std::string RowText(const naive::Row& row) {
  std::string out;
  for (const naive::Datum& d : row) out += (out.empty() ? "" : ", ") + naive::Text(d);
  return out;
}

// Answers every call of a tool with 1, and keeps its text.
struct Recorder : testing::Silent {
  rpl::Answer AnswerTo(const Request& request, Pool& pool, std::string_view) override {
    if (request.kind != Request::Kind::kTool) return {};
    calls.insert(request.id);
    return {.kind = rpl::Answer::Kind::kValue, .value = pool.Int(1)};
  }

  std::set<std::string> calls;
};

struct Engine {
  explicit Engine(const std::string& text) : session(agent, {}) {
    for (const Diagnostic& d : session.Load("x.rpl", text))
      if (d.severity == Severity::kError) throw Refused(d.message);
  }

  Outcome Ask(const std::string& query) {
    Outcome outcome = session.Say("q", query + "\n");
    if (outcome.status == Status::kLimit) throw Refused(outcome.reason);
    return outcome;
  }
  bool Holds(const std::string& tail) { return Ask("% <- " + tail).status == Status::kSatisfied; }

  Recorder agent;
  Session session;
};

// --- the properties: "" or what differs ----------------------------------------------------

// Of a list with members that are not decided, the engine knows nothing, not even its key.
bool Gathers(const KindsProgram& p) { return p.Text().find("[& ") != std::string::npos; }

std::string RowDiffers(Engine& engine, const std::string& name, const naive::Extension& e,
                       const naive::Row& row, bool coarse) {
  const std::string call = name + "(" + RowText(row) + ")";
  const bool holds = engine.Holds(call);
  const bool lacks = engine.Holds("not " + call);
  const Truth got = holds ? Truth::kTrue : lacks ? Truth::kFalse : Truth::kUndecided;
  const Truth expected = TruthOf(e, row);
  if (holds && lacks) return call + " and its negation hold";
  if (got == expected || (got == Truth::kUndecided && coarse)) return "";
  return call + " is " + Name(expected) + ", and " + Name(got) + " in the engine";
}

// The answers of all rows: those that are true, or none where they rest on what is undecided.
std::string AnswersDiffer(Engine& engine, const KindsRelation& r, const naive::Extension& e,
                          bool coarse) {
  const std::string arguments = r.arity == 1 ? "(?v0)" : "(?v0, ?v1)";
  const Outcome outcome = engine.Ask("%q" + arguments + " <- " + r.name + arguments);
  std::set<std::string> expected, got;
  for (const naive::Row& row : e.rows) {
    std::string text;
    for (const naive::Datum& d : row) text += naive::SortedJson(d) + " ";
    expected.insert(text);
  }
  for (const std::string& line : outcome.json_answers) {
    const nlohmann::json answer = nlohmann::json::parse(line);
    std::string text;
    for (int i = 0; i < r.arity; ++i) {
      nlohmann::json value = answer.at("?v" + std::to_string(i));
      if (value.is_array()) std::sort(value.begin(), value.end());
      text += value.dump() + " ";
    }
    got.insert(text);
  }
  if (expected == got || (got.empty() && (coarse || !e.undecided.empty()))) return "";
  std::string out = "answers of " + r.name + ":";
  for (const std::string& row : expected) out += got.count(row) == 0 ? " missing " + row : "";
  for (const std::string& row : got) out += expected.count(row) == 0 ? " not expected " + row : "";
  return out;
}

std::string RelationsAgree(const KindsProgram& p) {
  naive::Database db = Reading(p.Text());
  Engine engine(p.Text());
  for (const KindsRelation& r : p.relations) {
    const naive::Extension& e = db[r.name + "/" + std::to_string(r.arity)];
    if (std::string difference = AnswersDiffer(engine, r, e, Gathers(p)); !difference.empty())
      return difference;
    if (r.gathers) continue;
    std::set<naive::Row> rows = e.undecided;
    if (r.arity == 1) {
      rows.clear();
      for (const std::string& value : KindsValues())
        rows.insert({*naive::Ground(*testing::Term(value))});
    }
    for (const naive::Row& row : rows) {
      if (std::any_of(row.begin(), row.end(), naive::HasUnknown)) continue;
      std::string difference = RowDiffers(engine, r.name, e, row, Gathers(p));
      if (!difference.empty()) return difference;
    }
  }
  return "";
}

// What a run says of the constraint; `in_turns`: each fact comes in a turn of its own.
Truth JudgedBy(const KindsProgram& p, const std::string& constraint, bool in_turns) {
  std::string first, later;
  for (const std::string& s : p.sentences)
    (in_turns && s.find("<-") == s.npos ? later : first) += s + "\n";
  Engine engine(first + constraint + "\n");
  for (std::size_t at = 0; at < later.size();) {
    const std::size_t end = later.find('\n', at);
    engine.session.Say("turn", later.substr(at, end - at));
    at = end + 1;
  }
  const Status status = engine.Ask("% <- true").status;
  return status == Status::kSatisfied ? Truth::kTrue
         : status == Status::kFailed  ? Truth::kFalse
                                      : Truth::kUndecided;
}

// A run is satisfied over a constraint that holds; one that is violated is a failure.
std::string ConstraintsAgree(const KindsProgram& p) {
  const naive::Database db = Reading(p.Text());
  for (const std::string& constraint : p.constraints) {
    std::string problem;
    const auto truths = naive::Judge(SentencesOf(p.Text() + constraint), db, &problem);
    if (problem.starts_with(kNoForm)) continue;
    if (!truths || truths->size() != 1)
      throw std::runtime_error("not of the core: " + constraint + ": " + problem);
    const Truth expected = truths->front();
    try {
      for (const bool in_turns : {false, true}) {
        const Truth got = JudgedBy(p, constraint, in_turns);
        if (got != expected && !(got != Truth::kTrue && Gathers(p)))
          return constraint + " is " + Name(expected) + ", and " + Name(got) + " in the engine" +
                 (in_turns ? ", in turns" : "");
      }
    } catch (const Refused&) {
    }
  }
  return "";
}

// No call goes out unless it is true that it does. Where nothing is undecided, all of them do.
std::string CallsDiffer(const KindsProgram& p, const KindsGoal& goal) {
  using Form = KindsGoal::Form;
  naive::Database db = Reading(p.Text() + goal.CallText());
  const naive::Extension& e = db["call/2"];
  Engine engine(p.Text() + goal.Text("$act"));
  const Outcome outcome =
      engine.Ask(goal.form == Form::kRules ? "% <- %act" : "%q(?x) <- %act(?x)");
  std::set<std::string> expected;
  for (const naive::Row& row : e.rows) expected.insert("$act(" + RowText(row) + ")");
  const std::set<std::string>& got = engine.agent.calls;
  std::string out;
  for (const std::string& call : got)
    if (expected.count(call) == 0) out += call + " went out; ";
  if (goal.form == Form::kChoose && got.size() > 1) out += "several calls went out; ";
  // Choices depend on an order, and what a guard denies ends the run.
  const bool plans = goal.form == Form::kAlternatives || goal.form == Form::kRules;
  if (plans && e.undecided.empty() && !Gathers(p))
    for (const std::string& call : expected)
      if (got.count(call) == 0) out += call + " did not go out; ";
  return out.empty() ? "" : out + goal.Text("$act") + outcome.reason;
}

std::string CallsAgree(const KindsProgram& p) {
  for (const KindsGoal& goal : p.goals) {
    try {
      if (std::string difference = CallsDiffer(p, goal); !difference.empty()) return difference;
    } catch (const Refused&) {
    }
  }
  return "";
}

// --- the runs
// -------------------------------------------------------------------------------------

using Property = std::string (*)(const KindsProgram&);

std::string Guarded(Property property, const KindsProgram& p) {
  try {
    return property(p);
  } catch (const Refused&) {
    return "";
  } catch (const std::exception& e) {
    return std::string("exception: ") + e.what();
  }
}

void Check(Property property, std::uint32_t count) {
  const std::uint32_t first = FirstSeed();
  for (std::uint32_t i = 0; i < count; ++i) {
    const KindsProgram p = MakeKinds(first + i);
    const std::string difference = Guarded(property, p);
    if (difference.empty()) continue;
    const bool threw = difference.starts_with("exception");
    const KindsProgram small = ShrunkKinds(
        p,
        [&](const KindsProgram& q) {
          const std::string now = Guarded(property, q);
          return !now.empty() && now.starts_with("exception") == threw;
        },
        3000);
    RC_FAIL("RPL_RANDOM_SEED=" + std::to_string(first + i) + "\n" + small.Text() +
            Guarded(property, small));
  }
}

bool Agree(const char* what, Property property, std::uint32_t programs) {
  return InBatches(what, programs, [&](std::uint32_t count) { Check(property, count); });
}

TEST_CASE("a row of mixed kinds is true, false or undecided as the naive evaluator says") {
  CHECK(Agree("relations", RelationsAgree, 100));
}

TEST_CASE("no run is satisfied over a constraint that mixed kinds leave undecided") {
  CHECK(Agree("constraints", ConstraintsAgree, 100));
}

TEST_CASE("no call goes out that mixed kinds leave undecided") {
  CHECK(Agree("calls", CallsAgree, 200));
}

}  // namespace
}  // namespace rpl::three_valued
