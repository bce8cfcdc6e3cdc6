// SPDX-License-Identifier: Apache-2.0
//
// Random programs through the engine and through clingo (./dev compare-answers).
//
//   compare_answers N [--seed FIRST] [--shape NAME]… [--all] [--workers W]
//
// Each program is asked for all rows of every relation that can be asked whole and all answers of
// every goal: as written, with everything in another order, in two turns of which the second takes
// facts back and adds others, with the orders of atoms that seem to be the cheapest, and with 2 and
// 4 threads. The answers of both turns are compared. With chosen orders and with threads, rows in
// the store are compared, of relations that neither goals nor callers take part in: a session
// chooses orders, and shares out joins, only where more rows are read than here.
//
// A difference is printed as an RPL program, made smaller while it differs. `--all` adds the shapes
// of interp/testing/random_shapes.h with a known fault, `--shape` takes only those named.
// interp/testing/clingo.h says what is left out.
//
// Programs go to clingo in batches, which workers of this process share. The last line is
// `N passed, N failed`; a program that passes keys beyond the bound, or has no form without callers
// (interp/testing/unfold.h), is neither.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <stdexcept>
#include <thread>
#include <unordered_map>

#include "interp/testing/clingo.h"
#include "interp/testing/random_program.h"
#include "interp/testing/random_shapes.h"
#include "interp/testing/testing.h"
#include "interp/testing/unfold.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

constexpr std::uint32_t kBatch = 200;
constexpr int kMostReports = 5;     // of one worker; the seeds of others are printed
constexpr int kShrinkBudget = 800;  // runs of one program

const std::string kFailed = "status ";  // begins what stands in place of answers

// By the name of a relation: rows in clingo's terms.
using Answers = std::map<std::string, std::set<std::string>>;

enum class Way { kWritten, kPermuted, kTurns, kChosenOrders, kTwoThreads, kFourThreads };
constexpr Way kWays[] = {Way::kWritten,      Way::kPermuted,   Way::kTurns,
                         Way::kChosenOrders, Way::kTwoThreads, Way::kFourThreads};

const char* WayName(Way way) {
  switch (way) {
    case Way::kWritten: return "as written";
    case Way::kPermuted: return "in another order";
    case Way::kTurns: return "in two turns";
    case Way::kChosenOrders: return "with chosen orders";
    case Way::kTwoThreads: return "with 2 threads";
    case Way::kFourThreads: return "with 4 threads";
  }
  return "";
}

// --- what clingo says -----------------------------------------------------------------------

bool HasRule(const RandomProgram& p, const std::string& name) {
  return std::any_of(p.rules.begin(), p.rules.end(), [&](const RandomRule& rule) {
    return rule.heads.front().starts_with(name + "(");
  });
}

// To call a goal without rules is an error.
bool IsAsked(const RandomProgram& p, const RandomRelation& r) {
  return r.name.starts_with('%') ? HasRule(p, r.name) : !r.tabled();
}

void RefuseMissingGoals(const RandomProgram& p) {
  for (const RandomRule& rule : p.rules)
    for (const std::string& clause : rule.clauses)
      for (std::size_t at = 0; (at = clause.find('%', at)) != clause.npos; ++at)
        if (!HasRule(p, clause.substr(at, clause.find('(', at) - at)))
          throw std::runtime_error("a goal without rules");
}

std::string ClingoText(const RandomProgram& p, const std::string& prefix) {
  RefuseMissingGoals(p);
  std::string problem;
  Needs needs;
  for (const RandomRelation& r : p.relations)
    if (r.tabled()) needs[r.name] = r.needs;
  const auto text = clingo::Translate(SentencesOf(p.ClosedText()), needs, prefix, &problem);
  if (!text) throw std::runtime_error("not for clingo: " + problem);
  std::string out = *text;
  for (const RandomRelation& r : p.relations)
    if (IsAsked(p, r))
      out += "#show " + clingo::Predicate(prefix, r.name) + "/" + std::to_string(r.columns.size()) +
             ".\n";
  return out;
}

Answers AnswersOf(const RandomProgram& p, const std::string& prefix, const clingo::Rows& rows) {
  Answers out;
  for (const RandomRelation& r : p.relations)
    if (const auto it = rows.find(clingo::Predicate(prefix, r.name)); it != rows.end())
      out[r.name] = it->second;
  return out;
}

