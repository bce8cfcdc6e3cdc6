// SPDX-License-Identifier: Apache-2.0
//
// Two roads to one answer: random programs through the engine and through interp/testing/naive.h.
//
// RPL_RANDOM_PROGRAMS sets how many programs a run takes, RPL_RANDOM_TIMES multiplies their number,
// RPL_RANDOM_SEED sets the first one's seed; a failure prints the seed and the program, made
// smaller while it still fails.
#include <rapidcheck.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <span>
#include <stdexcept>

#include "grammar/printer.h"
#include "interp/testing/naive.h"
#include "interp/testing/random_batches.h"
#include "interp/testing/random_program.h"
#include "interp/testing/random_shapes.h"
#include "interp/testing/testing.h"
#include "interp/testing/unfold.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

using Answers = std::map<std::string, std::set<std::string>>;  // by "label/arity"

std::string KeyOf(const RandomRelation& r) {
  return r.name + "/" + std::to_string(r.columns.size());
}

std::string Variables(const RandomRelation& r) {
  std::string out;
  for (std::size_t i = 0; i < r.columns.size(); ++i)
    out += (i > 0 ? ", ?v" : "?v") + std::to_string(i);
  return out;
}

// --- what the naive evaluator says ------------------------------------------------------

std::string RowJson(const naive::Row& row) {
  std::string out;
  for (const naive::Datum& d : row) out += naive::SortedJson(d) + " ";
  return out;
}

// The naive evaluator cannot say what the program has.
struct Unsaid : std::runtime_error {
  using std::runtime_error::runtime_error;
};

naive::Database Expected(const std::string& text) {
  std::string problem;
  std::optional<naive::Database> db = naive::Evaluate(Parsed(text, &problem), &problem);
  if (problem.starts_with(kNoForm)) throw Unsaid(problem);
  if (!problem.empty()) throw std::runtime_error("not a program of the core: " + problem);
  return *db;
}

Answers ExpectedJson(const RandomProgram& p, naive::Database& db) {
  Answers out;
  for (const RandomRelation& r : p.relations)
    for (const naive::Row& row : db[KeyOf(r)].rows) out[KeyOf(r)].insert(RowJson(row));
  return out;
}

// Values with their kinds: instances, and rows with their sets whole.
Answers ExpectedRows(const RandomProgram& p, naive::Database& db) {
  Answers out;
  for (const RandomRelation& r : p.relations) {
    const naive::Extension& e = db[KeyOf(r)];
    const auto add = [&](const std::set<naive::Row>& rows, const std::string& key) {
      for (const naive::Row& row : rows) {
        std::string text;
        for (const naive::Datum& d : row) text += naive::Text(naive::Unordered(d)) + " ";
        out[key].insert(text);
      }
    };
    add(e.rows, KeyOf(r));
    if (e.whole != e.rows) add(e.whole, KeyOf(r) + " whole");
  }
  return out;
}

// --- what the engine says -----------------------------------------------------------------

struct Run {
  explicit Run(const std::vector<std::string>& turns, SessionOptions options = {})
      : session(agent, std::move(options)) {
    for (std::size_t i = 0; i < turns.size(); ++i) {
      for (const Diagnostic& d : session.Load("x.rpl", turns[i]))
        if (d.severity == Severity::kError) throw std::runtime_error(d.message);
      // A timestep passes between turns.
      if (i + 1 < turns.size()) session.Say("turn", "");
    }
  }

  std::set<std::string> Ask(const std::string& query, std::size_t columns) {
    const Outcome outcome = session.Say("q", query);
    limited = limited || outcome.status == Status::kLimit;
    std::set<std::string> rows;
    if (columns == 0 && outcome.status == Status::kSatisfied) rows.insert("");
    for (const std::string& line : outcome.json_answers) {
      nlohmann::json answer = nlohmann::json::parse(line);
      std::string text;
      for (std::size_t i = 0; i < columns; ++i) {
        nlohmann::json value = answer.at("?v" + std::to_string(i));
        Sort(value);
        text += value.dump() + " ";
      }
      rows.insert(text);
    }
    if (outcome.status != Status::kSatisfied && outcome.status != Status::kUnsatisfied)
      rows.insert("status " + std::to_string(static_cast<int>(outcome.status)) + " " +
                  outcome.reason);
    return rows;
  }

