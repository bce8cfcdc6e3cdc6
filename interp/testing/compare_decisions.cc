// SPDX-License-Identifier: Apache-2.0
//
// usage: compare_decisions N [--seed FIRST]
//
// Decides about N random calls under random policies in two ways (random_decision.h), and prints
// those that differ. The last line is `N passed, N failed`.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "interp/testing/random_decision.h"

int main(int argc, char** argv) {
  unsigned long count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  unsigned long first = 0;
  if (argc == 4 && std::string(argv[2]) == "--seed") first = std::strtoul(argv[3], nullptr, 10);
  else if (argc != 2) count = 0;
  if (count == 0) {
    std::fputs("usage: compare_decisions N [--seed FIRST]\n", stderr);
    return 2;
  }
  unsigned long failed = 0;
  for (unsigned long i = 0; i < count; ++i)
    if (const auto difference = rpl::CompareDecision(static_cast<unsigned>(first + i))) {
      ++failed;
      std::fputs(difference->c_str(), stdout);
    }
  std::printf("%lu passed, %lu failed\n", count - failed, failed);
  return failed == 0 ? 0 : 1;
}
