#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# usage: shell/embed_test.sh [BUILD]
#
# Installs what is built in the folder BUILD, build by default, and builds and runs
# examples/embed against it, as somebody who embeds the engine would. The program must print
# examples/embed/output.txt, and docs/embedding.md must show the files of the example as they
# are. The last line is `N passed, N failed`.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
. shell/installed.sh
build=${1:-build}
example=examples/embed

# The headers by themselves, under warnings of their own.
compile_header() {
  printf '#include "rpl/rpl.h"\n#include "rpl/checks.h"\n' >"$folder/header.cc"
  c++ -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror -I "$folder/rpl/include" \
    -fsyntax-only "$folder/header.cc"
}

configure() {
  cmake -S "$example" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/rpl" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Wpedantic -Wshadow -Werror"
}

run() {
  "$folder/build/returns_desk" "$example/returns.md" >"$folder/output"
  local status=$?
  diff -u "$example/output.txt" "$folder/output" && ((status == 0))
}

# A program whose calls a policy decides about.
guarded() {
  mkdir -p "$folder/guarded" && cat >"$folder/guarded/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(guarded LANGUAGES CXX)
find_package(rpl REQUIRED)
add_executable(guarded main.cc)
target_link_libraries(guarded PRIVATE rpl::rpl)
END
  cat >"$folder/guarded/main.cc" <<'END'
#include <iostream>
#include "rpl/rpl.h"
using rpl::Engine;
int main() {
  Engine::Options options;
  options.policy = R"({"rules": [{"priority": 1, "enabled": true, "name": "no-mail",
    "selector": {"phase": "tool.before", "tool": {"name": "mail"}},
    "condition": {"kind": "toolName", "op": "eq", "value": "mail"},
    "effect": {"type": "block", "reason": "nothing is mailed"}}]})";
  options.tool = [](const std::string& tool, const std::string&) {
    std::cout << "called " << tool << '\n';
    return Engine::Reply::Json("1");
  };
  Engine engine(std::move(options));
  engine.Load("p.rpl", "% <- $note(1) ^ ~ {:result ?n}, $mail(2) ^ ~ {:result ?r}\n");
  const Engine::Outcome outcome = engine.Run();
  std::cout << Engine::Name(outcome.status) << ": " << outcome.reason << '\n';
}
END
  cmake -S "$folder/guarded" -B "$folder/guarded/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/rpl" \
    -DCMAKE_CXX_FLAGS="-std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Werror" &&
    cmake --build "$folder/guarded/build" && "$folder/guarded/build/guarded" >"$folder/guarded/out" &&
    grep -qxF "called note" "$folder/guarded/out" && ! grep -qF "called mail" "$folder/guarded/out" &&
    grep -qF "nothing is mailed" "$folder/guarded/out"
}

# fence FILE INFO: the first fence of the page with this info string is the file.
fence() {
  awk -v info="$2" '
    $0 ~ /^````*[^`]*$/ {
      match($0, /^`*/)
      if (mark == "") { mark = substr($0, 1, RLENGTH); open = (substr($0, RLENGTH + 1) == info) }
      else if ($0 == mark) { if (open) exit; mark = "" }
      else if (open) print
      next
    }
    mark != "" && open { print }' docs/embedding.md | diff -u "$1" -
}

check "the library is installed" install "$build"
check "the program is installed" "$folder/rpl/bin/rpl" --version
check "the header is complete" compile_header
check "the example finds the package" configure
check "the example is built" cmake --build "$folder/build"
check "the example prints $example/output.txt" run
check "a policy guards a program that is built with the library" guarded
check "the protocol is clean" "$folder/rpl/bin/rpl" check --strict "$example/returns.md"
check "docs/embedding.md shows main.cc" fence "$example/main.cc" cpp
check "docs/embedding.md shows CMakeLists.txt" fence "$example/CMakeLists.txt" cmake
check "docs/embedding.md shows returns.md" fence "$example/returns.md" markdown
check "docs/embedding.md shows output.txt" fence "$example/output.txt" text

finish
