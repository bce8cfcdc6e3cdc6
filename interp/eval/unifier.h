// SPDX-License-Identifier: Apache-2.0
//
// Unification of patterns with values (§3, §6, §7, §8).
//
// One side is always ground: stored rows are, and a plan runs a clause only when its
// inputs are known. So unification is matching, and building is its inverse. `slots` are
// the bindings of the rule; an occurrence with `binds` writes its slot, any other
// compares with it. Slots need no undo: every slot that a plan reads was written by an earlier
// step of the same path.
//
// Sets and maps can match in several ways (decision 31); each is an answer, in written order.
// Neither function recurses deeper than the pattern.
#ifndef RPL_INTERP_EVAL_UNIFIER_H_
#define RPL_INTERP_EVAL_UNIFIER_H_

#include <type_traits>

#include "interp/program/clause.h"
#include "interp/store/value.h"

namespace rpl {

/// A non-owning reference to a callable `bool()`: an argument of a call, or a named local.
/// A result of false stops the caller.
class Continuation {
 public:
  template <typename Fn, typename = std::enable_if_t<!std::is_same_v<std::decay_t<Fn>,
                                                                     Continuation>>>
  Continuation(Fn&& fn)  // NOLINT: a reference by design
      : object_(const_cast<void*>(static_cast<const void*>(&fn))),
        call_([](void* object) { return (*static_cast<std::remove_reference_t<Fn>*>(object))(); }) {
  }
  bool operator()() const { return call_(object_); }

 private:
  void* object_;
  bool (*call_)(void*);
};

/// The value a pattern denotes; kNone when a part has none (an unbound slot, a value
/// nested too deep, a value with no text in a template). Inside a term, `_` gives kWild
/// and, when `names` is given, an unbound slot gives its name as a Slot value (§3: the
/// syntax reading).
Value Build(Pool& pool, const Pattern& pattern, const Value* slots,
            const std::vector<std::string>* names = nullptr);

/// Calls `then` for each way in which `value` matches; false when `then` stopped it. `order`: the
/// parts of a set or map in another order than the value's own, or empty.
bool Unify(Pool& pool, const Pattern& pattern, Value value, Value* slots, Continuation then,
           std::span<const Value> order = {});

/// The same for `value = ~ pattern`: a set against a pattern that is no set gives one
/// instance per element (§7).
bool UnifyEach(Pool& pool, const Pattern& pattern, Value value, Value* slots, Continuation then,
               std::span<const Value> order = {});

}  // namespace rpl

#endif  // RPL_INTERP_EVAL_UNIFIER_H_
