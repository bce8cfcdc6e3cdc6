// SPDX-License-Identifier: Apache-2.0
//
// Random programs through the engine and, as SQL, through PostgreSQL (shell/sql_test.sh).
//
//   compare_sql N [--seed FIRST] [--print]
//
// Every relation of a program must have the same rows in both. Every fourth program is of the whole
// vocabulary, where most hold sets, the others of the plain one; each has rules over values of all
// kinds besides. Programs that are refused are counted by the codes, and fail the run if they
// are more than a third. A difference is printed with the program, made smaller while it differs.
//
// psql finds the server by its environment (PGHOST, …). Nothing remains there. The last line is
// `N passed, N failed`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "formats/sql_text.h"
#include "interp/sql/sql_script.h"
#include "interp/testing/random_program.h"
#include "interp/testing/testing.h"

namespace rpl {
namespace {

constexpr std::uint32_t kBatch = 50;
constexpr int kMostReports = 5;
constexpr char kFieldEnd = '\x1f', kRowEnd = '\x1e';

using Rows = std::vector<std::string>;  // sorted
using Answers = std::map<std::string, Rows>;

// --- programs -------------------------------------------------------------------------------

// Rules over values of all kinds, as further sentences of the program.
std::string KindsText(std::uint32_t seed) {
  static const std::vector<std::string> kValues = {"0",
                                                   "1",
                                                   "1.0",
                                                   "2",
                                                   "-3",
                                                   "2.5",
                                                   "-0.5",
                                                   "0.1",
                                                   "1e3",
                                                   "12345678901234567890",
                                                   "9223372036854775807",
                                                   "-9223372036854775808",
                                                   "\"a\"",
                                                   "\"b\"",
                                                   "\"B\"",
                                                   "\"1\"",
                                                   "\"\"",
                                                   "\"x y\"",
                                                   "\"it's\"",
                                                   "\"a\\\\b\\\"c\\n\"",
                                                   "\"\u00e9\"",
                                                   "\"<1>\"",
                                                   "a",
                                                   "b",
                                                   "c",
                                                   ":a",
                                                   ":k",
                                                   "nil",
                                                   "true",
                                                   "false",
                                                   "[]",
                                                   "[1]",
                                                   "[1 [a \"b\"]]",
                                                   "f(1)",
                                                   "g(a, \"x\")",
                                                   "f([1 2])"};
  static const std::vector<std::string> kRules = {
      "k-lt(?x, ?y) <- k(?x), k(?y), ?x < ?y",
      "k-ge(?x) <- k(?x), ?x >= 1",
      "k-text(?x) <- k(?x), ?x <= \"a\"",
      "k-sum(?z) <- k(?x), k(?y), ?z = ?x + ?y",
      "k-difference(?x, ?z) <- k(?x), ?z = 0.5 - ?x",
      "k-product(?z) <- k(?x), k(?y), ?x < 100, ?y < 100, ?z = ?x * ?y * 3",
      "k-quotient(?z) <- k(?x), k(?y), ?z = ?x / ?y",
      "k-same(?x) <- k(?x), l(?x)",
      "k-other(?x, ?y) <- k(?x), l(?y), ?x != ?y",
      "k-absent(?x) <- k(?x), not l(?x)",
      "k-count(?n) <- ?n = |k(_)|",
      "k-pair([?x ?y]) <- k(?x), l(?y)",
      "k-head(?x, ?r) <- k-pair([?x & ?r])",
      "k-more([?x & ?l]) <- k(?x), k(?l)",
      "k-in(?x) <- k(?l), ?x in ?l",
      "k-not-in(?x, ?l) <- k(?x), k(?l), ?x not in ?l",
      "k-known(?x) <- k(?x), ?x in [1 a \"a\" :k nil]",
      "k-term(f(?x)) <- k(?x)",
      "k-inner(?x) <- k(f(?x))",
      "k-two(?x, ?y) <- k(g(?x, ?y))",
      "k-size(?n, ?x) <- k(?x), ?n = |?x|",
      "k-set(#{& ?x}) <- k(?x)",
      "k-both(#{?x 7}) <- k(?x)",
      "k-is(true) <- k(_)",
      "k-any() <- k(nil)",
      "k-all(?x) <- k(?x), k-any()",
      "k-part(?y) <- s(?x), ?x = ~ \"<{?y}>\"",
      "k-made(?y) <- n(?x), ?y = \"{?x}-{?x}\"",
      "k-next(?x, ?y) <- n(?x), n(?y), ?y = ?x + 1\nk-path(?x, ?y) <- k-next(?x, ?y)\n"
      "k-path(?x, ?z) <- k-path(?x, ?y), k-path(?y, ?z)",
      "k-even(0) <- n(_)\nk-even(?y) <- k-odd(?x), n(?y), ?y = ?x + 1\n"
      "k-odd(?y) <- k-even(?x), n(?y), ?y = ?x + 1",
      "k-up(?x) <- n(?x)\nk-up(?y) <- k-up(?x), ?x < 9, ?y = ?x + 1",
      "k-when(?x) <- n(?x) ; @when(k(_))",
      "k-group(?x, ?n) <- ?n = |k-next(?x, _)|",
      "k-order(?x, ?y) <- s(?x), s(?y), ?x < ?y"};
  std::mt19937 random(seed * 2246822519U + 3);
  const auto of = [&](const std::vector<std::string>& from) -> const std::string& {
    return from[random() % from.size()];
  };
  std::string out;
  for (const char* relation : {"k", "l"})
    for (std::uint32_t n = 2 + random() % 4; n > 0; --n)
      out += std::string(relation) + "(" + of(kValues) + ")\n";
  for (std::uint32_t n = 1 + random() % 5; n > 0; --n)
    out += "n(" + std::to_string(random() % 6) + ")\n";
  for (const char* text : {"\"<a>\"", "\"<>\"", "\"<\u00e9\u00e9>\"", "\"z\"", "\"Z\"", "\"<\""})
    if (random() % 2 == 0) out += std::string("s(") + text + ")\n";
  for (std::uint32_t n = 2 + random() % 5; n > 0; --n) out += of(kRules) + "\n";
  return out;
}

struct Case {
  std::uint32_t seed = 0;
  RandomProgram program;
  std::string kinds;