  Answers AskAll(const RandomProgram& p) {
    Answers out;
    for (const RandomRelation& r : p.relations) {
      if (r.tabled()) continue;
      const std::string call = "(" + Variables(r) + ")";
      std::set<std::string> rows =
          Ask("%q" + call + " <- " + r.name + call + "\n", r.columns.size());
      if (!rows.empty()) out[KeyOf(r)] = std::move(rows);
    }
    return out;
  }

  static void Sort(nlohmann::json& value) {
    if (!value.is_structured()) return;
    for (nlohmann::json& part : value) Sort(part);
    if (value.is_array()) {
      std::vector<nlohmann::json> parts(value.begin(), value.end());
      std::sort(parts.begin(), parts.end());
      value = parts;
    }
  }

  testing::Silent agent;
  Session session;
  bool limited = false;  // some answer met a limit
};

// Rows of the store, and of tables where a recursion binds what it counts, through the reader of
// terms. A relation that is tabled because its values grow stores no sets: they are taken as
// expected.
Answers StoredRows(const RandomProgram& p, testing::Engine& engine, const Answers& expected) {
  Answers out;
  engine.Quiesce();
  std::map<std::uint64_t, std::string> known;
  const auto add = [&](RelationId id, const std::string& key) {
    const std::vector<Value> open(engine.store.at(id).arity());
    engine.solver.ForEachRow(id, open, [&](std::span<const Value> row) {
      std::string text;
      for (const Value v : row) {
        std::string& shown = known[v.bits()];
        if (shown.empty()) {
          const std::optional<Node> node = testing::Term(Text(engine.pool, v));
          const auto datum = node ? naive::Ground(*node) : std::nullopt;
          shown = datum ? naive::Text(naive::Unordered(*datum)) : "unreadable";
        }
        text += shown + " ";
      }
      out[key].insert(text);
    });
  };
  for (const RandomRelation& r : p.relations) {
    const RelationId id = engine.Find(r.name, static_cast<std::uint32_t>(r.columns.size()));
    if (id == kNoId) continue;
    add(id, KeyOf(r));
    const RelationId whole = engine.store.WholeIfAny(id);
    if (const auto sets = expected.find(KeyOf(r) + " whole");
        whole == kNoId && sets != expected.end() && engine.analysis.IsTabled(id))
      out.insert(*sets);
    if (whole == kNoId) continue;
    add(whole, KeyOf(r) + " whole");
    if (out[KeyOf(r) + " whole"] == out[KeyOf(r)]) out.erase(KeyOf(r) + " whole");
  }
  for (auto it = out.begin(); it != out.end();) it = it->second.empty() ? out.erase(it) : ++it;
  return out;
}

std::string Difference(const Answers& expected, const Answers& got) {
  std::string out;
  const auto missing = [&](const Answers& from, const Answers& in, const char* what) {
    for (const auto& [key, rows] : from) {
      const auto it = in.find(key);
      for (const std::string& row : rows)
        if (it == in.end() || it->second.count(row) == 0) out += what + key + " " + row + "\n";
    }
  };
  missing(expected, got, "missing ");
  missing(got, expected, "not expected ");
  return out;
}

// --- the properties: "" or what differs -----------------------------------------------------

std::string SessionAgrees(const RandomProgram& p) {
  naive::Database db = Expected(p.ClosedText());
  return Difference(ExpectedJson(p, db), Run({p.Text()}).AskAll(p));
}

std::string StoreAgrees(const RandomProgram& p) {
  naive::Database db = Expected(p.ClosedText());
  testing::Engine engine;
  engine.Take(p.Text());
  const Answers expected = ExpectedRows(p, db);
  return Difference(expected, StoredRows(p, engine, expected));
}

std::string OrderIsNothing(const RandomProgram& p) {
  std::mt19937 random(static_cast<std::uint32_t>(p.facts.size() * 31 + p.rules.size()));
  naive::Database db = Expected(p.ClosedText());
  const Answers expected = ExpectedRows(p, db);
  for (int i = 0; i < 2; ++i) {
    const RandomProgram other = Permuted(p, random);
    testing::Engine engine;
    engine.Take(other.Text());
    const std::string difference = Difference(expected, StoredRows(p, engine, expected));
    if (!difference.empty()) return difference + "permuted:\n" + other.Text();
  }
  return "";
}

