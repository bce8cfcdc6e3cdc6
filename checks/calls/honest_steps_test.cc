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
       {"mv src/a.c secret", "secret/a.c src/a.c"},
       {"mv src/a.c secret/", "secret/a.c src/a.c"},
       {"git mv src/a.c src/b.c", "src/b.c src/a.c"},
       {"cp src/a.c docs/b.txt", "docs/b.txt"},
       {"cp src/a.c new/", "new new/a.c"},
       {"mkdir new && mv src/a.c new", "new new/a.c src/a.c"},
       {"mkdir -p new; cp src/a.c new", "new new/a.c"},
       {"rm src/a.c; mv src src/a.c; mv src/a.c x", "src/a.c src/a.c/src src x x/a.c ?src/ ?x/"},
       {"for i in 1 2; do cp src/a.c new; mkdir new; done", "new new/a.c"},
       // The folder may be there before the file is copied.
       {"(sleep 1; cp src/a.c new) & mkdir new", "new new/a.c"},
       {"{ sleep 1; cp src/a.c new; } | mkdir new", "new new/a.c"},
       {"cat <(sleep 1; cp src/a.c new) & mkdir new", "new new/a.c"},
       {"trap 'cp src/a.c new' EXIT; mkdir new", "new new/a.c ?"},
       {"setsid -f sh -c 'sleep 1; cp src/a.c new'; mkdir new", "new new/a.c"},
       {"find . -exec cp src/a.c new ';' -exec mkdir new ';'", "new new/a.c"},
       {"mv src new", "new new/src src ?new/ ?src/"}});
}