  std::string Text() const { return program.Text() + kinds; }
};

Case MakeCase(std::uint32_t seed) {
  return {seed, MakeProgram(seed, seed % 4 == 0 ? Vocabulary::kAll : Vocabulary::kPlain),
          KindsText(seed)};
}

// --- both sides -----------------------------------------------------------------------------

// A program with its script, and the rows by the engine.
struct Prepared {
  std::unique_ptr<testing::Engine> engine;
  std::optional<SqlScript> script;
  std::vector<Diagnostic> refused;
  std::string problem;
};

Prepared Prepare(const std::string& text) {
  Prepared out;
  out.engine = std::make_unique<testing::Engine>();
  out.engine->Take(text);
  if (out.engine->findings.has_errors()) {
    out.problem = out.engine->Findings();
    return out;
  }
  Diagnostics refused;
  out.script = WriteSql(out.engine->program, out.engine->analysis,
                        SqlRequestOf(out.engine->program), refused);
  out.refused = refused.all();
  return out;
}

std::string RowOf(const Pool& pool, std::span<const Value> cells) {
  return testing::RowText(pool, cells);
}

Answers EngineRows(testing::Engine& engine, const SqlScript& script) {
  engine.Quiesce();
  Answers out;
  for (const SqlRelation& r : script.relations) {
    const Relation& rel = engine.store.at(r.relation);
    Rows& rows = out[r.table];
    for (RowId row = 0; row < rel.size(); ++row) rows.push_back(RowOf(engine.pool, rel.Cells(row)));
    std::sort(rows.begin(), rows.end());
  }
  return out;
}

bool IsPlainText(SqlType type) {
  return type == SqlType::kString || type == SqlType::kSymbol || type == SqlType::kKeyword;
}

// The columns; plain texts as strings of JSON, which have no newline.
std::string ListOf(const SqlRelation& r) {
  std::string out;
  for (std::size_t c = 0; c < r.types.size(); ++c) {
    const std::string column = "c" + std::to_string(c + 1);
    out += (c > 0 ? ", " : "") + (IsPlainText(r.types[c]) ? "to_json(" + column + ")" : column);
  }
  return out.empty() ? "c1" : out;
}

// A script for psql that evaluates a program, in a transaction that is rolled back.
std::string PsqlText(const SqlScript& script, std::uint32_t number) {
  std::string out = "BEGIN;\nCREATE SCHEMA rpl_compare;\nSET LOCAL search_path TO rpl_compare;\n";
  for (const SqlStatement& statement : script.statements) out += statement.text + ";\n";
  for (const SqlRelation& r : script.relations)
    out += "SELECT '@" + std::to_string(number) + "', " + SqlQuoted(r.table) + ";\nSELECT " +
           ListOf(r) + " FROM " + r.table + ";\n";
  return out + "SELECT '@" + std::to_string(number) + "', 'end';\nROLLBACK;\n";
}

std::vector<std::string> Split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(at, begin)) != text.npos; begin = end + 1)
    out.push_back(text.substr(begin, end - begin));
  out.push_back(text.substr(begin));
  return out;
}

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

