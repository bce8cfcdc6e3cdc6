// SPDX-License-Identifier: Apache-2.0
//
// Random programs over tables of a database: rules that the database evaluates, next to the engine
// (shell/sql_test.sh).
//
//   compare_pushed URL N [--seed FIRST] [--print]
//
// Every program runs as a session three times: with rules pushed down, without (`push: false`), and
// with the rows as facts of its own. Statuses and answers of all its goals must be the same, in the
// same order; with facts of its own, whose rules choose their order, as sets. Then the tables
// change and a message comes, which may read what was pushed down, and both sessions with tables
// must still be the same. The run fails if fewer than two fifths of the programs push something
// down.
//
// Works in the schema rpl_pushed of the database, which it drops. The last line is
// `N passed, N failed`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "formats/sql_text.h"
#include "interp/testing/testing.h"
#include "runtime/postgres/connection.h"
#include "runtime/run/session.h"
#include "runtime/tools/tool_agent.h"

namespace rpl {
namespace {

using Texts = std::vector<std::string>;

struct Cell {
  const char* sql;
  const char* rpl;
};

// By the letter of a column: i integer, n numeric, f float, s string, b boolean, d date.
const std::map<char, std::vector<Cell>> kCells = {
    {'i', {{"0", "0"}, {"1", "1"}, {"2", "2"}, {"3", "3"}, {"-1", "-1"}, {"7", "7"}}},
    {'n',
     {{"1", "1"},
      {"1.0", "1"},
      {"2.50", "2.5"},
      {"0.1", "0.1"},
      {"-0.5", "-0.5"},
      {"3", "3"},
      {"12345678901234567890", "12345678901234567890"},
      {"0.10000000000000000001", "0.1"}}},
    {'f',
     {{"1", "1"}, {"2.5", "2.5"}, {"0.1", "0.1"}, {"-0.0", "0"}, {"3", "3"}, {"1e15", "1e15"}}},
    {'s',
     {{"'a'", "\"a\""},
      {"'b'", "\"b\""},
      {"'B'", "\"B\""},
      {"''", "\"\""},
      {"'it''s \"x\" \\'", "\"it's \\\"x\\\" \\\\\""},
      {"'\u00e9'", "\"\u00e9\""},
      {"'a '", "\"a \""},
      {"E'l\\n'", "\"l\\n\""}}},
    {'b', {{"true", "true"}, {"false", "false"}}},
    {'d', {{"'2026-01-02'", "\"2026-01-02\""}, {"'2025-12-31'", "\"2025-12-31\""}}}};
const std::map<char, const char*> kTypes = {{'i', "int"},  {'n', "numeric"}, {'f', "float8"},
                                            {'s', "text"}, {'b', "boolean"}, {'d', "date"}};

struct Table {
  std::string name, columns;
  std::vector<bool> nullable;
  Texts sql, rpl;  // rows
};

// A relation that rules may read. Columns of derived ones may hold any value of a letter: n and f
// are numbers.
struct Known {
  std::string name, columns;
};

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed * 2654435761U + 17) {}

  std::vector<Table> tables;
  std::string rules, facts, message;
  Texts goals;
  Texts changes;        // of the tables
  bool states = false;  // the message states a fact

  void Make() {
    const std::uint32_t count = 2 + random_() % 2;
    for (std::uint32_t i = 0; i < count; ++i) MakeTable("t" + std::to_string(i));
    // A value that has no counterpart as a number: the database cannot go on with it.
    if (Chance(25)) {
      Table& table = tables.front();
      const std::size_t at = table.columns.find_first_of("nf");
      if (at != std::string::npos) AddRow(table, static_cast<int>(at));
    }
    const std::uint32_t heads = 2 + random_() % 4;
    for (std::uint32_t i = 0; i < heads; ++i) MakeHead("h" + std::to_string(i));
    for (std::size_t h = count; h < known_.size(); ++h)
      if (!Chance(4)) AddGoal(known_[h]);
    if (Chance(12)) AddGoal(known_[random_() % count]);
    if (Chance(25))
      rules += "t0(" + Wild(tables[0].columns.size()) + "), not h0(" +
               Wild(HeadOf("h0").columns.size()) + ") -> false\n";
    if (goals.empty()) AddGoal(known_.back());
    MakeTurn();
  }

 private:
  bool Chance(std::uint32_t of) { return random_() % of == 0; }
  const Known& HeadOf(const std::string& name) const {
    return *std::find_if(known_.begin(), known_.end(),
                         [&](const Known& known) { return known.name == name; });
  }

