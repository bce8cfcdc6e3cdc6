// SPDX-License-Identifier: Apache-2.0
#include "shell/script/junit_report.h"

#include <fmt/format.h>

#include <span>

#include "shell/script/markup.h"

namespace rpl {
namespace {

// tests="2" failures="1" errors="0" time="0.010"
std::string TallyAttributes(std::span<const CaseResult> cases, std::string_view more = "") {
  std::size_t failures = 0;
  std::size_t errors = 0;
  double seconds = 0;
  for (const CaseResult& test : cases) {
    if (!test.message.empty()) ++(test.malformed ? errors : failures);
    seconds += test.seconds;
  }
  return fmt::format(R"(tests="{}" failures="{}" errors="{}"{} time="{:.3f}")", cases.size(),
                     failures, errors, more, seconds);
}

std::string CaseText(const CaseResult& test) {
  const std::string file = MarkupText(test.file);
  std::string out =
      fmt::format(R"(    <testcase classname="{}" name="{}" file="{}" line="{}" time="{:.3f}")",
                  file, MarkupText(test.name), file, test.line, test.seconds);
  if (test.message.empty()) return out + "/>\n";
  const char* const element = test.malformed ? "error" : "failure";
  return out + fmt::format(">\n      <{0} message=\"{1}\">{2}</{0}>\n    </testcase>\n", element,
                           MarkupText(test.message.substr(0, test.message.find('\n'))),
                           MarkupText(test.message));
}

}  // namespace

std::string JunitReport(const std::vector<CaseResult>& cases) {
  std::string out =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rpl test\" {}>\n",
                  TallyAttributes(cases));
  for (std::size_t begin = 0; begin < cases.size();) {
    std::size_t end = begin;
    while (end < cases.size() && cases[end].file == cases[begin].file) ++end;
    const auto suite = std::span(cases).subspan(begin, end - begin);
    out += fmt::format("  <testsuite name=\"{}\" {}>\n", MarkupText(cases[begin].file),
                       TallyAttributes(suite, R"( skipped="0")"));
    for (const CaseResult& test : suite) out += CaseText(test);
    out += "  </testsuite>\n";
    begin = end;
  }
  return out + "</testsuites>\n";
}

}  // namespace rpl
