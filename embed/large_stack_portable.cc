// SPDX-License-Identifier: Apache-2.0
//
// Where a thread cannot change its stack, evaluation has that of the caller.
#include "embed/large_stack.h"

namespace rpl {

LargeStack::LargeStack() = default;
LargeStack::~LargeStack() = default;
void LargeStack::Run(const std::function<void()>& work) { work(); }

}  // namespace rpl
