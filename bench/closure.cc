// SPDX-License-Identifier: Apache-2.0
//
// The transitive closure of a random sparse graph, about a million rows, from RPL text to
// the count of the closure. Prints rows and seconds; the graph is the same on every run.
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "runtime/session.h"

namespace {

constexpr int kNodes = 1250;
constexpr int kEdges = 2500;

// Counts pairs without an engine, to compare with.
std::size_t CountPairs(const std::vector<std::vector<int>>& next) {
  std::size_t pairs = 0;
  for (int from = 0; from < kNodes; ++from) {
    std::vector<bool> seen(kNodes, false);
    std::vector<int> open = next[static_cast<std::size_t>(from)];
    while (!open.empty()) {
      const auto node = static_cast<std::size_t>(open.back());
      open.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      ++pairs;
      open.insert(open.end(), next[node].begin(), next[node].end());
    }
  }
  return pairs;
}

double Since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Keeps what the query writes.
struct Listener : rpl::Agent {
  rpl::Answer Answer(const rpl::Request&, rpl::Pool&, bool) override { return {}; }
  void Chat(const std::string& line) override { said = line; }
  void OfferToContinue(const std::string&) override {}
  std::string said;
};

}  // namespace

int main() {
  std::mt19937 random(20240229);
  std::vector<std::vector<int>> next(kNodes);
  std::string program =
      "path(?x, ?y) <- edge(?x, ?y)\n"
      "path(?x, ?z) <- path(?x, ?y), edge(?y, ?z)\n";
  for (int i = 0; i < kEdges; ++i) {
    const unsigned from = random() % kNodes;
    const unsigned to = random() % kNodes;
    next[from].push_back(static_cast<int>(to));
    program += "edge(" + std::to_string(from) + ", " + std::to_string(to) + ")\n";
  }

  Listener listener;
  rpl::Session session(listener, {});
  auto start = std::chrono::steady_clock::now();
  session.Load("graph.rpl", program);
  const double load = Since(start);
  start = std::chrono::steady_clock::now();
  session.Say("query", "% <- ?n = |path(_, _)|, $json(?n)\n");
  std::printf("closure: %s rows (expected %zu), load %.3f s, derive %.3f s\n",
              listener.said.c_str(), CountPairs(next), load, Since(start));
  return 0;
}
