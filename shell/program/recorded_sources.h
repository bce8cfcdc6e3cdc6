// SPDX-License-Identifier: Apache-2.0
//
// Sources that a session recorded as queries (`record: query`): how a replay has their rows again.
//
// They are read by the `rpl.yaml` beside the program, if that lies in the tree of the session
// (IsInTree): what a session names, it does not reach by itself.
#ifndef RPL_SHELL_PROGRAM_RECORDED_SOURCES_H_
#define RPL_SHELL_PROGRAM_RECORDED_SOURCES_H_

#include <memory>
#include <string>
#include <vector>

#include "runtime/ports.h"
#include "runtime/record/journal.h"

namespace rpl {

/// Reads the recorded sources. Complains about a configuration that has errors.
std::shared_ptr<SourceAccess> ReaderOfRecorded(const std::string& session,
                                               const std::vector<Event>& events);

/// What could not be checked, and what is not as it was recorded, of the sources of `events`: a
/// line each.
struct RecordedCheck {
  std::vector<std::string> unknown;
  std::vector<std::string> differs;
};
RecordedCheck CheckRecorded(const std::string& session, const std::vector<Event>& events);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_RECORDED_SOURCES_H_