// By the number of the program: the records below each of its tables. `errors`: what psql said.
std::map<std::uint32_t, std::map<std::string, Rows>> Psql(const std::string& text,
                                                          std::string& errors) {
  const std::string base = "/tmp/rpl-compare-sql-" + std::to_string(getpid());
  std::ofstream(base + ".sql", std::ios::binary) << text;
  const std::string command = "psql -X -q -A -t -F $'\\x1f' -R $'\\x1e' -f " + base + ".sql >" +
                              base + ".out 2>" + base + ".err </dev/null";
  const int status = std::system(("bash -c \"" + command + "\"").c_str());
  if (status != 0) errors = "psql ended with status " + std::to_string(status) + "\n";
  std::string said = ReadAll(base + ".out");
  errors += ReadAll(base + ".err");
  for (const char* end : {".sql", ".out", ".err"}) std::remove((base + end).c_str());
  std::map<std::uint32_t, std::map<std::string, Rows>> out;
  Rows* rows = nullptr;
  // The records of one statement end in a newline.
  for (std::size_t begin = 0; begin < said.size();) {
    const std::size_t end = std::min(said.find_first_of("\n\x1e", begin), said.size());
    const std::string record = said.substr(begin, end - begin);
    begin = end + 1;
    if (record.starts_with('@')) {
      const std::vector<std::string> cells = Split(record, kFieldEnd);
      rows = &out[static_cast<std::uint32_t>(std::atoi(cells[0].c_str() + 1))][cells.at(1)];
    } else if (rows != nullptr && !record.empty()) {
      rows->push_back(record);
    }
  }
  return out;
}

// The value of a cell of ListOf.
Value ValueOf(Pool& pool, const std::string& cell, SqlType type) {
  if (!IsPlainText(type)) return ValueOfSql(pool, cell, type);
  const auto json = nlohmann::json::parse(cell, nullptr, false);
  return json.is_string() ? ValueOfSql(pool, json.get<std::string>(), type) : kNone;
}

