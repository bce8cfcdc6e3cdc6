// SPDX-License-Identifier: Apache-2.0
//
// Where an embedded engine evaluates.
#ifndef RPL_EMBED_LARGE_STACK_H_
#define RPL_EMBED_LARGE_STACK_H_

#include <functional>

namespace rpl {

/// Runs `work` on a thread of its own with a stack so large that a deep evaluation ends at a
/// limit that is counted, or right here if the system gives none. Returns when it is done.
/// REQUIRES: `work` does not throw.
void RunOnLargeStack(std::function<void()> work);

}  // namespace rpl

#endif  // RPL_EMBED_LARGE_STACK_H_
