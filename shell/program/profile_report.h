// SPDX-License-Identifier: Apache-2.0
//
// The report of a profile (interp/eval/profile.h), as text and as JSON.
//
// Rules are in descending order of time, indexes of size. Without times the report does not depend
// on the machine: rules are in descending order of the rows that they read and derived.
#ifndef RPL_SHELL_PROGRAM_PROFILE_REPORT_H_
#define RPL_SHELL_PROGRAM_PROFILE_REPORT_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/eval/profile.h"
#include "runtime/outcome.h"

namespace rpl {

class Store;

/// The form of the report.
struct ProfileForm {
  bool times = true;
  std::size_t top = 0;    // maximal number of rules and of indexes; 0: all
  std::size_t width = 0;  // of a line, if possible
};

/// Tables of rules and indexes, the distribution of time, and hints. `store` is null if the run's
/// store no longer exists; the indexes are then left out. Escaped for a terminal.
std::string ProfileText(const Profile& profile, const Sources& sources, const Store* store,
                        const ProfileForm& form);

/// The profile in the format of docs/schemas/profile.json.
nlohmann::ordered_json ProfileJson(const Profile& profile, const Outcome& outcome,
                                   const Sources& sources, const Store& store,
                                   const ProfileForm& form);

}  // namespace rpl

#endif  // RPL_SHELL_PROGRAM_PROFILE_REPORT_H_