// Whether a fact comes with the second turn; the same however many others there are.
bool IsLate(const std::string& fact) {
  unsigned sum = 0;
  for (const char c : fact) sum += static_cast<unsigned char>(c);
  return sum % 3 == 1;
}

// The program as it stands after the first of two turns: some facts come later, others are taken
// back.
RandomProgram FirstTurn(const RandomProgram& p) {
  RandomProgram out = p;
  out.facts = p.extra;
  for (const std::string& fact : p.facts) {
    const auto change = std::find_if(p.changes.begin(), p.changes.end(),
                                     [&](const RandomChange& c) { return c.after == fact; });
    if (change != p.changes.end()) out.facts.push_back(change->before);
    else if (!IsLate(fact)) out.facts.push_back(fact);
  }
  return out;
}

std::string SecondTurn(const RandomProgram& p) {
  std::string out;
  for (const std::string& fact : p.extra) out += fact + " -> false\n";
  for (const RandomChange& c : p.changes)
    if (std::find(p.facts.begin(), p.facts.end(), c.after) != p.facts.end())
      out += c.retracted + " -> false\n";
  for (const std::string& fact : p.facts)
    if (IsLate(fact) && std::none_of(p.changes.begin(), p.changes.end(),
                                     [&](const RandomChange& c) { return c.after == fact; }))
      out += fact + "\n";
  return out;
}

struct Expected {
  Answers first;  // after the first of two turns
  Answers last;
};

// Whether callers may pass keys that the closed text does not have.
bool LeavesKeys(const RandomProgram& p, const Answers& answers) {
  if (std::all_of(p.rules.begin(), p.rules.end(),
                  [](const RandomRule& rule) { return rule.inputs.empty(); }))
    return false;
  if (p.passes_texts) return true;
  for (const auto& [name, rows] : answers)
    for (const std::string& row : rows)
      for (std::size_t at = 0; at < row.size();) {
        char* end = nullptr;
        const long number = std::strtol(row.c_str() + at, &end, 10);
        if (end != row.c_str() + at && (number < kLeastNumber || number > kMostNumber)) return true;
        at = row.find(',', at);
        if (at == row.npos) break;
        ++at;
      }
  return false;
}

// --- what the engine says --------------------------------------------------------------------

class Run {
 public:
  explicit Run(const std::string& text) : session_(agent_, Options()) { Load(text); }

  /// `only`: the one relation to ask; empty: all.
  Answers AskAll(const RandomProgram& p, const std::string& only) {
    Answers out;
    for (const RandomRelation& r : p.relations) {
      if (!IsAsked(p, r) || !(only.empty() || r.name == only)) continue;
      std::string call = "(";
      for (std::size_t i = 0; i < r.columns.size(); ++i)
        call += (i > 0 ? ", ?v" : "?v") + std::to_string(i);
      call += ")";
      std::set<std::string> rows = Ask("%q" + call + " <- " + r.name + call + "\n");
      if (!rows.empty()) out[r.name] = std::move(rows);
    }
    return out;
  }

  void NextTurn(const std::string& text) { session_.Say("turn", text); }

 private:
  static SessionOptions Options() {
    SessionOptions out;
    out.limits.max_seconds = 10;
    out.answer_forms = {false, false};
    return out;
  }

  void Load(const std::string& text) {
    for (const Diagnostic& d : session_.Load("x.rpl", text))
      if (d.severity == Severity::kError) throw std::runtime_error(d.message);
  }

  std::set<std::string> Ask(const std::string& query) {
    const Outcome outcome = session_.Say("q", query);
    std::set<std::string> rows;
    for (std::size_t at = 0; at < outcome.cells.size();) {
      std::string row;
      for (std::size_t i = 0; i < outcome.columns.size(); ++i)
        row += (i > 0 ? "," : "") + TermOf(outcome.cells[at++]);
      rows.insert(std::move(row));
    }
    if (outcome.status != Status::kSatisfied && outcome.status != Status::kUnsatisfied)
      rows.insert(kFailed + std::string(StatusName(outcome.status)) + ": " + outcome.reason);
    return rows;
  }

  const std::string& TermOf(Value v) {
    std::string& term = terms_[v.bits()];
    if (term.empty()) {
      const std::string text = Text(session_.pool(), v);
      const std::optional<Node> node = testing::Term(text);
      if (node) term = clingo::Term(*node);
      if (term.empty()) term = "not for clingo: " + text;
    }
    return term;
  }

