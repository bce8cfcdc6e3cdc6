// SPDX-License-Identifier: Apache-2.0
//
// Programs that nest deeper than a small stack holds, on threads of several sizes.
#include "interp/eval/stack_room.h"

#include <pthread.h>

#include <catch2/catch.hpp>
#include <functional>
#include <string>

#include "interp/testing/testing.h"
#include "runtime/run/session.h"

namespace rpl {
namespace {

void OnStackOf(std::size_t kilobytes, std::function<void()> work) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  REQUIRE(pthread_attr_setstacksize(&attributes, kilobytes << 10) == 0);
  pthread_t thread;
  const auto run = [](void* of) -> void* {
    (*static_cast<std::function<void()>*>(of))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &work) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// The outcome of a program on a stack of this size.
std::string OutcomeOn(std::size_t kilobytes, const std::string& program) {
  std::string out;
  OnStackOf(kilobytes, [&] {
    testing::Silent agent;
    Session session(agent, {});
    session.Load("deep.rpl", program);
    const Outcome outcome = session.Run();
    out = std::string(StatusName(outcome.status)) + ": " + outcome.reason;
  });
  return out;
}

// `links` relations, each of which calls the one before it.
std::string Chain(int links, const std::string& first, const std::string& call) {
  std::string out = first + "\n";
  for (int i = 1; i < links; ++i) {
    std::string link = call;
    for (std::size_t at; (at = link.find("NEXT")) != link.npos;)
      link.replace(at, 4, std::to_string(i));
    for (std::size_t at; (at = link.find("LAST")) != link.npos;)
      link.replace(at, 4, std::to_string(i - 1));
    out += link + "\n";
  }
  return out;
}

TEST_CASE("calls that nest deeper than the stack reach a limit that names it") {
  const std::string last = std::to_string(9'999);
  const struct {
    const char* what;
    std::string program;
  } kCases[] = {
      {"relations that need their caller",
       Chain(10'000, "p0(?x, ?y) <- ?y = ?x", "pNEXT(?x, ?y) <- pLAST(?x, ?z), ?y = ?z + 1") +
           "% <- p" + last + "(1, _)\n"},
      {"one relation",
       "p(0, 0)\np(?x, ?y) <- ?x > 0, ?w = ?x - 1, p(?w, ?z), ?y = ?z + 1\n"
       "% <- p(9999, _)\n"},
      {"negations",
       Chain(10'000, "p0(?x) <- ?x > 5", "pNEXT(?x) <- not pLAST(?x)") + "% <- p" + last + "(1)\n"},
      {"goals", Chain(10'000, "%g0 <- f(1)\nf(1)", "%gNEXT <- %gLAST") + "% <- %g" + last + "\n"},
  };
  for (const auto& c : kCases) {
    INFO(c.what);
    for (const std::size_t kilobytes : {512, 2048, 8192}) {
      // The system may give a stack that an earlier thread left, which is larger.
      const std::string out = OutcomeOn(kilobytes, c.program);
      INFO(out);
      CHECK(out.starts_with("limit: %fail(\"limit reached: "));
      CHECK(out.find(" kB of stack\", \"evaluation stopped while `") != out.npos);
    }
    CHECK(OutcomeOn(256 << 10, c.program).find("stack") == std::string::npos);
  }
}

TEST_CASE("memory in place of the stack counts while it is named") {
  static char memory[1 << 20];
  const std::size_t before = StackKilobytes();
  CHECK(!IsStackShort());
  {
    const OtherStack other(memory, sizeof memory);
    CHECK(StackKilobytes() == 1024);
    CHECK(!IsStackShort());  // this is not on it
    CHECK(IsStackShortAt(reinterpret_cast<std::uintptr_t>(memory) + 1000));
    CHECK(!IsStackShortAt(reinterpret_cast<std::uintptr_t>(memory) + sizeof memory / 2));
  }
  CHECK(StackKilobytes() == before);
}

}  // namespace
}  // namespace rpl
