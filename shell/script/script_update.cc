// SPDX-License-Identifier: Apache-2.0
//
// The new text is read again and compared: that decides whether a line can stand in a body, and no
// list of the lines that cannot.
#include "shell/script/script_update.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rpl {
namespace {

// The lines of the text, each with its end.
std::vector<std::string> LinesWithEnds(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == text.npos ? text.size() : end + 1;
    lines.emplace_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return lines;
}

std::string_view EndOf(std::string_view line) {
  return line.ends_with("\r\n") ? "\r\n" : line.ends_with('\n') ? "\n" : "";
}

// The step with its new expectation.
ScriptStep WithExpectation(ScriptStep step, const NewExpectation& expectation) {
  if (expectation.argument) step.argument = expectation.lines.front();
  else step.body = expectation.lines;
  return step;
}

bool SameStep(const ScriptStep& a, const ScriptStep& b) {
  return a.kind == b.kind && a.argument == b.argument && a.body == b.body;
}

// Whether the case is the old one with these expectations.
bool ReadsAs(const TestCase& got, const TestCase& old,
             const std::map<std::uint32_t, const NewExpectation*>& by_line) {
  if (got.name != old.name || !got.errors.empty() || got.scripts.size() != old.scripts.size())
    return false;
  for (std::size_t i = 0; i < old.scripts.size(); ++i) {
    const auto& steps = old.scripts[i].steps;
    const auto same = [&](const ScriptStep& is, const ScriptStep& was) {
      const auto at = by_line.find(was.line);
      return SameStep(is, at == by_line.end() ? was : WithExpectation(was, *at->second));
    };
    const auto& read = got.scripts[i].steps;
    if (!std::equal(read.begin(), read.end(), steps.begin(), steps.end(), same)) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string> WithExpectations(const std::string& path, std::string_view text,
                                            const TestCase& test, std::size_t number,
                                            const std::vector<NewExpectation>& expected) {
  std::map<std::uint32_t, const NewExpectation*> by_line;
  for (const NewExpectation& expectation : expected) by_line[expectation.line] = &expectation;
  std::vector<std::string> lines = LinesWithEnds(text);
  for (auto script = test.scripts.rbegin(); script != test.scripts.rend(); ++script)
    for (auto step = script->steps.rbegin(); step != script->steps.rend(); ++step) {
      const auto at = by_line.find(step->line);
      if (at == by_line.end()) continue;
      std::string& directive = lines[step->line - 1];
      const std::string end(EndOf(directive));
      if (at->second->argument) {
        directive = step->name + ": " + at->second->lines.front() + end;
        continue;
      }
      std::vector<std::string> body;
      for (const std::string& line : at->second->lines) body.push_back(line + end);
      const auto from = lines.begin() + step->line;
      const auto after = lines.erase(from, from + static_cast<std::ptrdiff_t>(step->body.size()));
      lines.insert(after, body.begin(), body.end());
    }
  std::string out;
  for (const std::string& line : lines) out += line;
  Sources sources;
  const std::vector<TestCase> cases = ReadTestCases(sources, sources.Add(path, out));
  if (number >= cases.size() || !ReadsAs(cases[number], test, by_line)) return std::nullopt;
  Sources old_sources;
  if (ReadTestCases(old_sources, old_sources.Add(path, std::string(text))).size() != cases.size())
    return std::nullopt;
  return out;
}

}  // namespace rpl
