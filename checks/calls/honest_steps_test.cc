// SPDX-License-Identifier: Apache-2.0
//
// Steps of every day that write no file, or only files that are known.
#include <catch2/catch.hpp>

#include "checks/calls/call_test.h"

namespace rpl {
namespace {

std::string Edits(const CallViews& views) {
  std::string out;
  for (const std::string& path : views.edits) out += (out.empty() ? "" : " ") + path;
  for (const std::string& start : views.open_edits) out += (out.empty() ? "?" : " ?") + start;
  return out;
}

struct Step {
  const char* command;
  const char* edits;  // open ones with `?`
};

template <std::size_t count>
void CheckEdits(const Step (&steps)[count]) {
  TestProject project;
  for (const Step& step : steps) {
    INFO(step.command);
    CHECK(Edits(project.Shell(step.command)) == step.edits);
  }
}

}  // namespace

TEST_CASE("what a call does: a file that is moved or copied has one new path") {
  CheckEdits(
      {{"mv src/a.c src/b.c", "src/b.c src/a.c"},
       {"mv src/a.c secret", "secret secret/a.c src/a.c"},
       {"mv src/a.c secret/", "secret secret/a.c src/a.c"},
       {"git mv src/a.c src/b.c", "src/b.c src/a.c"},
       {"cp src/a.c docs/b.txt", "docs/b.txt"},
       {"cp src/a.c new/", "new new/a.c"},
       {"mkdir new && mv src/a.c new", "new new/a.c src/a.c"},
       {"mkdir -p new; cp src/a.c new", "new new/a.c"},
       {"rm src/a.c; mv src src/a.c; mv src/a.c x", "src/a.c src/a.c/src src x x/a.c ?src/ ?x/"},
       {"for i in 1 2; do cp src/a.c new; mkdir new; done", "new new/a.c"},
       {"mv src new", "new new/src src ?new/ ?src/"}});
}

TEST_CASE("what a call does: programs that read write nothing, whatever they read") {
  CheckEdits({{"for f in src/*.c; do wc -l \"$f\"; done", ""},
              {"git ls-files | xargs wc -l", ""},
              {"git ls-files | xargs cat", ""},
              {"git ls-files | xargs head -n 1", ""},
              {"git ls-files | xargs grep -c x", ""},
              {"source-highlight --output x src/a.c", "x"},
              {"tree -o x", "x"}});
}

}  // namespace rpl
