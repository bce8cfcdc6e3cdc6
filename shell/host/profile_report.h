// SPDX-License-Identifier: Apache-2.0
//
// What was counted of a run (interp/eval/profile.h), for people and as JSON.
//
// Rules come slowest first, indexes largest first. Without times nothing depends on the
// machine: rules come by the rows that they read and derived.
#ifndef RPL_SHELL_HOST_PROFILE_REPORT_H_
#define RPL_SHELL_HOST_PROFILE_REPORT_H_

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "interp/eval/profile.h"
#include "runtime/session.h"

namespace rpl {

struct ProfileForm {
  bool times = true;
  std::size_t top = 0;    // rules and indexes that are shown; 0: all
  std::size_t width = 0;  // of a line, where it can be kept
};

/// Tables of rules and indexes, where the time went, and what to change. `store` is null when
/// that of the run is no more: then nothing is said of indexes.
std::string ProfileText(const Profile& profile, const Sources& sources, const Store* store,
                        const ProfileForm& form);

/// docs/schemas/profile.json.
nlohmann::ordered_json ProfileJson(const Profile& profile, const Outcome& outcome,
                                   const Sources& sources, const Store& store,
                                   const ProfileForm& form);

}  // namespace rpl

#endif  // RPL_SHELL_HOST_PROFILE_REPORT_H_