// Facts in three turns, with quiescence between them; rules first or in the middle.
std::string TurnsAreNothing(const RandomProgram& p) {
  naive::Database db = Expected(p.ClosedText());
  const Answers expected = ExpectedRows(p, db);
  RandomProgram parts[3];
  for (std::size_t i = 0; i < p.facts.size(); ++i) parts[i % 3].facts.push_back(p.facts[i]);
  for (const bool rules_first : {true, false}) {
    testing::Engine engine;
    if (rules_first) engine.Take(p.RuleText());
    for (int i = 0; i < 3; ++i) {
      engine.Take(parts[i].FactText());
      if (!rules_first && i == 1) engine.Take(p.RuleText());
      engine.Quiesce();
    }
    const std::string difference = Difference(expected, StoredRows(p, engine, expected));
    if (!difference.empty())
      return difference + "in three turns, rules " + (rules_first ? "first" : "in the second");
  }
  const Answers got =
      Run({p.RuleText(), parts[0].FactText() + parts[1].FactText(), parts[2].FactText()}).AskAll(p);
  return Difference(ExpectedJson(p, db), got);
}

// Facts that are asserted and taken back leave nothing (decision 44).
std::string RetractionLeavesNothing(const RandomProgram& p) {
  if (p.extra.empty()) return "";
  naive::Database db = Expected(p.ClosedText());
  std::string asserted, retracted;
  for (const std::string& fact : p.extra)
    asserted += fact + "\n", retracted += fact + " -> false\n";
  testing::Engine engine;
  engine.Take(p.Text() + asserted);
  engine.Quiesce();
  engine.Take(retracted);
  const Answers expected = ExpectedRows(p, db);
  const std::string difference = Difference(expected, StoredRows(p, engine, expected));
  if (!difference.empty()) return difference;
  return Difference(ExpectedJson(p, db), Run({p.Text() + asserted, retracted}).AskAll(p));
}

// An order is chosen for relations of any size, any plan is given up in its first run if another
// one seems to be cheaper, and rules are split.
Limits Reordering() {
  Limits limits;
  limits.min_ordered = 0;
  limits.min_gain = 0;
  limits.min_split = 0;
  limits.min_watched = 0;
  limits.far_more = 0;
  return limits;
}

// Any number of threads derives the same rows in the same order; here even few rows are
// shared out.
std::string ThreadsAreNothingUnder(const Limits& with, const RandomProgram& p) {
  const auto rows = [&](std::size_t threads) {
    Limits limits = with;
    limits.threads = threads;
    limits.min_shared = 1;
    testing::Engine engine(limits);
    engine.Take(p.Text());
    engine.Quiesce();
    for (const std::string& fact : p.extra) engine.Take(fact + "\n");
    engine.Quiesce();
    std::string out;
    for (RelationId r = 0; r < engine.store.size(); ++r)
      out += engine.store.at(r).name() + " " + testing::Rows(engine.store, r) + "\n";
    return out;
  };
  const std::string alone = rows(1);
  for (const std::size_t threads : {2, 4})
    if (rows(threads) != alone) return std::to_string(threads) + " threads";
  naive::Database db = Expected(p.ClosedText());
  Limits limits = with;
  limits.threads = 4;
  limits.min_shared = 1;
  testing::Engine engine(limits);
  engine.Take(p.Text());
  const Answers expected = ExpectedRows(p, db);
  return Difference(expected, StoredRows(p, engine, expected));
}

std::string ThreadsAreNothing(const RandomProgram& p) {
  std::string difference = ThreadsAreNothingUnder({}, p);
  return difference.empty() ? ThreadsAreNothingUnder(Reordering(), p) : difference;
}

