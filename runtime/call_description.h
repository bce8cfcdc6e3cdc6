// SPDX-License-Identifier: Apache-2.0
//
// The description of the call that a guard decides, as relations of the library (std/std.md, "The
// call under decision"): the calls of this run, how long they took, metrics, tags, subjects,
// signals, the end user and the local time. Policies read the same values
// (checks/guard/condition.h); what they find unknown is not known here either.
#ifndef RPL_RUNTIME_CALL_DESCRIPTION_H_
#define RPL_RUNTIME_CALL_DESCRIPTION_H_

#include <string>
#include <string_view>

#include "checks/guard/guard_call.h"
#include "checks/guard/history.h"
#include "interp/program/builtins.h"

namespace rpl {

/// Borrows its arguments. `zone` is that of the organisation, or "". `sources` provides subjects
/// and signals while the guard is evaluated, so it must not evaluate itself.
class CallDescription : public DecidedCall {
 public:
  CallDescription(const GuardCall& call, const History& history, const std::string& zone,
                  Moment now, GuardSources& sources)
      : call_(call), history_(history), zone_(zone), now_(now), sources_(sources) {}

  bool Describe(std::string_view label, BuiltinCall& to) const override;

 private:
  void Called(BuiltinCall& to) const;
  void CalledTag(BuiltinCall& to) const;
  bool EndUserTag(BuiltinCall& to) const;
  bool Local(BuiltinCall& to) const;
  bool Metric(BuiltinCall& to) const;
  bool Signal(BuiltinCall& to) const;
  bool Subjects(BuiltinCall& to) const;
  bool Took(BuiltinCall& to) const;

  const GuardCall& call_;
  const History& history_;
  const std::string& zone_;
  const Moment now_;
  GuardSources& sources_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_CALL_DESCRIPTION_H_
