// SPDX-License-Identifier: Apache-2.0
#include "shell/script/isolation.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>

namespace rpl {
namespace {

TEST_CASE("a result of any size comes back") {
  const std::string large(1'000'000, 'x');
  const Isolated isolated = InOwnProcess([&] { return large; });
  CHECK(isolated.crash == "");
  CHECK(isolated.result == large);
}

TEST_CASE("a crash is told and changes nothing here") {
  int here = 1;
  const Isolated isolated = InOwnProcess([&]() -> std::string {
    here = 2;
    std::signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    return "done";
  });
  CHECK(isolated.crash == "Segmentation fault");
  CHECK(isolated.result == "");
  CHECK(here == 1);
  CHECK(InOwnProcess([]() -> std::string { _exit(3); }).crash == "exit 3");
}

}  // namespace
}  // namespace rpl