// In whatever order the atoms of rules are read, the same rows are derived, also when facts come
// and go.
std::string AnyPlanIsRight(const RandomProgram& p) {
  naive::Database db = Expected(p.ClosedText());
  const Answers expected = ExpectedRows(p, db);
  testing::Engine engine(Reordering());
  engine.Take(p.RuleText());
  for (std::size_t i = 0; i < p.facts.size(); ++i) {
    engine.Take(p.facts[i] + "\n");
    if (i % 3 == 0) engine.Quiesce();
  }
  const std::string difference = Difference(expected, StoredRows(p, engine, expected));
  if (!difference.empty()) return difference;
  std::string retracted;
  for (const std::string& fact : p.extra) {
    engine.Take(fact + "\n");
    engine.Quiesce();
    retracted += fact + " -> false\n";
  }
  engine.Take(retracted);
  return Difference(expected, StoredRows(p, engine, expected));
}

std::size_t withdrawals = 0;  // that the programs so far led to

// Facts come and go; after each change the rows are those of an engine that never had others.
std::string ChangesAreNothingUnder(const Limits& limits, const RandomProgram& p) {
  testing::Engine engine(limits);
  engine.Take(p.Text());
  engine.Quiesce();
  std::string so_far;
  for (const RandomTurn& turn : TurnsOf(p, 12)) {
    so_far += turn.change + "--\n";
    engine.Take(turn.change);
    engine.Quiesce();
    testing::Engine anew;
    anew.Take(p.RuleText() + turn.facts);
    anew.Quiesce();
    const Answers expected = StoredRows(p, anew, {});
    const std::string difference = Difference(expected, StoredRows(p, engine, expected));
    if (!difference.empty()) return difference + "after the changes:\n" + so_far;
  }
  withdrawals += engine.fixpoint.withdrawals();
  return "";
}

std::string ChangesAreNothing(const RandomProgram& p) {
  std::string difference = ChangesAreNothingUnder(testing::Withdrawing(), p);
  if (difference.empty())
    difference = ChangesAreNothingUnder(testing::Withdrawing(Reordering()), p);
  return difference;
}

// The same rows in the same order, by any number of threads.
std::string ChangesByThreads(const RandomProgram& p) {
  Limits shared = testing::Withdrawing();
  shared.threads = 4;
  shared.min_shared = 1;
  testing::Engine one(testing::Withdrawing()), several(shared);
  one.Take(p.Text());
  several.Take(p.Text());
  for (const RandomTurn& turn : TurnsOf(p, 12)) {
    std::string rows[2];
    for (testing::Engine* const engine : {&one, &several}) {
      engine->Take(turn.change);
      engine->Quiesce();
      for (RelationId r = 0; r < engine->store.size(); ++r)
        rows[engine == &one ? 0 : 1] +=
            engine->store.at(r).name() + " " + testing::Rows(engine->store, r) + "\n";
    }
    if (rows[0] != rows[1]) return turn.change + "4 threads: " + rows[1] + "one: " + rows[0];
  }
  return "";
}

// The rows that an equivalence keeps as its classes are read as if they were stored, in the same
// order.
std::string ClassesAreRows(const RandomProgram& p) {
  for (Limits limits : {testing::Withdrawing(), testing::Withdrawing(Reordering())})
    for (const std::size_t threads : {1, 4}) {
      limits.threads = threads;
      limits.min_shared = 1;
      Limits stores = limits;
      stores.min_as_classes = SIZE_MAX;
      limits.min_as_classes = 0;
      testing::Engine kept(limits), stored(stores);
      std::string so_far = p.Text();
      kept.Take(so_far);
      stored.Take(so_far);
      for (const RandomTurn& turn : TurnsOf(p, 12)) {
        std::string rows[2];
        for (testing::Engine* const engine : {&kept, &stored}) {
          engine->Quiesce();
          for (RelationId r = 0; r < engine->store.size(); ++r)
            rows[engine == &kept ? 0 : 1] +=
                engine->store.at(r).name() + " " + testing::Rows(engine->store, r) + "\n";
          engine->Take(turn.change);
        }
        if (rows[0] != rows[1])
          return so_far + std::to_string(threads) + " threads, as classes: " + rows[0] +
                 "stored: " + rows[1];
        so_far += turn.change + "--\n";
      }
    }
  return "";
}

