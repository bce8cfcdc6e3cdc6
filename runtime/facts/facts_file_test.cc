// SPDX-License-Identifier: Apache-2.0
#include "runtime/facts/facts_file.h"

#include <catch2/catch.hpp>

#include "interp/program/novelty_walk.h"
#include "interp/store/pages.h"
#include "interp/testing/testing.h"
#include "interp/testing/testing_page.h"

namespace rpl {
namespace {

// The rows that the text gives, then what was found wrong, each in a line.
std::string Read(const std::string& path, const std::string& text, bool strict = false) {
  testing::Engine engine;
  const FactsName name{"r", path};
  const std::uint32_t file = engine.sources.Add(path, text);
  const Novelty novelty =
      ReadFacts(engine.sources, file, name, strict, engine.store, engine.findings);
  std::string out;
  novelty.ForEach(
      engine.store,
      [&](RelationId, std::span<const Value> row, Span span) {
        std::string cells;
        for (const Value v : row) cells += (cells.empty() ? "" : " ") + Text(engine.pool, v);
        out += cells + " @" + std::to_string(engine.sources.PlaceOf(file, span.begin).line) + "\n";
      },
      [](const Assertion&) {});
  for (const Diagnostic& d : engine.findings.all())
    out += std::string(d.severity == Severity::kError ? "error " : "warning ") +
           engine.sources.Where(d.span) + " " + d.message + "\n";
  return out;
}

TEST_CASE("a field of CSV says itself what it is") {
  CHECK(Read("a.csv", "a,b,c\n1,x y,true\n-2.50,,false\n007,1e3,1.0\n+1,.5,0x1\n") ==
        "1 \"x y\" true @2\n"
        "-2.5 nil false @3\n"
        "\"007\" 1000 1 @4\n"
        "\"+1\" \".5\" \"0x1\" @5\n");
  CHECK(Read("a.csv", "a\n9223372036854775807\n9223372036854775808\n1e-999\nnan\n1.\n") ==
        "9223372036854775807 @2\n"
        "9223372036854775808 @3\n"
        "0 @4\n"
        "\"nan\" @5\n"
        "\"1.\" @6\n");
}

TEST_CASE("quoted fields of CSV are strings") {
  CHECK(Read("a.csv", "a,b\n\"1\",\"say \"\"so\"\"\"\r\n\"two\nlines\",\"\"\n") ==
        "\"1\" \"say \\\"so\\\"\" @2\n"
        "\"two\\nlines\" \"\" @3\n");
  CHECK(Read("a.csv", "a,b\n\"x\"y,1\n2,3\n4,\"open\n5,6\n") ==
        "2 3 @3\n"
        "5 6 @5\n"
        "warning a.csv:2:1 text follows a closing quote\n"
        "warning a.csv:4:1 a quote is opened and never closed\n"
        "warning a.csv:4:1 2 of 4 rows are bad\n");
}

TEST_CASE("a carriage return ends no line and is no part of a bare field") {
  CHECK(Read("a.csv", "a,b\r1,2\r3,4\r") ==
        "error a.csv:1:4 a carriage return stands here without a line feed\n");
  CHECK(Read("a.csv", "\"a\",\"b\"\r1,2\r") ==
        "error a.csv:1:8 a carriage return stands here without a line feed\n");
  CHECK(Read("a.tsv", "a\tb\r1\t2\r") ==
        "error a.tsv:1:4 a carriage return stands here without a line feed\n");
  CHECK(Read("a.csv", "a,b\r\n1,x\ry\r\n\"2\"\r,3\n\r4,5\n6,\"7\r8\"\r\n\r\n9,0\r") ==
        "6 \"7\\r8\" @5\n9 0 @7\n"
        "warning a.csv:2:4 a carriage return stands here without a line feed\n"
        "warning a.csv:3:4 a carriage return stands here without a line feed\n"
        "warning a.csv:4:1 a carriage return stands here without a line feed\n"
        "warning a.csv:4:1 3 of 5 rows are bad\n");
}

TEST_CASE("the header types columns") {
  CHECK(Read("a.csv", "a:text,b:keyword,c:symbol,d:number,e:boolean\n1,red,ada,2,true\n") ==
        "\"1\" :red ada 2 true @2\n");
  CHECK(Read("a.csv", "a:number\n1\nx\n\n2\n") ==
        "1 @2\n2 @5\nwarning a.csv:3:1 expected a number as `a`, got `x`\n");
  CHECK(Read("a.csv", "a:int\n1\n") == "error a.csv:1:1 `int` is not a type of a column\n");
  CHECK(Read("a.csv", "") == "error a.csv:1:1 the file has no header\n");
  CHECK(Read("a.csv",
             "\xEF\xBB\xBF"
             "a\n1") == "1 @2\n");
}

TEST_CASE("a number that is too large is no text") {
  CHECK(Read("a.csv", "a,b\n1e300,\"1e309\"\n1e309,x\n-1.5e400,x\n1e-400,1e5a\n") ==
        Read("a.csv", "a,b\n1e300,\"1e309\"\n") + "0 \"1e5a\" @5\n" +
            "warning a.csv:3:1 `1e309` as `a` is too large for a number\n"
            "warning a.csv:4:1 `-1.5e400` as `a` is too large for a number\n"
            "warning a.csv:4:1 2 of 4 rows are bad\n");
  CHECK(Read("a.csv", "a:text\n1e309\n") == "\"1e309\" @2\n");
  CHECK(Read("a.ndjson", "[1e-400]\n[1e309]\n{\"a\":1,\"a\":2}\n") ==
        "0 @1\n"
        "warning a.ndjson:2:1 the line is not one JSON value: a number is too large\n"
        "warning a.ndjson:3:1 the key \"a\" occurs twice\n"
        "warning a.ndjson:3:1 2 of 3 rows are bad\n");
}

TEST_CASE("TSV has escapes in place of quotes") {
  CHECK(Read("a.tsv", "a\tb\n\"x\"\ty\\tz\\\\\n1\t\\q\n") ==
        "\"\\\"x\\\"\" \"y\\tz\\\\\" @2\n1 \"\\\\q\" @3\n");
}

TEST_CASE("lines of NDJSON are arrays, or objects with the keys of the first") {
  CHECK(Read("a.ndjson", "[1, \"x\", null]\n\n[[1, 2], {\"k\": true}, 0.5]\n") ==
        "1 \"x\" nil @1\n[1 2] {\"k\" true} 0.5 @3\n");
  CHECK(Read("a.jsonl",
             "{\"a\": 1, \"b\": 2}\n{\"b\": 3, \"a\": 4}\n{\"a\": 5}\n{\"a\":1,\"c\":2}\n7\n{") ==
        "1 2 @1\n4 3 @2\n"
        "warning a.jsonl:3:1 expected 2 keys, got 1\n"
        "warning a.jsonl:4:1 expected the key `b`\n"
        "warning a.jsonl:5:1 expected an array or an object\n"
        "warning a.jsonl:6:1 the line is not one JSON value: the text ends before its value does\n"
        "warning a.jsonl:6:1 4 of 6 rows are bad\n");
  CHECK(Read("a.ndjson", "[1]\n[{\"k\":1,\"k\":2}]\n") ==
        "1 @1\nwarning a.ndjson:2:1 the key \"k\" occurs twice\n");
  CHECK(Read("a.ndjson", "\n \n") == "");
}

TEST_CASE("bad rows are named up to a number and counted") {
  std::string text = "a,b\n";
  for (int i = 0; i < 30; ++i) text += "1\n2,3\n";
  const std::string read = Read("a.csv", text);
  CHECK(std::count(read.begin(), read.end(), '@') == 30);
  CHECK_THAT(read, Catch::Contains("warning a.csv:20:1 expected 2 fields, got 1\n"));
  CHECK_THAT(read, !Catch::Contains("a.csv:22:1"));
  CHECK_THAT(read, Catch::Contains("warning a.csv:60:1 30 of 60 rows are bad\n"));
}

TEST_CASE("a bad row leaves nothing behind, and its neighbours have their own texts") {
  std::string csv = "a:text,b:text,c:number\n", tsv = "a\tb\n", from_csv, from_tsv;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i), line = std::to_string(i + 2);
    const bool bad = i % 7 == 3;
    csv += i % 3 == 0 ? "\"it\"\"s " + n + "\"" : "text " + n;
    csv += ",other " + std::to_string(i % 5) + "," + (bad ? "none" : n) + "\n";
    if (!bad)
      from_csv += (i % 3 == 0 ? "\"it\\\"s " : "\"text ") + n + "\" \"other " +
                  std::to_string(i % 5) + "\" " + n + " @" + line + "\n";
    tsv += "a\\tb" + n + "\tplain " + n + (bad ? "\tmore\n" : "\n");
    if (!bad) from_tsv += "\"a\\tb" + n + "\" \"plain " + n + "\" @" + line + "\n";
  }
  const auto rows = [](const std::string& read) { return read.substr(0, read.find("warning")); };
  CHECK(rows(Read("a.csv", csv)) == from_csv);
  CHECK(rows(Read("a.tsv", tsv)) == from_tsv);
}

