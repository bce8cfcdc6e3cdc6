// SPDX-License-Identifier: Apache-2.0
//
// Visits by overloads, one for each kind or group of kinds. None is a default, so the compiler
// reports each visit that lacks a kind which was added.
//
//   Visit(node,
//         [&](const Lvar& v) { … },
//         [&](const Among<Within, Between> auto& v) { … v.parts … },
//         …);
#ifndef RPL_GRAMMAR_VISIT_H_
#define RPL_GRAMMAR_VISIT_H_

#include <type_traits>

namespace rpl {

/// Functions called as one.
template <typename... Fns>
struct Overloaded : Fns... {
  using Fns::operator()...;
};
template <typename... Fns>
Overloaded(Fns...) -> Overloaded<Fns...>;

/// T is one of these kinds, const or not.
template <typename T, typename... Kinds>
concept Among = (std::is_same_v<std::remove_const_t<T>, Kinds> || ...);

/// What no visit may take: a function that does would take any kind.
struct NoKind {};

}  // namespace rpl

#endif  // RPL_GRAMMAR_VISIT_H_
