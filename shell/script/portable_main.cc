// SPDX-License-Identifier: Apache-2.0
//
// usage: rpl_scripts FILE…
//
// Runs test scripts where there are no processes (./dev wasm): each in this one. A script that
// needs a command, the calls of a host or a time zone is left out, and counted. Prints the
// failures; the last line is `N passed, N failed, N left out`.
#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "shell/script/script_runner.h"
#include "shell/script/test_script.h"

namespace {

int NoCommands(int, char**) { return 70; }

// A command needs processes, the calls of a host a database.
bool IsLeftOut(const rpl::Script& script) {
  using rpl::TestStepKind;
  constexpr std::array kinds = {TestStepKind::kCommand, TestStepKind::kCall, TestStepKind::kResult,
                                TestStepKind::kEnds};
  return std::ranges::any_of(script.steps, [&](const rpl::ScriptStep& step) {
    return std::ranges::find(kinds, step.kind) != kinds.end();
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t passed = 0, failed = 0, left_out = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    rpl::Sources sources;
    const std::uint32_t number =
        sources.Add(argv[i], std::string(std::istreambuf_iterator<char>(file), {}));
    for (const rpl::TestCase& test : rpl::ReadTestCases(sources, number))
      for (const rpl::Script& script : test.scripts) {
        if (IsLeftOut(script)) {
          ++left_out;
          continue;
        }
        std::string failure;
        try {
          failure = rpl::RunScript(script, NoCommands).value_or("");
        } catch (const std::exception& e) {
          failure = std::string("an exception: ") + e.what() + "\n";
        }
        if (failure.find("there is no time zone") != failure.npos) {  // UTC alone is known
          ++left_out;
          continue;
        }
        ++(failure.empty() ? passed : failed);
        if (!failure.empty())
          std::cout << argv[i] << ": " << test.name << '\n' << failure << std::endl;
      }
  }
  std::cout << passed << " passed, " << failed << " failed, " << left_out << " left out\n";
  return failed == 0 ? 0 : 1;
}