TEST_CASE("what a call does: what is removed with a small folder is known") {
  CheckEdits({{"rm -rf src", "src/a.c src"},
              {"rm -r link/", "secret/key.txt secret"},
              {"cd src && rm -rf .", "src/a.c src"},
              {"rm -rf none", "none ?none/"},
              {"mkdir new && rm -rf new", "new ?new/"},
              {"mv secret/key.txt src && rm -rf src", "src/key.txt secret/key.txt src/a.c src"},
              {"cp -r secret src && rm -rf src", "src src/secret ?src/"},
              {"rm -rf .", ". ?"},
              {"cp src/a.c secret/..", "a.c"},
              {"git clean -nfd", ""},
              {"git clean --dry-run", ""},
              {"git clean -fd src", "src ?src/"},
              {"rpl check src/a.c", ""}});
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

TEST_CASE("what a call does: commands of git that write no file of the tree") {
  CheckEdits({{"git checkout -b x", ""},
              {"git switch -c x", ""},
              {"git stash list", ""},
              {"git stash show -p", ""},
              {"git reset HEAD src/a.c", ""},
              {"git reset --soft HEAD~1", ""},
              {"git worktree list", ""},
              {"git format-patch --stdout main", ""},
              {"git apply --check d", ""},
              {"git apply --stat d", ""},
              {"git submodule status", ""},
              {"git bisect log", ""},
              {"git clone https://x.org/y /tmp/z", "/tmp/z ?/tmp/z/"},
              {"git clone --depth 1 -b main https://x.org/y z", "z ?z/"},
              // These do.
              {"git checkout -b x main", "?"},
              {"git checkout main", "?"},
              {"git checkout -b $x", "?"},
              {"git switch x", "?"},
              {"git stash", "?"},
              {"git stash show --output=x", "?"},
              {"git reset --hard", "?"},
              {"git reset --merge", "?"},
              {"git worktree add x", "?"},
              {"git format-patch -o x --stdout main", "?"},
              {"git apply --check --apply d", "?"},
              {"git apply d", "?"},
              {"git clone https://x.org/y", "?"},
              {"git clone $x y", "?"},
              {"git submodule update", "?"},
              {"git bisect start", "?"},
              {"GIT_DIR=x git stash list", "?"}});
}

TEST_CASE("what a call does: formatters read, or write the files that are named") {
  CheckEdits({{"ruff check .", ""},
              {"ruff format --check .", ""},
              {"eslint src", ""},
              {"eslint src --ext .ts", ""},
              {"black --check src", ""},
              {"black --diff src/a.c", ""},
              {"prettier --check .", ""},
              {"prettier -c .", ""},
              {"prettier -l .", ""},
              {"gofmt -l .", ""},
              {"gofmt -d src", ""},
              {"clang-format --dry-run src/a.c", ""},
              {"clang-format src/a.c", ""},
              {"black src/a.c", "src/a.c"},
              {"black -l 100 src/a.c", "src/a.c"},
              {"clang-format -i src/a.c", "src/a.c"},
              {"prettier --write src/a.c secret/key.txt", "src/a.c secret/key.txt"},
              {"eslint --fix src/a.c", "src/a.c"},
              {"ruff check --fix src/a.c", "src/a.c"},
              {"ruff format src/a.c", "src/a.c"},
              {"gofmt -w src/a.c", "src/a.c"},
              // These may write others.
              {"black .", "?"},
              {"black src", "?"},
              {"black $x", "?"},
              {"prettier --write .", "?"},
              {"prettier $x", "?"},
              {"ruff check --fix", "?"},
              {"ruff $x", "?"},
              {"eslint --fix .", "?"},
              {"eslint -o x src", "?"},
              {"gofmt -w .", "?"},
              {"clang-format -i src/*.c", "?"},
              {"clang-format --files=x -i src/a.c", "?"},
              {"dos2unix x", "?"},
              {"isort", "?"},
              {"git ls-files | xargs clang-format", "?"}});
}

TEST_CASE("what a call does: archives that are listed, or written") {
  CheckEdits({{"tar tf x", ""},
              {"tar tzf x", ""},
              {"tar -tvf x src", ""},
              {"unzip -l x", ""},
              {"tar czf /tmp/x.tgz src", "/tmp/x.tgz"},
              {"tar -cf x --exclude=y -C src .", "x"},
              {"tar czf - src > x", "x"},
              // These do more.
              {"tar xf x", "?"},
              {"tar tf x -x", "?"},
              {"tar cf x --remove-files src", "?"},
              {"tar cf h:x src", "?"},
              {"tar cf $x src", "?"},
              {"tar tf x $y", "?"},
              {"tar cTf y x", "?"},
              {"unzip x", "?"},
              {"unzip -lo x", "?"}});
}

TEST_CASE("what a call does: programs of packages run as what they are") {
  TestProject project;
  for (const char* const command :
       {"npx tsc --noEmit", "npx -y tsc", "npx tsc@5 x", "npm exec -- tsc", "npm exec tsc",
        "yarn exec tsc", "pnpm exec tsc", "bunx tsc", "uvx tsc", "uv run tsc x",
        "uv run --with x tsc", "uv run --frozen -- tsc", "poetry run tsc", "pipenv run tsc",
        "bundle exec tsc", "pdm run tsc", "hatch run tsc", "hatch run test:tsc",
        "npx ./node_modules/.bin/tsc"}) {
    INFO(command);
    const CallViews views = project.Shell(command);
    CHECK(Runs(views, "tsc", {}) == Answer::kYes);
    CHECK(views.open_runs.empty());
    CHECK(Edits(views) == "");
  }
  CHECK(Runs(project.Shell("npx tsc"), "npx", {"tsc"}) == Answer::kYes);
  CHECK(Runs(project.Shell("uv run tsc"), "uv", {"run", "tsc"}) == Answer::kYes);
  CHECK(Edits(project.Shell("npx prettier --check .")) == "");
  CHECK(Edits(project.Shell("uv run rm src/a.c")) == "src/a.c");
  for (const char* const command : {"npx git push",
                                    "npx --new x git push",
                                    "npx -c 'git push'",
                                    "npm exec -c 'git push'",
                                    "npm exec --new x git push",
                                    "uv run git push",
                                    "uv run --new x git push",
                                    "uv run -m x",
                                    "uv run $x",
                                    "poetry run git push",
                                    "poetry run sh -c 'git push'",
                                    "pipenv run git push",
                                    "bundle exec git push",
                                    "pdm run git push",
                                    "hatch run git push",
                                    "hatch run 'git push'",
                                    "hatch run x ';' git push",
                                    "npx $x",
                                    "npx \"$x\" push",
                                    "uvx --new x git push"}) {
    INFO(command);
    CHECK(Runs(project.Shell(command), "git", {"push"}) != Answer::kNo);
  }
}

}  // namespace rpl
