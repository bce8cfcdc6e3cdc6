// SPDX-License-Identifier: Apache-2.0
//
// The facts that a protocol leaves to the person or agent who works through it: it reads them, and
// no rule, file or question gives them.
#ifndef RPL_RUNTIME_RUN_FACTS_TO_REPORT_H_
#define RPL_RUNTIME_RUN_FACTS_TO_REPORT_H_

#include <functional>
#include <string>
#include <vector>

#include "interp/program/program.h"
#include "interp/store/by.h"

namespace rpl {

class Session;

struct FactToReport {
  std::string form;     // the relation with its columns: "finding(?file, ?line, ?weight, ?what)"
  std::string heading;  // above the first rule or constraint that reads it and has prose; or ""
  std::string text;     // the prose there
};

/// Calls fn for each atom that the rules read, then for each that the constraints do, with the
/// names of its slots and the place of the rule or constraint.
void ForEachReading(
    const Program& program,
    const std::function<void(const Atom& atom, const std::vector<std::string>& slots, Span place)>&
        fn);

/// Those that the party may state (decision 92), in the order of the program.
std::vector<FactToReport> FactsToReport(const Session& session, By by);

}  // namespace rpl

#endif  // RPL_RUNTIME_RUN_FACTS_TO_REPORT_H_
