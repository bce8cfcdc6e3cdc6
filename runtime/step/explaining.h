// SPDX-License-Identifier: Apache-2.0
//
// Explanations of the state after a timestep, and why there may be more to it: what a run would
// report instead of an answer (Judge), an explanation reports instead of an absence.
//
// All state is restored after an explanation; the tables are dropped.
//
// Borrows its arguments. One thread.
#ifndef RPL_RUNTIME_STEP_EXPLAINING_H_
#define RPL_RUNTIME_STEP_EXPLAINING_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/step/part_names.h"

namespace rpl {

struct ExplainLimits;
struct Explained;

class Explaining {
 public:
  struct Parts {
    interp::Engine& engine;
    const SessionOptions& options;
    Budget& budget;
    const SourceFeed& sources;
    const RequestWriter& requests;
    const Judge& judge;
  };
  explicit Explaining(Parts run) : run_(std::move(run)), engine_(run_.engine) {}

  /// Explains the facts of `form`, a query of one call, in `why`, or their absence in `why_not`,
  /// with the `doubt` that there is.
  void Explain(const Definition& form, const ExplainLimits& limits, std::size_t absence_depth,
               Explained& to);

 private:
  bool IsOneFact(const Definition& form) const;
  void TakeDoubt(const Evaluation& found, const std::vector<OpenCall>& calls, bool lacks,
                 Explained& to) const;
  void TakeCutOff(Explained& to) const;
  void ExplainHere(const Definition& form, const ExplainLimits& limits, std::size_t absence_depth,
                   Explained& to);

  const Parts run_;
  interp::Engine& engine_;
};

}  // namespace rpl

#endif  // RPL_RUNTIME_STEP_EXPLAINING_H_