  static std::string Wild(std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += i > 0 ? ", _" : "_";
    return out;
  }

  void AddRow(Table& table, int special = -1) {
    std::string sql, rpl;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::vector<Cell>& cells = kCells.at(table.columns[c]);
      Cell cell = cells[random_() % std::min<std::size_t>(cells.size(), Chance(3) ? 99 : 3)];
      std::string number;
      if (many_ && (table.columns[c] == 'i' || table.columns[c] == 'n') && Chance(2)) {
        number = std::to_string(random_() % 80);
        cell = {number.c_str(), number.c_str()};
      }
      if (table.nullable[c] && Chance(5)) cell = {"NULL", "nil"};
      if (special == static_cast<int>(c)) cell = {"'NaN'", "\"NaN\""};
      sql += (c > 0 ? ", " : "") + std::string(cell.sql);
      rpl += (c > 0 ? ", " : "") + std::string(cell.rpl);
    }
    table.sql.push_back(std::move(sql));
    table.rpl.push_back(std::move(rpl));
  }

  void MakeTable(const std::string& name) {
    Table& table = tables.emplace_back();
    table.name = name;
    const std::uint32_t columns = 1 + random_() % 4;
    for (std::uint32_t c = 0; c < columns; ++c) {
      table.columns += "iiinnfsssbd"[random_() % 11];
      table.nullable.push_back(Chance(2));
    }
    // Many rows are joined in an order that promises to be cheap.
    many_ = Chance(8);
    for (std::uint32_t n = many_ ? 60 + random_() % 60 : random_() % 9; n > 0; --n) AddRow(table);
    many_ = false;
    known_.push_back({name, table.columns});
  }

  static char Group(char letter) { return letter == 'f' ? 'n' : letter == 'i' ? 'n' : letter; }

  // A variable of the letter's group: one that is bound, mostly, or a new one.
  std::string Variable(char letter) {
    const char group = Group(letter);
    Texts& bound = bound_[group];
    if (!bound.empty() && !Chance(3)) return bound[random_() % bound.size()];
    return std::string("?") + group + std::to_string(random_() % 4);
  }

  std::string Constant(char letter) {
    const std::vector<Cell>& cells = kCells.at(letter);
    return Chance(9) ? "nil" : cells[random_() % std::min<std::size_t>(cells.size(), 3)].rpl;
  }

  std::string Atom(const Known& of, bool binds) {
    std::string args;
    for (const char letter : of.columns) {
      std::string arg;
      const Texts& bound = bound_[Group(letter)];
      if (Chance(8)) arg = Constant(letter);
      else if (Chance(4)) arg = "_";
      else if (binds) arg = Variable(letter);
      else arg = bound.empty() || Chance(4) ? "_" : bound[random_() % bound.size()];
      args += (args.empty() ? "" : ", ") + arg;
      if (binds && arg[0] == '?') new_.push_back(arg);
    }
    return of.name + "(" + args + ")";
  }

  void Bind() {
    for (const std::string& v : new_) {
      Texts& bound = bound_[v[1]];
      if (std::find(bound.begin(), bound.end(), v) == bound.end()) bound.push_back(v);
    }
    new_.clear();
  }

  std::string Bound(char group) { return bound_[group][random_() % bound_[group].size()]; }

  // A clause that reads what is bound, or binds one more; "" if there is nothing to read.
  std::string Other() {
    switch (random_() % 9) {
      case 0:
      case 1: return "not " + Atom(known_[random_() % known_.size()], false);
      case 2: {
        const std::string count = "|" + Atom(known_[random_() % known_.size()], false) + "|";
        const std::string to = "?n" + std::to_string(4 + random_() % 3);
        bound_['n'].push_back(to);
        return to + " = " + count;
      }
      case 3:
        if (bound_['n'].empty()) return "";
        return Bound('n') + std::vector<std::string>{" < ", " >= ", " != ", " = "}[random_() % 4] +
               kCells.at('n')[random_() % 5].rpl;
      case 4:
        if (bound_['s'].empty()) return "";
        return Bound('s') + std::vector<std::string>{" < ", " >= ", " != "}[random_() % 3] +
               kCells.at('s')[random_() % 4].rpl;
      case 5:
        if (bound_['n'].size() < 2) return "";
        return Bound('n') + (Chance(2) ? " < " : " != ") + Bound('n');
      case 6:
        if (bound_['s'].empty()) return "";
        return Bound('s') + (Chance(2) ? " in " : " not in ") + "[\"a\" \"B\" 1 nil]";
      case 7: {
        if (bound_['n'].empty()) return "";
        const std::string from = Bound('n'), to = "?n" + std::to_string(7 + random_() % 2);
        if (Chance(2)) return "";
        bound_['n'].push_back(to);
        return to + " = " + from + (Chance(2) ? " + 1" : " * 2");
      }
      default: {
        if (bound_['s'].empty()) return "";
        const std::string from = Bound('s');
        bound_['s'].push_back("?s9");
        return "?s9 = \"<{" + from + "}>\"";
      }
    }
  }

  // The name, or now and then a label that is known with other numbers of arguments.
  std::string LabelFor(const std::string& name, std::size_t count) {
    const std::string label = known_[random_() % known_.size()].name;
    const bool is_new = std::none_of(known_.begin(), known_.end(), [&](const Known& known) {
      return known.name == label && known.columns.size() == count;
    });
    return is_new && name != "h0" && Chance(3) ? label : name;
  }

  void MakeHead(const std::string& own) {
    std::string columns;
    const std::uint32_t count = 1 + random_() % 2 + (Chance(3) ? 0 : random_() % 2);
    const std::string name = LabelFor(own, count);
    for (std::uint32_t r = Chance(3) ? 2 : 1; r > 0; --r) {
      bound_.clear();
      Texts clauses;
      if (!Chance(9))
        for (std::uint32_t a = 1 + random_() % 5 / 2; a > 0; --a) {
          // Tables rather than heads.
          const std::size_t most = Chance(3) ? known_.size() : tables.size();
          clauses.push_back(Atom(known_[random_() % most], true));
          Bind();
        }
      if (Chance(12)) {
        const std::string one = Atom(known_[0], false), other = Atom(known_[1], false);
        clauses.push_back("(" + one + " | " + other + ")");
      }
      for (std::uint32_t o = random_() % 3; o > 0; --o)
        if (std::string clause = Other(); !clause.empty()) clauses.push_back(std::move(clause));
      if (clauses.empty()) clauses.push_back(Atom(known_[0], false));
      // The head has columns of any group that is bound; the first rule decides which.
      std::string args, letters;
      for (std::uint32_t c = 0; c < count; ++c) {
        Texts groups;
        for (const auto& [group, bound] : bound_)
          if (!bound.empty() && (columns.empty() || Group(columns[c]) == group))
            groups.push_back(std::string(1, group));
        if (groups.empty() || Chance(15)) {
          const char letter = columns.empty() ? 'i' : columns[c];
          args += (c > 0 ? ", " : "") + Constant(letter);
          letters += letter;
          continue;
        }
        const char group = groups[random_() % groups.size()][0];
        const std::string v = Bound(group);
        std::string arg = v;
        if (c == 0 && Chance(25)) arg = "#{" + v + " 7}";
        if (c == 0 && count > 1 && columns.empty() && Chance(40)) arg = "#{& " + v + "}";
        args += (c > 0 ? ", " : "") + arg;
        letters += group;
      }
      if (columns.empty()) columns = letters;
      std::string tail;
      for (const std::string& clause : clauses) tail += (tail.empty() ? "" : ", ") + clause;
      rules += name + "(" + args + ") <- " + tail + "\n";
    }
    known_.push_back({name, columns});
    if (Chance(60)) facts += name + "(" + FactOf(columns) + ")\n";
    if (Chance(80)) facts += "t0(" + FactOf(tables[0].columns) + ")\n";
  }

  std::string FactOf(const std::string& columns) {
    std::string out;
    for (const char letter : columns) out += (out.empty() ? "" : ", ") + Constant(letter);
    return out;
  }

  void AddGoal(const Known& of) {
    std::string args;
    for (std::size_t c = 0; c < of.columns.size(); ++c)
      args += (c > 0 ? ", ?v" : "?v") + std::to_string(c);
    const std::string name = "g" + std::to_string(goals.size());
    switch (random_() % 24) {
      case 0:
        rules += "%" + name + "(?n) <- ?n = |" + of.name + "(" + Wild(of.columns.size()) + ")|\n";
        break;
      case 1:
        rules += "%" + name + "(?l) <- l" + name + "(?l)\nl" + name + "([& ?v0]) <- " + of.name +
                 "(" + args + ")\n";
        break;
      case 2:
        rules += "%" + name + "(" + args + ", ?m) <- " + of.name + "(" + args + ") ^ ~ {:by ?m}\n";
        break;
      default: rules += "%" + name + "(" + args + ") <- " + of.name + "(" + args + ")\n";
    }
    goals.push_back(name);
  }

  // What happens after the first turns: other rows, and a message.
  void MakeTurn() {
    Table& table = tables[random_() % tables.size()];
    Table rows = table;
    rows.sql.clear();
    AddRow(rows);
    changes.push_back("INSERT INTO " + table.name + " VALUES (" + rows.sql.front() + ")");
    if (Chance(2))
      changes.push_back("DELETE FROM " + table.name + " WHERE ctid IN (SELECT ctid FROM " +
                        table.name + " LIMIT 2)");
    const Known& of = known_[random_() % known_.size()];
    std::string args;
    for (std::size_t c = 0; c < of.columns.size(); ++c)
      args += (c > 0 ? ", ?w" : "?w") + std::to_string(c);
    switch (random_() % 4) {
      case 0: message = "%q(" + args + ") <- " + of.name + "(" + args + ")"; break;
      case 1:
        message = of.name + "(" + FactOf(of.columns) + ")\n";
        states = true;
        break;
      case 2: message = "z(?w0) <- " + of.name + "(" + args + ")\n%q(?w) <- z(?w)"; break;
      default: break;
    }
  }

  std::mt19937 random_;
  bool many_ = false;  // rows, of many values
  std::vector<Known> known_;
  std::map<char, Texts> bound_;
  Texts new_;
};

