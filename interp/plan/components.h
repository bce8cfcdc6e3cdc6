// SPDX-License-Identifier: Apache-2.0
//
// Strongly connected components of a graph, such as relations that need each other.
#ifndef RPL_INTERP_PLAN_COMPONENTS_H_
#define RPL_INTERP_PLAN_COMPONENTS_H_

#include <cstdint>
#include <vector>

namespace rpl {

struct Components {
  /// The component of each node; -1 for nodes that were left out.
  std::vector<int> of;
  /// The nodes of each, ascending. A component comes after all that its nodes point to.
  std::vector<std::vector<std::uint32_t>> members;
};

/// `to[n]` are the nodes that n points to; edges to and from nodes for which `in` is false do not
/// count. Linear in nodes and edges; does not recurse.
Components StronglyConnected(const std::vector<std::vector<std::uint32_t>>& to,
                             const std::vector<bool>& in);

}  // namespace rpl

#endif  // RPL_INTERP_PLAN_COMPONENTS_H_