// The facts and rules of a program, one or a few at a time, mixed.
std::vector<std::string> EntriesOf(const RandomProgram& p) {
  std::mt19937 random(static_cast<std::uint32_t>(p.Text().size()));
  const auto chance = [&](std::uint32_t of) { return random() % of == 0; };
  std::vector<std::string> facts = p.facts, rules, out;
  for (const RandomRule& rule : p.rules) rules.push_back(rule.Text());
  if (chance(2)) std::shuffle(rules.begin(), rules.end(), random);
  std::shuffle(facts.begin(), facts.end(), random);
  bool ended = true;
  for (std::size_t fact = 0, rule = 0; fact < facts.size() || rule < rules.size();) {
    const bool is_rule =
        fact == facts.size() || (rule < rules.size() && random() % (facts.size() + 1) <= fact);
    if (ended) out.emplace_back();
    out.back() += (is_rule ? rules[rule++] : facts[fact++]) + "\n";
    ended = !chance(4);
  }
  return out;
}

// Rows of the store, in their order.
std::string AllRows(const testing::Engine& engine) {
  std::string out;
  for (RelationId r = 0; r < engine.store.size(); ++r)
    if (engine.store.at(r).space() != Space::kIntermediate)
      out += engine.store.at(r).name() + " " + testing::Rows(engine.store, r) + "\n";
  return out;
}

// After each entry there are the rows, in the order, that an engine has which makes its analysis
// anew, and derives all again, with each rule. In the end they are those of all entries at once.
std::string EntriesAreNothingUnder(const Limits& limits, const RandomProgram& p, bool in_order) {
  testing::Engine extended(limits), anew(limits), at_once(limits);
  std::string so_far;
  for (const std::string& entry : EntriesOf(p)) {
    so_far += entry + "--\n";
    const std::size_t rules = anew.program.definitions().size();
    for (testing::Engine* const engine : {&extended, &anew}) {
      engine->Take(entry);
      if (engine == &anew && anew.program.definitions().size() > rules) {
        anew.SetPlaces({}, {});
        anew.Prepare();
      }
      engine->Quiesce();
    }
    if (!in_order) continue;
    const std::string got = AllRows(extended), expected = AllRows(anew);
    if (got != expected) return "after:\n" + so_far + got + "all anew:\n" + expected;
  }
  at_once.Take(p.Text());
  RandomProgram open = p;
  std::erase_if(open.relations, [](const RandomRelation& r) { return r.tabled(); });
  const Answers expected = StoredRows(open, at_once, {});
  const std::string difference = Difference(expected, StoredRows(open, extended, expected));
  return difference.empty() ? "" : difference + "after:\n" + so_far;
}

std::string EntriesAreNothing(const RandomProgram& p) {
  std::string difference = EntriesAreNothingUnder({}, p, true);
  return difference.empty() ? EntriesAreNothingUnder(Reordering(), p, false) : difference;
}

// A rule that needs its caller gives the rows that the caller's value selects.
std::string DemandIsFilter(const RandomProgram& p) {
  naive::Database db = Expected(p.Text());
  std::string rules;
  for (const RandomRelation& r : p.relations)
    rules += "via-" + r.name + "(?in, " + Variables(r) + ") <- not ?in != ?v0, " + r.name + "(" +
             Variables(r) + ")\nkey-" + r.name + "(?v0) <- " + r.name + "(?v0" +
             (r.columns.size() > 1 ? ", _" : "") + (r.columns.size() > 2 ? ", _" : "") + ")\n";
  Run run({p.Text() + rules});
  Answers expected, got;
  for (const RandomRelation& r : p.relations) {
    if (r.columns[0] == 'g') continue;
    const std::string call = r.name + "(?v0, " + Variables(r) + ")";
    // Every key at once, then one at a time.
    std::set<std::string> all;
    std::set<naive::Datum> keys;
    for (const naive::Row& row : db[KeyOf(r)].rows) {
      all.insert(RowJson(row));
      keys.insert(row[0]);
    }
    if (!all.empty()) expected[KeyOf(r)] = all;
    std::set<std::string> rows = run.Ask("%q(" + Variables(r) + ") <- key-" + r.name +
                                             "(?k), via-" + r.name + "(?k, " + Variables(r) + ")\n",
                                         r.columns.size());
    if (!rows.empty()) got[KeyOf(r)] = std::move(rows);
    if (keys.empty() || r.sets) continue;
    const naive::Datum key = *std::next(keys.begin(), static_cast<std::ptrdiff_t>(keys.size() / 2));
    const std::string name = KeyOf(r) + " of " + naive::Text(key);
    for (const naive::Row& row : db[KeyOf(r)].rows)
      if (row[0] == key) expected[name].insert(RowJson(row));
    got[name] = run.Ask("%q(" + Variables(r) + ") <- via-" + r.name + "(" + naive::Text(key) +
                            ", " + Variables(r) + ")\n",
                        r.columns.size());
  }
  return Difference(expected, got);
}