struct Nothing : Permission {
  Permit Approve(const ToolCommand&) override { return {}; }
  Permit Ask(const CommandCall&, const std::string&) override { return {}; }
  Permit Reach(const std::string&, const std::string&) override { return {true, ""}; }
  Permit AskToWrite(const std::string&, std::size_t) override { return {}; }
};

// The tools, with the number of calls of relations that the database evaluates.
class Counting : public ToolAgent {
 public:
  using ToolAgent::ToolAgent;
  std::vector<rpl::Answer> Call(const std::vector<ToolCall>& calls, Pool& pool) override {
    for (const ToolCall& call : calls) pushed += call.pushed ? 1 : 0;
    return ToolAgent::Call(calls, pool);
  }
  int pushed = 0;
};

std::string ResultOf(const Outcome& outcome) {
  std::string out(StatusName(outcome.status));
  for (const Diagnostic& d : outcome.diagnostics)
    if (d.severity == Severity::kError) out += "\n  " + d.message;
  for (const std::string& answer : outcome.answers) out += "\n  " + answer;
  return out;
}

// A program as a session.
struct Run {
  Run(const Maker& made, bool tables, bool push) {
    std::string text = made.facts + made.rules;
    for (const Table& table : made.tables) {
      if (tables) text = "$index(\"" + table.name + "\")\n" + text;
      for (const std::string& row : table.rpl)
        if (!tables) text += table.name + "(" + row + ")\n";
      config.files.relations.push_back({table.name, "RPL_COMPARE", SqlName(table.name),
                                        "SELECT * FROM rpl_pushed." + table.name, false, push});
      config.files.relations.back().table = "rpl_pushed." + SqlName(table.name);
    }
    agent.SetFolder("/nonexistent");
    session = std::make_unique<Session>(Ports(nobody, agent, agent), Options());
    for (const Diagnostic& d : session->Load("p.rpl", text))
      if (d.severity == Severity::kError) errors += d.message + "\n";
  }