Rows Decoded(Pool& pool, const SqlRelation& r, const Rows& records) {
  Rows out;
  for (const std::string& record : records) {
    if (r.types.empty()) {
      out.push_back("()");
      continue;
    }
    std::vector<Value> cells;
    const std::vector<std::string> texts = Split(record, kFieldEnd);
    for (std::size_t c = 0; c < r.types.size(); ++c) {
      cells.push_back(c < texts.size() ? ValueOf(pool, texts[c], r.types[c]) : kNone);
      if (cells.back().is_none()) cells.back() = pool.String("unreadable: " + record);
    }
    out.push_back(RowOf(pool, cells));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string Difference(Prepared& p, const std::map<std::string, Rows>& got) {
  std::string out;
  if (!got.contains("end")) return "the script did not run to its end\n";
  const Answers expected = EngineRows(*p.engine, *p.script);
  for (const SqlRelation& r : p.script->relations) {
    const auto found = got.find(r.table);
    const Rows have = Decoded(p.engine->pool, r, found == got.end() ? Rows{} : found->second);
    const Rows& want = expected.at(r.table);
    if (want == have) continue;
    out += r.table + "\n  engine: " + testing::Join(want, " ") +
           "\n  sql:    " + testing::Join(have, " ") + "\n";
  }
  return out;
}

// --- the comparison -------------------------------------------------------------------------

// The difference of one program alone; "" also where it is refused.
std::string DifferenceAlone(const Case& c) {
  Prepared p = Prepare(c.Text());
  if (!p.script) return "";
  std::string errors;
  const auto got = Psql(PsqlText(*p.script, 0), errors);
  const auto found = got.find(0);
  const std::string out =
      Difference(p, found == got.end() ? std::map<std::string, Rows>{} : found->second);
  return out.empty() ? "" : out + errors.substr(0, 2000);
}

// Drops lines of the rules over kinds while the program differs, then parts of the others.
std::string Report(Case c) {
  for (std::size_t at = 0; at < c.kinds.size();) {
    const std::size_t end = c.kinds.find('\n', at) + 1;
    Case smaller = c;
    smaller.kinds.erase(at, end - at);
    if (DifferenceAlone(smaller).empty()) at = end;
    else c = smaller;
  }
  c.program = Shrunk(
      c.program,
      [&](const RandomProgram& p) {
        Case smaller = c;
        smaller.program = p;
        return !DifferenceAlone(smaller).empty();
      },
      200);
  return "-- seed " + std::to_string(c.seed) + "\n" + c.Text() + "-- differs\n" +
         DifferenceAlone(c);
}

struct Counts {
  std::uint32_t passed = 0, failed = 0, refused = 0;
  std::uint64_t rows = 0;
  std::map<std::string, int> codes;
};

void Batch(std::uint32_t first, std::uint32_t count, bool print, Counts& counts) {
  std::vector<Case> cases;
  std::vector<Prepared> prepared;
  std::string text, errors;
  for (std::uint32_t i = 0; i < count; ++i) {
    cases.push_back(MakeCase(first + i));
    prepared.push_back(Prepare(cases.back().Text()));
    if (prepared.back().script) text += PsqlText(*prepared.back().script, i);
  }
  if (print) std::fputs((cases.front().Text() + "\n" + text).c_str(), stdout);
  const auto got = Psql(text, errors);
  for (std::uint32_t i = 0; i < count; ++i) {
    Prepared& p = prepared[i];
    if (!p.problem.empty()) {
      ++counts.failed;
      std::printf("-- seed %u: %s%s", first + i, p.problem.c_str(), cases[i].Text().c_str());
      continue;
    }
    if (!p.script) {
      ++counts.refused;
      ++counts.codes[CodeText(p.refused.front().code)];
      continue;
    }
    const auto found = got.find(i);
    const std::string difference =
        Difference(p, found == got.end() ? std::map<std::string, Rows>{} : found->second);
    for (const SqlRelation& r : p.script->relations)
      counts.rows += p.engine->store.at(r.relation).size();
    ++(difference.empty() ? counts.passed : counts.failed);
    if (difference.empty()) continue;
    if (counts.failed > kMostReports) std::printf("-- seed %u differs\n", first + i);
    else std::fputs(Report(cases[i]).c_str(), stdout);
    std::fflush(stdout);
  }
}

int Main(int argc, char** argv) {
  std::uint32_t programs = 0, seed = 1;
  bool print = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view arg = argv[i];
    if (arg == "--seed" && i + 1 < argc)
      seed = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    else if (arg == "--print") print = true;
    else programs = static_cast<std::uint32_t>(std::strtoul(argv[i], nullptr, 10));
  }
  if (programs == 0) {
    std::fputs("compare_sql N [--seed FIRST] [--print]\n", stderr);
    return 2;
  }
  Counts counts;
  for (std::uint32_t done = 0; done < programs; done += kBatch)
    Batch(seed + done, std::min(kBatch, programs - done), print, counts);
  std::printf("%u programs from seed %u: %llu rows compared, %u refused:", programs, seed,
              static_cast<unsigned long long>(counts.rows), counts.refused);
  for (const auto& [code, n] : counts.codes) std::printf(" %s %d", code.c_str(), n);
  if (counts.refused * 3 > programs) {
    std::printf(", which is more than a third");
    ++counts.failed;
  }
  std::printf("\n%u passed, %u failed\n", counts.passed, counts.failed);
  return counts.failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rpl

int main(int argc, char** argv) { return rpl::Main(argc, argv); }
