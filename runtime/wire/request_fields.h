// SPDX-License-Identifier: Apache-2.0
//
// The fields of a request of JSON from a program that drives runs, by their names. An absent field
// and null are empty. One of another type throws std::invalid_argument with a reason for people.
#ifndef RPL_RUNTIME_WIRE_REQUEST_FIELDS_H_
#define RPL_RUNTIME_WIRE_REQUEST_FIELDS_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "interp/store/by.h"

namespace rpl {

std::string TextIn(const nlohmann::ordered_json& request, const char* name);
const nlohmann::ordered_json& ObjectIn(const nlohmann::ordered_json& request, const char* name);
/// The texts of a list.
std::vector<std::string> KeysIn(const nlohmann::ordered_json& request, const char* name);
/// The party that "by" names as the source of the answers and facts: `person`, `model`, or else
/// the host.
By PartyIn(const nlohmann::ordered_json& request);

/// Throws std::invalid_argument: "expected …".
[[noreturn]] void ThrowExpected(const std::string& what);

}  // namespace rpl

#endif  // RPL_RUNTIME_WIRE_REQUEST_FIELDS_H_
