// SPDX-License-Identifier: Apache-2.0
//
// A policy as bytes. A hook is a process for each call, and reading a policy of 2,000 rules takes
// it several times as long as deciding: it keeps the policy that it has read in the guard's store
// (guard_store.h), under the hash of its text.
#ifndef RPL_CHECKS_GUARD_POLICY_IMAGE_H_
#define RPL_CHECKS_GUARD_POLICY_IMAGE_H_

#include <optional>
#include <string>
#include <string_view>

#include "checks/guard/policy.h"

namespace rpl {

/// The name under which the image of the policy with this text is kept. It changes with the form of
/// images and with the version of the program, which may read a text otherwise.
std::string PolicyImageName(std::string_view text, std::string_view version);

/// For this machine and program; not an exchange format.
std::string PolicyImage(const Policy& policy);
/// nullopt if the bytes are no image. REQUIRES: if they are, PolicyImage made them.
std::optional<Policy> PolicyOfImage(std::string_view image);

}  // namespace rpl

#endif  // RPL_CHECKS_GUARD_POLICY_IMAGE_H_
