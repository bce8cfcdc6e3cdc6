// SPDX-License-Identifier: Apache-2.0
//
// Violated instances of constraints: how they are told, and what a person decided about them
// (§18.6, decision 95).
//
// A decision is the reply to a call `$what-now("…")` whose argument tells the failure; it holds for
// the instance that is told so.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_VIOLATIONS_H_
#define RPL_RUNTIME_STEP_VIOLATIONS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "interp/store/relation_id.h"
#include "interp/store/value.h"
#include "runtime/step/part_names.h"

namespace rpl {

struct Overridden;
struct ToDo;

class Violations {
 public:
  Violations(interp::Engine& engine, const Recorder& recorder, const Derivations& derivations);

  /// The failure in one line.
  std::string WhatOf(const Violated& v) const;
  /// The rows that a decision is about and the bindings do not tell: " by pay(1, 500)".
  std::string HiddenOf(const Violated& v) const;
  /// The rows that it rests on, with those that are counted or negated.
  std::vector<std::pair<RelationId, std::vector<Value>>> RowsOf(const Violated& v) const;
  /// The heading of the constraint with its prose, filled in.
  std::optional<ToDo> WordsOf(const Violated& v) const;
  /// "?a = 1" for each variable.
  std::vector<std::string> ValuesOf(const Violated& v) const;

  /// The ways out of it, other than to stop.
  std::vector<Way> WaysOut(const Violated& v) const;
  /// The call that asks what to do about a failure.
  std::string CallOf(std::string_view what) const;
  /// Whether somebody decided to go on in spite of it.
  bool IsAccepted(const Violated& v) const;
  /// Who did, and when. REQUIRES: it is accepted.
  Overridden OverriddenOf(const Violated& v) const;

 private:
  std::vector<Value> SlotsOf(const Violated& v) const;

  interp::Engine& engine_;
  const Recorder& recorder_;
  const Derivations& derivations_;
  RelationId what_now_;  // the decisions, by the text of the failure
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_VIOLATIONS_H_