  static SessionOptions Options() {
    SessionOptions options;
    options.now = "2026-01-02T00:00:00Z";
    options.limits.max_rows = 200'000;
    return options;
  }

  Texts Goals(const Texts& goals) {
    Texts out;
    for (const std::string& goal : goals) {
      session->SetGoal(goal);
      out.push_back("%" + goal + " " + ResultOf(session->Run()));
    }
    return out;
  }

  ToolConfig config;
  Nothing permission;
  testing::Silent nobody;
  Counting agent{config, permission, {}};
  std::unique_ptr<Session> session;
  std::string errors;
};

struct Counts {
  std::uint32_t passed = 0, failed = 0, pushed = 0, unreadable = 0;
};

Texts Sorted(Texts results) {
  for (std::string& result : results) {
    Texts lines;
    for (std::size_t begin = 0; begin <= result.size();) {
      const std::size_t end = std::min(result.find('\n', begin), result.size());
      lines.push_back(result.substr(begin, end - begin));
      begin = end + 1;
    }
    std::sort(lines.begin() + 1, lines.end());
    result.clear();
    for (const std::string& line : lines) result += line + "\n";
  }
  return results;
}

std::string Differing(const Texts& a, const Texts& b, const char* what) {
  std::string out;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i]) out += std::string(what) + "\n" + a[i] + "\n-- and\n" + b[i] + "\n";
  return out;
}

