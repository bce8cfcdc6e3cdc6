// SPDX-License-Identifier: Apache-2.0
#include "checks/verify/envelope.h"

#include <catch2/catch.hpp>

namespace rpl {
namespace {

// "a[0].b[*]", or the error message.
std::string Shape(const std::string& text) {
  std::string problem;
  const auto selector = ReadSelector(text, &problem);
  if (!selector) return "! " + problem;
  std::string shape;
  for (const Selector::Step& step : selector->steps) {
    switch (step.kind) {
      case Selector::Step::Kind::kField: shape += "." + step.field; break;
      case Selector::Step::Kind::kIndex: shape += "[" + std::to_string(step.index) + "]"; break;
      case Selector::Step::Kind::kEach: shape += "[*]"; break;
    }
  }
  return shape;
}

TEST_CASE("selectors") {
  CHECK(Shape("a") == ".a");
  CHECK(Shape("a.b-c.größe.0") == ".a.b-c.größe.0");
  CHECK(Shape("a[0][12].b[*].c") == ".a[0][12].b[*].c");
  CHECK(Shape("a[99999999999999999999]") == ".a[18446744073709551615]");
  CHECK(Shape("a b") == ".a b");
  CHECK(Shape("") == "! it is empty");
  CHECK(Shape("   ") == "! it is empty");
  CHECK(Shape("a[") == "! `[` is not closed");
  CHECK(Shape("a[0") == "! `[` is not closed");
  CHECK(Shape("a]") == "! `]` without `[`");
  CHECK(Shape("a[0]]") == "! expected `.` or `[` behind `]`");
  CHECK(Shape("a[0]b") == "! expected `.` or `[` behind `]`");
  for (const std::string inside : {"", "x", "-1", "1 ", "**"})
    CHECK(Shape("a[" + inside + "]") ==
          "! expected a number from 0 or `*` in brackets, got `" + inside + "`");
  for (const std::string empty : {"a..b", ".a", "a.", "a.[0]", "."})
    CHECK(Shape(empty) == "! a field without name");
  CHECK(Shape("[0]") == "! it begins with a field");
}

// The selection in an envelope: `x, y #2 | k=1 n#2`.
std::string Found(const std::string& facts, const std::string& text) {
  Sources sources;
  Diagnostics findings;
  const auto envelope = Envelope::Read(sources, sources.Add("e.yaml", "facts: " + facts), findings);
  REQUIRE(envelope);
  std::string problem;
  std::size_t budget = kMaxFactBytes;
  const ClaimFacts found = *envelope->Select(*ReadSelector(text, &problem), budget);
  std::string shape;
  for (const ClaimFacts::Value& value : found.values)
    shape += (shape.empty() ? "" : " ") + value.row();
  for (const std::size_t length : found.lengths) shape += " #" + std::to_string(length);
  for (const ClaimFacts::Nested& nested : found.nested)
    shape += " | " + nested.path +
             (nested.value ? "=" + nested.value->row() : "#" + std::to_string(nested.length));
  return shape;
}

TEST_CASE("what selectors find") {
  CHECK(Found("{a: {b: 1}}", "a.b") == "1");
  CHECK(Found("{m: [[1, 2], [3]]}", "m[1][0]") == "3");
  CHECK(Found("{m: [[1, 2], [3]]}", "m") == "1 2 3 #2");
  CHECK(Found("{i: [{id: 1}, {}, {id: 2}]}", "i[*].id") == "1 2");
  CHECK(Found("{a: [x]}", "a[5]") == "");
  CHECK(Found("{v: {k: 1, n: {m: [2, ~]}}}", "v") == "{object} | k=1 | n={object} | n.m=2 | n.m#2");
  CHECK(Found("{v: [{k: 1}, x]}", "v") == "{object} x #2 | k=1");
  CHECK(Found("{v: {'': x}}", "v") == "{object} | .=x");
  CHECK(Found("{v: ['{object}', '\\{object}', {}]}", "v") == "\\{object} \\\\{object} {object} #3");
  CHECK(Found("{v: [~, ~]}", "v") == " #2");
  CHECK(Found("{v: ~}", "v") == "");
}

TEST_CASE("a path that begins with facts leads from the root when it leads nowhere else") {
  CHECK(Found("{a: {b: x}}", "facts.a.b") == "x");
  CHECK(Found("{facts: {v: 1}, v: 2}", "facts.v") == "1");
  CHECK(Found("{facts: {v: ~}, v: 2}", "facts.v") == "");
  CHECK(Found("{facts: 1, v: 2}", "facts.v") == "2");
}

TEST_CASE("fields of a map with many keys are found") {
  std::string facts = "{";
  for (int i = 0; i < 100; ++i) facts += "k" + std::to_string(i) + ": v" + std::to_string(i) + ", ";
  CHECK(Found(facts + "}", "k73") == "v73");
  CHECK(Found(facts + "}", "k100") == "");
}

TEST_CASE("facts that need more than the budget are none") {
  // The path of each of many fields contains a long key.
  std::string facts = "facts: {v: {" + std::string(1000, 'k') + ": {";
  for (int i = 0; i < 1000; ++i) facts += "f" + std::to_string(i) + ": [1], ";
  Sources sources;
  Diagnostics findings;
  const auto envelope = Envelope::Read(sources, sources.Add("e.yaml", facts + "}}}"), findings);
  REQUIRE(envelope);
  std::string problem;
  const Selector selector = *ReadSelector("v", &problem);
  std::size_t budget = 10'000'000;
  CHECK(envelope->Select(selector, budget));
  CHECK(budget < 9'000'000);
  budget = 1'000'000;
  CHECK_FALSE(envelope->Select(selector, budget));
}

std::string EnvelopeFindings(const std::string& text) {
  Sources sources;
  Diagnostics findings;
  const bool read = Envelope::Read(sources, sources.Add("e.yaml", text), findings).has_value();
  CHECK(read == !findings.has_errors());
  std::string out;
  for (const Diagnostic& d : findings.all())
    out += CodeText(d.code) + " " + sources.Where(d.span) + " " + d.message + "\n";
  return out;
}

TEST_CASE("what is no envelope") {
  CHECK(EnvelopeFindings("facts: {a: 1}\nmore: 2\n") == "");
  CHECK(EnvelopeFindings("") == "RPL7106 e.yaml:1:1 the envelope has no `facts:`\n");
  CHECK(EnvelopeFindings("csv: {file: a}") == "RPL7106 e.yaml:1:1 the envelope has no `facts:`\n");
  CHECK(EnvelopeFindings("[1]") == "RPL7007 e.yaml:1:1 expected a map, got a list\n");
  CHECK(EnvelopeFindings("facts: [1]") ==
        "RPL7007 e.yaml:1:8 `facts`: expected a map, got a list\n");
  CHECK(EnvelopeFindings("facts: x") ==
        "RPL7007 e.yaml:1:8 `facts`: expected a map, got a string\n");
  CHECK(EnvelopeFindings("facts:") == "RPL7007 e.yaml:1:1 `facts`: expected a map, got nothing\n");
  CHECK(EnvelopeFindings("facts: {}") == "RPL7107 e.yaml:1:8 `facts`: the envelope has no facts\n");
}

}  // namespace
}  // namespace rpl
