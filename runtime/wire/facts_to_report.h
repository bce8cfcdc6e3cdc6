// SPDX-License-Identifier: Apache-2.0
//
// What a protocol leaves to who works through it: the facts that it reads and that no rule, no file
// and no question gives.
#ifndef RPL_RUNTIME_WIRE_FACTS_TO_REPORT_H_
#define RPL_RUNTIME_WIRE_FACTS_TO_REPORT_H_

#include <string>
#include <vector>

#include "interp/store/by.h"
#include "runtime/session.h"

namespace rpl {

struct FactToReport {
  std::string form;     // the relation with its columns: "finding(?file, ?line, ?weight, ?what)"
  std::string heading;  // above the first rule or constraint that reads it and has prose; or ""
  std::string text;     // the prose there
};

/// Those that the party may state (decision 92), in the order of the program.
std::vector<FactToReport> FactsToReport(const Session& session, By by);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_FACTS_TO_REPORT_H_
