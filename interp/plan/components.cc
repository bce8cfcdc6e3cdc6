// SPDX-License-Identifier: Apache-2.0
//
// Tarjan's algorithm with a stack of its own.
#include "interp/plan/components.h"

#include <algorithm>

namespace rpl {

Components StronglyConnected(const std::vector<std::vector<std::uint32_t>>& to,
                             const std::vector<bool>& in) {
  const std::size_t n = to.size();
  Components out;
  out.of.assign(n, -1);
  std::vector<int> index(n, -1), low(n);
  std::vector<bool> on_stack(n);
  std::vector<std::uint32_t> stack;
  struct Visit {
    std::uint32_t at;
    std::size_t edge;
  };
  std::vector<Visit> work;
  int counter = 0;
  const auto enter = [&](std::uint32_t node) {
    index[node] = low[node] = counter++;
    stack.push_back(node);
    on_stack[node] = true;
    work.push_back({node, 0});
  };
  for (std::uint32_t root = 0; root < n; ++root) {
    if (index[root] >= 0 || !in[root]) continue;
    enter(root);
    while (!work.empty()) {
      const std::uint32_t at = work.back().at;
      if (work.back().edge < to[at].size()) {
        const std::uint32_t next = to[at][work.back().edge++];
        if (!in[next]) continue;
        if (index[next] < 0) enter(next);
        else if (on_stack[next]) low[at] = std::min(low[at], index[next]);
        continue;
      }
      work.pop_back();
      if (!work.empty()) low[work.back().at] = std::min(low[work.back().at], low[at]);
      if (low[at] != index[at]) continue;
      std::vector<std::uint32_t>& members = out.members.emplace_back();
      do {
        members.push_back(stack.back());
        on_stack[stack.back()] = false;
        out.of[stack.back()] = static_cast<int>(out.members.size()) - 1;
        stack.pop_back();
      } while (members.back() != at);
      std::sort(members.begin(), members.end());
    }
  }
  return out;
}

}  // namespace rpl