// The text of rules in which the tails read `to` in place of `from`.
std::string ReadingInstead(const std::vector<RandomRule>& rules, const std::string& from,
                           const std::string& to) {
  const auto is_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-';
  };
  std::string out;
  for (RandomRule rule : rules) {
    for (std::string& clause : rule.clauses)
      for (std::size_t at = 0; (at = clause.find(from + "(", at)) != clause.npos; at += to.size())
        if (at == 0 || !is_name(clause[at - 1])) clause.replace(at, from.size(), to);
    out += rule.Text() + "\n";
  }
  return out;
}

// A relation gets one more rule, which needs its caller, and whoever reads it calls it with small
// numbers. The naive evaluator has a rule that enumerates them instead. On demand a rule that takes
// terms apart may call for ever larger ones: such a program meets a limit, and says nothing here.
std::string MixedIsDerived(const RandomProgram& p) {
  const auto fits = [](const RandomRelation& r) {
    return r.derived && !r.sets && r.columns[0] == 'n' &&
           r.columns.find_first_not_of("ny", 1) == r.columns.npos;
  };
  const auto mixed = std::find_if(p.relations.begin(), p.relations.end(), fits);
  if (mixed == p.relations.end()) return "";
  const std::string called = "called-" + mixed->name;
  const std::string variables = Variables(*mixed);
  std::string head = mixed->name + "(?v0";
  for (std::size_t i = 1; i < mixed->columns.size(); ++i)
    head += mixed->columns[i] == 'n' ? ", 2" : ", a";
  std::string text = p.FactText() + ReadingInstead(p.rules, mixed->name, called) + called + "(" +
                     variables + ") <- small(?v0), " + mixed->name + "(" + variables + ")\n";
  for (int i = 0; i < 8; ++i) text += "small(" + std::to_string(i) + ")\n";
  naive::Database db = Expected(text + head + ") <- small(?v0), ?v0 < 3\n");
  RandomProgram read = p;
  read.relations[static_cast<std::size_t>(mixed - p.relations.begin())].name = called;
  SessionOptions options;
  options.limits.max_depth = 500;
  Run run({text + head + ") <- ?v0 < 3\n"}, options);
  const Answers got = run.AskAll(read);
  return run.limited ? "" : Difference(ExpectedJson(read, db), got);
}

// Relations that need their caller, goals, conditions and sets: the naive evaluator reads a text
// that says the same by rules. Where a caller may pass a key that this text does not have, the
// program says nothing here.
std::string ShapesAreRules(const RandomProgram& p) {
  // To call a goal without rules is an error.
  for (const RandomRelation& r : p.relations)
    if (r.name[0] == '%' && std::ranges::none_of(p.rules, [&](const RandomRule& rule) {
          return rule.heads.front().starts_with(r.name + "(");
        }))
      return "";
  naive::Database db = Expected(p.ClosedText());
  RandomProgram asked = p;
  for (RandomRelation& r : asked.relations)
    if (r.name[0] == '%') r.name.replace(0, 1, "goal-");
  std::erase_if(asked.relations, [](const RandomRelation& r) { return r.tabled(); });
  for (const RandomRelation& r : asked.relations)
    for (const naive::Row& row : db[KeyOf(r)].rows)
      for (const naive::Datum& d : row)
        if (d.kind == 'i' &&
            (std::stoll(d.text) < kLeastNumber || std::stoll(d.text) > kMostNumber))
          return "";
  Answers got;
  for (auto& [key, rows] : Run({p.Text()}).AskAll(p))
    got[key[0] == '%' ? "goal-" + key.substr(1) : key] = std::move(rows);
  return Difference(ExpectedJson(asked, db), got);
}