void One(SqlConnection& database, std::uint32_t seed, bool print, Counts& counts) {
  Maker made(seed);
  made.Make();
  Texts statements = {"DROP SCHEMA IF EXISTS rpl_pushed CASCADE", "CREATE SCHEMA rpl_pushed",
                      "SET search_path TO rpl_pushed"};
  for (const Table& table : made.tables) {
    std::string columns;
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      columns += (c > 0 ? ", c" : "c") + std::to_string(c) + " " + kTypes.at(table.columns[c]) +
                 (table.nullable[c] ? "" : " NOT NULL");
    statements.push_back("CREATE TABLE " + table.name + " (" + columns + ")");
    for (const std::string& row : table.sql)
      statements.push_back("INSERT INTO " + table.name + " VALUES (" + row + ")");
  }
  const std::string text = made.facts + made.rules;
  if (print)
    std::printf("-- seed %u\n%s-- message\n%s\n", seed, text.c_str(), made.message.c_str());
  std::string difference;
  const auto execute = [&](const Texts& all) {
    for (const std::string& statement : all)
      if (const SqlResult result = database.Execute(statement); result.error)
        difference += statement + ": " + result.error.message + "\n";
  };
  execute(statements);
  Run pushed(made, true, true), read(made, true, false), own(made, false, false);
  if (!own.errors.empty()) {
    ++counts.unreadable;
    std::printf("-- seed %u: %s%s", seed, own.errors.c_str(), text.c_str());
    return;
  }
  const Texts one = pushed.Goals(made.goals), other = read.Goals(made.goals);
  difference += Differing(one, other, "-- pushed down");
  if (text.find("[&") == text.npos && text.find(":by") == text.npos)
    difference +=
        Differing(Sorted(other), Sorted(own.Goals(made.goals)), "-- read, and facts of its own");
  counts.pushed += pushed.agent.pushed > 0 ? 1 : 0;
  if (read.agent.pushed > 0) difference += "`push: false` was not heeded\n";
  execute(made.changes);
  if (!made.message.empty()) {
    const std::string a = ResultOf(pushed.session->Say("<m>", made.message));
    const std::string b = ResultOf(read.session->Say("<m>", made.message));
    // Where it states a fact, the sources are read first, and constraints are decided by the next
    // run.
    if (!made.states) difference += Differing({a}, {b}, "-- the message, pushed down");
  }
  Texts then = pushed.Goals(made.goals), also = read.Goals(made.goals);
  // A fact that is stated of a relation of the database stands before the rows that are read only
  // then.
  if (made.states) {
    then = Sorted(then);
    also = Sorted(also);
  }
  if (!made.states || text.find("[&") == text.npos)
    difference += Differing(then, also, "-- then, pushed down");
  if (difference.empty()) {
    ++counts.passed;
    return;
  }
  ++counts.failed;
  if (counts.failed > 5) std::printf("-- seed %u differs\n", seed);
  else
    std::printf("-- seed %u\n%s-- message\n%s\n%s", seed, text.c_str(), made.message.c_str(),
                difference.c_str());
  std::fflush(stdout);
}

int Main(int argc, char** argv) {
  std::uint32_t programs = 0, seed = 1;
  std::string url;
  bool print = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--seed" && i + 1 < argc)
      seed = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    else if (arg == "--print") print = true;
    else if (url.empty()) url = arg;
    else programs = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
  }
  if (programs == 0) {
    std::fputs("compare_pushed URL N [--seed FIRST] [--print]\n", stderr);
    return 2;
  }
  setenv("RPL_COMPARE", url.c_str(), 1);
  SqlConnection::KeepIdle(4);
  SqlConnection database({.url = url});
  Counts counts;
  for (std::uint32_t i = 0; i < programs; ++i) One(database, seed + i, print, counts);
  database.Execute("DROP SCHEMA IF EXISTS rpl_pushed CASCADE");
  std::printf("%u programs from seed %u: %u pushed something down, %u were none", programs, seed,
              counts.pushed, counts.unreadable);
  if (counts.pushed * 5 < programs * 2) {
    std::printf("; fewer than two fifths");
    ++counts.failed;
  }
  std::printf("\n%u passed, %u failed\n", counts.passed, counts.failed + counts.unreadable);
  return counts.failed + counts.unreadable == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rpl

int main(int argc, char** argv) { return rpl::Main(argc, argv); }