  testing::Silent agent_;
  Session session_;
  std::unordered_map<std::uint64_t, std::string> terms_;
};

// Rows in the store, of relations that are derived bottom-up.
Answers Stored(const RandomProgram& p, Way way) {
  Limits limits;
  if (way == Way::kChosenOrders) {
    limits.min_ordered = 0;
    limits.min_gain = 0;
  } else {
    limits.threads = way == Way::kTwoThreads ? 2 : 4;
    limits.min_shared = 1;
  }
  testing::Engine engine(limits);
  engine.Take(p.Text());
  engine.Quiesce();
  Answers out;
  for (const RandomRelation& r : p.relations) {
    if (r.above) continue;
    const RelationId id = engine.Find(r.name, static_cast<std::uint32_t>(r.columns.size()));
    if (id == kNoId) continue;
    // A recursion that binds what it counts has a table.
    const std::vector<Value> open(engine.store.at(id).arity());
    engine.solver.ForEachRow(id, open, [&](std::span<const Value> row) {
      std::string text;
      for (const Value v : row) {
        const std::optional<Node> node = testing::Term(Text(engine.pool, v));
        text += (text.empty() ? "" : ",") + (node ? clingo::Term(*node) : "unreadable");
      }
      out[r.name].insert(text);
    });
  }
  return out;
}

// --- the comparison --------------------------------------------------------------------------

std::string Difference(const Answers& expected, const Answers& got) {
  static const std::set<std::string> kNone;
  std::string out;
  std::set<std::string> names;
  for (const auto& [name, rows] : expected) names.insert(name);
  for (const auto& [name, rows] : got) names.insert(name);
  const auto list = [](const std::set<std::string>& rows) {
    std::string text;
    for (const std::string& row : rows)
      text += " " + (row.starts_with(kFailed) ? row : clingo::Readable(row));
    return text.empty() ? " none" : text;
  };
  for (const std::string& name : names) {
    const auto e = expected.find(name), g = got.find(name);
    const auto& want = e == expected.end() ? kNone : e->second;
    const auto& have = g == got.end() ? kNone : g->second;
    if (want == have) continue;
    out += name + "\n  clingo:" + list(want) + "\n  rpl:   " + list(have) + "\n";
  }
  return out;
}

Answers Only(const Answers& answers, const std::string& only) {
  if (only.empty()) return answers;
  const auto it = answers.find(only);
  return it == answers.end() ? Answers{} : Answers{*it};
}

// "" or what differs. An exception of the engine's is a difference; its text begins so. `only`: the
// one relation that is asked; empty: all.
std::string DifferenceOf(const RandomProgram& p, Way way, const Expected& expected,
                         const std::string& only = "") {
  const Answers last = Only(expected.last, only);
  try {
    switch (way) {
      case Way::kWritten: return Difference(last, Run(p.Text()).AskAll(p, only));
      case Way::kPermuted: {
        std::mt19937 random(static_cast<std::uint32_t>(p.facts.size() * 31 + p.rules.size()));
        const std::string text = Permuted(p, random).Text();
        const std::string out = Difference(last, Run(text).AskAll(p, only));
        return out.empty() ? "" : out + "permuted:\n" + text;
      }
      case Way::kTurns: {
        Run run(FirstTurn(p).Text());
        std::string out = Difference(Only(expected.first, only), run.AskAll(p, only));
        if (!out.empty()) return "after the first turn: " + out;
        run.NextTurn(SecondTurn(p));
        return Difference(last, run.AskAll(p, only));
      }
      case Way::kChosenOrders:
      case Way::kTwoThreads:
      case Way::kFourThreads: {
        Answers derived = last;
        for (const RandomRelation& r : p.relations)
          if (r.above) derived.erase(r.name);
        return Difference(derived, Only(Stored(p, way), only));
      }
    }
  } catch (const std::exception& e) {
    return std::string("exception: ") + e.what();
  }
  return "";
}

struct Case {
  std::uint32_t seed;
  RandomProgram program;
  Expected expected;
  std::string problem = {};  // with the translation
};