std::string PrintIsParse(const RandomProgram& p) {
  std::string why;
  const std::vector<Sentence> sentences = Parsed(p.Text(), &why);
  if (!why.empty()) return why;
  if (sentences.size() != p.facts.size() + p.rules.size()) return "sentences are missing";
  std::string printed;
  for (const Sentence& s : sentences) printed += Print(s) + "\n";
  return Parsed(printed, &why) == sentences ? why : "printed:\n" + printed;
}

// --- the runs -------------------------------------------------------------------------------

using Property = std::string (*)(const RandomProgram&);

std::string Guarded(Property property, const RandomProgram& p) {
  try {
    return property(p);
  } catch (const Unsaid&) {
    return "";
  } catch (const std::exception& e) {
    return std::string("exception: ") + e.what();
  }
}

using Maker = RandomProgram (*)(std::uint32_t seed);

RandomProgram MakeAny(std::uint32_t seed) { return MakeProgram(seed); }
// But for shapes whose callers pass lists: there is no relation of all lists to close them with.
RandomProgram MakeSound(std::uint32_t seed) {
  std::vector<std::string_view> shapes = SoundShapes();
  std::erase_if(shapes, [](std::string_view name) {
    return name == "append" || name == "split" || name == "recogniser" || name == "distance";
  });
  return MakeShaped(seed, shapes);
}

RandomProgram MakeAliases(std::uint32_t seed) { return MakeShaped(seed, {"aliases"}); }
RandomProgram MakeEquivalences(std::uint32_t seed) { return MakeShaped(seed, {"equivalences"}); }
RandomProgram MakeEqualities(std::uint32_t seed) { return MakeShaped(seed, {"equalities"}); }
RandomProgram MakeExtrema(std::uint32_t seed) { return MakeShaped(seed, {"extrema"}); }

// A batch of programs, from a seed of rapidcheck's.
void Check(Property property, Maker maker, std::uint32_t count) {
  const std::uint32_t first = FirstSeed();
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t seed = first + i;
    const RandomProgram p = maker(seed);
    const std::string difference = Guarded(property, p);
    if (difference.empty()) continue;
    const bool threw = difference.starts_with("exception");
    const RandomProgram small = Shrunk(
        p,
        [&](const RandomProgram& q) {
          const std::string now = Guarded(property, q);
          return !now.empty() && now.starts_with("exception") == threw;
        },
        2000);
    std::string extra;
    for (const std::string& fact : small.extra) extra += "and back: " + fact + "\n";
    RC_FAIL("RPL_RANDOM_SEED=" + std::to_string(seed) + "\n" + small.Text() + extra +
            Guarded(property, small));
  }
}

bool Agree(const char* what, Property property, std::uint32_t programs, Maker maker = MakeAny) {
  return InBatches(what, programs, [&](std::uint32_t count) { Check(property, maker, count); });
}

TEST_CASE("the session answers as the naive evaluator does") {
  CHECK(Agree("session", SessionAgrees, 1500));
}

TEST_CASE("the store holds what the naive evaluator derives, sets whole and in instances") {
  CHECK(Agree("store", StoreAgrees, 500));
}

TEST_CASE("the order of facts, rules and clauses changes no answer set") {
  CHECK(Agree("order", OrderIsNothing, 500));
}

TEST_CASE("facts in several turns give the same as in one") {
  CHECK(Agree("turns", TurnsAreNothing, 500));
}

TEST_CASE("facts that are taken back leave nothing") {
  CHECK(Agree("retraction", RetractionLeavesNothing, 500));
}

TEST_CASE("facts that come and go leave the rows of those that are there") {
  withdrawals = 0;
  CHECK(Agree("changes", ChangesAreNothing, 60));
  CHECK(Agree("changes", ChangesAreNothing, 30, MakeAliases));
  CHECK(Agree("changes", ChangesAreNothing, 30, MakeEquivalences));
  CHECK(Agree("changes", ChangesAreNothing, 30, MakeExtrema));
  CHECK(withdrawals > 0);
  withdrawals = 0;
  CHECK(Agree("changes of graphs", ChangesAreNothing, 60, MakeGraph));
  CHECK(withdrawals > 60);
  CHECK(Agree("changes of graphs by threads", ChangesByThreads, 60, MakeGraph));
}