// The rows with their places, and the findings as they are shown.
std::string Shown(testing::Engine& engine, const std::string& path, const std::string& text,
                  bool once) {
  const FactsName name{"r", path};
  const std::uint32_t file = engine.sources.Add(path, text);
  const Novelty novelty =
      once ? ReadFactsOnce(engine.sources, file, name, false, engine.store, engine.findings)
           : ReadFacts(engine.sources, file, name, false, engine.store, engine.findings);
  std::string out;
  novelty.ForEach(
      engine.store,
      [&](RelationId relation, std::span<const Value> row, Span span) {
        out += FactText(engine.store, relation, row) + " " + engine.sources.Where(span) + "\n";
      },
      [](const Assertion&) {});
  for (const Diagnostic& d : engine.findings.all()) out += Render(d, engine.sources);
  return out;
}

// Each row has a character of two bytes, a line end in quotes and one of two bytes, and of many
// rows some part is on a border.
TEST_CASE("the text behind the rows is given back, and findings still show their lines") {
  std::string csv =
                  "\xEF\xBB\xBF"
                  "text,number:number\r\n",
              ndjson;
  for (int i = 0; csv.size() < 5 * kHugePage; ++i) {
    const std::string n = std::to_string(i);
    std::string word;
    while (word.size() < 1000) word += "\xC3\xA9" + n;
    const bool bad = i == 7 || i % 5000 == 4999;
    csv += "\"" + word + "\r\n\"\"\"," + (bad ? "none" : n) + "\r\n";
    ndjson += "[\"" + word + "\"" + (bad ? "" : ", " + n) + "]\r\n";
  }
  for (const auto& [path, text] : {std::pair("a.csv", csv), std::pair("a.ndjson", ndjson)}) {
    testing::Engine kept, once;
    const std::string expected = Shown(kept, path, text, false);
    CHECK_THAT(expected, Catch::Contains("rows are bad"));
    CHECK((Shown(once, path, text, true) == expected));
    CHECK((kept.sources.at(kept.sources.size() - 1).text == text));
    CHECK(once.sources.at(once.sources.size() - 1).text.find('\0') != std::string::npos);
  }
}