void AddText(const RandomProgram& p, const std::string& number, std::string& text) {
  text += ClingoText(p, "p" + number + "_") + ClingoText(FirstTurn(p), "f" + number + "_");
}

void TakeRows(Case& c, const std::string& number, const clingo::Rows& rows) {
  c.expected.last = AnswersOf(c.program, "p" + number + "_", rows);
  c.expected.first = AnswersOf(c.program, "f" + number + "_", rows);
}

// One program alone.
void SolveCase(Case& c) {
  try {
    std::string text = "#show.\n";
    AddText(c.program, "", text);
    const auto rows = clingo::Solve(text, &c.problem);
    if (rows) TakeRows(c, "", *rows);
  } catch (const std::exception& e) {
    c.problem = e.what();
  }
}

std::vector<Case> SolvedCases(std::uint32_t first, std::uint32_t count,
                              const std::vector<std::string_view>& shapes) {
  std::vector<Case> cases;
  std::string text = "#show.\n", problem;
  for (std::uint32_t i = 0; i < count; ++i) {
    cases.push_back({first + i, MakeShaped(first + i, shapes), {}});
    try {
      AddText(cases.back().program, std::to_string(i), text);
    } catch (const std::exception& e) {
      cases.back().problem = e.what();
    }
  }
  const auto rows = clingo::Solve(text, &problem);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!cases[i].problem.empty()) continue;
    if (rows) TakeRows(cases[i], std::to_string(i), *rows);
    else SolveCase(cases[i]);
  }
  return cases;
}

bool IsOutside(const Case& c) {
  if (!c.problem.empty()) return c.problem.find(kNoForm) != c.problem.npos;
  return LeavesKeys(c.program, c.expected.first) || LeavesKeys(c.program, c.expected.last);
}

// The first relation that alone still differs; empty when it takes several.
std::string DifferingRelation(const Case& c, Way way) {
  for (const RandomRelation& r : c.program.relations)
    if (IsAsked(c.program, r) && !DifferenceOf(c.program, way, c.expected, r.name).empty())
      return r.name;
  return "";
}

std::string Report(const Case& c, Way way, bool shrink) {
  std::string out = "-- seed " + std::to_string(c.seed) + ", " + WayName(way) + "\n";
  if (!shrink) return out;
  const std::string only = DifferingRelation(c, way);
  const auto difference = [&](const RandomProgram& p) -> std::string {
    Case smaller{c.seed, p, {}};
    SolveCase(smaller);
    if (!smaller.problem.empty() || IsOutside(smaller)) return "";
    return DifferenceOf(p, way, smaller.expected, only);
  };
  const bool threw = difference(c.program).starts_with("exception");
  const RandomProgram small = Shrunk(
      c.program,
      [&](const RandomProgram& p) {
        const std::string now = difference(p);
        return !now.empty() && now.starts_with("exception") == threw;
      },
      kShrinkBudget);
  if (way == Way::kTurns) out += FirstTurn(small).Text() + "-- then\n" + SecondTurn(small);
  else out += small.Text();
  return out + "-- answers\n" + difference(small);
}

// --- workers ---------------------------------------------------------------------------------

// What a worker has done, in memory that its parent sees.
struct Counts {
  std::uint32_t at = 0;  // the seed at hand
  std::uint64_t passed = 0, failed = 0, outside = 0;
  std::uint64_t questions = 0, answers = 0;
};

struct Job {
  std::uint32_t programs = 0;
  std::uint32_t seed = 1;
  std::uint32_t workers = 1;
  std::vector<std::string_view> shapes = {};
};

void Compare(const Case& c, Counts& counts, int& reports) {
  counts.at = c.seed;
  if (IsOutside(c)) {
    ++counts.outside;
    return;
  }
  std::string report;
  if (!c.problem.empty())
    report = "-- seed " + std::to_string(c.seed) + ": " + c.problem + "\n" + c.program.Text();
  for (const Way way : kWays) {
    if (!report.empty()) break;
    if (!DifferenceOf(c.program, way, c.expected).empty())
      report = Report(c, way, reports++ < kMostReports);
  }
  ++(report.empty() ? counts.passed : counts.failed);
  std::fputs(report.c_str(), stdout);
  std::fflush(stdout);
  // Three runs end in the last turn, two more have only what is derived bottom-up.
  for (const RandomRelation& r : c.program.relations) {
    if (!IsAsked(c.program, r)) continue;
    counts.questions += r.above ? 4 : 6;
    if (const auto it = c.expected.last.find(r.name); it != c.expected.last.end())
      counts.answers += (r.above ? 3 : 5) * it->second.size();
    if (const auto it = c.expected.first.find(r.name); it != c.expected.first.end())
      counts.answers += it->second.size();
  }
}