TEST_CASE("rules and facts entered one by one give what they give at once") {
  CHECK(Agree("entries", EntriesAreNothing, 25));
  CHECK(Agree("entries", EntriesAreNothing, 25, MakeSound));
  CHECK(Agree("entries", EntriesAreNothing, 25, MakeExtrema));
  CHECK(Agree("entries", EntriesAreNothing, 25, MakeEquivalences));
  CHECK(Agree("entries", EntriesAreNothing, 25, MakeEqualities));
  CHECK(Agree("entries of graphs", EntriesAreNothing, 25, MakeGraph));
}

TEST_CASE("rows and their order are the same with any number of threads") {
  CHECK(Agree("threads", ThreadsAreNothing, 300));
}

// One thread remembers the values of earlier rounds, several do not (interp/eval/join.h).
TEST_CASE("values that come again in later rounds change neither rows nor their order") {
  CHECK(Agree("store", StoreAgrees, 40, MakeAliases));
  CHECK(Agree("threads", ThreadsAreNothing, 40, MakeAliases));
  CHECK(Agree("atom order", AnyPlanIsRight, 40, MakeAliases));
}

TEST_CASE("an equivalence has the pairs of its classes, and nothing else") {
  CHECK(Agree("store", StoreAgrees, 50, MakeEquivalences));
  CHECK(Agree("session", SessionAgrees, 50, MakeEquivalences));
  CHECK(Agree("turns", TurnsAreNothing, 50, MakeEquivalences));
  CHECK(Agree("retraction", RetractionLeavesNothing, 50, MakeEquivalences));
  CHECK(Agree("threads", ThreadsAreNothing, 50, MakeEquivalences));
  CHECK(Agree("classes", ClassesAreRows, 100, MakeEquivalences));
}

TEST_CASE("rows are the same in whatever order atoms are read") {
  CHECK(Agree("atom order", AnyPlanIsRight, 500));
}

TEST_CASE("clauses that are joined by equalities may be read in any order") {
  CHECK(Agree("store", StoreAgrees, 50, MakeEqualities));
  CHECK(Agree("session", SessionAgrees, 50, MakeEqualities));
  CHECK(Agree("order", OrderIsNothing, 50, MakeEqualities));
  CHECK(Agree("turns", TurnsAreNothing, 50, MakeEqualities));
  CHECK(Agree("retraction", RetractionLeavesNothing, 50, MakeEqualities));
  CHECK(Agree("threads", ThreadsAreNothing, 50, MakeEqualities));
  CHECK(Agree("atom order", AnyPlanIsRight, 50, MakeEqualities));
}

TEST_CASE("a tabled relation is a filter") { CHECK(Agree("demand", DemandIsFilter, 500)); }

TEST_CASE("a relation of which one rule needs its caller is read whole") {
  CHECK(Agree("mixed", MixedIsDerived, 500));
}

TEST_CASE("relations that need their caller, goals, conditions and sets answer as rules") {
  CHECK(Agree("shapes", ShapesAreRules, 300, MakeSound));
}

TEST_CASE("least and greatest values are those of all values") {
  CHECK(Agree("store", StoreAgrees, 50, MakeExtrema));
  CHECK(Agree("session", SessionAgrees, 50, MakeExtrema));
  CHECK(Agree("order", OrderIsNothing, 50, MakeExtrema));
  CHECK(Agree("turns", TurnsAreNothing, 50, MakeExtrema));
  CHECK(Agree("retraction", RetractionLeavesNothing, 50, MakeExtrema));
  CHECK(Agree("threads", ThreadsAreNothing, 50, MakeExtrema));
  CHECK(Agree("atom order", AnyPlanIsRight, 50, MakeExtrema));
}

TEST_CASE("parse after print is identity on whole programs") {
  CHECK(Agree("print", PrintIsParse, 500));
}

}  // namespace
}  // namespace rpl