TEST_CASE("with strict reading a bad row refuses the file") {
  CHECK(Read("a.csv", "a,b\n1,2\n1\n", true) == "error a.csv:3:1 expected 2 fields, got 1\n");
  CHECK(Read("a.csv", "a,b\n1,2\n", true) == "1 2 @2\n");
}

TEST_CASE("what is not UTF-8 gives one error") {
  CHECK(Read("a.csv", "a\n\xff\n") == "error a.csv:2:1 the byte 0xFF is not UTF-8 here\n");
}

TEST_CASE("the names of facts files") {
  CHECK(FactsNameOf("edge=a/b.csv")->relation == "edge");
  CHECK(FactsNameOf("edge=a=b.tsv")->path == "a=b.tsv");
  for (const char* name : {"edge.csv", "=a.csv", "Edge=a.csv", "edge=a.md", "a b=c.csv"})
    CHECK_FALSE(FactsNameOf(name).has_value());
}

TEST_CASE("docs/facts.md has a file for each code") {
  std::map<std::string, std::string> examples = testing::Examples(RPL_FACTS_PAGE, "csv");
  for (const CodeInfo& info : AllCodes()) {
    if (!CodeText(info.code).starts_with("RPL8")) continue;
    if (info.code == Code::kRefusedFact) continue;  // it takes a program
    const std::string wanted = CodeText(info.code) + " " + std::string(info.name);
    INFO(wanted);
    testing::Engine engine;
    const std::uint32_t file = engine.sources.Add("page.csv", examples[wanted]);
    ReadFacts(engine.sources, file, {"r", "page.csv"}, true, engine.store, engine.findings);
    CHECK_THAT(engine.Findings(), Catch::Contains(CodeText(info.code)));
    examples.erase(wanted);
  }
  CHECK(examples.empty());
}

}  // namespace
}  // namespace rpl
