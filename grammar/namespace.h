// SPDX-License-Identifier: Apache-2.0
//
// The namespace of a name: what its mark says, in texts (grammar/ast.h) and in values
// (interp/store/value.h).
#ifndef RPL_GRAMMAR_NAMESPACE_H_
#define RPL_GRAMMAR_NAMESPACE_H_

namespace rpl {

/// Given by the mark of a Call: none, `%` or `$`.
enum class Namespace { kRelation, kGoal, kTool };

}  // namespace rpl

#endif  // RPL_GRAMMAR_NAMESPACE_H_