void Work(const Job& job, std::uint32_t worker, Counts& counts) {
  int reports = 0;
  for (std::uint32_t batch = worker; batch * kBatch < job.programs; batch += job.workers) {
    const std::uint32_t begin = batch * kBatch;
    counts.at = job.seed + begin;
    for (const Case& c :
         SolvedCases(job.seed + begin, std::min(kBatch, job.programs - begin), job.shapes))
      Compare(c, counts, reports);
  }
}

// Workers are processes: a crash is one failure, and its seed is known.
Counts WorkTogether(const Job& job) {
  auto* const shared =
      static_cast<Counts*>(mmap(nullptr, job.workers * sizeof(Counts), PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) std::abort();
  std::vector<pid_t> children;
  for (std::uint32_t worker = 0; worker < job.workers; ++worker) {
    shared[worker] = Counts{};
    const pid_t child = fork();
    if (child == 0) {
      Work(job, worker, shared[worker]);
      std::fflush(stdout);
      _exit(0);
    }
    children.push_back(child);
  }
  Counts all;
  for (std::uint32_t worker = 0; worker < job.workers; ++worker) {
    int status = 0;
    if (children[worker] < 0 || waitpid(children[worker], &status, 0) < 0 || status != 0) {
      std::printf("-- seed %u: the worker ended with status %d\n", shared[worker].at, status);
      ++shared[worker].failed;
    }
    all.passed += shared[worker].passed;
    all.failed += shared[worker].failed;
    all.outside += shared[worker].outside;
    all.questions += shared[worker].questions;
    all.answers += shared[worker].answers;
  }
  munmap(shared, job.workers * sizeof(Counts));
  return all;
}

int Usage() {
  std::fputs(
      "compare_answers N [--seed FIRST] [--shape NAME]... [--all] [--workers W]\n"
      "shapes, and what is known to go wrong:\n",
      stderr);
  for (const Shape& shape : Shapes())
    std::fprintf(stderr, "  %-18s %s\n", std::string(shape.name).c_str(),
                 std::string(shape.fault).c_str());
  return 2;
}

std::optional<Job> JobOf(int argc, char** argv) {
  Job job;
  job.workers = std::max(1U, std::thread::hardware_concurrency());
  bool all = false;
  const auto number = [](const char* text) {
    return static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10));
  };
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--all") all = true;
    else if (arg == "--seed" && i + 1 < argc) job.seed = number(argv[++i]);
    else if (arg == "--workers" && i + 1 < argc) job.workers = std::max(1U, number(argv[++i]));
    else if (arg == "--shape" && i + 1 < argc) job.shapes.emplace_back(argv[++i]);
    else if (job.programs == 0) job.programs = number(argv[i]);
    else return std::nullopt;
  }
  for (const std::string_view name : job.shapes)
    if (std::none_of(Shapes().begin(), Shapes().end(),
                     [&](const Shape& shape) { return shape.name == name; }))
      return std::nullopt;
  if (job.shapes.empty()) job.shapes = SoundShapes();
  if (all) {
    job.shapes.clear();
    for (const Shape& shape : Shapes()) job.shapes.push_back(shape.name);
  }
  if (job.programs == 0) return std::nullopt;
  return job;
}

int Main(int argc, char** argv) {
  const std::optional<Job> job = JobOf(argc, argv);
  if (!job) return Usage();
  const auto begin = std::chrono::steady_clock::now();
  const Counts counts = WorkTogether(*job);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::printf("%u programs from seed %u in %.1f s: %llu answers to %llu questions; %llu left out\n",
              job->programs, job->seed, seconds, static_cast<unsigned long long>(counts.answers),
              static_cast<unsigned long long>(counts.questions),
              static_cast<unsigned long long>(counts.outside));
  std::printf("%llu passed, %llu failed\n", static_cast<unsigned long long>(counts.passed),
              static_cast<unsigned long long>(counts.failed));
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rpl

int main(int argc, char** argv) { return rpl::Main(argc, argv); }
