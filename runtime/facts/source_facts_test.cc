// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/source_facts.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "interp/program/novelty_walk.h"
#include "interp/testing/testing.h"
#include "runtime/facts/facts_file.h"
#include "runtime/facts/written_text.h"

namespace rpl {
namespace {

// The facts of a source, each in a line, then what was found wrong.
struct Reading {
  testing::Engine engine;

  std::string Rows(const std::string& name, const std::string& text, const std::string& hint = "",
                   bool strict = false) {
    const std::uint32_t file = engine.sources.Add(name, text);
    const Novelty novelty =
        ReadSource(engine.sources, file, hint, strict, engine.store, engine.findings);
    std::string out;
    const auto add = [&](RelationId relation, std::span<const Value> row, Span span) {
      out += FactText(engine.store, relation, row) + " @" +
             std::to_string(engine.sources.PlaceOf(file, span.begin).line);
    };
    novelty.ForEach(
        engine.store,
        [&](RelationId relation, std::span<const Value> row, Span span) {
          add(relation, row, span);
          out += "\n";
        },
        [&](const Assertion& a) {
          add(a.relation, a.row, a.span);
          out += (a.meta.is_none() ? "" : " " + Text(engine.pool, a.meta)) +
                 (a.truth ? "\n" : " false\n");
        });
    for (const Diagnostic& d : engine.findings.all())
      out += std::string(d.severity == Severity::kError ? "error " : "warning ") +
             engine.sources.Where(d.span) + " " + d.message + "\n";
    return out;
  }
};

std::string ReadSource(const std::string& name, const std::string& text,
                       const std::string& hint = "", bool strict = false) {
  return Reading().Rows(name, text, hint, strict);
}

TEST_CASE("rows are of the relation of the hint, else of the stem") {
  CHECK(ReadSource("d/pantry-stock.csv", "a,b\nnut,1\n") == "pantry-stock(\"nut\", 1) @2\n");
  CHECK(ReadSource("d/pantry-stock.csv", "a,b\nnut,1\n", "stock") == "stock(\"nut\", 1) @2\n");
  CHECK(ReadSource("x.ndjson", "{\"b\":1,\"a\":2}\n{\"a\":4,\"b\":3}\n") ==
        "x(1, 2) @1\nx(3, 4) @2\n");
  CHECK(ReadSource("x.json", "[\"a\",\n null]") ==
        "x(\"a\") @1 {:pointer \"/0\"}\nx(nil) @2 {:pointer \"/1\"}\n");
  CHECK(ReadSource("x.json", "\xEF\xBB\xBF[1, [\"a\"]]", "y", true) ==
        "error x.json:1:5 expected `1`, as in the first row, got a list\n");
  CHECK(ReadSource("x.json", "\xEF\xBB\xBF\n {\"y\":\n[7]}") == "y(7) @3 {:pointer \"/y/0\"}\n");
  CHECK(ReadSource("not.csv", "a\n1\n") == "error not.csv:1:1 `not` is no name of a relation\n");
  CHECK(ReadSource("x.csv", "a:symbol\nnot\n") == "x(not) @2\n");
  CHECK(ReadSource("X_1.csv", "a\n1\n") == "error X_1.csv:1:1 `X_1` is no name of a relation\n");
  CHECK(ReadSource("x.txt", "a") == "error x.txt:1:1 `x.txt` is of no kind that is read\n");
}

TEST_CASE("a JSON object has a relation for each key") {
  CHECK(ReadSource("o.json", "{\"p\": [[1, 2]], \"q\": {\"a\": 1}, \"r/s\": 1, \"t\": []}") ==
        "p(1, 2) @1 {:pointer \"/p/0\"}\n"
        "q({\"a\" 1}) @1 {:pointer \"/q\"}\n"
        "warning o.json:1:32 `r/s` is no name of a relation\n");
  CHECK(ReadSource("o.json", "{\"p\": [{\"x\": 1, \"y\": 2}, {\"y\": 3}, [1, 2], 5]}") ==
        "p(1, 2) @1 {:pointer \"/p/0\"}\n"
        "warning o.json:1:26 expected 2 keys, got 1\n"
        "warning o.json:1:36 expected a map, as in the first row, got a list\n"
        "warning o.json:1:44 expected a map, as in the first row, got `5`\n"
        "warning o.json:1:44 3 of 4 rows are bad\n");
  CHECK(ReadSource("o.json", "{\"p\": [[]]}") ==
        "warning o.json:1:8 expected 1 to 64 elements, got 0\n");
  CHECK(ReadSource("o.json", "{\"p\": [[1], [2, 3]]}", "", true) ==
        "error o.json:1:13 expected 1 elements, got 2\n");
}

TEST_CASE("a binding map is one row") {
  CHECK(ReadSource("b.json", "{\"?x\": 1, \"?y\": \"a\"}") ==
        "b({?x 1, ?y \"a\"}) @1 {:pointer \"\"}\n");
  CHECK(ReadSource("b.json", "{\"?x\": 1, \"?y\": \"a\"}", "p") ==
        "p(1, \"a\") @1 {:pointer \"\"}\n");
}

TEST_CASE("tables of Markdown under a heading with a signature are rows") {
  CHECK(ReadSource(
            "t.md",
            "# Stock - stock(?item, ?n)\n\nText.\n\n| item | n |\n|---|--:|\n| nut | 12 |\n"
            "| a\\|b | |\n| \"1\" | true\n| x |\n\n# Other\n\n| a | b |\n|---|---|\n| 1 | 2 |\n") ==
        "stock(\"nut\", 12) @7\n"
        "stock(\"a|b\", nil) @8\n"
        "stock(\"1\", true) @9\n"
        "warning t.md:10:1 expected 2 cells, got 1\n");
}

TEST_CASE("a cell that is too large for a number is no text") {
  const std::string table = "# Stock - stock(?item, ?n)\n\nText.\n\n| item | n |\n|---|--:|\n";
  const std::string read = ReadSource("a.md", table + "| nut | 1e309 |\n| bolt | \"1e309\" |\n");
  CHECK_THAT(read, Catch::Contains("stock(\"bolt\", \"1e309\")"));
  CHECK_THAT(read, !Catch::Contains("stock(\"nut\""));
  CHECK_THAT(read, Catch::Contains("a.md:7:1 `1e309` is too large for a number"));
}

TEST_CASE("facts and traces of documents are taken, and nothing else") {
  CHECK(ReadSource("d.md",
                   "# Rule - r(?x) <- p(?x)\n\n## Ask - ask-me(?y)\n\nWhat?\n\n```rpl\np(1)\n"
                   "q(?x) <- p(?x)\np(?x) -> q(?x)\n%g <- p(1)\n$index(\"e.csv\")\n```\n") ==
        "p(1) @8\n");
  CHECK(ReadSource("t.rpl", "p(1)\n$ask(\"Q\") ^ ~ {:result \"a\"} -> true\np(2) -> false\n") ==
        "p(1) @1\n$ask(\"Q\") @2 {:result \"a\"}\np(2) @3 false\n");
  CHECK(ReadSource("t.rpl", "p(1)\np(\n").find("p(1) @1\nwarning t.rpl:2:") == 0);
  CHECK(ReadSource("t.rpl", "p(1)\np(\n", "", true).find("error t.rpl:2:") == 0);
}

// The values that a format keeps.
struct Kept {
  bool terms = false;       // of relations
  bool all = false;         // kinds; else those of JSON
  bool nested = true;       // lists and maps
  bool line_breaks = true;  // in texts
};

std::string RandomText(const Kept& kept) {
  static constexpr const char* kPieces[] = {"a", " ", "12", "-1", "true",     "\"", "\t", "|", ",",
                                            "?", ":", "{",  "}",  "\xC3\xA9", "\\", "\n", "\r"};
  std::string out;
  for (int i = *rc::gen::inRange(0, 5); i > 0; --i)
    out += kPieces[*rc::gen::inRange<std::size_t>(0, kept.line_breaks ? 17 : 15)];
  return out;
}

Value RandomValue(Pool& pool, const Kept& kept, int depth = 2) {
  std::vector<Value> parts;
  const auto part = [&](bool terms) {
    Kept inner = kept;
    inner.terms = terms && kept.terms;  // a collection has none
    parts.push_back(RandomValue(pool, inner, depth - 1));
  };
  switch (*rc::gen::inRange(0, kept.nested && depth > 0 ? 10 : 6)) {
    case 0: return pool.Int(*rc::gen::arbitrary<std::int64_t>());
    case 1: return pool.Float(*rc::gen::inRange(-100000, 100000) / 64.0);
    case 2: return pool.Number("123456789012345678901234567890");
    case 3: return *rc::gen::arbitrary<bool>() ? kNil : Pool::Bool(*rc::gen::arbitrary<bool>());
    case 4:
      if (kept.all) return *rc::gen::arbitrary<bool>() ? pool.Keyword("k-1") : pool.Symbol("s");
      [[fallthrough]];
    case 5: return pool.String(RandomText(kept));
    case 6:
      parts.push_back(pool.String("k" + RandomText(kept)));
      part(false);
      return pool.Map(parts);
    case 7:
      part(true);
      if (kept.terms) return pool.Term(Namespace::kRelation, "f", parts);
      return parts.front();
    case 8:
      part(false);
      part(false);
      return kept.all ? pool.Set(parts) : pool.List(parts);
    default: part(false); return pool.List(parts);
  }
}

// Writes random rows, reads them back, and compares.
void ThereAndBack(const std::string& extension, const Kept& kept) {
  testing::Engine engine;
  Pool& pool = engine.pool;
  const int arity = *rc::gen::inRange(2, 4);  // a row of one nil is an empty line of CSV
  std::vector<std::vector<Value>> rows;
  std::vector<Value> lists;
  for (int i = *rc::gen::inRange(1, 5); i > 0; --i) {
    std::vector<Value> row;
    for (int k = 0; k < arity; ++k) row.push_back(RandomValue(pool, kept));
    lists.push_back(pool.List(row));
    rows.push_back(std::move(row));
  }
  const WrittenText written = TextToWrite(pool, pool.List(lists), extension, "r");
  RC_LOG() << written.text;
  RC_ASSERT(written.error == "");
  const std::uint32_t file = engine.sources.Add("r." + extension, written.text);
  const Novelty novelty = ReadSource(engine.sources, file, "", true, engine.store, engine.findings);
  for (const Diagnostic& d : engine.findings.all()) RC_LOG() << Render(d, engine.sources);
  std::vector<std::vector<Value>> read;
  novelty.ForEach(
      engine.store,
      [&](RelationId, std::span<const Value> row, Span) {
        read.emplace_back(row.begin(), row.end());
      },
      [&](const Assertion& a) { read.push_back(a.row); });
  RC_ASSERT(read == rows);
}

TEST_CASE("what is written is read back as the same rows") {
  CHECK(rc::check("JSON", [] { ThereAndBack("json", {}); }));
  CHECK(rc::check("NDJSON", [] { ThereAndBack("ndjson", {}); }));
  CHECK(rc::check("RPL", [] { ThereAndBack("rpl", {.terms = true, .all = true}); }));
  CHECK(rc::check("CSV", [] { ThereAndBack("csv", {.nested = false}); }));
  CHECK(rc::check("Markdown", [] { ThereAndBack("md", {.nested = false, .line_breaks = false}); }));
}

TEST_CASE("columns of keywords and symbols are typed in CSV") {
  testing::Engine engine;
  Pool& pool = engine.pool;
  const Value one[] = {pool.Keyword("a"), pool.Symbol("x")};
  const Value two[] = {pool.Keyword("b"), pool.Symbol("y")};
  const Value rows[] = {pool.List(one), pool.List(two)};
  const WrittenText written = TextToWrite(pool, pool.List(rows), "csv", "r");
  CHECK(written.text == "c1:keyword,c2:symbol\na,x\nb,y\n");
  CHECK(ReadSource("r.csv", written.text) == "r(:a, x) @2\nr(:b, y) @3\n");
}

}  // namespace
}  // namespace rpl
